//! ristretto255 on a GPU, with kernels whose branches and addresses do not depend on secrets, and
//! memory that is wiped.
//!
//! As on the CPU, points are multiplied by half of the private key, and the doubles of the products
//! are encoded, which takes an inversion per batch instead of a root per item.

use super::{Bases, Map, Multiply, Source};
use crate::cpu::edwards::ristretto::UNIFORM_BYTES;
use crate::gpu::columns::{
    AnyRows, Codes, Column, PointKinds, Prefixes, Scalars, SignStatuses, Xy, Xyz,
};
use crate::gpu::kernels::{self, EdwardsScratch};
use crate::gpu::runtime::{InputSource, Plan};
use crate::gpu::schedule::StreamSlot;
use crate::gpu::transfer::PrivateKeys;
use crate::gpu::{Fault, Launch, Running};
use crate::ops::hash::{TextColumns, plan_codes};
use crate::ops::hash_to_curve::{ExpandingShape, ExpansionColumns};
use crate::types::{Rows, Verdict};
use std::ops::Range;

/// The curve of the kernels: ed25519, whose points represent the elements.
pub const CURVE: &str = "ed25519";

impl Bases<'_> {
    /// Returns the kernel files that multiply by private keys.
    pub(super) fn kernel_files(&self) -> Vec<&'static str> {
        match self {
            Bases::Elements(_) => vec!["ristretto255", "edwards_multiply"],
            Bases::Generator => vec!["ristretto255", "ed25519_sign"],
        }
    }
}

impl Multiply<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len() as u64;
        let keys = PrivateKeys::new(plan, self.secret_keys.slice(items.clone()));
        let elements = match self.bases {
            Bases::Elements(elements) => Some(Elements::new(plan, elements.slice(items))),
            Bases::Generator => None,
        };
        let halves = plan.column::<Scalars>();
        let statuses = plan.column::<SignStatuses>();
        let xyz = plan.column::<Xyz>();
        let prefixes = plan.column::<Prefixes>();
        let rows = plan.each::<AnyRows>(32);
        let codes = plan.column::<Codes>();
        plan.codes(codes);
        match self.bases {
            Bases::Elements(_) => plan.secret_result(0, rows, 32),
            Bases::Generator => plan.result(0, rows, 32),
        }
        Box::new(move |Running { slot, .. }: &mut Running| {
            kernels::Ristretto255Halves {
                keys: keys.rows,
                key_stride: keys.stride,
                halves,
                statuses,
                n,
            }
            .launch(slot, CURVE)?;
            match elements {
                Some(elements) => elements.multiply(slot, halves, xyz, n)?,
                None => multiply_generator(slot, halves, xyz, n)?,
            }
            kernels::Ristretto255Encode {
                xyz,
                statuses,
                kinds: elements.map(|elements| elements.kinds),
                rows,
                codes,
                prefixes,
                n,
            }
            .launch(slot, CURVE)
        })
    }
}

/// The elements of a chunk on the device, and their points.
#[derive(Clone, Copy)]
struct Elements {
    rows: Column<AnyRows>,
    /// Bytes between the elements of adjacent items: 32 or 0.
    stride: u64,
    xy: Column<Xy>,
    kinds: Column<PointKinds>,
    scratch: EdwardsScratch,
}

impl Elements {
    fn new<'a>(plan: &mut Plan<'a>, elements: Rows<'a, 32>) -> Self {
        let (count, stride) = match elements.len() {
            Some(_) => (plan.items(), 32),
            None => (1, 0),
        };
        Elements {
            rows: plan.secret_input_of(32 * count, InputSource::Rows(elements.bytes())),
            stride,
            xy: plan.column(),
            kinds: plan.column(),
            scratch: EdwardsScratch::new(plan),
        }
    }

    fn multiply(
        self,
        slot: &mut StreamSlot,
        scalars: Column<Scalars>,
        xyz: Column<Xyz>,
        n: u64,
    ) -> Result<(), Fault> {
        let Elements {
            rows,
            stride,
            xy,
            kinds,
            scratch,
        } = self;
        kernels::Ristretto255Decode {
            elements: rows,
            element_stride: stride,
            xy,
            kinds,
            n,
        }
        .launch(slot, CURVE)?;
        scratch.reset(slot)?;
        let EdwardsScratch {
            multiples,
            next_tile,
        } = scratch;
        kernels::EdwardsMultiply {
            scalars,
            xy,
            multiples,
            xyz,
            next_tile,
            n,
        }
        .launch(slot, CURVE)
    }
}

fn multiply_generator(
    slot: &mut StreamSlot,
    scalars: Column<Scalars>,
    xyz: Column<Xyz>,
    n: u64,
) -> Result<(), Fault> {
    let table = slot.cache.clone().base_point.uniform_edwards(slot, CURVE)?;
    kernels::Ed25519Multiply {
        scalars,
        table,
        xyz,
        n,
    }
    .launch(slot, CURVE)
}

impl Map<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len() as u64;
        let rows = plan.each::<AnyRows>(32);
        plan.secret_result(0, rows, 32);
        match &self.source {
            Source::UniformBytes { rows: uniform, .. } => {
                let bytes = UNIFORM_BYTES * items.len();
                let source = InputSource::Rows(uniform.slice(items).bytes());
                let uniform = plan.secret_input_of::<AnyRows>(bytes, source);
                let codes = plan.column::<Codes>();
                plan.codes(codes);
                Box::new(move |Running { slot, .. }: &mut Running| {
                    slot.fill(codes, Verdict::VALID_CODE, n as usize)?;
                    kernels::Ristretto255Map { uniform, rows, n }.launch(slot, CURVE)
                })
            }
            Source::Messages { messages, dst } => {
                plan_codes(plan, messages, items.start);
                let TextColumns { data, offsets } = TextColumns::secret(plan, messages, items);
                let expansion =
                    ExpansionColumns::new(plan, dst, ExpandingShape::SHA512, UNIFORM_BYTES);
                let uniform = plan.each::<AnyRows>(UNIFORM_BYTES);
                Box::new(move |Running { slot, .. }: &mut Running| {
                    let ExpansionColumns {
                        suffix,
                        suffix_bytes,
                        tail,
                        tail_blocks,
                    } = expansion;
                    kernels::Ristretto255Expand {
                        data,
                        offsets,
                        suffix,
                        suffix_bytes,
                        tail,
                        tail_blocks,
                        uniform,
                        n,
                    }
                    .launch(slot, CURVE)?;
                    kernels::Ristretto255Map { uniform, rows, n }.launch(slot, CURVE)
                })
            }
        }
    }
}
