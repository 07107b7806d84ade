//! Limits of a device on concurrent uploads, downloads and computations, so that the first chunk starts early. What
//! several streams bring to the thread pool at once it interleaves, and all of it is done when the last would have
//! been; one after the other, the first gives the device work much earlier. Uploads and downloads have turns of their
//! own: one keeps the cores busy while the other begins or ends. Of the streams whose inputs are there a few compute at
//! a time, for the same reason. Of calls that are at work at once each has its turn at copying: where other work keeps
//! the cores busy, a copy waits for its last thread.
//!
//! Whoever has a turn waits for the device and for threads that do nothing but its own copies, so that it ends. Nobody
//! waits for a turn at copying who has one, nor for a turn at computing who has one at copying.

use crate::host::lock;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Bytes that are worth a turn, as more than one thread copies them.
const MUCH: usize = 1 << 20;
/// Streams that compute at a time: while the last kernels of one leave multiprocessors idle another fills them, and a
/// third is there when the first has ended.
const COMPUTING: usize = 3;

/// The gates of one device.
#[derive(Debug)]
pub struct Gates {
    /// The turn of threads that copy to pinned memory.
    pub sending: Arc<Gate>,
    /// The turn of threads that convert data received from the device.
    pub receiving: Arc<Gate>,
    pub computing: Arc<Gate>,
}

/// A place for one or several at a time.
#[derive(Debug)]
pub struct Gate {
    turns: Mutex<Turns>,
    free: Condvar,
}

#[derive(Debug)]
struct Turns {
    taken: usize,
    /// At a time; one if this is 0.
    most: usize,
}

/// A call that is at work on a device, until it is dropped.
#[derive(Debug)]
pub struct Call([Arc<Gate>; 2]);

/// The turn, until it is dropped.
#[derive(Debug)]
pub struct Turn(Arc<Gate>);

impl Gates {
    pub fn new() -> Self {
        Gates { sending: Gate::new(0), receiving: Gate::new(0), computing: Gate::new(COMPUTING) }
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
        Arc::new(Gate { turns: Mutex::new(Turns { taken: 0, most }), free: Condvar::new() })
    }

    /// Waits for the turn at so many bytes; `None` where they are few.
    pub fn take(self: &Arc<Self>, bytes: usize) -> Option<Turn> {
        if bytes < MUCH {
            return None;
        }
        let waited = self.free.wait_while(lock(&self.turns), |turns| turns.taken >= turns.most.max(1));
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
    fn so_many_at_a_time() {
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
        let (at_once, most) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let turn = turns.take(MUCH);
                        most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
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
