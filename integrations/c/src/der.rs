//! Signatures in DER and in other forms.

use super::choices;
use super::memory::{GeccBytes, GeccRows, Memory};
use super::status::{Failure, GeccStatus, call};
use gecc::call::Operation;
use gecc::fields::{FormCounts, SignatureForm};
use gecc::{CurveId, Rejection, Verdict, signature_from_der, signature_to_der};

/// The maximum length of a signature in DER, in bytes.
pub const GECC_DER_SIZE: usize = 72;

/// Decodes signatures in strict DER (RFC 3279, section 2.2.3) to rows of 64 bytes `r || s`. BER,
/// trailing bytes, and integers that are negative or not minimal are rejected. Ranges are checked
/// when a signature is used.
///
/// Reads `der`, one per item. Writes `signatures`, 64 bytes each, zeros for malformed ones;
/// `codes`. Code other than valid: `GECC_CODE_MALFORMED_SIGNATURE`. Uses one thread. Any thread may
/// call this at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_signatures_from_der(
    items: usize,
    der: *const GeccBytes,
    signatures: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let mut memory = Memory::of(items);
        let signatures = memory.writes::<64>("signatures", signatures)?;
        let codes = memory.writes::<1>("codes", codes)?;
        let der = memory.reads_strings("der", der, items)?;
        let signatures = signatures.rows();
        codes.complete(|codes| {
            for ((der, row), code) in der.iter().zip(signatures).zip(codes) {
                (*row, *code) = match signature_from_der(der) {
                    Ok(signature) => (signature, Verdict::VALID_CODE),
                    Err(reason) => ([0; 64], reason.code()),
                };
            }
            Ok(())
        })
    })
}

/// Decodes signatures of any form to rows of 64 bytes `r || s` and their recovery ids. The id is
/// 255 for forms that have none.
///
/// Reads `signatures`, one per item, of any length. Writes `rows`, 64 bytes each, zeros for
/// malformed ones; `recovery_ids`, one byte each; `codes`. `form` is a `GeccSignatureForm`. Code
/// other than valid: `GECC_CODE_MALFORMED_SIGNATURE`, also for an undefined v or header. Ranges are
/// checked when a signature is used, and only recovery checks whether a recovery id belongs to its
/// signature. Uses one thread. Any thread may call this at any time.
///
/// A signature of 65 bytes may be both `r || s || v` and header-first. `GECC_SIGNATURE_FORM_AUTO`
/// reads it as `r || s || v`. Returns `GECC_STATUS_INVALID_ARGUMENT` if most of the unambiguous
/// signatures are header-first: specify the form then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_signatures_read(
    form: i32,
    items: usize,
    signatures: *const GeccBytes,
    rows: *mut u8,
    recovery_ids: *mut u8,
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let form = choices::signature_form(form)?;
        // A form is read identically on all curves that support it.
        let reader = Operation::EcdsaRecover(CurveId::Secp256k1).signature_reader(form);
        let reader = reader.map_err(|problem| Failure::invalid(problem.to_string()))?;
        let mut memory = Memory::of(items);
        let rows = memory.writes::<64>("rows", rows)?;
        let ids = memory.writes::<1>("recovery_ids", recovery_ids)?;
        let codes = memory.writes::<1>("codes", codes)?;
        let signatures = memory.reads_strings("signatures", signatures, items)?;
        let rows = rows.rows();
        let ids = ids.rows();
        codes.complete(|codes| {
            let mut counts = FormCounts::default();
            for (item, signature) in signatures.iter().enumerate() {
                let read = reader.read(signature);
                if form == SignatureForm::Auto {
                    counts.see(signature);
                }
                rows[item] = read.map_or([0; 64], |read| read.signature);
                ids[item] = [read
                    .ok()
                    .and_then(|read| read.recovery_id)
                    .unwrap_or(u8::MAX)];
                codes[item] = read.map_or(Rejection::MalformedSignature.code(), |_| {
                    Verdict::VALID_CODE
                });
            }
            counts
                .check()
                .map_err(|unclear| Failure::invalid(unclear.to_string()))
        })
    })
}

/// Encodes signatures of 64 bytes `r || s` in DER.
///
/// Reads `signatures`. Writes `der`, `GECC_DER_SIZE` bytes per item, padded with zeros after the
/// signature; `lengths`, one byte per item, the length without padding. Uses one thread. Any thread
/// may call this at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_signatures_to_der(
    items: usize,
    signatures: GeccRows,
    der: *mut u8,
    lengths: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let mut memory = Memory::of(items);
        let der = memory.writes::<GECC_DER_SIZE>("der", der)?;
        let lengths = memory.writes::<1>("lengths", lengths)?;
        let signatures = memory.reads::<64>("signatures", signatures)?;
        let der = der.rows();
        lengths.complete(|lengths| {
            for (item, (row, length)) in der.iter_mut().zip(lengths).enumerate() {
                let signature = signature_to_der(signatures.get(item));
                row.fill(0);
                row[..signature.len()].copy_from_slice(&signature);
                *length = signature.len() as u8;
            }
            Ok(())
        })
    })
}
