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
                    "/cuda/kernels/",
                    $name,
                    ".cu"
                )),
            )
        ),*]
    };
}

/// The headers, by their paths in `#include`.
pub const HEADERS: &[(&str, &str)] = headers! {
    "codes.cuh",
    "curve/affine_add.cuh",
    "curve/batch_inverse.cuh",
    "curve/edwards.cuh",
    "curve/edwards_multiply.cuh",
    "curve/edwards_tables.cuh",
    "curve/halves.cuh",
    "curve/jacobian.cuh",
    "curve/ladder.cuh",
    "curve/map_to_curve.cuh",
    "curve/multiples.cuh",
    "curve/multiply_add.cuh",
    "curve/point.cuh",
    "curve/recode.cuh",
    "curve/ristretto.cuh",
    "curve/table_sum.cuh",
    "curve/window_digit.cuh",
    "curve/xyzz.cuh",
    "field/field.cuh",
    "field/fold.cuh",
    "field/fold_255.cuh",
    "field/inverse.cuh",
    "field/modulus.cuh",
    "field/montgomery.cuh",
    "field/montgomery_p256.cuh",
    "field/montgomery_sm2.cuh",
    "field/montgomery_sparse.cuh",
    "field/open.cuh",
    "field/product.cuh",
    "field/scalar.cuh",
    "field/square.cuh",
    "hash/bytes.cuh",
    "hash/expand_message.cuh",
    "hash/expand_message_512.cuh",
    "hash/hmac.cuh",
    "hash/keccak.cuh",
    "hash/message.cuh",
    "hash/sha256.cuh",
    "hash/sha512.cuh",
    "hash/sm3.cuh",
    "hash/state.cuh",
    "hash/tagged.cuh",
    "kernels/batched.cuh",
    "kernels/block_inverse.cuh",
    "kernels/bucket_sums.cuh",
    "kernels/bucket_sums_edwards.cuh",
    "kernels/bucket_sums_weierstrass.cuh",
    "kernels/bucket_terms.cuh",
    "kernels/coefficients.cuh",
    "kernels/columns.cuh",
    "kernels/count_per_warp.cuh",
    "kernels/edwards_batch.cuh",
    "kernels/edwards_windows.cuh",
    "kernels/item_list.cuh",
    "kernels/layout.cuh",
    "kernels/multiply_add.cuh",
    "kernels/niels_rows.cuh",
    "kernels/point_batch.cuh",
    "kernels/point_sum.cuh",
    "kernels/rows.cuh",
    "kernels/sum_by_tables.cuh",
    "kernels/table_rows.cuh",
    "kernels/texts.cuh",
    "kernels/tiles.cuh",
    "kernels/uniform_table.cuh",
    "kernels/upmul.cuh",
    "kernels/vector.cuh",
    "kernels/window_base.cuh",
    "kernels/window_table.cuh",
    "modular/chains.cuh",
    "modular/chains_ptx.cuh",
    "modular/method.cuh",
    "modular/modexp.cuh",
    "modular/mul_mod.cuh",
    "modular/rows.cuh",
    "modular/samples.cuh",
    "primitives/host.cuh",
    "primitives/ptx.cuh",
    "primitives/types.cuh",
    "primitives/words.cuh",
    "scheme/batch_verification.cuh",
    "scheme/bip340.cuh",
    "scheme/compare.cuh",
    "scheme/ed25519.cuh",
    "scheme/equation.cuh",
    "scheme/hash_to_curve.cuh",
    "scheme/key_hash.cuh",
    "scheme/key_index.cuh",
    "scheme/nonce.cuh",
    "scheme/recovery.cuh",
    "scheme/ristretto255.cuh",
    "scheme/sign.cuh",
    "scheme/silent_payments.cuh",
    "scheme/sm2_digest.cuh",
    "scheme/verdict.cuh",
    "scheme/x25519.cuh",
};

/// The kernel files, by their names.
pub const KERNELS: &[(&str, &str)] = kernels! {
    "address",
    "batch_verification",
    "bip340",
    "bip340_silent",
    "bip340_tweak",
    "bip340_verify",
    "buckets",
    "ed25519",
    "ed25519_batch_verification",
    "ed25519_sign",
    "ed25519_tables",
    "edwards_multiply",
    "equations",
    "fpmul",
    "group_terms",
    "hash",
    "hash_to_curve",
    "hash_to_curve_tries",
    "key_groups",
    "key_tables",
    "layout",
    "mask",
    "modexp",
    "msm",
    "mul_mod",
    "nonces",
    "normalize",
    "point_add",
    "point_sum",
    "recover",
    "results",
    "ristretto255",
    "rows",
    "sign",
    "table",
    "upmul",
    "verify",
    "x25519",
};

/// Kernel files that do not depend on the curve.
#[rustfmt::skip]
pub const WITHOUT_CURVE: &[&str] = &[
    "modexp",
    "mul_mod",
    "rows",
];

/// Kernel files that are compiled for some curves only.
pub const ON_SOME_CURVES: &[(&str, &[&str])] = &[
    ("bip340", &["secp256k1"]),
    ("bip340_silent", &["secp256k1"]),
    ("bip340_tweak", &["secp256k1"]),
    ("bip340_verify", &["secp256k1"]),
    ("ed25519", &["ed25519"]),
    ("ed25519_batch_verification", &["ed25519"]),
    ("ed25519_sign", &["ed25519"]),
    ("ed25519_tables", &["ed25519"]),
    ("edwards_multiply", &["ed25519"]),
    ("hash_to_curve", &["p256", "secp256k1"]),
    ("hash_to_curve_tries", &["p256", "sm2"]),
    ("ristretto255", &["ed25519"]),
    ("x25519", &["ed25519"]),
];
