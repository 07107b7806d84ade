//! Montgomery's trick in vectors: one inversion of 16 elements, by the portable code, for the
//! denominators of a batch.

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
        let mut numbers = [F::ZERO; 8 * CHAINS];
        for (product, numbers) in self.products.iter().zip(numbers.chunks_exact_mut(8)) {
            numbers.copy_from_slice(&product.store(self.lanes));
        }
        invert_all(&mut numbers);
        for (product, numbers) in self.products.iter_mut().zip(numbers.as_chunks().0) {
            *product = Element::load(self.lanes, numbers);
        }
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
