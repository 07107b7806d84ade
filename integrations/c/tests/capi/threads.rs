//! Calls from many threads at once.

use super::{Handle, NO_DATA, cpu, expect_failure, expect_ok, keys, rows};
use crate::capi::ecdsa::{gecc_ecdsa_sign, gecc_ecdsa_verify};
use crate::capi::keys::gecc_public_keys;
use crate::capi::status::GeccStatus;
use crate::random::Random;
use gecc::Rejection;
use rand::RngExt;
use std::ptr::null_mut;
use std::sync::Barrier;
use std::thread;

const ITEMS: usize = 700;

/// Signs and verifies random digests, of which every tenth is changed in between.
fn sign_and_verify(engine: &Handle, curve: i32) {
    let mut random = Random::new();
    let secret: Vec<[u8; 32]> = (0..ITEMS)
        .map(|_| [random.random_range(1..100); 32])
        .collect();
    let mut digests: Vec<[u8; 32]> = (0..ITEMS).map(|_| random.random()).collect();
    let (mut signatures, mut points) = (vec![[0; 64]; ITEMS], vec![[0; 64]; ITEMS]);
    let (mut codes, e) = (vec![0; ITEMS], engine.0);
    unsafe {
        let (out, verdicts) = (signatures.as_mut_ptr().cast(), codes.as_mut_ptr());
        expect_ok(gecc_ecdsa_sign(
            e,
            curve,
            ITEMS,
            rows(&digests),
            rows(&secret),
            NO_DATA,
            0,
            out,
            verdicts,
        ));
        expect_ok(gecc_public_keys(
            e,
            curve,
            ITEMS,
            rows(&secret),
            points.as_mut_ptr().cast(),
            verdicts,
        ));
        digests
            .iter_mut()
            .step_by(10)
            .for_each(|digest| digest[5] ^= 8);
        let (given, key) = (rows(&signatures), keys(&points));
        expect_ok(gecc_ecdsa_verify(
            e,
            curve,
            ITEMS,
            rows(&digests),
            given,
            key,
            0,
            verdicts,
        ));
    }
    for (item, code) in codes.into_iter().enumerate() {
        assert_eq!(
            code,
            if item % 10 == 0 {
                Rejection::Mismatch.code()
            } else {
                1
            },
            "{item}"
        );
    }
}

pub fn sixteen_at_once() {
    let engine = cpu();
    thread::scope(|scope| {
        for thread in 0..16 {
            let engine = &engine;
            scope.spawn(move || {
                (0..3).for_each(|round| sign_and_verify(engine, 1 + (thread + round) % 3))
            });
        }
    });
}

pub fn an_engine_freed_while_another_works() {
    let lasting = cpu();
    thread::scope(|scope| {
        for curve in [1, 2] {
            let lasting = &lasting;
            scope.spawn(move || (0..6).for_each(|_| sign_and_verify(lasting, curve)));
        }
        scope.spawn(|| (0..6).for_each(|_| sign_and_verify(&cpu(), 1)));
    });
    sign_and_verify(&lasting, 3);
}

pub fn errors_are_of_their_thread() {
    let (engine, both_failed) = (cpu(), Barrier::new(2));
    let call = |engine: &Handle, curve: i32| unsafe {
        gecc_public_keys(
            engine.0,
            curve,
            0,
            rows(&[[0; 32]; 0]),
            null_mut(),
            null_mut(),
        )
    };
    let fail = |curve: i32| {
        assert_eq!(super::last_error(), "");
        let status = call(&engine, curve);
        both_failed.wait();
        expect_failure(status, GeccStatus::InvalidArgument, &curve.to_string());
        // A call that succeeds leaves the text.
        expect_ok(call(&engine, 1));
        expect_failure(status, GeccStatus::InvalidArgument, &curve.to_string());
    };
    thread::scope(|scope| {
        scope.spawn(|| fail(77));
        scope.spawn(|| fail(88));
    });
}
