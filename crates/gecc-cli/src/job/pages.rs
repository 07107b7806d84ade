//! Memory in whole pages, which a GPU's driver can lock whatever lies beside it.

use gecc::{Engine, PageLocked};
use rayon::prelude::*;
use std::slice::{from_raw_parts, from_raw_parts_mut};
use zeroize::Zeroize;

const PAGE: usize = 1 << 12;

#[derive(Clone, Copy)]
#[repr(C, align(4096))]
struct Page([u8; PAGE]);

/// Bytes in pages of their own, locked where the engine has a GPU. Wiped when dropped where they may hold secrets.
pub struct Pages {
    pages: PageLocked<Page>,
    secret: bool,
}

impl Pages {
    /// Zeros, written on the threads of the caller's pool: the first touch of a page is what takes time.
    pub fn new(engine: &Engine, bytes: usize, secret: bool) -> Self {
        let pages: Vec<Page> = (0..bytes.div_ceil(PAGE)).into_par_iter().map(|_| Page([0; PAGE])).collect();
        Pages { pages: engine.page_lock(pages), secret }
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: pages are bytes, one after the other.
        unsafe { from_raw_parts(self.pages.as_ptr().cast(), self.pages.len() * PAGE) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: pages are bytes, one after the other, and borrowed for as long as these.
        unsafe { from_raw_parts_mut(self.pages.as_mut_ptr().cast(), self.pages.len() * PAGE) }
    }

    /// Wipes so many of the first bytes, where they may be secret.
    pub fn wipe(&mut self, bytes: usize) {
        if self.secret {
            let bytes = bytes.min(self.bytes().len());
            self.bytes_mut()[..bytes].zeroize();
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.wipe(self.bytes().len());
    }
}
