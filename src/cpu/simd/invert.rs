//! Montgomery's trick in vectors: one inversion of 16 elements, by the portable code, for the
//! denominators of a batch. Products that depend on secrets are inverted by a power instead, with
//! the same instructions for all of them.

use crate::cpu::field::Coordinate;
use crate::cpu::field::vector::{Element, Lanes};
use crate::cpu::point::affine::invert_all;

/// The number of interleaved chains of products per lane: while one waits for a product, the other
/// proceeds.
const CHAINS: usize = 2;

/// The denominators of a batch and their running products. No lane of any denominator is zero.
pub struct Denominators<F> {
    lanes: Lanes,
    values: Vec<Element<F>>,
    /// The entry `prefix[i]` is the product of the values before i in the chain of i, which is `i %
    /// CHAINS`.
    prefix: Vec<Element<F>>,
    /// The products of the chains; after the inversion, the inverses of the products of the
    /// remaining values.
    products: [Element<F>; CHAINS],
}

impl<F: Coordinate> Denominators<F> {
    #[inline(always)]
    pub fn new(lanes: Lanes) -> Self {
        let one = Element::one(lanes);
        Denominators {
            lanes,
            values: Vec::new(),
            prefix: Vec::new(),
            products: [one; CHAINS],
        }
    }

    /// Starts a new batch. All values of the previous one must have been popped.
    #[inline(always)]
    pub fn restart(&mut self) {
        debug_assert!(self.values.is_empty());
        self.products = [Element::one(self.lanes); CHAINS];
    }

    /// Adds a value below 8 p.
    #[inline(always)]
    pub fn push(&mut self, value: Element<F>) {
        let product = &mut self.products[self.values.len() % CHAINS];
        self.values.push(value);
        self.prefix.push(*product);
        *product = product.mul(value);
    }

    /// Inverts the products. From now on, values can be popped.
    #[inline(always)]
    pub fn invert(&mut self) {
        invert_public(self.lanes, &mut self.products);
    }

    /// Pops the last value and returns its inverse, below 2 p.
    #[inline(always)]
    pub fn pop_inverse(&mut self) -> Element<F> {
        let value = self.values.pop().expect("as many as were pushed");
        let prefix = self.prefix.pop().expect("as many as values");
        let suffix = &mut self.products[self.values.len() % CHAINS];
        let inverse = suffix.mul(prefix);
        *suffix = suffix.mul(value);
        inverse
    }
}

/// Inverts the products of two chains by the portable code, whose time depends on them.
#[inline(always)]
pub fn invert_public<F: Coordinate>(lanes: Lanes, products: &mut [Element<F>; CHAINS]) {
    let mut numbers = [F::ZERO; 8 * CHAINS];
    for (product, numbers) in products.iter().zip(numbers.chunks_exact_mut(8)) {
        numbers.copy_from_slice(&product.store(lanes));
    }
    invert_all(&mut numbers);
    for (product, numbers) in products.iter_mut().zip(numbers.as_chunks().0) {
        *product = Element::load(lanes, numbers);
    }
}

/// Inverts the products of two chains in constant time. A function of its own, so that its machine
/// code can be analysed (tools/constant-time).
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
pub fn invert_secret<F: Coordinate>(lanes: Lanes, products: &mut [Element<F>; CHAINS]) {
    let one = Element::one(lanes);
    for product in products {
        *product = invert(one, *product);
    }
}

/// Computes value^(p - 2), the inverse, in constant time.
#[inline(always)]
pub fn invert<F: Coordinate>(one: Element<F>, value: Element<F>) -> Element<F> {
    let exponent = const {
        &[
            F::MODULUS[0] - 2,
            F::MODULUS[1],
            F::MODULUS[2],
            F::MODULUS[3],
        ]
    };
    let mut power = one;
    for bit in (0..256).rev() {
        power = power.square();
        // The exponent is public.
        if exponent[bit / 64] >> (bit % 64) & 1 == 1 {
            power = power.mul(value);
        }
    }
    power
}
