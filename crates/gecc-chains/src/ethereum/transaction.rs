//! Transactions, from their encoding and from their fields.

use super::answers::Kind;
use super::decoded::{Decoder, SourceClaims, TransactionHash, hash};
use super::encoded_transaction::{EncodedTransaction, SignedMessage, unknown_type, v_of};
use super::interpretation::{Interpretation, LAST_TYPE, parity_of_v};
use super::rlp;
use super::sidecar;
use super::trie::{other_root, transactions_root};
use super::unsigned::{self, DEPOSIT, UnsignedType};
use crate::problem::{FilePosition, Problem, note};
use gecc::ecdsa::Address;
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Lengths in bytes of an encoded address, and of an encoded storage key or another hash.
const LENGTH_OF_ADDRESS: usize = 21;
pub const LENGTH_OF_HASH: usize = 33;
/// Length in bytes of the shortest transaction: nine fields of one byte, and their header.
pub const SHORTEST: usize = 10;
/// Maximum number of items of a block that are not transactions. Beyond it, it is not a block: a
/// few bytes may stand for very many.
const MOST_UNREADABLE: usize = 1000;

/// The unread transactions of a block.
pub struct TransactionList {
    /// The range of the remaining transactions in the bytes of the block.
    pub rest: Range<usize>,
    pub block: Option<u64>,
    /// True if the transactions are known not to be those that the block's header commits to.
    pub is_of_other_root: bool,
    /// Number of items that are not transactions.
    unreadable: usize,
}

impl TransactionList {
    pub fn new(rest: Range<usize>, block: Option<u64>) -> Self {
        TransactionList {
            rest,
            block,
            is_of_other_root: false,
            unreadable: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Ends the list.
    pub fn end(&mut self) {
        self.rest = 0..0;
    }

    /// Takes the next transaction, and returns the range of its encoding in the bytes of the block.
    ///
    /// # Errors
    /// An item that does not end. The list ends then.
    fn next(&mut self, bytes: &[u8]) -> rlp::Result<Range<usize>> {
        let start = self.rest.start;
        let end = self.rest.end;
        let mut rest = &bytes[self.rest.clone()];
        let item = rlp::item(&mut rest).inspect_err(|_| self.end())?;
        self.rest.start = end - rest.len();
        Ok(if item.is_list {
            start..self.rest.start
        } else {
            self.rest.start - item.payload.len()..self.rest.start
        })
    }

    /// Counts an item that is not a transaction. Too many of them end the list.
    ///
    /// # Errors
    /// The list was ended.
    pub fn count_unreadable(&mut self) -> Result<(), &'static str> {
        self.unreadable += 1;
        if self.unreadable < MOST_UNREADABLE {
            return Ok(());
        }
        self.end();
        Err("1000 of its items are not transactions; the rest is not read")
    }
}

/// Returns the transactions of a list in a block, each in the encoding of EIP-2718. Returns `None`
/// if an item does not end, or if too many items are not transactions.
pub fn transactions(mut list: &[u8]) -> Option<Vec<&[u8]>> {
    let mut found = Vec::new();
    let mut unreadable = 0;
    while !list.is_empty() {
        let whole = list;
        let item = rlp::item(&mut list).ok()?;
        let encoded = if item.is_list {
            &whole[..whole.len() - list.len()]
        } else {
            item.payload
        };
        unreadable += usize::from(encoded.len() < SHORTEST);
        if unreadable >= MOST_UNREADABLE {
            return None;
        }
        found.push(encoded);
    }
    Some(found)
}

const HASH_DIFFERS: &str = "the computed hash differs from the stated one";

impl Decoder<'_> {
    /// Adds the transactions of a list in a block until the part is full. They are encoded as in
    /// blocks: legacy ones as lists, others as strings.
    ///
    /// # Errors
    /// An item of the list that does not end, or too many items that are not transactions. Earlier
    /// items were added, and the list is empty.
    pub fn add_list(&mut self, bytes: &[u8], list: &mut TransactionList) -> rlp::Result<()> {
        self.add_each(bytes, list, |encoded, _| TransactionHash::Of(encoded))
    }

    /// Adds the transactions of a list that stays in the hashed text.
    ///
    /// # Errors
    /// Fails under the conditions of [`add_list`](Self::add_list).
    pub fn add_list_of_text(&mut self, list: &mut TransactionList) -> rlp::Result<()> {
        let text = std::mem::take(&mut self.to.hashed.text);
        let ended = self.add_each(&text, list, |_, place| TransactionHash::At(place));
        self.to.hashed.text = text;
        ended
    }

    fn add_each<'b>(
        &mut self,
        bytes: &'b [u8],
        list: &mut TransactionList,
        hash: impl Fn(&'b [u8], Range<usize>) -> TransactionHash<'b>,
    ) -> rlp::Result<()> {
        self.is_of_other_root = list.is_of_other_root;
        let mut ended = Ok(());
        while ended.is_ok() && !list.is_empty() && !self.is_full() {
            ended = list.next(bytes).and_then(|place| {
                let encoded = &bytes[place.clone()];
                self.add_hashed(encoded, hash(encoded, place), list.block);
                if encoded.len() < SHORTEST {
                    list.count_unreadable()
                } else {
                    Ok(())
                }
            });
        }
        self.is_of_other_root = false;
        ended
    }

    /// Compares the transactions of a block with the root in its header. Returns the list with the
    /// result of the comparison.
    pub fn compare_root(
        &mut self,
        path: &Arc<Path>,
        place: FilePosition,
        bytes: &[u8],
        mut list: TransactionList,
        root: &[u8; 32],
    ) -> TransactionList {
        let counts = &mut self.to.progress.blocks;
        if self.options.skip_roots {
            counts.not_compared += 1;
            return list;
        }
        counts.compared += 1;
        // Malformed lists are reported when they are read.
        let found = transactions(&bytes[list.rest.clone()]);
        let found = found.map(|items| transactions_root(items.len(), |index| items[index]));
        list.is_of_other_root = found != Some(*root);
        if let Some(found) = found.filter(|found| found != root) {
            let problem = Problem::new(path, place, other_root(list.block, &found, root));
            note(&mut self.to.progress.problems, problem);
        }
        list
    }

    /// Adds a transaction in the encoding of EIP-2718, which is hashed, or a transaction with blobs
    /// in its network form, whose sidecar blocks do not contain.
    pub fn add_encoded(&mut self, encoded: &[u8], block: Option<u64>) {
        match sidecar::without(encoded) {
            None => self.add_hashed(encoded, TransactionHash::Of(encoded), block),
            Some(Ok(alone)) => self.add_hashed(&alone, TransactionHash::Of(&alone), block),
            Some(Err((hash, why))) => self.add_not_rebuilt(Kind::Eip4844, hash, block, why),
        }
    }

    /// Adds an encoded transaction, some parts of which a source states separately. These must
    /// agree with the encoding.
    pub fn add_encoded_with_claims(&mut self, encoded: &[u8], stated: &EncodedClaims) {
        let alone = match sidecar::without(encoded) {
            None => Cow::Borrowed(encoded),
            Some(Ok(alone)) => Cow::Owned(alone),
            Some(Err((hash, why))) => {
                return self.add_not_rebuilt(Kind::Eip4844, hash, stated.block, why);
            }
        };
        let hash = hash(&alone);
        let parsed = EncodedTransaction::parse(&alone);
        if let Some(other) = stated.hash.filter(|stated| *stated != hash) {
            let kind = parsed.map_or_else(|(kind, _)| kind, |transaction| transaction.kind);
            let why = "the stated hash differs from that of the encoded transaction".into();
            return self.add_not_rebuilt(kind, other, stated.block, why);
        }
        let Ok(transaction) = parsed else {
            return self.add_hashed(&alone, TransactionHash::Known(hash), stated.block);
        };
        if let Some(name) = stated.differs_from(&transaction.signed) {
            let why = format!("`{name}` differs from the encoded transaction").into();
            return self.add_not_rebuilt(transaction.kind, hash, stated.block, why);
        }
        let claims = SourceClaims {
            block: stated.block,
            from: stated.from,
            ..SourceClaims::default()
        };
        self.add(&transaction, TransactionHash::Known(hash), &claims);
    }

    fn add_hashed(&mut self, encoded: &[u8], by_hash: TransactionHash, block: Option<u64>) {
        if let [first, list @ ..] = encoded
            && let Some(unsigned) = UnsignedType::of((*first).into())
        {
            let hash = hash(encoded);
            return match unsigned.sender(list) {
                Ok(from) => self.add_unsigned(unsigned, Some(encoded), hash, block, from),
                Err(why) => self.add_not_rebuilt(unsigned.kind(), hash, block, why.into()),
            };
        }
        match EncodedTransaction::parse(encoded) {
            Ok(transaction) => {
                let claims = SourceClaims {
                    block,
                    ..SourceClaims::default()
                };
                self.add(&transaction, by_hash, &claims);
            }
            Err((kind, why)) => self.add_other(encoded, block, kind, why),
        }
    }

    /// Adds an encoding that is not that of a signed transaction.
    fn add_other(
        &mut self,
        encoded: &[u8],
        block: Option<u64>,
        kind: Kind,
        why: Cow<'static, str>,
    ) {
        if let Some(alone) = sidecar::without(encoded) {
            let hash = alone.map_or_else(|(hash, _)| hash, |alone| hash(&alone));
            let why = "its blobs follow it, as on the network but not in a block".into();
            return self.add_not_rebuilt(kind, hash, block, why);
        }
        match unsigned::parse(encoded, self.chain_id()) {
            Some(Ok(system)) => self.add_system(&system, hash(encoded), block),
            Some(Err(why)) => self.add_not_rebuilt(kind, hash(encoded), block, why),
            None => self.add_not_rebuilt(kind, hash(encoded), block, why),
        }
    }

    /// Adds a transaction whose fields are known: the interpretation whose hash is the one that the
    /// source states.
    pub fn add_fields(
        &mut self,
        fields: &TransactionFields,
        interpretations: &[Interpretation],
        claims: &SourceClaims,
    ) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.add_encoded_fields(fields, interpretations, claims, &mut scratch);
        self.scratch = scratch;
    }

    fn add_encoded_fields(
        &mut self,
        fields: &TransactionFields,
        interpretations: &[Interpretation],
        claims: &SourceClaims,
        scratch: &mut Vec<u8>,
    ) {
        let why_differs = fields.lacks.unwrap_or(HASH_DIFFERS);
        // Authorizations are listed after their transaction, and only if it is known.
        let has_one_form = interpretations.len() == 1 && fields.authorization_list.is_empty();
        let mut why = Cow::Borrowed(why_differs);
        for interpretation in interpretations {
            scratch.clear();
            if let Err(problem) = fields.write(interpretation, scratch) {
                why = problem;
                continue;
            }
            let transaction = fields.transaction(interpretation, scratch);
            if let (true, Some(claimed)) = (has_one_form, claims.hash) {
                return self.add(
                    &transaction,
                    TransactionHash::Claimed(claimed, why_differs),
                    claims,
                );
            }
            let mut encoded = Vec::new();
            transaction.write(&mut encoded);
            let hash = hash(&encoded);
            if claims.hash.is_none_or(|claimed| claimed == hash) {
                return self.add(&transaction, TransactionHash::Known(hash), claims);
            }
        }
        self.add_not_rebuilt(
            kind_of_all(interpretations),
            claims.hash.unwrap_or_default(),
            claims.block,
            why,
        );
    }
}

/// Returns the kind that all interpretations share. A legacy transaction that may be for one chain
/// or for any is of the kind legacy.
fn kind_of_all(interpretations: &[Interpretation]) -> Kind {
    let first = interpretations
        .first()
        .map_or(Kind::Unknown, Interpretation::kind);
    if interpretations
        .iter()
        .all(|interpretation| interpretation.kind() == first)
    {
        return first;
    }
    if interpretations
        .iter()
        .all(|interpretation| interpretation.type_number == 0)
    {
        Kind::Legacy
    } else {
        Kind::Unknown
    }
}

impl Interpretation {
    fn kind(&self) -> Kind {
        match self.type_number {
            0 if self.chain_id.is_none() => Kind::Legacy,
            0 => Kind::Eip155,
            1 => Kind::Eip2930,
            2 => Kind::Eip1559,
            3 => Kind::Eip4844,
            4 => Kind::Eip7702,
            _ => Kind::Unknown,
        }
    }
}

/// The statements of a source about a transaction in addition to its encoding.
#[derive(Default)]
pub struct EncodedClaims {
    pub block: Option<u64>,
    pub hash: Option<[u8; 32]>,
    pub from: Option<Address>,
    pub r: Option<Number>,
    pub s: Option<Number>,
    pub v: Option<u128>,
}

impl EncodedClaims {
    /// Returns the name of a part of the signature that differs from the encoding.
    fn differs_from(&self, signed: &SignedMessage) -> Option<&'static str> {
        let (r, s) = signed.signature.split_at(32);
        let parity = signed.parity == 1;
        if self.r.is_some_and(|stated| stated != r) {
            return Some("r");
        }
        if self.s.is_some_and(|stated| stated != s) {
            return Some("s");
        }
        let v_differs = self.v.is_some_and(|v| {
            let is_for_other = v >= 35 && v != v_of(parity, signed.chain_id);
            parity_of_v(v) != Some(parity) || is_for_other
        });
        v_differs.then_some("v")
    }
}

/// A deposit of an OP chain whose fields are known.
pub struct Deposit<'a> {
    pub source_hash: [u8; 32],
    pub from: Address,
    /// `None` where a contract is created.
    pub to: Option<Address>,
    pub mint: Number,
    pub value: Number,
    pub gas_limit: u64,
    pub is_system: bool,
    pub input: &'a [u8],
}

impl Deposit<'_> {
    /// Returns its encoding (EIP-2718).
    fn encode(&self) -> Vec<u8> {
        let mut fields = Vec::with_capacity(self.input.len() + 192);
        rlp::put_string(&self.source_hash, &mut fields);
        rlp::put_string(&self.from, &mut fields);
        rlp::put_string(
            self.to.as_ref().map_or(&[], |to| to.as_slice()),
            &mut fields,
        );
        rlp::put_number(&self.mint, &mut fields);
        rlp::put_number(&self.value, &mut fields);
        rlp::put_integer(self.gas_limit, &mut fields);
        rlp::put_integer(self.is_system, &mut fields);
        rlp::put_string(self.input, &mut fields);
        let mut encoded = vec![DEPOSIT];
        rlp::put_list(&fields, &mut encoded);
        encoded
    }
}

impl Decoder<'_> {
    /// Adds a deposit whose fields are known. If the source states a hash, the fields must have
    /// that hash.
    pub fn add_deposit(
        &mut self,
        deposit: &Deposit,
        claimed: Option<[u8; 32]>,
        block: Option<u64>,
    ) {
        let encoded = deposit.encode();
        let hash = hash(&encoded);
        if let Some(claimed) = claimed.filter(|claimed| *claimed != hash) {
            return self.add_not_rebuilt(Kind::Deposit, claimed, block, HASH_DIFFERS.into());
        }
        self.add_unsigned(
            UnsignedType::Deposit,
            Some(&encoded),
            hash,
            block,
            deposit.from,
        );
    }
}

/// A number, big-endian.
pub type Number = [u8; 32];

/// Returns whether r or s of a signature is zero or missing.
pub fn is_zero_or_missing(part: Option<Number>) -> bool {
    part.is_none_or(|part| part == [0; 32])
}

/// An account's authorization to set its code (EIP-7702).
pub struct Authorization {
    pub chain_id: Number,
    pub address: Address,
    pub nonce: u64,
    pub parity: u8,
    pub r: Number,
    pub s: Number,
}

/// Buffers for fields that are not encoded in the source, reused from one transaction to the next.
#[derive(Default)]
pub struct FieldBuffers {
    pub input: Vec<u8>,
    /// The items of lists, encoded.
    pub access_list: Vec<u8>,
    pub blob_versioned_hashes: Vec<u8>,
    pub authorization_list: Vec<u8>,
}

impl FieldBuffers {
    #[cfg_attr(
        not(feature = "arrow"),
        expect(dead_code, reason = "tables alone use one for many transactions")
    )]
    pub fn clear(&mut self) {
        let FieldBuffers {
            input,
            access_list,
            blob_versioned_hashes,
            authorization_list,
        } = self;
        [
            input,
            access_list,
            blob_versioned_hashes,
            authorization_list,
        ]
        .into_iter()
        .for_each(Vec::clear);
    }
}

/// The fields of a transaction from any source. Fields that its type does not have are ignored.
#[derive(Default)]
pub struct TransactionFields<'a> {
    pub nonce: u64,
    pub gas_price: Option<Number>,
    pub max_fee_per_gas: Option<Number>,
    pub max_priority_fee_per_gas: Option<Number>,
    pub max_fee_per_blob_gas: Option<Number>,
    pub gas_limit: u64,
    pub to: Option<Address>,
    pub value: Number,
    pub input: &'a [u8],
    /// The items of lists, encoded.
    pub access_list: &'a [u8],
    pub blob_versioned_hashes: &'a [u8],
    pub authorization_list: &'a [u8],
    pub r: Number,
    pub s: Number,
    /// The missing information that may explain a wrong hash.
    pub lacks: Option<&'static str>,
}

impl<'a> TransactionFields<'a> {
    /// Returns the fields with the contents of `parts`.
    pub fn with(self, parts: &'a FieldBuffers) -> Self {
        let FieldBuffers {
            input,
            access_list,
            blob_versioned_hashes,
            authorization_list,
        } = parts;
        TransactionFields {
            input,
            access_list,
            blob_versioned_hashes,
            authorization_list,
            ..self
        }
    }

    /// Appends the fields before the signature.
    fn write(
        &self,
        interpretation: &Interpretation,
        to: &mut Vec<u8>,
    ) -> Result<(), Cow<'static, str>> {
        let type_number = interpretation.type_number;
        if type_number > LAST_TYPE {
            return Err(unknown_type(type_number));
        }
        if type_number > 0 {
            rlp::put_integer(interpretation.chain_id.ok_or("the chain is missing")?, to);
        }
        rlp::put_integer(self.nonce, to);
        if type_number < 2 {
            rlp::put_number(&self.gas_price.ok_or("the gas price is missing")?, to);
        } else {
            let priority = self
                .max_priority_fee_per_gas
                .ok_or("the maximal priority fee is missing")?;
            rlp::put_number(&priority, to);
            rlp::put_number(
                &self.max_fee_per_gas.ok_or("the maximal fee is missing")?,
                to,
            );
        }
        rlp::put_integer(self.gas_limit, to);
        match self.to {
            None if type_number > 2 => return Err("the recipient is missing".into()),
            recipient => rlp::put_string(
                recipient.as_ref().map_or(&[], |address| address.as_slice()),
                to,
            ),
        }
        rlp::put_number(&self.value, to);
        rlp::put_string(self.input, to);
        if type_number > 0 {
            rlp::put_list(self.access_list, to);
        }
        if type_number == 3 {
            let fee = self
                .max_fee_per_blob_gas
                .ok_or("the maximal fee for blobs is missing")?;
            rlp::put_number(&fee, to);
            rlp::put_list(self.blob_versioned_hashes, to);
        }
        if type_number == 4 {
            rlp::put_list(self.authorization_list, to);
        }
        Ok(())
    }

    /// Returns the transaction whose fields before the signature are encoded in `span`.
    fn transaction(
        &self,
        interpretation: &Interpretation,
        span: &'a [u8],
    ) -> EncodedTransaction<'a> {
        let Interpretation {
            type_number,
            chain_id,
            parity,
        } = *interpretation;
        let first = (type_number > 0).then_some(type_number as u8);
        let signature = *[self.r, self.s]
            .as_flattened()
            .as_array()
            .expect("64 bytes");
        let signed = SignedMessage {
            chain_id,
            signature,
            parity: parity.into(),
            first,
            span,
        };
        let authorizations = if type_number == 4 {
            self.authorization_list
        } else {
            &[]
        };
        EncodedTransaction {
            kind: interpretation.kind(),
            signed,
            authorizations,
        }
    }
}

/// Appends an account of an access list (EIP-2930), after which its `keys` storage keys must be
/// appended.
pub fn put_access(address: &Address, keys: usize, to: &mut Vec<u8>) {
    let of_keys = keys * LENGTH_OF_HASH;
    rlp::put_list_length(LENGTH_OF_ADDRESS + rlp::length_of_list(of_keys), to);
    rlp::put_string(address, to);
    rlp::put_list_length(of_keys, to);
}

impl Authorization {
    /// Appends the encoding.
    pub fn put(&self, to: &mut Vec<u8>) {
        let mut payload = Vec::with_capacity(140);
        rlp::put_number(&self.chain_id, &mut payload);
        rlp::put_string(&self.address, &mut payload);
        rlp::put_integer(self.nonce, &mut payload);
        rlp::put_integer(self.parity, &mut payload);
        rlp::put_number(&self.r, &mut payload);
        rlp::put_number(&self.s, &mut payload);
        rlp::put_list(&payload, to);
    }
}
