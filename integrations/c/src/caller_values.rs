//! Writing of single values, texts and objects to the caller's memory.

use super::status::{Failure, call};
use std::ffi::c_char;
use std::ptr::null_mut;

/// Writes a text, truncated to the capacity and terminated by a zero byte, and its full length
/// without that byte.
///
/// # Safety
/// The caller of the interface promises that `capacity` bytes may be written at `text`, and a
/// number at `length` if that is not null.
pub(crate) unsafe fn write_text(
    from: &str,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> Result<(), Failure> {
    if text.is_null() && capacity > 0 {
        return Err(Failure::null("text"));
    }
    if !length.is_null() {
        // SAFETY: passed on.
        unsafe { write_value("length", length, from.len())? };
    }
    if let Some(room) = capacity.checked_sub(1) {
        let bytes = from.len().min(room);
        // SAFETY: `bytes` and a zero byte fit the capacity, and a text of the library does not
        // overlap the caller's memory.
        unsafe {
            text.copy_from_nonoverlapping(from.as_ptr().cast(), bytes);
            text.add(bytes).write(0);
        }
    }
    Ok(())
}

/// Writes a value.
///
/// # Safety
/// The caller of the interface promises that it may be written there, if the pointer is not null.
pub(crate) unsafe fn write_value<T>(name: &str, to: *mut T, value: T) -> Result<(), Failure> {
    require_aligned(name, to)?;
    // SAFETY: not null, aligned, and the caller's promise.
    unsafe { to.write(value) };
    Ok(())
}

/// Writes a pointer to the object that `make` returns, to be freed by `free`, or null if it fails.
///
/// # Safety
/// See `write_value`.
pub(crate) unsafe fn write_new<T>(
    name: &str,
    to: *mut *mut T,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    // SAFETY: passed on.
    unsafe {
        write_value(name, to, null_mut())?;
        write_value(name, to, Box::into_raw(Box::new(make()?)))
    }
}

/// Frees an object of `write_new`. A null pointer is ignored.
///
/// # Safety
/// The caller of the interface promises that it is from `write_new`, and is freed only once.
pub(crate) unsafe fn free<T>(object: *mut T) {
    if !object.is_null() {
        call(|| {
            // SAFETY: made by `Box::into_raw`, and the caller's promise.
            drop(unsafe { Box::from_raw(object) });
            Ok(())
        });
    }
}

/// Checks a pointer to one value, as far as that is possible.
pub(crate) fn require_aligned<T>(name: &str, to: *const T) -> Result<(), Failure> {
    match to {
        _ if to.is_null() => Err(Failure::null(name)),
        _ if !to.is_aligned() => Err(Failure::invalid(format!("{name} is not aligned"))),
        _ => Ok(()),
    }
}
