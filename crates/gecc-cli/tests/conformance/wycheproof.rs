//! Project Wycheproof, `testvectors_v1`: all files of the curves.
//!
//! A `valid` case has to pass, an `invalid` one must not, and an `acceptable` one may be refused but
//! not computed wrongly; how many of those are computed is part of the table.

use crate::ENGINE;
use crate::command::answers;
use crate::hashes::digest;
use crate::report::Row;
use crate::vectors::{bytes, json, list, number, text};
use gecc::ecdsa::Policy;
use gecc::ed25519::{Rule, Variant};
use gecc::x25519::AllZero;
use gecc::{
    CurveId, Point, PublicKeys, SecretKey, ecdh, ecdsa, ed25519, keys, point, signature_from_der,
    x25519,
};
use gecc_keys::KeyKind;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Curves by the names of Wycheproof and of WebCrypto.
fn curve(name: &str) -> Option<CurveId> {
    Some(match name {
        "secp256k1" | "P-256K" => CurveId::Secp256k1,
        "secp256r1" | "P-256" => CurveId::P256,
        "brainpoolP256r1" => CurveId::BrainpoolP256r1,
        _ => return None,
    })
}

const ECDSA: [&str; 22] = [
    "ecdsa_brainpoolP256r1_sha256_p1363_test",
    "ecdsa_brainpoolP256r1_sha256_test",
    "ecdsa_brainpoolP256r1_sha3_256_test",
    "ecdsa_secp256k1_sha256_bitcoin_test",
    "ecdsa_secp256k1_sha256_p1363_test",
    "ecdsa_secp256k1_sha256_test",
    "ecdsa_secp256k1_sha3_256_test",
    "ecdsa_secp256k1_sha3_512_test",
    "ecdsa_secp256k1_sha512_p1363_test",
    "ecdsa_secp256k1_sha512_test",
    "ecdsa_secp256k1_shake128_p1363_test",
    "ecdsa_secp256k1_shake128_test",
    "ecdsa_secp256k1_shake256_p1363_test",
    "ecdsa_secp256k1_shake256_test",
    "ecdsa_secp256r1_sha256_p1363_test",
    "ecdsa_secp256r1_sha256_test",
    "ecdsa_secp256r1_sha3_256_test",
    "ecdsa_secp256r1_sha3_512_test",
    "ecdsa_secp256r1_sha512_p1363_test",
    "ecdsa_secp256r1_sha512_test",
    "ecdsa_secp256r1_shake128_p1363_test",
    "ecdsa_secp256r1_shake128_test",
];

const ECDH: [&str; 7] = [
    "ecdh_brainpoolP256r1_test",
    "ecdh_secp256k1_test",
    "ecdh_secp256k1_webcrypto_test",
    "ecdh_secp256r1_ecpoint_test",
    "ecdh_secp256r1_pem_test",
    "ecdh_secp256r1_test",
    "ecdh_secp256r1_webcrypto_test",
];

/// Plain keys, and keys in formats that state their purpose.
const X25519: [&str; 4] = [
    "x25519_test",
    "x25519_asn_test",
    "x25519_jwk_test",
    "x25519_pem_test",
];

pub fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = ECDSA.iter().map(|name| ecdsa_row(name)).collect();
    rows.extend(ECDH.iter().map(|name| ecdh_row(name)));
    rows.push(ed25519_row());
    rows.extend(X25519.iter().map(|name| x25519_row(name)));
    rows.push(curves_row());
    rows
}

/// The groups of a file, whose cases are counted.
fn groups(name: &str) -> (Vec<Value>, usize) {
    let file = json(&format!("wycheproof/{name}.json.gz"));
    let groups = list(&file["testGroups"]).to_vec();
    let cases = groups.iter().map(|group| list(&group["tests"]).len()).sum();
    assert_eq!(file["numberOfTests"], cases, "{name}");
    (groups, cases)
}

/// Returns what a case is, for messages.
fn described(case: &Value) -> String {
    format!(
        "{} {}, {}: {}",
        case["tcId"], case["result"], case["flags"], case["comment"]
    )
}

/// A case of a signature, with the key and hash of its group.
struct SignatureCase<'a> {
    case: &'a Value,
    hash: &'a str,
    message: Vec<u8>,
    digest: Vec<u8>,
    signature: Vec<u8>,
    /// The key as an octet string, then in the formats that the file has.
    key: Vec<u8>,
    pem: &'a str,
    jwk: Option<String>,
    is_valid: bool,
}

impl<'a> SignatureCase<'a> {
    fn of(group: &'a Value, key: Vec<u8>) -> impl Iterator<Item = SignatureCase<'a>> {
        list(&group["tests"]).iter().map(move |case| {
            let message = bytes(&case["msg"]);
            let hash = group["sha"].as_str().unwrap_or_default();
            SignatureCase {
                case,
                hash,
                digest: if hash.is_empty() {
                    Vec::new()
                } else {
                    digest(hash, &message)
                },
                message,
                signature: bytes(&case["sig"]),
                key: key.clone(),
                pem: text(&group["publicKeyPem"]),
                jwk: group.get("publicKeyJwk").map(Value::to_string),
                is_valid: match text(&case["result"]) {
                    "valid" => true,
                    "invalid" => false,
                    other => panic!("{}: no signature is {other}", case["tcId"]),
                },
            }
        })
    }

    fn described(&self) -> String {
        described(self.case)
    }
}

/// Requires that the formats of a group's key are read as the same key.
fn require_key_forms(name: &str, group: &Value, kind: KeyKind, key: &[u8]) {
    let der = bytes(&group["publicKeyDer"]);
    let mut forms = vec![der, text(&group["publicKeyPem"]).as_bytes().to_vec()];
    forms.extend(
        group
            .get("publicKeyJwk")
            .map(|jwk| jwk.to_string().into_bytes()),
    );
    for form in forms {
        let read = gecc_keys::public_key(&form, kind);
        assert_eq!(
            read,
            Some(Ok(key.to_vec())),
            "{name}: {}",
            String::from_utf8_lossy(&form)
        );
    }
}

fn ecdsa_row(name: &str) -> Row {
    let (groups, count) = groups(name);
    let curve = curve(name.split('_').nth(1).expect("a curve")).expect("a known curve");
    let is_der = !name.contains("p1363");
    let is_bitcoin = name.contains("bitcoin");
    let mut cases = Vec::new();
    for group in &groups {
        let key = bytes(&group["publicKey"]["uncompressed"]);
        require_key_forms(name, group, curve.into(), &key);
        cases.extend(SignatureCase::of(group, key));
    }
    let mut row = Row::new(name.trim_end_matches("_test"), count).with_python();
    if is_bitcoin {
        row.note("with low s required");
    }
    let policy = if is_bitcoin {
        Policy::low_s()
    } else {
        Policy::default()
    };
    for (case, is_valid) in cases.iter().zip(verified(curve, is_der, policy, &cases)) {
        row.library(is_valid == case.is_valid, || case.described());
    }
    let mut agreed = vec![true; cases.len()];
    for items in ecdsa_items(&cases) {
        let form = if is_der { "der" } else { "rs" };
        let curve_name = curve.to_string();
        let mut arguments = vec!["verify", "--curve", &curve_name, "--signature-form", form];
        if is_bitcoin {
            arguments.push("--low-s");
        }
        if let Some(hash) = items.hash {
            arguments.extend(["--hash", hash]);
        }
        for ((case, agreed), answer) in cases
            .iter()
            .zip(&mut agreed)
            .zip(answers(&arguments, &items.lines))
        {
            *agreed &= answer["valid"] == case.is_valid;
        }
    }
    for (case, agreed) in cases.iter().zip(agreed) {
        row.command(agreed, || case.described());
    }
    row
}

/// Verifies all cases as one batch. Signatures that do not decode stay in it, so that every case
/// keeps its place.
fn verified(curve: CurveId, is_der: bool, policy: Policy, cases: &[SignatureCase]) -> Vec<bool> {
    let decoded: Vec<Option<[u8; 64]>> = cases
        .iter()
        .map(|case| {
            if is_der {
                signature_from_der(&case.signature).ok()
            } else {
                case.signature[..].try_into().ok()
            }
        })
        .collect();
    let signatures: Vec<[u8; 64]> = decoded.iter().map(|row| row.unwrap_or([1; 64])).collect();
    let digests: Vec<[u8; 32]> = cases
        .iter()
        .map(|case| gecc::fields::ecdsa_digest(&case.digest).expect("a length of digests"))
        .collect();
    let keys: Vec<&[u8]> = cases.iter().map(|case| &case.key[..]).collect();
    let verdicts = ecdsa::verify(
        &ENGINE,
        curve,
        &digests,
        &signatures,
        PublicKeys::sec1(&keys),
        policy,
    );
    let verdicts = verdicts.expect("the CPU computes");
    decoded
        .iter()
        .zip(verdicts)
        .map(|(decoded, verdict)| decoded.is_some() && verdict.is_valid())
        .collect()
}

/// Lines for one run of the command.
struct Items {
    hash: Option<&'static str>,
    lines: Vec<Value>,
}

/// The cases with digests and plain keys, with digests and keys in PEM, and with messages, where the
/// command has the hash, and JSON Web Keys, where the file has them.
fn ecdsa_items(cases: &[SignatureCase]) -> Vec<Items> {
    let line = |case: &SignatureCase, with_message: bool, key: &str| {
        let (field, value) = if with_message {
            ("message", &case.message)
        } else {
            ("digest", &case.digest)
        };
        json!({
            field: hex::encode(value),
            "signature": hex::encode(&case.signature),
            "public_key": key,
        })
    };
    let hash = match cases[0].hash {
        "SHA-256" => Some("sha256"),
        "SHA-512" => Some("sha512"),
        _ => None,
    };
    let lines = |with_message: bool, key: &dyn Fn(&SignatureCase) -> String| {
        let lines = cases
            .iter()
            .map(|case| line(case, with_message, &key(case)));
        Items {
            hash: hash.filter(|_| with_message),
            lines: lines.collect(),
        }
    };
    vec![
        lines(false, &|case| hex::encode(&case.key)),
        lines(false, &|case| case.pem.to_owned()),
        lines(hash.is_some(), &|case| {
            case.jwk.clone().unwrap_or_else(|| hex::encode(&case.key))
        }),
    ]
}

/// A key as a file has it. Octets may look like text.
enum FileKey {
    /// PEM or a JSON Web Key.
    Text(String),
    /// DER, a point, a number of any length, or a plain key.
    Octets(Vec<u8>),
}

impl FileKey {
    fn of(value: &Value) -> Self {
        match value {
            Value::String(text) if text.starts_with("-----") || text.is_empty() => {
                FileKey::Text(text.clone())
            }
            Value::String(digits) => FileKey::Octets(crate::vectors::digits(digits)),
            other => FileKey::Text(other.to_string()),
        }
    }

    fn as_bytes(&self) -> &[u8] {
        match self {
            FileKey::Text(text) => text.as_bytes(),
            FileKey::Octets(octets) => octets,
        }
    }
}

/// A case of a key agreement.
struct AgreementCase {
    described: String,
    result: String,
    flags: Vec<String>,
    shared: Vec<u8>,
    /// The peer's key.
    public: FileKey,
    private: FileKey,
}

impl AgreementCase {
    fn of(case: &Value) -> Self {
        AgreementCase {
            described: described(case),
            result: text(&case["result"]).to_owned(),
            flags: list(&case["flags"])
                .iter()
                .map(|flag| text(flag).to_owned())
                .collect(),
            shared: bytes(&case["shared"]),
            public: FileKey::of(&case["public"]),
            private: FileKey::of(&case["private"]),
        }
    }

    /// Returns whether this outcome is allowed.
    fn allows(&self, shared: Option<&[u8]>) -> bool {
        match (&self.result[..], shared) {
            ("valid" | "acceptable", Some(shared)) => shared == self.shared,
            ("valid", None) | ("invalid", Some(_)) => false,
            ("acceptable" | "invalid", None) => true,
            (other, _) => panic!("{}: no result is {other}", self.described),
        }
    }
}

/// Describes which acceptable cases were computed and which were refused, by their first flags.
fn acceptable_note(cases: &[AgreementCase], computed: &[bool]) -> Option<String> {
    let mut counts: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    for (case, computed) in cases.iter().zip(computed) {
        if case.result == "acceptable" {
            let flag = case.flags.first().map_or("no flag", String::as_str);
            *counts.entry((*computed, flag)).or_default() += 1;
        }
    }
    let of = |computed: bool| {
        let matching = counts.iter().filter(|((other, _), _)| *other == computed);
        matching
            .map(|((_, flag), count)| format!("{count} {flag}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let parts = [("computed", of(true)), ("refused", of(false))];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, cases)| !cases.is_empty())
        .map(|(outcome, cases)| format!("{outcome} {cases}"))
        .collect();
    (!parts.is_empty()).then(|| format!("of acceptable cases: {}", parts.join("; ")))
}

fn ecdh_row(name: &str) -> Row {
    let (groups, count) = groups(name);
    let curve = curve(name.split('_').nth(1).expect("a curve")).expect("a known curve");
    let cases: Vec<AgreementCase> = groups
        .iter()
        .flat_map(|group| list(&group["tests"]))
        .map(AgreementCase::of)
        .collect();
    let mut row = Row::new(name.trim_end_matches("_test"), count).with_python();
    let shared = agreed(curve, &cases);
    for (case, shared) in cases.iter().zip(&shared) {
        let shared = shared.as_ref().map(|shared| &shared[..]);
        row.library(case.allows(shared), || case.described.clone());
    }
    let computed: Vec<bool> = shared.iter().map(Option::is_some).collect();
    row.note_acceptable(&cases, &computed);
    let lines: Vec<Value> = cases.iter().map(ecdh_line).collect();
    let found = answers(&["ecdh", "--curve", &curve.to_string()], &lines);
    for ((case, answer), computed) in cases.iter().zip(found).zip(computed) {
        let shared = answer.get("shared_secret").map(bytes);
        // The command decides acceptable cases like the library.
        let is_same = shared.is_some() == computed;
        row.command(is_same && case.allows(shared.as_deref()), || {
            format!("{}: {answer}", case.described)
        });
    }
    row
}

impl Row {
    fn note_acceptable(&mut self, cases: &[AgreementCase], computed: &[bool]) {
        if let Some(note) = acceptable_note(cases, computed) {
            self.note(note);
        }
    }
}

/// Agrees on all cases as one batch, with keys in whatever format the file has.
fn agreed(curve: CurveId, cases: &[AgreementCase]) -> Vec<Option<[u8; 32]>> {
    // A key that is not read stays in the batch as an empty one, which is no point.
    let peers: Vec<Vec<u8>> = cases
        .iter()
        .map(
            |case| match gecc_keys::public_key(case.public.as_bytes(), curve) {
                Some(read) => read.unwrap_or_default(),
                None => case.public.as_bytes().to_vec(),
            },
        )
        .collect();
    let peers: Vec<&[u8]> = peers.iter().map(Vec::as_slice).collect();
    let secret: Vec<Option<SecretKey>> = cases
        .iter()
        .map(|case| match &case.private {
            // WebCrypto has keys on other curves as invalid cases.
            FileKey::Text(text) => secret_key(text.as_bytes(), curve.into()),
            FileKey::Octets(octets) => number(octets).map(SecretKey::from_bytes),
        })
        .collect();
    let used: Vec<SecretKey> = secret
        .iter()
        .map(|key| key.clone().unwrap_or(SecretKey::from_bytes([1; 32])))
        .collect();
    let shared = ecdh::shared_secrets(&ENGINE, curve, &used, PublicKeys::sec1(&peers));
    shared
        .expect("the CPU computes")
        .into_iter()
        .zip(&secret)
        .map(|(shared, key)| {
            key.as_ref()?;
            shared.ok().map(|shared| *shared.expose_bytes())
        })
        .collect()
}

/// Reads the only private key of a file.
fn secret_key(file: &[u8], kind: KeyKind) -> Option<SecretKey> {
    let read = gecc_keys::secret_keys(file, kind).ok()?;
    Some(read.into_iter().next().expect("one key"))
}

fn ecdh_line(case: &AgreementCase) -> Value {
    let public = match &case.public {
        FileKey::Text(text) => text.clone(),
        FileKey::Octets(octets) => hex::encode(octets),
    };
    let private = match &case.private {
        FileKey::Text(text) => text.clone(),
        FileKey::Octets(octets) => number(octets).map_or_else(|| hex::encode(octets), hex::encode),
    };
    json!({"public_key": public, "secret_key": private})
}

/// The case "accepted only by verifiers that ignore the sign of x", as ZIP 215 requires.
const IGNORED_SIGN: u64 = 151;

fn ed25519_row() -> Row {
    let name = "ed25519_test";
    let (groups, count) = groups(name);
    let mut cases = Vec::new();
    for group in &groups {
        let key = bytes(&group["publicKey"]["pk"]);
        require_key_forms(name, group, KeyKind::Ed25519, &key);
        cases.extend(SignatureCase::of(group, key));
    }
    let mut row = Row::new("ed25519", count).with_python();
    row.note(
        "by each of the six rules; zip215 accepts case 151, as it ignores the sign of an x of 0",
    );
    let messages: Vec<&[u8]> = cases.iter().map(|case| &case.message[..]).collect();
    let signatures: Vec<Option<[u8; 64]>> = cases
        .iter()
        .map(|case| case.signature[..].try_into().ok())
        .collect();
    let rows: Vec<[u8; 64]> = signatures
        .iter()
        .map(|row| row.unwrap_or([0xff; 64]))
        .collect();
    let keys: Vec<[u8; 32]> = cases
        .iter()
        .map(|case| case.key[..].try_into().expect("32 bytes"))
        .collect();
    let lines: Vec<Value> = cases
        .iter()
        .enumerate()
        .map(|(item, case)| {
            let key = match item % 3 {
                0 => hex::encode(&case.key),
                1 => case.pem.to_owned(),
                _ => case.jwk.clone().expect("every group has one"),
            };
            let message = hex::encode(&case.message);
            json!({"message": message, "signature": hex::encode(&case.signature), "public_key": key})
        })
        .collect();
    let mut through_library = vec![true; cases.len()];
    let mut through_command = vec![true; cases.len()];
    for rule in Rule::ALL {
        let verdicts = ed25519::verify(
            &ENGINE,
            &messages,
            &rows,
            PublicKeys::ed25519(&keys),
            Variant::PURE,
            *rule,
        );
        let verdicts = verdicts.expect("the CPU computes");
        let arguments = ["verify", "--scheme", "ed25519", "--rule", rule.name()];
        let found = answers(&arguments, &lines);
        for (item, verdict) in verdicts.into_iter().enumerate() {
            let is_valid = signatures[item].is_some() && verdict.is_valid();
            let expected = cases[item].is_valid
                || *rule == Rule::Zip215 && cases[item].case["tcId"] == IGNORED_SIGN;
            through_library[item] &= is_valid == expected;
            through_command[item] &= found[item]["valid"] == expected;
        }
    }
    for (item, case) in cases.iter().enumerate() {
        row.library(through_library[item], || case.described());
        row.command(through_command[item], || case.described());
    }
    row
}

/// Shared secrets of one batch, or `None` where a case was refused.
type SharedSecrets = Vec<Option<Vec<u8>>>;

/// The same cases with shared secrets of zero accepted, which is an option, and rejected.
struct X25519Outcomes {
    accepting: SharedSecrets,
    rejecting: SharedSecrets,
}

impl X25519Outcomes {
    fn of(shared: impl Fn(AllZero) -> SharedSecrets) -> Self {
        X25519Outcomes {
            accepting: shared(AllZero::Accept),
            rejecting: shared(AllZero::Reject),
        }
    }

    /// Returns whether this case has the outcomes that its result and flags require. An acceptable
    /// case has to be computed: only a shared secret of zero may be refused, and only if zero is
    /// not accepted.
    fn are_right(&self, item: usize, case: &AgreementCase) -> bool {
        let accepted = (case.result != "invalid").then_some(&case.shared);
        let checked = accepted.filter(|_| !case.shares_zero());
        self.accepting[item].as_ref() == accepted && self.rejecting[item].as_ref() == checked
    }

    fn described(&self, item: usize, case: &AgreementCase) -> String {
        let shown = |shared: &SharedSecrets| shared[item].as_ref().map(hex::encode);
        format!(
            "{}: {:?} with zero accepted, {:?} with zero rejected",
            case.described,
            shown(&self.accepting),
            shown(&self.rejecting),
        )
    }
}

impl AgreementCase {
    fn shares_zero(&self) -> bool {
        self.flags.iter().any(|flag| flag == "ZeroSharedSecret")
    }
}

fn x25519_row(name: &str) -> Row {
    let (groups, count) = groups(name);
    let cases: Vec<AgreementCase> = groups
        .iter()
        .flat_map(|group| list(&group["tests"]))
        .map(AgreementCase::of)
        .collect();
    let mut row = Row::new(name.trim_end_matches("_test"), count).with_python();
    let through_library = X25519Outcomes::of(x25519_by_library(&cases));
    let through_command = X25519Outcomes::of(x25519_by_command(&cases));
    for (item, case) in cases.iter().enumerate() {
        row.library(through_library.are_right(item, case), || {
            through_library.described(item, case)
        });
        row.command(through_command.are_right(item, case), || {
            through_command.described(item, case)
        });
    }
    let acceptable = cases.iter().filter(|case| case.result == "acceptable");
    let zero = acceptable.clone().filter(|case| case.shares_zero()).count();
    row.note(format!(
        "all {} acceptable cases are computed, {zero} that share zero only if this is accepted",
        acceptable.count()
    ));
    row
}

/// Agrees on all cases as one batch. Cases with a key that is not read stay in it with other keys,
/// so that every case keeps its place.
fn x25519_by_library(cases: &[AgreementCase]) -> impl Fn(AllZero) -> SharedSecrets {
    let read: Vec<Option<(SecretKey, [u8; 32])>> = cases.iter().map(x25519_keys).collect();
    let (secret, peers): (Vec<SecretKey>, Vec<[u8; 32]>) = read
        .iter()
        .map(|keys| {
            keys.clone()
                .unwrap_or((SecretKey::from_bytes([1; 32]), [9; 32]))
        })
        .unzip();
    move |all_zero| {
        let peers = PublicKeys::x25519(&peers);
        x25519::shared_secrets(&ENGINE, &secret, peers, all_zero)
            .expect("the CPU computes")
            .into_iter()
            .zip(&read)
            .map(|(shared, keys)| {
                keys.as_ref()?;
                shared.ok().map(|shared| shared.expose_bytes().to_vec())
            })
            .collect()
    }
}

/// Reads the keys of a case in whatever format the file has. Returns `None` if one is refused.
fn x25519_keys(case: &AgreementCase) -> Option<(SecretKey, [u8; 32])> {
    let kind = KeyKind::X25519;
    let public = case.public.as_bytes();
    let public = match gecc_keys::public_key(public, kind) {
        Some(read) => read.ok()?,
        None => public.to_vec(),
    };
    let private = case.private.as_bytes();
    let secret = match private.try_into() {
        Ok(plain) => SecretKey::from_bytes(plain),
        Err(_) => secret_key(private, kind)?,
    };
    Some((secret, public.try_into().ok()?))
}

fn x25519_by_command(cases: &[AgreementCase]) -> impl Fn(AllZero) -> SharedSecrets {
    let lines: Vec<Value> = cases.iter().map(ecdh_line).collect();
    move |all_zero| {
        let mut arguments = vec!["ecdh", "--curve", "x25519"];
        if all_zero == AllZero::Accept {
            arguments.push("--accept-all-zero");
        }
        answers(&arguments, &lines)
            .iter()
            .map(|answer| answer.get("shared_secret").map(bytes))
            .collect()
    }
}

/// The domain parameters: the generator, the order, and that the generator is on the curve.
fn curves_row() -> Row {
    let (groups, count) = groups("ec_prime_order_curves_test");
    let mut row = Row::new("ec_prime_order_curves", count);
    for group in &groups {
        for case in list(&group["tests"]) {
            match curve(text(&case["name"])) {
                Some(curve) => row.library(is_curve(curve, case), || case["name"].to_string()),
                None => row.leave_out("other curves"),
            }
        }
    }
    row
}

fn is_curve(curve: CurveId, case: &Value) -> bool {
    let field = |name: &str| number(&bytes(&case[name])).expect("below 2^256");
    let order = field("n");
    let one = number(&[1]).expect("small");
    let mut last = order;
    // No order ends in zero.
    last[31] -= 1;
    let generator = Point::from_coordinates(&field("gx"), &field("gy"));
    let products = point::mul_base(&ENGINE, curve, &[one, last]).expect("the CPU computes");
    let secret = [order, last].map(SecretKey::from_bytes);
    let public = keys::public_keys(&ENGINE, curve, &secret).expect("the CPU computes");
    let negated = |point: &Point| point.as_bytes()[1..33] == generator.as_bytes()[1..33];
    text(&case["oid"]) == curve.oid()
        && products[0] == Ok(generator)
        && products[1]
            .as_ref()
            .is_ok_and(|last| negated(last) && *last != generator)
        && public[0].is_err()
        && public[1].is_ok()
}
