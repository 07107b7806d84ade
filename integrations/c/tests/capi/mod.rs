//! The list of tests, and helpers that they share.

mod arguments;
mod cases;
mod der;
mod digests;
mod ed25519;
mod header;
mod key_forms;
mod masking;
mod memory_of_callers;
mod processes;
mod progress;
mod random_arguments;
mod same_results;
mod silent_payments;
mod threads;
mod vectors;
mod x25519;

use crate::capi::choices::{GeccBackend, GeccKeyEncoding};
use crate::capi::engine::{GeccEngine, GeccEngineOptions, gecc_engine_free, gecc_engine_new};
use crate::capi::memory::{GeccBytes, GeccKeys, GeccRows};
use crate::capi::status::{GeccStatus, gecc_last_error};
use crate::harness::needs::GPU;
use crate::harness::{Named, Test, named, tests as tests_with};
use std::ffi::CStr;
use std::ptr::{null, null_mut};

pub fn tests() -> Vec<Test> {
    let everywhere: [Named<fn()>; 65] = named![
        arguments::null_is_refused,
        arguments::numbers_are_refused,
        arguments::options_of_other_sizes,
        arguments::options_are_passed_on,
        arguments::gpus_are_used_or_missed,
        arguments::no_panic_gets_out,
        arguments::strides_and_sizes,
        arguments::results_of_sums,
        arguments::no_items,
        arguments::codes_have_texts,
        arguments::texts_are_cut,
        cases::shared_signatures_have_their_verdicts,
        cases::shared_signatures_recover_their_keys,
        cases::shared_keys_sign_as_stated,
        der::there_and_back,
        der::arguments_are_refused,
        der::signatures_of_every_form,
        digests::of_every_hash,
        digests::arguments_are_refused,
        header::header_equals_output_of_cbindgen,
        header::header_declares_every_function,
        key_forms::public_keys,
        key_forms::private_keys,
        masking::vectors_of_rfc_9380,
        masking::vectors_of_every_suite,
        masking::forms,
        masking::masks_commute,
        masking::bad_items_do_not_affect_others,
        masking::arguments_are_refused,
        memory_of_callers::records_as_they_lie,
        memory_of_callers::any_alignment,
        memory_of_callers::overlaps_are_refused,
        memory_of_callers::buffers,
        processes::inherited_engine_fails_in_a_child,
        progress::a_call_goes_on_or_ends,
        progress::a_call_in_between_asks_nobody,
        progress::functions_are_of_their_thread,
        progress::pieces_make_the_whole,
        progress::a_bad_item_of_a_sum_is_counted_from_the_first,
        progress::keys_that_were_not_all_made_are_wiped,
        random_arguments::never_end_the_process,
        same_results::on_the_cpu,
        silent_payments::vectors,
        silent_payments::index,
        silent_payments::arguments_are_refused,
        threads::sixteen_at_once,
        threads::an_engine_freed_while_another_works,
        threads::errors_are_of_their_thread,
        vectors::wycheproof_ecdsa,
        vectors::wycheproof_ecdh,
        vectors::sm2,
        vectors::rfc6979,
        vectors::ethereum_blocks,
        vectors::bip340,
        vectors::taproot,
        ed25519::vectors_by_every_rule,
        ed25519::signing_and_public_keys,
        ed25519::variants,
        ed25519::key_forms,
        ed25519::arguments_are_refused,
        x25519::shared_cases_have_their_secrets,
        x25519::shared_cases_have_their_public_keys,
        x25519::key_forms,
        x25519::keys_for_another_purpose_are_refused,
        x25519::arguments_are_refused,
    ];
    let on_gpus: [Named<fn()>; 2] =
        named![same_results::on_gpus, memory_of_callers::buffers_on_gpus];
    tests_with(None, everywhere)
        .into_iter()
        .chain(tests_with(Some(&GPU), on_gpus))
        .collect()
}

/// An engine that is freed at the end.
pub struct Handle(pub *mut GeccEngine);

// SAFETY: an engine serves any number of threads.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: made by `gecc_engine_new`, and freed here alone.
        unsafe { gecc_engine_free(self.0) };
    }
}

/// Two threads are enough to have work split.
pub fn engine(backend: GeccBackend) -> Handle {
    let options = GeccEngineOptions {
        backend: backend as i32,
        threads: 2,
        ..no_options()
    };
    let mut engine = null_mut();
    // SAFETY: both pointers are of values.
    expect_ok(unsafe { gecc_engine_new(&options, &mut engine) });
    assert!(!engine.is_null());
    Handle(engine)
}

pub fn cpu() -> Handle {
    engine(GeccBackend::Cpu)
}

/// The defaults.
pub fn no_options() -> GeccEngineOptions {
    GeccEngineOptions {
        size: size_of::<GeccEngineOptions>(),
        backend: 0,
        threads: 0,
        max_memory: 0,
        check_signatures: 0,
        batch_verification: 0,
    }
}

/// Rows one after the other.
pub fn rows<const W: usize>(rows: &[[u8; W]]) -> GeccRows {
    GeccRows {
        data: rows.as_ptr().cast(),
        stride: W,
    }
}

/// One row for all items.
pub fn one(row: &[u8]) -> GeccRows {
    GeccRows {
        data: row.as_ptr(),
        stride: 0,
    }
}

/// Keys one after the other, with the encoding of their width.
pub fn keys<const W: usize>(keys: &[[u8; W]]) -> GeccKeys {
    GeccKeys {
        data: keys.as_ptr().cast(),
        stride: W,
        encoding: W as i32,
    }
}

pub fn strings<'a>(strings: impl IntoIterator<Item = &'a [u8]>) -> Vec<GeccBytes> {
    strings
        .into_iter()
        .map(|string| GeccBytes {
            data: string.as_ptr(),
            length: string.len(),
        })
        .collect()
}

pub fn expect_ok(status: GeccStatus) {
    assert_eq!(status, GeccStatus::Ok, "{}", last_error());
}

/// Asserts that the call failed with `status`, and that the error message contains `named`.
pub fn expect_failure(found: GeccStatus, status: GeccStatus, named: &str) {
    assert_eq!(found, status, "{}", last_error());
    assert!(
        last_error().contains(named),
        "{:?} does not name {named:?}",
        last_error()
    );
}

pub fn last_error() -> String {
    // SAFETY: a text ended by a zero byte.
    unsafe { CStr::from_ptr(gecc_last_error()) }
        .to_str()
        .expect("UTF-8")
        .to_owned()
}

/// No additional data.
pub const NO_DATA: GeccRows = GeccRows {
    data: null(),
    stride: 0,
};
pub const COMPRESSED: i32 = GeccKeyEncoding::Compressed as i32;
