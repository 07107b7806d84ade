//! Expected results of the GPU's multiplication methods (`cuda/lab/methods.cu`), computed with
//! `crypto-bigint`.

use elliptic_curve::bigint::modular::{FixedMontyForm, FixedMontyParams};
use elliptic_curve::bigint::{Odd, U64, U128, U256, U384, U512, U1024, U1536, U2048, Uint};
use rayon::prelude::*;

/// The number of items that one thread computes at a time.
const BLOCK: usize = 256;

/// A chain of multiplications or squarings modulo an odd number with its top bit set. Numbers are
/// little-endian.
#[derive(Clone, Copy, Debug)]
pub struct Chain<'a> {
    pub modulus: &'a [u8],
    /// The exponent of the power of two by which each multiplication divides.
    pub radix_bits: usize,
    /// True if each step is a squaring rather than a product with the item.
    pub squares: bool,
    pub rounds: u32,
}

impl Chain<'_> {
    /// Returns the results of concatenated items, which are below the modulus.
    pub fn results(&self, items: &[u8]) -> Vec<u8> {
        match self.modulus.len() {
            16 => self.of_limbs::<{ U128::LIMBS }>(items),
            32 => self.of_limbs::<{ U256::LIMBS }>(items),
            48 => self.of_limbs::<{ U384::LIMBS }>(items),
            64 => self.of_limbs::<{ U512::LIMBS }>(items),
            _ => unreachable!("the methods have no other size"),
        }
    }

    fn of_limbs<const LIMBS: usize>(&self, items: &[u8]) -> Vec<u8> {
        let bytes = self.modulus.len();
        let params = parameters(Uint::<LIMBS>::from_le_slice(self.modulus));
        // A Montgomery product divides by 2^bits; an additional product with 2^(2 bits -
        // radix_bits) makes that 2^radix_bits.
        let exponent = u64::try_from(2 * 8 * bytes - self.radix_bits).expect("a few hundred");
        let two = FixedMontyForm::new(&Uint::from(2u8), &params);
        let correction =
            FixedMontyForm::from_montgomery(two.pow(&U64::from(exponent)).retrieve(), &params);
        let mut results = vec![0; items.len()];
        let blocks = results
            .par_chunks_mut(BLOCK * bytes)
            .zip(items.par_chunks(BLOCK * bytes));
        blocks.for_each(|(results, items)| {
            for (result, item) in results.chunks_mut(bytes).zip(items.chunks(bytes)) {
                let item = FixedMontyForm::from_montgomery(Uint::from_le_slice(item), &params);
                let mut power = item;
                for _ in 0..self.rounds {
                    power = power
                        .mul(if self.squares { &power } else { &item })
                        .mul(&correction);
                }
                result.copy_from_slice(power.as_montgomery().to_le_bytes().as_ref());
            }
        });
        results
    }
}

/// Returns the products of each of a with each of b modulo an odd number. All are big-endian and
/// below the modulus.
pub fn all_products<const BYTES: usize>(
    modulus: &[u8; BYTES],
    a: &[[u8; BYTES]],
    b: &[[u8; BYTES]],
) -> Vec<[u8; BYTES]> {
    match BYTES {
        128 => products::<{ U1024::LIMBS }, BYTES>(modulus, a, b),
        192 => products::<{ U1536::LIMBS }, BYTES>(modulus, a, b),
        256 => products::<{ U2048::LIMBS }, BYTES>(modulus, a, b),
        _ => unreachable!("modular exponentiation has no other size"),
    }
}

fn products<const LIMBS: usize, const BYTES: usize>(
    modulus: &[u8; BYTES],
    a: &[[u8; BYTES]],
    b: &[[u8; BYTES]],
) -> Vec<[u8; BYTES]> {
    let params = parameters(Uint::<LIMBS>::from_be_slice(modulus));
    // a times b R is a b R, and the Montgomery product removes the R.
    let factors: Vec<FixedMontyForm<LIMBS>> = b
        .iter()
        .map(|b| FixedMontyForm::new(&Uint::from_be_slice(b), &params))
        .collect();
    let mut products = vec![[0; BYTES]; a.len() * b.len()];
    a.par_iter()
        .zip(products.par_chunks_mut(b.len()))
        .for_each(|(a, row)| {
            let a = FixedMontyForm::from_montgomery(Uint::from_be_slice(a), &params);
            for (product, b) in row.iter_mut().zip(&factors) {
                product.copy_from_slice(a.mul(b).as_montgomery().to_be_bytes().as_ref());
            }
        });
    products
}

fn parameters<const LIMBS: usize>(modulus: Uint<LIMBS>) -> FixedMontyParams<LIMBS> {
    FixedMontyParams::new(Odd::new(modulus).into_option().expect("the modulus is odd"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    #[test]
    fn chains_agree_with_big_integers() {
        for (bytes, radix_bits) in [(16, 128_usize), (16, 156), (32, 0), (48, 416), (64, 520)] {
            let mut random = vec![0; 4 * bytes];
            getrandom::fill(&mut random).unwrap();
            let (modulus, items) = random.split_at_mut(bytes);
            modulus[0] |= 1;
            modulus[bytes - 1] = 0xff;
            items
                .chunks_mut(bytes)
                .for_each(|item| item[bytes - 1] = 0x7f);
            let m = BigUint::from_bytes_le(modulus);
            let inverse: BigUint = (BigUint::from(1u8) << radix_bits).modinv(&m).unwrap();
            for squares in [false, true] {
                let results = Chain {
                    modulus,
                    radix_bits,
                    squares,
                    rounds: 3,
                }
                .results(items);
                for (result, item) in results.chunks(bytes).zip(items.chunks(bytes)) {
                    let item = BigUint::from_bytes_le(item);
                    let mut expected = item.clone();
                    for _ in 0..3 {
                        expected = &expected * (if squares { &expected } else { &item }) % &m
                            * &inverse
                            % &m;
                    }
                    assert_eq!(BigUint::from_bytes_le(result), expected);
                }
            }
        }
    }

    fn number(bytes: &[u8]) -> BigUint {
        BigUint::from_bytes_be(bytes)
    }

    #[test]
    fn products_agree_with_big_integers() {
        let mut a = [[0; 192]; 2];
        let mut b = [[0; 192]; 3];
        let mut modulus = [0xff; 192];
        getrandom::fill(a.as_flattened_mut()).unwrap();
        getrandom::fill(b.as_flattened_mut()).unwrap();
        modulus[191] = 0xfd;
        let expected = a
            .iter()
            .flat_map(|a| b.iter().map(move |b| number(a) * number(b)));
        let products = all_products(&modulus, &a, &b);
        assert_eq!(products.len(), 6);
        assert!(
            products
                .iter()
                .zip(expected)
                .all(|(found, product)| number(found) == product % number(&modulus))
        );
    }
}
