//! How fast a file that is in memory can be read at all.

use super::super::timing::timed;
use crate::input::binary::positional::read_exact_at;
use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;

/// Stays in a core's cache.
const BLOCK: usize = 1 << 18;
const RUNS: usize = 5;

/// The median of the seconds that so many threads take to read the file, each a part of it.
pub fn read_seconds(path: &Path, threads: usize) -> io::Result<f64> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut seconds = Vec::new();
    // The first reading makes sure that the file is in memory.
    for _ in 0..=RUNS {
        let (read, taken) = timed(|| read_whole(&file, length, threads as u64));
        read?;
        seconds.push(taken);
    }
    seconds.remove(0);
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[RUNS / 2])
}

fn read_whole(file: &File, length: u64, threads: u64) -> io::Result<()> {
    let part = length.div_ceil(threads).max(1);
    thread::scope(|scope| {
        let read = |start: u64| move || read_part(file, start, (start + part).min(length));
        let readers: Vec<_> = (0..length).step_by(part as usize).map(|start| scope.spawn(read(start))).collect();
        readers.into_iter().try_for_each(|reader| reader.join().expect("reading does not panic"))
    })
}

fn read_part(file: &File, mut start: u64, end: u64) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    while start < end {
        let length = (end - start).min(BLOCK as u64);
        read_exact_at(file, &mut block[..length as usize], start)?;
        start += length;
    }
    Ok(())
}
