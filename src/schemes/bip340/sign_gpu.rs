//! Signing on a GPU: public keys that are not given, nonces, their points with the constant-time
//! kernels, and the signatures are all computed on the device.

use super::known_answers;
use super::messages_gpu::MessageColumns;
use super::sign::SignBip340;
use super::verify_gpu::{EVEN_WITH_X, VERIFY_FILES, write_equations};
use crate::curve::{Curve, Secp256k1};
use crate::gpu::columns::{Column, SignStatuses, Signatures};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Plan};
use crate::gpu::schedule::StreamSlot;
use crate::gpu::tables::key_tables;
use crate::gpu::transfer::{Equations, EquationsOfChunk, Imported, Jacobian, Points, PrivateKeys};
use crate::gpu::{Launch, Running, SelfTest};
use crate::ops::keys::gpu::BaseProducts;
use crate::schemes::common::{CHECK_FILES, CheckBuffers, Verified, check};
use std::ops::Range;

impl SignBip340<'_, '_> {
    pub(super) fn kernel_files(&self) -> (&'static str, Vec<&'static str>) {
        let check: &[&str] = if self.is_checked {
            &[VERIFY_FILES, CHECK_FILES].concat()
        } else {
            &[]
        };
        (
            Secp256k1::NAME,
            [
                &["layout", "table", "nonces", "fpmul", "normalize", "bip340"],
                check,
            ]
            .concat(),
        )
    }

    pub(super) fn gpu_self_tests(&self, items: usize) -> Vec<SelfTest> {
        known_answers::of_signing(
            self.is_checked,
            self.public.is_some(),
            key_tables::may_build(items),
        )
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len();
        let curve = Secp256k1::NAME;
        let messages = MessageColumns::new(plan, &self.messages, items.clone());
        let keys = PrivateKeys::new(plan, self.keys.slice(items.clone()));
        let auxiliary = PrivateKeys::new(plan, self.auxiliary.slice(items.clone()));
        let public = match self.public {
            Some(public) => PublicPoints::Given(Imported::new(plan, public.slice(items))),
            None => PublicPoints::Computed(BaseProducts::new(plan)),
        };
        let nonces = plan.column();
        let sums = Jacobian::new(plan);
        let nonce_points = Points::new(plan);
        let signatures = plan.column();
        let status = plan.column();
        let checking = self.is_checked.then(|| Checking::new(plan, status));
        plan.codes(status);
        plan.result(0, signatures, 64);
        Box::new(move |running: &mut Running| {
            let slot = &mut *running.slot;
            let points = public.compute(slot, keys, n)?;
            let Points { xy, kinds } = points;
            let count = n as u64;
            let MessageColumns {
                data,
                offsets,
                on_device,
            } = messages;
            kernels::Bip340Nonces {
                data,
                offsets,
                keys: keys.rows,
                key_stride: keys.stride,
                auxiliary: auxiliary.rows,
                auxiliary_stride: auxiliary.stride,
                xy,
                kinds,
                nonces,
                status,
                n: count,
            }
            .launch(slot, curve)?;
            let table = slot.cache.clone().base_point.uniform(slot, curve)?;
            kernels::FpmulUniform {
                scalars: nonces,
                table,
                xyz: sums.xyz,
                n: count,
            }
            .launch(slot, curve)?;
            sums.normalize(slot, curve, nonce_points, false, n)?;
            let Points {
                xy: r_xy,
                kinds: r_kinds,
            } = nonce_points;
            kernels::Bip340Sign {
                data,
                offsets,
                on_device,
                keys: keys.rows,
                key_stride: keys.stride,
                xy,
                kinds,
                nonces,
                r_xy,
                r_kinds,
                signatures,
                status,
                n: count,
            }
            .launch(slot, curve)?;
            checking.map_or(Ok(()), |checking| {
                checking.check(running, messages, signatures, points, n)
            })
        })
    }
}

/// The public keys of a chunk.
enum PublicPoints {
    Given(Imported),
    Computed(BaseProducts),
}

impl PublicPoints {
    fn compute(&self, slot: &mut StreamSlot, keys: PrivateKeys, n: usize) -> Result<Points, Fault> {
        match self {
            PublicPoints::Given(imported) => {
                imported.import(slot, Secp256k1::NAME, n)?;
                Ok(imported.points)
            }
            PublicPoints::Computed(products) => {
                products.compute(slot, Secp256k1::NAME, keys, n)?;
                Ok(products.points)
            }
        }
    }
}

/// The verification of a chunk's signatures before they leave the device. Signatures that were made
/// with a faulty point do not verify with it.
struct Checking {
    equations: Equations,
    buffers: CheckBuffers<'static>,
    verified: Verified<SignStatuses>,
}

impl Checking {
    fn new(plan: &mut Plan, status: Column<SignStatuses>) -> Self {
        let equations = Equations::new(plan);
        let buffers = CheckBuffers::new(plan, None);
        let verified = Verified::new(plan, equations.verdicts, status);
        Checking {
            equations,
            buffers,
            verified,
        }
    }

    fn check(
        &self,
        running: &mut Running,
        messages: MessageColumns,
        signatures: Column<Signatures>,
        points: Points,
        n: usize,
    ) -> Result<(), Fault> {
        write_equations(
            running.slot,
            messages,
            signatures,
            points,
            self.equations,
            n,
        )?;
        let chunk = EquationsOfChunk {
            curve: Secp256k1::NAME,
            equations: self.equations,
            keys: points,
            n,
        };
        check(running, &EVEN_WITH_X, chunk, &self.buffers)?;
        self.verified.require(running.slot)
    }
}
