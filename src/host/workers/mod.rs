//! The engine's own threads.
//!
//! An engine never computes on threads of its caller's pool, and never makes such a thread wait in
//! a way that runs other tasks of the caller: the calling thread either does the work itself, if it
//! is little, or sleeps until it is done. Workers only receive tasks that do not wait for other
//! tasks. Therefore no order of calls can lead to a deadlock, whatever threads they come from, and
//! no call is nested in another.
//!
//! `scoped_job` lets threads that outlive a call use data that the call borrows; `pool` contains
//! the threads of the CPU engine; `device_threads` contains those of the GPU engine, several per
//! device.

mod device_threads;
mod pool;
mod scoped_job;

pub use device_threads::DeviceThreads;
pub use pool::Pool;
pub use scoped_job::{Job, with_scoped_job};
