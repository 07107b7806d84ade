//! Generated from the device code by `cargo run -p gecc-codegen`; not to be edited.
//! `tests/library/generated.rs` compares.

use super::Content;

/// Rows in the caller's format: big-endian numbers, or encodings of points, of kBytes bytes.
#[derive(Clone, Copy, Debug)]
pub enum ByteRows<const BYTES: usize> {}

impl<const BYTES: usize> Content for ByteRows<BYTES> {
    const BYTES: usize = BYTES;
}

/// Digests of messages.
#[derive(Clone, Copy, Debug)]
pub enum Digests {}

impl Content for Digests {
    const BYTES: usize = 32;
}

/// Signatures r || s.
#[derive(Clone, Copy, Debug)]
pub enum Signatures {}

impl Content for Signatures {
    const BYTES: usize = 64;
}

/// Recovery ids.
#[derive(Clone, Copy, Debug)]
pub enum RecoveryIds {}

impl Content for RecoveryIds {
    const BYTES: usize = 1;
}

/// Ethereum addresses.
#[derive(Clone, Copy, Debug)]
pub enum Addresses {}

impl Content for Addresses {
    const BYTES: usize = 20;
}

/// Private keys of 32 bytes: a row per item, or one for all items.
#[derive(Clone, Copy, Debug)]
pub enum SecretKeys {}

/// Secret scalars and prefixes of Ed25519, 64 bytes: a row per item, or one for all items
/// (kernels/ed25519_sign.cu).
#[derive(Clone, Copy, Debug)]
pub enum Ed25519Keys {}

/// Big-endian numbers of any length, or encodings of points.
#[derive(Clone, Copy, Debug)]
pub enum AnyRows {}

/// Plain numbers, below the order unless a kernel documents otherwise.
#[derive(Clone, Copy, Debug)]
pub enum Scalars {}

impl Content for Scalars {
    const BYTES: usize = 32;
}

/// Numbers of any length and meaning.
#[derive(Clone, Copy, Debug)]
pub enum AnyNumbers {}

/// Prefix products of the numbers that share an inversion: scratch memory.
#[derive(Clone, Copy, Debug)]
pub enum Prefixes {}

impl Content for Prefixes {
    const BYTES: usize = 32;
}

/// Affine points, x before y, in field form.
#[derive(Clone, Copy, Debug)]
pub enum Xy {}

impl Content for Xy {
    const BYTES: usize = 64;
}

/// Jacobian points; for twisted Edwards curves, X, Y and Z.
#[derive(Clone, Copy, Debug)]
pub enum Xyz {}

impl Content for Xyz {
    const BYTES: usize = 96;
}

/// u-coordinates of points of curve25519 as fractions, X before Z.
#[derive(Clone, Copy, Debug)]
pub enum Fractions {}

impl Content for Fractions {
    const BYTES: usize = 64;
}

/// A PointKind per item.
#[derive(Clone, Copy, Debug)]
pub enum PointKinds {}

impl Content for PointKinds {
    const BYTES: usize = 1;
}

/// A NumberKind per item.
#[derive(Clone, Copy, Debug)]
pub enum NumberKinds {}

impl Content for NumberKinds {
    const BYTES: usize = 1;
}

/// A Verdict per item.
#[derive(Clone, Copy, Debug)]
pub enum Verdicts {}

impl Content for Verdicts {
    const BYTES: usize = 1;
}

/// A SignStatus per item.
#[derive(Clone, Copy, Debug)]
pub enum SignStatuses {}

impl Content for SignStatuses {
    const BYTES: usize = 1;
}

/// A ValueStatus per item.
#[derive(Clone, Copy, Debug)]
pub enum ValueStatuses {}

impl Content for ValueStatuses {
    const BYTES: usize = 1;
}

/// A NumberKind or SignStatus per item.
#[derive(Clone, Copy, Debug)]
pub enum AnyStatuses {}

/// The codes of results: 1, or the code of a rejection.
#[derive(Clone, Copy, Debug)]
pub enum Codes {}

impl Content for Codes {
    const BYTES: usize = 1;
}

/// The multiples of G for public scalars (kernels/table.cu, kernels/ed25519_tables.cu).
#[derive(Clone, Copy, Debug)]
pub enum BaseTable {}

/// The tables of frequent keys (kernels/key_tables.cu, kernels/ed25519_tables.cu).
#[derive(Clone, Copy, Debug)]
pub enum KeyTables {}

/// A BaseTable or KeyTables.
#[derive(Clone, Copy, Debug)]
pub enum AnyTables {}

/// The multiples of G for secret scalars (kernels/uniform_table.cuh).
#[derive(Clone, Copy, Debug)]
pub enum UniformTable {}

/// Tables of odd multiples, 384 words for each thread of the grid: scratch memory
/// (kernels/window_table.cuh).
#[derive(Clone, Copy, Debug)]
pub enum ThreadTables {}

/// The multiples of B for secret scalars (kernels/ed25519_sign.cu).
#[derive(Clone, Copy, Debug)]
pub enum Ed25519UniformTable {}

/// Multiples of an item's point, 512 words for each thread of the grid: scratch memory
/// (kernels/ed25519.cu).
#[derive(Clone, Copy, Debug)]
pub enum Ed25519Multiples {}

/// Multiples of an item's point, 256 words for each thread of the grid: scratch memory
/// (kernels/edwards_multiply.cu).
#[derive(Clone, Copy, Debug)]
pub enum EdwardsMultiples {}

/// One word: the first tile that no block has claimed (kernels/tiles.cuh).
#[derive(Clone, Copy, Debug)]
pub enum NextTile {}

/// One word: the first item that no thread has claimed (kernels/hash_to_curve_tries.cu).
#[derive(Clone, Copy, Debug)]
pub enum NextItem {}

/// The number of terms, or their end, of each bucket of a multi-scalar multiplication
/// (kernels/msm.cu).
#[derive(Clone, Copy, Debug)]
pub enum BucketEnds {}

/// Terms sorted by bucket: twice the index of a point, plus one if it is subtracted.
#[derive(Clone, Copy, Debug)]
pub enum BucketTerms {}

/// Points that are terms of sums, in rows whose layout depends on the form of the curve
/// (kernels/bucket_sums.cuh).
#[derive(Clone, Copy, Debug)]
pub enum TermRows {}

/// Sums of points in rows of 32 words, whose layout depends on the form of the curve.
#[derive(Clone, Copy, Debug)]
pub enum XyzzRows {}

/// A list of buckets. Its length is in the counters.
#[derive(Clone, Copy, Debug)]
pub enum BucketList {}

/// Coefficients of batch verification (kernels/batch_verification.cu): 128 bits, or 0 for an item
/// that does not take part.
#[derive(Clone, Copy, Debug)]
pub enum Coefficients {}

impl Content for Coefficients {
    const BYTES: usize = 16;
}

/// Scalars in rows.
#[derive(Clone, Copy, Debug)]
pub enum ScalarRows {}

/// The words by which keys are compared, in columns; their number per item depends on the form of
/// the curve (scheme/key_hash.cuh).
#[derive(Clone, Copy, Debug)]
pub enum KeyColumns {}

/// Hash table from keys to items (kernels/key_groups.cu).
#[derive(Clone, Copy, Debug)]
pub enum KeySlots {}

/// Hash table from keys to tables.
#[derive(Clone, Copy, Debug)]
pub enum IndexSlots {}

/// Indices of items.
#[derive(Clone, Copy, Debug)]
pub enum ItemNumbers {}

impl Content for ItemNumbers {
    const BYTES: usize = 4;
}

/// One word: the length of a list.
#[derive(Clone, Copy, Debug)]
pub enum ItemCount {}

/// The number of occurrences of an item's key.
#[derive(Clone, Copy, Debug)]
pub enum KeyUses {}

impl Content for KeyUses {
    const BYTES: usize = 4;
}

/// Indices of key tables.
#[derive(Clone, Copy, Debug)]
pub enum TableNumbers {}

impl Content for TableNumbers {
    const BYTES: usize = 4;
}

/// Five words, each of which is a counter.
#[derive(Clone, Copy, Debug)]
pub enum Counters {}

/// Byte strings of any length, one after the other.
#[derive(Clone, Copy, Debug)]
pub enum Texts {}

/// The start of each byte string, and the end of the last one.
#[derive(Clone, Copy, Debug)]
pub enum Offsets {}

/// The blocks of expand_message_xmd that all items share (hash/expand_message.cuh).
#[derive(Clone, Copy, Debug)]
pub enum ExpansionTail {}

/// A modulus of any length.
#[derive(Clone, Copy, Debug)]
pub enum ModexpModulus {}

/// Precomputed values of a modulus (kernels/modexp.cu).
#[derive(Clone, Copy, Debug)]
pub enum ModexpParameters {}

/// A modulus and its precomputed values (modular/mul_mod.cuh).
#[derive(Clone, Copy, Debug)]
pub enum MulModModulus {}
