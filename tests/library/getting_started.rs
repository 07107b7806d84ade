//! The library as a new user meets it: first calls, and the errors for typical mistakes.

use crate::harness::{self, Test, named};
use gecc::rust_crypto::{k256, p256};
use gecc::{
    Backend, CurveId, Engine, Error, P256, Point, PublicKeys, Rejection, Rows, Secp256k1,
    SecretKey, bip340, ecdsa, keys, point, signature_from_der, sm2,
};

pub fn tests() -> Vec<Test> {
    harness::tests(
        None,
        named![
            first_success,
            an_engine_is_shown_in_a_line,
            calls_have_one_set_of_type_parameters,
            keys_and_signatures_of_other_crates_come_over,
            typical_mistakes,
            a_long_call_in_pieces,
            front_page_versions_match_the_manifest
        ],
    )
}

const DIGEST: [u8; 32] = [0x5a; 32];

fn engine() -> Engine {
    Engine::new().expect("an engine")
}

/// A key pair and its signature of the digest.
fn signed<C: gecc::EcdsaCurve>(engine: &Engine) -> (SecretKey, Point, [u8; 64]) {
    let (mut secret, public) = keys::generate(engine, C::ID, 1).unwrap();
    let signature =
        ecdsa::sign(engine, C::ID, &[DIGEST], &secret, Default::default()).unwrap()[0].unwrap();
    (secret.remove(0), public[0], signature)
}

fn first_success() {
    let engine = engine();
    let (_, key, signature) = signed::<P256>(&engine);
    let verdicts = ecdsa::verify(
        &engine,
        P256,
        &[DIGEST],
        &[signature],
        &[key],
        Default::default(),
    )
    .unwrap();
    assert!(verdicts.all_valid());
}

fn an_engine_is_shown_in_a_line() {
    let engine = Engine::builder()
        .backend(Backend::Cpu)
        .threads(2)
        .build()
        .unwrap();
    assert_eq!(format!("{engine:?}"), "Engine(CPU, 2 threads (asked for))");
    assert_eq!(format!("{engine:#?}"), format!("{engine:?}"));
}

/// Every call has the curve as its one type parameter, whatever the types of its columns.
fn calls_have_one_set_of_type_parameters() {
    let engine = engine();
    let (secret, key, _) = signed::<P256>(&engine);
    let signature = ecdsa::sign_messages(&engine, P256, &["one"], &secret, Default::default())
        .unwrap()[0]
        .unwrap();
    for verdicts in [
        ecdsa::verify_messages(
            &engine,
            P256,
            &["one"],
            &[signature],
            &key,
            Default::default(),
        ),
        ecdsa::verify_messages(
            &engine,
            P256,
            &[b"one"],
            &[signature],
            &key,
            Default::default(),
        ),
        ecdsa::verify_messages(
            &engine,
            P256,
            &[Vec::from("one")],
            &[signature],
            &[key],
            Default::default(),
        ),
    ] {
        assert!(verdicts.unwrap().all_valid());
    }
}

fn keys_and_signatures_of_other_crates_come_over() {
    use k256::ecdsa::signature::hazmat::PrehashSigner;
    let engine = engine();
    let secret = k256::SecretKey::from_slice(&[7; 32]).unwrap();
    let signer = k256::ecdsa::SigningKey::from(&secret);
    let signature: k256::ecdsa::Signature = signer.sign_prehash(&DIGEST).unwrap();
    let key = Point::from(signer.verifying_key());
    let rows = gecc::signature_rows(&[signature]);
    assert!(
        ecdsa::verify(
            &engine,
            Secp256k1,
            &[DIGEST],
            &rows,
            &key,
            Default::default()
        )
        .unwrap()
        .all_valid()
    );
    let der = signature.to_der();
    assert_eq!(signature_from_der(der.as_bytes()).unwrap(), rows[0]);
}

fn verify(
    engine: &Engine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: PublicKeys<'_>,
) -> Result<gecc::Verdicts, Error> {
    ecdsa::verify(
        engine,
        Secp256k1,
        digests,
        signatures,
        keys,
        Default::default(),
    )
}

/// The reason of the first rejection.
fn reason(verdicts: Result<gecc::Verdicts, Error>) -> gecc::Rejection {
    verdicts.unwrap().rejected().next().unwrap().1
}

/// Ten typical mistakes, and the error for each.
fn typical_mistakes() {
    let engine = engine();
    let (secret, key, signature) = signed::<Secp256k1>(&engine);

    // 1. One signature too few.
    let problem = verify(&engine, &[DIGEST; 2], &[signature], (&key).into()).unwrap_err();
    assert_eq!(
        problem.to_string(),
        "signatures: 1 entries for a batch of 2 items"
    );
    // 2. A key of another curve.
    let (_, of_p256, _) = signed::<P256>(&engine);
    assert_eq!(
        reason(verify(&engine, &[DIGEST], &[signature], (&of_p256).into())),
        Rejection::NotOnCurve
    );
    // 3. The message in place of its digest.
    let verdicts = ecdsa::verify_messages(
        &engine,
        Secp256k1,
        &[DIGEST],
        &[signature],
        &key,
        Default::default(),
    );
    assert_eq!(reason(verdicts), Rejection::Mismatch);
    // 4. A hexadecimal key as text.
    let text = hex::encode(key.as_bytes());
    assert_eq!(
        reason(verify(
            &engine,
            &[DIGEST],
            &[signature],
            PublicKeys::all(text.as_bytes())
        )),
        Rejection::MalformedPoint
    );
    // 5. DER cut to 64 bytes.
    let der = gecc::signature_to_der(&signature);
    assert!(
        !verify(
            &engine,
            &[DIGEST],
            &[*der.first_chunk().unwrap()],
            (&key).into()
        )
        .unwrap()
        .all_valid()
    );
    // 6. A high s from a library that does not mind, with the policy of those that do.
    let high = with_high_s(&signature);
    let low_s = ecdsa::Policy::low_s();
    assert_eq!(
        reason(ecdsa::verify(
            &engine,
            Secp256k1,
            &[DIGEST],
            &[high],
            &key,
            low_s
        ))
        .to_string(),
        "s is above n/2, which the low-s policy forbids"
    );
    assert!(
        verify(&engine, &[DIGEST], &[high], (&key).into())
            .unwrap()
            .all_valid()
    );
    // 7. An unknown curve: the error lists the known ones, with all their names.
    let problem = "P-384".parse::<CurveId>().unwrap_err().to_string();
    assert!(
        problem.starts_with("no curve is called `P-384`; the curves are ")
            && problem.contains("secp256r1")
    );
    // 8. ECDSA on SM2's curve.
    let problem = ecdsa::sign(
        &engine,
        CurveId::Sm2,
        &[DIGEST],
        &secret,
        Default::default(),
    )
    .unwrap_err();
    assert_eq!(problem.to_string(), "there is no ECDSA on sm2");
    // 9. A private key of zeros.
    let zeros = SecretKey::from_bytes([0; 32]);
    let rejected = [
        ecdsa::sign(&engine, P256, &[DIGEST], &zeros, Default::default()).unwrap()[0].unwrap_err(),
        sm2::sign(&engine, &[DIGEST], &zeros).unwrap()[0].unwrap_err(),
        bip340::sign(&engine, &[DIGEST], &zeros, Default::default()).unwrap()[0].unwrap_err(),
    ];
    assert_eq!(rejected, [Rejection::SecretKeyOutOfRange; 3]);
    // 10. Rows that do not fit their memory.
    let problem = Rows::<64>::strided(&[0; 128], 65, 2).unwrap_err();
    assert!(
        problem
            .to_string()
            .contains("2 rows of 64 bytes at a distance of 65 do not fit 128 bytes"),
        "{problem}"
    );
}

/// Returns (r, n - s), which is equally valid.
fn with_high_s(signature: &[u8; 64]) -> [u8; 64] {
    let signature = k256::ecdsa::Signature::from_slice(signature).unwrap();
    let (r, s) = signature.split_scalars();
    k256::ecdsa::Signature::from_scalars(r, -s)
        .unwrap()
        .to_bytes()
        .into()
}

/// A long call in pieces, which a program may end between any two.
fn a_long_call_in_pieces() {
    let engine = Engine::builder()
        .backend(Backend::Cpu)
        .threads(1)
        .build()
        .unwrap();
    let scalars: Vec<[u8; 32]> = (0..5000u32)
        .map(|item| std::array::from_fn(|at| (item >> (at % 4 * 8)) as u8))
        .collect();
    let column = Rows::new(&scalars);
    let mut points = vec![[0; 64]; scalars.len()];
    let mut codes = vec![0; scalars.len()];
    let mut pieces = 0;
    for piece in engine.pieces(scalars.len()) {
        let points = &mut points[piece.clone()];
        let codes = &mut codes[piece.clone()];
        point::mul_base_into(&engine, P256, column.slice(piece), points, codes).unwrap();
        pieces += 1;
    }
    let mut whole = vec![[0; 64]; scalars.len()];
    let mut whole_codes = vec![0; scalars.len()];
    point::mul_base_into(&engine, P256, column, &mut whole, &mut whole_codes).unwrap();
    assert!(pieces > 1);
    assert!(points == whole && codes == whole_codes);
}

/// The front page states the versions of the manifest.
fn front_page_versions_match_the_manifest() {
    let [manifest, page] = [
        include_str!("../../Cargo.toml"),
        include_str!("../../src/lib.rs"),
    ];
    let manifest: toml::Table = manifest.parse().unwrap();
    let rust = manifest["workspace"]["package"]["rust-version"]
        .as_str()
        .unwrap();
    assert!(page.contains(&format!("//! Rust {rust} or later")));
    for name in ["k256", "p256", "bp256", "sm2"] {
        let dependency = &manifest["workspace"]["dependencies"][name];
        assert_eq!(dependency["version"].as_str(), Some("0.14"), "{name}");
    }
    assert!(page.contains("`bp256` and `sm2` 0.14"));
    let features = manifest["features"].as_table().unwrap();
    assert!(
        features
            .keys()
            .all(|name| page.contains(&format!("`{name}`"))),
        "{features:?}"
    );
    // That both are here is the test.
    let _ = (p256::NistP256, k256::Secp256k1);
}
