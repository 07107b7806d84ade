//! Errors of whole calls.

/// The reason why a whole call could not run. No item has been computed when a call returns this.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two inputs of one call that must have one entry per item differ in length.
    #[error("{what}: {found} entries for a batch of {expected} items")]
    LengthMismatch {
        /// The input whose length differs.
        what: &'static str,
        /// Items in the batch, as the first input of the call gives it.
        expected: usize,
        /// Entries found.
        found: usize,
    },
    /// A signature scheme that the library does not offer on a curve.
    #[error("there is no {scheme} on {curve}")]
    NoScheme {
        /// The scheme.
        scheme: &'static str,
        /// The curve.
        curve: &'static str,
    },
    /// Rows that do not lie within the bytes they are said to be in.
    #[error("column: {0}")]
    InvalidColumn(String),
    /// A GPU was asked for and none can be used.
    #[error("no usable GPU: {0}")]
    NoDevice(String),
    /// No GPU could compute the batch, and the engine may not use the CPU instead.
    #[error("the GPU engine failed: {0}")]
    Device(String),
    /// Kernels could not be compiled, stored or loaded.
    #[error("kernels: {0}")]
    Kernels(String),
    /// An engine option is out of range.
    #[error("engine option {option}: {problem}")]
    InvalidOption {
        /// The builder method.
        option: &'static str,
        /// The problem with its value.
        problem: String,
    },
    /// A context of Ed25519ctx or Ed25519ph is longer than 255 bytes.
    #[error("a context of {bytes} bytes, and 255 are the most")]
    ContextTooLong {
        /// Its bytes.
        bytes: usize,
    },
    /// The modulus of a call is even, or 1.
    #[error("the modulus is not an odd number above 1")]
    InvalidModulus,
    /// There is no memory for a buffer.
    #[error("no memory for {bytes} bytes")]
    OutOfMemory {
        /// Bytes that were asked for.
        bytes: usize,
    },
    /// The operating system refused to start the worker threads.
    #[error("worker threads could not be started: {0}")]
    Threads(String),
    /// The engine was made before its process forked from another: its threads are in that one.
    #[error("the engine was made before this process forked: make one after the fork")]
    Forked,
    /// The operating system's random number generator failed.
    #[error("no randomness from the operating system: {0}")]
    Randomness(String),
}

/// `Ok` when each of `found` has as many entries as the batch has items.
pub(crate) fn require_lengths(expected: usize, found: &[(&'static str, usize)]) -> Result<(), Error> {
    match found.iter().find(|(_, length)| *length != expected) {
        None => Ok(()),
        Some(&(what, found)) => Err(Error::LengthMismatch { what, expected, found }),
    }
}
