//! Generated from the device code by `cargo run -p gecc-codegen`; not to be edited.
//! `tests/library/generated.rs` compares.

use crate::gpu::columns::{self, Column};
use crate::gpu::runtime::{Argument, Fault, Grid, NO_CURVE, Stream, Unit};

device_kernel! {
    /// `gecc_ethereum_addresses` of `address.cu`.
    pub struct EthereumAddresses {
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub rows: Column<columns::Addresses>,
        pub n: u64,
    }
    on_a_curve: "gecc_ethereum_addresses" in "address",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_batch_verify_items` of `batch_verification.cu`.
    pub struct BatchVerifyItems {
        pub u1: Column<columns::Scalars>,
        pub u2: Column<columns::Scalars>,
        pub x: Column<columns::Scalars>,
        pub kinds: Column<columns::PointKinds>,
        pub verdicts: Column<columns::Verdicts>,
        pub ids: Option<Column<columns::RecoveryIds>>,
        pub on_device: Option<Column<columns::Codes>>,
        pub seed0: u64,
        pub seed1: u64,
        pub seed2: u64,
        pub seed3: u64,
        pub list_all: u32,
        pub scalars: Column<columns::Scalars>,
        pub coefficients: Column<columns::Coefficients>,
        pub rows: Column<columns::TermRows>,
        pub of_base: Column<columns::ScalarRows>,
        pub others: Column<columns::ItemNumbers>,
        pub counters: Column<columns::Counters>,
        pub n: u64,
    }
    on_a_curve: "gecc_batch_verify_items" in "batch_verification",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_batch_verify_compare` of `batch_verification.cu`.
    pub struct BatchVerifyCompare {
        pub of_base: Column<columns::ScalarRows>,
        pub sums: u32,
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub window_sums: Column<columns::XyzzRows>,
        pub windows: u32,
        pub counters: Column<columns::Counters>,
    }
    on_a_curve: "gecc_batch_verify_compare" in "batch_verification",
    threads: 128,
    items: |_| 128,
}

device_kernel! {
    /// `gecc_bip340_equations` of `bip340.cu`.
    pub struct Bip340Equations {
        pub data: Column<columns::Texts>,
        pub offsets: Option<Column<columns::Offsets>>,
        pub signatures: Column<columns::Signatures>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub u1: Column<columns::Scalars>,
        pub u2: Column<columns::Scalars>,
        pub r: Column<columns::Scalars>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_bip340_equations" in "bip340",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_bip340_reopen` of `bip340.cu`.
    pub struct Bip340Reopen {
        pub on_device: Column<columns::Codes>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_bip340_reopen" in "bip340",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_bip340_nonces` of `bip340.cu`.
    pub struct Bip340Nonces {
        pub data: Column<columns::Texts>,
        pub offsets: Option<Column<columns::Offsets>>,
        pub keys: Column<columns::SecretKeys>,
        pub key_stride: u64,
        pub auxiliary: Column<columns::SecretKeys>,
        pub auxiliary_stride: u64,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub nonces: Column<columns::Scalars>,
        pub status: Column<columns::SignStatuses>,
        pub n: u64,
    }
    on_a_curve: "gecc_bip340_nonces" in "bip340",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_bip340_sign` of `bip340.cu`.
    pub struct Bip340Sign {
        pub data: Column<columns::Texts>,
        pub offsets: Option<Column<columns::Offsets>>,
        pub on_device: Option<Column<columns::Codes>>,
        pub keys: Column<columns::SecretKeys>,
        pub key_stride: u64,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub nonces: Column<columns::Scalars>,
        pub r_xy: Column<columns::Xy>,
        pub r_kinds: Column<columns::PointKinds>,
        pub signatures: Column<columns::Signatures>,
        pub status: Column<columns::SignStatuses>,
        pub n: u64,
    }
    on_a_curve: "gecc_bip340_sign" in "bip340",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_upmul_fixed` of `bip340_silent.cu`.
    pub struct UpmulFixed {
        pub scalars: Column<columns::Scalars>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub tables: Column<columns::ThreadTables>,
        pub xyz: Column<columns::Xyz>,
        pub next_tile: Column<columns::NextTile>,
        pub n: u64,
    }
    on_a_curve: "gecc_upmul_fixed" in "bip340_silent",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_silent_tweaks` of `bip340_silent.cu`.
    pub struct SilentTweaks {
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub counters: Column<columns::ByteRows<4>>,
        pub tweaks: Column<columns::Scalars>,
        pub tweak_kinds: Column<columns::PointKinds>,
        pub rows: Column<columns::AnyRows>,
        pub row_bytes: u64,
        pub n: u64,
    }
    on_a_curve: "gecc_silent_tweaks" in "bip340_silent",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_silent_outputs` of `bip340_silent.cu`.
    pub struct SilentOutputs {
        pub xy: Column<columns::Xy>,
        pub prefixes: Column<columns::Prefixes>,
        pub kinds: Column<columns::PointKinds>,
        pub spend_xy: Column<columns::Xy>,
        pub spend_count: u64,
        pub which: u64,
        pub rows: Column<columns::AnyRows>,
        pub row_bytes: u64,
        pub n: u64,
    }
    on_a_curve: "gecc_silent_outputs" in "bip340_silent",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_silent_input_hashes` of `bip340_silent.cu`.
    pub struct SilentInputHashes {
        pub outpoints: Column<columns::ByteRows<36>>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub hashes: Column<columns::Scalars>,
        pub hash_kinds: Column<columns::NumberKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_silent_input_hashes" in "bip340_silent",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_tap_tweaks` of `bip340_tweak.cu`.
    pub struct TapTweaks {
        pub roots: Option<Column<columns::ByteRows<32>>>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub tweaks: Column<columns::Scalars>,
        pub tweak_kinds: Column<columns::NumberKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_tap_tweaks" in "bip340_tweak",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_tweak_codes` of `bip340_tweak.cu`.
    pub struct TweakCodes {
        pub key_kinds: Column<columns::PointKinds>,
        pub tweak_kinds: Column<columns::NumberKinds>,
        pub sum_kinds: Column<columns::PointKinds>,
        pub codes: Column<columns::Codes>,
        pub n: u64,
    }
    on_a_curve: "gecc_tweak_codes" in "bip340_tweak",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_bip340_verify` of `bip340_verify.cu`.
    pub struct Bip340Verify {
        pub u1: Column<columns::Scalars>,
        pub u2: Column<columns::Scalars>,
        pub r: Column<columns::Scalars>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub tables: Column<columns::ThreadTables>,
        pub items: Option<Column<columns::ItemNumbers>>,
        pub item_count: Option<Column<columns::ItemCount>>,
        pub next_tile: Column<columns::NextTile>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_bip340_verify" in "bip340_verify",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_bip340_verify_with_tables` of `bip340_verify.cu`.
    pub struct Bip340VerifyWithTables {
        pub u1: Column<columns::Scalars>,
        pub u2: Column<columns::Scalars>,
        pub r: Column<columns::Scalars>,
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub key_tables: Column<columns::KeyTables>,
        pub key_bits: u32,
        pub items: Column<columns::ItemNumbers>,
        pub item_tables: Column<columns::TableNumbers>,
        pub item_count: Column<columns::ItemCount>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_bip340_verify_with_tables" in "bip340_verify",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_msm_tiles` of `buckets.cu`.
    pub struct MsmTiles {
        pub ends: Column<columns::BucketEnds>,
        pub buckets: u32,
        pub tiles: Column<columns::BucketEnds>,
    }
    on_a_curve: "gecc_msm_tiles" in "buckets",
    threads: 1024,
    items: |it| u64::from(it.buckets),
}

device_kernel! {
    /// `gecc_msm_starts` of `buckets.cu`.
    pub struct MsmStarts {
        pub ends: Column<columns::BucketEnds>,
        pub buckets: u32,
        pub tiles: Column<columns::BucketEnds>,
    }
    on_a_curve: "gecc_msm_starts" in "buckets",
    threads: 1024,
    items: |it| u64::from(it.buckets),
}

device_kernel! {
    /// `gecc_msm_runs` of `buckets.cu`.
    pub struct MsmRuns {
        pub rows: Column<columns::TermRows>,
        pub terms: Column<columns::BucketTerms>,
        pub ends: Column<columns::BucketEnds>,
        pub buckets: u32,
        pub run: u32,
        pub partials: Column<columns::XyzzRows>,
    }
    grid {
        pub runs: u64,
    }
    on_a_curve: "gecc_msm_runs" in "buckets",
    threads: 128,
    items: |it| it.runs,
}

device_kernel! {
    /// `gecc_msm_buckets` of `buckets.cu`.
    pub struct MsmBuckets {
        pub ends: Column<columns::BucketEnds>,
        pub buckets: u32,
        pub run: u32,
        pub partials: Column<columns::XyzzRows>,
        pub large: Column<columns::BucketList>,
        pub counters: Column<columns::Counters>,
    }
    on_a_curve: "gecc_msm_buckets" in "buckets",
    threads: 128,
    items: |it| u64::from(it.buckets),
}

device_kernel! {
    /// `gecc_msm_large_buckets` of `buckets.cu`.
    pub struct MsmLargeBuckets {
        pub ends: Column<columns::BucketEnds>,
        pub run: u32,
        pub partials: Column<columns::XyzzRows>,
        pub large: Column<columns::BucketList>,
        pub counters: Column<columns::Counters>,
    }
    grid {
        pub buckets: u64,
    }
    on_a_curve: "gecc_msm_large_buckets" in "buckets",
    threads: 256,
    blocks: 2,
    items: |it| it.buckets,
}

device_kernel! {
    /// `gecc_msm_segments` of `buckets.cu`.
    pub struct MsmSegments {
        pub ends: Column<columns::BucketEnds>,
        pub buckets: u32,
        pub run: u32,
        pub partials: Column<columns::XyzzRows>,
        pub segment_bits: u32,
        pub sums: Column<columns::XyzzRows>,
    }
    grid {
        pub segments: u64,
    }
    on_a_curve: "gecc_msm_segments" in "buckets",
    threads: 128,
    items: |it| it.segments,
}

device_kernel! {
    /// `gecc_msm_windows` of `buckets.cu`.
    pub struct MsmWindows {
        pub sums: Column<columns::XyzzRows>,
        pub bits: u32,
        pub segment_bits: u32,
        pub window_sums: Column<columns::XyzzRows>,
    }
    grid {
        pub windows: u64,
    }
    on_a_curve: "gecc_msm_windows" in "buckets",
    threads: 128,
    items: |it| it.windows * 128,
}

device_kernel! {
    /// `gecc_ed25519_challenge` of `ed25519.cu`.
    pub struct Ed25519Challenge {
        pub signatures: Column<columns::Signatures>,
        pub keys: Column<columns::ByteRows<32>>,
        pub dom2: Option<Column<columns::Texts>>,
        pub dom2_bytes: u64,
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub k: Column<columns::Scalars>,
        pub key_columns: Option<Column<columns::KeyColumns>>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_challenge" in "ed25519",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ed25519_keys` of `ed25519.cu`.
    pub struct Ed25519Keys {
        pub keys: Column<columns::ByteRows<32>>,
        pub rule: u32,
        pub counts: Option<Column<columns::KeyUses>>,
        pub minus_a: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_keys" in "ed25519",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ed25519_check` of `ed25519.cu`.
    pub struct Ed25519Check {
        pub signatures: Column<columns::Signatures>,
        pub keys: Column<columns::ByteRows<32>>,
        pub representative: Option<Column<columns::ItemNumbers>>,
        pub kinds: Column<columns::PointKinds>,
        pub rule: u32,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_check" in "ed25519",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ed25519_verify` of `ed25519.cu`.
    pub struct Ed25519Verify {
        pub signatures: Column<columns::Signatures>,
        pub k: Column<columns::Scalars>,
        pub representative: Option<Column<columns::ItemNumbers>>,
        pub minus_a: Column<columns::Xy>,
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub rule: u32,
        pub multiples: Column<columns::Ed25519Multiples>,
        pub items: Option<Column<columns::ItemNumbers>>,
        pub item_count: Option<Column<columns::ItemCount>>,
        pub next_tile: Column<columns::NextTile>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_verify" in "ed25519",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ed25519_reopen` of `ed25519.cu`.
    pub struct Ed25519Reopen {
        pub on_device: Column<columns::Codes>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_reopen" in "ed25519",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ed25519_batch_verify_items` of `ed25519_batch_verification.cu`.
    pub struct Ed25519BatchVerifyItems {
        pub signatures: Column<columns::Signatures>,
        pub k: Column<columns::Scalars>,
        pub representative: Option<Column<columns::ItemNumbers>>,
        pub minus_a: Column<columns::Xy>,
        pub rule: u32,
        pub verdicts: Column<columns::Verdicts>,
        pub on_device: Column<columns::Codes>,
        pub seed0: u64,
        pub seed1: u64,
        pub seed2: u64,
        pub seed3: u64,
        pub scalars: Column<columns::Scalars>,
        pub coefficients: Column<columns::Coefficients>,
        pub rows: Column<columns::TermRows>,
        pub of_base: Column<columns::ScalarRows>,
        pub others: Column<columns::ItemNumbers>,
        pub counters: Column<columns::Counters>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_batch_verify_items" in "ed25519_batch_verification",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ed25519_batch_verify_compare` of `ed25519_batch_verification.cu`.
    pub struct Ed25519BatchVerifyCompare {
        pub of_base: Column<columns::ScalarRows>,
        pub sums: u32,
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub window_sums: Column<columns::XyzzRows>,
        pub windows: u32,
        pub counters: Column<columns::Counters>,
    }
    on_a_curve: "gecc_ed25519_batch_verify_compare" in "ed25519_batch_verification",
    threads: 128,
    items: |_| 128,
}

device_kernel! {
    /// `gecc_ed25519_uniform_table` of `ed25519_sign.cu`.
    pub struct Ed25519UniformTable {
        pub table: Column<columns::Ed25519UniformTable>,
    }
    grid {
        pub entries: u64,
    }
    on_a_curve: "gecc_ed25519_uniform_table" in "ed25519_sign",
    threads: 128,
    items: |it| it.entries,
}

device_kernel! {
    /// `gecc_ed25519_expand` of `ed25519_sign.cu`.
    pub struct Ed25519Expand {
        pub seeds: Column<columns::SecretKeys>,
        pub seed_stride: u64,
        pub keys: Column<columns::Ed25519Keys>,
        pub scalars: Column<columns::Scalars>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_expand" in "ed25519_sign",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ed25519_nonces` of `ed25519_sign.cu`.
    pub struct Ed25519Nonces {
        pub keys: Column<columns::Ed25519Keys>,
        pub key_stride: u64,
        pub dom2: Option<Column<columns::Texts>>,
        pub dom2_bytes: u64,
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub nonces: Column<columns::Scalars>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_nonces" in "ed25519_sign",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ed25519_multiply` of `ed25519_sign.cu`.
    pub struct Ed25519Multiply {
        pub scalars: Column<columns::Scalars>,
        pub table: Column<columns::Ed25519UniformTable>,
        pub xyz: Column<columns::Xyz>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_multiply" in "ed25519_sign",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ed25519_encode` of `ed25519_sign.cu`.
    pub struct Ed25519Encode {
        pub xyz: Column<columns::Xyz>,
        pub rows: Column<columns::AnyRows>,
        pub row_stride: u64,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_encode" in "ed25519_sign",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ed25519_sign` of `ed25519_sign.cu`.
    pub struct Ed25519Sign {
        pub keys: Column<columns::Ed25519Keys>,
        pub key_stride: u64,
        pub public_keys: Column<columns::AnyRows>,
        pub public_stride: u64,
        pub dom2: Option<Column<columns::Texts>>,
        pub dom2_bytes: u64,
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub nonces: Column<columns::Scalars>,
        pub signatures: Column<columns::Signatures>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_sign" in "ed25519_sign",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ed25519_table_start` of `ed25519_tables.cu`.
    pub struct Ed25519TableStart {
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub windows: u32,
        pub entries: u64,
    }
    on_a_curve: "gecc_ed25519_table_start" in "ed25519_tables",
    threads: 256,
    items: |it| u64::from(it.windows),
}

device_kernel! {
    /// `gecc_ed25519_table_extend` of `ed25519_tables.cu`.
    pub struct Ed25519TableExtend {
        pub table: Column<columns::AnyTables>,
        pub windows: u32,
        pub entries: u64,
        pub known: u64,
        pub prefixes: Column<columns::Prefixes>,
    }
    on_a_curve: "gecc_ed25519_table_extend" in "ed25519_tables",
    threads: 256,
    blocks: 2,
    items: |it| u64::from(it.windows) * it.known,
}

device_kernel! {
    /// `gecc_ed25519_key_table_start` of `ed25519_tables.cu`.
    pub struct Ed25519KeyTableStart {
        pub minus_a: Column<columns::Xy>,
        pub table_keys: Column<columns::ItemNumbers>,
        pub xyz: Column<columns::Xyz>,
        pub tables: u32,
        pub key_bits: u32,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_key_table_start" in "ed25519_tables",
    threads: 32,
    items: |it| u64::from(it.tables),
}

device_kernel! {
    /// `gecc_ed25519_key_table_rows` of `ed25519_tables.cu`.
    pub struct Ed25519KeyTableRows {
        pub xyz: Column<columns::Xyz>,
        pub key_tables: Column<columns::KeyTables>,
        pub tables: u32,
        pub key_bits: u32,
        pub prefixes: Column<columns::Prefixes>,
    }
    grid {
        pub windows: u64,
    }
    on_a_curve: "gecc_ed25519_key_table_rows" in "ed25519_tables",
    threads: 256,
    blocks: 2,
    items: |it| u64::from(it.tables) * it.windows,
}

device_kernel! {
    /// `gecc_ed25519_verify_with_tables` of `ed25519_tables.cu`.
    pub struct Ed25519VerifyWithTables {
        pub signatures: Column<columns::Signatures>,
        pub k: Column<columns::Scalars>,
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub key_tables: Column<columns::KeyTables>,
        pub key_bits: u32,
        pub rule: u32,
        pub items: Column<columns::ItemNumbers>,
        pub item_tables: Column<columns::TableNumbers>,
        pub item_count: Column<columns::ItemCount>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_ed25519_verify_with_tables" in "ed25519_tables",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_edwards_multiply` of `edwards_multiply.cu`.
    pub struct EdwardsMultiply {
        pub scalars: Column<columns::Scalars>,
        pub xy: Column<columns::Xy>,
        pub multiples: Column<columns::EdwardsMultiples>,
        pub xyz: Column<columns::Xyz>,
        pub next_tile: Column<columns::NextTile>,
        pub n: u64,
    }
    on_a_curve: "gecc_edwards_multiply" in "edwards_multiply",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ecdsa_equations` of `equations.cu`.
    pub struct EcdsaEquations {
        pub digests: Column<columns::Digests>,
        pub signatures: Column<columns::Signatures>,
        pub low_s: u32,
        pub u1: Column<columns::Scalars>,
        pub u2: Column<columns::Scalars>,
        pub x: Column<columns::Scalars>,
        pub verdicts: Column<columns::Verdicts>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_ecdsa_equations" in "equations",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_sm2_equations` of `equations.cu`.
    pub struct Sm2Equations {
        pub digests: Column<columns::Digests>,
        pub signatures: Column<columns::Signatures>,
        pub u1: Column<columns::Scalars>,
        pub u2: Column<columns::Scalars>,
        pub x: Column<columns::Scalars>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_sm2_equations" in "equations",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_fpmul_var` of `fpmul.cu`.
    pub struct FpmulVar {
        pub scalars: Column<columns::Scalars>,
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub xyz: Column<columns::Xyz>,
        pub n: u64,
    }
    on_a_curve: "gecc_fpmul_var" in "fpmul",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_fpmul_uniform` of `fpmul.cu`.
    pub struct FpmulUniform {
        pub scalars: Column<columns::Scalars>,
        pub table: Column<columns::UniformTable>,
        pub xyz: Column<columns::Xyz>,
        pub n: u64,
    }
    on_a_curve: "gecc_fpmul_uniform" in "fpmul",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_batch_verify_count` of `group_terms.cu`.
    pub struct BatchVerifyCount {
        pub scalars: Column<columns::Scalars>,
        pub coefficients: Column<columns::Coefficients>,
        pub bits: u32,
        pub windows: u32,
        pub ends: Column<columns::BucketEnds>,
        pub n: u64,
    }
    on_a_curve: "gecc_batch_verify_count" in "group_terms",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_batch_verify_sort` of `group_terms.cu`.
    pub struct BatchVerifySort {
        pub scalars: Column<columns::Scalars>,
        pub coefficients: Column<columns::Coefficients>,
        pub bits: u32,
        pub windows: u32,
        pub ends: Column<columns::BucketEnds>,
        pub terms: Column<columns::BucketTerms>,
        pub n: u64,
    }
    on_a_curve: "gecc_batch_verify_sort" in "group_terms",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_batch_verify_accept` of `group_terms.cu`.
    pub struct BatchVerifyAccept {
        pub coefficients: Column<columns::Coefficients>,
        pub counters: Column<columns::Counters>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_batch_verify_accept" in "group_terms",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_sha256` of `hash.cu`.
    pub struct Sha256 {
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub digests: Column<columns::Digests>,
        pub n: u64,
    }
    on_a_curve: "gecc_sha256" in "hash",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_sha256d` of `hash.cu`.
    pub struct Sha256d {
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub digests: Column<columns::Digests>,
        pub n: u64,
    }
    on_a_curve: "gecc_sha256d" in "hash",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_keccak256` of `hash.cu`.
    pub struct Keccak256 {
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub digests: Column<columns::Digests>,
        pub n: u64,
    }
    on_a_curve: "gecc_keccak256" in "hash",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_sm3_za` of `hash.cu`.
    pub struct Sm3Za {
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub ids: Column<columns::Texts>,
        pub id_offsets: Column<columns::Offsets>,
        pub id_stride: u64,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub digests: Column<columns::Digests>,
        pub n: u64,
    }
    on_a_curve: "gecc_sm3_za" in "hash",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_hash_to_curve` of `hash_to_curve.cu`.
    pub struct HashToCurve {
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub suffix: Column<columns::Texts>,
        pub suffix_bytes: u32,
        pub tail: Column<columns::ExpansionTail>,
        pub tail_blocks: u32,
        pub xyz: Column<columns::Xyz>,
        pub n: u64,
    }
    on_a_curve: "gecc_hash_to_curve" in "hash_to_curve",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_encode_to_curve` of `hash_to_curve.cu`.
    pub struct EncodeToCurve {
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub suffix: Column<columns::Texts>,
        pub suffix_bytes: u32,
        pub tail: Column<columns::ExpansionTail>,
        pub tail_blocks: u32,
        pub xyz: Column<columns::Xyz>,
        pub n: u64,
    }
    on_a_curve: "gecc_encode_to_curve" in "hash_to_curve",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_rehash_sm3` of `hash_to_curve_tries.cu`.
    pub struct RehashSm3 {
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub next_item: Column<columns::NextItem>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_rehash_sm3" in "hash_to_curve_tries",
    threads: 256,
    blocks: 3,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_increment_sm3` of `hash_to_curve_tries.cu`.
    pub struct IncrementSm3 {
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub next_item: Column<columns::NextItem>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_increment_sm3" in "hash_to_curve_tries",
    threads: 256,
    blocks: 3,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_rehash_wide_sha256` of `hash_to_curve_tries.cu`.
    pub struct RehashWideSha256 {
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub next_item: Column<columns::NextItem>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_rehash_wide_sha256" in "hash_to_curve_tries",
    threads: 256,
    blocks: 3,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_group_keys` of `key_groups.cu`.
    pub struct GroupKeys {
        pub keys: Column<columns::KeyColumns>,
        pub kinds: Column<columns::PointKinds>,
        pub verdicts: Column<columns::Verdicts>,
        pub seed: u64,
        pub slots: Column<columns::KeySlots>,
        pub slot_bits: u32,
        pub representative: Column<columns::ItemNumbers>,
        pub counts: Column<columns::KeyUses>,
        pub n: u64,
    }
    on_a_curve: "gecc_group_keys" in "key_groups",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_pick_keys` of `key_groups.cu`.
    pub struct PickKeys {
        pub counts: Column<columns::KeyUses>,
        pub threshold: u32,
        pub max_tables: u32,
        pub table_keys: Column<columns::ItemNumbers>,
        pub counters: Column<columns::Counters>,
        pub n: u64,
    }
    on_a_curve: "gecc_pick_keys" in "key_groups",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_index_keys` of `key_groups.cu`.
    pub struct IndexKeys {
        pub keys: Column<columns::KeyColumns>,
        pub table_keys: Column<columns::ItemNumbers>,
        pub index_keys: Column<columns::KeyColumns>,
        pub index_seed: u64,
        pub index_slots: Column<columns::IndexSlots>,
        pub index_slot_bits: u32,
        pub tables: u32,
        pub n: u64,
    }
    on_a_curve: "gecc_index_keys" in "key_groups",
    threads: 256,
    items: |it| u64::from(it.tables),
}

device_kernel! {
    /// `gecc_find_keys` of `key_groups.cu`.
    pub struct FindKeys {
        pub keys: Column<columns::KeyColumns>,
        pub counts: Column<columns::KeyUses>,
        pub index_keys: Column<columns::KeyColumns>,
        pub tables: u32,
        pub index_seed: u64,
        pub index_slots: Column<columns::IndexSlots>,
        pub index_slot_bits: u32,
        pub found: Column<columns::TableNumbers>,
        pub counters: Column<columns::Counters>,
        pub n: u64,
    }
    on_a_curve: "gecc_find_keys" in "key_groups",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_split_items` of `key_groups.cu`.
    pub struct SplitItems {
        pub representative: Column<columns::ItemNumbers>,
        pub found: Column<columns::TableNumbers>,
        pub kinds: Column<columns::PointKinds>,
        pub with_items: Column<columns::ItemNumbers>,
        pub with_tables: Column<columns::TableNumbers>,
        pub without_items: Column<columns::ItemNumbers>,
        pub counters: Column<columns::Counters>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_split_items" in "key_groups",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_key_table_start` of `key_tables.cu`.
    pub struct KeyTableStart {
        pub xy: Column<columns::Xy>,
        pub table_keys: Column<columns::ItemNumbers>,
        pub xyz: Column<columns::Xyz>,
        pub tables: u32,
        pub key_bits: u32,
        pub n: u64,
    }
    on_a_curve: "gecc_key_table_start" in "key_tables",
    threads: 32,
    items: |it| u64::from(it.tables),
}

device_kernel! {
    /// `gecc_key_table_rows` of `key_tables.cu`.
    pub struct KeyTableRows {
        pub xyz: Column<columns::Xyz>,
        pub key_tables: Column<columns::KeyTables>,
        pub tables: u32,
        pub key_bits: u32,
        pub prefixes: Column<columns::Prefixes>,
    }
    grid {
        pub windows: u64,
    }
    on_a_curve: "gecc_key_table_rows" in "key_tables",
    threads: 256,
    blocks: 2,
    items: |it| u64::from(it.tables) * it.windows,
}

device_kernel! {
    /// `gecc_verify_with_tables` of `key_tables.cu`.
    pub struct VerifyWithTables {
        pub u1: Column<columns::Scalars>,
        pub u2: Column<columns::Scalars>,
        pub x: Column<columns::Scalars>,
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub key_tables: Column<columns::KeyTables>,
        pub key_bits: u32,
        pub items: Column<columns::ItemNumbers>,
        pub item_tables: Column<columns::TableNumbers>,
        pub item_count: Column<columns::ItemCount>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_verify_with_tables" in "key_tables",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_import_points_raw` of `layout.cu`.
    pub struct ImportPointsRaw {
        pub rows: Column<columns::ByteRows<64>>,
        pub zero_is_identity: u32,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_import_points_raw" in "layout",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_import_points_compressed` of `layout.cu`.
    pub struct ImportPointsCompressed {
        pub rows: Column<columns::ByteRows<33>>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_import_points_compressed" in "layout",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_import_points_x_only` of `layout.cu`.
    pub struct ImportPointsXOnly {
        pub rows: Column<columns::ByteRows<32>>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_import_points_x_only" in "layout",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_import_points_sec1` of `layout.cu`.
    pub struct ImportPointsSec1 {
        pub rows: Column<columns::ByteRows<65>>,
        pub tags: u32,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_import_points_sec1" in "layout",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_export_points_raw` of `layout.cu`.
    pub struct ExportPointsRaw {
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub rows: Column<columns::ByteRows<64>>,
        pub n: u64,
    }
    on_a_curve: "gecc_export_points_raw" in "layout",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_import_scalars` of `layout.cu`.
    pub struct ImportScalars {
        pub rows: Column<columns::ByteRows<32>>,
        pub scalars: Column<columns::Scalars>,
        pub kinds: Column<columns::NumberKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_import_scalars" in "layout",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_export_masked` of `mask.cu`.
    pub struct ExportMasked {
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub is_tagged: u32,
        pub row_bytes: u32,
        pub rows: Column<columns::AnyRows>,
        pub n: u64,
    }
    on_a_curve: "gecc_export_masked" in "mask",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_reopen` of `mask.cu`.
    pub struct Reopen {
        pub on_device: Column<columns::Codes>,
        pub codes: Column<columns::Codes>,
        pub n: u64,
    }
    on_a_curve: "gecc_reopen" in "mask",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_modexp_1024` of `modexp.cu` and the other kernels of its macro.
    pub struct Modexp {
        pub results: Column<columns::AnyNumbers>,
        pub status: Column<columns::ValueStatuses>,
        pub bases: Column<columns::AnyNumbers>,
        pub exponents: Column<columns::AnyNumbers>,
        pub exponent_words: u32,
        pub modulus: Column<columns::ModexpModulus>,
        pub parameters: Column<columns::ModexpParameters>,
        pub n: u64,
    }
    grid {
        pub lanes: u64,
    }
    one_of: [
        "gecc_modexp_1024" in "modexp",
        "gecc_modexp_1536" in "modexp",
        "gecc_modexp_2048" in "modexp",
    ],
    threads: 128,
    blocks: 3,
    items: |it| it.lanes * it.n,
}

device_kernel! {
    /// `gecc_msm_points` of `msm.cu`.
    pub struct MsmPoints {
        pub xy: Column<columns::Xy>,
        pub rows: Column<columns::TermRows>,
        pub n: u64,
    }
    on_a_curve: "gecc_msm_points" in "msm",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_msm_count` of `msm.cu`.
    pub struct MsmCount {
        pub scalars: Column<columns::Scalars>,
        pub scalar_kinds: Column<columns::NumberKinds>,
        pub kinds: Column<columns::PointKinds>,
        pub bits: u32,
        pub windows: u32,
        pub ends: Column<columns::BucketEnds>,
        pub counters: Column<columns::Counters>,
        pub n: u64,
    }
    on_a_curve: "gecc_msm_count" in "msm",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_msm_sort` of `msm.cu`.
    pub struct MsmSort {
        pub scalars: Column<columns::Scalars>,
        pub scalar_kinds: Column<columns::NumberKinds>,
        pub kinds: Column<columns::PointKinds>,
        pub bits: u32,
        pub windows: u32,
        pub ends: Column<columns::BucketEnds>,
        pub terms: Column<columns::BucketTerms>,
        pub n: u64,
    }
    on_a_curve: "gecc_msm_sort" in "msm",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_msm_total` of `msm.cu`.
    pub struct MsmTotal {
        pub window_sums: Column<columns::XyzzRows>,
        pub windows: u32,
        pub counters: Column<columns::Counters>,
        pub xyz: Column<columns::Xyz>,
        pub kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_msm_total" in "msm",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_mul_mod_128` of `mul_mod.cu` and the other kernels of its macro.
    pub struct MulMod {
        pub results: Column<columns::AnyNumbers>,
        pub status: Column<columns::ValueStatuses>,
        pub a: Column<columns::AnyNumbers>,
        pub b: Column<columns::AnyNumbers>,
        pub modulus: Column<columns::MulModModulus>,
        pub n: u64,
    }
    one_of: [
        "gecc_mul_mod_128" in "mul_mod",
        "gecc_mul_mod_192" in "mul_mod",
        "gecc_mul_mod_256" in "mul_mod",
        "gecc_mul_mod_320" in "mul_mod",
        "gecc_mul_mod_384" in "mul_mod",
        "gecc_mul_mod_448" in "mul_mod",
        "gecc_mul_mod_512" in "mul_mod",
    ],
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_square_mod_128` of `mul_mod.cu` and the other kernels of its macro.
    pub struct SquareMod {
        pub results: Column<columns::AnyNumbers>,
        pub status: Column<columns::ValueStatuses>,
        pub a: Column<columns::AnyNumbers>,
        pub modulus: Column<columns::MulModModulus>,
        pub n: u64,
    }
    one_of: [
        "gecc_square_mod_128" in "mul_mod",
        "gecc_square_mod_192" in "mul_mod",
        "gecc_square_mod_256" in "mul_mod",
        "gecc_square_mod_320" in "mul_mod",
        "gecc_square_mod_384" in "mul_mod",
        "gecc_square_mod_448" in "mul_mod",
        "gecc_square_mod_512" in "mul_mod",
    ],
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_nonces_sha256` of `nonces.cu`.
    pub struct NoncesSha256 {
        pub digests: Column<columns::Digests>,
        pub keys: Column<columns::SecretKeys>,
        pub key_stride: u64,
        pub nonces: Column<columns::Scalars>,
        pub status: Column<columns::SignStatuses>,
        pub n: u64,
    }
    on_a_curve: "gecc_nonces_sha256" in "nonces",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_nonces_sm3` of `nonces.cu`.
    pub struct NoncesSm3 {
        pub digests: Column<columns::Digests>,
        pub keys: Column<columns::SecretKeys>,
        pub key_stride: u64,
        pub nonces: Column<columns::Scalars>,
        pub status: Column<columns::SignStatuses>,
        pub n: u64,
    }
    on_a_curve: "gecc_nonces_sm3" in "nonces",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_nonces_with_data_sha256` of `nonces.cu`.
    pub struct NoncesWithDataSha256 {
        pub digests: Column<columns::Digests>,
        pub keys: Column<columns::SecretKeys>,
        pub key_stride: u64,
        pub additional: Column<columns::SecretKeys>,
        pub additional_stride: u64,
        pub nonces: Column<columns::Scalars>,
        pub status: Column<columns::SignStatuses>,
        pub n: u64,
    }
    on_a_curve: "gecc_nonces_with_data_sha256" in "nonces",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_nonces_with_data_sm3` of `nonces.cu`.
    pub struct NoncesWithDataSm3 {
        pub digests: Column<columns::Digests>,
        pub keys: Column<columns::SecretKeys>,
        pub key_stride: u64,
        pub additional: Column<columns::SecretKeys>,
        pub additional_stride: u64,
        pub nonces: Column<columns::Scalars>,
        pub status: Column<columns::SignStatuses>,
        pub n: u64,
    }
    on_a_curve: "gecc_nonces_with_data_sm3" in "nonces",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_secret_scalars` of `nonces.cu`.
    pub struct SecretScalars {
        pub keys: Column<columns::SecretKeys>,
        pub key_stride: u64,
        pub scalars: Column<columns::Scalars>,
        pub status: Column<columns::SignStatuses>,
        pub n: u64,
    }
    on_a_curve: "gecc_secret_scalars" in "nonces",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_normalize` of `normalize.cu`.
    pub struct Normalize {
        pub xyz: Column<columns::Xyz>,
        pub out_xy: Column<columns::Xy>,
        pub out_kinds: Column<columns::PointKinds>,
        pub use_kinds: u32,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_normalize" in "normalize",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_point_add` of `point_add.cu`.
    pub struct PointAdd {
        pub a_xy: Column<columns::Xy>,
        pub a_kinds: Column<columns::PointKinds>,
        pub b_xy: Column<columns::Xy>,
        pub b_kinds: Column<columns::PointKinds>,
        pub out_xy: Column<columns::Xy>,
        pub out_kinds: Column<columns::PointKinds>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_point_add" in "point_add",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_point_double` of `point_add.cu`.
    pub struct PointDouble {
        pub a_xy: Column<columns::Xy>,
        pub a_kinds: Column<columns::PointKinds>,
        pub out_xy: Column<columns::Xy>,
        pub out_kinds: Column<columns::PointKinds>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_point_double" in "point_add",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_sum_points` of `point_sum.cu`.
    pub struct SumPoints {
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub points: u64,
        pub xyz: Column<columns::Xyz>,
        pub out_kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_sum_points" in "point_sum",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_recover_equations` of `recover.cu`.
    pub struct RecoverEquations {
        pub digests: Column<columns::Digests>,
        pub signatures: Column<columns::Signatures>,
        pub ids: Column<columns::RecoveryIds>,
        pub items: Option<Column<columns::ItemNumbers>>,
        pub u1: Column<columns::Scalars>,
        pub u2: Column<columns::Scalars>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub verdicts: Column<columns::Verdicts>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_recover_equations" in "recover",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_multiply_add` of `recover.cu`.
    pub struct MultiplyAdd {
        pub u1: Column<columns::Scalars>,
        pub u2: Column<columns::Scalars>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub tables: Column<columns::ThreadTables>,
        pub next_tile: Column<columns::NextTile>,
        pub xyz: Column<columns::Xyz>,
        pub n: u64,
    }
    on_a_curve: "gecc_multiply_add" in "recover",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_recover_verdicts` of `recover.cu`.
    pub struct RecoverVerdicts {
        pub kinds: Column<columns::PointKinds>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_recover_verdicts" in "recover",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_recover_scatter` of `recover.cu`.
    pub struct RecoverScatter {
        pub items: Column<columns::ItemNumbers>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub verdicts: Column<columns::Verdicts>,
        pub all_xy: Column<columns::Xy>,
        pub all_kinds: Column<columns::PointKinds>,
        pub all_verdicts: Column<columns::Verdicts>,
        pub all: u64,
        pub n: u64,
    }
    on_a_curve: "gecc_recover_scatter" in "recover",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_point_codes` of `results.cu`.
    pub struct PointCodes {
        pub status: Option<Column<columns::AnyStatuses>>,
        pub rejected: u32,
        pub kinds: Column<columns::PointKinds>,
        pub identity: u32,
        pub codes: Column<columns::Codes>,
        pub n: u64,
    }
    on_a_curve: "gecc_point_codes" in "results",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_export_x` of `results.cu`.
    pub struct ExportX {
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub rows: Column<columns::ByteRows<32>>,
        pub n: u64,
    }
    on_a_curve: "gecc_export_x" in "results",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ristretto255_halves` of `ristretto255.cu`.
    pub struct Ristretto255Halves {
        pub keys: Column<columns::SecretKeys>,
        pub key_stride: u64,
        pub halves: Column<columns::Scalars>,
        pub statuses: Column<columns::SignStatuses>,
        pub n: u64,
    }
    on_a_curve: "gecc_ristretto255_halves" in "ristretto255",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ristretto255_decode` of `ristretto255.cu`.
    pub struct Ristretto255Decode {
        pub elements: Column<columns::AnyRows>,
        pub element_stride: u64,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub n: u64,
    }
    on_a_curve: "gecc_ristretto255_decode" in "ristretto255",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ristretto255_encode` of `ristretto255.cu`.
    pub struct Ristretto255Encode {
        pub xyz: Column<columns::Xyz>,
        pub statuses: Column<columns::SignStatuses>,
        pub kinds: Option<Column<columns::PointKinds>>,
        pub rows: Column<columns::AnyRows>,
        pub codes: Column<columns::Codes>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_ristretto255_encode" in "ristretto255",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ristretto255_expand` of `ristretto255.cu`.
    pub struct Ristretto255Expand {
        pub data: Column<columns::Texts>,
        pub offsets: Column<columns::Offsets>,
        pub suffix: Column<columns::Texts>,
        pub suffix_bytes: u32,
        pub tail: Column<columns::ExpansionTail>,
        pub tail_blocks: u32,
        pub uniform: Column<columns::AnyRows>,
        pub n: u64,
    }
    on_a_curve: "gecc_ristretto255_expand" in "ristretto255",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ristretto255_map` of `ristretto255.cu`.
    pub struct Ristretto255Map {
        pub uniform: Column<columns::AnyRows>,
        pub rows: Column<columns::AnyRows>,
        pub n: u64,
    }
    on_a_curve: "gecc_ristretto255_map" in "ristretto255",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_rows_to_columns` of `rows.cu`.
    pub struct RowsToColumns {
        pub rows: Column<columns::AnyRows>,
        pub row_bytes: u32,
        pub columns: Column<columns::AnyNumbers>,
        pub words: u32,
        pub n: u64,
    }
    without_curve: "gecc_rows_to_columns" in "rows",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_columns_to_rows` of `rows.cu`.
    pub struct ColumnsToRows {
        pub columns: Column<columns::AnyNumbers>,
        pub words: u32,
        pub rows: Column<columns::AnyRows>,
        pub n: u64,
    }
    without_curve: "gecc_columns_to_rows" in "rows",
    threads: 256,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_ecdsa_sign` of `sign.cu`.
    pub struct EcdsaSign {
        pub digests: Column<columns::Digests>,
        pub keys: Column<columns::SecretKeys>,
        pub key_stride: u64,
        pub nonces: Column<columns::Scalars>,
        pub r_xy: Column<columns::Xy>,
        pub r_kinds: Column<columns::PointKinds>,
        pub low_s: u32,
        pub signatures: Column<columns::Signatures>,
        pub recovery_ids: Column<columns::RecoveryIds>,
        pub status: Column<columns::SignStatuses>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_ecdsa_sign" in "sign",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_sm2_sign` of `sign.cu`.
    pub struct Sm2Sign {
        pub digests: Column<columns::Digests>,
        pub keys: Column<columns::SecretKeys>,
        pub key_stride: u64,
        pub nonces: Column<columns::Scalars>,
        pub r_xy: Column<columns::Xy>,
        pub r_kinds: Column<columns::PointKinds>,
        pub signatures: Column<columns::Signatures>,
        pub status: Column<columns::SignStatuses>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_sm2_sign" in "sign",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_table_start` of `table.cu`.
    pub struct TableStart {
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub windows: u32,
        pub entries: u64,
    }
    on_a_curve: "gecc_table_start" in "table",
    threads: 256,
    items: |it| u64::from(it.windows),
}

device_kernel! {
    /// `gecc_uniform_table` of `table.cu`.
    pub struct UniformTable {
        pub table: Column<columns::UniformTable>,
    }
    grid {
        pub entries: u64,
    }
    on_a_curve: "gecc_uniform_table" in "table",
    threads: 128,
    items: |it| it.entries,
}

device_kernel! {
    /// `gecc_table_extend` of `table.cu`.
    pub struct TableExtend {
        pub table: Column<columns::AnyTables>,
        pub windows: u32,
        pub entries: u64,
        pub known: u64,
        pub prefixes: Column<columns::Prefixes>,
    }
    on_a_curve: "gecc_table_extend" in "table",
    threads: 256,
    blocks: 2,
    items: |it| u64::from(it.windows) * it.known,
}

device_kernel! {
    /// `gecc_upmul_var` of `upmul.cu`.
    pub struct UpmulVar {
        pub scalars: Column<columns::Scalars>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub tables: Column<columns::ThreadTables>,
        pub xyz: Column<columns::Xyz>,
        pub next_tile: Column<columns::NextTile>,
        pub n: u64,
    }
    on_a_curve: "gecc_upmul_var" in "upmul",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_upmul_uniform` of `upmul.cu`.
    pub struct UpmulUniform {
        pub scalars: Column<columns::Scalars>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub tables: Column<columns::ThreadTables>,
        pub xyz: Column<columns::Xyz>,
        pub next_tile: Column<columns::NextTile>,
        pub n: u64,
    }
    on_a_curve: "gecc_upmul_uniform" in "upmul",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_verify` of `verify.cu`.
    pub struct Verify {
        pub u1: Column<columns::Scalars>,
        pub u2: Column<columns::Scalars>,
        pub x: Column<columns::Scalars>,
        pub xy: Column<columns::Xy>,
        pub kinds: Column<columns::PointKinds>,
        pub table: Column<columns::BaseTable>,
        pub bits: u32,
        pub tables: Column<columns::ThreadTables>,
        pub items: Option<Column<columns::ItemNumbers>>,
        pub item_count: Option<Column<columns::ItemCount>>,
        pub next_tile: Column<columns::NextTile>,
        pub verdicts: Column<columns::Verdicts>,
        pub n: u64,
    }
    on_a_curve: "gecc_verify" in "verify",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_x25519_multiply` of `x25519.cu`.
    pub struct X25519Multiply {
        pub keys: Column<columns::SecretKeys>,
        pub key_stride: u64,
        pub peers: Column<columns::AnyRows>,
        pub peer_stride: u64,
        pub fractions: Column<columns::Fractions>,
        pub n: u64,
    }
    on_a_curve: "gecc_x25519_multiply" in "x25519",
    threads: 128,
    items: |it| it.n,
}

device_kernel! {
    /// `gecc_x25519_encode` of `x25519.cu`.
    pub struct X25519Encode {
        pub fractions: Column<columns::Fractions>,
        pub statuses: Column<columns::AnyStatuses>,
        pub status_stride: u64,
        pub rejects_zero: u32,
        pub rows: Column<columns::AnyRows>,
        pub codes: Column<columns::Codes>,
        pub prefixes: Column<columns::Prefixes>,
        pub n: u64,
    }
    on_a_curve: "gecc_x25519_encode" in "x25519",
    threads: 256,
    blocks: 2,
    items: |it| it.n,
}

/// Every kernel, with its file.
#[rustfmt::skip]
pub const ALL: &[(&str, &str)] = &[
    ("address", "gecc_ethereum_addresses"),
    ("batch_verification", "gecc_batch_verify_items"),
    ("batch_verification", "gecc_batch_verify_compare"),
    ("bip340", "gecc_bip340_equations"),
    ("bip340", "gecc_bip340_reopen"),
    ("bip340", "gecc_bip340_nonces"),
    ("bip340", "gecc_bip340_sign"),
    ("bip340_silent", "gecc_upmul_fixed"),
    ("bip340_silent", "gecc_silent_tweaks"),
    ("bip340_silent", "gecc_silent_outputs"),
    ("bip340_silent", "gecc_silent_input_hashes"),
    ("bip340_tweak", "gecc_tap_tweaks"),
    ("bip340_tweak", "gecc_tweak_codes"),
    ("bip340_verify", "gecc_bip340_verify"),
    ("bip340_verify", "gecc_bip340_verify_with_tables"),
    ("buckets", "gecc_msm_tiles"),
    ("buckets", "gecc_msm_starts"),
    ("buckets", "gecc_msm_runs"),
    ("buckets", "gecc_msm_buckets"),
    ("buckets", "gecc_msm_large_buckets"),
    ("buckets", "gecc_msm_segments"),
    ("buckets", "gecc_msm_windows"),
    ("ed25519", "gecc_ed25519_challenge"),
    ("ed25519", "gecc_ed25519_keys"),
    ("ed25519", "gecc_ed25519_check"),
    ("ed25519", "gecc_ed25519_verify"),
    ("ed25519", "gecc_ed25519_reopen"),
    ("ed25519_batch_verification", "gecc_ed25519_batch_verify_items"),
    ("ed25519_batch_verification", "gecc_ed25519_batch_verify_compare"),
    ("ed25519_sign", "gecc_ed25519_uniform_table"),
    ("ed25519_sign", "gecc_ed25519_expand"),
    ("ed25519_sign", "gecc_ed25519_nonces"),
    ("ed25519_sign", "gecc_ed25519_multiply"),
    ("ed25519_sign", "gecc_ed25519_encode"),
    ("ed25519_sign", "gecc_ed25519_sign"),
    ("ed25519_tables", "gecc_ed25519_table_start"),
    ("ed25519_tables", "gecc_ed25519_table_extend"),
    ("ed25519_tables", "gecc_ed25519_key_table_start"),
    ("ed25519_tables", "gecc_ed25519_key_table_rows"),
    ("ed25519_tables", "gecc_ed25519_verify_with_tables"),
    ("edwards_multiply", "gecc_edwards_multiply"),
    ("equations", "gecc_ecdsa_equations"),
    ("equations", "gecc_sm2_equations"),
    ("fpmul", "gecc_fpmul_var"),
    ("fpmul", "gecc_fpmul_uniform"),
    ("group_terms", "gecc_batch_verify_count"),
    ("group_terms", "gecc_batch_verify_sort"),
    ("group_terms", "gecc_batch_verify_accept"),
    ("hash", "gecc_sha256"),
    ("hash", "gecc_sha256d"),
    ("hash", "gecc_keccak256"),
    ("hash", "gecc_sm3_za"),
    ("hash_to_curve", "gecc_hash_to_curve"),
    ("hash_to_curve", "gecc_encode_to_curve"),
    ("hash_to_curve_tries", "gecc_rehash_sm3"),
    ("hash_to_curve_tries", "gecc_increment_sm3"),
    ("hash_to_curve_tries", "gecc_rehash_wide_sha256"),
    ("key_groups", "gecc_group_keys"),
    ("key_groups", "gecc_pick_keys"),
    ("key_groups", "gecc_index_keys"),
    ("key_groups", "gecc_find_keys"),
    ("key_groups", "gecc_split_items"),
    ("key_tables", "gecc_key_table_start"),
    ("key_tables", "gecc_key_table_rows"),
    ("key_tables", "gecc_verify_with_tables"),
    ("layout", "gecc_import_points_raw"),
    ("layout", "gecc_import_points_compressed"),
    ("layout", "gecc_import_points_x_only"),
    ("layout", "gecc_import_points_sec1"),
    ("layout", "gecc_export_points_raw"),
    ("layout", "gecc_import_scalars"),
    ("mask", "gecc_export_masked"),
    ("mask", "gecc_reopen"),
    ("modexp", "gecc_modexp_1024"),
    ("modexp", "gecc_modexp_1536"),
    ("modexp", "gecc_modexp_2048"),
    ("msm", "gecc_msm_points"),
    ("msm", "gecc_msm_count"),
    ("msm", "gecc_msm_sort"),
    ("msm", "gecc_msm_total"),
    ("mul_mod", "gecc_mul_mod_128"),
    ("mul_mod", "gecc_mul_mod_192"),
    ("mul_mod", "gecc_mul_mod_256"),
    ("mul_mod", "gecc_mul_mod_320"),
    ("mul_mod", "gecc_mul_mod_384"),
    ("mul_mod", "gecc_mul_mod_448"),
    ("mul_mod", "gecc_mul_mod_512"),
    ("mul_mod", "gecc_square_mod_128"),
    ("mul_mod", "gecc_square_mod_192"),
    ("mul_mod", "gecc_square_mod_256"),
    ("mul_mod", "gecc_square_mod_320"),
    ("mul_mod", "gecc_square_mod_384"),
    ("mul_mod", "gecc_square_mod_448"),
    ("mul_mod", "gecc_square_mod_512"),
    ("nonces", "gecc_nonces_sha256"),
    ("nonces", "gecc_nonces_sm3"),
    ("nonces", "gecc_nonces_with_data_sha256"),
    ("nonces", "gecc_nonces_with_data_sm3"),
    ("nonces", "gecc_secret_scalars"),
    ("normalize", "gecc_normalize"),
    ("point_add", "gecc_point_add"),
    ("point_add", "gecc_point_double"),
    ("point_sum", "gecc_sum_points"),
    ("recover", "gecc_recover_equations"),
    ("recover", "gecc_multiply_add"),
    ("recover", "gecc_recover_verdicts"),
    ("recover", "gecc_recover_scatter"),
    ("results", "gecc_point_codes"),
    ("results", "gecc_export_x"),
    ("ristretto255", "gecc_ristretto255_halves"),
    ("ristretto255", "gecc_ristretto255_decode"),
    ("ristretto255", "gecc_ristretto255_encode"),
    ("ristretto255", "gecc_ristretto255_expand"),
    ("ristretto255", "gecc_ristretto255_map"),
    ("rows", "gecc_rows_to_columns"),
    ("rows", "gecc_columns_to_rows"),
    ("sign", "gecc_ecdsa_sign"),
    ("sign", "gecc_sm2_sign"),
    ("table", "gecc_table_start"),
    ("table", "gecc_uniform_table"),
    ("table", "gecc_table_extend"),
    ("upmul", "gecc_upmul_var"),
    ("upmul", "gecc_upmul_uniform"),
    ("verify", "gecc_verify"),
    ("x25519", "gecc_x25519_multiply"),
    ("x25519", "gecc_x25519_encode"),
];
