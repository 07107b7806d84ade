//! Rows that several threads fill.
//!
//! The threads are started for the work and end with it, so that a fork leaves none of them behind.

use gecc::stack;
use std::{num, thread};

/// Rows that a thread is worth starting for.
const ENOUGH: usize = 1 << 15;

/// Has `read` write each row, or give the code of what is wrong. Such a row becomes zeros.
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
    // Of secrets nothing stays on a stack.
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
