//! The version of the interface.

/// The version of this interface.
pub const GECC_ABI_VERSION: u32 = 2;

/// The version of the interface that the library has: `GECC_ABI_VERSION` of the header that belongs to it.
///
/// Any thread may call this at any time.
#[unsafe(no_mangle)]
pub extern "C" fn gecc_abi_version() -> u32 {
    GECC_ABI_VERSION
}
