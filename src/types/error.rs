//! Errors of whole calls.

use super::Rejection;

/// The reason why a whole call failed. The call returns no results; the contents of output columns
/// are unspecified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two inputs that need one entry per item differ in length.
    #[error("{what}: {found} entries for a batch of {expected} items")]
    LengthMismatch {
        /// The input whose length differs.
        what: &'static str,
        /// Items in the batch, as determined by the first input of the call.
        expected: usize,
        /// Entries found.
        found: usize,
    },
    /// A signature scheme that the library does not support on a curve.
    #[error("there is no {scheme} on {curve}")]
    NoScheme {
        /// The scheme.
        scheme: &'static str,
        /// The curve.
        curve: &'static str,
    },
    /// Rows that exceed the bytes of their column.
    #[error("column: {0}")]
    InvalidColumn(String),
    /// A GPU was requested and none can be used.
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
    /// A context of Ed25519ctx or Ed25519ph longer than 255 bytes.
    #[error("a context of {bytes} bytes, and 255 are the most")]
    ContextTooLong {
        /// The context's length in bytes.
        bytes: usize,
    },
    /// A domain separation tag for a hash-to-curve suite that takes none, or no tag for one that
    /// requires it.
    #[error("the suite {suite} {problem}")]
    DomainSeparation {
        /// The suite's name.
        suite: &'static str,
        /// The mistake: the tag is missing, or superfluous.
        problem: &'static str,
    },
    /// A form of masked points that truncates x to no byte or to more than 32.
    #[error(
        "masked points truncated to {bytes} bytes: x has 32 bytes, of which 1 to 32 can be kept"
    )]
    InvalidForm {
        /// The bytes to which x was to be truncated.
        bytes: u8,
    },
    /// An input of an oblivious pseudorandom function, or the public information of a derived key,
    /// longer than 65535 bytes, so that its length cannot be hashed as two bytes.
    #[error("{what}: {bytes} bytes, and 65535 are the most")]
    InputTooLong {
        /// The input whose length is out of range.
        what: &'static str,
        /// Its length in bytes.
        bytes: usize,
    },
    /// A malformed element of a batch with a proof, which proves all elements or none.
    #[error("{what}: item {item}: {reason}")]
    InvalidElement {
        /// The list with the element.
        what: &'static str,
        /// The index of the first such element.
        item: usize,
        /// The reason why it is not an element.
        reason: Rejection,
    },
    /// A key of a server that is out of range, or is not a point of the curve.
    #[error("key of the server: {0}")]
    InvalidServerKey(Rejection),
    /// A batch whose elements cannot be proved to have been evaluated with one key.
    #[error("no proof for {items} elements: {problem}")]
    Unprovable {
        /// The number of elements.
        items: usize,
        /// The reason.
        problem: &'static str,
    },
    /// A proof that does not belong to these elements and this public key.
    #[error("the proof does not match the elements and the public key of the server")]
    InvalidProof,
    /// A modulus that is even, or 1.
    #[error("the modulus is not an odd number above 1")]
    InvalidModulus,
    /// A buffer could not be allocated.
    #[error("no memory for {bytes} bytes")]
    OutOfMemory {
        /// Bytes requested.
        bytes: usize,
    },
    /// The operating system refused to start the worker threads.
    #[error("worker threads could not be started: {0}")]
    Threads(String),
    /// The engine was created before this process was forked: its threads belong to the parent.
    #[error("the engine was made before this process forked: make one after the fork")]
    Forked,
    /// The operating system's random number generator failed.
    #[error("no randomness from the operating system: {0}")]
    Randomness(String),
}

/// Checks that each of `found` has as many entries as the batch has items.
pub(crate) fn require_lengths(
    expected: usize,
    found: &[(&'static str, usize)],
) -> Result<(), Error> {
    match found.iter().find(|(_, length)| *length != expected) {
        None => Ok(()),
        Some(&(what, found)) => Err(Error::LengthMismatch {
            what,
            expected,
            found,
        }),
    }
}
