//! Keys in formats that state their purpose: PEM, DER and JSON Web Keys, and for Ed25519 those of
//! OpenSSH.

use super::Argument;
use crate::reasons::ArgumentRole;
use gecc::stack;
use gecc_arrow::Field;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use zeroize::Zeroizing;

/// Returns whether a text of this argument may be a key in such a format. Hexadecimal digits never
/// are.
pub fn may_be(argument: Argument, text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    // Public keys may also be PEM in base64.
    let is_pem_in_base64 =
        text.starts_with(b"LS0t") && argument.role == ArgumentRole::Field(Field::PublicKey);
    let is_named = text.starts_with(b"-") || text.starts_with(b"{") || text.starts_with(b"ssh-");
    matches!(
        argument.role,
        ArgumentRole::Field(Field::PublicKey | Field::SecretKey)
    ) && (is_named || is_pem_in_base64)
}

/// Reads one key for all items: a string or `bytes` in such a format, converted to the plain
/// encoding.
///
/// # Errors
/// `ValueError` with a description of the problem, without any part of a private key.
pub fn of_one(
    argument: Argument,
    value: &Bound<'_, PyAny>,
) -> PyResult<Option<Zeroizing<Vec<u8>>>> {
    if let Ok(text) = value.cast::<PyString>() {
        // Half of a surrogate pair is not valid in any format.
        let Ok(text) = text.to_cow() else {
            return Ok(None);
        };
        return if may_be(argument, text.as_bytes()) {
            of_bytes(argument, text.as_bytes())
        } else {
            Ok(None)
        };
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return of_bytes(argument, bytes.as_bytes());
    }
    match value.cast::<PyByteArray>() {
        // SAFETY: the GIL is held, and no Python code runs before the bytes have been read. The
        // caller guarantees that no one else writes to them.
        Ok(bytes) => of_bytes(argument, unsafe { bytes.as_bytes() }),
        Err(_) => Ok(None),
    }
}

fn of_bytes(argument: Argument, key: &[u8]) -> PyResult<Option<Zeroizing<Vec<u8>>>> {
    let (ArgumentRole::Field(field), Some(kind)) = (argument.role, argument.kind) else {
        return Ok(None);
    };
    let found = match field {
        // Rows of points may begin like DER or PEM.
        Field::PublicKey => gecc_keys::public_key(key, kind)
            .filter(|found| {
                found.is_ok() || !may_be_rows(key) || (key.is_ascii() && may_be(argument, key))
            })
            .map(|key| key.map(Zeroizing::new)),
        Field::SecretKey => return secret(argument, key),
        _ => None,
    };
    found
        .transpose()
        .map_err(|problem| PyValueError::new_err(format!("{}: {problem}", argument.name)))
}

/// Returns whether bytes may be rows of points, by their width.
fn may_be_rows(key: &[u8]) -> bool {
    [32, 33, 65]
        .iter()
        .any(|width| key.len().is_multiple_of(*width))
}

/// Reads a private key in such a format. Rows of 32 bytes are plain keys, whatever they begin with.
///
/// # Errors
/// The same as for `of_one`.
pub fn secret(argument: Argument, key: &[u8]) -> PyResult<Option<Zeroizing<Vec<u8>>>> {
    let Some(kind) = argument.kind else {
        return Ok(None);
    };
    // No branch depends on the bytes of a plain key.
    if key.len() == 32 {
        return Ok(None);
    }
    let are_rows = !may_be(argument, key) && key.len().is_multiple_of(32);
    if are_rows || !gecc_keys::are_secret_keys(key) {
        return Ok(None);
    }
    let keys = stack::wiped(|| gecc_keys::secret_keys(key, kind));
    match &keys.map_err(|problem| PyValueError::new_err(format!("{}: {problem}", argument.name)))?[..]
    {
        [key] => Ok(Some(Zeroizing::new(key.expose_bytes().to_vec()))),
        keys => {
            let name = argument.name;
            let count = keys.len();
            Err(PyValueError::new_err(format!(
                "{name}: {count} private keys in one text: give a list of keys"
            )))
        }
    }
}
