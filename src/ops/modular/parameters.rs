//! Constants of the device code that are derived from a modulus, which may be a secret prime.

use crate::host::stack;
use zeroize::Zeroizing;

/// Bits per limb of the double-precision multiplication.
const SAMPLE_BITS: usize = 52;

/// The bits of such a limb.
const SAMPLE_MASK: u64 = (1 << SAMPLE_BITS) - 1;

/// A number as limbs of 64 bits, least significant first.
pub type Limbs = Zeroizing<Vec<u64>>;
/// A modulus with its derived constants, in the memory layout of the kernel.
pub type MulModParameters = Zeroizing<Vec<u8>>;

/// Returns a modulus as limbs of 64 bits, and the parameters of `cuda/kernels/modexp.cu`.
pub fn of_modexp(modulus: &[u8]) -> (Limbs, Limbs) {
    stack::wiped(|| {
        let samples = samples(modulus.len());
        let modulus = limbs(modulus);
        let r2 = power_of_two(&modulus, 2 * SAMPLE_BITS * samples);
        let mut parameters = Zeroizing::new(Vec::with_capacity(2 * samples + 1));
        parameters.extend((0..samples).map(|k| sample(&modulus, k)));
        parameters.extend((0..samples).map(|k| sample(&r2, k)));
        parameters.push(negated_inverse(modulus[0]) & SAMPLE_MASK);
        (modulus, parameters)
    })
}

/// Returns the k-th limb of [`SAMPLE_BITS`] bits of a number.
fn sample(number: &Limbs, k: usize) -> u64 {
    let limb = SAMPLE_BITS * k / 64;
    let shift = SAMPLE_BITS * k % 64;
    let low = number.get(limb).copied().unwrap_or(0);
    let high = number.get(limb + 1).copied().unwrap_or(0);
    ((u128::from(low) | u128::from(high) << 64) >> shift) as u64 & SAMPLE_MASK
}

/// Returns the modulus of `cuda/kernels/mul_mod.cu` in the memory layout of the kernel.
pub fn of_mul_mod(modulus: &[u8]) -> MulModParameters {
    stack::wiped(|| {
        let modulus = limbs(modulus);
        let r2 = power_of_two(&modulus, 2 * 64 * modulus.len());
        let mut bytes = Zeroizing::new(Vec::with_capacity(16 * modulus.len() + 4));
        bytes.extend(modulus.iter().flat_map(|limb| limb.to_le_bytes()));
        bytes.extend(&negated_inverse(modulus[0]).to_le_bytes()[..4]);
        bytes.extend(r2.iter().flat_map(|limb| limb.to_le_bytes()));
        bytes
    })
}

/// Returns the number of limbs that `cuda/modular/modexp.cuh` uses.
fn samples(modulus_bytes: usize) -> usize {
    match modulus_bytes {
        128 => 20,
        192 => 32,
        256 => 40,
        _ => unreachable!("the public calls take no other size"),
    }
}

fn limbs(number: &[u8]) -> Limbs {
    Zeroizing::new(
        number
            .as_rchunks()
            .1
            .iter()
            .rev()
            .map(|bytes| u64::from_be_bytes(*bytes))
            .collect(),
    )
}

/// Computes `2^exponent` modulo a modulus above 1 with a fixed sequence of doublings, because the
/// modulus may be a prime of a private key.
fn power_of_two(modulus: &Limbs, exponent: usize) -> Limbs {
    let mut power = Zeroizing::new(vec![0; modulus.len()]);
    let mut reduced = power.clone();
    power[0] = 1;
    for _ in 0..exponent {
        let mut carry = 0;
        let mut borrow = 0;
        for ((limb, reduced), modulus) in
            power.iter_mut().zip(reduced.iter_mut()).zip(modulus.iter())
        {
            let doubled = *limb << 1 | carry;
            carry = *limb >> 63;
            *limb = doubled;
            let difference = u128::from(doubled)
                .wrapping_sub(u128::from(*modulus))
                .wrapping_sub(borrow);
            *reduced = difference as u64;
            borrow = difference >> 127;
        }
        // The double is below the modulus if subtracting borrows more than the top bit that was
        // shifted out.
        let keep = std::hint::black_box(0u64.wrapping_sub(borrow as u64 & !carry));
        for (limb, reduced) in power.iter_mut().zip(reduced.iter()) {
            *limb = *limb & keep | reduced & !keep;
        }
    }
    power
}

/// Computes `-m^-1` modulo 2^64 for an odd m with Newton's iteration; m is its own inverse modulo
/// 8.
fn negated_inverse(m: u64) -> u64 {
    let mut inverse = m;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(m.wrapping_mul(inverse)));
    }
    inverse.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    fn number(limbs: &[u64]) -> BigUint {
        limbs
            .iter()
            .rev()
            .fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
    }

    fn moduli() -> Vec<Vec<u8>> {
        let mut moduli = vec![
            vec![0xff; 16],
            vec![0x80; 64],
            vec![0; 128],
            vec![0xa7; 192],
            vec![0xff; 256],
        ];
        moduli[1][63] = 1;
        moduli[2][127] = 3;
        moduli[4][0] = 0x12;
        moduli
    }

    #[test]
    fn powers_of_two_and_inverses() {
        for modulus in moduli() {
            let limbs = limbs(&modulus);
            let m = BigUint::from_bytes_be(&modulus);
            assert_eq!(number(&limbs), m);
            for exponent in [0, 1, 63, 64, 127, 128, 129, 2080, 4160] {
                assert_eq!(
                    number(&power_of_two(&limbs, exponent)),
                    (BigUint::from(1u32) << exponent) % &m
                );
            }
            assert_eq!(limbs[0].wrapping_mul(negated_inverse(limbs[0])), u64::MAX);
        }
    }

    /// Returns the number with the given limbs of [`SAMPLE_BITS`] bits.
    fn value(samples: &[u64]) -> BigUint {
        samples
            .iter()
            .rev()
            .fold(BigUint::ZERO, |sum, sample| (sum << SAMPLE_BITS) + sample)
    }

    #[test]
    fn parameters_match_the_layout_of_the_kernels() {
        for modulus in moduli() {
            let m = BigUint::from_bytes_be(&modulus);
            let limbs = limbs(&modulus);
            let bytes = of_mul_mod(&modulus);
            let (head, r2) = bytes.split_at(modulus.len() + 4);
            assert_eq!(BigUint::from_bytes_le(&head[..modulus.len()]), m);
            assert_eq!(
                BigUint::from_bytes_le(r2),
                (BigUint::from(1u32) << (16 * modulus.len())) % &m
            );
            if modulus.len() < 128 {
                continue;
            }
            let count = samples(modulus.len());
            assert!(SAMPLE_BITS * count >= 8 * modulus.len() + 2, "R >= 4M");
            let (_, parameters) = of_modexp(&modulus);
            assert_eq!(value(&parameters[..count]), m);
            let r2 = (BigUint::from(1u32) << (2 * SAMPLE_BITS * count)) % &m;
            assert_eq!(value(&parameters[count..2 * count]), r2);
            assert_eq!(
                limbs[0].wrapping_mul(parameters[2 * count]) << 12,
                u64::MAX << 12
            );
        }
    }
}
