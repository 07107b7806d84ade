//! Containers of private keys and shared secrets on their way through a command.

#[cfg(test)]
mod freed;
pub mod wiped;
