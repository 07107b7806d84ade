//! Batch verification: every signature with every recovery id, every one of BIP 340, and pairs of
//! errors under every pair of coefficients.

use super::cases;
use super::schemes::signature;
use super::*;
use crate::schemes::bip340::verify_cpu::Bip340Signatures;
use crate::schemes::common::Verification;
use crate::schemes::common::batch_verification::cpu::{Draw, GroupMember, verify_group};
use crate::schemes::common::final_checks_cpu::{Equation, Equations, SignatureBatch, XModuloN};
use crate::schemes::ecdsa::cpu::EcdsaSignatures;
use crate::types::{Point, Policy, PublicKeys};

pub fn tests() -> impl Iterator<Item = Test> {
    let of_one = in_groups!(one_signature, one_schnorr_signature; in lanes [of_order_7 of_order_13 of_order_199]);
    of_one.chain(in_groups!(two_errors; in lanes [of_order_7 of_order_13]))
}

/// An equation of one item holds exactly if R is the point that the recovery id names.
fn one_signature<C: SmallGroup>(engine: &CpuEngine) {
    let mut group = group::<C>();
    let items = cases::ecdsa(&mut group, 1);
    let one: &Draw = &|count| Some(vec![1; count]);
    let mut held = [0; 4];
    for item in &items {
        let digest = [bytes(&item.digest)];
        let signature = [signature(&item.r, &item.s)];
        let key = [encode(group.point(item.key))];
        let inverse = group.inverse(group.residue(&item.s));
        let k = inverse * (group.residue(&item.digest) + group.residue(&item.r) * item.key);
        for id in 0..4 {
            let is_named = group.point(k).as_ref().is_some_and(|(x, y)| {
                *x == &item.r + &group.modulus * (id >> 1) && y.bit(0) == (id & 1 == 1)
            });
            let holds = is_named && item.verdict.is_valid();
            let ids = [[id]];
            let keys = PublicKeys::points(&key);
            let signatures = EcdsaSignatures {
                inputs: Verification {
                    recovery_ids: Some((&ids).into()),
                    ..Verification::new((&digest).into(), (&signature).into(), keys)
                },
                policy: Policy::default(),
            };
            let found = verify_group::<C>(engine, &[0], &signatures, one);
            assert_eq!(
                items_of(found) == Some(vec![0]),
                holds,
                "{:x} {:x} by {} G, id {id}",
                item.r,
                item.s,
                item.key
            );
            held[usize::from(id)] += usize::from(holds);
        }
    }
    assert!(held.iter().all(|held| *held > 0), "{held:?}");
    println!("{} items, held {held:?}", items.len());
}

/// An equation of one item holds exactly if the item is valid.
fn one_schnorr_signature<C: SmallGroup>(engine: &CpuEngine) {
    let mut group = group::<C>();
    let items = cases::bip340(&mut group, 1);
    let one: &Draw = &|count| Some(vec![1; count]);
    for item in &items {
        let message = bytes(&item.digest);
        let signature = [signature(&item.r, &item.s)];
        let key = [encode(group.point(item.key))];
        let signatures = Bip340Signatures {
            message: &|_| &message,
            message_bytes: message.len(),
            signatures: (&signature).into(),
            keys: PublicKeys::points(&key),
            batch_verification: true,
        };
        let found = verify_group::<C>(engine, &[0], &signatures, one);
        let holds = items_of(found) == Some(vec![0]);
        assert_eq!(
            holds,
            item.verdict.is_valid(),
            "{:x} {:x} of {:x} by {} G",
            item.r,
            item.s,
            item.digest,
            item.key
        );
    }
    println!("{} items", items.len());
}

/// u1 G + u2 Q is R less some multiple of G: the equation of two such items holds exactly if these
/// cancel. In the largest group a sample, spread evenly.
fn two_errors<C: SmallGroup>(engine: &CpuEngine) {
    let mut group = group::<C>();
    let order = group.order;
    let all = order.pow(4);
    let most = 13u64.pow(4);
    for index in (0..all.min(most)).map(|number| number * all.div_ceil(most) % all) {
        let [e1, e2, a, b] = [3, 2, 1, 0].map(|place| index / order.pow(place) % order);
        let holds = (a * e1 + b * e2).is_multiple_of(order);
        let mut item = |error: u64| {
            // R is not the identity, and neither is the key.
            let [u1, u2, d] = loop {
                let chosen = [(); 3].map(|()| group.random.random_range(1..order));
                if !(chosen[0] + chosen[1] * chosen[2] + error).is_multiple_of(order) {
                    break chosen;
                }
            };
            let r = decoded::<C>(group.point(u1 + u2 * d + error));
            let key = encode(group.point(d));
            let [u1, u2] = [u1, u2].map(|residue| {
                C::Scalar::from_be_bytes(&bytes(&group.scalar(residue))).expect("below N")
            });
            ((u1, u2, (r.x, r.y.is_odd())), key)
        };
        let (items, keys) = [e1, e2].map(&mut item).into_iter().unzip();
        let coefficients = vec![u128::from(a), u128::from(b)];
        let draw = |_| Some(coefficients.clone());
        let found = verify_group::<C>(engine, &[0, 1], &TwoEquations { items, keys }, &draw);
        assert_eq!(
            items_of(found),
            holds.then(|| vec![0, 1]),
            "errors {e1} and {e2}, coefficients {a} and {b}"
        );
    }
}

/// Two items with u1, u2 and the point R that the signature names, and their keys.
struct TwoEquations<C: CpuCurve> {
    items: Vec<(C::Scalar, C::Scalar, (C::Base, bool))>,
    keys: Vec<Point>,
}

impl<C: CpuCurve> SignatureBatch<C> for TwoEquations<C> {
    type FinalCheck = XModuloN<C>;

    fn keys(&self) -> PublicKeys<'_> {
        PublicKeys::points(&self.keys)
    }

    fn allows_batch_verification(&self) -> bool {
        true
    }

    fn equations(&self, items: &[usize]) -> Equations<C, XModuloN<C>> {
        let equations = items.iter().map(|item| {
            let (u1, u2, r) = self.items[*item];
            Ok(Equation {
                u1,
                u2,
                final_check: XModuloN {
                    x: u2,
                    named: Some(r),
                },
            })
        });
        equations.collect()
    }
}

fn items_of<C: CpuCurve>(found: Option<Vec<GroupMember<C>>>) -> Option<Vec<usize>> {
    Some(found?.into_iter().map(|member| member.item).collect())
}
