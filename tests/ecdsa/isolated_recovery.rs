//! Key recovery with special items among random ones.

use crate::declare::{apply, on_every_engine};
use crate::ecdsa::recover::{address_of, recover, recover_addresses};
use crate::support::neighbours::{Case, case, everywhere};
use crate::support::numbers::{order_plus, points_above_order, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, Scalar, bytes, encode, lift_x, mul_base, reduced};
use crate::support::scheme::{
    Ecdsa, Item, concatenate, halves, recovery_id, signed, signed_with_r,
};
use elliptic_curve::{Field, Group as _};
use gecc::{Engine, Point, Rejection, Secp256k1};

type Recovery = Case<(Item, u8), Result<Point, Rejection>>;

/// Recovers the keys' Ethereum addresses.
#[apply(on_every_engine)]
fn special_items_do_not_change_addresses_of_others(engine: &Engine) {
    let address = |recovery: Recovery| {
        case(
            recovery.name,
            recovery.input,
            recovery.expected.map(|key| address_of(&key)),
        )
    };
    let (clean, special) = cases::<Secp256k1>();
    let clean: Vec<_> = clean.into_iter().map(address).collect();
    let special: Vec<_> = special.into_iter().map(address).collect();
    let positions: Vec<usize> = (0..clean.len()).collect();
    everywhere(&clean, &special, &positions, |items| {
        recover_addresses(engine, items)
    });
}

/// Signatures of the signers' keys, and special items.
pub fn cases<C: EcdsaReference>() -> (Vec<Recovery>, Vec<Recovery>) {
    let mut random = Random::new();
    let clean = signed::<Ecdsa<C>>(&mut random, 33, 33)
        .into_iter()
        .map(|signed| case("clean", (signed.item, signed.recovery_id), Ok(signed.key)))
        .collect();
    let mut special = rejected::<C>(&mut random);
    special.extend(adversarial::<C>(&mut random));
    (clean, special)
}

#[apply(on_every_engine)]
fn special_items_at_every_position_do_not_change_others<C: EcdsaReference>(engine: &Engine) {
    let (clean, special) = cases::<C>();
    for case in &special {
        let (item, id) = &case.input;
        let expected = C::recover(&item.digest, &item.signature, *id);
        assert_eq!(
            case.expected.ok(),
            expected,
            "{}: the reference on '{}'",
            C::NAME,
            case.name
        );
    }
    let positions: Vec<usize> = (0..clean.len()).collect();
    everywhere(&clean, &special, &positions, |items| {
        recover::<C>(engine, items)
    });
}

fn rejected<C: EcdsaReference>(random: &mut Random) -> Vec<Recovery> {
    use Rejection::{NoSuchR, ROutOfRange, RecoveryIdOutOfRange, SOutOfRange};
    let signed = signed::<Ecdsa<C>>(random, 1, 1).remove(0);
    let item = signed.item;
    let id = signed.recovery_id;
    let (r, s) = halves(&item.signature);
    let with = |r: &[u8; 32], s: &[u8; 32]| Item {
        signature: concatenate(r, s),
        ..item.clone()
    };
    let mut cases = Vec::new();
    for (name, number) in [
        ("0", [0; 32]),
        ("n", order_plus::<C>(0)),
        ("2^256 - 1", [0xff; 32]),
    ] {
        cases.push(case(
            format!("r = {name}"),
            (with(&number, &s), id),
            Err(ROutOfRange),
        ));
        cases.push(case(
            format!("s = {name}"),
            (with(&r, &number), id),
            Err(SOutOfRange),
        ));
        cases.push(case(
            format!("r = {name}, id 9"),
            (with(&number, &s), 9),
            Err(ROutOfRange),
        ));
    }
    cases.push(case("id 4", (item.clone(), 4), Err(RecoveryIdOutOfRange)));
    cases.push(case(
        "id 255",
        (item.clone(), 255),
        Err(RecoveryIdOutOfRange),
    ));
    // A random r + n is not below p.
    cases.push(case("id 2 for r < n", (item.clone(), id | 2), Err(NoSuchR)));
    let nowhere = |x: &u32| lift_x::<C>(&to_bytes(&(*x).into()).unwrap(), false).is_none();
    let nowhere = to_bytes(&(1..).find(nowhere).unwrap().into()).unwrap();
    cases.push(case(
        "r is not an x-coordinate",
        (with(&nowhere, &s), 0),
        Err(NoSuchR),
    ));
    cases
}

fn adversarial<C: EcdsaReference>(random: &mut Random) -> Vec<Recovery> {
    let mut cases = Vec::new();
    // Q = (s R - e G) / r with R = k G is the identity where e = s k, and special where e or k is.
    let one = Scalar::<C>::ONE;
    for (name, k) in [
        ("k", random.scalar::<C>()),
        ("1", one),
        ("-1", -one),
        ("2", one + one),
    ] {
        let r = encode::<C>(&mul_base::<C>(&k));
        let x = reduced::<C>(r.x());
        let s = random.scalar::<C>();
        for (relation, e) in [
            ("s k", s * k),
            ("-s k", -s * k),
            ("0", Scalar::<C>::ZERO),
            ("s k + r", s * k + x),
        ] {
            let key = mul_base::<C>(&((s * k - e) * Field::invert(&x).unwrap()));
            let signature = concatenate(&bytes::<C>(&x), &bytes::<C>(&s));
            let item = Item {
                digest: bytes::<C>(&e),
                signature,
                key: Vec::new(),
            };
            let identity = bool::from(key.is_identity());
            let expected = if identity {
                Err(Rejection::IdentityResult)
            } else {
                Ok(encode::<C>(&key))
            };
            cases.push(case(
                format!("R = {name} G, e = {relation}"),
                (item, recovery_id::<C>(&r)),
                expected,
            ));
        }
    }
    assert!(cases.iter().any(|case| case.expected.is_err()));
    for (point, distance) in points_above_order::<C>(2) {
        let signed = signed_with_r::<Ecdsa<C>>(random, &point);
        assert!(signed.recovery_id >= 2);
        let name = format!("x(R) = n + {distance}");
        cases.push(case(
            name,
            (signed.item, signed.recovery_id),
            Ok(signed.key),
        ));
    }
    cases
}
