//! Keys in files, through the public interface.

mod ed25519;
mod forms;
mod key_files;
mod x25519;
