//! Generated from the device code by `cargo run -p gecc-codegen`; not to be edited.
//! `tests/library/generated.rs` compares.

/// Embeds headers as (path, text).
macro_rules! headers {
    ($($path:literal,)*) => {
        &[$(($path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cuda/", $path)))),*]
    };
}

/// Embeds kernel files as (name, text).
macro_rules! kernels {
    ($($name:literal,)*) => {
        &[$(
            (
                $name,
                include_str!(concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/cuda/lab/",
                    $name,
                    ".cu"
                )),
            )
        ),*]
    };
}

/// The headers, by their paths in `#include`.
pub const HEADERS: &[(&str, &str)] = headers! {
    "lab/columns.cuh",
    "lab/methods.cuh",
    "methods/cios.cuh",
    "methods/doubles.cuh",
    "methods/gecc_sm2.cuh",
    "methods/gecc_sos.cuh",
    "methods/half_words.cuh",
    "methods/karatsuba.cuh",
    "methods/low_high_rows.cuh",
    "methods/production.cuh",
};

/// The kernel files, by their names.
pub const KERNELS: &[(&str, &str)] = kernels! {
    "ablation",
    "batch_inverse",
    "chain",
    "fields",
    "methods",
    "production",
};

/// Kernel files that do not depend on the curve.
#[rustfmt::skip]
pub const WITHOUT_CURVE: &[&str] = &[
    "methods",
];
