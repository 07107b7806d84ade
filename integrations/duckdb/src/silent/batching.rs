//! Chunks of several threads combined into one batch.
//!
//! A thread has some thousand rows and waits for their answers. The first thread computes its rows;
//! meanwhile the rows of others are gathered, and the next thread computes them all. So batches
//! grow with the number of threads, without a timer.

use super::columns::{OutputKind, ScanColumns};
use gecc::Engine;
use gecc::silent_payments::{self, Match, Receiver, Scan};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// Number of batches that are computed concurrently: while one is assembled or its results are
/// distributed, the engine has another.
const COMPUTING: usize = 2;

/// The batches of one receiver.
pub struct BatchGatherer {
    receiver: [Receiver; 1],
    known: OutputKind,
    state: Mutex<GatherState>,
    changed: Condvar,
}

struct GatherState {
    open: ScanColumns,
    answer: Arc<BatchAnswer>,
    computing: usize,
}

/// The result of a batch.
type BatchAnswer = OnceLock<Result<Scan, String>>;

/// The answers for some rows of a batch.
pub struct RowAnswers {
    answer: Arc<BatchAnswer>,
    rows: Range<usize>,
}

impl BatchGatherer {
    pub fn new(receiver: Receiver, known: OutputKind) -> Self {
        let state = GatherState {
            open: ScanColumns::new(known),
            answer: Arc::default(),
            computing: 0,
        };
        BatchGatherer {
            receiver: [receiver],
            known,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Returns the answers for these rows, computed in a batch with those of other threads. Blocks
    /// until they are available.
    ///
    /// # Errors
    /// An error of the engine for the batch.
    pub fn scan(&self, engine: &Engine, columns: ScanColumns) -> Result<RowAnswers, String> {
        let mut state = self.lock();
        let first = state.open.rows();
        state.open.append(columns);
        let part = RowAnswers {
            answer: Arc::clone(&state.answer),
            rows: first..state.open.rows(),
        };
        loop {
            if let Some(answer) = part.answer.get() {
                return answer
                    .as_ref()
                    .map(|_| ())
                    .map_err(String::clone)
                    .map(|()| part);
            }
            let is_open = Arc::ptr_eq(&part.answer, &state.answer);
            if is_open && state.computing < COMPUTING {
                let batch = std::mem::replace(&mut state.open, ScanColumns::new(self.known));
                state.answer = Arc::default();
                state.computing += 1;
                drop(state);
                self.compute(engine, &batch, &part.answer);
                state = self.lock();
            } else {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Computes a batch. However it ends, the waiting threads are notified.
    fn compute(&self, engine: &Engine, batch: &ScanColumns, answer: &BatchAnswer) {
        let _computing = ComputingGuard {
            gather: self,
            answer,
        };
        let outputs = batch.outputs();
        let scan = outputs.and_then(|outputs| {
            silent_payments::scan(engine, &self.receiver, batch.keys(), outputs)
        });
        // The answer was not set before.
        let _ = answer.set(scan.map_err(|problem| problem.to_string()));
    }

    fn lock(&self) -> MutexGuard<'_, GatherState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A batch that is being computed.
struct ComputingGuard<'a> {
    gather: &'a BatchGatherer,
    answer: &'a BatchAnswer,
}

impl Drop for ComputingGuard<'_> {
    fn drop(&mut self) {
        let _ = self
            .answer
            .set(Err("the batch was not computed".to_owned()));
        self.gather.lock().computing -= 1;
        self.gather.changed.notify_all();
    }
}

impl RowAnswers {
    fn scan(&self) -> &Scan {
        self.answer
            .get()
            .and_then(|answer| answer.as_ref().ok())
            .expect("the batch was computed")
    }

    /// Returns a code for each row.
    pub fn codes(&self) -> &[u8] {
        &self.scan().codes[self.rows.clone()]
    }

    /// Returns the matches in a row, in order.
    pub fn of_row(&self, row: usize) -> &[Match] {
        let matches = &self.scan().matches;
        let row = self.rows.start + row;
        let start = matches.partition_point(|found| found.row < row);
        &matches[start..][..matches[start..].partition_point(|found| found.row == row)]
    }
}
