//! Vectors of plain values that are wiped.

use std::ops::{Deref, DerefMut};
use std::slice;
use zeroize::Zeroize;

/// A vector of plain values, secret or derived from secrets, whose memory is wiped when it is
/// dropped. It never grows: growing would leave its old contents in freed memory.
pub struct Wiped<T: Copy>(Vec<T>);

impl<T: Copy> Wiped<T> {
    /// Values are wiped word by word.
    const IS_WORDS: () = assert!(size_of::<T>().is_multiple_of(8) && align_of::<T>() >= 8);

    /// Allocates memory for `capacity` values.
    pub fn with_capacity(capacity: usize) -> Self {
        const { Self::IS_WORDS };
        Wiped(Vec::with_capacity(capacity))
    }

    /// Makes a vector of `len` times one value. Like `truncate`, for vector code.
    #[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
    pub fn repeat(value: T, len: usize) -> Self {
        const { Self::IS_WORDS };
        Wiped(vec![value; len])
    }

    /// Keeps the first `len` values.
    #[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Appends a value.
    ///
    /// # Panics
    /// If the vector is full.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        assert!(self.0.len() < self.0.capacity(), "the vector does not grow");
        self.0.push(value);
    }
}

impl<T: Copy> From<Vec<T>> for Wiped<T> {
    fn from(values: Vec<T>) -> Self {
        const { Self::IS_WORDS };
        Wiped(values)
    }
}

impl<T: Copy> Deref for Wiped<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Copy> DerefMut for Wiped<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Copy> Drop for Wiped<T> {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// Removes all values and overwrites their memory, including that of values removed earlier.
pub fn wipe<T: Copy>(values: &mut Vec<T>) {
    const { Wiped::<T>::IS_WORDS };
    values.clear();
    let memory = values.spare_capacity_mut();
    // SAFETY: the memory belongs to the vector, which has no values any more, and has the size and
    // alignment of words.
    let words = unsafe {
        slice::from_raw_parts_mut(
            memory.as_mut_ptr().cast::<std::mem::MaybeUninit<u64>>(),
            size_of_val(memory) / 8,
        )
    };
    for word in words {
        word.write(0).zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wiping_overwrites_all_of_the_capacity() {
        let mut values = Vec::with_capacity(5);
        values.extend([u64::MAX; 4]);
        values.truncate(2);
        wipe(&mut values);
        assert!(values.is_empty());
        // SAFETY: wiping has written all of the capacity.
        unsafe { values.set_len(5) };
        assert_eq!(values, [0; 5]);
    }

    #[test]
    #[should_panic(expected = "does not grow")]
    fn full_vector_does_not_grow() {
        let mut values = Wiped::with_capacity(1);
        for value in 0..1000u64 {
            values.push(value);
        }
    }
}
