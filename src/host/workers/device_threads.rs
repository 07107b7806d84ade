//! The threads of the GPU engine: a few per device, which run the jobs of all concurrent calls in
//! turn, a part at a time.

use super::scoped_job::ScopedJob;
use crate::host::lock;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// The worker threads, which live as long as the engine.
#[derive(Debug)]
pub struct DeviceThreads {
    queues: Arc<JobQueues>,
    threads: Vec<JoinHandle<()>>,
}

/// The queues of all devices, shared by their threads.
#[derive(Debug)]
struct JobQueues {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Debug)]
struct QueueState {
    /// The queue of each device. A job is in it once for each further thread that may take part.
    of_device: Vec<VecDeque<Arc<ScopedJob>>>,
    stopped: bool,
}

impl DeviceThreads {
    /// Starts `workers` threads for each device.
    ///
    /// # Errors
    /// The system's reason for not starting a thread.
    pub fn start(devices: usize, workers: usize) -> io::Result<Self> {
        let state = QueueState {
            of_device: vec![VecDeque::new(); devices],
            stopped: false,
        };
        let queues = Arc::new(JobQueues {
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let mut all = DeviceThreads {
            queues,
            threads: Vec::with_capacity(devices * workers),
        };
        for device in 0..devices {
            for worker in 0..workers {
                let queues = all.queues.clone();
                let builder = thread::Builder::new().name(format!("gecc-gpu-{device}.{worker}"));
                // If a thread cannot be started, those that have started end when `all` is dropped.
                all.threads
                    .push(builder.spawn(move || queues.run_jobs(device))?);
            }
        }
        Ok(all)
    }

    /// Queues a job for up to `max_workers` threads of a device. Each continues until
    /// `Job::run_part` returns false.
    pub fn submit(&self, device: usize, job: &Arc<ScopedJob>, max_workers: usize) {
        lock(&self.queues.state).of_device[device]
            .extend(std::iter::repeat_n(job, max_workers).cloned());
        self.queues.changed.notify_all();
    }
}

impl Drop for DeviceThreads {
    fn drop(&mut self) {
        lock(&self.queues.state).stopped = true;
        self.queues.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A panic in the thread has been caught and reported.
            let _ = thread.join();
        }
    }
}

impl JobQueues {
    /// Runs parts of jobs in turn, so that a small job does not wait for all of a large one.
    fn run_jobs(&self, device: usize) {
        while let Some(job) = self.next(device) {
            if job.borrow().is_some_and(|job| job.run_part(device)) {
                // No thread has to be woken, because this one continues too.
                lock(&self.state).of_device[device].push_back(job);
            }
        }
    }

    /// Returns the next job of a device, blocking until there is one. Returns `None` when the
    /// threads have to end.
    fn next(&self, device: usize) -> Option<Arc<ScopedJob>> {
        let mut state = lock(&self.state);
        while !state.stopped && state.of_device[device].is_empty() {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.stopped {
            None
        } else {
            state.of_device[device].pop_front()
        }
    }
}
