//! Keys of OpenSSH for Ed25519 and P-256: lines of `id_ed25519.pub` and `authorized_keys` (RFC
//! 4253, section 6.6; RFC 5656, section 3.1; RFC 8709, section 4), and unencrypted private keys
//! (PROTOCOL.key of OpenSSH).

use crate::kind::KeyKind;
use crate::pairs::{KeyPair, StatedPublicKey};
use crate::{exactly_32, number};
use base64ct::{Base64, Encoding};
use gecc::CurveId;

/// The names of the algorithms in lines and in files.
const ED25519: &[u8] = b"ssh-ed25519";
const P256: &[u8] = b"ecdsa-sha2-nistp256";
/// The curve name in keys of P-256.
const P256_CURVE: &[u8] = b"nistp256";
/// The magic bytes of private keys.
const MAGIC: &[u8] = b"openssh-key-v1\0";
/// The private part is padded to a multiple of this, if it is not encrypted, with the bytes 1, 2,
/// 3, ...
const BLOCK: usize = 8;
/// The beginning of every public key in base64: the length of a short name.
const BLOB: &[u8] = b"AAAA";

/// Returns whether a text is the line of a public key of any algorithm, possibly after options or a
/// host, or its base64 alone.
pub fn is_public(text: &[u8]) -> bool {
    // Coordinates may begin with any bytes, but a key of 64 bytes is not text by chance.
    std::str::from_utf8(text).is_ok_and(|text| !text.starts_with('{'))
        && (algorithm_of(text).is_some() || blob_alone(text).is_some())
}

/// Decodes base64 without the name of an algorithm before it, which the key itself names.
fn blob_alone(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.trim_ascii();
    let digits = std::str::from_utf8(digits.strip_prefix(BLOB).and(Some(digits))?).ok()?;
    let blob = Base64::decode_vec(digits).ok()?;
    is_algorithm(Fields(&blob).string()?).then_some(blob)
}

/// Returns the algorithm of a line, and the text after it.
fn algorithm_of(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (first, rest) = word(line.trim_ascii());
    if is_algorithm(first) {
        return Some((first, rest));
    }
    // Options may contain anything except text that looks like a key.
    let (second, rest) = word(rest);
    (is_algorithm(second) && rest.starts_with(BLOB)).then_some((second, rest))
}

/// Returns whether a word begins like the name of an algorithm.
fn is_algorithm(word: &[u8]) -> bool {
    let starts = [&b"ssh-"[..], b"ecdsa-sha2-", b"sk-ssh-", b"sk-ecdsa-sha2-"];
    starts.iter().any(|start| word.starts_with(start))
}

/// Splits off the first word of a line, which may contain spaces in quotes. Returns it and the text
/// from the next word on.
fn word(line: &[u8]) -> (&[u8], &[u8]) {
    let mut is_quoted = false;
    let mut is_escaped = false;
    let end = line.iter().position(|byte| {
        is_quoted ^= *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        !is_quoted && matches!(byte, b' ' | b'\t')
    });
    let (word, rest) = line.split_at(end.unwrap_or(line.len()));
    (word, rest.trim_ascii_start())
}

/// Reads the public key of a line, which must be for `kind`: options, the algorithm, base64, and a
/// comment that is ignored.
pub fn public_key(line: &[u8], kind: KeyKind) -> Result<Vec<u8>, String> {
    const MALFORMED: &str = "`public_key` is not a line of OpenSSH with a public key";
    let (name, blob) = name_and_blob(line).ok_or(MALFORMED)?;
    kind.require(kind_of(&name).map_err(|problem| format!("`public_key`: {problem}"))?)?;
    of_blob(&blob, &name).ok_or_else(|| MALFORMED.to_owned())
}

/// Returns the algorithm of a line, and its decoded base64, which is empty if it is malformed.
fn name_and_blob(line: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    if let Some(blob) = blob_alone(line) {
        let name = Fields(&blob).string()?.to_vec();
        return Some((name, blob));
    }
    let (name, rest) = algorithm_of(line)?;
    let (digits, _) = word(rest);
    let blob = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| Base64::decode_vec(digits).ok());
    Some((name.to_vec(), blob.unwrap_or_default()))
}

/// Returns the purpose of keys of an algorithm.
fn kind_of(name: &[u8]) -> Result<KeyKind, String> {
    match name {
        ED25519 => Ok(KeyKind::Ed25519),
        P256 => Ok(KeyKind::Curve(CurveId::P256)),
        _ if name.ends_with(b"-cert-v01@openssh.com") => Err(
            "a certificate of OpenSSH; give the key that it is for, the .pub file without -cert"
                .to_owned(),
        ),
        _ if name.starts_with(b"sk-") => Err(
            "a key of a security key in OpenSSH, whose signatures are over other data".to_owned(),
        ),
        _ => Err(
            "a key of OpenSSH that is neither for ssh-ed25519 nor for ecdsa-sha2-nistp256"
                .to_owned(),
        ),
    }
}

/// Reads a public key: the algorithm, and the key.
fn of_blob(blob: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let mut blob = Fields(blob);
    blob.require(name)?;
    let key = key_of(&mut blob, name)?;
    blob.end()?;
    Some(key.to_vec())
}

/// Reads the fields of a public key after the name of the algorithm.
fn key_of<'a>(fields: &mut Fields<'a>, name: &[u8]) -> Option<&'a [u8]> {
    if name == P256 {
        fields.require(P256_CURVE)?;
    }
    fields
        .string()
        .filter(|key| name == P256 || key.len() == 32)
}

/// Reads a private key from the contents of a PEM block.
pub fn private_key(bytes: &[u8], kind: KeyKind) -> Result<KeyPair, String> {
    const MALFORMED: &str = "not a private key as OpenSSH writes them";
    let mut file = Fields(bytes.strip_prefix(MAGIC).ok_or(MALFORMED)?);
    let [cipher, derivation, options] = file.strings().ok_or(MALFORMED)?;
    if (cipher, derivation, options) != (b"none", b"none", b"") {
        return Err(
            "the key is encrypted: decrypt it first, for instance a copy of it with `ssh-keygen -p -f COPY`".to_owned()
        );
    }
    if file.number().ok_or(MALFORMED)? != 1 {
        return Err("the file holds more than one key".to_owned());
    }
    let [outer, private] = file.strings().ok_or(MALFORMED)?;
    let name = Fields(outer).string().ok_or(MALFORMED)?;
    kind.require(kind_of(name)?)?;
    let outer = of_blob(outer, name).ok_or(MALFORMED)?;
    file.end()
        .and_then(|()| pair(&outer, private, name))
        .ok_or(MALFORMED)?
}

/// Reads the private part: two equal numbers, the algorithm, the public key, the private key, a
/// comment, and padding. The private key of Ed25519 is the seed followed by the public key. That of
/// P-256 is a number, with a leading zero if its first bit is set.
fn pair(outer: &[u8], private: &[u8], name: &[u8]) -> Option<Result<KeyPair, String>> {
    let mut fields = Fields(private);
    let is_whole = fields.number()? == fields.number()?;
    fields.require(name)?;
    let public = key_of(&mut fields, name)?;
    let secret = fields.string()?;
    fields.string()?;
    let is_padded = private.len().is_multiple_of(BLOCK)
        && fields.0.len() < BLOCK
        && fields
            .0
            .iter()
            .zip(1..)
            .all(|(byte, expected)| *byte == expected);
    if !is_whole || !is_padded {
        return None;
    }
    if name == P256 {
        let publics = [outer, public]
            .map(StatedPublicKey::from_sec1)
            .into_iter()
            .collect::<Result<_, _>>();
        return Some(publics.and_then(|public| {
            Ok(KeyPair {
                secret: number(secret)?,
                public,
            })
        }));
    }
    let (seed, public_after_seed) = secret.split_at_checked(32)?;
    let publics = [outer, public, public_after_seed]
        .map(|key| key.try_into().map(StatedPublicKey::Bytes).ok());
    let public = publics.into_iter().collect::<Option<_>>()?;
    Some(exactly_32(seed).map(|secret| KeyPair { secret, public }))
}

/// The unread fields of RFC 4251, section 5. Malformed fields yield `None`.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*number))
    }

    fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.number()? as usize;
        self.0.split_off(..length)
    }

    fn strings<const N: usize>(&mut self) -> Option<[&'a [u8]; N]> {
        let mut strings = [&[][..]; N];
        for string in &mut strings {
            *string = self.string()?;
        }
        Some(strings)
    }

    fn require(&mut self, expected: &[u8]) -> Option<()> {
        (self.string()? == expected).then_some(())
    }

    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}
