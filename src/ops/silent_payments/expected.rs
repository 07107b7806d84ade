//! The outputs that receivers expect in transactions, as an operation.

use super::Receiver;
use crate::cpu::CpuEngine;
use crate::curve::{Curve, Secp256k1};
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::ops::ecdh::GPU_THRESHOLD;
use crate::types::{PublicKeys, ResultSink, Rows};
use std::ops::Range;

/// The length of a number in bytes.
pub const NUMBER: usize = 32;

/// The maximum size of the rows of a chunk on a GPU.
const MOST_BYTES: usize = 1 << 28;

/// The operation that computes expected outputs for each tweak point T and counter k, and for each
/// receiver: `t_k = hash_BIP0352/SharedSecret(b_scan T || k)`, and the x-coordinates of `B + t_k G`
/// for its spend keys B. A row is the concatenation of these numbers for all receivers. All numbers
/// of a receiver are zero if t_k is 0 or not below n, and an x-coordinate is also zero if the sum
/// is the identity. No point has x = 0.
pub(crate) struct Expected<'a> {
    pub tweak_points: PublicKeys<'a>,
    /// Counters k, big-endian.
    pub counters: Rows<'a, 4>,
    pub receivers: &'a [&'a Receiver],
    pub items: usize,
}

impl Expected<'_> {
    /// Returns the length of a row in bytes.
    pub fn width(&self) -> usize {
        self.receivers.iter().map(|receiver| width(receiver)).sum()
    }

    /// Returns each receiver with the offset of its numbers in a row.
    pub fn starts(&self) -> impl Iterator<Item = (&Receiver, usize)> {
        self.receivers.iter().scan(0, |end, receiver| {
            let start = *end;
            *end += width(receiver);
            Some((*receiver, start))
        })
    }
}

impl Computation for Expected<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        self.compute_range(engine, items, out);
    }

    fn is_secret(&self) -> bool {
        true
    }

    /// The limit exists because rows of many receivers and labels are wide, and also occupy
    /// page-locked memory.
    fn most_items(&self) -> usize {
        (MOST_BYTES / self.width().max(1)).max(1)
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (
            Secp256k1::NAME,
            vec![
                "layout",
                "nonces",
                "table",
                "fpmul",
                "normalize",
                "results",
                "bip340_silent",
            ],
        )
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        self.gpu_self_tests()
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// Returns the length in bytes of a receiver's part of a row.
fn width(receiver: &Receiver) -> usize {
    NUMBER * (1 + receiver.spend_keys.len())
}
