//! The simplified SWU map (RFC 9380, sections 6.6.2 and 6.6.3) in constant time: the same
//! instructions at the same addresses for all elements. Everything derived from the elements is
//! wiped, except the results, which belong to the caller.
//!
//! The RFC's straight-line programs divide once per element, which takes as long as its square
//! root. Here the x-coordinates that are tried first are divided by Montgomery's trick, with an
//! inversion for all elements that is a power with a public exponent, so that roots are those of
//! numbers and not of fractions. The results are the same, as a point is determined by its x and
//! the sign of its y.

use super::chains::{CHAINS, Chains};
use super::invert::invert;
use super::point::{Affine, Jacobian};
use super::uniform::{Saved, normalize, save};
use crate::cpu::field::vector::{Element, LANES, Lanes, Mask, Words};
use crate::cpu::field::{Coordinate, Power};
use crate::cpu::point::affine;
use crate::cpu::sswu::{Isogeny, SswuConstants, SswuCurve};
use crate::host::wiped::Wiped;

/// Bytes that are reduced to an element (RFC 9380, section 5.1: L).
pub const ELEMENT_BYTES: usize = 48;

/// Uniform bytes for an element.
pub type ElementBytes = [u8; ELEMENT_BYTES];

/// The state of the points of eight elements before their roots are computed.
#[derive(Clone, Copy, Default)]
struct Pending {
    /// The element u.
    u: Saved,
    /// Z u^2, the quotient of the second x-coordinate and the first.
    ratio: Saved,
    /// The first x-coordinate; until all denominators are inverted, its numerator.
    x: Saved,
    denominator: Saved,
}

/// Returns the point of each item, whose `COUNT` elements are `elements[COUNT i..][..COUNT]`: the
/// sum of their images. It can be the identity if `COUNT` is 2.
pub fn map_to_curve<C: SswuCurve, const COUNT: usize>(
    lanes: Lanes,
    elements: &[ElementBytes],
) -> Wiped<affine::Affine<C::Base>> {
    let items = elements.len() / COUNT;
    let mut points = Wiped::repeat(affine::Affine::IDENTITY, items.next_multiple_of(LANES));
    // SAFETY: a `Lanes` proves that the instructions exist.
    unsafe { map::<C, COUNT>(lanes, elements.as_chunks().0, &mut points) };
    points.truncate(items);
    points
}

#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn map<C: SswuCurve, const COUNT: usize>(
    lanes: Lanes,
    items: &[[ElementBytes; COUNT]],
    points: &mut [affine::Affine<C::Base>],
) {
    let mut images = images::<C, COUNT>(lanes, items);
    if COUNT == 1 {
        return store_affine(lanes, &images, &[], points);
    }
    let mut identities = Vec::with_capacity(images.len());
    let (pairs, _) = images.as_chunks_mut::<2>();
    for pair in pairs.iter_mut() {
        identities.push(sum::<C>(lanes, pair));
    }
    // The sums of pairs are in the first of each.
    let mut sums = Wiped::with_capacity(pairs.len());
    pairs.iter().for_each(|[sum, _]| sums.push(*sum));
    store_affine(lanes, &sums, &identities, points);
}

/// Returns the images of all elements on the curve itself, of which all that are added are affine:
/// of the first elements of eight items, then of their second elements.
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn images<C: SswuCurve, const COUNT: usize>(
    lanes: Lanes,
    items: &[[ElementBytes; COUNT]],
) -> Wiped<[Saved; 3]> {
    let constants = C::sswu();
    let map = Map::new(lanes, constants);
    let groups = COUNT * items.len().div_ceil(LANES);
    let padded = groups.next_multiple_of(CHAINS);
    let mut pending = Wiped::repeat(Pending::default(), padded);
    for (group, pending) in items.chunks(LANES).zip(pending.chunks_mut(COUNT)) {
        for (index, pending) in pending.iter_mut().enumerate() {
            // Lanes without an item repeat the last one.
            let bytes = core::array::from_fn(|lane| &group[lane.min(group.len() - 1)][index]);
            prepare(lanes, &map, &bytes, pending);
        }
    }
    if padded > groups {
        pending[groups] = pending[groups - 1];
    }
    let mut prefix = Wiped::repeat([[0; LANES]; 5], padded);
    divide(lanes, &map, &mut pending, &mut prefix);
    let mut images = Wiped::repeat([[[0; LANES]; 5]; 3], padded);
    let mut powers = Wiped::repeat(Chains([map.one; CHAINS]), C::Base::SQRT_CHAIN.len());
    for (pending, images) in pending.as_chunks().0.iter().zip(images.as_chunks_mut().0) {
        complete(lanes, &map, pending, &mut powers, images);
    }
    images.truncate(groups);
    if let Some(isogeny) = &constants.isogeny {
        let isogeny = IsogenyMap::new(lanes, isogeny);
        for image in images.iter_mut() {
            apply(lanes, &isogeny, image);
        }
        if COUNT > 1 {
            let mut affine = Wiped::repeat([[[0; LANES]; 5]; 2], groups);
            make_affine::<C::Base>(lanes, &mut images, &mut affine);
        }
    }
    images
}

/// Replaces the first of two points, whose Z is one, by their sum, with a Z of one if that is the
/// identity. Returns the lanes where it is.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn sum<C: SswuCurve>(lanes: Lanes, pair: &mut [[Saved; 3]; 2]) -> Mask {
    let [first, second] = pair.each_ref().map(|[x, y, _]| Affine::<C::Base> {
        x: Element::restore(lanes, x),
        y: Element::restore(lanes, y),
    });
    let one = Element::one(lanes);
    let first = Jacobian {
        x: first.x,
        y: first.y,
        z: one,
    };
    let sum = first.add_uniform::<C>(lanes, second, 0);
    let is_identity = sum.z.sum().fold().zeros();
    let z = sum.z.select(is_identity, one);
    save(Jacobian { z, ..sum }, &mut pair[0]);
    is_identity
}

/// Converts points to affine form, with Z = 1. `affine` is memory for as many points.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn make_affine<F: Coordinate>(lanes: Lanes, points: &mut [[Saved; 3]], affine: &mut [[Saved; 2]]) {
    normalize::<F>(lanes, points, |group, Affine { x, y }| {
        let [to_x, to_y] = &mut affine[group];
        x.save(to_x);
        y.save(to_y);
    });
    for ([to_x, to_y, to_z], [x, y]) in points.iter_mut().zip(affine.iter()) {
        *to_x = *x;
        *to_y = *y;
        Element::<F>::one(lanes).save(to_z);
    }
}

/// Stores the affine form of points for the portable code. There are no identities, or a mask of
/// them for each group of eight.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn store_affine<F: Coordinate>(
    lanes: Lanes,
    points: &[[Saved; 3]],
    identities: &[Mask],
    out: &mut [affine::Affine<F>],
) {
    let groups = out.as_chunks_mut::<LANES>().0;
    normalize::<F>(lanes, points, |group, Affine { x, y }| {
        let x = x.store(lanes);
        let y = y.store(lanes);
        let identities = identities.get(group).copied().unwrap_or(0);
        for (lane, out) in groups[group].iter_mut().enumerate() {
            *out = affine::Affine {
                x: x[lane],
                y: y[lane],
                infinity: identities >> lane & 1 == 1,
            };
        }
    });
}

/// The map to y^2 = x^3 + a x + b.
struct Map<F> {
    a: Element<F>,
    b: Element<F>,
    z: Element<F>,
    root: Element<F>,
    halves: [Element<F>; 2],
    one: Element<F>,
}

impl<F: Coordinate> Map<F> {
    #[inline(always)]
    fn new(lanes: Lanes, constants: &SswuConstants<F>) -> Self {
        let all = |value: &F| Element::splat(lanes, value);
        Map {
            a: all(&constants.a),
            b: all(&constants.b),
            z: all(&constants.z),
            root: all(&constants.root),
            halves: constants.halves.each_ref().map(all),
            one: Element::one(lanes),
        }
    }

    /// Reduces 48 bytes per lane, big-endian, to elements below 2 p.
    #[inline(always)]
    fn element(&self, lanes: Lanes, bytes: &[&ElementBytes; LANES]) -> Element<F> {
        // Halves of 192 bits, in words of 64 bits with the least significant first.
        let mut words = [[[0; LANES]; 4]; 2];
        for (lane, bytes) in bytes.iter().enumerate() {
            for (half, digits) in words.iter_mut().zip(bytes.as_chunks::<24>().0) {
                for (word, digits) in half.iter_mut().zip(digits.as_chunks().0.iter().rev()) {
                    word[lane] = u64::from_be_bytes(*digits);
                }
            }
        }
        let [high, low] = words
            .each_ref()
            .map(|half| Element::unpack::<0>(half.each_ref().map(|word| Words::load(lanes, word))));
        // Below 2^-64 2.01 p in each product.
        high.mul_add(self.halves[0], low, self.halves[1])
    }

    /// Computes x^3 + a x + b, below 2.01 p.
    #[inline(always)]
    fn right_side(&self, x: Element<F>) -> Element<F> {
        // Below 4.1 p.
        let square_plus_a = (x.square().sum() + self.a.sum()).plus_multiple(0);
        (square_plus_a.mul(x).sum() + self.b.sum()).fold()
    }

    /// Chooses between the two x-coordinates, and the sign of y; Z = 1. `root` is `right^((p + 1) / 4)`.
    ///
    /// If that is not a root of `right`, it is one of `-right`, and `sqrt(-Z) Z u^3 root` is one of
    /// `Z^3 u^6 right`, which is the right side for the second coordinate `Z u^2 x`.
    #[inline(always)]
    fn point(
        &self,
        lanes: Lanes,
        pending: &Pending,
        x: Element<F>,
        right: Element<F>,
        root: Element<F>,
    ) -> Jacobian<F> {
        let u = Element::restore(lanes, &pending.u);
        let ratio = Element::restore(lanes, &pending.ratio);
        let is_root = (root.square().sum() - right.sum()).fold().zeros();
        let other_x = ratio.mul(x);
        let other_y = self.root.mul(ratio).mul(u).mul(root);
        let x = other_x.select(is_root, x);
        let y = other_y.select(is_root, root);
        let differ = odd(lanes, u) ^ odd(lanes, y);
        Jacobian {
            x,
            y: y.sum().negate(differ).fold(),
            z: self.one,
        }
    }
}

/// Computes the x-coordinates that are tried first, as fractions: -b / a (1 + 1 / (Z^2 u^4 + Z
/// u^2)), or b / (Z a) if that denominator is zero.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn prepare<F: Coordinate>(
    lanes: Lanes,
    map: &Map<F>,
    bytes: &[&ElementBytes; LANES],
    out: &mut Pending,
) {
    let u = map.element(lanes, bytes);
    // Below 2 p, and below 2.01 p.
    let ratio = map.z.mul(u.square());
    let sum = (ratio.square().sum() + ratio.sum()).fold();
    // Below 4.1 p and 3 p.
    let numerator = map.b.mul((sum.sum() + map.one.sum()).plus_multiple(0));
    let negative = (-sum.sum()).plus_multiple(3);
    let denominator = map.a.mul(negative.select(sum.zeros(), map.z));
    u.save(&mut out.u);
    ratio.save(&mut out.ratio);
    numerator.save(&mut out.x);
    denominator.save(&mut out.denominator);
}

/// Divides all numerators by their denominators. No denominator is zero: see `prepare`. `prefix`
/// is memory for the products of the denominators before each.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn divide<F: Coordinate>(
    lanes: Lanes,
    map: &Map<F>,
    pending: &mut [Pending],
    prefix: &mut [Saved],
) {
    let mut product = map.one;
    for (before, pending) in prefix.iter_mut().zip(pending.iter()) {
        product.save(before);
        product = product.mul(Element::restore(lanes, &pending.denominator));
    }
    let mut inverse = invert(map.one, product);
    for (before, pending) in prefix.iter().zip(pending).rev() {
        let numerator = Element::restore(lanes, &pending.x);
        let x = numerator.mul(inverse.mul(Element::restore(lanes, before)));
        inverse = inverse.mul(Element::restore(lanes, &pending.denominator));
        x.save(&mut pending.x);
    }
}

/// Computes points, with Z = 1. `powers` is memory for those of `root`.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn complete<F: Coordinate>(
    lanes: Lanes,
    map: &Map<F>,
    pending: &[Pending; CHAINS],
    powers: &mut [Chains<F>],
    out: &mut [[Saved; 3]; CHAINS],
) {
    // Without loops over the chains, so that they are in registers or have fixed places.
    let [first, second] = pending;
    let x = [
        Element::restore(lanes, &first.x),
        Element::restore(lanes, &second.x),
    ];
    let right = [map.right_side(x[0]), map.right_side(x[1])];
    let Chains(roots) = root(&Chains(right), powers);
    let [to_first, to_second] = out;
    save(map.point(lanes, first, x[0], right[0], roots[0]), to_first);
    save(
        map.point(lanes, second, x[1], right[1], roots[1]),
        to_second,
    );
}

/// Returns the lanes whose residue is odd (sgn0 of the RFC).
#[inline(always)]
fn odd<F: Coordinate>(lanes: Lanes, element: Element<F>) -> Mask {
    let [lowest, ..] = element.to_number(lanes);
    !lowest.and(Words::splat(lanes, 1)).zeros()
}

/// Computes the power (p + 1) / 4, as `Coordinate::root_chain` does, but leaves it to the caller
/// to wipe the powers.
#[inline(always)]
fn root<F: Coordinate>(base: &Chains<F>, powers: &mut [Chains<F>]) -> Chains<F> {
    let mut last = *base;
    for (step, &(squarings, factor)) in F::SQRT_CHAIN.iter().enumerate() {
        powers[step] = last;
        last = last.squared(squarings);
        if let Some(factor) = factor {
            last = last.times(&powers[factor]);
        }
    }
    last
}

/// The isogeny to the curve itself.
struct IsogenyMap<F> {
    x: [Element<F>; 4],
    y: [Element<F>; 4],
    kernel: Element<F>,
}

impl<F: Coordinate> IsogenyMap<F> {
    #[inline(always)]
    fn new(lanes: Lanes, isogeny: &Isogeny<F>) -> Self {
        let all = |value: &F| Element::splat(lanes, value);
        IsogenyMap {
            x: isogeny.x.each_ref().map(all),
            y: isogeny.y.each_ref().map(all),
            kernel: all(&isogeny.kernel),
        }
    }
}

/// Replaces affine points by their images in Jacobian coordinates: the denominators are powers of
/// one Z = x - k.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn apply<F: Coordinate>(lanes: Lanes, isogeny: &IsogenyMap<F>, point: &mut [Saved; 3]) {
    let [x, y, _] = point;
    let x = Element::restore(lanes, x);
    let y = Element::restore(lanes, y);
    let image = Jacobian {
        x: evaluate(&isogeny.x, x).sum().fold(),
        y: y.mul(evaluate(&isogeny.y, x)),
        z: (x.sum() - isogeny.kernel.sum()).fold(),
    };
    save(image, point);
}

/// Evaluates a polynomial whose constant coefficient is the first, at an x below 2 p. Below 4.1 p.
#[inline(always)]
fn evaluate<F: Coordinate>(coefficients: &[Element<F>; 4], x: Element<F>) -> Element<F> {
    let [rest @ .., highest] = coefficients;
    let mut value = *highest;
    for coefficient in rest.iter().rev() {
        value = (value.mul(x).sum() + coefficient.sum()).plus_multiple(0);
    }
    value
}
