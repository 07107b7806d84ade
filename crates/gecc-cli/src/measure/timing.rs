//! Medians of timed runs, and the format of rates.

use crate::failure::Failure;
use std::time::Instant;

/// The number of runs whose median is taken: fewer if they take long.
const MOST_RUNS: usize = 15;
const LEAST_RUNS: usize = 3;
/// The total of seconds after which no further run starts.
const ENOUGH: f64 = 0.1;

/// The median run: its duration, and its additional result.
pub struct Timed<T> {
    pub seconds: f64,
    pub result: T,
}

pub fn median<T>(mut run: impl FnMut() -> Result<(f64, T), Failure>) -> Result<Timed<T>, Failure> {
    let mut runs = Vec::new();
    let mut total = 0.0;
    while runs.len() < LEAST_RUNS || (runs.len() < MOST_RUNS && total < ENOUGH) {
        let (seconds, result) = run()?;
        total += seconds;
        runs.push(Timed { seconds, result });
    }
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(runs.swap_remove(runs.len() / 2))
}

/// Returns the result of `work` and its duration.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let result = work();
    (result, started.elapsed().as_secs_f64())
}

/// Formats a rate with three digits, such as `12.3 M/s`.
pub fn rate(per_second: f64) -> String {
    let (value, unit) = match per_second {
        value if value >= 1e9 => (value / 1e9, "G"),
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e3 => (value / 1e3, "k"),
        value => (value, " "),
    };
    let digits = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}/s")
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn rates_have_three_digits() {
        let rates = [
            1.0, 12.34, 999.0, 1e3, 54_321.0, 1e6, 45.678e6, 783.4e6, 100.84e9,
        ]
        .map(rate);
        let expected = [
            "1.00  /s", "12.3  /s", "999  /s", "1.00 k/s", "54.3 k/s", "1.00 M/s", "45.7 M/s",
            "783 M/s", "101 G/s",
        ];
        assert_eq!(rates, expected);
    }
}
