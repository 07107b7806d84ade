//! The CPU engine: batches are split into chunks that fit the cache, which run on the engine's
//! threads.
//!
//! Layers, each of which uses only those named before it: `field` (modular arithmetic), `scalar`
//! (digits, the endomorphism), `curves` (data of each curve), `point` (affine and Jacobian points),
//! `sswu` (constants of the map from field elements to points), `simd`
//! (eight items at a time), `uniform` (constant-time portable code), `tables` of multiples,
//! `multiply`, `msm` (sums of many products), `decode`, and `secret` (building blocks of operations
//! on secrets). The code of each operation is in the operation's folder.

mod curves;
pub mod decode;
pub mod edwards;
pub mod field;
pub mod msm;
pub mod multiply;
pub mod point;
pub mod scalar;
pub mod secret;
// `--cfg gecc_no_avx512` omits the vector code on x86-64 too, so that its replacement can be
// compiled and tested there.
#[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
pub mod simd;
#[cfg(any(gecc_no_avx512, not(target_arch = "x86_64")))]
#[path = "simd_absent.rs"]
pub mod simd;
pub mod sswu;
pub mod tables;
pub mod uniform;

use crate::host::stack;
use crate::host::workers::Pool;
use crate::types::{Error, ResultSink, ResultsMut, Widths};
#[cfg(test)]
#[allow(unused_imports, reason = "for tests/small_groups.rs")]
pub use curves::FieldConstants;
pub use curves::{CoefficientA, CpuCurve};
pub use field::limbs::{from_be_bytes as be_bytes_to_limbs, to_be_bytes as limbs_to_be_bytes};
use field::{Coordinate, Field};
use point::Affine;
use simd::Lanes;
use std::ops::Range;
use zeroize::Zeroizing;

/// Returns the coefficient a in the field's own representation.
#[inline(always)]
pub fn coefficient_a<C: CpuCurve>() -> C::Base {
    match C::A {
        CoefficientA::Zero => C::Base::ZERO,
        CoefficientA::MinusThree => three::<C::Base>().neg(),
        CoefficientA::General(stored) => C::Base::from_stored(stored),
    }
}

pub fn generator<C: CpuCurve>() -> Affine<C::Base> {
    Affine::new(from_limbs(&C::G.0), from_limbs(&C::G.1))
}

/// Returns the field element of a plain number below the modulus.
pub fn from_limbs<F: Field>(limbs: &[u64; 4]) -> F {
    F::from_be_bytes(&limbs_to_be_bytes(limbs)).expect("a curve constant is below the modulus")
}

/// Returns a || b || x_G || y_G, as hashed in Z_A of SM2.
pub fn domain_parameters<C: CpuCurve>() -> [u8; 128] {
    let fields = [
        coefficient_a::<C>().to_be_bytes(),
        limbs_to_be_bytes(&C::B),
        limbs_to_be_bytes(&C::G.0),
        limbs_to_be_bytes(&C::G.1),
    ];
    fields.as_flattened().try_into().expect("four of 32 bytes")
}

pub fn three<F: Field>() -> F {
    F::ONE.double().add(&F::ONE)
}

/// The number of items below which too many lanes would be idle.
pub const FEWEST_IN_LANES: usize = 2;
/// The number of items that one thread takes at a time: enough to share an inversion, and few
/// enough that their tables stay in L2.
pub const CHUNK: usize = 512;
/// The number of items below which another thread is not worthwhile, for operations on several
/// items at a time.
const SMALLEST_CHUNK: usize = 64;
/// The smallest number of items for which another thread is faster if the portable code multiplies
/// their points by secrets: with fewer, the inversions that they share take too long.
const SMALLEST_PORTABLE_CHUNK: usize = 8;
/// The smallest number of items for which another thread is faster if each is computed
/// individually, which takes longer.
const SMALLEST_GROUP: usize = 4;
/// The number of bytes to hash that justify another thread.
const SMALLEST_TEXTS: usize = 16 << 10;
/// The maximum size in bytes of secret results that one thread holds at a time.
const MOST_SECRET: usize = 1 << 20;

/// The threads and limits of an engine.
#[derive(Debug)]
pub struct CpuEngine {
    pub pool: Pool,
    pub max_memory: Option<usize>,
    /// The vector code, or `None` for portable code.
    pub lanes: Option<Lanes>,
    /// The reason why vector instructions of the processor are not used.
    pub problem_of_lanes: Option<&'static str>,
}

impl CpuEngine {
    pub fn new(threads: Option<usize>, max_memory: Option<usize>) -> Result<Self, Error> {
        Ok(CpuEngine {
            pool: Pool::new(threads)?,
            max_memory,
            lanes: Lanes::detect(),
            problem_of_lanes: None,
        })
    }

    /// Returns the engine restricted to portable code.
    pub fn portable(self) -> Self {
        CpuEngine {
            lanes: None,
            ..self
        }
    }

    /// Returns the vector code for a number of items, unless computing them individually is faster.
    pub fn lanes_for(&self, items: usize) -> Option<Lanes> {
        self.lanes.filter(|_| items >= FEWEST_IN_LANES)
    }

    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// Computes one result per item, item by item: `initial` is replaced at every position.
    pub fn map<T: Clone + Send>(
        &self,
        items: usize,
        initial: T,
        compute: impl Fn(usize) -> T + Sync,
    ) -> Vec<T> {
        let block = items
            .div_ceil(4 * self.threads())
            .clamp(SMALLEST_GROUP, CHUNK);
        self.pool.map(block, items, initial, compute)
    }

    /// Computes one value per item, chunk by chunk: `compute` overwrites `initial` in its range of
    /// values. `bytes` is the average number of bytes hashed per item.
    pub fn map_chunks<T: Clone + Send>(
        &self,
        bytes: usize,
        items: usize,
        initial: T,
        compute: impl Fn(Range<usize>, &mut [T]) + Sync,
    ) -> Vec<T> {
        let chunk = self.chunk_of_texts(items, bytes);
        let mut values = vec![initial; items];
        let chunks: Vec<_> = values.chunks_mut(chunk).enumerate().collect();
        self.pool
            .for_each(chunks, |(index, out): (usize, &mut [T])| {
                let start = index * chunk;
                compute(start..start + out.len(), out);
            });
        values
    }

    /// Computes one value for each part of the items; `compute` is called with the part's range.
    pub fn map_parts<T: Send>(
        &self,
        items: usize,
        compute: impl Fn(Range<usize>) -> T + Sync,
    ) -> Vec<T> {
        let part = self.chunk(items);
        let mut values: Vec<Option<T>> = (0..items.div_ceil(part)).map(|_| None).collect();
        self.pool.for_each(
            values.iter_mut().enumerate().collect(),
            |(index, value): (usize, &mut Option<T>)| {
                *value = Some(compute(index * part..items.min((index + 1) * part)));
            },
        );
        values.into_iter().flatten().collect()
    }

    /// Returns the chunk size. A single chunk needs no other thread; waking one takes as long as
    /// several items.
    fn chunk(&self, items: usize) -> usize {
        self.chunk_of_texts(items, 0)
    }

    /// Returns the chunk size for items with messages. Another thread can be profitable even for
    /// a single long message. `bytes` is the average length of a message.
    fn chunk_of_texts(&self, items: usize, bytes: usize) -> usize {
        let smallest = SMALLEST_TEXTS.checked_div(bytes).unwrap_or(SMALLEST_CHUNK);
        items
            .div_ceil(self.threads())
            .clamp(smallest.clamp(1, SMALLEST_CHUNK), CHUNK)
    }

    /// Computes the results of all items of a destination, numbered from 0, chunk by chunk.
    /// `compute` writes a code for each item of its range, and rows if the item succeeds; both are
    /// initially 0.
    pub fn fill(
        &self,
        out: &mut ResultSink,
        widths: Widths,
        compute: impl Fn(Range<usize>, &mut ResultsMut) + Sync,
    ) {
        self.fill_of_texts(0, out, widths, compute);
    }

    /// Computes results of public data where an average of `bytes` is hashed per item.
    pub fn fill_of_texts(
        &self,
        bytes: usize,
        out: &mut ResultSink,
        widths: Widths,
        compute: impl Fn(Range<usize>, &mut ResultsMut) + Sync,
    ) {
        let chunk = self.chunk_of_texts(out.items(), bytes);
        self.pool
            .for_each(chunks(out, chunk), |(range, mut results)| {
                write_chunk(&mut results, widths, range, &compute)
            });
    }

    /// Computes results that are secret or depend on secrets, as `fill` does, and wipes the stack
    /// and every intermediate copy.
    pub fn fill_secret(
        &self,
        out: &mut ResultSink,
        widths: Widths,
        compute: impl Fn(Range<usize>, &mut ResultsMut) + Sync,
    ) {
        self.fill_secret_chunks(self.chunk(out.items()), out, widths, &compute);
    }

    /// Computes results that depend on secrets where an average of `bytes` is hashed per item.
    pub fn fill_secret_of_texts(
        &self,
        bytes: usize,
        out: &mut ResultSink,
        widths: Widths,
        compute: impl Fn(Range<usize>, &mut ResultsMut) + Sync,
    ) {
        let chunk = self.chunk_of_texts(out.items(), bytes);
        self.fill_secret_chunks(chunk, out, widths, &compute);
    }

    /// Computes results that depend on secrets and take a multiplication of a point per item, by the
    /// vector code or by the portable code. An average of `bytes` is hashed per item.
    pub fn fill_secret_products(
        &self,
        bytes: usize,
        out: &mut ResultSink,
        widths: Widths,
        compute: impl Fn(Option<Lanes>, Range<usize>, &mut ResultsMut) + Sync,
    ) {
        let items = out.items();
        let lanes = self.lanes_for(items);
        let chunk = if lanes.is_some() {
            self.chunk_of_texts(items, bytes)
        } else {
            items
                .div_ceil(self.threads())
                .clamp(SMALLEST_PORTABLE_CHUNK, CHUNK)
        };
        self.fill_secret_chunks(chunk, out, widths, &|range, out| compute(lanes, range, out));
    }

    /// Computes results that depend on secrets item by item, for operations so slow that another
    /// thread is faster for a few items already.
    pub fn fill_secret_each(
        &self,
        out: &mut ResultSink,
        widths: Widths,
        compute: impl Fn(usize, &mut ResultsMut, usize) + Sync,
    ) {
        self.fill_secret_chunks(SMALLEST_GROUP, out, widths, &|range, results| {
            range
                .enumerate()
                .for_each(|(place, item)| compute(item, results, place));
        });
    }

    /// Splits a destination into parts that are planned one after the other: of `most` items, or of
    /// fewer if the caller's memory limit requires it, given `item_bytes` bytes for planning an
    /// item.
    pub fn planned_parts<'a>(
        &self,
        out: &'a mut ResultSink,
        most: usize,
        item_bytes: usize,
    ) -> Vec<Part<'a>> {
        let affordable = self
            .max_memory
            .map_or(most, |limit| most.min(limit / 8 / item_bytes));
        chunks(out, affordable.max(CHUNK))
    }

    /// Computes secret results in chunks of `chunk` items, or of fewer if their results would exceed
    /// `MOST_SECRET`.
    fn fill_secret_chunks(
        &self,
        chunk: usize,
        out: &mut ResultSink,
        widths: Widths,
        compute: &Compute,
    ) {
        let most = (MOST_SECRET / (1 + widths[0] + widths[1])).max(1);
        self.pool
            .for_each(chunks(out, chunk.min(most)), |(range, mut results)| {
                stack::wiped(|| write_chunk(&mut results, widths, range, compute))
            });
    }
}

/// Computes the results of a range. A trait object rather than a type parameter, so that its
/// callers are compiled once.
type Compute<'a> = dyn Fn(Range<usize>, &mut ResultsMut) + Sync + 'a;

/// A range of items of a batch, and the destination of their results.
pub type Part<'a> = (Range<usize>, ResultSink<'a>);

/// Splits a destination into chunks of `chunk` items.
fn chunks<'a>(out: &'a mut ResultSink, chunk: usize) -> Vec<Part<'a>> {
    let items = out.items();
    let mut chunks = Vec::with_capacity(items.div_ceil(chunk));
    let mut rest = out.reborrow();
    for start in (0..items).step_by(chunk) {
        let end = items.min(start + chunk);
        let (results, remaining) = rest.split_at(end - start);
        chunks.push((start..end, results));
        rest = remaining;
    }
    chunks
}

/// Calls `compute` to write the results of all items of a destination, directly or in temporary
/// columns, which are wiped.
fn write_chunk(out: &mut ResultSink, widths: Widths, range: Range<usize>, compute: &Compute) {
    if let Some(mut columns) = out.columns() {
        columns.codes.fill(0);
        columns.columns.iter_mut().for_each(|column| column.fill(0));
        return compute(range, &mut columns);
    }
    let items = out.items();
    let mut memory = Zeroizing::new(vec![0; items * (1 + widths[0] + widths[1])]);
    let (codes, columns) = memory.split_at_mut(items);
    let (first, second) = columns.split_at_mut(items * widths[0]);
    let mut results = ResultsMut::new(codes, [first, second], widths);
    compute(range, &mut results);
    out.take(results.as_results());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Rejection, Results, collect, rows_of};
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Numbers of items around the sizes of chunks.
    const ITEMS: [usize; 12] = [0, 1, 3, 4, 5, 63, 64, 65, 511, 513, 1537, 5000];

    /// Writes nothing, a rejection, or the item's number, depending on the item.
    fn compute(item: usize, out: &mut ResultsMut, place: usize) {
        match item % 5 {
            0 => {}
            1 => {
                // A rejection has to clear earlier contents.
                out.row(0, place).fill(0xff);
                out.reject(place, Rejection::HighS);
            }
            _ => {
                out.row(0, place).copy_from_slice(&item.to_le_bytes());
                out.accept(place);
            }
        }
    }

    fn expected(item: usize) -> (u8, [u8; 8]) {
        match item % 5 {
            0 => (0, [0; 8]),
            1 => (Rejection::HighS.code(), [0; 8]),
            _ => (1, item.to_le_bytes()),
        }
    }

    /// Checks that `fill` writes every item's results exactly once, both into columns with stale
    /// contents and as values.
    fn check(items: usize, fill: impl Fn(&mut ResultSink)) {
        let mut codes = vec![0xee; items];
        let mut rows = vec![[0xee; 8]; items];
        fill(&mut ResultsMut::rows(&mut codes, &mut rows).into());
        assert!(
            codes.into_iter().zip(rows).eq((0..items).map(expected)),
            "columns of {items} items"
        );
        // SAFETY: `fill` has all items taken, as the assertion above shows.
        let Ok(values) = unsafe {
            collect(items, code_and_row, |sink| {
                fill(sink);
                Ok::<_, Infallible>(())
            })
        };
        assert!(
            values.into_iter().eq((0..items).map(expected)),
            "values of {items} items"
        );
    }

    fn code_and_row(results: &Results, item: usize) -> (u8, [u8; 8]) {
        (
            results.codes[item],
            results.row(0, item).try_into().expect("8 bytes"),
        )
    }

    /// Computes a chunk, and adds the number of its items to `computed`.
    fn compute_range(computed: &AtomicUsize, range: Range<usize>, out: &mut ResultsMut) {
        assert_eq!(range.len(), out.items());
        assert!(range.len() <= CHUNK);
        computed.fetch_add(range.len(), Ordering::Relaxed);
        range
            .enumerate()
            .for_each(|(place, item)| compute(item, out, place));
    }

    #[test]
    fn every_result_is_computed_once_and_written_to_its_position() {
        for threads in [1, 3] {
            let engine = CpuEngine::new(Some(threads), None).unwrap();
            for items in ITEMS {
                let computed = AtomicUsize::new(0);
                check(items, |sink| {
                    engine.fill(sink, [8, 0], |range, out| {
                        compute_range(&computed, range, out)
                    });
                });
                check(items, |sink| {
                    engine.fill_secret(sink, [8, 0], |range, out| {
                        compute_range(&computed, range, out)
                    });
                });
                check(items, |sink| {
                    engine.fill_secret_each(sink, [8, 0], |item, out, place| {
                        assert!(out.items() <= SMALLEST_GROUP);
                        computed.fetch_add(1, Ordering::Relaxed);
                        compute(item, out, place);
                    });
                });
                // Six calls per item: three each for columns and for values.
                assert_eq!(computed.into_inner(), 6 * items);
            }
        }
    }

    /// Returns the size of the largest chunk.
    fn largest(fill: impl FnOnce(&(dyn Fn(Range<usize>, &mut ResultsMut) + Sync))) -> usize {
        let most = AtomicUsize::new(0);
        fill(&|range, _| _ = most.fetch_max(range.len(), Ordering::Relaxed));
        most.into_inner()
    }

    #[test]
    fn chunk_of_secret_rows_is_bounded_in_bytes() {
        let engine = CpuEngine::new(Some(2), None).unwrap();
        for (items, width, most) in [
            (2048, 64, CHUNK),
            (2048, 1 << 12, 255),
            (3, 2 * MOST_SECRET, 1),
        ] {
            let mut codes = vec![0; items];
            let mut rows = vec![0; width * items];
            let mut out = ResultsMut::new(&mut codes, [&mut rows, &mut []], [width, 0]).into();
            assert_eq!(
                largest(|compute| engine.fill_secret(&mut out, [width, 0], compute)),
                most,
                "{width} bytes"
            );
        }
    }

    #[test]
    fn few_long_messages_are_spread_over_threads() {
        let engine = CpuEngine::new(Some(4), None).unwrap();
        for (bytes, most) in [(0, 40), (100, 40), (1 << 12, 10), (1 << 20, 10)] {
            let largest = largest(|compute| {
                engine.fill_of_texts(
                    bytes,
                    &mut ResultsMut::codes(&mut [0; 40]).into(),
                    [0, 0],
                    compute,
                );
            });
            assert_eq!(largest, most, "{bytes} bytes");
        }
    }

    /// Tests a part of a larger destination, as for items that a device leaves to the CPU.
    #[test]
    fn part_of_a_destination_is_numbered_from_its_first_item() {
        let engine = CpuEngine::new(Some(2), None).unwrap();
        let found = rows_of::<8>(1000, |out| {
            let (mut first, mut second) = out.reborrow().split_at(300);
            for part in [&mut first, &mut second] {
                engine.fill(part, [8, 0], |range, out| {
                    for (place, item) in range.enumerate() {
                        out.row(0, place).copy_from_slice(&item.to_le_bytes());
                        out.accept(place);
                    }
                });
            }
        });
        assert!(
            found.into_iter().eq((0..300)
                .chain(0..700)
                .map(|item: usize| Ok(item.to_le_bytes())))
        );
    }

    #[test]
    fn parts_cover_the_items_in_order() {
        let engine = CpuEngine::new(Some(3), None).unwrap();
        for items in ITEMS {
            let parts = engine.map_parts(items, |range| range);
            assert!(
                parts
                    .iter()
                    .all(|part| !part.is_empty() && part.len() <= CHUNK)
            );
            assert!(parts.into_iter().flatten().eq(0..items));
            assert!(
                engine
                    .map_chunks(0, items, 0, |range, out| out
                        .copy_from_slice(&Vec::from_iter(range)))
                    .into_iter()
                    .eq(0..items)
            );
        }
    }
}
