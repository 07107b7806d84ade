//! gecc: batches of elliptic-curve operations (ECDSA, BIP 340, SM2 and ECDH on secp256k1, P-256, brainpoolP256r1 and
//! SM2, and Ed25519) on NVIDIA GPUs and CPUs, for C and what calls C.
//!
//! A batch has `items` items, which a call takes and answers in columns. A bad item gets its own code and disturbs no
//! other.
//!
//! **Columns that a call reads** are `GeccRows` or `GeccKeys`: the first row, and the distance from each row to the
//! next in bytes. Records work as they lie: of `32 digest | 33 key | 64 signature` all three columns have a stride
//! of 129. A stride of 0 gives all items the same row. Numbers, coordinates and digests are 32 bytes, big-endian;
//! signatures 64 bytes `r || s`. Ed25519 has encodings of its own.
//!
//! **Columns that a call writes** are memory of the caller's, with the rows one after the other: `items` times the
//! width of a row. What lay there before does not matter. `codes` has one byte an item, a `GeccCode`. Where it is not
//! `GECC_CODE_VALID` the item's other results mean nothing. Sums over all items have one result and one code instead.
//! **Codes are no truth values**: `if (codes[i])` holds for rejected items too. Compare with `GECC_CODE_VALID`, or ask
//! `gecc_count_valid`.
//!
//! **What a call returns** is a `GeccStatus`, and says nothing of the items. After any status but `GECC_STATUS_OK`
//! results mean nothing: codes are 0, or untouched if an argument was refused. `gecc_last_error` has the text. Every
//! call can return `GECC_STATUS_NULL_POINTER` and `GECC_STATUS_INVALID_ARGUMENT`; those that take an engine
//! `GECC_STATUS_FORKED`, `GECC_STATUS_PANIC`, `GECC_STATUS_OTHER`, and with `GECC_BACKEND_GPU` `GECC_STATUS_DEVICE` and
//! `GECC_STATUS_KERNELS`. No panic and no exception leaves a call. As in any program, memory that runs out elsewhere
//! than in `gecc_buffer_new` ends the process.
//!
//! **What the caller promises**, as no call can check it: pointers that are not null lead to memory that may be read,
//! or written, in the sizes that are said; nobody writes to it while a call runs; an engine or buffer is from its
//! `_new`, and is not freed while a call uses it or twice. Memory is used only while a call runs, and stays the
//! caller's, with the secrets in it. What a call can check it does: null, numbers, strides below a row's width, sizes
//! beyond the address space, alignment, and memory that is written and overlaps other memory of the call (columns count
//! from their first byte to their last). With no items no column is looked at: pointers may be null, and strides and
//! encodings may be anything.
//!
//! **Threads.** Any number of threads may call at once, with one engine or several. A call returns when its results are
//! there. Large batches are worth the most: a call is for millions of items as well as for one.
//!
//! **Long calls** can be ended, and say how far they are: `gecc_on_progress`.
//!
//! **Secrets.** Calls that are **constant-time** in private keys say so; the others are for public data. The library
//! wipes its own memory of secrets, and writes none of them in a text.
//!
//! **Versions.** `GECC_ABI_VERSION` is raised when something here changes, not when something is added. A program
//! compares it with `gecc_abi_version` where it loads the library itself.

#![allow(clippy::missing_safety_doc, reason = "what callers promise is said once, above and at the head of the header")]
#![allow(clippy::too_many_arguments, reason = "columns of a call are its parameters")]

pub mod bip340;
pub mod buffer;
pub mod caller_values;
pub mod choices;
pub mod codes;
pub mod der;
pub mod ecdsa;
pub mod ed25519;
pub mod engine;
pub mod keys;
pub mod memory;
mod operation;
pub mod point;
pub mod progress;
pub mod silent_payments;
pub mod sm2;
pub mod status;
pub mod sums;
