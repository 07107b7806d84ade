//! Columns of the caller, and operations as values.

use crate::declare::{apply, on_every_engine};
use gecc::call::{Columns, Contents, Operation, Options};
use gecc::ed25519::{self, Rule, SigningKeys, Variant};
use gecc::sm2::UserIds;
use gecc::{Engine, Error, PublicKeys, Rows, SecretKey, Verdict};

/// Columns of the caller, codes, checked signatures, and inputs that differ in length.
#[apply(on_every_engine)]
fn columns_have_results_of_slices(engine: &Engine) {
    let seeds: Vec<SecretKey> = (0..150)
        .map(|item| SecretKey::from_bytes([item; 32]))
        .collect();
    let messages: Vec<[u8; 2]> = (0..150).map(|item| [item, 7]).collect();
    let expected = ed25519::sign(engine, &messages, &seeds, Variant::PURE).unwrap();
    let checked = Engine::builder()
        .backend(engine.info().backend)
        .check_signatures(true)
        .build()
        .unwrap();
    let expanded = ed25519::expand(engine, &seeds).unwrap();
    for keys in [SigningKeys::from(&seeds), SigningKeys::expanded(&expanded)] {
        assert_eq!(
            ed25519::sign(&checked, &messages, keys, Variant::PURE).unwrap(),
            expected
        );
    }
    let one = ed25519::sign(&checked, &messages, &seeds[3], Variant::PURE).unwrap();
    assert_eq!(
        one,
        ed25519::sign(
            engine,
            &messages,
            SigningKeys::expanded_for_all(&expanded[3]),
            Variant::PURE
        )
        .unwrap()
    );
    let mut signatures = vec![[0xee; 64]; 150];
    let mut codes = vec![0xee; 150];
    ed25519::sign_into(
        engine,
        &messages,
        &seeds,
        Variant::PURE,
        &mut signatures,
        &mut codes,
    )
    .unwrap();
    assert!(
        signatures.iter().map(|row| Ok(*row)).eq(expected) && codes == [Verdict::VALID_CODE; 150]
    );
    let mut public = vec![[0xee; 32]; 150];
    ed25519::public_keys_into(engine, &seeds, &mut public).unwrap();
    signatures[70][33] ^= 4;
    // Records of signature and key.
    let records: Vec<u8> = signatures
        .iter()
        .zip(&public)
        .flat_map(|(s, k)| [&s[..], k].concat())
        .collect();
    let column = Rows::<64>::strided(&records, 96, 150).unwrap();
    let keys = PublicKeys::ed25519(Rows::<32>::strided(&records[64..], 96, 150).unwrap());
    ed25519::verify_into(
        engine,
        &messages,
        column,
        keys,
        Variant::PURE,
        Rule::Zip215,
        &mut codes,
    )
    .unwrap();
    assert!(
        codes
            .iter()
            .enumerate()
            .all(|(item, code)| (*code == Verdict::VALID_CODE) == (item != 70))
    );
    let few = &messages[..149];
    let differs = |result: Result<(), Error>| {
        matches!(result, Err(Error::LengthMismatch { expected: 150, .. }))
    };
    assert!(differs(ed25519::verify_into(
        engine,
        few,
        column,
        keys,
        Variant::PURE,
        Rule::Zip215,
        &mut codes
    )));
    assert!(differs(ed25519::sign_into(
        engine,
        few,
        &seeds,
        Variant::PURE,
        &mut signatures,
        &mut codes
    )));
    assert!(differs(ed25519::sign_into(
        engine,
        &messages,
        &seeds[1..],
        Variant::PURE,
        &mut signatures,
        &mut codes
    )));
    assert!(differs(ed25519::public_keys_into(
        engine,
        &seeds[1..],
        &mut public
    )));
    assert!(!format!("{:?}", expanded[3]).contains("prefix"));
}

/// Operations as values, over messages of 32 bytes as rows and as texts.
#[apply(on_every_engine)]
fn operations_have_results_of_calls(engine: &Engine) {
    let seeds: Vec<SecretKey> = (0..30)
        .map(|item| SecretKey::from_bytes([item; 32]))
        .collect();
    let messages: Vec<[u8; 32]> = (0..30).map(|item| [item ^ 0x33; 32]).collect();
    let texts: Vec<&[u8]> = messages.iter().map(|message| message.as_slice()).collect();
    let columns = Columns {
        secret_keys: (&seeds).into(),
        ..Columns::default()
    };
    let mut public = vec![0; 30 * 32];
    let mut codes = vec![0; 30];
    let made = Operation::Ed25519PublicKeys.run(engine, &columns, &mut public, &mut [], &mut codes);
    assert!(made.is_ok() && codes == [Verdict::VALID_CODE; 30]);
    assert_eq!(
        public.as_chunks().0,
        ed25519::public_keys(engine, &seeds).unwrap()
    );
    let few =
        Operation::Ed25519PublicKeys.run(engine, &columns, &mut public[32..], &mut [], &mut codes);
    assert!(matches!(
        few,
        Err(Error::LengthMismatch {
            expected: 30,
            found: 29,
            ..
        })
    ));
    let both = [
        Contents::Digests(Rows::new(&messages)),
        Contents::Messages {
            messages: &texts,
            user_ids: UserIds::default(),
        },
    ];
    let variants = [Variant::PURE, Variant::prehashed(b"context").unwrap()];
    for (contents, variant) in variants
        .into_iter()
        .flat_map(|variant| both.map(|contents| (contents, variant)))
    {
        let expected = ed25519::sign(engine, &texts, &seeds, variant).unwrap();
        let columns = Columns {
            contents,
            options: Options {
                variant,
                ..Options::default()
            },
            ..columns
        };
        let mut signatures = vec![0; 30 * 64];
        Operation::Ed25519Sign
            .run(engine, &columns, &mut signatures, &mut [], &mut codes)
            .unwrap();
        assert!(
            signatures
                .as_chunks()
                .0
                .iter()
                .map(|row| Ok(*row))
                .eq(expected)
        );
        signatures[64 * 7] ^= 1;
        let signatures = Rows::new(signatures.as_chunks().0);
        let public_keys = Rows::new(public.as_chunks().0);
        let columns = Columns {
            signatures,
            public_keys: PublicKeys::ed25519(public_keys),
            ..columns
        };
        Operation::Ed25519Verify(Rule::Strict)
            .run(engine, &columns, &mut [], &mut [], &mut codes)
            .unwrap();
        assert!(
            codes
                .iter()
                .enumerate()
                .all(|(item, code)| (*code == Verdict::VALID_CODE) == (item != 7))
        );
    }
}
