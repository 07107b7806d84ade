//! The threads of the GPU engine: a few per device, which serve all concurrent calls in turn, a
//! piece at a time.

use super::scoped_job::Loan;
use crate::host::lock;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// The worker threads, which live as long as the engine.
#[derive(Debug)]
pub struct Crew {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    calls: Mutex<Calls>,
    changed: Condvar,
}

#[derive(Debug)]
struct Calls {
    /// The queue of each device: the calls that its threads may serve, each as often as threads may
    /// serve it concurrently.
    of_device: Vec<VecDeque<Arc<Loan>>>,
    stopped: bool,
}

impl Crew {
    /// Starts `workers` threads for each device.
    ///
    /// # Errors
    /// The system's reason for not starting a thread.
    pub fn start(devices: usize, workers: usize) -> io::Result<Self> {
        let calls = Calls { of_device: vec![VecDeque::new(); devices], stopped: false };
        let shared = Arc::new(Shared { calls: Mutex::new(calls), changed: Condvar::new() });
        let mut crew = Crew { shared, threads: Vec::with_capacity(devices * workers) };
        for device in 0..devices {
            for worker in 0..workers {
                let shared = crew.shared.clone();
                let builder = thread::Builder::new().name(format!("gecc-gpu-{device}.{worker}"));
                // If a thread cannot be started, those that have started end when `crew` is
                // dropped.
                crew.threads.push(builder.spawn(move || shared.work(device))?);
            }
        }
        Ok(crew)
    }

    /// Lets up to `seats` threads of a device serve a call. Each continues until the call returns
    /// false.
    pub fn enlist(&self, device: usize, loan: &Arc<Loan>, seats: usize) {
        lock(&self.shared.calls).of_device[device].extend(std::iter::repeat_n(loan, seats).cloned());
        self.shared.changed.notify_all();
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        lock(&self.shared.calls).stopped = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A panic in the thread has been caught and reported.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Serves calls in turn, so that a small call does not wait for all of a large one.
    fn work(&self, device: usize) {
        while let Some(loan) = self.next(device) {
            if loan.enter().is_some_and(|work| work.serve(device)) {
                // No thread has to be woken, because this one continues too.
                lock(&self.calls).of_device[device].push_back(loan);
            }
        }
    }

    fn next(&self, device: usize) -> Option<Arc<Loan>> {
        let has_nothing = |calls: &mut Calls| !calls.stopped && calls.of_device[device].is_empty();
        let calls = self.changed.wait_while(lock(&self.calls), has_nothing);
        let mut calls = calls.unwrap_or_else(PoisonError::into_inner);
        if calls.stopped { None } else { calls.of_device[device].pop_front() }
    }
}
