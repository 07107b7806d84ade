//! Transactions: from their encoding, and from their fields.

use super::answers::Kind;
use super::decoded::{Decoder, TransactionHash};
use super::keccak::hash;
use alloy_consensus::transaction::{EthereumTypedTransaction, RlpEcdsaDecodableTx, RlpEcdsaEncodableTx};
use alloy_consensus::{TxEip1559, TxEip2930, TxEip4844, TxEip7702, TxLegacy};
use alloy_eips::eip2930::AccessList;
use alloy_eips::eip7702::SignedAuthorization;
use alloy_primitives::{Address, B256, Bytes, Signature, TxKind, U256};
use alloy_rlp::Header;
use std::borrow::Cow;

/// Blobs are beside transactions in blocks and tables, not in them.
pub type Transaction = EthereumTypedTransaction<TxEip4844>;

/// What a source says of a transaction, beside what is in it.
#[derive(Default)]
pub struct Claims {
    pub block: Option<u64>,
    pub hash: Option<B256>,
    pub from: Option<Address>,
    /// Who signed the authorizations.
    pub authorities: Vec<Option<Address>>,
}

const HASH_DIFFERS: &str = "the transaction's hash does not come out";

impl Decoder<'_> {
    /// Adds the transactions of a list in a block, which are encoded as there: legacy ones as lists, others as strings.
    ///
    /// # Errors
    /// Where an item of the list does not end. What came before it was added.
    pub fn add_list(&mut self, mut list: &[u8], block: Option<u64>) -> alloy_rlp::Result<()> {
        while !list.is_empty() {
            let whole = list;
            let header = Header::decode(&mut list)?;
            let (payload, rest) = list.split_at(header.payload_length);
            let encoded = if header.list { &whole[..whole.len() - rest.len()] } else { payload };
            list = rest;
            self.add_encoded(encoded, block);
        }
        Ok(())
    }

    /// Adds a transaction in the encoding of EIP-2718, by which it is hashed.
    fn add_encoded(&mut self, encoded: &[u8], block: Option<u64>) {
        match decode(encoded) {
            Ok((transaction, signature)) => {
                let claims = Claims { block, ..Claims::default() };
                self.add(&transaction, &signature, TransactionHash::Of(encoded), &claims);
            }
            Err((kind, why)) => self.add_not_rebuilt(kind, hash(encoded), block, why),
        }
    }

    /// Adds a transaction of which the fields are known, if its hash comes out of them.
    pub fn add_fields(&mut self, fields: Fields, signature: &Signature, claims: &Claims) {
        let (kind, why_differs) = (fields.kind(), fields.lacks.unwrap_or(HASH_DIFFERS));
        let has_one_form = !fields.may_be_for_any() && fields.authorization_list.is_empty();
        if let (true, Some(claimed)) = (has_one_form, claims.hash) {
            return match fields.into_transaction() {
                Ok(transaction) => {
                    let hash = TransactionHash::Claimed(claimed, why_differs);
                    self.add(&transaction, signature, hash, claims);
                }
                Err(why) => self.add_not_rebuilt(kind, claimed, claims.block, why),
            };
        }
        // Where a table says the chain of every row, the hash tells what was signed.
        let for_any = fields.may_be_for_any().then(|| Fields { chain_id: None, ..fields.clone() });
        let mut why = None;
        for form in std::iter::once(fields).chain(for_any) {
            match form.into_transaction() {
                Err(problem) => why = Some(problem),
                Ok(transaction) => {
                    let mut encoded = Vec::new();
                    transaction.eip2718_encode(signature, &mut encoded);
                    let hash = hash(&encoded);
                    if claims.hash.is_none_or(|claimed| claimed == hash) {
                        return self.add(&transaction, signature, TransactionHash::Known(hash), claims);
                    }
                }
            }
        }
        let why = why.unwrap_or_else(|| why_differs.into());
        self.add_not_rebuilt(kind, claims.hash.unwrap_or_default(), claims.block, why);
    }
}

type Decode = Result<(Transaction, Signature), (Kind, Cow<'static, str>)>;

fn decode(encoded: &[u8]) -> Decode {
    match encoded.first() {
        Some(1) => decode_as::<TxEip2930>(&encoded[1..], Kind::Eip2930),
        Some(2) => decode_as::<TxEip1559>(&encoded[1..], Kind::Eip1559),
        Some(3) => decode_as::<TxEip4844>(&encoded[1..], Kind::Eip4844),
        Some(4) => decode_as::<TxEip7702>(&encoded[1..], Kind::Eip7702),
        Some(0xc0..) => decode_as::<TxLegacy>(encoded, Kind::Legacy),
        Some(other) => Err((Kind::Unknown, unknown_type((*other).into()))),
        None => Err((Kind::Unknown, "it is empty".into())),
    }
}

fn decode_as<T: RlpEcdsaDecodableTx + Into<Transaction>>(mut encoded: &[u8], kind: Kind) -> Decode {
    match T::rlp_decode_with_signature(&mut encoded) {
        Ok(_) if !encoded.is_empty() => Err((kind, "bytes follow its end".into())),
        Ok((transaction, signature)) => Ok((transaction.into(), signature)),
        Err(problem) => Err((kind, problem.to_string().into())),
    }
}

fn unknown_type(number: u64) -> Cow<'static, str> {
    format!("transactions of type {number} are not known").into()
}

/// The fields of a transaction, whatever they were read from. What a type does not have is left alone.
#[derive(Clone, Default)]
pub struct Fields {
    pub type_number: u64,
    /// Of a legacy transaction: `None` where it is signed for any chain.
    pub chain_id: Option<u64>,
    /// Whether the source says the chain of legacy transactions that are signed for any.
    pub chain_is_of_source: bool,
    pub nonce: u64,
    pub gas_price: Option<u128>,
    pub max_fee_per_gas: Option<u128>,
    pub max_priority_fee_per_gas: Option<u128>,
    pub max_fee_per_blob_gas: Option<u128>,
    pub gas_limit: u64,
    pub to: Option<Address>,
    pub value: U256,
    pub input: Bytes,
    pub access_list: AccessList,
    pub blob_versioned_hashes: Vec<B256>,
    pub authorization_list: Vec<SignedAuthorization>,
    /// What the source does not say, and why a hash may not come out.
    pub lacks: Option<&'static str>,
}

impl Fields {
    /// The kind, as far as the fields say it.
    fn kind(&self) -> Kind {
        match self.type_number {
            0 if self.chain_id.is_none() || self.chain_is_of_source => Kind::Legacy,
            0 => Kind::Eip155,
            1 => Kind::Eip2930,
            2 => Kind::Eip1559,
            3 => Kind::Eip4844,
            4 => Kind::Eip7702,
            _ => Kind::Unknown,
        }
    }

    fn may_be_for_any(&self) -> bool {
        self.type_number == 0 && self.chain_is_of_source && self.chain_id.is_some()
    }

    fn into_transaction(self) -> Result<Transaction, Cow<'static, str>> {
        let Fields { chain_id, nonce, gas_limit, value, input, access_list, .. } = self;
        let to = self.to.map_or(TxKind::Create, TxKind::Call);
        let gas_price = || self.gas_price.ok_or("the gas price is missing");
        let max_fee_per_gas = || self.max_fee_per_gas.ok_or("the maximal fee is missing");
        let max_priority_fee_per_gas = || self.max_priority_fee_per_gas.ok_or("the maximal priority fee is missing");
        let chain = || chain_id.ok_or("the chain is missing");
        let called = || self.to.ok_or("the recipient is missing");
        Ok(match self.type_number {
            0 => TxLegacy { chain_id, nonce, gas_price: gas_price()?, gas_limit, to, value, input }.into(),
            1 => TxEip2930 {
                chain_id: chain()?,
                nonce,
                gas_price: gas_price()?,
                gas_limit,
                to,
                value,
                access_list,
                input,
            }
            .into(),
            2 => TxEip1559 {
                chain_id: chain()?,
                nonce,
                gas_limit,
                max_fee_per_gas: max_fee_per_gas()?,
                max_priority_fee_per_gas: max_priority_fee_per_gas()?,
                to,
                value,
                access_list,
                input,
            }
            .into(),
            3 => TxEip4844 {
                chain_id: chain()?,
                nonce,
                gas_limit,
                max_fee_per_gas: max_fee_per_gas()?,
                max_priority_fee_per_gas: max_priority_fee_per_gas()?,
                to: called()?,
                value,
                access_list,
                blob_versioned_hashes: self.blob_versioned_hashes,
                max_fee_per_blob_gas: self.max_fee_per_blob_gas.ok_or("the maximal fee for blobs is missing")?,
                input,
            }
            .into(),
            4 => TxEip7702 {
                chain_id: chain()?,
                nonce,
                gas_limit,
                max_fee_per_gas: max_fee_per_gas()?,
                max_priority_fee_per_gas: max_priority_fee_per_gas()?,
                to: called()?,
                value,
                access_list,
                authorization_list: self.authorization_list,
                input,
            }
            .into(),
            other => return Err(unknown_type(other)),
        })
    }
}
