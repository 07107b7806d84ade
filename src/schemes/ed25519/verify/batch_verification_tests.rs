//! Tests of batch verification, including adversarial signatures.

use super::batch_verification::{self, verify_group};
use super::{Rule, Verification, verify};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::{Ed25519, Ed25519N};
use crate::cpu::edwards::decode::{Encoding, decode_all, encode_all};
use crate::cpu::edwards::field::Element;
use crate::cpu::edwards::multiply::sum_of_products_var;
use crate::cpu::edwards::point::Extended;
use crate::cpu::edwards::scalar::Scalar;
use crate::cpu::edwards::tables::BaseTables as _;
use crate::cpu::field::limbs::to_le_bytes;
use crate::cpu::field::random::Random;
use crate::curve::constants::ed25519::{N, P};
use crate::schemes::common::batch_verification::cpu::{Draw, fresh_coefficients};
use crate::types::{PublicKeys, Rejection, ResultsMut, Verdict};

pub type Number = Scalar<Ed25519N>;

pub const COFACTORED: [Rule; 2] = [Rule::Zip215, Rule::Rfc8032Cofactored];

/// A signature, its key, and k, which the tests choose freely.
#[derive(Clone)]
struct Item {
    key: [u8; 32],
    signature: [u8; 64],
    k: [u8; 32],
}

impl Item {
    fn s(&self) -> Number {
        Number::from_le_bytes(self.signature[32..].try_into().expect("32 bytes")).expect("below n")
    }

    fn set_s(&mut self, s: [u8; 32]) {
        self.signature[32..].copy_from_slice(&s);
    }
}

pub fn number(random: &mut Random) -> Number {
    Number::from_le_bytes_reduced(&to_le_bytes(&random.number()))
}

pub fn small(number: u64) -> Number {
    Number::from_le_bytes_reduced(&to_le_bytes(&[number, 0, 0, 0]))
}

pub fn minus_one() -> Number {
    Number::from_le_bytes(&to_le_bytes(&[N[0] - 1, N[1], N[2], N[3]])).expect("below n")
}

/// Returns the points P with 8 P = O, as the multiples of a generator.
pub fn small_orders() -> [Extended; 8] {
    let generators = (2u8..).filter_map(|y| {
        let encoding = std::array::from_fn(|byte| if byte == 0 { y } else { 0 });
        let point =
            decode_all::<Ed25519>(None, [&encoding].into_iter(), Encoding::Canonical)[0].ok()?;
        // The product with n.
        let point = sum_of_products_var::<Ed25519, 1>([&N], [Extended::from_affine(&point)]);
        let four_times = point.double().to_extended().double().to_projective();
        (!four_times.is_identity_var()).then_some(point)
    });
    let generator = generators
        .into_iter()
        .next()
        .expect("half of all points")
        .to_niels::<Ed25519>();
    let mut multiple = Extended::IDENTITY;
    let all = std::array::from_fn(|_| {
        let this = multiple;
        multiple = multiple.add(&generator).to_extended();
        this
    });
    assert!(multiple.to_projective().is_identity_var());
    all
}

/// The construction of an item: S is r + k a + error, and the points of small order with these
/// indices are added to A and R.
#[derive(Clone, Copy)]
pub struct Plan {
    pub error: Number,
    pub of_key: usize,
    pub of_r: usize,
}

pub const GOOD: Plan = Plan {
    error: Number::ZERO,
    of_key: 0,
    of_r: 0,
};

fn items(random: &mut Random, plans: &[Plan]) -> Vec<Item> {
    let torsion = small_orders();
    let comb = Ed25519::tables().comb();
    let mut points = Vec::new();
    let mut scalars = Vec::new();
    for Plan {
        error,
        of_key,
        of_r,
    } in plans
    {
        let [a, r, k] = [(); 3].map(|()| number(random));
        for (number, torsion) in [(&a, torsion[*of_key]), (&r, torsion[*of_r])] {
            points.push(comb.add_product_var(torsion, number).to_projective());
        }
        scalars.push((r.add(&k.mul(&a)).add(error), k));
    }
    let encodings = encode_all(&points);
    let items = encodings
        .as_chunks()
        .0
        .iter()
        .zip(scalars)
        .map(|([key, r], (s, k))| Item {
            key: *key,
            signature: [*r, s.to_le_bytes()]
                .as_flattened()
                .try_into()
                .expect("64 bytes"),
            k: k.to_le_bytes(),
        });
    items.collect()
}

/// Calls `call` with the verification of items.
fn with_verification<T>(items: &[Item], rule: Rule, call: impl FnOnce(&Verification) -> T) -> T {
    let keys: Vec<[u8; 32]> = items.iter().map(|item| item.key).collect();
    let signatures: Vec<[u8; 64]> = items.iter().map(|item| item.signature).collect();
    call(&Verification {
        rule,
        challenge: &|item| {
            [items[item].k, [0; 32]]
                .as_flattened()
                .try_into()
                .expect("64 bytes")
        },
        bytes: 0,
        signatures: (&signatures).into(),
        keys: PublicKeys::ed25519(&keys),
        batch_verification: true,
    })
}

/// Verifies all items as one group. Returns the valid items that were found.
fn find(engine: &CpuEngine, items: &[Item], rule: Rule, draw: &Draw) -> Option<Vec<usize>> {
    let numbers: Vec<usize> = (0..items.len()).collect();
    with_verification(items, rule, |batch| {
        verify_group::<Ed25519>(engine, batch, &numbers, draw)
    })
}

/// Returns the codes of a batch, in groups if allowed or individually.
fn codes(engine: &CpuEngine, items: &[Item], rule: Rule, batch_verification: bool) -> Vec<u8> {
    let mut codes = vec![0; items.len()];
    with_verification(items, rule, |batch| {
        let batch = Verification {
            batch_verification,
            ..*batch
        };
        verify::<Ed25519>(engine, &batch, &mut ResultsMut::codes(&mut codes).into());
    });
    codes
}

fn engines() -> [CpuEngine; 4] {
    let [with_lanes, several_with_lanes, portable, several_portable] =
        [1, 3, 1, 2].map(|threads| CpuEngine::new(Some(threads), None).unwrap());
    [
        with_lanes,
        several_with_lanes,
        portable.portable(),
        several_portable.portable(),
    ]
}

#[test]
fn equations_of_valid_items_hold() {
    let mut random = Random::fresh();
    let all = items(&mut random, &[GOOD; 1300]);
    for (engine, rule) in engines()
        .iter()
        .flat_map(|engine| COFACTORED.map(|rule| (engine, rule)))
    {
        for count in [0, 1, 2, 3, 7, 8, 9, 100, 1300] {
            let found = find(engine, &all[..count], rule, &fresh_coefficients);
            assert_eq!(found, Some((0..count).collect()), "{count} items");
        }
        // One item, repeated.
        assert!(
            find(engine, &vec![all[0].clone(); 50], rule, &fresh_coefficients)
                .is_some_and(|it| it.len() == 50)
        );
    }
}

/// Components of small order in A and R have no effect, regardless of the coefficients: all items
/// are valid individually.
#[test]
fn small_order_components_never_fail_the_equation() {
    let mut random = Random::fresh();
    let plans: Vec<Plan> = (0..64)
        .map(|both| Plan {
            of_key: both / 8,
            of_r: both % 8,
            ..GOOD
        })
        .collect();
    let all = items(&mut random, &plans);
    for (engine, rule) in engines()
        .iter()
        .flat_map(|engine| COFACTORED.map(|rule| (engine, rule)))
    {
        assert_eq!(codes(engine, &all, rule, false), [Verdict::VALID_CODE; 64]);
        for _ in 0..10 {
            assert_eq!(
                find(engine, &all, rule, &fresh_coefficients),
                Some((0..64).collect())
            );
        }
        for item in &all {
            assert!(
                find(
                    engine,
                    std::slice::from_ref(item),
                    rule,
                    &fresh_coefficients
                )
                .is_some()
            );
        }
    }
}

/// A rule without the cofactor depends on such components, even if those of two items cancel: no
/// equation is used.
#[test]
fn rules_without_cofactor_verify_individually() {
    let mut random = Random::fresh();
    // The R of two neighbours: their components cancel in a sum with equal coefficients.
    let plans: Vec<Plan> = (0..3000)
        .map(|item| match item % 500 {
            0 => Plan { of_r: 1, ..GOOD },
            1 => Plan { of_r: 7, ..GOOD },
            2 | 3 => Plan { of_r: 4, ..GOOD },
            _ => GOOD,
        })
        .collect();
    let all = items(&mut random, &plans);
    for engine in &engines()[..3] {
        for &rule in Rule::ALL {
            let expected = plans.iter().map(|plan| {
                let is_valid = plan.of_r == 0 || COFACTORED.contains(&rule);
                if is_valid {
                    Verdict::VALID_CODE
                } else {
                    Rejection::Mismatch.code()
                }
            });
            let expected: Vec<u8> = expected.collect();
            assert_eq!(codes(engine, &all, rule, true), expected, "{rule}");
        }
    }
}

/// Tests A and R of small order, separately and combined, in every encoding: verdicts are those of
/// individual verification, and items that are valid under the rule are found.
#[test]
fn small_order_points_verify_as_individually() {
    let mut random = Random::fresh();
    let torsion = encode_all(&small_orders().map(Extended::to_projective));
    // Further encodings of the points with y = 0, 1 and -1 and their negatives: y + p, if it has
    // 255 bits, and with the other sign bit.
    let mut encodings = torsion.clone();
    let above = [0, 1].map(|small| to_le_bytes(&[P[0] + small, P[1], P[2], P[3]]));
    for bytes in torsion
        .iter()
        .copied()
        .chain(above)
        .chain(torsion.iter().copied())
    {
        encodings.push(bytes);
        encodings.push(std::array::from_fn(|byte| {
            if byte == 31 {
                bytes[31] ^ 0x80
            } else {
                bytes[byte]
            }
        }));
    }
    encodings.sort_unstable();
    encodings.dedup();
    let good = items(&mut random, &[GOOD; 600]);
    let mut all = Vec::new();
    for key in &encodings {
        for r in &encodings {
            let mut item = Item {
                key: *key,
                signature: [0; 64],
                k: number(&mut random).to_le_bytes(),
            };
            item.signature[..32].copy_from_slice(r);
            all.push(item.clone());
            item.set_s(small(1).to_le_bytes());
            all.push(item);
        }
    }
    for (index, item) in good.iter().enumerate() {
        let mut item = item.clone();
        match index % 3 {
            0 => item.signature[..32].copy_from_slice(&encodings[index % encodings.len()]),
            1 => item.key = encodings[index % encodings.len()],
            _ => {}
        }
        all.push(item);
    }
    let valid = [Verdict::VALID_CODE, Rejection::Mismatch.code()];
    for (engine, rule) in engines()
        .iter()
        .flat_map(|engine| COFACTORED.map(|rule| (engine, rule)))
    {
        let one_by_one = codes(engine, &all, rule, false);
        assert!(valid.iter().all(|code| one_by_one.contains(code)));
        assert_eq!(codes(engine, &all, rule, true), one_by_one);
        let (of_valid, of_others): (Vec<_>, Vec<_>) = all
            .iter()
            .zip(&one_by_one)
            .partition(|(_, code)| **code == Verdict::VALID_CODE);
        let of_valid: Vec<Item> = of_valid.into_iter().map(|(item, _)| item.clone()).collect();
        let of_others: Vec<Item> = of_others
            .into_iter()
            .map(|(item, _)| item.clone())
            .collect();
        let found = find(engine, &of_valid, rule, &fresh_coefficients);
        assert_eq!(found, Some((0..of_valid.len()).collect()));
        assert_eq!(find(engine, &of_others, rule, &fresh_coefficients), None);
    }
}

/// Corrupts an item. With a fault above 3 it takes part in the equation nevertheless.
fn corrupt(item: &mut Item, fault: usize, other: &Item) {
    let off_curve: [u8; 32] = std::array::from_fn(|byte| if byte == 0 { 2 } else { 0 });
    match fault {
        0 => item.set_s(to_le_bytes(&N)),
        1 => item.set_s([0xff; 32]),
        2 => item.key = off_curve,
        3 => item.signature[..32].copy_from_slice(&off_curve),
        4 => item.key[31] ^= 0x80,
        5 => item.signature[31] ^= 0x80,
        6 => item.key = other.key,
        7 => item.signature[..32].copy_from_slice(&other.signature[..32]),
        8 => item.set_s(item.s().add(&small(1)).to_le_bytes()),
        9 => item.k = other.k,
        10 => item.set_s([0; 32]),
        _ => item.k = [0; 32],
    }
}

/// Tests invalid items at each position, and at all positions.
#[test]
fn invalid_items_fail_the_equation_or_are_excluded() {
    let mut random = Random::fresh();
    let clean = items(&mut random, &[GOOD; 9]);
    let another = items(&mut random, &[GOOD]).remove(0);
    for (engine, rule) in engines()
        .iter()
        .flat_map(|engine| COFACTORED.map(|rule| (engine, rule)))
    {
        for fault in 0..12 {
            let mut all_bad = clean.clone();
            all_bad
                .iter_mut()
                .for_each(|item| corrupt(item, fault, &another));
            let takes_part = fault > 3;
            let of_all_bad = find(engine, &all_bad, rule, &fresh_coefficients);
            assert_eq!(
                of_all_bad,
                (!takes_part).then(Vec::new),
                "all with fault {fault}"
            );
            for position in 0..clean.len() {
                let mut group = clean.clone();
                corrupt(&mut group[position], fault, &another);
                let expected =
                    (!takes_part).then(|| (0..9).filter(|item| *item != position).collect());
                assert_eq!(
                    find(engine, &group, rule, &fresh_coefficients),
                    expected,
                    "fault {fault} at {position}"
                );
            }
        }
    }
}

/// Tests errors that cancel under predictable coefficients, including components of small order.
#[test]
fn errors_do_not_cancel() {
    let mut random = Random::fresh();
    let error = number(&mut random);
    for [a, b] in [[1, 1], [1, 2], [2, 1], [3, 5], [7, 1], [8, 1], [1, 16]] {
        // a (b e) + b (-a e) = 0.
        let mut plans = [GOOD; 12];
        plans[3] = Plan {
            error: small(b).mul(&error),
            of_key: 3,
            of_r: 1,
        };
        plans[8] = Plan {
            error: small(a).mul(&error).mul(&minus_one()),
            of_key: 5,
            of_r: 7,
        };
        let group = items(&mut random, &plans);
        for (engine, rule) in engines()
            .iter()
            .flat_map(|engine| COFACTORED.map(|rule| (engine, rule)))
        {
            let found = find(engine, &group, rule, &|count| {
                Some(
                    (0..count)
                        .map(|item| u128::from(if item < 4 { a } else { b }))
                        .collect(),
                )
            });
            assert_eq!(found, Some((0..12).collect()));
            for _ in 0..5 {
                assert_eq!(find(engine, &group, rule, &fresh_coefficients), None);
            }
        }
    }
}

#[test]
fn missing_randomness_finds_no_valid_items() {
    let group = items(&mut Random::fresh(), &[GOOD; 300]);
    for engine in engines() {
        assert_eq!(find(&engine, &group, Rule::Zip215, &|_| None), None);
    }
}

/// In a batch with some invalid items, none of them is found, and others are.
#[test]
fn batches_are_split_into_groups() {
    let mut random = Random::fresh();
    let count = 12_000;
    let clean = items(&mut random, &vec![GOOD; count]);
    let numbers: Vec<usize> = (0..count).collect();
    let limited = CpuEngine::new(Some(1), Some(1 << 22)).unwrap();
    for bad in [None, Some(0), Some(count / 2), Some(count - 1)] {
        let mut batch = clean.clone();
        if let Some(bad) = bad {
            batch[bad].signature[40] ^= 1;
        }
        for engine in engines().iter().chain([&limited]) {
            let mut found = vec![false; count];
            with_verification(&batch, Rule::Zip215, |verification| {
                batch_verification::find_valid::<Ed25519>(engine, verification, &numbers, |item| {
                    found[item] = true
                });
            });
            let valid = found.iter().filter(|found| **found).count();
            let fewest = if bad.is_some() {
                count / 3
            } else {
                count * 8 / 10
            };
            assert!(
                bad.is_none_or(|bad| !found[bad]) && valid >= fewest,
                "{valid} of {count}"
            );
        }
    }
}

/// The equation is about points, not about their encodings: the verdict of an item that is valid
/// with another encoding of its R follows the rule.
#[test]
fn elements_above_p_verify_as_individually() {
    // Points with y = 0..18 and with y + p.
    let mut random = Random::fresh();
    let mut all = Vec::new();
    for y in 0..19u64 {
        for bytes in [
            to_le_bytes(&[y, 0, 0, 0]),
            to_le_bytes(&[P[0] + y, P[1], P[2], P[3]]),
        ] {
            for sign in [0, 0x80] {
                let encoding = std::array::from_fn(|byte| {
                    if byte == 31 {
                        bytes[31] | sign
                    } else {
                        bytes[byte]
                    }
                });
                let point = decode_all::<Ed25519>(None, [&encoding].into_iter(), Encoding::Lenient);
                all.push((encoding, point[0].is_ok()));
            }
        }
    }
    assert!(all.iter().filter(|(_, is_point)| *is_point).count() > 20);
    let mut batch = items(&mut random, &[GOOD; 1200]);
    for (item, (encoding, _)) in batch.iter_mut().zip(&all) {
        // With k = 0, A may be any point: S B = R still holds.
        item.k = [0; 32];
        item.key = *encoding;
        let r = number(&mut random);
        let r_point = Ed25519::tables()
            .comb()
            .add_product_var(Extended::IDENTITY, &r);
        item.signature[..32].copy_from_slice(&encode_all(&[r_point.to_projective()])[0]);
        item.set_s(r.to_le_bytes());
    }
    for (engine, rule) in engines()
        .iter()
        .flat_map(|engine| COFACTORED.map(|rule| (engine, rule)))
    {
        let one_by_one = codes(engine, &batch, rule, false);
        assert_eq!(codes(engine, &batch, rule, true), one_by_one);
        for ((_, is_point), code) in all.iter().zip(&one_by_one) {
            assert!(*is_point || *code != Verdict::VALID_CODE);
            assert!(rule != Rule::Zip215 || *is_point == (*code == Verdict::VALID_CODE));
        }
    }
    assert!(Element::from_limbs(P).is_zero());
}
