//! What the device code says of items in a byte each, beside verdicts: from `cuda/codes.toml`.

include!(concat!(env!("OUT_DIR"), "/codes.rs"));
