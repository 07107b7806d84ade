//! The operations as values, on the cases that all interfaces share (`tests/cases`).

use super::AllZero;
use crate::cases::{Agreement, X25519};
use crate::declare::{apply, on_every_engine};
use gecc::call::{Columns, Operation};
use gecc::{Engine, Error, PublicKeys, Rejection, Rows, SecretKeys, Verdict};

fn secret_keys(cases: &[Agreement]) -> Vec<[u8; 32]> {
    cases
        .iter()
        .map(|case| exactly_32(&case.secret_key))
        .collect()
}

fn exactly_32(bytes: &[u8]) -> [u8; 32] {
    bytes.try_into().expect("32 bytes")
}

/// Returns the rows of keys, which are malformed for keys of another length.
fn peers(cases: &[Agreement]) -> Vec<[u8; 65]> {
    let row = |case: &Agreement| match case.public_key.as_slice().try_into() {
        Ok(key) => PublicKeys::mixed_row_of_x(key),
        Err(_) => PublicKeys::mixed_row(&[]),
    };
    cases.iter().map(row).collect()
}

#[apply(on_every_engine)]
fn shared_cases_have_their_secrets(engine: &Engine) {
    let cases = &X25519.shared_secrets;
    let keys = secret_keys(cases);
    let peers = peers(cases);
    let columns = Columns {
        secret_keys: SecretKeys::rows(Rows::new(&keys)),
        public_keys: PublicKeys::mixed(&peers),
        ..Columns::default()
    };
    for all_zero in [AllZero::Reject, AllZero::Accept] {
        let mut secrets = vec![0; 32 * cases.len()];
        let mut codes = vec![0; cases.len()];
        Operation::X25519(all_zero)
            .run(engine, &columns, &mut secrets, &mut [], &mut codes)
            .unwrap();
        for ((case, code), secret) in cases.iter().zip(codes).zip(secrets.as_chunks::<32>().0) {
            let expected = match all_zero {
                AllZero::Reject => case.reason,
                AllZero::Accept => case.reason_if_zero_is_accepted(),
            };
            assert_eq!(
                code,
                expected.unwrap_or(Verdict::VALID_CODE),
                "{}",
                case.name
            );
            if expected.is_none() {
                assert_eq!(secret[..], case.shared_secret, "{}", case.name);
            }
        }
    }
    let rejected: Vec<Rejection> = cases
        .iter()
        .filter_map(|case| Rejection::from_code(case.reason?))
        .collect();
    assert!(rejected.contains(&Rejection::IdentityResult));
    assert!(rejected.contains(&Rejection::MalformedPoint));
}

#[apply(on_every_engine)]
fn shared_cases_have_their_public_keys(engine: &Engine) {
    let cases = &X25519.public_keys;
    let keys = secret_keys(cases);
    let columns = Columns {
        secret_keys: SecretKeys::rows(Rows::new(&keys)),
        ..Columns::default()
    };
    let mut public = vec![0; 32 * cases.len()];
    let mut codes = vec![0; cases.len()];
    let run = |public: &mut [u8], codes: &mut [u8]| {
        Operation::X25519PublicKeys.run(engine, &columns, public, &mut [], codes)
    };
    run(&mut public, &mut codes).unwrap();
    assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
    for (case, public) in cases.iter().zip(public.as_chunks::<32>().0) {
        assert_eq!(public[..], case.public_key, "{}", case.name);
    }
    let too_few = run(&mut public[32..], &mut codes);
    assert!(matches!(too_few, Err(Error::LengthMismatch { .. })));
}
