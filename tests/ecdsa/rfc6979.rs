//! RFC 6979: appendix A.2.5 for P-256, btcd's vectors for secp256k1; and the secp256k1 signatures
//! of `cryptography`.

use crate::declare::{apply, on_every_engine};
use crate::ecdsa::additional_data::ecdsa_signature_by;
use crate::support::scheme::{Ecdsa, Item, Scheme, concatenate, verify_ecdsa};
use crate::support::vectors::{bits_to_integer, bytes, field, parse, sha2, uncompressed};
use gecc::call::{Columns, Contents, Operation, Options};
use gecc::ecdsa::{Policy, SForm};
use gecc::fields::{Hash, ecdsa_digest};
use gecc::{CurveId, Engine, P256, Rejection, Secp256k1, SecretKey, Verdict, ecdsa, keys};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    secp256k1: Vec<OnSecp256k1>,
    p256: Vec<OnP256>,
}

#[derive(Deserialize)]
struct OnSecp256k1 {
    d: String,
    msg: String,
    digest: String,
    r: String,
    s_low: String,
    s_raw: String,
    qx: String,
    qy: String,
}

#[derive(Deserialize)]
struct OnP256 {
    d: String,
    hash: String,
    msg_hex: String,
    digest: String,
    r: String,
    s: String,
    qx: String,
    qy: String,
}

fn vectors() -> Vectors {
    parse(include_str!("../vectors/rfc6979.json"))
}

#[apply(on_every_engine)]
fn vectors_of_secp256k1_are_signed(engine: &Engine) {
    let cases = vectors().secp256k1;
    assert_eq!(cases.len(), 6);
    for case in &cases {
        let digest = field(&case.digest);
        assert_eq!(sha2("SHA-256", case.msg.as_bytes()), Some(digest.to_vec()));
        let key = SecretKey::from_bytes(field(&case.d));
        for (form, s) in [
            (SForm::CurveDefault, &case.s_low),
            (SForm::Low, &case.s_low),
            (SForm::AsComputed, &case.s_raw),
        ] {
            let expected = Ok(concatenate(&field(&case.r), &field(s)));
            assert_eq!(
                ecdsa::sign(engine, Secp256k1, &[digest], &key, form).unwrap(),
                [expected]
            );
            let by_message =
                ecdsa::sign_messages(engine, Secp256k1, &[&case.msg], &key, form).unwrap();
            assert_eq!(by_message, [expected]);
        }
        let public = keys::public_keys(engine, Secp256k1, &[key]).unwrap();
        assert_eq!(
            public[0].unwrap().as_sec1(),
            uncompressed(&case.qx, &case.qy)
        );
    }
}

/// Signs a message by its hash, and the digest that it has by that hash.
fn signed_by(
    engine: &Engine,
    hash: Hash,
    message: &[u8],
    digest: &[u8; 32],
    key: &SecretKey,
) -> [[u8; 64]; 2] {
    let messages = [message];
    let contents = [
        Contents::Messages {
            messages: &messages,
            user_ids: Default::default(),
        },
        Contents::Digests(std::slice::from_ref(digest).into()),
    ];
    contents.map(|contents| {
        let columns = Columns {
            contents,
            secret_keys: key.into(),
            options: Options {
                hash: Some(hash),
                ..Options::default()
            },
            ..Columns::default()
        };
        let mut signature = [0; 64];
        let mut codes = [0];
        let sign = Operation::EcdsaSign(CurveId::P256, SForm::CurveDefault);
        sign.run(engine, &columns, &mut signature, &mut [], &mut codes)
            .unwrap();
        assert_eq!(codes, [Verdict::VALID_CODE]);
        signature
    })
}

/// All ten verify. Nonces are made by HMAC with the hash of the message where that is SHA-256, 384
/// or 512.
#[apply(on_every_engine)]
fn vectors_of_p256_are_signed_and_verified(engine: &Engine) {
    let cases = vectors().p256;
    assert_eq!(cases.len(), 10);
    let mut signed = 0;
    for case in &cases {
        let digest = bytes(&case.digest);
        let item = Item {
            digest: bits_to_integer(&digest),
            signature: concatenate(&field(&case.r), &field(&case.s)),
            key: uncompressed(&case.qx, &case.qy),
        };
        assert_eq!(
            Ecdsa::<P256>::verify(engine, std::slice::from_ref(&item)),
            [Verdict::Valid],
            "{}",
            case.hash
        );
        let key = SecretKey::from_bytes(field(&case.d));
        let message = bytes(&case.msg_hex);
        assert_eq!(ecdsa_digest(&digest), Some(item.digest), "{}", case.hash);
        let hash = match case.hash.as_str() {
            "sha256" => Hash::Sha256,
            "sha384" => Hash::Sha384,
            "sha512" => Hash::Sha512,
            _ => continue,
        };
        assert_eq!(hash.digest(&message), Some(item.digest));
        assert_eq!(
            signed_by(engine, hash, &message, &item.digest, &key),
            [item.signature; 2],
            "{}",
            case.hash
        );
        signed += 1;
        if hash == Hash::Sha256 {
            let by_message =
                ecdsa::sign_messages(engine, P256, &[message], &key, SForm::CurveDefault).unwrap();
            assert_eq!(by_message, [Ok(item.signature)]);
        }
    }
    assert_eq!(
        signed, 6,
        "of SHA-1 and 224, four cases, only the verification applies"
    );
}

/// SHA-384 and SHA-512 on all items of a batch that is large enough for a GPU, where there is one,
/// with keys and additional data of their own: with the nonces of the crate `rfc6979`, and the
/// steps of SEC 1.
#[apply(on_every_engine)]
fn other_hashes_in_large_batches_yield_their_nonces(engine: &Engine) {
    const ITEMS: usize = 3000;
    let keys: Vec<SecretKey> = (0..ITEMS)
        .map(|item| SecretKey::from_bytes([(item % 250) as u8 + 1; 32]))
        .collect();
    let data: Vec<[u8; 32]> = (0..ITEMS).map(|item| [(item % 7) as u8; 32]).collect();
    let messages: Vec<Vec<u8>> = (0..ITEMS).map(|item| vec![item as u8; item % 90]).collect();
    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    for hash in [Hash::Sha384, Hash::Sha512] {
        let columns = Columns {
            contents: Contents::Messages {
                messages: &messages,
                user_ids: Default::default(),
            },
            secret_keys: (&keys).into(),
            additional: Some((&data).into()),
            options: Options {
                hash: Some(hash),
                ..Options::default()
            },
            ..Columns::default()
        };
        let mut signatures = vec![0; 64 * ITEMS];
        let mut codes = vec![0; ITEMS];
        let sign = Operation::EcdsaSign(CurveId::P256, SForm::AsComputed);
        sign.run(engine, &columns, &mut signatures, &mut [], &mut codes)
            .unwrap();
        assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
        for item in (0..ITEMS).step_by(29) {
            let key = keys[item].expose_bytes();
            let digest = hash.digest(messages[item]).unwrap();
            let expected = match hash {
                Hash::Sha384 => {
                    ecdsa_signature_by::<P256, sha2::Sha384>(key, &digest, &data[item]).0
                }
                _ => ecdsa_signature_by::<P256, sha2::Sha512>(key, &digest, &data[item]).0,
            };
            assert_eq!(signatures[64 * item..][..64], expected, "{hash:?} {item}");
        }
    }
}

#[derive(Deserialize)]
struct Signature {
    msg: String,
    digest: String,
    d: String,
    qx: String,
    qy: String,
    r: String,
    s: String,
    high_s: bool,
}

/// Signatures by another library, made with random nonces; about half have high s.
#[apply(on_every_engine)]
fn signatures_of_another_library_are_verified(engine: &Engine) {
    let cases: Vec<Signature> = parse(include_str!("../vectors/k256_siggen_sha256.json"));
    let item = |case: &Signature| {
        assert_eq!(
            sha2("SHA-256", &bytes(&case.msg)),
            Some(bytes(&case.digest))
        );
        Item {
            digest: field(&case.digest),
            signature: concatenate(&field(&case.r), &field(&case.s)),
            key: uncompressed(&case.qx, &case.qy),
        }
    };
    let items: Vec<Item> = cases.iter().map(item).collect();
    let standard = verify_ecdsa::<Secp256k1>(engine, &items, Policy::default());
    assert!(standard.iter().all(|verdict| verdict.is_valid()));
    for (case, verdict) in
        cases
            .iter()
            .zip(verify_ecdsa::<Secp256k1>(engine, &items, Policy::low_s()))
    {
        let expected = if case.high_s {
            Verdict::Rejected(Rejection::HighS)
        } else {
            Verdict::Valid
        };
        assert_eq!(verdict, expected);
    }
    let high = cases.iter().filter(|case| case.high_s).count();
    assert_eq!((cases.len(), high), (225, 104));
    let secret: Vec<SecretKey> = cases
        .iter()
        .map(|case| SecretKey::from_bytes(field(&case.d)))
        .collect();
    let public = keys::public_keys(engine, Secp256k1, &secret).unwrap();
    assert!(
        public
            .iter()
            .zip(&items)
            .all(|(public, item)| public.unwrap().as_sec1() == item.key)
    );
}
