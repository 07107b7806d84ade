//! Measurements of individual kernels, on numbers that stay on the GPU.
//!
//! Each kernel runs alone on the first GPU, on fresh random inputs, and is timed by CUDA events.
//! Outputs are overwritten before and checked after. The public operations are measured through
//! `gecc::EngineBuilder::time_kernels` instead.

pub mod ablations;
pub mod arithmetic;
mod device;
mod generated;
pub mod methods;
mod primes;
pub mod sources;
