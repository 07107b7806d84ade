//! ECDSA on the CPU: the steps of verification and signing that differ between schemes.

use super::recover_cpu;
use crate::cpu::field::Field as _;
use crate::cpu::point::affine::invert_all;
use crate::cpu::secret::{Bytes, Number, SecretCurve};
use crate::cpu::tables::BaseTables;
use crate::cpu::{CpuCurve, CpuEngine, decode};
use crate::schemes::common::final_checks_cpu::{Equation, Equations, SignatureBatch, XModuloN};
use crate::schemes::common::sign_cpu::{
    self, RawSignature, SigningInputs, SigningParts, SigningSteps, concatenate, public_keys_of,
};
use crate::schemes::common::verify_cpu;
use crate::schemes::common::{Signing, Verification};
use crate::types::{
    Check, NonceHash, Policy, PublicKeys, Rejection, ResultSink, ResultsMut, Rows, Verdict, Widths,
};
use elliptic_curve::ops::Reduce;
use elliptic_curve::scalar::IsHigh;
use elliptic_curve::subtle::ConditionallySelectable;
use elliptic_curve::{Field, PrimeField};
use sha2::digest::{Digest, block_api::BlockSizeUser};
use sha2::{Sha256, Sha384, Sha512};
use std::marker::PhantomData;

pub fn verify<C: BaseTables>(
    engine: &CpuEngine,
    inputs: Verification,
    policy: Policy,
    out: &mut ResultSink,
) {
    verify_cpu::verify::<C>(engine, &EcdsaSignatures { inputs, policy }, out);
}

/// A batch of signatures.
pub struct EcdsaSignatures<'a> {
    pub inputs: Verification<'a>,
    pub policy: Policy,
}

impl<C: CpuCurve> SignatureBatch<C> for EcdsaSignatures<'_> {
    type FinalCheck = XModuloN<C>;

    fn keys(&self) -> PublicKeys<'_> {
        self.inputs.keys
    }

    fn allows_batch_verification(&self) -> bool {
        self.inputs.recovery_ids.is_some()
    }

    /// Computes the equations of SEC 1, section 4.1.4, with the points that recovery ids identify
    /// if ids are given. The inverses of all s are computed with one inversion.
    fn equations(&self, items: &[usize]) -> Equations<C, XModuloN<C>> {
        let Verification {
            digests,
            signatures,
            recovery_ids,
            ..
        } = self.inputs;
        // Step 1: r and s in 1..n.
        let parsed = items.iter().map(|&item| {
            let (r, s) = decode::signature::<C>(signatures.get(item))?;
            if self.policy.low_s && is_high::<C>(&s) {
                Err(Rejection::HighS)
            } else {
                Ok((r, s))
            }
        });
        let parsed: Vec<_> = parsed.collect();
        let mut inverses: Vec<_> = parsed
            .iter()
            .map(|parsed| parsed.map_or(C::Scalar::ONE, |(_, s)| s))
            .collect();
        invert_all(&mut inverses);
        let equations = items
            .iter()
            .zip(parsed)
            .zip(&inverses)
            .map(|((&item, parsed), w)| {
                let (r, _): (C::Scalar, _) = parsed?;
                // Step 3: e from the digest, which has as many bits as n, 256.
                // Step 4: u1 = e / s, u2 = r / s.
                let e = C::Scalar::from_be_bytes_reduced(digests.get(item));
                let named = recovery_ids
                    .and_then(|ids| recover_cpu::coordinates::<C>(&r, ids.get(item)[0]).ok());
                Ok(Equation {
                    u1: e.mul(w),
                    u2: r.mul(w),
                    final_check: XModuloN { x: r, named },
                })
            });
        equations.collect()
    }
}

/// Returns `true` if s > n / 2, that is, s > n - s.
pub fn is_high<C: CpuCurve>(s: &C::Scalar) -> bool {
    // Big-endian bytes compare like the numbers.
    s.to_be_bytes() > s.neg().to_be_bytes()
}

/// The steps of signing; nonces are derived with the HMAC of a hash.
pub struct EcdsaSteps<H = Sha256> {
    pub low_s: bool,
    hash: PhantomData<fn() -> H>,
}

impl<H> EcdsaSteps<H> {
    pub fn new(low_s: bool) -> Self {
        EcdsaSteps {
            low_s,
            hash: PhantomData,
        }
    }
}

impl<C: SecretCurve, H: Digest + BlockSizeUser> SigningSteps<C> for EcdsaSteps<H> {
    type Hash = H;

    fn check(
        &self,
        engine: &CpuEngine,
        signing: &Signing,
        items: &[usize],
        signed: &ResultsMut,
        codes: &mut [u8],
    ) {
        check_signed::<C>(engine, signing.inputs, signing.check, items, signed, codes);
    }

    fn denominator(_: &Number<C>, k: &Number<C>) -> Number<C> {
        *k
    }

    /// Completes the signature after R = kG (SEC 1, section 4.1.3). Returns `None` if r or s is 0.
    fn finish(
        &self,
        &SigningParts {
            d,
            digest,
            inverse,
            x,
            y_is_odd,
            ..
        }: &SigningParts<C>,
    ) -> Option<RawSignature> {
        // Step 3: r = x(R) mod n, not 0.
        let r = Number::<C>::reduce(x);
        // Step 5: e from the digest, which has as many bits as n, 256.
        let e = Number::<C>::reduce(&Bytes::<C>::from(*digest));
        // Step 6: s = (e + r d) / k, not 0.
        let s = *inverse * (e + r * d);
        if bool::from(r.is_zero() | s.is_zero()) {
            return None;
        }
        // n - s is also valid, with -R instead of R.
        let flip = s.is_high() & u8::from(self.low_s).into();
        let s = Number::<C>::conditional_select(&s, &-s, flip);
        let recovery_id = u8::from(r.to_repr() != *x) << 1 | (y_is_odd ^ flip.unwrap_u8());
        Some(RawSignature {
            signature: concatenate::<C>(&r, &s),
            recovery_id,
        })
    }
}

pub fn sign<C: SecretCurve>(engine: &CpuEngine, signing: Signing, out: &mut ResultSink) {
    let low_s = signing.low_s;
    match signing.inputs.signers.nonce_hash {
        NonceHash::OfScheme => {
            sign_cpu::sign::<C, _>(engine, &EcdsaSteps::<Sha256>::new(low_s), signing, out);
        }
        NonceHash::Sha384 => {
            sign_cpu::sign::<C, _>(engine, &EcdsaSteps::<Sha384>::new(low_s), signing, out);
        }
        NonceHash::Sha512 => {
            sign_cpu::sign::<C, _>(engine, &EcdsaSteps::<Sha512>::new(low_s), signing, out);
        }
    }
}

/// Checks that each signature is that of its key, with its recovery id if ids are checked.
fn check_signed<C: SecretCurve>(
    engine: &CpuEngine,
    SigningInputs { digests, signers }: SigningInputs,
    check: Check,
    items: &[usize],
    signed: &ResultsMut,
    codes: &mut [u8],
) {
    let public = public_keys_of::<C>(engine, items, signers.keys);
    let digests: Vec<[u8; 32]> = items.iter().map(|&item| *digests.get(item)).collect();
    let signatures: Rows<64> = signed.columns[0].as_chunks().0.into();
    if check != Check::RecoveryIds {
        let inputs = Verification::new((&digests).into(), signatures, PublicKeys::raw(&public));
        return verify::<C>(
            engine,
            inputs,
            Policy::default(),
            &mut ResultsMut::codes(codes).into(),
        );
    }
    // A recovered key is one with which the signature verifies, so verification is not needed in
    // addition.
    let inputs = recover_cpu::RecoveryInputs::new(
        &digests,
        signatures,
        signed.columns[1].as_chunks::<1>().0,
    );
    let mut recovered = vec![[0; 64]; items.len()];
    recover_cpu::recover::<C>(
        engine,
        inputs,
        &mut ResultsMut::rows(codes, &mut recovered).into(),
    );
    for (code, (recovered, public)) in codes.iter_mut().zip(recovered.iter().zip(&public)) {
        if *code == Verdict::VALID_CODE && recovered != public {
            *code = Rejection::Mismatch.code();
        }
    }
}

/// Returns the widths of results: r || s, and optionally the recovery id.
pub const fn widths(with_recovery_id: bool) -> Widths {
    [64, if with_recovery_id { 1 } else { 0 }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{P256, for_each_ecdsa_curve, types};
    use crate::schemes::common::sign_cpu::tests::{draws_again, number, x_of};
    use crate::schemes::ecdsa::recoverable_of;
    use crate::types::{RecoverableSignature, SecretKey};
    use std::sync::atomic::{AtomicUsize, Ordering};

    type Signatures = Vec<Result<RecoverableSignature, Rejection>>;

    /// Collects the signatures and recovery ids that `fill` writes.
    fn signed(items: usize, fill: impl FnOnce(&mut ResultSink)) -> Signatures {
        let mut codes = vec![0; items];
        let mut signatures = vec![0; 64 * items];
        let mut ids = vec![0; items];
        let mut out = ResultsMut::new(&mut codes, [&mut signatures, &mut ids], widths(true));
        fill(&mut out.reborrow().into());
        (0..items)
            .map(|item| recoverable_of(&out.as_results(), item))
            .collect()
    }

    /// A signer whose first recovery id of each item may be wrong.
    struct FaultySigner {
        right: Signatures,
        attempts: Vec<AtomicUsize>,
    }

    impl FaultySigner {
        /// An item whose recovery ids are all wrong.
        const ALWAYS: usize = 13;

        /// Returns the bits that are flipped in a wrong id.
        fn fault(item: usize) -> u8 {
            [0, 1, 2, 3, 4, 0x81][item % 6]
        }

        fn sign(&self, items: &[usize], out: &mut ResultsMut) {
            for (place, &item) in items.iter().enumerate() {
                let RecoverableSignature {
                    signature,
                    recovery_id,
                } = self.right[item].unwrap();
                let is_first = self.attempts[item].fetch_add(1, Ordering::Relaxed) == 0;
                let is_wrong = is_first || item == Self::ALWAYS;
                out.row(0, place).copy_from_slice(&signature);
                out.row(1, place)[0] = recovery_id ^ if is_wrong { Self::fault(item) } else { 0 };
                out.accept(place);
            }
        }

        fn sign_checked(
            &self,
            engine: &CpuEngine,
            inputs: SigningInputs,
            check: Check,
        ) -> Signatures {
            signed(self.right.len(), |out| {
                sign_cpu::sign_checked(
                    widths(true),
                    &|items, out| self.sign(items, out),
                    &|items, signed, codes| {
                        check_signed::<P256>(engine, inputs, check, items, signed, codes)
                    },
                    out,
                );
            })
        }
    }

    /// Tests recovery ids that are faulty in each way, at first or always.
    #[test]
    fn faulty_recovery_ids_are_recomputed_or_rejected() {
        let engine = CpuEngine::new(Some(2), None).unwrap();
        let keys: Vec<SecretKey> = (1..=20)
            .map(|byte| SecretKey::from_bytes([byte; 32]))
            .collect();
        let digests: Vec<[u8; 32]> = (0..20).map(|byte| [byte; 32]).collect();
        let inputs = SigningInputs {
            digests: (&digests).into(),
            signers: (&keys).into(),
        };
        let [right, checked] = [Check::Nothing, Check::RecoveryIds].map(|check| {
            let signing = Signing {
                inputs,
                low_s: false,
                check,
                widths: widths(true),
            };
            signed(20, |out| super::sign::<P256>(&engine, signing, out))
        });
        assert!(right.iter().all(Result::is_ok));
        assert_eq!(checked, right);
        let signer = FaultySigner {
            attempts: keys.iter().map(|_| AtomicUsize::new(0)).collect(),
            right,
        };
        let mut expected = signer.right.clone();
        expected[FaultySigner::ALWAYS] = Err(Rejection::FaultySignature);
        assert_eq!(
            signer.sign_checked(&engine, inputs, Check::RecoveryIds),
            expected
        );
        for (item, attempts) in signer
            .attempts
            .iter()
            .enumerate()
            .filter(|(item, _)| *item != FaultySigner::ALWAYS)
        {
            let expected = if FaultySigner::fault(item) == 0 { 1 } else { 2 };
            assert_eq!(attempts.load(Ordering::Relaxed), expected, "item {item}");
        }
        // The signatures alone are always right.
        assert!(
            signer
                .sign_checked(&engine, inputs, Check::Signatures)
                .iter()
                .all(Result::is_ok)
        );
    }

    fn draws_again_for_zero_s<C: SecretCurve>() {
        let d = number::<C>(0x21);
        let k = number::<C>(0x42);
        for low_s in [false, true] {
            // With e = -r d, s = 0 for the nonce k.
            draws_again::<C, _>(
                &EcdsaSteps::<Sha256>::new(low_s),
                &d,
                -(x_of::<C>(&k) * d),
                0x42,
            );
        }
    }

    #[test]
    fn zero_or_large_nonces_and_zero_s_draw_another_nonce() {
        macro_rules! all_draw_again {
            ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
                $(draws_again_for_zero_s::<types::$curve>();)*
            };
        }
        for_each_ecdsa_curve!(all_draw_again!);
    }
}
