//! Keys of Ed25519 as OpenSSH writes them: lines of `id_ed25519.pub` (RFC 4253, section 6.6, and RFC 8709, section 4),
//! and private keys that are not encrypted (PROTOCOL.key of OpenSSH).

use crate::exactly_32;
use crate::pairs::{Pair, Public};
use base64ct::{Base64, Encoding};

/// The name of the algorithm in both.
const NAME: &[u8] = b"ssh-ed25519";
/// Which begins private keys.
const MAGIC: &[u8] = b"openssh-key-v1\0";
/// Without encryption the private part is padded to a multiple of this, by the bytes 1, 2, 3, ...
const BLOCK: usize = 8;

/// Whether a text is the line of a public key of any algorithm.
pub fn is_public(text: &[u8]) -> bool {
    // Coordinates may begin with any bytes, but no key of 64 is text by chance.
    (text.starts_with(b"ssh-") || text.starts_with(b"ecdsa-sha2-")) && std::str::from_utf8(text).is_ok()
}

/// The public key of a line: the algorithm, base64, and a comment that is ignored.
pub fn public_key(text: &[u8]) -> Result<[u8; 32], String> {
    let mut words = text.trim_ascii().splitn(3, |byte| *byte == b' ');
    if words.next() != Some(NAME) {
        return Err("`public_key` is a line of OpenSSH that is not for ssh-ed25519".to_owned());
    }
    let digits = words.next().and_then(|digits| std::str::from_utf8(digits).ok());
    let blob = digits.and_then(|digits| Base64::decode_vec(digits).ok());
    let key = blob.and_then(|blob| of_blob(&blob));
    key.ok_or_else(|| "`public_key` is no line of OpenSSH with a key of ssh-ed25519".to_owned())
}

/// A public key: the algorithm, and the key.
fn of_blob(blob: &[u8]) -> Option<[u8; 32]> {
    let mut blob = Fields(blob);
    blob.require(NAME)?;
    let key = blob.string()?.try_into().ok()?;
    blob.end()?;
    Some(key)
}

/// A private key, out of the block that PEM holds.
pub fn private_key(bytes: &[u8]) -> Result<Pair, String> {
    let malformed = || "not a private key as OpenSSH writes them".to_owned();
    let mut file = Fields(bytes.strip_prefix(MAGIC).ok_or_else(malformed)?);
    let [cipher, derivation, options] = file.strings().ok_or_else(malformed)?;
    if (cipher, derivation, options) != (b"none", b"none", b"") {
        return Err(
            "the key is encrypted: decrypt it first, for instance a copy of it with `ssh-keygen -p -f COPY`".to_owned()
        );
    }
    if file.number().ok_or_else(malformed)? != 1 {
        return Err("the file holds more than one key".to_owned());
    }
    let [outer, private] = file.strings().ok_or_else(malformed)?;
    if Fields(outer).string().ok_or_else(malformed)? != NAME {
        return Err("the key is not for ssh-ed25519".to_owned());
    }
    file.end().and_then(|()| pair(of_blob(outer)?, private)).ok_or_else(malformed)
}

/// The private part: two equal numbers, the algorithm, the public key, the seed with the public key behind it, a
/// comment, and padding.
fn pair(outer: [u8; 32], private: &[u8]) -> Option<Pair> {
    let mut fields = Fields(private);
    let is_whole = fields.number()? == fields.number()?;
    fields.require(NAME)?;
    let public = fields.string()?.try_into().ok()?;
    let (seed, behind) = fields.string()?.split_at_checked(32)?;
    let behind = behind.try_into().ok()?;
    fields.string()?;
    let is_padded = private.len().is_multiple_of(BLOCK)
        && fields.0.len() < BLOCK
        && fields.0.iter().zip(1..).all(|(byte, expected)| *byte == expected);
    if !is_whole || !is_padded {
        return None;
    }
    let secret = exactly_32(seed).ok()?;
    Some(Pair { secret, public: [outer, public, behind].map(Public::Ed25519).into() })
}

/// What is left to read of the fields of RFC 4251, section 5. What is malformed is `None`.
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
