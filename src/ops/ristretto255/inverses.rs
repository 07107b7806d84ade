//! Inverses of private keys modulo l, which remove masks.

use crate::cpu::edwards::curves::Ed25519N;
use crate::cpu::edwards::scalar::{Scalar, invert_all};
use crate::host::stack;
use crate::types::{SecretKey, SecretKeys};
use zeroize::Zeroizing;

/// Inverses of keys, which are wiped.
pub struct Inverses {
    inverses: Vec<SecretKey>,
    is_one_for_all: bool,
}

impl Inverses {
    pub fn of(keys: SecretKeys) -> Self {
        Inverses {
            inverses: stack::wiped(|| inverses(keys)),
            is_one_for_all: keys.is_one_for_all(),
        }
    }

    pub fn keys(&self) -> SecretKeys<'_> {
        if self.is_one_for_all {
            SecretKeys::all(&self.inverses[0])
        } else {
            SecretKeys::each(&self.inverses)
        }
    }
}

/// Inverts keys modulo the group order, in constant time. A key that is out of range is kept, so
/// that its item is rejected.
fn inverses(keys: SecretKeys) -> Vec<SecretKey> {
    let count = keys.len_for(1);
    // Allocated once: growing the vectors would leave their old contents in freed memory.
    let mut numbers = Zeroizing::new(Vec::with_capacity(count));
    let mut places = Vec::with_capacity(count);
    let mut inverses = Vec::with_capacity(count);
    for place in 0..count {
        let key = keys.expose(place);
        inverses.push(SecretKey::from_bytes(*key));
        if let Some(number) = Scalar::<Ed25519N>::key_from_le_bytes(key) {
            numbers.push(number);
            places.push(place);
        }
    }
    invert_all(&mut numbers);
    for (place, inverse) in places.into_iter().zip(numbers.iter()) {
        inverses[place].0 = inverse.to_le_bytes();
    }
    inverses
}
