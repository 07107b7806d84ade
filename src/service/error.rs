//! Errors of requests.

use crate::types::Error;
use std::sync::Arc;

/// The reason why a request has no answer. A bad item is not an error: it has its own
/// [`crate::Rejection`].
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// There is no room for the request at the moment. None of its items were admitted.
    #[error("no room for {items} items now in a queue of {queue}")]
    Full {
        /// Items of the request.
        items: usize,
        /// Items that the queue holds.
        queue: usize,
    },
    /// The request alone exceeds the maximum size of a batch.
    #[error("a request of {items} items, and the largest batch has {most}")]
    TooLarge {
        /// Items of the request.
        items: usize,
        /// Items of the largest batch.
        most: usize,
    },
    /// The columns of the request differ in length, or the curve does not support the scheme.
    #[error(transparent)]
    Invalid(Arc<Error>),
    /// The coalescer was shut down before the request began.
    #[error("the coalescer was shut down")]
    Stopped,
    /// The coalescer was created in the parent process before a fork, and its threads exist only
    /// there.
    #[error("the coalescer was made before this process forked: make one after the fork")]
    Forked,
    /// The engine failed to compute the batch of the request.
    #[error("the batch of this request failed: {0}")]
    Engine(Arc<Error>),
    /// The computation of the request's batch panicked.
    #[error("the batch of this request panicked: {0}")]
    Panicked(Arc<str>),
}
