//! Encodings of points, public keys and signatures.

use crate::error::Rejection;
use der::asn1::UintRef;
use der::{Decode, Encode};
use std::fmt;
use std::ops::Range;

/// A point: SEC 1 uncompressed, `04 || x || y`, big-endian; the identity is all zeros.
///
/// Holding one says nothing about validity: every call checks that its points lie on the curve. Results of this crate
/// always do.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Point([u8; 65]);

impl Point {
    /// The identity of the group.
    pub const IDENTITY: Point = Point([0; 65]);

    /// From affine coordinates, 32 bytes each, big-endian. Whether the point lies on a curve is checked where it is used.
    pub fn from_coordinates(x: &[u8; 32], y: &[u8; 32]) -> Self {
        let mut bytes = [0; 65];
        bytes[0] = 4;
        bytes[1..33].copy_from_slice(x);
        bytes[33..].copy_from_slice(y);
        Point(bytes)
    }

    /// From 65 bytes `04 || x || y`, or 65 zeros for the identity.
    ///
    /// # Errors
    /// [`Rejection::MalformedPoint`] for another first byte, or an identity with non-zero bytes after it.
    pub fn from_uncompressed(bytes: [u8; 65]) -> Result<Self, Rejection> {
        let point = Point(bytes);
        if bytes[0] == 4 || point.is_identity() { Ok(point) } else { Err(Rejection::MalformedPoint) }
    }

    /// From `x || y`.
    pub fn from_raw(bytes: &[u8; 64]) -> Self {
        let (x, y) = bytes.split_at(32);
        Self::from_coordinates(x.try_into().expect("32 bytes"), y.try_into().expect("32 bytes"))
    }

    /// Whether this is the identity.
    pub fn is_identity(&self) -> bool {
        *self == Self::IDENTITY
    }

    /// The SEC 1 octet string: 65 bytes, or the single byte 00 for the identity.
    pub fn as_sec1(&self) -> &[u8] {
        if self.is_identity() { &self.0[..1] } else { &self.0 }
    }

    /// All 65 bytes: `04 || x || y`, or zeros for the identity.
    pub fn as_bytes(&self) -> &[u8; 65] {
        &self.0
    }

    /// The bytes of several points, one after the other.
    pub(crate) fn rows(points: &[Point]) -> &[[u8; 65]] {
        // SAFETY: a point is its bytes (`repr(transparent)`).
        unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len()) }
    }

    /// The x-coordinate (zero for the identity, which has none).
    pub fn x(&self) -> &[u8; 32] {
        self.0[1..33].try_into().expect("32 bytes")
    }

    /// The y-coordinate (zero for the identity, which has none).
    pub fn y(&self) -> &[u8; 32] {
        self.0[33..].try_into().expect("32 bytes")
    }

    /// SEC 1 compressed form, `02 || x` or `03 || x`; `None` for the identity.
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
        self.as_sec1().iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

impl<C> From<&elliptic_curve::PublicKey<C>> for Point
where
    C: elliptic_curve::CurveArithmetic,
    C::AffinePoint: elliptic_curve::sec1::ToSec1Point<C>,
    C::FieldBytesSize: elliptic_curve::sec1::ModulusSize<UncompressedPointSize = elliptic_curve::consts::U65>,
{
    fn from(key: &elliptic_curve::PublicKey<C>) -> Self {
        use elliptic_curve::sec1::ToSec1Point;
        let encoded = key.as_affine().to_sec1_point(false);
        Point(encoded.as_bytes().try_into().expect("an uncompressed point has 65 bytes"))
    }
}

impl<C> TryFrom<&Point> for elliptic_curve::PublicKey<C>
where
    C: elliptic_curve::CurveArithmetic,
    C::AffinePoint: elliptic_curve::sec1::FromSec1Point<C> + elliptic_curve::sec1::ToSec1Point<C>,
    C::FieldBytesSize: elliptic_curve::sec1::ModulusSize,
{
    type Error = Rejection;
    fn try_from(point: &Point) -> Result<Self, Rejection> {
        if point.is_identity() {
            return Err(Rejection::IdentityKey);
        }
        elliptic_curve::PublicKey::from_sec1_bytes(&point.0).map_err(|_| Rejection::NotOnCurve)
    }
}

/// The public keys of a batch, in one of the encodings of SEC 1, section 2.3.3; one per item, or one for all items.
#[derive(Clone, Copy, Debug)]
pub struct PublicKeys<'a>(Encoded<'a>);

#[derive(Clone, Copy, Debug)]
enum Encoded<'a> {
    Compressed(&'a [[u8; 33]]),
    Uncompressed(&'a [[u8; 65]]),
    Raw(&'a [[u8; 64]]),
    Points(&'a [Point]),
    Sec1(&'a [&'a [u8]]),
    All(&'a [u8]),
}

/// One public key as the caller wrote it. `Ord` and `Hash` group equal encodings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum KeyBytes<'a> {
    Sec1(&'a [u8]),
    Raw(&'a [u8; 64]),
}

impl<'a> PublicKeys<'a> {
    /// 33 bytes each: `02 || x` or `03 || x`.
    pub fn compressed(keys: &'a [[u8; 33]]) -> Self {
        PublicKeys(Encoded::Compressed(keys))
    }

    /// 65 bytes each: `04 || x || y`.
    pub fn uncompressed(keys: &'a [[u8; 65]]) -> Self {
        PublicKeys(Encoded::Uncompressed(keys))
    }

    /// 64 bytes each: `x || y`.
    pub fn raw(keys: &'a [[u8; 64]]) -> Self {
        PublicKeys(Encoded::Raw(keys))
    }

    /// Points that a call of this crate returned.
    pub fn points(keys: &'a [Point]) -> Self {
        PublicKeys(Encoded::Points(keys))
    }

    /// SEC 1 octet strings of either form, mixed. A wrong length or tag rejects that item alone.
    pub fn sec1(keys: &'a [&'a [u8]]) -> Self {
        PublicKeys(Encoded::Sec1(keys))
    }

    /// One SEC 1 octet string for every item.
    pub fn all(key: &'a [u8]) -> Self {
        PublicKeys(Encoded::All(key))
    }

    /// Keys given, or `items` where one serves all.
    pub(crate) fn len_for(&self, items: usize) -> usize {
        match self.0 {
            Encoded::Compressed(keys) => keys.len(),
            Encoded::Uncompressed(keys) => keys.len(),
            Encoded::Raw(keys) => keys.len(),
            Encoded::Points(keys) => keys.len(),
            Encoded::Sec1(keys) => keys.len(),
            Encoded::All(_) => items,
        }
    }

    pub(crate) fn get(&self, item: usize) -> KeyBytes<'a> {
        match self.0 {
            Encoded::Compressed(keys) => KeyBytes::Sec1(&keys[item]),
            Encoded::Uncompressed(keys) => KeyBytes::Sec1(&keys[item]),
            Encoded::Raw(keys) => KeyBytes::Raw(&keys[item]),
            Encoded::Points(keys) => KeyBytes::Sec1(keys[item].as_sec1()),
            Encoded::Sec1(keys) => KeyBytes::Sec1(keys[item]),
            Encoded::All(key) => KeyBytes::Sec1(key),
        }
    }

    /// The keys of some items.
    pub(crate) fn slice(&self, items: Range<usize>) -> Self {
        PublicKeys(match self.0 {
            Encoded::Compressed(keys) => Encoded::Compressed(&keys[items]),
            Encoded::Uncompressed(keys) => Encoded::Uncompressed(&keys[items]),
            Encoded::Raw(keys) => Encoded::Raw(&keys[items]),
            Encoded::Points(keys) => Encoded::Points(&keys[items]),
            Encoded::Sec1(keys) => Encoded::Sec1(&keys[items]),
            Encoded::All(key) => Encoded::All(key),
        })
    }

    /// The form of the keys' rows.
    pub(crate) fn form(&self) -> KeyForm {
        match self.0 {
            Encoded::Compressed(_) => KeyForm::Compressed,
            Encoded::Uncompressed(_) => KeyForm::Uncompressed,
            Encoded::Raw(_) => KeyForm::Raw,
            Encoded::Points(_) => KeyForm::Points,
            Encoded::Sec1(_) | Encoded::All(_) => KeyForm::Mixed,
        }
    }

    /// The rows of all keys, one after the other, where they lie so in memory: not those of the mixed form.
    pub(crate) fn rows(&self) -> Option<&'a [u8]> {
        match self.0 {
            Encoded::Compressed(keys) => Some(keys.as_flattened()),
            Encoded::Uncompressed(keys) => Some(keys.as_flattened()),
            Encoded::Raw(keys) => Some(keys.as_flattened()),
            Encoded::Points(keys) => Some(Point::rows(keys).as_flattened()),
            Encoded::Sec1(_) | Encoded::All(_) => None,
        }
    }

    /// Writes the rows of some items in the mixed form.
    pub(crate) fn write_mixed_rows(&self, items: Range<usize>, to: &mut [u8]) {
        for (row, item) in to.chunks_exact_mut(65).zip(items) {
            match self.get(item) {
                KeyBytes::Sec1(key) => write_mixed(key, row),
                KeyBytes::Raw(key) => row.copy_from_slice(Point::from_raw(key).as_bytes()),
            }
        }
    }
}

/// Rows of keys for a device, all of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyForm {
    /// 33 bytes, as the caller gave them.
    Compressed,
    /// 65 bytes, as the caller gave them.
    Uncompressed,
    /// 64 bytes.
    Raw,
    /// 65 bytes of a [`Point`].
    Points,
    /// 65 bytes: any SEC 1 form, shorter ones padded with zeros.
    Mixed,
}

/// The first byte of a mixed row that is no SEC 1 octet string.
const MALFORMED_TAG: u8 = 0xff;

/// A SEC 1 octet string as a row of 65 bytes.
fn write_mixed(key: &[u8], row: &mut [u8]) {
    row.fill(0);
    match (key.first(), key.len()) {
        (Some(0), 1) | (Some(2 | 3), 33) | (Some(4), 65) => row[..key.len()].copy_from_slice(key),
        _ => row[0] = MALFORMED_TAG,
    }
}

/// Ecdsa-Sig-Value of RFC 3279, section 2.2.3; SM2 signatures have the same form.
#[derive(der::Sequence)]
struct DerSignature<'a> {
    r: UintRef<'a>,
    s: UintRef<'a>,
}

/// Strict DER of an ECDSA or SM2 signature (RFC 3279, section 2.2.3) to `r || s`.
///
/// No BER, no trailing bytes, integers minimal and not negative. The range `1..n` is checked where the signature is used.
///
/// # Errors
/// [`Rejection::MalformedSignature`].
pub fn signature_from_der(der: &[u8]) -> Result<[u8; 64], Rejection> {
    let parsed = DerSignature::from_der(der).map_err(|_| Rejection::MalformedSignature)?;
    let mut bytes = [0; 64];
    for (value, field) in [parsed.r, parsed.s].iter().zip(bytes.chunks_exact_mut(32)) {
        let digits = value.as_bytes();
        let start = 32usize.checked_sub(digits.len()).ok_or(Rejection::MalformedSignature)?;
        field[start..].copy_from_slice(digits);
    }
    Ok(bytes)
}

/// `r || s` to DER (RFC 3279, section 2.2.3), at most 72 bytes.
pub fn signature_to_der(signature: &[u8; 64]) -> Vec<u8> {
    let encode = || {
        let (r, s) = (UintRef::new(&signature[..32])?, UintRef::new(&signature[32..])?);
        DerSignature { r, s }.to_der()
    };
    encode().expect("two integers of 32 bytes fit every limit of the encoder")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_bytes_of_the_points() {
        let points: Vec<Point> = (1..=5).map(|byte| Point::from_raw(&[byte; 64])).chain([Point::IDENTITY]).collect();
        for count in 0..=points.len() {
            let rows = Point::rows(&points[..count]);
            assert!(rows.iter().eq(points[..count].iter().map(Point::as_bytes)));
            assert_eq!(PublicKeys::points(&points[..count]).rows(), Some(rows.as_flattened()));
        }
    }
}
