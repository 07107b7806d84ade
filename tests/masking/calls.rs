//! Errors of whole calls, names of suites, and columns of the caller.

use crate::declare::{apply, on_every_engine, once};
use crate::support::lengths::differs;
use gecc::hash_to_curve::{self, Dst, Suite};
use gecc::mask::{self, Form};
use gecc::{Engine, Error, P256, Point, PublicKeys, SecretKey, Verdict};
use std::collections::HashSet;

#[apply(once)]
fn suites_are_named() {
    let names: HashSet<&str> = Suite::ALL.iter().map(|suite| suite.name()).collect();
    assert_eq!(names.len(), Suite::ALL.len());
    for suite in Suite::ALL {
        let name = suite.name();
        assert_eq!(suite.to_string(), name);
        for spelling in [
            name.to_owned(),
            name.to_lowercase(),
            name.replace(['_', '-'], " "),
        ] {
            assert_eq!(spelling.parse(), Ok(*suite));
        }
        assert_eq!(suite.is_constant_time(), name.contains("SSWU"));
        assert_eq!(suite.takes_dst(), name.contains("SSWU"));
    }
    let unknown = "P384_XMD:SHA-384_SSWU_RO_".parse::<Suite>().unwrap_err();
    let text = unknown.to_string();
    assert!(names.iter().all(|name| text.contains(name)), "{text}");
}

#[apply(once)]
fn long_tags_are_their_hash() {
    assert!(Dst::default().is_empty() && Dst::new(b"") == Dst::NONE);
    for length in [1, 254, 255] {
        let tag = vec![7; length];
        assert_eq!(Dst::new(&tag).as_bytes(), tag);
    }
    assert_eq!(Dst::new(&[7; 256]).as_bytes().len(), 32);
    assert_eq!(format!("{:?}", Dst::new(b"a\xff")), r#"Dst(b"a\xff")"#);
}

#[track_caller]
fn separates<T>(result: Result<T, Error>, expected: Suite, text: &str) {
    match result.err() {
        Some(Error::DomainSeparation { suite, problem }) => {
            assert_eq!((suite, problem), (expected.name(), text))
        }
        other => panic!("{other:?}"),
    }
}

#[apply(on_every_engine)]
fn wrong_tags_are_errors(engine: &Engine) {
    let key = SecretKey::from_bytes([1; 32]);
    for suite in Suite::ALL.iter().copied() {
        let (dst, text): (&[u8], _) = if suite.takes_dst() {
            (b"", "requires a domain separation tag")
        } else {
            (b"tag", "takes no domain separation tag")
        };
        // Also if there are no items.
        for items in [&["a", "b"][..], &[]] {
            let n = items.len();
            let codes = &mut vec![0; n][..];
            separates(
                hash_to_curve::points(engine, suite, dst, items),
                suite,
                text,
            );
            separates(
                hash_to_curve::points_into(engine, suite, dst, items, &mut vec![[0; 64]; n], codes),
                suite,
                text,
            );
            separates(
                mask::items(engine, suite, dst, &key, items, Form::X),
                suite,
                text,
            );
            separates(
                mask::items_into(
                    engine,
                    suite,
                    dst,
                    &key,
                    items,
                    Form::X,
                    &mut vec![0; 32 * n],
                    codes,
                ),
                suite,
                text,
            );
        }
    }
}

#[apply(on_every_engine)]
fn truncation_outside_x_is_an_error(engine: &Engine) {
    let key = SecretKey::from_bytes([1; 32]);
    let points = [Point::IDENTITY; 2];
    for bytes in [0, 33, 64, 255] {
        let form = Form::Truncated(bytes);
        for result in [
            mask::items(engine, Suite::Sm2Rehash, b"", &key, &["a"], form),
            mask::points(engine, P256, &key, &points, form),
            mask::unmask(engine, P256, &key, &points, form),
        ] {
            match result {
                Err(Error::InvalidForm { bytes: found }) => assert_eq!(found, bytes),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[apply(on_every_engine)]
fn columns_of_different_lengths_are_errors(engine: &Engine) {
    const SUITE: Suite = Suite::Sm2Rehash;
    let key = SecretKey::from_bytes([1; 32]);
    let points = [Point::IDENTITY; 2];
    for found in [0, 1, 3] {
        let mut rows = vec![[0; 64]; found];
        let mut codes = vec![0; found];
        let keys = vec![key.clone(); found];
        let wrong = vec![Point::IDENTITY; found];
        differs(
            hash_to_curve::points_into(engine, SUITE, b"", &["a", "b"], &mut rows, &mut [0; 2]),
            ("points", 2, found),
        );
        differs(
            hash_to_curve::points_into(
                engine,
                SUITE,
                b"",
                &["a", "b"],
                &mut [[0; 64]; 2],
                &mut codes,
            ),
            ("codes", 2, found),
        );
        differs(
            mask::items(engine, SUITE, b"", &keys, &["a", "b"], Form::X),
            ("secret keys", 2, found),
        );
        differs(
            mask::points(engine, P256, &keys, &points, Form::X),
            ("secret keys", 2, found),
        );
        differs(
            mask::unmask(engine, P256, &keys, &points, Form::X),
            ("secret keys", 2, found),
        );
        for form in [Form::Compressed, Form::Truncated(5)] {
            let mut rows = vec![0; form.width() * found];
            let two = &mut vec![0; 2 * form.width()][..];
            let into = &mut [0; 2][..];
            differs(
                mask::items_into(engine, SUITE, b"", &key, &["a", "b"], form, &mut rows, into),
                ("masked points", 2, found),
            );
            differs(
                mask::items_into(engine, SUITE, b"", &key, &["a", "b"], form, two, &mut codes),
                ("codes", 2, found),
            );
            differs(
                mask::points_into(engine, P256, &key, &points, form, &mut rows, into),
                ("masked points", 2, found),
            );
            differs(
                mask::points_into(engine, P256, &key, &wrong, form, two, into),
                ("points", 2, found),
            );
            differs(
                mask::unmask_into(engine, P256, &key, &points, form, &mut rows, into),
                ("masked points", 2, found),
            );
            differs(
                mask::unmask_into(engine, P256, &key, &wrong, form, two, into),
                ("points", 2, found),
            );
        }
    }
    // A part of a row.
    differs(
        mask::points_into(
            engine,
            P256,
            &key,
            &points,
            Form::X,
            &mut [0; 63],
            &mut [0; 2],
        ),
        ("masked points", 2, 1),
    );
}

#[apply(on_every_engine)]
fn columns_get_the_results_of_values(engine: &Engine) {
    let key = SecretKey::from_bytes([1; 32]);
    let items: Vec<String> = (0..70).map(|item| format!("item {item}")).collect();
    for suite in Suite::ALL.iter().copied() {
        let dst: &[u8] = if suite.takes_dst() { b"tag" } else { b"" };
        let mut rows = vec![[0xee; 64]; items.len()];
        let mut codes = vec![0; items.len()];
        hash_to_curve::points_into(engine, suite, dst, &items, &mut rows, &mut codes).unwrap();
        assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
        let values = hash_to_curve::points(engine, suite, dst, &items).unwrap();
        let of_rows = rows.iter().map(|row| Ok(Point::from_raw(row)));
        assert!(of_rows.eq(values), "{suite}");

        let curve = suite.curve();
        let form = Form::Truncated(20);
        let hashed = PublicKeys::raw(&rows);
        let mut masked = vec![0xee; 20 * items.len()];
        let values = mask::items(engine, suite, dst, &key, &items, form).unwrap();
        codes.fill(0);
        mask::items_into(
            engine,
            suite,
            dst,
            &key,
            &items,
            form,
            &mut masked,
            &mut codes,
        )
        .unwrap();
        assert_eq!((&masked[..], &codes[..]), (values.rows(), values.codes()));
        codes.fill(0);
        mask::points_into(engine, curve, &key, hashed, form, &mut masked, &mut codes).unwrap();
        assert_eq!((&masked[..], &codes[..]), (values.rows(), values.codes()));
        let values = mask::unmask(engine, curve, &key, hashed, form).unwrap();
        mask::unmask_into(engine, curve, &key, hashed, form, &mut masked, &mut codes).unwrap();
        assert_eq!((masked, codes), values.clone().into_columns());
        assert!(!values.is_empty() && values.len() == items.len());
    }
}
