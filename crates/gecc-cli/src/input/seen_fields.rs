//! The fields that occurred in an input, to find options without effect.

use gecc::fields::Field;
use std::sync::atomic::{AtomicU32, Ordering};

/// The set of fields that occurred in items.
#[derive(Debug, Default)]
pub struct SeenFields(AtomicU32);

impl SeenFields {
    /// Records the fields of an item or a table.
    pub fn note(&self, fields: impl Iterator<Item = Field>) {
        let bits = fields.fold(0, |bits, field| bits | 1 << field as u32);
        // Threads that read concurrently have all seen the same fields after a few items, so that
        // writes are rare.
        if self.0.load(Ordering::Relaxed) & bits != bits {
            self.0.fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Records all fields, for inputs where options without effect are refused elsewhere.
    pub fn note_all(&self) {
        self.0.store(u32::MAX, Ordering::Relaxed);
    }

    /// Returns whether an item had the field.
    pub fn has(&self, field: Field) -> bool {
        self.0.load(Ordering::Relaxed) & (1 << field as u32) != 0
    }
}
