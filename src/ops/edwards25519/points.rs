//! The points of a batch, in the encoding of the caller.

use crate::cpu::edwards::curves::EdwardsCurve;
use crate::cpu::edwards::decode::{Encoding, NoPoint, decode_all, from_coordinates};
use crate::cpu::edwards::field::Element;
use crate::cpu::edwards::simd::Lanes;
use crate::types::{Rejection, Rows, is_same_name};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

impl Encoding {
    /// All sets of encodings.
    pub const ALL: &'static [Encoding] = &[Encoding::Canonical, Encoding::Lenient];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Canonical => "canonical",
            Encoding::Lenient => "lenient",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An unknown name of a set of encodings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no encoding of points is called `{}`; the encodings are canonical and lenient",
    crate::fields::shown(name)
)]
pub struct UnknownEncoding {
    name: String,
}

/// Parses [`Encoding::name`]. Case, spaces, hyphens, underscores and dots are ignored.
impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(name: &str) -> Result<Self, UnknownEncoding> {
        let found = Encoding::ALL
            .iter()
            .find(|encoding| is_same_name(encoding.name(), name));
        found.copied().ok_or_else(|| UnknownEncoding {
            name: name.to_owned(),
        })
    }
}

/// The points of a batch, one per item or one for all, encoded in 32 bytes (RFC 8032, section 5.1.2)
/// or as coordinates `x || y`, 32 bytes each, little-endian. Every call checks that they are points
/// of the curve. Points are public.
///
/// Points may have any order, and the identity is a point as any other: its encoding is
/// [`IDENTITY`](super::IDENTITY), and its coordinates are (0, 1).
#[derive(Clone, Copy, Debug)]
pub struct Points<'a>(Form<'a>);

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    Encoded(Rows<'a, 32>, Encoding),
    Affine(Rows<'a, 64>),
}

impl<'a> Points<'a> {
    /// Takes encodings of a set. Others are rejected with [`Rejection::MalformedPoint`].
    pub fn encoded(points: impl Into<Rows<'a, 32>>, encoding: Encoding) -> Self {
        Points(Form::Encoded(points.into(), encoding))
    }

    /// Takes canonical encodings: those of RFC 8032.
    pub fn canonical(points: impl Into<Rows<'a, 32>>) -> Self {
        Self::encoded(points, Encoding::Canonical)
    }

    /// Takes any encodings, with the y of p or more reduced, and the parity of x = 0 ignored.
    pub fn lenient(points: impl Into<Rows<'a, 32>>) -> Self {
        Self::encoded(points, Encoding::Lenient)
    }

    /// Takes coordinates `x || y`. A coordinate that is not below p is rejected with
    /// [`Rejection::MalformedPoint`].
    pub fn affine(points: impl Into<Rows<'a, 64>>) -> Self {
        Points(Form::Affine(points.into()))
    }

    /// Returns the number of points, or `items` for one point for all items.
    pub(crate) fn len_for(&self, items: usize) -> usize {
        match self.0 {
            Form::Encoded(rows, _) => rows.len_for(items),
            Form::Affine(rows) => rows.len_for(items),
        }
    }

    /// Decodes the points of a range of items to x and y. Variable-time.
    pub(super) fn decode<C: EdwardsCurve>(
        &self,
        lanes: Option<Lanes>,
        items: Range<usize>,
    ) -> Vec<Result<[Element; 2], Rejection>> {
        match self.0 {
            Form::Encoded(rows, encoding) => {
                let rows = items.map(|item| rows.get(item));
                let points = decode_all::<C>(lanes, rows, encoding).into_iter();
                points.map(|point| point.map_err(rejection_of)).collect()
            }
            Form::Affine(rows) => items
                .map(|item| {
                    let [x, y] = rows.get(item).as_chunks().0 else {
                        unreachable!("64 bytes are two coordinates");
                    };
                    from_coordinates::<C>([x, y]).map_err(rejection_of)
                })
                .collect(),
        }
    }
}

/// Returns the rejection of bytes that do not encode a point.
fn rejection_of(reason: NoPoint) -> Rejection {
    match reason {
        NoPoint::NotCanonical => Rejection::MalformedPoint,
        NoPoint::NotOnCurve => Rejection::NotOnCurve,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_found_by_their_names() {
        for &encoding in Encoding::ALL {
            assert_eq!(encoding.to_string().parse(), Ok(encoding));
            assert_eq!(encoding.name().to_uppercase().parse(), Ok(encoding));
        }
        assert!("strict".parse::<Encoding>().is_err());
    }
}
