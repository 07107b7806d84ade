//! Scoped jobs: lets threads that outlive a call use data that the call borrows.

use crate::host::lock;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The part of a call that other threads can do.
pub trait Job: Sync {
    /// Does a part of the job on a device; a job that needs no device ignores the number. Returns
    /// whether the thread may go on with another part.
    fn run_part(&self, device: usize) -> bool;
}

/// A job that other threads may take part in until the call that owns it ends.
pub struct ScopedJob {
    /// Valid while `open` is set or there are users.
    job: *const dyn Job,
    state: Mutex<JobState>,
    /// Notified when the last user of a closed job has left.
    unused: Condvar,
}

// SAFETY: the job is `Sync`, and nothing else here is tied to a thread.
unsafe impl Send for ScopedJob {}
// SAFETY: as above.
unsafe impl Sync for ScopedJob {}

impl fmt::Debug for ScopedJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScopedJob")
    }
}

struct JobState {
    open: bool,
    users: usize,
}

/// A borrow of the job, until this is dropped.
pub struct BorrowedJob<'a> {
    owner: &'a ScopedJob,
    job: PhantomData<&'a dyn Job>,
}

/// Runs `call` with a handle to the job, which `call` passes to threads that may outlive it. After
/// this function has returned, no thread uses the job.
pub fn with_scoped_job<R>(job: &dyn Job, call: impl FnOnce(&Arc<ScopedJob>) -> R) -> R {
    // SAFETY: only the lifetime changes. The job is accessed through `ScopedJob::borrow` alone,
    // which refuses once the job is closed; `CloseOnDrop` closes it and waits for its users before
    // this function ends, also when unwinding.
    let job =
        unsafe { std::mem::transmute::<*const (dyn Job + '_), *const (dyn Job + 'static)>(job) };
    let state = Mutex::new(JobState {
        open: true,
        users: 0,
    });
    let scoped = Arc::new(ScopedJob {
        job,
        state,
        unused: Condvar::new(),
    });
    let closing = CloseOnDrop(&scoped);
    call(closing.0)
}

impl ScopedJob {
    /// Borrows the job, unless the call that owns it has ended.
    pub fn borrow(&self) -> Option<BorrowedJob<'_>> {
        let mut state = lock(&self.state);
        if !state.open {
            return None;
        }
        state.users += 1;
        Some(BorrowedJob {
            owner: self,
            job: PhantomData,
        })
    }
}

impl Deref for BorrowedJob<'_> {
    type Target = dyn Job;

    fn deref(&self) -> &Self::Target {
        // SAFETY: the job was open when this borrow was created, and its call waits until the
        // borrow is dropped before it ends.
        unsafe { &*self.owner.job }
    }
}

impl Drop for BorrowedJob<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.owner.state);
        state.users -= 1;
        if state.users == 0 && !state.open {
            self.owner.unused.notify_all();
        }
    }
}

/// Closes a job when dropped, and waits until no thread uses it.
struct CloseOnDrop<'a>(&'a Arc<ScopedJob>);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.open = false;
        let unused = self.0.unused.wait_while(state, |state| state.users > 0);
        drop(unused.unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    struct Counter(AtomicUsize);

    impl Job for Counter {
        fn run_part(&self, device: usize) -> bool {
            self.0.fetch_add(device, Ordering::SeqCst);
            false
        }
    }

    /// Runs a part of the job. Returns `false` if its call has ended.
    fn try_run_part(job: &ScopedJob, device: usize) -> bool {
        match job.borrow() {
            None => false,
            Some(job) => {
                job.run_part(device);
                true
            }
        }
    }

    #[test]
    fn scoped_job_runs_parts_until_its_call_ends() {
        let counter = Counter(AtomicUsize::new(0));
        let (job_of_ended_call, threads) = with_scoped_job(&counter, |job| {
            let threads: Vec<_> = (1..=4)
                .map(|device| {
                    let job = job.clone();
                    thread::spawn(move || (0..100).filter(|_| try_run_part(&job, device)).count())
                })
                .collect();
            assert!(try_run_part(job, 1000));
            (job.clone(), threads)
        });
        let count_at_end = counter.0.load(Ordering::SeqCst);
        assert!(!try_run_part(&job_of_ended_call, 1));
        let run: usize = (1..)
            .zip(threads)
            .map(|(device, thread)| device * thread.join().unwrap())
            .sum();
        assert_eq!(count_at_end, 1000 + run);
        assert_eq!(counter.0.into_inner(), 1000 + run);
    }

    #[test]
    fn scoped_job_waits_for_users_when_its_call_unwinds() {
        struct Slow(AtomicUsize);
        impl Job for Slow {
            fn run_part(&self, _: usize) -> bool {
                self.0.store(1, Ordering::SeqCst);
                thread::sleep(std::time::Duration::from_millis(20));
                self.0.store(2, Ordering::SeqCst);
                false
            }
        }
        let slow = Slow(AtomicUsize::new(0));
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            with_scoped_job(&slow, |job| {
                let job = job.clone();
                thread::spawn(move || try_run_part(&job, 0));
                while slow.0.load(Ordering::SeqCst) == 0 {
                    thread::yield_now();
                }
                panic!("on purpose");
            })
        }));
        assert!(unwound.is_err());
        assert_eq!(slow.0.into_inner(), 2);
    }
}
