//! Items with known answers, for testing an engine before it is used: see `start::gpu_tests` and
//! `start::cpu_answers`.
//!
//! The answer follows from the construction of an item. The discrete logarithm of a sum or product
//! is that of its operands' numbers, a signature is constructed from its point R and its key with
//! the equation of the standard, and a corrupted item is rejected for the corrupted field. The
//! group arithmetic for this, and the nonces of signatures, are from the RustCrypto crates, so that
//! engines are not compared with their own code. Nothing here is secret.

pub mod group;
mod points;
mod schnorr;
pub mod secrets;
pub mod signatures;
mod silent_payments;

use crate::cpu::secret::SecretCurve;
use crate::curve::{CurveId, PerCurve, per_curve};
use crate::host::process::get_or_compute;
use crate::types::Rejection;
use group::Numbered;
pub use points::PointAnswers;
pub use schnorr::{Schnorr, Tweaks};
pub use secrets::{Agreements, PrivateKeys};
pub use silent_payments::SilentPayments;
use std::sync::OnceLock;

/// The result of an item.
pub type Answer<T> = Result<T, Rejection>;

/// Decodes 64 hexadecimal digits, lowercase, of published vectors.
pub const fn bytes(digits: &str) -> [u8; 32] {
    let digits = digits.as_bytes();
    let mut bytes = [0; 32];
    let mut at = 0;
    while at < 64 {
        let value = match digits[at] {
            digit @ b'0'..=b'9' => digit - b'0',
            digit => digit - b'a' + 10,
        };
        bytes[at / 2] = bytes[at / 2] << 4 | value;
        at += 1;
    }
    bytes
}

/// Items with known answers on one curve.
pub struct KnownAnswers {
    pub points: PointAnswers,
    pub private_keys: PrivateKeys,
    pub agreements: Agreements,
}

/// Answers for each curve, made on first use, which takes about a millisecond.
pub struct AnswersPerCurve<T>([OnceLock<T>; CurveId::ALL.len()]);

impl<T> AnswersPerCurve<T> {
    pub const fn new() -> Self {
        AnswersPerCurve([const { OnceLock::new() }; CurveId::ALL.len()])
    }

    /// Returns the answers for a curve, which `make` computes on first use.
    pub fn of(&'static self, curve: CurveId, make: fn(CurveId) -> T) -> &'static T {
        get_or_compute(&self.0[curve as usize], || make(curve))
    }
}

/// Returns the known answers of a curve.
pub fn of(curve: CurveId) -> &'static KnownAnswers {
    static ANSWERS: AnswersPerCurve<KnownAnswers> = AnswersPerCurve::new();
    ANSWERS.of(curve, new)
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

/// Computes the known answers of a curve.
pub fn new(curve: CurveId) -> KnownAnswers {
    static OF_CURVE: PerCurve<fn() -> KnownAnswers> = per_curve!(of_curve);
    OF_CURVE.of(curve)()
}

fn of_curve<C: SecretCurve>() -> KnownAnswers {
    let numbered = Numbered::<C>::new();
    KnownAnswers {
        points: PointAnswers::new(&numbered),
        private_keys: PrivateKeys::new(&numbered),
        agreements: Agreements::new(&numbered),
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
