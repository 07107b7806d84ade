//! Transactions in their encoding (EIP-2718), and the location of the signed message in it.
//!
//! The signed message is a short head, a part of the transaction and a short tail: fields are not
//! decoded, and nothing is encoded again. So every field must have its canonical RLP form (yellow
//! paper, appendix B): otherwise the bytes hashed here would differ from those that were signed.

#[cfg(test)]
mod oracle;

use super::answers::Kind;
use super::rlp;
use gecc::ecdsa::Address;
use std::borrow::Cow;

/// EIP-7702: the byte before a signed authorization.
const AUTHORIZATION_MAGIC: u8 = 5;
/// Maximum number of bytes of nonces, gas and chains, of v, and of other numbers, such as amounts
/// and prices (yellow paper, equation 20).
const SMALL: usize = 8;
const V: usize = 16;
const NUMBER: usize = 32;

/// A signed message and its signature.
#[derive(Clone, Copy)]
pub struct SignedMessage<'a> {
    /// The chain; `None` if the signature is valid on any chain.
    pub chain_id: Option<u64>,
    /// r and s.
    pub signature: [u8; 64],
    pub parity: u8,
    /// The byte before the list of fields. Legacy transactions have none.
    pub first: Option<u8>,
    /// The fields before the signature.
    pub span: &'a [u8],
}

impl SignedMessage<'_> {
    /// Writes the message to be hashed.
    pub fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.first);
        let Some(chain_id) = self.chain_id.filter(|_| self.first.is_none()) else {
            return rlp::put_list(self.span, to);
        };
        // EIP-155: the chain and two zeros are signed as well.
        rlp::put_list_length(self.span.len() + rlp::length_of_integer(chain_id) + 2, to);
        to.extend_from_slice(self.span);
        rlp::put_integer(chain_id, to);
        to.extend([rlp::EMPTY_STRING; 2]);
    }
}

/// A signed transaction.
pub struct EncodedTransaction<'a> {
    pub kind: Kind,
    pub signed: SignedMessage<'a>,
    /// The list of authorizations, whose form has been checked.
    pub authorizations: &'a [u8],
}

impl<'a> EncodedTransaction<'a> {
    /// Parses a transaction.
    ///
    /// # Errors
    /// The kind that the transaction claims to be, and the reason why it is malformed.
    pub fn parse(encoded: &'a [u8]) -> Result<Self, (Kind, Cow<'static, str>)> {
        let Some((first, list)) = encoded.split_first() else {
            return Err((Kind::Unknown, "it is empty".into()));
        };
        let kind = match *first {
            1 => Kind::Eip2930,
            2 => Kind::Eip1559,
            3 => Kind::Eip4844,
            4 => Kind::Eip7702,
            rlp::EMPTY_LIST.. => Kind::Legacy,
            other => return Err((Kind::Unknown, unknown_type(other.into()))),
        };
        let parsed = if kind == Kind::Legacy {
            legacy(encoded)
        } else {
            typed(*first, list, kind)
        };
        parsed.map_err(|problem| (kind, problem.into()))
    }

    /// Writes its encoding (EIP-2718).
    pub fn write(&self, to: &mut Vec<u8>) {
        let SignedMessage {
            chain_id,
            signature,
            parity,
            first,
            span,
        } = self.signed;
        let v = if first.is_none() {
            v_of(parity == 1, chain_id)
        } else {
            parity.into()
        };
        let (r, s) = signature.split_at(32);
        let [r, s] = [r, s].map(rlp::significant);
        let of_signature =
            rlp::length_of_integer(v) + rlp::length_of_string(r) + rlp::length_of_string(s);
        to.extend(first);
        rlp::put_list_length(span.len() + of_signature, to);
        to.extend_from_slice(span);
        rlp::put_integer(v, to);
        rlp::put_string(r, to);
        rlp::put_string(s, to);
    }

    /// Returns the message and the signature of each authorization.
    pub fn authorizations(&self) -> impl Iterator<Item = SignedMessage<'a>> {
        let mut rest = self.authorizations;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                None
            } else {
                authorization(&mut rest).ok()
            }
        })
    }
}

/// Parses what follows the type byte of an OP deposit: `[sourceHash, from, to, mint, value, gas,
/// isSystemTx, data]` (OP Stack specification, "Deposits"). Returns the sender that it states.
pub fn deposit(list: &[u8]) -> rlp::Result<Address> {
    let mut rest = only_list(list)?;
    rlp::fixed::<32>(&mut rest)?;
    let from = *address(&mut rest)?;
    recipient(&mut rest)?;
    rlp::digits(&mut rest, NUMBER)?;
    rlp::digits(&mut rest, NUMBER)?;
    rlp::digits(&mut rest, SMALL)?;
    if byte(&mut rest)? > 1 {
        return Err("isSystemTx is neither true nor false");
    }
    rlp::string(&mut rest)?;
    rlp::end(rest)?;
    Ok(from)
}

pub fn unknown_type(number: u64) -> Cow<'static, str> {
    format!("transactions of this type are not known: it is {number}").into()
}

/// Returns v of a legacy transaction for one chain, or for any (EIP-155).
pub fn v_of(parity: bool, chain_id: Option<u64>) -> u128 {
    u128::from(parity) + chain_id.map_or(27, |chain_id| 35 + 2 * u128::from(chain_id))
}

/// Returns the parity and the chain that v of a legacy transaction contains; `None` for other
/// values.
pub fn from_v(v: u128) -> Option<(bool, Option<u64>)> {
    match v {
        27 | 28 => Some((v == 28, None)),
        35.. => Some(((v - 35) % 2 == 1, Some(u64::try_from((v - 35) / 2).ok()?))),
        _ => None,
    }
}

fn legacy(encoded: &[u8]) -> rlp::Result<EncodedTransaction<'_>> {
    let payload = only_list(encoded)?;
    let mut rest = payload;
    rlp::digits(&mut rest, SMALL)?;
    rlp::digits(&mut rest, NUMBER)?;
    rlp::digits(&mut rest, SMALL)?;
    recipient(&mut rest)?;
    rlp::digits(&mut rest, NUMBER)?;
    rlp::string(&mut rest)?;
    let span = before(payload, rest);
    let (parity, chain_id) =
        from_v(rlp::integer(&mut rest, V)?).ok_or("v fits no legacy transaction")?;
    let signature = signature(&mut rest)?;
    rlp::end(rest)?;
    let signed = SignedMessage {
        chain_id,
        signature,
        parity: parity.into(),
        first: None,
        span,
    };
    let kind = if chain_id.is_some() {
        Kind::Eip155
    } else {
        Kind::Legacy
    };
    Ok(EncodedTransaction {
        kind,
        signed,
        authorizations: &[],
    })
}

/// Parses a transaction of EIP-2930, EIP-1559, EIP-4844 or EIP-7702: after the type byte, a list of
/// fields that ends with the signature.
fn typed<'a>(type_byte: u8, list: &'a [u8], kind: Kind) -> rlp::Result<EncodedTransaction<'a>> {
    let payload = only_list(list)?;
    let mut rest = payload;
    let chain_id = rlp::integer(&mut rest, SMALL)? as u64;
    rlp::digits(&mut rest, SMALL)?;
    // The gas price, or the fee and the priority fee.
    rlp::digits(&mut rest, NUMBER)?;
    if kind != Kind::Eip2930 {
        rlp::digits(&mut rest, NUMBER)?;
    }
    rlp::digits(&mut rest, SMALL)?;
    if matches!(kind, Kind::Eip2930 | Kind::Eip1559) {
        recipient(&mut rest)?;
    } else {
        address(&mut rest)?;
    }
    rlp::digits(&mut rest, NUMBER)?;
    rlp::string(&mut rest)?;
    access_list(&mut rest)?;
    let mut authorizations: &[u8] = &[];
    match kind {
        Kind::Eip4844 => {
            rlp::digits(&mut rest, NUMBER)?;
            hashes(&mut rest)?;
        }
        Kind::Eip7702 => authorizations = list_of_authorizations(&mut rest)?,
        _ => {}
    }
    let span = before(payload, rest);
    let parity = byte(&mut rest)?;
    if parity > 1 {
        return Err("a parity is 0 or 1");
    }
    let signature = signature(&mut rest)?;
    rlp::end(rest)?;
    let signed = SignedMessage {
        chain_id: Some(chain_id),
        signature,
        parity,
        first: Some(type_byte),
        span,
    };
    Ok(EncodedTransaction {
        kind,
        signed,
        authorizations,
    })
}

fn list_of_authorizations<'a>(rest: &mut &'a [u8]) -> rlp::Result<&'a [u8]> {
    let list = rlp::list(rest)?;
    let mut each = list;
    while !each.is_empty() {
        authorization(&mut each)?;
    }
    Ok(list)
}

fn authorization<'a>(rest: &mut &'a [u8]) -> rlp::Result<SignedMessage<'a>> {
    let payload = rlp::list(rest)?;
    let mut rest = payload;
    let mut chain_id = [0; NUMBER];
    rlp::number(&mut rest, &mut chain_id)?;
    address(&mut rest)?;
    rlp::digits(&mut rest, SMALL)?;
    let span = before(payload, rest);
    let parity = byte(&mut rest)?;
    let signature = signature(&mut rest)?;
    rlp::end(rest)?;
    // Chain 0 stands for every chain. No requested chain has a number of more than 64 bits.
    let (high, low) = chain_id.split_last_chunk().expect("32 bytes");
    let chain_id = if *high == [0; 24] {
        u64::from_be_bytes(*low)
    } else {
        u64::MAX
    };
    let chain_id = Some(chain_id).filter(|chain| *chain != 0);
    Ok(SignedMessage {
        chain_id,
        signature,
        parity,
        first: Some(AUTHORIZATION_MAGIC),
        span,
    })
}

/// Returns the payload of a list that nothing follows.
pub fn only_list(encoded: &[u8]) -> rlp::Result<&[u8]> {
    let mut rest = encoded;
    let payload = rlp::list(&mut rest)?;
    if rest.is_empty() {
        Ok(payload)
    } else {
        Err("bytes follow its end")
    }
}

/// Returns the part of some bytes that precedes the rest.
fn before<'a>(all: &'a [u8], rest: &[u8]) -> &'a [u8] {
    &all[..all.len() - rest.len()]
}

fn byte(rest: &mut &[u8]) -> rlp::Result<u8> {
    Ok(rlp::integer(rest, 1)? as u8)
}

fn address<'a>(rest: &mut &'a [u8]) -> rlp::Result<&'a Address> {
    rlp::fixed(rest)
}

/// Takes r and s.
fn signature(rest: &mut &[u8]) -> rlp::Result<[u8; 64]> {
    let mut signature = [0; 64];
    for half in signature.as_chunks_mut::<NUMBER>().0 {
        rlp::number(rest, half)?;
    }
    Ok(signature)
}

/// Takes an address, or an empty string if a contract is created.
fn recipient(rest: &mut &[u8]) -> rlp::Result<()> {
    if rest.first() == Some(&rlp::EMPTY_STRING) {
        rlp::item(rest)?;
        return Ok(());
    }
    address(rest).map(|_| ())
}

fn hashes(rest: &mut &[u8]) -> rlp::Result<()> {
    let mut each = rlp::list(rest)?;
    while !each.is_empty() {
        rlp::fixed::<32>(&mut each)?;
    }
    Ok(())
}

fn access_list(rest: &mut &[u8]) -> rlp::Result<()> {
    let mut items = rlp::list(rest)?;
    while !items.is_empty() {
        let mut item = rlp::list(&mut items)?;
        address(&mut item)?;
        hashes(&mut item)?;
        rlp::end(item)?;
    }
    Ok(())
}
