//! Page-locked memory, from which GPUs copy without help of the host.

use super::caller_values::{free, require_aligned, write_new};
use super::engine::{GeccEngine, engine_of};
use super::status::{Failure, GeccStatus, call};
use gecc::{Engine, PageLocked};
use zeroize::Zeroize;

/// Page-locked memory, which GPUs access without a copy on the host. Calls may read columns from it
/// and write results to it. Without a GPU it behaves like any other memory.
///
/// It is faster for buffers of megabytes that are used many times: locking and unlocking a gigabyte
/// takes about 50 ms.
///
/// A buffer is valid from `gecc_buffer_new` to `gecc_buffer_free`, even after its engine is freed.
pub struct GeccBuffer {
    memory: PageLocked<u8>,
    data: *mut u8,
}

impl Drop for GeccBuffer {
    fn drop(&mut self) {
        self.memory.zeroize();
    }
}

/// Creates a buffer of `bytes` zero bytes, and locks it if there is a GPU and the driver permits it
/// (`gecc_buffer_is_locked`).
///
/// Writes the buffer to `buffer`, or null on failure. Free it with `gecc_buffer_free`. Any thread
/// may call this at any time.
///
/// Returns `GECC_STATUS_OUT_OF_MEMORY` if there is not enough memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_buffer_new(
    engine: *const GeccEngine,
    bytes: usize,
    buffer: *mut *mut GeccBuffer,
) -> GeccStatus {
    // SAFETY: the caller's promises.
    call(|| unsafe {
        write_new("buffer", buffer, || {
            GeccBuffer::new(engine_of(engine)?, bytes)
        })
    })
}

impl GeccBuffer {
    fn new(engine: &Engine, bytes: usize) -> Result<Self, Failure> {
        let mut memory = engine.page_locked_zeros(bytes)?;
        let data = if bytes == 0 {
            std::ptr::null_mut()
        } else {
            memory.as_mut_ptr()
        };
        Ok(GeccBuffer { memory, data })
    }
}

/// Returns the address of a buffer's first byte, which does not change during the buffer's
/// lifetime. Returns null for null and for an empty buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_buffer_data(buffer: *const GeccBuffer) -> *mut u8 {
    if require_aligned("buffer", buffer).is_err() {
        return std::ptr::null_mut();
    }
    // SAFETY: not null, aligned, and from `gecc_buffer_new`, as the caller promises.
    unsafe { (*buffer).data }
}

/// Returns whether a buffer is page-locked: false without a GPU, if the driver refused to lock it,
/// and for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_buffer_is_locked(buffer: *const GeccBuffer) -> bool {
    // SAFETY: not null, aligned, and from `gecc_buffer_new`, as the caller promises.
    require_aligned("buffer", buffer).is_ok() && unsafe { (*buffer).memory.is_locked() }
}

/// Wipes a buffer, which may contain secrets, unlocks it and frees it. No call may use its memory
/// afterwards. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_buffer_free(buffer: *mut GeccBuffer) {
    // SAFETY: the caller's promise.
    unsafe { free(buffer) }
}
