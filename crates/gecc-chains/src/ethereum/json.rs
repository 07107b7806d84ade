//! Blocks as JSON-RPC gives them, with full transactions: `eth_getBlockByNumber`, as it answers or the block alone.
//!
//! A file has a value a line, or is one value: a block, or a list of blocks. Numbers and bytes are texts that begin
//! with `0x`.

use super::answers::Kind;
use super::decoded::Decoder;
use super::transaction::{Claims, Fields};
use super::{Content, PIECE, Piece};
use crate::files::Reader;
use crate::flow::HandOn;
use crate::problem::{Place, Problem, note};
use alloy_consensus::transaction::from_eip155_value;
use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_eips::eip7702::{Authorization, SignedAuthorization};
use alloy_primitives::{Address, B256, Bytes, Signature, U256};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Bytes of a line, or of a file that is one value.
const LONGEST: u64 = 512 << 20;

/// Values, one a line or only one.
pub struct Values {
    bytes: Vec<u8>,
    is_lines: bool,
    /// Where the first of them is in its file.
    start: u64,
}

/// Whether a file that begins like this has JSON.
pub fn begins(first: &[u8]) -> bool {
    matches!(first.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Reads a file of values.
pub fn read(reader: &mut Reader, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
    let mut bytes = Vec::new();
    let read = read_first(reader, &mut bytes);
    let is_lines = serde_json::from_slice::<&RawValue>(&bytes).is_ok();
    let mut start = 0;
    let mut ended = read;
    loop {
        if ended.is_ok() && is_lines {
            while bytes.len() < PIECE && append_line(reader, &mut bytes, &mut ended) {}
        } else if ended.is_ok() {
            ended = append_rest(reader, &mut bytes);
        }
        let length = bytes.len() as u64;
        let values = Values { bytes: std::mem::take(&mut bytes), is_lines, start };
        start += length;
        if length > 0 {
            hand_on(Piece::new(&reader.path, Content::Json(values), length))?;
        }
        if let Err(problem) = ended {
            return hand_on(Piece::problem(problem));
        }
        if reader.left() == 0 {
            return ControlFlow::Continue(());
        }
    }
}

fn read_first(reader: &mut Reader, bytes: &mut Vec<u8>) -> Result<(), Problem> {
    while bytes.trim_ascii().is_empty() && reader.append_line(LONGEST, bytes)? {}
    Ok(())
}

fn append_line(reader: &mut Reader, bytes: &mut Vec<u8>, ended: &mut Result<(), Problem>) -> bool {
    match reader.append_line(LONGEST, bytes) {
        Ok(found) => found,
        Err(problem) => {
            *ended = Err(problem);
            false
        }
    }
}

fn append_rest(reader: &mut Reader, bytes: &mut Vec<u8>) -> Result<(), Problem> {
    let left = reader.left();
    if left > LONGEST {
        return Err(
            reader.problem(format!("a value of {left} bytes is above the limit of {LONGEST}; one a line would do"))
        );
    }
    reader.append(left, bytes)
}

/// A value, by what it may be.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Value<'a> {
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    number: Option<&'a RawValue>,
    #[serde(borrow)]
    transactions: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsonTransaction<'a> {
    hash: Option<&'a str>,
    from: Option<&'a str>,
    #[serde(rename = "type")]
    type_number: Option<&'a str>,
    chain_id: Option<&'a str>,
    nonce: &'a str,
    gas_price: Option<&'a str>,
    max_fee_per_gas: Option<&'a str>,
    max_priority_fee_per_gas: Option<&'a str>,
    max_fee_per_blob_gas: Option<&'a str>,
    #[serde(rename = "gas")]
    gas_limit: &'a str,
    to: Option<&'a str>,
    value: &'a str,
    #[serde(alias = "data")]
    input: &'a str,
    #[serde(default, borrow)]
    access_list: Option<Vec<Access<'a>>>,
    #[serde(default, borrow)]
    blob_versioned_hashes: Option<Vec<&'a str>>,
    #[serde(default, borrow)]
    authorization_list: Option<Vec<JsonAuthorization<'a>>>,
    v: Option<&'a str>,
    y_parity: Option<&'a str>,
    r: &'a str,
    s: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Access<'a> {
    address: &'a str,
    #[serde(borrow)]
    storage_keys: Vec<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsonAuthorization<'a> {
    chain_id: &'a str,
    address: &'a str,
    nonce: &'a str,
    #[serde(alias = "v")]
    y_parity: &'a str,
    r: &'a str,
    s: &'a str,
    authority: Option<&'a str>,
}

type Why = Cow<'static, str>;

impl Decoder<'_> {
    /// Adds the transactions of blocks.
    pub fn add_values(&mut self, path: &Arc<Path>, values: &Values) {
        let mut place = values.start;
        let lines = values.bytes.split_inclusive(|byte| values.is_lines && *byte == b'\n');
        for text in lines {
            let problem = |what: Why| Problem::new(path, Place::Byte(place), what);
            if !text.trim_ascii().is_empty()
                && let Err(what) = self.add_value(text)
            {
                note(&mut self.to.progress.problems, problem(what));
            }
            place += text.len() as u64;
        }
    }

    fn add_value(&mut self, text: &[u8]) -> Result<(), Why> {
        if text.trim_ascii_start().starts_with(b"[") {
            let values: Vec<&RawValue> = parse(text)?;
            return values.iter().try_for_each(|value| self.add_block_of(value.get().as_bytes()));
        }
        self.add_block_of(text)
    }

    fn add_block_of(&mut self, text: &[u8]) -> Result<(), Why> {
        let answer: Value = parse(text)?;
        let block: Value = match answer.result {
            Some(result) => parse(result.get().as_bytes())?,
            None => answer,
        };
        let transactions = block.transactions.ok_or("a block has a list of transactions")?;
        let number = block.number.map(|number| parse(number.get().as_bytes()).and_then(small)).transpose()?;
        if self.wants(number) {
            transactions.iter().for_each(|transaction| self.add_json(transaction, number));
        }
        Ok(())
    }

    fn add_json(&mut self, text: &RawValue, block: Option<u64>) {
        match serde_json::from_str::<JsonTransaction>(text.get()) {
            Ok(transaction) => match transaction.read(block) {
                Ok((fields, signature, claims)) => self.add_fields(fields, &signature, &claims),
                Err(why) => {
                    let hash = transaction.hash.and_then(|hash| fixed(hash).ok()).map(B256::new);
                    self.add_not_rebuilt(Kind::Unknown, hash.unwrap_or_default(), block, why);
                }
            },
            // Where blocks were asked for without their transactions there are hashes alone.
            Err(problem) => {
                let hash = serde_json::from_str::<&str>(text.get()).ok().and_then(|hash| fixed(hash).ok());
                let why = if hash.is_some() { "there is only its hash".into() } else { problem.to_string().into() };
                self.add_not_rebuilt(Kind::Unknown, B256::new(hash.unwrap_or_default()), block, why);
            }
        }
    }
}

fn parse<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, Why> {
    serde_json::from_slice(text).map_err(|problem| format!("no block in JSON: {problem}").into())
}

impl JsonTransaction<'_> {
    fn read(&self, block: Option<u64>) -> Result<(Fields, Signature, Claims), Why> {
        let type_number = self.type_number.map_or(Ok(0), small)?;
        let (parity, chain_id) = self.parity_and_chain(type_number)?;
        let authorizations = self.authorization_list.as_deref().unwrap_or_default();
        let fields = Fields {
            type_number,
            chain_id,
            nonce: small(self.nonce)?,
            gas_price: self.gas_price.map(amount).transpose()?,
            max_fee_per_gas: self.max_fee_per_gas.map(amount).transpose()?,
            max_priority_fee_per_gas: self.max_priority_fee_per_gas.map(amount).transpose()?,
            max_fee_per_blob_gas: self.max_fee_per_blob_gas.map(amount).transpose()?,
            gas_limit: small(self.gas_limit)?,
            to: self.to.map(address).transpose()?,
            value: number(self.value)?,
            input: Bytes::from(const_hex::decode(prefixed(self.input)?).map_err(|_| not_hex(self.input))?),
            access_list: self.access_list()?,
            blob_versioned_hashes: hashes(self.blob_versioned_hashes.as_deref().unwrap_or_default())?,
            authorization_list: authorizations.iter().map(JsonAuthorization::read).collect::<Result<_, _>>()?,
            ..Fields::default()
        };
        let authority = |authorization: &JsonAuthorization| authorization.authority.map(address).transpose();
        let claims = Claims {
            block,
            hash: self.hash.map(|hash| fixed(hash).map(B256::new)).transpose()?,
            from: self.from.map(address).transpose()?,
            authorities: authorizations.iter().map(authority).collect::<Result<_, _>>()?,
        };
        Ok((fields, Signature::new(number(self.r)?, number(self.s)?, parity), claims))
    }

    /// Of legacy transactions v says both; of others it is the parity, which newer nodes give another name.
    fn parity_and_chain(&self, type_number: u64) -> Result<(bool, Option<u64>), Why> {
        if type_number == 0 {
            let v = amount(self.v.ok_or("v is missing")?)?;
            return from_eip155_value(v).ok_or_else(|| format!("v = {v} fits no legacy transaction").into());
        }
        let parity = match small(self.y_parity.or(self.v).ok_or("the parity is missing")?)? {
            0 => false,
            1 => true,
            other => return Err(format!("a parity of {other} does not exist").into()),
        };
        Ok((parity, self.chain_id.map(small).transpose()?))
    }

    fn access_list(&self) -> Result<AccessList, Why> {
        let item = |item: &Access| {
            Ok(AccessListItem { address: address(item.address)?, storage_keys: hashes(&item.storage_keys)? })
        };
        let items: Result<_, Why> = self.access_list.as_deref().unwrap_or_default().iter().map(item).collect();
        Ok(AccessList(items?))
    }
}

impl JsonAuthorization<'_> {
    fn read(&self) -> Result<SignedAuthorization, Why> {
        let inner = Authorization {
            chain_id: number(self.chain_id)?,
            address: address(self.address)?,
            nonce: small(self.nonce)?,
        };
        let parity = u8::try_from(small(self.y_parity)?).map_err(|_| "a parity is one byte")?;
        Ok(SignedAuthorization::new_unchecked(inner, parity, number(self.r)?, number(self.s)?))
    }
}

// The two hexadecimal forms of JSON-RPC: bytes, two digits each, and numbers without zeros in front, which are let
// pass.

fn prefixed(text: &str) -> Result<&str, Why> {
    text.strip_prefix("0x").ok_or_else(|| not_hex(text))
}

fn not_hex(text: &str) -> Why {
    let start: String = text.chars().take(20).collect();
    format!("{start:?} is not in hexadecimal").into()
}

fn fixed<const N: usize>(text: &str) -> Result<[u8; N], Why> {
    const_hex::decode_to_array(prefixed(text)?).map_err(|_| not_hex(text))
}

fn address(text: &str) -> Result<Address, Why> {
    fixed(text).map(Address::new)
}

fn hashes(texts: &[&str]) -> Result<Vec<B256>, Why> {
    texts.iter().map(|text| fixed(text).map(B256::new)).collect()
}

fn number(text: &str) -> Result<U256, Why> {
    U256::from_str_radix(prefixed(text)?, 16).map_err(|_| not_hex(text))
}

fn amount(text: &str) -> Result<u128, Why> {
    u128::from_str_radix(prefixed(text)?, 16).map_err(|_| not_hex(text))
}

fn small(text: &str) -> Result<u64, Why> {
    u64::from_str_radix(prefixed(text)?, 16).map_err(|_| not_hex(text))
}
