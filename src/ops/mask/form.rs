//! The forms in which masked points are returned.

use crate::types::Error;
use std::fmt;
use std::str::FromStr;

/// The form of a masked point, big-endian.
///
/// Its text is `compressed`, `uncompressed`, `raw`, `x`, or the number of the first bytes of x:
///
/// ```
/// use gecc::mask::Form;
/// assert_eq!("compressed".parse(), Ok(Form::Compressed));
/// assert_eq!(Form::Truncated(12).to_string(), "12");
/// assert!("33".parse::<Form>().is_err());
/// ```
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

/// The forms with a name of their own.
const NAMED: [(&str, Form); 4] = [
    ("compressed", Form::Compressed),
    ("uncompressed", Form::Uncompressed),
    ("raw", Form::Raw),
    ("x", Form::X),
];

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMED.iter().find(|(_, form)| form == self) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "{}", self.width()),
        }
    }
}

/// An unknown form of masked points.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no form of masked points is called `{}`; the forms are compressed, uncompressed, raw, x, and 1 to 32 for the first bytes of x",
    crate::fields::shown(name)
)]
pub struct UnknownForm {
    name: String,
}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(name: &str) -> Result<Self, UnknownForm> {
        if let Some((_, form)) = NAMED.iter().find(|(known, _)| *known == name) {
            return Ok(*form);
        }
        let form = name.parse().ok().map(Form::Truncated);
        form.filter(|form| form.require().is_ok())
            .ok_or_else(|| UnknownForm {
                name: name.to_owned(),
            })
    }
}
