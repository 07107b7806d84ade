//! Waits for a future on a thread.

use std::sync::Arc;
use std::task::{Poll, Wake, Waker};
use std::thread::{self, Thread};

struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

thread_local!(static WAKER: Waker = Waker::from(Arc::new(Parked(thread::current()))));

/// Polls until there is a result. Between polls, this thread sleeps until it is woken.
pub fn wait<R>(mut poll: impl FnMut(&Waker) -> Poll<R>) -> R {
    let waker = WAKER.with(Waker::clone);
    loop {
        match poll(&waker) {
            Poll::Ready(result) => return result,
            Poll::Pending => thread::park(),
        }
    }
}
