//! Filling rows on several threads.
//!
//! The threads are started for the work and end with it, so that a later fork loses none.

use gecc::stack;
use std::{num, thread};

/// Number of rows for which starting a thread is profitable.
const ENOUGH: usize = 1 << 15;

/// Calls `read` to write each row, or to return the code of its problem. Such a row is set to zero.
pub fn fill(
    width: usize,
    rows: &mut [u8],
    codes: &mut [u8],
    is_secret: bool,
    read: impl Fn(usize, &mut [u8]) -> Result<(), u8> + Sync,
) {
    let threads = thread::available_parallelism().map_or(1, num::NonZero::get);
    let part = codes.len().div_ceil(threads).max(ENOUGH);
    let read = &read;
    if codes.len() <= part {
        return fill_part(width, 0, rows, codes, is_secret, read);
    }
    thread::scope(|scope| {
        for (index, (rows, codes)) in rows
            .chunks_mut(part * width)
            .zip(codes.chunks_mut(part))
            .enumerate()
        {
            scope.spawn(move || fill_part(width, index * part, rows, codes, is_secret, read));
        }
    });
}

/// Fills the rows of a part, whose first row has the index `start`. Secrets leave no traces on the
/// stack.
fn fill_part(
    width: usize,
    start: usize,
    rows: &mut [u8],
    codes: &mut [u8],
    is_secret: bool,
    read: &impl Fn(usize, &mut [u8]) -> Result<(), u8>,
) {
    match is_secret {
        true => stack::wiped(|| fill_rows(width, start, rows, codes, read)),
        false => fill_rows(width, start, rows, codes, read),
    }
}

fn fill_rows(
    width: usize,
    start: usize,
    rows: &mut [u8],
    codes: &mut [u8],
    read: &impl Fn(usize, &mut [u8]) -> Result<(), u8>,
) {
    for (offset, (row, code)) in rows.chunks_exact_mut(width).zip(codes).enumerate() {
        if let Err(found) = read(start + offset, row) {
            row.fill(0);
            *code = found;
        }
    }
}
