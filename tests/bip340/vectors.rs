//! The vectors of BIP 340.

use crate::declare::{apply, on_every_engine};
use crate::support::vectors::{bytes, field};
use gecc::bip340::Auxiliary;
use gecc::{Engine, PublicKeys, Rejection, SecretKey, Verdict, bip340};

/// A row of the table of BIP 340.
pub struct Vector {
    secret: Option<[u8; 32]>,
    pub key: [u8; 32],
    auxiliary: Option<[u8; 32]>,
    pub message: Vec<u8>,
    pub signature: [u8; 64],
    pub is_valid: bool,
}

pub fn vectors() -> Vec<Vector> {
    let given = |text: &str| (!text.is_empty()).then(|| field(text));
    let rows = include_str!("../vectors/bip340_test_vectors.csv")
        .lines()
        .skip(1);
    rows.map(|row| {
        let fields: Vec<&str> = row.splitn(8, ',').collect();
        Vector {
            secret: given(fields[1]),
            key: field(fields[2]),
            auxiliary: given(fields[3]),
            message: bytes(fields[4]),
            signature: bytes(fields[5]).try_into().expect("64 bytes"),
            is_valid: fields[6] == "TRUE",
        }
    })
    .collect()
}

#[apply(on_every_engine)]
fn vectors_of_bip340_are_signed_and_verified(engine: &Engine) {
    let vectors = vectors();
    assert_eq!(
        (
            vectors.len(),
            vectors.iter().filter(|vector| vector.is_valid).count()
        ),
        (19, 9)
    );
    let messages: Vec<&[u8]> = vectors
        .iter()
        .map(|vector| vector.message.as_slice())
        .collect();
    let signatures: Vec<_> = vectors.iter().map(|vector| vector.signature).collect();
    let public: Vec<_> = vectors.iter().map(|vector| vector.key).collect();
    let verdicts =
        bip340::verify_messages(engine, &messages, &signatures, PublicKeys::x_only(&public))
            .unwrap();
    let found: Vec<bool> = verdicts.iter().map(|verdict| verdict.is_valid()).collect();
    assert_eq!(
        found,
        vectors
            .iter()
            .map(|vector| vector.is_valid)
            .collect::<Vec<_>>()
    );
    let reasons = [
        (5, Rejection::NotOnCurve),
        (9, Rejection::IdentityResult),
        (10, Rejection::IdentityResult),
    ];
    let ranges = [
        (12, Rejection::ROutOfRange),
        (13, Rejection::SOutOfRange),
        (14, Rejection::MalformedPoint),
    ];
    for (item, reason) in reasons.into_iter().chain(ranges) {
        assert_eq!(verdicts[item], Verdict::Rejected(reason), "vector {item}");
    }
    for item in [6, 7, 8, 11] {
        assert_eq!(
            verdicts[item],
            Verdict::Rejected(Rejection::Mismatch),
            "vector {item}"
        );
    }
    for vector in vectors.iter().filter(|vector| vector.secret.is_some()) {
        let secret = SecretKey::from_bytes(vector.secret.unwrap());
        let auxiliary = [vector.auxiliary.unwrap()];
        let signed = bip340::sign_messages(
            engine,
            &[&vector.message],
            &secret,
            Auxiliary::given(&auxiliary),
        )
        .unwrap();
        assert_eq!(signed, [Ok(vector.signature)]);
    }
}
