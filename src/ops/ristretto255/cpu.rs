//! ristretto255 on the CPU: in vectors of eight items if the processor supports it, and otherwise
//! item by item, with one division per chunk.
//!
//! The only branches on secrets are the checks that a key is in range, whose outcome the caller
//! learns anyway.

use super::{Bases, Map, Multiply, Source};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::{Ed25519, Ed25519N};
use crate::cpu::edwards::ristretto::{
    Encodings, NoElement, UNIFORM_BYTES, decode_all, encode_all, encode_doubles, map_all,
};
use crate::cpu::edwards::scalar::Scalar;
use crate::cpu::edwards::tables::BaseTables;
use crate::cpu::edwards::{secret, simd};
use crate::cpu::simd::Lanes;
use crate::host::wiped::Wiped;
use crate::ops::hash_to_curve::expand_message;
use crate::types::{Rejection, ResultSink, ResultsMut, Rows};
use sha2::Sha512;
use std::ops::Range;
use zeroize::Zeroizing;

/// The encoding of the identity.
const IDENTITY: [u8; 32] = [0; 32];

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
        // Allocated once: growing the vectors would leave their old contents in freed memory.
        let mut halves = Zeroizing::new(Vec::with_capacity(items.len()));
        let mut points = Wiped::with_capacity(items.len());
        let mut places = Vec::with_capacity(items.len());
        for (place, (item, point)) in items.zip(decoded.iter()).enumerate() {
            let half = self.half_of_key(item);
            let point = match point {
                Ok(_) if *elements.get(item) == IDENTITY => Err(Rejection::IdentityKey),
                Ok(point) => Ok(point),
                Err(NoElement::NotCanonical) => Err(Rejection::MalformedPoint),
                Err(NoElement::NotInGroup) => Err(Rejection::NotOnCurve),
            };
            match half.and_then(|half| Ok((half, point?))) {
                Ok((half, point)) => {
                    halves.push(half);
                    points.push(*point);
                    places.push(place);
                }
                Err(reason) => out.reject(place, reason),
            }
        }
        let products = match lanes {
            Some(lanes) => simd::secret_products::<Ed25519>(lanes, &halves, &points),
            None => secret::products::<Ed25519>(&halves, &points),
        };
        put(out, places, &encode_doubles(&products));
    }

    fn multiply_generator(&self, lanes: Option<Lanes>, items: Range<usize>, out: &mut ResultsMut) {
        let mut halves = Zeroizing::new(Vec::with_capacity(items.len()));
        let mut places = Vec::with_capacity(items.len());
        for (place, item) in items.enumerate() {
            match self.half_of_key(item) {
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
        put(out, places, &encode_doubles(&products));
    }

    /// Returns half the key of an item modulo the group order: products are doubled when they are
    /// encoded.
    fn half_of_key(&self, item: usize) -> Result<Scalar<Ed25519N>, Rejection> {
        match Scalar::from_le_bytes(self.secret_keys.expose(item)) {
            Some(scalar) if !scalar.is_zero() => Ok(scalar.half()),
            _ => Err(Rejection::SecretKeyOutOfRange),
        }
    }
}

/// Writes encodings to their places.
fn put(out: &mut ResultsMut, places: Vec<usize>, encodings: &Encodings) {
    for (place, encoding) in places.into_iter().zip(encodings.iter()) {
        out.row(0, place).copy_from_slice(encoding);
        out.accept(place);
    }
}

impl Map<'_> {
    /// Computes the results of a destination, for the items from `first` on.
    pub(super) fn compute_in_chunks(&self, engine: &CpuEngine, first: usize, out: &mut ResultSink) {
        let lanes = engine.lanes_for(out.items());
        engine.fill_secret_of_texts(self.message_bytes(), out, [32, 0], |range, out| {
            let mut inputs = Zeroizing::new(vec![[0; UNIFORM_BYTES]; range.len()]);
            for (item, input) in range.clone().zip(inputs.iter_mut()) {
                self.write_uniform_bytes(first + item, input);
            }
            let elements = encode_all(lanes, &map_all(lanes, &inputs));
            put(out, (0..range.len()).collect(), &elements);
        });
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
