//! The suite that every engine passes: one file per subject, each test a function of `&Engine`.
//!
//! `tests` lists them all, and `suite.rs` runs them on each engine. Items are checked against
//! the RustCrypto crates, one at a time (`support::reference`), or are valid or invalid by
//! construction (`support::scheme`).

use crate::{
    bip340, ecdh, ecdsa, ed25519, engine, hashing, keys, points, secrets, silent_payments, sm2,
};
use gecc::Engine;

/// A test of an engine, with the names of its subject and of itself.
pub type Test = (&'static str, fn(&Engine));

/// The whole suite.
pub fn tests() -> impl Iterator<Item = Test> {
    TESTS.iter().chain(OF_ECDSA_CURVES).copied()
}

/// Long tests of each curve, by its name.
const OF_ECDSA_CURVES: &[Test] = {
    macro_rules! of_curves {
        ([] $($curve:ident $name:ident $module:tt $reference:tt;)*) => {
            &[$(
                (concat!("ecdsa::batch_verification::ecdsa_", stringify!($name)), ecdsa::batch_verification::ecdsa::<gecc::$curve>),
                (concat!("engine::batch_sizes::ecdsa_", stringify!($name)), engine::batch_sizes::ecdsa::<gecc::$curve>),
                (concat!("ecdsa::candidates::keys_", stringify!($name)), ecdsa::candidates::keys::<gecc::$curve>),
                (concat!("ecdsa::isolated_recovery::", stringify!($name)), ecdsa::isolated_recovery::every_position::<gecc::$curve>),
                (concat!("ecdsa::isolated_verification::ecdsa_", stringify!($name)), ecdsa::isolated_verification::ecdsa::<gecc::$curve>),
            )*]
        };
    }
    gecc::for_each_ecdsa_curve!(of_curves!)
};

const TESTS: &[Test] = &[
    (
        "ecdsa::additional_data::ecdsa",
        ecdsa::additional_data::ecdsa,
    ),
    ("ecdsa::additional_data::sm2", ecdsa::additional_data::sm2),
    (
        "ecdsa::additional_data::one_for_all",
        ecdsa::additional_data::one_for_all,
    ),
    (
        "ecdsa::additional_data::two_curves",
        ecdsa::additional_data::two_curves,
    ),
    (
        "ecdsa::additional_data::lengths",
        ecdsa::additional_data::lengths,
    ),
    (
        "ecdsa::batch_verification::corrupted_schnorr_signatures",
        ecdsa::batch_verification::corrupted_schnorr_signatures,
    ),
    (
        "ecdsa::batch_verification::cancelling_schnorr_signatures",
        ecdsa::batch_verification::cancelling_schnorr_signatures,
    ),
    (
        "ecdsa::batch_verification::vectors_many_times",
        ecdsa::batch_verification::vectors_many_times,
    ),
    (
        "ecdsa::batch_verification::schnorr_columns",
        ecdsa::batch_verification::schnorr_columns,
    ),
    (
        "ecdsa::batch_verification::recovery_ids_do_not_change_verdicts",
        ecdsa::batch_verification::recovery_ids_do_not_change_verdicts,
    ),
    (
        "ecdsa::batch_verification::large_and_small_x",
        ecdsa::batch_verification::large_and_small_x,
    ),
    (
        "ecdsa::batch_verification::recoverable_columns",
        ecdsa::batch_verification::recoverable_columns,
    ),
    (
        "ecdsa::batch_verification::large_batches_of_schnorr_signatures",
        ecdsa::batch_verification::large_batches_of_schnorr_signatures,
    ),
    (
        "ecdsa::batch_verification::large_batches_of_recoverable_signatures",
        ecdsa::batch_verification::large_batches_of_recoverable_signatures,
    ),
    (
        "ecdsa::batch_verification::large_batches_of_ed25519",
        ecdsa::batch_verification::large_batches_of_ed25519,
    ),
    ("engine::batch_sizes::sm2", engine::batch_sizes::sm2),
    (
        "engine::batch_sizes::public_points",
        engine::batch_sizes::public_points,
    ),
    (
        "engine::batch_sizes::secret_operations",
        engine::batch_sizes::secret_operations,
    ),
    (
        "engine::batch_sizes::sixty_five_thousand_points",
        engine::batch_sizes::sixty_five_thousand_points,
    ),
    (
        "engine::batch_sizes::sixty_five_thousand_signatures",
        engine::batch_sizes::sixty_five_thousand_signatures,
    ),
    (
        "bip340::vectors_of_the_standard",
        bip340::vectors_of_the_standard,
    ),
    (
        "bip340::signatures_match_libsecp256k1",
        bip340::signatures_match_libsecp256k1,
    ),
    (
        "bip340::verdicts_match_libsecp256k1",
        bip340::verdicts_match_libsecp256k1,
    ),
    (
        "bip340::repeated_keys_and_neighbours",
        bip340::repeated_keys_and_neighbours,
    ),
    ("bip340::order_of_reasons", bip340::order_of_reasons),
    ("bip340::bad_keys", bip340::bad_keys),
    (
        "bip340::mismatched_public_keys",
        bip340::mismatched_public_keys,
    ),
    ("bip340::fresh_auxiliary_data", bip340::fresh_auxiliary_data),
    ("bip340::long_messages", bip340::long_messages),
    ("bip340::checked_signatures", bip340::checked_signatures),
    ("ecdsa::candidates::addresses", ecdsa::candidates::addresses),
    ("ecdsa::candidates::columns", ecdsa::candidates::columns),
    (
        "ecdsa::candidates::large_batches",
        ecdsa::candidates::large_batches,
    ),
    ("ecdsa::candidates::lengths", ecdsa::candidates::lengths),
    ("engine::columns::points", engine::columns::points),
    (
        "engine::columns::private_keys",
        engine::columns::private_keys,
    ),
    ("engine::columns::ecdsa", engine::columns::ecdsa),
    ("engine::columns::addresses", engine::columns::addresses),
    ("engine::columns::sm2", engine::columns::sm2),
    ("engine::columns::mismatches", engine::columns::mismatches),
    (
        "points::constants::generators",
        points::constants::generators,
    ),
    (
        "points::constants::orders_and_primes",
        points::constants::orders_and_primes,
    ),
    ("ecdsa::der::round_trips", ecdsa::der::round_trips),
    ("ecdsa::der::strict_decoding", ecdsa::der::strict_decoding),
    (
        "ecdh::agreement::each_with_each",
        ecdh::agreement::each_with_each,
    ),
    (
        "ecdh::agreement::one_key_for_all",
        ecdh::agreement::one_key_for_all,
    ),
    (
        "ecdh::agreement::one_peer_for_all",
        ecdh::agreement::one_peer_for_all,
    ),
    ("ecdh::agreement::edge_keys", ecdh::agreement::edge_keys),
    (
        "ecdsa::recover::matches_reference",
        ecdsa::recover::matches_reference,
    ),
    ("ecdsa::recover::addresses", ecdsa::recover::addresses),
    (
        "ecdsa::recover::ids_out_of_range",
        ecdsa::recover::ids_out_of_range,
    ),
    (
        "ecdsa::sign::matches_reference",
        ecdsa::sign::matches_reference,
    ),
    ("ecdsa::sign::low_s", ecdsa::sign::low_s),
    ("ecdsa::sign::as_computed", ecdsa::sign::as_computed),
    ("ecdsa::sign::one_key_for_all", ecdsa::sign::one_key_for_all),
    ("ecdsa::sign::messages", ecdsa::sign::messages),
    ("ecdsa::sign::edge_digests", ecdsa::sign::edge_digests),
    (
        "ecdsa::verify::random_and_mutated",
        ecdsa::verify::random_and_mutated,
    ),
    ("ecdsa::verify::messages", ecdsa::verify::messages),
    (
        "ed25519::vectors_of_the_standard",
        ed25519::vectors_of_the_standard,
    ),
    ("ed25519::sign_input", ed25519::sign_input),
    ("ed25519::cases_of_speccheck", ed25519::cases_of_speccheck),
    ("ed25519::cases_of_cctv", ed25519::cases_of_cctv),
    ("ed25519::small_orders", ed25519::small_orders),
    ("ed25519::adversarial", ed25519::adversarial),
    ("ed25519::real_signatures", ed25519::real_signatures),
    ("ed25519::wycheproof", ed25519::wycheproof),
    ("ed25519::matches_dalek", ed25519::matches_dalek),
    ("ed25519::hashed_keys", ed25519::hashed_keys),
    ("ed25519::contexts", ed25519::contexts),
    ("ed25519::order_of_reasons", ed25519::order_of_reasons),
    ("ed25519::columns", ed25519::columns),
    ("ed25519::batch_verification", ed25519::batch_verification),
    ("ed25519::operations", ed25519::operations),
    ("ed25519::keys_of_other_forms", ed25519::keys_of_other_forms),
    (
        "ed25519::portable_and_lanes_agree",
        ed25519::portable_and_lanes_agree,
    ),
    (
        "ed25519::messages_of_any_length",
        ed25519::messages_of_any_length,
    ),
    (
        "ed25519::few_keys_in_a_large_batch",
        ed25519::few_keys_in_a_large_batch,
    ),
    ("ed25519::contexts_in_batches", ed25519::contexts_in_batches),
    (
        "ecdsa::edge_cases::edge_scalars",
        ecdsa::edge_cases::edge_scalars,
    ),
    (
        "ecdsa::edge_cases::special_keys",
        ecdsa::edge_cases::special_keys,
    ),
    (
        "keys::encodings::every_encoding",
        keys::encodings::every_encoding,
    ),
    (
        "keys::encodings::malformed_keys",
        keys::encodings::malformed_keys,
    ),
    (
        "keys::encodings::decompression",
        keys::encodings::decompression,
    ),
    (
        "keys::encodings::points_round_trip",
        keys::encodings::points_round_trip,
    ),
    (
        "engine::options::same_results_with_any_options",
        engine::options::same_results_with_any_options,
    ),
    (
        "engine::options::checked_signatures",
        engine::options::checked_signatures,
    ),
    (
        "engine::options::impossible_options",
        engine::options::impossible_options,
    ),
    ("keys::pairs::match_reference", keys::pairs::match_reference),
    ("keys::pairs::generated", keys::pairs::generated),
    ("keys::pairs::conversions", keys::pairs::conversions),
    ("ecdsa::large_x::verified", ecdsa::large_x::verified),
    ("ecdsa::large_x::recovered", ecdsa::large_x::recovered),
    (
        "ecdsa::large_x::small_r_without_reduction",
        ecdsa::large_x::small_r_without_reduction,
    ),
    ("engine::lengths::mismatches", engine::lengths::mismatches),
    (
        "engine::lengths::empty_batches",
        engine::lengths::empty_batches,
    ),
    (
        "ecdsa::malleability::overflowing_r_and_s",
        ecdsa::malleability::overflowing_r_and_s,
    ),
    ("ecdsa::malleability::high_s", ecdsa::malleability::high_s),
    (
        "hashing::message_lengths::digests",
        hashing::message_lengths::digests,
    ),
    (
        "hashing::message_lengths::ecdsa_messages",
        hashing::message_lengths::ecdsa_messages,
    ),
    (
        "hashing::message_lengths::sm2_messages",
        hashing::message_lengths::sm2_messages,
    ),
    (
        "hashing::message_lengths::bad_items_among_many",
        hashing::message_lengths::bad_items_among_many,
    ),
    ("points::msm::match_reference", points::msm::match_reference),
    (
        "points::msm::multiples_of_the_base_point",
        points::msm::multiples_of_the_base_point,
    ),
    ("points::msm::columns", points::msm::columns),
    (
        "points::msm::equal_points_and_scalars",
        points::msm::equal_points_and_scalars,
    ),
    ("points::msm::bad_items", points::msm::bad_items),
    (
        "ecdsa::nist::signature_verification",
        ecdsa::nist::signature_verification,
    ),
    (
        "ecdsa::nist::signature_generation",
        ecdsa::nist::signature_generation,
    ),
    (
        "ecdsa::nist::public_key_validation",
        ecdsa::nist::public_key_validation,
    ),
    ("ecdsa::nist::diffie_hellman", ecdsa::nist::diffie_hellman),
    (
        "engine::page_locked::same_results",
        engine::page_locked::same_results,
    ),
    (
        "engine::page_locked::many_small_ones",
        engine::page_locked::many_small_ones,
    ),
    (
        "points::arithmetic::random_points",
        points::arithmetic::random_points,
    ),
    (
        "points::arithmetic::edge_scalars_and_points",
        points::arithmetic::edge_scalars_and_points,
    ),
    (
        "points::arithmetic::complete_addition",
        points::arithmetic::complete_addition,
    ),
    ("points::vectors::base_point", points::vectors::base_point),
    (
        "points::vectors::variable_point",
        points::vectors::variable_point,
    ),
    ("points::isolation::add", points::isolation::add),
    ("points::isolation::double", points::isolation::double),
    ("points::isolation::mul", points::isolation::mul),
    ("points::isolation::mul_base", points::isolation::mul_base),
    (
        "points::isolation::decompress",
        points::isolation::decompress,
    ),
    (
        "ecdsa::isolated_recovery::addresses",
        ecdsa::isolated_recovery::addresses,
    ),
    ("keys::isolation::signing", keys::isolation::signing),
    ("keys::isolation::ecdh", keys::isolation::ecdh),
    ("keys::isolation::public_keys", keys::isolation::public_keys),
    (
        "ecdsa::isolated_verification::sm2",
        ecdsa::isolated_verification::sm2,
    ),
    (
        "ecdsa::isolated_verification::one_key_for_many",
        ecdsa::isolated_verification::one_key_for_many,
    ),
    (
        "ecdsa::isolated_verification::large_batches",
        ecdsa::isolated_verification::large_batches,
    ),
    (
        "ecdsa::isolated_verification::low_s_policy",
        ecdsa::isolated_verification::low_s_policy,
    ),
    (
        "ecdsa::repeated_keys::every_count_to_200",
        ecdsa::repeated_keys::every_count_to_200,
    ),
    (
        "ecdsa::repeated_keys::every_table_size",
        ecdsa::repeated_keys::every_table_size,
    ),
    (
        "ecdsa::repeated_keys::equal_keys_in_different_encodings",
        ecdsa::repeated_keys::equal_keys_in_different_encodings,
    ),
    ("ecdsa::rfc6979::secp256k1", ecdsa::rfc6979::secp256k1),
    ("ecdsa::rfc6979::p256", ecdsa::rfc6979::p256),
    ("ecdsa::rfc6979::other_hashes", ecdsa::rfc6979::other_hashes),
    (
        "ecdsa::rfc6979::siggen_secp256k1",
        ecdsa::rfc6979::siggen_secp256k1,
    ),
    (
        "secrets::debug_output_hides_secrets",
        secrets::debug_output_hides_secrets,
    ),
    ("secrets::errors_hide_secrets", secrets::errors_hide_secrets),
    (
        "silent_payments::vectors_are_scanned",
        silent_payments::vectors_are_scanned,
    ),
    (
        "silent_payments::vectors_are_indexed",
        silent_payments::vectors_are_indexed,
    ),
    (
        "silent_payments::match_libsecp256k1",
        silent_payments::match_libsecp256k1,
    ),
    (
        "silent_payments::rows_of_one_output",
        silent_payments::rows_of_one_output,
    ),
    (
        "silent_payments::label_points",
        silent_payments::label_points,
    ),
    (
        "silent_payments::crafted_rows",
        silent_payments::crafted_rows,
    ),
    ("silent_payments::refused", silent_payments::refused),
    (
        "sm2::scheme::verify_random_and_mutated",
        sm2::scheme::verify_random_and_mutated,
    ),
    ("sm2::scheme::sign", sm2::scheme::sign),
    ("sm2::scheme::messages", sm2::scheme::messages),
    ("sm2::scheme::user_ids", sm2::scheme::user_ids),
    (
        "sm2::scheme::order_of_reasons",
        sm2::scheme::order_of_reasons,
    ),
    (
        "sm2::scheme::signing_key_n_minus_1",
        sm2::scheme::signing_key_n_minus_1,
    ),
    ("sm2::vectors::signatures", sm2::vectors::signatures),
    ("sm2::vectors::user_hash", sm2::vectors::user_hash),
    (
        "points::sums::match_reference",
        points::sums::match_reference,
    ),
    ("points::sums::columns", points::sums::columns),
    ("points::sums::equal_points", points::sums::equal_points),
    ("points::sums::bad_points", points::sums::bad_points),
    (
        "keys::tweaks::vectors_of_taproot",
        keys::tweaks::vectors_of_taproot,
    ),
    (
        "keys::tweaks::match_libsecp256k1",
        keys::tweaks::match_libsecp256k1,
    ),
    ("keys::tweaks::reasons", keys::tweaks::reasons),
    ("keys::tweaks::children", keys::tweaks::children),
    ("ecdsa::verdicts::reports", ecdsa::verdicts::reports),
    ("ecdh::wycheproof::secp256k1", ecdh::wycheproof::secp256k1),
    ("ecdh::wycheproof::secp256r1", ecdh::wycheproof::secp256r1),
    (
        "ecdh::wycheproof::secp256r1_points",
        ecdh::wycheproof::secp256r1_points,
    ),
    (
        "ecdh::wycheproof::brainpoolp256r1",
        ecdh::wycheproof::brainpoolp256r1,
    ),
    ("ecdsa::wycheproof::secp256k1", ecdsa::wycheproof::secp256k1),
    ("ecdsa::wycheproof::secp256r1", ecdsa::wycheproof::secp256r1),
    ("ecdsa::wycheproof::bitcoin", ecdsa::wycheproof::bitcoin),
    (
        "ecdsa::wycheproof::other_hashes",
        ecdsa::wycheproof::other_hashes,
    ),
    (
        "ecdsa::wycheproof::brainpoolp256r1",
        ecdsa::wycheproof::brainpoolp256r1,
    ),
];
