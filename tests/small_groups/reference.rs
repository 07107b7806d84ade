//! A small group with all its points, from big integers alone.

use super::parameters::Parameters;
use num_bigint::BigUint;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Affine coordinates; `None` for the identity.
pub type BigPoint = Option<(BigUint, BigUint)>;

/// The prime of the field: that of secp256k1.
pub fn p() -> BigUint {
    (BigUint::from(1u32) << 256) - (BigUint::from(1u32) << 32) - 977u32
}

fn minus(a: &BigUint, b: &BigUint) -> BigUint {
    (a + p() - b) % p()
}

/// The opposite.
pub fn neg(point: &BigPoint) -> BigPoint {
    point
        .as_ref()
        .map(|(x, y)| (x.clone(), minus(&BigUint::ZERO, y)))
}

/// The sum, on any curve with this -a.
pub fn add(minus_a: u64, left: &BigPoint, right: &BigPoint) -> BigPoint {
    let (Some((x1, y1)), Some((x2, y2))) = (left, right) else {
        return left.clone().or_else(|| right.clone());
    };
    if *left == neg(right) {
        return None;
    }
    let (numerator, denominator) = if x1 == x2 {
        // The tangent.
        (x1 * x1 * 3u32 + p() - minus_a, y1 + y1)
    } else {
        (minus(y2, y1), minus(x2, x1))
    };
    let slope = numerator * denominator.modinv(&p()).expect("p is prime") % p();
    let x = minus(&minus(&(&slope * &slope % p()), x1), x2);
    let y = minus(&(slope * minus(x1, &x) % p()), y1);
    Some((x, y))
}

/// A group, and random numbers for choosing representatives of residues.
pub struct Group {
    /// The number of points.
    pub order: u64,
    /// N.
    pub modulus: BigUint,
    /// The points k G, by k.
    points: Vec<BigPoint>,
    /// Randomness for all other choices of the tests.
    pub random: StdRng,
}

impl Group {
    /// A group with fresh random numbers.
    pub fn new(parameters: &Parameters) -> Self {
        let seed: u64 = rand::random();
        // The output of a failing test shows the seed.
        println!("seed {seed:#018x}");
        let generator = Some((integer(&parameters.g.0), integer(&parameters.g.1)));
        let points = std::iter::successors(Some(None), |point| {
            Some(add(parameters.minus_a, point, &generator))
        });
        Group {
            order: parameters.order,
            modulus: integer(&parameters.n),
            points: points.take(parameters.order as usize).collect(),
            random: StdRng::seed_from_u64(seed),
        }
    }

    /// k G, for the residue of k.
    pub fn point(&self, k: u64) -> &BigPoint {
        &self.points[(k % self.order) as usize]
    }

    /// The x-coordinate of k G, for a k whose residue is not 0.
    pub fn x(&self, k: u64) -> &BigUint {
        &self.point(k).as_ref().expect("not the identity").0
    }

    /// Returns whether k G has an even y, for a k whose residue is not 0.
    pub fn has_even_y(&self, k: u64) -> bool {
        !self.point(k).as_ref().expect("not the identity").1.bit(0)
    }

    /// A random number below N with this residue modulo the order.
    pub fn scalar(&mut self, residue: u64) -> BigUint {
        let bytes: [u8; 32] = self.random.random();
        let quotient = &self.modulus / self.order;
        BigUint::from_bytes_be(&bytes) % quotient * self.order + residue
    }

    /// The numbers below N that the tests take for a residue.
    pub fn representatives(&mut self, residue: u64) -> [BigUint; 3] {
        [
            residue.into(),
            &self.modulus - self.order + residue,
            self.scalar(residue),
        ]
    }

    /// The residue modulo the order.
    pub fn residue(&self, value: &BigUint) -> u64 {
        u64::try_from(value % self.order).expect("the order is small")
    }

    /// The inverse of a residue other than 0.
    pub fn inverse(&self, residue: u64) -> u64 {
        (1..self.order)
            .find(|inverse| residue * inverse % self.order == 1)
            .expect("the order is prime")
    }
}

/// All pairs of residues.
pub fn pairs(order: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..order * order).map(move |index| (index / order, index % order))
}

/// The number of these limbs, the least significant first.
pub fn integer(limbs: &[u64; 4]) -> BigUint {
    limbs
        .iter()
        .rev()
        .fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
}
