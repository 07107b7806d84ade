//! Tests of the vector arithmetic against big integers and the portable code: edge values, bounds,
//! exceptional cases.

use super::convert::gather;
use super::point::{Affine, Jacobian};
use super::tables::odd_multiples;
use super::{Bases, UniformTable, lift_x, mul_add, mul_uniform, sum_products};
use crate::cpu::field::random::Random;
use crate::cpu::field::vector::{Element, LOW, Prime, Sum};
use crate::cpu::field::vector::{Lanes, Mask, Words, transpose};
use crate::cpu::field::{Coordinate, Field};
use crate::cpu::point::affine::{self, Entry};
use crate::cpu::point::comb::Comb;
use crate::cpu::point::jacobian;
use crate::cpu::{CpuCurve, be_bytes_to_limbs, decode, from_limbs, generator, multiply};
use crate::curve::{constants, for_each_curve, types};
use num_bigint::{BigInt, BigUint};

fn lanes() -> Lanes {
    Lanes::detect().expect("this processor has AVX-512 IFMA")
}

/// Five words per lane.
type Raw = [[u64; 5]; 8];

fn element<P: Prime>(lanes: Lanes, raw: &Raw) -> Element<P> {
    Element::new(core::array::from_fn(|word| {
        Words::load(lanes, &raw.map(|words| words[word]))
    }))
}

fn raw(words: [Words; 5]) -> Raw {
    let columns = words.map(|words| {
        let mut column = [0; 8];
        words.store(&mut column);
        column
    });
    core::array::from_fn(|lane| columns.map(|column| column[lane]))
}

fn integer(words: &[u64; 5]) -> BigInt {
    words
        .iter()
        .rev()
        .fold(BigInt::ZERO, |sum, &word| (sum << 52) + word as i64)
}

fn number(limbs: &[u64; 4]) -> BigInt {
    limbs
        .iter()
        .rev()
        .fold(BigInt::ZERO, |sum, &limb| (sum << 64) + limb)
}

fn words_of(value: &BigInt) -> [u64; 5] {
    let digits = BigUint::try_from(value.clone()).expect("not negative");
    core::array::from_fn(|word| {
        u64::try_from((&digits >> (52 * word)) & BigUint::from(LOW)).expect("52 bits")
    })
}

/// Returns numbers below 16 p: neighbours of the multiples of p, powers of two, words with all
/// patterns, random numbers.
fn values(p: &BigInt, random: &mut Random) -> Vec<[u64; 5]> {
    let limit: BigInt = p * 16;
    let mut values = Vec::new();
    for multiple in 0..=16 {
        for offset in -2..=2 {
            values.push(p * multiple + offset);
        }
    }
    for bit in (0..260)
        .step_by(4)
        .chain([51, 53, 103, 105, 207, 209, 255, 257])
    {
        values.extend([(BigInt::from(1) << bit), (BigInt::from(1) << bit) - 1]);
    }
    const PATTERNS: [u64; 4] = [0, 1, LOW - 1, LOW];
    for index in 0..1024 {
        values.push(integer(&core::array::from_fn(|word| {
            PATTERNS[index >> (2 * word) & 3]
        })));
    }
    for _ in 0..1000 {
        values.push((number(&random.number()) << 4) + (random.word() >> 60));
    }
    values.retain(|value| *value >= BigInt::ZERO && *value < limit);
    values.iter().map(words_of).collect()
}

fn modulo(value: &BigInt, p: &BigInt) -> BigInt {
    ((value % p) + p) % p
}

/// Checks that the result represents `expected`, has carried words, and is below `bounds`.
fn check(
    result: [Words; 5],
    expected: &[BigInt; 8],
    bounds: &[BigInt; 8],
    p: &BigInt,
    operation: &str,
) {
    for (lane, words) in raw(result).iter().enumerate() {
        assert!(
            words.iter().all(|&word| word <= LOW),
            "{operation}: {words:x?} is not carried"
        );
        let value = integer(words);
        assert_eq!(
            modulo(&value, p),
            modulo(&expected[lane], p),
            "{operation}: {words:x?}"
        );
        assert!(
            value <= bounds[lane],
            "{operation}: {words:x?} is too large"
        );
    }
}

fn field<C: CpuCurve>() {
    let lanes = lanes();
    let p = &number(&C::Base::MODULUS);
    let mut random = Random::fresh();
    let values = values(p, &mut random);
    let r = BigInt::from(1) << if C::Base::SHIFT == 0 { 0u32 } else { 260 };
    let r_inverse = r.modpow(&(p - 2), p);
    // Each value meets its neighbours and random others, in different lanes.
    for round in 0..4 {
        for start in (0..values.len()).step_by(8) {
            let pick = |step: usize| -> Raw {
                core::array::from_fn(|lane| values[(start + lane * step) % values.len()])
            };
            let shift = random.word() as usize % values.len();
            let [a, b] = [
                pick(1),
                core::array::from_fn(|lane| values[(start + lane + shift * round) % values.len()]),
            ];
            check_field::<C::Base>(lanes, &a, &b, p, &r_inverse);
        }
    }
}

fn check_field<F: Coordinate>(lanes: Lanes, a: &Raw, b: &Raw, p: &BigInt, r_inverse: &BigInt) {
    let (ea, eb): (Element<F>, Element<F>) = (element(lanes, a), element(lanes, b));
    let (ia, ib) = (
        a.map(|words| integer(&words)),
        b.map(|words| integer(&words)),
    );
    let zip = |f: &dyn Fn(&BigInt, &BigInt) -> BigInt| -> [BigInt; 8] {
        core::array::from_fn(|lane| f(&ia[lane], &ib[lane]))
    };
    let product_bound = |product: &BigInt| (product >> 260) + p + (p >> 8);
    let checked = |result: Element<F>, product: &dyn Fn(&BigInt, &BigInt) -> BigInt, operation| {
        let expected = zip(&|a, b| product(a, b) * r_inverse);
        check(
            result.words(),
            &expected,
            &zip(&|a, b| product_bound(&product(a, b))),
            p,
            operation,
        );
    };
    // A product below 15 p 2^260 stays below 2^260 for every prime.
    let half = |raw: &Raw| raw.map(|words| words_of(&(integer(&words) >> 1)));
    let (ha, hb): (Element<F>, Element<F>) = (element(lanes, &half(a)), element(lanes, &half(b)));
    checked(ea.mul(hb), &|a, b| a * (b >> 1), "product");
    checked(ha.square(), &|a, _| (a >> 1) * (a >> 1), "square");
    checked(
        ha.mul_add(hb, ha, ha),
        &|a, b| (a >> 1) * (b >> 1) + (a >> 1) * (a >> 1),
        "sum of products",
    );
    if F::SHIFT == 0 {
        checked(ea.mul(eb), &|a, b| a * b, "product");
        checked(ea.square(), &|a, _| a * a, "square");
    }
    let twice = || core::array::from_fn(|_| p * 2 + (p >> 6));
    let fold = |sum: Sum<F>, expected: [BigInt; 8], operation| {
        check(sum.fold().words(), &expected, &twice(), p, operation);
    };
    fold(ea.sum(), ia.clone(), "value");
    fold(-ea.sum(), zip(&|a, _| -a), "opposite");
    fold(
        ea.sum() - eb.sum().shl::<3>(),
        zip(&|a, b| a - b * 8),
        "a - 8b",
    );
    fold(
        ea.sum().shl::<3>() + eb.sum(),
        zip(&|a, b| a * 8 + b),
        "8a + b",
    );
    fold(
        ea.sum().negate(0b1010_0110),
        core::array::from_fn(|lane| {
            if 0b1010_0110 >> lane & 1 == 1 {
                -&ia[lane]
            } else {
                ia[lane].clone()
            }
        }),
        "some opposites",
    );
    check(
        (-ea.sum()).plus_multiple(16).words(),
        &zip(&|a, _| -a),
        &core::array::from_fn(|_| p * 16),
        p,
        "16p - a",
    );
    // The residue of a number below 2p.
    let small = |raw: &Raw| raw.map(|words| words_of(&(integer(&words) % (p * 2))));
    let canonical = element::<F>(lanes, &small(a)).canonical();
    assert_eq!(
        raw(canonical.words()).map(|words| integer(&words)),
        zip(&|a, _| a % p),
        "residue"
    );
    // Zero modulo p, for a number below 3p.
    let below = a.map(|words| words_of(&(integer(&words) % (p * 3))));
    let is_zero = |lane: usize| modulo(&ia[lane], p) == BigInt::ZERO;
    let zeros = (0..8).fold(0, |mask: Mask, lane| {
        mask | Mask::from(is_zero(lane)) << lane
    });
    assert_eq!(element::<F>(lanes, &below).zeros(), zeros, "zeros");
    assert_eq!(
        element::<F>(lanes, &below).likely_zeros() & zeros,
        zeros,
        "likely zeros"
    );
    // Packing, loading and storing.
    let packed = canonical.pack();
    let unpacked = raw(Element::<F>::unpack::<0>(packed).words());
    assert_eq!(unpacked, raw(canonical.words()), "packing");
    let stored = ea.store(lanes);
    for (value, expected) in stored.iter().zip(&ia) {
        let expected = modulo(&(expected * r_inverse), p);
        assert_eq!(
            BigInt::from_bytes_be(num_bigint::Sign::Plus, &value.to_be_bytes()),
            expected,
            "stored value"
        );
    }
    assert_eq!(
        Element::load(lanes, &stored).store(lanes),
        stored,
        "loading"
    );
    let mask = 0b0110_1001;
    let selected = raw(ea.select(mask, eb).words());
    for lane in 0..8 {
        assert_eq!(
            selected[lane],
            if mask >> lane & 1 == 1 {
                b[lane]
            } else {
                a[lane]
            },
            "selection"
        );
    }
}

/// Returns random multiples of G.
fn random_points<C: CpuCurve>(random: &mut Random, count: usize) -> Vec<affine::Affine<C::Base>> {
    let scalars = random_scalars::<C>(random, count);
    let products = multiply::mul_add::<C>(None, &scalars, &vec![generator::<C>(); count], None);
    jacobian::normalize(&products)
}

fn random_scalars<C: CpuCurve>(random: &mut Random, count: usize) -> Vec<C::Scalar> {
    (0..count)
        .map(|_| C::Scalar::from_be_bytes_reduced(&crate::cpu::limbs_to_be_bytes(&random.number())))
        .collect()
}

fn lift<C: CpuCurve>(lanes: Lanes, points: &[affine::Affine<C::Base>; 8]) -> Affine<C::Base> {
    let entries = points.map(|point| Entry::new(&point.x, &point.y));
    gather::<C::Base, true>(lanes, entries.each_ref())
}

fn start<C: CpuCurve>(lanes: Lanes, point: Affine<C::Base>) -> Jacobian<C::Base> {
    Jacobian {
        x: point.x.sum().fold(),
        y: point.y.sum().fold(),
        z: Element::one(lanes),
    }
}

fn lower<C: CpuCurve>(lanes: Lanes, point: Jacobian<C::Base>) -> Vec<affine::Affine<C::Base>> {
    let (x, y, z) = (
        point.x.store(lanes),
        point.y.store(lanes),
        point.z.store(lanes),
    );
    let points: Vec<_> = (0..8)
        .map(|lane| jacobian::Jacobian {
            x: x[lane],
            y: y[lane],
            z: z[lane],
        })
        .collect();
    jacobian::normalize(&points)
}

/// Compares chains of doublings and additions with those of the portable code.
fn points<C: CpuCurve>() {
    let lanes = lanes();
    let mut random = Random::fresh();
    let mut ours: [_; 8] = random_points::<C>(&mut random, 8).try_into().unwrap();
    let mut sum = start::<C>(lanes, lift::<C>(lanes, &ours));
    for step in 0..40 {
        sum = sum.double::<C>();
        affine::double_assign::<C>(&mut ours, &mut affine::Denominators::new());
        assert_eq!(lower::<C>(lanes, sum), ours, "doubling in step {step}");
        let addend: [_; 8] = random_points::<C>(&mut random, 8).try_into().unwrap();
        let negate = random.word() as Mask;
        sum = sum.add(lift::<C>(lanes, &addend), negate);
        let signed: Vec<_> = (0..8)
            .map(|lane| {
                if negate >> lane & 1 == 1 {
                    addend[lane].neg()
                } else {
                    addend[lane]
                }
            })
            .collect();
        affine::add_assign::<C>(&mut ours, &signed, &mut affine::Denominators::new());
        assert_eq!(lower::<C>(lanes, sum), ours, "addition in step {step}");
    }
    complete::<C>(lanes, &mut random);
}

/// Tests sums with equal points, opposite points and the identity, in each lane separately and in
/// all lanes, for both complete additions.
fn complete<C: CpuCurve>(lanes: Lanes, random: &mut Random) {
    let mut denominators = affine::Denominators::new();
    for step in 0..64 {
        let [mut ours, others]: [[_; 8]; 2] =
            core::array::from_fn(|_| random_points::<C>(random, 8).try_into().unwrap());
        // Coordinates with factors Z other than one.
        let mut sum = start::<C>(lanes, lift::<C>(lanes, &ours)).double::<C>();
        affine::double_assign::<C>(&mut ours, &mut denominators);
        let mut addend = others;
        let mut empty: Mask = 0;
        let lanes_to_corrupt = if step % 9 < 8 {
            1 << (step % 9)
        } else {
            Mask::MAX
        };
        for lane in (0..8).filter(|lane| lanes_to_corrupt >> lane & 1 == 1) {
            match random.word() % 4 {
                0 => addend[lane] = ours[lane],
                1 => addend[lane] = ours[lane].neg(),
                2 => empty |= 1 << lane,
                _ => {}
            }
        }
        sum = sum.select(empty, Jacobian::identity(lanes));
        for lane in (0..8).filter(|lane| empty >> lane & 1 == 1) {
            ours[lane] = affine::Affine::IDENTITY;
        }
        let (negate, skip) = (
            random.word() as Mask,
            random.word() as Mask & random.word() as Mask,
        );
        let mut signed = addend;
        for lane in (0..8).filter(|lane| negate >> lane & 1 == 1) {
            signed[lane] = addend[lane].neg();
        }
        let mut expected = ours;
        affine::add_assign::<C>(&mut expected, &signed, &mut denominators);
        let addend = lift::<C>(lanes, &addend);
        assert_eq!(
            lower::<C>(lanes, sum.add_uniform::<C>(lanes, addend, negate)),
            expected,
            "step {step}"
        );
        for lane in (0..8).filter(|lane| skip >> lane & 1 == 1) {
            expected[lane] = ours[lane];
        }
        let mut sum = sum.add_complete::<C>(lanes, addend, negate, skip);
        assert_eq!(lower::<C>(lanes, sum), expected, "step {step}");
        // The result can be used in further additions.
        sum = sum
            .double::<C>()
            .add_complete::<C>(lanes, lift::<C>(lanes, &others), 0, 0);
        affine::double_assign::<C>(&mut expected, &mut denominators);
        affine::add_assign::<C>(&mut expected, &others, &mut denominators);
        assert_eq!(lower::<C>(lanes, sum), expected, "after step {step}");
    }
}

fn tables<C: CpuCurve>() {
    let lanes = lanes();
    let mut points = random_points::<C>(&mut Random::fresh(), 15);
    points.push(generator::<C>());
    let entries: Vec<_> = points
        .iter()
        .map(|point| Entry::new(&point.x, &point.y))
        .collect();
    // SAFETY: a `Lanes` proves that the instructions exist.
    let tables = unsafe { odd_multiples::<C, 16>(lanes, &entries) };
    let expected = affine::odd_multiples::<C>(&points, 16);
    for row in 0..16 {
        for group in 0..2 {
            let entries = core::array::from_fn(|lane| &tables[group * 8 + lane][row]);
            let Affine { x, y } = gather::<C::Base, false>(lanes, entries);
            for lane in 0..8 {
                let expected = &expected[row * 16 + group * 8 + lane];
                assert_eq!(
                    (x.store(lanes)[lane], y.store(lanes)[lane]),
                    (expected.x, expected.y)
                );
            }
        }
    }
}

/// Returns scalars for which a digit or sum is special.
fn edge_scalars<C: CpuCurve>() -> Vec<C::Scalar> {
    let small = |value: u64| {
        C::Scalar::from_be_bytes_reduced(&crate::cpu::limbs_to_be_bytes(&[value, 0, 0, 0]))
    };
    let mut scalars: Vec<C::Scalar> = (0..70).map(small).collect();
    for bit in (0..256)
        .step_by(5)
        .chain([64, 127, 128, 129, 130, 192, 254, 255])
    {
        let mut limbs = [0; 4];
        limbs[bit / 64] = 1 << (bit % 64);
        let power = C::Scalar::from_be_bytes_reduced(&crate::cpu::limbs_to_be_bytes(&limbs));
        scalars.extend([
            power,
            power.sub(&C::Scalar::ONE),
            power.add(&C::Scalar::ONE),
        ]);
    }
    let opposites: Vec<C::Scalar> = scalars.iter().map(C::Scalar::neg).collect();
    scalars.extend(opposites);
    scalars
}

fn same<C: CpuCurve>(
    lanes: Lanes,
    scalars: &[C::Scalar],
    points: &[affine::Affine<C::Base>],
    base: Option<(&Comb<C>, &[C::Scalar])>,
) {
    let in_lanes = jacobian::normalize(&mul_add::<C>(lanes, scalars, points, base));
    let portable = jacobian::normalize(&multiply::mul_add::<C>(None, scalars, points, base));
    assert_eq!(in_lanes.len(), portable.len());
    for item in 0..scalars.len() {
        assert_eq!(
            in_lanes[item], portable[item],
            "item {item}: {:?} {:?}",
            scalars[item], points[item]
        );
    }
}

fn products<C: CpuCurve>() {
    let lanes = lanes();
    let mut random = Random::fresh();
    let comb = Comb::<C>::new(None, &generator::<C>(), 8);
    // These counts leave lanes unused and batches short.
    for count in [1, 2, 7, 8, 9, 31, 255, 256, 257, 300] {
        let (scalars, points) = (
            random_scalars::<C>(&mut random, count),
            random_points::<C>(&mut random, count),
        );
        let u1 = random_scalars::<C>(&mut random, count);
        same::<C>(lanes, &scalars, &points, None);
        same::<C>(lanes, &scalars, &points, Some((&comb, &u1)));
    }
    // Special scalars, special points, and both with a term of G that equals the product or cancels
    // it.
    let scalars = edge_scalars::<C>();
    let mut points = random_points::<C>(&mut random, scalars.len());
    same::<C>(lanes, &scalars, &points, None);
    for point in points.iter_mut().step_by(3) {
        *point = affine::Affine::IDENTITY;
    }
    same::<C>(lanes, &scalars, &points, None);
    let points = vec![generator::<C>(); scalars.len()];
    let opposite: Vec<C::Scalar> = scalars.iter().map(C::Scalar::neg).collect();
    let zeros = vec![C::Scalar::ZERO; scalars.len()];
    let two = from_limbs::<C::Scalar>(&[2, 0, 0, 0]);
    let twice: Vec<C::Scalar> = scalars.iter().map(|scalar| scalar.mul(&two)).collect();
    for u1 in [&scalars, &opposite, &zeros, &twice] {
        same::<C>(lanes, &scalars, &points, Some((&comb, u1)));
    }
}

/// Returns a scalar and c. If the scalar's terms, with windows of `window` bits, are added to c G
/// one after the other, the term with index `at` meets equal points, or opposite ones if
/// `opposite`, and so does the next term.
fn meeting<C: CpuCurve>(
    random: &mut Random,
    window: u32,
    at: usize,
    opposite: bool,
) -> [C::Scalar; 2] {
    let terms = 256usize.div_ceil(window as usize);
    let half = 1u64 << (window - 1);
    let small = |value: u64| from_limbs::<C::Scalar>(&[value, 0, 0, 0]);
    let (mut scalar, mut before, mut weight) = (C::Scalar::ZERO, C::Scalar::ZERO, C::Scalar::ONE);
    for index in 0..terms {
        let digit = match index {
            _ if index == at => half,
            // The double of the previous term.
            _ if index == at + 1 => 1,
            // Below 2^255, so that the digits are those of the scalar and not of its negative.
            _ if index == terms - 1 => 1 + random.word() % 3,
            _ => random.word() % half,
        };
        let term = weight.mul(&small(digit));
        if index == at {
            before = if opposite { term.neg() } else { term }.sub(&scalar);
        }
        scalar = scalar.add(&term);
        weight = weight.mul(&small(1 << window));
    }
    [scalar, before]
}

/// Tests items that meet equal and opposite points at each position, in each lane, among others
/// that do not.
fn meetings<C: CpuCurve>() {
    let lanes = lanes();
    let mut random = Random::fresh();
    let d = random_scalars::<C>(&mut random, 1)[0];
    let key = jacobian::normalize(&multiply::mul_add::<C>(
        None,
        &[d],
        &[generator::<C>()],
        None,
    ))[0];
    let inverse = d.invert_var().expect("random scalars are not 0");
    let base = Comb::<C>::new(None, &generator::<C>(), 8);
    for window in [5, 8] {
        let of_key = Comb::<C>::new(None, &key, window);
        for at in 0..of_key.terms() - 2 {
            // In each lane separately, and in all lanes.
            for lane in 0..9 {
                let (mut left, mut right) = (
                    random_scalars::<C>(&mut random, 8),
                    random_scalars::<C>(&mut random, 8),
                );
                let (mut u1, mut u2) = (left.clone(), right.clone());
                for item in (0..8).filter(|item| lane == *item || lane == 8) {
                    let opposite = random.word() & 1 == 1;
                    let [scalar, before] = meeting::<C>(&mut random, window, at, opposite);
                    (left[item], right[item]) = (before.mul(&d), scalar);
                    let [scalar, before] = meeting::<C>(&mut random, 8, at % 30, opposite);
                    (u1[item], u2[item]) = (scalar, before.mul(&inverse));
                }
                // The terms of the key are added to a multiple of G, and those of G to a multiple
                // of the key.
                let items: Vec<_> = left
                    .iter()
                    .zip(&right)
                    .map(|(a, b)| [(&base, a), (&of_key, b)])
                    .collect();
                let portable = multiply::sum_products(None, &items);
                assert_eq!(
                    jacobian::normalize(&sum_products(lanes, &items)),
                    jacobian::normalize(&portable),
                    "term {at} of {window} bits in lane {lane}"
                );
                same::<C>(lanes, &u2, &[key; 8], Some((&base, &u1)));
            }
        }
    }
}

/// Tests the scalars whose last addition meets equal points, among others, with the code for public
/// scalars.
fn last_windows<C: CpuCurve>() {
    let lanes = lanes();
    let mut random = Random::fresh();
    let comb = Comb::<C>::new(None, &generator::<C>(), 8);
    let points = random_points::<C>(&mut random, 8);
    for scalar in last_window_candidates::<C>() {
        let mut scalars = random_scalars::<C>(&mut random, 8);
        scalars[random.word() as usize % 8] = scalar;
        same::<C>(
            lanes,
            &scalars,
            &points,
            Some((&comb, &random_scalars::<C>(&mut random, 8))),
        );
    }
}

fn lifts<C: CpuCurve>() {
    let lanes = lanes();
    let mut random = Random::fresh();
    for count in [1, 15, 16, 17, 400] {
        let number = |index: usize, random: &mut Random| {
            // Small numbers, including 0, among random ones.
            let limbs = if index.is_multiple_of(3) {
                [index as u64, 0, 0, 0]
            } else {
                random.number()
            };
            (
                C::Base::from_be_bytes_reduced(&crate::cpu::limbs_to_be_bytes(&limbs)),
                random.word() & 1 == 1,
            )
        };
        let coordinates: Vec<_> = (0..count).map(|index| number(index, &mut random)).collect();
        let portable = decode::lift_all::<C>(None, &coordinates);
        assert_eq!(lift_x::<C>(lanes, &coordinates), portable);
        assert!(count < 400 || portable.iter().filter(|point| point.is_none()).count() > 100);
    }
}

fn uniform<C: CpuCurve>() {
    let lanes = lanes();
    let mut random = Random::fresh();
    let table = UniformTable::<C>::new(lanes);
    let mut scalars = edge_scalars::<C>();
    scalars.extend(random_scalars::<C>(&mut random, 300));
    let limbs = |scalar: &C::Scalar| be_bytes_to_limbs(&scalar.to_be_bytes());
    scalars.retain(|scalar| limbs(scalar)[0] & 1 == 1);
    let generators = vec![generator::<C>(); scalars.len()];
    let expected = multiply::normalize(
        None,
        &multiply::mul_add::<C>(None, &scalars, &generators, None),
    );
    for count in [1, 7, 8, 9, scalars.len()] {
        let odd: Vec<_> = scalars[..count].iter().map(limbs).collect();
        let negate: Vec<u8> = (0..count).map(|_| (random.word() & 1) as u8).collect();
        let ours = table.mul_base(lanes, &odd, &negate);
        for item in 0..count {
            let expected = if negate[item] == 1 {
                expected[item].neg()
            } else {
                expected[item]
            };
            assert_eq!(ours[item], expected, "{:x?}", odd[item]);
        }
    }
}

/// Tests the scalar whose last addition meets equal points, in each lane, and its negative: the
/// lower windows sum to the last entry minus n.
fn uniform_exceptions<C: CpuCurve>() {
    let lanes = lanes();
    let table = UniformTable::<C>::new(lanes);
    let n = number(&C::N);
    let mut exceptions: Vec<[u64; 4]> = Vec::new();
    for digit in (1..=15).step_by(2) {
        let last: BigInt = BigInt::from(digit) << 252;
        for lower in [&last - &n, &last + &n] {
            let scalar = &last + &lower;
            if lower.magnitude() < &(BigUint::from(1u8) << 252)
                && scalar > BigInt::ZERO
                && scalar < n
            {
                let digits = scalar.magnitude().to_u64_digits();
                exceptions.push(core::array::from_fn(|word| {
                    digits.get(word).copied().unwrap_or(0)
                }));
            }
        }
    }
    // It exists exactly if floor(n / 2^252) is odd.
    let Some(exception) = exceptions.pop() else {
        return assert_eq!(C::N[3] >> 60 & 1, 0);
    };
    assert!(exceptions.is_empty() && C::N[3] >> 60 & 1 == 1);
    let product = |scalar: &[u64; 4]| {
        let scalar: C::Scalar = from_limbs(scalar);
        jacobian::normalize(&multiply::mul_add::<C>(
            None,
            &[scalar],
            &[generator::<C>()],
            None,
        ))[0]
    };
    // Other items in the batch are not affected.
    let (expected, three) = (product(&exception), product(&[3, 0, 0, 0]));
    for lane in 0..8 {
        for negate in [0, 1] {
            let (mut batch, mut signs) = ([[3, 0, 0, 0]; 8], [0; 8]);
            (batch[lane], signs[lane]) = (exception, negate);
            let points = table.mul_base(lanes, &batch, &signs);
            for (item, point) in points.into_iter().enumerate() {
                let expected = if negate == 1 {
                    expected.neg()
                } else {
                    expected
                };
                assert_eq!(point, if item == lane { expected } else { three });
            }
        }
    }
}

/// Returns the odd one of a scalar and its negative.
fn odd_one<C: CpuCurve>(scalar: &C::Scalar) -> [u64; 4] {
    let scalar = if scalar.is_odd() {
        *scalar
    } else {
        scalar.neg()
    };
    be_bytes_to_limbs(&scalar.to_be_bytes())
}

/// Tests products of points by secret scalars.
fn same_uniform<C: CpuCurve>(lanes: Lanes, odd: &[[u64; 4]], random: &mut Random) {
    let points = random_points::<C>(random, odd.len());
    let negate: Vec<u8> = odd.iter().map(|_| (random.word() & 1) as u8).collect();
    let scalars: Vec<C::Scalar> = odd.iter().map(from_limbs).collect();
    let expected =
        multiply::normalize(None, &multiply::mul_add::<C>(None, &scalars, &points, None));
    let products = mul_uniform::<C>(lanes, odd, &negate, &points, Bases::Public);
    assert_eq!(products.len(), odd.len());
    let of_secrets = mul_uniform::<C>(lanes, odd, &negate, &points, Bases::Secret);
    assert_eq!(*of_secrets, *products);
    for (item, product) in products.iter().enumerate() {
        let expected = if negate[item] == 1 {
            expected[item].neg()
        } else {
            expected[item]
        };
        let [x, y] =
            [expected.x, expected.y].map(|coordinate| be_bytes_to_limbs(&coordinate.to_be_bytes()));
        assert_eq!(*product, [x, y], "item {item}: {:x?}", odd[item]);
    }
}

/// Returns all scalars whose last addition, with windows of 5 bits, can meet equal points. With odd
/// digits d and d' these are 2d, and with an endomorphism also 2d + d' lambda, d' lambda and 2d'
/// lambda. Of these, one meets equal points on secp256k1, one and its negative on SM2, and none on
/// P-256.
fn last_window_candidates<C: CpuCurve>() -> Vec<C::Scalar> {
    let small = |value: i64| -> C::Scalar {
        let absolute: C::Scalar = from_limbs(&[value.unsigned_abs(), 0, 0, 0]);
        if value < 0 { absolute.neg() } else { absolute }
    };
    let digits = || (-31..=31).step_by(2).map(small);
    if C::ENDOMORPHISM.is_none() {
        return digits().map(|d| d.double()).collect();
    }
    let lambda: C::Scalar = from_limbs(&constants::secp256k1::LAMBDA);
    let in_lambda = |d2: C::Scalar| {
        let term = d2.mul(&lambda);
        digits()
            .map(move |d1| d1.double().add(&term))
            .chain([term, term.double()])
    };
    digits().flat_map(in_lambda).collect()
}

fn uniform_points<C: CpuCurve>() {
    let lanes = lanes();
    let mut random = Random::fresh();
    let mut scalars: Vec<[u64; 4]> = last_window_candidates::<C>()
        .iter()
        .map(odd_one::<C>)
        .collect();
    if C::ENDOMORPHISM.is_some() {
        // Here scalars need not be odd, and the one that meets equal points is even.
        scalars.extend(
            last_window_candidates::<C>()
                .iter()
                .map(|k| be_bytes_to_limbs(&k.to_be_bytes())),
        );
    }
    scalars.extend(
        edge_scalars::<C>()
            .iter()
            .filter(|k| !k.is_zero())
            .map(odd_one::<C>),
    );
    scalars.extend(
        random_scalars::<C>(&mut random, 300)
            .iter()
            .map(odd_one::<C>),
    );
    for count in [1, 7, 8, 9, 127, 128, 129, scalars.len()] {
        same_uniform::<C>(lanes, &scalars[..count], &mut random);
    }
    assert!(mul_uniform::<C>(lanes, &[], &[], &[], Bases::Public).is_empty());
}

fn combs<C: CpuCurve>() {
    let lanes = lanes();
    let points = random_points::<C>(&mut Random::fresh(), 9);
    for (count, window) in [(1, 4), (1, 8), (2, 5), (3, 5), (8, 6), (9, 7)] {
        let ours = Comb::<C>::new_all(Some(lanes), None, &points[..count], window);
        let portable = Comb::<C>::new_all(None, None, &points[..count], window);
        assert_eq!(ours.len(), count);
        for (ours, portable) in ours.iter().zip(&portable) {
            for index in 0..portable.terms() {
                for digit in 1..=1 << (window - 1) {
                    assert_eq!(
                        ours.entry(index, digit).words(),
                        portable.entry(index, digit).words()
                    );
                }
            }
        }
    }
}

fn sums<C: CpuCurve>() {
    let lanes = lanes();
    let mut random = Random::fresh();
    let key = random_points::<C>(&mut random, 1)[0];
    let combs = [
        Comb::<C>::new(None, &generator::<C>(), 8),
        Comb::<C>::new(None, &key, 5),
    ];
    let compare = |left: &[C::Scalar], right: &[C::Scalar], combs: [&Comb<C>; 2]| {
        let items: Vec<_> = left
            .iter()
            .zip(right)
            .map(|(a, b)| [(combs[0], a), (combs[1], b)])
            .collect();
        let ours = multiply::normalize(Some(lanes), &sum_products(lanes, &items));
        let portable = multiply::normalize(None, &multiply::sum_products(None, &items));
        assert_eq!(ours, portable);
    };
    for count in [1, 4, 8, 9, 300] {
        let (left, right) = (
            random_scalars::<C>(&mut random, count),
            random_scalars::<C>(&mut random, count),
        );
        compare(&left, &right, [&combs[0], &combs[1]]);
    }
    let scalars = edge_scalars::<C>();
    let opposite: Vec<C::Scalar> = scalars.iter().map(C::Scalar::neg).collect();
    let zeros = vec![C::Scalar::ZERO; scalars.len()];
    let random_others = random_scalars::<C>(&mut random, scalars.len());
    for right in [&scalars, &opposite, &zeros, &random_others] {
        compare(&scalars, right, [&combs[0], &combs[0]]);
        compare(&scalars, right, [&combs[0], &combs[1]]);
        compare(right, &scalars, [&combs[0], &combs[1]]);
    }
    compare(&zeros, &zeros, [&combs[0], &combs[1]]);
}

/// Defines the tests on a curve.
macro_rules! tested {
    ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
        $(
            mod $name {
                use super::*;
                type C = types::$curve;

                tested! {
                    field_against_big_integers { field::<C>() }
                    points_against_portable { points::<C>() }
                    tables_against_portable { tables::<C>() }
                    lifts_against_portable { lifts::<C>() }
                    uniform_products_against_portable { uniform::<C>(), uniform_exceptions::<C>() }
                    uniform_points_against_portable { uniform_points::<C>() }
                    combs_against_portable { combs::<C>() }
                    sums_against_portable { sums::<C>() }
                    products_against_portable { products::<C>() }
                    meetings_against_portable { meetings::<C>(), last_windows::<C>() }
                }
            }
        )*
    };
    ($($test:ident { $($check:expr),* })*) => {
        $(
            #[test]
            #[ignore = "needs AVX-512 IFMA: --ignored avx512_tests"]
            fn $test() {
                $($check;)*
            }
        )*
    };
}

for_each_curve!(tested!);

#[test]
#[ignore = "needs AVX-512 IFMA: --ignored avx512_tests"]
fn transposition() {
    let lanes = lanes();
    let rows: [[u64; 8]; 8] =
        core::array::from_fn(|row| core::array::from_fn(|column| (row * 8 + column) as u64));
    for (column, words) in transpose(rows.map(|row| Words::load(lanes, &row)))
        .into_iter()
        .enumerate()
    {
        let mut out = [0; 8];
        words.store(&mut out);
        assert_eq!(out, core::array::from_fn(|row| rows[row][column]));
    }
}
