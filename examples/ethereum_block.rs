//! Who sent the transactions of an Ethereum block: recovers every signer and compares with the node's answer.
//!
//! `cargo run --release --example ethereum_block [-- [--jsonl] [BLOCK.json …]]`
//!
//! Reads what `eth_getBlockByNumber` returns with full transactions. For each transaction, and each authorization inside
//! an EIP-7702 transaction, it computes the hash that was signed, recovers the signer's address and compares it with `from`
//! (`authority`). The transaction hash is recomputed too, so nothing of the input goes unchecked.
//!
//! EIP-2 also asks for low s. That is a policy of `gecc::ecdsa::verify`; recovery takes both forms.

#[path = "common/args.rs"]
mod args;
mod common;
#[path = "common/record.rs"]
mod record;

use alloy_rlp::{BufMut, Encodable};
use args::Args;
use clap::Parser;
use common::Outcome;
use gecc::ecdsa::Address;
use gecc::{Engine, Point, Rejection, Secp256k1, ecdsa};
use record::Record;
use serde_json::Value;
use sha3::{Digest, Keccak256};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

const SHIPPED: [&str; 8] = [
    "ethereum/block_1150000.json",
    "ethereum/block_1920000.json",
    "ethereum/block_2675000.json",
    "ethereum/block_12244000.json",
    "ethereum/block_19426587.json",
    "ethereum/block_22431082.json",
    "ethereum/block_22431083.json",
    "ethereum/block_22431086.json",
];

// The signed fields in the order of the yellow paper and the EIPs, by their names in JSON.
const LEGACY: [&str; 6] = ["nonce", "gasPrice", "gas", "to", "value", "input"];
const EIP_2930: [&str; 8] = ["chainId", "nonce", "gasPrice", "gas", "to", "value", "input", "accessList"];
const EIP_1559: [&str; 9] =
    ["chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas", "to", "value", "input", "accessList"];
const EIP_4844_ADDS: [&str; 2] = ["maxFeePerBlobGas", "blobVersionedHashes"];
const EIP_7702_ADDS: [&str; 1] = ["authorizationList"];
const ACCESS: [&str; 2] = ["address", "storageKeys"];
const AUTHORIZATION_SIGNED: [&str; 3] = ["chainId", "address", "nonce"];
const AUTHORIZATION: [&str; 6] = ["chainId", "address", "nonce", "yParity", "r", "s"];

/// EIP-7702: the byte in front of a signed authorization.
const AUTHORIZATION_MAGIC: u8 = 5;

/// One signature, and the address that it must recover to.
struct Signed {
    kind: &'static str,
    tag: String,
    digest: [u8; 32],
    signature: [u8; 64],
    recovery_id: u8,
    signer: Vec<u8>,
}

fn main() -> ExitCode {
    common::exit_code(run())
}

/// Whether every signer is the one that the block names.
fn run() -> Outcome<bool> {
    let args = Args::parse();
    let mut signed = Vec::new();
    for path in args.files_or(&SHIPPED) {
        signed.extend(read_block(&path).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    let engine = Engine::new()?;
    let start = Instant::now();
    let columns = Columns::of(&signed);
    let signers = ecdsa::recover_addresses(&engine, &columns.digests, &columns.signatures, &columns.recovery_ids)?;
    let time = start.elapsed();

    let mismatches = report_mismatches(&signed, &signers);
    if args.jsonl {
        // The lines that `gecc verify` reads have public keys.
        let Columns { digests, signatures, recovery_ids } = &columns;
        let keys = ecdsa::recover::<Secp256k1>(&engine, digests, signatures, recovery_ids)?;
        let records: Vec<Record> = signed.iter().zip(&keys).filter_map(|(item, key)| to_record(item, key)).collect();
        record::print(&records)?;
    } else {
        print_counts(&signed);
        println!("{} signers recovered as the block says, {mismatches} mismatches", signed.len() - mismatches);
        println!("{}", common::throughput("signatures", signed.len(), time, &engine));
    }
    Ok(mismatches == 0)
}

/// What recovery takes.
struct Columns {
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    recovery_ids: Vec<u8>,
}

impl Columns {
    fn of(signed: &[Signed]) -> Self {
        Columns {
            digests: signed.iter().map(|item| item.digest).collect(),
            signatures: signed.iter().map(|item| item.signature).collect(),
            recovery_ids: signed.iter().map(|item| item.recovery_id).collect(),
        }
    }
}

/// Names each signature with another signer than the block's on standard error, and counts them.
fn report_mismatches(signed: &[Signed], signers: &[Result<Address, Rejection>]) -> usize {
    let mut mismatches = 0;
    for (item, signer) in signed.iter().zip(signers) {
        let found = match signer {
            Ok(signer) if item.signer == *signer => continue,
            Ok(signer) => hex::encode(signer),
            Err(reason) => reason.to_string(),
        };
        eprintln!("{}: signer should be {}, is {found}", item.tag, hex::encode(&item.signer));
        mismatches += 1;
    }
    mismatches
}

fn to_record(item: &Signed, key: &Result<Point, Rejection>) -> Option<Record> {
    Some(Record {
        digest: Some(hex::encode(item.digest)),
        signature: Some(hex::encode(item.signature)),
        public_key: hex::encode(key.ok()?.as_bytes()),
        recovery_id: Some(item.recovery_id),
        tag: item.tag.clone(),
        ..Record::default()
    })
}

fn print_counts(signed: &[Signed]) {
    let mut counts = BTreeMap::new();
    signed.iter().for_each(|item| *counts.entry(item.kind).or_insert(0) += 1);
    counts.iter().for_each(|(kind, count)| println!("{count:6} {kind}"));
}

fn read_block(path: &Path) -> Outcome<Vec<Signed>> {
    let block: Value = serde_json::from_slice(&common::read(path)?)?;
    let transactions = array(&block, "transactions")?;
    let mut signed = Vec::with_capacity(transactions.len());
    for transaction in transactions {
        signed.push(signed_transaction(transaction)?);
        // Absent in all other types.
        if transaction.get("authorizationList").is_some() {
            signed.extend(signed_authorizations(transaction)?);
        }
    }
    Ok(signed)
}

fn signed_transaction(transaction: &Value) -> Outcome<Signed> {
    let (kind, type_byte, fields) = match transaction.get("type").and_then(Value::as_str) {
        None | Some("0x0") => ("legacy", None, LEGACY.to_vec()),
        Some("0x1") => ("EIP-2930", Some(1), EIP_2930.to_vec()),
        Some("0x2") => ("EIP-1559", Some(2), EIP_1559.to_vec()),
        Some("0x3") => ("EIP-4844", Some(3), [EIP_1559.as_slice(), &EIP_4844_ADDS].concat()),
        Some("0x4") => ("EIP-7702", Some(4), [EIP_1559.as_slice(), &EIP_7702_ADDS].concat()),
        Some(other) => return Err(format!("transaction type {other} is not known").into()),
    };
    let mut to_sign = items(transaction, &fields)?;
    let mut whole = to_sign.clone();
    whole.extend(items(transaction, &["v", "r", "s"])?);
    check_hash(transaction, &encode(type_byte, whole))?;

    let v = small(transaction, "v")?;
    let (kind, recovery_id) = match (type_byte, v) {
        (Some(_), _) => (kind, v),
        (None, 27 | 28) => (kind, v - 27),
        // EIP-155: v = 35 + 2 * chain id + parity, and the chain id takes the place of v, r and s under the signature.
        (None, 35..) => {
            to_sign.extend([Item::integer(&((v - 35) / 2).to_be_bytes()), Item::integer(&[]), Item::integer(&[])]);
            ("EIP-155", (v - 35) % 2)
        }
        (None, _) => return Err(format!("v = {v} fits no form of legacy transaction").into()),
    };
    Ok(Signed {
        kind,
        tag: text(transaction, "hash")?.to_owned(),
        digest: Keccak256::digest(encode(type_byte, to_sign)).into(),
        signature: signature(transaction)?,
        recovery_id: u8::try_from(recovery_id)?,
        signer: data(transaction, "from")?,
    })
}

/// The transaction hash covers the whole signed encoding: if it comes out, the block was read as it was meant.
fn check_hash(transaction: &Value, encoded: &[u8]) -> Outcome<()> {
    let hash = Keccak256::digest(encoded);
    if data(transaction, "hash")? == hash.as_slice() {
        Ok(())
    } else {
        Err(format!("transaction {} hashes to 0x{}", text(transaction, "hash")?, hex::encode(hash)).into())
    }
}

/// EIP-7702: an account's consent to run the code at `address`, signed by the account itself.
fn signed_authorizations(transaction: &Value) -> Outcome<Vec<Signed>> {
    let sign = |(index, authorization): (usize, &Value)| {
        let to_sign = encode(Some(AUTHORIZATION_MAGIC), items(authorization, &AUTHORIZATION_SIGNED)?);
        Ok(Signed {
            kind: "EIP-7702 authorization",
            tag: format!("{}/authorization/{index}", text(transaction, "hash")?),
            digest: Keccak256::digest(to_sign).into(),
            signature: signature(authorization)?,
            recovery_id: u8::try_from(small(authorization, "yParity")?)?,
            signer: data(authorization, "authority")?,
        })
    };
    array(transaction, "authorizationList")?.iter().enumerate().map(sign).collect()
}

fn signature(value: &Value) -> Outcome<[u8; 64]> {
    let mut signature = [0; 64];
    for (name, half) in ["r", "s"].iter().zip(signature.chunks_exact_mut(32)) {
        let digits = quantity(text(value, name)?)?;
        let start = half.len().checked_sub(digits.len()).ok_or_else(|| format!("{name} has more than 32 bytes"))?;
        half[start..].copy_from_slice(&digits);
    }
    Ok(signature)
}

/// What RLP encodes: byte strings and lists. An integer is the string of its big-endian bytes without leading zeros.
#[derive(Clone)]
enum Item {
    Bytes(Vec<u8>),
    List(Vec<Item>),
}

impl Item {
    fn integer(big_endian: &[u8]) -> Self {
        Item::Bytes(big_endian.iter().copied().skip_while(|byte| *byte == 0).collect())
    }
}

impl Encodable for Item {
    fn encode(&self, out: &mut dyn BufMut) {
        match self {
            Item::Bytes(bytes) => bytes.as_slice().encode(out),
            Item::List(items) => alloy_rlp::encode_list(items, out),
        }
    }

    fn length(&self) -> usize {
        match self {
            Item::Bytes(bytes) => bytes.as_slice().length(),
            Item::List(items) => alloy_rlp::list_length(items),
        }
    }
}

/// EIP-2718: the type's byte, if there is one, and the RLP of the fields.
fn encode(type_byte: Option<u8>, fields: Vec<Item>) -> Vec<u8> {
    let mut encoded: Vec<u8> = type_byte.into_iter().collect();
    Item::List(fields).encode(&mut encoded);
    encoded
}

fn items(value: &Value, names: &[&str]) -> Outcome<Vec<Item>> {
    names.iter().map(|name| item(value, name)).collect()
}

fn item(value: &Value, name: &str) -> Outcome<Item> {
    let list_of = |names: &[&str]| {
        let entries = array(value, name)?.iter();
        Ok(Item::List(entries.map(|entry| Ok(Item::List(items(entry, names)?))).collect::<Outcome<_>>()?))
    };
    match name {
        "accessList" => list_of(&ACCESS),
        "authorizationList" => list_of(&AUTHORIZATION),
        "storageKeys" | "blobVersionedHashes" => {
            let hashes = array(value, name)?.iter();
            Ok(Item::List(hashes.map(|hash| Ok(Item::Bytes(bytes(hash, name)?))).collect::<Outcome<_>>()?))
        }
        // A contract creation has no recipient.
        "to" if value["to"].is_null() => Ok(Item::Bytes(Vec::new())),
        "to" | "address" | "input" => Ok(Item::Bytes(data(value, name)?)),
        _ => Ok(Item::Bytes(quantity(text(value, name)?)?)),
    }
}

// The two hexadecimal forms of Ethereum's JSON-RPC: data of whole bytes, and quantities without leading zeros.

fn data(value: &Value, name: &str) -> Outcome<Vec<u8>> {
    bytes(&value[name], name)
}

fn bytes(value: &Value, name: &str) -> Outcome<Vec<u8>> {
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x")).ok_or_else(|| format!("no {name} in hex"))?;
    Ok(hex::decode(digits)?)
}

/// The big-endian bytes without leading zeros.
fn quantity(text: &str) -> Outcome<Vec<u8>> {
    let digits = text.strip_prefix("0x").ok_or_else(|| format!("{text} does not begin with 0x"))?;
    let digits = digits.trim_start_matches('0');
    let padding = if digits.len() % 2 == 1 { "0" } else { "" };
    Ok(hex::decode(format!("{padding}{digits}"))?)
}

fn small(value: &Value, name: &str) -> Outcome<u64> {
    Ok(u64::from_str_radix(text(value, name)?.trim_start_matches("0x"), 16)?)
}

fn text<'a>(value: &'a Value, name: &str) -> Outcome<&'a str> {
    value[name].as_str().ok_or_else(|| format!("no text in field {name}").into())
}

fn array<'a>(value: &'a Value, name: &str) -> Outcome<&'a Vec<Value>> {
    value[name].as_array().ok_or_else(|| format!("no list in field {name}").into())
}
