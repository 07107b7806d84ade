//! Tests of chunks of signatures that a GPU verifies as groups, with items that are valid or
//! invalid by construction.

use super::batch::VerifyEd25519;
use super::rule::Rule;
use super::variant::Variant;
use super::verify::batch_verification_tests::{
    COFACTORED, GOOD, Number, Plan, minus_one, number, small, small_orders,
};
use crate::cpu::edwards::curves::Ed25519;
use crate::cpu::edwards::decode::encode_all;
use crate::cpu::edwards::tables::BaseTables as _;
use crate::cpu::field::random::Random;
use crate::ops::hash::SizedTexts;
use crate::schemes::common::Chunks;
use crate::schemes::common::batch_verification::gpu_tests::Engines;
use crate::types::PublicKeys;

#[derive(Clone)]
struct Item {
    message: Vec<u8>,
    signature: [u8; 64],
    key: [u8; 32],
}

/// Returns signatures of different keys.
fn items(random: &mut Random, plans: &[Plan]) -> Vec<Item> {
    let torsion = small_orders();
    let comb = Ed25519::tables().comb();
    let numbers: Vec<[Number; 2]> = plans
        .iter()
        .map(|_| [(); 2].map(|()| number(random)))
        .collect();
    let points = plans
        .iter()
        .zip(&numbers)
        .flat_map(|(Plan { of_key, of_r, .. }, [a, r])| {
            [(a, *of_key), (r, *of_r)]
                .map(|(number, of)| comb.add_product_var(torsion[of], number).to_projective())
        });
    let encodings = encode_all(&points.collect::<Vec<_>>());
    let planned = plans
        .iter()
        .enumerate()
        .zip(encodings.as_chunks().0)
        .zip(&numbers);
    let items = planned.map(|(((number, plan), [key, r]), [of_key, of_r])| {
        let message = vec![number as u8; 32];
        let mut signature: [u8; 64] = [*r, [0; 32]].as_flattened().try_into().expect("64 bytes");
        let k = Number::from_le_bytes_wide(&Variant::PURE.challenge(&signature, key, &message));
        signature[32..].copy_from_slice(&of_r.add(&k.mul(of_key)).add(&plan.error).to_le_bytes());
        Item {
            message,
            signature,
            key: *key,
        }
    });
    items.collect()
}

/// Returns the number of items that a GPU does not verify individually. Checks that verdicts are
/// those of individual verification on the CPU.
fn verify(engines: &Engines, items: &[Item], rule: Rule) -> usize {
    let signatures: Vec<[u8; 64]> = items.iter().map(|item| item.signature).collect();
    let keys: Vec<[u8; 32]> = items.iter().map(|item| item.key).collect();
    let [expected, found] = [false, true].map(|batch_verification| {
        let messages = SizedTexts::new(&engines.cpu, items.len(), |item| &items[item].message);
        let signatures = (&signatures).into();
        let keys = PublicKeys::ed25519(&keys);
        let chunks = Chunks::all();
        VerifyEd25519 {
            variant: Variant::PURE,
            messages,
            signatures,
            keys,
            rule,
            batch_verification,
            chunks,
            items: items.len(),
        }
    });
    engines.check_codes(&found, &expected);
    found.chunks.spared()
}

#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn equations_of_valid_items_hold() {
    let mut random = Random::fresh();
    let engines = Engines::new();
    // With all components of small order in A and R, which have no effect.
    let plans: Vec<Plan> = (0..5000)
        .map(|item| Plan {
            of_key: item / 8 % 8,
            of_r: item % 8,
            ..GOOD
        })
        .collect();
    let all = items(&mut random, &plans);
    for rule in COFACTORED {
        for count in [1, 2, 3, 32, 33, 64, 255, 256, 257, 5000] {
            assert_eq!(verify(&engines, &all[..count], rule), count);
        }
        assert_eq!(verify(&engines, &vec![all[7].clone(); 300], rule), 300);
    }
    // Other rules have no equation for groups.
    assert_eq!(verify(&engines, &all, Rule::Strict), 0);
}

/// Corrupts an item. From fault 3 on it takes part in the equation nevertheless.
fn corrupt(item: &mut Item, fault: usize, other: &Item) {
    // No point has y = 2.
    let none: [u8; 32] = std::array::from_fn(|byte| if byte == 0 { 2 } else { 0 });
    match fault {
        0 => item.signature[32..].fill(0xff),
        1 => item.key = none,
        2 => item.signature[..32].copy_from_slice(&none),
        3 => item.signature[..32].copy_from_slice(&other.signature[..32]),
        4 => item.key = other.key,
        5 => item.message[0] ^= 1,
        _ => item.signature[32..].copy_from_slice(&other.signature[32..]),
    }
}

/// Tests invalid items at each position, and at all positions.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn invalid_items_fail_the_equation_or_are_excluded() {
    let mut random = Random::fresh();
    let engines = Engines::new();
    let clean = items(&mut random, &[GOOD; 9]);
    let of_another = items(&mut random, &[GOOD]).remove(0);
    for fault in 0..7 {
        let spared = if fault < 3 { 9 } else { 0 };
        let mut all_bad = clean.clone();
        all_bad
            .iter_mut()
            .for_each(|item| corrupt(item, fault, &of_another));
        assert_eq!(
            verify(&engines, &all_bad, Rule::Zip215),
            spared,
            "all with fault {fault}"
        );
        for position in 0..clean.len() {
            let mut group = clean.clone();
            corrupt(&mut group[position], fault, &of_another);
            assert_eq!(
                verify(&engines, &group, Rule::Zip215),
                spared,
                "fault {fault} at {position}"
            );
        }
    }
    // Messages that are too long for a device take no part either.
    let mut texts = clean;
    texts[3].message = vec![9; 1 << 18];
    texts[4].message = vec![8; 1 << 18];
    assert_eq!(verify(&engines, &texts, Rule::Zip215), 9);
}

/// Tests errors that cancel if coefficients are equal or small.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn errors_do_not_cancel() {
    let mut random = Random::fresh();
    let engines = Engines::new();
    let error = number(&mut random);
    for [a, b] in [[1, 1], [1, 2], [2, 1], [3, 5]] {
        let mut plans = [GOOD; 300];
        plans[3].error = small(b).mul(&error);
        plans[298].error = small(a).mul(&error).mul(&minus_one());
        let group = items(&mut random, &plans);
        for _ in 0..3 {
            assert_eq!(verify(&engines, &group, Rule::Zip215), 0);
        }
    }
}
