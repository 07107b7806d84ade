//! Compares the example lines of signatures with the certificates that they come from.

use super::read::{Certificate, LONGEST, SignedPart, certificates};
use super::{Options, check};
use crate::files::files_of;
use crate::flow::Settings;
use crate::test_support::{lines, path};
use gecc::{CurveId, Engine};
use rayon::ThreadPoolBuilder;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns the value of a name in the text before a certificate.
fn stated<'a>(text: &'a str, certificate: &Certificate, name: &str) -> &'a str {
    let mut before = text[..certificate.place as usize].lines().rev();
    before
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        .expect("stated")
}

/// Compares the line of each certificate with its digest, signature, user id and issuer's key.
#[test]
fn example_lines_equal_certificates() {
    let path = path("sm2/sm2_certs.pem");
    let (certificates, problems) = certificates(
        &Arc::from(path.as_path() as &Path),
        LONGEST,
        &Options::default(),
    );
    assert_eq!(problems, []);
    let text = std::fs::read_to_string(&path).unwrap();
    let engine = Engine::cpu().unwrap();
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let interrupted = AtomicBool::new(false);
    let options = Options::default();
    let answers = check(
        &Settings::new(&engine, &pool, &interrupted),
        &files_of(&[path]),
        &options,
    )
    .unwrap()
    .answers;
    let lines = lines("sm2_certificates.jsonl");
    assert_eq!(
        (lines.len(), certificates.len(), answers.len()),
        (105, 105, 105)
    );
    let mut own_curves = 0;
    for ((line, certificate), answer) in lines.iter().zip(&certificates).zip(&answers) {
        assert_eq!(line.text("tag"), stated(&text, certificate, "Source"));
        assert_eq!(
            format!("\"{}\"", line.text("sm2_id")),
            stated(&text, certificate, "User id")
        );
        let SignedPart::Message(message) = &certificate.signed else {
            panic!("{}", line.text("tag"))
        };
        assert_eq!(line.bytes("message"), *message, "{}", line.text("tag"));
        let signature = gecc::signature_from_der(&line.bytes("der")).ok();
        assert_eq!(signature, certificate.signature, "{}", line.text("tag"));
        let key = line.bytes("public_key");
        match answer.signed_by {
            Some(issuer) => assert_eq!(certificates[issuer].key, Some((CurveId::Sm2, key))),
            // It contains its own key, which is not used, because its curve has explicit
            // parameters.
            None => {
                assert_eq!(
                    (&certificate.key, &certificate.subject_name),
                    (&None, &certificate.issuer_name)
                );
                assert!(message.windows(key.len()).any(|part| part == key));
                own_curves += 1;
            }
        }
    }
    assert_eq!(own_curves, 1);
}
