//! Transactions that are signed by the tests.

use super::real::{check, check_with};
use crate::random::Random;
use crate::support::file;
use alloy_consensus::proofs::ordered_trie_root_with_encoder;
use alloy_consensus::transaction::RlpEcdsaEncodableTx;
use alloy_consensus::{SignableTransaction, TxEip1559, TxEip2930, TxEip4844, TxEip7702, TxLegacy};
use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_eips::eip7702::{Authorization, SignedAuthorization};
use alloy_primitives::{Address, B256, Bytes, Signature, TxKind, U256, keccak256};
use alloy_rlp::{Encodable, Header};
use gecc::{Secp256k1, SecretKey, ecdsa};
use gecc_chains::Settings;
use gecc_chains::ethereum::{Answer, Kind, Options, Reason};
use rand::{Rng, RngExt};
use serde_json::{Value, json};
use std::path::PathBuf;

const TRANSACTIONS: usize = 300;
const HOMESTEAD: u64 = 1_150_000;

/// A signer of transactions.
pub struct Signer<'a> {
    settings: &'a Settings<'a>,
    key: SecretKey,
    address: Address,
}

impl<'a> Signer<'a> {
    pub fn new(settings: &'a Settings) -> Self {
        let (mut keys, public) =
            gecc::keys::generate(settings.engine().unwrap(), Secp256k1, 1).unwrap();
        let raw = &public[0].as_bytes()[public[0].as_bytes().len() - 64..];
        Signer {
            settings,
            key: keys.remove(0),
            address: Address::from_raw_public_key(raw),
        }
    }

    pub fn sign(&self, digest: B256) -> Signature {
        let signed = ecdsa::sign_recoverable(
            self.settings.engine().unwrap(),
            Secp256k1,
            &[digest.0],
            &self.key,
            ecdsa::SForm::Low,
        );
        let signed = signed.unwrap()[0].unwrap();
        Signature::from_bytes_and_parity(&signed.signature, signed.recovery_id == 1)
    }
}

fn bytes<const N: usize>(random: &mut Random) -> [u8; N] {
    let mut bytes = [0; N];
    random.fill_bytes(&mut bytes);
    bytes
}

/// Numbers of every length.
fn number(random: &mut Random) -> u64 {
    random.next_u64() >> (random.next_u32() % 64)
}

fn amount(random: &mut Random) -> u128 {
    u128::from(number(random)) << (random.next_u32() % 64)
}

fn data(random: &mut Random) -> Bytes {
    let mut data = vec![0; number(random) as usize % 600];
    random.fill_bytes(&mut data);
    data.into()
}

fn recipient(random: &mut Random) -> TxKind {
    if random.random_bool(0.25) {
        TxKind::Create
    } else {
        TxKind::Call(Address::new(bytes(random)))
    }
}

fn access_list(random: &mut Random) -> AccessList {
    let item = |random: &mut Random| AccessListItem {
        address: Address::new(bytes(random)),
        storage_keys: (0..random.next_u32() % 3)
            .map(|_| B256::new(bytes(random)))
            .collect(),
    };
    AccessList((0..random.next_u32() % 3).map(|_| item(random)).collect())
}

/// A signed transaction of a type in the encoding that is hashed, with the signers of its
/// authorizations.
pub fn transaction(kind: Kind, signer: &Signer, random: &mut Random) -> (Vec<u8>, Vec<Address>) {
    fn encode<T: RlpEcdsaEncodableTx + SignableTransaction<Signature>>(
        transaction: &T,
        signer: &Signer,
    ) -> Vec<u8> {
        let signature = signer.sign(transaction.signature_hash());
        let mut encoded = Vec::new();
        transaction.eip2718_encode(&signature, &mut encoded);
        encoded
    }
    let chain_id = number(random) >> 2;
    let nonce = number(random);
    let gas_limit = number(random);
    let gas_price = amount(random);
    let value = U256::from(amount(random));
    let input = data(random);
    let max_fee_per_gas = amount(random);
    let max_priority_fee_per_gas = amount(random);
    let to = recipient(random);
    let called = Address::new(bytes(random));
    let access_list = access_list(random);
    let mut authorities = Vec::new();
    let encoded = match kind {
        Kind::Eip2930 => encode(
            &TxEip2930 {
                chain_id,
                nonce,
                gas_price,
                gas_limit,
                to,
                value,
                access_list,
                input,
            },
            signer,
        ),
        Kind::Eip1559 => {
            let transaction = TxEip1559 {
                chain_id,
                nonce,
                gas_limit,
                max_fee_per_gas,
                max_priority_fee_per_gas,
                to,
                value,
                access_list,
                input,
            };
            encode(&transaction, signer)
        }
        Kind::Eip4844 => {
            let transaction = TxEip4844 {
                chain_id,
                nonce,
                gas_limit,
                max_fee_per_gas,
                max_priority_fee_per_gas,
                to: called,
                value,
                access_list,
                blob_versioned_hashes: vec![B256::new(bytes(random))],
                max_fee_per_blob_gas: amount(random),
                input,
            };
            encode(&transaction, signer)
        }
        Kind::Eip7702 => {
            let authorization = |authorities: &mut Vec<Address>, random: &mut Random| {
                let signer = Signer::new(signer.settings);
                authorities.push(signer.address);
                let inner = Authorization {
                    chain_id: U256::from(number(random)),
                    address: Address::new(bytes(random)),
                    nonce: number(random),
                };
                // EIP-7702: keccak256(0x05 || rlp([chain_id, address, nonce])).
                let mut signed = vec![5];
                inner.encode(&mut signed);
                let signature = signer.sign(keccak256(signed));
                SignedAuthorization::new_unchecked(
                    inner,
                    signature.v().into(),
                    signature.r(),
                    signature.s(),
                )
            };
            let transaction = TxEip7702 {
                chain_id,
                nonce,
                gas_limit,
                max_fee_per_gas,
                max_priority_fee_per_gas,
                to: called,
                value,
                access_list,
                authorization_list: (0..random.next_u32() % 4)
                    .map(|_| authorization(&mut authorities, random))
                    .collect(),
                input,
            };
            encode(&transaction, signer)
        }
        kind => {
            let chain_id = (kind == Kind::Eip155).then_some(chain_id);
            encode(
                &TxLegacy {
                    chain_id,
                    nonce,
                    gas_price,
                    gas_limit,
                    to,
                    value,
                    input,
                },
                signer,
            )
        }
    };
    (encoded, authorities)
}

/// A list of these items in RLP.
pub fn list(payload: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    Header {
        list: true,
        payload_length: payload.len(),
    }
    .encode(&mut whole);
    whole.extend_from_slice(payload);
    whole
}

/// The transactions root of a block, by alloy.
pub fn root_of(transactions: &[Vec<u8>]) -> [u8; 32] {
    ordered_trie_root_with_encoder(transactions, |transaction, to| {
        to.extend_from_slice(transaction)
    })
    .0
}

/// A header in which only the number and the root of the transactions match a real one.
pub fn header(number: u64, root: [u8; 32]) -> Vec<u8> {
    let mut fields = vec![0x80; 4];
    root.as_slice().encode(&mut fields);
    fields.extend([0x80; 3]);
    number.encode(&mut fields);
    list(&fields)
}

/// The transactions of a block as encoded in it: typed ones as strings.
pub fn in_block(transactions: &[Vec<u8>]) -> Vec<u8> {
    let mut in_block = Vec::new();
    for transaction in transactions {
        if transaction[0] < 0xc0 {
            transaction.as_slice().encode(&mut in_block)
        } else {
            in_block.extend(transaction)
        }
    }
    list(&in_block)
}

/// A block of these transactions.
pub fn block(number: u64, transactions: &[Vec<u8>]) -> Vec<u8> {
    list(
        &[
            header(number, root_of(transactions)),
            in_block(transactions),
            list(&[]),
        ]
        .concat(),
    )
}

fn check_block(settings: &Settings, number: u64, transactions: &[Vec<u8>]) -> Vec<Answer> {
    let (_folder, path) = file(&block(number, transactions));
    check(settings, &[path])
}

pub fn transactions_of_every_kind(settings: &Settings) {
    let mut random = Random::new();
    let kinds = [
        Kind::Legacy,
        Kind::Eip155,
        Kind::Eip2930,
        Kind::Eip1559,
        Kind::Eip4844,
        Kind::Eip7702,
    ];
    let mut transactions = Vec::new();
    let mut expected = Vec::new();
    for index in 0..TRANSACTIONS {
        let kind = kinds[index % kinds.len()];
        let signer = Signer::new(settings);
        let (encoded, authorities) = transaction(kind, &signer, &mut random);
        let hash = keccak256(&encoded).0;
        let answer = |authorization, kind, from: Address| Answer {
            block: Some(7),
            hash,
            authorization,
            kind,
            from: Some(from.into_array()),
            reason: None,
        };
        expected.push(answer(None, kind, signer.address));
        let authorities = authorities.into_iter().zip(0..);
        expected.extend(
            authorities.map(|(from, index)| answer(Some(index), Kind::Authorization, from)),
        );
        transactions.push(encoded);
    }
    assert_eq!(check_block(settings, 7, &transactions), expected);
}

/// Replaces s by n - s, and encodes the transaction again.
fn with_high_s(
    settings: &Settings,
    random: &mut Random,
    chain_id: Option<u64>,
) -> (Vec<u8>, Address) {
    let order = "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
        .parse::<U256>()
        .unwrap();
    let signer = Signer::new(settings);
    let transaction = TxLegacy {
        chain_id,
        nonce: number(random),
        ..TxLegacy::default()
    };
    let low = signer.sign(transaction.signature_hash());
    let high = Signature::new(low.r(), order - low.s(), !low.v());
    let mut encoded = Vec::new();
    transaction.eip2718_encode(&high, &mut encoded);
    (encoded, signer.address)
}

pub fn high_s(settings: &Settings) {
    let mut random = Random::new();
    for (chain_id, block, is_forbidden) in [
        (None, HOMESTEAD - 1, false),
        (None, HOMESTEAD, true),
        (Some(1), HOMESTEAD - 1, true),
    ] {
        let (encoded, from) = with_high_s(settings, &mut random, chain_id);
        let answers = check_block(settings, block, &[encoded]);
        assert_eq!(answers[0].from, Some(from.into_array()));
        assert_eq!(answers[0].reason, is_forbidden.then_some(Reason::HighS));
    }
}

/// A real block in JSON, reduced to one transaction, which is changed.
fn changed(change: impl FnOnce(&mut Value)) -> (tempfile::TempDir, PathBuf) {
    let path = crate::support::of_examples("ethereum/block_12244000.json");
    let mut block: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let transactions = block["transactions"].as_array_mut().unwrap();
    transactions.truncate(1);
    change(&mut transactions[0]);
    // The block without the root of its transactions.
    block.as_object_mut().unwrap().remove("transactionsRoot");
    file(block.to_string().as_bytes())
}

pub fn other_senders_and_hashes(settings: &Settings) {
    let reason = |change: &dyn Fn(&mut Value)| {
        let (_folder, path) = changed(change);
        let answers = check(settings, &[path]);
        assert_eq!(answers.len(), 1);
        answers[0].reason.clone()
    };
    assert_eq!(reason(&|_| {}), None);
    let other = json!("0x00000000000000000000000000000000000000ff");
    assert_eq!(
        reason(&|transaction| transaction["from"] = other.clone()),
        Some(Reason::OtherSender)
    );
    // The hash covers every field and the signature.
    for (name, value) in [
        ("nonce", "0xffff"),
        ("value", "0x12345"),
        ("input", "0x00ff"),
        ("s", "0x7"),
        ("to", "0x"),
    ] {
        let found = reason(&|transaction| transaction[name] = json!(value));
        assert!(
            matches!(found, Some(Reason::NotRebuilt(_))),
            "{name}: {found:?}"
        );
    }
    // Without a hash to compare with, only the signature shows the change.
    let without = |transaction: &mut Value| {
        transaction.as_object_mut().unwrap().remove("hash");
        transaction["nonce"] = json!("0xffff");
    };
    assert!(matches!(
        reason(&without),
        Some(Reason::OtherSender | Reason::Rejected(_))
    ));
    let zero = |transaction: &mut Value| {
        transaction.as_object_mut().unwrap().remove("hash");
        transaction["r"] = json!("0x0");
    };
    assert_eq!(
        reason(&zero),
        Some(Reason::Rejected(gecc::Rejection::ROutOfRange))
    );
}

/// JSON as written by nodes and scripts: a response, one block per line, a list of blocks, and
/// blocks with only the hashes.
pub fn responses_of_nodes(settings: &Settings) {
    let names = [
        "ethereum/block_1150000.json",
        "ethereum/block_22431083.json",
    ]
    .map(crate::support::of_examples);
    let blocks = names
        .clone()
        .map(|path| serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap());
    let expected = check(settings, &names);
    let answers = blocks
        .clone()
        .map(|block| json!({"jsonrpc": "2.0", "id": 1, "result": block}).to_string());
    let lines = blocks.clone().map(|block| block.to_string());
    let texts = [
        answers.join("\n"),
        lines.join("\n") + "\n\n",
        format!("[{}]", lines.join(",\n")),
    ];
    for text in texts {
        let (_folder, path) = file(text.as_bytes());
        assert_eq!(check(settings, &[path]), expected);
    }
    let mut hashes = blocks[0].clone();
    for transaction in hashes["transactions"].as_array_mut().unwrap() {
        *transaction = transaction["hash"].clone();
    }
    let (_folder, path) = file(hashes.to_string().as_bytes());
    let found = check(settings, &[path]);
    assert!(
        found
            .iter()
            .zip(&expected)
            .all(|(found, known)| found.hash == known.hash && found.valid().is_none())
    );
    // A malformed line does not affect the others.
    let (_folder, path) = file(
        [&lines[0], "{\"number\":", &lines[1], ""]
            .join("\n")
            .as_bytes(),
    );
    let (found, problems) = check_with(settings, &[path], &Options::default());
    assert_eq!((found, problems.len()), (expected, 1));
    assert_eq!(
        problems[0].place,
        gecc_chains::FilePosition::Byte(lines[0].len() as u64 + 1)
    );
}
