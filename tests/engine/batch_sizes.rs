//! Batches of every size around the sizes at which engines cut batches, share inversions or change
//! tables.

use crate::declare::{apply, on_every_engine};
use crate::ecdsa::recover::recover;
use crate::support::each::{each_curve, each_ecdsa_curve, each_scheme};
use crate::support::random::Random;
use crate::support::reference::{
    EcdsaReference, Group, Scalar, TestCurve, bytes, decode, encode, encode_all,
};
use crate::support::scheme::{Ecdsa, Item, Scheme, Signed, Sm2Dsa, progression, signed};
use crate::support::shared::shared_points;
use elliptic_curve::Group as _;
use gecc::ecdsa::SForm;
use gecc::{Engine, Point, PublicKeys, Rejection, SecretKey, Verdict};
use gecc::{ecdsa, keys, point};
use std::marker::PhantomData;

const SIZES: [usize; 19] = [
    0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 511, 512, 513, 1023,
];
const LARGER: [usize; 3] = [1024, 1025, 2049];
const LARGEST: [usize; 3] = [65535, 65536, 65537];

fn sizes() -> impl Iterator<Item = usize> {
    SIZES.into_iter().chain(LARGER)
}

/// First, middle and last item wrong, all others right.
fn is_corrupted(index: usize, size: usize) -> bool {
    index == 0 || index == size / 2 || index + 1 == size
}

/// A batch of the first items, corrupted in three places.
fn verify_size<S: Scheme>(engine: &Engine, items: &[Signed], size: usize) {
    let batch: Vec<Item> = items[..size]
        .iter()
        .enumerate()
        .map(|(index, signed)| {
            let mut item = signed.item.clone();
            item.digest[5] ^= u8::from(is_corrupted(index, size));
            item
        })
        .collect();
    let verdicts = S::verify(engine, &batch);
    assert_eq!(verdicts.len(), size);
    for (index, verdict) in verdicts.into_iter().enumerate() {
        let expected = if is_corrupted(index, size) {
            Verdict::Rejected(Rejection::Mismatch)
        } else {
            Verdict::Valid
        };
        assert_eq!(verdict, expected, "{}: item {index} of {size}", S::CURVE);
    }
}

fn verify_sizes<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    for keys in [usize::MAX, 1, 10] {
        let items = signed::<S>(&mut random, 2049, keys.min(2049));
        sizes().for_each(|size| verify_size::<S>(engine, &items, size));
    }
}

#[apply(on_every_engine)]
fn ecdsa<C: EcdsaReference>(engine: &Engine) {
    verify_sizes::<Ecdsa<C>>(engine);
    recover_sizes::<C>(engine);
}

#[apply(on_every_engine)]
fn sm2(engine: &Engine) {
    verify_sizes::<Sm2Dsa>(engine);
}

fn recover_sizes<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let items = signed::<Ecdsa<C>>(&mut random, 2049, 2049);
    sizes().for_each(|size| recover_size::<C>(engine, &items[..size]));
}

fn recover_size<C: EcdsaReference>(engine: &Engine, items: &[Signed]) {
    let size = items.len();
    let id = |(index, signed): (usize, &Signed)| {
        if is_corrupted(index, size) {
            4
        } else {
            signed.recovery_id
        }
    };
    let batch: Vec<(Item, u8)> = items
        .iter()
        .map(|signed| signed.item.clone())
        .zip(items.iter().enumerate().map(id))
        .collect();
    let recovered = recover::<C>(engine, &batch);
    assert_eq!(recovered.len(), size);
    for (index, (recovered, signed)) in recovered.into_iter().zip(items).enumerate() {
        let expected = if is_corrupted(index, size) {
            Err(Rejection::RecoveryIdOutOfRange)
        } else {
            Ok(signed.key)
        };
        assert_eq!(recovered, expected, "{}: item {index} of {size}", C::NAME);
    }
}

/// Operands and results of the point operations, known without a multiplication per item.
struct Operands<C: TestCurve> {
    scalars: Vec<[u8; 32]>,
    /// `scalars[i] * G`.
    points: Vec<Point>,
    /// `points[i] + points[0]`.
    sums: Vec<Point>,
    doubles: Vec<Point>,
    /// `factors[i] * points[i]` is `products[i]`.
    factors: Vec<[u8; 32]>,
    products: Vec<Point>,
    curve: PhantomData<C>,
}

fn operands<C: TestCurve>(random: &mut Random, count: usize) -> Operands<C> {
    let (scalars, points) = progression::<C>(random, count);
    let (targets, products) = progression::<C>(random, count);
    let factor = |(target, scalar): (&Scalar<C>, &_)| {
        bytes::<C>(
            &(*target * elliptic_curve::Field::invert(scalar).expect("random scalars are not 0")),
        )
    };
    let groups: Vec<_> = points
        .iter()
        .map(|point| decode::<C>(point).expect("on the curve"))
        .collect();
    Operands {
        factors: targets.iter().zip(&scalars).map(factor).collect(),
        scalars: scalars.iter().map(bytes::<C>).collect(),
        sums: encode_all::<C>(
            &groups
                .iter()
                .map(|group| *group + groups[0])
                .collect::<Vec<_>>(),
        ),
        doubles: encode_all::<C>(
            &groups
                .iter()
                .map(|group| group.double())
                .collect::<Vec<_>>(),
        ),
        points,
        products,
        curve: PhantomData,
    }
}

impl<C: TestCurve> Operands<C> {
    fn check(&self, engine: &Engine, size: usize) {
        let points = &self.points[..size];
        let first = vec![self.points[0]; size];
        let compressed: Vec<[u8; 33]> = points
            .iter()
            .map(|point| point.to_compressed().unwrap())
            .collect();
        let expect = |name: &str, found: Vec<Result<Point, Rejection>>, expected: &[Point]| {
            assert_eq!(found.len(), size, "{name}");
            let wrong = found
                .iter()
                .zip(expected)
                .position(|(found, expected)| *found != Ok(*expected));
            assert_eq!(
                wrong,
                None,
                "{}: the first wrong item of {size} of {name}",
                C::NAME
            );
        };
        expect(
            "mul_base",
            point::mul_base(engine, C::ID, &self.scalars[..size]).unwrap(),
            &self.points,
        );
        expect(
            "mul",
            point::mul(engine, C::ID, &self.factors[..size], points).unwrap(),
            &self.products,
        );
        expect(
            "add",
            point::add(engine, C::ID, points, &first).unwrap(),
            &self.sums,
        );
        expect(
            "double",
            point::double(engine, C::ID, points).unwrap(),
            &self.doubles,
        );
        expect(
            "decompress",
            point::decompress(engine, C::ID, &compressed).unwrap(),
            &self.points,
        );
    }
}

#[apply(on_every_engine)]
fn public_points(engine: &Engine) {
    each_curve!(point_sizes(engine));
}

fn point_sizes<C: TestCurve>(engine: &Engine) {
    let operands = operands::<C>(&mut Random::new(), 2049);
    sizes().for_each(|size| operands.check(engine, size));
}

/// The reference takes longest here, so one size represents all large ones.
#[apply(on_every_engine)]
fn secret_operations(engine: &Engine) {
    each_curve!(secret_sizes(engine));
    each_ecdsa_curve!(sign_sizes(engine));
}

fn secret_sizes<C: TestCurve>(engine: &Engine) {
    let operands = operands::<C>(&mut Random::new(), 1025);
    for size in SIZES.into_iter().filter(|size| *size < 200).chain([1025]) {
        let secret = |bytes: &[[u8; 32]]| {
            bytes
                .iter()
                .map(|bytes| SecretKey::from_bytes(*bytes))
                .collect::<Vec<_>>()
        };
        let public = keys::public_keys(engine, C::ID, &secret(&operands.scalars[..size])).unwrap();
        let expected: Vec<_> = operands.points[..size].iter().copied().map(Ok).collect();
        assert_eq!(public, expected, "{}: {size} public keys", C::NAME);
        let peers = PublicKeys::points(&operands.points[..size]);
        let shared = shared_points::<C>(engine, &secret(&operands.factors[..size]), peers).unwrap();
        let expected: Vec<_> = operands.products[..size].iter().copied().map(Ok).collect();
        assert_eq!(shared, expected, "{}: {size} shared points", C::NAME);
    }
}

fn sign_sizes<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let secret = random.scalar_bytes::<C>();
    let digests: Vec<[u8; 32]> = (0..257).map(|_| random.bytes()).collect();
    let expected: Vec<_> = digests
        .iter()
        .map(|digest| Ok(C::sign(&secret, digest).unwrap().0))
        .collect();
    for size in SIZES.into_iter().filter(|size| *size <= 257) {
        let signed = ecdsa::sign(
            engine,
            C::ID,
            &digests[..size],
            &SecretKey::from_bytes(secret),
            SForm::default(),
        )
        .unwrap();
        assert_eq!(signed, expected[..size], "{}: {size} signatures", C::NAME);
    }
}

/// Around the size at which an engine may take larger tables.
#[apply(on_every_engine)]
fn sixty_five_thousand_points(engine: &Engine) {
    each_curve!(largest_points(engine));
}

fn largest_points<C: TestCurve>(engine: &Engine) {
    let (scalars, points) = progression::<C>(&mut Random::new(), LARGEST[2]);
    let scalars: Vec<[u8; 32]> = scalars.iter().map(bytes::<C>).collect();
    for size in LARGEST {
        let found = point::mul_base(engine, C::ID, &scalars[..size]).unwrap();
        let wrong = found
            .iter()
            .zip(&points)
            .position(|(found, expected)| *found != Ok(*expected));
        assert_eq!((found.len(), wrong), (size, None), "{}", C::NAME);
        let g = vec![encode::<C>(&Group::<C>::generator()); size];
        let sums = point::add(engine, C::ID, &points[..size], &g).unwrap();
        assert!(sums.iter().all(Result::is_ok) && sums.len() == size);
        let back: Vec<Point> = sums.into_iter().map(Result::unwrap).collect();
        let minus_g = vec![encode::<C>(&-Group::<C>::generator()); size];
        let found = point::add(engine, C::ID, &back, &minus_g).unwrap();
        let wrong = found
            .iter()
            .zip(&points)
            .position(|(found, expected)| *found != Ok(*expected));
        assert_eq!(wrong, None, "{}: P + G - G", C::NAME);
    }
}

#[apply(on_every_engine)]
fn sixty_five_thousand_signatures(engine: &Engine) {
    each_scheme!(largest_signatures(engine));
}

/// All sizes with few keys, and one with all keys different.
fn largest_signatures<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    let few_keys = signed::<S>(&mut random, LARGEST[2], 100);
    for size in LARGEST {
        verify_size::<S>(engine, &few_keys, size);
    }
    let distinct = signed::<S>(&mut random, LARGEST[2], LARGEST[2]);
    verify_size::<S>(engine, &distinct, LARGEST[2]);
}
