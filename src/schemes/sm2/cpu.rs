//! SM2 signatures on the CPU: the steps of verification and signing that differ between schemes.

use crate::cpu::field::Field as _;
use crate::cpu::secret::{Bytes, Number, SecretCurve};
use crate::cpu::tables::BaseTables;
use crate::cpu::{CpuCurve, CpuEngine, decode};
use crate::schemes::common::final_checks_cpu::{Equation, Equations, SignatureBatch, XModuloN};
use crate::schemes::common::sign_cpu::{
    self, RawSignature, SigningParts, SigningSteps, concatenate, public_keys_of,
};
use crate::schemes::common::verify_cpu;
use crate::schemes::common::{Signing, SigningInputs, Verification};
use crate::types::{Policy, PublicKeys, Rejection, ResultSink, ResultsMut};
use elliptic_curve::Field;
use elliptic_curve::ops::Reduce;
use sm3::Sm3;

/// Verifies signatures. SM2 has no policies.
pub fn verify<C: BaseTables>(
    engine: &CpuEngine,
    inputs: Verification,
    _: Policy,
    out: &mut ResultSink,
) {
    verify_cpu::verify::<C>(engine, &Sm2Signatures(inputs), out);
}

/// A batch of signatures. Items are verified individually.
struct Sm2Signatures<'a>(Verification<'a>);

impl<C: CpuCurve> SignatureBatch<C> for Sm2Signatures<'_> {
    type FinalCheck = XModuloN<C>;

    fn keys(&self) -> PublicKeys<'_> {
        self.0.keys
    }

    fn allows_batch_verification(&self) -> bool {
        false
    }

    fn equations(&self, items: &[usize]) -> Equations<C, XModuloN<C>> {
        let Verification {
            digests,
            signatures,
            ..
        } = self.0;
        items
            .iter()
            .map(|&item| equation::<C>(digests.get(item), signatures.get(item)))
            .collect()
    }
}

/// Computes the equation of GB/T 32918.2, section 7.1.
fn equation<C: CpuCurve>(
    digest: &[u8; 32],
    signature: &[u8; 64],
) -> Result<Equation<C, XModuloN<C>>, Rejection> {
    // Steps B1, B2: r and s in 1..n.
    let (r, s) = decode::signature::<C>(signature)?;
    // Step B5: t = r + s, reject t = 0.
    let t = r.add(&s);
    if t.is_zero() {
        return Err(Rejection::ZeroT);
    }
    // Steps B6, B7: x(s G + t P) must be r - e.
    let e = C::Scalar::from_be_bytes_reduced(digest);
    Ok(Equation {
        u1: s,
        u2: t,
        final_check: XModuloN {
            x: r.sub(&e),
            named: None,
        },
    })
}

/// The steps of signing.
pub struct Sm2Steps;

impl<C: SecretCurve> SigningSteps<C> for Sm2Steps {
    type Hash = Sm3;

    fn check(
        &self,
        engine: &CpuEngine,
        signing: &Signing,
        items: &[usize],
        signed: &ResultsMut,
        codes: &mut [u8],
    ) {
        check_signed::<C>(engine, signing.inputs, items, signed, codes);
    }

    /// Rejects the key n - 1, for which 1 + d has no inverse.
    fn may_sign(d: &Number<C>) -> bool {
        !bool::from((Number::<C>::ONE + d).is_zero())
    }

    fn denominator(d: &Number<C>, _: &Number<C>) -> Number<C> {
        Number::<C>::ONE + d
    }

    /// Completes the signature after (x1, y1) = kG (GB/T 32918.2, section 6.1). Returns `None` if r
    /// = 0, r + k = n or s = 0.
    fn finish(
        &self,
        &SigningParts {
            d,
            k,
            digest,
            inverse,
            x,
            ..
        }: &SigningParts<C>,
    ) -> Option<RawSignature> {
        // Step A5: r = e + x1, reject r = 0 and r + k = n.
        let e = Number::<C>::reduce(&Bytes::<C>::from(*digest));
        let r = e + Number::<C>::reduce(x);
        // Step A6: s = (k - r d) / (1 + d), reject s = 0.
        let s = *inverse * (*k - r * d);
        let again = bool::from(r.is_zero() | (r + k).is_zero() | s.is_zero());
        (!again).then(|| RawSignature {
            signature: concatenate::<C>(&r, &s),
            recovery_id: 0,
        })
    }
}

pub fn sign<C: SecretCurve>(engine: &CpuEngine, signing: Signing, out: &mut ResultSink) {
    sign_cpu::sign::<C, _>(engine, &Sm2Steps, signing, out);
}

/// Verifies each signature with its key.
fn check_signed<C: SecretCurve>(
    engine: &CpuEngine,
    SigningInputs { digests, signers }: SigningInputs,
    items: &[usize],
    signed: &ResultsMut,
    codes: &mut [u8],
) {
    let public = public_keys_of::<C>(engine, items, signers.keys);
    let digests: Vec<[u8; 32]> = items.iter().map(|&item| *digests.get(item)).collect();
    let signatures = signed.columns[0].as_chunks().0.into();
    let inputs = Verification::new((&digests).into(), signatures, PublicKeys::raw(&public));
    verify::<C>(
        engine,
        inputs,
        Policy::default(),
        &mut ResultsMut::codes(codes).into(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Sm2;
    use crate::schemes::common::sign_cpu::ATTEMPTS;
    use crate::schemes::common::sign_cpu::tests::{draws_again, number, x_of};
    use crate::types::{Check, SecretKey, rows_of};
    use elliptic_curve::PrimeField;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A signer whose first signatures of some items are wrong.
    struct FaultySigner {
        right: Vec<Result<[u8; 64], Rejection>>,
        attempts: Vec<AtomicUsize>,
    }

    impl FaultySigner {
        /// Returns the number of failing attempts at an item.
        fn faults(item: usize) -> usize {
            match item {
                0 => 1,
                7 | 8 => 2,
                12 => ATTEMPTS - 1,
                19 => ATTEMPTS,
                _ => 0,
            }
        }

        fn sign(&self, items: &[usize], out: &mut ResultsMut) {
            for (place, &item) in items.iter().enumerate() {
                let attempt = self.attempts[item].fetch_add(1, Ordering::Relaxed);
                match self.right[item] {
                    Ok(signature) => {
                        out.row(0, place).copy_from_slice(&signature);
                        out.row(0, place)[63] ^= u8::from(attempt < Self::faults(item));
                        out.accept(place);
                    }
                    Err(reason) => out.reject(place, reason),
                }
            }
        }
    }

    /// Tests signatures that are faulty at first, or always, for keys of which one is out of range.
    #[test]
    fn faulty_signatures_are_recomputed_or_rejected() {
        let engine = CpuEngine::new(Some(2), None).unwrap();
        let mut keys: Vec<SecretKey> = (1..=20)
            .map(|byte| SecretKey::from_bytes([byte; 32]))
            .collect();
        keys[5] = SecretKey::from_bytes([0; 32]);
        let digests: Vec<[u8; 32]> = (0..20).map(|byte| [byte; 32]).collect();
        let inputs = SigningInputs {
            digests: (&digests).into(),
            signers: (&keys).into(),
        };
        let [right, checked] = [Check::Nothing, Check::Signatures].map(|check| {
            let signing = Signing {
                inputs,
                low_s: false,
                check,
                widths: [64, 0],
            };
            rows_of::<64>(20, |out| super::sign::<Sm2>(&engine, signing, out))
        });
        assert!(
            right
                .iter()
                .enumerate()
                .all(|(item, signed)| signed.is_ok() == (item != 5))
        );
        assert_eq!(checked, right);
        let mut expected = right.clone();
        expected[19] = Err(Rejection::FaultySignature);
        let signer = FaultySigner {
            right,
            attempts: keys.iter().map(|_| AtomicUsize::new(0)).collect(),
        };
        let signed = rows_of(20, |out| {
            sign_cpu::sign_checked(
                [64, 0],
                &|items, out| signer.sign(items, out),
                &|items, signed, codes| check_signed::<Sm2>(&engine, inputs, items, signed, codes),
                out,
            );
        });
        assert_eq!(signed, expected);
        for (item, attempts) in signer
            .attempts
            .iter()
            .enumerate()
            .filter(|(item, _)| *item != 5)
        {
            let expected = (FaultySigner::faults(item) + 1).min(ATTEMPTS);
            assert_eq!(attempts.load(Ordering::Relaxed), expected, "item {item}");
        }
    }

    #[test]
    fn rejected_values_draw_another_nonce() {
        let d = number::<Sm2>(0x21);
        let k = number::<Sm2>(0x42);
        let x = x_of::<Sm2>(&k);
        // r = 0.
        draws_again::<Sm2, _>(&Sm2Steps, &d, -x, 0x42);
        // r + k = n.
        draws_again::<Sm2, _>(&Sm2Steps, &d, -x - k, 0x42);
        // s = 0, as k = r d.
        draws_again::<Sm2, _>(&Sm2Steps, &d, k * Field::invert(&d).unwrap() - x, 0x42);
    }

    /// The key n - 1 cannot sign, since 1 + d has no inverse: tested alone, in a batch, and with
    /// checked signatures.
    #[test]
    fn the_key_n_minus_1_does_not_sign() {
        let engine = CpuEngine::new(Some(1), None).unwrap();
        let last = SecretKey::from_bytes((-Number::<Sm2>::ONE).to_repr().into());
        let digests = [[7; 32]; 9];
        for (items, check) in [
            (1, Check::Nothing),
            (9, Check::Nothing),
            (9, Check::Signatures),
        ] {
            let inputs = SigningInputs {
                digests: (&digests[..items]).into(),
                signers: (&last).into(),
            };
            let signing = Signing {
                inputs,
                low_s: false,
                check,
                widths: [64, 0],
            };
            let signed = rows_of::<64>(items, |out| super::sign::<Sm2>(&engine, signing, out));
            assert_eq!(signed, vec![Err(Rejection::SecretKeyOutOfRange); items]);
        }
    }
}
