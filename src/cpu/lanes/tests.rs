//! The arithmetic of the lanes against big integers and the portable code: edge values, bounds, exceptional cases.

use super::convert::gather;
use super::field::{Element, LOW, Prime, Sum};
use super::point::{Affine, Jacobian};
use super::tables::odd_multiples;
use super::words::{Lanes, Mask, Words};
use super::{UniformTable, lift_x, mul_add, mul_uniform, sum_products, words};
use crate::cpu::affine::{self, Entry};
use crate::cpu::comb::Comb;
use crate::cpu::field::{Coordinate, Field};
use crate::cpu::{CpuCurve, be_bytes_to_limbs, decode, from_limbs, generator, jacobian, multiply};
use crate::curve::constants::{p256, secp256k1, sm2};
use crate::curve::{P256, Secp256k1, Sm2};
use crate::skip;
use num_bigint::{BigInt, BigUint};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn fresh() -> Self {
        let mut seed = [0; 8];
        getrandom::fill(&mut seed).expect("the system has random bytes");
        println!("seed {:#018x}", u64::from_le_bytes(seed));
        Random(u64::from_le_bytes(seed))
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn number(&mut self) -> [u64; 4] {
        core::array::from_fn(|_| self.word())
    }
}

fn lanes() -> Option<Lanes> {
    skip::without(Lanes::detect().ok_or("this processor has no AVX-512 IFMA"), "GECC_REQUIRE_AVX512")
}

/// Five words per lane.
type Raw = [[u64; 5]; 8];

fn element<P: Prime>(lanes: Lanes, raw: &Raw) -> Element<P> {
    Element::new(core::array::from_fn(|word| Words::load(lanes, &raw.map(|words| words[word]))))
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
    words.iter().rev().fold(BigInt::ZERO, |sum, &word| (sum << 52) + word as i64)
}

fn number(limbs: &[u64; 4]) -> BigInt {
    limbs.iter().rev().fold(BigInt::ZERO, |sum, &limb| (sum << 64) + limb)
}

fn words_of(value: &BigInt) -> [u64; 5] {
    let digits = BigUint::try_from(value.clone()).expect("not negative");
    core::array::from_fn(|word| u64::try_from((&digits >> (52 * word)) & BigUint::from(LOW)).expect("52 bits"))
}

/// Numbers below 16 p: neighbours of the multiples of p, powers of two, words of all patterns, random ones.
fn values(p: &BigInt, random: &mut Random) -> Vec<[u64; 5]> {
    let limit: BigInt = p * 16;
    let mut values = Vec::new();
    for multiple in 0..=16 {
        for offset in -2..=2 {
            values.push(p * multiple + offset);
        }
    }
    for bit in (0..260).step_by(4).chain([51, 53, 103, 105, 207, 209, 255, 257]) {
        values.extend([(BigInt::from(1) << bit), (BigInt::from(1) << bit) - 1]);
    }
    const PATTERNS: [u64; 4] = [0, 1, LOW - 1, LOW];
    for index in 0..1024 {
        values.push(integer(&core::array::from_fn(|word| PATTERNS[index >> (2 * word) & 3])));
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

/// The result must represent `expected`, have carried words, and be below `bound` / 16 times p.
fn check(result: [Words; 5], expected: &[BigInt; 8], bounds: &[BigInt; 8], p: &BigInt, operation: &str) {
    for (lane, words) in raw(result).iter().enumerate() {
        assert!(words.iter().all(|&word| word <= LOW), "{operation}: {words:x?} is not carried");
        let value = integer(words);
        assert_eq!(modulo(&value, p), modulo(&expected[lane], p), "{operation}: {words:x?}");
        assert!(value <= bounds[lane], "{operation}: {words:x?} is too large");
    }
}

fn field<C: CpuCurve>(p: &[u64; 4]) {
    let Some(lanes) = lanes() else { return };
    let p = &number(p);
    let mut random = Random::fresh();
    let values = values(p, &mut random);
    let r = BigInt::from(1) << if C::Base::SHIFT == 0 { 0u32 } else { 260 };
    let r_inverse = r.modpow(&(p - 2), p);
    // Each value meets its neighbours and random others, in different lanes.
    for round in 0..4 {
        for start in (0..values.len()).step_by(8) {
            let pick =
                |step: usize| -> Raw { core::array::from_fn(|lane| values[(start + lane * step) % values.len()]) };
            let shift = random.word() as usize % values.len();
            let [a, b] = [pick(1), core::array::from_fn(|lane| values[(start + lane + shift * round) % values.len()])];
            check_field::<C::Base>(lanes, &a, &b, p, &r_inverse);
        }
    }
}

fn check_field<F: Coordinate>(lanes: Lanes, a: &Raw, b: &Raw, p: &BigInt, r_inverse: &BigInt) {
    let (ea, eb): (Element<F>, Element<F>) = (element(lanes, a), element(lanes, b));
    let (ia, ib) = (a.map(|words| integer(&words)), b.map(|words| integer(&words)));
    let zip = |f: &dyn Fn(&BigInt, &BigInt) -> BigInt| -> [BigInt; 8] {
        core::array::from_fn(|lane| f(&ia[lane], &ib[lane]))
    };
    let product_bound = |product: &BigInt| (product >> 260) + p + (p >> 8);
    let checked = |result: Element<F>, product: &dyn Fn(&BigInt, &BigInt) -> BigInt, operation| {
        let expected = zip(&|a, b| product(a, b) * r_inverse);
        check(result.words(), &expected, &zip(&|a, b| product_bound(&product(a, b))), p, operation);
    };
    // A product below 15 p 2^260 stays below 2^260, whatever the prime.
    let half = |raw: &Raw| raw.map(|words| words_of(&(integer(&words) >> 1)));
    let (ha, hb): (Element<F>, Element<F>) = (element(lanes, &half(a)), element(lanes, &half(b)));
    checked(ea.mul(hb), &|a, b| a * (b >> 1), "product");
    checked(ha.square(), &|a, _| (a >> 1) * (a >> 1), "square");
    checked(ha.mul_add(hb, ha, ha), &|a, b| (a >> 1) * (b >> 1) + (a >> 1) * (a >> 1), "sum of products");
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
    fold(ea.sum() - eb.sum().shl::<3>(), zip(&|a, b| a - b * 8), "a - 8b");
    fold(ea.sum().shl::<3>() + eb.sum(), zip(&|a, b| a * 8 + b), "8a + b");
    fold(
        ea.sum().negate(0b1010_0110),
        core::array::from_fn(|lane| if 0b1010_0110 >> lane & 1 == 1 { -&ia[lane] } else { ia[lane].clone() }),
        "some opposites",
    );
    check((-ea.sum()).plus_multiple(16).words(), &zip(&|a, _| -a), &core::array::from_fn(|_| p * 16), p, "16p - a");
    // Below 2p: the residue.
    let small = |raw: &Raw| raw.map(|words| words_of(&(integer(&words) % (p * 2))));
    let canonical = element::<F>(lanes, &small(a)).canonical();
    assert_eq!(raw(canonical.words()).map(|words| integer(&words)), zip(&|a, _| a % p), "residue");
    // Packing, loading and storing.
    let packed = canonical.pack();
    let unpacked = raw(Element::<F>::unpack::<0>(packed).words());
    assert_eq!(unpacked, raw(canonical.words()), "packing");
    let stored = ea.store(lanes);
    for (value, expected) in stored.iter().zip(&ia) {
        let expected = modulo(&(expected * r_inverse), p);
        assert_eq!(BigInt::from_bytes_be(num_bigint::Sign::Plus, &value.to_be_bytes()), expected, "stored value");
    }
    assert_eq!(Element::load(lanes, &stored).store(lanes), stored, "loading");
    let mask = 0b0110_1001;
    let selected = raw(ea.select(mask, eb).words());
    for lane in 0..8 {
        assert_eq!(selected[lane], if mask >> lane & 1 == 1 { b[lane] } else { a[lane] }, "selection");
    }
}

/// Random multiples of G.
fn random_points<C: CpuCurve>(random: &mut Random, count: usize) -> Vec<affine::Affine<C::Base>> {
    let scalars = random_scalars::<C>(random, count);
    let products = multiply::mul_add::<C>(None, &scalars, &vec![generator::<C>(); count], None);
    jacobian::normalize(&products)
}

fn random_scalars<C: CpuCurve>(random: &mut Random, count: usize) -> Vec<C::Scalar> {
    (0..count).map(|_| C::Scalar::from_be_bytes_reduced(&crate::cpu::limbs_to_be_bytes(&random.number()))).collect()
}

fn lift<C: CpuCurve>(lanes: Lanes, points: &[affine::Affine<C::Base>; 8]) -> Affine<C::Base> {
    let entries = points.map(|point| Entry::new(&point.x, &point.y));
    gather::<C::Base, true>(lanes, entries.each_ref())
}

fn start<C: CpuCurve>(lanes: Lanes, point: Affine<C::Base>) -> Jacobian<C::Base> {
    Jacobian { x: point.x.sum().fold(), y: point.y.sum().fold(), z: Element::one(lanes) }
}

fn lower<C: CpuCurve>(lanes: Lanes, point: Jacobian<C::Base>) -> Vec<affine::Affine<C::Base>> {
    let (x, y, z) = (point.x.store(lanes), point.y.store(lanes), point.z.store(lanes));
    let points: Vec<_> = (0..8).map(|lane| jacobian::Jacobian { x: x[lane], y: y[lane], z: z[lane] }).collect();
    jacobian::normalize(&points)
}

fn double<C: CpuCurve>(point: Jacobian<C::Base>) -> Jacobian<C::Base> {
    if C::A_IS_ZERO { point.double::<true>() } else { point.double::<false>() }
}

/// Chains of doublings and additions beside those of the portable code.
fn points<C: CpuCurve>() {
    let Some(lanes) = lanes() else { return };
    let mut random = Random::fresh();
    let mut ours: [_; 8] = random_points::<C>(&mut random, 8).try_into().unwrap();
    let mut sum = start::<C>(lanes, lift::<C>(lanes, &ours));
    for step in 0..40 {
        sum = double::<C>(sum);
        affine::double_assign::<C>(&mut ours, &mut affine::Denominators::new());
        assert_eq!(lower::<C>(lanes, sum), ours, "doubling in step {step}");
        let addend: [_; 8] = random_points::<C>(&mut random, 8).try_into().unwrap();
        let negate = random.word() as Mask;
        sum = sum.add(lift::<C>(lanes, &addend), negate);
        let signed: Vec<_> =
            (0..8).map(|lane| if negate >> lane & 1 == 1 { addend[lane].neg() } else { addend[lane] }).collect();
        affine::add_assign::<C>(&mut ours, &signed, &mut affine::Denominators::new());
        assert_eq!(lower::<C>(lanes, sum), ours, "addition in step {step}");
    }
    // Equal and opposite points, and the identity that comes of them, show, also after more steps; others do not.
    let mut other = ours;
    affine::double_assign::<C>(&mut other, &mut affine::Denominators::new());
    let mixed: [_; 8] = core::array::from_fn(|lane| if lane % 2 == 0 { ours[lane] } else { other[lane] });
    let mut met = sum.add(lift::<C>(lanes, &mixed), 0b1100_1100);
    for _ in 0..3 {
        let exceptional: Vec<bool> = met.z.store(lanes).iter().map(|z| z.is_zero()).collect();
        assert_eq!(exceptional, [true, false, true, false, true, false, true, false]);
        let addend = random_points::<C>(&mut random, 8).try_into().unwrap();
        met = double::<C>(met).add(lift::<C>(lanes, &addend), 0b0101_1010);
    }
}

fn tables<C: CpuCurve>() {
    let Some(lanes) = lanes() else { return };
    let mut points = random_points::<C>(&mut Random::fresh(), 15);
    points.push(generator::<C>());
    let entries: Vec<_> = points.iter().map(|point| Entry::new(&point.x, &point.y)).collect();
    // SAFETY: a `Lanes` proves that the instructions exist.
    let tables = unsafe { odd_multiples::<C, 16>(lanes, &entries) };
    let expected = multiply::odd_multiples::<C>(&points, 16);
    for row in 0..16 {
        for group in 0..2 {
            let entries = core::array::from_fn(|lane| &tables[group * 8 + lane][row]);
            let Affine { x, y } = gather::<C::Base, false>(lanes, entries);
            for lane in 0..8 {
                let expected = &expected[row * 16 + group * 8 + lane];
                assert_eq!((x.store(lanes)[lane], y.store(lanes)[lane]), (expected.x, expected.y));
            }
        }
    }
}

/// Scalars that make some digit or sum special.
fn edge_scalars<C: CpuCurve>() -> Vec<C::Scalar> {
    let small = |value: u64| C::Scalar::from_be_bytes_reduced(&crate::cpu::limbs_to_be_bytes(&[value, 0, 0, 0]));
    let mut scalars: Vec<C::Scalar> = (0..70).map(small).collect();
    for bit in (0..256).step_by(5).chain([64, 127, 128, 129, 130, 192, 254, 255]) {
        let mut limbs = [0; 4];
        limbs[bit / 64] = 1 << (bit % 64);
        let power = C::Scalar::from_be_bytes_reduced(&crate::cpu::limbs_to_be_bytes(&limbs));
        scalars.extend([power, power.sub(&C::Scalar::ONE), power.add(&C::Scalar::ONE)]);
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
) -> usize {
    let in_lanes = mul_add::<C>(lanes, scalars, points, base);
    let exceptions = in_lanes.iter().filter(|sum| sum.is_none()).count();
    let ours = multiply::mul_add::<C>(Some(lanes), scalars, points, base);
    let portable = multiply::mul_add::<C>(None, scalars, points, base);
    let (ours, portable) = (jacobian::normalize(&ours), jacobian::normalize(&portable));
    for item in 0..scalars.len() {
        assert_eq!(ours[item], portable[item], "item {item}: {:?} {:?}", scalars[item], points[item]);
    }
    exceptions
}

fn products<C: CpuCurve>() {
    let Some(lanes) = lanes() else { return };
    let mut random = Random::fresh();
    let comb = Comb::<C>::new(None, &generator::<C>(), 8);
    // Random items: none is exceptional. The counts leave lanes idle and batches short.
    for count in [1, 2, 7, 8, 9, 31, 255, 256, 257, 300] {
        let (scalars, points) = (random_scalars::<C>(&mut random, count), random_points::<C>(&mut random, count));
        let u1 = random_scalars::<C>(&mut random, count);
        assert_eq!(same::<C>(lanes, &scalars, &points, None), 0);
        assert_eq!(same::<C>(lanes, &scalars, &points, Some((&comb, &u1))), 0);
    }
    // Special scalars, special points, and both with a term of G that meets the product or cancels it.
    let scalars = edge_scalars::<C>();
    let mut points = random_points::<C>(&mut random, scalars.len());
    assert!(same::<C>(lanes, &scalars, &points, None) > 0);
    for point in points.iter_mut().step_by(3) {
        *point = affine::Affine::IDENTITY;
    }
    assert!(same::<C>(lanes, &scalars, &points, None) >= scalars.len() / 3);
    let points = vec![generator::<C>(); scalars.len()];
    let opposite: Vec<C::Scalar> = scalars.iter().map(C::Scalar::neg).collect();
    let zeros = vec![C::Scalar::ZERO; scalars.len()];
    let two = from_limbs::<C::Scalar>(&[2, 0, 0, 0]);
    let twice: Vec<C::Scalar> = scalars.iter().map(|scalar| scalar.mul(&two)).collect();
    for u1 in [&scalars, &opposite, &zeros, &twice] {
        same::<C>(lanes, &scalars, &points, Some((&comb, u1)));
    }
    assert_eq!(same::<C>(lanes, &scalars, &points, Some((&comb, &opposite))), scalars.len());
}

fn lifts<C: CpuCurve>() {
    let Some(lanes) = lanes() else { return };
    let mut random = Random::fresh();
    for count in [1, 15, 16, 17, 400] {
        let number = |index: usize, random: &mut Random| {
            // Small numbers, and 0, among random ones.
            let limbs = if index.is_multiple_of(3) { [index as u64, 0, 0, 0] } else { random.number() };
            (C::Base::from_be_bytes_reduced(&crate::cpu::limbs_to_be_bytes(&limbs)), random.word() & 1 == 1)
        };
        let coordinates: Vec<_> = (0..count).map(|index| number(index, &mut random)).collect();
        let portable = decode::lift_all::<C>(None, &coordinates);
        assert_eq!(lift_x::<C>(lanes, &coordinates), portable);
        assert!(count < 400 || portable.iter().filter(|point| point.is_none()).count() > 100);
    }
}

fn uniform<C: CpuCurve>() {
    let Some(lanes) = lanes() else { return };
    let mut random = Random::fresh();
    let table = UniformTable::<C>::new(lanes);
    let mut scalars = edge_scalars::<C>();
    scalars.extend(random_scalars::<C>(&mut random, 300));
    let limbs = |scalar: &C::Scalar| be_bytes_to_limbs(&scalar.to_be_bytes());
    scalars.retain(|scalar| limbs(scalar)[0] & 1 == 1);
    let generators = vec![generator::<C>(); scalars.len()];
    let expected = multiply::normalize(None, &multiply::mul_add::<C>(None, &scalars, &generators, None));
    for count in [1, 7, 8, 9, scalars.len()] {
        let odd: Vec<_> = scalars[..count].iter().map(limbs).collect();
        let negate: Vec<u8> = (0..count).map(|_| (random.word() & 1) as u8).collect();
        let ours = table.mul_base(lanes, &odd, &negate);
        for item in 0..count {
            let expected = if negate[item] == 1 { expected[item].neg() } else { expected[item] };
            assert_eq!(ours[item], Some(expected), "{:x?}", odd[item]);
        }
    }
}

/// Scalars whose last addition meets equal points: the lower windows sum up to the last entry minus n.
fn uniform_exceptions<C: CpuCurve>() {
    let Some(lanes) = lanes() else { return };
    let table = UniformTable::<C>::new(lanes);
    let n = number(&C::N);
    let mut exceptions = Vec::new();
    for digit in (1..=15).step_by(2) {
        let last: BigInt = BigInt::from(digit) << 252;
        for lower in [&last - &n, &last + &n] {
            let scalar = &last + &lower;
            if lower.magnitude() < &(BigUint::from(1u8) << 252) && scalar > BigInt::ZERO && scalar < n {
                let digits = scalar.magnitude().to_u64_digits();
                exceptions.push(core::array::from_fn(|word| digits.get(word).copied().unwrap_or(0)));
            }
        }
    }
    for scalar in exceptions {
        // Among others, which are not disturbed.
        let batch = [[1, 0, 0, 0], scalar, [3, 0, 0, 0]];
        let points = table.mul_base(lanes, &batch, &[0; 3]);
        assert!(points[0].is_some() && points[1].is_none() && points[2].is_some());
        assert_eq!(points[0], Some(generator::<C>()));
    }
}

/// Of a scalar and its opposite the odd one.
fn odd_one<C: CpuCurve>(scalar: &C::Scalar) -> [u64; 4] {
    let scalar = if scalar.is_odd() { *scalar } else { scalar.neg() };
    be_bytes_to_limbs(&scalar.to_be_bytes())
}

/// What `mul_uniform` gives where a sum met an exceptional case.
const LEFT_OUT: [[u64; 4]; 2] = [[0; 4]; 2];

/// Products of points by secret scalars; the number of those that are left out.
fn same_uniform<C: CpuCurve>(lanes: Lanes, odd: &[[u64; 4]], random: &mut Random) -> usize {
    let points = random_points::<C>(random, odd.len());
    let negate: Vec<u8> = odd.iter().map(|_| (random.word() & 1) as u8).collect();
    let scalars: Vec<C::Scalar> = odd.iter().map(from_limbs).collect();
    let expected = multiply::normalize(None, &multiply::mul_add::<C>(None, &scalars, &points, None));
    let products = mul_uniform::<C>(lanes, odd, &negate, &points);
    assert_eq!(products.len(), odd.len());
    for (item, product) in products.iter().enumerate() {
        let expected = if negate[item] == 1 { expected[item].neg() } else { expected[item] };
        let [x, y] = [expected.x, expected.y].map(|coordinate| be_bytes_to_limbs(&coordinate.to_be_bytes()));
        assert!(*product == LEFT_OUT || *product == [x, y], "item {item}: {:x?}", odd[item]);
    }
    products.iter().filter(|product| **product == LEFT_OUT).count()
}

/// Scalars whose last window may meet equal points, and others, of which none is left out.
fn uniform_points<C: CpuCurve>() {
    let Some(lanes) = lanes() else { return };
    let mut random = Random::fresh();
    let small = |value: i64| -> C::Scalar {
        let absolute: C::Scalar = from_limbs(&[value.unsigned_abs(), 0, 0, 0]);
        if value < 0 { absolute.neg() } else { absolute }
    };
    let digits = || (-31..=31).step_by(2).map(small);
    let exceptions: Vec<[u64; 4]> = if C::ENDOMORPHISM.is_some() {
        let lambda: C::Scalar = from_limbs(&secp256k1::LAMBDA);
        let in_lambda = |d2: C::Scalar| {
            let term = d2.mul(&lambda);
            digits().map(move |d1| d1.double().add(&term)).chain([term, term.double()])
        };
        // Here scalars need not be odd, and among the odd ones there happens to be no exception.
        digits().flat_map(in_lambda).map(|scalar| be_bytes_to_limbs(&scalar.to_be_bytes())).collect()
    } else {
        // The opposite of 2d is odd, and its lowest window must be that of -d.
        let left_out = |d: &i64| (C::N[0] as i64 - 2 * d) & 63 == 32 - d;
        (1..32).step_by(2).filter(left_out).map(|d| odd_one::<C>(&small(2 * d))).collect()
    };
    let left_out = same_uniform::<C>(lanes, &exceptions, &mut random);
    if C::ENDOMORPHISM.is_some() {
        println!("{left_out} of {} scalars are exceptions", exceptions.len());
        assert!(left_out > 0);
    } else {
        assert_eq!(left_out, exceptions.len());
    }
    let mut others: Vec<[u64; 4]> = edge_scalars::<C>().iter().filter(|k| !k.is_zero()).map(odd_one::<C>).collect();
    others.extend(random_scalars::<C>(&mut random, 300).iter().map(odd_one::<C>));
    others.retain(|scalar| !exceptions.contains(scalar));
    for count in [1, 7, 8, 9, 127, 128, 129, others.len()] {
        assert_eq!(same_uniform::<C>(lanes, &others[..count], &mut random), 0);
    }
    assert!(mul_uniform::<C>(lanes, &[], &[], &[]).is_empty());
}

fn combs<C: CpuCurve>() {
    let Some(lanes) = lanes() else { return };
    let points = random_points::<C>(&mut Random::fresh(), 9);
    for (count, window) in [(1, 4), (1, 8), (2, 5), (3, 5), (8, 6), (9, 7)] {
        let ours = Comb::<C>::new_all(Some(lanes), None, &points[..count], window);
        let portable = Comb::<C>::new_all(None, None, &points[..count], window);
        assert_eq!(ours.len(), count);
        for (ours, portable) in ours.iter().zip(&portable) {
            for index in 0..portable.terms() {
                for digit in 1..=1 << (window - 1) {
                    assert_eq!(ours.entry(index, digit).words(), portable.entry(index, digit).words());
                }
            }
        }
    }
}

fn sums<C: CpuCurve>() {
    let Some(lanes) = lanes() else { return };
    let mut random = Random::fresh();
    let key = random_points::<C>(&mut random, 1)[0];
    let combs = [Comb::<C>::new(None, &generator::<C>(), 8), Comb::<C>::new(None, &key, 5)];
    let compare = |left: &[C::Scalar], right: &[C::Scalar], combs: [&Comb<C>; 2]| {
        let items: Vec<_> = left.iter().zip(right).map(|(a, b)| [(combs[0], a), (combs[1], b)]).collect();
        let exceptions = sum_products(lanes, &items).iter().filter(|sum| sum.is_none()).count();
        let ours = multiply::normalize(Some(lanes), &multiply::sum_products(Some(lanes), &items));
        let portable = multiply::normalize(None, &multiply::sum_products(None, &items));
        assert_eq!(ours, portable);
        exceptions
    };
    for count in [1, 4, 8, 9, 300] {
        let (left, right) = (random_scalars::<C>(&mut random, count), random_scalars::<C>(&mut random, count));
        assert_eq!(compare(&left, &right, [&combs[0], &combs[1]]), 0);
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
    assert_eq!(compare(&scalars, &opposite, [&combs[0], &combs[0]]), scalars.len());
    assert_eq!(compare(&zeros, &zeros, [&combs[0], &combs[1]]), zeros.len());
}

macro_rules! tested {
    ($module:ident, $curve:ident, $constants:ident) => {
        mod $module {
            use super::*;

            #[test]
            fn field_against_big_integers() {
                field::<$curve>(&$constants::P);
            }
            #[test]
            fn points_against_portable() {
                points::<$curve>();
            }
            #[test]
            fn tables_against_portable() {
                tables::<$curve>();
            }
            #[test]
            fn lifts_against_portable() {
                lifts::<$curve>();
            }
            #[test]
            fn uniform_products_against_portable() {
                uniform::<$curve>();
                uniform_exceptions::<$curve>();
            }
            #[test]
            fn uniform_points_against_portable() {
                uniform_points::<$curve>();
            }
            #[test]
            fn combs_against_portable() {
                combs::<$curve>();
            }
            #[test]
            fn sums_against_portable() {
                sums::<$curve>();
            }
            #[test]
            fn products_against_portable() {
                products::<$curve>();
            }
        }
    };
}

tested!(on_secp256k1, Secp256k1, secp256k1);
tested!(on_p256, P256, p256);
tested!(on_sm2, Sm2, sm2);

#[test]
fn transposition() {
    let Some(lanes) = lanes() else { return };
    let rows: [[u64; 8]; 8] = core::array::from_fn(|row| core::array::from_fn(|column| (row * 8 + column) as u64));
    for (column, words) in words::transpose(rows.map(|row| Words::load(lanes, &row))).into_iter().enumerate() {
        let mut out = [0; 8];
        words.store(&mut out);
        assert_eq!(out, core::array::from_fn(|row| rows[row][column]));
    }
}
