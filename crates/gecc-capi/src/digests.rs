//! Digests of messages for ECDSA.

use super::choices;
use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccBytes, Memory};
use super::progress::in_pieces;
use super::status::{GeccStatus, call};
use gecc::hash;

/// The digest of each message, as the calls over digests take it. **Not constant-time**: everything here is public.
///
/// Reads `messages`, as many as items. Writes `digests`, 32 bytes each. `hash` is a `GeccHash`. SHA-256, SHA-256 twice
/// and Keccak-256 of large batches are computed on GPUs, where there are any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_message_digests(
    engine: *const GeccEngine,
    hash: i32,
    items: usize,
    messages: *const GeccBytes,
    digests: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before digests are
    // written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let hash = choices::hash(hash)?;
        let mut memory = Memory::of(items);
        let digests = memory.writes("digests", digests)?;
        let messages = memory.reads_strings("messages", messages, items)?;
        let digests = digests.rows();
        in_pieces(engine, items, Some(&messages), |piece| {
            hash::digests_into(engine, hash, piece.of_all(&messages), piece.out(digests))
        })
    })
}
