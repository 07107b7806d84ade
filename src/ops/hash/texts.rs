//! Texts that differ in size.

use crate::cpu::CpuEngine;
use std::ops::Range;

/// One thread of a GPU takes about a millisecond for this many bytes, with all others of a chunk waiting; a core takes
/// microseconds. Longer messages are hashed on the CPU.
pub(crate) const LONGEST: usize = 16 << 10;

/// The bytes of each item.
pub(crate) type Texts<'a> = dyn Fn(usize) -> &'a [u8] + Sync + 'a;

/// The texts of a batch, and where each would begin if they lay one after the other, with the end of the last; of one
/// that is too long for a device there lies nothing.
pub(crate) struct SizedTexts<'a> {
    texts: Box<Texts<'a>>,
    pub starts: Vec<usize>,
}

impl<'a> SizedTexts<'a> {
    pub fn new(cpu: &CpuEngine, items: usize, texts: impl Fn(usize) -> &'a [u8] + Sync + 'a) -> Self {
        let sizes = cpu.map(items, 0, |item| on_device(texts(item)).len());
        SizedTexts { texts: Box::new(texts), starts: starts(sizes.into_iter()) }
    }

    pub fn items(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn get(&self, item: usize) -> &'a [u8] {
        (self.texts)(item)
    }

    /// Bytes that some items take on a device.
    pub fn bytes(&self, items: &Range<usize>) -> usize {
        self.starts[items.end] - self.starts[items.start]
    }
}

/// What of a text is hashed on the device: nothing of one that is too long.
pub(crate) fn on_device(text: &[u8]) -> &[u8] {
    if text.len() <= LONGEST { text } else { &[] }
}

/// Where each of several things begins that lie one after the other, and where the last ends.
pub(crate) fn starts(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let ends = sizes.scan(0, |end, size| {
        *end += size;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}
