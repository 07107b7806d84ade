//! The kernels of `cuda/lab/` as structs, like those of the library, and what arrays hold that only these have.

#![allow(dead_code, missing_docs, unused_imports, reason = "build.rs writes the same for every kernel")]

use gecc::lab::columns::Column;
use gecc::lab::{Argument, Fault, Grid, NO_CURVE, Stream, Unit};

/// What arrays hold.
pub mod columns {
    pub use gecc::lab::columns::*;
    include!(concat!(env!("OUT_DIR"), "/contents.rs"));
}

include!(concat!(env!("OUT_DIR"), "/launchers.rs"));
