//! From files to answers: reading, decoding and computing at the same time, in order.
//!
//! One thread reads files in pieces. Tasks of the caller's pool decode them, each piece by itself. One thread gathers
//! what they give to batches, a few threads take batches through the engine, and the caller's thread gets the answers.
//! What is handed on is bounded everywhere, in number and in bytes, so that memory is. A step whose successor is gone
//! ends.
//!
//! A few bytes may stand for very much. So a task decodes a part of its piece, as large as may wait, and the thread that
//! gathers decodes the rest part by part when its turn has come. No task waits, as who takes the answers may need the
//! pool too.

use crate::limits::Limits;
use gecc::{Backend, Engine};
use rayon::ThreadPool;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Signatures of a batch with a GPU, and without one.
const ON_GPU: usize = 1 << 18;
const ON_CPU: usize = 1 << 15;
/// Pieces for each thread that are decoded or wait for others that come before them.
const AHEAD: usize = 3;
/// Batches that are computed at a time: a GPU has the next when one is done.
const COMPUTING: usize = 2;

/// What works on files.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// Computes signatures.
    pub engine: &'a Engine,
    /// Decompresses, decodes and hashes.
    pub pool: &'a ThreadPool,
    /// Signatures that go to the engine at once; as it suits the engine where nothing is said. The last piece of files
    /// that is put in a batch may make it larger.
    pub batch: Option<usize>,
    /// Bytes of files and of what becomes of them that are in memory at a time, beside what the engine takes. A limit
    /// below some 24 MiB counts as that. Blocks and values that do not fit a quarter of it are problems. Where nothing
    /// is said a few GiB are enough for any file.
    pub max_memory: Option<usize>,
    /// Becomes true when nothing more is wanted. What was read until then is not answered.
    pub interrupted: &'a AtomicBool,
}

impl<'a> Settings<'a> {
    /// Batches that suit the engine.
    pub fn new(engine: &'a Engine, pool: &'a ThreadPool, interrupted: &'a AtomicBool) -> Self {
        Settings { engine, pool, batch: None, max_memory: None, interrupted }
    }

    pub(crate) fn batch(&self) -> usize {
        let of_engine = if self.engine.info().backend == Backend::Gpu { ON_GPU } else { ON_CPU };
        self.batch.unwrap_or(of_engine).max(1)
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits::new(self.max_memory)
    }
}

/// What the files of a kind become.
pub(crate) trait Work: Sync {
    /// A part of a file that is decoded by itself.
    type Piece: Send;
    /// What it holds, and what batches are of.
    type Decoded: Send + Default;
    /// What is known of a batch at the end.
    type Answers: Send;

    /// Bytes that a piece takes, with what it is decompressed to and what else decoding needs, but without what it
    /// gives.
    fn weight(piece: &Self::Piece) -> usize;

    /// Decodes a part of a piece, of little more than so many bytes, and gives what is left of it.
    fn decode(&self, piece: Self::Piece, most: usize) -> (Self::Decoded, Option<Self::Piece>);

    /// Signatures, to tell when a batch is full.
    fn size(decoded: &Self::Decoded) -> usize;

    /// Bytes, to tell when a batch or a part is full.
    fn bytes(decoded: &Self::Decoded) -> usize;

    /// Puts what comes next behind what is there.
    fn append(batch: &mut Self::Decoded, next: Self::Decoded);

    fn compute(&self, engine: &Engine, batch: Self::Decoded) -> Result<Self::Answers, gecc::Error>;
}

/// Takes the next piece, and says whether another is wanted.
pub(crate) type HandOn<'a, P> = dyn FnMut(P) -> ControlFlow<()> + 'a;

/// What comes of a task, once it is done.
type Later<T> = Receiver<T>;
/// What is decoded of a piece at first, and the rest.
type Begun<W> = (<W as Work>::Decoded, Option<<W as Work>::Piece>);
/// A piece whose bytes are held until all of it is gathered.
struct Held<W: Work> {
    bytes: usize,
    begun: Later<Begun<W>>,
}
/// A batch, and where its answers go.
type ToCompute<W> = (<W as Work>::Decoded, SyncSender<Result<<W as Work>::Answers, gecc::Error>>);

/// Bytes that pieces share.
struct Room {
    state: Mutex<RoomState>,
    changed: Condvar,
    most: usize,
}

#[derive(Default)]
struct RoomState {
    held: usize,
    is_closed: bool,
}

impl Room {
    fn new(most: usize) -> Self {
        Room { state: Mutex::default(), changed: Condvar::new(), most }
    }

    fn lock(&self) -> MutexGuard<'_, RoomState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room, which who is alone always has. Whether anybody still wants it.
    fn enter(&self, bytes: usize) -> bool {
        let is_full =
            |state: &mut RoomState| !state.is_closed && state.held > 0 && state.held.saturating_add(bytes) > self.most;
        let mut state = self.changed.wait_while(self.lock(), is_full).unwrap_or_else(PoisonError::into_inner);
        state.held = state.held.saturating_add(bytes);
        !state.is_closed
    }

    fn leave(&self, bytes: usize) {
        let mut state = self.lock();
        state.held = state.held.saturating_sub(bytes);
        drop(state);
        self.changed.notify_all();
    }
}

/// Closes the room when it is dropped, so that nobody waits for who is gone.
struct Closing<'a>(&'a Room);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}

/// Takes what is read through all steps and hands the answers on, in order, until the sink wants no more. Gives what it
/// ended with.
///
/// # Errors
/// What the engine says. Answers that came before have been handed on.
pub(crate) fn run<W: Work, B>(
    work: &W,
    settings: &Settings,
    read: impl FnOnce(&mut HandOn<W::Piece>) + Send,
    mut sink: impl FnMut(W::Answers) -> ControlFlow<B>,
) -> Result<Option<B>, gecc::Error> {
    let stopped = AtomicBool::new(false);
    let is_over = || stopped.load(Ordering::Relaxed) || settings.interrupted.load(Ordering::Relaxed);
    let limits = settings.limits();
    let steps = Steps { work, settings, limits, room: Room::new(limits.ahead), is_over: &is_over };
    let (to_gather, decoded) = sync_channel(AHEAD * settings.pool.current_num_threads());
    let (to_engine, batches) = sync_channel::<ToCompute<W>>(0);
    let (to_sink, answers) = sync_channel(COMPUTING);
    let batches = Mutex::new(batches);
    thread::scope(|scope| {
        scope.spawn(|| steps.decode_each(read, to_gather));
        scope.spawn(|| steps.gather(decoded, to_engine, to_sink));
        for _ in 0..COMPUTING {
            scope.spawn(|| steps.compute(&batches));
        }
        let ended = hand_on(answers, &is_over, &mut sink);
        stopped.store(true, Ordering::Relaxed);
        ended
    })
}

/// What the steps know.
struct Steps<'a, W, F> {
    work: &'a W,
    settings: &'a Settings<'a>,
    limits: Limits,
    room: Room,
    is_over: &'a F,
}

impl<W: Work, F: Fn() -> bool + Sync> Steps<'_, W, F> {
    fn decode_each(&self, read: impl FnOnce(&mut HandOn<W::Piece>), to_gather: SyncSender<Held<W>>) {
        let Steps { work, limits, is_over, .. } = self;
        // First in, first out: who gathers waits for the oldest.
        self.settings.pool.in_place_scope_fifo(|tasks| {
            read(&mut |piece| {
                let bytes = W::weight(&piece).saturating_add(limits.part);
                let (to, begun) = sync_channel(1);
                if !self.room.enter(bytes) || is_over() || to_gather.send(Held { bytes, begun }).is_err() {
                    return ControlFlow::Break(());
                }
                tasks.spawn_fifo(move |_| {
                    if !is_over() {
                        let _ = to.send(work.decode(piece, limits.part));
                    }
                });
                ControlFlow::Continue(())
            });
        });
    }

    /// Makes batches of what is decoded.
    fn gather(
        &self,
        decoded: Receiver<Held<W>>,
        to_engine: SyncSender<ToCompute<W>>,
        to_sink: SyncSender<Later<Result<W::Answers, gecc::Error>>>,
    ) {
        let _closing = Closing(&self.room);
        let full = self.settings.batch();
        let hand_on = |batch| {
            let (to, later) = sync_channel(1);
            to_sink.send(later).is_ok() && to_engine.send((batch, to)).is_ok()
        };
        let mut batch = W::Decoded::default();
        for Held { bytes, begun } in decoded {
            // A task that gave nothing was not wanted any more.
            let Ok((mut next, mut rest)) = begun.recv() else { return };
            loop {
                W::append(&mut batch, next);
                let is_full = W::size(&batch) >= full || W::bytes(&batch) >= self.limits.batch;
                if (self.is_over)() || is_full && !hand_on(std::mem::take(&mut batch)) {
                    return;
                }
                let Some(piece) = rest else { break };
                (next, rest) = self.work.decode(piece, self.limits.part);
            }
            self.room.leave(bytes);
        }
        // It may hold problems alone.
        hand_on(batch);
    }

    fn compute(&self, batches: &Mutex<Receiver<ToCompute<W>>>) {
        loop {
            let next = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((batch, to)) = next else { return };
            if !(self.is_over)() {
                let _ = to.send(self.work.compute(self.settings.engine, batch));
            }
        }
    }
}

fn hand_on<A, B>(
    answers: Receiver<Later<Result<A, gecc::Error>>>,
    is_over: &impl Fn() -> bool,
    sink: &mut impl FnMut(A) -> ControlFlow<B>,
) -> Result<Option<B>, gecc::Error> {
    for later in answers {
        // What is not computed any more was not wanted any more.
        let Ok(of_batch) = later.recv() else { return Ok(None) };
        if let ControlFlow::Break(end) = sink(of_batch?) {
            return Ok(Some(end));
        }
        if is_over() {
            return Ok(None);
        }
    }
    Ok(None)
}
