// The contents of the kernels' arrays. To the compiler these are words and bytes. gecc-codegen
// generates a Rust type for each, and for each kernel a launcher whose arguments have these types,
// with the number of threads that the line above the kernel specifies (tools/codegen).
//
// Each<Word, kCount> has kCount words per item of a batch; the sizes of other arrays are specified
// by the launch contract. Numbers are column-major (kernels/layout.cuh), rows are stored one after
// the other. Every array starts at a multiple of 16 bytes.
//
// Grids have one dimension. The threads of most kernels loop over items, so that any number of
// blocks is valid; if they share inversions, a block is a multiple of 32 threads, at most 256, and
// many items per thread are best.
#pragma once
#include "primitives/types.cuh"

template <class Word, int kCount> using Each = Word;
// An array that may be missing, in which case the pointer is null.
template <class Content> using Optional = Content;

// Rows in the caller's format: big-endian numbers, or encodings of points, of kBytes bytes.
template <int kBytes> using ByteRows = Each<u8, kBytes>;
// Digests of messages.
using Digests = Each<u8, 32>;
// Signatures r || s.
using Signatures = Each<u8, 64>;
// Recovery ids.
using RecoveryIds = Each<u8, 1>;
// Ethereum addresses.
using Addresses = Each<u8, 20>;
// Private keys of 32 bytes: a row per item, or one for all items.
using SecretKeys = u8;
// Secret scalars and prefixes of Ed25519, 64 bytes: a row per item, or one for all items
// (kernels/ed25519_sign.cu).
using Ed25519Keys = u8;
// Big-endian numbers of any length, or encodings of points.
using AnyRows = u8;

// Plain numbers, below the order unless a kernel documents otherwise.
using Scalars = Each<u32, 8>;
// Numbers of any length and meaning.
using AnyNumbers = u32;
// Prefix products of the numbers that share an inversion: scratch memory.
using Prefixes = Each<u32, 8>;
// Affine points, x before y, in field form.
using Xy = Each<u32, 16>;
// Jacobian points; for twisted Edwards curves, X, Y and Z.
using Xyz = Each<u32, 24>;
// u-coordinates of points of curve25519 as fractions, X before Z.
using Fractions = Each<u32, 16>;

// A PointKind per item.
using PointKinds = Each<u8, 1>;
// A NumberKind per item.
using NumberKinds = Each<u8, 1>;
// A Verdict per item.
using Verdicts = Each<u8, 1>;
// A SignStatus per item.
using SignStatuses = Each<u8, 1>;
// A ValueStatus per item.
using ValueStatuses = Each<u8, 1>;
// A NumberKind or SignStatus per item.
using AnyStatuses = u8;
// The codes of results: 1, or the code of a rejection.
using Codes = Each<u8, 1>;

// The multiples of G for public scalars (kernels/table.cu, kernels/ed25519_tables.cu).
using BaseTable = u32;
// The tables of frequent keys (kernels/key_tables.cu, kernels/ed25519_tables.cu).
using KeyTables = u32;
// A BaseTable or KeyTables.
using AnyTables = u32;
// The multiples of G for secret scalars (kernels/uniform_table.cuh).
using UniformTable = u32;
// Tables of odd multiples, 384 words for each thread of the grid: scratch memory
// (kernels/window_table.cuh).
using ThreadTables = u32;
// The multiples of B for secret scalars (kernels/ed25519_sign.cu).
using Ed25519UniformTable = u32;
// Multiples of an item's point, 512 words for each thread of the grid: scratch memory
// (kernels/ed25519.cu).
using Ed25519Multiples = u32;
// Multiples of an item's point, 256 words for each thread of the grid: scratch memory
// (kernels/edwards_multiply.cu).
using EdwardsMultiples = u32;
// One word: the first tile that no block has claimed (kernels/tiles.cuh).
using NextTile = u32;
// One word: the first item that no thread has claimed (kernels/hash_to_curve_tries.cu).
using NextItem = u32;

// The number of terms, or their end, of each bucket of a multi-scalar multiplication
// (kernels/msm.cu).
using BucketEnds = u32;
// Terms sorted by bucket: twice the index of a point, plus one if it is subtracted.
using BucketTerms = u32;
// Points that are terms of sums, in rows whose layout depends on the form of the curve
// (kernels/bucket_sums.cuh).
using TermRows = u32;
// Sums of points in rows of 32 words, whose layout depends on the form of the curve.
using XyzzRows = u32;
// A list of buckets. Its length is in the counters.
using BucketList = u32;

// Coefficients of batch verification (kernels/batch_verification.cu): 128 bits, or 0 for an item
// that does not take part.
using Coefficients = Each<u32, 4>;
// Scalars in rows.
using ScalarRows = u32;

// The words by which keys are compared, in columns; their number per item depends on the form of
// the curve (scheme/key_hash.cuh).
using KeyColumns = u32;
// Hash table from keys to items (kernels/key_groups.cu).
using KeySlots = u32;
// Hash table from keys to tables.
using IndexSlots = u32;
// Indices of items.
using ItemNumbers = Each<u32, 1>;
// One word: the length of a list.
using ItemCount = u32;
// The number of occurrences of an item's key.
using KeyUses = Each<u32, 1>;
// Indices of key tables.
using TableNumbers = Each<u32, 1>;
// Five words, each of which is a counter.
using Counters = u32;

// Byte strings of any length, one after the other.
using Texts = u8;
// The start of each byte string, and the end of the last one.
using Offsets = u64;
// The blocks of expand_message_xmd that all items share (hash/expand_message.cuh).
using ExpansionTail = u32;

// A modulus of any length.
using ModexpModulus = u32;
// Precomputed values of a modulus (kernels/modexp.cu).
using ModexpParameters = u64;
// A modulus and its precomputed values (modular/mul_mod.cuh).
template <int N> struct MulModModulus;
