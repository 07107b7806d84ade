//! A call in pieces, between which signals are looked at.

use crate::errors::exception;
use gecc::Engine;
use pyo3::prelude::*;
use std::ops::Range;

/// Items of a piece for each thread of the CPU: half a second or so, and many of the engine's chunks, so that its threads end at
/// about the same time.
const PER_THREAD: usize = 1 << 14;

/// Items of a piece for each GPU: a large one works on them for a tenth of a second, of which it loses little at the ends.
const PER_GPU: usize = 1 << 23;

fn piece_of(engine: &Engine) -> usize {
    let info = engine.info();
    if info.devices.is_empty() { PER_THREAD * info.threads } else { PER_GPU * info.devices.len() }
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
    run_or(py, engine, items, exception, work)
}

/// The same for work with errors of another kind.
///
/// # Errors
/// What is made of that of the work, or that of a signal's handler.
pub fn run_or<E: Send>(
    py: Python<'_>,
    engine: &Engine,
    items: usize,
    exception: impl Fn(E) -> PyErr,
    mut work: impl FnMut(Range<usize>) -> Result<(), E> + Send,
) -> PyResult<()> {
    let piece = piece_of(engine);
    let mut start = 0usize;
    loop {
        let end = items.min(start.saturating_add(piece));
        py.detach(|| work(start..end)).map_err(&exception)?;
        py.check_signals()?;
        start = end;
        if start == items {
            return Ok(());
        }
    }
}
