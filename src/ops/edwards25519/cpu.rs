//! Points of edwards25519 on the CPU: in vectors of eight items if the processor supports it, and
//! otherwise item by item, with one division per chunk.
//!
//! The only branches on secrets are the checks that a key is in range, whose outcome the caller
//! learns anyway.

use super::{Arithmetic, Bases, Multiply, Operation, Points};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::{Ed25519, EdwardsCurve};
use crate::cpu::edwards::decode::{encode, encode_all};
use crate::cpu::edwards::field::Element;
use crate::cpu::edwards::msm::{self, Terms};
use crate::cpu::edwards::point::{Extended, Projective};
use crate::cpu::edwards::scalar::Scalar;
use crate::cpu::edwards::secret;
use crate::cpu::edwards::simd::{self, Lanes};
use crate::cpu::edwards::tables::BaseTables;
use crate::cpu::field::limbs;
use crate::host::wiped::Wiped;
use crate::types::{Rejection, ResultSink, ResultsMut, Rows, SecretKey};
use std::ops::Range;
use zeroize::Zeroizing;

/// A number modulo the order of the base point.
type Number<C> = Scalar<<C as EdwardsCurve>::Order>;

impl Multiply<'_> {
    /// Computes the results of a destination, for the items from `first` on.
    pub(crate) fn compute_in_chunks<C: BaseTables>(
        &self,
        engine: &CpuEngine,
        first: usize,
        out: &mut ResultSink,
    ) {
        engine.fill_secret_products(0, out, [32, 0], |lanes, range, out| {
            let items = first + range.start..first + range.end;
            self.compute_chunk::<C>(lanes, items, out);
        });
    }

    fn compute_chunk<C: BaseTables>(
        &self,
        lanes: Option<Lanes>,
        items: Range<usize>,
        out: &mut ResultsMut,
    ) {
        let points = match self.bases {
            Bases::Points(points) => Some(points.decode::<C>(lanes, items.clone())),
            Bases::Generator => None,
        };
        // Allocated once: growing the vectors would leave their old contents in freed memory.
        let mut numbers = Zeroizing::new(Vec::with_capacity(items.len()));
        let mut factors = Wiped::with_capacity(items.len());
        let mut places = Vec::with_capacity(items.len());
        for (place, item) in items.enumerate() {
            let number = Number::<C>::key_from_le_bytes(self.secret_keys.expose(item));
            let point = points.as_ref().map(|points| points[place]).transpose();
            match (number, point) {
                (Some(number), Ok(point)) => {
                    numbers.push(number);
                    places.push(place);
                    if let Some(point) = point {
                        factors.push(Extended::from_affine(&point));
                    }
                }
                (None, _) => out.reject(place, Rejection::SecretKeyOutOfRange),
                (_, Err(reason)) => out.reject(place, reason),
            }
        }
        let mut products = match self.bases {
            Bases::Points(_) => products_of_points::<C>(lanes, &numbers, &factors),
            Bases::Generator => products_of_generator::<C>(lanes, &numbers),
        };
        if self.is_cofactored {
            products.iter_mut().for_each(multiply_by_cofactor::<C>);
        }
        let encodings = Zeroizing::new(encode_all(&products));
        for (place, encoding) in places.into_iter().zip(encodings.iter()) {
            out.row(0, place).copy_from_slice(encoding);
            out.accept(place);
        }
    }
}

fn products_of_points<C: EdwardsCurve>(
    lanes: Option<Lanes>,
    numbers: &[Number<C>],
    points: &[Extended],
) -> Zeroizing<Vec<Projective>> {
    match lanes {
        Some(lanes) => simd::secret_products::<C>(lanes, numbers, points),
        None => secret::products::<C>(numbers, points),
    }
}

fn products_of_generator<C: BaseTables>(
    lanes: Option<Lanes>,
    numbers: &[Number<C>],
) -> Zeroizing<Vec<Projective>> {
    let numbers: Vec<&Number<C>> = numbers.iter().collect();
    let table = C::tables().uniform();
    match lanes {
        Some(lanes) => simd::uniform_products(lanes, &numbers, table),
        None => table.products(&numbers),
    }
}

/// Not inlined into loops over items, where LLVM replaces conditional moves of carries by branches.
#[inline(never)]
fn multiply_by_cofactor<C: EdwardsCurve>(point: &mut Projective) {
    for _ in 0..C::COFACTOR_DOUBLINGS {
        *point = point.double().to_projective();
    }
}

/// Decodes a number below 2^256 modulo the order, in constant time.
pub(super) fn reduce(bytes: &[u8; 32], key: &mut SecretKey) {
    key.0 = Number::<Ed25519>::from_le_bytes_reduced(bytes).to_le_bytes();
}

/// Decodes a number below 2^512 modulo the order, in constant time.
pub(super) fn reduce_wide(bytes: &[u8; 64], key: &mut SecretKey) {
    key.0 = Number::<Ed25519>::from_le_bytes_wide(bytes).to_le_bytes();
}

impl Arithmetic<'_> {
    /// Computes the results of a destination, for the items from `first` on. Variable-time.
    pub(crate) fn compute_in_chunks<C: EdwardsCurve>(
        &self,
        engine: &CpuEngine,
        first: usize,
        out: &mut ResultSink,
    ) {
        let lanes = engine.lanes_for(out.items());
        engine.fill(out, [self.operation.width(), 0], |range, out| {
            let items = first + range.start..first + range.end;
            let points = self.points.decode::<C>(lanes, items.clone());
            match self.operation {
                Operation::Decompress => put(out, points, |row, [x, y]| {
                    let (to_x, to_y) = row.split_at_mut(32);
                    to_x.copy_from_slice(&x.to_le_bytes());
                    to_y.copy_from_slice(&y.to_le_bytes());
                }),
                Operation::Compress => put(out, points, |row, point| {
                    row.copy_from_slice(&encode(point));
                }),
                Operation::Add(addends) => {
                    let addends = addends.decode::<C>(lanes, items);
                    let pairs = points.into_iter().zip(addends);
                    put_projective(
                        out,
                        pairs.map(|(left, right)| Ok(sum::<C>(&left?, &right?))),
                    );
                }
                Operation::MultiplyByCofactor => {
                    let products = points.into_iter().map(|point| {
                        let mut point = Extended::from_affine(&point?).to_projective();
                        multiply_by_cofactor::<C>(&mut point);
                        Ok(point)
                    });
                    put_projective(out, products);
                }
            }
        });
    }
}

fn sum<C: EdwardsCurve>(left: &[Element; 2], right: &[Element; 2]) -> Projective {
    let right = Extended::from_affine(right).to_niels::<C>();
    Extended::from_affine(left).add(&right).to_projective()
}

/// Writes results, one per item.
fn put<T>(
    out: &mut ResultsMut,
    results: impl IntoIterator<Item = Result<T, Rejection>>,
    write: impl Fn(&mut [u8], &T),
) {
    for (place, result) in results.into_iter().enumerate() {
        match result {
            Ok(result) => {
                write(out.row(0, place), &result);
                out.accept(place);
            }
            Err(reason) => out.reject(place, reason),
        }
    }
}

/// Writes encodings of points, one per item, with one division for all.
fn put_projective(
    out: &mut ResultsMut,
    results: impl Iterator<Item = Result<Projective, Rejection>>,
) {
    let results: Vec<Result<Projective, Rejection>> = results.collect();
    let points: Vec<Projective> = results.iter().flatten().copied().collect();
    let mut encodings = encode_all(&points).into_iter();
    let encoded = results
        .into_iter()
        .map(|result| result.map(|_| encodings.next().expect("an encoding for each point")));
    put(out, encoded, |row, encoding| row.copy_from_slice(encoding));
}

/// Returns the sum of points times numbers, or the index of the first point that is none.
/// Variable-time.
pub(super) fn sum_of_products<C: EdwardsCurve>(
    engine: &CpuEngine,
    scalars: Rows<32>,
    points: Points,
    items: usize,
) -> Result<[u8; 32], (usize, Rejection)> {
    let parts = engine.map_parts(items, |part| {
        let decoded = points.decode::<C>(engine.lanes_for(part.len()), part.clone());
        let mut terms = Terms::with_capacity(part.len());
        for (item, point) in part.zip(decoded) {
            match point {
                Ok(point) => {
                    terms.push::<C>(limbs::from_le_bytes(scalars.get(item)), &point);
                }
                Err(reason) => return Err((item, reason)),
            }
        }
        Ok(terms)
    });
    let mut terms = Terms::with_capacity(items);
    for part in parts {
        terms.append(part?);
    }
    let sum = msm::sum::<C>(&engine.pool, engine.lanes_for(items), &terms);
    Ok(encode(&sum.to_affine()))
}
