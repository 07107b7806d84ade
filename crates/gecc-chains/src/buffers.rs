//! Reusable memory of batches: columns in page-locked memory, and a pool of values. Allocating
//! costs more than writing.

use gecc::{Engine, PageLocked};
use std::sync::{Mutex, PoisonError};

/// A column in page-locked memory, from which a GPU copies directly. It is as long as the longest
/// column that was requested. Locking memory costs more than copying it once, so a column is reused
/// from batch to batch.
pub struct PageLockedColumn<const W: usize>(PageLocked<[u8; W]>);

impl<const W: usize> Default for PageLockedColumn<W> {
    fn default() -> Self {
        PageLockedColumn(Vec::new().into())
    }
}

impl<const W: usize> PageLockedColumn<W> {
    /// Returns `rows` rows with unspecified contents.
    pub fn rows(&mut self, engine: &Engine, rows: usize) -> &mut [[u8; W]] {
        if self.0.len() < rows {
            // Few batches exceed the first one by more than a quarter.
            self.0 = engine.page_lock(vec![[0; W]; rows + rows / 4]);
        }
        &mut self.0[..rows]
    }
}

impl PageLockedColumn<1> {
    /// Returns `rows` codes, all cleared, so that codes of an earlier batch never count.
    pub fn codes(&mut self, engine: &Engine, rows: usize) -> &mut [u8] {
        let codes = self.rows(engine, rows).as_flattened_mut();
        codes.fill(0);
        codes
    }
}

/// Splits rows into consecutive parts of `counts` rows each.
pub fn split<T>(
    rows: &mut [T],
    counts: impl IntoIterator<Item = usize>,
) -> impl Iterator<Item = &mut [T]> {
    let mut rest = rows;
    counts.into_iter().map(move |count| {
        rest.split_off_mut(..count)
            .expect("as many rows as all parts have")
    })
}

/// A pool of values that are currently unused.
#[derive(Debug)]
pub struct ReusePool<T>(Mutex<Vec<T>>);

impl<T> Default for ReusePool<T> {
    fn default() -> Self {
        ReusePool(Mutex::default())
    }
}

impl<T: Default> ReusePool<T> {
    /// Takes an unused value, in the state in which it was returned, or creates a new one.
    pub fn take(&self) -> T {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default()
    }

    /// Returns a value to the pool.
    pub fn give_back(&self, value: T) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(value);
    }
}
