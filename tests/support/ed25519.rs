//! Items of Ed25519 with their verdicts by every rule.

use super::random::Random;
use super::vectors::{bytes, parse};
use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::{EdwardsPoint, Scalar};
use ed25519_dalek::{
    Digest, Sha512, Signature, SignatureError, Signer, SigningKey, Verifier, VerifyingKey,
};
use gecc::ed25519::{self, Rule, Variant};
use gecc::{Engine, PublicKeys, SecretKey, Verdict};
use rayon::prelude::*;
use serde_json::Value;
use std::sync::LazyLock;

/// An item whose verdicts are known.
#[derive(Clone, Debug)]
pub struct Case {
    pub public: [u8; 32],
    pub message: Vec<u8>,
    pub signature: [u8; 64],
    /// Verdicts by the rules of `Rule::ALL`.
    pub is_valid: [bool; Rule::ALL.len()],
}

/// Names in the files of the rules of `Rule::ALL`.
const COLUMNS: [&str; Rule::ALL.len()] = [
    "cofactorless",
    "dalek_strict",
    "libsodium",
    "zip215",
    "rfc8032",
    "rfc8032_cofactored",
];

/// The verdicts of an engine.
pub fn verify(engine: &Engine, cases: &[Case], rule: Rule) -> Vec<Verdict> {
    let messages: Vec<&[u8]> = cases.iter().map(|case| case.message.as_slice()).collect();
    let signatures: Vec<[u8; 64]> = cases.iter().map(|case| case.signature).collect();
    let public: Vec<[u8; 32]> = cases.iter().map(|case| case.public).collect();
    let found = ed25519::verify(
        engine,
        &messages,
        &signatures,
        PublicKeys::ed25519(&public),
        Variant::PURE,
        rule,
    )
    .unwrap();
    found.into_iter().collect()
}

/// Requires the verdict of every case by every rule: alone in a batch, and with all others.
pub fn check(engine: &Engine, cases: &[Case]) {
    for (index, &rule) in Rule::ALL.iter().enumerate() {
        let found = verify(engine, cases, rule);
        for (number, (case, verdict)) in cases.iter().zip(&found).enumerate() {
            assert_eq!(
                verdict.is_valid(),
                case.is_valid[index],
                "{rule:?}, case {number}: {verdict}"
            );
        }
        for (case, verdict) in cases.chunks(1).zip(found).take(50) {
            assert_eq!(verify(engine, case, rule), [verdict]);
        }
    }
}

pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name]
        .as_str()
        .unwrap_or_else(|| panic!("{name} is a text"))
}

/// The case of a record, unless the length of its signature is not 64 bytes.
pub fn case(
    record: &Value,
    [public, signature]: [&str; 2],
    message: Vec<u8>,
    verdicts: &Value,
) -> Option<Case> {
    let is_valid =
        COLUMNS.map(|column| verdicts[column].as_u64().expect("a column for each rule") == 1);
    let signature = bytes(text(record, signature)).try_into().ok();
    let public = bytes(text(record, public)).try_into().ok();
    let case = signature.zip(public).map(|(signature, public)| Case {
        public,
        message,
        signature,
        is_valid,
    });
    assert!(case.is_some() || is_valid == [false; Rule::ALL.len()]);
    case
}

pub fn of_small_orders() -> Vec<Case> {
    let file: Value = parse(include_str!("../vectors/ed25519_zip215_small_order.json"));
    let records = file["cases"].as_array().expect("a list");
    let cases: Vec<Case> = records
        .iter()
        .filter_map(|record| {
            case(
                record,
                ["public", "signature"],
                bytes(text(&file, "message")),
                record,
            )
        })
        .collect();
    assert_eq!(cases.len(), 196);
    cases
}

/// Random items of `distinct` keys. Public keys and signatures are those of `ed25519-dalek`. Then
/// three of eight items have a bit flipped, and two of eight are replaced by adversarial ones.
pub fn random_cases(
    engine: &Engine,
    random: &mut Random,
    items: usize,
    distinct: usize,
) -> Vec<Case> {
    let seeds: Vec<[u8; 32]> = (0..distinct).map(|_| random.bytes()).collect();
    let seeds: Vec<[u8; 32]> = (0..items).map(|item| seeds[item % distinct]).collect();
    let keys: Vec<SecretKey> = seeds
        .iter()
        .map(|seed| SecretKey::from_bytes(*seed))
        .collect();
    let messages: Vec<Vec<u8>> = (0..items).map(|_| random_message(random)).collect();
    let public = ed25519::public_keys(engine, &keys).unwrap();
    let signed = ed25519::sign(engine, &messages, &keys, Variant::PURE).unwrap();
    let is_valid = [true; Rule::ALL.len()];
    let mut cases: Vec<Case> = messages
        .into_iter()
        .zip(public)
        .zip(signed)
        .map(|((message, public), signature)| Case {
            public,
            message,
            signature: signature.unwrap(),
            is_valid,
        })
        .collect();
    let words: Vec<u64> = (0..items).map(|_| random.word()).collect();
    cases
        .par_iter_mut()
        .zip(&seeds)
        .zip(words)
        .for_each(|((case, seed), word)| {
            let key = SigningKey::from_bytes(seed);
            assert_eq!(*key.verifying_key().as_bytes(), case.public);
            assert_eq!(key.sign(&case.message).to_bytes(), case.signature);
            let random = &mut Random::from_seed(word);
            match random.below(8) {
                0..=2 => case.corrupt(random),
                3..=4 => *case = mixed_case(random),
                _ => {}
            }
        });
    cases
}

fn random_message(random: &mut Random) -> Vec<u8> {
    let length = random.below(300);
    random.vector(length)
}

impl Case {
    /// Returns whether it is valid by a rule.
    pub fn is_valid_by(&self, rule: Rule) -> bool {
        let is_rule = |known: &Rule| *known == rule;
        self.is_valid[Rule::ALL
            .iter()
            .position(is_rule)
            .expect("all rules are listed")]
    }

    /// Changes a bit, which makes the item invalid by every rule except with a probability of about
    /// 2^-250.
    fn corrupt(&mut self, random: &mut Random) {
        match random.below(3) {
            0 if !self.message.is_empty() => random.flip_bit(&mut self.message),
            1 => random.flip_bit(&mut self.public),
            _ => random.flip_bit(&mut self.signature),
        }
        self.is_valid = [false; Rule::ALL.len()];
    }
}

/// A point with its encoding: `scalar` B and a point of small order, `torsion` times
/// `EIGHT_TORSION[1]`.
struct MixedPoint {
    scalar: Scalar,
    torsion: usize,
    encoding: [u8; 32],
    is_canonical: bool,
}

impl MixedPoint {
    /// Every second one is of small order, in any of the fourteen encodings that there are of
    /// these.
    fn new(random: &mut Random) -> Self {
        if random.below(2) == 0 {
            let (encoding, torsion) = SMALL_ORDERS[random.below(SMALL_ORDERS.len())];
            let is_canonical = EIGHT_TORSION[torsion].compress().to_bytes() == encoding;
            return MixedPoint {
                scalar: Scalar::ZERO,
                torsion,
                encoding,
                is_canonical,
            };
        }
        let scalar = Scalar::from_bytes_mod_order(random.bytes());
        let torsion = random.below(8);
        let point = EdwardsPoint::mul_base(&scalar) + EIGHT_TORSION[torsion];
        MixedPoint {
            scalar,
            torsion,
            encoding: point.compress().to_bytes(),
            is_canonical: true,
        }
    }

    fn is_small(&self) -> bool {
        self.scalar == Scalar::ZERO
    }
}

/// The fourteen encodings of points of small order, each with the point's index in `EIGHT_TORSION`.
static SMALL_ORDERS: LazyLock<Vec<([u8; 32], usize)>> = LazyLock::new(|| {
    let mut encodings: Vec<[u8; 32]> = of_small_orders().iter().map(|case| case.public).collect();
    encodings.sort_unstable();
    encodings.dedup();
    assert_eq!(encodings.len(), 14);
    let index = |encoding: &[u8; 32]| {
        let point = CompressedEdwardsY(*encoding).decompress().expect("a point");
        EIGHT_TORSION
            .iter()
            .position(|known| *known == point)
            .expect("its order is small")
    };
    encodings
        .iter()
        .map(|encoding| (*encoding, index(encoding)))
        .collect()
});

/// A key A = a B + T and R = r B + U with T and U of small order, and S = r + k a, to which n is
/// added in one of eight. S B - k A = r B - k T is R if U = -k T, and 8 S B = 8 R + 8 k A always,
/// so that every rule's verdict is known.
fn mixed_case(random: &mut Random) -> Case {
    let key = MixedPoint::new(random);
    let r = MixedPoint::new(random);
    let message = random_message(random);
    let hash = Sha512::new()
        .chain_update(r.encoding)
        .chain_update(key.encoding)
        .chain_update(&message);
    let k = Scalar::from_bytes_mod_order_wide(&hash.finalize().into());
    let mut s = (r.scalar + k * key.scalar).to_bytes();
    let is_reduced = random.below(8) != 0;
    if !is_reduced {
        // n - 1 = -1 modulo n.
        let order_minus_one = (-Scalar::ONE).to_bytes();
        let mut carry = 1;
        for (byte, other) in s.iter_mut().zip(order_minus_one) {
            carry += u16::from(*byte) + u16::from(other);
            *byte = carry as u8;
            carry >>= 8;
        }
    }
    let cancels = (usize::from(k.to_bytes()[0]) * key.torsion + r.torsion).is_multiple_of(8);
    let is_equal = is_reduced && cancels && r.is_canonical;
    let has_no_small = !key.is_small() && !r.is_small();
    let verdict = |rule: &Rule| match rule {
        Rule::Cofactorless => is_equal,
        Rule::Strict => is_equal && has_no_small,
        Rule::Libsodium => is_equal && has_no_small && key.is_canonical,
        Rule::Zip215 => is_reduced,
        Rule::Rfc8032 => is_equal && key.is_canonical,
        Rule::Rfc8032Cofactored => is_reduced && key.is_canonical && r.is_canonical,
        other => panic!("the verdict by {other} is not known"),
    };
    let is_valid = std::array::from_fn(|index| verdict(&Rule::ALL[index]));
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&r.encoding);
    signature[32..].copy_from_slice(&s);
    Case {
        public: key.encoding,
        message,
        signature,
        is_valid,
    }
}

/// Requires that `ed25519-dalek` has the verdicts of its two rules.
pub fn dalek_agrees(cases: &[Case]) {
    cases.par_iter().for_each(|case| {
        let message = &case.message;
        let signature = Signature::from_bytes(&case.signature);
        let key = VerifyingKey::from_bytes(&case.public);
        let is_valid =
            |verify: fn(&VerifyingKey, &[u8], &Signature) -> Result<(), SignatureError>| {
                key.as_ref()
                    .is_ok_and(|key| verify(key, message, &signature).is_ok())
            };
        let found = [
            is_valid(Verifier::verify),
            is_valid(VerifyingKey::verify_strict),
        ];
        assert_eq!(
            found,
            [Rule::Cofactorless, Rule::Strict].map(|rule| case.is_valid_by(rule)),
            "{case:02x?}"
        );
    });
}
