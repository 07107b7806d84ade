//! The kernels of `cuda/lab/` as structs, like those of the library, and the contents of arrays
//! that only these kernels use.

#![allow(
    dead_code,
    missing_docs,
    unused_imports,
    reason = "build.rs writes the same for every kernel"
)]

use gecc::lab::columns::Column;
use gecc::lab::{Argument, Fault, Grid, NO_CURVE, Stream, Unit};

/// The contents of device arrays.
pub mod columns {
    pub use gecc::lab::columns::*;
    include!(concat!(env!("OUT_DIR"), "/contents.rs"));
}

include!(concat!(env!("OUT_DIR"), "/launchers.rs"));
