//! Inputs and results in page-locked memory.

use super::Engine;
use crate::gpu::PageLock;
use crate::types::{Rows, SecretKey, SecretKeys};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Values in page-locked (pinned) memory, from which GPUs copy without help of the host (CUDA C++ Programming Guide,
/// "Page-Locked Host Memory"). Made by [`Engine::page_lock`].
///
/// A slice of it may be the input of any call on any engine of the process, and take the results of calls that write to the
/// caller's memory, such as [`crate::point::mul_base_into`]. Calls are otherwise bound by the host where an item takes a GPU less
/// than about 20 ns: signing, public keys, and verification with keys that repeat. Locking and unlocking a gigabyte takes
/// about 50 ms, so it pays for buffers that are filled and used many times.
///
/// Locked memory is not swapped out, and is the operating system's to ration. Private keys in it are wiped when their values
/// are dropped, as elsewhere.
///
/// ```
/// use gecc::{Engine, Secp256k1, ecdsa, keys};
/// let engine = Engine::new()?;
/// let (secret, _) = keys::generate::<Secp256k1>(&engine, 100)?;
/// let (mut digests, secret) = (engine.page_lock(vec![[0; 32]; 100]), engine.page_lock(secret));
/// for batch in 1..=3 {
///     digests.fill([batch; 32]);
///     let signed = ecdsa::sign::<Secp256k1>(&engine, &digests, &secret, Default::default())?;
///     assert!(signed.iter().all(Result::is_ok));
/// }
/// # Ok::<(), gecc::Error>(())
/// ```
pub struct PageLocked<T> {
    /// Dropped before the values: memory is unlocked before it is freed.
    lock: Option<PageLock>,
    /// Never reallocated while they are locked.
    values: Vec<T>,
}

impl<T> PageLocked<T> {
    /// Whether the memory is locked: not where there is no GPU, and not where the driver refuses, for instance because another
    /// value shares a page with it. Such values serve all the same, at the usual speed.
    pub fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// The values, in memory that is not locked any more.
    pub fn into_vec(self) -> Vec<T> {
        // Unlocked at the end, before the caller has the values.
        let PageLocked { lock: _lock, values } = self;
        values
    }
}

impl Engine {
    /// Locks the memory of values that will be inputs, see [`PageLocked`]. They serve all the same where that fails
    /// ([`PageLocked::is_locked`]), as it does without a GPU.
    pub fn page_lock<T>(&self, values: Vec<T>) -> PageLocked<T> {
        let range = values.as_ptr_range();
        // SAFETY: `PageLocked` keeps the vector's memory where it is until the lock is dropped.
        let lock = unsafe { self.lock_pages(range.start.cast()..range.end.cast()) };
        PageLocked { lock, values }
    }
}

impl<T> From<Vec<T>> for PageLocked<T> {
    /// Values in memory that is not locked.
    fn from(values: Vec<T>) -> Self {
        PageLocked { lock: None, values }
    }
}

impl<T> Deref for PageLocked<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T> DerefMut for PageLocked<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

impl<T: fmt::Debug> fmt::Debug for PageLocked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
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
