//! X25519: the cases that all interfaces share, forms of keys, and arguments that are refused.

use super::{NO_DATA, cpu, expect_failure, expect_ok, one, rows, strings};
use crate::capi::choices::GeccAllZero;
use crate::capi::codes::GeccCode;
use crate::capi::ed25519::{gecc_ed25519_public_keys_read, gecc_ed25519_seed_read};
use crate::capi::status::GeccStatus;
use crate::capi::x25519::{
    gecc_x25519, gecc_x25519_public_keys, gecc_x25519_public_keys_read, gecc_x25519_secret_key_read,
};
use crate::shared_cases::{Agreement, X25519};
use std::ptr::{null, null_mut};

const REJECT: i32 = GeccAllZero::Reject as i32;
const ACCEPT: i32 = GeccAllZero::Accept as i32;

const PKCS8: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VuBCIEIHcHbQpzGKV9PBbBclGyZkXfTC+H68CZKrF3+6UduSwq\n-----END PRIVATE KEY-----\n";
const SPKI: &str = "-----BEGIN PUBLIC KEY-----\n\
    MCowBQYDK2VuAyEAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=\n-----END PUBLIC KEY-----\n";
/// RFC 8410, sections 10.3 and 10.1.
const ED25519_PKCS8: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
const ED25519_SPKI: &str = "-----BEGIN PUBLIC KEY-----\n\
    MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";

fn row(bytes: &[u8]) -> [u8; 32] {
    bytes.try_into().expect("32 bytes")
}

/// Alice's keys of RFC 7748, section 6.1, in the shared cases, and as OpenSSL 3.0 writes them in
/// the texts above.
fn alice() -> &'static Agreement {
    &X25519.public_keys[0]
}

pub fn shared_cases_have_their_secrets() {
    let engine = cpu();
    // Keys of other lengths have no place in rows.
    let cases: Vec<&Agreement> = X25519
        .shared_secrets
        .iter()
        .filter(|case| case.public_key.len() == 32)
        .collect();
    let secret_keys: Vec<[u8; 32]> = cases.iter().map(|case| row(&case.secret_key)).collect();
    let peers: Vec<[u8; 32]> = cases.iter().map(|case| row(&case.public_key)).collect();
    for all_zero in [REJECT, ACCEPT] {
        let mut secrets = vec![[7; 32]; cases.len()];
        let mut codes = vec![7; cases.len()];
        expect_ok(unsafe {
            gecc_x25519(
                engine.0,
                all_zero,
                cases.len(),
                rows(&secret_keys),
                rows(&peers),
                secrets.as_mut_ptr().cast(),
                codes.as_mut_ptr(),
            )
        });
        for ((case, code), secret) in cases.iter().zip(codes).zip(secrets) {
            match case.reason.filter(|_| all_zero == REJECT) {
                Some(reason) => assert_eq!(code, reason, "{}", case.name),
                None => {
                    assert_eq!(code, GeccCode::Valid as u8, "{}", case.name);
                    assert_eq!(secret[..], case.shared_secret, "{}", case.name);
                }
            }
        }
    }
    assert!(
        cases
            .iter()
            .any(|case| case.reason == Some(GeccCode::IdentityResult as u8))
    );
}

/// Also one key for all items.
pub fn shared_cases_have_their_public_keys() {
    let engine = cpu();
    let cases = &X25519.public_keys;
    let secret_keys: Vec<[u8; 32]> = cases.iter().map(|case| row(&case.secret_key)).collect();
    let expected: Vec<[u8; 32]> = cases.iter().map(|case| row(&case.public_key)).collect();
    let mut public = vec![[7; 32]; cases.len()];
    let to = public.as_mut_ptr().cast();
    expect_ok(unsafe { gecc_x25519_public_keys(engine.0, cases.len(), rows(&secret_keys), to) });
    assert_eq!(public, expected);
    expect_ok(unsafe { gecc_x25519_public_keys(engine.0, cases.len(), one(&secret_keys[0]), to) });
    assert_eq!(public, vec![expected[0]; cases.len()]);
}

pub fn key_forms() {
    let public = &alice().public_key;
    let der = [
        &hex::decode("302a300506032b656e032100").unwrap()[..],
        public,
    ]
    .concat();
    let after_a_byte = [&[2][..], public].concat();
    let keys = strings([
        SPKI.as_bytes(),
        &der,
        public,
        &public[1..],
        &after_a_byte,
        ED25519_SPKI.as_bytes(),
        b"",
    ]);
    let (mut read, mut codes) = ([[7; 32]; 7], [7; 7]);
    let to = read.as_mut_ptr().cast();
    expect_ok(unsafe { gecc_x25519_public_keys_read(7, keys.as_ptr(), to, codes.as_mut_ptr()) });
    let [valid, malformed] = [GeccCode::Valid as u8, GeccCode::MalformedPoint as u8];
    assert_eq!(codes[..3], [valid; 3]);
    assert_eq!(codes[3..], [malformed; 4]);
    assert!(read[..3].iter().all(|key| key == &public[..]) && read[3..] == [[0; 32]; 4]);

    let mut secret_key = [7; 32];
    let to = secret_key.as_mut_ptr();
    expect_ok(unsafe { gecc_x25519_secret_key_read(PKCS8.as_ptr(), PKCS8.len(), to) });
    assert_eq!(secret_key[..], alice().secret_key);
}

/// Keys of Ed25519 and X25519 are not taken for one another.
pub fn keys_for_another_purpose_are_refused() {
    use GeccStatus::InvalidArgument;
    const NOT_X25519: &str = "the key is for Ed25519, not for X25519";
    const NOT_ED25519: &str = "the key is for X25519, not for Ed25519";
    let (mut row, mut code) = ([7; 32], 7);
    let read = |key: &str, row: &mut [u8; 32], code: &mut u8| {
        let keys = strings([key.as_bytes()]);
        unsafe { gecc_x25519_public_keys_read(1, keys.as_ptr(), row.as_mut_ptr(), code) }
    };
    expect_failure(
        read(ED25519_SPKI, &mut row, &mut code),
        InvalidArgument,
        NOT_X25519,
    );
    let keys = strings([SPKI.as_bytes()]);
    let found =
        unsafe { gecc_ed25519_public_keys_read(1, keys.as_ptr(), row.as_mut_ptr(), &mut code) };
    expect_failure(found, InvalidArgument, NOT_ED25519);

    let to = row.as_mut_ptr();
    let found =
        unsafe { gecc_x25519_secret_key_read(ED25519_PKCS8.as_ptr(), ED25519_PKCS8.len(), to) };
    expect_failure(found, InvalidArgument, NOT_X25519);
    let found = unsafe { gecc_ed25519_seed_read(PKCS8.as_ptr(), PKCS8.len(), to) };
    expect_failure(found, InvalidArgument, NOT_ED25519);
    assert_eq!(row, [0; 32]);
}

pub fn arguments_are_refused() {
    use GeccStatus::{InvalidArgument, NullPointer};
    let engine = cpu();
    let keys = [[1; 32]];
    let (mut secrets, mut codes) = ([7; 32], [7]);
    let mut shared = |all_zero, secret_keys, peers, out: *mut u8| unsafe {
        let codes = codes.as_mut_ptr();
        gecc_x25519(engine.0, all_zero, 1, secret_keys, peers, out, codes)
    };
    for number in [2, -1] {
        let found = shared(number, rows(&keys), rows(&keys), secrets.as_mut_ptr());
        expect_failure(
            found,
            InvalidArgument,
            &format!("there is no treatment of zero {number}"),
        );
    }
    let out = secrets.as_mut_ptr();
    expect_failure(
        shared(REJECT, NO_DATA, rows(&keys), out),
        NullPointer,
        "secret_keys",
    );
    expect_failure(
        shared(REJECT, rows(&keys), NO_DATA, out),
        NullPointer,
        "peers",
    );
    expect_failure(
        shared(REJECT, rows(&keys), rows(&keys), null_mut()),
        NullPointer,
        "secrets",
    );
    let public_keys =
        |secret_keys, out| unsafe { gecc_x25519_public_keys(engine.0, 1, secret_keys, out) };
    expect_failure(public_keys(NO_DATA, out), NullPointer, "secret_keys");
    expect_failure(
        public_keys(rows(&keys), null_mut()),
        NullPointer,
        "public_keys",
    );
    expect_failure(public_keys(one(&secrets), out), InvalidArgument, "overlap");
    assert_eq!((secrets, codes), ([7; 32], [7]));
    expect_ok(unsafe {
        gecc_x25519(
            engine.0,
            REJECT,
            0,
            NO_DATA,
            NO_DATA,
            null_mut(),
            null_mut(),
        )
    });
    expect_ok(unsafe { gecc_x25519_public_keys(engine.0, 0, NO_DATA, null_mut()) });
    expect_ok(unsafe { gecc_x25519_public_keys_read(0, null(), null_mut(), null_mut()) });
}
