//! Transactions as they stand in their encoding (EIP-2718), with what is signed found in place.
//!
//! What is signed is a short head, a part of the transaction and a short tail: nothing has to be made of the fields, and
//! nothing encoded again. So every field has to be in the one form that RLP has for it (yellow paper, appendix B):
//! otherwise what is hashed here would not be what was signed.

#[cfg(test)]
mod oracle;

use super::answers::Kind;
use alloy_rlp::{BufMut, Decodable, EMPTY_STRING_CODE, Encodable, Error, Header, Result};
use std::borrow::Cow;

/// EIP-7702: the byte in front of a signed authorization.
const AUTHORIZATION_MAGIC: u8 = 5;

/// What is signed, and by which signature.
pub struct Signed<'a> {
    /// `None` where any chain takes it.
    pub chain_id: Option<u64>,
    /// r and s.
    pub signature: [u8; 64],
    pub parity: u8,
    head: Short,
    span: &'a [u8],
    tail: Short,
}

impl Signed<'_> {
    /// Writes what is hashed.
    pub fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.head.bytes());
        to.extend_from_slice(self.span);
        to.extend_from_slice(self.tail.bytes());
    }
}

/// A signed transaction.
pub struct Transaction<'a> {
    pub kind: Kind,
    pub signed: Signed<'a>,
    /// The list of authorizations, which are known to be in their form.
    authorizations: &'a [u8],
}

impl<'a> Transaction<'a> {
    /// Finds all of it.
    ///
    /// # Errors
    /// What kind of transaction it was to be, and why it is none.
    pub fn parse(encoded: &'a [u8]) -> std::result::Result<Self, (Kind, Cow<'static, str>)> {
        let (kind, parsed) = match encoded.first() {
            Some(1) => (Kind::Eip2930, typed(encoded, Kind::Eip2930)),
            Some(2) => (Kind::Eip1559, typed(encoded, Kind::Eip1559)),
            Some(3) => (Kind::Eip4844, typed(encoded, Kind::Eip4844)),
            Some(4) => (Kind::Eip7702, typed(encoded, Kind::Eip7702)),
            Some(0xc0..) => (Kind::Legacy, legacy(encoded)),
            Some(other) => return Err((Kind::Unknown, unknown_type((*other).into()))),
            None => return Err((Kind::Unknown, "it is empty".into())),
        };
        parsed.map_err(|problem| (kind, problem.to_string().into()))
    }

    /// What each of the authorizations signs.
    pub fn authorizations(&self) -> impl Iterator<Item = Signed<'a>> {
        let mut rest = self.authorizations;
        std::iter::from_fn(move || if rest.is_empty() { None } else { authorization(&mut rest).ok() })
    }
}

pub fn unknown_type(number: u64) -> Cow<'static, str> {
    format!("transactions of type {number} are not known").into()
}

/// v of a legacy transaction for a chain, or for any (EIP-155).
pub fn v_of(parity: bool, chain_id: Option<u64>) -> u128 {
    u128::from(parity) + chain_id.map_or(27, |chain_id| 35 + 2 * u128::from(chain_id))
}

/// The parity and the chain that v of a legacy transaction says; `None` where there are none.
pub fn from_v(v: u128) -> Option<(bool, Option<u64>)> {
    match v {
        27 | 28 => Some((v == 28, None)),
        35.. => Some(((v - 35) % 2 == 1, Some(u64::try_from((v - 35) / 2).ok()?))),
        _ => None,
    }
}

/// A few bytes: a header of a list behind a byte, or a number and two bytes.
#[derive(Clone, Copy, Default)]
struct Short {
    bytes: [u8; Short::MOST],
    length: usize,
}

impl Short {
    const MOST: usize = 11;

    fn of(write: impl FnOnce(&mut dyn BufMut)) -> Self {
        let mut short = Short::default();
        let mut rest = &mut short.bytes[..];
        write(&mut rest);
        short.length = Short::MOST - rest.len();
        short
    }

    /// The first byte, where there is one, and the header of a list of so many bytes.
    fn head(first: Option<u8>, payload_length: usize) -> Self {
        Short::of(|to| {
            first.into_iter().for_each(|byte| to.put_u8(byte));
            Header { list: true, payload_length }.encode(to);
        })
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

fn legacy(encoded: &[u8]) -> Result<Transaction<'_>> {
    let payload = only_list(encoded)?;
    let mut rest = payload;
    u64::decode(&mut rest)?;
    u128::decode(&mut rest)?;
    u64::decode(&mut rest)?;
    recipient(&mut rest)?;
    number(&mut rest)?;
    bytes(&mut rest)?;
    let span = before(payload, rest);
    let v = u128::decode(&mut rest)?;
    let (parity, chain_id) = from_v(v).ok_or(Error::Custom("invalid parity value"))?;
    let signature = signature(&mut rest)?;
    require_end(rest)?;
    // EIP-155: the chain and two zeros.
    let tail = chain_id.map_or(Short::default(), |chain_id| {
        Short::of(|to| {
            chain_id.encode(to);
            to.put_slice(&[EMPTY_STRING_CODE; 2]);
        })
    });
    let head = Short::head(None, span.len() + tail.length);
    let signed = Signed { chain_id, signature, parity: parity.into(), head, span, tail };
    let kind = if chain_id.is_some() { Kind::Eip155 } else { Kind::Legacy };
    Ok(Transaction { kind, signed, authorizations: &[] })
}

/// EIP-2930, EIP-1559, EIP-4844 and EIP-7702: a byte, and a list of fields that ends with the signature.
fn typed(encoded: &[u8], kind: Kind) -> Result<Transaction<'_>> {
    let (type_byte, list) = encoded.split_first().ok_or(Error::InputTooShort)?;
    let payload = only_list(list)?;
    let mut rest = payload;
    let chain_id = u64::decode(&mut rest)?;
    u64::decode(&mut rest)?;
    // The price of gas, or the fee and its priority.
    u128::decode(&mut rest)?;
    if kind != Kind::Eip2930 {
        u128::decode(&mut rest)?;
    }
    u64::decode(&mut rest)?;
    if matches!(kind, Kind::Eip2930 | Kind::Eip1559) {
        recipient(&mut rest)?;
    } else {
        <[u8; 20]>::decode(&mut rest)?;
    }
    number(&mut rest)?;
    bytes(&mut rest)?;
    access_list(&mut rest)?;
    let mut authorizations: &[u8] = &[];
    match kind {
        Kind::Eip4844 => {
            u128::decode(&mut rest)?;
            hashes(&mut rest)?;
        }
        Kind::Eip7702 => authorizations = list_of_authorizations(&mut rest)?,
        _ => {}
    }
    let span = before(payload, rest);
    let parity = bool::decode(&mut rest)?;
    let signature = signature(&mut rest)?;
    require_end(rest)?;
    let head = Short::head(Some(*type_byte), span.len());
    let chain_id = Some(chain_id);
    let signed = Signed { chain_id, signature, parity: parity.into(), head, span, tail: Short::default() };
    Ok(Transaction { kind, signed, authorizations })
}

fn list_of_authorizations<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8]> {
    let list = Header::decode_bytes(rest, true)?;
    let mut each = list;
    while !each.is_empty() {
        authorization(&mut each)?;
    }
    Ok(list)
}

fn authorization<'a>(rest: &mut &'a [u8]) -> Result<Signed<'a>> {
    let payload = Header::decode_bytes(rest, true)?;
    let mut rest = payload;
    let chain_id = number(&mut rest)?;
    <[u8; 20]>::decode(&mut rest)?;
    u64::decode(&mut rest)?;
    let span = before(payload, rest);
    let parity = u8::decode(&mut rest)?;
    let signature = signature(&mut rest)?;
    require_end(rest)?;
    // Chain 0 stands for every chain.
    let (high, low) = chain_id.split_last_chunk().expect("32 bytes");
    let chain_id = Some(u64::from_be_bytes(*low)).filter(|chain| *chain != 0 && high == [0; 24]);
    let head = Short::head(Some(AUTHORIZATION_MAGIC), span.len());
    Ok(Signed { chain_id, signature, parity, head, span, tail: Short::default() })
}

/// The payload of a list behind which there is nothing.
fn only_list(encoded: &[u8]) -> Result<&[u8]> {
    let mut rest = encoded;
    let payload = Header::decode_bytes(&mut rest, true)?;
    if rest.is_empty() { Ok(payload) } else { Err(Error::Custom("bytes follow its end")) }
}

/// What of some bytes stands before the rest of them.
fn before<'a>(all: &'a [u8], rest: &[u8]) -> &'a [u8] {
    &all[..all.len() - rest.len()]
}

fn require_end(rest: &[u8]) -> Result<()> {
    if rest.is_empty() { Ok(()) } else { Err(Error::UnexpectedLength) }
}

fn bytes<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8]> {
    Header::decode_bytes(rest, false)
}

/// A number of at most 32 bytes, without zeros in front.
fn number(rest: &mut &[u8]) -> Result<[u8; 32]> {
    let digits = bytes(rest)?;
    if digits.first() == Some(&0) {
        return Err(Error::LeadingZero);
    }
    let start = 32_usize.checked_sub(digits.len()).ok_or(Error::Overflow)?;
    let mut number = [0; 32];
    number[start..].copy_from_slice(digits);
    Ok(number)
}

/// r and s.
fn signature(rest: &mut &[u8]) -> Result<[u8; 64]> {
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&number(rest)?);
    signature[32..].copy_from_slice(&number(rest)?);
    Ok(signature)
}

/// An address, or nothing where a contract is made.
fn recipient(rest: &mut &[u8]) -> Result<()> {
    if let Some((&EMPTY_STRING_CODE, behind)) = rest.split_first() {
        *rest = behind;
        return Ok(());
    }
    <[u8; 20]>::decode(rest).map(|_| ())
}

fn hashes(rest: &mut &[u8]) -> Result<()> {
    let mut each = Header::decode_bytes(rest, true)?;
    while !each.is_empty() {
        <[u8; 32]>::decode(&mut each)?;
    }
    Ok(())
}

fn access_list(rest: &mut &[u8]) -> Result<()> {
    let mut items = Header::decode_bytes(rest, true)?;
    while !items.is_empty() {
        let mut item = Header::decode_bytes(&mut items, true)?;
        <[u8; 20]>::decode(&mut item)?;
        hashes(&mut item)?;
        require_end(item)?;
    }
    Ok(())
}
