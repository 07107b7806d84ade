//! Tests of groups whose items are valid or invalid by construction.

use super::cpu::{Draw, GroupMember, find_valid, fresh_coefficients, verify_group};
use crate::cpu::field::Field;
use crate::cpu::field::random::Random;
use crate::cpu::point::Affine;
use crate::cpu::point::jacobian::normalize;
use crate::cpu::{CpuCurve, CpuEngine, decode, generator, limbs_to_be_bytes, multiply};
use crate::curve::{for_each_curve, types};
use crate::schemes::common::final_checks_cpu::{Equation, Equations, SignatureBatch, XModuloN};
use crate::types::{PublicKeys, Rejection};
use std::sync::Mutex;

/// An item with the equation u1 G + u2 Q = R.
#[derive(Clone)]
struct Item<C: CpuCurve> {
    scalars: Result<[C::Scalar; 2], Rejection>,
    /// The known coordinates of R.
    r: Option<(C::Base, bool)>,
    key: [u8; 64],
}

impl<C: CpuCurve> Item<C> {
    fn equation(&self) -> Result<Equation<C, XModuloN<C>>, Rejection> {
        let [u1, u2] = self.scalars?;
        Ok(Equation {
            u1,
            u2,
            final_check: XModuloN {
                x: u2,
                named: self.r,
            },
        })
    }
}

pub fn scalar<C: CpuCurve>(random: &mut Random) -> C::Scalar {
    C::Scalar::from_be_bytes_reduced(&limbs_to_be_bytes(&random.number()))
}

/// Returns random scalars.
pub fn scalars<C: CpuCurve>(random: &mut Random, count: usize) -> Vec<C::Scalar> {
    (0..count).map(|_| scalar::<C>(random)).collect()
}

/// Returns items for which u1 G + u2 Q is R minus `error` G.
fn items<C: CpuCurve>(random: &mut Random, errors: &[C::Scalar]) -> Vec<Item<C>> {
    let [u1, u2, secrets] = [(); 3].map(|()| scalars::<C>(random, errors.len()));
    let of_r: Vec<C::Scalar> = (0..errors.len())
        .map(|item| {
            u1[item]
                .add(&u2[item].mul(&secrets[item]))
                .add(&errors[item])
        })
        .collect();
    let [keys, r] = [&secrets, &of_r].map(|numbers| points::<C>(numbers));
    let items = (0..errors.len()).map(|item| Item {
        scalars: Ok([u1[item], u2[item]]),
        r: Some((r[item].x, r[item].y.is_odd())),
        key: [keys[item].x.to_be_bytes(), keys[item].y.to_be_bytes()]
            .concat()
            .try_into()
            .expect("64 bytes"),
    });
    items.collect()
}

/// Returns multiples of G.
pub fn points<C: CpuCurve>(numbers: &[C::Scalar]) -> Vec<Affine<C::Base>> {
    normalize(&multiply::mul_add::<C>(
        None,
        numbers,
        &vec![generator::<C>(); numbers.len()],
        None,
    ))
}

/// Returns a number that is not the x-coordinate of a point.
pub fn x_of_no_point<C: CpuCurve>() -> C::Base {
    let numbers = std::iter::successors(Some(C::Base::ONE), |x| Some(x.add(&C::Base::ONE)));
    let mut of_no_point =
        numbers.filter(|x| decode::lift_all::<C>(None, &[(*x, false)])[0].is_none());
    of_no_point.next().expect("half of all numbers")
}

fn good<C: CpuCurve>(random: &mut Random, count: usize) -> Vec<Item<C>> {
    items(random, &vec![C::Scalar::ZERO; count])
}

/// Items, and their keys.
struct Batch<'a, C: CpuCurve> {
    items: &'a [Item<C>],
    keys: Vec<[u8; 64]>,
}

impl<'a, C: CpuCurve> Batch<'a, C> {
    fn new(items: &'a [Item<C>]) -> Self {
        let keys = items.iter().map(|item| item.key).collect();
        Batch { items, keys }
    }
}

impl<C: CpuCurve> SignatureBatch<C> for Batch<'_, C> {
    type FinalCheck = XModuloN<C>;

    fn keys(&self) -> PublicKeys<'_> {
        PublicKeys::raw(&self.keys)
    }

    fn allows_batch_verification(&self) -> bool {
        true
    }

    fn equations(&self, items: &[usize]) -> Equations<C, XModuloN<C>> {
        items
            .iter()
            .map(|item| self.items[*item].equation())
            .collect()
    }
}

/// Verifies all items as one group. Returns the valid items that were found.
fn verify<C: CpuCurve>(engine: &CpuEngine, items: &[Item<C>], draw: &Draw) -> Option<Vec<usize>> {
    let numbers: Vec<usize> = (0..items.len()).collect();
    let members = verify_group(engine, &numbers, &Batch::new(items), draw)?;
    for GroupMember { item, key } in &members {
        assert_eq!(
            [key.x.to_be_bytes(), key.y.to_be_bytes()].as_flattened(),
            items[*item].key
        );
    }
    Some(members.into_iter().map(|member| member.item).collect())
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

macro_rules! on_each_curve {
    ([$test:ident] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
        $($test::<types::$curve>(&mut Random::fresh());)*
    };
}

#[test]
fn equations_of_valid_items_hold() {
    fn test<C: CpuCurve>(random: &mut Random) {
        let all = good::<C>(random, 1300);
        for engine in engines() {
            for count in [0, 1, 2, 3, 16, 17, 100, 1300] {
                let found = verify(&engine, &all[..count], &fresh_coefficients);
                assert_eq!(found, Some((0..count).collect()), "{count} items");
            }
            // One item, repeated.
            assert_eq!(
                verify(&engine, &vec![all[0].clone(); 50], &fresh_coefficients),
                Some((0..50).collect())
            );
        }
    }
    for_each_curve!(on_each_curve! test);
}

/// Corrupts an item. With a fault above 5 it takes part in the equation nevertheless.
fn corrupt<C: CpuCurve>(item: &mut Item<C>, fault: usize, other: &Item<C>) {
    match fault {
        0 => item.scalars = Err(Rejection::SOutOfRange),
        1 => item.key = [0; 64],
        2 => item.key[63] ^= 1,
        3 => item.key.fill(0xff),
        4 => item.r = None,
        5 => item.r = Some((x_of_no_point::<C>(), false)),
        6 => item.r = item.r.map(|(x, is_odd)| (x, !is_odd)),
        7 => item.r = other.r,
        8 => item.key = other.key,
        9 => item.scalars = item.scalars.map(|[u1, u2]| [u1.add(&C::Scalar::ONE), u2]),
        10 => item.scalars = item.scalars.map(|[u1, u2]| [u1, u2.neg()]),
        _ => item.scalars = item.scalars.map(|[u1, _]| [u1, C::Scalar::ZERO]),
    }
}

/// Invalid items at each position, and at all positions.
#[test]
fn invalid_items_fail_the_equation_or_are_excluded() {
    fn test<C: CpuCurve>(random: &mut Random) {
        let clean = good::<C>(random, 9);
        let of_another = good::<C>(random, 1).remove(0);
        for engine in engines() {
            for fault in 0..12 {
                let mut all_bad = clean.clone();
                all_bad
                    .iter_mut()
                    .for_each(|item| corrupt::<C>(item, fault, &of_another));
                let takes_part = fault > 5;
                let of_all_bad = verify(&engine, &all_bad, &fresh_coefficients);
                assert_eq!(
                    of_all_bad,
                    (!takes_part).then(Vec::new),
                    "all with fault {fault}"
                );
                for position in 0..clean.len() {
                    let mut group = clean.clone();
                    corrupt::<C>(&mut group[position], fault, &of_another);
                    let expected =
                        (!takes_part).then(|| (0..9).filter(|item| *item != position).collect());
                    let found = verify(&engine, &group, &fresh_coefficients);
                    assert_eq!(found, expected, "fault {fault} at {position}");
                }
            }
        }
    }
    for_each_curve!(on_each_curve! test);
}

/// Tests errors that cancel under predictable coefficients.
#[test]
fn errors_do_not_cancel() {
    fn test<C: CpuCurve>(random: &mut Random) {
        let error = scalar::<C>(random);
        for [a, b] in [[1, 1], [1, 2], [2, 1], [3, 5], [7, 1], [u128::MAX, 1]] {
            let [of_a, of_b] = [a, b].map(|small| super::cpu::scalar::<C>(small));
            // a (b e) + b (-a e) = 0.
            let mut errors = vec![C::Scalar::ZERO; 12];
            errors[3] = of_b.mul(&error);
            errors[8] = of_a.mul(&error).neg();
            let group = items::<C>(random, &errors);
            for engine in engines() {
                let found = verify(&engine, &group, &|count| {
                    Some(
                        (0..count)
                            .map(|item| if item < 4 { a } else { b })
                            .collect(),
                    )
                });
                assert_eq!(found, Some((0..12).collect()));
                for _ in 0..5 {
                    assert_eq!(verify(&engine, &group, &fresh_coefficients), None);
                }
            }
        }
    }
    for_each_curve!(on_each_curve! test);
}

/// Every group of every call has its own coefficients of 128 bits.
#[test]
fn coefficients_are_fresh() {
    let engine = CpuEngine::new(Some(2), None).unwrap();
    let drawn = Mutex::new(Vec::new());
    let group = good::<types::P256>(&mut Random::fresh(), 300);
    for _ in 0..3 {
        let found = verify(&engine, &group, &|count| {
            let coefficients = fresh_coefficients(count)?;
            drawn.lock().unwrap().extend_from_slice(&coefficients);
            Some(coefficients)
        });
        assert!(found.is_some());
    }
    let mut drawn = drawn.into_inner().unwrap();
    assert_eq!(drawn.len(), 900);
    assert_eq!(
        (
            drawn.iter().fold(0, |all, a| all | a),
            drawn.iter().fold(u128::MAX, |all, a| all & a)
        ),
        (u128::MAX, 0)
    );
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn.len(), 900);
}

#[test]
fn missing_randomness_finds_no_valid_items() {
    let group = good::<types::P256>(&mut Random::fresh(), 300);
    for engine in engines() {
        assert_eq!(verify(&engine, &group, &|_| None), None);
    }
}

/// In a batch with some invalid items, none of them is found, and others are.
#[test]
fn batches_are_split_into_groups() {
    let mut random = Random::fresh();
    let count = 12_000;
    let mut batch = good::<types::Secp256k1>(&mut random, count);
    let numbers = (0..count).collect::<Vec<_>>();
    let limited = CpuEngine::new(Some(1), Some(1 << 22)).unwrap();
    for bad in [None, Some(0), Some(count / 2), Some(count - 1)] {
        if let Some(bad) = bad {
            batch[bad].scalars = batch[bad].scalars.map(|[u1, u2]| [u2, u1]);
        }
        for engine in engines().iter().chain([&limited]) {
            let mut found = vec![false; count];
            find_valid(engine, &numbers, &Batch::new(&batch), |item, _| {
                found[item] = true;
            });
            let valid = found.iter().filter(|found| **found).count();
            assert!(
                bad.is_none_or(|bad| !found[bad])
                    && valid
                        >= if bad.is_some() {
                            count / 3
                        } else {
                            count * 8 / 10
                        }
            );
        }
        if let Some(bad) = bad {
            batch[bad].scalars = batch[bad].scalars.map(|[u1, u2]| [u2, u1]);
        }
    }
}
