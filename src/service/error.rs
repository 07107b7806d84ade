//! Errors of requests.

use crate::types::Error;
use std::sync::Arc;

/// The reason why a request has no answer. A bad item is not an error: it has a
/// [`crate::Rejection`] of its own.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// There is no room for the request now. Nothing of it was taken.
    #[error("no room for {items} items now in a queue of {queue}")]
    Full {
        /// Items of the request.
        items: usize,
        /// Items that the queue holds.
        queue: usize,
    },
    /// The request alone is larger than a batch may be.
    #[error("a request of {items} items, and the largest batch has {most}")]
    TooLarge {
        /// Items of the request.
        items: usize,
        /// Items of the largest batch.
        most: usize,
    },
    /// The columns of the request differ in length, or the curve does not offer the scheme.
    #[error(transparent)]
    Invalid(Arc<Error>),
    /// The coalescer was shut down before the request was begun.
    #[error("the coalescer was shut down")]
    Stopped,
    /// The coalescer was made before its process forked from another: its threads are in that one.
    #[error("the coalescer was made before this process forked: make one after the fork")]
    Forked,
    /// The engine could not compute the batch that the request was in.
    #[error("the batch of this request failed: {0}")]
    Engine(Arc<Error>),
    /// The computation of the batch that the request was in panicked.
    #[error("the batch of this request panicked: {0}")]
    Panicked(Arc<str>),
}
