//! The fields that the items of an input had, by which options without effect are found.

use gecc::fields::Field;
use std::sync::atomic::{AtomicU32, Ordering};

/// The fields that items had.
#[derive(Debug, Default)]
pub struct SeenFields(AtomicU32);

impl SeenFields {
    /// Notes fields of an item or a table.
    pub fn note(&self, fields: impl Iterator<Item = Field>) {
        let bits = fields.fold(0, |bits, field| bits | 1 << field as u32);
        // Threads that read side by side have all seen the same after a few items.
        if self.0.load(Ordering::Relaxed) & bits != bits {
            self.0.fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Notes all, where what has no effect is refused otherwise.
    pub fn note_all(&self) {
        self.0.store(u32::MAX, Ordering::Relaxed);
    }

    /// Returns whether an item had the field.
    pub fn has(&self, field: Field) -> bool {
        self.0.load(Ordering::Relaxed) & (1 << field as u32) != 0
    }
}
