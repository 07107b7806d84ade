//! The command line, run as a user runs it.

mod additional_data;
mod answers;
mod bench;
mod bip340;
#[cfg(feature = "chains")]
mod bitcoin_node;

mod cases;
#[cfg(feature = "chains")]
mod chains;
#[cfg(feature = "arrow")]
mod columns;
mod commit;
mod compressed;
mod ed25519;
#[cfg(feature = "chains")]
mod ethereum;
mod formats;
mod help;
mod input;
mod key_forms;
mod keys;
mod leaks;
mod masks;
mod operations;
mod program;
mod recover;
#[path = "../../../../tests/cases/mod.rs"]
mod shared_cases;
mod signature_forms;
#[cfg(all(feature = "arrow", feature = "chains"))]
mod silent_payments;
mod streams;
mod support;
mod supported_inputs;
#[cfg(feature = "arrow")]
#[path = "../../../gecc-arrow/tests/arrow/synthetic.rs"]
mod synthetic;
#[cfg(feature = "arrow")]
mod tables;
mod text_forms;
mod verify;
mod x25519;

const PROGRAM: &str = env!("CARGO_BIN_EXE_gecc");
