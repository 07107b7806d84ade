//! Limits of a device on concurrent uploads, downloads and computations, so that the first chunk starts early. What
//! several streams bring to the thread pool at once it interleaves, and all of it is done when the last would have
//! been; one after the other, the first gives the device work much earlier. Uploads and downloads have turns of their
//! own: one keeps the cores busy while the other begins or ends. Of the streams whose inputs are there a few compute at
//! a time, for the same reason. Of calls that are at work at once each has its turn at copying: where other work keeps
//! the cores busy, a copy waits for its last thread.
//!
//! Whoever has a turn waits for the device and for threads that do nothing but its own copies, so that it ends. Nobody
//! waits for a turn at copying who has one, nor for a turn at computing who has one at copying.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that are worth a turn, as more than one thread copies them.
const MUCH: usize = 1 << 20;
/// Streams that compute at a time: while the last kernels of one leave multiprocessors idle another fills them, and a
/// third is there when the first has ended.
const COMPUTING: usize = 3;

/// The gates of one device.
#[derive(Debug)]
pub struct Gates {
    sending: Arc<Place>,
    receiving: Arc<Place>,
    computing: Arc<Place>,
}

/// A place for one or several at a time.
#[derive(Debug)]
struct Place {
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
pub struct Call([Arc<Place>; 2]);

/// The turn, until it is dropped.
#[derive(Debug)]
pub struct Turn(Arc<Place>);

impl Gates {
    pub fn new() -> Self {
        Gates { sending: Place::new(0), receiving: Place::new(0), computing: Place::new(COMPUTING) }
    }

    /// Has one more at a time send and receive.
    pub fn enter(&self) -> Call {
        let copying = [self.sending.clone(), self.receiving.clone()];
        for place in &copying {
            place.lock().most += 1;
            place.free.notify_one();
        }
        Call(copying)
    }

    /// Waits for the turn at copying this many bytes to pinned memory; `None` where they are few.
    pub fn to_send(&self, bytes: usize) -> Option<Turn> {
        self.sending.take(bytes)
    }

    /// Likewise at computing with this many bytes of input.
    pub fn to_compute(&self, bytes: usize) -> Option<Turn> {
        self.computing.take(bytes)
    }

    /// Likewise at converting to this many bytes what has come from the device.
    pub fn to_receive(&self, bytes: usize) -> Option<Turn> {
        self.receiving.take(bytes)
    }
}

impl Place {
    fn new(most: usize) -> Arc<Self> {
        Arc::new(Place { turns: Mutex::new(Turns { taken: 0, most }), free: Condvar::new() })
    }

    fn take(self: &Arc<Self>, bytes: usize) -> Option<Turn> {
        if bytes < MUCH {
            return None;
        }
        let waited = self.free.wait_while(self.lock(), |turns| turns.taken >= turns.most.max(1));
        waited.unwrap_or_else(PoisonError::into_inner).taken += 1;
        Some(Turn(self.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        for place in &self.0 {
            place.lock().most -= 1;
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.lock().taken -= 1;
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
        check(&Place::new(1), 1);
        check(&Place::new(3), 3);
        let gates = Gates::new();
        check(&gates.sending, 1);
        let calls = [gates.enter(), gates.enter()];
        check(&gates.sending, 2);
        check(&gates.receiving, 2);
        check(&gates.computing, COMPUTING);
        drop(calls);
        check(&gates.receiving, 1);
    }

    fn check(turns: &Arc<Place>, places: usize) {
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
