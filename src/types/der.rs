//! Signatures in DER.

use super::Rejection;
use der::asn1::UintRef;
use der::{Decode, Encode};

/// The type Ecdsa-Sig-Value of RFC 3279, section 2.2.3; SM2 signatures have the same structure.
#[derive(der::Sequence)]
struct DerSignature<'a> {
    r: UintRef<'a>,
    s: UintRef<'a>,
}

/// Decodes an ECDSA or SM2 signature in strict DER (RFC 3279, section 2.2.3) to `r || s`.
///
/// BER and trailing bytes are rejected; integers have to be minimal and non-negative. The range
/// `1..n` is checked where the signature is used.
///
/// # Errors
/// [`Rejection::MalformedSignature`].
pub fn signature_from_der(der: &[u8]) -> Result<[u8; 64], Rejection> {
    let parsed = DerSignature::from_der(der).map_err(|_| Rejection::MalformedSignature)?;
    let mut bytes = [0; 64];
    for (value, field) in [parsed.r, parsed.s].iter().zip(bytes.chunks_exact_mut(32)) {
        let digits = value.as_bytes();
        let start = 32usize
            .checked_sub(digits.len())
            .ok_or(Rejection::MalformedSignature)?;
        field[start..].copy_from_slice(digits);
    }
    Ok(bytes)
}

/// Encodes `r || s` in DER (RFC 3279, section 2.2.3), in at most 72 bytes.
pub fn signature_to_der(signature: &[u8; 64]) -> Vec<u8> {
    let (r, s) = signature.split_at(32);
    let r = UintRef::new(r).expect("32 bytes are within the encoder's limit");
    let s = UintRef::new(s).expect("32 bytes are within the encoder's limit");
    DerSignature { r, s }
        .to_der()
        .expect("two integers of 32 bytes are within the encoder's limit")
}
