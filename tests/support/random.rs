//! Fresh random inputs, different in every run; a failing test prints the seed that repeats it.

use super::reference::{Scalar, TestCurve, bytes, reduced};

/// SplitMix64. Good enough to choose inputs, and its whole state is the seed that is printed.
pub struct Random {
    seed: u64,
    state: u64,
}

impl Random {
    /// A generator seeded by `GECC_TEST_SEED`, or at random.
    pub fn new() -> Self {
        let given = std::env::var("GECC_TEST_SEED").ok();
        let seed = match given {
            Some(text) => text.parse().expect("GECC_TEST_SEED is a decimal number"),
            None => {
                let mut bytes = [0; 8];
                getrandom::fill(&mut bytes).expect("the operating system gives randomness");
                u64::from_le_bytes(bytes)
            }
        };
        Self::from_seed(seed)
    }

    pub fn from_seed(seed: u64) -> Self {
        Random { seed, state: seed }
    }

    pub fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    pub fn bytes(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes
            .chunks_exact_mut(8)
            .for_each(|chunk| chunk.copy_from_slice(&self.word().to_le_bytes()));
        bytes
    }

    pub fn vector(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.word() as u8).collect()
    }

    /// A scalar that is zero with a probability of 2^-256.
    pub fn scalar<C: TestCurve>(&mut self) -> Scalar<C> {
        reduced::<C>(&self.bytes())
    }

    pub fn scalar_bytes<C: TestCurve>(&mut self) -> [u8; 32] {
        bytes::<C>(&self.scalar::<C>())
    }

    pub fn flip_bit(&mut self, target: &mut [u8]) {
        let bit = self.below(8 * target.len());
        target[bit / 8] ^= 1 << (bit % 8);
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

impl Drop for Random {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("repeat this failure with GECC_TEST_SEED={}", self.seed);
        }
    }
}
