//! Tests of chunks of ECDSA signatures that a GPU recovers with candidates: results are those of
//! the CPU without candidates.

use super::batch_verification_gpu_tests::{Item, good};
use super::recover::{Candidates, Recover, RecoveredForm};
use super::recover_cpu;
use crate::cpu::field::Field;
use crate::cpu::field::random::Random;
use crate::cpu::tables::BaseTables;
use crate::curve::{Curve, CurveId, for_each_ecdsa_curve, types};
use crate::operation::Computation;
use crate::schemes::common::Chunks;
use crate::schemes::common::batch_verification::gpu_tests::Engines;
use crate::schemes::common::batch_verification::tests::{scalar, x_of_no_point};
use crate::types::{PublicKeys, ResultsMut, Verdict};

const NONE: [u8; 64] = [0; 64];

/// Calls `with` with the recovery of items without candidates.
fn recover<R>(
    curve: CurveId,
    items: &[Item],
    form: RecoveredForm,
    with: impl FnOnce(Recover) -> R,
) -> R {
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
    let inputs = recover_cpu::RecoveryInputs::new(&digests, &signatures, &ids);
    with(Recover {
        curve,
        inputs,
        candidates: None,
        form,
        items: items.len(),
    })
}

/// Returns the results of the CPU.
fn expected(engines: &Engines, recover: &Recover) -> (Vec<u8>, Vec<u8>) {
    let width = width(recover.form);
    let mut codes = vec![0; recover.items];
    let mut rows = vec![0; width * recover.items];
    let mut out = ResultsMut::new(&mut codes, [&mut rows, &mut []], [width, 0]).into();
    recover.compute_on_cpu(&engines.cpu, 0..recover.items, &mut out);
    (codes, rows)
}

/// Returns the keys, with zeros for items without one.
fn keys(engines: &Engines, curve: CurveId, items: &[Item]) -> Vec<[u8; 64]> {
    let (codes, rows) = recover(curve, items, RecoveredForm::Keys, |recover| {
        expected(engines, &recover)
    });
    let keys = rows.as_chunks().0.iter().zip(codes);
    keys.map(|(key, code)| {
        if code == Verdict::VALID_CODE {
            *key
        } else {
            NONE
        }
    })
    .collect()
}

/// Returns the number of items that a GPU does not recover individually. Checks that keys,
/// addresses and codes are those of the CPU.
fn check(engines: &Engines, curve: CurveId, items: &[Item], keys: PublicKeys) -> usize {
    let spared = [RecoveredForm::Keys, RecoveredForm::Addresses].map(|form| {
        recover(curve, items, form, |recover| {
            let expected = expected(engines, &recover);
            let width = width(form);
            let candidates = Candidates {
                keys,
                chunks: Chunks::all(),
            };
            let found = Recover {
                candidates: Some(candidates),
                ..recover
            };
            let mut codes = vec![0; items.len()];
            let mut rows = vec![0xee; width * items.len()];
            let mut out = ResultsMut::new(&mut codes, [&mut rows, &mut []], [width, 0]).into();
            engines.run(&found, &mut out);
            assert!(codes == expected.0, "{form:?}: codes differ");
            for (item, code) in codes
                .iter()
                .enumerate()
                .filter(|(_, code)| **code == Verdict::VALID_CODE)
            {
                let row = width * item..width * (item + 1);
                assert!(
                    rows[row.clone()] == expected.1[row],
                    "{form:?}: row {item} ({code}) differs"
                );
            }
            found
                .candidates
                .map_or(0, |candidates| candidates.chunks.spared())
        })
    });
    assert!(engines.gpu.failures().is_empty());
    assert_eq!(spared[0], spared[1]);
    spared[0]
}

/// Returns the result of [`check`] with the keys of the items as candidates.
fn check_with_own_keys(engines: &Engines, curve: CurveId, items: &[Item]) -> usize {
    let keys: Vec<[u8; 64]> = items.iter().map(|item| item.key).collect();
    check(engines, curve, items, PublicKeys::raw(&keys))
}

fn width(form: RecoveredForm) -> usize {
    match form {
        RecoveredForm::Keys => 64,
        RecoveredForm::Addresses => 20,
    }
}

macro_rules! on_each_curve {
    ([$test:ident $engines:ident] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
        $($test::<types::$curve>(&mut Random::fresh(), &$engines);)*
    };
}

/// Tests right candidates for all, some and no items, for several batch sizes.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn right_candidates_are_found() {
    fn test<C: BaseTables + Curve>(random: &mut Random, engines: &Engines) {
        let all = good::<C>(random, 33_000);
        for count in [1, 2, 31, 33, 256, 257, 1000, 33_000] {
            let items = &all[..count];
            for (one_in, of_those) in [(1, 1), (10, 9), (3, 1), (1, 0)] {
                let numbered = items.iter().enumerate();
                let keys = numbered.map(|(number, item)| {
                    if number % one_in < of_those {
                        item.key
                    } else {
                        NONE
                    }
                });
                let keys: Vec<[u8; 64]> = keys.collect();
                let expected = keys.iter().filter(|key| **key != NONE).count();
                let found = check(engines, C::ID, items, PublicKeys::raw(&keys));
                assert_eq!(
                    found, expected,
                    "{count} items, candidates for {of_those} of {one_in}"
                );
            }
        }
    }
    let engines = Engines::new();
    for_each_ecdsa_curve!(on_each_curve! test engines);
}

/// Corrupts an item. From fault 9 on it takes part in the equation nevertheless.
fn corrupt<C: BaseTables>(item: &mut Item, fault: usize, other: &Item) {
    match fault {
        0 => item.s = [0xff; 32],
        1 => item.s = [0; 32],
        2 => item.r = [0xff; 32],
        3 => item.r = [0; 32],
        4 => item.id = 4,
        5 => item.r = x_of_no_point::<C>().to_be_bytes(),
        6 => item.key = NONE,
        7 => item.key[63] ^= 1,
        8 => item.key.fill(0xff),
        9 => item.id ^= 1,
        10 => item.key = other.key,
        11 => item.digest[31] ^= 1,
        _ => {
            item.s = C::Scalar::from_be_bytes_reduced(&item.s)
                .neg()
                .to_be_bytes()
        }
    }
}

/// Tests invalid items, and wrong candidates, at each position and at all positions.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn wrong_candidates_do_not_change_results() {
    fn test<C: BaseTables + Curve>(random: &mut Random, engines: &Engines) {
        let clean = good::<C>(random, 9);
        let of_another = good::<C>(random, 1).remove(0);
        for fault in 0..13 {
            let mut all_bad = clean.clone();
            all_bad
                .iter_mut()
                .for_each(|item| corrupt::<C>(item, fault, &of_another));
            assert_eq!(
                check_with_own_keys(engines, C::ID, &all_bad),
                0,
                "all with fault {fault}"
            );
            for position in 0..clean.len() {
                let mut group = clean.clone();
                corrupt::<C>(&mut group[position], fault, &of_another);
                assert_eq!(
                    check_with_own_keys(engines, C::ID, &group),
                    if fault < 9 { 8 } else { 0 },
                    "fault {fault} at {position}"
                );
            }
        }
    }
    let engines = Engines::new();
    for_each_ecdsa_curve!(on_each_curve! test engines);
}

/// Tests small r, which have an R for each id.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn recovery_ids_identify_their_points() {
    fn test<C: BaseTables + Curve>(random: &mut Random, engines: &Engines) {
        let items = (0..250).map(|number: u8| {
            let mut r = [0; 32];
            r[31] = 1 + number / 5;
            let [digest, s] =
                [scalar::<C>(random), scalar::<C>(random)].map(|number| number.to_be_bytes());
            Item {
                digest,
                r,
                s,
                id: number % 5,
                key: NONE,
            }
        });
        let items: Vec<Item> = items.collect();
        let keys = keys(engines, C::ID, &items);
        let mut known = [0; 5];
        for (item, _) in items.iter().zip(&keys).filter(|(_, key)| **key != NONE) {
            known[usize::from(item.id)] += 1;
        }
        assert!(
            known[..4].iter().all(|count| *count > 10) && known[4] == 0,
            "{known:?}"
        );
        let found = check(engines, C::ID, &items, PublicKeys::raw(&keys));
        assert_eq!(found, keys.iter().filter(|key| **key != NONE).count());
        // Keys of the preceding id denote another R.
        let mut of_others = keys.clone();
        of_others.rotate_right(1);
        assert_eq!(
            check(engines, C::ID, &items, PublicKeys::raw(&of_others)),
            0
        );
    }
    let engines = Engines::new();
    for_each_ecdsa_curve!(on_each_curve! test engines);
}

/// Tests candidates in several forms in one chunk, including items without one.
#[test]
#[ignore = "needs a GPU: --ignored gpu_tests"]
fn candidates_in_any_encoding_are_used() {
    fn test<C: BaseTables + Curve>(random: &mut Random, engines: &Engines) {
        let items = good::<C>(random, 1000);
        let keys = items
            .iter()
            .enumerate()
            .map(|(item, Item { key, .. })| match item % 4 {
                0 => [&[2 + (key[63] & 1)], &key[..32]].concat(),
                1 => [&[4], &key[..]].concat(),
                2 => vec![0],
                _ => vec![],
            });
        let keys: Vec<Vec<u8>> = keys.collect();
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        assert_eq!(check(engines, C::ID, &items, PublicKeys::sec1(&keys)), 500);
        assert_eq!(check(engines, C::ID, &items, PublicKeys::all(&[])), 0);
        assert_eq!(
            check(
                engines,
                C::ID,
                &vec![items[0].clone(); 300],
                PublicKeys::all(keys[0])
            ),
            300
        );
    }
    let engines = Engines::new();
    for_each_ecdsa_curve!(on_each_curve! test engines);
}
