//! SM2 signatures on the CPU: what verification and signing have of their own.

use crate::cpu::field::Field as _;
use crate::cpu::secret::{Bytes, Number, SecretCurve};
use crate::cpu::tables::BaseTables;
use crate::cpu::{CpuCurve, CpuEngine, decode};
use crate::schemes::frame::sign_cpu::{self, Parts, Signed, Steps, concatenate, public_keys_of};
use crate::schemes::frame::verify_cpu::{self, Equation};
use crate::schemes::frame::{Signing, Verification};
use crate::types::{Check, Place, Policy, PublicKeys, Rejection, ResultsMut};
use elliptic_curve::Field;
use elliptic_curve::ops::Reduce;
use sm3::Sm3;

/// There is no policy.
pub fn verify<C: BaseTables>(engine: &CpuEngine, inputs: Verification, _: Policy, out: &mut dyn Place) {
    let Verification { digests, signatures, keys } = inputs;
    let equations =
        |items: &[usize]| items.iter().map(|&item| equation::<C>(digests.get(item), signatures.get(item))).collect();
    verify_cpu::verify::<C>(engine, keys, equations, out);
}

/// GB/T 32918.2, section 7.1.
fn equation<C: CpuCurve>(digest: &[u8; 32], signature: &[u8; 64]) -> Result<Equation<C>, Rejection> {
    // B1, B2: r and s in 1..n.
    let (r, s) = decode::signature::<C>(signature)?;
    // B5: t = r + s, reject t = 0.
    let t = r.add(&s);
    if t.is_zero() {
        return Err(Rejection::ZeroT);
    }
    // B6, B7: x(s G + t P) must be r - e.
    let e = C::Scalar::from_be_bytes_reduced(digest);
    Ok(Equation { u1: s, u2: t, x: r.sub(&e) })
}

/// The steps of signing.
pub struct Sm2Steps;

impl<C: SecretCurve> Steps<C> for Sm2Steps {
    type Hash = Sm3;

    /// With n - 1, 1 + d has no inverse.
    fn may_sign(d: &Number<C>) -> bool {
        !bool::from((Number::<C>::ONE + d).is_zero())
    }

    fn denominator(d: &Number<C>, _: &Number<C>) -> Number<C> {
        Number::<C>::ONE + d
    }

    /// GB/T 32918.2, section 6.1, after (x1, y1) = kG; `None` when r = 0, r + k = n or s = 0.
    fn finish(&self, &Parts { d, k, digest, inverse, x, .. }: &Parts<C>) -> Option<Signed> {
        // A5: r = e + x1, reject r = 0 and r + k = n.
        let e = Number::<C>::reduce(&Bytes::<C>::from(*digest));
        let r = e + Number::<C>::reduce(x);
        // A6: s = (k - r d) / (1 + d), reject s = 0.
        let s = *inverse * (*k - r * d);
        let again = bool::from(r.is_zero() | (r + k).is_zero() | s.is_zero());
        (!again).then(|| Signed { signature: concatenate::<C>(&r, &s), recovery_id: 0 })
    }
}

pub fn sign<C: SecretCurve>(engine: &CpuEngine, signing: Signing, out: &mut dyn Place) {
    let Signing { inputs, check, widths, .. } = signing;
    if check == Check::Nothing {
        return sign_cpu::sign::<C, _>(engine, &Sm2Steps, inputs, widths, |item| item, out);
    }
    let sign = |items: &[usize], out: &mut ResultsMut| {
        sign_cpu::sign::<C, _>(engine, &Sm2Steps, inputs, widths, |at| items[at], out);
    };
    let check = |items: &[usize], signed: &ResultsMut, codes: &mut [u8]| {
        let public = public_keys_of::<C>(engine, items, inputs.keys);
        let digests: Vec<[u8; 32]> = items.iter().map(|&item| *inputs.digests.get(item)).collect();
        let signatures = signed.columns[0].as_chunks().0.into();
        let inputs = Verification { digests: (&digests).into(), signatures, keys: PublicKeys::raw(&public) };
        verify::<C>(engine, inputs, Policy::default(), &mut ResultsMut::codes(codes));
    };
    sign_cpu::sign_checked(widths, &sign, &check, out);
}
