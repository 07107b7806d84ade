//! A call in pieces, between which signals are looked at.

use crate::errors::exception;
use gecc::Engine;
use pyo3::prelude::*;
use std::ops::Range;

/// Items of a loop without the engine between which signals are looked at.
const PER_LOOK: usize = 1 << 16;

/// Looks at signals now and then, in a loop over items that holds the GIL.
///
/// # Errors
/// That of a signal's handler.
pub fn look_at_signals(py: Python<'_>, item: usize) -> PyResult<()> {
    if item.is_multiple_of(PER_LOOK) { py.check_signals() } else { Ok(()) }
}

/// Runs work on all items without the GIL. Without items it runs once, so that the engine checks
/// the other arguments.
///
/// # Errors
/// That of the engine, or of a signal's handler: `KeyboardInterrupt` after Ctrl-C. No thread works on the items any
/// more then.
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

/// Runs work in pieces that long messages end earlier, and that fails with another kind of error.
///
/// # Errors
/// What is made of that of the work, or that of a signal's handler.
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
