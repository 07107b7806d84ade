//! Hashing to points on a GPU.

use super::{Dst, HashToCurve, Suite};
use crate::cpu::simd::ELEMENT_BYTES;
use crate::gpu::columns::{self, Codes, Column, ExpansionTail, NextItem};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, InputSource, Plan, Stream};
use crate::gpu::transfer::{Jacobian, PointResults, Points, Reasons};
use crate::gpu::{Launch, Running};
use crate::ops::hash::{TextColumns, on_device_codes};
use crate::types::Rejection;
use std::ops::Range;

/// Bytes of a block of SHA-256, and of a word.
const BLOCK: usize = 64;
const WORD: usize = 4;
/// Bytes of a digest, with which each hash after the first one begins.
const DIGEST: usize = 32;

impl Suite {
    /// Returns the kernel files that hash messages to points.
    pub(crate) fn kernel_files(self) -> &'static [&'static str] {
        match self {
            Suite::P256SswuRo
            | Suite::P256SswuNu
            | Suite::Secp256k1SswuRo
            | Suite::Secp256k1SswuNu => &["hash_to_curve", "normalize"],
            Suite::Sm2Rehash | Suite::Sm2Increment | Suite::P256Rehash => &["hash_to_curve_tries"],
        }
    }
}

impl HashToCurve<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len();
        let hashed = HashedPoints::new(plan, self, items, None);
        let results = if self.suite.is_constant_time() {
            PointResults::secret(plan)
        } else {
            PointResults::new(plan)
        };
        let curve = self.suite.curve().name();
        Box::new(move |Running { slot, .. }: &mut Running| {
            hashed.hash(slot, curve, n)?;
            let reasons = Reasons {
                status: None,
                identity: Some(Rejection::IdentityResult),
            };
            results.export(slot, curve, hashed.points, reasons, n)?;
            hashed.reopen(slot, curve, results.codes, n)
        })
    }
}

/// The points of a chunk's messages on the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HashedPoints {
    texts: TextColumns,
    on_device: Column<Codes>,
    method: Method,
    pub points: Points,
}

#[derive(Clone, Copy, Debug)]
enum Method {
    Map {
        expansion: ExpansionColumns,
        sums: Jacobian,
        is_sum: bool,
    },
    Tries {
        suite: Suite,
        next_item: Column<NextItem>,
    },
}

impl HashedPoints {
    /// Plans the messages and points of a chunk. `sums` is memory that later steps use too.
    pub fn new<'a>(
        plan: &mut Plan<'a>,
        hashing: &'a HashToCurve<'_>,
        items: Range<usize>,
        sums: Option<Jacobian>,
    ) -> Self {
        let HashToCurve {
            suite,
            dst,
            messages,
        } = hashing;
        let on_device = on_device_codes(plan, messages, items.start);
        let (texts, method) = if suite.is_constant_time() {
            let elements = suite.field_elements();
            let method = Method::Map {
                expansion: ExpansionColumns::new(plan, dst, ELEMENT_BYTES * elements),
                sums: sums.unwrap_or_else(|| Jacobian::new(plan)),
                is_sum: elements == 2,
            };
            (TextColumns::secret(plan, messages, items), method)
        } else {
            let method = Method::Tries {
                suite: *suite,
                next_item: plan.buffer(WORD),
            };
            (TextColumns::new(plan, messages, items), method)
        };
        HashedPoints {
            texts,
            on_device,
            method,
            points: Points::new(plan),
        }
    }

    /// Computes the points. Messages that are too long for the device give those of no bytes.
    pub fn hash(self, stream: &mut Stream, curve: &'static str, n: usize) -> Result<(), Fault> {
        let TextColumns { data, offsets } = self.texts;
        let count = n as u64;
        match self.method {
            Method::Map {
                expansion,
                sums,
                is_sum,
            } => {
                let ExpansionColumns {
                    suffix,
                    suffix_bytes,
                    tail,
                    tail_blocks,
                } = expansion;
                let xyz = sums.xyz;
                if is_sum {
                    kernels::HashToCurve {
                        data,
                        offsets,
                        suffix,
                        suffix_bytes,
                        tail,
                        tail_blocks,
                        xyz,
                        n: count,
                    }
                    .launch(stream, curve)?;
                } else {
                    kernels::EncodeToCurve {
                        data,
                        offsets,
                        suffix,
                        suffix_bytes,
                        tail,
                        tail_blocks,
                        xyz,
                        n: count,
                    }
                    .launch(stream, curve)?;
                }
                sums.normalize(stream, curve, self.points, false, n)
            }
            Method::Tries { suite, next_item } => {
                stream.fill(next_item, 0, WORD)?;
                let Points { xy, kinds } = self.points;
                match suite {
                    Suite::Sm2Increment => kernels::IncrementSm3 {
                        data,
                        offsets,
                        next_item,
                        xy,
                        kinds,
                        n: count,
                    }
                    .launch(stream, curve),
                    Suite::P256Rehash => kernels::RehashWideSha256 {
                        data,
                        offsets,
                        next_item,
                        xy,
                        kinds,
                        n: count,
                    }
                    .launch(stream, curve),
                    _ => kernels::RehashSm3 {
                        data,
                        offsets,
                        next_item,
                        xy,
                        kinds,
                        n: count,
                    }
                    .launch(stream, curve),
                }
            }
        }
    }

    /// Makes the CPU compute the items whose messages are too long for the device.
    pub fn reopen(
        self,
        stream: &mut Stream,
        curve: &'static str,
        codes: Column<Codes>,
        n: usize,
    ) -> Result<(), Fault> {
        kernels::Reopen {
            on_device: self.on_device,
            codes,
            n: n as u64,
        }
        .launch(stream, curve)
    }
}

/// The parts that all messages of a batch share in `expand_message_xmd`
/// (`cuda/hash/expand_message.cuh`).
#[derive(Clone, Copy, Debug)]
struct ExpansionColumns {
    suffix: Column<columns::Texts>,
    suffix_bytes: u32,
    tail: Column<ExpansionTail>,
    tail_blocks: u32,
}

impl ExpansionColumns {
    fn new<'a>(plan: &mut Plan<'a>, dst: &Dst, bytes: usize) -> Self {
        let suffix = suffix(dst, bytes);
        let tail = tail(dst);
        ExpansionColumns {
            suffix_bytes: suffix.len() as u32,
            tail_blocks: (tail.len() + DIGEST).div_euclid(BLOCK) as u32,
            suffix: of_bytes(plan, suffix),
            tail: of_bytes(plan, tail),
        }
    }
}

/// Plans an input of a few bytes, with zeros up to the end of a word.
fn of_bytes<T>(plan: &mut Plan, bytes: Vec<u8>) -> Column<T> {
    let size = bytes.len().next_multiple_of(WORD);
    let source = InputSource::Whole(Box::new(move |_, to: &mut [u8]| {
        to.fill(0);
        to[..bytes.len()].copy_from_slice(&bytes);
    }));
    plan.input_of(size, source)
}

/// Returns what follows the message in the hash for b_0.
fn suffix(dst: &Dst, bytes: usize) -> Vec<u8> {
    let length = (bytes as u16).to_be_bytes();
    [&length, &[0][..], dst.with_length()].concat()
}

/// Returns what follows the varying 32 bytes in the hashes for b_1, b_2, ..., up to the end of the
/// last block: a zero in place of the index, `DST_prime`, and the padding of SHA-256. Words are
/// big-endian in the hash, and in the order of the device here.
fn tail(dst: &Dst) -> Vec<u8> {
    let mut tail = vec![0];
    tail.extend(dst.with_length());
    let bits = 8 * (DIGEST + tail.len()) as u64;
    tail.push(0x80);
    let end = (DIGEST + tail.len() + 8).next_multiple_of(BLOCK) - DIGEST;
    tail.resize(end - 8, 0);
    tail.extend(bits.to_be_bytes());
    for word in tail.as_chunks_mut::<WORD>().0 {
        word.reverse();
    }
    tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_whole_blocks_with_padding() {
        for (length, blocks) in [
            (1, 1),
            (20, 1),
            (21, 1),
            (22, 2),
            (85, 2),
            (86, 3),
            (255, 5),
        ] {
            let dst = Dst::new(&vec![7; length]);
            let mut tail = tail(&dst);
            assert_eq!(tail.len() + DIGEST, blocks * BLOCK, "{length}");
            for word in tail.as_chunks_mut::<WORD>().0 {
                word.reverse();
            }
            assert_eq!(tail[1..][..length + 1], *dst.with_length());
            let (padding, bits) = tail[length + 2..].split_at(tail.len() - length - 10);
            assert_eq!(padding[0], 0x80);
            assert!(padding[1..].iter().all(|byte| *byte == 0));
            assert_eq!(bits, (8 * (34 + length as u64)).to_be_bytes());
        }
    }
}
