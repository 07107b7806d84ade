//! Columns as they lie in the caller's memory.

use super::{COMPRESSED, NO_DATA, cpu, engine, expect_failure, expect_ok, rows};
use crate::capi::buffer::*;
use crate::capi::choices::{GeccBackend, GeccCurve};
use crate::capi::ecdsa::gecc_ecdsa_verify;
use crate::capi::keys::gecc_ecdh_secrets;
use crate::capi::memory::{GeccBytes, GeccKeys, GeccRows};
use crate::capi::point::gecc_mul_base;
use crate::capi::sm2::gecc_sm2_sign_messages;
use crate::capi::status::GeccStatus;
use gecc::Rejection;
use serde_json::Value;
use std::ptr::{null, null_mut};

/// `32 digest | 33 key | 64 signature`.
const RECORD: usize = 129;
const SECP256K1: i32 = GeccCurve::Secp256k1 as i32;

/// The signatures of the Ethereum blocks that the examples read.
const RECORDS: &[u8] = include_bytes!("../../examples/ethereum_blocks.rows");
const LINES: &str = include_str!("../../../../examples/data/ethereum_blocks.jsonl");

fn verify(engine: &super::Handle, records: &[u8]) -> Vec<u8> {
    let mut codes = vec![0xaa; records.len() / RECORD];
    let column = |offset| GeccRows {
        data: records[offset..].as_ptr(),
        stride: RECORD,
    };
    let keys = GeccKeys {
        data: records[32..].as_ptr(),
        stride: RECORD,
        encoding: COMPRESSED,
    };
    expect_ok(unsafe {
        let (items, codes) = (codes.len(), codes.as_mut_ptr());
        gecc_ecdsa_verify(
            engine.0,
            SECP256K1,
            items,
            column(0),
            column(65),
            keys,
            1,
            codes,
        )
    });
    codes
}

pub fn records_as_they_lie() {
    let lines: Vec<Value> = LINES
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(RECORDS.len(), lines.len() * RECORD);
    for (record, line) in RECORDS.chunks_exact(RECORD).zip(&lines) {
        let field = |name: &str| hex::decode(line[name].as_str().unwrap()).unwrap();
        let key = field("public_key");
        assert_eq!(record[..32], field("digest"));
        assert_eq!(
            (record[32], &record[33..65]),
            (2 + (key[64] & 1), &key[1..33])
        );
        assert_eq!(record[65..], field("signature"));
    }
    let engine = cpu();
    assert!(verify(&engine, RECORDS).iter().all(|code| *code == 1));
    let mut corrupted = RECORDS.to_vec();
    for item in (0..lines.len()).step_by(7) {
        corrupted[item * RECORD + 31] ^= 1;
    }
    for (item, code) in verify(&engine, &corrupted).into_iter().enumerate() {
        assert_eq!(
            code,
            if item % 7 == 0 {
                Rejection::Mismatch.code()
            } else {
                1
            },
            "{item}"
        );
    }
}

pub fn any_alignment() {
    let engine = cpu();
    let mut moved = vec![0; RECORDS.len() + 16];
    for offset in 0..16 {
        moved[offset..][..RECORDS.len()].copy_from_slice(RECORDS);
        let codes = verify(&engine, &moved[offset..][..RECORDS.len()]);
        assert!(codes.iter().all(|code| *code == 1), "{offset}");
    }
}

pub fn overlaps_are_refused() {
    let engine = cpu();
    let mut arena = vec![7u8; 400];
    let data = arena.as_mut_ptr();
    let at = |offset: usize| data.wrapping_add(offset);
    // Two scalars, two points, two codes, by their first bytes.
    let call = |scalars, points, codes| unsafe {
        let scalars = GeccRows {
            data: at(scalars),
            stride: 32,
        };
        gecc_mul_base(engine.0, SECP256K1, 2, scalars, at(points), at(codes))
    };
    expect_ok(call(0, 64, 192));
    expect_ok(call(194, 64, 192));
    arena.fill(7);
    let invalid = GeccStatus::InvalidArgument;
    for (scalars, points, codes, named) in [
        (0, 63, 200, "scalars and points overlap"),
        (0, 0, 200, "scalars and points overlap"),
        (127, 0, 300, "scalars and points overlap"),
        (0, 100, 63, "scalars and codes overlap"),
        (200, 64, 191, "codes and points overlap"),
        (200, 64, 63, "codes and points overlap"),
    ] {
        expect_failure(call(scalars, points, codes), invalid, named);
        assert!(arena.iter().all(|byte| *byte == 7));
    }
    let sign = |text: usize| unsafe {
        let text = GeccBytes {
            data: at(text),
            length: 10,
        };
        let secret = GeccRows {
            data: at(300),
            stride: 32,
        };
        gecc_sm2_sign_messages(
            engine.0,
            1,
            &text,
            null(),
            0,
            secret,
            NO_DATA,
            at(0),
            at(64),
        )
    };
    expect_ok(sign(65));
    expect_failure(
        sign(63),
        invalid,
        "messages and signatures overlap, at item 0",
    );
    expect_failure(sign(64), invalid, "messages and codes overlap, at item 0");
    // Inputs may be the same memory.
    let (scalar, mut secrets, mut codes) = ([[1; 32]], [[0; 32]], [0]);
    let key = GeccKeys {
        data: RECORDS[32..].as_ptr(),
        stride: 0,
        encoding: COMPRESSED,
    };
    expect_ok(unsafe {
        let out = secrets.as_mut_ptr().cast();
        gecc_ecdh_secrets(
            engine.0,
            SECP256K1,
            1,
            rows(&scalar),
            key,
            out,
            codes.as_mut_ptr(),
        )
    });
    assert_eq!(codes, [1]);
}

pub fn buffers() {
    let engine = cpu();
    assert!(!use_buffer(&engine));
    let mut empty = null_mut();
    expect_ok(unsafe { gecc_buffer_new(engine.0, 0, &mut empty) });
    assert!(!empty.is_null() && unsafe { gecc_buffer_data(empty) }.is_null());
    unsafe { gecc_buffer_free(empty) };
}

pub fn buffers_on_gpus() {
    assert!(use_buffer(&engine(GeccBackend::Gpu)));
}

/// Verifies records in a buffer that outlives its engine. Returns whether it was page-locked.
fn use_buffer(engine: &super::Handle) -> bool {
    let mut buffer = null_mut();
    let other = super::cpu();
    expect_ok(unsafe { gecc_buffer_new(engine.0, RECORDS.len(), &mut buffer) });
    let memory = unsafe { std::slice::from_raw_parts_mut(gecc_buffer_data(buffer), RECORDS.len()) };
    assert!(memory.iter().all(|byte| *byte == 0));
    memory.copy_from_slice(RECORDS);
    assert!(verify(engine, memory).iter().all(|code| *code == 1));
    assert!(verify(&other, memory).iter().all(|code| *code == 1));
    let locked = unsafe { gecc_buffer_is_locked(buffer) };
    unsafe { gecc_buffer_free(buffer) };
    locked
}
