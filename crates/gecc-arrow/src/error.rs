//! Errors of calls, files and streams.

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The reason why a call, file or stream could not be processed. A defect of a single row is its
/// [`crate::Reason`], never an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The columns do not hold what the operation needs.
    #[error("columns: {0}")]
    Columns(String),
    /// Options that contradict each other.
    #[error("options: {0}")]
    Options(String),
    /// The engine could not run.
    #[error(transparent)]
    Engine(#[from] gecc::Error),
    /// The operating system refused to read or write.
    #[error("{}: {source}", gecc::fields::shown_path(path))]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// Reading from or writing to a stream failed.
    #[error(transparent)]
    Stream(#[from] std::io::Error),
    /// The content is neither Parquet nor Arrow IPC.
    #[error("neither Parquet nor Arrow IPC: it begins with {0}")]
    UnknownFormat(String),
    /// The content contradicts itself, ends too early or is not supported.
    #[error("{0}")]
    Malformed(String),
    /// The content requires more memory than allowed.
    #[error("{what} of {found} is above the limit of {limit}")]
    Limit {
        /// The quantity that is too large, with its unit.
        what: &'static str,
        /// The value found in the content.
        found: u64,
        /// The limit.
        limit: u64,
    },
}

impl Error {
    /// Wraps an error of the system about a file.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
        move |source| Error::File {
            path: path.to_owned(),
            source,
        }
    }
}

impl From<ArrowError> for Error {
    fn from(problem: ArrowError) -> Self {
        match problem {
            ArrowError::IoError(_, source) => Error::Stream(source),
            problem => Error::Malformed(format!("Arrow: {problem}")),
        }
    }
}

impl From<ParquetError> for Error {
    fn from(problem: ParquetError) -> Self {
        match problem {
            ParquetError::External(source) => match source.downcast::<std::io::Error>() {
                Ok(source) => Error::Stream(*source),
                Err(other) => Error::Malformed(format!("Parquet: {other}")),
            },
            problem => Error::Malformed(format!("Parquet: {problem}")),
        }
    }
}

thread_local! {
    static CATCHES: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether a panic on this thread is converted to an [`Error`], as those of decoders are. A
/// panic hook, which runs earlier, can query this.
pub fn catches_panics() -> bool {
    CATCHES.get()
}

/// Runs a decoder or an encoder, which may panic on adversarial content.
pub(crate) fn caught<T>(decode: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let before = CATCHES.replace(true);
    // The state of a decoder that panicked is dropped, and not used again.
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    CATCHES.set(before);
    decoded.unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or(panic.downcast_ref::<&str>().copied());
        Err(Error::Malformed(format!(
            "decoding or encoding failed: {}",
            text.unwrap_or("it does not say why")
        )))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_text() {
        let formatted = caught::<()>(|| panic!("no {}", 7)).unwrap_err();
        assert_eq!(formatted.to_string(), "decoding or encoding failed: no 7");
        let literal = caught::<()>(|| panic!("no")).unwrap_err();
        assert_eq!(literal.to_string(), "decoding or encoding failed: no");
        assert_eq!(caught(|| Ok(3)).unwrap(), 3);
        assert!(caught(|| Ok(catches_panics())).unwrap() && !catches_panics());
    }
}
