//! One-byte codes of the device code other than verdicts, from `cuda/codes.toml`.
#![allow(dead_code, reason = "most of these never leave the device")]

include!(concat!(env!("OUT_DIR"), "/codes.rs"));
