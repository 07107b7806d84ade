//! Tweaks of public keys: the vectors of BIP 341 and BIP 32, and libsecp256k1.

use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use crate::support::vectors::{bytes, field, parse};
use gecc::bip340::Auxiliary;
use gecc::tweak::{self, ExtendedKey, HARDENED};
use gecc::{Engine, Point, PublicKeys, Rejection, Rows, Secp256k1, SecretKey, Verdict, bip340};
use secp256k1::{Keypair, Parity, PublicKey, Scalar};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vectors {
    script_pub_key: Vec<Output>,
    key_path_spending: Vec<Spending>,
}

#[derive(Deserialize)]
struct Output {
    given: Internal,
    intermediary: Tweaked,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Internal {
    internal_pubkey: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tweaked {
    merkle_root: Option<String>,
    tweaked_pubkey: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spending {
    input_spending: Vec<Input>,
}

#[derive(Deserialize)]
struct Input {
    intermediary: Signed,
    expected: Witness,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Signed {
    tweaked_privkey: String,
    sig_hash: String,
}

#[derive(Deserialize)]
struct Witness {
    witness: Vec<String>,
}

/// Outputs with and without script trees, and signatures of key paths.
#[apply(on_every_engine)]
fn vectors_of_bip341_are_computed(engine: &Engine) {
    let vectors: Vectors = parse(include_str!("../vectors/bip341_wallet_test_vectors.json"));
    let (with_roots, without): (Vec<_>, Vec<_>) = vectors
        .script_pub_key
        .iter()
        .partition(|output| output.intermediary.merkle_root.is_some());
    assert_eq!((with_roots.len(), without.len()), (6, 1));
    let keys = |outputs: &[&Output]| {
        outputs
            .iter()
            .map(|output| field(&output.given.internal_pubkey))
            .collect::<Vec<_>>()
    };
    let roots = with_roots
        .iter()
        .map(|output| field(output.intermediary.merkle_root.as_ref().unwrap()));
    let roots: Vec<[u8; 32]> = roots.collect();
    for (outputs, roots) in [(&with_roots, Some(Rows::from(&roots))), (&without, None)] {
        let tweaked = tweak::taproot(engine, &keys(outputs), roots).unwrap();
        for (output, tweaked) in outputs.iter().zip(tweaked) {
            assert_eq!(
                *tweaked.unwrap().x(),
                field(&output.intermediary.tweaked_pubkey)
            );
        }
    }
    let inputs = &vectors.key_path_spending[0].input_spending;
    let hashes: Vec<[u8; 32]> = inputs
        .iter()
        .map(|input| field(&input.intermediary.sig_hash))
        .collect();
    let keys: Vec<_> = inputs
        .iter()
        .map(|input| SecretKey::from_bytes(field(&input.intermediary.tweaked_privkey)))
        .collect();
    let signed = bip340::sign(engine, &hashes, &keys, Auxiliary::zeros()).unwrap();
    assert_eq!(inputs.len(), 7);
    for (input, signed) in inputs.iter().zip(signed) {
        // A byte for the kind of the hash may follow.
        assert_eq!(signed.unwrap()[..], bytes(&input.expected.witness[0])[..64]);
    }
}

fn random_pair(random: &mut Random) -> Keypair {
    Keypair::from_secret_bytes(random.scalar_bytes::<Secp256k1>()).expect("in range")
}

/// Sums with given numbers, of keys in each encoding, and outputs with their parity.
#[apply(on_every_engine)]
fn tweaks_match_libsecp256k1(engine: &Engine) {
    const ITEMS: usize = 700;
    let mut random = Random::new();
    let pairs: Vec<Keypair> = (0..ITEMS).map(|_| random_pair(&mut random)).collect();
    let tweaks: Vec<[u8; 32]> = (0..ITEMS)
        .map(|_| random.scalar_bytes::<Secp256k1>())
        .collect();
    let keys: Vec<[u8; 33]> = pairs
        .iter()
        .map(|pair| pair.public_key().serialize())
        .collect();
    let sums = tweak::add(engine, &keys, &tweaks).unwrap();
    let scalar = |tweak: &[u8; 32]| Scalar::from_be_bytes(*tweak).expect("in range");
    for ((pair, tweak), sum) in pairs.iter().zip(&tweaks).zip(&sums) {
        let expected = pair
            .public_key()
            .add_exp_tweak(&scalar(tweak))
            .unwrap()
            .serialize();
        assert_eq!(sum.unwrap().to_compressed(), Some(expected));
    }
    let x_only: Vec<[u8; 32]> = pairs
        .iter()
        .map(|pair| pair.x_only_public_key().0.to_byte_array())
        .collect();
    let mut rows = vec![[0; 64]; ITEMS];
    let mut codes = vec![0; ITEMS];
    tweak::add_into(
        engine,
        PublicKeys::x_only(&x_only),
        &tweaks,
        &mut rows,
        &mut codes,
    )
    .unwrap();
    for (item, pair) in pairs.iter().enumerate() {
        let (x, parity) = pair
            .x_only_public_key()
            .0
            .add_tweak(&scalar(&tweaks[item]))
            .unwrap();
        assert_eq!(
            (codes[item], &rows[item][..32]),
            (Verdict::VALID_CODE, &x.to_byte_array()[..])
        );
        assert_eq!(rows[item][63] & 1 == 1, parity == Parity::Odd);
    }
    // The y of an internal key does not matter.
    let outputs = tweak::taproot(engine, &x_only, Some(Rows::from(&tweaks))).unwrap();
    tweak::taproot_into(
        engine,
        &keys,
        Some(Rows::from(&tweaks)),
        &mut rows,
        &mut codes,
    )
    .unwrap();
    assert!(
        outputs
            .iter()
            .zip(&rows)
            .all(|(output, row)| output.unwrap() == Point::from_raw(row))
    );
}

/// Invalid keys, tweaks and sums, among good items.
#[apply(on_every_engine)]
fn bad_keys_and_tweaks_reject_only_their_items(engine: &Engine) {
    let mut random = Random::new();
    let pair = random_pair(&mut random);
    let good = Point::from_uncompressed(pair.public_key().serialize_uncompressed()).unwrap();
    let opposite = PublicKey::from_keypair(&pair)
        .negate()
        .serialize_uncompressed();
    let opposite = Point::from_uncompressed(opposite).unwrap();
    let off_curve = Point::from_coordinates(good.x(), &[1; 32]);
    let above_p = Point::from_coordinates(&[0xff; 32], &[1; 32]);
    let one = [&[0; 31][..], &[1]].concat().try_into().unwrap();
    let number = pair.to_secret_bytes();
    let items: [(Point, [u8; 32], Option<Rejection>); 8] = [
        (good, one, None),
        (off_curve, [0xff; 32], Some(Rejection::NotOnCurve)),
        (above_p, one, Some(Rejection::MalformedPoint)),
        (Point::IDENTITY, one, Some(Rejection::IdentityKey)),
        (good, [0xff; 32], Some(Rejection::ScalarOutOfRange)),
        (opposite, number, Some(Rejection::IdentityResult)),
        (good, number, None),
        (good, [0; 32], None),
    ];
    let (keys, tweaks): (Vec<Point>, Vec<[u8; 32]>) =
        items.iter().map(|(key, tweak, _)| (*key, *tweak)).unzip();
    let sums = tweak::add(engine, &keys, &tweaks).unwrap();
    assert!(
        sums.iter()
            .zip(&items)
            .all(|(sum, (.., reason))| sum.err() == *reason),
        "{sums:?}"
    );
    assert_eq!(sums[7], Ok(good));
}

/// A chain of BIP 32's second test vector, and indexes of hardened children.
#[apply(on_every_engine)]
fn children_of_bip32_are_derived(engine: &Engine) {
    let extended = |key: &str, chain_code: &str| ExtendedKey {
        key: bytes(key).try_into().expect("33 bytes"),
        chain_code: field(chain_code),
    };
    // m and m/0.
    let parent = extended(
        "03cbcaa9c98c877a26977d00825c956a238e8dddfbd322cce4f74b0b5bd6ace4a7",
        "60499f801b896d83179a4374aeb7822aaeaceaa0db1f85ee3e904c4defbd9689",
    );
    let child = extended(
        "02fc9e5af0ac8d9b3cecfe2a888e2117ba3d089d8585886c9c826b6b22a98d12ea",
        "f0909affaa7ee7abe5dd4e100598d4dc53cd709d5a5c2cac40e7412f232f7c9c",
    );
    let mut broken = parent;
    broken.key[0] = 5;
    let children =
        tweak::bip32_children(engine, &[parent, broken, parent], &[0, HARDENED, HARDENED]).unwrap();
    assert_eq!(
        children,
        [
            Ok(child),
            Err(Rejection::MalformedPoint),
            Err(Rejection::ValueOutOfRange)
        ]
    );
}
