//! The commands. Those that answer item by item are operations of a `job`.

pub mod bench;
#[cfg(feature = "chains")]
pub mod bitcoin;
#[cfg(feature = "chains")]
pub mod certificates;
pub mod doctor;
#[cfg(feature = "chains")]
pub mod ethereum;
pub mod kernels;
pub mod keys;
mod machine_report;
pub mod masks;
pub mod signatures;
