//! Silent payments (BIP 352) on secp256k1: computing tweak points from the inputs of transactions,
//! and finding the payments to a receiver with them.
//!
//! A server computes a tweak point T for each transaction once ([`index`]), from public data only.
//! The holder of a scan key compares the outputs of each transaction with those that a payment to
//! this receiver would have ([`scan`]). Both operate on columns with one item per transaction.
//! Selecting eligible inputs and summing their keys is up to the reader of the chain; `gecc bitcoin
//! index` does it.
//!
//! # Information leaked by a scan
//! The scan key, shared points and tweaks t_k are secret: no branch and no address depends on them,
//! with one exception, and memory that held them is wiped. The exception: on a GPU, digits of the
//! scan key select which multiple of a tweak point is read, the same for all rows, so the number
//! and order of operations do not depend on the key; an observer of the addresses that the GPU
//! reads from its memory could learn the key. The time of comparing x-coordinates with outputs
//! depends on which are equal, and matching rows are computed again for the next k: an observer of
//! a scan's time, or of the host's memory, may learn which rows match and the number of their
//! matching outputs, which is the result of the scan, but neither the scan key nor a tweak. The
//! numbers of rows, receivers and labels are not secret.

mod cpu;
mod expected;
mod gpu;
pub(crate) mod known_answers;
mod outputs;
mod receiver;
mod scan;

use super::point::point_of;
use crate::cpu::CpuEngine;
use crate::curve::{Curve, Secp256k1};
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{
    Error, Points, PublicKeys, ResultSink, ResultsMut, Rows, SecretKey, require_lengths,
};
pub(crate) use expected::Expected;
pub use outputs::Outputs;
pub use receiver::Receiver;
use std::ops::Range;

/// The maximum number of outputs of a transaction for one receiver: k is below this limit (BIP 352,
/// K_max).
pub const LIMIT: u32 = 2323;

/// The result of a scan.
#[derive(Clone, Debug)]
pub struct Scan {
    /// A code per row: [`crate::Verdict::VALID_CODE`], or that of a [`crate::Rejection`] if the
    /// tweak point is invalid. Such a row has no matches.
    pub codes: Vec<u8>,
    /// The matches, ordered by row, receiver and k.
    pub matches: Vec<Match>,
}

/// An output that is paid to a receiver, or a candidate if only the first bytes of outputs are
/// known.
#[derive(Clone, Debug)]
pub struct Match {
    /// The index of the row in the scan.
    pub row: usize,
    /// The index of the receiver in the call.
    pub receiver: usize,
    /// The index of the output in the row.
    pub output: usize,
    /// The counter of the sender, from 0.
    pub k: u32,
    /// The label of the paid address, or `None` for the address without a label.
    pub label: Option<u32>,
    /// The tweak that is added to the spend private key, modulo n, to obtain the private key of the
    /// output. Secret.
    pub tweak: SecretKey,
}

/// The operation that computes tweak points, `hash_BIP0352/Inputs(outpoint || A) A` for each
/// smallest outpoint and sum A of input keys, from public data.
pub(crate) struct TweakPoints<'a> {
    pub outpoints: Rows<'a, 36>,
    pub input_keys: PublicKeys<'a>,
    pub items: usize,
}

impl<'a> TweakPoints<'a> {
    pub fn new(
        outpoints: Rows<'a, 36>,
        input_keys: PublicKeys<'a>,
        items: usize,
    ) -> Result<Self, Error> {
        let found = [
            ("outpoints", outpoints.len_for(items)),
            ("sums of input keys", input_keys.len_for(items)),
        ];
        require_lengths(items, &found)?;
        Ok(TweakPoints {
            outpoints,
            input_keys,
            items,
        })
    }
}

impl Computation for TweakPoints<'_> {
    fn items(&self) -> usize {
        self.items
    }

    /// Returns the threshold of a variable-base multiplication.
    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold {
            portable: 25,
            simd: 70,
        }
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        let outpoints = self.outpoints.slice(items.clone());
        let keys = self.input_keys.slice(items);
        cpu::tweak_points::<Secp256k1>(engine, outpoints, keys, out);
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (
            Secp256k1::NAME,
            vec!["layout", "upmul", "normalize", "results", "bip340_silent"],
        )
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        known_answers::of_index()
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// Finds the outputs that are paid to receivers. **Constant-time** in scan keys, with the
/// exceptions [described above](self).
///
/// `tweak_points` has one point T per row, in any encoding, and `outputs` has the row's taproot
/// outputs. In each row k increases from 0 as long as an output matches, up to [`LIMIT`]. If
/// several outputs match with one k, because they are equal or differ in labels, all of them are
/// returned.
///
/// Rows are rejected with [`crate::Rejection::MalformedPoint`], [`crate::Rejection::NotOnCurve`] or
/// [`crate::Rejection::IdentityKey`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::silent_payments::{Outputs, Receiver, scan};
/// use gecc::{Engine, SecretKey};
/// # fn bytes<const N: usize>(hex: &str) -> [u8; N] { hex::decode(hex).unwrap().try_into().unwrap() }
/// let engine = Engine::new()?;
/// // The first of the vectors of BIP 352.
/// let scan_key = SecretKey::from_bytes(bytes("0f694e068028a717f8af6b9411f9a133dd3565258714cc226594b34db90c1f2c"));
/// let spend_key: [u8; 33] = bytes("025cc9856d6f8375350e123978daac200c260cb5b5ae83106cab90484dcd8fcf36");
/// let receiver = Receiver::new(scan_key, &spend_key, &[]).expect("valid keys");
/// let tweak_points: [[u8; 33]; 1] = [bytes("024ac253c216532e961988e2a8ce266a447c894c781e52ef6cee902361db960004")];
/// let outputs = [bytes("3e9fce73d4e77a4809908e3c3a2e54ee147b9312dc5044a193d1fc85de46e3c1")];
/// let found = scan(&engine, &[receiver], &tweak_points, Outputs::x_only(&[0, 1], &outputs)?)?;
/// assert_eq!((found.matches.len(), found.matches[0].output, found.matches[0].label), (1, 0, None));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn scan<'k>(
    engine: &Engine,
    receivers: &[Receiver],
    tweak_points: impl Into<PublicKeys<'k>>,
    outputs: Outputs,
) -> Result<Scan, Error> {
    scan::scan(engine, receivers, tweak_points.into(), outputs)
}

/// Computes the tweak point `T = hash_BIP0352/Inputs(outpoint || A) A` of each transaction.
/// **Variable-time**: all inputs are public.
///
/// `outpoints` has the smallest outpoint of each transaction, in the order of the 36 serialized
/// bytes; `input_keys` has the sums A of the public keys of eligible inputs, in any encoding.
///
/// An item is rejected with [`crate::Rejection::MalformedPoint`], [`crate::Rejection::NotOnCurve`],
/// [`crate::Rejection::IdentityKey`], or [`crate::Rejection::ScalarOutOfRange`] if the hash is 0 or
/// not below n.
///
/// # Errors
/// The errors of [`scan`].
///
/// ```
/// use gecc::{Engine, silent_payments};
/// # fn bytes<const N: usize>(hex: &str) -> [u8; N] { hex::decode(hex).unwrap().try_into().unwrap() }
/// let engine = Engine::new()?;
/// // The first of the vectors of BIP 352.
/// let mut outpoint: [u8; 36] = bytes("169e1e83e930853391bc6f35f605c6754cfead57cf8387639d3b4096c54f18f400000000");
/// let sum: [u8; 33] = bytes("032562c1ab2d6bd45d7ca4d78f569999e5333dffd3ac5263924fd00d00dedc4bee");
/// let tweak_point = silent_payments::index(&engine, &[outpoint], &[sum])?[0].unwrap();
/// let expected = bytes("024ac253c216532e961988e2a8ce266a447c894c781e52ef6cee902361db960004");
/// assert_eq!(tweak_point.to_compressed(), Some(expected));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn index<'k>(
    engine: &Engine,
    outpoints: &[[u8; 36]],
    input_keys: impl Into<PublicKeys<'k>>,
) -> Result<Points, Error> {
    engine.collect(
        &TweakPoints::new(outpoints.into(), input_keys.into(), outpoints.len())?,
        point_of,
    )
}

/// Computes tweak points from columns into columns: 64 bytes `x || y` per item, and a one-byte code
/// ([`crate::Verdict::VALID_CODE`], or that of a [`crate::Rejection`], in which case the row is
/// meaningless). See [`index`].
///
/// # Errors
/// The errors of [`scan`].
pub fn index_into<'a, 'k>(
    engine: &Engine,
    outpoints: impl Into<Rows<'a, 36>>,
    input_keys: impl Into<PublicKeys<'k>>,
    tweak_points: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(codes.len(), &[("tweak points", tweak_points.len())])?;
    let index = TweakPoints::new(outpoints.into(), input_keys.into(), codes.len())?;
    engine.run(&index, ResultsMut::rows(codes, tweak_points))
}
