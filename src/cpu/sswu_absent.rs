//! The replacement of `sswu` for processors without vector code, on which the RustCrypto crates map
//! field elements to points.

use super::CpuCurve;
use crate::curve::types::{P256, Secp256k1};

/// A curve with a simplified SWU map.
pub trait SswuCurve: CpuCurve {}

impl SswuCurve for P256 {}

impl SswuCurve for Secp256k1 {}
