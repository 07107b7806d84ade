//! Inputs and results in page-locked memory.

use super::Engine;
use crate::gpu::PageLock;
use crate::host::pages::WholePages;
use crate::types::{Error, Rows, SecretKey, SecretKeys};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Values in page-locked (pinned) memory, from which GPUs copy without the host's help (CUDA C++
/// Programming Guide, "Page-Locked Host Memory"). Created by [`Engine::page_lock`] and
/// [`Engine::page_locked_zeros`].
///
/// A slice of it may be the input of any call on any engine of the process, and may receive the
/// results of calls that write to the caller's memory, such as [`crate::point::mul_base_into`].
/// With other memory, calls are bound by the host if an item takes a GPU less than about 20 ns:
/// signing, public keys, and verification with repeated keys. Locking and unlocking a gigabyte
/// takes about 50 ms, so it is profitable for buffers that are filled and used many times.
///
/// Locked memory is not swapped out, and the operating system may limit its size. Private keys in
/// it are wiped when their values are dropped, as elsewhere.
///
/// ```
/// use gecc::{Engine, Secp256k1, ecdsa, keys};
/// let engine = Engine::new()?;
/// let (secret, _) = keys::generate(&engine, Secp256k1, 100)?;
/// let mut digests = engine.page_lock(vec![[0; 32]; 100]);
/// let secret = engine.page_lock(secret);
/// for batch in 1..=3 {
///     digests.fill([batch; 32]);
///     let signed = ecdsa::sign(&engine, Secp256k1, &digests, &secret, Default::default())?;
///     assert!(signed.iter().all(Result::is_ok));
/// }
/// # Ok::<(), gecc::Error>(())
/// ```
pub struct PageLocked<T> {
    /// Dropped before the values: memory is unlocked before it is freed.
    lock: Option<PageLock>,
    values: Values<T>,
}

enum Values<T> {
    /// Memory in pages of its own, which can be page-locked.
    Pages(WholePages<T>),
    Vec(Vec<T>),
}

impl<T> PageLocked<T> {
    /// Returns whether the memory is page-locked. It is not if there is no GPU or the driver
    /// refuses, for instance because of the operating system's limit for the process. Such values
    /// can be used in the same way, at the speed of ordinary memory.
    pub fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// Returns the values in memory that is not locked. Locked values are moved, and their previous
    /// memory is wiped.
    pub fn into_vec(self) -> Vec<T> {
        let PageLocked { lock, values } = self;
        {
            let _unlocked_here = lock;
        }
        match values {
            Values::Pages(pages) => pages.into_vec(),
            Values::Vec(values) => values,
        }
    }
}

impl Engine {
    /// Page-locks the memory of values that will be inputs, see [`PageLocked`]. If that fails, as
    /// it does without a GPU, the values can still be used ([`PageLocked::is_locked`]).
    ///
    /// With a GPU, the values are moved to pages of their own, because pages can only be locked as
    /// a whole and once, and their previous memory is wiped. [`Engine::page_locked_zeros`] creates
    /// a buffer without that copy.
    pub fn page_lock<T>(&self, values: Vec<T>) -> PageLocked<T> {
        if self.gpu().is_none() || size_of_val(&*values) == 0 {
            return values.into();
        }
        WholePages::of(values).map_or_else(PageLocked::from, |pages| self.locked(pages))
    }

    /// Creates a buffer of `bytes` zeros in pages of its own, which are locked if there is a GPU,
    /// see [`PageLocked`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] when there is not enough memory; [`Error::Forked`].
    ///
    /// ```
    /// use gecc::{Engine, Rows};
    /// let engine = Engine::new()?;
    /// let mut records = engine.page_locked_zeros(129 * 1000)?;
    /// records[65] = 1;
    /// assert_eq!(Rows::<64>::strided(&records[65..], 129, 1000)?.get(0)[0], 1);
    /// # Ok::<(), gecc::Error>(())
    /// ```
    pub fn page_locked_zeros(&self, bytes: usize) -> Result<PageLocked<u8>, Error> {
        let pages = WholePages::zeroed(bytes, Some(&self.devices()?.cpu.pool))
            .ok_or(Error::OutOfMemory { bytes })?;
        Ok(self.locked(pages))
    }

    /// Allocates zeroed memory on this thread alone, for callers whose pool threads are busy. If
    /// page-locking fails, the memory is not page-locked.
    pub(crate) fn page_locked_zeros_here(&self, bytes: usize) -> PageLocked<u8> {
        WholePages::zeroed(bytes, None)
            .map_or_else(|| vec![0; bytes].into(), |pages| self.locked(pages))
    }

    fn locked<T>(&self, pages: WholePages<T>) -> PageLocked<T> {
        // SAFETY: `PageLocked` neither moves nor frees the pages before the lock is dropped.
        let lock = unsafe { self.lock_pages(pages.memory()) };
        PageLocked {
            lock,
            values: Values::Pages(pages),
        }
    }
}

impl<T> From<Vec<T>> for PageLocked<T> {
    /// Wraps values in memory that is not locked.
    fn from(values: Vec<T>) -> Self {
        PageLocked {
            lock: None,
            values: Values::Vec(values),
        }
    }
}

impl<T> Deref for PageLocked<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.values {
            Values::Pages(pages) => pages,
            Values::Vec(values) => values,
        }
    }
}

impl<T> DerefMut for PageLocked<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.values {
            Values::Pages(pages) => pages,
            Values::Vec(values) => values,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for PageLocked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<'a> From<&'a PageLocked<SecretKey>> for SecretKeys<'a> {
    fn from(keys: &'a PageLocked<SecretKey>) -> Self {
        SecretKeys::each(keys)
    }
}

impl<'a, const W: usize> From<&'a PageLocked<[u8; W]>> for Rows<'a, W> {
    fn from(rows: &'a PageLocked<[u8; W]>) -> Self {
        Rows::new(rows)
    }
}
