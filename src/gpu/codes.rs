//! One-byte codes of the device code other than verdicts, as in `cuda/codes.cuh`.
#![allow(dead_code, reason = "most of these never leave the device")]

/// The code of an item without a verdict so far.
pub const PENDING: u8 = 0;

/// The kind of an item in a batch of points. Only finite points have coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PointKind {
    Finite = 1,
    Identity = 2,
    /// A coordinate is p or more.
    OutOfRange = 3,
    OffCurve = 4,
    BadEncoding = 5,
}

impl PointKind {
    /// Returns the value with this code, if there is one.
    pub fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::Finite),
            2 => Some(Self::Identity),
            3 => Some(Self::OutOfRange),
            4 => Some(Self::OffCurve),
            5 => Some(Self::BadEncoding),
            _ => None,
        }
    }
}

/// Encodings of points that a kernel accepts, as a sum.
#[derive(Clone, Copy, Debug)]
pub struct TagSet;

impl TagSet {
    pub const IDENTITY_TAG: u32 = 1;
    pub const COMPRESSED_TAG: u32 = 2;
    pub const UNCOMPRESSED_TAG: u32 = 4;
}
