//! Containers for private keys and shared secrets in transit through a command.

pub mod buffers;
#[cfg(test)]
mod freed_memory;
