//! Signatures as columns, with the information about each one that is known before it is computed.

#[cfg(test)]
mod example_tests;

use super::Options;
use super::answers::{Answer, Answers, Kind, Reason};
use super::encoded_transaction::{EncodedTransaction, SignedMessage};
use super::trie::transactions_root;
use super::unsigned::{self, SystemTransaction, UnsignedType};
use crate::messages::Messages;
use crate::problem::Progress;
use crate::reason::rejection_of;
use gecc::ecdsa::Address;
use gecc::{Rejection, Verdict};
use sha3::{Digest, Keccak256};
use std::borrow::Cow;
use std::ops::Range;

/// The first block of Ethereum's main chain to which EIP-2 applies.
const HOMESTEAD: u64 = 1_150_000;
/// A recovery id that the engine rejects.
const NO_RECOVERY_ID: u8 = u8::MAX;
/// n / 2 of secp256k1, rounded down.
const HALF_OF_ORDER: [u8; 32] = [
    0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0x5d, 0x57, 0x6e, 0x73, 0x57, 0xa4, 0x50, 0x1d, 0xdf, 0xe9, 0x2f, 0x46, 0x68, 0x1b, 0x20, 0xa0,
];

/// Statements of a source about a transaction, in addition to its contents.
#[derive(Default)]
pub struct SourceClaims {
    pub block: Option<u64>,
    pub hash: Option<[u8; 32]>,
    pub from: Option<Address>,
    /// The signers of the authorizations.
    pub authorities: Vec<Option<Address>>,
}

/// Some signatures.
#[derive(Default)]
pub struct DecodedSignatures {
    /// The message that each row signs, before hashing.
    pub signed: Messages,
    signatures: Vec<[u8; 64]>,
    recovery_ids: Vec<u8>,
    /// Transactions whose hashes are requested.
    pub hashed: Messages,
    items: Vec<SignatureItem>,
    /// Total length of the reasons, in bytes.
    reasons: usize,
    pub progress: Progress,
}

/// Information about a signature in addition to the columns.
struct SignatureItem {
    block: Option<u64>,
    hash: ItemHash,
    authorization: Option<u32>,
    kind: Kind,
    claimed: Option<Address>,
    /// True if s is higher than permitted.
    is_high: bool,
    /// True if the columns have a row for it.
    has_row: bool,
    /// Set for a transaction without a signature: that, or the reason why the requested chain
    /// cannot have it.
    unsigned: Option<Reason>,
    /// Set if the signed message is not known.
    not_rebuilt: Option<Cow<'static, str>>,
    is_of_other_chain: bool,
    /// True if the transactions of its block are not those that the header commits to.
    is_of_other_root: bool,
}

/// The encoded transactions of a block, from which the root in its header is computed.
#[derive(Default)]
pub struct Encodings {
    text: Vec<u8>,
    ends: Vec<usize>,
    /// True if a transaction could not be encoded, so that the root is not known.
    pub is_incomplete: bool,
}

impl Encodings {
    /// Returns the root of the transactions; `None` if one of them is missing.
    pub fn root(&self) -> Option<[u8; 32]> {
        if self.is_incomplete {
            return None;
        }
        Some(transactions_root(self.ends.len(), |index| {
            self.encoding(index)
        }))
    }

    fn encoding(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }

    fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.text);
        self.ends.push(self.text.len());
    }
}

/// The hash of an item's transaction.
#[derive(Clone)]
enum ItemHash {
    Known([u8; 32]),
    /// The hash of the message with this index.
    Of(usize),
    /// The hash of this part of the hashed text if the signature is invalid, otherwise zeros.
    IfRejected(Range<usize>),
    /// The hash stated by the source. If the message has another hash, the signed message is
    /// unknown for this reason.
    Claimed([u8; 32], usize, &'static str),
}

/// Reads transactions into columns.
pub struct Decoder<'a> {
    pub to: DecodedSignatures,
    /// Number of bytes at which the part is full.
    most: usize,
    /// Scratch memory for fields whose encoded length is not known in advance.
    pub scratch: Vec<u8>,
    /// True while the added items belong to a block whose transactions are not those that its
    /// header commits to.
    pub is_of_other_root: bool,
    /// The encodings of the added transactions, if the root of their block is to be computed.
    pub encodings: Option<Encodings>,
    pub options: &'a Options,
}

/// The hash of a transaction.
pub enum TransactionHash<'a> {
    Known([u8; 32]),
    /// The hash of these bytes.
    Of(&'a [u8]),
    /// The hash of this part of the hashed text.
    At(Range<usize>),
    /// The hash stated by the source. If the transaction has another, this is the reason.
    Claimed([u8; 32], &'static str),
}

impl<'a> Decoder<'a> {
    /// Creates a decoder that fills the empty `to` with little more than `most` bytes.
    pub fn new(options: &'a Options, to: DecodedSignatures, most: usize) -> Self {
        Decoder {
            to,
            options,
            most,
            scratch: Vec::new(),
            is_of_other_root: false,
            encodings: None,
        }
    }

    /// Reserves memory for about `transactions` transactions of `bytes` bytes in total, up to the
    /// size of a part. A buffer that grows is copied, and other threads whose memory is adjacent
    /// have to wait.
    pub fn reserve(&mut self, transactions: usize, bytes: usize) {
        const LEAST: usize = size_of::<SignatureItem>() + size_of::<[u8; 64]>();
        let rows = transactions.min(self.most / LEAST);
        let bytes = bytes.min(self.most);
        self.to.signed.reserve(rows, bytes);
        self.to.hashed.reserve(rows, bytes);
        self.to.signatures.reserve(rows);
        self.to.recovery_ids.reserve(rows);
        self.to.items.reserve(rows);
    }

    /// Returns whether the part is full. What follows belongs to the next part.
    pub fn is_full(&self) -> bool {
        self.to.bytes() >= self.most
    }

    /// Returns whether transactions of this block are selected.
    pub fn wants(&self, block: Option<u64>) -> bool {
        self.options.blocks.wants(block)
    }

    /// Adds a transaction, and its authorizations.
    pub fn add(
        &mut self,
        transaction: &EncodedTransaction,
        hash: TransactionHash,
        claims: &SourceClaims,
    ) {
        if let Some(encodings) = &mut self.encodings {
            encodings.push(|to| transaction.write(to));
        }
        let hash = self.hash(transaction, hash);
        // Other chains had the rule from their first block on, and legacy transactions for one
        // chain were introduced later.
        let signed = &transaction.signed;
        let block = claims.block.or(self.options.at_block);
        let is_low_asked =
            signed.chain_id.is_some() || block.is_none_or(|block| block >= HOMESTEAD);
        let item = SignatureItem {
            claimed: claims.from,
            is_high: is_low_asked && is_high(&signed.signature),
            ..SignatureItem::new(transaction.kind, hash.clone(), claims.block)
        };
        self.push(item, signed);
        for (index, signed) in transaction.authorizations().enumerate() {
            let item = SignatureItem {
                authorization: Some(index as u32),
                claimed: claims.authorities.get(index).copied().flatten(),
                is_high: is_high(&signed.signature),
                ..SignatureItem::new(Kind::Authorization, hash.clone(), claims.block)
            };
            self.push(item, &signed);
        }
    }

    /// Determines how the hash of a transaction will be obtained.
    fn hash(&mut self, transaction: &EncodedTransaction, hash: TransactionHash) -> ItemHash {
        let hashed = &mut self.to.hashed;
        let place = match hash {
            TransactionHash::Known(hash) => return ItemHash::Known(hash),
            TransactionHash::Claimed(hash, why) => {
                return ItemHash::Claimed(hash, hashed.push(|to| transaction.write(to)), why);
            }
            TransactionHash::Of(encoded) => hashed.write(|to| to.extend_from_slice(encoded)),
            TransactionHash::At(place) => place,
        };
        if self.options.only_rejected {
            ItemHash::IfRejected(hashed.keep(place))
        } else {
            ItemHash::Of(hashed.push_place(place))
        }
    }

    /// Adds a transaction about which nothing else is known.
    pub fn add_not_rebuilt(
        &mut self,
        kind: Kind,
        hash: [u8; 32],
        block: Option<u64>,
        why: Cow<'static, str>,
    ) {
        if let Some(encodings) = &mut self.encodings {
            encodings.is_incomplete = true;
        }
        self.to.reasons += why.len();
        self.to.items.push(SignatureItem {
            not_rebuilt: Some(why),
            ..SignatureItem::new(kind, ItemHash::Known(hash), block)
        });
    }

    /// Adds a transaction without a signature. It is rejected if the requested chain has no
    /// transactions of its type. If its encoding is missing, the root of its block is not known.
    pub fn add_unsigned(
        &mut self,
        unsigned: UnsignedType,
        encoded: Option<&[u8]>,
        hash: [u8; 32],
        block: Option<u64>,
        from: Address,
    ) {
        match (&mut self.encodings, encoded) {
            (Some(encodings), Some(encoded)) => encodings.push(|to| to.extend_from_slice(encoded)),
            (Some(encodings), None) => encodings.is_incomplete = true,
            (None, _) => {}
        }
        let is_unknown = self
            .options
            .chain_id
            .is_some_and(|chain| unsigned.is_unknown_to(chain));
        let reason = if is_unknown {
            Reason::NotOnChain
        } else {
            Reason::Unsigned
        };
        let item = SignatureItem::new(unsigned.kind(), ItemHash::Known(hash), block);
        let is_of_other_root = self.is_of_other_root;
        self.to.items.push(SignatureItem {
            claimed: Some(from),
            unsigned: Some(reason),
            is_of_other_root,
            ..item
        });
    }

    /// Adds a transaction that a chain itself makes. Its encoding is not known, and therefore
    /// neither is the root of its block.
    pub fn add_system(&mut self, system: &SystemTransaction, hash: [u8; 32], block: Option<u64>) {
        if let Some(encodings) = &mut self.encodings {
            encodings.is_incomplete = true;
        }
        let reason = match (self.options.chain_id, system.chain_id) {
            (Some(wanted), _) if unsigned::is_ethereum(wanted) => Reason::NotOnChain,
            (Some(wanted), Some(chain_id)) if wanted != chain_id => Reason::OtherChain,
            _ => Reason::Unsigned,
        };
        let item = SignatureItem::new(system.kind, ItemHash::Known(hash), block);
        let is_of_other_root = self.is_of_other_root;
        self.to.items.push(SignatureItem {
            claimed: system.from,
            unsigned: Some(reason),
            is_of_other_root,
            ..item
        });
    }

    /// Returns the requested chain.
    pub fn chain_id(&self) -> Option<u64> {
        self.options.chain_id
    }

    /// Marks items as belonging to a block whose transactions are not those of its header, starting
    /// at index `first`.
    pub fn mark_of_other_root(&mut self, first: usize) {
        self.to.items[first..]
            .iter_mut()
            .for_each(|item| item.is_of_other_root = true);
    }

    /// Adds a row and its item.
    fn push(&mut self, item: SignatureItem, signed: &SignedMessage) {
        let is_of_other_chain = signed
            .chain_id
            .is_some_and(|chain| self.options.chain_id.is_some_and(|wanted| chain != wanted));
        self.to.signed.push(|to| signed.write(to));
        self.to.signatures.push(signed.signature);
        self.to.recovery_ids.push(if signed.parity <= 1 {
            signed.parity
        } else {
            NO_RECOVERY_ID
        });
        self.to.items.push(SignatureItem {
            has_row: true,
            is_of_other_chain,
            is_of_other_root: self.is_of_other_root,
            ..item
        });
    }
}

/// Returns the hash of an encoded transaction.
pub fn hash(encoded: &[u8]) -> [u8; 32] {
    Keccak256::digest(encoded).into()
}

/// Returns whether s is above n/2. An s that is not below n is rejected anyway.
fn is_high(signature: &[u8; 64]) -> bool {
    signature[32..] > HALF_OF_ORDER[..]
}

impl DecodedSignatures {
    /// Returns the number of items, most of which are signatures that the engine verifies.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the approximate memory use in bytes.
    pub fn bytes(&self) -> usize {
        // Includes the digest.
        const ROW: usize = 32 + 64 + 1;
        let hashed = self.signed.bytes() + self.hashed.bytes();
        self.rows() * ROW
            + hashed
            + self.items.len() * size_of::<SignatureItem>()
            + self.reasons
            + self.progress.held()
    }

    /// Returns the approximate size of the allocated memory in bytes.
    pub fn capacity(&self) -> usize {
        let rows = self.signatures.capacity() * size_of::<[u8; 64]>()
            + self.items.capacity() * size_of::<SignatureItem>();
        self.signed.capacity() + self.hashed.capacity() + rows
    }

    /// Returns the number of signatures that the engine verifies.
    pub fn rows(&self) -> usize {
        self.signatures.len()
    }

    /// Copies the rows that the engine verifies.
    pub fn copy_to(&self, signatures: &mut [[u8; 64]], recovery_ids: &mut [u8]) {
        signatures.copy_from_slice(&self.signatures);
        recovery_ids.copy_from_slice(&self.recovery_ids);
    }

    /// Converts the recovered addresses and the requested hashes into answers, and empties the
    /// part.
    pub fn take_answers(
        &mut self,
        addresses: &[Address],
        codes: &[u8],
        hashes: &[[u8; 32]],
    ) -> Answers {
        let mut recovered = addresses.iter().copied().zip(codes.iter().copied());
        let mut answers = Vec::with_capacity(self.items.len());
        for item in self.items.drain(..) {
            let of_item = if item.has_row { recovered.next() } else { None };
            answers.push(item.answer(of_item, hashes, &self.hashed.text));
        }
        let progress = std::mem::take(&mut self.progress);
        self.clear();
        Answers { answers, progress }
    }

    /// Removes all signatures, but keeps the memory.
    pub fn clear(&mut self) {
        self.items.clear();
        self.signed.clear();
        self.signatures.clear();
        self.recovery_ids.clear();
        self.hashed.clear();
        self.reasons = 0;
    }
}

impl SignatureItem {
    /// Creates an item without further information, for which the engine is not called.
    fn new(kind: Kind, hash: ItemHash, block: Option<u64>) -> Self {
        SignatureItem {
            block,
            hash,
            authorization: None,
            kind,
            claimed: None,
            has_row: false,
            unsigned: None,
            is_high: false,
            not_rebuilt: None,
            is_of_other_chain: false,
            is_of_other_root: false,
        }
    }

    /// Creates the answer. `hashes` are the hashes of the messages in `text`.
    fn answer(
        mut self,
        recovered: Option<(Address, u8)>,
        hashes: &[[u8; 32]],
        text: &[u8],
    ) -> Answer {
        let (known, if_rejected) = match self.hash {
            ItemHash::Known(hash) => (hash, None),
            ItemHash::Of(message) => (hashes[message], None),
            ItemHash::IfRejected(place) => ([0; 32], Some(place)),
            ItemHash::Claimed(hash, message, why) => {
                if hashes[message] != hash {
                    self.not_rebuilt = Some(why.into());
                }
                (hash, None)
            }
        };
        if self.unsigned.is_some() {
            let SignatureItem {
                block,
                authorization,
                kind,
                claimed: from,
                unsigned,
                is_of_other_root,
                ..
            } = self;
            let reason = match unsigned {
                Some(Reason::Unsigned) if is_of_other_root => Some(Reason::OtherRoot),
                other => other,
            };
            return Answer {
                block,
                hash: known,
                authorization,
                kind,
                from,
                reason,
            };
        }
        // The address was recovered from another message than the signed one.
        let recovered = recovered.filter(|_| self.not_rebuilt.is_none());
        let signer = match recovered {
            Some((address, Verdict::VALID_CODE)) => Ok(address),
            Some((_, code)) => Err(rejection_of(code)),
            None => Err(Rejection::Mismatch),
        };
        let reason = match (self.not_rebuilt, signer) {
            (Some(why), _) => Some(Reason::NotRebuilt(why)),
            (None, Err(range @ (Rejection::ROutOfRange | Rejection::SOutOfRange))) => {
                Some(Reason::Rejected(range))
            }
            _ if self.is_high => Some(Reason::HighS),
            (None, Err(rejection)) => Some(Reason::Rejected(rejection)),
            (None, Ok(signer)) if self.claimed.is_some_and(|claimed| claimed != signer) => {
                Some(Reason::OtherSender)
            }
            _ if self.is_of_other_chain => Some(Reason::OtherChain),
            (None, Ok(_)) if self.is_of_other_root => Some(Reason::OtherRoot),
            (None, Ok(_)) => None,
        };
        let hash = if_rejected
            .filter(|_| reason.is_some())
            .map_or(known, |place| hash(&text[place]));
        Answer {
            block: self.block,
            hash,
            authorization: self.authorization,
            kind: self.kind,
            from: signer.ok(),
            reason,
        }
    }
}
