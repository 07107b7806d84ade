//! Tests of chunks of ECDSA signatures that a GPU verifies as groups, with items that are valid or
//! invalid by construction.

use super::ECDSA;
use crate::cpu::field::Field;
use crate::cpu::field::random::Random;
use crate::cpu::tables::BaseTables;
use crate::curve::{Curve, CurveId, for_each_ecdsa_curve, types};
use crate::schemes::common::batch_verification::cpu::scalar as small;
use crate::schemes::common::batch_verification::gpu_tests::Engines;
use crate::schemes::common::batch_verification::tests::{points, scalar, scalars, x_of_no_point};
use crate::schemes::common::{Chunks, Verification, VerifyDigests};
use crate::types::{Policy, PublicKeys, Rows};

#[derive(Clone)]
pub struct Item {
    pub digest: [u8; 32],
    pub r: [u8; 32],
    pub s: [u8; 32],
    pub id: u8,
    pub key: [u8; 64],
}

/// Returns signatures of different keys. The R that each identifies is u1 G + u2 Q plus `error` G.
fn items<C: BaseTables>(random: &mut Random, errors: &[C::Scalar]) -> Vec<Item> {
    let [u1, u2, secrets] = [(); 3].map(|()| scalars::<C>(random, errors.len()));
    let of_r: Vec<C::Scalar> = (0..errors.len())
        .map(|item| {
            u1[item]
                .add(&u2[item].mul(&secrets[item]))
                .add(&errors[item])
        })
        .collect();
    let [keys, points_r] = [&secrets, &of_r].map(|numbers| points::<C>(numbers));
    let items = (0..errors.len()).map(|item| {
        let x = points_r[item].x.to_be_bytes();
        let r = C::Scalar::from_be_bytes_reduced(&x);
        let s = r.mul(&u2[item].invert_var().expect("random"));
        let is_large = r.to_be_bytes() != x;
        Item {
            digest: u1[item].mul(&s).to_be_bytes(),
            r: r.to_be_bytes(),
            s: s.to_be_bytes(),
            id: u8::from(is_large) << 1 | u8::from(points_r[item].y.is_odd()),
            key: [keys[item].x.to_be_bytes(), keys[item].y.to_be_bytes()]
                .concat()
                .try_into()
                .expect("64 bytes"),
        }
    });
    items.collect()
}

pub fn good<C: BaseTables>(random: &mut Random, count: usize) -> Vec<Item> {
    items::<C>(random, &vec![C::Scalar::ZERO; count])
}

/// Returns the number of items that a GPU does not verify individually. Checks that verdicts are
/// those of individual verification on the CPU.
fn verify(engines: &Engines, curve: CurveId, items: &[Item], keys: PublicKeys) -> usize {
    let digests: Vec<[u8; 32]> = items.iter().map(|item| item.digest).collect();
    let signatures: Vec<[u8; 64]> = items
        .iter()
        .map(|item| {
            [item.r, item.s]
                .as_flattened()
                .try_into()
                .expect("64 bytes")
        })
        .collect();
    let ids: Vec<[u8; 1]> = items.iter().map(|item| [item.id]).collect();
    let one_by_one = Verification::new((&digests).into(), (&signatures).into(), keys);
    let batch_verification = Verification {
        recovery_ids: Some(Rows::from(&ids)),
        ..one_by_one
    };
    let policy = Policy::default();
    let items = items.len();
    let [expected, found] = [one_by_one, batch_verification].map(|inputs| VerifyDigests {
        scheme: &ECDSA,
        curve,
        inputs,
        policy,
        chunks: Chunks::all(),
        items,
    });
    engines.check_codes(&found, &expected);
    found.chunks.spared()
}

fn verify_raw(engines: &Engines, curve: CurveId, items: &[Item]) -> usize {
    let keys: Vec<[u8; 64]> = items.iter().map(|item| item.key).collect();
    verify(engines, curve, items, PublicKeys::raw(&keys))
}

macro_rules! on_each_curve {
    ([$test:ident $engines:ident] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
        $($test::<types::$curve>(&mut Random::fresh(), &$engines);)*
    };
}

/// Tests several batch sizes, and one item repeated.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn equations_of_valid_items_hold() {
    fn test<C: BaseTables + Curve>(random: &mut Random, engines: &Engines) {
        let all = good::<C>(random, 70_000);
        for count in [1, 2, 3, 16, 31, 32, 33, 255, 256, 257, 1000, 33_000, 70_000] {
            assert_eq!(
                verify_raw(engines, C::ID, &all[..count]),
                count,
                "{} items",
                count
            );
        }
        for count in [2, 300] {
            assert_eq!(
                verify_raw(engines, C::ID, &vec![all[0].clone(); count]),
                count
            );
        }
    }
    let engines = Engines::new();
    for_each_ecdsa_curve!(on_each_curve! test engines);
}

/// Corrupts an item. From fault 6 on it takes part in the equation nevertheless.
fn corrupt<C: BaseTables>(item: &mut Item, fault: usize, other: &Item) {
    match fault {
        0 => item.s = [0xff; 32],
        1 => item.key = [0; 64],
        2 => item.key[63] ^= 1,
        3 => item.key.fill(0xff),
        4 => item.id = 4,
        5 => item.r = x_of_no_point::<C>().to_be_bytes(),
        6 => item.id ^= 1,
        7 => (item.r, item.id) = (other.r, other.id),
        8 => item.key = other.key,
        9 => item.digest[31] ^= 1,
        10 => {
            item.s = C::Scalar::from_be_bytes_reduced(&item.s)
                .neg()
                .to_be_bytes()
        }
        _ => item.s = other.s,
    }
}

/// Tests invalid items at each position, and at all positions.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn invalid_items_fail_the_equation_or_are_excluded() {
    fn test<C: BaseTables + Curve>(random: &mut Random, engines: &Engines) {
        let clean = good::<C>(random, 9);
        let of_another = good::<C>(random, 1).remove(0);
        for fault in 0..12 {
            let mut all_bad = clean.clone();
            all_bad
                .iter_mut()
                .for_each(|item| corrupt::<C>(item, fault, &of_another));
            // Items rejected because of s take no part, and none of them is open.
            assert_eq!(
                verify_raw(engines, C::ID, &all_bad),
                if fault == 0 { 9 } else { 0 },
                "all with fault {fault}"
            );
            for position in 0..clean.len() {
                let mut group = clean.clone();
                corrupt::<C>(&mut group[position], fault, &of_another);
                let expected = [9, 8, 0][usize::from(fault > 0) + usize::from(fault > 5)];
                assert_eq!(
                    verify_raw(engines, C::ID, &group),
                    expected,
                    "fault {fault} at {position}"
                );
            }
        }
    }
    let engines = Engines::new();
    for_each_ecdsa_curve!(on_each_curve! test engines);
}

/// Tests errors that cancel if coefficients are equal or small.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn errors_do_not_cancel() {
    fn test<C: BaseTables + Curve>(random: &mut Random, engines: &Engines) {
        let error = scalar::<C>(random);
        for [a, b] in [[1, 1], [1, 2], [2, 1], [3, 5]] {
            let mut errors = vec![C::Scalar::ZERO; 300];
            errors[3] = small::<C>(b).mul(&error);
            errors[298] = small::<C>(a).mul(&error).neg();
            let group = items::<C>(random, &errors);
            for _ in 0..3 {
                assert_eq!(verify_raw(engines, C::ID, &group), 0);
            }
        }
    }
    let engines = Engines::new();
    for_each_ecdsa_curve!(on_each_curve! test engines);
}

/// Tests keys in several forms in one chunk, including invalid ones.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn keys_in_any_encoding_are_verified() {
    fn test<C: BaseTables + Curve>(random: &mut Random, engines: &Engines) {
        let mut items = good::<C>(random, 1000);
        let keys = items
            .iter()
            .enumerate()
            .map(|(item, Item { key, .. })| match item % 4 {
                0 => [&[2 + (key[63] & 1)], &key[..32]].concat(),
                3 if item % 100 == 3 => vec![0],
                _ => [&[4], &key[..]].concat(),
            });
        let keys: Vec<Vec<u8>> = keys.collect();
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        assert_eq!(verify(engines, C::ID, &items, PublicKeys::sec1(&keys)), 990);
        items[500].digest[0] ^= 1;
        assert_eq!(verify(engines, C::ID, &items, PublicKeys::sec1(&keys)), 0);
    }
    let engines = Engines::new();
    for_each_ecdsa_curve!(on_each_curve! test engines);
}
