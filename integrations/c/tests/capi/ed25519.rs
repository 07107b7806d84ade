//! Ed25519: known answers, and arguments that are refused.

use super::{Handle, NO_DATA, cpu, expect_failure, expect_ok, rows, strings};
use crate::capi::choices::GeccEd25519Rule;
use crate::capi::codes::GeccCode;
use crate::capi::ed25519::{
    gecc_ed25519_public_keys, gecc_ed25519_public_keys_read, gecc_ed25519_seed_read,
    gecc_ed25519_sign, gecc_ed25519_verify,
};
use crate::capi::ed25519_variant::GeccEd25519Variant;
use crate::capi::status::GeccStatus;
use serde_json::Value;
use std::ptr::{null, null_mut};

/// Each rule, and what the files of vectors call it.
const RULES: [(GeccEd25519Rule, &str); 6] = [
    (GeccEd25519Rule::Cofactorless, "cofactorless"),
    (GeccEd25519Rule::Strict, "dalek_strict"),
    (GeccEd25519Rule::Libsodium, "libsodium"),
    (GeccEd25519Rule::Zip215, "zip215"),
    (GeccEd25519Rule::Rfc8032, "rfc8032"),
    (GeccEd25519Rule::Rfc8032Cofactored, "rfc8032_cofactored"),
];

fn bytes(case: &Value, name: &str) -> Vec<u8> {
    hex::decode(
        case[name]
            .as_str()
            .unwrap_or_else(|| panic!("a field {name}")),
    )
    .unwrap()
}

fn column<const W: usize>(cases: &[Value], name: &str) -> Vec<[u8; W]> {
    cases
        .iter()
        .map(|case| bytes(case, name).try_into().expect("a value of W bytes"))
        .collect()
}

fn cases(text: &str) -> Value {
    serde_json::from_str(text).expect("a file of vectors")
}

/// Codes by a rule. Where there is one message it is that of all items.
fn verify(
    engine: &Handle,
    rule: GeccEd25519Rule,
    messages: &[Vec<u8>],
    signatures: &[[u8; 64]],
    public: &[[u8; 32]],
) -> Vec<u8> {
    let texts =
        strings((0..signatures.len()).map(|item| messages[item % messages.len()].as_slice()));
    let mut codes = vec![0; signatures.len()];
    expect_ok(unsafe {
        let (items, texts, codes) = (codes.len(), texts.as_ptr(), codes.as_mut_ptr());
        gecc_ed25519_verify(
            engine.0,
            rule as i32,
            null(),
            items,
            texts,
            rows(signatures),
            rows(public),
            codes,
        )
    });
    codes
}

/// Signatures on which programs disagree: those of ed25519-speccheck, and all pairs of points of
/// small order.
pub fn vectors_by_every_rule() {
    let engine = cpu();
    let speccheck = cases(include_str!(
        "../../../../tests/vectors/ed25519_speccheck.json"
    ));
    let small = cases(include_str!(
        "../../../../tests/vectors/ed25519_zip215_small_order.json"
    ));
    let of_each = |file: &Value| {
        file["cases"]
            .as_array()
            .unwrap()
            .iter()
            .map(|case| bytes(case, "message"))
            .collect()
    };
    for (file, messages, number) in [
        (&speccheck, of_each(&speccheck), 12),
        (&small, vec![bytes(&small, "message")], 196),
    ] {
        let cases = file["cases"].as_array().unwrap();
        let (signatures, public) = (column(cases, "signature"), column(cases, "public"));
        assert_eq!(cases.len(), number);
        for (rule, name) in RULES {
            let codes = verify(&engine, rule, &messages, &signatures, &public);
            for (case, code) in cases.iter().zip(&codes) {
                assert_eq!(
                    *code == GeccCode::Valid as u8,
                    case[name] == 1,
                    "{name}: {case}"
                );
            }
            let small_key = codes.contains(&(GeccCode::SmallOrderKey as u8));
            assert_eq!(
                small_key,
                matches!(rule, GeccEd25519Rule::Strict | GeccEd25519Rule::Libsodium),
                "{name}"
            );
        }
    }
}

/// RFC 8032, section 7.1.
pub fn signing_and_public_keys() {
    let engine = cpu();
    let file = cases(include_str!(
        "../../../../tests/vectors/ed25519_rfc8032.json"
    ));
    let cases: Vec<Value> = file
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["instance"] == "Ed25519")
        .cloned()
        .collect();
    assert_eq!(cases.len(), 5);
    let (seeds, public): (Vec<[u8; 32]>, Vec<[u8; 32]>) =
        (column(&cases, "secret"), column(&cases, "public"));
    let mut signatures: Vec<[u8; 64]> = column(&cases, "signature");
    let messages: Vec<Vec<u8>> = cases.iter().map(|case| bytes(case, "message")).collect();
    let texts = strings(messages.iter().map(Vec::as_slice));
    let (mut made, mut signed, mut codes) = ([[7; 32]; 5], [[7; 64]; 5], [7; 5]);
    expect_ok(unsafe {
        gecc_ed25519_public_keys(engine.0, 5, rows(&seeds), made.as_mut_ptr().cast())
    });
    assert_eq!(made[..], public);
    expect_ok(unsafe {
        let (to, codes) = (signed.as_mut_ptr().cast(), codes.as_mut_ptr());
        gecc_ed25519_sign(engine.0, null(), 5, texts.as_ptr(), rows(&seeds), to, codes)
    });
    assert_eq!(
        (&signed[..], codes),
        (&signatures[..], [GeccCode::Valid as u8; 5])
    );
    signatures[1][3] ^= 1;
    signatures[2][63] |= 0xf0;
    let expected = [
        GeccCode::Valid,
        GeccCode::Mismatch,
        GeccCode::SOutOfRange,
        GeccCode::Valid,
        GeccCode::Valid,
    ];
    let found = verify(
        &engine,
        GeccEd25519Rule::Cofactorless,
        &messages,
        &signatures,
        &public,
    );
    assert_eq!(found, expected.map(|code| code as u8));
}

/// RFC 8032, sections 7.2 and 7.3.
pub fn variants() {
    use GeccStatus::InvalidArgument;
    let (engine, strict) = (cpu(), GeccEd25519Rule::Strict as i32);
    let file = cases(include_str!(
        "../../../../tests/vectors/ed25519_rfc8032.json"
    ));
    let cases: Vec<&Value> = file
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["instance"] != "Ed25519")
        .collect();
    assert_eq!(cases.len(), 5);
    for case in cases {
        let (message, context) = (bytes(case, "message"), bytes(case, "context"));
        let [seed, public]: [[u8; 32]; 2] =
            ["secret", "public"].map(|name| bytes(case, name).try_into().unwrap());
        let signature: [u8; 64] = bytes(case, "signature").try_into().unwrap();
        let variant = |prehashed, context: &[u8]| GeccEd25519Variant {
            prehashed,
            context: strings([context])[0],
        };
        let prehashed = i32::from(case["instance"] == "Ed25519ph");
        let (own, text) = (variant(prehashed, &context), strings([&message[..]]));
        let (mut signed, mut codes) = ([0; 64], [0]);
        expect_ok(unsafe {
            let (to, codes) = (signed.as_mut_ptr(), codes.as_mut_ptr());
            gecc_ed25519_sign(engine.0, &own, 1, text.as_ptr(), rows(&[seed]), to, codes)
        });
        assert_eq!((signed, codes), (signature, [GeccCode::Valid as u8]));
        let mut verify = |variant: *const GeccEd25519Variant| unsafe {
            let (signatures, keys) = (&[signature], &[public]);
            let texts = text.as_ptr();
            let to = codes.as_mut_ptr();
            let status = gecc_ed25519_verify(
                engine.0,
                strict,
                variant,
                1,
                texts,
                rows(signatures),
                rows(keys),
                to,
            );
            (status, codes[0])
        };
        let mut code_of = |variant| {
            let (status, code) = verify(variant);
            expect_ok(status);
            code
        };
        assert_eq!(code_of(&own), GeccCode::Valid as u8);
        let others = [
            variant(1 - prehashed, &context),
            variant(prehashed, b"other"),
        ];
        for other in [&raw const others[0], &raw const others[1], null()] {
            assert_eq!(code_of(other), GeccCode::Mismatch as u8);
        }
        expect_failure(
            verify(&variant(2, &context)).0,
            InvalidArgument,
            "there is no value of prehashed 2",
        );
        expect_failure(verify(&variant(0, &[0; 256])).0, InvalidArgument, "255");
        assert_eq!(verify(&variant(1, &[0; 255])).1, GeccCode::Mismatch as u8);
    }
}

/// Of RFC 8410, section 10, which has them in PEM, and RFC 8032, section 7.1.
pub fn key_forms() {
    let spki = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";
    let pkcs8 = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
    let public =
        hex::decode("19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1").unwrap();
    let der = [
        &hex::decode("302a300506032b6570032100").unwrap()[..],
        &public,
    ]
    .concat();
    // The same in the form of RFC 4253, section 6.6.
    let line =
        b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBm/RAlphM3+hUG6wWfcO5bIUIaqMLa2ywxcOK1wMWbh me";
    let keys = strings([
        spki.as_bytes(),
        &der,
        line,
        &public,
        &public[1..],
        &der[..43],
        b"",
    ]);
    let (mut read, mut codes) = ([[7; 32]; 7], [7; 7]);
    let to = read.as_mut_ptr().cast();
    expect_ok(unsafe { gecc_ed25519_public_keys_read(7, keys.as_ptr(), to, codes.as_mut_ptr()) });
    let [valid, malformed] = [GeccCode::Valid as u8, GeccCode::MalformedPoint as u8];
    assert_eq!(
        codes,
        [valid, valid, valid, valid, malformed, malformed, malformed]
    );
    assert!(read[..4].iter().all(|key| key[..] == public) && read[4..] == [[0; 32]; 3]);
    let other = strings([&b"ecdsa-sha2-nistp256 AAAA"[..]]);
    let found = unsafe { gecc_ed25519_public_keys_read(1, other.as_ptr(), to, codes.as_mut_ptr()) };
    expect_failure(
        found,
        GeccStatus::InvalidArgument,
        "keys: the key is for p256, not for Ed25519",
    );

    let (engine, mut seed, mut made) = (cpu(), [7; 32], [0; 32]);
    expect_ok(unsafe { gecc_ed25519_seed_read(pkcs8.as_ptr(), pkcs8.len(), seed.as_mut_ptr()) });
    expect_ok(unsafe { gecc_ed25519_public_keys(engine.0, 1, rows(&[seed]), made.as_mut_ptr()) });
    assert_eq!(made[..], public);
    let found = unsafe { gecc_ed25519_seed_read(spki.as_ptr(), spki.len(), seed.as_mut_ptr()) };
    expect_failure(found, GeccStatus::InvalidArgument, "file: ");
    assert_eq!(seed, [0; 32]);
}

pub fn arguments_are_refused() {
    use GeccStatus::{InvalidArgument, NullPointer};
    let (engine, text, row) = (cpu(), strings([&b"text"[..]]), [[1; 64]]);
    let (mut out, mut codes) = ([7; 64], [7]);
    let mut verify = |rule, messages, signatures, keys| unsafe {
        gecc_ed25519_verify(
            engine.0,
            rule,
            null(),
            1,
            messages,
            signatures,
            keys,
            codes.as_mut_ptr(),
        )
    };
    let strict = GeccEd25519Rule::Strict as i32;
    // No number that is left out is a rule.
    for rule in [0, 7, -1] {
        let found = verify(rule, text.as_ptr(), rows(&row), rows(&row));
        expect_failure(
            found,
            InvalidArgument,
            &format!("there is no rule of Ed25519 {rule}"),
        );
    }
    expect_failure(
        verify(strict, null(), rows(&row), rows(&row)),
        NullPointer,
        "messages",
    );
    expect_failure(
        verify(strict, text.as_ptr(), NO_DATA, rows(&row)),
        NullPointer,
        "signatures",
    );
    expect_failure(
        verify(strict, text.as_ptr(), rows(&row), NO_DATA),
        NullPointer,
        "keys",
    );
    assert_eq!(codes, [7]);
    let seed = rows(&[[1; 32]]);
    let mut sign = |seeds, out: *mut u8| unsafe {
        gecc_ed25519_sign(
            engine.0,
            null(),
            1,
            text.as_ptr(),
            seeds,
            out,
            codes.as_mut_ptr(),
        )
    };
    expect_failure(sign(NO_DATA, out.as_mut_ptr()), NullPointer, "seeds");
    expect_failure(sign(seed, null_mut()), NullPointer, "signatures");
    let public_keys = |seeds, out| unsafe { gecc_ed25519_public_keys(engine.0, 1, seeds, out) };
    expect_failure(public_keys(NO_DATA, out.as_mut_ptr()), NullPointer, "seeds");
    expect_failure(public_keys(seed, null_mut()), NullPointer, "public_keys");
    let itself = super::one(&out);
    expect_failure(
        public_keys(itself, out.as_mut_ptr()),
        InvalidArgument,
        "overlap",
    );
    assert_eq!((out, codes), ([7; 64], [7]));
    expect_ok(unsafe {
        gecc_ed25519_verify(
            engine.0,
            strict,
            null(),
            0,
            null(),
            NO_DATA,
            NO_DATA,
            null_mut(),
        )
    });
    expect_ok(unsafe {
        gecc_ed25519_sign(engine.0, null(), 0, null(), NO_DATA, null_mut(), null_mut())
    });
    expect_ok(unsafe { gecc_ed25519_public_keys(engine.0, 0, NO_DATA, null_mut()) });
}
