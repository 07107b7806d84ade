//! Common parts of the command `gecc` and the benchmarks of its repository: options, exit codes,
//! and measuring. It is for these alone, without a promise of stability. Programs use the crate
//! `gecc`.
#![allow(missing_docs, reason = "for the packages of one repository")]

pub mod curve;
pub mod engine;
pub mod failure;
pub mod installed;
pub mod measure;
pub mod memory;
pub mod say;
