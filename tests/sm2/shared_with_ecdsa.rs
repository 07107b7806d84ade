//! SM2 verifies x(R) for R = u1 G + u2 Q as ECDSA does: the tests of that equation run for it too.

use crate::declare::{apply, on_every_engine};
use crate::ecdsa::edge_cases::{edge_scalars_of, meetings};
use crate::ecdsa::isolated_verification::{every_position, large, one_key};
use crate::ecdsa::large_x;
use crate::ecdsa::repeated_keys::{encodings, every_count, table_sizes};
use crate::support::scheme::Sm2Dsa;
use gecc::Engine;

#[apply(on_every_engine)]
fn edge_scalars(engine: &Engine) {
    edge_scalars_of::<Sm2Dsa>(engine);
}

/// Keys that are small multiples of G, and u1 G and u2 Q that meet during the computation.
#[apply(on_every_engine)]
fn special_keys(engine: &Engine) {
    meetings::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn verified(engine: &Engine) {
    large_x::verify::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn isolated(engine: &Engine) {
    every_position::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn one_key_for_many(engine: &Engine) {
    one_key::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn large_batches(engine: &Engine) {
    large::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn every_count_to_200(engine: &Engine) {
    every_count::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn every_table_size(engine: &Engine) {
    table_sizes::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn equal_keys_in_different_encodings(engine: &Engine) {
    encodings::<Sm2Dsa>(engine);
}
