//! Batch verification: verdicts and reasons are those of verification one by one, whatever the
//! items are.

use crate::declare::{apply, on_every_engine};
use crate::ecdsa::isolated_verification::special;
use crate::support::batch_verification::{
    ITEMS, large, places, rejected_of_large, timed, with_equations,
};
use crate::support::each::each_ecdsa_curve;
use crate::support::lengths::differs;
use crate::support::neighbours::Case;
use crate::support::numbers::{points_above_order, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, lift_x};
use crate::support::scheme::{Ecdsa, Item, Signed, columns, signed, signed_with_r};
use gecc::ecdsa::Policy;
use gecc::{Engine, P256, Point, PublicKeys, Rejection, Rows, Verdict, ecdsa, keys};

fn verify<C: EcdsaReference>(engine: &Engine, items: &[Item], ids: &[u8]) -> Vec<Verdict> {
    let (digests, signatures, keys) = columns(items);
    let keys = PublicKeys::sec1(&keys);
    let policy = Policy::default();
    let verdicts =
        ecdsa::verify_recoverable(engine, C::ID, &digests, &signatures, ids, keys, policy);
    verdicts.expect("lengths agree").into_iter().collect()
}

fn items_and_ids(signed: &[Signed]) -> (Vec<Item>, Vec<u8>) {
    signed
        .iter()
        .map(|signed| (signed.item.clone(), signed.recovery_id))
        .unzip()
}

/// Each special item among valid ones, with each recovery id.
#[apply(on_every_engine)]
fn special_items_with_any_recovery_id_keep_their_verdicts<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let batch_verification = with_equations(engine);
    let (items, ids) = items_and_ids(&signed::<Ecdsa<C>>(&mut random, ITEMS, ITEMS));
    assert!(
        verify::<C>(&batch_verification, &items, &ids)
            .iter()
            .all(|verdict| verdict.is_valid())
    );
    let special = special::<Ecdsa<C>>(&mut random);
    let check = |poisons: &[(usize, &Case<Item, Verdict>, u8)]| {
        let mut items = items.clone();
        let mut ids = ids.clone();
        let mut expected = vec![Verdict::Valid; ITEMS];
        for (place, case, id) in poisons {
            (items[*place], ids[*place], expected[*place]) =
                (case.input.clone(), *id, case.expected);
        }
        assert!(
            verify::<C>(&batch_verification, &items, &ids) == expected,
            "'{}' with id {}",
            poisons[0].1.name,
            poisons[0].2
        );
    };
    for (index, case) in special.iter().enumerate() {
        check(&[(
            [0, ITEMS - 1, random.below(ITEMS)][index % 3],
            case,
            random.below(4) as u8,
        )]);
    }
    for step in [1, 2, 10, 100] {
        let poisons = special.iter().cycle().zip((0..ITEMS).step_by(step));
        check(
            &poisons
                .map(|(case, place)| (place, case, random.below(5) as u8))
                .collect::<Vec<_>>(),
        );
    }
}

/// Recovery ids that are wrong, absent or out of range reject nothing, and are not part of the
/// policy.
#[apply(on_every_engine)]
fn wrong_recovery_ids_do_not_change_verdicts(engine: &Engine) {
    each_ecdsa_curve!(wrong_ids(engine));
}

fn wrong_ids<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let batch_verification = with_equations(engine);
    let (mut items, ids) = items_and_ids(&signed::<Ecdsa<C>>(&mut random, ITEMS, ITEMS));
    items[1000].digest[5] ^= 1;
    let corrupted = [
        (1, 1),
        (1, 2),
        (1, 3),
        (1, 0x80),
        (1, 0xff),
        (3, 1),
        (3, 0xff),
        (50, 2),
        (1000, 3),
    ];
    for (one_in, wrong) in corrupted {
        let ids: Vec<u8> = ids
            .iter()
            .enumerate()
            .map(|(item, id)| if item % one_in == 0 { id ^ wrong } else { *id })
            .collect();
        for engine in [engine, &batch_verification] {
            let found = verify::<C>(engine, &items, &ids);
            let rejected: Vec<usize> = (0..ITEMS).filter(|item| !found[*item].is_valid()).collect();
            assert_eq!(
                rejected,
                [1000],
                "{}: {wrong:#x} in one of {one_in}",
                C::NAME
            );
        }
    }
}

/// x(R) at n and above, where r + n is the x-coordinate that the id names, and r below p - n, where
/// it is not.
#[apply(on_every_engine)]
fn x_around_the_order_keeps_its_verdict(engine: &Engine) {
    each_ecdsa_curve!(x_around_order(engine));
}

fn x_around_order<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let batch_verification = with_equations(engine);
    let large = points_above_order::<C>(20)
        .into_iter()
        .map(|(point, _)| point);
    let small = (1u32..)
        .filter_map(|x| lift_x::<C>(&to_bytes(&x.into())?, x % 2 == 0))
        .take(20);
    let points: Vec<_> = large.chain(small).collect();
    let around: Vec<Signed> = points
        .iter()
        .map(|point| signed_with_r::<Ecdsa<C>>(&mut random, point))
        .collect();
    assert!((0..4).all(|id| around.iter().any(|signed| signed.recovery_id == id)));
    let (mut items, mut ids) = items_and_ids(&signed::<Ecdsa<C>>(&mut random, ITEMS, ITEMS));
    for (place, signed) in (0..ITEMS).step_by(7).zip(around.iter().cycle()) {
        (items[place], ids[place]) = (signed.item.clone(), signed.recovery_id);
    }
    assert!(
        verify::<C>(&batch_verification, &items, &ids)
            .iter()
            .all(|verdict| verdict.is_valid()),
        "{}",
        C::NAME
    );
    for place in (0..ITEMS).step_by(7) {
        items[place].digest[31] ^= 1;
    }
    let expected = |place| {
        if place % 7 == 0 {
            Verdict::Rejected(Rejection::Mismatch)
        } else {
            Verdict::Valid
        }
    };
    assert!(
        verify::<C>(&batch_verification, &items, &ids)
            .into_iter()
            .eq((0..ITEMS).map(expected)),
        "{}",
        C::NAME
    );
}

/// High s by policy, columns with one row for all, and columns of different lengths.
#[apply(on_every_engine)]
fn columns_have_verdicts_of_single_verification(engine: &Engine) {
    let mut random = Random::new();
    let batch_verification = with_equations(engine);
    let signed = signed::<Ecdsa<P256>>(&mut random, ITEMS, ITEMS);
    let (items, ids) = items_and_ids(&signed);
    let (digests, signatures, _) = columns(&items);
    let keys: Vec<Point> = signed.iter().map(|signed| signed.key).collect();
    let ids: Vec<[u8; 1]> = ids.into_iter().map(|id| [id]).collect();
    let mut codes = vec![0; ITEMS];
    let low_s = Policy::low_s();
    ecdsa::verify_recoverable_into(
        &batch_verification,
        P256,
        &digests,
        &signatures,
        &ids,
        &keys,
        low_s,
        &mut codes,
    )
    .unwrap();
    for (code, item) in codes.iter().zip(&items) {
        let expected = if P256::is_low(&item.signature) {
            Verdict::VALID_CODE
        } else {
            Rejection::HighS.code()
        };
        assert_eq!(*code, expected);
    }
    // One item for all.
    let digest = Rows::all(&digests[0]);
    let signature = Rows::all(&signatures[0]);
    let id = Rows::all(&ids[0]);
    let policy = Policy::default();
    ecdsa::verify_recoverable_into(
        &batch_verification,
        P256,
        digest,
        signature,
        id,
        &keys[0],
        policy,
        &mut codes,
    )
    .unwrap();
    assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
    for engine in [engine, &batch_verification] {
        let one = ecdsa::verify_recoverable(
            engine,
            P256,
            &digests[..2],
            &signatures[..2],
            &[0],
            &keys[..2],
            policy,
        );
        differs(one, ("recovery ids", 2, 1));
        let none =
            ecdsa::verify_recoverable(engine, P256, &[], &[], &[], &keys[..0], policy).unwrap();
        assert!(none.is_empty());
    }
}

#[apply(on_every_engine)]
fn large_batches_have_verdicts_of_single_verification(engine: &Engine) {
    each_ecdsa_curve!(large_recoverable(engine));
}

fn large_recoverable<C: EcdsaReference>(engine: &Engine) {
    let items = large(engine);
    let engines = [timed(engine), with_equations(engine)];
    let (secret, public) = keys::generate(engine, C::ID, items).unwrap();
    let mut random = Random::new();
    let digests: Vec<[u8; 32]> = (0..items).map(|_| random.bytes()).collect();
    let signed =
        ecdsa::sign_recoverable(engine, C::ID, &digests, &secret, Default::default()).unwrap();
    let (signatures, ids): (Vec<[u8; 64]>, Vec<u8>) = signed
        .into_iter()
        .map(|signed| {
            signed
                .map(|signed| (signed.signature, signed.recovery_id))
                .unwrap()
        })
        .unzip();
    for corrupted in places(items) {
        // Digests, or the ids alone, which reject nothing.
        for of_ids in [false, true] {
            let mut digests = digests.clone();
            let mut ids = ids.clone();
            corrupted.iter().for_each(|item| {
                if of_ids {
                    ids[*item] ^= 1
                } else {
                    digests[*item][7] ^= 1
                }
            });
            let verify = |engine: &Engine| -> Vec<Verdict> {
                let policy = Policy::default();
                let verdicts = ecdsa::verify_recoverable(
                    engine,
                    C::ID,
                    &digests,
                    &signatures,
                    &ids,
                    &public,
                    policy,
                );
                verdicts.unwrap().into_iter().collect()
            };
            let rejected = rejected_of_large(&engines, verify, "gecc_verify", corrupted.is_empty());
            assert_eq!(
                rejected,
                if of_ids { vec![] } else { corrupted.clone() },
                "{}",
                C::NAME
            );
        }
    }
}
