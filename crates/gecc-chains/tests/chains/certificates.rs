//! Certificates that are known to be signed, corrupted ones, and files that hold none, on every
//! engine.

use crate::harness::{Named, Test, named};
use crate::random::Random;
use crate::support::{file, of_examples, on_every_engine, paths};
use der::asn1::{BitString, ObjectIdentifier};
use der::{Decode, Encode, EncodePem};
use gecc::{CurveId, SecretKey, ecdsa, keys, sm2};
use gecc_chains::Settings;
use gecc_chains::certificates::{Algorithm, Answer, Answers, Options, Reason, check};
use rand::RngExt;
use sha2::{Digest, Sha256, Sha384, Sha512};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use x509_cert::Certificate;

pub fn tests() -> Vec<Test> {
    let tests: [Named<fn(&Settings)>; _] = named![
        sm2_certificates,
        chains_of_every_algorithm,
        corrupted_certificates,
        issuers_that_are_not_there,
        algorithms_that_differ,
        forms_that_are_not_evaluated,
        lenient_pem,
        damaged_pem,
        fields_that_are_malformed,
        names_in_other_forms,
        keys_of_sm2_without_a_curve,
        files_of_something_else,
        one_certificate_many_times,
        blocks_that_do_not_end,
        long_names,
        little_memory,
        interrupted,
    ];
    on_every_engine("certificates", tests)
}

fn check_files(settings: &Settings, files: &[PathBuf], ids: &[&[u8]]) -> Answers {
    let options = Options {
        sm2_user_ids: ids.iter().map(|id| id.to_vec()).collect(),
        ..Options::default()
    };
    check(settings, &paths(files), &options).unwrap()
}

/// The user id of a certificate, and whether its signature is valid, as stated in the text before
/// it.
fn stated<'a>(text: &'a str, answer: &Answer) -> (&'a str, bool) {
    let of = |name: &str| {
        let mut before = text[..answer.place as usize].lines().rev();
        before.find_map(|line| line.strip_prefix(name)).unwrap()
    };
    (
        of("User id: ").trim_matches('"'),
        of("Signature: ") == "valid",
    )
}

/// 28 of 105 certificates are signed with the standard's user id. Revocation lists among them are
/// skipped.
fn sm2_certificates(settings: &Settings) {
    let path = of_examples("sm2/sm2_certs.pem");
    let text = std::fs::read_to_string(&path).unwrap();
    let check = |ids: &[&[u8]]| {
        let Answers { answers, problems } = check_files(settings, std::slice::from_ref(&path), ids);
        assert_eq!((answers.len(), problems), (105, Vec::new()));
        answers
    };
    let answers = check(&[sm2::DEFAULT_USER_ID, b""]);
    assert!(
        answers
            .iter()
            .all(|answer| answer.algorithm == Algorithm::Sm2Sm3)
    );
    // A key with explicit curve parameters is not accepted (RFC 5480, section 2.1.1).
    let other: Vec<&Answer> = answers
        .iter()
        .filter(|answer| answer.valid() != Some(stated(&text, answer).1))
        .collect();
    assert!(other.len() == 1 && other[0].valid().is_none(), "{other:?}");
    // A certificate is valid only with the id that it was signed with.
    for (id, holding) in [(sm2::DEFAULT_USER_ID, 27), (b"", 77)] {
        let of_id = check(&[id]);
        let is_of_id = |answer: &&Answer| stated(&text, answer).0.as_bytes() == id;
        let expected = answers
            .iter()
            .filter(|answer| is_of_id(answer) && answer.valid() == Some(true));
        let expected: Vec<u64> = expected.map(|answer| answer.place).collect();
        let found = of_id
            .iter()
            .filter(|answer| answer.valid() == Some(true))
            .map(|answer| answer.place);
        assert_eq!(
            (found.collect::<Vec<u64>>(), expected.len()),
            (expected, holding)
        );
    }
}

/// A certificate authority: its name, its key and its algorithm.
struct Authority {
    curve: CurveId,
    secret: SecretKey,
    public: Vec<u8>,
    name: String,
}

impl Authority {
    fn new(settings: &Settings, curve: CurveId, name: &str) -> Self {
        let (mut secrets, points) = keys::generate(settings.engine().unwrap(), curve, 1).unwrap();
        let public = points[0].as_bytes();
        let public = [&[4], &public[public.len() - 64..]].concat();
        Authority {
            curve,
            secret: secrets.remove(0),
            public,
            name: name.to_owned(),
        }
    }

    fn sign(&self, settings: &Settings, algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
        let first = |digest: &[u8]| <[u8; 32]>::try_from(&digest[..32]).unwrap();
        let digest = match algorithm {
            Algorithm::EcdsaSha384 => first(&Sha384::digest(message)),
            Algorithm::EcdsaSha512 => first(&Sha512::digest(message)),
            _ => Sha256::digest(message).into(),
        };
        let signed = match algorithm {
            Algorithm::Sm2Sm3 => sm2::sign_messages(
                settings.engine().unwrap(),
                &[message],
                sm2::UserIds::default(),
                &self.secret,
            )
            .unwrap()[0],
            _ => ecdsa::sign(
                settings.engine().unwrap(),
                self.curve,
                &[digest],
                &self.secret,
                gecc::ecdsa::SForm::default(),
            )
            .unwrap()[0],
        };
        gecc::signature_to_der(&signed.unwrap())
    }
}

fn oid_of(algorithm: Algorithm) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(match algorithm {
        Algorithm::EcdsaSha256 => "1.2.840.10045.4.3.2",
        Algorithm::EcdsaSha384 => "1.2.840.10045.4.3.3",
        Algorithm::EcdsaSha512 => "1.2.840.10045.4.3.4",
        Algorithm::Sm2Sm3 => "1.2.156.10197.1.501",
        Algorithm::Other => "1.3.101.112",
    })
}

/// DER: a tag, a length and the content.
fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let length = &length[length.iter().take_while(|byte| **byte == 0).count()..];
    let mut encoded = vec![tag];
    if content.len() >= 0x80 {
        encoded.push(0x80 | length.len() as u8);
    }
    encoded.extend(if content.is_empty() { &[0] } else { length });
    encoded.extend(content);
    encoded
}

fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    tagged(0x30, &parts.concat())
}

fn common_name(value: &[u8]) -> Vec<u8> {
    sequence(&[
        ObjectIdentifier::new_unwrap("2.5.4.3").to_der().unwrap(),
        tagged(0x0c, value),
    ])
}

fn name(name: &str) -> Vec<u8> {
    sequence(&[tagged(0x31, &common_name(name.as_bytes()))])
}

/// A certificate for a subject by an issuer (RFC 5280, section 4.1).
fn certificate(
    settings: &Settings,
    subject: &Authority,
    issuer: &Authority,
    algorithm: Algorithm,
) -> Vec<u8> {
    certificate_named(settings, subject, &name(&subject.name), issuer, algorithm)
}

fn certificate_named(
    settings: &Settings,
    subject: &Authority,
    subject_name: &[u8],
    issuer: &Authority,
    algorithm: Algorithm,
) -> Vec<u8> {
    let curve = if subject.curve == CurveId::Sm2 {
        "1.2.156.10197.1.301"
    } else {
        "1.2.840.10045.3.1.7"
    };
    let key_kind =
        ["1.2.840.10045.2.1", curve].map(|oid| ObjectIdentifier::new_unwrap(oid).to_der().unwrap());
    let key = BitString::from_bytes(&subject.public)
        .unwrap()
        .to_der()
        .unwrap();
    let signed_by = sequence(&[oid_of(algorithm).to_der().unwrap()]);
    let contents = sequence(&[
        tagged(0xa0, &[2, 1, 2]),
        vec![2, 1, 7],
        signed_by.clone(),
        name(&issuer.name),
        sequence(&[
            tagged(0x17, b"260101000000Z"),
            tagged(0x17, b"360101000000Z"),
        ]),
        subject_name.to_vec(),
        sequence(&[sequence(&key_kind), key]),
    ]);
    let signature = issuer.sign(settings, algorithm, &contents);
    sequence(&[
        contents,
        signed_by,
        BitString::from_bytes(&signature).unwrap().to_der().unwrap(),
    ])
}

const ALGORITHMS: [(Algorithm, CurveId); 4] = [
    (Algorithm::EcdsaSha256, CurveId::P256),
    (Algorithm::EcdsaSha384, CurveId::P256),
    (Algorithm::EcdsaSha512, CurveId::P256),
    (Algorithm::Sm2Sm3, CurveId::Sm2),
];

/// A root, an authority below it and a leaf, for each algorithm.
fn chains(settings: &Settings) -> Vec<Vec<u8>> {
    ALGORITHMS
        .into_iter()
        .flat_map(|(algorithm, curve)| {
            let bearer = |name: &str| {
                Authority::new(settings, curve, &format!("{name} of {}", algorithm.name()))
            };
            let root = bearer("root");
            let middle = bearer("middle");
            let leaf = bearer("leaf");
            [(&root, &root), (&middle, &root), (&leaf, &middle)]
                .map(|(subject, issuer)| certificate(settings, subject, issuer, algorithm))
        })
        .collect()
}

fn pem(der: &[u8]) -> String {
    Certificate::from_der(der)
        .unwrap()
        .to_pem(der::pem::LineEnding::LF)
        .unwrap()
}

/// Rewrites PEM with lines of `width` characters.
fn with_lines_of(width: usize, pem: &str) -> String {
    let lines: Vec<&str> = pem.lines().collect();
    let [first, digits @ .., last] = &lines[..] else {
        panic!("{pem}")
    };
    let digits = digits.concat();
    let digits = digits
        .as_bytes()
        .chunks(width)
        .map(|line| std::str::from_utf8(line).unwrap());
    [*first]
        .into_iter()
        .chain(digits)
        .chain([*last])
        .collect::<Vec<_>>()
        .join("\n")
}

fn chains_of_every_algorithm(settings: &Settings) {
    let made = chains(settings);
    let signers = [0, 0, 1];
    let (_first, der) = file(&made.concat());
    let text: String = made
        .iter()
        .map(|der| format!("subject: something\n{}\n", pem(der)))
        .collect();
    let (_second, text) = file(text.as_bytes());
    let widths = [76, 1 << 20].into_iter().cycle();
    let wrapped: Vec<String> = made
        .iter()
        .zip(widths)
        .map(|(der, width)| with_lines_of(width, &pem(der)))
        .collect();
    let (_third, wrapped) = file(wrapped.join("\n").as_bytes());
    for path in [der, text, wrapped] {
        let Answers { answers, problems } = check_files(settings, &[path], &[sm2::DEFAULT_USER_ID]);
        assert_eq!((answers.len(), problems), (made.len(), Vec::new()));
        for (index, answer) in answers.iter().enumerate() {
            let (algorithm, _) = ALGORITHMS[index / 3];
            assert_eq!((answer.algorithm, &answer.reason), (algorithm, &None));
            assert_eq!(answer.signed_by, Some(index / 3 * 3 + signers[index % 3]));
        }
    }
}

/// The contents of the signed part of a certificate, and the algorithm after it.
#[derive(Clone)]
struct Contents {
    version: Vec<u8>,
    serial: Vec<u8>,
    inner_algorithm: Vec<u8>,
    outer_algorithm: Vec<u8>,
    issuer: Vec<u8>,
    dates: Vec<u8>,
    subject: Vec<u8>,
    key: Vec<u8>,
    extensions: Vec<u8>,
}

impl Contents {
    /// Creates the contents of a self-signed certificate.
    fn new(authority: &Authority, algorithm: Algorithm) -> Self {
        let curve = if authority.curve == CurveId::Sm2 {
            "1.2.156.10197.1.301"
        } else {
            "1.2.840.10045.3.1.7"
        };
        Contents {
            version: tagged(0xa0, &[2, 1, 2]),
            serial: vec![2, 1, 7],
            inner_algorithm: sequence(&[oid_of(algorithm).to_der().unwrap()]),
            outer_algorithm: sequence(&[oid_of(algorithm).to_der().unwrap()]),
            issuer: name(&authority.name),
            dates: dates(b"260101000000Z", b"360101000000Z"),
            subject: name(&authority.name),
            key: key_of(authority, &["1.2.840.10045.2.1", curve].map(oid)),
            extensions: Vec::new(),
        }
    }

    /// The certificate, signed by an authority.
    fn signed(&self, settings: &Settings, authority: &Authority, algorithm: Algorithm) -> Vec<u8> {
        let contents = sequence(&[
            self.version.clone(),
            self.serial.clone(),
            self.inner_algorithm.clone(),
            self.issuer.clone(),
            self.dates.clone(),
            self.subject.clone(),
            self.key.clone(),
            self.extensions.clone(),
        ]);
        let signature = authority.sign(settings, algorithm, &contents);
        sequence(&[
            contents,
            self.outer_algorithm.clone(),
            BitString::from_bytes(&signature).unwrap().to_der().unwrap(),
        ])
    }
}

fn oid(text: &str) -> Vec<u8> {
    ObjectIdentifier::new_unwrap(text).to_der().unwrap()
}

/// A key with the identifier of its algorithm and parameters.
fn key_of(authority: &Authority, algorithm: &[Vec<u8>]) -> Vec<u8> {
    sequence(&[
        sequence(algorithm),
        BitString::from_bytes(&authority.public)
            .unwrap()
            .to_der()
            .unwrap(),
    ])
}

fn dates(not_before: &[u8], not_after: &[u8]) -> Vec<u8> {
    let tag = |date: &[u8]| {
        if date.iter().take_while(|byte| byte.is_ascii_digit()).count() > 12 {
            0x18
        } else {
            0x17
        }
    };
    sequence(&[
        tagged(tag(not_before), not_before),
        tagged(tag(not_after), not_after),
    ])
}

fn extension(critical: Option<u8>) -> Vec<u8> {
    let critical = critical.map_or(Vec::new(), |value| tagged(1, &[value]));
    let extension = sequence(&[oid("2.5.29.19"), critical, tagged(4, &[0x30, 0])]);
    tagged(0xa3, &sequence(&[extension]))
}

/// Returns the answer to a certificate, and the problems with its file.
fn check_one(settings: &Settings, der: &[u8]) -> Answers {
    let (_folder, path) = file(der);
    check_files(settings, &[path], &[sm2::DEFAULT_USER_ID])
}

/// RFC 5280, section 4.1.1.2: the algorithm stated next to the signature, which is not signed,
/// equals the one in the signed part.
fn algorithms_that_differ(settings: &Settings) {
    let null = vec![5, 0];
    let identifier =
        |oid: &str, parameters: &[Vec<u8>]| sequence(&[&[self::oid(oid)], parameters].concat());
    for (algorithm, curve) in ALGORITHMS {
        let authority = Authority::new(settings, curve, "root");
        let contents = Contents::new(&authority, algorithm);
        let own = oid_of(algorithm).to_string();
        let others = ALGORITHMS.map(|(other, _)| oid_of(other).to_string());
        let with_null = identifier(&own, std::slice::from_ref(&null));
        let same = Contents {
            inner_algorithm: with_null.clone(),
            outer_algorithm: with_null.clone(),
            ..contents.clone()
        };
        let answers = check_one(settings, &same.signed(settings, &authority, algorithm));
        assert_eq!(
            (answers.answers[0].valid(), answers.problems),
            (Some(true), Vec::new())
        );
        let others = others
            .iter()
            .filter(|other| **other != own)
            .map(|other| identifier(other, &[]));
        for inner_algorithm in
            others.chain([with_null, identifier(&own, &[oid("1.2.840.10045.3.1.7")])])
        {
            let differing = Contents {
                inner_algorithm,
                ..contents.clone()
            };
            let Answers { answers, problems } =
                check_one(settings, &differing.signed(settings, &authority, algorithm));
            assert_eq!((answers[0].valid(), problems.len()), (Some(false), 0));
            let reason = "the signed part states another signature algorithm, or other parameters";
            assert_eq!(answers[0].reason, Some(Reason::Malformed(reason)));
        }
    }
}

/// Dates in BER, long and negative serial numbers, and other encodings of true. The signature is
/// over the bytes of the file.
fn forms_that_are_not_evaluated(settings: &Settings) {
    let authority = Authority::new(settings, CurveId::P256, "root");
    let contents = Contents::new(&authority, Algorithm::EcdsaSha256);
    let dated = |date: &[u8]| Contents {
        dates: dates(date, b"20360101000000.25+0130"),
        ..contents.clone()
    };
    let serial = |value: &[u8]| Contents {
        serial: tagged(2, value),
        ..contents.clone()
    };
    let extended = |critical| Contents {
        extensions: extension(critical),
        ..contents.clone()
    };
    let all = [
        dated(b"2601010000Z"),
        dated(b"260101000000+0100"),
        dated(b"260101000000-0500"),
        dated(b"20260101000000.5Z"),
        dated(b"20260101000000"),
        dated(b"2026010100Z"),
        dated(b"99991231235959Z"),
        dated(b"no date"),
        dated(b""),
        serial(&[0x7f; 30]),
        serial(&[0x7f; 200]),
        serial(&[0xff]),
        serial(&[0]),
        extended(None),
        extended(Some(0)),
        extended(Some(1)),
        extended(Some(0xff)),
        Contents {
            version: Vec::new(),
            ..contents.clone()
        },
        Contents {
            version: tagged(0xa0, &[2, 1, 0]),
            ..contents.clone()
        },
    ];
    for (number, contents) in all.iter().enumerate() {
        let der = contents.signed(settings, &authority, Algorithm::EcdsaSha256);
        let Answers { answers, problems } = check_one(settings, &der);
        assert_eq!(problems, [], "{number}");
        assert_eq!(
            (answers.len(), answers[0].valid()),
            (1, Some(true)),
            "{number}"
        );
        // A change of a byte that is not evaluated invalidates the signature.
        let mut changed = der.clone();
        let place = der
            .windows(contents.dates.len())
            .position(|part| part == contents.dates)
            .unwrap();
        changed[place + contents.dates.len() - 1] ^= 1;
        assert_eq!(
            check_one(settings, &changed).answers[0].valid(),
            Some(false),
            "{number}"
        );
    }
}

/// Lines may be of any length, indented, and followed by spaces, and blank lines and headers may
/// stand among them.
fn lenient_pem(settings: &Settings) {
    let made = chains(settings);
    let whole: Vec<String> = made.iter().map(|der| pem(der)).collect();
    let expected: Vec<Option<bool>> = vec![Some(true); made.len()];
    let lines = |change: &dyn Fn(usize, &str) -> String| {
        let lines = whole
            .iter()
            .flat_map(|block| block.lines())
            .enumerate()
            .map(|(number, line)| change(number, line));
        lines.collect::<String>()
    };
    let is_content = |line: &str| !line.starts_with('-');
    let in_pieces = |line: &str, at: usize| match line.split_at_checked(at) {
        Some((first, rest)) if is_content(line) => format!("{first}\n{rest}\n"),
        _ => format!("{line}\n"),
    };
    for text in [
        lines(&|_, line| format!("    {line}\n")),
        lines(&|number, line| format!("{}{line}\r\n", " ".repeat(number % 3))),
        lines(&|_, line| format!("{line} \t \n")),
        lines(&|_, line| format!("{line}\n\n")),
        lines(&|_, line| format!("{line}\r")),
        lines(&|number, line| in_pieces(line, number % 64)),
        lines(&|_, line| {
            if is_content(line) {
                line.to_owned()
            } else {
                format!("\n{line}\n")
            }
        }),
        lines(&|_, line| {
            if line.contains("BEGIN") {
                format!("{line}\nfriendlyName: x\n\n")
            } else {
                format!("{line}\n")
            }
        }),
        whole.concat().replace("-----\n-----", "----------"),
        whole
            .concat()
            .replace(" CERTIFICATE", " TRUSTED CERTIFICATE"),
        format!("\u{feff}{}", whole.concat()),
        format!("-----BEGIN\n{}", whole.concat()),
    ] {
        let (_folder, path) = file(text.as_bytes());
        let Answers { answers, problems } = check_files(settings, &[path], &[sm2::DEFAULT_USER_ID]);
        assert_eq!(problems, [], "{text}");
        assert_eq!(
            answers.iter().map(Answer::valid).collect::<Vec<_>>(),
            expected,
            "{text}"
        );
    }
}

/// A PEM block with a missing or mismatched first or last line, or with content that is not base64,
/// is reported. The others are read.
fn damaged_pem(settings: &Settings) {
    let made = chains(settings);
    let whole: Vec<String> = made.iter().map(|der| pem(der)).collect();
    let first = "-----BEGIN CERTIFICATE-----";
    let last = "-----END CERTIFICATE-----";
    for (line, damaged, expected) in [
        (first, "----BEGIN CERTIFICATE-----", "no first line"),
        (first, "-----BEGIN CERTIFICATE----", "no whole label"),
        (first, "-----BEGIN CERTIFICAT-----", "different labels"),
        (
            first,
            "-----BEGIN CERTIFICATE-----BEGIN CERTIFICATE",
            "no last line",
        ),
        (first, "", "no first line"),
        (last, "-----END CERTIFICATE----", "no whole label"),
        (last, "-----END CERTIFICATES-----", "different labels"),
        (last, "----END CERTIFICATE-----", "no last line"),
        (last, "", "no last line"),
        ("\nMI", "\nM!I", "not base64"),
        ("\nMI", "\nM", "not base64"),
    ] {
        for at in [0, 5, made.len() - 1] {
            let mut blocks = whole.clone();
            blocks[at] = blocks[at].replacen(line, damaged, 1);
            let (_folder, path) = file(blocks.concat().as_bytes());
            let Answers { answers, problems } =
                check_files(settings, &[path], &[sm2::DEFAULT_USER_ID]);
            assert_eq!(answers.len(), made.len() - 1, "{damaged:?} at {at}");
            assert!(
                !problems.is_empty() && problems[0].what.contains(expected),
                "{damaged:?} at {at}: {problems:?}"
            );
        }
    }
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(whole.concat().bytes().flat_map(|byte| [byte, 0]))
        .collect();
    let (_folder, path) = file(&utf16);
    let problems = check_files(settings, &[path], &[b""]).problems;
    assert!(
        problems.len() == 1 && problems[0].what.contains("UTF-16"),
        "{problems:?}"
    );
}

/// Problems name the malformed field.
fn fields_that_are_malformed(settings: &Settings) {
    let authority = Authority::new(settings, CurveId::P256, "root");
    let contents = Contents::new(&authority, Algorithm::EcdsaSha256);
    let with = |change: &dyn Fn(&mut Contents)| {
        let mut changed = contents.clone();
        change(&mut changed);
        changed.signed(settings, &authority, Algorithm::EcdsaSha256)
    };
    let pkcs7 = sequence(&[oid("1.2.840.113549.1.7.2"), tagged(0xa0, &sequence(&[]))]);
    for (der, field) in [
        (with(&|of| of.serial = tagged(2, &[0, 1])), "serialNumber"),
        (
            with(&|of| of.serial = tagged(2, &[0xff, 0xff])),
            "serialNumber",
        ),
        (with(&|of| of.serial = tagged(2, &[])), "serialNumber"),
        (with(&|of| of.serial = tagged(4, &[1])), "serialNumber"),
        (with(&|of| of.version = tagged(0xa0, &[4, 1, 2])), "version"),
        (
            with(&|of| of.inner_algorithm = vec![5, 0]),
            "signature: expected SEQUENCE",
        ),
        (
            with(&|of| of.outer_algorithm = vec![5, 0]),
            "signatureAlgorithm",
        ),
        (with(&|of| of.issuer = vec![5, 0]), "issuer"),
        (with(&|of| of.issuer = sequence(&[vec![5, 0]])), "issuer: "),
        (
            with(&|of| of.dates = sequence(&[tagged(0x17, b"2601010000Z")])),
            "notAfter",
        ),
        (
            with(&|of| of.dates = sequence(&[tagged(4, b"1"), tagged(4, b"1")])),
            "notBefore",
        ),
        (
            with(&|of| of.dates = sequence(&[tagged(0x17, b"\x00"), tagged(0x17, b"1")])),
            "notBefore",
        ),
        (
            with(&|of| of.subject = sequence(&[tagged(0x31, &[5, 0])])),
            "subject: ",
        ),
        (
            with(&|of| of.key = sequence(&[vec![5, 0]])),
            "subjectPublicKeyInfo",
        ),
        (
            with(&|of| of.key = Vec::new()),
            "subjectPublicKeyInfo is missing",
        ),
        (
            with(&|of| of.extensions = tagged(0xa3, &[5, 0])),
            "extensions",
        ),
        (
            with(&|of| of.extensions = tagged(0xa4, &[5, 0])),
            "tbsCertificate",
        ),
        (pkcs7, "PKCS #7"),
    ] {
        let Answers { answers, problems } = check_one(settings, &der);
        assert_eq!((answers.len(), problems.len()), (0, 1), "{field}");
        assert!(problems[0].what.contains(field), "{field}: {problems:?}");
    }
}

/// An issuer name that is equal but encoded differently.
fn names_in_other_forms(settings: &Settings) {
    let root = Authority::new(settings, CurveId::P256, "root");
    let attribute = |tag: u8, text: &[u8]| sequence(&[oid("2.5.4.3"), tagged(tag, text)]);
    let of = |tag: u8, text: &[u8]| sequence(&[tagged(0x31, &attribute(tag, text))]);
    let country = sequence(&[oid("2.5.4.6"), tagged(0x13, b"DE")]);
    let both = |parts: [&Vec<u8>; 2]| {
        sequence(&[tagged(0x31, &[parts[0].clone(), parts[1].clone()].concat())])
    };
    let named = attribute(0x13, b"Root");
    for (subject, issuer, is_same) in [
        (of(0x0c, b"Example Root"), of(0x13, b"Example Root"), true),
        (of(0x0c, b"Example Root"), of(0x0c, b"EXAMPLE ROOT"), true),
        (
            of(0x0c, b"Example Root"),
            of(0x16, b" example   root "),
            true,
        ),
        (of(0x13, b"Root"), of(0x1e, b"\0r\0o\0o\0t"), true),
        (both([&named, &country]), both([&country, &named]), true),
        (of(0x0c, b"Example Root"), of(0x0c, b"Example Roots"), false),
        (of(0x0c, b"Example Root"), of(0x0c, b"ExampleRoot"), false),
        (of(0x0c, b"Root"), of(4, b"Root"), false),
    ] {
        let contents = Contents {
            subject: subject.clone(),
            issuer: subject,
            ..Contents::new(&root, Algorithm::EcdsaSha256)
        };
        let signer = contents.signed(settings, &root, Algorithm::EcdsaSha256);
        let leaf = Contents {
            subject: name("leaf"),
            issuer,
            ..contents
        }
        .signed(settings, &root, Algorithm::EcdsaSha256);
        let (_folder, path) = file(&[signer, leaf].concat());
        for exact_names in [false, true] {
            let options = Options {
                exact_names,
                ..Options::default()
            };
            let Answers { answers, problems } =
                check(settings, &paths(std::slice::from_ref(&path)), &options).unwrap();
            assert_eq!((problems.len(), answers[0].valid()), (0, Some(true)));
            let expected = if is_same && !exact_names {
                Some(true)
            } else {
                None
            };
            assert_eq!(answers[1].valid(), expected, "{answers:?}");
        }
    }
}

/// An SM2 key may have the curve's identifier as the identifier of its algorithm.
fn keys_of_sm2_without_a_curve(settings: &Settings) {
    let authority = Authority::new(settings, CurveId::Sm2, "root");
    const SM2: &str = "1.2.156.10197.1.301";
    for (algorithm, expected) in [
        (vec![oid(SM2), oid(SM2)], Some(true)),
        (vec![oid(SM2)], Some(true)),
        (vec![oid(SM2), vec![5, 0]], Some(true)),
        (vec![oid("1.2.840.10045.2.1")], None),
        (vec![oid(SM2), oid("1.2.840.10045.3.1.7")], None),
        (vec![oid(SM2), sequence(&[])], None),
    ] {
        let key = key_of(&authority, &algorithm);
        let der = Contents {
            key,
            ..Contents::new(&authority, Algorithm::Sm2Sm3)
        }
        .signed(settings, &authority, Algorithm::Sm2Sm3);
        let Answers { answers, problems } = check_one(settings, &der);
        assert_eq!(
            (answers[0].valid(), problems.len()),
            (expected, 0),
            "{algorithm:?}"
        );
    }
}

fn corrupted_certificates(settings: &Settings) {
    let mut random = Random::new();
    let made = chains(settings);
    for index in 0..made.len() {
        let mut corrupted = made.clone();
        // Changes the subject's name, which is signed and which every certificate has, in a letter
        // of its algorithm.
        let name = Certificate::from_der(&made[index])
            .unwrap()
            .tbs_certificate()
            .subject()
            .to_der()
            .unwrap();
        let place = made[index]
            .windows(name.len())
            .rposition(|part| part == name)
            .unwrap()
            + name.len()
            - 1;
        corrupted[index][place] ^= 1 << random.random_range(0..2);
        let (_folder, path) = file(&corrupted.concat());
        let Answers { answers, problems } = check_files(settings, &[path], &[sm2::DEFAULT_USER_ID]);
        assert_eq!((answers.len(), problems), (made.len(), Vec::new()));
        assert_ne!(answers[index].valid(), Some(true));
        // The issuer of the certificates that it has signed is not found.
        let is_other = |answer: &&Answer| {
            answer.issuer != answers[index].issuer || answer.valid() == Some(true)
        };
        assert!(
            answers
                .iter()
                .filter(|answer| answer.valid() != Some(true))
                .count()
                <= 3
        );
        assert!(
            answers
                .iter()
                .enumerate()
                .filter(|(at, _)| at / 3 != index / 3)
                .all(|(_, answer)| is_other(&answer))
        );
    }
}

fn issuers_that_are_not_there(settings: &Settings) {
    let made = chains(settings);
    let (_folder, path) = file(&made[2]);
    let Answers { answers, .. } = check_files(settings, &[path], &[sm2::DEFAULT_USER_ID]);
    assert!(matches!(answers[0].reason, Some(Reason::NotChecked(_))));
    // Another authority of the same name did not sign the certificate.
    let impostor = Authority::new(settings, CurveId::P256, "middle of ECDSA SHA-256");
    let impostor = certificate(settings, &impostor, &impostor, Algorithm::EcdsaSha256);
    let (_folder, path) = file(&[impostor.clone(), made[2].clone()].concat());
    let Answers { answers, .. } = check_files(settings, &[path], &[sm2::DEFAULT_USER_ID]);
    assert_eq!(
        (answers[0].valid(), answers[1].reason),
        (
            Some(true),
            Some(Reason::Signature(gecc::Rejection::Mismatch))
        )
    );
    // If the actual issuer is in the file too, the other one does not matter.
    let (_folder, path) = file(&[impostor, made[2].clone(), made[1].clone()].concat());
    let Answers { answers, .. } = check_files(settings, &[path], &[sm2::DEFAULT_USER_ID]);
    assert_eq!(
        (answers[1].valid(), answers[1].signed_by),
        (Some(true), Some(2))
    );
}

fn files_of_something_else(settings: &Settings) {
    let mut random = Random::new();
    let made = chains(settings);
    for content in [
        &b""[..],
        b"text",
        b"-----BEGIN CERTIFICATE-----\nAAAA",
        b"\x30\x03\x02\x01\x07",
        b"\x30\xff",
    ] {
        let (_folder, path) = file(content);
        let Answers { answers, problems } = check_files(settings, &[path], &[b""]);
        assert_eq!((answers.len(), problems.len()), (0, 1), "{content:?}");
    }
    for _ in 0..300 {
        let mut bytes = made.concat();
        bytes.truncate(random.random_range(1..=bytes.len()));
        for _ in 0..random.random_range(1..5) {
            let place = random.random_range(0..bytes.len());
            bytes[place] = random.random();
        }
        let (_folder, path) = file(&bytes);
        let Answers { answers, problems } = check_files(settings, &[path], &[sm2::DEFAULT_USER_ID]);
        assert!(!answers.is_empty() || !problems.is_empty());
    }
}

/// A time limit that linear time stays far below and quadratic time far exceeds.
const LONG: Duration = Duration::from_secs(20);

fn in_time<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let found = work();
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
    found
}

/// All copies have one issuer name with one key, so that each copy is verified once.
fn one_certificate_many_times(settings: &Settings) {
    const TIMES: usize = 3000;
    let made = chains(settings);
    let root = &made[0];
    let (_first, der) = file(&root.repeat(TIMES));
    let (_second, text) = file(pem(root).repeat(TIMES).as_bytes());
    for path in [der, text] {
        let Answers { answers, problems } = in_time(|| check_files(settings, &[path], &[b""]));
        assert_eq!((answers.len(), problems), (TIMES, Vec::new()));
        assert!(
            answers
                .iter()
                .all(|answer| answer.valid() == Some(true) && answer.signed_by == Some(0))
        );
    }
}

fn blocks_that_do_not_end(settings: &Settings) {
    let made = chains(settings);
    let last = pem(&made[0]);
    for begin in [
        "-----BEGIN ",
        "-----BEGIN CERTIFICATE",
        "-----BEGIN CERTIFICATE-----\n",
    ] {
        let (_folder, path) = file((begin.repeat(60_000) + &last).as_bytes());
        let Answers { answers, problems } = in_time(|| check_files(settings, &[path], &[b""]));
        assert_eq!(answers.len(), 1);
        assert!(problems.len() < 2000);
    }
}

/// The crate that decodes names takes very long for a name with very many parts.
fn long_names(settings: &Settings) {
    // In the order for which sorting takes longest.
    let parts: Vec<u8> = (0_u16..60_000)
        .rev()
        .flat_map(|part| common_name(format!("{part:05}").as_bytes()))
        .collect();
    let issuer = Authority::new(settings, CurveId::P256, "issuer");
    let long = sequence(&[tagged(0x31, &parts)]);
    let long = certificate_named(settings, &issuer, &long, &issuer, Algorithm::EcdsaSha256);
    let (_folder, path) = file(&long);
    let Answers { answers, problems } = in_time(|| check_files(settings, &[path], &[b""]));
    assert_eq!((answers.len(), problems.len()), (0, 1));
    assert!(problems[0].what.contains("a name"), "{problems:?}");
    // A name with fewer parts is accepted.
    let few: Vec<u8> = (0..100)
        .rev()
        .flat_map(|part| common_name(format!("{part:02}").as_bytes()))
        .collect();
    let few = sequence(&[tagged(0x31, &few)]);
    let (_folder, path) = file(&certificate_named(
        settings,
        &issuer,
        &few,
        &issuer,
        Algorithm::EcdsaSha256,
    ));
    assert_eq!(check_files(settings, &[path], &[b""]).answers.len(), 1);
}

/// Certificates above the memory limit are a problem; those before it are checked.
fn little_memory(settings: &Settings) {
    let little = Settings {
        max_memory: Some(0),
        ..*settings
    };
    let root = &chains(settings)[0];
    let (_first, few) = file(&root.repeat(1000));
    let (_second, many) = file(&root.repeat(8000));
    let (_third, more) = file(&root.repeat(8000));
    assert_eq!(
        check_files(&little, std::slice::from_ref(&few), &[b""]).problems,
        []
    );
    let Answers { answers, problems } = check_files(&little, &[few, many, more], &[b""]);
    assert!((1000..17_000).contains(&answers.len()), "{}", answers.len());
    assert!(answers.iter().all(|answer| answer.valid() == Some(true)));
    assert!(
        problems.len() == 1 && problems[0].what.contains("memory"),
        "{problems:?}"
    );
}

/// An interrupted run returns no answers and no problems.
fn interrupted(settings: &Settings) {
    let settings = Settings {
        interrupted: &AtomicBool::new(true),
        ..*settings
    };
    let Answers { answers, problems } =
        check_files(&settings, &[of_examples("sm2/sm2_certs.pem")], &[b""]);
    assert!(answers.is_empty() && problems.is_empty());
}
