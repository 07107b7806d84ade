//! Finds blocks and transactions in the envelopes of nodes and libraries.
//!
//! These are JSON-RPC responses, notifications of `eth_subscribe`, pools of pending transactions
//! (`txpool_content`), payloads of the engine API and blocks of the beacon chain, encoded
//! transactions with statements about them (`eth_signTransaction`, web3.js, web3.py), and the cache
//! of graph-node.

use super::members::{Meaning, Members, Why, meanings, not_json};
use super::values::{fixed, scalar, small, text, v};
use crate::ethereum::blocks::place_in;
use crate::ethereum::transaction::EncodedClaims;
use crate::problem::brief;
use gecc::fields::{may_be_secret, shown};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Maximum nesting depth of objects around a block.
const DEEPEST: usize = 8;

/// The kind of a value, and the positions of its parts.
pub enum FoundValue {
    List(Range<usize>),
    /// A block: its transactions, its number, and its transactions root.
    Block(Range<usize>, Option<u64>, Option<[u8; 32]>),
    Transaction(Range<usize>),
    /// Pending transactions.
    Waiting(Vec<Range<usize>>),
    Raw(RawTransaction),
    /// A block or a transaction in hexadecimal.
    Encoded(Range<usize>),
}

/// An encoded transaction, and the statements next to it.
pub struct RawTransaction {
    pub digits: Range<usize>,
    pub stated: EncodedClaims,
}

meanings! {
    /// Meanings of the members of blocks and transactions, and of objects around them.
    enum EnvelopeMember {
        Jsonrpc: "jsonrpc",
        Method: "method",
        Params: "params",
        Result: "result",
        Error: "error",
        Number: "number" | "blockNumber" | "block_number",
        Transactions: "transactions",
        TransactionsRoot: "transactionsRoot" | "transactions_root",
        Pending: "pending",
        Queued: "queued",
        Raw: "raw" | "rawTransaction" | "raw_transaction" | "rawTx" | "raw_tx",
        Hash: "hash" | "transactionHash" | "transaction_hash",
        From: "from",
        Payload: "executionPayload" | "execution_payload",
        Block: "block",
        Message: "message",
        Body: "body",
        Data: "data",
        Input: "input",
        R: "r",
        S: "s",
        V: "v",
        OfTransaction: "yParity" | "y_parity" | "signature" | "sig" | "gasPrice" | "gas_price" | "maxFeePerGas"
            | "max_fee_per_gas",
        OfHeader: "parentHash" | "parent_hash" | "logsBloom" | "receiptsRoot",
        OfBeacon: "parent_root" | "execution_payload_header",
        OfReceipt: "cumulativeGasUsed" | "cumulative_gas_used" | "effectiveGasPrice",
        OfLog: "topics" | "logIndex",
    }
}

impl FoundValue {
    /// Determines the kind of a value.
    ///
    /// # Errors
    /// The reason why there is neither a block nor a transaction.
    pub fn of(bytes: &[u8], text: Range<usize>) -> Result<Self, Why> {
        Self::within(bytes, text, 0)
    }

    /// Determines the kind of a value inside `depth` other values.
    fn within(bytes: &[u8], text: Range<usize>, depth: usize) -> Result<Self, Why> {
        match bytes[text.clone()].first() {
            Some(b'[') => return Ok(FoundValue::List(text)),
            Some(b'{') if depth > DEEPEST => {
                return Err(format!("objects in objects, {depth} of them").into());
            }
            Some(b'{') => {}
            _ if bytes[text.clone()] == *b"null" => {
                return Err("null in place of a block or a transaction".into());
            }
            _ => return Ok(FoundValue::Encoded(text)),
        }
        let members = Members::<EnvelopeMember>::of_any(&bytes[text.clone()])?;
        // A duplicate member invalidates only its transaction.
        if is_transaction(&members) {
            return Ok(FoundValue::Transaction(text));
        }
        members.require_once()?;
        if let Some(error) = members.get(EnvelopeMember::Error) {
            return Err(node_says(error));
        }
        if let Some(transactions) = members.get(EnvelopeMember::Transactions) {
            return block_of(bytes, &members, transactions);
        }
        if let Some(result) = members.get(EnvelopeMember::Result) {
            return Self::inside(bytes, result, depth);
        }
        if members.mentions(EnvelopeMember::Result) {
            return Err("the node answered with null: it has no such block or transaction".into());
        }
        if let Some(method) = members.get(EnvelopeMember::Method) {
            // The result of a notification is in its parameters.
            return match members
                .get(EnvelopeMember::Params)
                .filter(|params| params.starts_with('{'))
            {
                Some(params) => Self::inside(bytes, params, depth),
                None => {
                    Err(format!("a request of {} and not the answer to it", quoted(method)).into())
                }
            };
        }
        if members.has(EnvelopeMember::Jsonrpc) {
            return Err("an answer of a node without `result`".into());
        }
        if members.has(EnvelopeMember::Pending) || members.has(EnvelopeMember::Queued) {
            return waiting(bytes, &members);
        }
        if let Some(raw) = members.get(EnvelopeMember::Raw) {
            return raw_transaction(bytes, &members, raw);
        }
        let around = [
            EnvelopeMember::Payload,
            EnvelopeMember::Block,
            EnvelopeMember::Body,
            EnvelopeMember::Message,
            EnvelopeMember::Data,
        ];
        let objects = around.into_iter().filter_map(|part| members.get(part));
        let mut objects = objects.filter(|value| value.starts_with('{'));
        match objects.next() {
            Some(value) => Self::inside(bytes, value, depth),
            None => Err(described(&members)),
        }
    }

    /// Determines the kind of the value of a member.
    fn inside(bytes: &[u8], value: &str, depth: usize) -> Result<Self, Why> {
        Self::within(bytes, place_in(bytes, value.as_bytes()), depth + 1)
    }
}

/// Returns the block with a list of transactions.
fn block_of(
    bytes: &[u8],
    members: &Members<EnvelopeMember>,
    transactions: &str,
) -> Result<FoundValue, Why> {
    if !transactions.starts_with('[') {
        return Err("`transactions` is not a list".into());
    }
    let number = members.read(EnvelopeMember::Number, small)?;
    let root = members.read(EnvelopeMember::TransactionsRoot, fixed)?;
    Ok(FoundValue::Block(
        place_in(bytes, transactions.as_bytes()),
        number,
        root,
    ))
}

/// Returns an encoded transaction with the statements next to it.
fn raw_transaction(
    bytes: &[u8],
    members: &Members<EnvelopeMember>,
    raw: &str,
) -> Result<FoundValue, Why> {
    let stated = EncodedClaims {
        block: members.read(EnvelopeMember::Number, small)?,
        hash: members.read(EnvelopeMember::Hash, fixed)?,
        from: members.read(EnvelopeMember::From, fixed)?,
        r: members.read(EnvelopeMember::R, scalar)?,
        s: members.read(EnvelopeMember::S, scalar)?,
        v: members.read(EnvelopeMember::V, v)?,
    };
    Ok(FoundValue::Raw(RawTransaction {
        digits: place_in(bytes, raw.as_bytes()),
        stated,
    }))
}

/// Returns whether an object is a transaction, or is meant to be one. Logs have data as well, and
/// signing tools return parts of the signature next to an encoded transaction.
fn is_transaction(members: &Members<EnvelopeMember>) -> bool {
    if members.has_any(&[
        EnvelopeMember::Transactions,
        EnvelopeMember::Result,
        EnvelopeMember::Message,
        EnvelopeMember::OfReceipt,
        EnvelopeMember::OfLog,
    ]) {
        return false;
    }
    let has_data = members
        .get(EnvelopeMember::Data)
        .is_some_and(|data| data.starts_with('"'));
    let has_signature = members.has_any(&[
        EnvelopeMember::R,
        EnvelopeMember::S,
        EnvelopeMember::V,
        EnvelopeMember::OfTransaction,
    ]);
    has_data
        || members.has(EnvelopeMember::Input)
        || !members.has(EnvelopeMember::Raw) && has_signature
}

/// Describes an object that contains neither blocks nor transactions.
fn described(members: &Members<EnvelopeMember>) -> Why {
    let what = if members.has(EnvelopeMember::OfLog) {
        "an event, which has no signature"
    } else if members.has(EnvelopeMember::OfReceipt) {
        "a receipt, which has no signature"
    } else if members.has(EnvelopeMember::OfBeacon) {
        "a block of the beacon chain without the payload that has its transactions"
    } else if members.has(EnvelopeMember::OfHeader) {
        "the header of a block without its transactions"
    } else {
        "neither a block, which has a list of transactions, nor a transaction"
    };
    what.into()
}

/// Returns the transactions of `txpool_content`, by senders and nonces, or of `txpool_contentFrom`,
/// by nonces.
fn waiting(bytes: &[u8], members: &Members<EnvelopeMember>) -> Result<FoundValue, Why> {
    let mut found = Vec::new();
    for (name, object) in members
        .all(EnvelopeMember::Pending)
        .chain(members.all(EnvelopeMember::Queued))
    {
        for value in Entries::of(object, name)? {
            let is_one = Members::<EnvelopeMember>::of_any(value.as_bytes())
                .is_ok_and(|members| is_transaction(&members));
            if is_one {
                found.push(place_in(bytes, value.as_bytes()));
                continue;
            }
            for value in Entries::of(value, name)? {
                if !value.starts_with('{') {
                    return Err(without_transactions(name));
                }
                found.push(place_in(bytes, value.as_bytes()));
            }
        }
    }
    Ok(FoundValue::Waiting(found))
}

/// The problem of `txpool_status` and `txpool_inspect`, which return no transactions.
fn without_transactions(name: &str) -> Why {
    format!("`{name}` does not have transactions: txpool_content gives them").into()
}

/// The values of an object, regardless of their names.
struct Entries<'a>(Vec<&'a RawValue>);

impl<'a> Entries<'a> {
    fn of(object: &'a str, name: &str) -> Result<Vec<&'a str>, Why> {
        if !object.starts_with('{') {
            return Err(without_transactions(name));
        }
        let entries: Self = serde_json::from_str(object).map_err(|problem| not_json(&problem))?;
        Ok(entries.0.into_iter().map(RawValue::get).collect())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Values;
        impl<'de> Visitor<'de> for Values {
            type Value = Vec<&'de RawValue>;

            fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
                to.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some((_, value)) = map.next_entry::<IgnoredAny, &RawValue>()? {
                    values.push(value);
                }
                Ok(values)
            }
        }
        deserializer.deserialize_map(Values).map(Entries)
    }
}

meanings! {
    enum ErrorMember {
        Code: "code",
        Message: "message",
    }
}

/// Formats a text of the input for a message: it may not come from a node, and may be anything,
/// such as a key.
fn quoted(text: &str) -> String {
    if may_be_secret(text.as_bytes()) {
        shown(text)
    } else {
        brief(text)
    }
}

/// Returns the error with which a node responded.
fn node_says(error: &str) -> Why {
    let members = Members::<ErrorMember>::of_any(error.as_bytes()).ok();
    let code = members
        .as_ref()
        .and_then(|members| members.get(ErrorMember::Code));
    let message = members
        .as_ref()
        .and_then(|members| members.get(ErrorMember::Message));
    let message = message.and_then(|message| text(message).ok());
    let text = match (message, code) {
        (Some(message), Some(code)) => format!("{} (code {})", brief(message), brief(code)),
        (Some(message), None) => brief(message),
        _ => brief(Cow::Borrowed(error)),
    };
    format!("the node answered with an error: {}", quoted(&text)).into()
}
