//! Random numbers, different in every run; a test that fails prints the seed.

use rand::SeedableRng;
use rand::rngs::StdRng;
use std::ops::{Deref, DerefMut};

pub struct Random {
    seed: u64,
    numbers: StdRng,
}

impl Random {
    pub fn new() -> Self {
        let seed = rand::random();
        Random {
            seed,
            numbers: StdRng::seed_from_u64(seed),
        }
    }
}

impl Deref for Random {
    type Target = StdRng;

    fn deref(&self) -> &StdRng {
        &self.numbers
    }
}

impl DerefMut for Random {
    fn deref_mut(&mut self) -> &mut StdRng {
        &mut self.numbers
    }
}

impl Drop for Random {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}", self.seed);
        }
    }
}
