//! Suites that try x-coordinates until the curve has a point with one. Variable-time.

use super::{MOST_TRIES, Suite};
use crate::cpu::CpuCurve;
use crate::cpu::decode::lift_all;
use crate::cpu::field::Field;
use crate::cpu::point::Affine;
use crate::cpu::simd::Lanes;
use crate::types::Rejection;
use sha2::{Digest, Sha256};
use sm3::Sm3;

/// Returns the points of many messages.
pub fn points<'a, C: CpuCurve>(
    lanes: Option<Lanes>,
    suite: Suite,
    messages: impl Iterator<Item = &'a [u8]>,
) -> Vec<Result<Affine<C::Base>, Rejection>> {
    let mut tries: Vec<Try<C::Base>> = messages.map(|text| Try::first(suite, text)).collect();
    let mut points = vec![Err(Rejection::NotOnCurve); tries.len()];
    let mut open: Vec<usize> = (0..tries.len()).collect();
    for _ in 0..MOST_TRIES {
        let coordinates: Vec<_> = open.iter().map(|item| (tries[*item].x, false)).collect();
        let found = lift_all::<C>(lanes, &coordinates);
        for (item, point) in open.iter().zip(found) {
            match point {
                Some(point) => points[*item] = Ok(point),
                None => tries[*item].advance(suite),
            }
        }
        open.retain(|item| points[*item].is_err());
        if open.is_empty() {
            break;
        }
    }
    points
}

/// The x-coordinate to be tried, and what the next one is computed from.
struct Try<F> {
    x: F,
    digest: [u8; 32],
}

impl<F: Field> Try<F> {
    fn first(suite: Suite, message: &[u8]) -> Self {
        if suite == Suite::P256Rehash {
            return Try {
                x: random_oracle(message),
                digest: [0; 32],
            };
        }
        let digest = Sm3::digest(message).into();
        Try {
            x: F::from_be_bytes_reduced(&digest),
            digest,
        }
    }

    fn advance(&mut self, suite: Suite) {
        match suite {
            Suite::P256Rehash => {
                let x = self.x.to_be_bytes();
                let zeros = x.iter().take_while(|byte| **byte == 0).count();
                self.x = random_oracle(&x[zeros..]);
            }
            Suite::Sm2Increment => self.x = self.x.add(&F::ONE),
            _ => {
                self.digest = Sm3::digest(self.digest).into();
                self.x = F::from_be_bytes_reduced(&self.digest);
            }
        }
    }
}

/// Returns the random oracle of private-join-and-compute for a modulus of 256 bits, which is
/// SHA-256(01 || bytes) || SHA-256(02 || bytes) modulo p.
fn random_oracle<F: Field>(bytes: &[u8]) -> F {
    let [high, low] = [1, 2].map(|counter| {
        let digest = Sha256::new_with_prefix([counter]).chain_update(bytes);
        F::from_be_bytes_reduced(&digest.finalize().into())
    });
    let two_to_256 = F::from_be_bytes_reduced(&[0xff; 32]).add(&F::ONE);
    high.mul(&two_to_256).add(&low)
}
