//! The steadiness of the machine's cores, independent of gecc: threads multiply in registers, and
//! the fraction of their best speed is recorded for each millisecond.

use super::pace::multiply;
use gecc::lab::trace::now;
use std::fmt;
use std::thread;

const MILLISECOND: u64 = 1_000_000;
/// The duration of the measurement in milliseconds.
const MILLISECONDS: usize = 1000;
/// The number of multiplications between two readings of the clock.
const AT_A_TIME: usize = 100;
/// A core is slow if its speed is below the best speed divided by this.
const SLOW: u32 = 4;

/// The observations of all cores.
pub struct Cores {
    pub threads: usize,
    /// The mean speed, as a fraction of the best.
    pub mean: f64,
    /// The fraction of milliseconds in which a core had less than a quarter of the best speed.
    pub slow: f64,
    /// The maximum number of consecutive slow milliseconds.
    pub longest: usize,
}

impl Cores {
    /// Makes every core multiply for a second.
    pub fn measure() -> Self {
        let threads = thread::available_parallelism().map_or(1, |threads| threads.get());
        let start = now() + 10 * MILLISECOND;
        let counts: Vec<Vec<u32>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..threads)
                .map(|_| scope.spawn(move || count(start)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("it only counts"))
                .collect()
        });
        Cores::of(&counts)
    }

    /// Evaluates the counts of each thread in each millisecond. The best speed is the 99th
    /// percentile, since the fastest millisecond may have been longer.
    fn of(counts: &[Vec<u32>]) -> Self {
        let mut all: Vec<u32> = counts.concat();
        all.sort_unstable();
        let best = all.get(all.len() * 99 / 100).copied().unwrap_or(1).max(1);
        let longest = counts.iter().map(|of_thread| {
            let runs = of_thread.split(|count| SLOW * count >= best);
            runs.map(<[u32]>::len).max().unwrap_or(0)
        });
        let slow = all.iter().filter(|count| SLOW * **count < best).count();
        let sum: f64 = all.iter().map(|count| f64::from(*count)).sum();
        let items = all.len().max(1) as f64;
        Cores {
            threads: counts.len(),
            mean: sum / items / f64::from(best),
            slow: slow as f64 / items,
            longest: longest.max().unwrap_or(0),
        }
    }
}

/// Counts the multiplications of a thread in each millisecond.
fn count(start: u64) -> Vec<u32> {
    let mut counts = vec![0; MILLISECONDS];
    let mut product = start;
    loop {
        product = multiply(product, AT_A_TIME);
        let Some(since) = now().checked_sub(start) else {
            continue;
        };
        match counts.get_mut((since / MILLISECOND) as usize) {
            Some(count) => *count += 1,
            None => break,
        }
    }
    std::hint::black_box(product);
    counts
}

impl fmt::Display for Cores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cores {
            threads,
            mean,
            slow,
            longest,
        } = self;
        write!(
            f,
            "The cores alone, {threads} threads for a second: {mean:.2} of their best speed on average, less than a quarter in \
             {:.2} % of milliseconds, at most {longest} in a row",
            100.0 * slow
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_milliseconds_are_counted() {
        let steady = vec![100; 200];
        let mut pauses = steady.clone();
        pauses[50..57].fill(24);
        pauses[90] = 0;
        pauses[100] = 25;
        let cores = Cores::of(&[steady, pauses]);
        assert_eq!((cores.threads, cores.longest), (2, 7));
        assert!((cores.slow - 8.0 / 400.0).abs() < 1e-9 && (0.97..1.0).contains(&cores.mean));
    }
}
