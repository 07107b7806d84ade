//! Secret values: wiped when dropped, and never printed.

use super::{Point, Rows};
use std::fmt;
use std::ops::Range;
use zeroize::ZeroizeOnDrop;

/// A private key or other secret scalar: 32 bytes, big-endian (SEC 1, section 2.3.7).
///
/// Wiped when dropped; `Debug` shows nothing of it. The range `1..n` is checked by the call that uses the key, which
/// rejects that item alone. No comparison is offered: comparing secrets in variable time leaks them.
///
/// A key belongs to one curve. One with which ECDSA signs on two is given away by their signatures: see
/// [`crate::Signers`].
#[derive(Clone, ZeroizeOnDrop)]
#[repr(transparent)]
pub struct SecretKey(pub(crate) [u8; 32]);

impl SecretKey {
    /// Takes the 32 big-endian bytes. The caller's copy stays with the caller, who wipes it.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        SecretKey(bytes)
    }

    /// The 32 big-endian bytes. What is done with them is no longer protected by this type.
    pub fn expose_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the rows of several keys, one after the other.
    pub(crate) fn expose_rows(keys: &[SecretKey]) -> &[[u8; 32]] {
        // SAFETY: a key is its bytes (`repr(transparent)`).
        unsafe { std::slice::from_raw_parts(keys.as_ptr().cast(), keys.len()) }
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// The secret keys of a batch, 32 bytes each, big-endian: one per item, or one for all items.
///
/// Keys may lie in memory of the caller's ([`SecretKeys::rows`]), which then is the caller's to wipe.
#[derive(Clone, Copy, Debug)]
pub struct SecretKeys<'a>(Rows<'a, 32>);

impl<'a> SecretKeys<'a> {
    /// Item i uses `keys[i]`.
    pub fn each(keys: &'a [SecretKey]) -> Self {
        SecretKeys(SecretKey::expose_rows(keys).into())
    }

    /// Every item uses the same key.
    pub fn all(key: &'a SecretKey) -> Self {
        SecretKeys(Rows::all(&key.0))
    }

    /// Keys as rows of bytes.
    pub fn rows(keys: Rows<'a, 32>) -> Self {
        SecretKeys(keys)
    }

    /// Keys given, or `items` where one serves all.
    pub(crate) fn len_for(&self, items: usize) -> usize {
        self.0.len_for(items)
    }

    /// Returns whether one key serves all items.
    pub(crate) fn is_one_for_all(&self) -> bool {
        self.0.len().is_none()
    }

    /// The keys as a column.
    pub(crate) fn expose_column(&self) -> Rows<'a, 32> {
        self.0
    }

    /// The keys of some items. One that serves all serves these.
    ///
    /// # Panics
    /// When there are no such items.
    pub fn slice(&self, items: Range<usize>) -> Self {
        SecretKeys(self.0.slice(items))
    }

    pub(crate) fn expose(&self, item: usize) -> &'a [u8; 32] {
        self.0.get(item)
    }
}

column_from!(SecretKeys<'a>, each, [] SecretKey);

impl<'a> From<&'a SecretKey> for SecretKeys<'a> {
    fn from(key: &'a SecretKey) -> Self {
        SecretKeys::all(key)
    }
}

/// An ECDH shared secret: the x-coordinate of the shared point, 32 bytes, big-endian (SEC 1, section 3.3.1).
///
/// Wiped when dropped; `Debug` shows nothing. Derive keys from it with a KDF; it is not uniformly random itself.
#[derive(Clone, ZeroizeOnDrop)]
pub struct SharedSecret([u8; 32]);

impl SharedSecret {
    pub(crate) fn of(x: &[u8; 32]) -> Self {
        SharedSecret(*x)
    }

    /// The 32 big-endian bytes.
    pub fn expose_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedSecret(..)")
    }
}

/// A shared point `d * Q` of ECDH, which is as secret as its x-coordinate.
///
/// Wiped when dropped; `Debug` shows nothing, it is not `Copy`, and no comparison is offered. Never the identity.
#[derive(Clone, ZeroizeOnDrop)]
pub struct SharedPoint([u8; 65]);

impl SharedPoint {
    /// Makes the secret from `x || y`.
    pub(crate) fn of(point: &[u8; 64]) -> Self {
        let mut shared = SharedPoint([4; 65]);
        shared.0[1..].copy_from_slice(point);
        shared
    }

    /// The SEC 1 uncompressed form, `04 || x || y`, big-endian.
    pub fn expose_bytes(&self) -> &[u8; 65] {
        &self.0
    }

    /// The x-coordinate, 32 bytes, big-endian: what [`crate::ecdh::shared_secrets`] gives.
    pub fn expose_x(&self) -> &[u8; 32] {
        self.0[1..33].try_into().expect("32 bytes")
    }

    /// The y-coordinate, 32 bytes, big-endian.
    pub fn expose_y(&self) -> &[u8; 32] {
        self.0[33..].try_into().expect("32 bytes")
    }

    /// The point as a value like any other: copied, printed and not wiped.
    ///
    /// Right where the protocol shows the point to others anyway, as private set intersection does with an element that
    /// this side has masked: who sees it does not learn the key. Wrong for a point that both sides of a key agreement
    /// compute: who sees that has their keys.
    pub fn into_public(self) -> Point {
        Point::from_coordinates(self.expose_x(), self.expose_y())
    }
}

impl fmt::Debug for SharedPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedPoint(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_bytes_of_the_keys() {
        let keys: Vec<SecretKey> = (1..=5).map(|byte| SecretKey::from_bytes([byte; 32])).collect();
        for count in 0..=keys.len() {
            let rows = SecretKey::expose_rows(&keys[..count]);
            assert!(rows.iter().eq(keys[..count].iter().map(SecretKey::expose_bytes)));
        }
    }
}
