//! Ed25519 signatures, by a rule that the statement specifies.

use crate::items::{engine, fixed, some};
use crate::session::{functions, query, refusal, row, session, texts};
use arrow_array::RecordBatch;
use gecc::SecretKey;
use gecc::ed25519::{self, Rule, Variant};
use gecc_datafusion::Functions;

/// The identity as key and as R, in its encoding and in one that is not canonical, with S = 0: the
/// equation holds.
#[test]
fn the_rule_decides() {
    let context = session(functions(), 1, 8192);
    let of_y =
        |first: &str, middle: &str, last: &str| format!("{first}{}{last}", middle.repeat(30));
    // y = 1, and y = p + 1.
    let [canonical, other] = [of_y("01", "00", "00"), of_y("ee", "ff", "7f")];
    let takes_small_order = [
        Rule::Cofactorless,
        Rule::Zip215,
        Rule::Rfc8032,
        Rule::Rfc8032Cofactored,
    ];
    for (key, r, valid_by) in [
        (&canonical, &canonical, &takes_small_order[..]),
        (&other, &canonical, &[Rule::Cofactorless, Rule::Zip215]),
        (&canonical, &other, &[Rule::Zip215]),
    ] {
        for rule in Rule::ALL {
            let items = format!("'{rule}', 'beef', '{r}{}', x'{key}'", "00".repeat(32));
            let sql =
                format!("SELECT ed25519_verify({items}), ed25519_verify_reason({items}) IS NULL");
            let expected = Some(valid_by.contains(rule).to_string());
            assert_eq!(
                row(&context, &sql),
                [expected.clone(), expected],
                "{rule}: {key} {r}"
            );
        }
    }
}

/// Messages of 32 bytes are combined by the coalescer; others go directly to the engine.
#[test]
fn messages_of_32_bytes_are_coalesced() {
    let seeds: Vec<SecretKey> = (0..100)
        .map(|item| SecretKey::from_bytes([item; 32]))
        .collect();
    let public = ed25519::public_keys(engine(), &seeds).unwrap();
    for (length, coalesced) in [(32, 100), (33, 0)] {
        let messages = vec![vec![5; length]; 100];
        let signed = ed25519::sign(engine(), &messages, &seeds, Variant::PURE).unwrap();
        let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
        signatures
            .iter_mut()
            .step_by(3)
            .for_each(|signature| signature[0] ^= 1);
        let functions = Functions::new(engine()).unwrap();
        let context = session(&functions, 1, 8192);
        let (m, s, k) = (
            fixed(&some(&messages)),
            fixed(&some(&signatures)),
            fixed(&some(&public)),
        );
        let table = [("m", m.unwrap()), ("s", s.unwrap()), ("k", k.unwrap())];
        context
            .register_batch("t", RecordBatch::try_from_iter(table).unwrap())
            .unwrap();
        let found = query(
            &context,
            "SELECT count(*) FROM t WHERE ed25519_verify('strict', m, s, k)",
        );
        assert_eq!(texts(found.column(0)), [Some("66".to_owned())]);
        assert_eq!(functions.stats().items, coalesced);
    }
}

/// Test vectors of RFC 8032, sections 7.2 (`foo`) and 7.3: function, context, message, key,
/// signature.
const VECTORS: [[&str; 5]; 2] = [
    [
        "ed25519ctx",
        "666f6f",
        "f726936d19c800494e3fdaff20b276a8",
        "dfc9425e4f968f7f0c29f0259cf5f9aed6851c2bb4ad8bfb860cfee0ab248292",
        "55a4cc2f70a54e04288c5f4cd1e45a7bb520b36292911876cada7323198dd87a\
         8b36950b95130022907a7fb7c4e9b2d5f6cca685a587b4b21f4b888e4e7edb0d",
    ],
    [
        "ed25519ph",
        "",
        "616263",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae41\
         31f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406",
    ],
];

#[test]
fn contexts_are_named_by_the_statement() {
    let context = session(functions(), 1, 8192);
    for [function, own, message, key, signature] in VECTORS {
        for (name, named) in [
            (function, own),
            (function, "beef"),
            ("ed25519ctx", ""),
            ("ed25519ph", "666f6f"),
        ] {
            let is_own = [function, own] == [name, named];
            let call = |reason| {
                format!(
                    "{name}_verify{reason}('strict', '0x{named}', '{message}', '{signature}', x'{key}')"
                )
            };
            let expected = Some(is_own.to_string());
            let sql = format!("SELECT {}, {} IS NULL", call(""), call("_reason"));
            assert_eq!(row(&context, &sql), [expected.clone(), expected], "{sql}");
        }
    }
}

/// Columns with a null, and contexts of minimum and maximum length.
#[test]
fn rows_are_verified_with_the_longest_context() {
    let (seed, longest) = (SecretKey::from_bytes([7; 32]), [0xab; 255]);
    let public = ed25519::public_keys(engine(), std::slice::from_ref(&seed)).unwrap();
    let (context, rows) = (session(functions(), 1, 8192), [[5; 32]; 3]);
    let mut messages = some(&rows);
    messages[2] = None;
    for (name, variant) in [
        ("ed25519ctx", Variant::context(&longest)),
        ("ed25519ph", Variant::prehashed(&longest)),
    ] {
        let signed = ed25519::sign(engine(), &rows, &seed, variant.unwrap()).unwrap();
        let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
        signatures[1][40] ^= 1;
        let columns = [
            ("m", fixed(&messages)),
            ("s", fixed(&some(&signatures))),
            ("k", fixed(&some(&public.repeat(3)))),
        ];
        let table = columns.map(|(name, column)| (name, column.unwrap()));
        context
            .register_batch(name, RecordBatch::try_from_iter(table).unwrap())
            .unwrap();
        let verify = |bytes| {
            format!(
                "SELECT {name}_verify('zip215', '{}', m, s, k) FROM {name}",
                "aB".repeat(bytes)
            )
        };
        for (bytes, valid) in [(255, "true"), (254, "false")] {
            let expected = [valid, "false", "false"].map(|text| Some(text.to_owned()));
            assert_eq!(texts(query(&context, &verify(bytes)).column(0)), expected);
        }
        assert!(refusal(&context, &verify(256)).contains("`context`: a context of 256 bytes"));
    }
}
