//! Verification and recovery: u1 G and u2 Q that meet, keys that repeat, items that are rejected.

use crate::compare::Bench;
use crate::support::numbers::{number, order};
use crate::support::random::Random;
use crate::support::reference::{
    EcdsaReference, Group, Scalar, TestCurve, bytes, encode, encode_all, lift_x, mul_base, reduced,
};
use crate::support::scheme::{Item, Scheme, columns, concatenate, progression, signed};
use elliptic_curve::{Field, Group as _};
use gecc::{Curve, Point, ecdsa};

type Batch = (&'static str, Vec<Item>);

pub fn compare<S: Scheme>(bench: &mut Bench) {
    let sets: [(&str, fn(usize) -> Vec<Batch>); 3] = [
        ("", different_keys::<S>),
        (", keys that repeat", repeated_keys::<S>),
        (", one key", one_key::<S>),
    ];
    for (name, batches) in sets {
        bench.compare(
            &format!("{}: verify{name}", S::C::NAME),
            batches,
            |engine, items| S::verify(engine, items),
        );
    }
}

/// Scalars and their points.
type Pairs<C> = (Vec<Scalar<C>>, Vec<Point>);

/// The scalars 2, 3, … and the points 2G, 3G, ….
fn multiples<C: TestCurve>(items: usize) -> Pairs<C> {
    let one = Scalar::<C>::ONE;
    let g = Group::<C>::generator();
    let scalars = std::iter::successors(Some(one + one), |last| Some(*last + one))
        .take(items)
        .collect();
    let points: Vec<_> = std::iter::successors(Some(g + g), |last| Some(*last + g))
        .take(items)
        .collect();
    (scalars, encode_all::<C>(&points))
}

/// Items whose u1 and u2 `choose` makes from the number of the item and its key's discrete
/// logarithm. They claim a random x, and so are rejected in the end. Returns `None` if r or s would
/// be 0.
fn by_key<S: Scheme>(
    random: &mut Random,
    (scalars, points): &Pairs<S::C>,
    choose: impl Fn(&mut Random, usize, &Scalar<S::C>) -> [Scalar<S::C>; 2],
) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    for (number, (d, key)) in scalars.iter().zip(points).enumerate() {
        let [u1, u2] = choose(random, number, d);
        let (digest, signature) = S::claim(&u1, &u2, &random.scalar::<S::C>())?;
        items.push(Item {
            digest,
            signature,
            key: key.as_sec1().to_vec(),
        });
    }
    Some(items)
}

/// Keeps the batches that the scheme can express.
fn expressible(batches: Vec<(&'static str, Option<Vec<Item>>)>) -> Vec<Batch> {
    batches
        .into_iter()
        .filter_map(|(name, batch)| Some((name, batch?)))
        .collect()
}

fn inverse<F: Field>(scalar: &F) -> F {
    Field::invert(scalar).expect("random scalars are not 0")
}

/// u1 and u2 with u2 Q = -u1 G, or with u2 Q = u1 G if `equal`.
fn meet<C: TestCurve>(random: &mut Random, d: &Scalar<C>, equal: bool) -> [Scalar<C>; 2] {
    let u1 = random.scalar::<C>();
    let u2 = u1 * inverse(d);
    [u1, if equal { u2 } else { -u2 }]
}

/// A scalar k with signed digits of `window` bits, and c: when the terms of k G are added to c G
/// one after the other, two additions meet equal points, or the second opposite ones. Which ones
/// depends on `item`.
fn meet_twice<C: TestCurve>(
    random: &mut Random,
    window: usize,
    item: usize,
) -> (Scalar<C>, Scalar<C>) {
    let terms = 256usize.div_ceil(window);
    let at = item % (terms - 2);
    let half = 1u64 << (window - 1);
    let mut k = Scalar::<C>::ZERO;
    let mut c = Scalar::<C>::ZERO;
    let mut weight = Scalar::<C>::ONE;
    for index in 0..terms {
        let digit = if index == at {
            Scalar::<C>::from(half)
        } else if index == at + 1 {
            // The double of the term before, or its opposite.
            if item.is_multiple_of(3) {
                -Scalar::<C>::ONE
            } else {
                Scalar::<C>::ONE
            }
        } else if index == terms - 1 {
            // Positive: then the recoding takes k and not its opposite.
            Scalar::<C>::from(1 + random.word() % 7)
        } else {
            Scalar::<C>::from(1 + random.word() % (half - 1))
        };
        let term = weight * digit;
        if index == at {
            c = term - k;
        }
        k += term;
        weight *= Scalar::<C>::from(1 << window);
    }
    (k, c)
}

/// Bits of the windows of the CPU engine's large table of G.
const BASE_WINDOW: usize = 16;
/// The bits of a window in the table of a key that occurs 4096 times.
const KEY_WINDOW: usize = 10;

fn different_keys<S: Scheme>(items: usize) -> Vec<Batch> {
    let mut random = Random::new();
    let baseline: Vec<Item> = signed::<S>(&mut random, items, items)
        .into_iter()
        .map(|signed| signed.item)
        .collect();
    let keys = progression::<S::C>(&mut random, items);
    let small = multiples::<S::C>(items);
    let random = &mut random;
    expressible(vec![
        ("baseline", Some(baseline.clone())),
        (
            "u2 Q = -u1 G",
            by_key::<S>(random, &keys, |random, _, d| meet::<S::C>(random, d, false)),
        ),
        (
            "u2 Q = u1 G",
            by_key::<S>(random, &keys, |random, _, d| meet::<S::C>(random, d, true)),
        ),
        (
            "u2 Q = u1 G, Q = 2G, 3G, ...",
            by_key::<S>(random, &small, |random, _, d| meet::<S::C>(random, d, true)),
        ),
        (
            "u2 Q meets terms of u1 G twice",
            by_key::<S>(random, &keys, |random, item, d| {
                let (u1, c) = meet_twice::<S::C>(random, BASE_WINDOW, item);
                [u1, c * inverse(d)]
            }),
        ),
        (
            "u1 = 0",
            by_key::<S>(random, &keys, |random, _, _| {
                [Scalar::<S::C>::ZERO, random.scalar::<S::C>()]
            }),
        ),
        ("r = 0", Some(with_zero_r(&baseline, |_| true))),
        (
            "r = 0 except every 16th",
            Some(with_zero_r(&baseline, |item| item % 16 != 0)),
        ),
        (
            "keys off the curve",
            Some(map(&baseline, |key| key[64] ^= 1)),
        ),
        (
            "keys equal except the last bytes",
            Some(map(&baseline, |key| key[1..63].fill(1))),
        ),
    ])
}

fn with_zero_r(items: &[Item], is_zero: impl Fn(usize) -> bool) -> Vec<Item> {
    let mut items = items.to_vec();
    for (_, item) in items
        .iter_mut()
        .enumerate()
        .filter(|(index, _)| is_zero(*index))
    {
        item.signature[..32].fill(0);
    }
    items
}

fn map(items: &[Item], change: impl Fn(&mut Vec<u8>)) -> Vec<Item> {
    let mut items = items.to_vec();
    items.iter_mut().for_each(|item| change(&mut item.key));
    items
}

/// Compares keys that occur about as often as a table requires, in one encoding or in two, with
/// keys that are all different.
fn repeated_keys<S: Scheme>(items: usize) -> Vec<Batch> {
    let random = &mut Random::new();
    let mut batches = vec![("baseline", shuffled_items::<S>(random, items, items))];
    let uses = [
        ("each key twice", 2),
        ("each key 4 times", 4),
        ("each key 5 times", 5),
        ("each key 6 times", 6),
        ("each key 7 times", 7),
        ("each key 8 times", 8),
        ("each key 9 times", 9),
        ("each key 12 times", 12),
        ("each key 16 times", 16),
        ("each key 17 times", 17),
        ("each key 24 times", 24),
    ];
    batches
        .extend(uses.map(|(name, uses)| (name, shuffled_items::<S>(random, items, items / uses))));
    for (name, uses) in [
        ("each key 8 times in each of two encodings", 16),
        ("each key 7 times in each of two", 14),
    ] {
        let mut batch = shuffled_items::<S>(random, items, items / uses);
        for item in batch.iter_mut().step_by(2) {
            let tag = 2 + (item.key[64] & 1);
            item.key.truncate(33);
            item.key[0] = tag;
        }
        batches.push((name, batch));
    }
    batches
}

/// Valid items of `keys` keys in random order.
fn shuffled_items<S: Scheme>(random: &mut Random, items: usize, keys: usize) -> Vec<Item> {
    let mut items: Vec<Item> = signed::<S>(random, items, keys)
        .into_iter()
        .map(|signed| signed.item)
        .collect();
    random.shuffle(&mut items);
    items
}

fn one_key<S: Scheme>(items: usize) -> Vec<Batch> {
    let mut random = Random::new();
    let baseline: Vec<Item> = signed::<S>(&mut random, items, 1)
        .into_iter()
        .map(|signed| signed.item)
        .collect();
    let d = random.scalar::<S::C>();
    let [key, g, minus_g] = [d, Scalar::<S::C>::ONE, -Scalar::<S::C>::ONE].map(|d| {
        (
            vec![d; items],
            vec![encode::<S::C>(&mul_base::<S::C>(&d)); items],
        )
    });
    let random = &mut random;
    expressible(vec![
        ("baseline", Some(baseline.clone())),
        (
            "u2 Q = -u1 G",
            by_key::<S>(random, &key, |random, _, d| meet::<S::C>(random, d, false)),
        ),
        (
            "u2 Q = u1 G",
            by_key::<S>(random, &key, |random, _, d| meet::<S::C>(random, d, true)),
        ),
        (
            "Q = G, u2 = -u1",
            by_key::<S>(random, &g, |random, _, d| meet::<S::C>(random, d, false)),
        ),
        (
            "Q = G, u2 = u1",
            by_key::<S>(random, &g, |random, _, d| meet::<S::C>(random, d, true)),
        ),
        (
            "u1 G meets terms of u2 Q twice",
            by_key::<S>(random, &key, meet_key_terms_twice::<S::C>),
        ),
        (
            "Q = G, u1 G meets terms of u2 Q twice",
            by_key::<S>(random, &g, meet_key_terms_twice::<S::C>),
        ),
        (
            "Q = -G, u1 G meets terms of u2 Q twice",
            by_key::<S>(random, &minus_g, meet_key_terms_twice::<S::C>),
        ),
        ("r = 0", Some(with_zero_r(&baseline, |_| true))),
        (
            "key off the curve",
            Some(map(&baseline, |key| key[64] ^= 1)),
        ),
    ])
}

/// u1 and u2 such that u1 G meets terms of u2 Q twice.
fn meet_key_terms_twice<C: TestCurve>(
    random: &mut Random,
    item: usize,
    d: &Scalar<C>,
) -> [Scalar<C>; 2] {
    let (u2, c) = meet_twice::<C>(random, KEY_WINDOW, item);
    [c * d, u2]
}

/// Digests, signatures and recovery ids.
type Recoverable = (Vec<[u8; 32]>, Vec<[u8; 64]>, Vec<u8>);

pub fn compare_recovery<C: EcdsaReference>(bench: &mut Bench) {
    bench.compare(
        &format!("{}: recover", C::NAME),
        recoveries::<C>,
        |engine, (digests, signatures, ids)| {
            ecdsa::recover(engine, C::ID, digests, signatures, ids).expect("as many")
        },
    );
}

fn recoveries<C: EcdsaReference>(items: usize) -> Vec<(&'static str, Recoverable)> {
    let mut random = Random::new();
    let signed = signed::<crate::support::scheme::Ecdsa<C>>(&mut random, items, items);
    let plain: Vec<Item> = signed.iter().map(|signed| signed.item.clone()).collect();
    let (digests, signatures, _) = columns(&plain);
    let ids = signed.iter().map(|signed| signed.recovery_id).collect();
    let baseline = (digests, signatures, ids);
    let opposite = by_generator::<C>(&mut random, items, |random, _| {
        let u1 = random.scalar::<C>();
        [u1, -u1]
    });
    let equal = by_generator::<C>(&mut random, items, |random, _| [random.scalar::<C>(); 2]);
    let twice = by_generator::<C>(&mut random, items, |random, item| {
        meet_twice::<C>(random, BASE_WINDOW, item).into()
    });
    let zero = by_generator::<C>(&mut random, items, |random, _| {
        [Scalar::<C>::ZERO, random.scalar::<C>()]
    });
    let mut off_curve = baseline.clone();
    off_curve.1.iter_mut().for_each(off_the_curve::<C>);
    let mut mixed = baseline.clone();
    for (signature, off) in mixed.1.iter_mut().zip(&off_curve.1) {
        if random.below(2) == 0 {
            *signature = *off;
        }
    }
    let ids_out_of_range = (baseline.0.clone(), baseline.1.clone(), vec![4; items]);
    vec![
        ("baseline", baseline),
        ("R = +-G, u1 = -u2", opposite),
        ("R = +-G, u1 = u2", equal),
        ("R = +-G, u2 R meets terms of u1 G twice", twice),
        ("digest 0", zero),
        ("r off the curve", off_curve),
        ("r off the curve among others", mixed),
        ("ids out of range", ids_out_of_range),
    ]
}

/// Signatures whose R is G or -G, with the u1 and u2 that `choose` returns for each item: r = x(G),
/// u1 = -e / r and u2 = s / r.
fn by_generator<C: EcdsaReference>(
    random: &mut Random,
    items: usize,
    choose: impl Fn(&mut Random, usize) -> [Scalar<C>; 2],
) -> Recoverable {
    let g = encode::<C>(&Group::<C>::generator());
    assert!(number(g.x()) < order::<C>());
    let r: Scalar<C> = reduced::<C>(g.x());
    let mut digests = Vec::new();
    let mut signatures = Vec::new();
    let mut ids = Vec::new();
    for item in 0..items {
        // Every other R is -G, and its u2 the opposite.
        let [u1, u2] = choose(random, item);
        let opposite = item / 8 % 2 == 1;
        let s = if opposite { -u2 * r } else { u2 * r };
        digests.push(bytes::<C>(&(-u1 * r)));
        signatures.push(concatenate(g.x(), &bytes::<C>(&s)));
        ids.push((g.y()[31] & 1) ^ u8::from(opposite));
    }
    (digests, signatures, ids)
}

/// Increments r until no point has it as its x-coordinate.
fn off_the_curve<C: TestCurve>(signature: &mut [u8; 64]) {
    while lift_x::<C>(signature[..32].try_into().expect("32 bytes"), false).is_some() {
        signature[31] = signature[31].wrapping_add(1);
    }
}
