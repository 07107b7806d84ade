//! Signatures in DER.

use super::memory::{GeccBytes, GeccRows, Memory};
use super::status::{GeccStatus, call};
use gecc::{Verdict, signature_from_der, signature_to_der};

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
    // SAFETY: the caller's promises; all memory is told to `memory` before results are written.
    call(|| unsafe {
        let mut memory = Memory::of(items);
        let (signatures, codes) = (memory.writes::<64>("signatures", signatures)?, memory.writes::<1>("codes", codes)?);
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
    // SAFETY: the caller's promises; all memory is told to `memory` before results are written.
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
