//! The private key that masks are made with. It comes from a file, as statements end up in logs and
//! histories.

use crate::scalar::BoundCall;
use gecc::{CurveId, SecretKey, stack};
use std::ffi::CStr;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use zeroize::Zeroizing;

/// The setting that names the file.
pub const KEY_FILE: &CStr = c"gecc_mask_key_file";
pub const DESCRIPTION: &CStr =
    c"the file with the private key that `mask`, `mask_points` and `unmask` use";

/// The longest file that is read.
const LONGEST: u64 = 16 << 10;

/// Reads the key of a statement that is being bound.
///
/// # Errors
/// There is no file, or it does not contain exactly one key of the curve. Errors show nothing of
/// the key.
pub fn read(call: &BoundCall, curve: CurveId) -> Result<SecretKey, String> {
    let path = call
        .setting(KEY_FILE)
        .ok_or("the setting `gecc_mask_key_file` names no file")?;
    stack::wiped(|| of_file(Path::new(&path), curve))
        .map_err(|problem| format!("{path}: {problem}"))
}

fn of_file(path: &Path, curve: CurveId) -> Result<SecretKey, String> {
    // A growing buffer would leave copies of its contents in freed memory.
    let mut content = Zeroizing::new(Vec::with_capacity(LONGEST as usize + 1));
    let file = File::open(path).map_err(|problem| problem.to_string())?;
    file.take(LONGEST + 1)
        .read_to_end(&mut content)
        .map_err(|problem| problem.to_string())?;
    if content.len() as u64 > LONGEST {
        return Err(format!("a key file has at most {LONGEST} bytes"));
    }
    let mut key = Zeroizing::new([0; 32]);
    if const_hex::decode_to_slice(content.trim_ascii(), &mut *key).is_ok() {
        return Ok(SecretKey::from_bytes(*key));
    }
    if !gecc_keys::are_secret_keys(&content) {
        return Err("expected 64 hexadecimal digits, PEM, DER or a JSON Web Key".to_owned());
    }
    let keys = gecc_keys::secret_keys(&content, curve)?;
    match keys.as_slice() {
        [key] => Ok(key.clone()),
        keys => Err(format!("{} private keys, not one", keys.len())),
    }
}
