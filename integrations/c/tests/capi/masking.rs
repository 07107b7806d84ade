//! Hashing to points and masks: vectors, forms, bad items, and arguments that are refused.

use super::{
    COMPRESSED, Handle, cpu, expect_failure, expect_ok, keys, last_error, one, rows, strings,
};
use crate::capi::choices::{GeccCurve, GeccMaskForm, GeccSuite};
use crate::capi::codes::GeccCode;
use crate::capi::masking::{
    gecc_hash_to_curve, gecc_mask_items, gecc_mask_points, gecc_unmask_points,
};
use crate::capi::memory::{GeccBytes, GeccKeys, GeccRows};
use crate::capi::status::GeccStatus::{self, InvalidArgument, NullPointer};
use serde_json::Value;
use std::ptr::null;

const P256: i32 = GeccCurve::P256 as i32;
const P256_SSWU_RO: i32 = GeccSuite::P256SswuRo as i32;
const SM2_REHASH: i32 = GeccSuite::Sm2Rehash as i32;
const DST: &[u8] = b"gecc-tests-with-P256_XMD:SHA-256_SSWU_RO_";
/// What results contain before a call.
const UNTOUCHED: u8 = 0xaa;

/// Returns the number of a suite in the header, and that of its curve.
fn numbers(suite: &Value) -> (i32, i32) {
    match suite.as_str().unwrap() {
        "P256_XMD:SHA-256_SSWU_RO_" => (1, 2),
        "P256_XMD:SHA-256_SSWU_NU_" => (2, 2),
        "secp256k1_XMD:SHA-256_SSWU_RO_" => (3, 1),
        "secp256k1_XMD:SHA-256_SSWU_NU_" => (4, 1),
        "SM2_SM3_REHASH_" => (5, 4),
        "SM2_SM3_INCREMENT_" => (6, 4),
        "P256_SHA-256_REHASH_" => (7, 2),
        other => panic!("{other} has no number here"),
    }
}

fn bytes(digits: &Value) -> Vec<u8> {
    hex::decode(digits.as_str().unwrap().trim_start_matches("0x")).unwrap()
}

fn string(bytes: &[u8]) -> GeccBytes {
    GeccBytes {
        data: bytes.as_ptr(),
        length: bytes.len(),
    }
}

/// The results of a call: its status, the rows one after the other, and the codes.
struct Results {
    status: GeccStatus,
    rows: Vec<u8>,
    codes: Vec<u8>,
}

impl Results {
    fn of(items: usize, form: i32, call: impl FnOnce(*mut u8, *mut u8) -> GeccStatus) -> Self {
        let width = usize::try_from(form).unwrap_or(0).min(65);
        let mut rows = vec![UNTOUCHED; items * width];
        let mut codes = vec![UNTOUCHED; items];
        let status = call(rows.as_mut_ptr(), codes.as_mut_ptr());
        Results {
            status,
            rows,
            codes,
        }
    }

    /// Returns the rows of a call all of whose items are valid.
    fn valid<const W: usize>(self) -> Vec<[u8; W]> {
        assert_eq!(self.status, GeccStatus::Ok, "{}", last_error());
        assert!(self.codes.iter().all(|code| *code == 1), "{:?}", self.codes);
        let (rows, rest) = self.rows.as_chunks();
        assert_eq!((rows.len(), rest.len()), (self.codes.len(), 0));
        rows.to_vec()
    }

    /// Asserts that an argument was refused before anything was written.
    fn expect_refused(&self, status: GeccStatus, named: &str) {
        expect_failure(self.status, status, named);
        assert!(self.rows.iter().all(|byte| *byte == UNTOUCHED));
        assert!(self.codes.iter().all(|code| *code == UNTOUCHED));
    }
}

fn hash_to_curve(engine: &Handle, suite: i32, dst: &[u8], messages: &[GeccBytes]) -> Results {
    Results::of(messages.len(), 64, |points, codes| unsafe {
        let (items, messages) = (messages.len(), messages.as_ptr());
        gecc_hash_to_curve(engine.0, suite, string(dst), items, messages, points, codes)
    })
}

fn mask_items(
    engine: &Handle,
    suite: i32,
    dst: &[u8],
    secret_keys: GeccRows,
    messages: &[GeccBytes],
    form: i32,
) -> Results {
    Results::of(messages.len(), form, |masked, codes| unsafe {
        gecc_mask_items(
            engine.0,
            suite,
            string(dst),
            messages.len(),
            secret_keys,
            messages.as_ptr(),
            form,
            masked,
            codes,
        )
    })
}

fn mask_points(
    engine: &Handle,
    curve: i32,
    items: usize,
    secret_keys: GeccRows,
    points: GeccKeys,
    form: i32,
) -> Results {
    Results::of(items, form, |masked, codes| unsafe {
        gecc_mask_points(
            engine.0,
            curve,
            items,
            secret_keys,
            points,
            form,
            masked,
            codes,
        )
    })
}

fn unmask_points(
    engine: &Handle,
    curve: i32,
    items: usize,
    secret_keys: GeccRows,
    points: GeccKeys,
    form: i32,
) -> Results {
    Results::of(items, form, |unmasked, codes| unsafe {
        gecc_unmask_points(
            engine.0,
            curve,
            items,
            secret_keys,
            points,
            form,
            unmasked,
            codes,
        )
    })
}

pub fn vectors_of_rfc_9380() {
    let engine = cpu();
    for text in [
        include_str!("../../../../tests/vectors/rfc9380/P256_XMD-SHA-256_SSWU_RO_.json"),
        include_str!("../../../../tests/vectors/rfc9380/P256_XMD-SHA-256_SSWU_NU_.json"),
        include_str!("../../../../tests/vectors/rfc9380/secp256k1_XMD-SHA-256_SSWU_RO_.json"),
        include_str!("../../../../tests/vectors/rfc9380/secp256k1_XMD-SHA-256_SSWU_NU_.json"),
    ] {
        let file: Value = serde_json::from_str(text).unwrap();
        let vectors = file["vectors"].as_array().unwrap();
        assert_eq!(vectors.len(), 5);
        let (suite, _) = numbers(&file["ciphersuite"]);
        let dst = file["dst"].as_str().unwrap().as_bytes();
        let messages = vectors
            .iter()
            .map(|vector| vector["msg"].as_str().unwrap().as_bytes());
        let points = hash_to_curve(&engine, suite, dst, &strings(messages)).valid::<64>();
        for (point, vector) in points.iter().zip(vectors) {
            let expected = [bytes(&vector["P"]["x"]), bytes(&vector["P"]["y"])].concat();
            assert_eq!(point[..], expected, "suite {suite}: {}", vector["msg"]);
        }
    }
}

/// Points and masked points that were computed with Python's integers.
pub fn vectors_of_every_suite() {
    let groups: Value =
        serde_json::from_str(include_str!("../../../../tests/vectors/hash_to_curve.json")).unwrap();
    let engine = cpu();
    let mut of_suites = [0; 7];
    for group in groups.as_array().unwrap() {
        let (suite, curve) = numbers(&group["suite"]);
        let (dst, key) = (bytes(&group["dst"]), bytes(&group["key"]));
        let vectors = group["items"].as_array().unwrap();
        let column = |name: &str| -> Vec<Vec<u8>> {
            vectors.iter().map(|vector| bytes(&vector[name])).collect()
        };
        let (messages, points, masks) = (column("message"), column("point"), column("masked"));
        let messages = strings(messages.iter().map(Vec::as_slice));
        let items = messages.len();

        let hashed = hash_to_curve(&engine, suite, &dst, &messages).valid::<64>();
        let masked = mask_items(&engine, suite, &dst, one(&key), &messages, COMPRESSED);
        let masked = masked.valid::<33>();
        assert!(masked.as_flattened() == masks.concat(), "suite {suite}");
        let again = mask_points(&engine, curve, items, one(&key), keys(&hashed), COMPRESSED);
        assert!(again.valid::<33>() == masked, "suite {suite}");
        let unmasked = unmask_points(&engine, curve, items, one(&key), keys(&masked), COMPRESSED);
        let unmasked = unmasked.valid::<33>();
        assert!(unmasked.as_flattened() == points.concat(), "suite {suite}");
        of_suites[suite as usize - 1] += items;
    }
    assert_eq!(of_suites, [120, 120, 120, 120, 93, 93, 100]);
}

pub fn forms() {
    let (engine, key) = (cpu(), [7; 32]);
    let messages = strings([&b"one"[..], b"", b"three", b"4", b"5", b"6"]);
    let items = messages.len();
    let points = hash_to_curve(&engine, P256_SSWU_RO, DST, &messages).valid::<64>();
    let masked = |form| mask_items(&engine, P256_SSWU_RO, DST, one(&key), &messages, form);
    let raw = masked(GeccMaskForm::Raw as i32).valid::<64>();
    let of_form = |form: i32, point: &[u8; 64]| match form {
        33 => [&[2 + point[63] % 2], &point[..32]].concat(),
        65 => [&[4], &point[..]].concat(),
        width => point[..width as usize].to_vec(),
    };
    // Points do not have the same parity, so that both tags of compressed points occur.
    assert!((1..items).any(|item| raw[item][63] % 2 != raw[0][63] % 2));
    for form in (1..=33).chain([64, 65]) {
        let expected: Vec<u8> = raw.iter().flat_map(|point| of_form(form, point)).collect();
        let again = mask_points(&engine, P256, items, one(&key), keys(&points), form);
        for found in [masked(form), again] {
            expect_ok(found.status);
            assert_eq!((&found.rows, found.codes), (&expected, vec![1; items]));
        }
        let unmasked = unmask_points(&engine, P256, items, one(&key), keys(&raw), form);
        let expected: Vec<u8> = points
            .iter()
            .flat_map(|point| of_form(form, point))
            .collect();
        assert_eq!((unmasked.status, unmasked.rows), (GeccStatus::Ok, expected));
    }
}

/// The order in which two parties mask does not matter, and keys may be fields of records.
pub fn masks_commute() {
    let engine = cpu();
    let messages = strings([&b"alice"[..], b"bob"]);
    let records: Vec<[u8; 40]> = vec![[0x11; 40], [0x22; 40]];
    let each = GeccRows {
        data: records[0][8..].as_ptr(),
        stride: 40,
    };
    let all = one(&[0x33; 32]);
    let of_both = |first, second, suite, dst: &[u8], curve| {
        let once = mask_items(&engine, suite, dst, first, &messages, COMPRESSED).valid::<33>();
        let twice = mask_points(&engine, curve, 2, second, keys(&once), 16).valid::<16>();
        assert_ne!(twice[0], twice[1]);
        twice
    };
    for (suite, dst, curve) in [
        (P256_SSWU_RO, DST, P256),
        (SM2_REHASH, b"", GeccCurve::Sm2 as i32),
    ] {
        let ours = of_both(each, all, suite, dst, curve);
        assert_eq!(ours, of_both(all, each, suite, dst, curve));
    }
}

/// Bad keys and points get their codes, and the other items the results that they have alone.
pub fn bad_items_do_not_affect_others() {
    let engine = cpu();
    let messages = strings([&b"0"[..], b"1", b"2", b"3", b"4", b"5"]);
    let points = hash_to_curve(&engine, P256_SSWU_RO, DST, &messages).valid::<64>();
    let mut points: Vec<[u8; 65]> = points
        .iter()
        .map(|point| [&[4], &point[..]].concat().try_into().unwrap())
        .collect();
    let mut secret: Vec<[u8; 32]> = (1..=6).map(|digit| [digit; 32]).collect();
    let of_points = [mask_points, unmask_points];
    let good = of_points
        .map(|call| call(&engine, P256, 6, rows(&secret), keys(&points), 33).valid::<33>());
    let of_items =
        |secret: &[[u8; 32]]| mask_items(&engine, P256_SSWU_RO, DST, rows(secret), &messages, 33);
    let good_items = of_items(&secret).valid::<33>();
    assert_eq!(good_items, good[0]);

    secret[1] = [0; 32];
    secret[4] = [0xff; 32];
    let found = of_items(&secret);
    expect_ok(found.status);
    let key = GeccCode::SecretKeyOutOfRange as u8;
    assert_eq!(found.codes, [1, key, 1, 1, key, 1]);
    expect_rows_of_valid_items(&found, &good_items);

    // Another tag, another y, and the coordinates of the identity.
    points[0][0] = 7;
    points[2][64] ^= 1;
    points[5][1..].fill(0);
    for (call, good) in of_points.into_iter().zip(&good) {
        let found = call(&engine, P256, 6, rows(&secret), keys(&points), 33);
        expect_ok(found.status);
        let [malformed, off_curve] = [GeccCode::MalformedPoint, GeccCode::NotOnCurve];
        let expected = [malformed as u8, key, off_curve as u8, 1, key];
        assert_eq!(found.codes[..5], expected);
        assert_ne!(found.codes[5], 1);
        expect_rows_of_valid_items(&found, good);
    }
    let identity = [[0; 64]];
    for call in of_points {
        let found = call(&engine, P256, 1, one(&[1; 32]), keys(&identity), 33);
        assert_eq!(found.codes, [GeccCode::IdentityKey as u8]);
    }
}

fn expect_rows_of_valid_items(found: &Results, good: &[[u8; 33]]) {
    let (found_rows, _) = found.rows.as_chunks::<33>();
    assert!(found.codes.contains(&1));
    for (item, row) in found_rows.iter().enumerate() {
        assert!(found.codes[item] != 1 || *row == good[item], "item {item}");
    }
}

pub fn arguments_are_refused() {
    let engine = cpu();
    let messages = strings([&b"item"[..]]);
    let point = hash_to_curve(&engine, P256_SSWU_RO, DST, &messages).valid::<64>();
    let key = [[1; 32]];
    for suite in [i32::MIN, -1, 0, 8, i32::MAX] {
        hash_to_curve(&engine, suite, DST, &messages).expect_refused(InvalidArgument, "suite");
        mask_items(&engine, suite, DST, rows(&key), &messages, 33)
            .expect_refused(InvalidArgument, "suite");
    }
    for form in [i32::MIN, -1, 0, 34, 63, 66, 256 + 33, i32::MAX] {
        mask_items(&engine, P256_SSWU_RO, DST, rows(&key), &messages, form)
            .expect_refused(InvalidArgument, "form");
        for call in [mask_points, unmask_points] {
            call(&engine, P256, 1, rows(&key), keys(&point), form)
                .expect_refused(InvalidArgument, "form");
        }
    }
    for call in [mask_points, unmask_points] {
        call(&engine, 5, 1, rows(&key), keys(&point), 33).expect_refused(InvalidArgument, "curve");
    }
    let no_key = GeccRows {
        data: null(),
        stride: 32,
    };
    mask_items(&engine, P256_SSWU_RO, DST, no_key, &messages, 33)
        .expect_refused(NullPointer, "secret_keys");
    tags_are_refused(&engine, &messages);
    memory_is_checked(&engine, &messages);
}

/// A tag is required by the suites of RFC 9380, and refused by the others, also without items.
fn tags_are_refused(engine: &Handle, messages: &[GeccBytes]) {
    let key = one(&[1; 32]);
    for messages in [messages, &[]] {
        for (suite, dst, named) in [
            (P256_SSWU_RO, &b""[..], "requires a domain separation tag"),
            (SM2_REHASH, DST, "takes no domain separation tag"),
        ] {
            for found in [
                hash_to_curve(engine, suite, dst, messages),
                mask_items(engine, suite, dst, key, messages, 33),
            ] {
                expect_failure(found.status, InvalidArgument, named);
                assert_eq!(found.codes, vec![0; messages.len()]);
            }
        }
        expect_ok(hash_to_curve(engine, SM2_REHASH, b"", messages).status);
    }
    let no_tag = GeccBytes {
        data: null(),
        length: 3,
    };
    Results::of(1, 64, |points, codes| unsafe {
        let messages = messages.as_ptr();
        gecc_hash_to_curve(engine.0, P256_SSWU_RO, no_tag, 1, messages, points, codes)
    })
    .expect_refused(NullPointer, "dst");
}

/// Results must not overlap the tag, keys or messages.
fn memory_is_checked(engine: &Handle, messages: &[GeccBytes]) {
    let mut memory = [UNTOUCHED; 200];
    let data = memory.as_mut_ptr();
    let at = |offset: usize| data.wrapping_add(offset);
    // The tag has 10 bytes, the key 32, the message 5.
    let mask = |tag, key, message, masked| unsafe {
        let tag = GeccBytes {
            data: at(tag),
            length: 10,
        };
        let message = GeccBytes {
            data: at(message),
            length: 5,
        };
        let key = GeccRows {
            data: at(key),
            stride: 0,
        };
        gecc_mask_items(
            engine.0,
            P256_SSWU_RO,
            tag,
            1,
            key,
            &message,
            33,
            at(masked),
            at(199),
        )
    };
    for (tag, key, message, named) in [
        (32, 120, 100, "dst and masked overlap"),
        (0, 2, 100, "secret_keys and masked overlap"),
        (0, 120, 29, "messages and masked overlap"),
    ] {
        expect_failure(mask(tag, key, message, 33), InvalidArgument, named);
        assert!(memory.iter().all(|byte| *byte == UNTOUCHED));
    }
    expect_ok(mask(0, 100, 10, 33));
    assert_eq!(memory[199], 1);
    let items = messages.len();
    Results::of(items, 64, |points, codes| unsafe {
        gecc_hash_to_curve(
            engine.0,
            P256_SSWU_RO,
            string(DST),
            items,
            null(),
            points,
            codes,
        )
    })
    .expect_refused(NullPointer, "messages");
}
