//! Digests e = SM3(Z_A || M) of messages (GB/T 32918.2, sections 5.5 and 6.1).

use crate::cpu::{CpuEngine, decode, domain_parameters};
use crate::curve::{Curve, Sm2};
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::ops::hash::SizedTexts;
use crate::types::{Point, PublicKeys, ResultSink, ResultsMut};
use sm3::{Digest, Sm3};
use std::ops::Range;

/// The threshold for messages: each takes about six blocks of SM3, four of them for Z_A.
pub(crate) const GPU_THRESHOLD: GpuThreshold = GpuThreshold::of(200);

/// The operation that computes the digests of a batch. The digest of an item without a usable key
/// is meaningless.
pub(crate) struct MessageDigests<'a> {
    pub messages: SizedTexts<'a>,
    /// User ids, truncated to the maximum length: one per item, or one for all.
    pub ids: SizedTexts<'a>,
    pub keys: PublicKeys<'a>,
}

impl MessageDigests<'_> {
    /// Returns the indices of the ids of a range of items, and the number of ids to advance per
    /// item.
    pub fn ids_of(&self, items: Range<usize>) -> (Range<usize>, usize) {
        if self.ids.items() == 1 {
            (0..1, 0)
        } else {
            (items, 1)
        }
    }
}

impl Computation for MessageDigests<'_> {
    fn items(&self) -> usize {
        self.messages.items()
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        engine.fill_of_texts(self.messages.average(), out, [32, 0], |range, out| {
            let first = items.start + range.start;
            let (ids, id_stride) = self.ids_of(first..first + range.len());
            let keys = range.clone().map(|item| self.keys.get(items.start + item));
            for (place, key) in decode::public_keys::<Sm2>(engine.lanes, keys)
                .into_iter()
                .enumerate()
            {
                if let Ok(key) = key {
                    let mut row = [[0; 64]];
                    decode::put(&mut ResultsMut::rows(&mut [0], &mut row), 0, &key);
                    let za = za(self.ids.get(ids.start + place * id_stride), &row[0]);
                    out.row(0, place)
                        .copy_from_slice(&message_digest(&za, self.messages.get(first + place)));
                }
                out.accept(place);
            }
        });
    }

    fn most_waves(&self) -> usize {
        4
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        let (ids, _) = self.ids_of(items.clone());
        self.messages.bytes(items) + self.ids.bytes(&ids)
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (Sm2::NAME, vec!["hash", "layout"])
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        self.gpu_self_tests()
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// Computes Z_A = SM3(ENTL || id || a || b || x_G || y_G || x_A || y_A), for an id of at most 8191
/// bytes and a key `x || y`.
fn za(id: &[u8], key: &[u8; 64]) -> [u8; 32] {
    let bits = u16::try_from(8 * id.len()).expect("at most 8191 bytes");
    let hash = Sm3::new().chain_update(bits.to_be_bytes()).chain_update(id);
    hash.chain_update(domain_parameters::<Sm2>())
        .chain_update(key)
        .finalize()
        .into()
}

/// Computes Z_A for a point that is not the identity.
pub(crate) fn za_of_point(id: &[u8], key: &Point) -> [u8; 32] {
    za(
        id,
        key.as_bytes()[1..]
            .try_into()
            .expect("64 bytes after the tag"),
    )
}

fn message_digest(za: &[u8; 32], message: &[u8]) -> [u8; 32] {
    Sm3::new_with_prefix(za)
        .chain_update(message)
        .finalize()
        .into()
}
