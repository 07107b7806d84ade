//! Millions of random items per curve against the reference: carry errors that show once in several
//! hundred thousand items escape every shorter test.
//!
//! `cargo test --release -p gecc-bench --test soak -- --ignored` runs 10^7 items per curve and
//! operation (`GECC_SOAK_ITEMS` sets another number).
//!
//! # Speed of the reference
//! RustCrypto verifies a few thousand signatures a second. But a signature need not be verified by
//! the reference to be known as valid: with scalars k, u2, d and the points R = k G and Q = d G,
//! the scheme's own equation yields the digest and the signature for u1 = k - u2 d
//! (`support::scheme`). R and Q come from arithmetic progressions of random scalars, renewed every
//! `RUN` items, so that RustCrypto's addition yields a new pair of known scalar and point in less
//! than a microsecond; coordinates, digests, u1 and u2 are as random as any. So every verdict,
//! recovered key and product is known exactly, item by item, and all of it rests on RustCrypto's
//! arithmetic alone. A tenth of the signatures is corrupted in ways whose verdict follows from the
//! way.
//!
//! Signing and ECDH, for which the reference must do the tested work itself, are tested on a
//! thirty-second of the items.
//!
//! An error that gecc shares with RustCrypto would pass all that. So in separate tests a fraction
//! of these items goes through a second implementation of each curve (`oracle`): public keys and
//! ECDH, signatures that gecc makes, that the other makes, and that follow from the equation, as
//! they are and corrupted.
//!
//! BIP 340 is compared with libsecp256k1 item by item, both ways: signatures that either of them
//! makes are verified by the other, as they are and corrupted. Batch verification are included if
//! signatures are known to be valid, or all but a few are.
//!
//! Ed25519 is compared with `ed25519-dalek`, signatures and verdicts, and with AWS-LC, verdicts,
//! item by item: honest signatures, corrupted ones, and adversarial ones, whose verdict by every
//! rule follows from how they were made.
//!
//! Silent payments are compared with a composition of libsecp256k1's point arithmetic: a tenth as
//! many rows.
//!
//! Hashing to points by the suites of RFC 9380 is compared with the RustCrypto crates item by item:
//! a tenth as many messages per suite, of random lengths, in calls of random sizes with a random
//! tag each, on the default engine and on the CPU without vectors.
//!
//! In addition, `crossed_*` sign as many items on the default engine (the GPUs, if there are any)
//! and verify them on the CPU.

mod harness;
mod oracle;
#[allow(dead_code, reason = "the suite needs more of it")]
#[path = "support/mod.rs"]
mod support;

use elliptic_curve::{Field, Group as _};
use gecc::bip340::{self, Auxiliary};
use gecc::ecdsa::{Policy, SForm};
use gecc::ed25519::Rule;
use gecc::hash_to_curve::{self, Suite};
use gecc::{
    Backend, Curve, Engine, P256, Point, PublicKeys, Rejection, Secp256k1, SecretKey, SharedPoint,
    Sm2, Verdict, Verdicts,
};
use gecc::{ecdh, ecdsa, keys, point, sm2};
use harness::needs::Need;
use harness::{Test, named, tests};
use hash2curve::{ExpandMsgXmdError, GroupDigest};
use oracle::{AwsLc, LibSecp256k1, OpenSsl, Oracle};
use rayon::prelude::*;
use secp256k1::{Keypair, XOnlyPublicKey, schnorr};
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Instant;
use support::ed25519::{check, dalek_agrees, random_cases};
use support::numbers::order_plus;
use support::random::Random;
use support::reference::{EcdsaReference, Group, TestCurve, bytes, decode, encode_all, sm2_dsa};
use support::scheme::{Ecdsa, Item, Scheme, Signed, Sm2Dsa, progression, signed};
use support::shared::shared_points;
use support::silent_payments::rows_match_libsecp256k1;

/// Items of one call: enough for every table that an engine may take.
const BATCH: usize = 1 << 16;
/// Items per batch of operations that are crossed, and of batch verification: enough for those of
/// GPUs.
const LARGE_BATCH: usize = 1 << 20;
/// The number of items of a batch for batch verification among which one is corrupted: some groups
/// have none.
const FEW_CORRUPTED: usize = 1 << 18;
/// Items of one progression.
const RUN: usize = 1 << 10;
/// Items of each batch that are signed, and as many for ECDH.
const SECRET_ITEMS: usize = BATCH / 32;
/// Items of each batch of every kind that a second implementation computes.
const ORACLE_ITEMS: usize = BATCH / 256;
/// Messages of the largest calls that hash to points: enough for GPUs.
const HASHED_MESSAGES: usize = 1 << 12;
/// The longest of most messages that are hashed to points, in bytes.
const HASHED_BYTES: usize = 300;
/// The longest of all messages, in bytes.
const MANY_HASHED_BYTES: usize = 5000;
/// The longest tags, in bytes: those above 255 are hashed themselves.
const HASHED_TAG_BYTES: usize = 300;

/// An engine with batch verification.
static TOGETHER: LazyLock<Engine> = LazyLock::new(|| {
    Engine::builder()
        .batch_verification(true)
        .build()
        .expect("threads can be started")
});

static OPENSSL: Need = Need::new("GECC_REQUIRE_OPENSSL", || OpenSsl::open().err());

fn main() -> ExitCode {
    macro_rules! of_ecdsa {
        ([] $($curve:ident $name:ident $module:tt $reference:tt;)*) => {
            [$(
                tests(None, [
                    (stringify!($name), equations_of_ecdsa::<gecc::$curve>),
                    (concat!("crossed_", stringify!($name)), crossed_ecdsa::<gecc::$curve>),
                ]),
            )*]
        };
    }
    let lists = [
        tests(
            None,
            named![sm2_curve, crossed_sm2, ed25519_by_dalek_and_aws_lc],
        ),
        tests(
            None,
            named![
                secp256k1_by_libsecp256k1,
                bip340_by_libsecp256k1,
                silent_payments_by_libsecp256k1,
                p256_by_aws_lc
            ],
        ),
        tests(Some(&OPENSSL), named![sm2_curve_by_openssl]),
        tests(
            None,
            named![
                p256_sswu_ro_by_rustcrypto,
                p256_sswu_nu_by_rustcrypto,
                secp256k1_sswu_ro_by_rustcrypto,
                secp256k1_sswu_nu_by_rustcrypto
            ],
        ),
    ];
    let lists = lists
        .into_iter()
        .chain(gecc::for_each_ecdsa_curve!(of_ecdsa!));
    harness::run(lists.flatten().map(Test::long).collect())
}

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is a decimal number"))
    })
}

/// A check of a soak test in addition to signatures and points.
type Extra = fn(&Engine, &mut Random, &[Signed]);

/// Signs with gecc.
type Sign = fn(&Engine, &[[u8; 32]], &[SecretKey]) -> Vec<Result<[u8; 64], Rejection>>;

/// Checks batches of fresh items. `check` gets the number of a batch and its size.
fn soak(name: &str, largest: usize, check: impl Fn(&Engine, &mut Random, usize, usize)) {
    let engine = &Engine::new().expect("threads can be started");
    let items = from_environment("GECC_SOAK_ITEMS", 10_000_000) as usize;
    let seed = from_environment("GECC_SOAK_SEED", Random::new().word() >> 16);
    let first = from_environment("GECC_SOAK_BATCH", 0) as usize;
    let batches = items.div_ceil(largest);
    let start = Instant::now();
    let mut reported = 0;
    for batch in first..batches {
        let size = largest.min(items - batch * largest);
        let seed_of_batch = seed.wrapping_mul(1 << 16).wrapping_add(batch as u64);
        check(engine, &mut Random::from_seed(seed_of_batch), batch, size);
        let seconds = start.elapsed().as_secs();
        if seconds >= reported + 10 || batch + 1 == batches {
            reported = seconds;
            let done = batch * largest + size;
            eprintln!(
                "{name}: {done} of {items} items in {seconds} s; to go on from here: GECC_SOAK_SEED={seed} GECC_SOAK_BATCH={}",
                batch + 1
            );
        }
    }
}

fn against_equations<S: Scheme>(recover: Extra, secrets: Extra) {
    soak(S::CURVE, BATCH, |engine, random, batch, size| {
        let signed = signatures::<S>(engine, random, size, batch % 2 == 0);
        points::<S::C>(engine, random, size);
        recover(engine, random, &signed);
        secrets(engine, random, &signed[..SECRET_ITEMS.min(size)]);
    });
}

fn against_oracle<S: Scheme>(sign: Sign, oracle: &impl Oracle) {
    soak(
        &format!("{}, a fraction by a second implementation", S::CURVE),
        BATCH,
        |engine, random, _, size| {
            let items = ORACLE_ITEMS.min(size);
            let signed = signed::<S>(random, items, items);
            second_opinion::<S>(engine, random, &signed, sign, oracle);
        },
    );
}

/// Messages of 32 bytes, with their purported signatures by the keys.
struct SchnorrItems {
    messages: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<[u8; 32]>,
}

impl SchnorrItems {
    /// Changes a bit, which makes the item invalid except with a probability of about 2^-256.
    fn corrupt(&mut self, random: &mut Random, item: usize) {
        match random.below(3) {
            0 => random.flip_bit(&mut self.messages[item]),
            1 => random.flip_bit(&mut self.signatures[item]),
            _ => random.flip_bit(&mut self.keys[item]),
        }
    }

    /// Verifies all. Exactly the items of this list are invalid, also by libsecp256k1.
    fn check(&self, engine: &Engine, corrupted: &[usize]) {
        corrupted.par_iter().for_each(|item| {
            assert!(
                !self.is_valid_to_libsecp256k1(*item),
                "{}",
                self.shown(*item)
            )
        });
        let verdicts = bip340::verify(
            engine,
            &self.messages,
            &self.signatures,
            PublicKeys::x_only(&self.keys),
        )
        .unwrap();
        let mut expected = vec![true; self.messages.len()];
        corrupted.iter().for_each(|item| expected[*item] = false);
        assert_eq!(verdicts.len(), expected.len());
        for (item, (verdict, expected)) in verdicts.iter().zip(expected).enumerate() {
            assert_eq!(
                verdict.is_valid(),
                expected,
                "{verdict:?} on {}",
                self.shown(item)
            );
        }
    }

    fn is_valid_to_libsecp256k1(&self, item: usize) -> bool {
        let signature = schnorr::Signature::from_byte_array(self.signatures[item]);
        let key = XOnlyPublicKey::from_byte_array(self.keys[item]);
        key.is_ok_and(|key| signature.verify(&self.messages[item], &key).is_ok())
    }

    fn shown(&self, item: usize) -> String {
        format!(
            "item {item}: {:02x?} {:02x?} {:02x?}",
            self.messages[item], self.signatures[item], self.keys[item]
        )
    }
}

/// Keys that are all different, and keys that have tables; one by one, and together by the rules
/// with the cofactor.
fn ed25519_by_dalek_and_aws_lc() {
    soak(
        "Ed25519 by dalek and AWS-LC",
        BATCH,
        |engine, random, batch, size| {
            let engine = if batch % 4 < 2 { engine } else { &TOGETHER };
            let cases = random_cases(
                engine,
                random,
                size,
                if batch % 2 == 0 {
                    size
                } else {
                    size.div_ceil(50)
                },
            );
            check(engine, &cases);
            dalek_agrees(&cases);
            cases.par_iter().for_each(|case| {
                let found = AwsLc::verifies_ed25519(&case.message, &case.signature, &case.public);
                assert_eq!(found, case.is_valid_by(Rule::Rfc8032), "{case:02x?}");
            });
        },
    );
}

fn silent_payments_by_libsecp256k1() {
    soak(
        "silent payments by libsecp256k1, a tenth of that many rows",
        LARGE_BATCH,
        |engine, random, _, size| {
            rows_match_libsecp256k1(engine, random, size.div_ceil(10), &[0, 3]);
        },
    );
}

fn p256_sswu_ro_by_rustcrypto() {
    points_by_rustcrypto::<P256>(Suite::P256SswuRo, p256::NistP256::hash_from_bytes);
}

fn p256_sswu_nu_by_rustcrypto() {
    points_by_rustcrypto::<P256>(Suite::P256SswuNu, p256::NistP256::encode_from_bytes);
}

fn secp256k1_sswu_ro_by_rustcrypto() {
    points_by_rustcrypto::<Secp256k1>(Suite::Secp256k1SswuRo, k256::Secp256k1::hash_from_bytes);
}

fn secp256k1_sswu_nu_by_rustcrypto() {
    points_by_rustcrypto::<Secp256k1>(Suite::Secp256k1SswuNu, k256::Secp256k1::encode_from_bytes);
}

/// The reference's hash of a message in parts, with a tag in parts.
type HashesToPoint<C> = fn(&[&[u8]], &[&[u8]]) -> Result<Group<C>, ExpandMsgXmdError>;

/// Compares the points of messages of random lengths with those of the reference, on the default
/// engine and on the CPU without vectors.
fn points_by_rustcrypto<C: TestCurve>(suite: Suite, reference: HashesToPoint<C>) {
    assert_eq!(suite.curve(), C::ID);
    let builder = Engine::builder().backend(Backend::Cpu).portable(true);
    let portable = builder.build().expect("threads can be started");
    let name = format!("{suite} by RustCrypto, a tenth of that many messages");
    soak(&name, BATCH, |engine, random, _, size| {
        let mut left = size.div_ceil(10);
        while left > 0 {
            let count = 1 + random.below(HASHED_MESSAGES.min(left));
            left -= count;
            let messages: Vec<Vec<u8>> = (0..count).map(|_| hashed_message(random)).collect();
            let length = 1 + random.below(HASHED_TAG_BYTES);
            let dst = random.vector(length);
            let expected: Vec<Group<C>> = messages
                .par_iter()
                .map(|message| reference(&[message], &[&dst]).expect("the tag is not empty"))
                .collect();
            let expected = encode_all::<C>(&expected);
            for engine in [engine, &portable] {
                let points = hash_to_curve::points(engine, suite, &dst, &messages).unwrap();
                assert_eq!(points.len(), count);
                for (index, point) in points.into_iter().enumerate() {
                    assert_eq!(
                        point,
                        Ok(expected[index]),
                        "{suite} on {engine}: tag {dst:02x?}, message {:02x?}",
                        messages[index]
                    );
                }
            }
        }
    });
}

/// Returns a message, one in 64 of many blocks.
fn hashed_message(random: &mut Random) -> Vec<u8> {
    let longest = if random.below(64) == 0 {
        MANY_HASHED_BYTES
    } else {
        HASHED_BYTES
    };
    let length = random.below(longest + 1);
    random.vector(length)
}

/// Signatures with given auxiliary data are the same. Every other one is made by gecc with fresh
/// data. All are verified by both, then with a few of them corrupted by batch verification, and
/// with a tenth of them corrupted one by one.
fn bip340_by_libsecp256k1() {
    soak(
        "BIP 340 by libsecp256k1",
        LARGE_BATCH,
        |engine, random, _, size| {
            let [messages, auxiliary, mut secret] =
                [(); 3].map(|()| (0..size).map(|_| random.bytes()).collect::<Vec<[u8; 32]>>());
            // Below n.
            secret.iter_mut().for_each(|key| key[0] &= 0x7f);
            let pairs: Vec<Keypair> = secret
                .par_iter()
                .map(|key| Keypair::from_secret_bytes(*key).expect("in range"))
                .collect();
            let keys: Vec<SecretKey> = secret.into_iter().map(SecretKey::from_bytes).collect();
            let signed =
                bip340::sign(engine, &messages, &keys, Auxiliary::given(&auxiliary)).unwrap();
            let fresh = bip340::sign(engine, &messages, &keys, Auxiliary::fresh()).unwrap();
            let theirs = (0..size).into_par_iter().map(|item| {
                schnorr::sign_with_aux_rand(&messages[item], &pairs[item], &auxiliary[item])
            });
            let mut signatures: Vec<[u8; 64]> =
                theirs.map(|signature| signature.to_byte_array()).collect();
            assert!(signed.into_iter().eq(signatures.iter().copied().map(Ok)));
            for (signature, fresh) in signatures.iter_mut().zip(fresh).skip(1).step_by(2) {
                *signature = fresh.expect("a key in range");
            }
            let public = pairs
                .iter()
                .map(|pair| pair.x_only_public_key().0.to_byte_array())
                .collect();
            let mut items = SchnorrItems {
                messages: messages.clone(),
                signatures,
                keys: public,
            };
            (0..size).into_par_iter().for_each(|item| {
                assert!(
                    items.is_valid_to_libsecp256k1(item),
                    "{}",
                    items.shown(item)
                )
            });
            items.check(&TOGETHER, &[]);
            let few: Vec<usize> = (random.below(size.min(FEW_CORRUPTED))..size)
                .step_by(FEW_CORRUPTED)
                .collect();
            few.iter().for_each(|item| items.corrupt(random, *item));
            items.check(&TOGETHER, &few);
            let more: Vec<usize> = (0..size)
                .filter(|item| item % 10 == 3 && !few.contains(item))
                .collect();
            more.iter().for_each(|item| items.corrupt(random, *item));
            items.check(engine, &[few, more].concat());
        },
    );
}

/// Makes items in runs of one progression each, on all cores.
fn in_runs<T: Send>(
    random: &mut Random,
    size: usize,
    make: impl Fn(&mut Random, usize) -> Vec<T> + Sync,
) -> Vec<T> {
    let seeds: Vec<(u64, usize)> = (0..size)
        .step_by(RUN)
        .map(|start| (random.word(), RUN.min(size - start)))
        .collect();
    seeds
        .into_par_iter()
        .flat_map_iter(|(seed, length)| make(&mut Random::from_seed(seed), length))
        .collect()
}

/// Verifies a batch of which a tenth is corrupted; by a different key for each item, or by keys
/// that repeat.
fn signatures<S: Scheme>(
    engine: &Engine,
    random: &mut Random,
    size: usize,
    distinct: bool,
) -> Vec<Signed> {
    let keys = if distinct { RUN } else { RUN / 64 };
    let signed = in_runs(random, size, |random, length| {
        signed::<S>(random, length, keys)
    });
    let mut batch: Vec<(Item, Verdict)> = signed
        .iter()
        .map(|signed| (signed.item.clone(), Verdict::Valid))
        .collect();
    for index in (7..size).step_by(10) {
        batch[index] = corrupted::<S>(random, &signed[index].item, &signed[index - 1].item);
    }
    let (items, expected): (Vec<Item>, Vec<Verdict>) = batch.into_iter().unzip();
    let verdicts = S::verify(engine, &items);
    assert_eq!(verdicts.len(), size);
    for (index, (found, expected)) in verdicts.into_iter().zip(expected).enumerate() {
        assert_eq!(
            found,
            expected,
            "{} item {index}: {:02x?}",
            S::CURVE,
            items[index]
        );
    }
    signed
}

/// A changed item, and the verdict that follows from the change: with parts of another item a
/// signature is valid with a probability of about 2^-256.
fn corrupted<S: Scheme>(random: &mut Random, item: &Item, other: &Item) -> (Item, Verdict) {
    use Rejection::{IdentityKey, Mismatch, NotOnCurve, ROutOfRange, SOutOfRange};
    let mut item = item.clone();
    let reason = match random.below(8) {
        0 => {
            random.flip_bit(&mut item.digest);
            Mismatch
        }
        1 => {
            item.digest = other.digest;
            Mismatch
        }
        2 => {
            item.signature[..32].copy_from_slice(&other.signature[..32]);
            Mismatch
        }
        3 => {
            item.signature[32..].copy_from_slice(&other.signature[32..]);
            Mismatch
        }
        4 => {
            item.signature[..32].copy_from_slice(&order_plus::<S::C>(0));
            ROutOfRange
        }
        5 => {
            item.signature[32..].fill(0);
            SOutOfRange
        }
        6 => {
            item.key[64] ^= 1;
            NotOnCurve
        }
        _ => {
            item.key = vec![0];
            IdentityKey
        }
    };
    (item, Verdict::Rejected(reason))
}

/// Scalars and points with the results of all point operations on them.
struct PointItem {
    scalar: [u8; 32],
    point: Point,
    double: Point,
    /// `factor * point = product`.
    factor: [u8; 32],
    product: Point,
    /// `point + product`.
    sum: Point,
}

fn point_items<C: TestCurve>(random: &mut Random, length: usize) -> Vec<PointItem> {
    let (scalars, points) = progression::<C>(random, length);
    let (targets, products) = progression::<C>(random, length);
    let [a, b] = [&points, &products].map(|points| -> Vec<Group<C>> {
        points
            .iter()
            .map(|point| decode::<C>(point).expect("on the curve"))
            .collect()
    });
    let doubles = encode_all::<C>(&a.iter().map(Group::<C>::double).collect::<Vec<_>>());
    let sums = encode_all::<C>(&a.iter().zip(&b).map(|(a, b)| *a + b).collect::<Vec<_>>());
    let items = (0..length).map(|index| PointItem {
        scalar: bytes::<C>(&scalars[index]),
        point: points[index],
        double: doubles[index],
        factor: bytes::<C>(&(targets[index] * Field::invert(&scalars[index]).expect("not 0"))),
        product: products[index],
        sum: sums[index],
    });
    items.collect()
}

fn points<C: TestCurve>(engine: &Engine, random: &mut Random, size: usize) {
    let items = in_runs(random, size, point_items::<C>);
    let points: Vec<Point> = items.iter().map(|item| item.point).collect();
    let products: Vec<Point> = items.iter().map(|item| item.product).collect();
    let scalars: Vec<[u8; 32]> = items.iter().map(|item| item.scalar).collect();
    let factors: Vec<[u8; 32]> = items.iter().map(|item| item.factor).collect();
    let compressed: Vec<[u8; 33]> = points
        .iter()
        .map(|point| point.to_compressed().expect("not O"))
        .collect();
    compare::<C>(
        "mul_base",
        &items,
        point::mul_base(engine, C::ID, &scalars),
        |item| item.point,
    );
    compare::<C>(
        "mul",
        &items,
        point::mul(engine, C::ID, &factors, &points),
        |item| item.product,
    );
    compare::<C>(
        "add",
        &items,
        point::add(engine, C::ID, &points, &products),
        |item| item.sum,
    );
    compare::<C>(
        "double",
        &items,
        point::double(engine, C::ID, &points),
        |item| item.double,
    );
    compare::<C>(
        "decompress",
        &items,
        point::decompress(engine, C::ID, &compressed),
        |item| item.point,
    );
}

/// Compares the results of an operation with the known ones.
fn compare<C: TestCurve>(
    name: &str,
    items: &[PointItem],
    found: Result<Vec<Result<Point, Rejection>>, gecc::Error>,
    expected: fn(&PointItem) -> Point,
) {
    let found = found.unwrap();
    assert_eq!(found.len(), items.len());
    for (found, item) in found.into_iter().zip(items) {
        assert_eq!(
            found,
            Ok(expected(item)),
            "{} {name} of {:?} {:02x?}",
            C::NAME,
            item.point,
            item.factor
        );
    }
}

/// Recovers the keys, and verifies together with one invalid item.
fn recoveries<C: EcdsaReference>(engine: &Engine, random: &mut Random, signed: &[Signed]) {
    let digests: Vec<[u8; 32]> = signed.iter().map(|signed| signed.item.digest).collect();
    let signatures: Vec<[u8; 64]> = signed.iter().map(|signed| signed.item.signature).collect();
    let ids: Vec<u8> = signed.iter().map(|signed| signed.recovery_id).collect();
    let recovered = ecdsa::recover(engine, C::ID, &digests, &signatures, &ids).unwrap();
    for (recovered, signed) in recovered.into_iter().zip(signed) {
        assert_eq!(
            recovered,
            Ok(signed.key),
            "{} recover {:02x?}",
            C::NAME,
            signed.item
        );
    }
    let mut digests = digests;
    let bad = random.below(signed.len());
    random.flip_bit(&mut digests[bad]);
    let keys: Vec<Point> = signed.iter().map(|signed| signed.key).collect();
    let policy = Policy::default();
    let verdicts =
        ecdsa::verify_recoverable(&TOGETHER, C::ID, &digests, &signatures, &ids, &keys, policy)
            .unwrap();
    assert_eq!(
        verdicts.rejected().collect::<Vec<_>>(),
        [(bad, Rejection::Mismatch)],
        "{} together",
        C::NAME
    );
}

/// ECDH with the scalars and points whose product is known.
fn agreements<C: TestCurve>(engine: &Engine, random: &mut Random, size: usize) {
    let items = in_runs(random, size, point_items::<C>);
    let keys: Vec<SecretKey> = items
        .iter()
        .map(|item| SecretKey::from_bytes(item.factor))
        .collect();
    let peers: Vec<Point> = items.iter().map(|item| item.point).collect();
    let shared = shared_points::<C>(engine, &keys, PublicKeys::points(&peers)).unwrap();
    for (shared, item) in shared.into_iter().zip(&items) {
        assert_eq!(
            shared,
            Ok(item.product),
            "{} ECDH of {:?}",
            C::NAME,
            item.point
        );
    }
}

fn ecdsa_secrets<C: EcdsaReference>(engine: &Engine, random: &mut Random, signed: &[Signed]) {
    let (secrets, keys, digests) = signing_inputs::<C>(random, signed);
    let found = sign_ecdsa::<C>(engine, &digests, &keys);
    compare_signatures::<C>(&found, |index| {
        Some(C::sign(&secrets[index], &digests[index])?.0)
    });
    agreements::<C>(engine, random, signed.len());
}

fn sm2_secrets(engine: &Engine, random: &mut Random, signed: &[Signed]) {
    let (secrets, keys, digests) = signing_inputs::<Sm2>(random, signed);
    let found = sign_sm2(engine, &digests, &keys);
    compare_signatures::<Sm2>(&found, |index| {
        sm2_dsa::sign(&secrets[index], &digests[index])
    });
    agreements::<Sm2>(engine, random, signed.len());
}

fn sign_ecdsa<C: EcdsaReference>(
    engine: &Engine,
    digests: &[[u8; 32]],
    keys: &[SecretKey],
) -> Vec<Result<[u8; 64], Rejection>> {
    ecdsa::sign(engine, C::ID, digests, keys, SForm::CurveDefault).unwrap()
}

fn sign_sm2(
    engine: &Engine,
    digests: &[[u8; 32]],
    keys: &[SecretKey],
) -> Vec<Result<[u8; 64], Rejection>> {
    sm2::sign(engine, digests, keys).unwrap()
}

/// Compares public keys, ECDH and signatures with a second implementation, which also verifies
/// `signed`.
fn second_opinion<S: Scheme>(
    engine: &Engine,
    random: &mut Random,
    signed: &[Signed],
    sign: Sign,
    oracle: &impl Oracle,
) {
    let (secrets, keys, digests) = signing_inputs::<S::C>(random, signed);
    let public: Vec<[u8; 65]> = secrets
        .par_iter()
        .map(|secret| oracle.public_key(secret))
        .collect();
    let found = keys::public_keys(engine, S::C::ID, &keys).unwrap();
    for (found, expected) in found.iter().zip(&public) {
        assert_eq!(
            found.as_ref().map(Point::as_bytes),
            Ok(expected),
            "{} public key",
            S::CURVE
        );
    }

    let peers: Vec<Point> = signed.iter().map(|signed| signed.key).collect();
    let shared = ecdh::shared_points(engine, S::C::ID, &keys, PublicKeys::points(&peers)).unwrap();
    secrets
        .par_iter()
        .zip(&peers)
        .zip(shared)
        .for_each(|((secret, peer), shared)| {
            let x = oracle.shared_x(secret, peer.as_sec1());
            assert_eq!(
                shared.as_ref().map(SharedPoint::expose_x),
                Ok(&x),
                "{} ECDH of {peer:?}",
                S::CURVE
            );
        });

    let ours = sign(engine, &digests, &keys)
        .into_iter()
        .map(|signature| signature.expect("a key in range"));
    let theirs: Vec<[u8; 64]> = secrets
        .par_iter()
        .zip(&digests)
        .map(|(secret, digest)| oracle.sign(secret, digest))
        .collect();
    let mut items: Vec<Item> = signed.iter().map(|signed| signed.item.clone()).collect();
    for (index, signatures) in ours.zip(theirs).enumerate() {
        for signature in [signatures.0, signatures.1] {
            items.push(Item {
                digest: digests[index],
                signature,
                key: public[index].to_vec(),
            });
        }
    }
    let mut corrupted = items.clone();
    for item in &mut corrupted {
        if random.below(4) == 0 {
            random.flip_bit(&mut item.digest)
        } else {
            random.flip_bit(&mut item.signature)
        }
    }
    for (items, valid) in [(items, true), (corrupted, false)] {
        let verdicts = S::verify(engine, &items);
        assert_eq!(verdicts.len(), items.len());
        items.par_iter().zip(verdicts).for_each(|(item, verdict)| {
            let second = oracle.verifies(&item.digest, &item.signature, &item.key);
            assert_eq!(
                (verdict.is_valid(), second),
                (valid, valid),
                "{} {item:02x?}",
                S::CURVE
            );
        });
    }
}

type SigningInputs = (Vec<[u8; 32]>, Vec<SecretKey>, Vec<[u8; 32]>);

fn signing_inputs<C: TestCurve>(random: &mut Random, signed: &[Signed]) -> SigningInputs {
    let secrets: Vec<[u8; 32]> = signed.iter().map(|_| random.scalar_bytes::<C>()).collect();
    let keys = secrets
        .iter()
        .map(|secret| SecretKey::from_bytes(*secret))
        .collect();
    (
        secrets,
        keys,
        signed.iter().map(|signed| signed.item.digest).collect(),
    )
}

fn compare_signatures<C: Curve>(
    found: &[Result<[u8; 64], Rejection>],
    expected: impl Fn(usize) -> Option<[u8; 64]> + Sync,
) {
    found.par_iter().enumerate().for_each(|(index, found)| {
        assert_eq!(found.ok(), expected(index), "{} signature {index}", C::NAME);
    });
}

fn equations_of_ecdsa<C: EcdsaReference>() {
    against_equations::<Ecdsa<C>>(recoveries::<C>, ecdsa_secrets::<C>);
}

fn sm2_curve() {
    against_equations::<Sm2Dsa>(|_, _, _| {}, sm2_secrets);
}

fn secp256k1_by_libsecp256k1() {
    against_oracle::<Ecdsa<Secp256k1>>(sign_ecdsa::<Secp256k1>, &LibSecp256k1);
}

fn p256_by_aws_lc() {
    against_oracle::<Ecdsa<P256>>(sign_ecdsa::<P256>, &AwsLc);
}

fn sm2_curve_by_openssl() {
    against_oracle::<Sm2Dsa>(sign_sm2, &OpenSsl::open().expect("OpenSSL has been found"));
}

/// Signs on the default engine with its own public keys, corrupts a tenth, and verifies on the CPU.
fn crossed<C: TestCurve>(
    sign: impl Fn(&Engine, &[[u8; 32]], &[SecretKey]) -> Vec<Result<[u8; 64], Rejection>>,
    verify: impl Fn(&Engine, &[[u8; 32]], &[[u8; 64]], PublicKeys) -> Verdicts,
) {
    let engine = Engine::new().expect("threads can be started");
    let cpu = Engine::cpu().expect("threads can be started");
    let items = from_environment("GECC_SOAK_ITEMS", 10_000_000) as usize;
    let start = Instant::now();
    for first in (0..items).step_by(LARGE_BATCH) {
        let size = LARGE_BATCH.min(items - first);
        let keys: Vec<SecretKey> = in_runs(&mut Random::new(), size, |random, length| {
            (0..length)
                .map(|_| SecretKey::from_bytes(random.scalar_bytes::<C>()))
                .collect()
        });
        let digests: Vec<[u8; 32]> = in_runs(&mut Random::new(), size, |random, length| {
            (0..length).map(|_| random.scalar_bytes::<C>()).collect()
        });
        let public = keys::public_keys(&engine, C::ID, &keys).unwrap();
        let public: Vec<Point> = public
            .into_iter()
            .map(|key| key.expect("a key in range"))
            .collect();
        let signed = sign(&engine, &digests, &keys);
        let mut signatures: Vec<[u8; 64]> = signed
            .into_iter()
            .map(|item| item.expect("a key in range"))
            .collect();
        let mut random = Random::new();
        for signature in signatures.iter_mut().skip(3).step_by(10) {
            // The last byte of r or of s: in range still, with a probability of all but 2^-120.
            signature[31 + 32 * random.below(2)] ^= 1 << random.below(8);
        }
        let verdicts = verify(&cpu, &digests, &signatures, PublicKeys::points(&public));
        for (index, verdict) in verdicts.iter().enumerate() {
            let expected = if index % 10 == 3 {
                Verdict::Rejected(Rejection::Mismatch)
            } else {
                Verdict::Valid
            };
            assert_eq!(*verdict, expected, "{} item {}", C::NAME, first + index);
        }
    }
    let seconds = start.elapsed().as_secs();
    eprintln!(
        "{}: {items} items signed on {engine}, verified on {cpu}, {seconds} s",
        C::NAME
    );
}

fn crossed_ecdsa<C: EcdsaReference>() {
    crossed::<C>(sign_ecdsa::<C>, |engine, digests, signatures, keys| {
        ecdsa::verify(engine, C::ID, digests, signatures, keys, Policy::default()).unwrap()
    });
}

fn crossed_sm2() {
    crossed::<Sm2>(sign_sm2, |engine, digests, signatures, keys| {
        sm2::verify(engine, digests, signatures, keys).unwrap()
    });
}
