//! Verification against libsecp256k1.

use super::sign::{ITEMS, lengths};
use crate::declare::{apply, on_every_engine};
use crate::support::bip340::{Signer, corrupt, is_valid_there, signer};
use crate::support::random::Random;
use gecc::bip340::{Auxiliary, SigningKeys};
use gecc::{Engine, PublicKeys, Rejection, Rows, SecretKey, Verdict, bip340};
use secp256k1::XOnlyPublicKey;
use secp256k1::schnorr::{self};

/// Verdicts on libsecp256k1's signatures and on corrupted ones, in every encoding of the keys.
#[apply(on_every_engine)]
fn corrupted_items_have_verdicts_of_libsecp256k1(engine: &Engine) {
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
fn repeated_keys_and_neighbours_do_not_change_verdicts(engine: &Engine) {
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
fn items_with_two_errors_report_the_first(engine: &Engine) {
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
fn bad_keys_reject_only_their_items(engine: &Engine) {
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

/// Messages that are too long for a GPU, among short ones.
#[apply(on_every_engine)]
fn long_messages_among_short_ones_are_verified(engine: &Engine) {
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
