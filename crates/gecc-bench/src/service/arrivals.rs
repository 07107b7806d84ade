//! Arrival times of requests from independent senders, which do not depend on the fate of earlier
//! requests.

use crate::flags::Arrivals;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::time::Duration;

/// The number of requests in a burst.
const BURST: u32 = 16;

/// An endless series of arrival times: single requests or bursts, with exponentially distributed
/// gaps. The first arrives at once, so that even a short measurement of a slow engine has one.
pub struct Schedule {
    random: StdRng,
    /// The mean gap in seconds.
    mean_gap: f64,
    at_once: u32,
    /// The requests of the current burst that are still to come.
    left: u32,
    /// When they arrive, in seconds.
    now: f64,
}

impl Schedule {
    /// Makes a schedule with a mean of `requests_per_second`.
    pub fn new(arrivals: Arrivals, requests_per_second: f64) -> Self {
        let at_once = match arrivals {
            Arrivals::Poisson => 1,
            Arrivals::Bursts => BURST,
        };
        let mean_gap = f64::from(at_once) / requests_per_second;
        let random = StdRng::seed_from_u64(rand::random());
        Schedule {
            random,
            mean_gap,
            at_once,
            left: at_once,
            now: 0.0,
        }
    }
}

impl Iterator for Schedule {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        if self.left == 0 {
            self.left = self.at_once;
            // The argument is never 0, since the random number is below 1.
            self.now -= self.mean_gap * (1.0 - self.random.random::<f64>()).ln();
        }
        self.left -= 1;
        Some(Duration::from_secs_f64(self.now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_have_the_requested_rate() {
        for (arrivals, together) in [(Arrivals::Poisson, 1), (Arrivals::Bursts, BURST as usize)] {
            let times: Vec<Duration> = Schedule::new(arrivals, 1e5).take(200_000).collect();
            let seconds = times.last().unwrap().as_secs_f64();
            // The time of 12500 bursts has a standard deviation of a hundredth.
            assert!((1.9..2.1).contains(&seconds), "{seconds}");
            assert_eq!(times[0], Duration::ZERO);
            assert!(times.is_sorted());
            assert!(
                times
                    .chunks(together)
                    .all(|burst| burst.iter().all(|time| *time == burst[0]))
            );
            // A fraction 1/e, about a third, of the gaps is longer than the mean, and not a half or
            // none.
            let gaps: Vec<f64> = times
                .chunks(together)
                .map(|burst| burst[0].as_secs_f64())
                .collect::<Vec<_>>()
                .windows(2)
                .map(|pair| pair[1] - pair[0])
                .collect();
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            let long = gaps.iter().filter(|gap| **gap > mean).count() as f64 / gaps.len() as f64;
            assert!((0.3..0.44).contains(&long), "{long}");
        }
    }
}
