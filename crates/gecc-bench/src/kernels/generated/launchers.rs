//! Generated from the device code by `cargo run -p gecc-codegen`; not to be edited.
//! `tests/library/generated.rs` compares.

use super::columns::{self, Column};
use gecc::device_kernel;
use gecc::lab::{Argument, Fault, Grid, NO_CURVE, Stream, Unit};

device_kernel! {
    /// `gecc_ablation_add_rows_by_vectors` of `ablation.cu`.
    pub struct AblationAddRowsByVectors {
        pub a_rows: Column<columns::XyRows>,
        pub a_kinds: Column<columns::PointKinds>,
        pub b_rows: Column<columns::XyRows>,
        pub b_kinds: Column<columns::PointKinds>,
        pub out_rows: Column<columns::XyRows>,
        pub out_kinds: Column<columns::PointKinds>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_ablation_add_rows_by_vectors" in "ablation",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ablation_add_rows_by_words` of `ablation.cu`.
    pub struct AblationAddRowsByWords {
        pub a_rows: Column<columns::XyRows>,
        pub a_kinds: Column<columns::PointKinds>,
        pub b_rows: Column<columns::XyRows>,
        pub b_kinds: Column<columns::PointKinds>,
        pub out_rows: Column<columns::XyRows>,
        pub out_kinds: Column<columns::PointKinds>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_ablation_add_rows_by_words" in "ablation",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ablation_denominators` of `ablation.cu`.
    pub struct AblationDenominators {
        pub a_xy: Column<columns::Xy>,
        pub a_kinds: Column<columns::PointKinds>,
        pub b_xy: Column<columns::Xy>,
        pub b_kinds: Column<columns::PointKinds>,
        pub denominators: Column<columns::FieldElements>,
        pub n: u64,
    }
    on_a_curve: "gecc_ablation_denominators" in "ablation",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ablation_apply` of `ablation.cu`.
    pub struct AblationApply {
        pub a_xy: Column<columns::Xy>,
        pub a_kinds: Column<columns::PointKinds>,
        pub b_xy: Column<columns::Xy>,
        pub b_kinds: Column<columns::PointKinds>,
        pub inverses: Column<columns::FieldElements>,
        pub out_xy: Column<columns::Xy>,
        pub out_kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_ablation_apply" in "ablation",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ablation_fpmul_affine` of `ablation.cu`.
    pub struct AblationFpmulAffine {
        pub scalars: Column<columns::Scalars>,
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_ablation_fpmul_affine" in "ablation",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ablation_to_rows` of `ablation.cu`.
    pub struct AblationToRows {
        pub xy: Column<columns::Xy>,
        pub rows: Column<columns::XyRows>,
        pub n: u64,
    }
    on_a_curve: "gecc_ablation_to_rows" in "ablation",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ablation_from_rows` of `ablation.cu`.
    pub struct AblationFromRows {
        pub rows: Column<columns::XyRows>,
        pub xy: Column<columns::Xy>,
        pub n: u64,
    }
    on_a_curve: "gecc_ablation_from_rows" in "ablation",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ablation_count_equal` of `ablation.cu`.
    pub struct AblationCountEqual {
        pub a_xy: Column<columns::Xy>,
        pub a_kinds: Column<columns::PointKinds>,
        pub b_xy: Column<columns::Xy>,
        pub b_kinds: Column<columns::PointKinds>,
        pub count: Column<columns::EqualCount>,
        pub n: u64,
    }
    on_a_curve: "gecc_ablation_count_equal" in "ablation",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_batch_inverse` of `batch_inverse.cu`.
    pub struct BatchInverse {
        pub values: Column<columns::FieldElements>,
        pub out: Column<columns::FieldElements>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_batch_inverse" in "batch_inverse",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_chain_field_mul` of `chain.cu` and the other kernels of its macro.
    pub struct Chain {
        pub items: Column<columns::AnyNumbers>,
        pub n: u64,
        pub rounds: u32,
    }
    one_of: [
        "gecc_chain_field_mul" in "chain",
        "gecc_chain_field_sqr" in "chain",
        "gecc_chain_field_add" in "chain",
        "gecc_chain_field_inv" in "chain",
        "gecc_chain_scalar_mul" in "chain",
        "gecc_chain_scalar_sqr" in "chain",
        "gecc_chain_point_double" in "chain",
        "gecc_chain_point_add" in "chain",
    ],
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_import_field` of `fields.cu`.
    pub struct ImportField {
        pub rows: Column<columns::ByteRows<32>>,
        pub elements: Column<columns::FieldElements>,
        pub n: u64,
    }
    on_a_curve: "gecc_import_field" in "fields",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_export_field` of `fields.cu`.
    pub struct ExportField {
        pub elements: Column<columns::FieldElements>,
        pub rows: Column<columns::ByteRows<32>>,
        pub n: u64,
    }
    on_a_curve: "gecc_export_field" in "fields",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_method_gecc_sos_128_mul` of `methods.cu` and the other kernels of its macro.
    pub struct Methods {
        pub items: Column<columns::AnyNumbers>,
        pub modulus: [u32; 17],
        pub rounds: u32,
        pub n: u64,
    }
    grid {
        pub resident: u32,
    }
    one_of: [
        "gecc_method_gecc_sos_128_mul" in "methods",
        "gecc_method_gecc_sos_128_sqr" in "methods",
        "gecc_method_gecc_sos_256_mul" in "methods",
        "gecc_method_gecc_sos_256_sqr" in "methods",
        "gecc_method_gecc_sos_384_mul" in "methods",
        "gecc_method_gecc_sos_384_sqr" in "methods",
        "gecc_method_gecc_sos_512_mul" in "methods",
        "gecc_method_gecc_sos_512_sqr" in "methods",
        "gecc_method_cios_128_mul" in "methods",
        "gecc_method_cios_128_sqr" in "methods",
        "gecc_method_cios_256_mul" in "methods",
        "gecc_method_cios_256_sqr" in "methods",
        "gecc_method_cios_384_mul" in "methods",
        "gecc_method_cios_384_sqr" in "methods",
        "gecc_method_cios_512_mul" in "methods",
        "gecc_method_cios_512_sqr" in "methods",
        "gecc_method_karatsuba_128_mul" in "methods",
        "gecc_method_karatsuba_128_sqr" in "methods",
        "gecc_method_karatsuba_256_mul" in "methods",
        "gecc_method_karatsuba_256_sqr" in "methods",
        "gecc_method_karatsuba_384_mul" in "methods",
        "gecc_method_karatsuba_384_sqr" in "methods",
        "gecc_method_karatsuba_512_mul" in "methods",
        "gecc_method_karatsuba_512_sqr" in "methods",
        "gecc_method_low_high_rows_128_mul" in "methods",
        "gecc_method_low_high_rows_128_sqr" in "methods",
        "gecc_method_low_high_rows_256_mul" in "methods",
        "gecc_method_low_high_rows_256_sqr" in "methods",
        "gecc_method_low_high_rows_384_mul" in "methods",
        "gecc_method_low_high_rows_384_sqr" in "methods",
        "gecc_method_low_high_rows_512_mul" in "methods",
        "gecc_method_low_high_rows_512_sqr" in "methods",
        "gecc_method_doubles_128_mul" in "methods",
        "gecc_method_doubles_128_sqr" in "methods",
        "gecc_method_doubles_256_mul" in "methods",
        "gecc_method_doubles_256_sqr" in "methods",
        "gecc_method_doubles_384_mul" in "methods",
        "gecc_method_doubles_384_sqr" in "methods",
        "gecc_method_doubles_512_mul" in "methods",
        "gecc_method_doubles_512_sqr" in "methods",
        "gecc_method_half_words_128_mul" in "methods",
        "gecc_method_half_words_128_sqr" in "methods",
        "gecc_method_half_words_256_mul" in "methods",
        "gecc_method_half_words_256_sqr" in "methods",
        "gecc_method_half_words_384_mul" in "methods",
        "gecc_method_half_words_384_sqr" in "methods",
        "gecc_method_half_words_512_mul" in "methods",
        "gecc_method_half_words_512_sqr" in "methods",
        "gecc_method_gecc_sm2_256_mul" in "methods",
        "gecc_method_gecc_sm2_256_sqr" in "methods",
        "gecc_method_production_field_256_mul" in "production",
        "gecc_method_production_field_256_sqr" in "production",
        "gecc_method_production_order_256_mul" in "production",
        "gecc_method_production_order_256_sqr" in "production",
    ],
    threads: 256,
    blocks_of: resident,
    items: |it| it.n,
}

/// Every kernel, with its file.
#[rustfmt::skip]
pub const ALL: &[(&str, &str)] = &[
    ("ablation", "gecc_ablation_add_rows_by_vectors"),
    ("ablation", "gecc_ablation_add_rows_by_words"),
    ("ablation", "gecc_ablation_denominators"),
    ("ablation", "gecc_ablation_apply"),
    ("ablation", "gecc_ablation_fpmul_affine"),
    ("ablation", "gecc_ablation_to_rows"),
    ("ablation", "gecc_ablation_from_rows"),
    ("ablation", "gecc_ablation_count_equal"),
    ("batch_inverse", "gecc_batch_inverse"),
    ("chain", "gecc_chain_field_mul"),
    ("chain", "gecc_chain_field_sqr"),
    ("chain", "gecc_chain_field_add"),
    ("chain", "gecc_chain_field_inv"),
    ("chain", "gecc_chain_scalar_mul"),
    ("chain", "gecc_chain_scalar_sqr"),
    ("chain", "gecc_chain_point_double"),
    ("chain", "gecc_chain_point_add"),
    ("fields", "gecc_import_field"),
    ("fields", "gecc_export_field"),
    ("methods", "gecc_method_gecc_sos_128_mul"),
    ("methods", "gecc_method_gecc_sos_128_sqr"),
    ("methods", "gecc_method_gecc_sos_256_mul"),
    ("methods", "gecc_method_gecc_sos_256_sqr"),
    ("methods", "gecc_method_gecc_sos_384_mul"),
    ("methods", "gecc_method_gecc_sos_384_sqr"),
    ("methods", "gecc_method_gecc_sos_512_mul"),
    ("methods", "gecc_method_gecc_sos_512_sqr"),
    ("methods", "gecc_method_cios_128_mul"),
    ("methods", "gecc_method_cios_128_sqr"),
    ("methods", "gecc_method_cios_256_mul"),
    ("methods", "gecc_method_cios_256_sqr"),
    ("methods", "gecc_method_cios_384_mul"),
    ("methods", "gecc_method_cios_384_sqr"),
    ("methods", "gecc_method_cios_512_mul"),
    ("methods", "gecc_method_cios_512_sqr"),
    ("methods", "gecc_method_karatsuba_128_mul"),
    ("methods", "gecc_method_karatsuba_128_sqr"),
    ("methods", "gecc_method_karatsuba_256_mul"),
    ("methods", "gecc_method_karatsuba_256_sqr"),
    ("methods", "gecc_method_karatsuba_384_mul"),
    ("methods", "gecc_method_karatsuba_384_sqr"),
    ("methods", "gecc_method_karatsuba_512_mul"),
    ("methods", "gecc_method_karatsuba_512_sqr"),
    ("methods", "gecc_method_low_high_rows_128_mul"),
    ("methods", "gecc_method_low_high_rows_128_sqr"),
    ("methods", "gecc_method_low_high_rows_256_mul"),
    ("methods", "gecc_method_low_high_rows_256_sqr"),
    ("methods", "gecc_method_low_high_rows_384_mul"),
    ("methods", "gecc_method_low_high_rows_384_sqr"),
    ("methods", "gecc_method_low_high_rows_512_mul"),
    ("methods", "gecc_method_low_high_rows_512_sqr"),
    ("methods", "gecc_method_doubles_128_mul"),
    ("methods", "gecc_method_doubles_128_sqr"),
    ("methods", "gecc_method_doubles_256_mul"),
    ("methods", "gecc_method_doubles_256_sqr"),
    ("methods", "gecc_method_doubles_384_mul"),
    ("methods", "gecc_method_doubles_384_sqr"),
    ("methods", "gecc_method_doubles_512_mul"),
    ("methods", "gecc_method_doubles_512_sqr"),
    ("methods", "gecc_method_half_words_128_mul"),
    ("methods", "gecc_method_half_words_128_sqr"),
    ("methods", "gecc_method_half_words_256_mul"),
    ("methods", "gecc_method_half_words_256_sqr"),
    ("methods", "gecc_method_half_words_384_mul"),
    ("methods", "gecc_method_half_words_384_sqr"),
    ("methods", "gecc_method_half_words_512_mul"),
    ("methods", "gecc_method_half_words_512_sqr"),
    ("methods", "gecc_method_gecc_sm2_256_mul"),
    ("methods", "gecc_method_gecc_sm2_256_sqr"),
    ("production", "gecc_method_production_field_256_mul"),
    ("production", "gecc_method_production_field_256_sqr"),
    ("production", "gecc_method_production_order_256_mul"),
    ("production", "gecc_method_production_order_256_sqr"),
];
