//! Items with known answers, for testing an engine before it is used: see `start::gpu_tests` and
//! `start::cpu_answers`.
//!
//! The answer follows from the construction of an item. The discrete logarithm of a sum or product
//! is that of its operands' numbers, a signature is constructed from its point R and its key with
//! the equation of the standard, and a corrupted item is rejected for the corrupted field. The
//! group arithmetic for this, and the nonces of signatures, are from the RustCrypto crates, so that
//! engines are not compared with their own code. Nothing here is secret.

mod group;
mod points;
mod schnorr;
mod secrets;
mod signatures;
mod silent_payments;

use crate::cpu::secret::SecretCurve;
use crate::curve::{Curve, CurveId, PerCurve, for_each_ecdsa_curve, for_each_sm2_curve, types};
use crate::host::process::get_or_compute;
use crate::types::Rejection;
use ecdsa::signature::rand_core::{TryCryptoRng, TryRng};
use group::Numbered;
pub use points::PointAnswers;
pub use schnorr::{Schnorr, Tweaks};
pub use secrets::{Agreements, PrivateKeys, Signing};
pub use signatures::Signatures;
pub use silent_payments::SilentPayments;
use std::convert::Infallible;
use std::sync::OnceLock;

/// The result of an item.
pub type Answer<T> = Result<T, Rejection>;

/// Items with known answers on one curve.
pub struct KnownAnswers {
    pub points: PointAnswers,
    pub private_keys: PrivateKeys,
    pub agreements: Agreements,
    /// Signatures of ECDSA, or of SM2 on its curve.
    pub signatures: Signatures,
    pub signing: Signing,
}

/// Returns the known answers of a curve. They are made on first use, which takes about a
/// millisecond.
pub fn of(curve: CurveId) -> &'static KnownAnswers {
    static ANSWERS: PerCurve<OnceLock<KnownAnswers>> =
        PerCurve([const { OnceLock::new() }; CurveId::ALL.len()]);
    get_or_compute(&ANSWERS.0[curve as usize], || new(curve))
}

/// Returns the known answers of BIP 340, made on first use.
pub fn schnorr() -> &'static Schnorr {
    static ANSWERS: OnceLock<Schnorr> = OnceLock::new();
    get_or_compute(&ANSWERS, Schnorr::new)
}

/// Returns the known answers of silent payments, made on first use.
pub fn silent_payments() -> &'static SilentPayments {
    static ANSWERS: OnceLock<SilentPayments> = OnceLock::new();
    get_or_compute(&ANSWERS, SilentPayments::new)
}

/// Computes the known answers again, for tests that corrupt them.
pub(crate) fn new(curve: CurveId) -> KnownAnswers {
    macro_rules! by_ecdsa {
        ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            $(
                if curve == types::$curve::ID {
                    return KnownAnswers::new::<types::$curve>(Signatures::ecdsa, |numbered| {
                        Signing::ecdsa(numbered, |key, digest, additional| {
                            let key = ecdsa::SigningKey::<$($reference)*>::from_slice(key).expect("in range");
                            let (signature, id) = match additional {
                                None => key.sign_prehash_recoverable(digest),
                                Some(data) => {
                                    let Ok(signed) = key.sign_prehash_recoverable_with_rng(&mut Given(data), digest);
                                    signed
                                }
                            };
                            (signature.to_bytes().into(), id.to_byte())
                        })
                    });
                }
            )*
        };
    }
    macro_rules! by_sm2 {
        ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            $(
                if curve == types::$curve::ID {
                    return KnownAnswers::new::<types::$curve>(Signatures::sm2, |numbered| {
                        Signing::sm2(numbered, |key, digest, additional| {
                            use $($module)*::dsa::SigningKey;
                            use $($module)*::dsa::signature::hazmat::{PrehashSigner, RandomizedPrehashSigner};
                            let key = SigningKey::from_slice("", key).expect("in range");
                            let signature = match additional {
                                None => key.sign_prehash(digest),
                                Some(data) => key.sign_prehash_with_rng(&mut Given(data), digest),
                            };
                            (signature.expect("32 bytes").to_bytes().into(), 0)
                        })
                    });
                }
            )*
        };
    }
    for_each_ecdsa_curve!(by_ecdsa!);
    for_each_sm2_curve!(by_sm2!);
    unreachable!("there is no curve {curve}")
}

/// A random number generator that returns given bytes. RustCrypto's signers use them as additional
/// data of a nonce.
struct Given([u8; 32]);

impl TryRng for Given {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("signers take bytes")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("signers take bytes")
    }

    fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), Infallible> {
        to.copy_from_slice(&self.0);
        Ok(())
    }
}

impl TryCryptoRng for Given {}

impl KnownAnswers {
    fn new<C: SecretCurve>(
        signatures: fn(&Numbered<C>) -> Signatures,
        signing: fn(&Numbered<C>) -> Signing,
    ) -> Self {
        let numbered = Numbered::new();
        KnownAnswers {
            points: PointAnswers::new(&numbered),
            private_keys: PrivateKeys::new(&numbered),
            agreements: Agreements::new(&numbered),
            signatures: signatures(&numbered),
            signing: signing(&numbered),
        }
    }
}

/// Returns `count` items, cycling through `items`.
pub fn repeat<T: Clone>(items: &[T], count: usize) -> Vec<T> {
    items.iter().cycle().take(count).cloned().collect()
}

/// Compares the results of an engine with the known answers.
///
/// # Errors
/// A description of the first wrong answer.
pub fn compare<T: PartialEq>(
    operation: &str,
    curve: &str,
    given: impl IntoIterator<Item = T>,
    known: impl IntoIterator<Item = T>,
) -> Result<(), String> {
    let mut given = given.into_iter();
    let mut known = known.into_iter();
    let mut item = 0;
    loop {
        match (given.next(), known.next()) {
            (None, None) => return Ok(()),
            (given, known) if given == known => item += 1,
            _ => {
                return Err(format!(
                    "{operation} on {curve} gives a wrong answer for item {item} of those that are known"
                ));
            }
        }
    }
}
