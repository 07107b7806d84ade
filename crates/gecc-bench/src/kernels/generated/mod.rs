//! The kernels of `cuda/lab/` as structs, like those of the library, the contents of arrays that
//! only these kernels use, and the embedded files. `cargo run -p gecc-codegen` writes these files.

/// The contents of device arrays.
pub mod columns {
    pub use super::contents::*;
    pub use gecc::lab::columns::*;
}

#[allow(dead_code, missing_docs, reason = "every kernel has the same")]
mod contents;
pub mod files;
#[allow(
    dead_code,
    missing_docs,
    unused_imports,
    reason = "every kernel has the same"
)]
pub mod launchers;
