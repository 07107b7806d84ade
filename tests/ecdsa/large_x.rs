//! R with x(R) >= n: one in 2^128 for secp256k1 and one in 2^32 for P-256 and SM2, so random inputs
//! never meet it.
//!
//! Such an R has no known discrete logarithm; the key is chosen to match instead (`signed_with_r`).

use crate::declare::{apply, on_every_engine};
use crate::ecdsa::recover::recover;
use crate::support::each::{each_ecdsa, each_ecdsa_curve};
use crate::support::numbers::{modulus, number, order, points_above_order, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, Group, lift_x};
use crate::support::scheme::{Ecdsa, Item, Scheme, Signed, concatenate, halves, signed_with_r};
use elliptic_curve::Group as _;
use gecc::{Engine, Rejection, Verdict};

const COUNT: usize = 40;

fn items<S: Scheme>(random: &mut Random) -> Vec<Signed> {
    points_above_order::<S::C>(COUNT)
        .iter()
        .map(|(point, _)| signed_with_r::<S>(random, point))
        .collect()
}

/// Valid with x(R) >= n, and not with a digest that does not belong to it.
#[apply(on_every_engine)]
fn x_above_the_order_is_verified(engine: &Engine) {
    each_ecdsa!(verify(engine));
}

pub fn verify<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    let mut list: Vec<Item> = items::<S>(&mut random)
        .into_iter()
        .map(|signed| signed.item)
        .collect();
    assert!(list.iter().all(S::reference_verifies));
    assert!(
        S::verify(engine, &list)
            .iter()
            .all(|verdict| verdict.is_valid()),
        "{}",
        S::CURVE
    );
    list.iter_mut().for_each(|item| item.digest[31] ^= 1);
    let mismatch = Verdict::Rejected(Rejection::Mismatch);
    assert!(
        S::verify(engine, &list)
            .iter()
            .all(|verdict| *verdict == mismatch),
        "{}",
        S::CURVE
    );
}

/// Recovery ids 2 and 3, and that ids 0 and 1 mean another point or none.
#[apply(on_every_engine)]
fn x_above_the_order_is_recovered_by_ids_2_and_3(engine: &Engine) {
    each_ecdsa_curve!(recover_large(engine));
}

fn recover_large<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let signed = items::<Ecdsa<C>>(&mut random);
    assert!(
        signed.iter().any(|signed| signed.recovery_id == 2)
            && signed.iter().any(|signed| signed.recovery_id == 3)
    );
    let list: Vec<(Item, u8)> = signed
        .iter()
        .flat_map(|signed| {
            (0..=3)
                .map(|id| (signed.item.clone(), id))
                .collect::<Vec<_>>()
        })
        .collect();
    for (index, recovered) in recover::<C>(engine, &list).into_iter().enumerate() {
        let (item, id) = &list[index];
        let signed = &signed[index / 4];
        assert_eq!(
            recovered.ok(),
            C::recover(&item.digest, &item.signature, *id),
            "{} id {id}",
            C::NAME
        );
        assert_eq!(
            recovered == Ok(signed.key),
            *id == signed.recovery_id,
            "{} id {id}",
            C::NAME
        );
    }
}

/// x(R) = r below p - n: the verifier tries r + n too, and must not prefer it; ids 2 and 3 then
/// mean another point or none.
#[apply(on_every_engine)]
fn small_r_is_not_taken_for_a_reduced_x(engine: &Engine) {
    each_ecdsa_curve!(small_r(engine));
    each_ecdsa_curve!(no_room_above(engine));
}

fn small_r<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let points = (1u32..)
        .filter_map(|x| lift_x::<C>(&to_bytes(&x.into())?, x % 2 == 0))
        .take(COUNT);
    let signed: Vec<Signed> = points
        .map(|point| signed_with_r::<Ecdsa<C>>(&mut random, &point))
        .collect();
    let list: Vec<Item> = signed.iter().map(|signed| signed.item.clone()).collect();
    assert!(
        Ecdsa::<C>::verify(engine, &list)
            .iter()
            .all(|verdict| verdict.is_valid())
    );
    let with_ids: Vec<(Item, u8)> = list
        .iter()
        .flat_map(|item| (0..=3).map(|id| (item.clone(), id)).collect::<Vec<_>>())
        .collect();
    for ((item, id), recovered) in with_ids.iter().zip(recover::<C>(engine, &with_ids)) {
        assert_eq!(
            recovered.ok(),
            C::recover(&item.digest, &item.signature, *id),
            "{} id {id}",
            C::NAME
        );
    }
}

/// r just below and at p - n: there r + n is the last coordinate, or none.
fn no_room_above<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let room = modulus::<C>() - order::<C>();
    let g = signed_with_r::<Ecdsa<C>>(&mut random, &Group::<C>::generator());
    let (_, s) = halves(&g.item.signature);
    let mut list = Vec::new();
    for r in [&room - 2u32, &room - 1u32, room.clone(), &room + 1u32] {
        let r = to_bytes(&r).unwrap();
        let signature = concatenate(&r, &s);
        list.extend((0..=3).map(|id| {
            (
                Item {
                    signature,
                    ..g.item.clone()
                },
                id,
            )
        }));
    }
    for ((item, id), recovered) in list.iter().zip(recover::<C>(engine, &list)) {
        assert_eq!(
            recovered.ok(),
            C::recover(&item.digest, &item.signature, *id),
            "{} id {id}",
            C::NAME
        );
        let (r, _) = halves(&item.signature);
        if *id >= 2 && number(&r) >= room {
            assert_eq!(recovered, Err(Rejection::NoSuchR), "{} id {id}", C::NAME);
        }
    }
}
