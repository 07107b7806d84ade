//! Digests of messages.

pub mod message_lengths;
