//! Notes of what the library does and when, by which a measurement finds what a slow answer waited for.
//!
//! They are there with the feature `lab` alone, and taken only between [`begin`] and [`take`]. Else the functions here
//! do nothing.

#[cfg(feature = "lab")]
pub use on::{Note, begin, take};
#[cfg(feature = "lab")]
pub use on::{Times, now, put, span};

#[cfg(not(feature = "lab"))]
pub use off::{Times, now, put, span};

#[cfg(feature = "lab")]
mod on {
    use std::cell::OnceCell;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::sync::{Arc, Mutex, OnceLock, PoisonError};
    use std::thread;
    use std::time::Instant;

    /// Something that took time, in nanoseconds on a clock of the process.
    #[derive(Clone, Debug)]
    pub struct Note {
        /// What it was.
        pub what: &'static str,
        /// The batch, or a number of bytes or items, by what it is.
        pub number: u64,
        /// When it began.
        pub start: u64,
        /// When it ended.
        pub end: u64,
        /// The thread's name.
        pub thread: Arc<str>,
    }

    static TAKEN: AtomicBool = AtomicBool::new(false);
    static NOTES: Mutex<Vec<Note>> = Mutex::new(Vec::new());

    thread_local!(static THREAD: OnceCell<Arc<str>> = const { OnceCell::new() });

    fn notes() -> std::sync::MutexGuard<'static, Vec<Note>> {
        NOTES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nanoseconds since the process first asked.
    pub fn now() -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }

    /// Takes notes from here on, with room for this many: more would have to be moved.
    pub fn begin(room: usize) {
        let mut notes = notes();
        notes.clear();
        notes.reserve(room);
        TAKEN.store(true, Ordering::Relaxed);
    }

    /// Takes no more notes, and gives those that there are.
    pub fn take() -> Vec<Note> {
        TAKEN.store(false, Ordering::Relaxed);
        std::mem::take(&mut *notes())
    }

    /// Notes something that is over.
    pub fn put(what: &'static str, number: u64, start: u64, end: u64) {
        if !TAKEN.load(Ordering::Relaxed) {
            return;
        }
        let name = || Arc::from(thread::current().name().unwrap_or("a thread without a name"));
        let thread = THREAD.with(|thread| thread.get_or_init(name).clone());
        notes().push(Note { what, number, start, end, thread });
    }

    /// Notes something when it is dropped.
    #[must_use]
    pub struct Span {
        what: &'static str,
        number: u64,
        start: u64,
    }

    /// From now until it is dropped.
    pub fn span(what: &'static str, number: usize) -> Span {
        Span { what, number: number as u64, start: if TAKEN.load(Ordering::Relaxed) { now() } else { 0 } }
    }

    impl Drop for Span {
        fn drop(&mut self) {
            if self.start > 0 {
                put(self.what, self.number, self.start, now());
            }
        }
    }

    /// Times that threads leave for one another.
    #[derive(Debug)]
    pub struct Times<const N: usize>([AtomicU64; N]);

    impl<const N: usize> Times<N> {
        pub fn new() -> Self {
            Times([const { AtomicU64::new(0) }; N])
        }

        /// Sets one to now.
        pub fn set(&self, which: usize) {
            self.0[which].store(now(), Ordering::Relaxed);
        }

        pub fn get(&self, which: usize) -> u64 {
            self.0[which].load(Ordering::Relaxed)
        }
    }
}

#[cfg(not(feature = "lab"))]
mod off {
    pub struct Span;

    /// As where notes are taken, so that both are dropped alike.
    impl Drop for Span {
        fn drop(&mut self) {}
    }

    pub fn span(_: &'static str, _: usize) -> Span {
        Span
    }

    pub fn now() -> u64 {
        0
    }

    pub fn put(_: &'static str, _: u64, _: u64, _: u64) {}

    #[derive(Debug)]
    pub struct Times<const N: usize>;

    impl<const N: usize> Times<N> {
        pub fn new() -> Self {
            Times
        }

        pub fn set(&self, _: usize) {}

        pub fn get(&self, _: usize) -> u64 {
            0
        }
    }
}
