//! Points as bytes.

use super::Rejection;
use std::fmt;

/// One point or rejection per item, in input order.
pub type Points = Vec<Result<Point, Rejection>>;

/// A point in SEC 1 uncompressed form, `04 || x || y`, big-endian; the identity is all zeros.
///
/// A value of this type need not be a valid point: every call checks that its points lie on the
/// curve. Points returned by this crate always do.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Point(pub(super) [u8; 65]);

impl Point {
    /// The identity of the group.
    pub const IDENTITY: Point = Point([0; 65]);

    /// Makes a point from affine coordinates, 32 bytes each, big-endian. Calls that use the point
    /// check that it lies on the curve.
    pub fn from_coordinates(x: &[u8; 32], y: &[u8; 32]) -> Self {
        let mut bytes = [0; 65];
        bytes[0] = 4;
        bytes[1..33].copy_from_slice(x);
        bytes[33..].copy_from_slice(y);
        Point(bytes)
    }

    /// Decodes 65 bytes `04 || x || y`, or 65 zeros for the identity.
    ///
    /// # Errors
    /// [`Rejection::MalformedPoint`] for another first byte, or an identity with non-zero bytes
    /// after it.
    pub fn from_uncompressed(bytes: [u8; 65]) -> Result<Self, Rejection> {
        let point = Point(bytes);
        if bytes[0] == 4 || point.is_identity() {
            Ok(point)
        } else {
            Err(Rejection::MalformedPoint)
        }
    }

    /// Makes a point from `x || y`.
    pub fn from_raw(bytes: &[u8; 64]) -> Self {
        let (x, y) = bytes.split_at(32);
        Self::from_coordinates(
            x.try_into().expect("32 bytes"),
            y.try_into().expect("32 bytes"),
        )
    }

    /// Makes a point from a result row: `x || y`, or zeros for the identity. No point has the
    /// coordinates (0, 0), because b is not 0.
    pub(crate) fn from_row(row: &[u8; 64]) -> Self {
        // The first byte is nearly always sufficient.
        let is_identity = row[0] == 0 && *row == [0; 64];
        let mut bytes = [if is_identity { 0 } else { 4 }; 65];
        bytes[1..].copy_from_slice(row);
        Point(bytes)
    }

    /// Returns `true` for the identity.
    pub fn is_identity(&self) -> bool {
        *self == Self::IDENTITY
    }

    /// Returns the SEC 1 octet string: 65 bytes, or the single byte 00 for the identity.
    pub fn as_sec1(&self) -> &[u8] {
        if self.is_identity() {
            &self.0[..1]
        } else {
            &self.0
        }
    }

    /// Returns all 65 bytes: `04 || x || y`, or zeros for the identity.
    pub fn as_bytes(&self) -> &[u8; 65] {
        &self.0
    }

    /// Returns the concatenated bytes of several points.
    pub(crate) fn rows(points: &[Point]) -> &[[u8; 65]] {
        // SAFETY: a point is its bytes (`repr(transparent)`).
        unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len()) }
    }

    /// Returns the x-coordinate (zero for the identity, which has none).
    pub fn x(&self) -> &[u8; 32] {
        self.0[1..33].try_into().expect("32 bytes")
    }

    /// Returns the y-coordinate (zero for the identity, which has none).
    pub fn y(&self) -> &[u8; 32] {
        self.0[33..].try_into().expect("32 bytes")
    }

    /// Returns the SEC 1 compressed form, `02 || x` or `03 || x`, or `None` for the identity.
    pub fn to_compressed(&self) -> Option<[u8; 33]> {
        if self.is_identity() {
            return None;
        }
        let mut bytes = [0; 33];
        bytes[0] = 2 + (self.0[64] & 1);
        bytes[1..].copy_from_slice(self.x());
        Some(bytes)
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Point(")?;
        self.as_sec1()
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}
