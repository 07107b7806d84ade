//! Remains of private keys, nonces, shared points, bases, exponents, factors and moduli after
//! secret operations: none in blocks of the heap that they free, and on Linux none on the stacks of
//! any thread. On each engine.

#[path = "../../tests/harness/mod.rs"]
mod harness;
#[path = "../../tests/harness/random.rs"]
mod random;
mod search;

use elliptic_curve::consts::U32;
use elliptic_curve::sec1::{FromSec1Point, ToSec1Point};
use elliptic_curve::{AffinePoint, CurveArithmetic, CurveGroup, ProjectivePoint};
use gecc::bip340::{Auxiliary, SigningKeys};
use gecc::hash_to_curve::{self, Suite};
use gecc::mask::{self, Form, Masked};
use gecc::oprf::{self, Mode, P256Sha256, Ristretto255Sha512};
use gecc::service::{Caller, Coalescer, Request};
use gecc::{
    Backend, Curve, Engine, EngineBuilder, Error, P256, Point, PublicKeys, Rejection, SecretKey,
    SecretKeys, Sm2, Verdict,
};
use gecc::{bip340, ecdh, ecdsa, keys, modular, point, ristretto255, sm2};
use harness::needs::{AVX512, GPU, Need, in_release};
use harness::{Named, named, test};
use rand::Rng;
use random::Random;
use search::{Searching, Watch};
use sha2::{Digest, Sha256, Sha512};
use sm3::Sm3;
use std::ops::Range;
use std::process::ExitCode;
#[cfg(target_os = "linux")]
use std::sync::Mutex;
use zeroize::{Zeroize, Zeroizing};

#[global_allocator]
static ALLOCATOR: Searching = Searching;

/// Sizes of batches: on one thread, on several with a few items each, and of several chunks.
const SIZES: &[usize] = &[1, 64, 1000, LARGEST];
const LARGEST: usize = 5000;
/// Batch sizes for operations that compute items one at a time.
const SMALL_SIZES: &[usize] = &[1, 64, 1000];
/// Batches of more items are not signed with the check of signatures, which takes several times as
/// long.
const MOST_CHECKED: usize = 1000;
/// The first `ALL_UP_TO` items are all searched for, and of the others one in `ONE_IN`: shared
/// points are computed one at a time here.
const ALL_UP_TO: usize = 64;
const ONE_IN: usize = 16;

/// An engine under test, by its name.
type Kind = Named<Engines>;

#[derive(Clone, Copy)]
struct Engines {
    builder: fn() -> EngineBuilder,
    sizes: &'static [usize],
}

impl Engines {
    fn engine(self) -> Engine {
        (self.builder)().build().unwrap()
    }

    /// An engine that checks the signatures that it makes.
    fn checking(self) -> Engine {
        (self.builder)().check_signatures(true).build().unwrap()
    }

    /// Items of the largest batch.
    fn items(self) -> usize {
        *self.sizes.last().unwrap()
    }
}

/// Every engine, and its requirements.
const KINDS: [(Option<&Need>, Kind); 3] = [
    (
        None,
        (
            "portable",
            Engines {
                builder: || cpu().portable(true),
                sizes: SMALL_SIZES,
            },
        ),
    ),
    (
        Some(&AVX512),
        (
            "avx512",
            Engines {
                builder: cpu,
                sizes: SIZES,
            },
        ),
    ),
    (
        Some(&GPU),
        (
            "gpu",
            Engines {
                builder: || Engine::builder().backend(Backend::Gpu),
                sizes: SIZES,
            },
        ),
    ),
];

fn cpu() -> EngineBuilder {
    Engine::builder().backend(Backend::Cpu)
}

/// The tests of each engine on each curve.
const ON_CURVES: &[Named<fn(Kind)>] = {
    macro_rules! on_curves {
        ([] $($curve:ident $name:ident $module:tt $reference:tt;)*) => {
            &[$((concat!("on_", stringify!($name)), operations::<gecc::$curve>)),*]
        };
    }
    gecc::for_each_curve!(on_curves!)
};

/// Further tests of each engine.
const TESTS: &[Named<fn(Kind)>] = &named![
    #[cfg(target_os = "linux")]
    generated_keys,
    bip340_signatures,
    ed25519_signatures,
    x25519_agreements,
    ristretto255_products,
    edwards25519_products,
    masks,
    oblivious_functions,
    silent_payments,
    powers_of_every_size,
    products_of_every_size,
];

fn main() -> ExitCode {
    // Debug assertions make other frames on the stack than what ships has.
    let of_kinds = KINDS.iter().flat_map(|&(need, kind)| {
        let need = in_release(need);
        ON_CURVES
            .iter()
            .chain(TESTS)
            .map(move |(name, run)| test(format!("{name}::{}", kind.0), need, move || run(kind)))
    });
    let of_the_search = harness::tests(None, named![secrets_are_found]);
    harness::run(of_kinds.chain(of_the_search).collect())
}

/// The range of memory that holds the values of a slice.
fn memory<T>(values: &[T]) -> Range<usize> {
    let range = values.as_ptr_range();
    range.start as usize..range.end as usize
}

/// Does `work`, and requires that no freed block and afterwards no stack holds a secret. Inputs are
/// in `known`.
#[track_caller]
fn leaves_nothing(watch: &Watch, name: &str, known: &[Range<usize>], work: impl Fn() + Sync) {
    let work = || watch.freed_blocks(name, &work);
    #[cfg(target_os = "linux")]
    {
        let places = search::with_stack_kept(work, || watch.places(known, search::STACKS));
        assert_none(name, &places);
    }
    #[cfg(not(target_os = "linux"))]
    work();
}

#[track_caller]
#[cfg(target_os = "linux")]
fn assert_none(name: &str, places: &[(usize, String)]) {
    let some = &places[..places.len().min(8)];
    assert!(
        places.is_empty(),
        "{name}: {} places hold words of secrets, among them {some:x?}",
        places.len()
    );
}

/// Fills columns by a call, and requires that nothing is left in them afterwards.
fn into_columns<const W: usize>(
    items: usize,
    call: impl Fn(&mut [[u8; W]], &mut [u8]) -> Result<(), Error>,
) {
    let mut rows = Zeroizing::new(vec![[0; W]; items]);
    let mut codes = vec![0; items];
    call(&mut rows, &mut codes).unwrap();
    assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
}

/// Fills page-locked columns by a call, if the engine locks memory.
fn into_locked<const W: usize>(
    engine: &Engine,
    items: usize,
    call: impl Fn(&mut [[u8; W]], &mut [u8]) -> Result<(), Error>,
) {
    let mut rows = engine.page_lock(vec![[0; W]; items]);
    let mut codes = engine.page_lock(vec![0; items]);
    call(&mut rows, &mut codes).unwrap();
    assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
    rows.as_flattened_mut().zeroize();
}

/// The signing operations of a curve.
trait Scheme: Curve {
    /// The curve in its RustCrypto crate.
    type Theirs: CurveArithmetic<
            FieldBytesSize = U32,
            AffinePoint: FromSec1Point<Self::Theirs> + ToSec1Point<Self::Theirs>,
        >;

    fn nonce(key: &[u8; 32], digest: &[u8; 32]) -> [u8; 32];
    fn sign(engine: &Engine, digests: &[[u8; 32]], keys: SecretKeys);
    fn sign_otherwise(engine: &Engine, digests: &[[u8; 32]], keys: SecretKeys);
    fn request<'a>(
        caller: &'a Caller,
        digests: &'a [[u8; 32]],
        keys: SecretKeys<'a>,
    ) -> Request<'a, Signatures>;
}

/// The results of signing by way of a coalescer.
type Signatures = Vec<Result<[u8; 64], Rejection>>;

/// Signs and agrees by way of a coalescer that is dropped afterwards: on this thread, and on one of
/// its own.
fn by_coalescer<C: Scheme>(
    engine: &Engine,
    digests: &[[u8; 32]],
    keys: SecretKeys,
    peers: PublicKeys,
) {
    let service = Coalescer::builder()
        .largest_batch(LARGEST)
        .build(engine)
        .unwrap();
    let caller = service.caller();
    let signed = [
        C::request(&caller, digests, keys).wait().unwrap(),
        C::request(&caller, digests, keys)
            .submit()
            .unwrap()
            .wait()
            .unwrap(),
    ];
    assert!(signed.iter().flatten().all(Result::is_ok));
    let shared = [
        caller.shared_secrets(C::ID, keys, peers).wait().unwrap(),
        caller
            .shared_secrets(C::ID, keys, peers)
            .submit()
            .unwrap()
            .wait()
            .unwrap(),
    ];
    assert!(shared.iter().flatten().all(Result::is_ok));
    assert!(
        caller
            .public_keys(C::ID, keys)
            .wait()
            .unwrap()
            .iter()
            .all(Result::is_ok)
    );
    // Handed in, and perhaps not begun.
    drop(C::request(&caller, digests, keys).submit().unwrap());
}

/// RFC 6979, by the crate of that name.
macro_rules! nonce {
    ($curve:ty, $hash:ty) => {
        fn nonce(key: &[u8; 32], digest: &[u8; 32]) -> [u8; 32] {
            let order = <$curve as elliptic_curve::Curve>::ORDER;
            let mut nonce = [0; 32];
            rfc6979::KGenerator::<$hash, _>::new(key, digest, &[], order.as_ref())
                .fill_next_k(&mut nonce);
            nonce
        }
    };
}

macro_rules! ecdsa_scheme {
    ($curve:path, $reference:ty) => {
        impl Scheme for $curve {
            type Theirs = $reference;
            nonce!($reference, Sha256);

            fn sign(engine: &Engine, digests: &[[u8; 32]], keys: SecretKeys) {
                let signed =
                    ecdsa::sign(engine, $curve, digests, keys, Default::default()).unwrap();
                assert!(signed.iter().all(Result::is_ok));
            }

            fn sign_otherwise(engine: &Engine, digests: &[[u8; 32]], keys: SecretKeys) {
                let signed =
                    ecdsa::sign_recoverable(engine, $curve, digests, keys, ecdsa::SForm::Low)
                        .unwrap();
                assert!(signed.iter().all(Result::is_ok));
                let signed =
                    ecdsa::sign_messages(engine, $curve, digests, keys, Default::default())
                        .unwrap();
                assert!(signed.iter().all(Result::is_ok));
                into_columns(digests.len(), |rows, codes| {
                    ecdsa::sign_into(
                        engine,
                        $curve,
                        digests,
                        keys,
                        Default::default(),
                        rows,
                        codes,
                    )
                });
                into_columns(digests.len(), |rows, codes| {
                    let mut ids = vec![0; digests.len()];
                    ecdsa::sign_recoverable_into(
                        engine,
                        $curve,
                        digests,
                        keys,
                        ecdsa::SForm::Low,
                        rows,
                        &mut ids,
                        codes,
                    )
                });
                into_columns(digests.len(), |rows, codes| {
                    ecdsa::sign_messages_into(
                        engine,
                        $curve,
                        digests,
                        keys,
                        Default::default(),
                        rows,
                        codes,
                    )
                });
            }

            fn request<'a>(
                caller: &'a Caller,
                digests: &'a [[u8; 32]],
                keys: SecretKeys<'a>,
            ) -> Request<'a, Signatures> {
                caller.ecdsa_sign(Self::ID, digests, keys, Default::default())
            }
        }
    };
}

macro_rules! ecdsa_schemes {
    ([] $($curve:ident $name:ident $module:tt [$($reference:tt)*];)*) => {
        $(ecdsa_scheme!(gecc::$curve, $($reference)*);)*
    };
}
gecc::for_each_ecdsa_curve!(ecdsa_schemes!);

impl Scheme for Sm2 {
    type Theirs = ::sm2::Sm2;
    nonce!(::sm2::Sm2, Sm3);

    fn sign(engine: &Engine, digests: &[[u8; 32]], keys: SecretKeys) {
        assert!(
            sm2::sign(engine, digests, keys)
                .unwrap()
                .iter()
                .all(Result::is_ok)
        );
    }

    fn sign_otherwise(engine: &Engine, digests: &[[u8; 32]], keys: SecretKeys) {
        assert!(
            sm2::sign_messages(engine, digests, Default::default(), keys)
                .unwrap()
                .iter()
                .all(Result::is_ok)
        );
        into_columns(digests.len(), |rows, codes| {
            sm2::sign_into(engine, digests, keys, rows, codes)
        });
        into_columns(digests.len(), |rows, codes| {
            sm2::sign_messages_into(engine, digests, Default::default(), keys, rows, codes)
        });
    }

    fn request<'a>(
        caller: &'a Caller,
        digests: &'a [[u8; 32]],
        keys: SecretKeys<'a>,
    ) -> Request<'a, Signatures> {
        caller.sm2_sign(digests, keys)
    }
}

/// Inputs at known addresses.
struct Inputs {
    keys: Vec<SecretKey>,
    digests: Vec<[u8; 32]>,
    peers: Vec<Point>,
}

impl Inputs {
    fn new<C: Scheme>(watch: &mut Watch, items: usize) -> Self {
        let mut random = Random::new();
        let mut bytes = || {
            let mut bytes = [0; 32];
            random.fill_bytes(&mut bytes);
            // Below every n.
            bytes[0] &= 0x7f;
            bytes
        };
        let digests: Vec<[u8; 32]> = (0..items).map(|_| bytes()).collect();
        let scalars: Vec<[u8; 32]> = (0..items).map(|_| bytes()).collect();
        let peers = point::mul_base(&Engine::cpu().unwrap(), C::ID, &scalars).unwrap();
        let peers: Vec<Point> = peers.into_iter().map(Result::unwrap).collect();
        let mut keys = Vec::with_capacity(items);
        keys.extend((0..items).map(|_| SecretKey::from_bytes(bytes())));
        for (item, key) in keys.iter().enumerate() {
            for key in [key, &keys[0]].map(SecretKey::expose_bytes) {
                watch.add(key);
                watch.add(&C::nonce(key, &digests[item]));
                if item < ALL_UP_TO || item % ONE_IN == 0 {
                    let point = shared_point::<C>(key, &peers[item]);
                    watch.add(&point[..32]);
                    watch.add(&point[32..]);
                }
            }
        }
        Inputs {
            keys,
            digests,
            peers,
        }
    }
}

/// `x || y` of the product, computed one at a time.
fn shared_point<C: Scheme>(key: &[u8; 32], peer: &Point) -> [u8; 64] {
    let key = elliptic_curve::SecretKey::<C::Theirs>::from_slice(key).unwrap();
    let peer = AffinePoint::<C::Theirs>::from_sec1_bytes(peer.as_sec1()).unwrap();
    let product = ProjectivePoint::<C::Theirs>::from(peer) * *key.to_nonzero_scalar();
    product.to_affine().to_sec1_point(false).as_bytes()[1..]
        .try_into()
        .unwrap()
}

/// The keys of a batch: one per item, and one for all.
fn both(keys: &[SecretKey]) -> [SecretKeys<'_>; 2] {
    [keys.into(), (&keys[0]).into()]
}

fn operations<C: Scheme>((name, engines): Kind) {
    let _alone = search::alone();
    let (
        watch,
        Inputs {
            keys,
            digests,
            peers,
        },
    ) = search::prepared(|| {
        let mut watch = Watch::new();
        let inputs = Inputs::new::<C>(&mut watch, engines.items());
        (watch, inputs)
    });
    let known = [memory(&keys)];
    let engine = engines.engine();
    let checking = engines.checking();
    for &size in engines.sizes {
        let digests = &digests[..size];
        let keys = &keys[..size];
        let peers = PublicKeys::points(&peers[..size]);
        let check = |what: &str, work: &(dyn Fn() + Sync)| {
            leaves_nothing(
                &watch,
                &format!("{what}, {size} items, {name}"),
                &known,
                work,
            );
        };
        check("public keys", &|| {
            assert!(
                keys::public_keys(&engine, C::ID, keys)
                    .unwrap()
                    .iter()
                    .all(Result::is_ok)
            )
        });
        for (of, keys) in ["a key each", "one key"].into_iter().zip(both(keys)) {
            let check =
                |what: &str, work: &(dyn Fn() + Sync)| check(&format!("{what}, {of}"), work);
            check("signing", &|| C::sign(&engine, digests, keys));
            check("signing otherwise", &|| {
                C::sign_otherwise(&engine, digests, keys)
            });
            if size <= MOST_CHECKED {
                check("signing, checked", &|| C::sign(&checking, digests, keys));
                check("signing otherwise, checked", &|| {
                    C::sign_otherwise(&checking, digests, keys)
                });
            }
            check("shared secrets", &|| {
                assert!(
                    ecdh::shared_secrets(&engine, C::ID, keys, peers)
                        .unwrap()
                        .iter()
                        .all(Result::is_ok)
                );
            });
            check("shared points", &|| {
                assert!(
                    ecdh::shared_points(&engine, C::ID, keys, peers)
                        .unwrap()
                        .iter()
                        .all(Result::is_ok)
                );
            });
            check("by a coalescer", &|| {
                by_coalescer::<C>(&engine, digests, keys, peers)
            });
            let into_rows = |rows: &mut [_], codes: &mut [u8]| {
                ecdh::shared_secrets_into(&engine, C::ID, keys, peers, rows, codes)
            };
            check("shared secrets, into columns", &|| {
                into_columns(size, into_rows)
            });
            check("shared secrets, into locked columns", &|| {
                into_locked(&engine, size, into_rows)
            });
            check("shared points, into columns", &|| {
                into_columns(size, |rows, codes| {
                    ecdh::shared_points_into(&engine, C::ID, keys, peers, rows, codes)
                });
            });
            check("public keys, into columns", &|| {
                into_columns(size, |rows, codes| {
                    keys::public_keys_into(&engine, C::ID, keys, rows, codes)
                });
            });
        }
    }
}

/// Keys are known only after they were generated; blocks that were freed before are searched where
/// they were.
#[cfg(target_os = "linux")]
fn generated_keys((name, engines): Kind) {
    let _alone = search::alone();
    let engine = engines.engine();
    for &size in engines.sizes {
        let state = Mutex::new((Watch::new(), Vec::new()));
        let generate = || {
            let generated = keys::generate(&engine, P256, size).unwrap().0;
            let one = SecretKey::generate(P256);
            let mut state = state.lock().unwrap();
            state.0.add(one.as_ref().unwrap().expose_bytes());
            state.1 = generated;
        };
        let places = search::with_stack_kept(generate, || {
            let (watch, keys) = &mut *state.lock().unwrap();
            keys.iter()
                .for_each(|key: &SecretKey| watch.add(key.expose_bytes()));
            watch.places(&[memory(keys)], search::ALL)
        });
        assert_none(&format!("{size} keys, {name}"), &places);
    }
}

/// Seeds, scalars, prefixes and nonces, of seeds and of expanded keys.
fn ed25519_signatures((name, engines): Kind) {
    use curve25519_dalek::Scalar;
    use gecc::ed25519::{
        ExpandedKey, SigningKeys, Variant, expand, expand_hashed, public_keys, sign, sign_into,
    };
    let _alone = search::alone();
    let engine = engines.engine();
    let checking = engines.checking();
    let (watch, seeds, hashes, messages) = search::prepared(|| {
        let mut watch = Watch::new();
        let mut random = Random::new();
        let mut secret: Vec<[u8; 32]> = numbers(&mut watch, &mut random, engines.items());
        let messages: Vec<[u8; 32]> = numbers(&mut Watch::new(), &mut random, engines.items());
        let mut hashes = Vec::with_capacity(engines.items());
        for (item, seed) in secret.iter().enumerate() {
            let mut hash: [u8; 64] = Sha512::digest(seed).into();
            hashes.push(hash);
            watch.add(&hash[32..]);
            let nonce = Sha512::new()
                .chain_update(&hash[32..])
                .chain_update(messages[item])
                .finalize();
            watch.add(&nonce);
            watch.add(&Scalar::from_bytes_mod_order_wide(&nonce.into()).to_bytes());
            hash[0] &= 0xf8;
            hash[31] = hash[31] & 0x7f | 0x40;
            watch.add(&hash[..32]);
            watch.add(&Scalar::from_bytes_mod_order(hash[..32].try_into().unwrap()).to_bytes());
        }
        let seeds: Vec<SecretKey> = secret
            .iter()
            .map(|seed| SecretKey::from_bytes(*seed))
            .collect();
        secret.as_flattened_mut().zeroize();
        (watch, seeds, hashes, messages)
    });
    let known = [memory(&seeds), memory(&hashes)];
    for &size in engines.sizes {
        let messages = &messages[..size];
        let seeds = &seeds[..size];
        let hashes = &hashes[..size];
        let check = |what: &str, work: &(dyn Fn() + Sync)| {
            leaves_nothing(
                &watch,
                &format!("Ed25519, {what}, {size} items, {name}"),
                &known,
                work,
            );
        };
        let all_signed = |engine: &Engine, keys: SigningKeys| {
            assert!(
                sign(engine, messages, keys, Variant::PURE)
                    .unwrap()
                    .iter()
                    .all(Result::is_ok)
            );
        };
        for keys in both(seeds) {
            check("signing", &|| all_signed(&engine, keys.into()));
            check("signing, into columns", &|| {
                into_columns(size, |rows, codes| {
                    sign_into(&engine, messages, keys, Variant::PURE, rows, codes)
                });
            });
        }
        let by_expanded = |keys: Vec<ExpandedKey>| {
            all_signed(&engine, SigningKeys::expanded(&keys));
            all_signed(&engine, SigningKeys::expanded_for_all(&keys[0]));
        };
        check("signing with expanded keys", &|| {
            by_expanded(expand(&engine, seeds).unwrap())
        });
        check("signing with hashed keys", &|| {
            by_expanded(expand_hashed(&engine, hashes).unwrap())
        });
        check("public keys", &|| {
            drop(public_keys(&engine, seeds).unwrap())
        });
        if size <= MOST_CHECKED {
            check("signing, checked", &|| all_signed(&checking, seeds.into()));
        }
    }
}

/// Private keys and scalars of X25519, and shared secrets.
fn x25519_agreements((name, engines): Kind) {
    use curve25519_dalek::MontgomeryPoint;
    use gecc::x25519::{AllZero, public_keys, shared_secrets, shared_secrets_into};
    let _alone = search::alone();
    let engine = engines.engine();
    let (watch, keys, peers) = search::prepared(|| {
        let mut watch = Watch::new();
        let mut random = Random::new();
        let mut secret: Vec<[u8; 32]> = numbers(&mut watch, &mut random, engines.items());
        let peers: Vec<[u8; 32]> = numbers(&mut Watch::new(), &mut random, engines.items());
        for (item, (key, peer)) in secret.iter().zip(&peers).enumerate() {
            let mut scalar = *key;
            scalar[0] &= 0xf8;
            scalar[31] = scalar[31] & 0x7f | 0x40;
            watch.add(&scalar);
            // Of a key each, and of the first key for all.
            if item < ALL_UP_TO || item % ONE_IN == 0 {
                for key in [key, &secret[0]] {
                    watch.add(&MontgomeryPoint(*peer).mul_clamped(*key).to_bytes());
                }
            }
        }
        let keys: Vec<SecretKey> = secret
            .iter()
            .map(|key| SecretKey::from_bytes(*key))
            .collect();
        secret.as_flattened_mut().zeroize();
        (watch, keys, peers)
    });
    let known = [memory(&keys)];
    for &size in engines.sizes {
        let peers = PublicKeys::x25519(&peers[..size]);
        let check = |what: &str, work: &(dyn Fn() + Sync)| {
            leaves_nothing(
                &watch,
                &format!("X25519, {what}, {size} items, {name}"),
                &known,
                work,
            );
        };
        for keys in both(&keys[..size]) {
            check("shared secrets", &|| {
                assert!(
                    shared_secrets(&engine, keys, peers, AllZero::Reject)
                        .unwrap()
                        .iter()
                        .all(Result::is_ok)
                );
            });
            check("shared secrets, into columns", &|| {
                into_columns(size, |rows, codes| {
                    shared_secrets_into(&engine, keys, peers, AllZero::Accept, rows, codes)
                });
            });
            check("public keys", &|| drop(public_keys(&engine, keys).unwrap()));
        }
    }
}

/// Private keys of ristretto255, their halves, by which elements are multiplied, and their inverses,
/// and bytes that are mapped to elements.
fn ristretto255_products((name, engines): Kind) {
    use curve25519_dalek::{RistrettoPoint, Scalar};
    use gecc::ristretto255::{from_uniform_bytes, hash, mask, mul, mul_into, public_keys, unmask};
    let _alone = search::alone();
    let engine = engines.engine();
    let half = Scalar::from(2u64).invert();
    let (watch, keys, elements, uniform) = search::prepared(|| {
        let mut watch = Watch::new();
        let mut random = Random::new();
        let mut secret: Vec<[u8; 32]> = numbers(&mut Watch::new(), &mut random, engines.items());
        let uniform: Vec<[u8; 64]> = numbers(&mut watch, &mut random, engines.items());
        let elements: Vec<[u8; 32]> = uniform
            .iter()
            .map(|bytes| RistrettoPoint::from_uniform_bytes(bytes).compress().0)
            .collect();
        for key in &mut secret {
            let scalar = Scalar::from_bytes_mod_order(*key);
            *key = scalar.to_bytes();
            watch.add(key);
            watch.add(&(scalar * half).to_bytes());
            watch.add(&scalar.invert().to_bytes());
            watch.add(&(scalar.invert() * half).to_bytes());
        }
        let keys: Vec<SecretKey> = secret
            .iter()
            .map(|key| SecretKey::from_bytes(*key))
            .collect();
        secret.as_flattened_mut().zeroize();
        (watch, keys, elements, uniform)
    });
    let known = [memory(&keys), memory(&uniform)];
    for &size in engines.sizes {
        let elements = &elements[..size];
        let uniform = &uniform[..size];
        let check = |what: &str, work: &(dyn Fn() + Sync)| {
            leaves_nothing(
                &watch,
                &format!("ristretto255, {what}, {size} items, {name}"),
                &known,
                work,
            );
        };
        for keys in both(&keys[..size]) {
            check("products", &|| {
                assert!(
                    mul(&engine, keys, elements)
                        .unwrap()
                        .iter()
                        .all(Result::is_ok)
                );
            });
            check("products, into columns", &|| {
                into_columns(size, |rows, codes| {
                    mul_into(&engine, keys, elements, rows, codes)
                });
            });
            check("public keys", &|| drop(public_keys(&engine, keys).unwrap()));
            check("masks", &|| {
                drop(mask(&engine, b"tag", keys, uniform).unwrap())
            });
            check("unmasking", &|| {
                drop(unmask(&engine, keys, elements).unwrap())
            });
        }
        check("the map", &|| {
            drop(from_uniform_bytes(&engine, uniform).unwrap())
        });
        check("hashing", &|| drop(hash(&engine, b"tag", uniform).unwrap()));
    }
}

/// Private keys of edwards25519, their products with points, and messages that are hashed to points.
fn edwards25519_products((name, engines): Kind) {
    use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
    use curve25519_dalek::{EdwardsPoint, Scalar};
    use gecc::edwards25519::{
        Points, Suite, hash_to_curve, mul_cofactored_into, mul_into, public_keys, reduce,
        reduce_wide,
    };
    let _alone = search::alone();
    let engine = engines.engine();
    let (watch, keys, points, messages) = search::prepared(|| {
        let mut watch = Watch::new();
        let mut random = Random::new();
        let mut secret: Vec<[u8; 32]> = numbers(&mut Watch::new(), &mut random, engines.items());
        let messages: Vec<[u8; 64]> = numbers(&mut watch, &mut random, engines.items());
        let scalars = numbers::<32>(&mut Watch::new(), &mut random, engines.items());
        let points: Vec<EdwardsPoint> = scalars
            .iter()
            .map(|scalar| ED25519_BASEPOINT_POINT * Scalar::from_bytes_mod_order(*scalar))
            .collect();
        for (item, key) in secret.iter_mut().enumerate() {
            let scalar = Scalar::from_bytes_mod_order(*key);
            *key = scalar.to_bytes();
            watch.add(key);
            if item < ALL_UP_TO || item % ONE_IN == 0 {
                let product = points[item] * scalar;
                watch.add(&product.compress().0);
                watch.add(&product.mul_by_cofactor().compress().0);
            }
        }
        let keys: Vec<SecretKey> = secret
            .iter()
            .map(|key| SecretKey::from_bytes(*key))
            .collect();
        secret.as_flattened_mut().zeroize();
        let points: Vec<[u8; 32]> = points.iter().map(|point| point.compress().0).collect();
        (watch, keys, points, messages)
    });
    let known = [memory(&keys), memory(&messages)];
    for &size in engines.sizes {
        let points = Points::canonical(&points[..size]);
        let messages = &messages[..size];
        let check = |what: &str, work: &(dyn Fn() + Sync)| {
            leaves_nothing(
                &watch,
                &format!("edwards25519, {what}, {size} items, {name}"),
                &known,
                work,
            );
        };
        for keys in both(&keys[..size]) {
            check("products", &|| {
                into_columns(size, |rows, codes| {
                    mul_into(&engine, keys, points, rows, codes)
                });
            });
            check("products with the cofactor", &|| {
                into_columns(size, |rows, codes| {
                    mul_cofactored_into(&engine, keys, points, rows, codes)
                });
            });
            check("public keys", &|| drop(public_keys(&engine, keys).unwrap()));
        }
        check("reduction", &|| {
            for message in messages {
                drop(reduce(message.first_chunk().unwrap()));
                drop(reduce_wide(message));
            }
        });
        for &suite in Suite::ALL {
            check("hashing", &|| {
                drop(hash_to_curve(&engine, suite, b"tag", messages).unwrap())
            });
        }
    }
}

/// A hash of BIP 340, of which nothing is on the heap.
fn tagged(tag: &str, parts: &[&[u8]]) -> [u8; 32] {
    let tag = Sha256::digest(tag);
    let hash = Sha256::new().chain_update(tag).chain_update(tag);
    parts
        .iter()
        .fold(hash, |hash, part| hash.chain_update(part))
        .finalize()
        .into()
}

/// Keys, auxiliary data, and nonces of BIP 340; of keys and nonces the opposites too.
fn bip340_signatures((name, engines): Kind) {
    let _alone = search::alone();
    let (watch, keys, auxiliary, public, messages) = search::prepared(|| {
        let mut watch = Watch::new();
        let mut random = Random::new();
        let mut secret: Vec<[u8; 32]> = numbers(&mut watch, &mut random, engines.items());
        let auxiliary = numbers(&mut watch, &mut random, engines.items());
        let messages = numbers(&mut Watch::new(), &mut random, engines.items());
        let mut public = Vec::with_capacity(engines.items());
        for (item, key) in secret.iter().enumerate() {
            let signer = k256::schnorr::SigningKey::from_slice(key).unwrap();
            let x = signer.verifying_key().to_bytes();
            // The scalar of the point with an even y.
            let d: [u8; 32] = signer.as_nonzero_scalar().to_bytes().into();
            let mask = tagged("BIP0340/aux", &[&auxiliary[item]]);
            let t: [u8; 32] = std::array::from_fn(|i| d[i] ^ mask[i]);
            let nonce = tagged("BIP0340/nonce", &[&t, &x, &messages[item]]);
            let opposite = |number: &[u8; 32]| -> [u8; 32] {
                use elliptic_curve::PrimeField;
                (-k256::Scalar::from_repr((*number).into()).unwrap())
                    .to_repr()
                    .into()
            };
            for secret in [&d, &opposite(&d), &nonce, &opposite(&nonce)] {
                watch.add(secret);
            }
            watch.add(&t);
            public.push(k256::SecretKey::from_slice(key).unwrap().public_key());
        }
        let keys: Vec<SecretKey> = secret
            .iter()
            .map(|key| SecretKey::from_bytes(*key))
            .collect();
        secret.as_flattened_mut().zeroize();
        let public: Vec<Point> = public.iter().map(Point::from).collect();
        (watch, keys, auxiliary, public, messages)
    });
    let known = [memory(&keys), memory(&auxiliary)];
    let engine = engines.engine();
    let checking = engines.checking();
    for &size in engines.sizes {
        let messages = &messages[..size];
        let keys = &keys[..size];
        let public = &public[..size];
        let given = Auxiliary::given(&auxiliary[..size]);
        let check = |what: &str, work: &(dyn Fn() + Sync)| {
            leaves_nothing(
                &watch,
                &format!("BIP 340, {what}, {size} items, {name}"),
                &known,
                work,
            );
        };
        let all_signed = |engine: &Engine, keys: SigningKeys| {
            assert!(
                bip340::sign(engine, messages, keys, given)
                    .unwrap()
                    .iter()
                    .all(Result::is_ok)
            );
        };
        check("signing", &|| all_signed(&engine, keys.into()));
        check("signing with public keys", &|| {
            all_signed(&engine, SigningKeys::with_public(keys, public))
        });
        check("signing, into columns", &|| {
            into_columns(size, |rows, codes| {
                bip340::sign_messages_into(&engine, messages, keys, given, rows, codes)
            });
        });
        if size <= MOST_CHECKED {
            check("signing, checked", &|| all_signed(&checking, keys.into()));
        }
    }
}

/// Keys of masks, their inverses modulo the group order, the points of items, with suites that are
/// constant-time, and unmasked points. The masked points are public.
fn masks((name, engines): Kind) {
    use elliptic_curve::PrimeField;
    const DST: &[u8] = b"tag";
    let _alone = search::alone();
    let engine = engines.engine();
    for (suite, inverse) in [
        (
            Suite::P256SswuRo,
            inverse::<p256::Scalar> as fn(&[u8; 32]) -> [u8; 32],
        ),
        (Suite::Secp256k1SswuNu, inverse::<k256::Scalar>),
    ] {
        let (watch, keys, items, points) = search::prepared(|| {
            let mut watch = Watch::new();
            let mut random = Random::new();
            let items = numbers::<16>(&mut Watch::new(), &mut random, engines.items());
            let secrets = Zeroizing::new(numbers::<32>(&mut watch, &mut random, items.len()));
            let mut keys = Vec::with_capacity(items.len());
            for secret in secrets.iter() {
                watch.add(&inverse(secret));
                keys.push(SecretKey::from_bytes(*secret));
            }
            // Wiped, because this thread's part of the heap is among what is searched.
            let mut points = Zeroizing::new(vec![[0; 64]; items.len()]);
            let mut codes = vec![0; items.len()];
            let cpu = Engine::cpu().unwrap();
            hash_to_curve::points_into(&cpu, suite, DST, &items, &mut points, &mut codes).unwrap();
            assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
            points.iter().for_each(|point| watch.add(point));
            // Multiples of the keys themselves would be unmasked to the generator.
            let others = numbers::<32>(&mut Watch::new(), &mut random, items.len());
            let others: Vec<SecretKey> = others.into_iter().map(SecretKey::from_bytes).collect();
            let public = keys::public_keys(&cpu, suite.curve(), &others).unwrap();
            let public: Vec<Point> = public.into_iter().map(Result::unwrap).collect();
            for keys in both(&keys) {
                let unmasked = mask::unmask(&cpu, suite.curve(), keys, &public, Form::Raw);
                watch.add(&Zeroizing::new(unmasked.unwrap().into_columns().0));
            }
            (watch, keys, items, public)
        });
        let known = [memory(&keys)];
        for &size in engines.sizes {
            let items = &items[..size];
            let points = &points[..size];
            for (of, keys) in ["a key each", "one key"]
                .into_iter()
                .zip(both(&keys[..size]))
            {
                let check = |what: &str, work: &(dyn Fn() -> Result<Masked, Error> + Sync)| {
                    let name = format!("{what}, {of}, {suite}, {size} items, {name}");
                    leaves_nothing(&watch, &name, &known, || {
                        let (rows, codes) = work().unwrap().into_columns();
                        // Results belong to the caller, who wipes them if they are secrets.
                        drop(Zeroizing::new(rows));
                        assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
                    });
                };
                check("masks of items", &|| {
                    mask::items(&engine, suite, DST, keys, items, Form::Compressed)
                });
                check("masks of points", &|| {
                    mask::points(&engine, suite.curve(), keys, points, Form::Truncated(9))
                });
                check("unmasking", &|| {
                    mask::unmask(&engine, suite.curve(), keys, points, Form::Raw)
                });
            }
        }
    }

    /// Returns the inverse modulo the group order.
    fn inverse<S: PrimeField<Repr: From<[u8; 32]> + Into<[u8; 32]>>>(bytes: &[u8; 32]) -> [u8; 32] {
        let scalar = S::from_repr((*bytes).into()).unwrap();
        scalar.invert().unwrap().to_repr().into()
    }
}

/// Seeds, keys, blinds, their inverses and nonces of oblivious pseudorandom functions, elements of
/// inputs, their products with the key, and outputs.
fn oblivious_functions(kind: Kind) {
    functions_of_suite::<P256Sha256>(kind);
    functions_of_suite::<Ristretto255Sha512>(kind);
}

/// A suite of oblivious pseudorandom functions.
trait SecretSuite: oprf::Suite {
    const SUITE: Self;
    /// The tag of `HashToGroup` in the mode VOPRF.
    const DST: &'static [u8];

    /// Makes a scalar of random bytes.
    fn scalar(random: [u8; 32]) -> [u8; 32];

    /// Returns the inverse modulo the group order.
    fn inverse(scalar: &[u8; 32]) -> [u8; 32];

    /// Returns s + c k.
    fn nonce(s: [u8; 32], c: [u8; 32], k: [u8; 32]) -> [u8; 32];

    /// Returns the elements of inputs, and their products with a key.
    fn products(engine: &Engine, key: &SecretKey, inputs: &[[u8; 16]]) -> [Zeroizing<Vec<u8>>; 2];
}

impl SecretSuite for P256Sha256 {
    const SUITE: Self = P256Sha256;
    const DST: &'static [u8] = b"HashToGroup-OPRFV1-\x01-P256-SHA256";

    fn scalar(random: [u8; 32]) -> [u8; 32] {
        random
    }

    fn inverse(scalar: &[u8; 32]) -> [u8; 32] {
        of_p256(*scalar).invert().unwrap().to_bytes().into()
    }

    fn nonce(s: [u8; 32], c: [u8; 32], k: [u8; 32]) -> [u8; 32] {
        (of_p256(s) + of_p256(c) * of_p256(k)).to_bytes().into()
    }

    fn products(engine: &Engine, key: &SecretKey, inputs: &[[u8; 16]]) -> [Zeroizing<Vec<u8>>; 2] {
        let one = SecretKey::from_bytes(std::array::from_fn(|byte| u8::from(byte == 31)));
        let suite = Suite::P256SswuRo;
        [&one, key].map(|key| {
            let products = mask::items(engine, suite, Self::DST, key, inputs, Form::Raw);
            Zeroizing::new(products.unwrap().into_columns().0)
        })
    }
}

fn of_p256(bytes: [u8; 32]) -> p256::Scalar {
    use elliptic_curve::PrimeField;
    p256::Scalar::from_repr(bytes.into()).unwrap()
}

impl SecretSuite for Ristretto255Sha512 {
    const SUITE: Self = Ristretto255Sha512;
    const DST: &'static [u8] = b"HashToGroup-OPRFV1-\x01-ristretto255-SHA512";

    fn scalar(random: [u8; 32]) -> [u8; 32] {
        curve25519_dalek::Scalar::from_bytes_mod_order(random).to_bytes()
    }

    fn inverse(scalar: &[u8; 32]) -> [u8; 32] {
        of_ristretto255(*scalar).invert().to_bytes()
    }

    fn nonce(s: [u8; 32], c: [u8; 32], k: [u8; 32]) -> [u8; 32] {
        (of_ristretto255(s) + of_ristretto255(c) * of_ristretto255(k)).to_bytes()
    }

    fn products(engine: &Engine, key: &SecretKey, inputs: &[[u8; 16]]) -> [Zeroizing<Vec<u8>>; 2] {
        let count = inputs.len();
        let mut rows = [(); 2].map(|()| Zeroizing::new(vec![0; 32 * count]));
        let [elements, products] = &mut rows;
        let elements = elements.as_chunks_mut().0;
        let products = products.as_chunks_mut().0;
        let mut codes = vec![0; count];
        ristretto255::hash_into(engine, Self::DST, inputs, elements).unwrap();
        ristretto255::mask_into(engine, Self::DST, key, inputs, products, &mut codes).unwrap();
        assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
        rows
    }
}

fn of_ristretto255(bytes: [u8; 32]) -> curve25519_dalek::Scalar {
    curve25519_dalek::Scalar::from_canonical_bytes(bytes).unwrap()
}

fn functions_of_suite<S: SecretSuite>((name, engines): Kind) {
    const MODE: Mode = Mode::Voprf;
    const INFO: &[u8] = b"info";
    let suite = S::SUITE;
    let _alone = search::alone();
    let engine = engines.engine();
    let cpu = Engine::cpu().unwrap();
    let (watch, seeds, keys, public_key, blinds, inputs) = search::prepared(|| {
        let mut watch = Watch::new();
        let mut random = Random::new();
        let seeds = numbers::<32>(&mut watch, &mut random, 1);
        let keys = vec![oprf::derive_key(suite, MODE, &seeds[0], INFO).unwrap()];
        let public_key = oprf::public_key(&cpu, suite, &keys[0]).unwrap();
        watch.add(keys[0].expose_bytes());
        let inputs = numbers::<16>(&mut Watch::new(), &mut random, engines.items());
        let secrets = Zeroizing::new(numbers::<32>(&mut Watch::new(), &mut random, inputs.len()));
        let mut blinds = Vec::with_capacity(inputs.len());
        for secret in secrets.iter() {
            let blind = S::scalar(*secret);
            watch.add(&blind);
            watch.add(&S::inverse(&blind));
            blinds.push(SecretKey::from_bytes(blind));
        }
        for rows in S::products(&cpu, &keys[0], &inputs) {
            watch.add(&rows);
        }
        let outputs = oprf::evaluate_inputs(&cpu, suite, MODE, &keys[0], &inputs).unwrap();
        for output in outputs.rows() {
            watch.add(output.as_ref());
        }
        (watch, seeds, keys, public_key, blinds, inputs)
    });
    let key = &keys[0];
    let known = [memory(&seeds), memory(&keys), memory(&blinds)];
    for &size in engines.sizes {
        let inputs = &inputs[..size];
        let blinds = &blinds[..size];
        let blinded = oprf::blind_with(&engine, suite, MODE, inputs, blinds).unwrap();
        let blinded = blinded.rows();
        let (evaluated, proof) = oprf::evaluate_with_proof(&engine, suite, key, blinded).unwrap();
        let check = |what: &str, work: &(dyn Fn() -> bool + Sync)| {
            let name = format!("OPRF, {}, {what}, {size} items, {name}", S::NAME);
            leaves_nothing(&watch, &name, &known, || assert!(work()));
        };
        let is_complete = |outputs: Result<oprf::Outputs<S>, Error>| {
            let outputs = outputs.unwrap();
            outputs.iter().all(|output| output.is_ok())
        };
        check("blinding", &|| {
            let elements = oprf::blind_with(&engine, suite, MODE, inputs, blinds).unwrap();
            elements.rows() == blinded
        });
        check("evaluation", &|| {
            let elements = oprf::evaluate(&engine, suite, key, blinded).unwrap();
            elements.rows() == evaluated
        });
        check("evaluation with a proof", &|| {
            let (elements, _) = oprf::evaluate_with_proof(&engine, suite, key, blinded).unwrap();
            elements == evaluated
        });
        check("outputs", &|| {
            is_complete(oprf::finalize(&engine, suite, inputs, blinds, &evaluated))
        });
        check("outputs with a proof", &|| {
            is_complete(oprf::finalize_with_proof(
                &engine,
                suite,
                inputs,
                blinds,
                blinded,
                &evaluated,
                &public_key,
                &proof,
            ))
        });
        check("outputs of the server", &|| {
            is_complete(oprf::evaluate_inputs(&engine, suite, MODE, key, inputs))
        });
        check("derived keys", &|| {
            // Left where it is: moving it would leave a copy.
            oprf::derive_key(suite, MODE, &seeds[0], INFO).is_ok()
        });
        check("public keys", &|| {
            oprf::public_key(&engine, suite, key).unwrap() == public_key
        });
        #[cfg(target_os = "linux")]
        leaves_no_nonce::<S>(&engine, key, blinded, name);
    }
}

/// Searches for the nonce of a proof, which is s + c k, after it was used.
#[cfg(target_os = "linux")]
fn leaves_no_nonce<S: SecretSuite>(
    engine: &Engine,
    key: &SecretKey,
    blinded: &[S::Element],
    name: &str,
) {
    let proof = Mutex::new([0; 64]);
    let prove = || {
        let (_, made) = oprf::evaluate_with_proof(engine, S::SUITE, key, blinded).unwrap();
        *proof.lock().unwrap() = made;
    };
    let places = search::with_stack_kept(prove, || {
        let watch = search::prepared(|| {
            let proof = proof.lock().unwrap();
            let [c, s] = [&proof[..32], &proof[32..]].map(|half| half.try_into().unwrap());
            let mut watch = Watch::new();
            watch.add(&S::nonce(s, c, *key.expose_bytes()));
            watch
        });
        watch.places(&[], search::ALL)
    });
    let items = blinded.len();
    assert_none(
        &format!("nonces of {items} items, {}, {name}", S::NAME),
        &places,
    );
}

/// Scan keys, scalars of labels, shared points and tweaks of BIP 352, where each row pays one of
/// several receivers. The construction of receivers is left out: their keys are given by value.
fn silent_payments((name, engines): Kind) {
    use elliptic_curve::PrimeField;
    use elliptic_curve::point::AffineCoordinates;
    use gecc::silent_payments::{Outputs, Receiver, scan};
    const RECEIVERS: usize = 9;
    const LABELS: [u32; 2] = [0, 7];
    let _alone = search::alone();
    let engine = engines.engine();
    let (watch, receivers, points, outputs) = search::prepared(|| {
        let mut watch = Watch::new();
        let mut random = Random::new();
        let mut public = Watch::new();
        let mut scan_keys = Zeroizing::new(numbers::<32>(&mut watch, &mut random, RECEIVERS));
        let base_products = |scalars: &[[u8; 32]]| -> Vec<Point> {
            let products =
                point::mul_base(&Engine::cpu().unwrap(), gecc::Secp256k1, scalars).unwrap();
            products.into_iter().map(Result::unwrap).collect()
        };
        let spend_scalars = numbers::<32>(&mut public, &mut random, RECEIVERS);
        let points = base_products(&numbers::<32>(&mut public, &mut random, engines.items()));
        let scalar = |bytes: &[u8; 32]| k256::Scalar::from_repr((*bytes).into()).unwrap();
        let outputs: Vec<[u8; 32]> = points
            .iter()
            .enumerate()
            .map(|(row, tweak_point)| {
                let receiver = row % RECEIVERS;
                let shared = shared_point::<gecc::Secp256k1>(&scan_keys[receiver], tweak_point);
                let compressed = Point::from_raw(&shared).to_compressed().unwrap();
                let shared_tweak = tagged("BIP0352/SharedSecret", &[&compressed, &[0; 4]]);
                let label = LABELS.get(row % 3).map(|label| {
                    tagged(
                        "BIP0352/Label",
                        &[&scan_keys[receiver], &label.to_be_bytes()],
                    )
                });
                let tweak =
                    scalar(&shared_tweak) + label.as_ref().map_or(k256::Scalar::ZERO, scalar);
                for secret in [
                    &shared[..32],
                    &shared[32..],
                    &shared_tweak,
                    &tweak.to_repr(),
                ]
                .into_iter()
                .chain(label.as_ref().map(|label| &label[..]))
                {
                    watch.add(secret);
                }
                let output = k256::ProjectivePoint::mul_by_generator(
                    &(scalar(&spend_scalars[receiver]) + tweak),
                );
                output.to_affine().x().into()
            })
            .collect();
        let mut receivers = Vec::with_capacity(RECEIVERS);
        receivers.extend(scan_keys.iter_mut().zip(base_products(&spend_scalars)).map(
            |(key, spend_key)| {
                Receiver::new(SecretKey::from_bytes(*key), spend_key.as_sec1(), &LABELS).unwrap()
            },
        ));
        (watch, receivers, points, outputs)
    });
    // Where receivers keep the scalars of their labels is not told.
    #[cfg(target_os = "linux")]
    let known: Vec<Range<usize>> = watch
        .places(&[], search::STACKS)
        .iter()
        .map(|(at, _)| *at..at + 8)
        .collect();
    #[cfg(not(target_os = "linux"))]
    let known = [memory(&receivers)];
    let offsets: Vec<u64> = (0..=engines.items() as u64).collect();
    for &size in engines.sizes {
        let outputs = Outputs::x_only(&offsets[..=size], &outputs[..size]).unwrap();
        leaves_nothing(
            &watch,
            &format!("silent payments, {size} rows, {name}"),
            &known,
            || {
                let found = scan(
                    &engine,
                    &receivers,
                    PublicKeys::points(&points[..size]),
                    outputs,
                )
                .unwrap();
                assert_eq!(found.matches.len(), size);
            },
        );
    }
    leaves_nothing(&watch, &format!("public scan keys, {name}"), &known, || {
        receivers
            .iter()
            .for_each(|receiver| _ = receiver.scan_public_key());
    });
}

/// Random numbers below a modulus whose first bit is set.
fn numbers<const BYTES: usize>(
    watch: &mut Watch,
    random: &mut Random,
    count: usize,
) -> Vec<[u8; BYTES]> {
    let mut numbers = vec![[0; BYTES]; count];
    for number in &mut numbers {
        random.fill_bytes(number);
        number[0] &= 0x7f;
        watch.add(number);
    }
    numbers
}

fn modulus<const BYTES: usize>(watch: &mut Watch, random: &mut Random) -> Vec<[u8; BYTES]> {
    let mut moduli = numbers(watch, random, 1);
    moduli[0][0] |= 0x80;
    moduli[0][BYTES - 1] |= 1;
    watch.add(&moduli[0]);
    moduli
}

/// Sizes of exponentiations, which take milliseconds each.
const FEW: [usize; 3] = [1, 64, 150];

fn powers<const BYTES: usize, const EXPONENT: usize>((name, engines): Kind) {
    let _alone = search::alone();
    let (watch, moduli, bases, exponents) = search::prepared(|| {
        let mut watch = Watch::new();
        let mut random = Random::new();
        let moduli = modulus::<BYTES>(&mut watch, &mut random);
        let bases = numbers::<BYTES>(&mut watch, &mut random, FEW[2]);
        let exponents = numbers::<EXPONENT>(&mut watch, &mut random, FEW[2]);
        (watch, moduli, bases, exponents)
    });
    let known = [memory(&moduli), memory(&bases), memory(&exponents)];
    let engine = engines.engine();
    for size in FEW {
        leaves_nothing(
            &watch,
            &format!("{size} powers modulo {BYTES} bytes, {name}"),
            &known,
            || {
                let powers =
                    modular::modexp(&engine, &moduli[0], &bases[..size], &exponents[..size])
                        .unwrap();
                assert!(powers.iter().all(Result::is_ok));
            },
        );
    }
}

fn powers_of_every_size(kind: Kind) {
    powers::<128, 128>(kind);
    powers::<192, 32>(kind);
    powers::<256, 16>(kind);
}

fn products<const BYTES: usize>((name, engines): Kind) {
    let _alone = search::alone();
    let (watch, moduli, a, b) = search::prepared(|| {
        let mut watch = Watch::new();
        let mut random = Random::new();
        let moduli = modulus::<BYTES>(&mut watch, &mut random);
        let a = numbers(&mut watch, &mut random, engines.items());
        let b = numbers(&mut watch, &mut random, engines.items());
        (watch, moduli, a, b)
    });
    let known = [memory(&moduli), memory(&a), memory(&b)];
    let engine = engines.engine();
    for &size in engines.sizes {
        leaves_nothing(
            &watch,
            &format!("{size} products modulo {BYTES} bytes, {name}"),
            &known,
            || {
                let products =
                    modular::mul_mod(&engine, &moduli[0], &a[..size], &b[..size]).unwrap();
                let squares = modular::square_mod(&engine, &moduli[0], &a[..size]).unwrap();
                assert!(products.iter().chain(&squares).all(Result::is_ok));
            },
        );
    }
}

fn products_of_every_size(kind: Kind) {
    products::<16>(kind);
    products::<24>(kind);
    products::<32>(kind);
    products::<40>(kind);
    products::<48>(kind);
    products::<56>(kind);
    products::<64>(kind);
}

/// The search finds secrets that are there, in blocks that are freed and on stacks that are left.
fn secrets_are_found() {
    let _alone = search::alone();
    let mut watch = Watch::new();
    let secret: [u8; 32] = std::array::from_fn(|i| (i * 37 + 11) as u8);
    watch.add(&secret);
    let found = |work: &dyn Fn()| watch.count_freed_blocks(work).0 > 0;
    let reversed: Vec<u8> = secret.iter().rev().copied().collect();
    assert!(!found(&|| drop(vec![7u8; 100])));
    assert!(found(&|| drop([&[1, 2, 3], &secret[..]].concat())));
    assert!(found(&|| drop(reversed.clone())));
    assert!(found(&|| drop(secret[8..16].to_vec())));
    // One that grows.
    assert!(found(&|| {
        let mut growing = secret.to_vec();
        growing.reserve(1000);
        growing.fill(0);
    }));
    #[cfg(target_os = "linux")]
    {
        let boxed = Box::new(secret);
        let known = [memory(&secret), memory(&reversed), memory(&*boxed)];
        let leave = || _ = std::hint::black_box(std::hint::black_box(&boxed).map(|byte| byte));
        assert!(search::with_stack_kept(leave, || !watch
            .places(&known, search::ALL)
            .is_empty()));
    }
}
