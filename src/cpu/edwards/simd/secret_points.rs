//! Constant-time multiplication of points that differ between items by secret scalars, and powers
//! of secret elements: the same instructions at the same addresses for all of them. Lookups read
//! whole tables, and signs are masks. Intermediate values in memory are wiped; the caller has to
//! wipe the stack.

use super::ladder::{Numbers, Saved, restore, save};
use super::{Addend, CHAINS, Chains, Element, LANES, Lanes, Point, Stored};
use crate::cpu::edwards::curves::EdwardsCurve;
use crate::cpu::edwards::point::{Extended, Projective};
use crate::cpu::edwards::scalar::Scalar;
use crate::cpu::edwards::secret::{MULTIPLES, WINDOW, WINDOWS};
use crate::cpu::field::moduli::Modulus;
use crate::cpu::field::vector::{Mask, Words};
use crate::cpu::scalar::uniform_windows;
use zeroize::Zeroizing;

/// The coordinates of points, or of their addends.
type Coordinates = [Numbers; 4];
/// The digits of eight scalars, by window, each with 2^(w-1) added.
type Digits = [[u64; LANES]; WINDOWS];
/// The addends of 1 to 8 times each point.
type Table = [[Saved; 4]; MULTIPLES];

/// Computes k P for each scalar and point, as `secret::products` does. **Constant-time.**
pub fn secret_products<C: EdwardsCurve>(
    lanes: Lanes,
    scalars: &[Scalar<C::Order>],
    points: &[Extended],
) -> Zeroizing<Vec<Projective>> {
    // Allocated once: growing the vector would leave its old contents in freed memory.
    let mut products = Zeroizing::new(Vec::with_capacity(points.len()));
    let mut digits = Zeroizing::new([[0; LANES]; WINDOWS]);
    let mut coordinates = Zeroizing::new([[[0; LANES]; 4]; 4]);
    let mut table: Zeroizing<Table> = Zeroizing::new([[[[0; LANES]; 5]; 4]; MULTIPLES]);
    let mut product = Zeroizing::new([[[0; LANES]; 4]; 3]);
    for (scalars, points) in scalars.chunks(LANES).zip(points.chunks(LANES)) {
        recode(scalars, &mut digits);
        points_by_lane(points, &mut coordinates);
        // SAFETY: a `Lanes` proves that the instructions exist.
        unsafe {
            multiples(lanes, C::D2.limbs(), &coordinates, &mut table);
            multiply(lanes, &digits, &table, &mut product);
        }
        for lane in 0..points.len() {
            let [x, y, z] =
                product.map(|coordinate| Stored::from_limbs(coordinate.map(|limbs| limbs[lane])));
            products.push(Projective { x, y, z });
        }
    }
    products
}

/// Computes value^((p - 5) / 8) for each value. **Constant-time.**
pub fn secret_root_powers(lanes: Lanes, values: &[Stored]) -> Zeroizing<Vec<Stored>> {
    // Allocated once: growing the vector would leave its old contents in freed memory.
    let mut powers = Zeroizing::new(Vec::with_capacity(values.len()));
    let mut numbers: Zeroizing<[Numbers; CHAINS]> = Zeroizing::new([[[0; LANES]; 4]; CHAINS]);
    for group in values.chunks(LANES * CHAINS) {
        for (chain, numbers) in numbers.iter_mut().enumerate() {
            // A chain without values repeats the first.
            let start = if group.len() > chain * LANES {
                chain * LANES
            } else {
                0
            };
            elements_by_lane(&group[start..group.len().min(start + LANES)], numbers);
        }
        // SAFETY: a `Lanes` proves that the instructions exist.
        unsafe { root_powers(lanes, &mut numbers) };
        for item in 0..group.len() {
            powers.push(Stored::from_limbs(
                numbers[item / LANES].map(|limbs| limbs[item % LANES]),
            ));
        }
    }
    powers
}

/// Computes the digits of scalars; lanes without a scalar repeat the last one. A separate function,
/// so that its machine code can be analysed (tools/constant-time), as those below.
#[inline(never)]
fn recode<N: Modulus>(scalars: &[Scalar<N>], digits: &mut Digits) {
    for lane in 0..LANES {
        let limbs = scalars[lane.min(scalars.len() - 1)].limbs();
        uniform_windows(limbs, WINDOW, WINDOWS, |window, digit| {
            digits[window][lane] = u64::from((digit + MULTIPLES as i32).cast_unsigned());
        });
    }
}

/// Copies the coordinates of one point to each lane; lanes without a point repeat the last one.
#[inline(never)]
fn points_by_lane(points: &[Extended], coordinates: &mut Coordinates) {
    let [to_x, to_y, to_z, to_t] = coordinates;
    for lane in 0..LANES {
        let Extended { x, y, z, t } = &points[lane.min(points.len() - 1)];
        for (element, to) in [(x, &mut *to_x), (y, to_y), (z, to_z), (t, to_t)] {
            for (limbs, limb) in to.iter_mut().zip(element.limbs()) {
                limbs[lane] = *limb;
            }
        }
    }
}

/// Computes 1 to 8 times each point, given 2d.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn multiples(lanes: Lanes, d2: &[u64; 4], coordinates: &Coordinates, table: &mut Table) {
    let one = Element::splat(lanes, &Stored::ONE);
    let d2 = one.all(d2);
    let [x, y, z, t] = coordinates;
    // Below 1.01 p, since these are products.
    let mut multiple = Point {
        x: load(lanes, x).mul(one),
        y: load(lanes, y).mul(one),
        z: load(lanes, z).mul(one),
        t: load(lanes, t).mul(one),
    };
    let first = multiple.to_addend(d2);
    let [to_first, others @ ..] = table;
    save_addend(first, to_first);
    for to in others {
        multiple = multiple.add_projective(&first, 0).to_point();
        save_addend(multiple.to_addend(d2), to);
    }
}

/// Computes the sum of all digits' multiples, with four doublings after each window.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn multiply(lanes: Lanes, digits: &Digits, table: &Table, product: &mut [Numbers; 3]) {
    let half = Words::splat(lanes, MULTIPLES as u64);
    let mut sum = Point::identity(lanes);
    for digits in digits.iter().rev() {
        for _ in 0..WINDOW - 1 {
            sum = sum.double().without_t();
        }
        sum = sum.double().to_point();
        let digits = Words::load(lanes, digits);
        let negative: Mask = digits.and(half).zeros();
        let absolute = digits.sub(half).select_difference(negative, half, digits);
        let addend = lookup(lanes, table, absolute);
        sum = sum.add_projective(&addend, negative).without_t();
    }
    let [to_x, to_y, to_z] = product;
    store(sum.x, to_x);
    store(sum.y, to_y);
    store(sum.z, to_z);
}

/// Looks up the multiple of each lane, by its number, by reading all of them; that of 0 is the
/// identity.
#[inline(always)]
fn lookup(lanes: Lanes, table: &Table, number: Words) -> Addend {
    let identity = Point::identity(lanes).to_addend(Element::splat(lanes, &Stored::ZERO));
    Addend {
        sum: lookup_element(lanes, table, 0, number, identity.sum),
        difference: lookup_element(lanes, table, 1, number, identity.difference),
        product: lookup_element(lanes, table, 2, number, identity.product),
        z2: lookup_element(lanes, table, 3, number, identity.z2),
    }
}

/// Looks up one element of an addend: next to a sum of points, those of all do not fit the
/// registers.
#[inline(always)]
fn lookup_element(
    lanes: Lanes,
    table: &Table,
    element: usize,
    number: Words,
    of_zero: Element,
) -> Element {
    let mut selected = of_zero;
    for (multiple, addend) in table.iter().enumerate() {
        let mask = number.equals(Words::splat(lanes, multiple as u64 + 1));
        selected = selected.select(mask, restore(lanes, &addend[element]));
    }
    selected
}

/// Replaces elements by their powers.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn root_powers(lanes: Lanes, numbers: &mut [Numbers; CHAINS]) {
    let [first, second] = numbers;
    let base = Chains([load(lanes, first), load(lanes, second)]);
    let Chains([first_power, second_power]) = Stored::root_chain(&base);
    store(first_power, first);
    store(second_power, second);
}

/// Loads numbers below 2^256, which is 2.01 p.
#[inline(always)]
fn load(lanes: Lanes, [w0, w1, w2, w3]: &Numbers) -> Element {
    // Not in a closure, which would be compiled without the instructions.
    Element::unpack::<0>([
        Words::load(lanes, w0),
        Words::load(lanes, w1),
        Words::load(lanes, w2),
        Words::load(lanes, w3),
    ])
}

/// Stores elements below 1.01 p.
#[inline(always)]
fn store(element: Element, numbers: &mut Numbers) {
    for (words, to) in element.pack().into_iter().zip(numbers) {
        words.store(to);
    }
}

#[inline(always)]
fn save_addend(addend: Addend, [sum, difference, product, z2]: &mut [Saved; 4]) {
    save(addend.sum, sum);
    save(addend.difference, difference);
    save(addend.product, product);
    save(addend.z2, z2);
}

/// Copies one element to each lane; lanes without an element repeat the last one.
#[inline(never)]
fn elements_by_lane(elements: &[Stored], numbers: &mut Numbers) {
    for lane in 0..LANES {
        let element = &elements[lane.min(elements.len() - 1)];
        for (limbs, limb) in numbers.iter_mut().zip(element.limbs()) {
            limbs[lane] = *limb;
        }
    }
}
