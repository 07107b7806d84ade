//! Signatures as columns, beside what is known of each before it is computed.

#[cfg(test)]
mod shipped;

use super::Options;
use super::answers::{Answer, Answers, Kind, Reason};
use super::keccak::Messages;
use super::span::{Signed, Transaction};
use crate::problem::Progress;
use crate::reason::rejection_of;
use gecc::ecdsa::Address;
use gecc::{Rejection, Verdict};
use k256::elliptic_curve::PrimeField;
use k256::elliptic_curve::scalar::IsHigh;
use std::borrow::Cow;
use std::ops::Range;

/// The first block of Ethereum's main chain that EIP-2 is about.
const HOMESTEAD: u64 = 1_150_000;
/// A recovery id that the engine rejects.
const NO_RECOVERY_ID: u8 = u8::MAX;

/// What a source says of a transaction, beside what is in it.
#[derive(Default)]
pub struct Claims {
    pub block: Option<u64>,
    pub hash: Option<[u8; 32]>,
    pub from: Option<Address>,
    /// Who signed the authorizations.
    pub authorities: Vec<Option<Address>>,
}

/// Some signatures.
#[derive(Default)]
pub struct Decoded {
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    recovery_ids: Vec<u8>,
    items: Vec<Item>,
    /// Bytes of reasons.
    reasons: usize,
    pub progress: Progress,
}

/// What is known of a signature beside the columns.
struct Item {
    block: Option<u64>,
    hash: [u8; 32],
    authorization: Option<u32>,
    kind: Kind,
    claimed: Option<Address>,
    /// Whether s is higher than may be.
    is_high: bool,
    /// Whether the columns have a row of it.
    has_row: bool,
    /// Set where what was signed is not known.
    not_rebuilt: Option<Cow<'static, str>>,
    is_of_other_chain: bool,
}

/// Reads transactions into columns. What is to be hashed is gathered, and hashed at the end.
pub struct Decoder<'a> {
    pub to: Decoded,
    options: &'a Options,
    messages: Messages,
    /// Where each hash goes.
    targets: Vec<Target>,
    /// Bytes with which there is enough.
    most: usize,
}

/// Bytes that are gathered before they are hashed.
const HASHED: usize = 1 << 20;

/// Where a hash goes.
enum Target {
    /// What a row signs.
    Digest { row: usize },
    /// The hash of the transaction of these items.
    Hash { items: Range<usize> },
    /// What an item's hash has to be. If it is not, what was signed is not known.
    Claimed { item: usize, why: &'static str },
}

/// The hash of a transaction.
pub enum TransactionHash<'a> {
    Known([u8; 32]),
    /// That of these bytes.
    Of(&'a [u8]),
    /// What the source says. It has to be that of these bytes, or else this is why it is not.
    Claimed([u8; 32], &'a [u8], &'static str),
}

impl<'a> Decoder<'a> {
    /// Decodes until there is little more than so many bytes.
    pub fn new(options: &'a Options, most: usize) -> Self {
        Decoder { to: Decoded::default(), options, messages: Messages::default(), targets: Vec::new(), most }
    }

    /// Whether there is enough. What comes then is for the next part.
    pub fn is_full(&self) -> bool {
        self.to.bytes() >= self.most
    }

    pub fn finish(mut self) -> Decoded {
        self.hash_gathered();
        self.to
    }

    fn hash_gathered(&mut self) {
        let Decoder { to, messages, targets, .. } = self;
        for (target, hash) in targets.drain(..).zip(messages.hashes()) {
            match target {
                Target::Digest { row } => to.digests[row] = hash,
                Target::Hash { items } => to.items[items].iter_mut().for_each(|item| item.hash = hash),
                Target::Claimed { item, why } if to.items[item].hash != hash => {
                    to.items[item].not_rebuilt = Some(why.into());
                }
                Target::Claimed { .. } => {}
            }
        }
        messages.clear();
    }

    /// Whether transactions of this block are wanted.
    pub fn wants(&self, block: Option<u64>) -> bool {
        self.options.blocks.wants(block)
    }

    /// Adds something to be hashed, now or later.
    fn gather(&mut self, target: Target, write: impl FnOnce(&mut Vec<u8>)) {
        if self.messages.bytes() >= HASHED {
            self.hash_gathered();
        }
        self.targets.push(target);
        self.messages.push(write);
    }

    /// Adds a transaction, and its authorizations.
    pub fn add(&mut self, transaction: &Transaction, hash: TransactionHash, claims: &Claims) {
        let first = self.to.items.len();
        let known = match hash {
            TransactionHash::Known(hash) | TransactionHash::Claimed(hash, ..) => hash,
            TransactionHash::Of(_) => [0; 32],
        };
        // Chains other than the main one had the rule from their first block on, and legacy transactions for one chain
        // came later.
        let signed = &transaction.signed;
        let is_low_asked = signed.chain_id.is_some() || claims.block.is_none_or(|block| block >= HOMESTEAD);
        let item = Item {
            block: claims.block,
            hash: known,
            authorization: None,
            kind: transaction.kind,
            claimed: claims.from,
            has_row: true,
            is_high: is_low_asked && is_high(&signed.signature),
            not_rebuilt: None,
            is_of_other_chain: self.is_of_other_chain(signed.chain_id),
        };
        self.push(item, signed);
        for (index, signed) in transaction.authorizations().enumerate() {
            let item = Item {
                block: claims.block,
                hash: known,
                authorization: Some(index as u32),
                kind: Kind::Authorization,
                claimed: claims.authorities.get(index).copied().flatten(),
                has_row: true,
                is_high: is_high(&signed.signature),
                not_rebuilt: None,
                is_of_other_chain: self.is_of_other_chain(signed.chain_id),
            };
            self.push(item, &signed);
        }
        match hash {
            TransactionHash::Known(_) => {}
            TransactionHash::Of(bytes) => {
                let items = first..self.to.items.len();
                self.gather(Target::Hash { items }, |to| to.extend_from_slice(bytes));
            }
            TransactionHash::Claimed(_, bytes, why) => {
                self.gather(Target::Claimed { item: first, why }, |to| to.extend_from_slice(bytes));
            }
        }
    }

    /// Adds a transaction of which nothing more can be said.
    pub fn add_not_rebuilt(&mut self, kind: Kind, hash: [u8; 32], block: Option<u64>, why: Cow<'static, str>) {
        self.to.reasons += why.len();
        self.to.items.push(Item {
            block,
            hash,
            authorization: None,
            kind,
            claimed: None,
            has_row: false,
            is_high: false,
            not_rebuilt: Some(why),
            is_of_other_chain: false,
        });
    }

    fn push(&mut self, item: Item, signed: &Signed) {
        self.gather(Target::Digest { row: self.to.digests.len() }, |to| signed.write(to));
        // The digest comes at the end.
        self.to.digests.push([0; 32]);
        self.to.signatures.push(signed.signature);
        self.to.recovery_ids.push(if signed.parity <= 1 { signed.parity } else { NO_RECOVERY_ID });
        self.to.items.push(item);
    }

    fn is_of_other_chain(&self, chain: Option<u64>) -> bool {
        chain.is_some() && self.options.chain_id.is_some_and(|wanted| chain != Some(wanted))
    }
}

/// Whether s is above n/2. One that is not below n is rejected anyhow.
fn is_high(signature: &[u8; 64]) -> bool {
    let s: [u8; 32] = *signature.last_chunk().expect("64 bytes");
    k256::Scalar::from_repr(s.into()).into_option().is_none_or(|s| s.is_high().into())
}

impl Decoded {
    /// Signatures, of which the engine is asked about most.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Bytes in memory, more or less.
    pub fn bytes(&self) -> usize {
        const ROW: usize = 32 + 64 + 1;
        self.digests.len() * ROW + self.items.len() * size_of::<Item>() + self.reasons + self.progress.held()
    }

    /// Signatures that the engine is asked about.
    pub fn rows(&self) -> usize {
        self.digests.len()
    }

    /// Copies the rows that the engine is asked about.
    pub fn copy_to(&self, digests: &mut [[u8; 32]], signatures: &mut [[u8; 64]], recovery_ids: &mut [u8]) {
        digests.copy_from_slice(&self.digests);
        signatures.copy_from_slice(&self.signatures);
        recovery_ids.copy_from_slice(&self.recovery_ids);
    }

    /// The answers, by what was recovered of these rows.
    pub fn answers(self, addresses: &[Address], codes: &[u8]) -> Answers {
        let mut recovered = addresses.iter().copied().zip(codes.iter().copied());
        let answer = |item: Item| {
            let of_item = if item.has_row { recovered.next() } else { None };
            item.answer(of_item)
        };
        Answers { answers: self.items.into_iter().map(answer).collect(), progress: self.progress }
    }
}

impl Item {
    fn answer(self, recovered: Option<(Address, u8)>) -> Answer {
        // Of something else than what was signed.
        let recovered = recovered.filter(|_| self.not_rebuilt.is_none());
        let signer = match recovered {
            Some((address, Verdict::VALID_CODE)) => Ok(address),
            Some((_, code)) => Err(rejection_of(code)),
            None => Err(Rejection::Mismatch),
        };
        let reason = match (self.not_rebuilt, signer) {
            (Some(why), _) => Some(Reason::NotRebuilt(why)),
            (None, Err(range @ (Rejection::ROutOfRange | Rejection::SOutOfRange))) => Some(Reason::Rejected(range)),
            _ if self.is_high => Some(Reason::HighS),
            (None, Err(rejection)) => Some(Reason::Rejected(rejection)),
            (None, Ok(signer)) if self.claimed.is_some_and(|claimed| claimed != signer) => Some(Reason::OtherSender),
            _ if self.is_of_other_chain => Some(Reason::OtherChain),
            (None, Ok(_)) => None,
        };
        Answer {
            block: self.block,
            hash: self.hash,
            authorization: self.authorization,
            kind: self.kind,
            from: signer.ok(),
            reason,
        }
    }
}
