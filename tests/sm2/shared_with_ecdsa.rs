//! SM2 verifies x(R) for R = u1 G + u2 Q as ECDSA does: the tests of that equation run for it too.

use crate::declare::{apply, on_every_engine};
use crate::ecdsa::edge_cases::{edge_scalars_of, meetings};
use crate::ecdsa::isolated_verification::{every_position, large, one_key};
use crate::ecdsa::large_x;
use crate::ecdsa::repeated_keys::{encodings, every_count, table_sizes};
use crate::support::scheme::Sm2Dsa;
use gecc::Engine;

#[apply(on_every_engine)]
fn edge_scalars_as_u1_and_u2_are_verified(engine: &Engine) {
    edge_scalars_of::<Sm2Dsa>(engine);
}

/// Keys that are small multiples of G, and u1 G and u2 Q that meet during the computation.
#[apply(on_every_engine)]
fn keys_with_meeting_products_are_verified(engine: &Engine) {
    meetings::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn x_above_the_order_is_verified(engine: &Engine) {
    large_x::verify::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn special_items_at_every_position_do_not_change_others(engine: &Engine) {
    every_position::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn special_items_among_those_of_one_key_do_not_change_others(engine: &Engine) {
    one_key::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn special_items_in_large_batches_do_not_change_others(engine: &Engine) {
    large::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn keys_that_occur_up_to_200_times_keep_their_verdicts(engine: &Engine) {
    every_count::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn tables_of_every_size_keep_verdicts(engine: &Engine) {
    table_sizes::<Sm2Dsa>(engine);
}

#[apply(on_every_engine)]
fn equal_keys_in_different_encodings_keep_their_verdicts(engine: &Engine) {
    encodings::<Sm2Dsa>(engine);
}
