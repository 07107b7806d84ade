//! Filling rows on several threads.
//!
//! The threads are started for the work and end with it, so that a fork leaves none of them behind.

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
    let fill_part = |start: usize, rows: &mut [u8], codes: &mut [u8]| {
        for (offset, (row, code)) in rows.chunks_exact_mut(width).zip(codes).enumerate() {
            if let Err(found) = read(start + offset, row) {
                row.fill(0);
                *code = found;
            }
        }
    };
    // Secrets leave no traces on the stack.
    let work = |start: usize, rows: &mut [u8], codes: &mut [u8]| match is_secret {
        true => stack::wiped(|| fill_part(start, rows, codes)),
        false => fill_part(start, rows, codes),
    };
    let threads = thread::available_parallelism().map_or(1, num::NonZero::get);
    let part = codes.len().div_ceil(threads).max(ENOUGH);
    if codes.len() <= part {
        return work(0, rows, codes);
    }
    thread::scope(|scope| {
        for (index, (rows, codes)) in rows.chunks_mut(part * width).zip(codes.chunks_mut(part)).enumerate() {
            scope.spawn(move || work(index * part, rows, codes));
        }
    });
}
