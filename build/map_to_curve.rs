//! The simplified SWU map of RFC 9380 to a curve: its parameters in `curves/NAME.toml`, checked,
//! and what is derived from them.

use crate::derive::power_chain;
use crate::params::{ChainStep, Curve, chain_exponent, chain_step, number, require};
use num_bigint::BigUint;
use serde::Deserialize;

/// The table `map_to_curve` of a file: numbers are 64 hexadecimal digits, big-endian. Without an
/// isogeny, the map is to the curve itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapFile {
    z: i64,
    inverse_sqrt_chain: Option<Vec<Vec<u32>>>,
    isogeny: Option<IsogenyFile>,
}

/// A 3-isogeny from y^2 = x^3 + a x + b. Coefficients of polynomials begin with the constant, and
/// those of the denominators leave out the leading one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IsogenyFile {
    a: String,
    b: String,
    x_num: [String; 4],
    x_den: [String; 2],
    y_num: [String; 4],
    y_den: [String; 3],
}

/// The simplified SWU map to y^2 = x^3 + a x + b.
pub struct Map {
    pub z: BigUint,
    pub a: BigUint,
    pub b: BigUint,
    /// A square root of -z.
    pub root_of_minus_z: BigUint,
    /// The chain for the power (p - 3) / 4, which is 1 / sqrt(v) for a square v. Derived if the
    /// file has none.
    pub inverse_sqrt_chain: Vec<ChainStep>,
    /// The isogeny from the curve of the map to the curve of the file, if the two differ.
    pub isogeny: Option<Isogeny>,
}

/// (x, y) -> (x_num(x) / d^2, y y_num(x) / d^3) for d = x - x_of_kernel. Coefficients begin with
/// the constant.
pub struct Isogeny {
    pub x_num: [BigUint; 4],
    pub y_num: [BigUint; 4],
    pub x_of_kernel: BigUint,
}

impl Map {
    /// Parses and checks the map to a curve. The error describes the problem.
    pub fn new(file: &MapFile, curve: &Curve) -> Result<Self, String> {
        let p = &curve.p;
        let magnitude = BigUint::from(file.z.unsigned_abs());
        require(
            magnitude != BigUint::ZERO && &magnitude < p,
            "z must not be 0",
        )?;
        let minus_z = if file.z < 0 { magnitude } else { p - magnitude };
        let (a, b, isogeny) = match &file.isogeny {
            None => (curve.a.clone(), curve.b.clone(), None),
            Some(isogeny) => {
                let (a, b) = (number(&isogeny.a)?, number(&isogeny.b)?);
                let map = Isogeny::new(isogeny, p)?;
                require(map.maps(&a, &b, curve), "the isogeny must map to the curve")?;
                (a, b, Some(map))
            }
        };
        let chain = match &file.inverse_sqrt_chain {
            Some(steps) => steps
                .iter()
                .map(|step| chain_step(step))
                .collect::<Result<_, _>>()?,
            None => power_chain(&((p - 3u32) >> 2)),
        };
        let map = Map {
            root_of_minus_z: minus_z.modpow(&((p + 1u32) >> 2), p),
            z: p - minus_z,
            a,
            b,
            inverse_sqrt_chain: chain,
            isogeny,
        };
        map.check(p)?;
        Ok(map)
    }

    /// Checks the conditions of RFC 9380, section 6.6.2, except that x^3 + a x + b - z is
    /// irreducible, by which the authors of a suite choose z but on which no step relies.
    fn check(&self, p: &BigUint) -> Result<(), String> {
        require(
            self.a != BigUint::ZERO && self.b != BigUint::ZERO,
            "the map needs a curve with a and b other than 0",
        )?;
        require(
            is_square(&(p - &self.z), p) && &self.z + 1u32 != *p,
            "z must not be a square, nor -1",
        )?;
        // The image of 0 and of the other roots of z^2 u^4 + z u^2.
        let inverse = (&self.z * &self.a % p).modpow(&(p - 2u32), p);
        let x = &self.b * inverse % p;
        require(
            is_square(&((&x * &x * &x + &self.a * &x + &self.b) % p), p),
            "b / (z a) must be the x-coordinate of a point",
        )?;
        require(
            chain_exponent(&self.inverse_sqrt_chain) == Some((p - 3u32) >> 2),
            "inverse_sqrt_chain must give (p - 3) / 4",
        )
    }
}

impl Isogeny {
    fn new(file: &IsogenyFile, p: &BigUint) -> Result<Self, String> {
        let half = (p + 1u32) >> 1;
        let [x_den, y_den] = [numbers(&file.x_den)?, numbers(&file.y_den)?];
        let x_of_kernel = (p - &x_den[1]) * half % p;
        // (x - k)^2 and (x - k)^3.
        let k = &x_of_kernel;
        let minus_k = p - k;
        let square = k * k % p;
        let cube = &square * &minus_k % p;
        let is_cube = y_den == [cube, &square * 3u32 % p, &minus_k * 3u32 % p];
        require(
            x_den[0] == square && is_cube,
            "the denominators must be the square and the cube of the same x - k",
        )?;
        let polynomial = |coefficients: &[String; 4]| -> Result<[BigUint; 4], String> {
            let coefficients = numbers(coefficients)?;
            Ok(coefficients.try_into().expect("four of them"))
        };
        Ok(Isogeny {
            x_num: polynomial(&file.x_num)?,
            y_num: polynomial(&file.y_num)?,
            x_of_kernel,
        })
    }

    /// Returns `true` if every point of y^2 = x^3 + a x + b is mapped to a point of the curve: if
    /// two polynomials of degree 9 are equal, which they are if they have ten values in common.
    fn maps(&self, a: &BigUint, b: &BigUint, curve: &Curve) -> bool {
        let p = &curve.p;
        (1u32..=10).map(BigUint::from).all(|x| {
            let d = &x + p - &self.x_of_kernel;
            let d_squared = &d * &d % p;
            let d_fourth = &d_squared * &d_squared % p;
            let d_sixth = &d_fourth * &d_squared % p;
            let [x_num, y_num] = [&self.x_num, &self.y_num].map(|numerator| {
                let terms = numerator.iter().zip(0u32..);
                terms.map(|(k, power)| k * x.pow(power)).sum::<BigUint>() % p
            });
            let y_squared = &x * &x * &x + a * &x + b;
            let image = x_num.pow(3) + &curve.a * x_num * d_fourth + &curve.b * d_sixth;
            &y_num * &y_num * y_squared % p == image % p
        })
    }
}

fn numbers(digits: &[String]) -> Result<Vec<BigUint>, String> {
    digits.iter().map(|digits| number(digits)).collect()
}

/// Returns whether a number other than 0 is a square modulo p.
fn is_square(value: &BigUint, p: &BigUint) -> bool {
    value.modpow(&((p - 1u32) >> 1), p) == BigUint::from(1u32)
}
