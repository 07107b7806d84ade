//! Records between the thread that reads and the one that computes.
//!
//! The reader runs ahead until a chunk is waiting, which bounds memory; the computing side takes what is there, so that a
//! slow input gets its answers at once and a fast one is worked on in large chunks.

use crate::input::records::Record;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A chunk is complete with items enough to keep every core busy, or when it takes this much memory.
const CHUNK_ITEMS: usize = 1 << 16;
const CHUNK_BYTES: usize = 32 << 20;
/// At any time one chunk is read, one is computed, and that one's items and answers are in memory too.
const COPIES: usize = 4;
/// How long the first record of a chunk waits for company.
const GATHERING: Duration = Duration::from_millis(10);

pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    chunk_bytes: usize,
}

#[derive(Default)]
struct State {
    records: Vec<Record>,
    bytes: usize,
    /// How reading ended, once it has.
    end: Option<io::Result<()>>,
}

/// What the computing side gets.
pub enum Taken {
    Chunk(Vec<Record>),
    /// Nothing came in time.
    Nothing,
    End(io::Result<()>),
}

impl Queue {
    pub fn new(max_memory: Option<usize>) -> Self {
        let chunk_bytes = max_memory.map_or(CHUNK_BYTES, |limit| CHUNK_BYTES.min(limit / COPIES));
        Queue { state: Mutex::default(), changed: Condvar::new(), chunk_bytes }
    }

    /// A chunk of one record is full however small the limit, so that reading always goes on.
    fn is_full(&self, state: &State) -> bool {
        !state.records.is_empty() && (state.records.len() >= CHUNK_ITEMS || state.bytes >= self.chunk_bytes)
    }

    /// Adds a record; waits while a full chunk is waiting.
    pub fn push(&self, record: Record) {
        let state = self.changed.wait_while(self.lock(), |state| self.is_full(state));
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.bytes += record.bytes + size_of::<Record>();
        state.records.push(record);
        drop(state);
        self.changed.notify_all();
    }

    /// Says how reading ended.
    pub fn close(&self, end: io::Result<()>) {
        self.lock().end = Some(end);
        self.changed.notify_all();
    }

    /// Takes what is there, waiting at most `patience` for a first record. The end comes after the last record.
    pub fn take(&self, patience: Duration) -> Taken {
        let idle = |state: &mut State| state.records.is_empty() && state.end.is_none();
        let growing = |state: &mut State| !state.records.is_empty() && !self.is_full(state) && state.end.is_none();
        let state = self.changed.wait_timeout_while(self.lock(), patience, idle);
        let state = state.unwrap_or_else(PoisonError::into_inner).0;
        let state = self.changed.wait_timeout_while(state, GATHERING, growing);
        let mut state = state.unwrap_or_else(PoisonError::into_inner).0;
        if !state.records.is_empty() {
            state.bytes = 0;
            let chunk = std::mem::take(&mut state.records);
            drop(state);
            self.changed.notify_all();
            return Taken::Chunk(chunk);
        }
        state.end.take().map_or(Taken::Nothing, Taken::End)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, and the state is consistent at every step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
