//! Decides when a batch begins.

use std::time::Duration;

/// Items of one kind that are collected for a batch. `since` is the arrival of the oldest, on the
/// clock of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// The number of the kind.
    pub kind: usize,
    pub since: Duration,
}

/// The next step of an idle thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Begin the batch of a kind.
    Begin(usize),
    /// Sleep, at most until this time.
    SleepUntil(Duration),
    /// Sleep until something arrives.
    Sleep,
}

/// Returns the next step of an idle thread. A batch begins when nothing is being computed, since
/// waiting would gain nothing, or when its oldest item has waited for the longest wait; the batch
/// that has waited longest comes first. (A full batch begins without this function.) While
/// something is computed, the other batches accumulate, so that their size follows the load.
pub fn next(
    gathered: impl Iterator<Item = Gathered>,
    is_idle: bool,
    now: Duration,
    longest_wait: Duration,
) -> Step {
    let Some(oldest) = gathered.min_by_key(|gathered| gathered.since) else {
        return Step::Sleep;
    };
    let latest = oldest.since.saturating_add(longest_wait);
    if is_idle || now >= latest {
        Step::Begin(oldest.kind)
    } else {
        Step::SleepUntil(latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    const WAIT: Duration = Duration::from_micros(500);

    fn at(micros: u64) -> Duration {
        Duration::from_micros(micros)
    }

    #[test]
    fn idle_dispatcher_starts_batch_at_once() {
        let kinds = [
            Gathered {
                kind: 3,
                since: at(1000),
            },
            Gathered {
                kind: 1,
                since: at(900),
            },
        ];
        assert_eq!(
            next(kinds.into_iter(), true, at(1000), WAIT),
            Step::Begin(1)
        );
        assert_eq!(
            next(kinds.into_iter(), false, at(1399), WAIT),
            Step::SleepUntil(at(1400))
        );
        assert_eq!(
            next(kinds.into_iter(), false, at(1400), WAIT),
            Step::Begin(1)
        );
        assert_eq!(next([].into_iter(), true, at(0), WAIT), Step::Sleep);
    }

    /// Simulates threads that start batches by the plan; each batch takes `takes`. Returns for each
    /// arrival (time, kind) when its batch started, and whether a thread was free all the time
    /// since it arrived.
    fn simulate(arrivals: &[(u64, usize)], threads: usize, takes: u64) -> Vec<(u64, bool)> {
        let mut waiting: [VecDeque<usize>; 3] = Default::default();
        let mut begun = vec![None; arrivals.len()];
        let mut busy = Vec::new();
        let mut next_arrival = 0;
        let mut now = 0;
        let mut last_full = None;
        while begun.iter().any(Option::is_none) {
            busy.retain(|end| *end > now);
            while next_arrival < arrivals.len() && arrivals[next_arrival].0 <= now {
                waiting[arrivals[next_arrival].1].push_back(next_arrival);
                next_arrival += 1;
            }
            while busy.len() < threads {
                let kinds = waiting.iter().enumerate().filter_map(|(kind, items)| {
                    items.front().map(|item| Gathered {
                        kind,
                        since: at(arrivals[*item].0),
                    })
                });
                let Step::Begin(kind) = next(kinds, busy.is_empty(), at(now), WAIT) else {
                    break;
                };
                for item in waiting[kind].drain(..) {
                    let was_free = last_full.is_none_or(|full| full < arrivals[item].0);
                    begun[item] = Some((now, was_free));
                }
                busy.push(now + takes);
            }
            if busy.len() == threads {
                last_full = Some(now);
            }
            now += 1;
        }
        begun.into_iter().flatten().collect()
    }

    proptest! {
        #[test]
        fn batch_starts_after_longest_wait(
            gaps in prop::collection::vec((0u64..400, 0usize..3), 1..60), threads in 1usize..4, takes in 1u64..1500
        ) {
            let mut time = 0;
            let arrivals: Vec<_> = gaps.into_iter().map(|(gap, kind)| { time += gap; (time, kind) }).collect();
            let begun = simulate(&arrivals, threads, takes);
            prop_assert_eq!(begun.len(), arrivals.len());
            for ((came, _), (begun, was_free)) in arrivals.iter().zip(begun) {
                let waited = at(begun - came);
                prop_assert!(!was_free || waited <= WAIT, "{waited:?} with a free thread");
                // Earlier batches of the two other kinds begin first, each after a thread becomes
                // free.
                prop_assert!(waited <= WAIT + at(takes) * 4, "{waited:?}");
            }
        }
    }
}
