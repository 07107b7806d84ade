//! gecc: batches of elliptic-curve operations (ECDSA, BIP 340, SM2, ECDH and masks on secp256k1,
//! P-256, brainpoolP256r1 and SM2, Ed25519 and X25519) on NVIDIA GPUs and CPUs, for C and languages
//! that call C.
//!
//! A call takes a batch of `items` items in columns, and returns results in columns. A malformed
//! item gets its own code and does not affect other items.
//!
//! **Input columns** are `GeccRows` or `GeccKeys`: the first row, and the distance from each row to
//! the next in bytes. Fields of records can be passed in place: in records of `32 digest | 33 key |
//! 64 signature`, all three columns have a stride of 129. With a stride of 0, all items have the
//! same row. Numbers, coordinates and digests have 32 bytes, big-endian; signatures have 64 bytes
//! `r || s`. Ed25519 and X25519 have their own encodings.
//!
//! **Output columns** are memory of the caller for adjacent rows: `items` times the width of a row.
//! Their previous contents are ignored. `codes` has one byte per item, a `GeccCode`. Other results
//! of an item are meaningless unless its code is `GECC_CODE_VALID`. Sums over all items have one
//! result and one code instead. **Codes are not truth values**: `if (codes[i])` is also true for
//! rejected items. Compare with `GECC_CODE_VALID`, or use `gecc_count_valid`.
//!
//! **The return value** of a call is a `GeccStatus`, which does not depend on the validity of
//! items. After any status but `GECC_STATUS_OK` results are meaningless: codes are 0, or untouched
//! if an argument was rejected. `gecc_last_error` returns the text of the error. Every call can
//! return `GECC_STATUS_NULL_POINTER` and `GECC_STATUS_INVALID_ARGUMENT`; calls with an engine also
//! `GECC_STATUS_FORKED`, `GECC_STATUS_PANIC` and `GECC_STATUS_OTHER`, and with `GECC_BACKEND_GPU`
//! `GECC_STATUS_DEVICE` and `GECC_STATUS_KERNELS`. No panic or exception leaves a call. As in any
//! program, running out of memory elsewhere than in `gecc_buffer_new` ends the process.
//!
//! **Requirements on the caller**, which calls cannot check: non-null pointers refer to memory that
//! may be read or written, in the documented sizes; no other thread writes to it during a call; an
//! engine or buffer is from its `_new` function, and is freed once, and not while a call uses it.
//! Memory is used only during a call. It remains the caller's, including the secrets in it. Calls
//! check everything else: null, numbers, strides below the width of a row, sizes beyond the address
//! space, alignment, and overlaps of written memory with other memory of the call (a column extends
//! from its first byte to its last). Without items, columns are not examined: pointers may be null,
//! and strides and encodings may have any value.
//!
//! **Threads.** Any number of threads may make calls concurrently, with the same engine or
//! different ones. A call returns when its results are complete. Large batches are the most
//! efficient: a call may have one item or millions.
//!
//! **Long calls** can be cancelled and report their progress: see `gecc_on_progress`.
//!
//! **Secrets.** The documentation of calls that are **constant-time** in private keys states so;
//! other calls are for public data. The library wipes its own memory of secrets, and no text
//! contains a secret.
//!
//! **Versions.** `GECC_ABI_VERSION` is increased by changes of this interface, but not by
//! additions. A program that loads the library itself compares it with `gecc_abi_version`.

#![allow(
    clippy::missing_safety_doc,
    reason = "the requirements on callers are stated once, above and at the head of the header"
)]
#![allow(
    clippy::too_many_arguments,
    reason = "the columns of a call are its parameters"
)]

pub mod bip340;
pub mod buffer;
pub mod caller_values;
pub mod choices;
pub mod codes;
pub mod der;
pub mod ecdsa;
pub mod ed25519;
pub mod ed25519_variant;
pub mod engine;
pub mod keys;
pub mod masking;
pub mod memory;
mod operation;
pub mod point;
pub mod progress;
pub mod silent_payments;
pub mod sm2;
pub mod status;
pub mod sums;
pub mod x25519;
