//! Batches over devices: where they are cut, who computes which chunk, and what becomes of one that fails.

mod chunks;
pub mod deliver;
mod lane;
pub mod operation;
mod tested;
pub mod trial;
mod work_queue;

pub use chunks::Machine;
pub use lane::{Kept, Lane};
pub use operation::{Launch, OnGpu, Running, Test, Trial};
pub use work_queue::{Fleet, OnCpu, run};
