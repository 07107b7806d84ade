//! Verification on a GPU.

use super::batch::{CURVE, VerifyEd25519};
use super::batch_verification_gpu::{BATCH_VERIFICATION_FILES, BatchVerification, CheckedItems};
use super::known_answers;
use super::rule::Rule;
use super::variant::Variant;
use crate::cpu::edwards::decode::Encoding;
use crate::gpu::codes::{PENDING, PointKind};
use crate::gpu::columns::{
    ByteRows, Codes, Column, Ed25519Multiples, ItemNumbers, KeyColumns, NextTile, Offsets,
    PointKinds, Scalars, Signatures, Texts, Verdicts, Xy,
};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, InputSource, Plan};
use crate::gpu::schedule::StreamSlot;
use crate::gpu::tables::PublicTable;
use crate::gpu::tables::form::{EDWARDS, KeysOfChunk};
use crate::gpu::tables::key_tables::{self, ByTables, Grouped, Grouping, ItemList};
use crate::gpu::{Launch, Running, SelfTest};
use crate::ops::hash::{LONGEST, TextColumns};
use crate::schemes::common::Chunks;
use crate::schemes::common::batch_verification::gpu::Open;
use crate::types::{self, KeyRowForm};
use std::ops::Range;

/// Kernel files of verification.
pub const VERIFY_FILES: &[&str] = &["ed25519", "ed25519_tables", "key_groups"];
/// The size in bytes of the multiples of an item's points that a thread stores.
const MULTIPLES: usize = 512 * 4;

/// The bits of `Ed25519Rule` in `cuda/scheme/ed25519.cuh`.
const CANONICAL: u32 = 1;
const REJECTS_SMALL_ORDER: u32 = 2;
const COFACTORED: u32 = 4;

/// Returns a rule in the encoding of the device code.
pub fn rule_bits(rule: Rule) -> u32 {
    let canonical = if rule.encoding() == Encoding::Canonical {
        CANONICAL
    } else {
        0
    };
    let small_order = if rule.rejects_small_order() {
        REJECTS_SMALL_ORDER
    } else {
        0
    };
    let cofactored = if rule.is_cofactored() { COFACTORED } else { 0 };
    canonical | small_order | cofactored
}

impl VerifyEd25519<'_> {
    /// Returns `true` if a chunk of `items` items may be verified as a group.
    fn is_batch_verification(&self, items: usize) -> bool {
        self.batch_verification && self.rule.is_cofactored() && self.chunks.may_try(items)
    }

    /// Plans the keys of a chunk, with zeros for those of another form.
    fn key_rows<'a>(&'a self, plan: &mut Plan<'a>, first: usize) -> Column<ByteRows<32>> {
        if let (KeyRowForm::XOnly, Some(rows)) = (
            self.keys.form(),
            self.keys.slice(first..first + plan.items()).rows(),
        ) {
            return plan.input(rows);
        }
        let rows = InputSource::Written(
            32,
            Box::new(move |start: usize, to: &mut [u8]| {
                for (offset, row) in to.as_chunks_mut::<32>().0.iter_mut().enumerate() {
                    *row = *self
                        .keys
                        .get(first + start + offset)
                        .of_32_bytes()
                        .unwrap_or(&[0; 32]);
                }
            }),
        );
        plan.input_of(32 * plan.items(), rows)
    }

    /// Plans a code per item: 1, or 0 if the CPU has to verify it, because its message is too long
    /// for the device or its key has another form.
    fn on_device<'a>(&'a self, plan: &mut Plan<'a>, first: usize) -> Column<Codes> {
        let codes = InputSource::Written(
            1,
            Box::new(move |start: usize, to: &mut [u8]| {
                for (at, code) in to.iter_mut().enumerate() {
                    *code = u8::from(self.fits_device(first + start + at));
                }
            }),
        );
        plan.input_of(plan.items(), codes)
    }

    fn fits_device(&self, item: usize) -> bool {
        self.messages.get(item).len() <= LONGEST && self.keys.get(item).of_32_bytes().is_some()
    }

    pub(super) fn kernel_files(&self) -> (&'static str, Vec<&'static str>) {
        let batch_verification = if self.is_batch_verification(self.items) {
            BATCH_VERIFICATION_FILES
        } else {
            &[]
        };
        (CURVE, [VERIFY_FILES, batch_verification].concat())
    }

    pub(super) fn gpu_self_tests(&self, items: usize) -> Vec<SelfTest> {
        known_answers::of_verification(
            key_tables::may_build(items),
            self.is_batch_verification(items),
        )
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len();
        let rule = rule_bits(self.rule);
        let first = items.start;
        let dom2 = Dom2::new(plan, &self.variant);
        let TextColumns { data, offsets } = TextColumns::new(plan, &self.messages, items.clone());
        let signatures = plan.input::<Signatures>(self.signatures.slice(items).bytes());
        let keys = self.key_rows(plan, first);
        let on_device = self.on_device(plan, first);
        let equations = Equations::new(plan, self.is_batch_verification(n).then_some(&self.chunks));
        plan.codes(equations.verdicts);
        let signed = SignedColumns {
            dom2,
            data,
            offsets,
            signatures,
            keys,
            on_device,
        };
        Box::new(move |Running { slot, expected, .. }: &mut Running| {
            equations.verify(slot, signed, rule, n, *expected)
        })
    }
}

/// The prefix that a chunk hashes first: empty for Ed25519 itself.
#[derive(Clone, Copy)]
pub struct Dom2 {
    pub bytes: Option<Column<Texts>>,
    pub length: u64,
}

impl Dom2 {
    pub fn new<'a>(plan: &mut Plan<'a>, variant: &'a Variant) -> Self {
        let dom2 = variant.dom2();
        let length = dom2.len();
        let bytes = match length {
            0 => None,
            _ => Some(plan.input_of(
                length,
                InputSource::Rows(types::ByteRows::new(dom2, length)),
            )),
        };
        Dom2 {
            bytes,
            length: length as u64,
        }
    }
}

/// The signatures of a chunk with their keys and messages.
#[derive(Clone, Copy)]
pub struct SignedColumns {
    pub dom2: Dom2,
    pub data: Column<Texts>,
    pub offsets: Column<Offsets>,
    pub signatures: Column<Signatures>,
    pub keys: Column<ByteRows<32>>,
    /// Codes that are 0 for items that the CPU has to compute.
    pub on_device: Column<Codes>,
}

/// The verdicts of a chunk, and intermediate results.
pub struct Equations<'a> {
    k: Column<Scalars>,
    minus_a: Column<Xy>,
    kinds: Column<PointKinds>,
    multiples: Column<Ed25519Multiples>,
    next_tile: Column<NextTile>,
    /// The distinguishing bytes of the keys, if repeated keys are searched for.
    repeated: Option<(Grouping, Column<KeyColumns>)>,
    batch_verification: Option<BatchVerification<'a>>,
    pub verdicts: Column<Verdicts>,
}

impl<'a> Equations<'a> {
    /// Plans verification as groups if the chunks of the batch are given, otherwise of individual
    /// items.
    pub fn new(plan: &mut Plan, batch_verification: Option<&'a Chunks>) -> Self {
        let threads = (kernels::Ed25519Verify::BLOCKS * kernels::Ed25519Verify::BLOCK) as usize
            * plan.multiprocessors();
        Equations {
            k: plan.column(),
            minus_a: plan.column(),
            kinds: plan.column(),
            multiples: plan.buffer(threads * MULTIPLES),
            next_tile: plan.buffer(4),
            repeated: Grouping::new(plan).map(|grouping| (grouping, plan.each(EDWARDS.key))),
            batch_verification: batch_verification
                .map(|chunks| BatchVerification::new(plan, chunks)),
            verdicts: plan.column(),
        }
    }

    /// Verifies by the bits of a rule. Keys that occur often enough get a table each. If none does,
    /// the items may be verified as a group, which is faster than individually but not than by
    /// tables. `expected` is the number of items still to come to the device in this call,
    /// including this chunk.
    pub fn verify(
        &self,
        slot: &mut StreamSlot,
        signed: SignedColumns,
        rule: u32,
        n: usize,
        expected: usize,
    ) -> Result<(), Fault> {
        let Equations {
            k,
            minus_a,
            kinds,
            verdicts,
            ..
        } = *self;
        let SignedColumns {
            dom2,
            data,
            offsets,
            signatures,
            keys,
            on_device,
        } = signed;
        let count = n as u64;
        let kept = slot.cache.clone();
        let table = kept.base_point.edwards(slot, CURVE)?;
        let key_columns = self.repeated.as_ref().map(|(_, columns)| *columns);
        let Dom2 {
            bytes: dom2,
            length: dom2_bytes,
        } = dom2;
        kernels::Ed25519Challenge {
            signatures,
            keys,
            dom2,
            dom2_bytes,
            data,
            offsets,
            k,
            key_columns,
            n: count,
        }
        .launch(slot, CURVE)?;
        let grouped = self.group(slot, n, expected)?;
        let (counts, representative) = grouped
            .as_ref()
            .map(|keys| (keys.counts, keys.representative))
            .unzip();
        kernels::Ed25519Keys {
            keys,
            rule,
            counts,
            minus_a,
            kinds,
            n: count,
        }
        .launch(slot, CURVE)?;
        kernels::Ed25519Check {
            signatures,
            keys,
            representative,
            kinds,
            rule,
            verdicts,
            n: count,
        }
        .launch(slot, CURVE)?;
        let by_tables = match &grouped {
            Some(grouped) => grouped.find_tables(slot, &kept.key_cache, minus_a)?,
            None => None,
        };
        let open = match (by_tables, &self.batch_verification) {
            (Some(by), _) => {
                self.check_with_tables(slot, signatures, rule, (&table, by), count)?;
                Some(Some(by.others))
            }
            (None, Some(batch_verification)) => {
                let items = CheckedItems {
                    signatures,
                    k,
                    representative,
                    minus_a,
                    rule,
                    verdicts,
                    on_device,
                    n,
                };
                match batch_verification.find_valid(slot, items, &table)? {
                    Open::None => None,
                    Open::Listed(others, _) => Some(Some(others)),
                    Open::AsBefore => Some(None),
                }
            }
            (None, None) => Some(None),
        };
        if let Some(list) = open {
            self.check_others(
                slot,
                (signatures, representative),
                rule,
                (&table, list),
                count,
            )?;
        }
        kernels::Ed25519Reopen {
            on_device,
            verdicts,
            n: count,
        }
        .launch(slot, CURVE)
    }

    /// Starts to group the keys, before they are decoded, if that may be faster.
    fn group(
        &self,
        slot: &mut StreamSlot,
        n: usize,
        expected: usize,
    ) -> Result<Option<Grouped<'_>>, Fault> {
        let Equations {
            kinds,
            verdicts,
            repeated: Some((grouping, keys)),
            ..
        } = self
        else {
            return Ok(None);
        };
        let kinds = *kinds;
        let verdicts = *verdicts;
        let keys = *keys;
        slot.fill(kinds, PointKind::Finite as u8, n)?;
        slot.fill(verdicts, PENDING, n)?;
        let cache = &slot.cache.clone().key_cache;
        grouping.group(
            slot,
            cache,
            KeysOfChunk {
                curve: CURVE,
                form: &EDWARDS,
                keys,
                kinds,
                verdicts,
                n,
            },
            expected,
        )
    }

    fn check_with_tables(
        &self,
        slot: &mut StreamSlot,
        signatures: Column<Signatures>,
        rule: u32,
        (table, by): (&PublicTable, ByTables),
        n: u64,
    ) -> Result<(), Fault> {
        let Equations { k, verdicts, .. } = *self;
        let ByTables {
            key_tables,
            key_bits,
            items,
            item_tables,
            item_count,
            ..
        } = by;
        kernels::Ed25519VerifyWithTables {
            signatures,
            k,
            table: table.column(),
            bits: table.bits,
            key_tables,
            key_bits,
            rule,
            items,
            item_tables,
            item_count,
            verdicts,
            n,
        }
        .launch(slot, CURVE)
    }

    /// Verifies items individually: all items, or those of a list.
    fn check_others(
        &self,
        slot: &mut StreamSlot,
        (signatures, representative): (Column<Signatures>, Option<Column<ItemNumbers>>),
        rule: u32,
        (table, list): (&PublicTable, Option<ItemList>),
        n: u64,
    ) -> Result<(), Fault> {
        let Equations {
            k,
            minus_a,
            multiples,
            next_tile,
            verdicts,
            ..
        } = *self;
        let bits = table.bits;
        let (items, item_count) = list.unzip();
        let table = table.column();
        slot.fill(next_tile, 0, 4)?;
        kernels::Ed25519Verify {
            signatures,
            k,
            representative,
            minus_a,
            table,
            bits,
            rule,
            multiples,
            items,
            item_count,
            next_tile,
            verdicts,
            n,
        }
        .launch(slot, CURVE)
    }
}
