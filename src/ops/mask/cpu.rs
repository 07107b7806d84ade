//! Masking on the CPU, in batches with constant-time code.
//!
//! The only branch on a secret is the check that a key is in range, whose outcome the caller learns
//! anyway.

use super::{Form, Mask, Source};
use crate::cpu::CpuEngine;
use crate::cpu::secret::{Number, SecretCurve, invert_all, scalar};
use crate::curve::types::{P256, Secp256k1, Sm2};
use crate::curve::{CurveId, PerCurve, per_curve};
use crate::ops::ecdh::cpu::multiply;
use crate::ops::hash_to_curve::Suite;
use crate::ops::hash_to_curve::cpu::{PointSource, Received, Sswu, Tries, with_source};
use crate::types::{PublicKeys, ResultSink, ResultsMut, SecretKey, SecretKeys};
use elliptic_curve::PrimeField;
use std::ops::Range;
use zeroize::Zeroizing;

/// Computes rows of the form's width for the items of a range.
pub fn mask(engine: &CpuEngine, mask: &Mask, items: Range<usize>, out: &mut ResultSink) {
    static OF_POINTS: PerCurve<fn(&CpuEngine, PublicKeys, SecretKeys, Form, &mut ResultSink)> =
        per_curve!(mask_points);
    let keys = mask.keys.slice(items.clone());
    match &mask.source {
        Source::Items(hashing) => with_source!(hashing, items.start, |source| {
            let bytes = hashing.messages.average();
            Masking::new(source, keys, mask.form).compute(engine, bytes, out)
        }),
        Source::Points { curve, points, .. } => {
            OF_POINTS.of(*curve)(engine, points.slice(items), keys, mask.form, out)
        }
    }
}

fn mask_points<C: SecretCurve>(
    engine: &CpuEngine,
    points: PublicKeys,
    keys: SecretKeys,
    form: Form,
    out: &mut ResultSink,
) {
    Masking::new(Received::<C>::new(points), keys, form).compute(engine, 0, out);
}

struct Masking<'a, S> {
    source: S,
    keys: SecretKeys<'a>,
    form: Form,
}

impl<'a, S: PointSource> Masking<'a, S> {
    fn new(source: S, keys: SecretKeys<'a>, form: Form) -> Self {
        Masking { source, keys, form }
    }

    fn compute(&self, engine: &CpuEngine, bytes: usize, out: &mut ResultSink) {
        let widths = [self.form.width(), 0];
        engine.fill_secret_products(bytes, out, widths, |lanes, items, out| {
            let points = self.source.points(lanes, items.clone());
            let put = |out: &mut ResultsMut, place, x: &[u8; 32], y: &[u8; 32]| {
                self.form.write(x, y, out.row(0, place));
                out.accept(place);
            };
            multiply::<S::Curve>(lanes, self.keys, items, &points, S::BASES, out, put);
        });
    }
}

/// Inverses of keys modulo the group order, which are wiped.
pub struct Inverses {
    inverses: Vec<SecretKey>,
    is_one_for_all: bool,
}

impl Inverses {
    /// Returns the inverses as keys.
    pub fn keys(&self) -> SecretKeys<'_> {
        if self.is_one_for_all {
            SecretKeys::all(&self.inverses[0])
        } else {
            SecretKeys::each(&self.inverses)
        }
    }
}

/// Inverts keys modulo the group order, in constant time. A key that is out of range is kept, so
/// that its item is rejected.
pub fn inverses(curve: CurveId, keys: SecretKeys) -> Inverses {
    static OF_CURVES: PerCurve<fn(SecretKeys) -> Vec<SecretKey>> = per_curve!(invert);
    crate::host::stack::wiped(|| Inverses {
        inverses: OF_CURVES.of(curve)(keys),
        is_one_for_all: keys.is_one_for_all(),
    })
}

fn invert<C: SecretCurve>(keys: SecretKeys) -> Vec<SecretKey> {
    let count = keys.len_for(1);
    let mut numbers: Zeroizing<Vec<Number<C>>> = Zeroizing::new(Vec::with_capacity(count));
    let mut inverses = Vec::with_capacity(count);
    for item in 0..count {
        let bytes = keys.expose(item);
        inverses.push(SecretKey::from_bytes(*bytes));
        if let Ok(number) = scalar::<C>(bytes) {
            numbers.push(*number);
        }
    }
    let mut inverted = invert_all::<C>(&numbers);
    let valid = inverses
        .iter_mut()
        .filter(|key| scalar::<C>(key.expose_bytes()).is_ok());
    for (key, inverse) in valid.zip(inverted.iter_mut()) {
        let bytes = Zeroizing::new(inverse.to_repr());
        key.0.copy_from_slice(&(*bytes)[..]);
    }
    inverses
}
