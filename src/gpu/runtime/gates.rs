//! Limits on concurrent uploads, downloads and computations of a device, so that the first chunk
//! starts early. The thread pool interleaves the copies of several streams, so that all of them
//! finish when the last one would have; one after the other, the first stream gives the device work
//! much earlier. Uploads and downloads take turns separately: one keeps the cores busy while the
//! other begins or ends. For the same reason, only a few of the streams whose inputs have arrived
//! compute at a time. Each concurrent call adds a turn at copying, because a copy has to wait for
//! its last thread when other work keeps the cores busy.
//!
//! The holder of a turn waits only for the device and for threads that do nothing but its own
//! copies, so every turn ends. A holder of a turn at copying never waits for another turn, neither
//! at copying nor at computing.

use crate::host::lock;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Bytes from which a copy takes a turn, because more than one thread copies them.
const MUCH: usize = 1 << 20;
/// Streams that compute at a time. While the last kernels of one leave multiprocessors idle, the
/// second fills them, and the third is ready when the first has ended.
const COMPUTING: usize = 3;

/// The gates of one device.
#[derive(Debug)]
pub struct Gates {
    /// Turns of threads that copy to pinned memory.
    pub sending: Arc<Gate>,
    /// Turns of threads that convert data received from the device.
    pub receiving: Arc<Gate>,
    pub computing: Arc<Gate>,
}

/// A counting semaphore.
#[derive(Debug)]
pub struct Gate {
    turns: Mutex<Turns>,
    free: Condvar,
}

#[derive(Debug)]
struct Turns {
    taken: usize,
    /// Maximum number of turns at a time; 0 counts as 1.
    most: usize,
}

/// A call that is active on a device until this is dropped.
#[derive(Debug)]
pub struct Call([Arc<Gate>; 2]);

/// A turn, which is released on drop.
#[derive(Debug)]
pub struct Turn(Arc<Gate>);

impl Gates {
    pub fn new() -> Self {
        Gates {
            sending: Gate::new(0),
            receiving: Gate::new(0),
            computing: Gate::new(COMPUTING),
        }
    }

    /// Permits one more thread at a time to send and receive.
    pub fn enter(&self) -> Call {
        let copying = [self.sending.clone(), self.receiving.clone()];
        for gate in &copying {
            lock(&gate.turns).most += 1;
            gate.free.notify_one();
        }
        Call(copying)
    }
}

impl Gate {
    fn new(most: usize) -> Arc<Self> {
        Arc::new(Gate {
            turns: Mutex::new(Turns { taken: 0, most }),
            free: Condvar::new(),
        })
    }

    /// Waits for a turn at copying `bytes` bytes. Returns `None` at once if they are few.
    pub fn take(self: &Arc<Self>, bytes: usize) -> Option<Turn> {
        if bytes < MUCH {
            return None;
        }
        let waited = self
            .free
            .wait_while(lock(&self.turns), |turns| turns.taken >= turns.most.max(1));
        waited.unwrap_or_else(PoisonError::into_inner).taken += 1;
        Some(Turn(self.clone()))
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        for gate in &self.0 {
            lock(&gate.turns).most -= 1;
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        lock(&self.0.turns).taken -= 1;
        self.0.free.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    #[test]
    fn gate_admits_a_bounded_number_at_a_time() {
        check(&Gate::new(1), 1);
        check(&Gate::new(3), 3);
        let gates = Gates::new();
        check(&gates.sending, 1);
        let calls = [gates.enter(), gates.enter()];
        check(&gates.sending, 2);
        check(&gates.receiving, 2);
        check(&gates.computing, COMPUTING);
        drop(calls);
        check(&gates.receiving, 1);
    }

    fn check(turns: &Arc<Gate>, places: usize) {
        let at_once = AtomicU32::new(0);
        let most = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let turn = turns.take(MUCH);
                        most.fetch_max(
                            at_once.fetch_add(1, Ordering::SeqCst) + 1,
                            Ordering::SeqCst,
                        );
                        at_once.fetch_sub(1, Ordering::SeqCst);
                        assert!(turn.is_some());
                    }
                });
            }
        });
        assert!((1..=places).contains(&(most.into_inner() as usize)));
        let taken: Vec<_> = (0..places).map(|_| turns.take(MUCH)).collect();
        assert!(taken.iter().all(Option::is_some) && turns.take(MUCH - 1).is_none());
    }
}
