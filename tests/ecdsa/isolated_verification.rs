//! Verification with adversarial items among good ones. Montgomery's trick ties the items of a
//! chunk together; no item may profit or suffer from another.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_ecdsa;
use crate::support::keys::bad_keys;
use crate::support::neighbours::{Case, case, check, everywhere};
use crate::support::numbers::{order, order_plus, points_above_order, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, Scalar, encode, mul_base, public_key};
use crate::support::scheme::{
    Ecdsa, Item, Scheme, adversarial, concatenate, halves, signed, signed_with_r, verify_ecdsa,
};
use elliptic_curve::Field;
use gecc::ecdsa::Policy;
use gecc::{Engine, P256, Rejection, Verdict};

type Cases = Vec<Case<Item, Verdict>>;

fn rejected(reason: Rejection) -> Verdict {
    Verdict::Rejected(reason)
}

pub fn clean<S: Scheme>(random: &mut Random, count: usize, keys: usize) -> Cases {
    let items = signed::<S>(random, count, keys);
    items
        .into_iter()
        .map(|signed| case("clean", signed.item, Verdict::Valid))
        .collect()
}

/// Items that aim at the batch arithmetic, at the checks before it, or at the order of the checks.
pub fn special<S: Scheme>(random: &mut Random) -> Cases {
    let mut cases = corrupted_keys::<S>(random);
    cases.extend(corrupted_numbers::<S>(random));
    cases.extend(meetings::<S>(random));
    cases.extend(valid_oddities::<S>(random));
    cases.extend(mismatches::<S>(random));
    for case in &cases {
        let expected = case.expected.is_valid();
        assert_eq!(
            S::reference_verifies(&case.input),
            expected,
            "the reference on '{}'",
            case.name
        );
    }
    cases
}

fn valid_item<S: Scheme>(random: &mut Random) -> Item {
    signed::<S>(random, 1, 1).remove(0).item
}

fn corrupted_keys<S: Scheme>(random: &mut Random) -> Cases {
    let item = valid_item::<S>(random);
    bad_keys::<S::C>()
        .into_iter()
        .map(|(name, key, reason)| {
            case(
                name,
                Item {
                    key,
                    ..item.clone()
                },
                rejected(reason),
            )
        })
        .collect()
}

fn corrupted_numbers<S: Scheme>(random: &mut Random) -> Cases {
    let item = valid_item::<S>(random);
    let (r, s) = halves(&item.signature);
    let mut cases = Vec::new();
    for (name, number) in [
        ("0", [0; 32]),
        ("n", order_plus::<S::C>(0)),
        ("2^256 - 1", [0xff; 32]),
    ] {
        let with = |r: &[u8; 32], s: &[u8; 32]| Item {
            signature: concatenate(r, s),
            ..item.clone()
        };
        cases.push(case(
            format!("r = {name}"),
            with(&number, &s),
            rejected(Rejection::ROutOfRange),
        ));
        cases.push(case(
            format!("s = {name}"),
            with(&r, &number),
            rejected(Rejection::SOutOfRange),
        ));
        // r is checked before s, and both before the key.
        let mut both = with(&number, &number);
        both.key = vec![0];
        cases.push(case(
            format!("r = s = {name}, and the key is the identity"),
            both,
            rejected(Rejection::ROutOfRange),
        ));
    }
    let last = to_bytes(&(order::<S::C>() - 1u32)).expect("fits");
    let one = to_bytes(&1u32.into()).expect("fits");
    let opposite = Item {
        signature: concatenate(&one, &last),
        ..item
    };
    cases.push(case(
        "r = 1, s = n - 1",
        opposite,
        rejected(S::OPPOSITE_R_AND_S),
    ));
    cases
}

/// u1 G and u2 Q opposite, equal, or one of them trivial.
fn meetings<S: Scheme>(random: &mut Random) -> Cases {
    let u1 = random.scalar::<S::C>();
    let d = random.scalar::<S::C>();
    let equal = u1 * Field::invert(&d).expect("random scalars are not 0");
    let make = |u1: Scalar<S::C>, u2: Scalar<S::C>, d: Scalar<S::C>| {
        adversarial::<S>(&u1, &u2, &d).map(|(item, _)| item)
    };
    let one = Scalar::<S::C>::ONE;
    let two = Scalar::<S::C>::from(2);
    let identity = rejected(Rejection::IdentityResult);
    let candidates = [
        ("u2 Q = -u1 G", make(u1, -equal, d), identity),
        ("u2 Q = u1 G", make(u1, equal, d), Verdict::Valid),
        ("Q = G, u2 = -u1", make(u1, -u1, one), identity),
        (
            "Q = -G, u2 = u1 / 2",
            make(u1, u1 * two.invert().unwrap(), -one),
            Verdict::Valid,
        ),
        (
            "Q = 2 G, u2 = -u1 / 2",
            make(u1, -u1 * two.invert().unwrap(), two),
            identity,
        ),
        ("u1 = 1, u2 = 2, Q = G", make(one, two, one), Verdict::Valid),
        ("u1 = 1, u2 = -1, Q = G", make(one, -one, one), identity),
        (
            "u1 = 0, u2 = 1",
            make(Scalar::<S::C>::ZERO, one, d),
            Verdict::Valid,
        ),
        ("u1 = 0", make(Scalar::<S::C>::ZERO, u1, d), Verdict::Valid),
        ("u1 = -1, u2 = 2", make(-one, two, d), Verdict::Valid),
    ];
    // A scheme may not be able to express u1 = 0 (SM2: s = 0).
    let cases: Cases = candidates
        .into_iter()
        .filter_map(|(name, item, expected)| Some(case(name, item?, expected)))
        .collect();
    assert!(cases.len() >= 8);
    cases
}

fn valid_oddities<S: Scheme>(random: &mut Random) -> Cases {
    let one = Scalar::<S::C>::ONE;
    let mut cases = Vec::new();
    // n - 1 cannot sign with SM2, but its public key -G is a key: `adversarial` needs no signing.
    for (name, d) in [
        ("G", one),
        ("2 G", one + one),
        ("3 G", one + one + one),
        ("16 G", Scalar::<S::C>::from(16)),
    ] {
        for (sign, d) in [("", d), ("-", -d)] {
            let u1 = random.scalar::<S::C>();
            let u2 = random.scalar::<S::C>();
            let (item, _) = adversarial::<S>(&u1, &u2, &d).expect("random scalars are not 0");
            cases.push(case(format!("Q = {sign}{name}"), item, Verdict::Valid));
        }
    }
    let secret = random.scalar_bytes::<S::C>();
    let key = public_key::<S::C>(&secret)
        .expect("in range")
        .as_sec1()
        .to_vec();
    for (name, digest) in [
        ("0", [0; 32]),
        ("n", order_plus::<S::C>(0)),
        ("2^256 - 1", [0xff; 32]),
    ] {
        let signature = S::reference_sign(&secret, &digest).expect("in range");
        cases.push(case(
            format!("digest {name}"),
            Item {
                digest,
                signature,
                key: key.clone(),
            },
            Verdict::Valid,
        ));
    }
    let above_order = points_above_order::<S::C>(1)[0].0;
    cases.push(case(
        "x(R) >= n",
        signed_with_r::<S>(random, &above_order).item,
        Verdict::Valid,
    ));
    let g = mul_base::<S::C>(&one);
    cases.push(case(
        "R = G",
        signed_with_r::<S>(random, &g).item,
        Verdict::Valid,
    ));
    cases.push(case(
        "R = -G",
        signed_with_r::<S>(random, &-g).item,
        Verdict::Valid,
    ));
    cases
}

fn mismatches<S: Scheme>(random: &mut Random) -> Cases {
    let item = valid_item::<S>(random);
    let (r, s) = halves(&item.signature);
    let other_key = encode::<S::C>(&mul_base::<S::C>(&random.scalar::<S::C>()))
        .as_sec1()
        .to_vec();
    let one = to_bytes(&1u32.into()).expect("fits");
    [
        (
            "another digest",
            Item {
                digest: random.bytes(),
                ..item.clone()
            },
        ),
        (
            "another key",
            Item {
                key: other_key,
                ..item.clone()
            },
        ),
        (
            "r and s swapped",
            Item {
                signature: concatenate(&s, &r),
                ..item.clone()
            },
        ),
        (
            "r = s = 1",
            Item {
                signature: concatenate(&one, &one),
                ..item.clone()
            },
        ),
    ]
    .map(|(name, item)| case(name, item, rejected(Rejection::Mismatch)))
    .into()
}

pub fn every_position<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    let clean = clean::<S>(&mut random, 33, 33);
    let positions: Vec<usize> = (0..clean.len()).collect();
    everywhere(&clean, &special::<S>(&mut random), &positions, |items| {
        S::verify(engine, items)
    });
}

#[apply(on_every_engine)]
fn special_items_at_every_position_do_not_change_others<C: EcdsaReference>(engine: &Engine) {
    every_position::<Ecdsa<C>>(engine);
}

/// All clean items by one key, which is then computed from a table.
#[apply(on_every_engine)]
fn special_items_among_those_of_one_key_do_not_change_others(engine: &Engine) {
    each_ecdsa!(one_key(engine));
}

pub fn one_key<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    let clean = clean::<S>(&mut random, 40, 1);
    let mut special = special::<S>(&mut random);
    special.extend(crafted_by_the_same_key::<S>(&mut random));
    everywhere(&clean, &special, &[0, 1, 17, 38, 39], |items| {
        S::verify(engine, items)
    });
    let same_key = crafted_by_the_same_key::<S>(&mut random);
    everywhere(&same_key, &same_key, &[0, 7, 30], |items| {
        S::verify(engine, items)
    });
}

/// Meetings of u1 G and u2 Q by one key, with the reasons.
fn crafted_by_the_same_key<S: Scheme>(random: &mut Random) -> Cases {
    let d = random.scalar::<S::C>();
    let inverse = Field::invert(&d).expect("random scalars are not 0");
    let mut cases = Vec::new();
    for small in 1..=20u64 {
        let u1 = Scalar::<S::C>::from(small);
        let (opposite, _) = adversarial::<S>(&u1, &(-u1 * inverse), &d).expect("not 0");
        cases.push(case(
            format!("u2 Q = -{small} G"),
            opposite,
            rejected(Rejection::IdentityResult),
        ));
        let (equal, _) = adversarial::<S>(&u1, &(u1 * inverse), &d).expect("not 0");
        cases.push(case(format!("u2 Q = {small} G"), equal, Verdict::Valid));
    }
    cases
}

/// Several chunks, with every seventh item special, and all items by few keys or by many.
#[apply(on_every_engine)]
fn special_items_in_large_batches_do_not_change_others(engine: &Engine) {
    each_ecdsa!(large(engine));
}

pub fn large<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    let special = special::<S>(&mut random);
    for keys in [1, 3, 2000] {
        let clean = clean::<S>(&mut random, 2000, keys);
        for offset in 0..7 {
            let mut poisons = special.iter().cycle().skip(offset * 11);
            let batch: Vec<_> = clean
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    if index % 7 == offset {
                        poisons.next().expect("endless")
                    } else {
                        item
                    }
                })
                .collect();
            check(
                &batch,
                &|items| S::verify(engine, items),
                &format!("{keys} keys, every 7th from {offset}"),
            );
        }
    }
}

/// Under the low-s policy, high s comes after the ranges and before the key.
#[apply(on_every_engine)]
fn high_s_is_rejected_after_ranges_and_before_keys(engine: &Engine) {
    let mut random = Random::new();
    let items = signed::<Ecdsa<P256>>(&mut random, 200, 200);
    let (low, high): (Vec<Item>, Vec<Item>) = items
        .into_iter()
        .map(|signed| signed.item)
        .partition(|item| P256::is_low(&item.signature));
    let clean: Cases = low
        .into_iter()
        .take(33)
        .map(|item| case("low", item, Verdict::Valid))
        .collect();
    assert!(clean.len() == 33 && high.len() > 33);
    let bad_key = Item {
        key: vec![0],
        ..high[1].clone()
    };
    let bad_r = Item {
        signature: concatenate(&[0; 32], &halves(&high[2].signature).1),
        ..high[2].clone()
    };
    let special = [
        case("high", high[0].clone(), rejected(Rejection::HighS)),
        case("high, bad key", bad_key, rejected(Rejection::HighS)),
        case("high, bad r", bad_r, rejected(Rejection::ROutOfRange)),
    ];
    let positions: Vec<usize> = (0..33).collect();
    everywhere(&clean, &special, &positions, |items| {
        verify_ecdsa::<P256>(engine, items, Policy::low_s())
    });
    let largest = Item {
        signature: concatenate(&[1; 32], &to_bytes(&(order::<P256>() - 1u32)).unwrap()),
        ..high[3].clone()
    };
    assert_eq!(
        verify_ecdsa::<P256>(engine, &[largest], Policy::low_s()),
        [rejected(Rejection::HighS)]
    );
}
