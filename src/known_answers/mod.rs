//! Items whose answers are known, by which an engine is tested before it is used: `gpu::known_answers`, `cpu::known_answers`.
//!
//! An answer follows from how its item was made. A sum or a product has the sum or the product of its operands' numbers, a
//! signature is made from its point R and its key by the equation of the standard, and a spoiled item is rejected for what was
//! spoiled. The group's arithmetic for that, and the nonces of signatures, are those of the RustCrypto crates, so that engines
//! are compared with nothing of their own. Nothing here is secret.

mod group;
mod points;
mod secrets;
mod signatures;

use crate::curve::{Curve, P256, Secp256k1, SecretCurve, Sm2};
use crate::error::Rejection;
use crate::once::get_or_compute;
use group::Numbered;
pub use points::PointAnswers;
pub use secrets::{Agreements, PrivateKeys, Signing};
pub use signatures::Signatures;
use std::sync::OnceLock;

/// The result of an item.
pub type Answer<T> = Result<T, Rejection>;

/// Of one curve.
pub struct Answers {
    pub points: PointAnswers,
    pub private_keys: PrivateKeys,
    pub agreements: Agreements,
    /// By the scheme that is used on the curve: SM2's on its own, ECDSA on the others.
    pub signatures: Signatures,
    pub signing: Signing,
}

/// Those of a curve, made when they are first asked for, which takes about a millisecond.
pub fn of(curve: &str) -> &'static Answers {
    static SECP256K1: OnceLock<Answers> = OnceLock::new();
    static P_256: OnceLock<Answers> = OnceLock::new();
    static SM2: OnceLock<Answers> = OnceLock::new();
    match curve {
        Secp256k1::NAME => get_or_compute(&SECP256K1, || Answers::new(Signatures::ecdsa, Signing::secp256k1)),
        P256::NAME => get_or_compute(&P_256, new_of_p256),
        Sm2::NAME => get_or_compute(&SM2, || Answers::new(Signatures::sm2, Signing::sm2)),
        other => unreachable!("there is no curve {other}"),
    }
}

/// Tests spoil them.
pub(crate) fn new_of_p256() -> Answers {
    Answers::new(Signatures::ecdsa, Signing::p256)
}

impl Answers {
    fn new<C: SecretCurve>(signatures: fn(&Numbered<C>) -> Signatures, signing: fn(&Numbered<C>) -> Signing) -> Self {
        let numbered = Numbered::new();
        Answers {
            points: PointAnswers::new(&numbered),
            private_keys: PrivateKeys::new(&numbered),
            agreements: Agreements::new(&numbered),
            signatures: signatures(&numbered),
            signing: signing(&numbered),
        }
    }
}

/// So many items, taken from these in turn.
pub fn repeat<T: Clone>(items: &[T], count: usize) -> Vec<T> {
    items.iter().cycle().take(count).cloned().collect()
}

/// Compares what an engine gives for items with what is known.
///
/// # Errors
/// Which answer is wrong.
pub fn compare<T: PartialEq>(
    operation: &str,
    curve: &str,
    given: impl IntoIterator<Item = T>,
    known: impl IntoIterator<Item = T>,
) -> Result<(), String> {
    let (mut given, mut known, mut item) = (given.into_iter(), known.into_iter(), 0);
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
