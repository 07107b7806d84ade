//! Division of long calls into pieces, between which the caller is asked whether to continue.

use super::status::{Failure, GeccStatus};
use gecc::bip340::{Auxiliary, SigningKeys};
use gecc::silent_payments::Outputs;
use gecc::{Engine, Error, PublicKeys, Rows, SecretKeys};
use std::cell::Cell;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::null_mut;

/// A function of the caller that is called between the pieces of a call with the caller's context,
/// the number of finished items, and the number of all items. If it returns true, the call ends
/// with `GECC_STATUS_CANCELLED`. It must return normally, and must not throw or jump.
pub type GeccProgress =
    Option<unsafe extern "C" fn(context: *mut c_void, done: usize, items: usize) -> bool>;

/// A progress function, with its context.
#[derive(Clone, Copy)]
struct ProgressHandler {
    progress: GeccProgress,
    context: *mut c_void,
}

const NO_HANDLER: ProgressHandler = ProgressHandler {
    progress: None,
    context: null_mut(),
};

thread_local! {
    static HANDLER: Cell<ProgressHandler> = const { Cell::new(NO_HANDLER) };
}

/// Registers `progress` for the calling thread, or removes it if null. Calls of the thread that
/// have columns then call it with `context` between pieces of about half a second, and end if it
/// returns true. Other threads are not affected. Initially a thread has no such function.
///
/// A call with few items is one piece, and does not call `progress`. A call that is cancelled
/// writes codes of 0, and its other results are meaningless. `progress` is called on the thread
/// that made the call. It may make calls, which do not report progress. A function that it
/// registers is dropped when it returns. `context` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_on_progress(progress: GeccProgress, context: *mut c_void) {
    // While a thread ends, its variable may be gone, and it makes no calls.
    let _ = HANDLER.try_with(|handler| handler.set(ProgressHandler { progress, context }));
}

/// Restores the progress function after a call of it, even one that panics.
struct HandlerGuard(ProgressHandler);

impl Drop for HandlerGuard {
    fn drop(&mut self) {
        let _ = HANDLER.try_with(|handler| handler.set(self.0));
    }
}

impl ProgressHandler {
    fn of_this_thread() -> Self {
        HANDLER.try_with(Cell::get).unwrap_or(NO_HANDLER)
    }

    /// Asks the caller whether to continue.
    ///
    /// # Errors
    /// Returns `GECC_STATUS_CANCELLED` if the call is to end.
    fn ask(self, done: usize, items: usize) -> Result<(), Failure> {
        let Some(progress) = self.progress else {
            return Ok(());
        };
        let _restore = HandlerGuard(HANDLER.replace(NO_HANDLER));
        // SAFETY: the caller's promise in `gecc_on_progress`.
        match unsafe { progress(self.context, done, items) } {
            true => Err(Failure::new(
                GeccStatus::Cancelled,
                format!("ended by the caller after {done} of {items} items"),
            )),
            false => Ok(()),
        }
    }
}

/// A range of a call's items.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    start: usize,
    end: usize,
}

impl Piece {
    pub fn items(self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the part of a column.
    pub fn of<T: ItemColumn>(self, column: T) -> T {
        column.part(self.items())
    }

    /// Returns the part of a slice with one value per item.
    pub fn of_all<T>(self, values: &[T]) -> &[T] {
        &values[self.items()]
    }

    /// Returns the part of the results.
    pub fn out<T>(self, results: &mut [T]) -> &mut [T] {
        &mut results[self.items()]
    }

    /// Returns the part of results of `width` bytes each.
    pub fn wide(self, results: &mut [u8], width: usize) -> &mut [u8] {
        &mut results[self.start * width..self.end * width]
    }
}

/// A column that can be restricted to a range of items.
pub(crate) trait ItemColumn {
    fn part(self, items: Range<usize>) -> Self;
}

macro_rules! parts {
    ($($column:ty),*) => {$(
        impl ItemColumn for $column {
            fn part(self, items: Range<usize>) -> Self {
                self.slice(items)
            }
        }
    )*};
}

parts!(
    PublicKeys<'_>,
    SecretKeys<'_>,
    SigningKeys<'_>,
    Auxiliary<'_>,
    Outputs<'_>
);

impl<const W: usize> ItemColumn for Rows<'_, W> {
    fn part(self, items: Range<usize>) -> Self {
        self.slice(items)
    }
}

impl<T: ItemColumn> ItemColumn for Option<T> {
    fn part(self, items: Range<usize>) -> Self {
        self.map(|column| column.part(items))
    }
}

/// Runs the work at once, or in pieces if the thread has a progress function. Long messages also
/// limit a piece.
pub(crate) fn in_pieces(
    engine: &Engine,
    items: usize,
    messages: Option<&[&[u8]]>,
    mut work: impl FnMut(Piece) -> Result<(), Error>,
) -> Result<(), Failure> {
    let handler = ProgressHandler::of_this_thread();
    if handler.progress.is_none() {
        return Ok(work(Piece {
            start: 0,
            end: items,
        })?);
    }
    let mut pieces = engine.pieces(items);
    loop {
        let piece = match messages {
            Some(messages) => pieces.next_of_messages(|item| messages[item].len()),
            None => pieces.next(),
        };
        let Some(Range { start, end }) = piece else {
            return Ok(());
        };
        if start > 0 {
            handler.ask(start, items)?;
        }
        work(Piece { start, end })?;
    }
}
