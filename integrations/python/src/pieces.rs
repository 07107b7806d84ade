//! Calls in pieces, between which signals are handled.

use crate::errors::exception;
use gecc::Engine;
use pyo3::prelude::*;
use std::ops::Range;

/// Number of items of a loop without the engine between two checks for signals.
const PER_LOOK: usize = 1 << 16;

/// Checks for signals from time to time, in a loop over items that holds the GIL.
///
/// # Errors
/// The exception of a signal handler.
pub fn look_at_signals(py: Python<'_>, item: usize) -> PyResult<()> {
    if item.is_multiple_of(PER_LOOK) {
        py.check_signals()
    } else {
        Ok(())
    }
}

/// Runs work on all items without the GIL. Without items it runs once, so that the engine checks
/// the other arguments.
///
/// # Errors
/// The error of the engine, or the exception of a signal handler: `KeyboardInterrupt` after Ctrl-C.
/// In both cases no thread is working on the items any more.
pub fn run(
    py: Python<'_>,
    engine: &Engine,
    items: usize,
    work: impl FnMut(Range<usize>) -> Result<(), gecc::Error> + Send,
) -> PyResult<()> {
    run_or(py, engine, items, None, exception, work)
}

/// The length of an item's message.
pub type Length<'a> = &'a dyn Fn(usize) -> usize;

/// Runs work in pieces, which long messages make shorter, and which may fail with another type of
/// error.
///
/// # Errors
/// The converted error of the work, or the exception of a signal handler.
pub fn run_or<E: Send>(
    py: Python<'_>,
    engine: &Engine,
    items: usize,
    length: Option<Length<'_>>,
    exception: impl Fn(E) -> PyErr,
    mut work: impl FnMut(Range<usize>) -> Result<(), E> + Send,
) -> PyResult<()> {
    let mut pieces = engine.pieces(items);
    loop {
        let piece = match length {
            Some(length) => pieces.next_of_messages(length),
            None => pieces.next(),
        };
        let Some(piece) = piece else { return Ok(()) };
        py.detach(|| work(piece)).map_err(&exception)?;
        py.check_signals()?;
    }
}
