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

/// Bytes of a word.
const WORD: usize = 4;

/// The shape of the hashes in `expand_message_xmd`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpandingShape {
    /// Bytes of a block.
    block: usize,
    /// Bytes of a digest, with which each hash after the first one begins.
    digest: usize,
    /// Bytes of the length at the end of the padding.
    length: usize,
}

impl ExpandingShape {
    pub const SHA256: Self = ExpandingShape {
        block: 64,
        digest: 32,
        length: 8,
    };
    pub const SHA512: Self = ExpandingShape {
        block: 128,
        digest: 64,
        length: 16,
    };
}

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
                expansion: ExpansionColumns::new(
                    plan,
                    dst,
                    ExpandingShape::SHA256,
                    ELEMENT_BYTES * elements,
                ),
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
/// (`cuda/hash/expand_message.cuh`, `cuda/hash/expand_message_512.cuh`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpansionColumns {
    pub suffix: Column<columns::Texts>,
    pub suffix_bytes: u32,
    pub tail: Column<ExpansionTail>,
    pub tail_blocks: u32,
}

impl ExpansionColumns {
    /// Plans the parts for messages that are expanded to `bytes` bytes.
    pub fn new(plan: &mut Plan, dst: &Dst, shape: ExpandingShape, bytes: usize) -> Self {
        let suffix = suffix(dst, bytes);
        // The device replaces the index where there is more than one digest.
        let index = u8::from(bytes <= shape.digest);
        let tail = tail(dst, shape, index);
        ExpansionColumns {
            suffix_bytes: suffix.len() as u32,
            tail_blocks: (tail.len() + shape.digest).div_euclid(shape.block) as u32,
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

/// Returns what follows the varying digest in the hashes for b_1, b_2, ..., up to the end of the
/// last block: the index, or a zero in its place, `DST_prime`, and the padding. Words are big-endian
/// in the hash, and in the order of the device here.
fn tail(dst: &Dst, shape: ExpandingShape, index: u8) -> Vec<u8> {
    let ExpandingShape {
        block,
        digest,
        length,
    } = shape;
    let mut tail = vec![index];
    tail.extend(dst.with_length());
    let bits = 8 * (digest + tail.len()) as u64;
    tail.push(0x80);
    let end = (digest + tail.len() + length).next_multiple_of(block) - digest;
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
        let sha256 = [
            (1, 1),
            (20, 1),
            (21, 1),
            (22, 2),
            (85, 2),
            (86, 3),
            (255, 5),
        ];
        let sha512 = [(1, 1), (45, 1), (46, 2), (173, 2), (174, 3), (255, 3)];
        let cases = [
            (ExpandingShape::SHA256, 0, &sha256[..]),
            (ExpandingShape::SHA512, 1, &sha512[..]),
        ];
        for (shape, index, lengths) in cases {
            for &(length, blocks) in lengths {
                let dst = Dst::new(&vec![7; length]);
                let mut tail = tail(&dst, shape, index);
                assert_eq!(
                    tail.len() + shape.digest,
                    blocks * shape.block,
                    "{shape:?}, {length}"
                );
                for word in tail.as_chunks_mut::<WORD>().0 {
                    word.reverse();
                }
                assert_eq!(tail[0], index);
                assert_eq!(tail[1..][..length + 1], *dst.with_length());
                let (padding, bits) = tail[length + 2..].split_at(tail.len() - length - 10);
                assert_eq!(padding[0], 0x80);
                assert!(padding.len() > shape.length - 8);
                assert!(padding[1..].iter().all(|byte| *byte == 0));
                let hashed = shape.digest as u64 + 2 + length as u64;
                assert_eq!(bits, (8 * hashed).to_be_bytes());
            }
        }
    }
}
