//! Signatures in DER and in other forms.

use super::choices;
use super::memory::{GeccBytes, GeccRows, Memory};
use super::status::{Failure, GeccStatus, call};
use gecc::call::Operation;
use gecc::fields::{FormCounts, SignatureForm};
use gecc::{CurveId, Rejection, Verdict, signature_from_der, signature_to_der};

/// The most bytes that a signature has in DER.
pub const GECC_DER_SIZE: usize = 72;

/// Signatures in strict DER (RFC 3279, section 2.2.3) as rows of 64 bytes `r || s`: no BER, no bytes behind, integers
/// minimal and not negative. Ranges are checked where a signature is used.
///
/// Reads `der`, as many as items. Writes `signatures`, 64 bytes each, zeros where one is malformed; `codes`. Code other
/// than valid: `GECC_CODE_MALFORMED_SIGNATURE`. One thread computes this. Any thread may call this at any time.
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

/// Signatures of any form as rows of 64 bytes `r || s`, and the recovery ids in them. Of forms
/// without one an id is 255.
///
/// Reads `signatures`, as many as items, of any length. Writes `rows`, 64 bytes each, zeros where one is malformed;
/// `recovery_ids`, a byte each; `codes`. `form` is a `GeccSignatureForm`. Code other than valid:
/// `GECC_CODE_MALFORMED_SIGNATURE`, also where v or the header is not defined. Ranges are checked where a signature is
/// used, and that a recovery id belongs to it by recovery alone. One thread computes this. Any thread may call this at
/// any time.
///
/// A signature of 65 bytes can be `r || s || v` and header-first. With `GECC_SIGNATURE_FORM_AUTO`
/// it is read as the former; where more of the others are header-first than not,
/// `GECC_STATUS_INVALID_ARGUMENT` is returned: say the form.
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
                ids[item] = [read.ok().and_then(|read| read.recovery_id).unwrap_or(u8::MAX)];
                codes[item] = read.map_or(Rejection::MalformedSignature.code(), |_| Verdict::VALID_CODE);
            }
            counts.check().map_err(|unclear| Failure::invalid(unclear.to_string()))
        })
    })
}

/// Signatures of 64 bytes `r || s` in DER.
///
/// Reads `signatures`. Writes `der`, `GECC_DER_SIZE` bytes an item, zeros behind the signature; `lengths`, a byte an
/// item, of the signature alone. One thread computes this. Any thread may call this at any time.
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
