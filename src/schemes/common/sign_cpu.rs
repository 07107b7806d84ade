//! Signing on the CPU: nonces of RFC 6979, their points, one inversion for many items, and the
//! steps that differ between schemes. If requested, every signature is checked before it is
//! returned.

use super::Signing;
use crate::cpu::CpuEngine;
use crate::cpu::field::Field as _;
use crate::cpu::secret::{
    Bytes, Number, SecretCurve, base_products, draw, invert_all, scalar, with_nonces,
};
use crate::cpu::simd::Lanes;
use crate::ops::keys::cpu as keys_cpu;
use crate::types::{
    Check, Rejection, ResultSink, ResultsMut, Rows, SecretKeys, Signers, Verdict, Widths,
};
use elliptic_curve::point::AffineCoordinates;
use elliptic_curve::{CurveGroup, Field, Group, PrimeField, ProjectivePoint};
use sha2::digest::{Digest, block_api::BlockSizeUser};
use std::ops::Range;
use zeroize::Zeroizing;

/// The steps of signing that are specific to a scheme.
pub trait SigningSteps<C: SecretCurve>: Sync {
    /// The hash function for nonces.
    type Hash: Digest + BlockSizeUser;

    /// Returns whether a key in `1..n` may sign.
    fn may_sign(_d: &Number<C>) -> bool {
        true
    }

    /// Returns the denominator of the signature. It is not 0 for a key that may sign.
    fn denominator(d: &Number<C>, k: &Number<C>) -> Number<C>;

    /// Completes the signature after R = kG. Returns `None` if another nonce is required.
    fn finish(&self, parts: &SigningParts<C>) -> Option<RawSignature>;

    /// Checks the signatures of some items, and writes a code for each.
    fn check(
        &self,
        engine: &CpuEngine,
        signing: &Signing,
        items: &[usize],
        signed: &ResultsMut,
        codes: &mut [u8],
    );
}

/// The values from which a signature is computed.
pub struct SigningParts<'a, C: SecretCurve> {
    pub d: &'a Number<C>,
    pub k: &'a Number<C>,
    pub digest: &'a [u8; 32],
    /// The inverse of the denominator.
    pub inverse: &'a Number<C>,
    /// The x-coordinate of R.
    pub x: &'a Bytes<C>,
    pub y_is_odd: u8,
}

pub struct RawSignature {
    pub signature: [u8; 64],
    pub recovery_id: u8,
}

/// Returns r || s.
pub fn concatenate<C: SecretCurve>(r: &Number<C>, s: &Number<C>) -> [u8; 64] {
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&r.to_repr());
    signature[32..].copy_from_slice(&s.to_repr());
    signature
}

/// The inputs of a batch to sign.
#[derive(Clone, Copy)]
pub struct SigningInputs<'a> {
    pub digests: Rows<'a, 32>,
    pub signers: Signers<'a>,
}

impl SigningInputs<'_> {
    pub fn slice(&self, items: Range<usize>) -> Self {
        SigningInputs {
            digests: self.digests.slice(items.clone()),
            signers: self.signers.slice(items),
        }
    }
}

/// Signs a batch: r || s per item, and the recovery id if there is a column for it. If requested,
/// every signature is checked.
pub fn sign<C: SecretCurve, S: SigningSteps<C>>(
    engine: &CpuEngine,
    steps: &S,
    signing: Signing,
    out: &mut ResultSink,
) {
    let Signing {
        inputs,
        check,
        widths,
        ..
    } = signing;
    if check == Check::Nothing {
        return sign_items::<C, S>(engine, steps, inputs, widths, |item| item, out);
    }
    sign_checked(
        widths,
        &|items, out| {
            let mut out = out.reborrow().into();
            sign_items::<C, S>(engine, steps, inputs, widths, |at| items[at], &mut out);
        },
        &|items, signed, codes| steps.check(engine, &signing, items, signed, codes),
        out,
    );
}

/// Signs the items `item(0)`, `item(1)`, ..., one per result.
fn sign_items<C: SecretCurve, S: SigningSteps<C>>(
    engine: &CpuEngine,
    steps: &S,
    inputs: SigningInputs,
    widths: Widths,
    item: impl Fn(usize) -> usize + Sync,
    out: &mut ResultSink,
) {
    engine.fill_secret_products(0, out, widths, |lanes, range, out| {
        sign_range::<C, S>(lanes, steps, inputs, range.map(&item), out);
    });
}

fn put(out: &mut ResultsMut, place: usize, signed: Result<RawSignature, Rejection>) {
    match signed {
        Ok(RawSignature {
            signature,
            recovery_id,
        }) => {
            out.row(0, place).copy_from_slice(&signature);
            // Empty if the recovery id was not requested.
            out.row(1, place).fill(recovery_id);
            out.accept(place);
        }
        Err(reason) => out.reject(place, reason),
    }
}

/// Returns the key's scalar if the key may sign.
fn signer<C: SecretCurve, S: SigningSteps<C>>(
    key: &[u8; 32],
) -> Result<Zeroizing<Number<C>>, Rejection> {
    scalar::<C>(key).and_then(|d| {
        if S::may_sign(&d) {
            Ok(d)
        } else {
            Err(Rejection::SecretKeyOutOfRange)
        }
    })
}

/// Signs one item. The digest is read only once: if the caller changed its memory after the nonce
/// was derived, another digest would be signed with the same nonce, which would reveal the key.
fn sign_one<C: SecretCurve, S: SigningSteps<C>>(
    steps: &S,
    inputs: SigningInputs,
    item: usize,
) -> Result<RawSignature, Rejection> {
    let SigningInputs { digests, signers } = inputs;
    let d = signer::<C, S>(signers.keys.expose(item))?;
    let digest = *digests.get(item);
    let signed = with_nonces::<C, S::Hash, _>(&d, &digest, signers.data(item), |next| {
        sign_with_nonces::<C, S>(steps, &d, &digest, next)
    });
    Ok(signed)
}

/// Signs with nonces from `next`. Draws another nonce if one is out of range or yields no
/// signature.
pub fn sign_with_nonces<C: SecretCurve, S: SigningSteps<C>>(
    steps: &S,
    d: &Number<C>,
    digest: &[u8; 32],
    next: &mut dyn FnMut(&mut [u8; 32]),
) -> RawSignature {
    loop {
        let k = draw::<C>(next);
        let point = ProjectivePoint::<C::Reference>::mul_by_generator(&*k).to_affine();
        let denominator = Zeroizing::new(S::denominator(d, &k));
        let inverse = Zeroizing::new(Field::invert(&*denominator).expect("no denominator is zero"));
        let y_is_odd = point.y_is_odd().unwrap_u8();
        let parts = SigningParts {
            d,
            k: &*k,
            digest,
            inverse: &*inverse,
            x: &point.x(),
            y_is_odd,
        };
        if let Some(signed) = steps.finish(&parts) {
            return signed;
        }
    }
}

fn sign_range<C: SecretCurve, S: SigningSteps<C>>(
    lanes: Option<Lanes>,
    steps: &S,
    inputs: SigningInputs,
    items: impl ExactSizeIterator<Item = usize>,
    out: &mut ResultsMut,
) {
    let SigningInputs { digests, signers } = inputs;
    // Capacities are exact: growing a vector would leave its old contents in freed memory.
    let mut keys = Zeroizing::new(Vec::<Number<C>>::with_capacity(items.len()));
    let mut nonces = Zeroizing::new(Vec::<Number<C>>::with_capacity(items.len()));
    let mut denominators = Zeroizing::new(Vec::<Number<C>>::with_capacity(items.len()));
    let mut accepted = Vec::with_capacity(items.len());
    for (place, item) in items.enumerate() {
        match signer::<C, S>(signers.keys.expose(item)) {
            Ok(d) => {
                // Read only once: see `sign_one`.
                let digest = *digests.get(item);
                let k = with_nonces::<C, S::Hash, _>(&d, &digest, signers.data(item), draw::<C>);
                accepted.push((place, item, digest));
                denominators.push(S::denominator(&d, &k));
                nonces.push(*k);
                keys.push(*d);
            }
            Err(reason) => out.reject(place, reason),
        }
    }
    let inverses = invert_all::<C>(&denominators);
    let points = base_products::<C>(lanes, &nonces);
    for (index, ((place, item, digest), point)) in accepted.into_iter().zip(points).enumerate() {
        let d = &keys[index];
        let k = &nonces[index];
        let inverse = &inverses[index];
        let x = point.x.to_be_bytes().into();
        let parts = SigningParts {
            d,
            k,
            digest: &digest,
            inverse,
            x: &x,
            y_is_odd: u8::from(point.y.is_odd()),
        };
        let signed = steps.finish(&parts);
        // An item that needs another nonce is signed from the start.
        put(
            out,
            place,
            signed.map_or_else(|| sign_one::<C, S>(steps, inputs, item), Ok),
        );
    }
}

/// The number of attempts at an item before signing fails.
pub const ATTEMPTS: usize = 4;
/// The number of items whose signatures are checked at a time.
const CHECKED_AT_ONCE: usize = 1 << 16;

/// Signs all items of a destination and checks the signatures; an item whose check fails is signed
/// again. A faulty deterministic signature, together with the correct one, would reveal the key, so
/// faulty signatures are never returned. `sign` is called with items and columns for their results,
/// `check` with items, their signatures and codes to write.
pub fn sign_checked(
    widths: Widths,
    sign: &dyn Fn(&[usize], &mut ResultsMut),
    check: &dyn Fn(&[usize], &ResultsMut, &mut [u8]),
    out: &mut ResultSink,
) {
    let items = out.items();
    let mut rest = out.reborrow();
    for start in (0..items).step_by(CHECKED_AT_ONCE) {
        let range = start..items.min(start + CHECKED_AT_ONCE);
        let (mut results, after) = rest.split_at(range.len());
        rest = after;
        let mut memory = OwnResults::new(range.len(), widths);
        sign_block(range, widths, sign, check, &mut memory.results());
        results.take(memory.results().as_results());
    }
}

fn sign_block(
    items: Range<usize>,
    widths: Widths,
    sign: &dyn Fn(&[usize], &mut ResultsMut),
    check: &dyn Fn(&[usize], &ResultsMut, &mut [u8]),
    out: &mut ResultsMut,
) {
    let start = items.start;
    let mut open: Vec<usize> = items.collect();
    for _ in 0..ATTEMPTS {
        let mut memory = OwnResults::new(open.len(), widths);
        let mut codes = vec![0; open.len()];
        let mut signed = memory.results();
        sign(&open, &mut signed);
        check(&open, &signed, &mut codes);
        let mut again = Vec::new();
        for (at, &item) in open.iter().enumerate() {
            let was_signed = signed.codes[at] == Verdict::VALID_CODE;
            if was_signed && codes[at] != Verdict::VALID_CODE {
                again.push(item);
                out.reject(item - start, Rejection::FaultySignature);
                continue;
            }
            out.codes[item - start] = signed.codes[at];
            for column in [0, 1] {
                out.row(column, item - start)
                    .copy_from_slice(signed.row(column, at));
            }
        }
        open = again;
        if open.is_empty() {
            break;
        }
    }
}

/// Result columns with their own memory.
struct OwnResults {
    codes: Vec<u8>,
    /// Secret: a faulty signature can reveal the key.
    columns: [Zeroizing<Vec<u8>>; 2],
    widths: Widths,
}

impl OwnResults {
    fn new(items: usize, widths: Widths) -> Self {
        let columns = widths.map(|width| Zeroizing::new(vec![0; width * items]));
        OwnResults {
            codes: vec![0; items],
            columns,
            widths,
        }
    }

    fn results(&mut self) -> ResultsMut<'_> {
        let [first, second] = &mut self.columns;
        ResultsMut::new(&mut self.codes, [first, second], self.widths)
    }
}

/// Returns the public keys of items as `x || y`, or zeros if the private key is out of range. They
/// are computed again for every attempt, because they too can be faulty.
pub fn public_keys_of<C: SecretCurve>(
    engine: &CpuEngine,
    items: &[usize],
    keys: SecretKeys,
) -> Vec<[u8; 64]> {
    // A key that all items share is computed once.
    let computed = if keys.is_one_for_all() {
        &items[..items.len().min(1)]
    } else {
        items
    };
    let mut rows = vec![[0; 64]; computed.len()];
    let mut codes = vec![0; computed.len()];
    keys_cpu::public_keys_of::<C>(
        engine,
        keys,
        &|at| computed[at],
        &mut ResultsMut::rows(&mut codes, &mut rows).into(),
    );
    if keys.is_one_for_all() {
        rows.repeat(items.len())
    } else {
        rows
    }
}

/// Tests shared by the schemes, and tests that do not depend on the scheme.
#[cfg(test)]
pub mod tests {
    use super::*;
    use elliptic_curve::ops::Reduce;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const NONCE: [u8; 32] = [0x37; 32];

    /// Returns a number below n on every curve.
    pub fn number<C: SecretCurve>(byte: u8) -> Number<C> {
        Number::<C>::from_repr(Bytes::<C>::from([byte; 32]))
            .into_option()
            .expect("below n")
    }

    /// Returns x(kG) modulo n.
    pub fn x_of<C: SecretCurve>(k: &Number<C>) -> Number<C> {
        Number::<C>::reduce(
            &ProjectivePoint::<C::Reference>::mul_by_generator(k)
                .to_affine()
                .x(),
        )
    }

    /// Signs with the nonces `rejected`, then NONCE. Returns the signature and the number of nonces
    /// drawn.
    fn sign_with<C: SecretCurve, S: SigningSteps<C>>(
        steps: &S,
        d: &Number<C>,
        digest: &[u8; 32],
        rejected: &[[u8; 32]],
    ) -> (RawSignature, usize) {
        let mut drawn = 0;
        let signed = sign_with_nonces::<C, S>(steps, d, digest, &mut |nonce| {
            *nonce = *rejected.get(drawn).unwrap_or(&NONCE);
            drawn += 1;
        });
        (signed, drawn)
    }

    /// Checks that nonces of 0, nonces that are too large, and nonces without a signature are drawn
    /// again.
    pub fn draws_again<C: SecretCurve, S: SigningSteps<C>>(
        steps: &S,
        d: &Number<C>,
        e: Number<C>,
        without_signature: u8,
    ) {
        let digest = <[u8; 32]>::from(e.to_repr());
        let (expected, once) = sign_with::<C, S>(steps, d, &digest, &[]);
        assert_eq!(once, 1);
        let rejected = [[0; 32], [0xff; 32], [without_signature; 32]];
        let (signed, drawn) = sign_with::<C, S>(steps, d, &digest, &rejected);
        assert_eq!(
            (signed.signature, signed.recovery_id),
            (expected.signature, expected.recovery_id)
        );
        assert_eq!(drawn, rejected.len() + 1);
    }

    /// The number of items that [`NumberingSigner`] signs: more than are checked at a time.
    const ITEMS: usize = 2 * CHECKED_AT_ONCE + 100;

    /// A signer whose signatures are the items' numbers. Some items are rejected, and the first
    /// check of some fails.
    struct NumberingSigner {
        attempts: Vec<AtomicUsize>,
    }

    impl NumberingSigner {
        fn rejects(item: usize) -> bool {
            item % 777 == 5
        }

        fn fails_at_first(item: usize) -> bool {
            item % 1000 == 7 || item == ITEMS - 1
        }

        fn sign(&self, items: &[usize], out: &mut ResultsMut) {
            assert_eq!(items.len(), out.items());
            for (place, &item) in items.iter().enumerate() {
                self.attempts[item].fetch_add(1, Ordering::Relaxed);
                if Self::rejects(item) {
                    out.reject(place, Rejection::SecretKeyOutOfRange);
                    continue;
                }
                out.row(0, place)[..8].copy_from_slice(&item.to_le_bytes());
                out.row(1, place)[0] = item as u8;
                out.accept(place);
            }
        }

        fn check(&self, items: &[usize], signed: &ResultsMut, codes: &mut [u8]) {
            for (place, &item) in items.iter().enumerate() {
                let is_its_own = signed.as_results().row(0, place)[..8] == item.to_le_bytes();
                let is_first = self.attempts[item].load(Ordering::Relaxed) == 1;
                let is_right = is_its_own && !(is_first && Self::fails_at_first(item));
                codes[place] = if is_right {
                    Verdict::VALID_CODE
                } else {
                    Rejection::Mismatch.code()
                };
            }
        }
    }

    /// Tests more items than are checked at a time: each is signed and checked by its index, again
    /// if the first check fails, and its result is written to its position.
    #[test]
    fn checked_signatures_are_written_to_their_items() {
        let signer = NumberingSigner {
            attempts: (0..ITEMS).map(|_| AtomicUsize::new(0)).collect(),
        };
        let widths = [64, 1];
        let mut codes = vec![0; ITEMS];
        let mut signatures = vec![0xee; 64 * ITEMS];
        let mut ids = vec![0xee; ITEMS];
        let mut out = ResultsMut::new(&mut codes, [&mut signatures, &mut ids], widths);
        sign_checked(
            widths,
            &|items, out| signer.sign(items, out),
            &|items, signed, codes| signer.check(items, signed, codes),
            &mut out.reborrow().into(),
        );
        let out = out.as_results();
        for item in 0..ITEMS {
            if NumberingSigner::rejects(item) {
                assert_eq!(out.get::<64>(item), Err(Rejection::SecretKeyOutOfRange));
            } else {
                assert_eq!(out.get::<64>(item).unwrap()[..8], item.to_le_bytes());
                assert_eq!(out.row(1, item), [item as u8]);
            }
        }
        for (item, attempts) in signer.attempts.into_iter().enumerate() {
            let is_repeated =
                NumberingSigner::fails_at_first(item) && !NumberingSigner::rejects(item);
            assert_eq!(
                attempts.into_inner(),
                if is_repeated { 2 } else { 1 },
                "item {item}"
            );
        }
    }
}
