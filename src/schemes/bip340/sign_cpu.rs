//! Signing on the CPU.

use super::sign::SignBip340;
use super::verify_cpu::Bip340Signatures;
use crate::cpu::field::Field as _;
use crate::cpu::point::Affine;
use crate::cpu::secret::{Bytes, Number, SecretCurve, base_products, scalar};
use crate::cpu::simd::Lanes;
use crate::cpu::{CpuEngine, decode};
use crate::curve::Secp256k1;
use crate::ops::hash::{Tag, tagged};
use crate::schemes::common::sign_cpu::{public_keys_of, sign_checked};
use crate::schemes::common::verify_cpu;
use crate::types::{PublicKeys, Rejection, ResultSink, ResultsMut, Verdict};
use elliptic_curve::ops::Reduce;
use elliptic_curve::subtle::ConditionallySelectable;
use elliptic_curve::{Field, PrimeField};
use std::ops::Range;
use zeroize::Zeroizing;

impl SignBip340<'_, '_> {
    /// Signs the items `item(0)`, `item(1)`, ..., one per result.
    fn sign<C: SecretCurve>(
        &self,
        engine: &CpuEngine,
        item: impl Fn(usize) -> usize + Sync,
        out: &mut ResultSink,
    ) {
        let bytes = self.messages.average();
        engine.fill_secret_products(bytes, out, [64, 0], |lanes, range, out| {
            self.sign_items::<C>(lanes, &range.map(&item).collect::<Vec<_>>(), out);
        });
    }

    /// Signs items, one per result.
    fn sign_items<C: SecretCurve>(
        &self,
        lanes: Option<Lanes>,
        items: &[usize],
        out: &mut ResultsMut,
    ) {
        // Capacities are exact, here and below: growing a vector would leave its old contents in
        // freed memory.
        let mut keys = Zeroizing::new(Vec::with_capacity(items.len()));
        let mut places = Vec::with_capacity(items.len());
        for (place, &item) in items.iter().enumerate() {
            match scalar::<C>(self.keys.expose(item)) {
                Ok(d) => {
                    places.push((place, item));
                    keys.push(*d);
                }
                Err(reason) => out.reject(place, reason),
            }
        }
        let points = match self.public {
            None => products::<C>(lanes, &keys).into_iter().map(Ok).collect(),
            Some(public) => {
                let given = places.iter().map(|&(_, item)| public.get(item));
                let points = decode::public_keys::<C>(lanes, given).into_iter();
                points
                    .map(|point| point.map(XOnly::of_affine::<C>))
                    .collect::<Vec<_>>()
            }
        };
        let mut nonces = Zeroizing::new(Vec::with_capacity(points.len()));
        for (index, point) in points.iter().enumerate() {
            let (place, item) = places[index];
            let nonce = point.as_ref().map_err(|reason| *reason).and_then(|point| {
                self.nonce::<C>(&keys[index], point, item)
                    .ok_or(Rejection::IdentityResult)
            });
            nonces.push(nonce.as_ref().map_or(Number::<C>::ONE, |nonce| **nonce));
            if let Err(reason) = nonce {
                out.reject(place, reason);
            } else {
                out.accept(place);
            }
        }
        let nonce_points = products::<C>(lanes, &nonces);
        for (index, point) in points.iter().enumerate() {
            let ((place, item), Ok(point)) = (places[index], point) else {
                continue;
            };
            // The nonce of an item that was rejected because of its nonce is a placeholder, which
            // must not be used.
            if out.codes[place] != Verdict::VALID_CODE {
                continue;
            }
            let r = &nonce_points[index];
            // s = k + e d, where k G and d G have an even y.
            let e = tagged(Tag::Challenge, &[&r.x, &point.x, self.messages.get(item)]);
            let e = Number::<C>::reduce(&Bytes::<C>::from(e));
            let k = Zeroizing::new(r.with_even_y::<C>(&nonces[index]));
            let d = Zeroizing::new(point.with_even_y::<C>(&keys[index]));
            let s = *k + e * *d;
            let row = out.row(0, place);
            row[..32].copy_from_slice(&r.x);
            row[32..].copy_from_slice(&s.to_repr());
        }
    }

    /// Returns k', or `None` if it is 0.
    fn nonce<C: SecretCurve>(
        &self,
        d: &Number<C>,
        point: &XOnly,
        item: usize,
    ) -> Option<Zeroizing<Number<C>>> {
        let mut t = Zeroizing::new(tagged(Tag::Auxiliary, &[self.auxiliary.expose(item)]));
        let d = Zeroizing::new(Zeroizing::new(point.with_even_y::<C>(d)).to_repr());
        t.iter_mut().zip(d.iter()).for_each(|(t, d)| *t ^= d);
        let random = Zeroizing::new(tagged(
            Tag::Nonce,
            &[&*t, &point.x, self.messages.get(item)],
        ));
        let random = Zeroizing::new(Bytes::<C>::from(*random));
        let nonce = Zeroizing::new(Number::<C>::reduce(&*random));
        (!bool::from(nonce.is_zero())).then_some(nonce)
    }

    /// Verifies each signature with the public key of its private key, which is computed again.
    fn check<C: SecretCurve>(
        &self,
        engine: &CpuEngine,
        items: &[usize],
        signed: &ResultsMut,
        codes: &mut [u8],
    ) {
        let public = public_keys_of::<C>(engine, items, self.keys);
        let signatures = Bip340Signatures {
            message: &|at| self.messages.get(items[at]),
            message_bytes: self.messages.average(),
            signatures: signed.columns[0].as_chunks().0.into(),
            keys: PublicKeys::raw(&public),
            batch_verification: false,
        };
        let mut codes = ResultsMut::codes(codes).into();
        verify_cpu::verify::<C>(engine, &signatures, &mut codes);
    }

    pub(super) fn sign_range(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        if !self.is_checked {
            return self.sign::<Secp256k1>(engine, |at| items.start + at, out);
        }
        sign_checked(
            [64, 0],
            &|places, out| {
                self.sign::<Secp256k1>(
                    engine,
                    |at| items.start + places[at],
                    &mut out.reborrow().into(),
                )
            },
            &|places, signed, codes| {
                let items: Vec<usize> = places.iter().map(|place| items.start + place).collect();
                self.check::<Secp256k1>(engine, &items, signed, codes);
            },
            out,
        );
    }
}

/// A point as it is hashed, and the parity of its y.
struct XOnly {
    x: [u8; 32],
    y_is_odd: u8,
}

impl XOnly {
    fn of_affine<C: SecretCurve>(point: Affine<C::Base>) -> Self {
        XOnly {
            x: point.x.to_be_bytes(),
            y_is_odd: u8::from(point.y.is_odd()),
        }
    }

    /// Returns the number of a point, or its negative, so that the number's point has an even y.
    fn with_even_y<C: SecretCurve>(&self, number: &Number<C>) -> Number<C> {
        Number::<C>::conditional_select(number, &-*number, self.y_is_odd.into())
    }
}

/// Computes the products of G and numbers in 1..n in constant time.
fn products<C: SecretCurve>(lanes: Option<Lanes>, numbers: &[Number<C>]) -> Vec<XOnly> {
    base_products::<C>(lanes, numbers)
        .into_iter()
        .map(XOnly::of_affine::<C>)
        .collect()
}
