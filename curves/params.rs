//! Domain parameters as `curves/NAME.toml` states them, checked before anything is derived from them.

use num_bigint::BigUint;
use serde::Deserialize;

/// The file as written: numbers are 64 hexadecimal digits, big-endian.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    type_name: String,
    standard: String,
    p: String,
    a: String,
    b: String,
    n: String,
    gx: String,
    gy: String,
    schemes: Vec<String>,
    reduction: Reduction,
    sqrt_chain: Vec<Vec<u32>>,
    endomorphism: Option<EndomorphismFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndomorphismFile {
    beta: String,
    lambda: String,
}

/// What the shape of p allows after a multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reduction {
    /// p = 2^256 - c with c below 2^64.
    Fold,
    /// The prime of P-256, Montgomery form.
    P256,
    /// The prime of SM2, Montgomery form.
    Sm2,
    /// Any odd p, Montgomery form.
    Montgomery,
}

/// A step of an addition chain: the last power is squared so often, and then multiplied by an earlier power.
pub struct ChainStep {
    pub squarings: u32,
    /// 0 is the base, i the result of step i.
    pub factor: Option<u32>,
}

/// (x, y) -> (beta x, y) is multiplication by lambda.
pub struct Endomorphism {
    pub beta: BigUint,
    pub lambda: BigUint,
}

/// A short Weierstrass curve y^2 = x^3 + a x + b over a 256-bit prime field, of prime order n.
pub struct Curve {
    pub name: String,
    pub type_name: String,
    pub standard: String,
    pub p: BigUint,
    pub a: BigUint,
    pub b: BigUint,
    pub n: BigUint,
    pub gx: BigUint,
    pub gy: BigUint,
    /// Schemes that are offered on it: `ecdsa`, `sm2`.
    pub schemes: Vec<String>,
    pub reduction: Reduction,
    /// For the power (p + 1) / 4, which is a square root where there is one.
    pub sqrt_chain: Vec<ChainStep>,
    pub endomorphism: Option<Endomorphism>,
}

impl Curve {
    /// Reads one file; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
        let endomorphism = match file.endomorphism {
            None => None,
            Some(e) => Some(Endomorphism { beta: number(&e.beta)?, lambda: number(&e.lambda)? }),
        };
        let curve = Curve {
            name: file.name,
            type_name: file.type_name,
            standard: file.standard,
            p: number(&file.p)?,
            a: number(&file.a)?,
            b: number(&file.b)?,
            n: number(&file.n)?,
            gx: number(&file.gx)?,
            gy: number(&file.gy)?,
            schemes: file.schemes,
            reduction: file.reduction,
            sqrt_chain: file.sqrt_chain.iter().map(|step| chain_step(step)).collect::<Result<_, _>>()?,
            endomorphism,
        };
        curve.check()?;
        Ok(curve)
    }

    /// What the code built on these constants relies on.
    fn check(&self) -> Result<(), String> {
        let require = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
        let (p, n) = (&self.p, &self.n);
        require(p.bits() == 256 && n.bits() == 256, "p and n must have 256 bits")?;
        require(is_probable_prime(p) && is_probable_prime(n), "p and n must be prime")?;
        require(p % 4u32 == BigUint::from(3u32), "p must be 3 modulo 4 (a square root is one power)")?;
        // r + n < p is a case of ECDSA's final comparison; r + 2n < p never is, since 2n > p.
        require(n < p, "n must be below p")?;
        require(
            [&self.a, &self.b, &self.gx, &self.gy].into_iter().all(|v| v < p),
            "a, b and the coordinates of G must be below p",
        )?;
        let rhs = (&self.gx * &self.gx * &self.gx + &self.a * &self.gx + &self.b) % p;
        require(&self.gy * &self.gy % p == rhs, "G must lie on the curve")?;
        let discriminant = 4u32 * self.a.pow(3) + 27u32 * self.b.pow(2);
        require(discriminant % p != BigUint::ZERO, "the curve must not be singular")?;
        require(self.a == BigUint::ZERO || &self.a + 3u32 == *p, "a must be 0 or -3")?;
        require(chain_exponent(&self.sqrt_chain) == Some((p + 1u32) >> 2), "sqrt_chain must give (p + 1) / 4")?;
        let fold_fits = (BigUint::from(1u32) << 256) - p < BigUint::from(1u32) << 64;
        require(self.reduction != Reduction::Fold || fold_fits, "reduction = fold needs 2^256 - p below 2^64")?;
        if let Some(e) = &self.endomorphism {
            let one = BigUint::from(1u32);
            let is_cube_root = |v: &BigUint, m: &BigUint| *v != one && v.modpow(&3u32.into(), m) == one;
            require(self.a == BigUint::ZERO, "the endomorphism needs a = 0")?;
            require(
                is_cube_root(&e.beta, p) && is_cube_root(&e.lambda, n),
                "beta and lambda must be cube roots of one",
            )?;
        }
        Ok(())
    }
}

fn chain_step(step: &[u32]) -> Result<ChainStep, String> {
    match *step {
        [squarings] => Ok(ChainStep { squarings, factor: None }),
        [squarings, factor] => Ok(ChainStep { squarings, factor: Some(factor) }),
        _ => Err(format!("{step:?}: a step of sqrt_chain is one number or two")),
    }
}

/// The power that a chain computes; none where a factor comes before its power.
fn chain_exponent(chain: &[ChainStep]) -> Option<BigUint> {
    let mut powers = vec![BigUint::from(1u32)];
    for step in chain {
        let squared = powers.last()? << step.squarings;
        let factor = step.factor.map_or(Some(&BigUint::ZERO), |index| powers.get(index as usize))?;
        powers.push(squared + factor);
    }
    powers.pop()
}

fn number(digits: &str) -> Result<BigUint, String> {
    if digits.len() != 64 {
        return Err(format!("{digits}: a number is 64 hexadecimal digits"));
    }
    BigUint::parse_bytes(digits.as_bytes(), 16).ok_or(format!("{digits}: not hexadecimal"))
}

/// Miller-Rabin with the first bases: a guard against typing errors, not against an adversary.
fn is_probable_prime(candidate: &BigUint) -> bool {
    let one = BigUint::from(1u32);
    let minus_one = candidate - &one;
    let Some(twos) = minus_one.trailing_zeros() else {
        return false;
    };
    let odd_part = &minus_one >> twos;
    [2u32, 3, 5, 7, 11, 13, 17, 19, 23, 29].into_iter().all(|base| {
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
