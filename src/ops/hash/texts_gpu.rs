//! Byte strings of different lengths on a device.

use super::texts::{LONGEST, SizedTexts};
use crate::gpu::columns::{self, Codes, Column, Offsets};
use crate::gpu::runtime::{InputSource, Plan};
use crate::host::workers::Pool;
use std::ops::Range;

/// The number of byte strings that one thread copies at a time.
const BLOCK: usize = 1 << 10;
const OFFSET: usize = 8;

/// The concatenated byte strings of a chunk on the device, with the offset of each and the total
/// size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextColumns {
    pub data: Column<columns::Texts>,
    pub offsets: Column<Offsets>,
}

impl TextColumns {
    pub fn new<'a>(plan: &mut Plan<'a>, texts: &'a SizedTexts<'_>, items: Range<usize>) -> Self {
        Self::with(plan, texts, items, |plan, bytes, data| {
            plan.input_of(bytes, data)
        })
    }

    /// Plans byte strings that are secret, apart from their lengths.
    pub fn secret<'a>(plan: &mut Plan<'a>, texts: &'a SizedTexts<'_>, items: Range<usize>) -> Self {
        Self::with(plan, texts, items, |plan, bytes, data| {
            plan.secret_input_of(bytes, data)
        })
    }

    fn with<'a>(
        plan: &mut Plan<'a>,
        texts: &'a SizedTexts<'_>,
        items: Range<usize>,
        input_of: impl FnOnce(&mut Plan<'a>, usize, InputSource<'a>) -> Column<columns::Texts>,
    ) -> Self {
        let bytes = texts.bytes(&items);
        let count = items.len();
        let copied = items.clone();
        let data = InputSource::Whole(Box::new(move |pool: &Pool, to: &mut [u8]| {
            let (to, padding) = to.split_at_mut(bytes);
            copy_texts(pool, to, texts, &copied);
            padding.fill(0);
        }));
        let offsets = InputSource::Written(
            OFFSET,
            Box::new(move |start: usize, to: &mut [u8]| write_offsets(to, texts, &items, start)),
        );
        TextColumns {
            // The kernels read whole words.
            data: input_of(plan, bytes.next_multiple_of(4).max(4), data),
            offsets: plan.input_of(OFFSET * (count + 1), offsets),
        }
    }
}

/// Plans the codes of a chunk whose results are digests. The code of a byte string that is too long
/// makes the CPU compute its digest.
pub(crate) fn plan_codes<'a>(plan: &mut Plan<'a>, texts: &'a SizedTexts<'_>, first: usize) {
    let codes = on_device_codes(plan, texts, first);
    plan.codes(codes);
}

/// Plans a code per byte string: 1, or 0 if it is too long for the device.
pub(crate) fn on_device_codes<'a>(
    plan: &mut Plan<'a>,
    texts: &'a SizedTexts<'_>,
    first: usize,
) -> Column<Codes> {
    let codes = InputSource::Written(
        1,
        Box::new(move |start: usize, to: &mut [u8]| {
            for (offset, code) in to.iter_mut().enumerate() {
                *code = u8::from(texts.get(first + start + offset).len() <= LONGEST);
            }
        }),
    );
    plan.input_of(plan.items(), codes)
}

/// Concatenates the byte strings of a range of items, on several threads if there are many.
fn copy_texts(pool: &Pool, to: &mut [u8], texts: &SizedTexts, items: &Range<usize>) {
    let mut rest = to;
    let blocks = items.clone().step_by(BLOCK).map(|start| {
        let block = start..items.end.min(start + BLOCK);
        let place = rest
            .split_off_mut(..texts.bytes(&block))
            .expect("there is a place for each");
        (block, place)
    });
    pool.for_each_with_caller(
        blocks.collect(),
        |(block, to): (Range<usize>, &mut [u8])| {
            let mut to = to;
            for item in block {
                let text = texts.on_device(item);
                let (place, rest) = to.split_at_mut(text.len());
                place.copy_from_slice(text);
                to = rest;
            }
        },
    );
}

/// Writes the offsets of messages and the total size, starting at the item with index `start`.
fn write_offsets(to: &mut [u8], texts: &SizedTexts, items: &Range<usize>, start: usize) {
    let mut offset = texts.start(items.start + start) - texts.start(items.start);
    for (row, item) in to.chunks_exact_mut(OFFSET).zip(items.start + start..) {
        row.copy_from_slice(&(offset as u64).to_le_bytes());
        if item < items.end {
            offset += texts.on_device(item).len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::CpuEngine;

    #[test]
    fn messages_are_concatenated_with_offsets() {
        let pool = Pool::new(Some(2)).unwrap();
        let cpu = CpuEngine::new(Some(2), None).unwrap();
        let texts: Vec<Vec<u8>> = (0..3100)
            .map(|item| vec![item as u8; item * 7 % 13])
            .collect();
        let long = vec![1; LONGEST + 1];
        for (items, too_long) in [
            (0..0, 0),
            (0..1, 0),
            (0..1024, 3),
            (0..3100, 1024),
            (1000..1025, 9),
            (1023..3000, 1500),
        ] {
            let sized = SizedTexts::new(&cpu, texts.len(), |item| {
                if item == too_long {
                    long.as_slice()
                } else {
                    texts[item].as_slice()
                }
            });
            let expected: Vec<&[u8]> = items
                .clone()
                .map(|item| {
                    if item == too_long {
                        &[]
                    } else {
                        texts[item].as_slice()
                    }
                })
                .collect();
            let mut copied = vec![0xee; sized.bytes(&items)];
            copy_texts(&pool, &mut copied, &sized, &items);
            assert_eq!(copied, expected.concat());
            let mut offset = 0;
            let mut offsets = vec![0u64];
            offsets.extend(expected.iter().map(|text| {
                offset += text.len() as u64;
                offset
            }));
            for start in [0, items.len() / 2, items.len()] {
                let mut written = vec![0xee; OFFSET * (items.len() + 1 - start)];
                write_offsets(&mut written, &sized, &items, start);
                let expected: Vec<[u8; 8]> = offsets[start..]
                    .iter()
                    .map(|offset| offset.to_le_bytes())
                    .collect();
                assert_eq!(written, expected.concat(), "{items:?} from {start}");
            }
        }
    }
}
