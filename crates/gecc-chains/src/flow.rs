//! The pipeline from files to answers: reading, decoding, computing and formatting run
//! concurrently, in order.
//!
//! - *read*: a few threads read files in pieces, several files at a time;
//! - *decode*: tasks of the caller's pool decode pieces independently;
//! - *gather*: one thread joins the decoded parts into batches, in the order of the files, without
//!   moving their rows;
//! - *compute*: a few threads run batches on the engine; tasks of the pool copy the rows next to
//!   each other, and others format the answers of each part;
//! - *output*: the caller's thread receives the formatted answers in order.
//!
//! Every queue is bounded in items and in bytes, and therefore memory is. A stage ends when its
//! successor is gone.
//!
//! Tasks of a pool start in the order in which they were submitted. So only few pieces are queued
//! there, and later stages get a thread soon.
//!
//! A few bytes may decompress to very many. So a task decodes only a part of its piece, up to the
//! size that may wait, and the gathering thread decodes the rest part by part when it is its turn.
//! Tasks never block, because the consumer of the answers may need the pool too.

use crate::limits::Limits;
use crate::problem::{Problem, Progress};
use crate::timings::{Stage, Timings};
use gecc::pipeline::{self, Demand, MemoryBudget, map};
use gecc::{Backend, Engine};
use rayon::ThreadPool;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, Builder, Scope};
use std::time::{Duration, Instant};

/// The number of signatures of a batch with a GPU, and without one.
const ON_GPU: usize = 1 << 16;
const ON_CPU: usize = 1 << 15;

/// The means of computing signatures.
#[derive(Clone, Copy)]
pub enum EngineSource<'a> {
    /// An existing engine.
    Engine(&'a Engine),
    /// An engine that another thread is starting. Files are read and decoded meanwhile. If it
    /// cannot be started, that thread stores `None`, and there are no answers.
    Starting(&'a OnceLock<Option<Engine>>),
}

/// The settings of a run over files.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// The engine, which computes signatures.
    pub engine: EngineSource<'a>,
    /// The pool, which decompresses, decodes and hashes.
    pub pool: &'a ThreadPool,
    /// The number of signatures passed to the engine at once; chosen to suit the engine if `None`.
    /// The last piece added to a batch may make it larger.
    pub batch: Option<usize>,
    /// The maximum number of bytes held in memory, for files and data derived from them, in
    /// addition to the engine's memory. Limits below some 24 MiB are raised to that. Blocks and
    /// values that do not fit in a quarter of it are reported as problems. With `None`, a few GiB
    /// are enough for any files except JSON with single values of hundreds of MiB each.
    pub max_memory: Option<usize>,
    /// Set to true to stop. Data read up to then is not answered.
    pub interrupted: &'a AtomicBool,
    /// Statistics of the stages' working and waiting times, if wanted.
    pub timings: Option<&'a Timings>,
}

impl<'a> Settings<'a> {
    /// Creates settings with batches that suit the engine.
    pub fn new(engine: &'a Engine, pool: &'a ThreadPool, interrupted: &'a AtomicBool) -> Self {
        Self::with(EngineSource::Engine(engine), pool, interrupted)
    }

    /// Makes settings with an engine that another thread starts.
    pub fn starting(
        engine: &'a OnceLock<Option<Engine>>,
        pool: &'a ThreadPool,
        interrupted: &'a AtomicBool,
    ) -> Self {
        Self::with(EngineSource::Starting(engine), pool, interrupted)
    }

    fn with(engine: EngineSource<'a>, pool: &'a ThreadPool, interrupted: &'a AtomicBool) -> Self {
        Settings {
            engine,
            pool,
            batch: None,
            max_memory: None,
            interrupted,
            timings: None,
        }
    }

    /// Returns the engine, waiting for it if necessary; `None` if it did not start.
    pub fn engine(&self) -> Option<&'a Engine> {
        match self.engine {
            EngineSource::Engine(engine) => Some(engine),
            EngineSource::Starting(engine) => engine.wait().as_ref(),
        }
    }

    fn is_starting(&self) -> bool {
        matches!(self.engine, EngineSource::Starting(engine) if engine.get().is_none())
    }

    /// Returns the number of signatures of a batch.
    pub(crate) fn batch(&self) -> usize {
        self.batch.unwrap_or_else(|| self.batch_for_engine()).max(1)
    }

    /// Returns the number of signatures that suits the engine, waiting for it if necessary.
    fn batch_for_engine(&self) -> usize {
        let is_gpu = self
            .engine()
            .is_some_and(|engine| engine.info().backend == Backend::Gpu);
        if is_gpu { ON_GPU } else { ON_CPU }
    }

    /// Returns whether `signatures` signatures fill a batch. Waits for the engine only if that
    /// depends on it.
    fn is_batch(&self, signatures: usize) -> bool {
        signatures >= self.batch.unwrap_or(ON_CPU.min(ON_GPU)) && signatures >= self.batch()
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits::new(self.max_memory)
    }
}

/// A kind of files and its stages.
pub(crate) trait Work: Sync {
    /// A file, or another unit that is read independently.
    type Source: Send;
    /// A part of a file that is decoded independently.
    type Piece: Send;
    /// Decoded items, of which batches consist.
    type Decoded: Send;
    /// A part with its results.
    type Computed: Send;
    /// The answers about a part.
    type Answers: Send;

    /// Reads a file in pieces until `hand_on` wants no more.
    fn read(
        &self,
        source: Self::Source,
        limits: &Limits,
        hand_on: &mut PieceSink<Self::Piece>,
    ) -> ControlFlow<()>;

    /// Returns the bytes that a piece takes, including its decompressed form and the working memory
    /// for decoding, but not its decoded form.
    fn weight(piece: &Self::Piece) -> usize;

    /// Decodes a part of a piece, of little more than `most` bytes, and returns what is left of the
    /// piece.
    fn decode(&self, piece: Self::Piece, most: usize) -> (Self::Decoded, Option<Self::Piece>);

    /// Returns the number of signatures, which determines when a batch is full.
    fn size(decoded: &Self::Decoded) -> usize;

    /// Returns the number of bytes, which determines when a batch or a part is full.
    fn bytes(decoded: &Self::Decoded) -> usize;

    /// Computes the parts of a batch.
    fn compute(
        &self,
        engine: &Engine,
        pool: &ThreadPool,
        batch: Vec<Self::Decoded>,
    ) -> Result<Vec<Self::Computed>, gecc::Error>;

    /// Returns the answers of a part.
    fn answers(&self, computed: Self::Computed) -> Self::Answers;
}

/// A part of a file, and the reading progress after it.
pub(crate) struct Piece<C> {
    /// The file, and its content to decode; `None` if there is nothing to decode.
    pub content: Option<(Arc<Path>, C)>,
    pub progress: Progress,
}

impl<C> Piece<C> {
    /// Creates a piece for which `bytes` bytes of the file were read.
    pub fn new(path: &Arc<Path>, content: C, bytes: u64) -> Self {
        let progress = Progress {
            bytes,
            ..Progress::default()
        };
        Piece {
            content: Some((Arc::clone(path), content)),
            progress,
        }
    }

    pub fn problem(problem: Problem) -> Self {
        Self::problems(vec![problem])
    }

    pub fn problems(problems: Vec<Problem>) -> Self {
        Piece {
            content: None,
            progress: Progress {
                problems,
                ..Progress::default()
            },
        }
    }

    /// Creates the final piece of a file, with the bytes of the file that were not counted yet.
    pub fn end_of(path: &Arc<Path>, bytes: u64) -> Self {
        let progress = Progress {
            finished: vec![Arc::clone(path)],
            bytes,
            ..Progress::default()
        };
        Piece {
            content: None,
            progress,
        }
    }
}

/// Formats answers before output, on many threads.
pub trait FormatAnswers<A>: Sync {
    /// The formatted answers of a part of a batch.
    type Part: Send;
    /// The formatted answers of a batch.
    type Batch: Send;

    /// Formats the answers of a part. Runs on a thread of the pool, which must not wait for other
    /// threads of the pool.
    fn part(&self, answers: A) -> Self::Part;

    /// Combines the parts of a batch, in order. Runs on a thread outside the pool.
    fn batch(&self, parts: Vec<Self::Part>) -> Self::Batch;
}

/// Leaves answers as they are.
pub(crate) struct Unformatted;

impl<A: Send> FormatAnswers<A> for Unformatted {
    type Part = A;
    type Batch = Vec<A>;

    fn part(&self, answers: A) -> A {
        answers
    }

    fn batch(&self, parts: Vec<A>) -> Vec<A> {
        parts
    }
}

/// A consumer of pieces, which returns whether it wants another one.
pub(crate) type PieceSink<'a, P> = dyn FnMut(P) -> ControlFlow<()> + 'a;

/// The decoded beginning of a piece, its undecoded rest, and the bytes it holds until all of it is
/// gathered.
type BegunPiece<W> = (<W as Work>::Decoded, Option<<W as Work>::Piece>, u64);
/// A piece being decoded, and the budget in which it holds bytes.
struct HeldPiece<'a, W: Work> {
    room: &'a MemoryBudget,
    begun: Receiver<BegunPiece<W>>,
}
/// The sender of batches of parts.
type BatchSender<W, T> = pipeline::Sender<Vec<<W as Work>::Decoded>, BatchResult<T>>;
/// The result of a batch.
type BatchResult<T> = Result<T, gecc::Error>;

/// A slot in a budget, released when this is dropped.
struct TaskSlot<'a>(&'a MemoryBudget);

impl Drop for TaskSlot<'_> {
    fn drop(&mut self) {
        self.0.release(1);
    }
}

/// Files that are not read yet, and the channel that passes on the queue of each file's pieces, in
/// order.
struct SourceQueue<'a, W: Work, I> {
    rest: I,
    to_gather: Sender<Receiver<HeldPiece<'a, W>>>,
}

/// Runs all stages and passes the formatted answers to `sink`, in order, until it breaks. Returns
/// the value it broke with.
///
/// # Errors
/// Errors of the engine. Earlier answers have been passed on.
pub(crate) fn run<W: Work, F: FormatAnswers<W::Answers>, B>(
    work: &W,
    settings: &Settings,
    sources: impl ExactSizeIterator<Item = W::Source> + Send,
    form: &F,
    mut sink: impl FnMut(F::Batch) -> ControlFlow<B>,
) -> Result<Option<B>, gecc::Error> {
    let demand = Demand::until(settings.interrupted);
    let threads = settings.pool.current_num_threads();
    let limits = settings.limits().shared(sources.len(), threads);
    let not_kept = Timings::default();
    let timings = settings.timings.unwrap_or(&not_kept);
    let rooms: Vec<_> = (0..limits.readers)
        .map(|_| MemoryBudget::new(limits.ahead as u64))
        .collect();
    let stages = Stages {
        work,
        settings,
        timings,
        limits,
        rooms: &rooms,
        // One for each thread, and some for the thread to continue with.
        tasks: MemoryBudget::new((threads + threads / 2 + 1) as u64),
        demand: &demand,
    };
    let (computing, waiting) = limits.batches;
    let batches = pipeline::Stages {
        workers: computing,
        items: 0,
        results: waiting,
        demand: &demand,
        budgets: &rooms.iter().collect::<Vec<_>>(),
    };
    let start = Instant::now();
    let ended = batches.run(
        |gathered| stages.read(sources, &gathered),
        |batch| stages.compute(batch, form),
        |formed: BatchResult<F::Batch>| {
            let batch = match formed {
                Ok(batch) => batch,
                Err(problem) => return ControlFlow::Break(Err(problem)),
            };
            match timings.worked(Stage::PutOut, || sink(batch)) {
                ControlFlow::Break(end) => ControlFlow::Break(Ok(Some(end))),
                ControlFlow::Continue(()) if demand.continues() => ControlFlow::Continue(()),
                ControlFlow::Continue(()) => ControlFlow::Break(Ok(None)),
            }
        },
    );
    timings.waited_otherwise(&[Stage::PutOut], start.elapsed());
    timings.waited_otherwise(
        &[Stage::Compute, Stage::Form],
        start.elapsed() * computing as u32,
    );
    match ended {
        Err(problem) => Err(not_started(&problem)),
        Ok(ended) => ended.unwrap_or(Ok(None)),
    }
}

/// The state of the stages.
struct Stages<'a, W> {
    work: &'a W,
    settings: &'a Settings<'a>,
    timings: &'a Timings,
    limits: Limits,
    /// The memory budgets for the pieces of each file being read.
    rooms: &'a [MemoryBudget],
    /// The memory budget for decoding tasks.
    tasks: MemoryBudget,
    demand: &'a Demand<'a>,
}

impl<W: Work> Stages<'_, W> {
    /// Returns whether no more answers are wanted.
    fn is_over(&self) -> bool {
        !self.demand.continues()
    }

    /// Reads files on threads of their own, and gathers their parts on the calling thread.
    fn read<T: Send>(
        &self,
        sources: impl Iterator<Item = W::Source> + Send,
        gathered: &BatchSender<W, T>,
    ) {
        let (to_gather, pieces) = channel();
        let sources = Mutex::new(SourceQueue {
            rest: sources,
            to_gather,
        });
        let sources = Arc::new(sources);
        thread::scope(|scope| {
            let reads = self.rooms.iter().map(move |room| {
                let sources = Arc::clone(&sources);
                move || self.read_each(room, sources)
            });
            match spawn_some(scope, reads) {
                Ok(()) => self.gather(pieces, gathered),
                Err(problem) => {
                    let _ = gathered.send_result(Err(problem));
                }
            }
        });
    }

    /// Reads one file after another, and submits their pieces for decoding.
    fn read_each<'a>(
        &'a self,
        room: &'a MemoryBudget,
        sources: Arc<Mutex<SourceQueue<'a, W, impl Iterator<Item = W::Source> + Send>>>,
    ) {
        // First in, first out: the gathering thread waits for the oldest piece.
        self.settings.pool.in_place_scope_fifo(|tasks| {
            loop {
                let (to, pieces) = channel();
                let source = {
                    let mut sources = sources.lock().unwrap_or_else(PoisonError::into_inner);
                    let Some(source) = sources.rest.next() else {
                        return;
                    };
                    if sources.to_gather.send(pieces).is_err() {
                        return;
                    }
                    source
                };
                let start = Instant::now();
                let mut waited = Duration::ZERO;
                let ended = self.work.read(source, &self.limits, &mut |piece| {
                    let before = Instant::now();
                    let is_wanted = self.begin(piece, room, tasks, &to);
                    waited += before.elapsed();
                    self.timings.waited_since(Stage::Read, before);
                    is_wanted
                });
                self.timings.worked_since(Stage::Read, start, waited);
                if ended.is_break() {
                    return;
                }
            }
        });
    }

    /// Starts decoding a piece once its memory budget permits.
    fn begin<'a>(
        &'a self,
        piece: W::Piece,
        room: &'a MemoryBudget,
        tasks: &rayon::ScopeFifo<'a>,
        to_gather: &Sender<HeldPiece<'a, W>>,
    ) -> ControlFlow<()>
    where
        W::Piece: 'a,
        W::Decoded: 'a,
    {
        let least = self.least_held();
        let bytes = W::weight(&piece)
            .saturating_add(self.limits.part)
            .max(least) as u64;
        let (to, begun) = sync_channel(1);
        if !room.acquire(bytes)
            || self.is_over()
            || to_gather.send(HeldPiece { room, begun }).is_err()
        {
            return ControlFlow::Break(());
        }
        // This budget is never closed.
        let _ = self.tasks.acquire(1);
        let place = TaskSlot(&self.tasks);
        let handed_in = Instant::now();
        tasks.spawn_fifo(move |_| {
            let _place = place;
            self.timings.waited_since(Stage::Decode, handed_in);
            if !self.is_over() {
                let (part, rest) = self
                    .timings
                    .worked(Stage::Decode, || self.work.decode(piece, self.limits.part));
                // A part is usually much smaller than its maximum.
                let is_held = W::bytes(&part)
                    + rest
                        .as_ref()
                        .map_or(0, |rest| W::weight(rest) + self.limits.part);
                let kept = (is_held.max(least) as u64).min(bytes);
                room.release(bytes - kept);
                let _ = to.send((part, rest, kept));
            }
        });
        ControlFlow::Continue(())
    }

    /// Returns the minimum number of bytes charged for a piece. It limits the pieces of a file that
    /// are read ahead to what keeps the threads busy: touching fresh memory costs more than
    /// decoding. While an engine starts there is no other work, so more pieces are allowed.
    fn least_held(&self) -> usize {
        let for_each_thread = if self.settings.is_starting() { 8 } else { 2 };
        self.limits.ahead / (for_each_thread * self.settings.pool.current_num_threads())
    }

    /// Joins decoded parts into batches.
    fn gather<T>(&self, files: Receiver<Receiver<HeldPiece<W>>>, gathered: &BatchSender<W, T>) {
        let mut batch = Vec::new();
        let mut size = 0;
        let mut bytes = 0;
        let mut pieces = files.into_iter().flatten();
        while let Some(held) = self.timings.waited(Stage::Gather, || pieces.next()) {
            // A task that sent nothing was cancelled.
            let begun = self.timings.waited(Stage::Gather, || held.begun.recv());
            let Ok((mut next, mut rest, bytes_held)) = begun else {
                return;
            };
            loop {
                size += W::size(&next);
                bytes += W::bytes(&next);
                batch.push(next);
                let is_full = bytes >= self.limits.batch || self.settings.is_batch(size);
                if self.is_over() || is_full && !self.submit(std::mem::take(&mut batch), gathered) {
                    return;
                }
                if is_full {
                    size = 0;
                    bytes = 0;
                }
                let Some(piece) = rest else { break };
                (next, rest) = self
                    .timings
                    .worked(Stage::Gather, || self.work.decode(piece, self.limits.part));
            }
            held.room.release(bytes_held);
        }
        // The last batch may contain only problems.
        self.submit(batch, gathered);
    }

    /// Passes a batch to the compute stage. Returns whether that stage still exists.
    fn submit<T>(&self, batch: Vec<W::Decoded>, gathered: &BatchSender<W, T>) -> bool {
        self.timings.waited(Stage::Gather, || gathered.send(batch))
    }

    /// Computes a batch and formats its answers. Returns `None` if the engine did not start, or if
    /// the answers are not wanted any more when it has.
    fn compute<M: FormatAnswers<W::Answers>>(
        &self,
        batch: Vec<W::Decoded>,
        form: &M,
    ) -> Option<BatchResult<M::Batch>> {
        let engine = self.settings.engine().filter(|_| !self.is_over())?;
        let pool = self.settings.pool;
        let computed = self
            .timings
            .worked(Stage::Compute, || self.work.compute(engine, pool, batch));
        Some(computed.map(|parts| {
            self.timings.worked(Stage::Form, || {
                form.batch(map(pool, parts, |part| form.part(self.work.answers(part))))
            })
        }))
    }
}

/// Starts a thread for each element, or for as many as possible: the system may limit them. Fewer
/// threads are acceptable; none is an error. Work that is not started is dropped with everything it
/// owns, so that no other stage waits for it.
fn spawn_some<'scope, W: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    works: impl IntoIterator<Item = W>,
) -> Result<(), gecc::Error> {
    for (started, work) in works.into_iter().enumerate() {
        match Builder::new().spawn_scoped(scope, work) {
            Ok(_) => {}
            Err(problem) if started == 0 => return Err(not_started(&problem)),
            Err(_) => break,
        }
    }
    Ok(())
}

/// Converts the error of the operating system about a thread that cannot be started.
fn not_started(problem: &io::Error) -> gecc::Error {
    gecc::Error::Threads(problem.to_string())
}
