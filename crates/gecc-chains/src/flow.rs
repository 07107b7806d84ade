//! From files to answers: reading, decoding and computing at the same time, in order.
//!
//! One thread reads files in pieces. Tasks of the caller's pool decode them, each piece by itself. One thread gathers
//! what they give to batches, a few threads take batches through the engine, and the caller's thread gets the answers.
//! What is handed on is bounded everywhere, so that memory is. A step whose successor is gone ends.

use gecc::{Backend, Engine};
use rayon::ThreadPool;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
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
    /// Becomes true when nothing more is wanted. What was read until then is not answered.
    pub interrupted: &'a AtomicBool,
}

impl<'a> Settings<'a> {
    /// Batches that suit the engine.
    pub fn new(engine: &'a Engine, pool: &'a ThreadPool, interrupted: &'a AtomicBool) -> Self {
        Settings { engine, pool, batch: None, interrupted }
    }

    fn batch(&self) -> usize {
        let of_engine = if self.engine.info().backend == Backend::Gpu { ON_GPU } else { ON_CPU };
        self.batch.unwrap_or(of_engine).max(1)
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

    fn decode(&self, piece: Self::Piece) -> Self::Decoded;

    /// Signatures, to tell when a batch is full.
    fn size(decoded: &Self::Decoded) -> usize;

    /// Puts what comes next behind what is there.
    fn append(batch: &mut Self::Decoded, next: Self::Decoded);

    fn compute(&self, engine: &Engine, batch: Self::Decoded) -> Result<Self::Answers, gecc::Error>;
}

/// Takes the next piece, and says whether another is wanted.
pub(crate) type HandOn<'a, P> = dyn FnMut(P) -> ControlFlow<()> + 'a;

/// What comes of a task, once it is done.
type Later<T> = Receiver<T>;
/// A batch, and where its answers go.
type ToCompute<W> = (<W as Work>::Decoded, SyncSender<Result<<W as Work>::Answers, gecc::Error>>);

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
    let (to_gather, decoded) = sync_channel(AHEAD * settings.pool.current_num_threads());
    let (to_engine, batches) = sync_channel::<ToCompute<W>>(0);
    let (to_sink, answers) = sync_channel(COMPUTING);
    let batches = Mutex::new(batches);
    thread::scope(|scope| {
        scope.spawn(|| decode_each(work, settings.pool, read, to_gather, &is_over));
        scope.spawn(|| gather::<W>(settings.batch(), decoded, to_engine, to_sink));
        for _ in 0..COMPUTING {
            scope.spawn(|| compute(work, settings.engine, &batches, &is_over));
        }
        let ended = hand_on(answers, &is_over, &mut sink);
        stopped.store(true, Ordering::Relaxed);
        ended
    })
}

fn decode_each<W: Work>(
    work: &W,
    pool: &ThreadPool,
    read: impl FnOnce(&mut HandOn<W::Piece>),
    to_gather: SyncSender<Later<W::Decoded>>,
    is_over: &(impl Fn() -> bool + Sync),
) {
    // First in, first out: who gathers waits for the oldest.
    pool.in_place_scope_fifo(|tasks| {
        read(&mut |piece| {
            let (to, later) = sync_channel(1);
            if is_over() || to_gather.send(later).is_err() {
                return ControlFlow::Break(());
            }
            tasks.spawn_fifo(move |_| {
                if !is_over() {
                    let _ = to.send(work.decode(piece));
                }
            });
            ControlFlow::Continue(())
        });
    });
}

/// Makes batches of what is decoded.
fn gather<W: Work>(
    full: usize,
    decoded: Receiver<Later<W::Decoded>>,
    to_engine: SyncSender<ToCompute<W>>,
    to_sink: SyncSender<Later<Result<W::Answers, gecc::Error>>>,
) {
    let hand_on = |batch| {
        let (to, later) = sync_channel(1);
        to_sink.send(later).is_ok() && to_engine.send((batch, to)).is_ok()
    };
    let mut batch = W::Decoded::default();
    for later in decoded {
        // A task that gave nothing was not wanted any more.
        let Ok(next) = later.recv() else { return };
        W::append(&mut batch, next);
        if W::size(&batch) >= full && !hand_on(std::mem::take(&mut batch)) {
            return;
        }
    }
    // It may hold problems alone.
    hand_on(batch);
}

fn compute<W: Work>(work: &W, engine: &Engine, batches: &Mutex<Receiver<ToCompute<W>>>, is_over: &impl Fn() -> bool) {
    loop {
        let next = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((batch, to)) = next else { return };
        if !is_over() {
            let _ = to.send(work.compute(engine, batch));
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
