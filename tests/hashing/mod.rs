//! Digests of messages.

pub mod digests;
