//! The forms in which masked points are returned.

use crate::types::Error;

/// The form of a masked point, big-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Form {
    /// 33 bytes: `02 || x` or `03 || x`.
    Compressed,
    /// 65 bytes: `04 || x || y`.
    Uncompressed,
    /// 64 bytes: `x || y`.
    Raw,
    /// 32 bytes: x. A point and its negative have the same x, so points in this form cannot be
    /// masked again as those in other forms can.
    X,
    /// The first bytes of x, 1 to 32. For comparing only: two points agree by chance with a
    /// probability of 2^-8 per byte, so k bytes are enough if 2^(8 k) is far above the product of
    /// the numbers of points that are compared.
    Truncated(u8),
}

impl Form {
    /// Returns the bytes per point.
    pub const fn width(self) -> usize {
        match self {
            Form::Compressed => 33,
            Form::Uncompressed => 65,
            Form::Raw => 64,
            Form::X => 32,
            Form::Truncated(bytes) => bytes as usize,
        }
    }

    /// Checks that a truncated form has 1 to 32 bytes.
    pub(crate) fn require(self) -> Result<(), Error> {
        match self {
            Form::Truncated(bytes) if bytes == 0 || bytes > 32 => Err(Error::InvalidForm { bytes }),
            _ => Ok(()),
        }
    }

    /// Writes a point in this form.
    pub(super) fn write(self, x: &[u8; 32], y: &[u8; 32], row: &mut [u8]) {
        match self {
            Form::Compressed => {
                row[0] = 2 + (y[31] & 1);
                row[1..].copy_from_slice(x);
            }
            Form::Uncompressed => {
                row[0] = 4;
                row[1..33].copy_from_slice(x);
                row[33..].copy_from_slice(y);
            }
            Form::Raw => {
                row[..32].copy_from_slice(x);
                row[32..].copy_from_slice(y);
            }
            Form::X => row.copy_from_slice(x),
            Form::Truncated(bytes) => row.copy_from_slice(&x[..bytes.into()]),
        }
    }
}
