//! Recovery with candidates has the results of recovery without them, whatever the candidates are.

use crate::declare::{apply, on_every_engine};
use crate::ecdsa::isolated_recovery;
use crate::ecdsa::recover::{address_of, recover};
use crate::support::batch_verification::{large, places, timed};
use crate::support::each::each_ecdsa_curve;
use crate::support::lengths::differs;
use crate::support::numbers::{modulus, number, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, lift_x};
use crate::support::scheme::{Ecdsa, Item, Signed, signed, signed_with_r};
use gecc::call::{Columns, Contents, Operation};
use gecc::{
    Backend, Engine, P256, Point, PublicKeys, Rejection, Rows, Secp256k1, Verdict, ecdsa, keys,
};

/// Enough items for several groups.
const ITEMS: usize = 3000;

/// The engine under test, and others like it with equations: in lanes if available, and without.
fn engines(engine: &Engine) -> [Engine; 3] {
    let with_equations = |portable| {
        let builder = Engine::builder()
            .backend(engine.info().backend)
            .threads(1)
            .portable(portable);
        builder
            .batch_verification(true)
            .build()
            .expect("as the engine under test")
    };
    [engine.clone(), with_equations(false), with_equations(true)]
}

/// Columns of signatures, and the key that each recovers.
struct Batch {
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    ids: Vec<u8>,
    keys: Vec<Result<Point, Rejection>>,
}

impl Batch {
    /// A batch with the results of recovery without candidates.
    fn new<C: EcdsaReference>(engine: &Engine, items: &[(Item, u8)]) -> Self {
        Batch {
            digests: items.iter().map(|(item, _)| item.digest).collect(),
            signatures: items.iter().map(|(item, _)| item.signature).collect(),
            ids: items.iter().map(|(_, id)| *id).collect(),
            keys: recover::<C>(engine, items),
        }
    }

    /// Compares with the results of recovery with candidates.
    fn check<C: EcdsaReference>(&self, engine: &Engine, candidates: &[Point], which: &str) {
        let Batch {
            digests,
            signatures,
            ids,
            keys,
        } = self;
        let found =
            ecdsa::recover_with_candidates(engine, C::ID, digests, signatures, ids, candidates)
                .unwrap();
        for (item, (found, key)) in found.iter().zip(keys).enumerate() {
            assert_eq!(
                found,
                key,
                "{}: item {item} with {which} on {engine}",
                C::NAME
            );
        }
    }

    fn check_addresses(&self, engine: &Engine, candidates: &[Point], which: &str) {
        let Batch {
            digests,
            signatures,
            ids,
            keys,
        } = self;
        let found =
            ecdsa::recover_addresses_with_candidates(engine, digests, signatures, ids, candidates)
                .unwrap();
        for (item, (found, key)) in found.iter().zip(keys).enumerate() {
            assert_eq!(
                *found,
                key.as_ref().map(address_of).map_err(|reason| *reason),
                "item {item} with {which}"
            );
        }
    }
}

fn with_ids(signed: Vec<Signed>) -> Vec<(Item, u8)> {
    signed
        .into_iter()
        .map(|signed| (signed.item, signed.recovery_id))
        .collect()
}

/// Items that are rejected or nearly so: those of `isolated_recovery`, and x(R) = r below p - n
/// with every id.
fn special<C: EcdsaReference>(random: &mut Random) -> Vec<(Item, u8)> {
    let (_, special) = isolated_recovery::cases::<C>();
    let small = (1u32..)
        .filter_map(|x| lift_x::<C>(&to_bytes(&x.into())?, x % 2 == 0))
        .take(5);
    let small: Vec<Item> = small
        .map(|point| signed_with_r::<Ecdsa<C>>(random, &point).item)
        .collect();
    let small = small
        .iter()
        .flat_map(|item| (0..5).map(|id| (item.clone(), id)));
    special
        .into_iter()
        .map(|case| case.input)
        .chain(small)
        .collect()
}

fn negated<C: EcdsaReference>(key: &Point) -> Point {
    let y = to_bytes(&(modulus::<C>() - number(key.y()))).expect("below p");
    Point::from_coordinates(key.x(), &y)
}

/// Candidates of each kind for the items of a batch, by the kind's name.
fn candidates<C: EcdsaReference>(
    engine: &Engine,
    items: &[(Item, u8)],
    batch: &Batch,
) -> Vec<(&'static str, Vec<Point>)> {
    let right: Vec<Point> = batch
        .keys
        .iter()
        .map(|key| key.unwrap_or(Point::IDENTITY))
        .collect();
    let of_each = |of: &dyn Fn(usize) -> Point| (0..items.len()).map(of).collect::<Vec<_>>();
    let next = |item: usize| right[(item + 1) % items.len()];
    // With these the signature is valid.
    let other_ids: Vec<_> = items
        .iter()
        .map(|(item, id)| (item.clone(), id ^ 1))
        .collect();
    let of_other_ids = recover::<C>(engine, &other_ids);
    let kinds: [&dyn Fn(usize) -> Point; 6] = [
        &|item| right[item],
        &|_| Point::IDENTITY,
        &next,
        &|item| {
            if right[item].is_identity() {
                next(item)
            } else {
                negated::<C>(&right[item])
            }
        },
        &|item| Point::from_coordinates(right[item].x(), &[0xff; 32]),
        &|item| of_other_ids[item].unwrap_or(Point::IDENTITY),
    ];
    vec![
        ("right ones", of_each(kinds[0])),
        ("none", of_each(kinds[1])),
        ("those of the next", of_each(kinds[2])),
        ("negated ones", of_each(kinds[3])),
        ("coordinates of no point", of_each(kinds[4])),
        ("those of other ids", of_each(kinds[5])),
        ("all kinds", of_each(&|item| kinds[item % 6](item))),
        (
            "some wrong ones",
            of_each(&|item| {
                kinds[if item % 400 == 7 {
                    2 + item / 400 % 4
                } else {
                    0
                }](item)
            }),
        ),
        (
            "nine of ten",
            of_each(&|item| kinds[usize::from(item % 10 == 3)](item)),
        ),
    ]
}

/// Candidates of all kinds for valid items, and with items among them that are rejected or special.
#[apply(on_every_engine)]
fn candidates_of_any_kind_do_not_change_recovered_keys<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let clean = with_ids(signed::<Ecdsa<C>>(&mut random, ITEMS, ITEMS));
    let special = special::<C>(&mut random);
    let engines = engines(engine);
    for one_in in [usize::MAX, 100, 2] {
        let mut items = clean.clone();
        let places = (0..ITEMS)
            .skip(ITEMS.min(one_in) - 1)
            .step_by(one_in.min(ITEMS));
        places
            .zip(special.iter().cycle())
            .for_each(|(place, special)| items[place] = special.clone());
        let batch = Batch::new::<C>(engine, &items);
        for (which, candidates) in candidates::<C>(engine, &items, &batch) {
            engines
                .iter()
                .for_each(|engine| batch.check::<C>(engine, &candidates, which));
        }
    }
}

#[apply(on_every_engine)]
fn candidates_of_any_kind_do_not_change_addresses(engine: &Engine) {
    let mut random = Random::new();
    let mut items = with_ids(signed::<Ecdsa<Secp256k1>>(&mut random, ITEMS, ITEMS));
    let special = special::<Secp256k1>(&mut random);
    (0..ITEMS)
        .step_by(60)
        .zip(special.iter().cycle())
        .for_each(|(place, special)| items[place] = special.clone());
    let batch = Batch::new::<Secp256k1>(engine, &items);
    for (which, candidates) in candidates::<Secp256k1>(engine, &items, &batch) {
        engines(engine)
            .iter()
            .for_each(|engine| batch.check_addresses(engine, &candidates, which));
    }
}

/// Candidates in every encoding, one for all, and columns whose rows lie apart.
#[apply(on_every_engine)]
fn columns_recover_the_same_keys(engine: &Engine) {
    each_ecdsa_curve!(columns_on(engine));
}

fn columns_on<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    // Few keys, so that one is right for some of the items.
    let items = with_ids(signed::<Ecdsa<C>>(&mut random, ITEMS, 3));
    let batch = Batch::new::<C>(engine, &items);
    let keys: Vec<Point> = batch.keys.iter().map(|key| key.unwrap()).collect();
    let compressed: Vec<[u8; 33]> = keys
        .iter()
        .map(|key| key.to_compressed().unwrap())
        .collect();
    let raw: Vec<[u8; 64]> = keys
        .iter()
        .map(|key| key.as_bytes()[1..].try_into().unwrap())
        .collect();
    let x_only: Vec<[u8; 32]> = keys.iter().map(|key| *key.x()).collect();
    let octets =
        |item: usize| [&[][..], &[0], &[2], &compressed[item], keys[item].as_sec1()][item % 5];
    let octets: Vec<&[u8]> = (0..ITEMS).map(octets).collect();
    let records: Vec<[u8; 97]> = raw
        .iter()
        .map(|key| std::array::from_fn(|i| *key.get(i).unwrap_or(&0xee)))
        .collect();
    let ids: &[[u8; 1]] = batch.ids.as_chunks().0;
    let forms = [
        PublicKeys::compressed(&compressed),
        PublicKeys::raw(&raw),
        PublicKeys::raw(Rows::strided(records.as_flattened(), 97, ITEMS).unwrap()),
        PublicKeys::x_only(&x_only),
        PublicKeys::sec1(&octets),
        PublicKeys::all(&compressed[1]),
        PublicKeys::all(&[]),
    ];
    for engine in &engines(engine) {
        for candidates in forms {
            let mut found = vec![[0xee; 64]; ITEMS];
            let mut codes = vec![0; ITEMS];
            let Batch {
                digests,
                signatures,
                ..
            } = &batch;
            let into = (&mut found, &mut codes);
            ecdsa::recover_with_candidates_into(
                engine,
                C::ID,
                digests,
                signatures,
                ids,
                candidates,
                into.0,
                into.1,
            )
            .unwrap();
            assert!(
                found == raw && codes.iter().all(|code| *code == Verdict::VALID_CODE),
                "{}: {candidates:?}",
                C::NAME
            );
            let columns = Columns {
                contents: Contents::Digests(digests.into()),
                signatures: signatures.into(),
                recovery_ids: Rows::new(ids),
                candidates: Some(candidates),
                ..Columns::default()
            };
            found.fill([0xee; 64]);
            let recover = Operation::EcdsaRecover(C::ID);
            recover
                .run(
                    engine,
                    &columns,
                    found.as_flattened_mut(),
                    &mut [],
                    &mut codes,
                )
                .unwrap();
            assert!(found == raw, "{}: {candidates:?} as an operation", C::NAME);
        }
    }
}

/// Keys of nine of ten signers, with wrong ones among them: none, one, and one in each chunk that a
/// GPU computes.
#[apply(on_every_engine)]
fn large_batches_recover_the_same_keys(engine: &Engine) {
    each_ecdsa_curve!(large_batch_on(engine));
}

fn large_batch_on<C: EcdsaReference>(engine: &Engine) {
    let items = large(engine);
    let timed = timed(engine);
    let mut random = Random::new();
    let (secret, public) = keys::generate(engine, C::ID, items).unwrap();
    let digests: Vec<[u8; 32]> = (0..items).map(|_| random.bytes()).collect();
    let signed =
        ecdsa::sign_recoverable(engine, C::ID, &digests, &secret, Default::default()).unwrap();
    let signed = signed
        .into_iter()
        .map(Result::unwrap)
        .map(|signed| (signed.signature, signed.recovery_id));
    let (signatures, ids): (Vec<[u8; 64]>, Vec<u8>) = signed.unzip();
    let wrong = places(items);
    for (which, wrong) in wrong.iter().enumerate() {
        let mut candidates = public.clone();
        candidates
            .iter_mut()
            .step_by(10)
            .for_each(|key| *key = Point::IDENTITY);
        wrong
            .iter()
            .for_each(|item| candidates[*item] = public[(*item + 1) % items]);
        let found =
            ecdsa::recover_with_candidates(&timed, C::ID, &digests, &signatures, &ids, &candidates)
                .unwrap();
        assert!(
            found
                .iter()
                .zip(&public)
                .all(|(found, key)| found.as_ref() == Ok(key)),
            "{}: {which}",
            C::NAME
        );
        if timed.info().backend == Backend::Gpu {
            let times = timed.take_kernel_times();
            let launches = |kernel: &str| -> u64 {
                times
                    .iter()
                    .filter(|time| time.kernel == kernel)
                    .map(|time| time.launches)
                    .sum()
            };
            let tried = launches("gecc_batch_verify_items");
            let held = launches("gecc_recover_scatter");
            let may_hold = which != 3;
            assert!(
                tried > 0 && (may_hold || held == 0) && (which != 0 || held > 0),
                "{which}: {held} of {tried}"
            );
        }
    }
}

#[apply(on_every_engine)]
fn wrong_lengths_are_errors(engine: &Engine) {
    for engine in &engines(engine) {
        let digests = [[1; 32]; 2];
        let rows = [[1; 64]; 2];
        let none = [Point::IDENTITY; 2];
        let recover = |signatures, ids, candidates| {
            ecdsa::recover_with_candidates(
                engine,
                P256,
                &digests,
                signatures,
                ids,
                PublicKeys::points(candidates),
            )
        };
        differs(recover(&rows[..1], &[0; 2], &none), ("signatures", 2, 1));
        differs(recover(&rows, &[0; 3], &none), ("recovery ids", 2, 3));
        differs(recover(&rows, &[0; 2], &none[..1]), ("candidates", 2, 1));
        let addresses =
            ecdsa::recover_addresses_with_candidates(engine, &digests, &rows, &[0; 2], &none[..1]);
        differs(addresses, ("candidates", 2, 1));
        let mut keys = [[0; 64]; 1];
        let mut codes = [0; 2];
        let into = ecdsa::recover_with_candidates_into(
            engine,
            P256,
            &digests,
            &rows,
            &[[0]; 2],
            &none,
            &mut keys,
            &mut codes,
        );
        differs(into, ("keys", 2, 1));
        let mut addresses = [[0; 20]; 3];
        let into = ecdsa::recover_addresses_with_candidates_into(
            engine,
            &digests,
            &rows,
            &[[0]; 2],
            &none,
            &mut addresses,
            &mut codes,
        );
        differs(into, ("addresses", 2, 3));
        let empty =
            ecdsa::recover_with_candidates(engine, P256, &[], &[], &[], PublicKeys::points(&[]));
        assert!(empty.unwrap().is_empty());
    }
}
