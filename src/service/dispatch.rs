//! The dispatcher: turns requests into batches, and batches into answers. It consists of the
//! threads of the service and the state they share with callers.
//!
//! `DispatchState` is shared by all threads. Its lock is taken once or twice per batch, and by a
//! caller only for the first or the last item of a batch. Lock order: the state before a kind's
//! list of free slots.

use super::admission::AdmissionControl;
use super::arenas::{Arenas, Complete, SPARE};
use super::batch::{Batch, BatchAnswers, BatchOutcome, quietly};
use super::compaction::Moves;
use super::compute::Compute;
use super::error::ServiceError;
use super::kind::{ArenaColumns, RequestInputs, RequestKind};
use super::lock;
use super::options::{Options, Shutdown, Stats};
use super::plan::{self, Gathered, Step};
use super::quota::Quota;
use super::slot::{COMPLETE_AT, FIRST, SEALED_AT, Slot};
use crate::curve::CurveId;
use crate::engine::Device;
use crate::host::process::Process;
use crate::host::process::get_or_compute;
use crate::host::trace;
use std::any::Any;
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Upper bound on the number of kinds of requests.
const KINDS: usize = 10 * CurveId::ALL.len() + 10;

/// The interval at which threads check whether all is done while a service shuts down.
const WHILE_CLOSING: Duration = Duration::from_millis(1);

pub struct Dispatcher {
    compute: Box<dyn Compute>,
    pub options: Options,
    pub admission: AdmissionControl,
    pub process: Process,
    /// The arenas of each kind that has been requested so far.
    arenas: [OnceLock<Arenas>; KINDS],
    state: Mutex<DispatchState>,
    /// Notified when a batch is complete, or items are being collected, and a thread sleeps.
    work: Condvar,
    /// True if arenas are to be allocated ahead of need.
    lacks_spare: Mutex<bool>,
    lacks: Condvar,
    refuses: AtomicBool,
    started: Instant,
    counts: BatchCounts,
}

#[derive(Default)]
struct DispatchState {
    /// Complete batches with the numbers of their kinds, oldest first.
    complete: VecDeque<(usize, Complete)>,
    /// True if the last batch started here was a complete one.
    was_complete: bool,
    /// Batches that are being computed.
    computing: usize,
    /// Threads that sleep.
    asleep: usize,
}

#[derive(Default)]
struct BatchCounts {
    batches: [AtomicU64; 2],
    items: AtomicU64,
    dropped: AtomicU64,
    failed: AtomicU64,
}

/// The position of a request's answers.
pub struct Placed {
    pub batch: Arc<Batch>,
    pub items: Range<usize>,
}

/// The next step of a thread.
enum NextStep {
    Run(usize, Complete),
    Sleep(Option<Duration>),
    End,
}

impl Dispatcher {
    pub fn new(compute: Box<dyn Compute>, options: Options) -> Self {
        Dispatcher {
            compute,
            options,
            admission: AdmissionControl::new(options.queue),
            process: Process::this(),
            arenas: [const { OnceLock::new() }; KINDS],
            state: Mutex::default(),
            work: Condvar::new(),
            lacks_spare: Mutex::new(false),
            lacks: Condvar::new(),
            refuses: AtomicBool::new(false),
            started: Instant::now(),
            counts: BatchCounts::default(),
        }
    }

    pub fn stats(&self) -> Stats {
        let BatchCounts {
            batches,
            items,
            dropped,
            failed,
        } = &self.counts;
        Stats {
            cpu_batches: batches[Device::Cpu as usize].load(Ordering::Relaxed),
            gpu_batches: batches[Device::Gpu as usize].load(Ordering::Relaxed),
            items: items.load(Ordering::Relaxed),
            dropped_items: dropped.load(Ordering::Relaxed),
            failed_batches: failed.load(Ordering::Relaxed),
        }
    }

    /// Puts an admitted request into a batch. A caller that `waits` for the answer computes the
    /// batch itself if nothing else is being computed, which saves waking another thread.
    ///
    /// # Errors
    /// [`ServiceError::Full`] when no arena is left.
    pub fn place(
        &self,
        quota: &Quota,
        kind: RequestKind,
        inputs: &RequestInputs,
        waits: bool,
    ) -> Result<Placed, ServiceError> {
        let (number, arenas) = self.arenas(kind);
        let reserved = arenas.reserve(
            inputs.items(),
            self.now(),
            |bytes| self.compute.memory(bytes),
            |batch| self.hand_in(number, batch),
        );
        let Ok((slot, reservation)) = reserved else {
            self.admission.undo(quota, inputs.items());
            return Err(self.admission.full(inputs.items()));
        };
        if reservation.is_first() && arenas.lacks_spare(self.most_arenas()) {
            *lock(&self.lacks_spare) = true;
            self.lacks.notify_one();
        }
        let is_first = reservation.is_first();
        let placed = Placed {
            batch: reservation.batch(),
            items: reservation.items(),
        };
        quota.enter(&placed.batch, inputs.items());
        match reservation.write(inputs) {
            Some(items) => self.hand_in(number, Complete { slot, items }),
            None if is_first => self.announce(number, waits),
            None => {}
        }
        Ok(placed)
    }

    /// Returns the maximum number of arenas that the requests of a kind can occupy: those being
    /// computed, the open one, and the waiting ones. Any two consecutive waiting arenas have more
    /// items than one arena holds.
    fn most_arenas(&self) -> usize {
        let Options {
            queue,
            largest_batch,
            in_flight,
            ..
        } = self.options;
        in_flight + 1 + 2 * queue.div_ceil(largest_batch)
    }

    /// Allocates all arenas of a kind, and lets the GPUs compute the maximum number of concurrent
    /// batches, all of the largest size. Their items are zeros, which every operation rejects.
    pub fn prepare(&self, kind: RequestKind) -> Result<(), ServiceError> {
        let Options {
            largest_batch,
            in_flight,
            ..
        } = self.options;
        let arenas = self.arenas(kind).1;
        let most = self.most_arenas();
        arenas.make_spare(most, most, |bytes| self.compute.memory(bytes));
        if self.compute.only() == Some(Device::Cpu) {
            return Ok(());
        }
        let slot = Slot::new(&arenas.shape, largest_batch, |bytes| {
            self.compute.memory(bytes)
        });
        // SAFETY: the slot belongs to this call, and nobody writes to it.
        let columns = unsafe { slot.columns(largest_batch) };
        let computed = thread::scope(|scope| {
            let batches = (0..in_flight).map(|_| {
                scope.spawn(|| {
                    let ArenaColumns {
                        result,
                        has_secret_results,
                        ..
                    } = arenas.shape;
                    let mut answers = BatchAnswers::new(largest_batch, result, has_secret_results);
                    self.compute.compute(
                        Device::Gpu,
                        kind,
                        columns,
                        &mut answers.codes,
                        &mut answers.rows,
                    )
                })
            });
            let threads: Vec<_> = batches.collect();
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        computed.map_err(|problem| ServiceError::Engine(Arc::new(problem)))
    }

    /// Allocates arenas ahead of need, on a thread of its own, until the service ends.
    pub fn make_arenas(&self) {
        let mut lacks_spare = lock(&self.lacks_spare);
        while !self.admission.is_closed() {
            if !std::mem::take(&mut *lacks_spare) {
                lacks_spare = self
                    .lacks
                    .wait(lacks_spare)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            drop(lacks_spare);
            for arenas in self.arenas.iter().map_while(OnceLock::get) {
                arenas.make_spare(SPARE, self.most_arenas(), |bytes| {
                    self.compute.memory(bytes)
                });
            }
            lacks_spare = lock(&self.lacks_spare);
        }
    }

    /// Returns the arenas of a kind, and the number of the kind.
    fn arenas(&self, kind: RequestKind) -> (usize, &Arenas) {
        for (number, place) in self.arenas.iter().enumerate() {
            let arenas = get_or_compute(place, || Arenas::new(kind, self.options.largest_batch));
            if arenas.kind == kind {
                return (number, arenas);
            }
        }
        unreachable!("there are at most {KINDS} kinds of requests")
    }

    fn arenas_at(&self, number: usize) -> &Arenas {
        self.arenas[number]
            .get()
            .expect("numbers of kinds are those of kinds that there are")
    }

    /// Returns the time since the service began, in nanoseconds.
    fn now(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    /// Hands in a batch to be computed.
    fn hand_in(&self, kind: usize, batch: Complete) {
        let mut state = lock(&self.state);
        state.complete.push_back((kind, batch));
        if state.asleep > 0 {
            self.work.notify_one();
        }
    }

    /// Announces the first item in the open slot of a kind.
    fn announce(&self, kind: usize, waits: bool) {
        let mut state = lock(&self.state);
        if waits && state.computing == 0 && state.complete.is_empty() {
            // If another caller is still writing, it hands in the batch.
            let Some(batch) = self.arenas_at(kind).seal() else {
                return;
            };
            state.computing += 1;
            drop(state);
            self.run(kind, batch);
            let mut state = lock(&self.state);
            state.computing -= 1;
            self.wake_worker(&state);
        } else if state.asleep > 0 {
            self.work.notify_one();
        }
    }

    /// Wakes a thread if there is work to do or to wait for.
    fn wake_worker(&self, state: &DispatchState) {
        if state.asleep > 0 && (!state.complete.is_empty() || self.gathered().next().is_some()) {
            self.work.notify_one();
        }
    }

    fn gathered(&self) -> impl Iterator<Item = Gathered> {
        let all = self.arenas.iter().map_while(OnceLock::get).enumerate();
        all.filter_map(|(kind, of)| {
            Some(Gathered {
                kind,
                since: Duration::from_nanos(of.gathered_since()?),
            })
        })
    }

    /// Runs a thread of the service until the service ends.
    pub fn work(&self) {
        let mut state = lock(&self.state);
        loop {
            match self.next(&mut state) {
                NextStep::Run(kind, batch) => {
                    state.computing += 1;
                    self.wake_worker(&state);
                    drop(state);
                    self.run(kind, batch);
                    state = lock(&self.state);
                    state.computing -= 1;
                }
                NextStep::Sleep(timeout) => state = self.sleep(state, timeout),
                NextStep::End => return,
            }
        }
    }

    fn next(&self, state: &mut DispatchState) -> NextStep {
        let is_closing = self.admission.is_closed();
        loop {
            if let Some((kind, batch)) = self.batch_of_other_kind(state) {
                state.was_complete = false;
                return NextStep::Run(kind, batch);
            }
            if let Some((kind, batch)) = state.complete.pop_front() {
                state.was_complete = true;
                return NextStep::Run(kind, batch);
            }
            if is_closing && self.admission.total() == 0 {
                return NextStep::End;
            }
            let is_idle = state.computing == 0 || is_closing;
            let now = self.started.elapsed();
            match plan::next(self.gathered(), is_idle, now, self.options.longest_wait) {
                Step::Begin(kind) => {
                    // If a caller is still writing, it hands in the batch.
                    if let Some(batch) = self.arenas_at(kind).seal() {
                        return NextStep::Run(kind, batch);
                    }
                }
                Step::SleepUntil(end) => return NextStep::Sleep(Some(end - now)),
                Step::Sleep => return NextStep::Sleep(is_closing.then_some(WHILE_CLOSING)),
            }
        }
    }

    /// Returns the batch of a kind whose items have waited for the longest wait, if the only
    /// complete batches are of other kinds. It takes turns with these; otherwise a kind that always
    /// has a complete batch would starve all others.
    fn batch_of_other_kind(&self, state: &DispatchState) -> Option<(usize, Complete)> {
        if !state.was_complete || state.complete.is_empty() {
            return None;
        }
        let complete = &state.complete;
        let others = self
            .gathered()
            .filter(|gathered| complete.iter().all(|(kind, _)| *kind != gathered.kind));
        match plan::next(
            others,
            false,
            self.started.elapsed(),
            self.options.longest_wait,
        ) {
            // If a caller is still writing, it hands in the batch.
            Step::Begin(kind) => Some((kind, self.arenas_at(kind).seal()?)),
            Step::SleepUntil(_) | Step::Sleep => None,
        }
    }

    fn sleep<'a>(
        &self,
        mut state: MutexGuard<'a, DispatchState>,
        timeout: Option<Duration>,
    ) -> MutexGuard<'a, DispatchState> {
        state.asleep += 1;
        let mut state = match timeout {
            Some(timeout) => {
                self.work
                    .wait_timeout(state, timeout)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
            None => self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner),
        };
        state.asleep -= 1;
        state
    }

    /// Computes a batch and returns the answers to its callers.
    fn run(&self, kind: usize, batch: Complete) {
        // If anything panics, the thread continues and the count of batches stays correct.
        quietly(|| self.run_one(kind, batch));
    }

    fn run_one(&self, kind: usize, batch: Complete) {
        let arenas = self.arenas_at(kind);
        let items = batch.items;
        // SAFETY: the slot is owned by this thread.
        let shared = unsafe { arenas.slot(batch.slot).batch() };
        let times =
            [FIRST, SEALED_AT, COMPLETE_AT].map(|which| arenas.slot(batch.slot).times.get(which));
        let taken = trace::now();
        trace::record("gathered", shared.number, times[0], times[1]);
        trace::record("written", shared.number, times[1], times[2]);
        trace::record("queued", shared.number, times[2], taken);
        let outcome = catch_unwind(AssertUnwindSafe(|| self.outcome(arenas, &batch, &shared)));
        let outcome = outcome.unwrap_or_else(|panic| Err(ServiceError::Panicked(text_of(&*panic))));
        if outcome.is_err() {
            self.counts.failed.fetch_add(1, Ordering::Relaxed);
        }
        let computed = trace::now();
        trace::record("computed", shared.number, taken, computed);
        arenas.recycle(batch);
        shared.leave();
        self.admission.leave(items);
        shared.end(outcome);
        trace::record("delivered", shared.number, computed, trace::now());
    }

    fn outcome(&self, arenas: &Arenas, batch: &Complete, shared: &Batch) -> BatchOutcome {
        let slot = arenas.slot(batch.slot);
        let Moves { left, moves } = Moves::without(shared.begin(), batch.items);
        self.counts
            .dropped
            .fetch_add((batch.items - left) as u64, Ordering::Relaxed);
        if self.refuses.load(Ordering::Relaxed) {
            return Err(ServiceError::Stopped);
        }
        let mut answers = BatchAnswers::new(
            batch.items,
            arenas.shape.result,
            arenas.shape.has_secret_results,
        );
        if left == 0 {
            return Ok(answers);
        }
        // SAFETY: the slot is owned by this thread until the batch is recycled.
        let columns = unsafe {
            slot.copy(&moves);
            slot.columns(left)
        };
        let device = self.device(arenas, left);
        let codes = &mut answers.codes[..left];
        let rows = &mut answers.rows[..left * arenas.shape.result];
        let start = Instant::now();
        let computed = catch_unwind(AssertUnwindSafe(|| {
            self.compute
                .compute(device, arenas.kind, columns, codes, rows)
        }));
        let seconds = matches!(computed, Ok(Ok(()))).then(|| start.elapsed().as_secs_f64());
        lock(&arenas.rates).record(device, left, seconds);
        computed
            .unwrap_or_else(|panic| resume_unwind(panic))
            .map_err(|problem| ServiceError::Engine(Arc::new(problem)))?;
        self.counts.batches[device as usize].fetch_add(1, Ordering::Relaxed);
        self.counts.items.fetch_add(left as u64, Ordering::Relaxed);
        for (from, to) in moves {
            answers.copy(to, from);
        }
        Ok(answers)
    }

    fn device(&self, arenas: &Arenas, items: usize) -> Device {
        match self.compute.only() {
            Some(device) => device,
            None => {
                lock(&arenas.rates).choose(items, self.compute.first_choice(arenas.kind, items))
            }
        }
    }

    /// Stops admission, and lets the threads end when all admitted requests have their answers.
    pub fn close(&self, shutdown: Shutdown) {
        self.refuses
            .fetch_or(shutdown == Shutdown::Refuse, Ordering::Relaxed);
        self.admission.close();
        let _desk = lock(&self.state);
        self.work.notify_all();
        let _lacks_spare = lock(&self.lacks_spare);
        self.lacks.notify_all();
    }
}

/// Returns the message of a panic.
fn text_of(panic: &(dyn Any + Send)) -> Arc<str> {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no panic message")
        .into()
}
