//! The memory budget of tasks whose results are taken in order.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A memory budget in bytes for the results of numbered tasks. The task whose result is taken next
/// never waits, so the limit may be exceeded by its memory.
pub(crate) struct TaskMemory {
    state: Mutex<BudgetState>,
    changed: Condvar,
    limit: u64,
}

#[derive(Default)]
struct BudgetState {
    /// The memory held by each task.
    held: BTreeMap<usize, u64>,
    /// The task whose result is taken next.
    next: usize,
    stopped: bool,
}

impl BudgetState {
    /// Returns the sum of all memory held and `bytes`.
    fn with(&self, bytes: u64) -> u64 {
        self.held
            .values()
            .fold(bytes, |sum, held| sum.saturating_add(*held))
    }
}

impl TaskMemory {
    pub fn new(limit: u64) -> Self {
        TaskMemory {
            state: Mutex::default(),
            changed: Condvar::new(),
            limit,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BudgetState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `bytes` more bytes are available for a task.
    pub fn enter(&self, task: usize, bytes: u64) {
        let waited = self.changed.wait_while(self.lock(), |state| {
            !state.stopped && task > state.next && state.with(bytes) > self.limit
        });
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        *state.held.entry(task).or_default() += bytes;
    }

    /// Releases the memory of the next task, whose result was taken.
    pub fn leave(&self) {
        let mut state = self.lock();
        let task = state.next;
        state.held.remove(&task);
        state.next += 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Wakes all waiting tasks. From now on, none waits.
    pub fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;
    use std::time::Duration;

    /// Enters on a thread of its own, which signals when it has.
    fn enter(room: &Arc<TaskMemory>, task: usize, bytes: u64) -> Receiver<()> {
        let (send, receive) = channel();
        let room = room.clone();
        thread::spawn(move || {
            room.enter(task, bytes);
            send.send(())
        });
        receive
    }

    fn has_entered(entered: &Receiver<()>) -> bool {
        entered.recv_timeout(Duration::from_secs(60)).is_ok()
    }

    fn waits(entered: &Receiver<()>) -> bool {
        entered.recv_timeout(Duration::from_millis(50)).is_err()
    }

    #[test]
    fn tasks_wait_for_room_and_the_next_one_does_not() {
        let room = Arc::new(TaskMemory::new(100));
        room.enter(1, 60);
        room.enter(2, 40);
        let third = enter(&room, 3, 50);
        assert!(waits(&third));
        assert!(has_entered(&enter(&room, 0, 1000)));
        room.leave();
        assert!(waits(&third));
        room.leave();
        assert!(has_entered(&third));
    }

    #[test]
    fn nobody_waits_after_a_stop() {
        let room = Arc::new(TaskMemory::new(100));
        room.enter(1, 100);
        let second = enter(&room, 2, 1);
        assert!(waits(&second));
        room.stop();
        assert!(has_entered(&second));
    }
}
