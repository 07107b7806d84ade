//! Differential tests of the parser against the types of alloy: the accepted encodings, the signed
//! messages, and the signatures.

use super::{EncodedTransaction, SignedMessage, rlp};
use crate::ethereum::answers::Kind;
use crate::test_support::change;
use alloy_consensus::transaction::{
    EthereumTypedTransaction, RlpEcdsaDecodableTx, RlpEcdsaEncodableTx,
};
use alloy_consensus::{
    SignableTransaction, Transaction as _, TxEip1559, TxEip2930, TxEip4844, TxEip7702, TxLegacy,
};
use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_eips::eip7702::{Authorization, SignedAuthorization};
use alloy_primitives::{Address, B256, Bytes, Signature, TxKind, U256};
use alloy_rlp::{Encodable, Header};
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use std::io::Read;
use std::path::Path;

type Typed = EthereumTypedTransaction<TxEip4844>;

/// Number of generated transactions, and of mutations of each existing one.
const MADE: usize = 2000;
const CHANGED: usize = 320;
/// The byte values at which decoders branch.
const TELLING: [u8; 14] = [
    0, 1, 2, 3, 0x1b, 0x7f, 0x80, 0x81, 0xa0, 0xb8, 0xc0, 0xc1, 0xf8, 0xff,
];

fn decode_as<T: RlpEcdsaDecodableTx + Into<Typed>>(
    mut encoded: &[u8],
) -> Option<(Typed, Signature)> {
    let (transaction, signature) = T::rlp_decode_with_signature(&mut encoded).ok()?;
    encoded.is_empty().then(|| (transaction.into(), signature))
}

fn decode(encoded: &[u8]) -> Option<(Typed, Signature)> {
    match encoded.first()? {
        1 => decode_as::<TxEip2930>(&encoded[1..]),
        2 => decode_as::<TxEip1559>(&encoded[1..]),
        3 => decode_as::<TxEip4844>(&encoded[1..]),
        4 => decode_as::<TxEip7702>(&encoded[1..]),
        0xc0.. => decode_as::<TxLegacy>(encoded),
        _ => None,
    }
}

fn kind_of(transaction: &Typed) -> Kind {
    match transaction {
        Typed::Legacy(legacy) if legacy.chain_id.is_none() => Kind::Legacy,
        Typed::Legacy(_) => Kind::Eip155,
        Typed::Eip2930(_) => Kind::Eip2930,
        Typed::Eip1559(_) => Kind::Eip1559,
        Typed::Eip4844(_) => Kind::Eip4844,
        Typed::Eip7702(_) => Kind::Eip7702,
    }
}

fn require_signed(
    signed: &SignedMessage,
    chain_id: Option<u64>,
    (r, s): (U256, U256),
    parity: u8,
    message: &[u8],
) {
    let mut written = Vec::new();
    signed.write(&mut written);
    assert_eq!(const_hex::encode(written), const_hex::encode(message));
    assert_eq!((signed.chain_id, signed.parity), (chain_id, parity));
    assert_eq!(
        signed.signature,
        *[r.to_be_bytes::<32>(), s.to_be_bytes()].as_flattened()
    );
}

/// Returns whether a string before the gas limit has more than 16 bytes: a price.
fn has_long_price(transaction: &EncodedTransaction) -> bool {
    let SignedMessage {
        first, mut span, ..
    } = transaction.signed;
    // Legacy transactions have no chain here, and those of EIP-2930 one price.
    let strings = match first {
        None => 2,
        Some(1) => 3,
        Some(_) => 4,
    };
    let mut lengths = (0..strings).map(|_| rlp::string(&mut span).map_or(0, <[u8]>::len));
    let is_long = lengths.any(|length| length > 16);
    is_long || first == Some(3) && has_long_blob_fee(span)
}

/// Returns whether the fee for blobs has more than 16 bytes, after the other prices.
fn has_long_blob_fee(mut rest: &[u8]) -> bool {
    // The gas limit, the recipient, the value, the input and the access list.
    for _ in 0..5 {
        if rlp::item(&mut rest).is_err() {
            return false;
        }
    }
    rlp::string(&mut rest).is_ok_and(|fee| fee.len() > 16)
}

/// Compares both decoders, which have to agree in everything but prices of more than 128 bits, for
/// which alloy has no numbers. Returns whether they accept the bytes.
fn compare(encoded: &[u8]) -> bool {
    let found = EncodedTransaction::parse(encoded);
    let expected = decode(encoded);
    if expected.is_none() && found.as_ref().is_ok_and(has_long_price) {
        return true;
    }
    assert_eq!(
        found.is_ok(),
        expected.is_some(),
        "{}",
        const_hex::encode(encoded)
    );
    let (Ok(found), Some((transaction, signature))) = (found, expected) else {
        return false;
    };
    assert_eq!(found.kind, kind_of(&transaction));
    let mut message = Vec::new();
    transaction.encode_for_signing(&mut message);
    let parity = u8::from(signature.v());
    require_signed(
        &found.signed,
        transaction.chain_id(),
        (signature.r(), signature.s()),
        parity,
        &message,
    );
    let expected = transaction.authorization_list().unwrap_or_default();
    let authorizations: Vec<SignedMessage> = found.authorizations().collect();
    assert_eq!(authorizations.len(), expected.len());
    for (found, expected) in authorizations.iter().zip(expected) {
        let mut message = vec![5];
        expected.inner().encode(&mut message);
        let chain_id = Some(expected.chain_id.saturating_to::<u64>()).filter(|chain| *chain != 0);
        require_signed(
            found,
            chain_id,
            (expected.r(), expected.s()),
            expected.y_parity(),
            &message,
        );
    }
    // There is no other form, so the hash of these bytes is that of the transaction.
    let mut again = Vec::new();
    transaction.eip2718_encode(&signature, &mut again);
    assert_eq!(again, encoded);
    true
}

/// Returns the transactions of an era1 file.
fn example_data(name: &str) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data")
            .join(name),
    )
    .unwrap();
    let mut rest = bytes.as_slice();
    let mut found = Vec::new();
    while let [kind, _, a, b, c, d, _, _, record @ ..] = rest {
        let (content, after) = record.split_at(u32::from_le_bytes([*a, *b, *c, *d]) as usize);
        rest = after;
        if *kind != 4 {
            continue;
        }
        let mut body = Vec::new();
        snap::read::FrameDecoder::new(content)
            .read_to_end(&mut body)
            .unwrap();
        let mut parts = Header::decode_bytes(&mut body.as_slice(), true).unwrap();
        let mut list = Header::decode_bytes(&mut parts, true).unwrap();
        while !list.is_empty() {
            let whole = list;
            let header = Header::decode(&mut list).unwrap();
            let (payload, rest) = list.split_at(header.payload_length);
            list = rest;
            found.push(
                if header.list {
                    &whole[..whole.len() - rest.len()]
                } else {
                    payload
                }
                .to_vec(),
            );
        }
    }
    found
}

/// Generates a number of any length.
fn number(random: &mut StdRng) -> U256 {
    U256::from_be_bytes(random.random::<[u8; 32]>()) >> random.random_range(0..=256)
}

fn amount(random: &mut StdRng) -> u128 {
    random
        .random::<u128>()
        .checked_shr(random.random_range(0..=128))
        .unwrap_or(0)
}

fn small(random: &mut StdRng) -> u64 {
    random
        .random::<u64>()
        .checked_shr(random.random_range(0..=64))
        .unwrap_or(0)
}

fn hashes(random: &mut StdRng) -> Vec<B256> {
    (0..random.random_range(0..4))
        .map(|_| B256::new(random.random()))
        .collect()
}

fn access_list_item(random: &mut StdRng) -> AccessListItem {
    AccessListItem {
        address: Address::new(random.random()),
        storage_keys: hashes(random),
    }
}

fn authorization(random: &mut StdRng) -> SignedAuthorization {
    let inner = Authorization {
        chain_id: number(random),
        address: Address::new(random.random()),
        nonce: small(random),
    };
    SignedAuthorization::new_unchecked(inner, random.random(), number(random), number(random))
}

/// Generates a transaction of any type.
fn made(random: &mut StdRng) -> Vec<u8> {
    let address = Address::new(random.random());
    let some_to = if random.random() {
        TxKind::Call(address)
    } else {
        TxKind::Create
    };
    let mut input = vec![0; [0, 1, 4, 55, 56, 300][random.random_range(0..6)]];
    random.fill_bytes(&mut input);
    let input = Bytes::from(input);
    let access_list = AccessList(
        (0..random.random_range(0..3))
            .map(|_| access_list_item(random))
            .collect(),
    );
    let chain_id = small(random);
    let nonce = small(random);
    let gas_limit = small(random);
    let value = number(random);
    let gas_price = amount(random);
    let max_fee_per_gas = amount(random);
    let max_priority_fee_per_gas = amount(random);
    let transaction: Typed = match random.random_range(0..5) {
        0 => {
            let chain_id = random.random::<bool>().then_some(chain_id);
            TxLegacy {
                chain_id,
                nonce,
                gas_price,
                gas_limit,
                to: some_to,
                value,
                input,
            }
            .into()
        }
        1 => TxEip2930 {
            chain_id,
            nonce,
            gas_price,
            gas_limit,
            to: some_to,
            value,
            access_list,
            input,
        }
        .into(),
        2 => TxEip1559 {
            chain_id,
            nonce,
            gas_limit,
            max_fee_per_gas,
            max_priority_fee_per_gas,
            to: some_to,
            value,
            access_list,
            input,
        }
        .into(),
        3 => TxEip4844 {
            chain_id,
            nonce,
            gas_limit,
            max_fee_per_gas,
            max_priority_fee_per_gas,
            to: address,
            value,
            access_list,
            blob_versioned_hashes: hashes(random),
            max_fee_per_blob_gas: gas_price,
            input,
        }
        .into(),
        _ => {
            let authorization_list = (0..random.random_range(0..4))
                .map(|_| authorization(random))
                .collect();
            TxEip7702 {
                chain_id,
                nonce,
                gas_limit,
                max_fee_per_gas,
                max_priority_fee_per_gas,
                to: address,
                value,
                access_list,
                authorization_list,
                input,
            }
            .into()
        }
    };
    let mut encoded = Vec::new();
    transaction.eip2718_encode(
        &Signature::new(number(random), number(random), random.random()),
        &mut encoded,
    );
    encoded
}

/// Mutates the payload, so that the list around it keeps its length, or the whole encoding.
fn changed(encoded: &[u8], random: &mut StdRng) -> Vec<u8> {
    let first = usize::from(encoded[0] < 0xc0);
    let mut payload = &encoded[first..];
    let is_whole = random.random_bool(0.2);
    let mut bytes = if is_whole {
        encoded.to_vec()
    } else {
        Header::decode_bytes(&mut payload, true).unwrap().to_vec()
    };
    change(&mut bytes, 0, &TELLING, random);
    if is_whole {
        return bytes;
    }
    let mut whole = encoded[..first].to_vec();
    Header {
        list: true,
        payload_length: bytes.len(),
    }
    .encode(&mut whole);
    whole.extend(bytes);
    whole
}

#[test]
fn accepted_encodings_and_signed_messages_equal_those_of_alloy() {
    let seed = rand::random();
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let files = [
        "sepolia-00021-txblocks.era1",
        "made-premerge.era1",
        "made-postmerge.e2s",
    ];
    let mut all: Vec<Vec<u8>> = files.into_iter().flat_map(example_data).collect();
    assert_eq!(all.len(), 51 + 420 + 700);
    all.extend((0..MADE).map(|_| made(&mut random)));
    let mut taken = 0;
    let mut refused = 0;
    for encoded in &all {
        assert!(compare(encoded));
        for _ in 0..CHANGED {
            if compare(&changed(encoded, &mut random)) {
                taken += 1
            } else {
                refused += 1
            }
        }
    }
    println!("of changed ones {taken} taken, {refused} refused");
    assert!(taken > 20_000 && refused > 20_000);
    for bytes in [
        &[][..],
        &[0xc0],
        &[2],
        &[2, 0xc0],
        &[5, 0xc0],
        &[0x80],
        &[4, 0x80],
        &[0xc1, 0x80],
    ] {
        assert!(!compare(bytes));
    }
}
