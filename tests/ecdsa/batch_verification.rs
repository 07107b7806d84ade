//! Batch verification: verdicts and reasons are those of verification one by one, whatever the
//! items are.

use crate::bip340::{corrupt, is_valid_there, signer, vectors};
use crate::declare::{apply, on_every_engine};
use crate::ecdsa::isolated_verification::special;
use crate::support::each::each_ecdsa_curve;
use crate::support::lengths::differs;
use crate::support::neighbours::Case;
use crate::support::numbers::{number, order, points_above_order, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, lift_x};
use crate::support::scheme::{
    Ecdsa, Item, Signed, columns, concatenate, halves, signed, signed_with_r,
};
use gecc::bip340::Auxiliary;
use gecc::ecdsa::Policy;
use gecc::ed25519::{self, Rule, Variant};
use gecc::{
    Backend, Engine, P256, Point, PublicKeys, Rejection, Rows, Secp256k1, SecretKey, Verdict,
    bip340, ecdsa, keys,
};
use num_bigint::BigUint;
use secp256k1::schnorr;

/// Enough items for several groups.
const ITEMS: usize = 3000;

/// An engine like the one under test, with equations and with one thread, so that groups are small.
fn with_equations(engine: &Engine) -> Engine {
    let builder = Engine::builder()
        .backend(engine.info().backend)
        .threads(1)
        .batch_verification(true);
    let engine = builder.build().expect("as the engine under test");
    assert!(engine.info().batch_verification);
    engine
}

/// Items of BIP 340.
#[derive(Clone)]
struct Signatures {
    messages: Vec<Vec<u8>>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<[u8; 32]>,
}

impl Signatures {
    /// Valid items of different keys, made by libsecp256k1.
    fn new(random: &mut Random) -> Self {
        let mut messages = vec![];
        let mut signatures = vec![];
        let mut keys = vec![];
        for item in 0..ITEMS {
            let signer = signer(random);
            let message = random.vector(if item % 5 == 0 { item % 200 } else { 32 });
            signatures.push(schnorr::sign_no_aux_rand(&message, &signer.pair).to_byte_array());
            keys.push(signer.x_only);
            messages.push(message);
        }
        Signatures {
            messages,
            signatures,
            keys,
        }
    }

    fn verdicts(&self, engine: &Engine) -> Vec<Verdict> {
        let keys = PublicKeys::x_only(&self.keys);
        let verdicts = bip340::verify_messages(engine, &self.messages, &self.signatures, keys);
        verdicts.expect("lengths agree").into_iter().collect()
    }

    /// Compares with verification one by one.
    fn check(&self, one_by_one: &Engine, batch_verification: &Engine) -> Vec<Verdict> {
        let expected = self.verdicts(one_by_one);
        assert_eq!(self.verdicts(batch_verification), expected);
        expected
    }
}

/// Any fraction of corrupted items; libsecp256k1 decides which are valid.
#[apply(on_every_engine)]
fn corrupted_schnorr_signatures(engine: &Engine) {
    let mut random = Random::new();
    let batch_verification = with_equations(engine);
    let valid = Signatures::new(&mut random);
    for corrupted in [0, 1, 2, 30, 300, 1500, ITEMS] {
        let mut batch = valid.clone();
        let mut places: Vec<usize> = (0..ITEMS).collect();
        random.shuffle(&mut places);
        for &item in &places[..corrupted] {
            let Signatures {
                messages,
                signatures,
                keys,
            } = &mut batch;
            corrupt(
                &mut random,
                item,
                &mut messages[item],
                &mut signatures[item],
                &mut keys[item],
            );
        }
        let found = batch.check(engine, &batch_verification);
        assert_eq!(
            found.iter().filter(|verdict| !verdict.is_valid()).count(),
            corrupted
        );
        for (item, verdict) in found.iter().enumerate().step_by(7) {
            let theirs = is_valid_there(
                &batch.messages[item],
                &batch.signatures[item],
                &batch.keys[item],
            );
            assert_eq!(
                verdict.is_valid(),
                theirs,
                "item {item} of {corrupted} corrupted ones"
            );
        }
    }
}

/// Errors of two items that would cancel under equal or small coefficients.
#[apply(on_every_engine)]
fn cancelling_schnorr_signatures(engine: &Engine) {
    let mut random = Random::new();
    let batch_verification = with_equations(engine);
    let valid = Signatures::new(&mut random);
    let n = order::<Secp256k1>();
    for [a, b] in [[1u32, 1], [1, 2], [2, 1], [3, 1]] {
        for [i, j] in [[0, 1], [5, ITEMS - 1], [1700, 300]] {
            let mut batch = valid.clone();
            let error = number(&random.bytes()) % &n;
            // s_i + b error and s_j - a error.
            for (item, change) in [(i, &error * b % &n), (j, &n - &error * a % &n)] {
                let (r, s) = halves(&batch.signatures[item]);
                let s: BigUint = (number(&s) + change) % &n;
                batch.signatures[item] = concatenate(&r, &to_bytes(&s).expect("below n"));
            }
            let found = batch.check(engine, &batch_verification);
            let rejected: Vec<usize> = (0..ITEMS).filter(|item| !found[*item].is_valid()).collect();
            assert_eq!(rejected, [i.min(j), i.max(j)]);
        }
    }
}

/// The table of BIP 340 many times over: items are identical, and half of them are invalid.
#[apply(on_every_engine)]
fn vectors_many_times(engine: &Engine) {
    let vectors = vectors();
    let batch_verification = with_equations(engine);
    for only_valid in [false, true] {
        let chosen: Vec<_> = vectors
            .iter()
            .filter(|vector| vector.is_valid || !only_valid)
            .collect();
        let many = || chosen.iter().cycle().take(100 * chosen.len());
        let batch = Signatures {
            messages: many().map(|vector| vector.message.clone()).collect(),
            signatures: many().map(|vector| vector.signature).collect(),
            keys: many().map(|vector| vector.key).collect(),
        };
        let found = batch.check(engine, &batch_verification);
        assert!(
            found
                .iter()
                .zip(many())
                .all(|(verdict, vector)| verdict.is_valid() == vector.is_valid)
        );
    }
}

/// Messages of 32 bytes as rows, of keys that repeat seldom, often enough for a table, and as one
/// for all.
#[apply(on_every_engine)]
fn schnorr_columns(engine: &Engine) {
    let mut random = Random::new();
    let batch_verification = with_equations(engine);
    for keys in [1, 5, 400] {
        let signers: Vec<_> = (0..keys).map(|_| signer(&mut random)).collect();
        let secret: Vec<SecretKey> = (0..ITEMS)
            .map(|item| SecretKey::from_bytes(signers[item % keys].secret))
            .collect();
        let public: Vec<[u8; 32]> = (0..ITEMS).map(|item| signers[item % keys].x_only).collect();
        let messages: Vec<[u8; 32]> = (0..ITEMS).map(|_| random.bytes()).collect();
        let signed = bip340::sign(engine, &messages, &secret, Auxiliary::zeros()).unwrap();
        let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
        signatures[77][40] ^= 1;
        let mut codes = vec![0; ITEMS];
        let column = if keys == 1 {
            Rows::all(&public[0])
        } else {
            (&public).into()
        };
        bip340::verify_into(
            &batch_verification,
            &messages,
            &signatures,
            PublicKeys::x_only(column),
            &mut codes,
        )
        .unwrap();
        let expected = |item| {
            if item == 77 {
                Rejection::Mismatch.code()
            } else {
                Verdict::VALID_CODE
            }
        };
        assert!(
            codes.into_iter().eq((0..ITEMS).map(expected)),
            "{keys} keys"
        );
    }
}

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
fn ecdsa<C: EcdsaReference>(engine: &Engine) {
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
fn recovery_ids_do_not_change_verdicts(engine: &Engine) {
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
fn large_and_small_x(engine: &Engine) {
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
fn recoverable_columns(engine: &Engine) {
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

/// Items of which a GPU tries several chunks. The CPU has groups of the others' size.
pub fn large(engine: &Engine) -> usize {
    if engine.info().backend == Backend::Gpu {
        1 << 19
    } else {
        ITEMS
    }
}

/// An engine like the one under test, with equations and times of kernels.
pub fn timed(engine: &Engine) -> Engine {
    let builder = Engine::builder()
        .backend(engine.info().backend)
        .time_kernels(true)
        .batch_verification(true);
    builder.build().expect("as the engine under test")
}

/// The rejected items of a large batch. A GPU has tried equations, and has verified none of its
/// chunks one by one if all take part and are valid.
fn rejected_of_large(
    engines: &[Engine],
    verify: impl Fn(&Engine) -> Vec<Verdict>,
    one_by_one: &str,
    all_take_part: bool,
) -> Vec<usize> {
    let rejected = |engine: &Engine| -> Vec<usize> {
        let verdicts = verify(engine);
        (0..verdicts.len())
            .filter(|item| !verdicts[*item].is_valid())
            .collect()
    };
    let found: Vec<Vec<usize>> = engines.iter().map(rejected).collect();
    assert!(found.iter().all(|rejected| *rejected == found[0]));
    let timed = &engines[0];
    if timed.info().backend == Backend::Gpu {
        let times = timed.take_kernel_times();
        let launches = |is_kernel: &dyn Fn(&str) -> bool| -> u64 {
            times
                .iter()
                .filter(|time| is_kernel(time.kernel))
                .map(|time| time.launches)
                .sum()
        };
        let tried = launches(&|kernel| kernel.ends_with("batch_verify_items"));
        let alone = launches(&|kernel| kernel == one_by_one);
        // Several devices begin at a time, when the batch cannot afford as many equations yet.
        let all_held = alone == 0 || timed.info().devices.len() > 1;
        assert!(
            tried > 0 && if all_take_part { all_held } else { alone > 0 },
            "{tried} tried, {alone} one by one"
        );
    }
    found[0].clone()
}

/// Positions at which items are corrupted: none, one, and one in each chunk.
pub fn places(items: usize) -> [Vec<usize>; 4] {
    [
        vec![],
        vec![0],
        vec![items / 2, items - 1],
        (0..items).step_by(1000).collect(),
    ]
}

#[apply(on_every_engine)]
fn large_batches_of_schnorr_signatures(engine: &Engine) {
    let items = large(engine);
    let engines = [timed(engine), with_equations(engine)];
    let (secret, public) = keys::generate(engine, Secp256k1, items).unwrap();
    let public: Vec<[u8; 32]> = public.iter().map(|key| *key.x()).collect();
    let mut random = Random::new();
    let messages: Vec<[u8; 32]> = (0..items).map(|_| random.bytes()).collect();
    let signed = bip340::sign(engine, &messages, &secret, Auxiliary::zeros()).unwrap();
    let signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
    for corrupted in places(items) {
        let mut messages = messages.clone();
        corrupted.iter().for_each(|item| messages[*item][7] ^= 1);
        let verify = |engine: &Engine| -> Vec<Verdict> {
            let verdicts =
                bip340::verify(engine, &messages, &signatures, PublicKeys::x_only(&public));
            verdicts.unwrap().into_iter().collect()
        };
        assert_eq!(
            rejected_of_large(&engines, verify, "gecc_bip340_verify", corrupted.is_empty()),
            corrupted
        );
    }
}

#[apply(on_every_engine)]
fn large_batches_of_ed25519(engine: &Engine) {
    let items = large(engine);
    let engines = [timed(engine), with_equations(engine)];
    let mut random = Random::new();
    let seeds: Vec<SecretKey> = (0..items)
        .map(|_| SecretKey::from_bytes(random.bytes()))
        .collect();
    let messages: Vec<[u8; 32]> = (0..items).map(|_| random.bytes()).collect();
    let public = ed25519::public_keys(engine, &seeds).unwrap();
    let with_context = Variant::context(b"of large batches").unwrap();
    let sign = |(rule, variant)| {
        let signed = ed25519::sign(engine, &messages, &seeds, variant).unwrap();
        (
            rule,
            variant,
            signed
                .into_iter()
                .map(Result::unwrap)
                .collect::<Vec<[u8; 64]>>(),
        )
    };
    let signed = [
        (Rule::Zip215, Variant::PURE),
        (Rule::Rfc8032Cofactored, with_context),
    ]
    .map(sign);
    for (corrupted, (rule, variant, signatures)) in
        places(items).into_iter().zip(signed.iter().cycle())
    {
        let mut messages = messages.clone();
        corrupted.iter().for_each(|item| messages[*item][7] ^= 1);
        let verify = |engine: &Engine| -> Vec<Verdict> {
            let keys = PublicKeys::ed25519(&public);
            let verdicts = ed25519::verify(engine, &messages, signatures, keys, *variant, *rule);
            verdicts.unwrap().into_iter().collect()
        };
        assert_eq!(
            rejected_of_large(
                &engines,
                verify,
                "gecc_ed25519_verify",
                corrupted.is_empty()
            ),
            corrupted
        );
    }
}

#[apply(on_every_engine)]
fn large_batches_of_recoverable_signatures(engine: &Engine) {
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
