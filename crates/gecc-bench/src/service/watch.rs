//! Observes the machine during a run: the time that each thread waited for a core, and the time
//! stolen by the host.

use gecc::lab::trace;
use std::collections::HashMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The interval between observations.
const EVERY: Duration = Duration::from_millis(2);
/// The clock tick in which `/proc/stat` counts stolen time, in nanoseconds.
const STAT_TICK: u64 = 10_000_000;
/// The maximum number of threads in a report.
const REPORTED_THREADS: usize = 4;
/// The minimum waiting time in a report, in nanoseconds.
const LONG: u64 = 500_000;

/// An observation at one time.
pub struct Tick {
    at: u64,
    /// The time that each thread, by its number, has waited for a core since it began, in
    /// nanoseconds.
    waited: Vec<(u32, u64)>,
    /// The time that the host of a virtual machine gave to others, over all cores, in nanoseconds.
    stolen: u64,
}

/// Observes until `stop` is set, and returns the observations.
pub fn watch(stop: &AtomicBool) -> Vec<Tick> {
    let mut ticks = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        ticks.push(Tick {
            at: trace::now(),
            waited: waited(),
            stolen: stolen(),
        });
        thread::sleep(EVERY);
    }
    ticks
}

/// Reads the second number of each thread's `schedstat`. Returns nothing if the system does not
/// have it.
fn waited() -> Vec<(u32, u64)> {
    let Ok(threads) = fs::read_dir("/proc/self/task") else {
        return Vec::new();
    };
    threads
        .flatten()
        .filter_map(|thread| waited_by(&thread))
        .collect()
}

fn waited_by(thread: &fs::DirEntry) -> Option<(u32, u64)> {
    let number = thread.file_name().to_str()?.parse().ok()?;
    let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
    Some((number, text.split_whitespace().nth(1)?.parse().ok()?))
}

/// Reads the eighth number of the first line of `/proc/stat`.
fn stolen() -> u64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks = text
        .lines()
        .next()
        .and_then(|line| line.split_whitespace().nth(8)?.parse::<u64>().ok());
    ticks.unwrap_or(0) * STAT_TICK
}

fn name_of(thread: u32) -> String {
    let name = fs::read_to_string(format!("/proc/self/task/{thread}/comm"));
    name.map_or_else(
        |_| format!("thread {thread}"),
        |name| name.trim().to_owned(),
    )
}

/// Describes unusual delays between two times: threads that waited for a core, stolen time, and
/// late observations.
pub fn delays(ticks: &[Tick], start: u64, end: u64) -> Vec<String> {
    let first = ticks
        .partition_point(|tick| tick.at <= start)
        .saturating_sub(1);
    let last = ticks
        .partition_point(|tick| tick.at < end)
        .min(ticks.len().saturating_sub(1));
    let (Some(before), Some(after)) = (ticks.get(first), ticks.get(last)) else {
        return Vec::new();
    };
    let known: HashMap<u32, u64> = before.waited.iter().copied().collect();
    let mut waited: Vec<(u32, u64)> = after
        .waited
        .iter()
        .map(|(thread, waited)| {
            (
                *thread,
                waited - known.get(thread).unwrap_or(&0).min(waited),
            )
        })
        .filter(|(_, waited)| *waited >= LONG)
        .collect();
    waited.sort_unstable_by_key(|(_, waited)| std::cmp::Reverse(*waited));
    let longest = waited
        .iter()
        .take(REPORTED_THREADS)
        .map(|(thread, waited)| (name_of(*thread), *waited as f64 / 1e6));
    let mut lines: Vec<String> = longest
        .map(|(name, ms)| format!("{name} waited {ms:.1} ms for a core"))
        .collect();
    let stolen = after.stolen - before.stolen.min(after.stolen);
    if stolen > 0 {
        lines.push(format!("stolen from all cores: {} ms", stolen / 1_000_000));
    }
    let gaps = ticks[first..=last]
        .windows(2)
        .map(|pair| pair[1].at - pair[0].at);
    let longest_gap = gaps.max().unwrap_or(0);
    if longest_gap > 2 * EVERY.as_nanos() as u64 {
        lines.push(format!(
            "a thread that sleeps for 2 ms at a time woke after {:.1} ms",
            longest_gap as f64 / 1e6
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(at: u64, waited: u64, stolen: u64) -> Tick {
        Tick {
            at,
            waited: vec![(u32::MAX, waited)],
            stolen,
        }
    }

    #[test]
    fn delays_between_two_times_are_returned() {
        let ticks = [
            tick(0, 0, 0),
            tick(2_000_000, 1_000_000, 0),
            tick(30_000_000, 21_000_000, 20_000_000),
        ];
        assert!(delays(&ticks, 0, 1_000_000)[0].ends_with("waited 1.0 ms for a core"));
        let late = delays(&ticks, 3_000_000, 20_000_000).join("; ");
        assert!(
            late.contains("20.0 ms for a core")
                && late.contains("20 ms")
                && late.contains("after 28.0 ms")
        );
        assert!(delays(&[], 0, 1).is_empty());
    }
}
