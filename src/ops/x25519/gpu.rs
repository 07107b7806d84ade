//! X25519 on a GPU, with kernels whose branches and addresses do not depend on secrets, and memory
//! that is wiped.

use super::{AllZero, X25519};
use crate::gpu::columns::{AnyRows, AnyStatuses, Codes, Column, Fractions, Prefixes};
use crate::gpu::kernels;
use crate::gpu::runtime::{InputSource, Plan};
use crate::gpu::transfer::PrivateKeys;
use crate::gpu::{Launch, Running};
use crate::types::{KeyRowForm, PublicKeys, Rejection, Verdict};
use std::ops::Range;

/// The curve of the kernels: ed25519, which has the same field.
pub const CURVE: &str = "ed25519";

impl X25519<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len() as u64;
        let keys = PrivateKeys::new(plan, self.secret_keys.slice(items.clone()));
        let peers = Peers::new(plan, self.peers.slice(items));
        let fractions = plan.column::<Fractions>();
        let prefixes = plan.column::<Prefixes>();
        let rows = plan.each::<AnyRows>(32);
        let codes = plan.column::<Codes>();
        plan.codes(codes);
        if self.are_results_secret {
            plan.secret_result(0, rows, 32);
        } else {
            plan.result(0, rows, 32);
        }
        let rejects_zero = u32::from(self.all_zero == AllZero::Reject);
        Box::new(move |Running { slot, .. }: &mut Running| {
            kernels::X25519Multiply {
                keys: keys.rows,
                key_stride: keys.stride,
                peers: peers.rows,
                peer_stride: peers.stride,
                fractions,
                n,
            }
            .launch(slot, CURVE)?;
            kernels::X25519Encode {
                fractions,
                statuses: peers.statuses,
                status_stride: peers.status_stride,
                rejects_zero,
                rows,
                codes,
                prefixes,
                n,
            }
            .launch(slot, CURVE)
        })
    }
}

/// The public keys of peers on the device: one row per item, or one for all items.
struct Peers {
    rows: Column<AnyRows>,
    stride: u64,
    /// Valid, or the rejection of a key that is not 32 bytes, whose row is zero.
    statuses: Column<AnyStatuses>,
    status_stride: u64,
}

impl Peers {
    fn new<'a>(plan: &mut Plan<'a>, keys: PublicKeys<'a>) -> Self {
        let (count, stride) = if keys.len().is_none() {
            (1, 0)
        } else {
            (plan.items(), 32)
        };
        if let (KeyRowForm::XOnly, Some(rows)) = (keys.form(), keys.rows()) {
            // Every key is valid.
            let valid = |_, to: &mut [u8]| to.fill(Verdict::VALID_CODE);
            return Peers {
                rows: plan.input_of(32 * count, InputSource::Rows(rows)),
                stride,
                statuses: plan.input_of(1, InputSource::Written(1, Box::new(valid))),
                status_stride: 0,
            };
        }
        let rows = InputSource::Written(
            32,
            Box::new(move |start: usize, to: &mut [u8]| {
                for (offset, row) in to.as_chunks_mut::<32>().0.iter_mut().enumerate() {
                    *row = *keys.get(start + offset).of_32_bytes().unwrap_or(&[0; 32]);
                }
            }),
        );
        let statuses = InputSource::Written(
            1,
            Box::new(move |start: usize, to: &mut [u8]| {
                for (offset, status) in to.iter_mut().enumerate() {
                    *status = match keys.get(start + offset).of_32_bytes() {
                        Some(_) => Verdict::VALID_CODE,
                        None => Rejection::MalformedPoint.code(),
                    };
                }
            }),
        );
        Peers {
            rows: plan.input_of(32 * count, rows),
            stride,
            statuses: plan.input_of(count, statuses),
            status_stride: stride / 32,
        }
    }
}
