//! Twisted Edwards curves: the contents of `curves/NAME.toml`, validated, and the constants derived
//! from them.

use crate::emit_cuda;
use crate::emit_rust::{constant, modulus_constants, steps};
use crate::params::{
    ChainStep, chain_exponent, chain_step, is_identifier, is_probable_prime, number, require,
};
use num_bigint::BigUint;
use serde::Deserialize;
use std::fmt::Write;

/// The value of `form` in a file. A file without one describes a short Weierstrass curve.
pub const FORM: &str = "twisted Edwards";

/// The contents of a file: numbers are 64 hexadecimal digits, big-endian.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EdwardsFile {
    form: String,
    name: String,
    p: String,
    a: String,
    d: String,
    n: String,
    cofactor: u32,
    gx: String,
    gy: String,
    root_chain: Vec<Vec<u32>>,
}

/// A curve -x^2 + y^2 = 1 + d x^2 y^2 over a prime field of 255 bits, with cofactor times n points.
pub struct EdwardsCurve {
    pub name: String,
    p: BigUint,
    d: BigUint,
    n: BigUint,
    cofactor: u32,
    gx: BigUint,
    gy: BigUint,
    /// The chain for the power (p - 5) / 8, from which square roots and inverses are computed.
    root_chain: Vec<ChainStep>,
}

/// Returns `true` if the file has a `form`.
pub fn states_form(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Form {
        form: Option<String>,
    }
    toml::from_str::<Form>(text).is_ok_and(|file| file.form.is_some())
}

impl EdwardsCurve {
    /// Parses and checks one file. The error describes the problem.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: EdwardsFile = toml::from_str(text).map_err(|e| e.to_string())?;
        if file.form != FORM {
            return Err(format!(
                "{}: the form is `{FORM}`, or not stated",
                file.form
            ));
        }
        let curve = EdwardsCurve {
            name: file.name,
            p: number(&file.p)?,
            d: number(&file.d)?,
            n: number(&file.n)?,
            cofactor: file.cofactor,
            gx: number(&file.gx)?,
            gy: number(&file.gy)?,
            root_chain: file
                .root_chain
                .iter()
                .map(|step| chain_step(step))
                .collect::<Result<_, _>>()?,
        };
        curve.check(&number(&file.a)?)?;
        Ok(curve)
    }

    /// Checks the conditions that the code built on these constants relies on.
    fn check(&self, a: &BigUint) -> Result<(), String> {
        let one = BigUint::from(1u32);
        let p = &self.p;
        let n = &self.n;
        require(
            is_identifier(&self.name),
            "name must be an identifier in lower case",
        )?;
        require(
            is_probable_prime(p) && is_probable_prime(n),
            "p and n must be prime",
        )?;
        require(
            p % 8u32 == BigUint::from(5u32),
            "p must be 5 modulo 8 (a square root is one power, or that times another)",
        )?;
        // The part above 2^256 is multiplied by 2c and added to the rest, twice, and is then below
        // 2^64.
        require(
            p.bits() == 255 && (&one << 255) - p < BigUint::from(32u32),
            "p must be 2^255 - c with c below 32",
        )?;
        require(a + 1u32 == *p, "a must be -1, a square")?;
        require(
            [&self.d, &self.gx, &self.gy].into_iter().all(|v| v < p),
            "d and the coordinates of G must be below p",
        )?;
        require(
            self.d.modpow(&((p - 1u32) >> 1), p) == p - 1u32,
            "d must not be a square: additions have no exceptions then",
        )?;
        let xx = &self.gx * &self.gx % p;
        let yy = &self.gy * &self.gy % p;
        require(
            (&one + &self.d * &xx * &yy + &xx) % p == yy,
            "G must lie on the curve",
        )?;
        let zero_and_one = (BigUint::ZERO, one.clone());
        require(
            (self.gx.clone(), self.gy.clone()) != zero_and_one,
            "G must not be the identity",
        )?;
        require(
            self.multiple_of_g(n) == zero_and_one,
            "n G must be the identity",
        )?;
        // This is a multiple of n, the order of G, and of 4, since a curve of this form has a point
        // of order 4.
        let points = n * self.cofactor;
        let width = p.sqrt() * 2u32 + 2u32;
        let hasse = points < p + 1u32 + &width && &points + &width > p + 1u32;
        require(
            hasse && *n > &width * 2u32,
            "cofactor n must be the number of points",
        )?;
        require(
            matches!(self.cofactor, 4 | 8),
            "the cofactor must be 4 or 8",
        )?;
        require(
            chain_exponent(&self.root_chain) == Some((p - 5u32) >> 3),
            "root_chain must give (p - 5) / 8",
        )
    }

    /// Multiplies G by affine additions, each with an inversion.
    fn multiple_of_g(&self, k: &BigUint) -> (BigUint, BigUint) {
        let g = (self.gx.clone(), self.gy.clone());
        (0..k.bits())
            .rev()
            .fold((BigUint::ZERO, BigUint::from(1u32)), |sum, bit| {
                let doubled = self.add(&sum, &sum);
                if k.bit(bit) {
                    self.add(&doubled, &g)
                } else {
                    doubled
                }
            })
    }

    /// Computes ((x1 y2 + y1 x2) / (1 + t), (y1 y2 + x1 x2) / (1 - t)) with t = d x1 x2 y1 y2.
    fn add(
        &self,
        (x1, y1): &(BigUint, BigUint),
        (x2, y2): &(BigUint, BigUint),
    ) -> (BigUint, BigUint) {
        let p = &self.p;
        let t = &self.d * x1 % p * x2 % p * y1 % p * y2 % p;
        let x = divide(&(x1 * y2 + y1 * x2), &(&t + 1u32), p);
        let y = divide(&(y1 * y2 + x1 * x2), &(p + 1u32 - &t), p);
        (x, y)
    }

    /// Returns the number of doublings that multiply by the cofactor.
    fn cofactor_doublings(&self) -> u32 {
        self.cofactor.trailing_zeros()
    }

    /// Returns the module of constants: numbers as little-endian limbs of 64 bits.
    pub fn constants(&self) -> String {
        let p = &self.p;
        let mut out = String::new();
        // 2 is not a square modulo a p that is 5 modulo 8.
        let root_of_minus_one = BigUint::from(2u32).modpow(&((p - 1u32) >> 2), p);
        let d2 = &self.d * 2u32 % p;
        let named = [
            ("P", p),
            ("D", &self.d),
            ("D2", &d2),
            ("ROOT_OF_MINUS_ONE", &root_of_minus_one),
        ];
        for (name, value) in named
            .into_iter()
            .chain([("GX", &self.gx), ("GY", &self.gy)])
        {
            constant(&mut out, name, value);
        }
        for (name, value) in self.of_ristretto().into_iter().flatten() {
            constant(&mut out, name, &value);
        }
        for (name, value) in self.of_montgomery().into_iter().flatten() {
            constant(&mut out, name, &value);
        }
        modulus_constants(&mut out, "N", &self.n);
        writeln!(
            out,
            "    pub const COFACTOR_DOUBLINGS: u32 = {};",
            self.cofactor_doublings()
        )
        .expect("a String takes all");
        writeln!(
            out,
            "    pub const ROOT_CHAIN: &[(u32, Option<usize>)] = &[{}];",
            steps(&self.root_chain)
        )
        .expect("a String takes all");
        format!("pub mod {} {{\n{out}}}\n", self.name)
    }

    /// Returns the constants of RFC 9496, section 4.1, by the names there, for a = -1. There are
    /// none if -1 - d is not a square.
    fn of_ristretto(&self) -> Option<[(&'static str, BigUint); 4]> {
        let p = &self.p;
        let one = BigUint::from(1u32);
        let difference = (p * 2u32 - &one - &self.d) % p;
        let root = self.even_root(&difference)?;
        let inverse = divide(&one, &root, p);
        Some([
            // The RFC has the odd root here, and the even one below.
            ("SQRT_AD_MINUS_ONE", p - root),
            (
                "INVSQRT_A_MINUS_D",
                if inverse.bit(0) { p - inverse } else { inverse },
            ),
            ("ONE_MINUS_D_SQ", (&one + p * p - &self.d * &self.d) % p),
            (
                "D_MINUS_ONE_SQ",
                (&self.d + p - &one).modpow(&BigUint::from(2u32), p),
            ),
        ])
    }

    /// Returns the coefficient A of the Montgomery curve v^2 = u^3 + A u^2 + u to which the curve is
    /// birationally equivalent, and the even square root of -(A + 2) that the equivalence has (RFC
    /// 7748, section 4.1). There are none if it is not a square.
    fn of_montgomery(&self) -> Option<[(&'static str, BigUint); 2]> {
        let p = &self.p;
        let one = BigUint::from(1u32);
        let a = divide(&((&one + p - &self.d) * 2u32), &(&one + &self.d), p);
        let root = self.even_root(&((p * 2u32 - 2u32 - &a) % p))?;
        Some([("MONTGOMERY_A", a), ("SQRT_MINUS_A_MINUS_2", root)])
    }

    /// Returns the even square root of a number below p, if it is a square, for a p that is 5
    /// modulo 8.
    fn even_root(&self, square: &BigUint) -> Option<BigUint> {
        let p = &self.p;
        let root_of_minus_one = BigUint::from(2u32).modpow(&((p - 1u32) >> 2), p);
        let candidate = square.modpow(&((p + 3u32) >> 3), p);
        let root = [candidate.clone(), candidate * root_of_minus_one % p]
            .into_iter()
            .find(|root| root * root % p == *square)?;
        Some(if root.bit(0) { p - root } else { root })
    }

    /// Returns the text of `curve.cuh`: numbers as little-endian words of 32 bits.
    pub fn cuda_header(&self) -> String {
        let p = &self.p;
        let mut out = format!(
            "// Generated from curves/{}.toml by the build script.\n#pragma once\n",
            self.name
        );
        let c = (BigUint::from(1u32) << 255) - p;
        writeln!(out, "#define GECC_FORM_EDWARDS 1\n#define GECC_REDUCTION_FOLD_255 1\n#define GECC_FOLD_255_C {c}u")
            .expect("a String takes all");
        writeln!(
            out,
            "#define GECC_COFACTOR_DOUBLINGS {}",
            self.cofactor_doublings()
        )
        .expect("a String takes all");
        // The encoding of a key (cuda/scheme/key_hash.cuh).
        out.push_str("#define GECC_KEY_WORDS 8\n");
        emit_cuda::modulus(&mut out, "P", p);
        emit_cuda::modulus(&mut out, "N", &self.n);
        let d2 = &self.d * 2u32 % p;
        let root_of_minus_one = BigUint::from(2u32).modpow(&((p - 1u32) >> 2), p);
        let one = BigUint::from(1u32);
        for (name, value) in [
            ("ONE", &one),
            ("D", &self.d),
            ("D2", &d2),
            ("ROOT_OF_MINUS_ONE", &root_of_minus_one),
            ("GX", &self.gx),
            ("GY", &self.gy),
        ] {
            emit_cuda::number(&mut out, &format!("FIELD_{name}"), value, 8);
        }
        for (name, value) in self.of_ristretto().into_iter().flatten() {
            emit_cuda::number(&mut out, &format!("FIELD_{name}"), &value, 8);
        }
        emit_cuda::chain(&mut out, "SQRT", &self.root_chain);
        out
    }
}

/// Computes a / b mod p.
fn divide(a: &BigUint, b: &BigUint, p: &BigUint) -> BigUint {
    a * b.modpow(&(p - 2u32), p) % p
}
