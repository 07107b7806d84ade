//! Public key recovery (SEC 1, section 4.1.6).

use super::affine::{Affine, invert_all};
use super::field::Field;
use super::jacobian::normalize;
use super::multiply::{mul_each, sum_products};
use super::verify::plus_n;
use super::{CpuCurve, CpuEngine, be_bytes_to_limbs, decode, from_limbs};
use crate::ecdsa::Address;
use crate::error::Rejection;
use crate::point::Points;
use sha3::{Digest, Keccak256};

/// What a signature and its recovery id say of R, before any batch arithmetic.
struct Parsed<C: CpuCurve> {
    r: C::Scalar,
    s: C::Scalar,
    point: Affine<C::Base>,
}

pub(crate) fn recover<C: CpuCurve>(
    engine: &CpuEngine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
) -> Points {
    let base = C::precomputed().table(engine, digests.len());
    engine.map_chunks(digests.len(), Err(Rejection::IdentityResult), |range, out| {
        let mut accepted = Vec::with_capacity(out.len());
        let mut places = Vec::with_capacity(out.len());
        let mut e = Vec::with_capacity(out.len());
        for (item, place) in range.zip(out) {
            match parse::<C>(&signatures[item], recovery_ids[item]) {
                Err(rejection) => *place = Err(rejection),
                Ok(parsed) => {
                    accepted.push(parsed);
                    places.push(place);
                    e.push(C::Scalar::from_be_bytes_reduced(&digests[item]));
                }
            }
        }
        for (place, key) in places.into_iter().zip(keys(&accepted, &e, base)) {
            *place = if key.infinity { Err(Rejection::IdentityResult) } else { Ok(decode::encode(&key)) };
        }
    })
}

/// Ethereum addresses of the keys (yellow paper, appendix F).
pub(crate) fn addresses<C: CpuCurve>(
    engine: &CpuEngine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
) -> Vec<Result<Address, Rejection>> {
    let keys = recover::<C>(engine, digests, signatures, recovery_ids);
    engine.map(keys.len(), |item| {
        let hash = Keccak256::digest(&keys[item]?.as_bytes()[1..]);
        Ok(hash[12..].try_into().expect("the last 20 of 32 bytes"))
    })
}

fn parse<C: CpuCurve>(signature: &[u8; 64], recovery_id: u8) -> Result<Parsed<C>, Rejection> {
    let (r, s) = decode::signature::<C>(signature)?;
    if recovery_id > 3 {
        return Err(Rejection::RecoveryIdOutOfRange);
    }
    // 1.1: x = r + j n, which must be a coordinate. 1.3: R from x and the parity of y.
    let r_limbs = be_bytes_to_limbs(&r.to_be_bytes());
    let x =
        if recovery_id & 2 == 0 { from_limbs(&r_limbs) } else { plus_n::<C>(&r_limbs).ok_or(Rejection::NoSuchR)? };
    let point = decode::lift_x::<C>(&x, recovery_id & 1 == 1).ok_or(Rejection::NoSuchR)?;
    Ok(Parsed { r, s, point })
}

/// 1.6.1: Q = (s R - e G) / r.
fn keys<C: CpuCurve>(parsed: &[Parsed<C>], e: &[C::Scalar], base: &super::comb::Comb<C>) -> Vec<Affine<C::Base>> {
    let mut inverses: Vec<_> = parsed.iter().map(|parsed| parsed.r).collect();
    invert_all(&mut inverses);
    let u1: Vec<_> = e.iter().zip(&inverses).map(|(e, inverse)| e.mul(inverse).neg()).collect();
    let u2: Vec<_> = parsed.iter().zip(&inverses).map(|(parsed, inverse)| parsed.s.mul(inverse)).collect();
    let points: Vec<_> = parsed.iter().map(|parsed| parsed.point).collect();
    let base_products = sum_products::<C, 1>(u1.iter().map(|u1| [(base, u1)]));
    let products = mul_each::<C>(&u2, &points);
    let sums: Vec<_> =
        products.iter().zip(&base_products).map(|(product, base)| product.add_affine::<C>(base)).collect();
    normalize(&sums)
}
