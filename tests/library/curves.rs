//! The lists of curves in `src/` agree with each other and with the files in `curves/`.

use crate::harness::{Test, test};
use gecc::CurveId;
use std::fs;
use std::path::Path;

/// The curves in twisted Edwards form. They have no [`CurveId`].
const EDWARDS_CURVES: &[&str] = &["ed25519"];

pub fn tests() -> Vec<Test> {
    vec![
        test("curves::every_file_is_listed", None, every_file_is_listed),
        test(
            "curves::lists_of_schemes_agree",
            None,
            lists_of_schemes_agree,
        ),
    ]
}

macro_rules! ids {
    ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
        vec![$((<gecc::$curve as gecc::Curve>::ID, stringify!($name))),*]
    };
}

fn every_file_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("curves");
    let files = fs::read_dir(folder).expect("the folder is readable");
    let mut named: Vec<String> = files
        .map(|file| file.expect("the folder is readable").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .map(|path| {
            let name = path.file_stem().expect("it has a name");
            name.to_str().expect("names are UTF-8").to_owned()
        })
        .collect();
    named.sort();
    let listed = CurveId::ALL.iter().map(|curve| curve.name());
    let mut listed: Vec<&str> = listed.chain(EDWARDS_CURVES.iter().copied()).collect();
    listed.sort_unstable();
    assert_eq!(named, listed, "curves/ and CurveId::ALL in src/curve.rs");
}

fn lists_of_schemes_agree() {
    fn check(list: &str, curves: Vec<(CurveId, &str)>, is_listed: impl Fn(CurveId) -> bool) {
        let expected = CurveId::ALL.iter().filter(|curve| is_listed(**curve));
        let expected: Vec<_> = expected.map(|curve| (*curve, curve.name())).collect();
        assert_eq!(curves, expected, "{list} in src/curve.rs");
    }
    check("for_each_curve", gecc::for_each_curve!(ids!), |_| true);
    check(
        "for_each_ecdsa_curve",
        gecc::for_each_ecdsa_curve!(ids!),
        CurveId::has_ecdsa,
    );
    check(
        "for_each_sm2_curve",
        gecc::for_each_sm2_curve!(ids!),
        CurveId::has_sm2,
    );
}
