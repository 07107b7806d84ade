//! Exhaustive tests in small groups, after the tests of that name in libsecp256k1: curves over the
//! field of secp256k1, most of them with a = 0, and the points of order 7, 13 and 199 on them. Every
//! pair of points can be added there, and every point multiplied by every scalar. Sums of equal and
//! of opposite points and intermediate results that are the identity, which random tests in a large
//! group never meet, occur at every step.
//!
//! # Scalars
//! Scalars are numbers modulo N = n q, which has 256 bits, and not modulo the order n. A scalar
//! acts on a point by its residue modulo n, so that each residue has many representatives; modulo n
//! the recodings would have one digit that is not 0. The tests take every residue, as the number
//! below n, as the largest below N and at random. The arithmetic of scalars, the decomposition for
//! the endomorphism and the recodings are those of the production code, in their full length. ECDSA
//! works as in a group of order N: x-coordinates are compared modulo N, s is prime to N. The
//! challenges of BIP 340 are hashes, so that messages are tried until each residue has one.
//!
//! # Coverage
//! Each group is taken with and without the endomorphism, that of order 7 also on a curve y^2 = x^3 - 43 x + 166, whose
//! a is general, and each operation on the portable code and in lanes. All combinations of residues are taken in the
//! groups of order 7 and 13, and all pairs of them in that of order 199; where three or four come together there, a
//! sample that is spread evenly.
//!
//! The simplified SWU map is tested on all elements that lead to groups of order 7 and 13, on curves
//! that have a map: see `small_groups/map_to_curve.rs`; and its portable code on all elements of
//! fields of 5 to 8 bits: see `small_groups/map_in_small_fields.rs`.
//!
//! # Limitations
//! Tables in production have no room for the identity, and rely on a large order for that. So here:
//! - the table of G has the largest window w of which all multiples, up to 2^(w-1) G, are points:
//!   3, 4 and 8 bits. Tables of repeated keys choose their window by themselves, at least 4 bits,
//!   and are left out where n = 7;
//! - the odd multiples up to 31 P, by which the lanes multiply, exist where n = 199 alone. In the
//!   smaller groups, points are multiplied by the portable code, whose odd multiples may be the
//!   identity, and the lanes only sum up entries of tables;
//! - the uniform code for secret scalars is not complete: see `small_groups/uniform.rs`.
//!
//! # Implementation
//! The library's interface accepts no other curves. Therefore its sources are a part of this
//! program, and are compiled as far as the tests use them.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    missing_docs,
    reason = "most of the library is not needed"
)]
#![allow(
    clippy::wrong_self_convention,
    reason = "the names are those of the library's interface"
)]

#[path = "../src/cpu/mod.rs"]
mod cpu;
#[path = "../src/curve.rs"]
mod curve;
#[path = "../src/engine/mod.rs"]
mod engine;
#[path = "../src/fields/mod.rs"]
mod fields;
#[path = "../src/gpu/mod.rs"]
mod gpu;
#[path = "../src/host/mod.rs"]
mod host;
#[path = "../src/known_answers/mod.rs"]
mod known_answers;
#[path = "../src/operation.rs"]
mod operation;
#[path = "../src/ops/mod.rs"]
mod ops;
#[path = "../src/schemes/mod.rs"]
mod schemes;
#[path = "../src/types/mod.rs"]
mod types;

mod harness;
#[path = "small_groups/mod.rs"]
mod small_groups;

fn main() -> std::process::ExitCode {
    harness::run(small_groups::tests())
}
