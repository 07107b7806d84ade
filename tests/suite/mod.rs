//! The suite that every engine passes: one file per subject, each test a function of `&Engine`.
//!
//! `tests` lists them all, and `tests/engines` runs them on each engine. Items are checked against
//! the RustCrypto crates, one at a time (`support::reference`), or are valid or invalid by
//! construction (`support::scheme`).

pub mod support;

pub mod additional_data;
pub mod batch_sizes;
pub mod batch_verification;
pub mod bip340;
pub mod candidates;
pub mod columns;
pub mod constants;
pub mod der_signatures;
pub mod ecdh_agreement;
pub mod ecdsa_recover;
pub mod ecdsa_sign;
pub mod ecdsa_verify;
pub mod ed25519;
pub mod edge_verify;
pub mod encodings;
pub mod engine_options;
pub mod isolation_points;
pub mod isolation_recover;
pub mod isolation_secrets;
pub mod isolation_verify;
pub mod key_pairs;
pub mod large_x;
pub mod lengths;
pub mod malleability;
pub mod message_lengths;
pub mod msm;
pub mod nist;
pub mod page_locked;
pub mod point_arithmetic;
pub mod point_vectors;
pub mod repeated_keys;
pub mod rfc6979_vectors;
pub mod secrets;
pub mod silent_payments;
pub mod sm2_scheme;
pub mod sm2_vectors;
pub mod sums;
pub mod tweaks;
pub mod verdicts;
pub mod wycheproof_ecdh;
pub mod wycheproof_ecdsa;

use gecc::Engine;

/// A test of an engine, with the names of its subject and of itself.
pub type Test = (&'static str, fn(&Engine));

/// Tests of subjects.
macro_rules! on_engines {
    ($($subject:ident { $($test:ident)* })*) => {
        &[$($((concat!(stringify!($subject), "::", stringify!($test)), $subject::$test),)*)*]
    };
}

/// The whole suite.
pub fn tests() -> impl Iterator<Item = Test> {
    TESTS.iter().chain(OF_ECDSA_CURVES).copied()
}

/// Long tests of each curve, by its name.
const OF_ECDSA_CURVES: &[Test] = {
    macro_rules! of_curves {
        ([] $($curve:ident $name:ident $module:tt $reference:tt;)*) => {
            &[$(
                (concat!("batch_verification::ecdsa_", stringify!($name)), batch_verification::ecdsa::<gecc::$curve>),
                (concat!("batch_sizes::ecdsa_", stringify!($name)), batch_sizes::ecdsa::<gecc::$curve>),
                (concat!("candidates::keys_", stringify!($name)), candidates::keys::<gecc::$curve>),
                (concat!("isolation_recover::", stringify!($name)), isolation_recover::every_position::<gecc::$curve>),
                (concat!("isolation_verify::ecdsa_", stringify!($name)), isolation_verify::ecdsa::<gecc::$curve>),
            )*]
        };
    }
    gecc::for_each_ecdsa_curve!(of_curves!)
};

const TESTS: &[Test] = on_engines! {
    additional_data { ecdsa sm2 one_for_all two_curves lengths }
    batch_verification {
        corrupted_schnorr_signatures cancelling_schnorr_signatures vectors_many_times schnorr_columns
        recovery_ids_do_not_change_verdicts large_and_small_x recoverable_columns
        large_batches_of_schnorr_signatures large_batches_of_recoverable_signatures large_batches_of_ed25519
    }
    batch_sizes {
        sm2 public_points secret_operations
        sixty_five_thousand_points sixty_five_thousand_signatures
    }
    bip340 {
        vectors_of_the_standard signatures_match_libsecp256k1 verdicts_match_libsecp256k1
        repeated_keys_and_neighbours order_of_reasons bad_keys mismatched_public_keys fresh_auxiliary_data long_messages
        checked_signatures
    }
    candidates { addresses columns large_batches lengths }
    columns { points private_keys ecdsa addresses sm2 mismatches }
    constants { generators orders_and_primes }
    der_signatures { round_trips strict_decoding }
    ecdh_agreement { each_with_each one_key_for_all one_peer_for_all edge_keys }
    ecdsa_recover { matches_reference addresses ids_out_of_range }
    ecdsa_sign { matches_reference low_s as_computed one_key_for_all messages edge_digests }
    ecdsa_verify { random_and_mutated messages }
    ed25519 {
        vectors_of_the_standard sign_input cases_of_speccheck cases_of_cctv small_orders adversarial real_signatures wycheproof
        matches_dalek hashed_keys contexts order_of_reasons columns batch_verification operations
        keys_of_other_forms portable_and_lanes_agree messages_of_any_length few_keys_in_a_large_batch
        contexts_in_batches
    }
    edge_verify { edge_scalars special_keys }
    encodings { every_encoding malformed_keys decompression points_round_trip }
    engine_options { same_results_with_any_options checked_signatures impossible_options }
    key_pairs { match_reference generated conversions }
    large_x { verified recovered small_r_without_reduction }
    lengths { mismatches empty_batches }
    malleability { overflowing_r_and_s high_s }
    message_lengths { digests ecdsa_messages sm2_messages bad_items_among_many }
    msm { match_reference multiples_of_the_base_point columns equal_points_and_scalars bad_items }
    nist { signature_verification signature_generation public_key_validation diffie_hellman }
    page_locked { same_results many_small_ones }
    point_arithmetic { random_points edge_scalars_and_points complete_addition }
    point_vectors { base_point variable_point }
    isolation_points { add double mul mul_base decompress }
    isolation_recover { addresses }
    isolation_secrets { signing ecdh public_keys }
    isolation_verify { sm2 one_key_for_many large_batches low_s_policy }
    repeated_keys { every_count_to_200 every_table_size equal_keys_in_different_encodings }
    rfc6979_vectors { secp256k1 p256 other_hashes siggen_secp256k1 }
    secrets { debug_output_hides_secrets errors_hide_secrets }
    silent_payments { vectors_are_scanned vectors_are_indexed match_libsecp256k1 rows_of_one_output label_points crafted_rows
        refused }
    sm2_scheme { verify_random_and_mutated sign messages user_ids order_of_reasons signing_key_n_minus_1 }
    sm2_vectors { signatures user_hash }
    sums { match_reference columns equal_points bad_points }
    tweaks { vectors_of_taproot match_libsecp256k1 reasons children }
    verdicts { reports }
    wycheproof_ecdh { secp256k1 secp256r1 secp256r1_points brainpoolp256r1 }
    wycheproof_ecdsa { secp256k1 secp256r1 bitcoin other_hashes brainpoolp256r1 }
};
