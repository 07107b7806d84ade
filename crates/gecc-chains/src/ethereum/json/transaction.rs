//! Transactions in the JSON of JSON-RPC, web3.py, ethers and others.

use super::members::{Meaning, Members, Why, meanings};
use super::next_element;
use super::values::{bytes, fixed, number, parity, scalar, small, text, v};
use crate::ethereum::answers::Kind;
use crate::ethereum::decoded::{Decoder, SourceClaims};
use crate::ethereum::interpretation::{MemberNames, SignatureStatement, parity_of_v};
use crate::ethereum::rlp;
use crate::ethereum::transaction::{
    Authorization, Deposit, FieldBuffers, LENGTH_OF_HASH, Number, TransactionFields,
    is_zero_or_missing, put_access,
};
use crate::ethereum::unsigned::{self, ARBITRUM_CLASSIC, UnsignedType, is_unsigned_type};
use gecc::ecdsa::Address;

meanings! {
    /// Meanings of the members of a transaction.
    pub enum Field {
        Hash: "hash" | "transactionHash" | "transaction_hash",
        From: "from" | "from_address",
        Type: "type" | "typeHex" | "transaction_type",
        ChainId: "chainId" | "chain_id",
        BlockNumber: "blockNumber" | "block_number",
        Nonce: "nonce",
        GasPrice: "gasPrice" | "gas_price",
        MaxFeePerGas: "maxFeePerGas" | "max_fee_per_gas",
        MaxPriorityFeePerGas: "maxPriorityFeePerGas" | "max_priority_fee_per_gas",
        MaxFeePerBlobGas: "maxFeePerBlobGas" | "max_fee_per_blob_gas",
        GasLimit: "gas" | "gasLimit" | "gas_limit",
        To: "to" | "to_address",
        Value: "value",
        Input: "input" | "data",
        AccessList: "accessList" | "access_list",
        BlobVersionedHashes: "blobVersionedHashes" | "blob_versioned_hashes",
        AuthorizationList: "authorizationList" | "authorization_list",
        V: "v",
        YParity: "yParity" | "y_parity",
        R: "r",
        S: "s",
        Signature: "signature" | "sig",
        SourceHash: "sourceHash" | "source_hash",
        Mint: "mint",
        IsSystem: "isSystemTx" | "is_system_tx",
    }
}

meanings! {
    /// Meanings of the members of a signature object.
    enum SignatureMember {
        V: "v",
        YParity: "yParity" | "y_parity",
        NetworkV: "networkV",
        R: "r",
        S: "s",
    }
}

meanings! {
    enum AccessMember {
        Address: "address",
        StorageKeys: "storageKeys" | "storage_keys",
    }
}

meanings! {
    enum AuthorizationMember {
        ChainId: "chainId" | "chain_id",
        Address: "address",
        Nonce: "nonce",
        YParity: "yParity" | "y_parity",
        V: "v",
        R: "r",
        S: "s",
        Signature: "signature",
        Authority: "authority",
    }
}

const NAMES: MemberNames = MemberNames {
    v: "v",
    y_parity: "yParity",
    chain_id: "chainId",
    type_number: "type",
};

/// An object that is a transaction, or is meant to be one.
pub struct JsonTransaction<'a>(Members<'a, Field>);

impl<'a> JsonTransaction<'a> {
    /// Parses an object.
    ///
    /// # Errors
    /// Text that is not an object.
    pub fn of(text: &'a [u8]) -> Result<Self, Why> {
        Members::of_any(text).map(JsonTransaction)
    }

    /// Returns the number of its block; `None` for a pending transaction.
    pub fn block(&self) -> Result<Option<u64>, Why> {
        self.0.read(Field::BlockNumber, small)
    }

    /// Returns the hash that the source states, if it is well-formed.
    pub fn hash(&self) -> Option<[u8; 32]> {
        self.0.read(Field::Hash, fixed).ok().flatten()
    }

    fn type_number(&self) -> Result<Option<u64>, Why> {
        // In ethereum-etl, `type` states that an item is a transaction, and the number is
        // elsewhere.
        let is_kind = self
            .0
            .all(Field::Type)
            .any(|(name, value)| name == "type" && value == "\"transaction\"");
        if !is_kind {
            return self.0.read(Field::Type, type_number);
        }
        let other = self.0.all(Field::Type).find(|(name, _)| *name != "type");
        other
            .map(|(name, value)| type_number(value).map_err(|why| format!("`{name}` {why}").into()))
            .transpose()
    }

    fn signature(&self) -> Result<JsonSignature, Why> {
        let members = &self.0;
        let given = JsonSignature {
            r: members.read(Field::R, scalar_or_empty)?.flatten(),
            s: members.read(Field::S, scalar_or_empty)?.flatten(),
            v: members
                .read(Field::V, |value| or_empty(value, v))?
                .flatten(),
            y_parity: members
                .read(Field::YParity, |value| or_empty(value, parity))?
                .flatten(),
            v_is_normalised: false,
        };
        let Some(object) = members.get(Field::Signature) else {
            return Ok(given);
        };
        given.with(JsonSignature::of(object)?)
    }

    /// Returns the statements about the type and the parity.
    fn statement(
        &self,
        signature: &JsonSignature,
        type_number: Option<u64>,
        has_hash: bool,
    ) -> Result<SignatureStatement, Why> {
        Ok(SignatureStatement {
            type_number,
            chain_id: self.0.read(Field::ChainId, small)?,
            chain_is_exact: false,
            v: signature.v,
            v_is_normalised: signature.v_is_normalised,
            y_parity: signature.y_parity,
            has_access_list: self.0.has(Field::AccessList),
            has_fees: self.0.has(Field::MaxFeePerGas) || self.0.has(Field::MaxPriorityFeePerGas),
            has_blobs: self.has_items(Field::BlobVersionedHashes)
                || self.0.has(Field::MaxFeePerBlobGas),
            has_authorizations: self.has_items(Field::AuthorizationList),
            has_hash,
        })
    }

    /// Returns whether a list is present, and is not written as an empty one.
    fn has_items(&self, field: Field) -> bool {
        self.0.get(field).is_some_and(|list| list != "[]")
    }

    /// Reads the fields that become part of the encoding, except lists and input.
    fn fields(&self, signature: &JsonSignature) -> Result<TransactionFields<'static>, Why> {
        let members = &self.0;
        Ok(TransactionFields {
            nonce: members
                .read(Field::Nonce, small)?
                .ok_or_else(|| missing("nonce"))?,
            gas_price: members.read(Field::GasPrice, number)?,
            max_fee_per_gas: members.read(Field::MaxFeePerGas, number)?,
            max_priority_fee_per_gas: members.read(Field::MaxPriorityFeePerGas, number)?,
            max_fee_per_blob_gas: members.read(Field::MaxFeePerBlobGas, number)?,
            gas_limit: members
                .read(Field::GasLimit, small)?
                .ok_or_else(|| missing("gas"))?,
            to: members.read(Field::To, recipient)?.flatten(),
            value: members
                .read(Field::Value, number)?
                .ok_or_else(|| missing("value"))?,
            r: signature.r.ok_or_else(|| missing("r"))?,
            s: signature.s.ok_or_else(|| missing("s"))?,
            ..TransactionFields::default()
        })
    }

    /// Reads a deposit of an OP chain. Some nodes add a signature of zeros, and omit fields that
    /// are not set.
    fn deposit<'i>(
        &self,
        signature: &JsonSignature,
        input: &'i mut Vec<u8>,
    ) -> Result<Deposit<'i>, Why> {
        let members = &self.0;
        if let Some(name) = signature.first_of_signed() {
            return Err(format!("a deposit has no signature, and this has `{name}`").into());
        }
        *input = members
            .read(Field::Input, bytes)?
            .ok_or_else(|| missing_of_deposit("input"))?;
        Ok(Deposit {
            source_hash: members
                .read(Field::SourceHash, fixed)?
                .ok_or_else(|| missing_of_deposit("sourceHash"))?,
            from: members
                .read(Field::From, fixed)?
                .ok_or_else(|| missing_of_deposit("from"))?,
            to: members.read(Field::To, recipient)?.flatten(),
            mint: members.read(Field::Mint, number)?.unwrap_or_default(),
            value: members
                .read(Field::Value, number)?
                .ok_or_else(|| missing_of_deposit("value"))?,
            gas_limit: members
                .read(Field::GasLimit, small)?
                .ok_or_else(|| missing_of_deposit("gas"))?,
            is_system: members.read(Field::IsSystem, parity)?.unwrap_or_default(),
            input,
        })
    }

    /// Reads the input and the lists, and the signers of authorizations that the source states.
    fn parts(&self) -> Result<(FieldBuffers, Vec<Option<Address>>), Why> {
        let input = self
            .0
            .read(Field::Input, bytes)?
            .ok_or_else(|| missing("input"))?;
        let access_list = self.list(Field::AccessList, put_access_item)?;
        let blob_versioned_hashes = self.list(Field::BlobVersionedHashes, put_hash)?;
        let mut authorities = Vec::new();
        let authorization_list = self.list(Field::AuthorizationList, |item, to| {
            let authorization = Members::of(item.as_bytes())?;
            read_authorization(&authorization)?.put(to);
            authorities.push(authorization.read(AuthorizationMember::Authority, fixed)?);
            Ok(())
        })?;
        Ok((
            FieldBuffers {
                input,
                access_list,
                blob_versioned_hashes,
                authorization_list,
            },
            authorities,
        ))
    }

    /// Returns the encodings of the items of a list, which the source may omit.
    fn list(
        &self,
        field: Field,
        mut put: impl FnMut(&str, &mut Vec<u8>) -> Result<(), Why>,
    ) -> Result<Vec<u8>, Why> {
        let Some((name, list)) = self.0.all(field).next() else {
            return Ok(Vec::new());
        };
        let mut encoded = Vec::new();
        each(list, |item| put(item, &mut encoded)).map_err(|why| format!("`{name}`: {why}"))?;
        Ok(encoded)
    }
}

/// The parts of a signature.
#[derive(Default)]
struct JsonSignature {
    r: Option<Number>,
    s: Option<Number>,
    v: Option<u128>,
    y_parity: Option<bool>,
    v_is_normalised: bool,
}

impl JsonSignature {
    /// Parses a signature object as written by ethers: `v` is 27 or 28, and `networkV` is v of
    /// EIP-155, or null.
    fn of(object: &str) -> Result<Self, Why> {
        let members = Members::of(object.as_bytes());
        members
            .and_then(|members| Self::of_members(&members))
            .map_err(|why| format!("`signature`: {why}").into())
    }

    fn of_members(members: &Members<SignatureMember>) -> Result<Self, Why> {
        let v_of_parity = members.read(SignatureMember::V, v)?;
        let v_of_network = members.read(SignatureMember::NetworkV, v)?;
        if let (Some(parity), Some(network)) = (v_of_parity, v_of_network)
            && parity_of_v(parity) != parity_of_v(network)
        {
            return Err("`v` and `networkV` differ".into());
        }
        Ok(JsonSignature {
            r: members.read(SignatureMember::R, scalar_or_empty)?.flatten(),
            s: members.read(SignatureMember::S, scalar_or_empty)?.flatten(),
            v: v_of_network.or(v_of_parity),
            y_parity: members.read(SignatureMember::YParity, parity)?,
            v_is_normalised: v_of_network.is_none(),
        })
    }

    /// Merges the parts that are members of a transaction with those of its signature object.
    fn with(self, object: Self) -> Result<Self, Why> {
        fn one<T: PartialEq>(
            name: &str,
            given: Option<T>,
            of_object: Option<T>,
        ) -> Result<Option<T>, Why> {
            match (given, of_object) {
                (Some(given), Some(of_object)) if given != of_object => {
                    Err(format!("`{name}` and `signature.{name}` differ").into())
                }
                (given, of_object) => Ok(given.or(of_object)),
            }
        }
        Ok(JsonSignature {
            r: one("r", self.r, object.r)?,
            s: one("s", self.s, object.s)?,
            v_is_normalised: object.v_is_normalised && self.v.is_none(),
            v: one("v", self.v, object.v)?,
            y_parity: one("yParity", self.y_parity, object.y_parity)?,
        })
    }

    /// Returns whether both r and s are missing.
    fn is_missing(&self) -> bool {
        self.r.is_none() && self.s.is_none()
    }

    /// Returns the name of the first part that is not zero.
    fn first_of_signed(&self) -> Option<&'static str> {
        if !is_zero_or_missing(self.r) {
            Some("r")
        } else if !is_zero_or_missing(self.s) {
            Some("s")
        } else if self.v.is_some_and(|v| v != 0) {
            Some("v")
        } else if self.y_parity == Some(true) {
            Some("yParity")
        } else {
            None
        }
    }

    /// Returns whether r and s are missing or zero.
    fn is_zero(&self) -> bool {
        is_zero_or_missing(self.r) && is_zero_or_missing(self.s)
    }
}

fn missing_of_deposit(name: &str) -> Why {
    format!("a deposit has a field `{name}`, which is missing").into()
}

fn missing(name: &str) -> Why {
    format!("`{name}` is missing").into()
}

/// Reads a value that some chains leave empty if there is no signature.
fn or_empty<T>(value: &str, read: impl Fn(&str) -> Result<T, Why>) -> Result<Option<T>, Why> {
    if matches!(value, "\"0x\"" | "\"\"") {
        Ok(None)
    } else {
        read(value).map(Some)
    }
}

fn scalar_or_empty(value: &str) -> Result<Option<Number>, Why> {
    or_empty(value, scalar)
}

/// Reads an address; `None` if a contract is created.
fn recipient(value: &str) -> Result<Option<Address>, Why> {
    or_empty(value, fixed)
}

/// Parses a type, given by its number or by viem's name.
fn type_number(value: &str) -> Result<u64, Why> {
    const NAMES: [&str; 5] = ["legacy", "eip2930", "eip1559", "eip4844", "eip7702"];
    let named = text(value)
        .ok()
        .and_then(|name| NAMES.iter().position(|known| *known == name));
    named.map_or_else(|| small(value), |number| Ok(number as u64))
}

/// Passes the elements of a list to `take`, one after another.
fn each<'a>(list: &'a str, mut take: impl FnMut(&'a str) -> Result<(), Why>) -> Result<(), Why> {
    if !list.starts_with('[') {
        return Err("it is not a list".into());
    }
    let mut rest = 0..list.len();
    while let Some(element) = next_element(list.as_bytes(), &mut rest) {
        take(&list[element])?;
    }
    Ok(())
}

fn put_hash(item: &str, to: &mut Vec<u8>) -> Result<(), Why> {
    let hash: [u8; 32] = fixed(item).map_err(|why| format!("a hash {why}"))?;
    rlp::put_string(&hash, to);
    Ok(())
}

fn put_access_item(item: &str, to: &mut Vec<u8>) -> Result<(), Why> {
    let members = Members::of(item.as_bytes())?;
    let address = members
        .read(AccessMember::Address, fixed)?
        .ok_or_else(|| missing("address"))?;
    let list = members
        .get(AccessMember::StorageKeys)
        .ok_or_else(|| missing("storageKeys"))?;
    let mut keys = Vec::new();
    each(list, |key| put_hash(key, &mut keys)).map_err(|why| format!("`storageKeys`: {why}"))?;
    put_access(&address, keys.len() / LENGTH_OF_HASH, to);
    to.extend_from_slice(&keys);
    Ok(())
}

/// Reads a parity of an authorization.
fn byte(value: &str) -> Result<u8, Why> {
    u8::try_from(v(value)?).map_err(|_| "is above 255".into())
}

/// Reads an authorization. Its parity is part of what the transaction signs, and may be any byte.
fn read_authorization(members: &Members<AuthorizationMember>) -> Result<Authorization, Why> {
    let object = members
        .get(AuthorizationMember::Signature)
        .map(JsonSignature::of)
        .transpose()?
        .unwrap_or_default();
    let given = JsonSignature {
        r: members.read(AuthorizationMember::R, scalar)?,
        s: members.read(AuthorizationMember::S, scalar)?,
        ..JsonSignature::default()
    };
    // ethers writes 27 or 28 there for 0 and 1.
    let of_object = object
        .v
        .and_then(parity_of_v)
        .or(object.y_parity)
        .map(u8::from);
    let of_v = members.read(AuthorizationMember::V, byte)?;
    let of_parity = members.read(AuthorizationMember::YParity, byte)?;
    if let (Some(v), Some(parity)) = (of_v, of_parity)
        && v != parity
        && (parity > 1 || v != 27 + parity)
    {
        return Err("`v` and `yParity` differ".into());
    }
    let parity = of_parity.or(of_v);
    if let (Some(parity), Some(of_object)) = (parity, of_object)
        && parity != of_object
        && parity != 27 + of_object
    {
        let name = if of_parity.is_some() { "yParity" } else { "v" };
        return Err(format!("`{name}` and `signature.v` differ").into());
    }
    let JsonSignature { r, s, .. } = given.with(JsonSignature {
        v: None,
        y_parity: None,
        ..object
    })?;
    Ok(Authorization {
        chain_id: members
            .read(AuthorizationMember::ChainId, number)?
            .ok_or_else(|| missing("chainId"))?,
        address: members
            .read(AuthorizationMember::Address, fixed)?
            .ok_or_else(|| missing("address"))?,
        nonce: members
            .read(AuthorizationMember::Nonce, small)?
            .ok_or_else(|| missing("nonce"))?,
        parity: of_object.or(parity).ok_or_else(|| missing("yParity"))?,
        r: r.ok_or_else(|| missing("r"))?,
        s: s.ok_or_else(|| missing("s"))?,
    })
}

impl Decoder<'_> {
    /// Adds a transaction. A malformed transaction affects no others.
    pub fn add_json_transaction(&mut self, transaction: &JsonTransaction, block: Option<u64>) {
        if let Err(why) = self.try_add_json_transaction(transaction, block) {
            let unsigned = transaction
                .type_number()
                .ok()
                .flatten()
                .and_then(UnsignedType::of);
            let kind = unsigned.map_or(Kind::Unknown, UnsignedType::kind);
            self.add_not_rebuilt(kind, transaction.hash().unwrap_or_default(), block, why);
        }
    }

    fn try_add_json_transaction(
        &mut self,
        transaction: &JsonTransaction,
        block: Option<u64>,
    ) -> Result<(), Why> {
        let members = &transaction.0;
        members.require_once()?;
        let type_number = transaction.type_number()?;
        let signature = transaction.signature()?;
        let mut claims = SourceClaims {
            block,
            hash: members.read(Field::Hash, fixed)?,
            from: members.read(Field::From, fixed)?,
            authorities: Vec::new(),
        };
        if type_number.and_then(UnsignedType::of).is_some() {
            let mut input = Vec::new();
            let deposit = transaction.deposit(&signature, &mut input)?;
            self.add_deposit(&deposit, claims.hash, block);
            return Ok(());
        }
        let mut statement =
            transaction.statement(&signature, type_number, claims.hash.is_some())?;
        if signature.is_zero() {
            if self.add_json_system(&signature, &statement, &claims)? {
                return Ok(());
            }
        } else if let Some(number) = type_number.filter(|number| is_unsigned_type(*number)) {
            return Err(format!(
                "transactions of type {number} have no signature, but `r` and `s` are given"
            )
            .into());
        }
        if statement.has_hash && statement.type_number == Some(ARBITRUM_CLASSIC) {
            // Signed ones are legacy transactions under another type.
            statement.type_number = Some(0);
        }
        let interpretations = statement.interpretations(&NAMES)?;
        let (parts, authorities) = transaction.parts()?;
        claims.authorities = authorities;
        self.add_fields(
            &transaction.fields(&signature)?.with(&parts),
            &interpretations,
            &claims,
        );
        Ok(())
    }

    /// Adds a transaction without a signature. Returns whether it is one.
    fn add_json_system(
        &mut self,
        signature: &JsonSignature,
        statement: &SignatureStatement,
        claims: &SourceClaims,
    ) -> Result<bool, Why> {
        let system = unsigned::UnsignedStatement {
            type_number: statement.type_number,
            is_missing: signature.is_missing(),
            from: claims.from,
            chain_id: statement.chain_id,
        };
        let is_signed = signature.first_of_signed().is_some();
        match system.system() {
            Some(_) if is_signed && statement.type_number.unwrap_or_default() == 0 => Ok(false),
            Some(_) if is_signed => Err("`v` is given, and `r` and `s` are zero".into()),
            Some(system) => {
                self.add_system(&system?, claims.hash.unwrap_or_default(), claims.block);
                Ok(true)
            }
            None if signature.is_missing() => Err(
                "there is no signature: `r`, `s` and `v` are missing or empty, and the sender is recovered from them"
                    .into(),
            ),
            None => Ok(false),
        }
    }
}
