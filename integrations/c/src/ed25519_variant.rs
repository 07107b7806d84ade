//! The variants of Ed25519.

use super::choices;
use super::memory::{GeccBytes, Memory};
use super::status::Failure;
use gecc::ed25519::Variant;

/// A variant of Ed25519 (RFC 8032, section 5.1). Its signatures never verify as those of another
/// variant or of plain Ed25519.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeccEd25519Variant {
    /// 1 for Ed25519ph, which signs the SHA-512 of a message: calls take messages, and hash them. 0
    /// for Ed25519ctx.
    pub prehashed: i32,
    /// The context of the signatures, at most 255 bytes. It should not be empty for Ed25519ctx.
    pub context: GeccBytes,
}

/// Reads the variant of a call, which is plain Ed25519 if the pointer is null.
///
/// # Safety
/// The caller of the interface promises that the variant and its context may be read.
pub(super) unsafe fn variant_of(
    memory: &Memory,
    variant: *const GeccEd25519Variant,
) -> Result<Variant, Failure> {
    if variant.is_null() {
        return Ok(Variant::PURE);
    }
    // SAFETY: passed on.
    let GeccEd25519Variant { prehashed, context } =
        unsafe { memory.reads_values("variant", variant, 1)? }[0];
    // SAFETY: passed on.
    let context = unsafe { memory.reads_values("context", context.data, context.length)? };
    let variant = match choices::flag("value of prehashed", prehashed)? {
        true => Variant::prehashed(context),
        false => Variant::context(context),
    };
    variant.map_err(|problem| Failure::invalid(problem.to_string()))
}
