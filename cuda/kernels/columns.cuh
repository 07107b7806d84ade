// What the arrays of the kernels hold. To the compiler these are words and bytes. build.rs makes a Rust type of each,
// and of each kernel a function whose arguments have these types, for the threads that the line above the kernel asks
// for (cuda/emit_launchers.rs).
//
// Each<Word, kCount> has this many for each item of a batch; of the others the launch contract says how many there are.
// Numbers are column-major (kernels/layout.cuh), rows lie one after the other. Every array starts at a multiple of 16
// bytes.
//
// Grids have one dimension. The threads of most kernels loop over items, so that any number of blocks will do; where
// they share inversions, a block is a multiple of 32 threads, at most 256, and many items a thread are best.
#pragma once
#include "primitives/types.cuh"

template <class Word, int kCount> using Each = Word;
// An array that may be missing: then the pointer is null.
template <class Content> using Optional = Content;

// Rows from and for the caller: big-endian numbers, points in an encoding of this many bytes.
template <int kBytes> using ByteRows = Each<u8, kBytes>;
// Digests of messages.
using Digests = Each<u8, 32>;
// r || s.
using Signatures = Each<u8, 64>;
// Recovery ids.
using RecoveryIds = Each<u8, 1>;
// Ethereum addresses.
using Addresses = Each<u8, 20>;
// Private keys of 32 bytes: a row for each item, or one for all.
using SecretKeys = u8;
// Secret scalars and prefixes of Ed25519, 64 bytes: a row for each item, or one for all (kernels/ed25519_sign.cu).
using Ed25519Keys = u8;
// Big-endian numbers of any length, or encodings of points.
using AnyRows = u8;

// Plain numbers, below the order unless a kernel says otherwise.
using Scalars = Each<u32, 8>;
// Numbers of any length and meaning.
using AnyNumbers = u32;
// Products of the numbers before an item that an inversion is shared with: scratch.
using Prefixes = Each<u32, 8>;
// Affine points, x before y, in field form.
using Xy = Each<u32, 16>;
// Jacobian points; of twisted Edwards curves X, Y and Z.
using Xyz = Each<u32, 24>;

// PointKind.
using PointKinds = Each<u8, 1>;
// NumberKind.
using NumberKinds = Each<u8, 1>;
// Verdict.
using Verdicts = Each<u8, 1>;
// SignStatus.
using SignStatuses = Each<u8, 1>;
// ValueStatus.
using ValueStatuses = Each<u8, 1>;
// NumberKind or SignStatus.
using AnyStatuses = u8;
// The codes of results: 1, or that of a rejection.
using Codes = Each<u8, 1>;

// The multiples of G for public scalars (kernels/table.cu, kernels/ed25519_tables.cu).
using BaseTable = u32;
// The tables of keys that occur often (kernels/key_tables.cu, kernels/ed25519_tables.cu).
using KeyTables = u32;
// Either of them.
using AnyTables = u32;
// The multiples of G for secret scalars (kernels/uniform_table.cuh).
using UniformTable = u32;
// Tables of odd multiples, 384 words for each thread of the grid: scratch (kernels/window_table.cuh).
using ThreadTables = u32;
// The multiples of B for secret scalars (kernels/ed25519_sign.cu).
using Ed25519UniformTable = u32;
// Multiples of an item's point, 512 words for each thread of the grid: scratch (kernels/ed25519.cu).
using Ed25519Multiples = u32;
// One word: the first tile that no block has (kernels/tiles.cuh).
using NextTile = u32;

// Of each bucket of a multi-scalar multiplication how many terms it has, or where they end (kernels/msm.cu).
using BucketEnds = u32;
// Terms by the buckets that they are in: twice the number of a point, and one more where it is subtracted.
using BucketTerms = u32;
// Points that are terms of sums, in rows by the form of the curve (kernels/bucket_sums.cuh).
using TermRows = u32;
// Sums of points in rows of 32 words, likewise.
using XyzzRows = u32;
// Buckets, and how many are listed.
using BucketList = u32;

// Coefficients of batch equations (kernels/together.cu): 128 bits, or 0 for an item that takes no part.
using Coefficients = Each<u32, 4>;
// Scalars in rows.
using ScalarRows = u32;

// What keys are told apart by, in columns: as many words an item as the curve's form has (scheme/key_hash.cuh).
using KeyColumns = u32;
// Items by the keys that they have (kernels/key_groups.cu).
using KeySlots = u32;
// Tables by the keys that they belong to.
using IndexSlots = u32;
// Items.
using ItemNumbers = Each<u32, 1>;
// One word: how many of a list there are.
using ItemCount = u32;
// How often the key of an item occurs.
using KeyUses = Each<u32, 1>;
// Tables of keys.
using TableNumbers = Each<u32, 1>;
// Five words, each of them a count.
using Counters = u32;

// Texts of any length, one after the other.
using Texts = u8;
// Where each text begins, and where the last one ends.
using Offsets = u64;

// A modulus of any length.
using ModexpModulus = u32;
// What follows from it (kernels/modexp.cu).
using ModexpParameters = u64;
// A modulus and what follows from it (modular/mul_mod.cuh).
template <int N> struct MulModModulus;
