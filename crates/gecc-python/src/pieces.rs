//! A call in pieces, between which signals are looked at.

use crate::errors::exception;
use gecc::Engine;
use pyo3::prelude::*;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Items of the first piece for each thread of the CPU: half a second or so of the slowest operation, by a processor without
/// AVX-512.
const FIRST_PER_THREAD: usize = 1 << 10;

/// The most items of a piece for each thread: many of the engine's chunks, so that its threads end at about the same time.
const PER_THREAD: usize = 1 << 14;

/// How long a piece after the first shall take.
const PIECE: Duration = Duration::from_millis(500);

/// Items of a piece for each GPU: a large one works on them for a tenth of a second, of which it loses little at the ends.
const PER_GPU: usize = 1 << 23;

/// Bytes of messages in a piece: half a second or so of one thread.
const BYTES: usize = 1 << 27;

/// Items of a loop without the engine between which signals are looked at.
const PER_LOOK: usize = 1 << 16;

/// Looks at signals now and then, in a loop over items that holds the GIL.
///
/// # Errors
/// That of a signal's handler.
pub fn look_at_signals(py: Python<'_>, item: usize) -> PyResult<()> {
    if item.is_multiple_of(PER_LOOK) { py.check_signals() } else { Ok(()) }
}

/// Where the first of these items end that have as many bytes as a piece, or all of them.
pub fn end_of_some(items: Range<usize>, length: impl Fn(usize) -> usize) -> usize {
    let mut bytes = 0usize;
    let is_enough = |item: &usize| {
        bytes = bytes.saturating_add(length(*item));
        bytes >= BYTES
    };
    let last = items.clone().find(is_enough);
    last.map_or(items.end, |last| last + 1)
}

/// How many items a piece has.
struct Size {
    items: usize,
    least: usize,
    most: usize,
}

impl Size {
    fn of(engine: &Engine) -> Self {
        let info = engine.info();
        match info.devices.len() {
            0 => {
                let first = FIRST_PER_THREAD * info.threads;
                Size { items: first, least: first / 4, most: PER_THREAD * info.threads }
            }
            gpus => Size { items: PER_GPU * gpus, least: PER_GPU * gpus, most: PER_GPU * gpus },
        }
    }

    /// The size after so many items have taken this long.
    fn after(self, items: usize, took: Duration) -> Self {
        let items = match items as f64 * PIECE.as_secs_f64() / took.as_secs_f64().max(1e-9) {
            fit if fit < self.items as f64 => self.items / 2,
            fit => fit as usize,
        };
        Size { items: items.clamp(self.least, self.most), ..self }
    }
}

/// Has work done on all items without the GIL. With no items it is done once, so that the engine sees the other arguments.
///
/// # Errors
/// That of the engine, or of a signal's handler: `KeyboardInterrupt` after Ctrl-C. No thread works on the items any more then.
pub fn run(
    py: Python<'_>,
    engine: &Engine,
    items: usize,
    work: impl FnMut(Range<usize>) -> Result<(), gecc::Error> + Send,
) -> PyResult<()> {
    run_or(py, engine, items, |piece| piece.end, exception, work)
}

/// The same for pieces that `cut` may make end earlier, but not empty, and for work with errors of another kind.
///
/// # Errors
/// What is made of that of the work, or that of a signal's handler.
pub fn run_or<E: Send>(
    py: Python<'_>,
    engine: &Engine,
    items: usize,
    cut: impl Fn(Range<usize>) -> usize,
    exception: impl Fn(E) -> PyErr,
    mut work: impl FnMut(Range<usize>) -> Result<(), E> + Send,
) -> PyResult<()> {
    let mut size = Size::of(engine);
    let mut start = 0usize;
    loop {
        let end = cut(start..items.min(start.saturating_add(size.items)));
        let began = Instant::now();
        py.detach(|| work(start..end)).map_err(&exception)?;
        size = size.after(end - start, began.elapsed());
        py.check_signals()?;
        start = end;
        if start == items {
            return Ok(());
        }
    }
}
