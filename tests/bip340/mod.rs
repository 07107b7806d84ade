//! BIP 340 against its vectors and libsecp256k1.

use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use crate::support::vectors::{bytes, field};
use gecc::bip340::{Auxiliary, SigningKeys};
use gecc::{
    Backend, Engine, PublicKeys, Rejection, Rows, Secp256k1, SecretKey, Verdict, bip340, keys,
};
use secp256k1::schnorr::{self, Signature};
use secp256k1::{Keypair, XOnlyPublicKey};

const ITEMS: usize = 700;

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
fn vectors_of_the_standard(engine: &Engine) {
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

/// A private key with the public keys that libsecp256k1 derives from it.
pub struct Signer {
    pub pair: Keypair,
    pub x_only: [u8; 32],
    pub secret: [u8; 32],
}

pub fn signer(random: &mut Random) -> Signer {
    let secret = random.scalar_bytes::<Secp256k1>();
    let pair = Keypair::from_secret_bytes(secret).expect("in range");
    Signer {
        x_only: pair.x_only_public_key().0.to_byte_array(),
        pair,
        secret,
    }
}

fn lengths(random: &mut Random, item: usize) -> usize {
    match item % 4 {
        0 => random.below(300),
        _ => 32,
    }
}

/// Signatures with given auxiliary data are those of libsecp256k1, by each way to pass keys and
/// messages.
#[apply(on_every_engine)]
fn signatures_match_libsecp256k1(engine: &Engine) {
    let mut random = Random::new();
    let signers: Vec<Signer> = (0..ITEMS).map(|_| signer(&mut random)).collect();
    let texts: Vec<Vec<u8>> = (0..ITEMS)
        .map(|item| {
            let length = lengths(&mut random, item);
            random.vector(length)
        })
        .collect();
    let digests: Vec<[u8; 32]> = (0..ITEMS).map(|_| random.bytes()).collect();
    let auxiliary: Vec<[u8; 32]> = (0..ITEMS).map(|_| random.bytes()).collect();
    let secret: Vec<SecretKey> = signers
        .iter()
        .map(|signer| SecretKey::from_bytes(signer.secret))
        .collect();
    let public: Vec<[u8; 33]> = signers
        .iter()
        .map(|signer| signer.pair.public_key().serialize())
        .collect();
    let theirs = |message: &dyn Fn(usize) -> Vec<u8>| -> Vec<Result<[u8; 64], Rejection>> {
        let sign = |item: usize| {
            schnorr::sign_with_aux_rand(&message(item), &signers[item].pair, &auxiliary[item])
        };
        (0..ITEMS)
            .map(|item| Ok(sign(item).to_byte_array()))
            .collect()
    };
    let of_texts = theirs(&|item| texts[item].clone());
    let of_digests = theirs(&|item| digests[item].to_vec());
    let given = Auxiliary::given(&auxiliary);
    for keys in [
        SigningKeys::from(&secret),
        SigningKeys::with_public(&secret, &public),
    ] {
        assert_eq!(
            bip340::sign_messages(engine, &texts, keys, given).unwrap(),
            of_texts
        );
        assert_eq!(
            bip340::sign(engine, &digests, keys, given).unwrap(),
            of_digests
        );
    }
    let mut rows = vec![[0; 64]; ITEMS];
    let mut codes = vec![0; ITEMS];
    bip340::sign_into(engine, &digests, &secret, given, &mut rows, &mut codes).unwrap();
    assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
    assert!(
        rows.iter()
            .zip(&of_digests)
            .all(|(row, signed)| Ok(*row) == *signed)
    );
    // One key and one message for all, without auxiliary data.
    let expected = schnorr::sign_no_aux_rand(&digests[0], &signers[0].pair).to_byte_array();
    bip340::sign_into(
        engine,
        Rows::all(&digests[0]),
        &secret[0],
        Auxiliary::zeros(),
        &mut rows,
        &mut codes,
    )
    .unwrap();
    assert!(rows.iter().all(|row| *row == expected));
}

pub fn corrupt(
    random: &mut Random,
    item: usize,
    message: &mut Vec<u8>,
    signature: &mut [u8; 64],
    key: &mut [u8; 32],
) {
    match item % 9 {
        0 => random.flip_bit(signature),
        1 => random.flip_bit(key),
        2 => message.push(0),
        3 => signature[..32].fill(0xff),
        4 => signature[32..].fill(0xff),
        5 => key.fill(0xff),
        6 => signature[32..].fill(0),
        7 => *key = random.bytes(),
        _ => signature[..32].copy_from_slice(&random.bytes()),
    }
}

pub fn is_valid_there(message: &[u8], signature: &[u8; 64], key: &[u8; 32]) -> bool {
    let key = XOnlyPublicKey::from_byte_array(*key);
    key.is_ok_and(|key| {
        Signature::from_byte_array(*signature)
            .verify(message, &key)
            .is_ok()
    })
}

/// Verdicts on libsecp256k1's signatures and on corrupted ones, in every encoding of the keys.
#[apply(on_every_engine)]
fn verdicts_match_libsecp256k1(engine: &Engine) {
    let mut random = Random::new();
    let mut messages = vec![];
    let mut signatures = vec![];
    let mut x_only = vec![];
    let mut corrupted = 0;
    for item in 0..ITEMS {
        let Signer {
            pair,
            x_only: mut key,
            ..
        } = signer(&mut random);
        let length = lengths(&mut random, item);
        let mut message = random.vector(length);
        let mut signature = schnorr::sign_no_aux_rand(&message, &pair).to_byte_array();
        if random.below(2) == 0 {
            corrupt(&mut random, item, &mut message, &mut signature, &mut key);
            corrupted += 1;
        }
        messages.push(message);
        signatures.push(signature);
        x_only.push(key);
    }
    let expected: Vec<bool> = (0..ITEMS)
        .map(|item| is_valid_there(&messages[item], &signatures[item], &x_only[item]))
        .collect();
    assert_eq!(expected.iter().filter(|valid| !**valid).count(), corrupted);
    let odd: Vec<[u8; 33]> = x_only
        .iter()
        .map(|x| [&[3], &x[..]].concat().try_into().unwrap())
        .collect();
    for keys in [PublicKeys::x_only(&x_only), PublicKeys::compressed(&odd)] {
        let verdicts = bip340::verify_messages(engine, &messages, &signatures, keys).unwrap();
        assert!(
            verdicts
                .iter()
                .map(|verdict| verdict.is_valid())
                .eq(expected.iter().copied())
        );
    }
    // Those of 32 bytes, as rows.
    let of_rows: Vec<usize> = (0..ITEMS)
        .filter(|item| messages[*item].len() == 32)
        .collect();
    let rows: Vec<[u8; 32]> = of_rows
        .iter()
        .map(|item| messages[*item].as_slice().try_into().unwrap())
        .collect();
    let of = |column: &[[u8; 32]]| of_rows.iter().map(|item| column[*item]).collect::<Vec<_>>();
    let keys = of(&x_only);
    let of_signatures = of_rows
        .iter()
        .map(|item| signatures[*item])
        .collect::<Vec<_>>();
    let verdicts =
        bip340::verify(engine, &rows, &of_signatures, PublicKeys::x_only(&keys)).unwrap();
    assert!(
        verdicts
            .iter()
            .zip(&of_rows)
            .all(|(verdict, item)| verdict.is_valid() == expected[*item])
    );
}

/// Few keys, so that they get tables, and each position among valid neighbours in turn.
#[apply(on_every_engine)]
fn repeated_keys_and_neighbours(engine: &Engine) {
    let mut random = Random::new();
    let signers: Vec<Signer> = (0..3).map(|_| signer(&mut random)).collect();
    for items in [1, 2, 9, 40, 300, 2000] {
        let messages: Vec<[u8; 32]> = (0..items).map(|_| random.bytes()).collect();
        let of = |item: usize| &signers[item % signers.len()];
        let mut signatures: Vec<[u8; 64]> = (0..items)
            .map(|item| schnorr::sign_no_aux_rand(&messages[item], &of(item).pair).to_byte_array())
            .collect();
        let mut keys: Vec<[u8; 32]> = (0..items).map(|item| of(item).x_only).collect();
        let bad = random.below(items);
        let reasons = [
            Rejection::ROutOfRange,
            Rejection::SOutOfRange,
            Rejection::MalformedPoint,
            Rejection::Mismatch,
        ];
        let reason = reasons[random.below(reasons.len())];
        match reason {
            Rejection::ROutOfRange => signatures[bad][..32].fill(0xff),
            Rejection::SOutOfRange => signatures[bad][32..].fill(0xff),
            Rejection::MalformedPoint => keys[bad].fill(0xff),
            _ => signatures[bad][63] ^= 1,
        }
        let verdicts =
            bip340::verify(engine, &messages, &signatures, PublicKeys::x_only(&keys)).unwrap();
        assert_eq!(
            verdicts.rejected().collect::<Vec<_>>(),
            [(bad, reason)],
            "of {items}"
        );
    }
}

/// Items with two errors are rejected for the first of them.
#[apply(on_every_engine)]
fn order_of_reasons(engine: &Engine) {
    let mut no_x = (1..=u8::MAX).map(|byte| {
        let mut x = [0; 32];
        x[31] = byte;
        x
    });
    let off_curve = no_x
        .find(|x| XOnlyPublicKey::from_byte_array(*x).is_err())
        .unwrap();
    let good = [0; 32];
    let signer = signer(&mut Random::new());
    let parts = |wrong: bool, with: [u8; 32]| if wrong { [0xff; 32] } else { with };
    for r_is_wrong in [true, false] {
        for s_is_wrong in [true, false] {
            for (key, of_key) in [
                ([0xff; 32], Rejection::MalformedPoint),
                (off_curve, Rejection::NotOnCurve),
                (signer.x_only, Rejection::Mismatch),
            ] {
                let signature = [parts(r_is_wrong, good), parts(s_is_wrong, good)]
                    .concat()
                    .try_into()
                    .unwrap();
                let verdicts =
                    bip340::verify(engine, &[[7; 32]], &[signature], PublicKeys::x_only(&[key]))
                        .unwrap();
                let expected = match (r_is_wrong, s_is_wrong) {
                    (true, _) => Rejection::ROutOfRange,
                    (false, true) => Rejection::SOutOfRange,
                    (false, false) => of_key,
                };
                assert_eq!(verdicts[0], Verdict::Rejected(expected));
            }
        }
    }
}

/// Keys that are out of range or not points, one by one among good ones.
#[apply(on_every_engine)]
fn bad_keys(engine: &Engine) {
    let mut random = Random::new();
    let signers: Vec<Signer> = (0..20).map(|_| signer(&mut random)).collect();
    let mut secret: Vec<SecretKey> = signers
        .iter()
        .map(|signer| SecretKey::from_bytes(signer.secret))
        .collect();
    let mut public: Vec<[u8; 33]> = signers
        .iter()
        .map(|signer| signer.pair.public_key().serialize())
        .collect();
    let right = bip340::sign(engine, &[[5; 32]; 20], &secret, Auxiliary::zeros()).unwrap();
    secret[3] = SecretKey::from_bytes([0; 32]);
    secret[4] = SecretKey::from_bytes([0xff; 32]);
    public[4] = [0xff; 33];
    public[5][1..].fill(0xff);
    public[6][0] = 4;
    let signed = bip340::sign(
        engine,
        &[[5; 32]; 20],
        SigningKeys::with_public(&secret, &public),
        Auxiliary::zeros(),
    );
    let mut expected = right;
    expected[3] = Err(Rejection::SecretKeyOutOfRange);
    expected[4] = Err(Rejection::SecretKeyOutOfRange);
    expected[5] = Err(Rejection::MalformedPoint);
    expected[6] = Err(Rejection::MalformedPoint);
    assert_eq!(signed.unwrap(), expected);
}

/// A public key that is not that of its private key leads to a signature that verifies with neither
/// key, by a nonce of its own: with the same nonce two signatures would reveal the private key.
#[apply(on_every_engine)]
fn mismatched_public_keys(engine: &Engine) {
    let mut random = Random::new();
    let own = signer(&mut random);
    let other = signer(&mut random);
    let mut negated = own.pair.public_key().serialize();
    negated[0] ^= 1;
    let secret = SecretKey::from_bytes(own.secret);
    let sign = |engine: &Engine, public: &[u8; 33]| {
        let keys = SigningKeys::with_public(&secret, PublicKeys::compressed(Rows::all(public)));
        bip340::sign(engine, &[[5; 32]], keys, Auxiliary::zeros()).unwrap()[0]
    };
    let right = sign(engine, &own.pair.public_key().serialize()).unwrap();
    let checking = Engine::builder()
        .backend(Backend::Cpu)
        .check_signatures(true)
        .build()
        .unwrap();
    for wrong in [other.pair.public_key().serialize(), negated] {
        let signature = sign(engine, &wrong).unwrap();
        assert_ne!(signature[..32], right[..32]);
        assert!(!is_valid_there(&[5; 32], &signature, &own.x_only));
        assert!(!is_valid_there(&[5; 32], &signature, &other.x_only));
        assert_eq!(sign(&checking, &wrong), Err(Rejection::Mismatch));
    }
    assert_eq!(
        sign(&checking, &own.pair.public_key().serialize()),
        Ok(right)
    );
    // An x-only key leaves the sign of y open.
    for engine in [engine, &checking] {
        let keys = SigningKeys::with_public(&secret, PublicKeys::x_only(Rows::all(&own.x_only)));
        assert_eq!(
            bip340::sign(engine, &[[5; 32]], keys, Auxiliary::zeros()).unwrap(),
            [Ok(right)]
        );
    }
    let keys = SigningKeys::with_public(&secret, PublicKeys::x_only(Rows::all(&other.x_only)));
    let signed = bip340::sign(&checking, &[[5; 32]], keys, Auxiliary::zeros()).unwrap();
    assert_eq!(signed, [Err(Rejection::Mismatch)]);
}

/// Auxiliary data of the system differ from item to item and from call to call.
#[apply(on_every_engine)]
fn fresh_auxiliary_data(engine: &Engine) {
    let (secret, public) = keys::generate(engine, Secp256k1, 1).unwrap();
    let sign = || bip340::sign(engine, &[[9; 32]; 50], &secret[0], Auxiliary::fresh()).unwrap();
    let mut signatures: Vec<[u8; 64]> = sign()
        .into_iter()
        .chain(sign())
        .map(Result::unwrap)
        .collect();
    let verdicts = bip340::verify(engine, &[[9; 32]; 100], &signatures, &public[0]).unwrap();
    assert!(verdicts.all_valid());
    signatures.sort_unstable();
    signatures.dedup();
    assert_eq!(signatures.len(), 100);
}

/// Messages that are too long for a GPU, among short ones.
#[apply(on_every_engine)]
fn long_messages(engine: &Engine) {
    let mut random = Random::new();
    let signer = signer(&mut random);
    let lengths = [0, 1, 32, 16 << 10, (16 << 10) + 1, 100_000, 33, 64];
    let messages: Vec<Vec<u8>> = lengths
        .iter()
        .cycle()
        .take(100)
        .map(|length| random.vector(*length))
        .collect();
    let secret = SecretKey::from_bytes(signer.secret);
    let signed = bip340::sign_messages(engine, &messages, &secret, Auxiliary::zeros()).unwrap();
    let theirs = messages
        .iter()
        .map(|message| Ok(schnorr::sign_no_aux_rand(message, &signer.pair).to_byte_array()));
    assert!(signed.iter().copied().eq(theirs));
    let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
    // Two of the long ones are corrupted.
    signatures[4][40] ^= 1;
    signatures[13][3] ^= 1;
    let keys = PublicKeys::x_only(Rows::all(&signer.x_only));
    let verdicts = bip340::verify_messages(engine, &messages, &signatures, keys).unwrap();
    assert_eq!(
        verdicts
            .rejected()
            .map(|(item, _)| item)
            .collect::<Vec<_>>(),
        [4, 13]
    );
}

/// Signatures that are verified before they are returned are the same.
#[apply(on_every_engine)]
fn checked_signatures(engine: &Engine) {
    let backend = engine.info().backend;
    let checking = Engine::builder()
        .backend(backend)
        .check_signatures(true)
        .build()
        .unwrap();
    let mut random = Random::new();
    let secret: Vec<SecretKey> = (0..ITEMS)
        .map(|_| SecretKey::from_bytes(signer(&mut random).secret))
        .collect();
    let messages: Vec<[u8; 32]> = (0..ITEMS).map(|_| random.bytes()).collect();
    let sign =
        |engine: &Engine| bip340::sign(engine, &messages, &secret, Auxiliary::zeros()).unwrap();
    assert_eq!(sign(&checking), sign(engine));
}
