//! ristretto255 on the CPU: in vectors of eight items if the processor supports it, and otherwise
//! item by item, with one division per chunk.
//!
//! The only branches on secrets are the checks that a key is in range, whose outcome the caller
//! learns anyway.

use super::{Bases, Map, Mask, Multiply, Source};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::{Ed25519, Ed25519N};
use crate::cpu::edwards::point::Extended;
use crate::cpu::edwards::ristretto::{
    Encodings, NoElement, UNIFORM_BYTES, decode_all, encode_all, encode_doubles, map_all,
};
use crate::cpu::edwards::scalar::Scalar;
use crate::cpu::edwards::tables::BaseTables;
use crate::cpu::edwards::{secret, simd};
use crate::cpu::simd::Lanes;
use crate::host::wiped::Wiped;
use crate::ops::hash_to_curve::expand_message;
use crate::types::{Rejection, ResultSink, ResultsMut, Rows, SecretKeys};
use sha2::Sha512;
use std::ops::Range;
use zeroize::Zeroizing;

/// The encoding of the identity.
pub const IDENTITY: [u8; 32] = [0; 32];

/// Returns the rejection of bytes that do not encode an element.
pub fn rejection_of(reason: NoElement) -> Rejection {
    match reason {
        NoElement::NotCanonical => Rejection::MalformedPoint,
        NoElement::NotInGroup => Rejection::NotOnCurve,
    }
}

impl Multiply<'_> {
    /// Computes the results of a destination, for the items from `first` on.
    pub(super) fn compute_in_chunks(&self, engine: &CpuEngine, first: usize, out: &mut ResultSink) {
        engine.fill_secret_products(0, out, [32, 0], |lanes, range, out| {
            let items = first + range.start..first + range.end;
            match self.bases {
                Bases::Elements(elements) => self.multiply_elements(lanes, elements, items, out),
                Bases::Generator => self.multiply_generator(lanes, items, out),
            }
        });
    }

    fn multiply_elements(
        &self,
        lanes: Option<Lanes>,
        elements: Rows<32>,
        items: Range<usize>,
        out: &mut ResultsMut,
    ) {
        let encodings = items.clone().map(|item| elements.get(item));
        let decoded = decode_all(lanes, encodings);
        let mut factors = Factors::with_capacity(items.len());
        for (place, (item, point)) in items.zip(decoded.iter()).enumerate() {
            let half = half_of_key(self.secret_keys, item);
            let point = match point {
                Ok(_) if *elements.get(item) == IDENTITY => Err(Rejection::IdentityKey),
                Ok(point) => Ok(point),
                Err(reason) => Err(rejection_of(*reason)),
            };
            match half.and_then(|half| Ok((half, point?))) {
                Ok((half, point)) => factors.push(place, half, point),
                Err(reason) => out.reject(place, reason),
            }
        }
        put(out, &factors.places, &factors.products(lanes));
    }

    fn multiply_generator(&self, lanes: Option<Lanes>, items: Range<usize>, out: &mut ResultsMut) {
        let mut halves = Zeroizing::new(Vec::with_capacity(items.len()));
        let mut places = Vec::with_capacity(items.len());
        for (place, item) in items.enumerate() {
            match half_of_key(self.secret_keys, item) {
                Ok(half) => {
                    halves.push(half);
                    places.push(place);
                }
                Err(reason) => out.reject(place, reason),
            }
        }
        let scalars: Vec<&Scalar<Ed25519N>> = halves.iter().collect();
        let table = Ed25519::tables().uniform();
        let products = match lanes {
            Some(lanes) => simd::uniform_products(lanes, &scalars, table),
            None => table.products(&scalars),
        };
        put(out, &places, &encode_doubles(&products));
    }
}

/// Returns half the key of an item modulo the group order: products are doubled when they are
/// encoded.
fn half_of_key(keys: SecretKeys, item: usize) -> Result<Scalar<Ed25519N>, Rejection> {
    let key = Scalar::key_from_le_bytes(keys.expose(item));
    key.map(|key| key.half())
        .ok_or(Rejection::SecretKeyOutOfRange)
}

/// Halves of keys, and the points that are multiplied by them.
struct Factors {
    halves: Zeroizing<Vec<Scalar<Ed25519N>>>,
    points: Wiped<Extended>,
    /// The places of the products in the results.
    places: Vec<usize>,
}

impl Factors {
    /// Allocates memory once: growing the vectors would leave their old contents in freed memory.
    fn with_capacity(capacity: usize) -> Self {
        Factors {
            halves: Zeroizing::new(Vec::with_capacity(capacity)),
            points: Wiped::with_capacity(capacity),
            places: Vec::with_capacity(capacity),
        }
    }

    fn push(&mut self, place: usize, half: Scalar<Ed25519N>, point: &Extended) {
        self.halves.push(half);
        self.points.push(*point);
        self.places.push(place);
    }

    /// Returns the encodings of the products of points and keys.
    fn products(&self, lanes: Option<Lanes>) -> Encodings {
        let products = match lanes {
            Some(lanes) => simd::secret_products::<Ed25519>(lanes, &self.halves, &self.points),
            None => secret::products::<Ed25519>(&self.halves, &self.points),
        };
        encode_doubles(&products)
    }
}

/// Writes encodings to their places.
fn put(out: &mut ResultsMut, places: &[usize], encodings: &Encodings) {
    for (&place, encoding) in places.iter().zip(encodings.iter()) {
        out.row(0, place).copy_from_slice(encoding);
        out.accept(place);
    }
}

impl Mask<'_> {
    /// Computes the results of a destination, for the items from `first` on.
    pub(super) fn compute_in_chunks(&self, engine: &CpuEngine, first: usize, out: &mut ResultSink) {
        let bytes = self.map.message_bytes();
        engine.fill_secret_products(bytes, out, [32, 0], |lanes, range, out| {
            self.compute_chunk(lanes, first + range.start..first + range.end, out);
        });
    }

    fn compute_chunk(&self, lanes: Option<Lanes>, items: Range<usize>, out: &mut ResultsMut) {
        let points = self.map.points(lanes, items.clone());
        let mut factors = Factors::with_capacity(items.len());
        for (place, (item, point)) in items.zip(points.iter()).enumerate() {
            match half_of_key(self.secret_keys, item) {
                Ok(half) => factors.push(place, half, point),
                Err(reason) => out.reject(place, reason),
            }
        }
        let masked = factors.products(lanes);
        put(out, &factors.places, &masked);
        for (&place, encoding) in factors.places.iter().zip(masked.iter()) {
            // The branch is never taken: see `mask`. Only the identity has the product 0.
            if *encoding == IDENTITY {
                out.reject(place, Rejection::IdentityResult);
            }
        }
    }
}

impl Map<'_> {
    /// Computes the results of a destination, for the items from `first` on.
    pub(super) fn compute_in_chunks(&self, engine: &CpuEngine, first: usize, out: &mut ResultSink) {
        let lanes = engine.lanes_for(out.items());
        engine.fill_secret_of_texts(self.message_bytes(), out, [32, 0], |range, out| {
            let places: Vec<usize> = (0..range.len()).collect();
            let points = self.points(lanes, first + range.start..first + range.end);
            put(out, &places, &encode_all(lanes, &points));
        });
    }

    /// Returns the points of a range of items.
    fn points(&self, lanes: Option<Lanes>, items: Range<usize>) -> Wiped<Extended> {
        let mut inputs = Zeroizing::new(vec![[0; UNIFORM_BYTES]; items.len()]);
        for (item, input) in items.zip(inputs.iter_mut()) {
            self.write_uniform_bytes(item, input);
        }
        map_all(lanes, &inputs)
    }

    fn message_bytes(&self) -> usize {
        match &self.source {
            Source::UniformBytes { .. } => 0,
            Source::Messages { messages, .. } => messages.average(),
        }
    }

    fn write_uniform_bytes(&self, item: usize, out: &mut [u8; UNIFORM_BYTES]) {
        match &self.source {
            Source::UniformBytes { rows, .. } => *out = *rows.get(item),
            Source::Messages { messages, dst } => {
                expand_message::<Sha512>(messages.get(item), dst, out);
            }
        }
    }
}
