//! Silent payments (BIP 352), on secp256k1.

use super::caller_values::{free, require_aligned, write_new};
use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccKeys, GeccRows, Memory};
use super::status::{Failure, GeccStatus, call};
use gecc::silent_payments::{self, Match, Outputs, Receiver};
use gecc::{SecretKey, stack};

/// A receiver of silent payments: a scan key, a spend public key and labels. It is valid from
/// `gecc_receiver_new` to `gecc_receiver_free`, which wipes it. Any number of threads may use it
/// concurrently.
pub struct GeccReceiver(Receiver);

/// The taproot outputs of rows. Row i has the outputs from `offsets[i]` up to, but not including,
/// `offsets[i + 1]`. They are given by their x-only keys or by the first eight bytes of these; the
/// other pointer is null.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeccOutputs {
    /// One offset per row, and the number of all outputs. They must not decrease.
    pub offsets: *const u64,
    /// x-only keys of 32 bytes, big-endian, or null as their data.
    pub keys: GeccRows,
    /// The first eight bytes of x-only keys, each as a big-endian number, or null.
    pub prefixes: *const u64,
}

/// An output that was paid to a receiver. If outputs are given by their first eight bytes, it is a
/// candidate: another output has the same bytes by chance with a probability of 2^-64.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeccMatch {
    /// The row, counted from 0.
    pub row: u64,
    /// The position of the output in its row.
    pub output: u64,
    /// The position of the receiver in the call.
    pub receiver: u32,
    /// The sender's counter, from 0.
    pub k: u32,
    /// The label of the address that was paid, or -1 for the address without a label.
    pub label: i64,
    /// The number whose sum with the spend private key, modulo n, is the private key of the output:
    /// 32 bytes, big-endian. Secret.
    pub tweak: [u8; 32],
}

/// Creates a receiver.
///
/// `scan_key` has 32 bytes, big-endian. `spend_key` is a SEC 1 octet string of `spend_key_bytes`
/// bytes, 33 or 65. `labels` are the numbers m of the addresses that were given out, `label_count`
/// of them; 0 is the label for the wallet's own change. Writes the receiver to `receiver`, or null
/// on failure. Free it with `gecc_receiver_free`. Any thread may call this at any time. The only
/// branch that depends on the scan key is the check of its range. The caller has to wipe its own
/// copy.
///
/// Returns `GECC_STATUS_INVALID_ARGUMENT` for unusable keys and labels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_receiver_new(
    scan_key: *const u8,
    spend_key: *const u8,
    spend_key_bytes: usize,
    labels: *const u32,
    label_count: usize,
    receiver: *mut *mut GeccReceiver,
) -> GeccStatus {
    // A receiver is moved to its final place, which leaves copies of its keys on the stack.
    call(|| {
        stack::wiped(|| {
            // SAFETY: the caller's promises; memory is read only after the pointer to the receiver
            // was cleared.
            unsafe {
                write_new("receiver", receiver, || {
                    new_receiver(
                        scan_key,
                        (spend_key, spend_key_bytes),
                        (labels, label_count),
                    )
                })
            }
        })
    })
}

/// Reads the keys and labels of a receiver, given as pointers and lengths.
///
/// # Safety
/// See `Memory::reads`.
unsafe fn new_receiver(
    scan_key: *const u8,
    (spend_key, spend_key_bytes): (*const u8, usize),
    (labels, label_count): (*const u32, usize),
) -> Result<GeccReceiver, Failure> {
    let memory = Memory::of(1);
    // SAFETY: passed on.
    let (scan_key, spend_key, labels) = unsafe {
        (
            memory.reads_values("scan_key", scan_key, 32)?,
            memory.reads_values("spend_key", spend_key, spend_key_bytes)?,
            memory.reads_values("labels", labels, label_count)?,
        )
    };
    let scan_key = SecretKey::from_bytes(scan_key.try_into().expect("a slice of 32 bytes"));
    let receiver = Receiver::new(scan_key, spend_key, labels);
    receiver
        .map(GeccReceiver)
        .map_err(|reason| Failure::invalid(format!("receiver: {reason}")))
}

/// Wipes a receiver and frees it. No call may use it afterwards. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_receiver_free(receiver: *mut GeccReceiver) {
    // SAFETY: the caller's promise.
    unsafe { free(receiver) }
}

/// Finds the outputs that were paid to receivers. **Constant-time** in scan keys: branches and
/// addresses do not depend on scan keys, shared points or tweaks. The duration of a call may
/// disclose which rows match, and how many outputs of each.
///
/// Reads `receivers`, `receiver_count` of them; `tweak_points`, one per row; `outputs`. Writes
/// `codes`, one byte per row; the first `capacity` matches, ordered by row, receiver and k, to
/// `matches`, which may be null if `capacity` is 0; and the number of all matches to `match_count`.
/// If that exceeds `capacity`, repeat the call with a larger array. Codes other than valid:
/// `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`, `GECC_CODE_IDENTITY_KEY`. Such a row has
/// no matches.
///
/// In each row, k is increased from 0 while an output matches, up to 2322. The caller has to wipe
/// the tweaks of matches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_silent_payments_scan(
    engine: *const GeccEngine,
    items: usize,
    receivers: *const *const GeccReceiver,
    receiver_count: usize,
    tweak_points: GeccKeys,
    outputs: GeccOutputs,
    matches: *mut GeccMatch,
    capacity: usize,
    match_count: *mut usize,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let mut memory = Memory::of(items);
        let codes = memory.writes("codes", codes)?;
        if capacity > 0 {
            require_aligned("matches", matches)?;
        }
        memory.writes_rows::<{ size_of::<GeccMatch>() }>("matches", matches.cast(), capacity)?;
        require_aligned("match_count", match_count)?;
        memory.writes_rows::<{ size_of::<usize>() }>("match_count", match_count.cast(), 1)?;
        let receivers =
            receivers_of(memory.reads_values("receivers", receivers, receiver_count)?)?;
        let tweak_points = memory.reads_keys("tweak_points", tweak_points)?;
        let outputs = outputs_of(&memory, outputs, items)?;
        // The matches of a piece are not moved: moving them would leave copies of their tweaks
        // behind.
        let mut all: Vec<Vec<Match>> = Vec::new();
        codes.answer(engine, None, |piece, codes| {
            let mut found = silent_payments::scan(
                engine,
                &receivers,
                piece.of(tweak_points),
                piece.of(outputs),
            )?;
            codes.copy_from_slice(&found.codes);
            found
                .matches
                .iter_mut()
                .for_each(|found| found.row += piece.items().start);
            all.push(found.matches);
            Ok(())
        })?;
        for (place, found) in all.iter().flatten().take(capacity).enumerate() {
            write_match(found, matches.add(place));
        }
        match_count.write(all.iter().map(Vec::len).sum());
        Ok(())
    })
}

/// Computes the tweak point of each transaction: `T = hash_BIP0352/Inputs(outpoint || A) A`. **Not
/// constant-time**: all inputs are public.
///
/// Reads `outpoints`, the smallest of each transaction, 36 bytes as in transactions; `input_keys`,
/// the sums A of the public keys of eligible inputs. Writes `tweak_points`, 64 bytes `x || y`;
/// `codes`. Codes other than valid: `GECC_CODE_MALFORMED_POINT`, `GECC_CODE_NOT_ON_CURVE`,
/// `GECC_CODE_IDENTITY_KEY`, and `GECC_CODE_SCALAR_OUT_OF_RANGE` if the hash is 0 or not below n.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_silent_payments_index(
    engine: *const GeccEngine,
    items: usize,
    outpoints: GeccRows,
    input_keys: GeccKeys,
    tweak_points: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let mut memory = Memory::of(items);
        let points = memory.writes("tweak_points", tweak_points)?;
        let codes = memory.writes("codes", codes)?;
        let outpoints = memory.reads::<36>("outpoints", outpoints)?;
        let keys = memory.reads_keys("input_keys", input_keys)?;
        let points = points.rows();
        codes.answer(engine, None, |piece, codes| {
            silent_payments::index_into(
                engine,
                piece.of(outpoints),
                piece.of(keys),
                piece.out(points),
                codes,
            )
        })
    })
}

/// Returns clones of the receivers.
///
/// # Safety
/// The caller of the interface promises that non-null pointers are from `gecc_receiver_new`.
unsafe fn receivers_of(receivers: &[*const GeccReceiver]) -> Result<Vec<Receiver>, Failure> {
    for (place, receiver) in receivers.iter().enumerate() {
        require_aligned("receivers", *receiver).map_err(|failure| failure.of_item(place))?;
    }
    // The capacity is sufficient from the start: moving receivers would leave copies of their keys
    // behind.
    let mut all = Vec::with_capacity(receivers.len());
    stack::wiped(|| {
        for receiver in receivers {
            // SAFETY: not null, aligned, and the caller's promise.
            all.push(unsafe { (**receiver).0.clone() });
        }
    });
    Ok(all)
}

/// Reads the outputs of all rows.
///
/// # Safety
/// See `Memory::reads`.
unsafe fn outputs_of<'a>(
    memory: &Memory,
    outputs: GeccOutputs,
    items: usize,
) -> Result<Outputs<'a>, Failure> {
    if items == 0 {
        return Ok(Outputs::prefixes(&[0], &[])?);
    }
    // SAFETY: passed on; `items` rows are in memory, so that `items + 1` does not overflow.
    unsafe {
        let offsets = memory.reads_values("offsets", outputs.offsets, items.saturating_add(1))?;
        let count = usize::try_from(offsets[items])
            .map_err(|_| Failure::invalid("offsets: the last is too large"))?;
        if !outputs.keys.data.is_null() && outputs.keys.stride == 0 && count > 1 {
            return Err(Failure::invalid(format!(
                "keys: one row for {count} outputs"
            )));
        }
        match (outputs.keys.data.is_null(), outputs.prefixes.is_null()) {
            (false, true) => Ok(Outputs::x_only(
                offsets,
                memory.reads_many::<32>("keys", outputs.keys, count)?,
            )?),
            (true, false) => Ok(Outputs::prefixes(
                offsets,
                memory.reads_values("prefixes", outputs.prefixes, count)?,
            )?),
            (true, true) if count == 0 => Ok(Outputs::prefixes(offsets, &[])?),
            (true, true) => Err(Failure::null("outputs: both keys and prefixes")),
            (false, false) => Err(Failure::invalid(
                "outputs: both keys and prefixes are given",
            )),
        }
    }
}

/// Writes a match.
///
/// # Safety
/// A match may be written there.
unsafe fn write_match(found: &Match, to: *mut GeccMatch) {
    let row = found.row as u64;
    let output = found.output as u64;
    let receiver = found.receiver as u32;
    let label = found.label.map_or(-1, i64::from);
    // SAFETY: passed on. The tweak is copied from memory that is wiped to its final place.
    unsafe {
        to.write(GeccMatch {
            row,
            output,
            receiver,
            k: found.k,
            label,
            tweak: [0; 32],
        });
        (*to).tweak.copy_from_slice(found.tweak.expose_bytes());
    }
}
