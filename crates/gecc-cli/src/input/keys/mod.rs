//! Private keys in the forms that people have them in. The content of a file tells its form.

mod der;
mod jwk;
mod lines;
pub mod named_curve;
mod pairs;
mod pem;
#[cfg(test)]
mod tests;

use crate::input::items;
use crate::secrets::wiped::{Wiped, append};
use gecc::{CurveId, SecretKey};
use pairs::Pairs;
use std::io::{self, Cursor, Read};
use zeroize::Zeroizing;

/// Bytes that are looked at to tell the form.
const HEAD: usize = 1 << 16;
/// Longer PEM, DER and JWK files are refused, as they are held in memory whole. Files with a key a line have no such limit.
const LONGEST: usize = 256 << 20;

/// What a file with private keys is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// RFC 7468: blocks of base64, and text between them.
    Pem,
    /// SEC 1 or PKCS#8, one key.
    Der,
    /// RFC 7517: keys or sets of keys, one after the other.
    Jwk,
    /// Hexadecimal, JSON Lines or CSV.
    Lines,
}

/// Reads all keys. Those that name a curve have to name this one, and public keys beside them have to be theirs.
///
/// The caller wipes the stack. An error shows nothing of a key.
pub fn read(source: Box<dyn Read + Send>, curve: CurveId) -> Result<Vec<SecretKey>, String> {
    let (head, source) = with_head(source).map_err(|problem| problem.to_string())?;
    match Form::of(&head) {
        Form::Pem => pem::keys(&whole(source)?, curve),
        Form::Der => {
            let mut pairs = Pairs::new(curve);
            pairs.push(der::key(&whole(source)?, curve)?, "")?;
            pairs.finish()
        }
        Form::Jwk => jwk::keys(&whole(source)?, curve),
        Form::Lines => lines::keys(source),
    }
}

/// Whether a text begins as keys do in a form that is no table and no lines.
pub fn are_named(head: &[u8]) -> bool {
    Form::of(head) != Form::Lines
}

/// Keys, or a source that holds lines.
pub enum Named {
    Keys(Vec<SecretKey>),
    Lines(Box<dyn Read + Send>),
}

/// Reads all keys of PEM, DER or JWK. The first bytes that come tell whether it is that, so that lines are not waited for.
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

impl Form {
    fn of(head: &[u8]) -> Self {
        if der::begins(head) {
            Form::Der
        } else if pem::begins(head) {
            Form::Pem
        } else if jwk::begins(head) {
            Form::Jwk
        } else {
            Form::Lines
        }
    }
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

/// A private key as a fixed number of bytes.
fn exactly_32(bytes: &[u8]) -> Result<SecretKey, String> {
    let bytes: &[u8; 32] =
        bytes.try_into().map_err(|_| format!("a private key of {} bytes instead of 32", bytes.len()))?;
    Ok(SecretKey::from_bytes(*bytes))
}

/// Without the mark that some editors write in front of UTF-8.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}
