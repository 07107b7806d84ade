//! Reading a file at positions, from several threads at a time.

use std::fs::File;
use std::io;
use std::thread;

/// Less is not worth a thread of its own.
const SMALLEST_PART: usize = 1 << 20;

/// Fills the memory from a place of the file, by up to so many threads. Each fills a number of whole rows and passes these to
/// `finish`. The memory has whole rows.
///
/// # Errors
/// `UnexpectedEof` where the file ends before; the memory then means nothing.
pub fn read_parallel(
    file: &File,
    offset: u64,
    memory: &mut [u8],
    row: usize,
    threads: usize,
    finish: impl Fn(&mut [u8]) + Sync,
) -> io::Result<()> {
    let parts = threads.min(memory.len() / SMALLEST_PART).max(1);
    let length = (memory.len() / row).div_ceil(parts).max(1) * row;
    let fill = |(part, memory): (usize, &mut [u8])| {
        read_exact_at(file, memory, offset + (part * length) as u64)?;
        finish(memory);
        Ok(())
    };
    let mut parts = memory.chunks_mut(length).enumerate();
    // This thread takes the first part.
    let Some(first) = parts.next() else { return Ok(()) };
    thread::scope(|scope| {
        let others: Vec<_> = parts.map(|part| scope.spawn(|| fill(part))).collect();
        let first = fill(first);
        let joined = others.into_iter().map(|other| other.join().expect("reading does not panic"));
        // All are waited for before the first error is given.
        joined.fold(first, Result::and)
    })
}

#[cfg(unix)]
pub fn read_exact_at(file: &File, memory: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, memory, offset)
}

#[cfg(windows)]
pub fn read_exact_at(file: &File, mut memory: &mut [u8], mut offset: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !memory.is_empty() {
        match file.seek_read(memory, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => (memory, offset) = (&mut memory[length..], offset + length as u64),
            Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
            Err(problem) => return Err(problem),
        }
    }
    Ok(())
}
