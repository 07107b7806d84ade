//! Texts that differ in size, side by side on a device.

use super::texts::{LONGEST, SizedTexts, on_device};
use crate::gpu::columns::{self, Codes, Column, Offsets};
use crate::gpu::runtime::{Plan, Source};
use crate::host::workers::Pool;
use std::ops::Range;

/// Texts that one thread copies at a time.
const BLOCK: usize = 1 << 10;
const OFFSET: usize = 8;

/// Texts of a chunk on the device, one after the other, and where each begins, with the end of the last.
#[derive(Clone, Copy)]
pub(crate) struct TextColumns {
    pub data: Column<columns::Texts>,
    pub offsets: Column<Offsets>,
}

impl TextColumns {
    pub fn new<'a>(plan: &mut Plan<'a>, texts: &'a SizedTexts<'_>, items: Range<usize>) -> Self {
        // The kernels read whole words.
        let bytes = texts.bytes(&items).next_multiple_of(4).max(4);
        let (first, count) = (texts.starts[items.start], items.len());
        let of = items.clone();
        let copy = move |pool: &Pool, to: &mut [u8]| {
            let (to, padding) = to.split_at_mut(texts.bytes(&of));
            copy_texts(pool, to, &texts.starts[of.start..=of.end], |i| on_device(texts.get(of.start + i)));
            padding.fill(0);
        };
        let offsets = move |start: usize, to: &mut [u8]| {
            for (row, offset) in to.chunks_exact_mut(OFFSET).zip(&texts.starts[items.start + start..=items.end]) {
                row.copy_from_slice(&((*offset - first) as u64).to_le_bytes());
            }
        };
        TextColumns {
            data: plan.input_of(bytes, Source::Whole(Box::new(copy))),
            offsets: plan.input_of(OFFSET * (count + 1), Source::Written(OFFSET, Box::new(offsets))),
        }
    }
}

/// The codes of a chunk whose results are digests: that of a text which is too long says that the CPU has to compute
/// it.
pub(crate) fn plan_codes<'a>(plan: &mut Plan<'a>, texts: &'a SizedTexts<'_>, first: usize) {
    let codes = on_device_codes(plan, texts, first);
    plan.codes(codes);
}

/// A code for each text: 1, or 0 where it is too long for the device.
pub(crate) fn on_device_codes<'a>(plan: &mut Plan<'a>, texts: &'a SizedTexts<'_>, first: usize) -> Column<Codes> {
    let write = move |start: usize, to: &mut [u8]| {
        for (offset, code) in to.iter_mut().enumerate() {
            *code = u8::from(texts.get(first + start + offset).len() <= LONGEST);
        }
    };
    plan.input_of(plan.items(), Source::Written(1, Box::new(write)))
}

/// Copies text i to `offsets[i]..offsets[i + 1]` from the first offset on, on several threads where there are many.
fn copy_texts<'a>(pool: &Pool, to: &mut [u8], offsets: &[usize], text: impl Fn(usize) -> &'a [u8] + Sync) {
    let items = offsets.len() - 1;
    let copy = |(range, mut to): (Range<usize>, &mut [u8])| {
        for i in range {
            let (place, rest) = to.split_at_mut(offsets[i + 1] - offsets[i]);
            place.copy_from_slice(text(i));
            to = rest;
        }
    };
    let (mut blocks, mut rest) = (Vec::with_capacity(items.div_ceil(BLOCK)), to);
    for start in (0..items).step_by(BLOCK) {
        let end = items.min(start + BLOCK);
        let (block, behind) = rest.split_at_mut(offsets[end] - offsets[start]);
        blocks.push((start..end, block));
        rest = behind;
    }
    pool.for_each_with_caller(blocks, copy);
}

#[cfg(test)]
mod tests {
    use super::super::texts::starts;
    use super::*;

    #[test]
    fn texts_are_copied_to_their_places() {
        let pool = Pool::new(Some(2)).unwrap();
        for items in [0, 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            let texts: Vec<Vec<u8>> = (0..items).map(|item| vec![item as u8; item * 7 % 13]).collect();
            let offsets = starts(texts.iter().map(Vec::len));
            let mut copied = vec![0xee; offsets[items]];
            copy_texts(&pool, &mut copied, &offsets, |item| &texts[item]);
            assert_eq!(copied, texts.concat());
        }
    }
}
