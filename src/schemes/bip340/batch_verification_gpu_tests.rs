//! Tests of chunks of BIP 340 signatures that a GPU verifies as groups, with items that are valid
//! or invalid by construction.

use super::messages::Messages;
use super::verify::VerifyBip340;
use crate::cpu::CpuCurve;
use crate::cpu::field::Field;
use crate::cpu::field::random::Random;
use crate::curve::Secp256k1;
use crate::ops::hash::{SizedTexts, Tag, tagged};
use crate::schemes::common::Chunks;
use crate::schemes::common::batch_verification::cpu::scalar as small;
use crate::schemes::common::batch_verification::gpu_tests::Engines;
use crate::schemes::common::batch_verification::tests::{points, scalar, x_of_no_point};
use crate::types::PublicKeys;

type Scalar = <Secp256k1 as CpuCurve>::Scalar;

#[derive(Clone)]
struct Item {
    message: Vec<u8>,
    r: [u8; 32],
    s: [u8; 32],
    key: [u8; 32],
}

/// Returns an x-coordinate, and the number whose multiple of G has it and an even y.
fn even(number: &Scalar) -> ([u8; 32], Scalar) {
    let point = points::<Secp256k1>(&[*number])[0];
    (
        point.x.to_be_bytes(),
        if point.y.is_odd() {
            number.neg()
        } else {
            *number
        },
    )
}

/// Returns a signature with a key of its own, with `error` added to s.
fn signed(random: &mut Random, message: Vec<u8>, error: &Scalar) -> Item {
    let (r, k) = even(&scalar::<Secp256k1>(random));
    let (key, d) = even(&scalar::<Secp256k1>(random));
    let e = Scalar::from_be_bytes_reduced(&tagged(Tag::Challenge, &[&r, &key, &message]));
    Item {
        message,
        r,
        s: k.add(&e.mul(&d)).add(error).to_be_bytes(),
        key,
    }
}

fn good(random: &mut Random, count: usize) -> Vec<Item> {
    (0..count)
        .map(|item| signed(random, vec![item as u8; 32], &Scalar::ZERO))
        .collect()
}

/// Returns the number of items that a GPU does not verify individually. Messages are rows if all
/// have 32 bytes. Checks that verdicts are those of individual verification on the CPU.
fn verify(engines: &Engines, items: &[Item]) -> usize {
    let rows: Vec<[u8; 32]> = items
        .iter()
        .filter_map(|item| item.message.as_slice().try_into().ok())
        .collect();
    let signatures: Vec<[u8; 64]> = items
        .iter()
        .map(|item| {
            [item.r, item.s]
                .as_flattened()
                .try_into()
                .expect("64 bytes")
        })
        .collect();
    let keys: Vec<[u8; 32]> = items.iter().map(|item| item.key).collect();
    let [expected, found] = [false, true].map(|batch_verification| {
        let messages = match rows.len() == items.len() {
            true => Messages::Rows((&rows).into()),
            false => Messages::Texts(SizedTexts::new(&engines.cpu, items.len(), |item| {
                &items[item].message
            })),
        };
        let signatures = (&signatures).into();
        let keys = PublicKeys::x_only(&keys);
        let chunks = Chunks::all();
        VerifyBip340 {
            messages,
            signatures,
            keys,
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
    let all = good(&mut random, 5000);
    for count in [1, 2, 3, 32, 33, 255, 256, 257, 5000] {
        assert_eq!(verify(&engines, &all[..count]), count);
    }
    assert_eq!(verify(&engines, &vec![all[7].clone(); 300]), 300);
    // Byte strings, some of which are too long for a device.
    let mut texts = good(&mut random, 40);
    for (item, length) in [
        (0, 0),
        (7, 31),
        (20, 33),
        (21, 1000),
        (30, 1 << 18),
        (39, 1 << 18),
    ] {
        texts[item] = signed(&mut random, vec![9; length], &Scalar::ZERO);
    }
    assert_eq!(verify(&engines, &texts), 40);
}

/// Corrupts an item. From fault 5 on it takes part in the equation nevertheless.
fn corrupt(item: &mut Item, fault: usize, other: &Item) {
    let no_x = x_of_no_point::<Secp256k1>().to_be_bytes();
    match fault {
        0 => item.s = [0xff; 32],
        1 => item.r = [0xff; 32],
        2 => item.key = no_x,
        3 => item.key = [0xff; 32],
        4 => item.r = no_x,
        5 => item.r = other.r,
        6 => item.key = other.key,
        7 => item.message[0] ^= 1,
        8 => item.s = Scalar::from_be_bytes_reduced(&item.s).neg().to_be_bytes(),
        _ => item.s = other.s,
    }
}

/// Tests invalid items at each position, and at all positions.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn invalid_items_fail_the_equation_or_are_excluded() {
    let mut random = Random::fresh();
    let engines = Engines::new();
    let clean = good(&mut random, 9);
    let of_another = good(&mut random, 1).remove(0);
    for fault in 0..10 {
        // An item rejected because of its signature takes no part, and is not open.
        let [one, all] = if fault < 2 {
            [9, 9]
        } else {
            [if fault < 5 { 8 } else { 0 }, 0]
        };
        let mut all_bad = clean.clone();
        all_bad
            .iter_mut()
            .for_each(|item| corrupt(item, fault, &of_another));
        assert_eq!(verify(&engines, &all_bad), all, "all with fault {fault}");
        for position in 0..clean.len() {
            let mut group = clean.clone();
            corrupt(&mut group[position], fault, &of_another);
            assert_eq!(verify(&engines, &group), one, "fault {fault} at {position}");
        }
    }
}

/// Tests errors that cancel if coefficients are equal or small.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn errors_do_not_cancel() {
    let mut random = Random::fresh();
    let engines = Engines::new();
    let error = scalar::<Secp256k1>(&mut random);
    for [a, b] in [[1, 1], [1, 2], [2, 1], [3, 5]] {
        let mut group = good(&mut random, 300);
        group[3] = signed(&mut random, vec![1; 32], &small::<Secp256k1>(b).mul(&error));
        group[298] = signed(
            &mut random,
            vec![2; 32],
            &small::<Secp256k1>(a).mul(&error).neg(),
        );
        for _ in 0..3 {
            assert_eq!(verify(&engines, &group), 0);
        }
    }
}
