//! Constants of the simplified SWU map from field elements to points (RFC 9380, section 6.6), in
//! the representation of the field.

use super::field::Coordinate;
use super::{CpuCurve, from_limbs};
use crate::curve::{constants, types::*};
use crate::host::process::get_or_compute;
use std::sync::OnceLock;

/// A curve with a simplified SWU map.
pub trait SswuCurve: CpuCurve {
    const PARAMETERS: SswuParameters;
    /// Returns the cell that holds the constants once they are computed.
    fn sswu_place() -> &'static OnceLock<SswuConstants<Self::Base>>;

    /// Returns the constants in the representation of the field.
    fn sswu() -> &'static SswuConstants<Self::Base> {
        get_or_compute(Self::sswu_place(), || Self::PARAMETERS.constants())
    }
}

/// The parameters as plain numbers, with little-endian limbs.
pub struct SswuParameters {
    /// The curve y^2 = x^3 + a x + b to which elements are mapped.
    a: [u64; 4],
    b: [u64; 4],
    z: [u64; 4],
    /// A square root of -Z.
    root: [u64; 4],
    isogeny: Option<IsogenyParameters>,
}

struct IsogenyParameters {
    x: [[u64; 4]; 4],
    y: [[u64; 4]; 4],
    kernel: [u64; 4],
}

/// The parameters in the representation of the field.
pub struct SswuConstants<F> {
    pub a: F,
    pub b: F,
    pub z: F,
    pub root: F,
    /// The map to the curve itself, if a b = 0 there.
    pub isogeny: Option<Isogeny<F>>,
    /// 2^192 and 1, times the factor between numbers and the form of vectors: the halves of a
    /// number below 2^384 times these give the element in the form of vectors.
    #[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
    pub halves: [F; 2],
}

/// A 3-isogeny (x, y) -> (X(x) / (x - k)^2, y Y(x) / (x - k)^3). No point of prime order is in its
/// kernel, so the denominators are not zero.
pub struct Isogeny<F> {
    /// The coefficients of X, the constant one first.
    pub x: [F; 4],
    /// The coefficients of Y.
    pub y: [F; 4],
    /// The number k.
    pub kernel: F,
}

impl SswuParameters {
    fn constants<F: Coordinate>(&self) -> SswuConstants<F> {
        SswuConstants {
            a: from_limbs(&self.a),
            b: from_limbs(&self.b),
            z: from_limbs(&self.z),
            root: from_limbs(&self.root),
            isogeny: self.isogeny.as_ref().map(|isogeny| Isogeny {
                x: isogeny.x.each_ref().map(from_limbs),
                y: isogeny.y.each_ref().map(from_limbs),
                kernel: from_limbs(&isogeny.kernel),
            }),
            #[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
            halves: halves(),
        }
    }
}

/// Computes `SswuConstants::halves`.
#[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
fn halves<F: Coordinate>() -> [F; 2] {
    // Vectors hold 2^SHIFT times the stored form, which is the number times 2^256 or itself.
    let form = if F::SHIFT == 0 { 0 } else { 256 + F::SHIFT };
    let times_two_to = |value: F, power| (0..power).fold(value, |value, _| value.double());
    let low = times_two_to(F::ONE, form);
    [times_two_to(low, 192), low]
}

impl SswuCurve for P256 {
    const PARAMETERS: SswuParameters = SswuParameters {
        a: constants::p256::MAP_A,
        b: constants::p256::MAP_B,
        z: constants::p256::MAP_Z,
        root: constants::p256::MAP_ROOT_OF_MINUS_Z,
        isogeny: None,
    };

    fn sswu_place() -> &'static OnceLock<SswuConstants<Self::Base>> {
        static CONSTANTS: OnceLock<SswuConstants<<P256 as CpuCurve>::Base>> = OnceLock::new();
        &CONSTANTS
    }
}

impl SswuCurve for Secp256k1 {
    const PARAMETERS: SswuParameters = SswuParameters {
        a: constants::secp256k1::MAP_A,
        b: constants::secp256k1::MAP_B,
        z: constants::secp256k1::MAP_Z,
        root: constants::secp256k1::MAP_ROOT_OF_MINUS_Z,
        isogeny: Some(IsogenyParameters {
            x: constants::secp256k1::MAP_ISOGENY_X,
            y: constants::secp256k1::MAP_ISOGENY_Y,
            kernel: constants::secp256k1::MAP_ISOGENY_KERNEL,
        }),
    };

    fn sswu_place() -> &'static OnceLock<SswuConstants<Self::Base>> {
        static CONSTANTS: OnceLock<SswuConstants<<Secp256k1 as CpuCurve>::Base>> = OnceLock::new();
        &CONSTANTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    fn number(limbs: &[u64; 4]) -> BigUint {
        limbs
            .iter()
            .rev()
            .fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
    }

    /// A polynomial modulo p without leading zeros, the constant coefficient first.
    type Polynomial = Vec<BigUint>;

    /// Returns the remainder of a division of polynomials.
    fn remainder(mut value: Polynomial, divisor: &Polynomial, p: &BigUint) -> Polynomial {
        let leading = divisor.last().expect("not zero");
        let inverse = leading.modpow(&(p - 2u32), p);
        while value.len() >= divisor.len() {
            let factor = value.last().expect("not zero") * &inverse % p;
            let shift = value.len() - divisor.len();
            for (index, coefficient) in divisor.iter().enumerate() {
                let product = &factor * coefficient % p;
                value[shift + index] = (&value[shift + index] + p - product) % p;
            }
            trim(&mut value);
        }
        value
    }

    fn trim(value: &mut Polynomial) {
        while value.last() == Some(&BigUint::ZERO) {
            value.pop();
        }
    }

    fn multiply(a: &Polynomial, b: &Polynomial, p: &BigUint) -> Polynomial {
        let mut product = vec![BigUint::ZERO; a.len() + b.len()];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                product[i + j] = (&product[i + j] + a * b) % p;
            }
        }
        trim(&mut product);
        product
    }

    /// Returns whether a polynomial has no root: whether it has no factor in common with x^p - x.
    fn has_no_root(value: &Polynomial, p: &BigUint) -> bool {
        let x: Polynomial = vec![BigUint::ZERO, BigUint::from(1u32)];
        let mut power = x.clone();
        for bit in (0..p.bits() - 1).rev() {
            power = remainder(multiply(&power, &power, p), value, p);
            if p.bit(bit) {
                power = remainder(multiply(&power, &x, p), value, p);
            }
        }
        power.resize(value.len(), BigUint::ZERO);
        power[1] = (&power[1] + p - 1u32) % p;
        trim(&mut power);
        let mut pair = (value.clone(), power);
        while !pair.1.is_empty() {
            let rest = remainder(pair.0, &pair.1, p);
            pair = (pair.1, rest);
        }
        pair.0.len() == 1
    }

    #[test]
    fn roots_are_found() {
        let p = BigUint::from(7u32);
        let polynomial = |coefficients: [u32; 4]| coefficients.map(BigUint::from).to_vec();
        // Modulo 7, x^3 - 2 has no root, x^3 - 1 has three, and (x - 1)(x^2 + 1) has one.
        assert!(has_no_root(&polynomial([5, 0, 0, 1]), &p));
        assert!(!has_no_root(&polynomial([6, 0, 0, 1]), &p));
        assert!(!has_no_root(&polynomial([6, 1, 6, 1]), &p));
    }

    /// The criterion of RFC 9380, section 6.6.2, that the build script does not check: g(x) - Z is
    /// irreducible, and a polynomial of degree 3 is if it has no root.
    fn meets_criterion<C: SswuCurve>() {
        let p = number(&C::Base::MODULUS);
        let SswuParameters { a, b, z, .. } = C::PARAMETERS;
        let constant = (number(&b) + &p - number(&z)) % &p;
        let g_minus_z = vec![constant, number(&a), BigUint::ZERO, BigUint::from(1u32)];
        assert!(has_no_root(&g_minus_z, &p));
    }

    #[test]
    fn right_side_minus_z_is_irreducible() {
        meets_criterion::<P256>();
        meets_criterion::<Secp256k1>();
    }
}
