//! Scheduling of batches over devices: splitting into chunks, assigning them to threads, and
//! retrying failed ones.

mod chunks;
pub mod execution;
pub mod operation;
mod self_test_results;
pub mod self_tests;
mod stream_slot;
mod work_queue;

pub use chunks::Machine;
pub use operation::{
    Computation, CpuComputation, GpuThreshold, Launch, Running, SelfTest, SelfTestRun,
};
pub use stream_slot::{DeviceCache, StreamSlot};
pub use work_queue::{DevicePool, run};
