//! Kernels alone, on numbers that stay on the GPU.
//!
//! Everything runs on the first GPU, by itself, timed by CUDA events, on fresh random inputs; outputs are poisoned
//! before and checked after. The public operations are measured through `gecc::EngineBuilder::time_kernels` instead.

pub mod ablations;
pub mod arithmetic;
mod device;
mod launchers;
pub mod methods;
mod primes;
pub mod sources;
