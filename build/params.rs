//! Domain parameters from `curves/NAME.toml`, checked before anything is derived from them.

use crate::derive::{Reduction, power_chain};
use crate::map_to_curve::{Map, MapFile};
use num_bigint::BigUint;
use serde::Deserialize;

/// The contents of a file: numbers are 64 hexadecimal digits, big-endian.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CurveFile {
    name: String,
    p: String,
    a: String,
    b: String,
    n: String,
    gx: String,
    gy: String,
    sqrt_chain: Option<Vec<Vec<u32>>>,
    endomorphism: Option<EndomorphismFile>,
    map_to_curve: Option<MapFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndomorphismFile {
    beta: String,
    lambda: String,
}

/// A step of an addition chain: the last power is squared `squarings` times and then multiplied by
/// an earlier power.
pub struct ChainStep {
    pub squarings: u32,
    /// The index of the factor: 0 is the base, i the result of step i.
    pub factor: Option<u32>,
}

impl ChainStep {
    /// Returns a step that ends with a multiplication.
    pub fn times(squarings: u32, factor: u32) -> Self {
        ChainStep {
            squarings,
            factor: Some(factor),
        }
    }
}

/// An endomorphism: (x, y) -> (beta x, y) is multiplication by lambda.
pub struct Endomorphism {
    pub beta: BigUint,
    pub lambda: BigUint,
}

/// A short Weierstrass curve y^2 = x^3 + a x + b over a 256-bit prime field, of prime order n.
pub struct Curve {
    pub name: String,
    pub p: BigUint,
    pub a: BigUint,
    pub b: BigUint,
    pub n: BigUint,
    pub gx: BigUint,
    pub gy: BigUint,
    pub reduction: Reduction,
    /// The chain for the power (p + 1) / 4, which is a square root if there is one. Derived if the
    /// file has none.
    pub sqrt_chain: Vec<ChainStep>,
    pub endomorphism: Option<Endomorphism>,
    /// The simplified SWU map of the curve's suites in RFC 9380.
    pub map: Option<Map>,
}

impl Curve {
    /// Parses and checks one file. The error describes the problem.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: CurveFile = toml::from_str(text).map_err(|e| e.to_string())?;
        let endomorphism = match file.endomorphism {
            None => None,
            Some(e) => Some(Endomorphism {
                beta: number(&e.beta)?,
                lambda: number(&e.lambda)?,
            }),
        };
        let p = number(&file.p)?;
        let sqrt_chain = match &file.sqrt_chain {
            Some(steps) => steps
                .iter()
                .map(|step| chain_step(step))
                .collect::<Result<_, _>>()?,
            None => power_chain(&((&p + 1u32) >> 2)),
        };
        let mut curve = Curve {
            name: file.name,
            a: number(&file.a)?,
            b: number(&file.b)?,
            n: number(&file.n)?,
            gx: number(&file.gx)?,
            gy: number(&file.gy)?,
            reduction: Reduction::of(&p),
            p,
            sqrt_chain,
            endomorphism,
            map: None,
        };
        curve.check()?;
        curve.map = match &file.map_to_curve {
            None => None,
            Some(map) => Some(Map::new(map, &curve)?),
        };
        Ok(curve)
    }

    /// Checks the conditions that the code built on these constants relies on.
    fn check(&self) -> Result<(), String> {
        require(
            is_identifier(&self.name),
            "name must be an identifier in lower case",
        )?;
        let p = &self.p;
        let n = &self.n;
        require(
            p.bits() == 256 && n.bits() == 256,
            "p and n must have 256 bits",
        )?;
        require(
            is_probable_prime(p) && is_probable_prime(n),
            "p and n must be prime",
        )?;
        require(
            p % 4u32 == BigUint::from(3u32),
            "p must be 3 modulo 4 (a square root is one power)",
        )?;
        // r + n < p is a case of ECDSA's final comparison; r + 2n < p never is, since 2n > p. And n is not p.
        require(n < p, "n must be below p")?;
        require(
            [&self.a, &self.b, &self.gx, &self.gy]
                .into_iter()
                .all(|v| v < p),
            "a, b and the coordinates of G must be below p",
        )?;
        // Otherwise (0, 0) would be a point of order 2.
        require(self.b != BigUint::ZERO, "b must not be 0")?;
        let rhs = (&self.gx * &self.gx * &self.gx + &self.a * &self.gx + &self.b) % p;
        require(&self.gy * &self.gy % p == rhs, "G must lie on the curve")?;
        let discriminant = 4u32 * self.a.pow(3) + 27u32 * self.b.pow(2);
        require(
            discriminant % p != BigUint::ZERO,
            "the curve must not be singular",
        )?;
        require(self.has_order_n(), "n G must be the identity")?;
        // The number of points is a multiple of n and, by Hasse's theorem, at most p + 1 + 2
        // sqrt(p).
        require(
            n * 2u32 > p + 3u32 + p.sqrt() * 2u32,
            "n must be the number of points",
        )?;
        require(
            chain_exponent(&self.sqrt_chain) == Some((p + 1u32) >> 2),
            "sqrt_chain must give (p + 1) / 4",
        )?;
        if let Some(e) = &self.endomorphism {
            require(self.a == BigUint::ZERO, "the endomorphism needs a = 0")?;
            require(
                is_cube_root_of_one(&e.beta, p) && is_cube_root_of_one(&e.lambda, n),
                "beta and lambda must be cube roots of one",
            )?;
        }
        Ok(())
    }

    /// Returns `true` if n G is the identity. Computed with Jacobian doublings and additions of G,
    /// without an inversion.
    fn has_order_n(&self) -> bool {
        let p = &self.p;
        let one = BigUint::from(1u32);
        let mut x = self.gx.clone();
        let mut y = self.gy.clone();
        let mut z = one;
        for bit in (0..self.n.bits() - 1).rev() {
            let yy = &y * &y % p;
            let zz = &z * &z % p;
            let s = &x * &yy * 4u32 % p;
            let slope = (&x * &x * 3u32 + &self.a * &zz * &zz) % p;
            z = &y * &z * 2u32 % p;
            x = subtract(&(&slope * &slope), &(&s * 2u32), p);
            y = subtract(&(slope * subtract(&s, &x, p)), &(&yy * &yy * 8u32), p);
            if self.n.bit(bit) {
                let zz = &z * &z % p;
                let h = subtract(&(&self.gx * &zz), &x, p);
                let slope = subtract(&(&self.gy * &zz * &z), &y, p);
                if h == BigUint::ZERO {
                    // The sum so far is G or its negative. Only the latter, in the last step, means
                    // that the order is n.
                    return bit == 0 && slope != BigUint::ZERO;
                }
                let hh = &h * &h % p;
                let v = &x * &h * &h % p;
                x = subtract(&(&slope * &slope), &(&hh * &h + &v * 2u32), p);
                y = subtract(&(slope * subtract(&v, &x, p)), &(&y * &hh * &h), p);
                z = &z * &h % p;
            }
        }
        false
    }
}

/// Returns an error if a condition does not hold.
pub fn require(holds: bool, condition: &str) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(condition.to_owned())
    }
}

/// Returns whether a number other than one is a cube root of one modulo m.
fn is_cube_root_of_one(value: &BigUint, m: &BigUint) -> bool {
    let one = BigUint::from(1u32);
    *value != one && value.modpow(&3u32.into(), m) == one
}

/// Computes a - b mod p.
fn subtract(a: &BigUint, b: &BigUint, p: &BigUint) -> BigUint {
    (a + p - b % p) % p
}

/// Returns whether a text is a name of lower-case letters and digits.
pub fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
}

pub fn chain_step(step: &[u32]) -> Result<ChainStep, String> {
    match *step {
        [squarings] => Ok(ChainStep {
            squarings,
            factor: None,
        }),
        [squarings, factor] => Ok(ChainStep {
            squarings,
            factor: Some(factor),
        }),
        _ => Err(format!(
            "{step:?}: a step of sqrt_chain is one number or two"
        )),
    }
}

/// Returns the power that a chain computes, or `None` if a factor is used before it is computed.
pub fn chain_exponent(chain: &[ChainStep]) -> Option<BigUint> {
    let mut powers = vec![BigUint::from(1u32)];
    for step in chain {
        let squared = powers.last()? << step.squarings;
        let factor = step
            .factor
            .map_or(Some(&BigUint::ZERO), |index| powers.get(index as usize))?;
        powers.push(squared + factor);
    }
    powers.pop()
}

pub fn number(digits: &str) -> Result<BigUint, String> {
    if digits.len() != 64 {
        return Err(format!("{digits}: a number is 64 hexadecimal digits"));
    }
    BigUint::parse_bytes(digits.as_bytes(), 16).ok_or(format!("{digits}: not hexadecimal"))
}

/// Performs Miller-Rabin tests with the first bases: a guard against typing errors, not against an
/// adversary.
pub fn is_probable_prime(candidate: &BigUint) -> bool {
    let one = BigUint::from(1u32);
    let minus_one = candidate - &one;
    let Some(twos) = minus_one.trailing_zeros() else {
        return false;
    };
    let odd_part = &minus_one >> twos;
    [2u32, 3, 5, 7, 11, 13, 17, 19, 23, 29]
        .into_iter()
        .all(|base| {
            let mut x = BigUint::from(base).modpow(&odd_part, candidate);
            if x == one || x == minus_one {
                return true;
            }
            (1..twos).any(|_| {
                x = &x * &x % candidate;
                x == minus_one
            })
        })
}
