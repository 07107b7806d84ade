//! Items with the result that every interface has to report: `signatures.json`, which the suite,
//! the command, Arrow, C, Python and SQL read, and `x25519.json`, which all of these but SQL read.

#![allow(dead_code, reason = "each interface needs a part")]

use serde_json::Value;
use std::sync::LazyLock;

/// An item. What an operation does not take or does not return is empty.
pub struct Case {
    /// What is special about the item.
    pub name: String,
    pub curve: String,
    /// The form of the signature, by its name on the command line.
    pub form: String,
    pub secret_key: Vec<u8>,
    pub digest: Vec<u8>,
    pub signature: Vec<u8>,
    /// The recovery id next to the signature.
    pub recovery_id: Option<u8>,
    pub public_key: Vec<u8>,
    /// The code of the rejection.
    pub reason: Option<u8>,
}

pub struct Cases {
    pub verify: Vec<Case>,
    /// Keys are the results, uncompressed.
    pub recover: Vec<Case>,
    /// Signatures, recovery ids and public keys are the results.
    pub sign: Vec<Case>,
}

pub static SIGNATURES: LazyLock<Cases> = LazyLock::new(|| {
    let file: Value =
        serde_json::from_str(include_str!("signatures.json")).expect("the file is valid JSON");
    let cases = |operation: &str| {
        let rows = file[operation].as_array().expect("a list of cases");
        rows.iter().map(|row| case(row, &file["reasons"])).collect()
    };
    Cases {
        verify: cases("verify"),
        recover: cases("recover"),
        sign: cases("sign"),
    }
});

/// An item of X25519.
pub struct Agreement {
    pub name: String,
    pub secret_key: Vec<u8>,
    /// The key of the peer, or the result.
    pub public_key: Vec<u8>,
    /// Empty if the key of the peer is malformed.
    pub shared_secret: Vec<u8>,
    /// The code of the rejection, if shared secrets that are zero are rejected.
    pub reason: Option<u8>,
}

impl Agreement {
    /// Returns the code of the rejection, if shared secrets that are zero are accepted.
    pub fn reason_if_zero_is_accepted(&self) -> Option<u8> {
        self.reason.filter(|_| self.shared_secret.is_empty())
    }
}

pub struct Agreements {
    pub shared_secrets: Vec<Agreement>,
    pub public_keys: Vec<Agreement>,
}

pub static X25519: LazyLock<Agreements> = LazyLock::new(|| {
    let file: Value =
        serde_json::from_str(include_str!("x25519.json")).expect("the file is valid JSON");
    let agreements = |operation: &str| {
        let rows = file[operation].as_array().expect("a list of cases");
        rows.iter()
            .map(|row| agreement(row, &file["reasons"]))
            .collect()
    };
    Agreements {
        shared_secrets: agreements("shared_secrets"),
        public_keys: agreements("public_keys"),
    }
});

fn agreement(row: &Value, reasons: &Value) -> Agreement {
    Agreement {
        name: row["name"].as_str().unwrap_or_default().to_owned(),
        secret_key: bytes(&row["secret_key"]),
        public_key: bytes(&row["public_key"]),
        shared_secret: bytes(&row["shared_secret"]),
        reason: code(&row["reason"], reasons),
    }
}

/// Returns the code of a reason, which is null for an item that is not rejected.
fn code(reason: &Value, reasons: &Value) -> Option<u8> {
    let reason = reason.as_str()?;
    Some(number(&reasons[reason]).unwrap_or_else(|| panic!("{reason} has no code")))
}

fn number(value: &Value) -> Option<u8> {
    value.as_u64().map(|number| number as u8)
}

fn case(row: &Value, reasons: &Value) -> Case {
    let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
    Case {
        name: text("name"),
        curve: text("curve"),
        form: text("form"),
        secret_key: bytes(&row["secret_key"]),
        digest: bytes(&row["digest"]),
        signature: bytes(&row["signature"]),
        recovery_id: number(&row["recovery_id"]),
        public_key: bytes(&row["public_key"]),
        reason: code(&row["reason"], reasons),
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap_or_default().as_bytes();
    let pairs = digits.as_chunks::<2>().0.iter();
    pairs
        .map(|pair| {
            let pair = std::str::from_utf8(pair).expect("digits are ASCII");
            u8::from_str_radix(pair, 16).expect("hexadecimal digits")
        })
        .collect()
}

/// Returns the cases in groups of one curve and one form, as calls take them.
pub fn groups(cases: &[Case]) -> Vec<(&str, &str, Vec<&Case>)> {
    let mut groups: Vec<(&str, &str, Vec<&Case>)> = Vec::new();
    for case in cases {
        let known = groups
            .iter_mut()
            .find(|(curve, form, _)| *curve == case.curve && *form == case.form);
        match known {
            Some((_, _, group)) => group.push(case),
            None => groups.push((&case.curve, &case.form, vec![case])),
        }
    }
    groups
}
