//! Scoped jobs: lets threads that outlive a call use data that the call borrows.

use crate::host::lock;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The part of a call that other threads can do.
pub trait Work: Sync {
    /// Does a part of the work at a place, for instance a device. Returns whether the place may be
    /// served again.
    fn serve(&self, place: usize) -> bool;
}

/// Work that other threads may take part in until the call that lent it ends.
pub struct Loan {
    /// Valid while `open` is set or there are users.
    work: *const dyn Work,
    state: Mutex<State>,
    returned: Condvar,
}

// SAFETY: the work is `Sync`, and nothing else here is tied to a thread.
unsafe impl Send for Loan {}
// SAFETY: as above.
unsafe impl Sync for Loan {}

impl fmt::Debug for Loan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loan")
    }
}

struct State {
    open: bool,
    users: usize,
}

/// A borrow of the work, until this is dropped.
pub struct Borrowed<'a> {
    loan: &'a Loan,
    work: PhantomData<&'a dyn Work>,
}

/// Lends work to the threads that receive the loan from `call`. After this function has returned,
/// no thread uses the work.
pub fn lend<R>(work: &dyn Work, call: impl FnOnce(&Arc<Loan>) -> R) -> R {
    // SAFETY: only the lifetime changes. The work is accessed through `Loan::enter` alone, which
    // refuses once the loan is closed; `Closing` closes it and waits for its users before this
    // function ends, also when unwinding.
    let work = unsafe { std::mem::transmute::<*const (dyn Work + '_), *const (dyn Work + 'static)>(work) };
    let loan = Arc::new(Loan { work, state: Mutex::new(State { open: true, users: 0 }), returned: Condvar::new() });
    let closing = Closing(&loan);
    call(closing.0)
}

impl Loan {
    /// Returns the work, unless the call that lent it has ended.
    pub fn enter(&self) -> Option<Borrowed<'_>> {
        let mut state = lock(&self.state);
        if !state.open {
            return None;
        }
        state.users += 1;
        Some(Borrowed { loan: self, work: PhantomData })
    }
}

impl Deref for Borrowed<'_> {
    type Target = dyn Work;

    fn deref(&self) -> &Self::Target {
        // SAFETY: the loan was open when this borrow was created, and waits until it is dropped
        // before it ends.
        unsafe { &*self.loan.work }
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.loan.state);
        state.users -= 1;
        if state.users == 0 && !state.open {
            self.loan.returned.notify_all();
        }
    }
}

struct Closing<'a>(&'a Arc<Loan>);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.open = false;
        let returned = self.0.returned.wait_while(state, |state| state.users > 0);
        drop(returned.unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    struct Counter(AtomicUsize);

    impl Work for Counter {
        fn serve(&self, place: usize) -> bool {
            self.0.fetch_add(place, Ordering::SeqCst);
            false
        }
    }

    fn serve(loan: &Loan, place: usize) -> bool {
        loan.enter().is_some_and(|work| {
            work.serve(place);
            true
        })
    }

    #[test]
    fn work_is_there_while_it_is_lent() {
        let counter = Counter(AtomicUsize::new(0));
        let (kept, threads) = lend(&counter, |loan| {
            let threads: Vec<_> = (1..=4)
                .map(|place| {
                    let loan = loan.clone();
                    thread::spawn(move || (0..100).filter(|_| serve(&loan, place)).count())
                })
                .collect();
            assert!(serve(loan, 1000));
            (loan.clone(), threads)
        });
        // Calls after the end are refused.
        let after = counter.0.load(Ordering::SeqCst);
        assert!(!serve(&kept, 1));
        let served: usize = (1..).zip(threads).map(|(place, thread)| place * thread.join().unwrap()).sum();
        assert_eq!((after, counter.0.into_inner()), (1000 + served, 1000 + served));
    }

    #[test]
    fn a_call_that_unwinds_waits_for_users() {
        struct Slow(AtomicUsize);
        impl Work for Slow {
            fn serve(&self, _: usize) -> bool {
                self.0.store(1, Ordering::SeqCst);
                thread::sleep(std::time::Duration::from_millis(20));
                self.0.store(2, Ordering::SeqCst);
                false
            }
        }
        let slow = Slow(AtomicUsize::new(0));
        let call = || {
            lend(&slow, |loan| {
                let loan = loan.clone();
                thread::spawn(move || serve(&loan, 0));
                while slow.0.load(Ordering::SeqCst) == 0 {
                    thread::yield_now();
                }
                panic!("on purpose");
            })
        };
        assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
        assert_eq!(slow.0.into_inner(), 2);
    }
}
