//! X25519: the cases that all interfaces share (`tests/cases` of the library), and keys in formats
//! that state their purpose.

use crate::items::{Cell, batch, columns, engine, fixed, some};
use crate::shared_cases::{Agreement, X25519};
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, StringArray};
use gecc::call::Operation;
use gecc::x25519::AllZero;
use gecc::{Rejection, Verdict};
use gecc_arrow::{Answers, Error, Field, KeyForm, Pool, Reason, TableOperation};
use std::sync::Arc;

/// RFC 7748, section 6.1: Alice's keys, as OpenSSL 3.0 writes them.
const PKCS8: &str = "-----BEGIN PRIVATE KEY-----\n\
                     MC4CAQAwBQYDK2VuBCIEIHcHbQpzGKV9PBbBclGyZkXfTC+H68CZKrF3+6UduSwq\n\
                     -----END PRIVATE KEY-----\n";
const SPKI: &str = "-----BEGIN PUBLIC KEY-----\n\
                    MCowBQYDK2VuAyEAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=\n\
                    -----END PUBLIC KEY-----\n";
/// RFC 8410, sections 10.3 and 10.1: keys of Ed25519.
const ED25519_PKCS8: &str = "-----BEGIN PRIVATE KEY-----\n\
                             MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                             -----END PRIVATE KEY-----\n";
const ED25519_SPKI: &str = "-----BEGIN PUBLIC KEY-----\n\
                            MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
                            -----END PUBLIC KEY-----\n";

const SHARED_SECRETS: Operation = Operation::X25519(AllZero::Reject);

fn cells<'a>(
    cases: impl IntoIterator<Item = &'a Agreement>,
    field: fn(&Agreement) -> &Vec<u8>,
) -> Vec<Cell> {
    cases
        .into_iter()
        .map(|case| Some(field(case).clone()))
        .collect()
}

fn try_apply(
    operation: impl Into<TableOperation>,
    columns: Vec<(Field, ArrayRef)>,
) -> Result<Answers, Error> {
    let (batch, mapping) = batch(columns);
    operation
        .into()
        .apply(engine(), &batch, &mapping, &Pool::default())
}

fn apply(operation: impl Into<TableOperation>, columns: Vec<(Field, ArrayRef)>) -> Answers {
    let operation = operation.into();
    let answers = try_apply(operation.clone(), columns).expect("columns that can be read");
    let columns = answers.to_columns().expect("columns of answers");
    assert_eq!(columns.schema(), operation.schema());
    answers
}

/// Returns the rows of the result, which are null for rejected rows.
fn rows(answers: &Answers) -> Vec<Cell> {
    let column = answers.results()[0].1.as_fixed_size_binary();
    column.iter().map(|row| row.map(<[u8]>::to_vec)).collect()
}

fn texts(texts: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(texts))
}

/// Keys of 32 bytes are read in place, those of several lengths as mixed rows.
#[test]
fn shared_cases_have_their_secrets() {
    let all: Vec<&Agreement> = X25519.shared_secrets.iter().collect();
    let of_32_bytes: Vec<&Agreement> = all
        .iter()
        .copied()
        .filter(|case| case.public_key.len() == 32)
        .collect();
    for cases in [all, of_32_bytes] {
        let keys = columns(&cells(cases.iter().copied(), |case| &case.secret_key));
        let peers = columns(&cells(cases.iter().copied(), |case| &case.public_key));
        for (keys, peers) in keys.iter().cycle().zip(&peers) {
            for all_zero in [AllZero::Reject, AllZero::Accept] {
                let columns = vec![
                    (Field::SecretKey, keys.clone()),
                    (Field::PublicKey, peers.clone()),
                ];
                let answers = apply(Operation::X25519(all_zero), columns);
                let expected: Vec<Option<u8>> = cases
                    .iter()
                    .map(|case| match all_zero {
                        AllZero::Reject => case.reason,
                        AllZero::Accept => case.reason_if_zero_is_accepted(),
                    })
                    .collect();
                let secrets: Vec<Cell> = cases
                    .iter()
                    .zip(&expected)
                    .map(|(case, code)| code.is_none().then(|| case.shared_secret.clone()))
                    .collect();
                assert_eq!(rows(&answers), secrets, "{:?}", peers.data_type());
                let codes = expected
                    .iter()
                    .map(|code| code.unwrap_or(Verdict::VALID_CODE));
                assert!(codes.eq(answers.codes().iter().copied()));
            }
        }
    }
}

/// Public keys have 32 bytes in every key form.
#[test]
fn shared_cases_have_their_public_keys() {
    let cases = &X25519.public_keys;
    for keys in columns(&cells(cases, |case| &case.secret_key)) {
        for key_form in [KeyForm::Uncompressed, KeyForm::Compressed, KeyForm::Raw] {
            let operation = TableOperation {
                key_form,
                ..Operation::X25519PublicKeys.into()
            };
            let answers = apply(operation, vec![(Field::SecretKey, keys.clone())]);
            assert_eq!(rows(&answers), cells(cases, |case| &case.public_key));
        }
    }
}

/// Keys in columns of the widths of points are not taken for keys of X25519.
#[test]
fn points_are_malformed_keys() {
    let secret_keys = fixed(&some(&[[1; 32]; 2])).unwrap();
    for width in [33, 64, 65] {
        let peers = fixed(&some(&[vec![2; width], vec![4; width]])).unwrap();
        let columns = vec![
            (Field::SecretKey, secret_keys.clone()),
            (Field::PublicKey, peers),
        ];
        let answers = apply(SHARED_SECRETS, columns);
        assert_eq!(
            answers.codes(),
            [Rejection::MalformedPoint.code(); 2],
            "{width}"
        );
    }
    let of_31_bytes = fixed(&some(&[[1; 31]; 2])).unwrap();
    let problem = try_apply(
        SHARED_SECRETS,
        vec![
            (Field::SecretKey, secret_keys),
            (Field::PublicKey, of_31_bytes),
        ],
    );
    assert!(matches!(problem, Err(Error::Columns(_))));
}

#[test]
fn keys_that_state_another_purpose_are_rejected() {
    let [alice, _] = &X25519.public_keys[..] else {
        panic!("the keys of Alice and Bob");
    };
    let with = |secret_keys: &[&str], peers: &[&str]| {
        let columns = vec![
            (Field::SecretKey, texts(secret_keys)),
            (Field::PublicKey, texts(peers)),
        ];
        apply(SHARED_SECRETS, columns)
    };
    let peer = hex(&alice.public_key);
    let answers = with(&[PKCS8; 3], &[SPKI, ED25519_SPKI, &peer]);
    let secrets = rows(&answers);
    assert!(secrets[0].is_some() && secrets[0] == secrets[2]);
    assert_eq!(answers.codes()[1], Rejection::MalformedPoint.code());
    let answers = with(&[PKCS8, ED25519_PKCS8], &[SPKI, SPKI]);
    assert_eq!(answers.reason(0), None);
    assert_eq!(answers.reason(1), Some(Reason::UnusableKey));

    let public = |operation: Operation, key: &str| {
        apply(operation, vec![(Field::SecretKey, texts(&[key]))]).reason(0)
    };
    assert_eq!(public(Operation::X25519PublicKeys, PKCS8), None);
    assert_eq!(public(Operation::Ed25519PublicKeys, ED25519_PKCS8), None);
    assert_eq!(
        public(Operation::X25519PublicKeys, ED25519_PKCS8),
        Some(Reason::UnusableKey)
    );
    assert_eq!(
        public(Operation::Ed25519PublicKeys, PKCS8),
        Some(Reason::UnusableKey)
    );
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
