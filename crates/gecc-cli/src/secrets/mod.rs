//! Containers for private keys and shared secrets in transit through a command.

#[cfg(test)]
mod freed;
pub mod wiped;
