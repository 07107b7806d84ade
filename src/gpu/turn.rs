//! Turns at the host's cores. What several lanes bring to the thread pool at once it interleaves, and all of it is done
//! when the last would have been; one after the other, the first gives the device work much earlier. Copies to the device
//! and from it have turns of their own: one keeps the cores busy while the other begins or ends. So has each device.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes that are worth a turn, as more than one thread copies them.
const MUCH: usize = 1 << 20;
/// How long a thread waits for its turn. Then it goes on without one: whoever has it may be waiting for this thread, where
/// tasks of the pool that both use call the engine themselves.
const PATIENCE: Duration = Duration::from_millis(20);

/// The turns of one device.
#[derive(Debug, Default)]
pub struct Turns {
    sending: Place,
    receiving: Place,
}

#[derive(Debug, Default)]
struct Place {
    taken: Mutex<bool>,
    free: Condvar,
}

/// The turn, until it is dropped.
#[derive(Debug)]
pub struct Turn<'a>(&'a Place);

impl Turns {
    /// Waits for the turn at copying so many bytes to pinned memory; `None` where they are few or patience has ended.
    pub fn to_send(&self, bytes: usize) -> Option<Turn<'_>> {
        self.sending.take(bytes)
    }

    /// Likewise at converting to so many bytes what has come from the device.
    pub fn to_receive(&self, bytes: usize) -> Option<Turn<'_>> {
        self.receiving.take(bytes)
    }
}

impl Place {
    fn take(&self, bytes: usize) -> Option<Turn<'_>> {
        if bytes < MUCH {
            return None;
        }
        let waited = self.free.wait_timeout_while(self.lock(), PATIENCE, |taken| *taken);
        let (mut taken, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return None;
        }
        *taken = true;
        Some(Turn(self))
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.lock() = false;
        self.0.free.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;
    use std::time::Instant;

    #[test]
    fn one_at_a_time_and_nobody_for_ever() {
        let turns = Place::default();
        let (at_once, most) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let turn = turns.take(MUCH);
                        if turn.is_some() {
                            most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                            at_once.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
        let (turn, start) = (turns.take(MUCH), Instant::now());
        assert!(turn.is_some() && turns.take(MUCH).is_none() && start.elapsed() >= PATIENCE);
        drop(turn);
        assert!(turns.take(MUCH).is_some());
    }
}
