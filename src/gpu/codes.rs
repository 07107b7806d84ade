//! What the device code says of items in a byte each, beside verdicts: from `cuda/codes.toml`.
#![allow(dead_code, reason = "most of these never leave the device")]

include!(concat!(env!("OUT_DIR"), "/codes.rs"));
