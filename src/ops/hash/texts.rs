//! Byte strings of different lengths.

use crate::cpu::CpuEngine;
use std::ops::Range;

/// The length above which messages are hashed on the CPU. A single GPU thread takes about a
/// millisecond for a message of this length while all others of its chunk wait; a CPU core takes
/// microseconds.
pub(crate) const LONGEST: usize = 16 << 10;

/// The number of byte strings whose total size is stored as one sum. Storing every size before the
/// first chunk starts would take longer than adding them up again.
const BLOCK: usize = 64;

/// A function that returns the bytes of an item.
pub(crate) type Texts<'a> = dyn Fn(usize) -> &'a [u8] + Sync + 'a;

/// The byte strings of a batch with their offsets in the concatenation. A string that is too long
/// for a device has length 0 in it.
pub(crate) struct SizedTexts<'a> {
    texts: Box<Texts<'a>>,
    items: usize,
    /// The average length of a message.
    average: usize,
    /// The offset of each block, and the total size.
    blocks: Vec<usize>,
}

impl<'a> SizedTexts<'a> {
    pub fn new(
        cpu: &CpuEngine,
        items: usize,
        texts: impl Fn(usize) -> &'a [u8] + Sync + 'a,
    ) -> Self {
        let sizes = cpu.map(items.div_ceil(BLOCK), (0, 0), |block| {
            let of_block = (block * BLOCK..items.min((block + 1) * BLOCK)).map(&texts);
            of_block.fold((0, 0), |(here, all), text| {
                (here + on_device(text).len(), all + text.len())
            })
        });
        let average = sizes.iter().map(|(_, all)| all).sum::<usize>() / items.max(1);
        let mut end = 0;
        let ends = sizes.into_iter().map(|(size, _)| {
            end += size;
            end
        });
        let blocks = std::iter::once(0).chain(ends).collect();
        SizedTexts {
            texts: Box::new(texts),
            items,
            average,
            blocks,
        }
    }

    /// Returns the average length of a byte string.
    pub fn average(&self) -> usize {
        self.average
    }

    pub fn items(&self) -> usize {
        self.items
    }

    pub fn get(&self, item: usize) -> &'a [u8] {
        (self.texts)(item)
    }

    /// Returns the part of a message that is copied to the device.
    pub fn on_device(&self, item: usize) -> &'a [u8] {
        on_device(self.get(item))
    }

    /// Returns the start of a message, or the end of the last one.
    pub fn start(&self, item: usize) -> usize {
        let block = item / BLOCK;
        let before = block * BLOCK..item;
        self.blocks[block] + before.map(|item| self.on_device(item).len()).sum::<usize>()
    }

    /// Returns the bytes that a range of items takes on a device.
    pub fn bytes(&self, items: &Range<usize>) -> usize {
        self.start(items.end) - self.start(items.start)
    }
}

/// Returns the part of a message that is hashed on the device: nothing if it is too long.
fn on_device(text: &[u8]) -> &[u8] {
    if text.len() <= LONGEST { text } else { &[] }
}
