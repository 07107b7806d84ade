//! Secret values: wiped when dropped, and never printed.

use super::{Point, Rows};
use std::fmt;
use std::ops::Range;
use zeroize::ZeroizeOnDrop;

/// A private key or other secret scalar: 32 bytes, big-endian (SEC 1, section 2.3.7). Of Ed25519 a
/// seed, and of X25519 the little-endian bytes of RFC 7748, section 5, neither of which has a range;
/// of ristretto255 and edwards25519 little-endian, too (RFC 9496, section 4.4).
///
/// Wiped when dropped; `Debug` omits the value. The call that uses the key checks the range `1..n`
/// and rejects only that item. Comparison is not implemented, because comparing secrets in variable
/// time leaks them.
///
/// A key belongs to one curve. ECDSA signatures with one key on two curves can reveal the key: see
/// [`crate::Signers`].
#[derive(Clone, ZeroizeOnDrop)]
#[repr(transparent)]
pub struct SecretKey(pub(crate) [u8; 32]);

impl SecretKey {
    /// Takes the 32 big-endian bytes. Wiping the original is up to the caller.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        SecretKey(bytes)
    }

    /// Returns the 32 big-endian bytes. Copies of them are no longer protected by this type.
    pub fn expose_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the concatenated bytes of several keys.
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
/// Keys may be stored in the caller's memory ([`SecretKeys::rows`]), which the caller then has to
/// wipe.
#[derive(Clone, Copy, Debug)]
pub struct SecretKeys<'a>(Rows<'a, 32>);

impl<'a> SecretKeys<'a> {
    /// Uses `keys[i]` for item i.
    pub fn each(keys: &'a [SecretKey]) -> Self {
        SecretKeys(SecretKey::expose_rows(keys).into())
    }

    /// Uses one key for every item.
    pub fn all(key: &'a SecretKey) -> Self {
        SecretKeys(Rows::all(&key.0))
    }

    /// Takes keys as rows of bytes.
    pub fn rows(keys: Rows<'a, 32>) -> Self {
        SecretKeys(keys)
    }

    /// Returns the number of keys, or `items` for one key for all items.
    pub(crate) fn len_for(&self, items: usize) -> usize {
        self.0.len_for(items)
    }

    /// Returns `true` if one key is used for all items.
    pub(crate) fn is_one_for_all(&self) -> bool {
        self.0.len().is_none()
    }

    /// Returns the keys as a column.
    pub(crate) fn expose_column(&self) -> Rows<'a, 32> {
        self.0
    }

    /// Returns the keys of a range of items. One key for all items is kept.
    ///
    /// # Panics
    /// If the range is out of bounds.
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

/// An ECDH shared secret: the x-coordinate of the shared point, 32 bytes, big-endian (SEC 1,
/// section 3.3.1). Of X25519: the u-coordinate, little-endian (RFC 7748, section 6.1).
///
/// Wiped when dropped; `Debug` omits the value. Derive keys from it with a KDF; it is not uniformly
/// random itself.
#[derive(Clone, ZeroizeOnDrop)]
pub struct SharedSecret([u8; 32]);

impl SharedSecret {
    pub(crate) fn of(x: &[u8; 32]) -> Self {
        SharedSecret(*x)
    }

    /// Returns the 32 bytes.
    pub fn expose_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedSecret(..)")
    }
}

/// The shared point `d * Q` of ECDH, which is as secret as its x-coordinate.
///
/// Wiped when dropped; `Debug` omits the value. It is not `Copy` and cannot be compared. Never the
/// identity.
#[derive(Clone, ZeroizeOnDrop)]
pub struct SharedPoint([u8; 65]);

impl SharedPoint {
    /// Makes a shared point from `x || y`.
    pub(crate) fn of(point: &[u8; 64]) -> Self {
        let mut shared = SharedPoint([4; 65]);
        shared.0[1..].copy_from_slice(point);
        shared
    }

    /// Returns the SEC 1 uncompressed form, `04 || x || y`, big-endian.
    pub fn expose_bytes(&self) -> &[u8; 65] {
        &self.0
    }

    /// Returns the x-coordinate, 32 bytes, big-endian: the result of
    /// [`crate::ecdh::shared_secrets`].
    pub fn expose_x(&self) -> &[u8; 32] {
        self.0[1..33].try_into().expect("32 bytes")
    }

    /// Returns the y-coordinate, 32 bytes, big-endian.
    pub fn expose_y(&self) -> &[u8; 32] {
        self.0[33..].try_into().expect("32 bytes")
    }

    /// Converts to an ordinary point, which can be copied and printed and is not wiped.
    ///
    /// Use this if the protocol reveals the point to others anyway, as private set intersection
    /// does with an element that this side has masked: the point does not reveal the key. Do not
    /// use it for a point that both sides of a key agreement compute: the point determines their
    /// keys.
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
        let keys: Vec<SecretKey> = (1..=5)
            .map(|byte| SecretKey::from_bytes([byte; 32]))
            .collect();
        for count in 0..=keys.len() {
            let rows = SecretKey::expose_rows(&keys[..count]);
            assert!(
                rows.iter()
                    .eq(keys[..count].iter().map(SecretKey::expose_bytes))
            );
        }
    }
}
