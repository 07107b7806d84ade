//! Tests on the CPU engine: the answers equal those of direct calls.

use super::super::{Caller, Coalescer};
use crate::curve::{Curve, CurveId, Sm2};
use crate::engine::{Backend, Engine};
use crate::ops::mask::{self, Form};
use crate::ops::x25519::{self, AllZero};
use crate::ops::{ecdh, keys};
use crate::schemes::bip340::{self, Auxiliary};
use crate::schemes::ed25519::{self, Rule, Variant};
use crate::schemes::{ecdsa, sm2};
use crate::types::{Point, Policy, PublicKeys, Rows, SForm, SecretKey, Signers};
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use std::ops::Range;
use std::thread;

const ITEMS: usize = 300;

/// Items of a curve, some of them corrupted, and keys in all forms.
struct Items {
    curve: CurveId,
    secret: Vec<SecretKey>,
    public: Vec<Point>,
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    /// Signatures of BIP 340, if the curve supports it.
    schnorr: Vec<[u8; 64]>,
    recovery_ids: Vec<[u8; 1]>,
    /// Compressed or uncompressed keys, and some that are not keys.
    keys: Vec<Vec<u8>>,
    /// Rows of `x || y`, including the identity.
    raw: Vec<[u8; 64]>,
    /// x-coordinates, including some that are not on the curve.
    x_only: Vec<[u8; 32]>,
}

fn key_of(random: &mut StdRng, point: &Point) -> Vec<u8> {
    match random.random_range(0..20) {
        0 => vec![0],
        1 => vec![],
        2 => vec![5; 65],
        3 => point.as_sec1()[..64].to_vec(),
        4..12 => point.as_sec1().to_vec(),
        _ => point.to_compressed().expect("not the identity").to_vec(),
    }
}

impl Items {
    fn new(engine: &Engine, random: &mut StdRng, curve: CurveId) -> Self {
        let (mut secret, public) = keys::generate(engine, curve, ITEMS).unwrap();
        let mut digests = vec![[0; 32]; ITEMS];
        random.fill_bytes(digests.as_flattened_mut());
        let mut signatures: Vec<[u8; 64]> = match curve.has_ecdsa() {
            true => ecdsa::sign(engine, curve, &digests, &secret, SForm::default()).unwrap(),
            false => sm2::sign(engine, &digests, &secret).unwrap(),
        }
        .into_iter()
        .map(Result::unwrap)
        .collect();
        let mut schnorr = Vec::new();
        if curve.has_bip340() {
            let signed = bip340::sign(engine, &digests, &secret, Auxiliary::zeros()).unwrap();
            schnorr.extend(signed.into_iter().map(Result::unwrap));
            schnorr
                .iter_mut()
                .step_by(7)
                .for_each(|signature: &mut [u8; 64]| signature[40] ^= 1);
            schnorr
                .iter_mut()
                .step_by(9)
                .for_each(|signature| signature[32..].fill(0xff));
        }
        for _ in 0..ITEMS / 10 {
            signatures[random.random_range(0..ITEMS)][random.random_range(0..64)] ^= 1;
            signatures[random.random_range(0..ITEMS)][..32].fill(0);
            secret[random.random_range(0..ITEMS)] = SecretKey::from_bytes([0xff; 32]);
        }
        let recovery_ids = (0..ITEMS).map(|_| [random.random_range(0..5)]).collect();
        let keys = public.iter().map(|point| key_of(random, point)).collect();
        let mut raw: Vec<[u8; 64]> = public
            .iter()
            .map(|point| point.as_bytes()[1..].try_into().unwrap())
            .collect();
        let mut x_only: Vec<[u8; 32]> = public.iter().map(|point| *point.x()).collect();
        raw.iter_mut().step_by(10).for_each(|row| row.fill(0));
        x_only.iter_mut().step_by(10).for_each(|row| row.fill(0xff));
        Items {
            curve,
            secret,
            public,
            digests,
            signatures,
            schnorr,
            recovery_ids,
            keys,
            raw,
            x_only,
        }
    }

    fn keys(&self) -> Vec<&[u8]> {
        self.keys.iter().map(Vec::as_slice).collect()
    }
}

/// Returns the keys of some items of a batch in each form that BIP 340 accepts.
fn bip340_keys<'a>(
    items: &'a Items,
    keys: &'a [&'a [u8]],
    at: Range<usize>,
) -> [PublicKeys<'a>; 4] {
    let points = &items.public[at.clone()];
    let raw = &items.raw[at.clone()];
    let x_only = &items.x_only[at];
    [
        PublicKeys::sec1(keys),
        PublicKeys::points(points),
        PublicKeys::raw(raw),
        PublicKeys::x_only(x_only),
    ]
}

/// Returns signers with additional data per item, and with the same data for all items.
fn signers(items: &Items, at: Range<usize>) -> [Signers<'_>; 2] {
    let secret = &items.secret[at.clone()];
    [Rows::from(&items.x_only[at]), Rows::all(&[0x77; 32])]
        .map(|data| Signers::with_additional_data(secret, data))
}

/// The results of all calls for all items, as text and bytes.
struct Expected(Vec<Vec<String>>);

/// Makes the calls of a curve for a range of items.
fn calls(items: &Items, at: Range<usize>, caller: &Caller) -> Vec<Vec<String>> {
    fn texts<T: std::fmt::Debug>(values: impl IntoIterator<Item = T>) -> Vec<String> {
        values
            .into_iter()
            .map(|value| format!("{value:?}"))
            .collect()
    }
    let curve = items.curve;
    let keys = items.keys();
    let digests = &items.digests[at.clone()];
    let signatures = &items.signatures[at.clone()];
    let keys = &keys[at.clone()];
    let secret = &items.secret[at.clone()];
    let of_bip340 = bip340_keys(items, keys, at.clone());
    let points = PublicKeys::points(&items.public[at.clone()]);
    let shared = caller.shared_secrets(curve, secret, points).wait().unwrap();
    let shared = shared
        .iter()
        .map(|shared| shared.as_ref().map(|secret| *secret.expose_bytes()));
    let masked = caller.mask_points(curve, secret, points).wait().unwrap();
    let mut found = vec![
        texts(shared),
        texts(masked),
        texts(caller.public_keys(curve, secret).wait().unwrap()),
    ];
    if curve.has_bip340() {
        for keys in of_bip340 {
            found.push(texts(
                caller
                    .bip340_verify(digests, &items.schnorr[at.clone()], keys)
                    .wait()
                    .unwrap(),
            ));
        }
    }
    if curve.has_ecdsa() {
        for policy in [Policy::default(), Policy::low_s()] {
            found.push(texts(
                caller
                    .ecdsa_verify(curve, digests, signatures, keys, policy)
                    .wait()
                    .unwrap(),
            ));
        }
        found.push(texts(
            caller
                .ecdsa_verify(curve, digests, signatures, points, Policy::default())
                .wait()
                .unwrap(),
        ));
        let recovered =
            caller.ecdsa_recover(curve, digests, signatures, &items.recovery_ids[at.clone()]);
        found.push(texts(recovered.wait().unwrap()));
        for s_form in [SForm::CurveDefault, SForm::Low, SForm::AsComputed] {
            found.push(texts(
                caller
                    .ecdsa_sign(curve, digests, secret, s_form)
                    .wait()
                    .unwrap(),
            ));
        }
        for signers in signers(items, at.clone()) {
            found.push(texts(
                caller
                    .ecdsa_sign(curve, digests, signers, SForm::Low)
                    .wait()
                    .unwrap(),
            ));
        }
    } else {
        found.push(texts(
            caller.sm2_verify(digests, signatures, keys).wait().unwrap(),
        ));
        found.push(texts(caller.sm2_sign(digests, secret).wait().unwrap()));
        for signers in signers(items, at.clone()) {
            found.push(texts(caller.sm2_sign(digests, signers).wait().unwrap()));
        }
    }
    found
}

/// Computes the expected results by direct calls.
fn expected(items: &Items, engine: &Engine) -> Expected {
    fn texts<T: std::fmt::Debug>(values: impl IntoIterator<Item = T>) -> Vec<String> {
        values
            .into_iter()
            .map(|value| format!("{value:?}"))
            .collect()
    }
    let Items {
        curve,
        secret,
        digests,
        signatures,
        ..
    } = items;
    let curve = *curve;
    let keys = items.keys();
    let of_bip340 = bip340_keys(items, &keys, 0..ITEMS);
    let keys = PublicKeys::sec1(&keys);
    let points = PublicKeys::points(&items.public);
    let shared = ecdh::shared_secrets(engine, curve, secret, points).unwrap();
    let shared = shared
        .iter()
        .map(|shared| shared.as_ref().map(|secret| *secret.expose_bytes()));
    let masked = mask::points(engine, curve, secret, points, Form::Compressed).unwrap();
    let mut found = vec![
        texts(shared),
        texts(masked.iter()),
        texts(keys::public_keys(engine, curve, secret).unwrap()),
    ];
    if curve.has_bip340() {
        for keys in of_bip340 {
            found.push(texts(
                bip340::verify(engine, digests, &items.schnorr, keys).unwrap(),
            ));
        }
    }
    if curve.has_ecdsa() {
        for (keys, policy) in [
            (keys, Policy::default()),
            (keys, Policy::low_s()),
            (points, Policy::default()),
        ] {
            found.push(texts(
                ecdsa::verify(engine, curve, digests, signatures, keys, policy).unwrap(),
            ));
        }
        let ids: Vec<u8> = items.recovery_ids.as_flattened().to_vec();
        found.push(texts(
            ecdsa::recover(engine, curve, digests, signatures, &ids).unwrap(),
        ));
        for s_form in [SForm::CurveDefault, SForm::Low, SForm::AsComputed] {
            found.push(texts(
                ecdsa::sign(engine, curve, digests, secret, s_form).unwrap(),
            ));
        }
        for signers in signers(items, 0..ITEMS) {
            found.push(texts(
                ecdsa::sign(engine, curve, digests, signers, SForm::Low).unwrap(),
            ));
        }
    } else {
        assert_eq!(curve, Sm2::ID);
        found.push(texts(
            sm2::verify(engine, digests, signatures, keys).unwrap(),
        ));
        found.push(texts(sm2::sign(engine, digests, secret).unwrap()));
        for signers in signers(items, 0..ITEMS) {
            found.push(texts(sm2::sign(engine, digests, signers).unwrap()));
        }
    }
    Expected(found)
}

#[test]
fn answers_equal_direct_calls() {
    let seed: u64 = rand::random();
    eprintln!("seed {seed}");
    let engine = Engine::builder()
        .backend(Backend::Cpu)
        .threads(2)
        .build()
        .unwrap();
    let service = Coalescer::new(&engine).unwrap();
    for &curve in CurveId::ALL {
        let items = Items::new(&engine, &mut StdRng::seed_from_u64(seed), curve);
        let Expected(expected) = expected(&items, &engine);
        thread::scope(|scope| {
            for thread in 0..4 {
                let service = &service;
                let items = &items;
                let expected = &expected;
                scope.spawn(move || {
                    let mut random = StdRng::seed_from_u64(seed + 1 + thread);
                    let caller = service.caller();
                    let mut start = 0;
                    while start < ITEMS {
                        let end = ITEMS.min(start + random.random_range(1..60));
                        let found = calls(items, start..end, &caller);
                        for (call, (found, expected)) in found.iter().zip(expected).enumerate() {
                            assert_eq!(found[..], expected[start..end], "{curve}, call {call}");
                        }
                        assert_eq!(found.len(), expected.len());
                        start = end;
                    }
                });
            }
        });
    }
    assert_eq!(service.stats().failed_batches, 0);
}

/// Keys in columns of mixed forms, some of which are not forms of Ed25519 keys.
#[test]
fn ed25519_answers_equal_direct_calls() {
    let engine = Engine::builder()
        .backend(Backend::Cpu)
        .threads(2)
        .build()
        .unwrap();
    let seeds: Vec<SecretKey> = (0..100)
        .map(|item| SecretKey::from_bytes([item; 32]))
        .collect();
    let messages: Vec<[u8; 32]> = (0..100).map(|item| [item ^ 0x5a; 32]).collect();
    let public = ed25519::public_keys(&engine, &seeds).unwrap();
    let signed = ed25519::sign(&engine, &messages, &seeds, Variant::PURE).unwrap();
    let mut signatures: Vec<[u8; 64]> = signed.iter().copied().map(Result::unwrap).collect();
    signatures
        .iter_mut()
        .step_by(3)
        .for_each(|signature| signature[2] ^= 1);
    signatures
        .iter_mut()
        .step_by(5)
        .for_each(|signature| signature[32..].fill(0xff));
    let mut keys: Vec<_> = public.iter().map(PublicKeys::mixed_row_of_x).collect();
    keys[50] = PublicKeys::mixed_row(&[4; 65]);
    // A key of small order, which only one of the rules accepts.
    keys[51] = PublicKeys::mixed_row_of_x(&[0; 32]);
    let service = Coalescer::new(&engine).unwrap();
    let caller = service.caller();
    let found = caller.ed25519_public_keys(&seeds).wait().unwrap();
    assert!(
        found
            .into_iter()
            .map(Result::unwrap)
            .eq(public.iter().copied())
    );
    assert_eq!(
        caller.ed25519_sign(&messages, &seeds).wait().unwrap(),
        signed
    );
    for rule in [Rule::Strict, Rule::Zip215] {
        for keys in [PublicKeys::ed25519(&public), PublicKeys::mixed(&keys)] {
            let found = caller
                .ed25519_verify(&messages, &signatures, keys, rule)
                .wait()
                .unwrap();
            let direct =
                ed25519::verify(&engine, &messages, &signatures, keys, Variant::PURE, rule)
                    .unwrap();
            assert!(found.iter().eq(direct.iter()));
            assert!(found[1].is_valid() && !found[3].is_valid() && !found[5].is_valid());
        }
    }
    let [corrupted, same] = [
        (PublicKeys::mixed(&keys), 99),
        (PublicKeys::ed25519(&public), 100),
    ];
    for (keys, items) in [corrupted, same] {
        let request =
            caller.ed25519_verify(&messages[..items], &signatures[..items], keys, Rule::Strict);
        assert_eq!(request.wait().is_ok(), items == 100);
    }
}

/// Keys in columns of mixed forms, one of which is not a key of X25519.
#[test]
fn x25519_answers_equal_direct_calls() {
    let engine = Engine::builder()
        .backend(Backend::Cpu)
        .threads(2)
        .build()
        .unwrap();
    let secret: Vec<SecretKey> = (0..100)
        .map(|item| SecretKey::from_bytes([item; 32]))
        .collect();
    let public = x25519::public_keys(&engine, &secret).unwrap();
    let service = Coalescer::new(&engine).unwrap();
    let caller = service.caller();
    let found = caller.x25519_public_keys(&secret).wait().unwrap();
    assert!(
        found
            .into_iter()
            .map(Result::unwrap)
            .eq(public.iter().copied())
    );
    let mut peers: Vec<_> = public
        .iter()
        .rev()
        .map(PublicKeys::mixed_row_of_x)
        .collect();
    peers[50] = PublicKeys::mixed_row(&[4; 65]);
    peers[51] = PublicKeys::mixed_row_of_x(&[0; 32]);
    let peers = PublicKeys::mixed(&peers);
    for all_zero in [AllZero::Reject, AllZero::Accept] {
        let found = caller
            .x25519_shared_secrets(&secret, peers, all_zero)
            .wait()
            .unwrap();
        let direct = x25519::shared_secrets(&engine, &secret, peers, all_zero).unwrap();
        assert_eq!(found.len(), direct.len());
        for (item, (found, direct)) in found.iter().zip(&direct).enumerate() {
            let [found, direct] =
                [found, direct].map(|secret| secret.as_ref().map(|secret| *secret.expose_bytes()));
            assert_eq!(found, direct, "item {item}");
        }
        assert!(found[0].is_ok() && found[50].is_err());
        assert_eq!(found[51].is_ok(), all_zero == AllZero::Accept);
    }
    let too_few = caller.x25519_shared_secrets(&secret[1..], peers, AllZero::Reject);
    assert!(too_few.wait().is_err());
}

/// One row for all items, including requests of a single item.
#[test]
fn single_rows_apply_to_all_items() {
    let engine = Engine::builder()
        .backend(Backend::Cpu)
        .threads(1)
        .build()
        .unwrap();
    let curve = CurveId::Secp256k1;
    let (secret, public) = keys::generate(&engine, curve, 1).unwrap();
    // The coalescer is gone.
    let caller = Coalescer::new(&engine).unwrap().caller();
    let refused = caller
        .ecdsa_sign(curve, &[[1; 32]; 3], &secret[0], SForm::default())
        .wait();
    assert!(
        matches!(refused, Err(super::ServiceError::Stopped)),
        "{refused:?}"
    );
    let service = Coalescer::new(&engine).unwrap();
    let caller = service.caller();
    let signed = caller
        .ecdsa_sign(curve, &[[1; 32]; 3], &secret[0], SForm::default())
        .wait()
        .unwrap();
    let signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
    let digest = [1; 32];
    let digests = crate::Rows::all(&digest);
    let verdicts = caller
        .ecdsa_verify(curve, digests, &signatures, &public[0], Policy::default())
        .wait()
        .unwrap();
    assert!(verdicts.all_valid() && verdicts.len() == 3);
    let one = caller.ecdsa_verify(
        curve,
        digests,
        crate::Rows::all(&signatures[2]),
        &public[0],
        Policy::default(),
    );
    assert_eq!(one.wait().unwrap().len(), 1);
}
