//! Those who wait for room, caller by caller in turn.

use std::collections::VecDeque;

/// Requests that wait, in the order of each caller; callers take turns.
pub struct Ring<W> {
    callers: VecDeque<(u64, VecDeque<W>)>,
}

/// What becomes of the first request of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It is let in, and the next caller has his turn.
    Done,
    /// The caller's turn passes.
    Passed,
    /// It waits, and all others with it, so that a large request gets its room.
    Waits,
}

impl<W> Ring<W> {
    pub fn new() -> Self {
        Ring { callers: VecDeque::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.callers.is_empty()
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.callers.iter().map(|(_, requests)| requests.len()).sum()
    }

    /// Puts a request behind those of its caller.
    pub fn push(&mut self, caller: u64, request: W) {
        match self.callers.iter_mut().find(|(id, _)| *id == caller) {
            Some((_, requests)) => requests.push_back(request),
            None => self.callers.push_back((caller, VecDeque::from([request]))),
        }
    }

    /// Takes out a request of a caller. Whether it was there.
    pub fn remove(&mut self, caller: u64, is_it: impl Fn(&W) -> bool) -> bool {
        let Some(index) = self.callers.iter().position(|(id, _)| *id == caller) else { return false };
        let requests = &mut self.callers[index].1;
        let Some(place) = requests.iter().position(is_it) else { return false };
        requests.remove(place);
        if requests.is_empty() {
            self.callers.remove(index);
        }
        true
    }

    /// Gives turns until every caller has passed his or one waits. Gives the requests that are done.
    pub fn turn(&mut self, mut decide: impl FnMut(&W) -> Turn) -> Vec<W> {
        let (mut done, mut passed) = (Vec::new(), 0);
        while passed < self.callers.len() {
            let (caller, mut requests) = self.callers.pop_front().expect("there is one");
            match decide(requests.front().expect("callers without requests are not here")) {
                Turn::Done => {
                    done.extend(requests.pop_front());
                    passed = 0;
                }
                Turn::Passed => passed += 1,
                Turn::Waits => {
                    self.callers.push_front((caller, requests));
                    break;
                }
            }
            if !requests.is_empty() {
                self.callers.push_back((caller, requests));
            }
        }
        done
    }

    /// All requests, of which none waits any more.
    pub fn take_all(&mut self) -> Vec<W> {
        self.callers.drain(..).flat_map(|(_, requests)| requests).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn callers_take_turns() {
        let mut ring = Ring::new();
        (0..5).for_each(|request| ring.push(1, (1, request)));
        ring.push(2, (2, 0));
        ring.push(3, (3, 0));
        ring.push(3, (3, 1));
        let mut room = 6;
        let done = ring.turn(|_| {
            room -= 1;
            if room >= 0 { Turn::Done } else { Turn::Waits }
        });
        assert_eq!(done, [(1, 0), (2, 0), (3, 0), (1, 1), (3, 1), (1, 2)]);
        assert_eq!((ring.len(), ring.take_all()), (2, vec![(1, 3), (1, 4)]));
        assert!(ring.is_empty());
    }

    proptest! {
        /// Nothing is lost or given twice, each caller's requests keep their order, and with turns that are neither passed nor
        /// refused no caller is more than one request ahead of another who waits.
        #[test]
        fn turns_are_fair(steps in prop::collection::vec((0u64..5, 0usize..4, any::<bool>()), 1..200)) {
            let (mut ring, mut pushed, mut given) = (Ring::new(), HashMap::<u64, u32>::new(), HashMap::<u64, u32>::new());
            for (caller, room, remove) in steps {
                let next = pushed.entry(caller).or_default();
                ring.push(caller, (caller, *next));
                *next += 1;
                if remove {
                    let last = *next - 1;
                    prop_assert!(ring.remove(caller, |request| request.1 == last));
                    prop_assert!(!ring.remove(caller, |request| request.1 == last));
                    *next -= 1;
                }
                let mut left = room;
                let done = ring.turn(|_| match left.checked_sub(1) {
                    Some(rest) => {
                        left = rest;
                        Turn::Done
                    }
                    None => Turn::Waits,
                });
                let mut counts = HashMap::<u64, i32>::new();
                for (caller, request) in &done {
                    prop_assert_eq!(given.get(caller).copied().unwrap_or(0), *request);
                    given.insert(*caller, request + 1);
                    *counts.entry(*caller).or_default() += 1;
                }
                let still: Vec<u64> = ring.callers.iter().map(|(id, _)| *id).collect();
                prop_assert!(done.len() == room || still.is_empty());
                let most = counts.values().copied().max().unwrap_or(0);
                prop_assert!(still.iter().all(|caller| most - counts.get(caller).copied().unwrap_or(0) <= 1));
            }
            prop_assert_eq!(ring.len() as u32 + given.values().sum::<u32>(), pushed.values().sum::<u32>());
        }
    }
}
