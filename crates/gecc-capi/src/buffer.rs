//! Page-locked memory, from which GPUs copy without help of the host.

use super::caller_values::{free, require_aligned, write_new};
use super::engine::{GeccEngine, engine_of};
use super::status::{Failure, GeccStatus, call};
use gecc::{Engine, PageLocked};
use zeroize::Zeroize;

/// Page-locked memory, from and to which GPUs copy without help of the host. Any call may read its columns there and
/// write its results there; where there is no GPU it serves like any other memory.
///
/// It pays for buffers of megabytes that are used many times: locking a gigabyte and unlocking it takes about 50 ms.
///
/// It lasts from `gecc_buffer_new` to `gecc_buffer_free`, also after its engine is freed.
pub struct GeccBuffer {
    memory: PageLocked<u8>,
    data: *mut u8,
}

impl Drop for GeccBuffer {
    fn drop(&mut self) {
        self.memory.zeroize();
    }
}

/// Makes a buffer of `bytes` bytes, all zero, and locks it where there is a GPU and the driver allows it
/// (`gecc_buffer_is_locked`).
///
/// The buffer is written to `buffer`, to be freed by `gecc_buffer_free`; on failure null is. Any thread may call this
/// at any time.
///
/// Returns `GECC_STATUS_OUT_OF_MEMORY` when there is not so much memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_buffer_new(
    engine: *const GeccEngine,
    bytes: usize,
    buffer: *mut *mut GeccBuffer,
) -> GeccStatus {
    // SAFETY: the caller's promises.
    call(|| unsafe { write_new("buffer", buffer, || GeccBuffer::new(engine_of(engine)?, bytes)) })
}

impl GeccBuffer {
    fn new(engine: &Engine, bytes: usize) -> Result<Self, Failure> {
        let mut memory = engine.page_locked_zeros(bytes)?;
        let data = if bytes == 0 { std::ptr::null_mut() } else { memory.as_mut_ptr() };
        Ok(GeccBuffer { memory, data })
    }
}

/// The first byte of a buffer. It stays where it is as long as the buffer lasts. Null for null, and where there are no
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_buffer_data(buffer: *const GeccBuffer) -> *mut u8 {
    if require_aligned("buffer", buffer).is_err() {
        return std::ptr::null_mut();
    }
    // SAFETY: not null, aligned, and from `gecc_buffer_new`, as the caller promises.
    unsafe { (*buffer).data }
}

/// Whether a buffer is locked: not where there is no GPU, and not where the driver refuses. False for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_buffer_is_locked(buffer: *const GeccBuffer) -> bool {
    // SAFETY: not null, aligned, and from `gecc_buffer_new`, as the caller promises.
    require_aligned("buffer", buffer).is_ok() && unsafe { (*buffer).memory.is_locked() }
}

/// Wipes a buffer, as it may have held secrets, unlocks it and frees it. No call may use its memory any more. Null is
/// allowed, and nothing then happens.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_buffer_free(buffer: *mut GeccBuffer) {
    // SAFETY: the caller's promise.
    unsafe { free(buffer) }
}
