//! Results do not depend on threads, memory limits or the kind of device.

use crate::declare::{apply, on_every_engine};
use crate::support::each::{each_curve, each_ecdsa_curve, each_scheme};
use crate::support::mutation::mutated;
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, TestCurve, bytes};
use crate::support::scheme::{Ecdsa, Item, Scheme, Sm2Dsa, progression};
use crate::support::shared::shared_points;
use gecc::ecdsa::SForm;
use gecc::sm2::UserIds;
use gecc::{
    Backend, Engine, Error, P256, Point, PublicKeys, Rejection, Secp256k1, SecretKey, SecretKeys,
    Sm2, Verdict,
};
use gecc::{ecdsa, keys, point, sm2};

const ITEMS: usize = 1300;

type Points = Vec<Result<Point, Rejection>>;

/// CPU engines that differ from each other in everything that can be chosen.
fn cpu_engines() -> Vec<Engine> {
    let threads = [1, 2, 3, 16].map(|threads| Engine::builder().threads(threads));
    let memory = [0, 1, 1 << 16, 1 << 20, 1 << 24, usize::MAX]
        .map(|limit| Engine::builder().max_memory(limit));
    let both = [Engine::builder().threads(5).max_memory(1 << 18)];
    let portable = [Engine::builder().portable(true)];
    let builders = threads
        .into_iter()
        .chain(memory)
        .chain(both)
        .chain(portable);
    builders
        .map(|builder| {
            builder
                .backend(Backend::Cpu)
                .build()
                .expect("threads can be started")
        })
        .collect()
}

/// The engine under test and every CPU engine have the same results.
#[apply(on_every_engine)]
fn options_do_not_change_results(engine: &Engine) {
    let mut random = Random::new();
    each_scheme!(verdicts(engine, &mut random));
    each_curve!(points(engine, &mut random));
    each_ecdsa_curve!(signatures(engine, &mut random));
}

fn verdicts<S: Scheme>(engine: &Engine, random: &mut Random) {
    let items: Vec<Item> = mutated::<S>(random, ITEMS);
    let expected: Vec<Verdict> = S::verify(engine, &items);
    assert!(
        expected.iter().any(|verdict| verdict.is_valid())
            && !expected.iter().all(|verdict| verdict.is_valid())
    );
    for other in cpu_engines() {
        assert_eq!(
            S::verify(&other, &items),
            expected,
            "{} on {other}",
            S::CURVE
        );
    }
}

fn points<C: TestCurve>(engine: &Engine, random: &mut Random) {
    let (scalars, points) = progression::<C>(random, ITEMS);
    let mut scalars: Vec<[u8; 32]> = scalars.iter().map(bytes::<C>).collect();
    let mut points: Vec<Point> = points;
    scalars[100] = [0xff; 32];
    scalars[101] = [0; 32];
    points[200] = Point::IDENTITY;
    points[201] = Point::from_coordinates(&[1; 32], &[1; 32]);
    let reversed: Vec<Point> = points.iter().rev().copied().collect();
    let few = 60;
    let secrets: Vec<SecretKey> = scalars[70..70 + few]
        .iter()
        .map(|scalar| SecretKey::from_bytes(*scalar))
        .collect();
    let compute = |engine: &Engine| -> [Points; 6] {
        [
            point::mul_base(engine, C::ID, &scalars),
            point::mul(engine, C::ID, &scalars, &reversed),
            point::add(engine, C::ID, &points, &reversed),
            point::double(engine, C::ID, &points),
            keys::public_keys(engine, C::ID, &secrets),
            shared_points::<C>(
                engine,
                &secrets,
                PublicKeys::points(&points[170..170 + few]),
            ),
        ]
        .map(|result| result.expect("lengths agree"))
    };
    let expected = compute(engine);
    for other in cpu_engines() {
        assert_eq!(compute(&other), expected, "{} on {other}", C::NAME);
    }
}

fn signatures<C: EcdsaReference>(engine: &Engine, random: &mut Random) {
    let secrets: Vec<SecretKey> = (0..40)
        .map(|_| SecretKey::from_bytes(random.scalar_bytes::<C>()))
        .collect();
    let digests: Vec<[u8; 32]> = (0..40).map(|_| random.bytes()).collect();
    let sign = |engine: &Engine| {
        ecdsa::sign_recoverable(engine, C::ID, &digests, &secrets, SForm::Low).unwrap()
    };
    let expected = sign(engine);
    for other in cpu_engines() {
        assert_eq!(sign(&other), expected, "{} on {other}", C::NAME);
    }
    let items: Vec<(Item, u8)> = mutated::<Ecdsa<C>>(random, ITEMS)
        .into_iter()
        .zip((0..4).cycle())
        .collect();
    let expected = crate::ecdsa::recover::recover::<C>(engine, &items);
    for other in cpu_engines() {
        assert_eq!(
            crate::ecdsa::recover::recover::<C>(&other, &items),
            expected,
            "{} on {other}",
            C::NAME
        );
    }
}

/// Signatures that are verified before they are returned are the same, and so are the reasons of
/// those that are not made.
#[apply(on_every_engine)]
fn checked_signatures_equal_unchecked_ones(engine: &Engine) {
    let checked = Engine::builder()
        .backend(engine.info().backend)
        .check_signatures(true)
        .build()
        .unwrap();
    assert!(checked.info().check_signatures && checked.failures().is_empty());
    let mut random = Random::new();
    for items in [0, 1, 2, 150] {
        let secrets: Vec<[u8; 32]> = (0..items).map(|_| random.scalar_bytes::<Sm2>()).collect();
        let mut keys: Vec<SecretKey> = secrets.into_iter().map(SecretKey::from_bytes).collect();
        if let Some(key) = keys.get_mut(77) {
            *key = SecretKey::from_bytes([0; 32]);
        }
        let digests: Vec<[u8; 32]> = (0..items).map(|_| random.bytes()).collect();
        let all = SecretKey::from_bytes(random.scalar_bytes::<Sm2>());
        let none = SecretKey::from_bytes([0xff; 32]);
        let ecdsa_keys = [
            SecretKeys::each(&keys),
            SecretKeys::all(&all),
            SecretKeys::all(&none),
        ];
        for keys in ecdsa_keys {
            let sign = |engine: &Engine| {
                let of_p256 = ecdsa::sign(engine, P256, &digests, keys, SForm::AsComputed).unwrap();
                let recoverable =
                    ecdsa::sign_recoverable(engine, Secp256k1, &digests, keys, SForm::Low).unwrap();
                (
                    of_p256,
                    recoverable,
                    sm2::sign(engine, &digests, keys).unwrap(),
                )
            };
            assert_eq!(sign(&checked), sign(engine), "{items} items");
        }
        let messages = |engine: &Engine| {
            sm2::sign_messages(engine, &digests, UserIds::default(), &keys).unwrap()
        };
        assert_eq!(messages(&checked), messages(engine), "{items} items");
    }
    assert!(checked.failures().is_empty());
}

/// Options that no engine can have are errors, and an engine describes itself.
#[apply(on_every_engine)]
fn impossible_options_are_errors(engine: &Engine) {
    let problem = Engine::builder()
        .backend(Backend::Cpu)
        .threads(0)
        .build()
        .unwrap_err();
    assert!(
        matches!(
            problem,
            Error::InvalidOption {
                option: "threads",
                ..
            }
        ),
        "{problem}"
    );
    assert_ne!(engine.info().backend, Backend::Auto);
    assert!(!engine.info().reason.is_empty());
    let limited = Engine::builder()
        .backend(Backend::Cpu)
        .threads(3)
        .max_memory(12345)
        .build()
        .unwrap();
    assert_eq!(
        (limited.info().threads, limited.info().max_memory),
        (3, Some(12345))
    );
    assert_eq!(limited.info().backend, Backend::Cpu);
}
