//! Batches of every size.

use crate::declare::{apply, on_every_engine};
use crate::support::batch_sizes::{largest_signatures, verify_sizes};
use crate::support::scheme::Sm2Dsa;
use gecc::Engine;

#[apply(on_every_engine)]
fn every_size_is_verified(engine: &Engine) {
    verify_sizes::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn sizes_around_65536_are_verified(engine: &Engine) {
    largest_signatures::<Sm2Dsa>(engine);
}
