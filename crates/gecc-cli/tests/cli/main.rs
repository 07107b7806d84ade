//! The command line, run as a user runs it.

mod answers;
mod bench;
mod formats;
mod help;
mod input;
mod key_forms;
mod keys;
mod recover;
mod streams;
mod support;
mod verify;
