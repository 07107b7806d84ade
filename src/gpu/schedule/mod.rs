//! Scheduling of batches over devices: splitting into chunks, assigning them to threads, and
//! retrying failed ones.

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
