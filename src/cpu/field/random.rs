//! Random numbers for tests, from a seed that is printed.

use super::limbs::Limbs;

/// SplitMix64: enough to spread test values, and small enough to read.
pub struct Random(u64);

impl Random {
    /// Prints the seed, so that a failing test shows it.
    pub fn with_seed(seed: u64) -> Self {
        println!("seed {seed:#018x}");
        Random(seed)
    }

    pub fn fresh() -> Self {
        let mut seed = [0; 8];
        getrandom::fill(&mut seed).expect("the system has random bytes");
        Random::with_seed(u64::from_le_bytes(seed))
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn number(&mut self) -> Limbs {
        core::array::from_fn(|_| self.word())
    }
}
