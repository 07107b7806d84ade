//! The maximum speed of reading a file that is in memory.

use gecc_cli::measure::timing::timed;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::thread;

/// Small enough to stay in the cache of a core.
const BLOCK: usize = 1 << 18;
const RUNS: usize = 5;

/// Returns the median time in seconds in which `threads` threads read the file, each a part of it.
pub fn read_seconds(path: &Path, threads: usize) -> io::Result<f64> {
    let length = std::fs::metadata(path)?.len();
    let mut seconds = Vec::new();
    // The first reading ensures that the file is in memory.
    for _ in 0..=RUNS {
        let (read, taken) = timed(|| read_whole(path, length, threads as u64));
        read?;
        seconds.push(taken);
    }
    seconds.remove(0);
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[RUNS / 2])
}

fn read_whole(path: &Path, length: u64, threads: u64) -> io::Result<()> {
    let part = length.div_ceil(threads).max(1);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..length)
            .step_by(part as usize)
            .map(|start| scope.spawn(move || read_part(path, start, (start + part).min(length))))
            .collect();
        readers
            .into_iter()
            .try_for_each(|reader| reader.join().expect("reading does not panic"))
    })
}

fn read_part(path: &Path, start: u64, end: u64) -> io::Result<()> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut block = vec![0; BLOCK];
    let mut left = end - start;
    while left > 0 {
        let length = left.min(BLOCK as u64);
        file.read_exact(&mut block[..length as usize])?;
        left -= length;
    }
    Ok(())
}
