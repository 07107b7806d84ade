//! Verification.

use super::vectors::crafted_cases;
use crate::declare::{apply, on_every_engine};
use crate::support::ed25519::{Case, random_cases, verify};
use crate::support::random::Random;
use crate::support::vectors::field;
use gecc::ed25519::{self, Rule, Variant};
use gecc::{Backend, Engine, PublicKeys, Rejection, Rows, SecretKey, Verdict};

/// Items of few keys many times, for which a GPU makes tables: each has the verdict and the reason
/// that it has in a small batch.
#[apply(on_every_engine)]
fn few_keys_in_a_large_batch_keep_verdicts_of_a_small_one(engine: &Engine) {
    let cases = random_cases(engine, &mut Random::new(), 300, 10);
    let items = if engine.info().backend == Backend::Gpu {
        1 << 18
    } else {
        6000
    };
    let batch: Vec<Case> = cases.iter().cycle().take(items).cloned().collect();
    for &rule in Rule::ALL {
        let expected = verify(engine, &cases, rule);
        let found = verify(engine, &batch, rule);
        assert!(
            expected
                .iter()
                .cycle()
                .zip(found)
                .all(|(expected, found)| *expected == found),
            "{rule}"
        );
    }
}

/// An item is rejected for the first reason that applies.
#[apply(on_every_engine)]
fn items_with_several_errors_report_the_first(engine: &Engine) {
    let signer = Engine::builder()
        .backend(Backend::Cpu)
        .threads(1)
        .build()
        .unwrap();
    let seeds = [SecretKey::from_bytes([9; 32])];
    let key = ed25519::public_keys(&signer, &seeds).unwrap()[0];
    let signature = ed25519::sign(&signer, &["m"], &seeds, Variant::PURE).unwrap()[0].unwrap();
    let with = |range: std::ops::Range<usize>, part: &[u8]| {
        let mut signature = signature;
        signature[range].copy_from_slice(part);
        signature
    };
    // n and the number before it; y = 2, which is not of a point; the identity; and encodings that
    // are not canonical.
    let order = field("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let off_curve = std::array::from_fn(|byte| if byte == 0 { 2 } else { 0 });
    let identity: [u8; 32] = std::array::from_fn(|byte| u8::from(byte == 0));
    let minus_zero: [u8; 32] =
        std::array::from_fn(|byte| if byte == 31 { 0x80 } else { identity[byte] });
    let above_p = field("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
    let large_s = with(32..64, &order);
    let small_r = with(0..32, &identity);
    let no_r = with(0..32, &off_curve);
    let loose_r = with(0..32, &above_p);
    use Rejection::*;
    use Rule::*;
    let cases = [
        (off_curve, large_s, Rule::ALL, SOutOfRange),
        (above_p, large_s, Rule::ALL, SOutOfRange),
        (off_curve, no_r, Rule::ALL, NotOnCurve),
        (
            above_p,
            small_r,
            &[Libsodium, Rfc8032, Rfc8032Cofactored],
            MalformedPoint,
        ),
        (
            minus_zero,
            small_r,
            &[Libsodium, Rfc8032, Rfc8032Cofactored],
            MalformedPoint,
        ),
        (above_p, small_r, &[Strict], SmallOrderKey),
        (minus_zero, no_r, &[Strict], SmallOrderKey),
        (identity, no_r, &[Strict, Libsodium], SmallOrderKey),
        (identity, no_r, &[Zip215, Rfc8032Cofactored], NoSuchR),
        (key, small_r, &[Strict, Libsodium], SmallOrderR),
        (key, loose_r, &[Strict, Libsodium], SmallOrderR),
        (
            key,
            small_r,
            &[Cofactorless, Zip215, Rfc8032, Rfc8032Cofactored],
            Mismatch,
        ),
        (key, no_r, &[Zip215, Rfc8032Cofactored], NoSuchR),
        (
            key,
            no_r,
            &[Cofactorless, Strict, Libsodium, Rfc8032],
            Mismatch,
        ),
        (key, loose_r, &[Rfc8032Cofactored], ROutOfRange),
        (key, loose_r, &[Cofactorless, Zip215, Rfc8032], Mismatch),
    ];
    for (number, (key, signature, rules, reason)) in cases.into_iter().enumerate() {
        for &rule in rules {
            // As a key that occurs once, and as one that has a table.
            for items in [1, 100] {
                let found = ed25519::verify(
                    engine,
                    &vec!["m"; items],
                    &vec![signature; items],
                    PublicKeys::ed25519(Rows::all(&key)),
                    Variant::PURE,
                    rule,
                );
                let found = found.unwrap();
                assert!(
                    found
                        .iter()
                        .all(|verdict| *verdict == Verdict::Rejected(reason)),
                    "{number}, {rule:?}: {} for {reason}",
                    found[0]
                );
            }
        }
    }
}

/// Keys of another length are rejected alone.
#[apply(on_every_engine)]
fn keys_of_other_lengths_reject_only_their_items(engine: &Engine) {
    let signer = Engine::builder()
        .backend(Backend::Cpu)
        .threads(1)
        .build()
        .unwrap();
    let seeds = [SecretKey::from_bytes([7; 32])];
    let public = ed25519::public_keys(&signer, &seeds).unwrap();
    let signature = ed25519::sign(&signer, &["m"], &seeds, Variant::PURE).unwrap()[0].unwrap();
    let rows = [
        PublicKeys::mixed_row(&[3; 33]),
        PublicKeys::mixed_row_of_x(&public[0]),
        PublicKeys::mixed_row(&[]),
    ];
    for copies in [1, 40] {
        let rows = rows.repeat(copies);
        let items = 3 * copies;
        let messages = vec!["m"; items];
        let signatures = vec![signature; items];
        let keys = PublicKeys::mixed(&rows);
        for &rule in Rule::ALL {
            let found =
                ed25519::verify(engine, &messages, &signatures, keys, Variant::PURE, rule).unwrap();
            for (item, verdict) in found.iter().enumerate() {
                let malformed = Verdict::Rejected(Rejection::MalformedPoint);
                assert_eq!(
                    *verdict,
                    if item % 3 == 1 {
                        Verdict::Valid
                    } else {
                        malformed
                    },
                    "{rule:?}, {item}"
                );
            }
        }
    }
}

/// The portable code and that of the lanes produce the same codes, in batches of every size that
/// lanes and chunks divide differently.
#[apply(on_every_engine)]
fn portable_and_vector_code_agree_at_every_batch_size(engine: &Engine) {
    let cases = crafted_cases();
    let portable = Engine::builder()
        .backend(Backend::Cpu)
        .portable(true)
        .build()
        .unwrap();
    for &rule in Rule::ALL {
        let expected = verify(&portable, &cases, rule);
        for size in [1, 2, 3, 7, 8, 9, 15, 17, 100] {
            for (cases, expected) in cases.chunks(size).zip(expected.chunks(size)).take(40) {
                assert_eq!(verify(engine, cases, rule), expected, "{rule:?}");
            }
        }
    }
}
