//! The engine's own threads.
//!
//! An engine never computes on threads of its caller's pool, and never makes one wait in a way that runs the caller's
//! other tasks: a thread that calls either does the work itself, where that is little, or sleeps until it is done. What
//! workers get are tasks that wait for no other task. So no order of calls can make them wait for each other, whatever
//! threads they come from, and no call nests in another.
//!
//! `loan` lends what a call borrows to threads that live longer; `pool` are the threads of the CPU engine; `crew` those
//! of the GPU engine, some for each device.

mod crew;
mod loan;
mod pool;

pub use crew::Crew;
pub use loan::{Loan, Work, lend};
pub use pool::Pool;
