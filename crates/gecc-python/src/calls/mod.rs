//! Calls of the library, with arguments and results of Python.

pub mod der;
pub mod keys;
pub mod messages;
pub mod points;
pub mod signatures;
