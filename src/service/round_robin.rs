//! Round-robin queue of requests that wait for room, with one queue per caller.

use std::collections::{HashMap, VecDeque};

/// Waiting requests, in the order of each caller. Callers take turns.
pub struct RoundRobin<W> {
    requests: HashMap<u64, VecDeque<W>>,
    /// The callers in the map, each once. A caller may have withdrawn all its requests.
    turns: VecDeque<u64>,
    waiting: usize,
}

/// The decision about the first request of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The request is admitted, and it is the next caller's turn.
    Admitted,
    /// The request is not admitted, and it is the next caller's turn.
    Passed,
    /// The request waits, and all others with it, so that room for a large request can accumulate.
    Waits,
}

impl<W> RoundRobin<W> {
    pub fn new() -> Self {
        RoundRobin {
            requests: HashMap::new(),
            turns: VecDeque::new(),
            waiting: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Adds a request after those of its caller.
    pub fn push(&mut self, caller: u64, request: W) {
        let turns = &mut self.turns;
        let requests = self.requests.entry(caller).or_insert_with(|| {
            turns.push_back(caller);
            VecDeque::new()
        });
        requests.push_back(request);
        self.waiting += 1;
    }

    /// Removes a request of a caller. Returns whether it was found.
    pub fn remove(&mut self, caller: u64, is_it: impl Fn(&W) -> bool) -> bool {
        let Some(requests) = self.requests.get_mut(&caller) else {
            return false;
        };
        let Some(place) = requests.iter().position(is_it) else {
            return false;
        };
        requests.remove(place);
        self.waiting -= 1;
        true
    }

    /// Takes turns until every caller has been passed or a request waits. Returns the admitted
    /// requests.
    pub fn turn(&mut self, mut decide: impl FnMut(&W) -> Turn) -> Vec<W> {
        let mut done = Vec::new();
        let mut passed = 0;
        while passed < self.turns.len() {
            let caller = self.turns.pop_front().expect("there is one");
            let requests = self.requests.get_mut(&caller).expect("it is in the map");
            match requests.front().map(&mut decide) {
                None => {
                    self.requests.remove(&caller);
                    continue;
                }
                Some(Turn::Admitted) => {
                    done.extend(requests.pop_front());
                    self.waiting -= 1;
                    passed = 0;
                }
                Some(Turn::Passed) => passed += 1,
                Some(Turn::Waits) => {
                    self.turns.push_front(caller);
                    break;
                }
            }
            self.turns.push_back(caller);
        }
        done
    }

    /// Removes and returns all requests.
    pub fn take_all(&mut self) -> Vec<W> {
        self.turns.clear();
        self.waiting = 0;
        self.requests
            .drain()
            .flat_map(|(_, requests)| requests)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn callers_take_turns() {
        let mut queue = RoundRobin::new();
        (0..5).for_each(|request| queue.push(1, (1, request)));
        queue.push(2, (2, 0));
        queue.push(3, (3, 0));
        queue.push(3, (3, 1));
        let mut room = 6;
        let done = queue.turn(|_| {
            room -= 1;
            if room >= 0 {
                Turn::Admitted
            } else {
                Turn::Waits
            }
        });
        assert_eq!(done, [(1, 0), (2, 0), (3, 0), (1, 1), (3, 1), (1, 2)]);
        assert_eq!((queue.waiting, queue.take_all()), (2, vec![(1, 3), (1, 4)]));
        assert!(queue.is_empty());
    }

    proptest! {
        /// Requests are neither lost nor returned twice, and each caller's requests keep their
        /// order. If no turn is passed and no request waits, no caller is more than one request
        /// ahead of another waiting caller.
        #[test]
        fn turns_are_fair(steps in prop::collection::vec((0u64..5, 0usize..4, any::<bool>()), 1..200)) {
            let mut queue = RoundRobin::new();
            let mut pushed = HashMap::<u64, u32>::new();
            let mut given = HashMap::<u64, u32>::new();
            for (caller, room, remove) in steps {
                let next = pushed.entry(caller).or_default();
                queue.push(caller, (caller, *next));
                *next += 1;
                if remove {
                    let last = *next - 1;
                    prop_assert!(queue.remove(caller, |request| request.1 == last));
                    prop_assert!(!queue.remove(caller, |request| request.1 == last));
                    *next -= 1;
                }
                let mut left = room;
                let done = queue.turn(|_| match left.checked_sub(1) {
                    Some(rest) => {
                        left = rest;
                        Turn::Admitted
                    }
                    None => Turn::Waits,
                });
                let mut counts = HashMap::<u64, i32>::new();
                for (caller, request) in &done {
                    prop_assert_eq!(given.get(caller).copied().unwrap_or(0), *request);
                    given.insert(*caller, request + 1);
                    *counts.entry(*caller).or_default() += 1;
                }
                let still = queue.requests.iter().filter(|(_, requests)| !requests.is_empty());
                let still: Vec<u64> = still.map(|(id, _)| *id).collect();
                prop_assert!(done.len() == room || still.is_empty());
                let most = counts.values().copied().max().unwrap_or(0);
                prop_assert!(still.iter().all(|caller| most - counts.get(caller).copied().unwrap_or(0) <= 1));
            }
            prop_assert_eq!(queue.waiting as u32 + given.values().sum::<u32>(), pushed.values().sum::<u32>());
        }
    }
}
