//! Memory in whole pages that contain nothing else.
//!
//! A driver locks whole pages, and refuses a range that shares a page with one that is already
//! locked. The memory of a vector begins and ends anywhere in a page.

use super::workers::Pool;
use crate::types::{HUGE_PAGE, ask_for_huge_pages};
use std::alloc::{Layout, alloc, dealloc};
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut, Range};
use std::ptr::{self, NonNull};
use zeroize::Zeroize;

/// Bytes that one thread touches at a time.
const PART: usize = 1 << 20;

/// Size in bytes from which the waste in a partly used last huge page does not matter.
const LARGE: usize = 4 * HUGE_PAGE;

/// Values in pages of their own, dropped with them.
pub struct WholePages<T> {
    start: NonNull<T>,
    /// Number of initialised values.
    items: usize,
    /// A multiple of the page size, and aligned to it. The size is 0 if the values have no bytes;
    /// then nothing is allocated.
    layout: Layout,
}

// SAFETY: it owns its values, as a vector does.
unsafe impl<T: Send> Send for WholePages<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for WholePages<T> {}

impl<T> WholePages<T> {
    /// Allocates memory for `items` values, none of which is initialised. Returns `None` if there
    /// is not enough memory.
    fn with_capacity(items: usize) -> Option<Self> {
        let values = Layout::array::<T>(items).ok()?;
        let page = if values.size() < LARGE {
            page_size()
        } else {
            HUGE_PAGE
        };
        let layout = values.align_to(page).ok()?.pad_to_align();
        let start: NonNull<T> = match layout.size() {
            0 => NonNull::dangling(),
            // SAFETY: the size of the layout is not 0.
            _ => NonNull::new(unsafe { alloc(layout) })?.cast(),
        };
        if layout.size() >= LARGE {
            // SAFETY: the memory was allocated, and nobody else has it.
            let memory = unsafe {
                std::slice::from_raw_parts_mut(
                    start.as_ptr().cast::<MaybeUninit<u8>>(),
                    layout.size(),
                )
            };
            // Fewer pages are touched and locked in less time.
            ask_for_huge_pages(memory);
        }
        Some(WholePages {
            start,
            items: 0,
            layout,
        })
    }

    /// Moves values to pages, and wipes their previous memory. Returns them if there is not enough
    /// memory.
    pub fn of(mut values: Vec<T>) -> Result<Self, Vec<T>> {
        let items = values.len();
        let Some(mut pages) = Self::with_capacity(items) else {
            return Err(values);
        };
        // SAFETY: the pages have space for the values, which no longer belong to the vector.
        unsafe {
            values.set_len(0);
            ptr::copy_nonoverlapping(values.as_ptr(), pages.start.as_ptr(), items);
        }
        pages.items = items;
        values.spare_capacity_mut()[..items].zeroize();
        Ok(pages)
    }

    /// Moves the values to a vector, and wipes their previous memory.
    pub fn into_vec(mut self) -> Vec<T> {
        let items = self.items;
        let mut values = Vec::with_capacity(items);
        // SAFETY: the vector has space for the values, which no longer belong to the pages. Their
        // memory stays allocated until the end.
        unsafe {
            self.items = 0;
            ptr::copy_nonoverlapping(self.start.as_ptr(), values.as_mut_ptr(), items);
            values.set_len(items);
            std::slice::from_raw_parts_mut(self.start.as_ptr().cast::<MaybeUninit<T>>(), items)
                .zeroize();
        }
        values
    }

    /// Returns the address range of the pages.
    pub fn memory(&self) -> Range<*const u8> {
        let start = self.start.as_ptr().cast_const().cast::<u8>();
        start..start.wrapping_add(self.layout.size())
    }
}

impl WholePages<u8> {
    /// Allocates zeros. Returns `None` if there is not enough memory. The first touch of each page
    /// takes most of the time, so the zeros are written on the threads of a pool, or by this
    /// thread.
    pub fn zeroed(bytes: usize, pool: Option<&Pool>) -> Option<Self> {
        let mut pages = Self::with_capacity(bytes)?;
        // SAFETY: the pages have space for `bytes` bytes, and nobody else refers to them.
        let places = unsafe {
            std::slice::from_raw_parts_mut(pages.start.as_ptr().cast::<MaybeUninit<u8>>(), bytes)
        };
        match pool {
            Some(pool) => pool.for_each(places.chunks_mut(PART).collect(), fill_with_zeros),
            None => fill_with_zeros(places),
        }
        // All of them are written.
        pages.items = bytes;
        Some(pages)
    }
}

fn fill_with_zeros(bytes: &mut [MaybeUninit<u8>]) {
    bytes.fill(MaybeUninit::new(0));
}

impl<T> Deref for WholePages<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `items` values are initialised.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.items) }
    }
}

impl<T> DerefMut for WholePages<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: `items` values are initialised, and are borrowed for as long as the pages.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.items) }
    }
}

impl<T> Drop for WholePages<T> {
    fn drop(&mut self) {
        // SAFETY: the values are initialised, and are not used again. The memory was allocated with
        // this layout.
        unsafe {
            ptr::drop_in_place(&raw mut **self);
            if self.layout.size() > 0 {
                dealloc(self.start.as_ptr().cast(), self.layout);
            }
        }
    }
}

#[cfg(unix)]
fn page_size() -> usize {
    rustix::param::page_size()
}

/// Returns an upper bound: no system has larger pages unless they are requested.
#[cfg(not(unix))]
fn page_size() -> usize {
    1 << 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;
    use std::rc::Rc;

    #[test]
    fn no_page_has_anything_else() {
        let mut all = Vec::new();
        for items in [0, 1, 31, 4096, 4097, 70_000, LARGE] {
            let mut values = vec![0_u8; items];
            rand::rng().fill_bytes(&mut values);
            let pages = WholePages::of(values.clone()).ok().unwrap();
            let memory = pages.memory();
            let ends = [memory.start.addr(), memory.end.addr()];
            assert!(items == 0 || ends.iter().all(|end| end % page_size() == 0));
            assert_eq!(
                memory.end.addr() - memory.start.addr(),
                items.next_multiple_of(page_size())
            );
            assert_eq!(*pages, values);
            all.push((pages, values));
        }
        all[3].0[7] ^= 1;
        all[3].1[7] ^= 1;
        for (pages, values) in all {
            assert_eq!(pages.into_vec(), values);
        }
    }

    #[test]
    fn values_are_dropped_once() {
        let value = Rc::new(());
        let pages = WholePages::of(vec![value.clone(); 1000]).ok().unwrap();
        assert_eq!(Rc::strong_count(&value), 1001);
        drop(pages);
        assert_eq!(Rc::strong_count(&value), 1);
        let values = WholePages::of(vec![value.clone(); 1000])
            .ok()
            .unwrap()
            .into_vec();
        assert_eq!(Rc::strong_count(&value), 1001);
        drop(values);
        assert_eq!(Rc::strong_count(&value), 1);
    }

    #[test]
    fn values_without_bytes() {
        let pages = WholePages::of(vec![(); 5]).ok().unwrap();
        assert_eq!((pages.len(), pages.memory().is_empty()), (5, true));
        assert_eq!(pages.into_vec(), [(); 5]);
    }

    #[test]
    fn zeros_of_any_size() {
        let pool = Pool::new(Some(2)).unwrap();
        for bytes in [0, 1, PART - 1, 3 * PART + 5] {
            // Memory that was freed and is reused is not zero.
            drop(vec![0xee_u8; bytes]);
            let pages = WholePages::zeroed(bytes, Some(&pool).filter(|_| bytes % 2 == 1)).unwrap();
            assert!(pages.len() == bytes && pages.iter().all(|byte| *byte == 0));
        }
        assert!(WholePages::zeroed(usize::MAX / 2, Some(&pool)).is_none());
        assert!(WholePages::zeroed(usize::MAX, None).is_none());
    }
}
