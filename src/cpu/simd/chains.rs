//! Powers of several vectors, interleaved.

use crate::cpu::field::Power;
use crate::cpu::field::vector::{Element, Prime};

/// The number of interleaved vectors: while one waits for a square, the other proceeds.
pub const CHAINS: usize = 2;

#[derive(Clone, Copy)]
pub struct Chains<F>(pub [Element<F>; CHAINS]);

impl<F: Prime> Power for Chains<F> {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        let mut product = *self;
        for (product, other) in product.0.iter_mut().zip(other.0) {
            *product = product.mul(other);
        }
        product
    }

    #[inline(always)]
    fn squared(&self, count: u32) -> Self {
        let mut power = *self;
        for _ in 0..count {
            for power in &mut power.0 {
                *power = power.square();
            }
        }
        power
    }
}
