//! Private keys in the forms that people have them in. The content of a file tells its form.

mod lines;

use crate::input::items;
use crate::secrets::wiped::{Wiped, append};
use gecc::{CurveId, SecretKey};
use std::io::{self, Cursor, Read};
use zeroize::Zeroizing;

/// Bytes that are looked at to tell the form.
const HEAD: usize = 1 << 16;
/// Longer PEM, DER and JWK files are refused, as they are held in memory whole. Files with a key a line have no such
/// limit.
const LONGEST: usize = 256 << 20;

/// Reads all keys. Those that name a curve have to name this one, and public keys beside them have to be theirs.
///
/// The caller wipes the stack. An error shows nothing of a key.
pub fn read(source: Box<dyn Read + Send>, curve: CurveId) -> Result<Vec<SecretKey>, String> {
    let (head, source) = with_head(source).map_err(|problem| problem.to_string())?;
    if are_named(&head) { gecc_keys::secret_keys(&whole(source)?, curve) } else { lines::keys(source) }
}

/// Whether a text begins as keys do in a form that is no table and no lines.
pub fn are_named(head: &[u8]) -> bool {
    gecc_keys::are_secret_keys(head)
}

/// Keys, or a source that holds lines.
pub enum Named {
    Keys(Vec<SecretKey>),
    Lines(Box<dyn Read + Send>),
}

/// Reads all keys of PEM, DER or JWK. The first bytes that come tell whether it is that, so that lines are not waited
/// for.
///
/// The caller wipes the stack.
pub fn read_named(mut source: Box<dyn Read + Send>, curve: CurveId) -> Result<Named, String> {
    let mut head = Zeroizing::new(vec![0; HEAD]);
    let length = items::read(&mut source, &mut head).map_err(|problem| problem.to_string())?;
    head.truncate(length);
    let is_named = are_named(&head);
    let again = Box::new(Cursor::new(head).chain(source));
    if is_named { read(again, curve).map(Named::Keys) } else { Ok(Named::Lines(again)) }
}

/// The first bytes, and a source that gives them again with all that follows.
fn with_head(mut source: Box<dyn Read + Send>) -> io::Result<(Wiped, Box<dyn Read + Send>)> {
    let mut head = Zeroizing::new(Vec::with_capacity(HEAD));
    // Never more than the capacity, so that the vector does not grow.
    source.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    let again = Cursor::new(head.clone()).chain(source);
    Ok((head, Box::new(again)))
}

fn whole(mut source: Box<dyn Read + Send>) -> Result<Wiped, String> {
    let (mut all, mut part) = (Wiped::default(), Zeroizing::new(vec![0; HEAD]));
    loop {
        match source.read(&mut part) {
            Ok(0) => return Ok(all),
            Ok(length) => append(&mut all, &part[..length]),
            Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
            Err(problem) => return Err(problem.to_string()),
        }
        if all.len() > LONGEST {
            return Err(format!("longer than {LONGEST} bytes; a file with a key in hexadecimal on each line may be"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(content: &str) -> Vec<[u8; 32]> {
        let keys = read(Box::new(Cursor::new(content.as_bytes().to_vec())), CurveId::P256).unwrap();
        keys.iter().map(|key| *key.expose_bytes()).collect()
    }

    #[test]
    fn lines_are_told_from_forms_that_name_a_curve() {
        let digits = "11".repeat(32);
        for line in [digits.clone(), format!("0x{digits}"), format!("0X{digits}\n# end\n")] {
            assert_eq!(keys(&line), [[0x11; 32]]);
        }
        // Digits that look like a sequence of DER, and a line of JSON with a member of JSON Web Keys.
        assert_eq!(keys(&"30".repeat(32)), [[0x30; 32]]);
        assert_eq!(keys(&format!(r#"{{"kty": "EC", "secret_key": "{digits}"}}"#)), [[0x11; 32]]);
        let d = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc";
        assert_eq!(keys(&format!(r#"{{"kty": "EC", "crv": "P-256", "d": "{d}"}}"#)), [[7; 32]]);
    }
}
