//! DER of signatures: strict, and its own inverse. Wycheproof adds several hundred malformed
//! encodings.

use crate::declare::{apply, once};
use crate::support::random::Random;
use crate::support::scheme::concatenate;
use gecc::{Rejection, signature_from_der, signature_to_der};

/// Values of every length, with and without the zero byte that a set top bit requires.
fn integers(random: &mut Random) -> Vec<[u8; 32]> {
    let mut integers = vec![[0; 32], [0xff; 32], [0x80; 32], [0x7f; 32]];
    for length in 1..=32 {
        for top in [0x01, 0x7f, 0x80, 0xff] {
            let mut integer = random.bytes();
            integer[..32 - length].fill(0);
            integer[32 - length] = top;
            integers.push(integer);
        }
    }
    integers
}

#[apply(once)]
fn encoded_signatures_decode_to_themselves() {
    let mut random = Random::new();
    let integers = integers(&mut random);
    for r in &integers {
        for s in &integers {
            let signature = concatenate(r, s);
            let der = signature_to_der(&signature);
            assert!(der.len() <= 72);
            assert_eq!(signature_from_der(&der), Ok(signature));
            agrees_with_reference(&der);
        }
    }
}

/// The reference decodes the same, but also checks the range of r and s, which gecc leaves to the
/// verification.
fn agrees_with_reference(der: &[u8]) {
    if let Ok(theirs) = p256::ecdsa::Signature::from_der(der) {
        assert_eq!(signature_from_der(der), Ok(theirs.to_bytes().into()));
        assert_eq!(
            signature_to_der(&theirs.to_bytes().into()),
            theirs.to_der().as_bytes()
        );
    }
}

/// The deviations from DER that decoders commonly accept.
#[apply(once)]
fn deviations_from_der_are_rejected() {
    let good = [0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07];
    assert!(signature_from_der(&good).is_ok());
    let cases: [(&str, &[u8]); 19] = [
        ("empty", &[]),
        ("empty sequence", &[0x30, 0x00]),
        ("one integer", &[0x30, 0x03, 0x02, 0x01, 0x05]),
        (
            "three integers",
            &[
                0x30, 0x09, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07, 0x02, 0x01, 0x07,
            ],
        ),
        (
            "trailing byte",
            &[0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07, 0x00],
        ),
        (
            "trailing byte inside",
            &[0x30, 0x07, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07, 0x00],
        ),
        (
            "length too short",
            &[0x30, 0x05, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07],
        ),
        (
            "length too long",
            &[0x30, 0x07, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07],
        ),
        (
            "long form of a short length",
            &[0x30, 0x81, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07],
        ),
        (
            "long form inside",
            &[0x30, 0x07, 0x02, 0x81, 0x01, 0x05, 0x02, 0x01, 0x07],
        ),
        (
            "indefinite length",
            &[0x30, 0x80, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07, 0x00, 0x00],
        ),
        (
            "needless zero byte",
            &[0x30, 0x07, 0x02, 0x02, 0x00, 0x05, 0x02, 0x01, 0x07],
        ),
        (
            "missing zero byte",
            &[0x30, 0x06, 0x02, 0x01, 0x85, 0x02, 0x01, 0x07],
        ),
        (
            "integer of no bytes",
            &[0x30, 0x05, 0x02, 0x00, 0x02, 0x01, 0x07],
        ),
        (
            "a set instead of a sequence",
            &[0x31, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07],
        ),
        (
            "primitive sequence",
            &[0x10, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07],
        ),
        (
            "octet string instead of an integer",
            &[0x30, 0x06, 0x04, 0x01, 0x05, 0x02, 0x01, 0x07],
        ),
        (
            "constructed integer",
            &[0x30, 0x06, 0x22, 0x01, 0x05, 0x02, 0x01, 0x07],
        ),
        ("null", &[0x30, 0x05, 0x05, 0x00, 0x02, 0x01, 0x07]),
    ];
    for (name, der) in cases {
        assert_eq!(
            signature_from_der(der),
            Err(Rejection::MalformedSignature),
            "{name}"
        );
    }
    // 33 bytes of value: does not fit 32.
    let long = [
        &[0x30, 0x26, 0x02, 0x21, 0x01][..],
        &[0; 32],
        &[0x02, 0x01, 0x07],
    ]
    .concat();
    assert_eq!(
        signature_from_der(&long),
        Err(Rejection::MalformedSignature)
    );
}
