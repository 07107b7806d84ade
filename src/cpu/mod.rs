//! The CPU engine: batches in chunks that fit the cache, spread over the engine's threads.
//!
//! Layers, each using only those above it: `field` (modular arithmetic), `affine` and `jacobian` (points), `recode` and
//! `glv` (scalars), `comb`, `lanes` and `multiply` (multiplication), `precomputed` (tables of G), `decode`, `key_plan`, and the
//! operations `point`, `verify`, `recover`, `secret` and `agree`, and `known_answers` about them; beside them `modular`, which needs
//! no curve, `methods`, which checks the GPU, and `wiped`, batches of secrets.

mod affine;
pub(crate) mod agree;
mod comb;
mod decode;
pub mod field;
mod glv;
mod jacobian;
mod key_plan;
mod known_answers;
// `--cfg gecc_no_lanes` leaves them out where they could be, so that their stand-in is compiled and tested there too.
#[cfg(all(target_arch = "x86_64", not(gecc_no_lanes)))]
mod lanes;
#[cfg(any(gecc_no_lanes, not(target_arch = "x86_64")))]
#[path = "lanes_absent.rs"]
mod lanes;
pub(crate) mod methods;
pub(crate) mod modular;
mod multiply;
pub(crate) mod point;
mod precomputed;
mod recode;
pub(crate) mod recover;
pub(crate) mod secret;
#[cfg(test)]
mod small_groups;
pub(crate) mod verify;
mod wiped;

use crate::error::Error;
use crate::workers::Pool;
use affine::Affine;
use field::{Coordinate, Field};
pub use glv::Endomorphism;
use lanes::Lanes;
pub use precomputed::Precomputed;
use std::ops::Range;

/// What the CPU engine needs to know of a curve. Limbs are little-endian, plain (not Montgomery) numbers.
pub trait CpuCurve: Copy + Send + Sync + 'static {
    /// The field of coordinates, modulo p.
    type Base: Coordinate;
    /// The field of scalars, modulo n.
    type Scalar: Field;
    /// The coefficient a.
    const A: CoefficientA;
    /// The coefficient b.
    const B: [u64; 4];
    /// The base point.
    const G: ([u64; 4], [u64; 4]);
    /// The group order.
    const N: [u64; 4];
    /// The efficient endomorphism, where the curve has one.
    const ENDOMORPHISM: Option<Endomorphism>;
    /// The curve's tables, one set per process.
    fn precomputed() -> &'static Precomputed<Self>;
}

/// The coefficient a, by what formulas make of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoefficientA {
    /// 0.
    Zero,
    /// -3.
    MinusThree,
    /// Any other, as elements of the field are stored.
    General([u64; 4]),
}

/// Constants in the field's own representation.
pub(crate) struct FieldConstants<F> {
    b: F,
    /// Zero where the curve has no endomorphism.
    beta: F,
}

/// The coefficient a in the field's own representation.
#[inline(always)]
fn coefficient_a<C: CpuCurve>() -> C::Base {
    match C::A {
        CoefficientA::Zero => C::Base::ZERO,
        CoefficientA::MinusThree => three::<C::Base>().neg(),
        CoefficientA::General(stored) => C::Base::from_stored(stored),
    }
}

fn generator<C: CpuCurve>() -> Affine<C::Base> {
    Affine::new(from_limbs(&C::G.0), from_limbs(&C::G.1))
}

/// The field element of a plain number below the modulus.
fn from_limbs<F: Field>(limbs: &[u64; 4]) -> F {
    F::from_be_bytes(&limbs_to_be_bytes(limbs)).expect("a curve constant is below the modulus")
}

fn limbs_to_be_bytes(limbs: &[u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (chunk, limb) in bytes.rchunks_exact_mut(8).zip(limbs) {
        chunk.copy_from_slice(&limb.to_be_bytes());
    }
    bytes
}

fn be_bytes_to_limbs(bytes: &[u8; 32]) -> [u64; 4] {
    let mut limbs = [0; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.rchunks_exact(8)) {
        *limb = u64::from_be_bytes(chunk.try_into().expect("chunks of 8 bytes"));
    }
    limbs
}

/// a || b || x_G || y_G, as Z_A of SM2 takes them.
pub(crate) fn domain_parameters<C: CpuCurve>() -> [u8; 128] {
    let mut bytes = [0; 128];
    let fields = [
        coefficient_a::<C>().to_be_bytes(),
        limbs_to_be_bytes(&C::B),
        limbs_to_be_bytes(&C::G.0),
        limbs_to_be_bytes(&C::G.1),
    ];
    for (chunk, field) in bytes.chunks_exact_mut(32).zip(&fields) {
        chunk.copy_from_slice(field);
    }
    bytes
}

fn three<F: Field>() -> F {
    F::ONE.double().add(&F::ONE)
}

/// Items that one thread takes at a time: enough to share an inversion, few enough that their tables stay in L2.
const CHUNK: usize = 512;
/// Fewer items are not worth another thread, where several at a time take less.
const SMALLEST_CHUNK: usize = 64;
/// The same where each is computed by itself, which takes longer.
const SMALLEST_GROUP: usize = 4;

/// The threads and the limits of one engine.
#[derive(Debug)]
pub struct CpuEngine {
    pub(crate) pool: Pool,
    max_memory: Option<usize>,
    /// `None`: portable code.
    pub(crate) lanes: Option<Lanes>,
    /// Why lanes that the processor has are not used.
    pub(crate) problem_of_lanes: Option<&'static str>,
}

impl CpuEngine {
    pub(crate) fn new(threads: Option<usize>, max_memory: Option<usize>) -> Result<Self, Error> {
        let pool = Pool::new(threads)?;
        let mut engine = CpuEngine { pool, max_memory, lanes: Lanes::detect(), problem_of_lanes: None };
        if engine.lanes.is_some() {
            engine.problem_of_lanes = known_answers::problem(&engine);
            engine.lanes = engine.lanes.filter(|_| engine.problem_of_lanes.is_none());
        }
        Ok(engine)
    }

    /// The same engine without instructions that not every processor has.
    pub(crate) fn portable(self) -> Self {
        CpuEngine { lanes: None, ..self }
    }

    pub(crate) fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// One result per item, computed item by item: `initial` is replaced in every place.
    pub(crate) fn map<T: Clone + Send>(&self, items: usize, initial: T, compute: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let block = items.div_ceil(4 * self.threads()).clamp(SMALLEST_GROUP, CHUNK);
        self.pool.map(block, items, initial, compute)
    }

    /// One result per item, computed chunk by chunk: `compute` replaces `initial` in its range of the results.
    fn map_chunks<T: Clone + Send>(
        &self,
        items: usize,
        initial: T,
        compute: impl Fn(Range<usize>, &mut [T]) + Sync,
    ) -> Vec<T> {
        // One chunk needs no other thread, and waking one takes as long as several items.
        let chunk = items.div_ceil(self.threads()).clamp(SMALLEST_CHUNK, CHUNK);
        let mut results = vec![initial; items];
        self.pool.for_each(results.chunks_mut(chunk).enumerate().collect(), |(index, out)| {
            let start = index * chunk;
            compute(start..start + out.len(), out);
        });
        results
    }
}
