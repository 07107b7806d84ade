//! Signatures as columns, beside what is known of each before it is computed.

#[cfg(test)]
mod shipped;

use super::Options;
use super::answers::{Answer, Answers, Kind, Reason};
use super::keccak::Messages;
use super::transaction::{Claims, Transaction};
use crate::problem::Progress;
use crate::reason::rejection_of;
use alloy_consensus::crypto::SECP256K1N_HALF;
use alloy_consensus::transaction::RlpEcdsaEncodableTx;
use alloy_consensus::{SignableTransaction, Transaction as _};
use alloy_eips::eip7702::SignedAuthorization;
use alloy_primitives::{Address, B256, Signature, U256};
use alloy_rlp::Encodable;
use gecc::{Engine, Rejection, Verdict, ecdsa};
use std::borrow::Cow;
use std::ops::Range;

/// EIP-7702: the byte in front of a signed authorization.
const AUTHORIZATION_MAGIC: u8 = 5;
/// The first block of Ethereum's main chain that EIP-2 is about.
const HOMESTEAD: u64 = 1_150_000;
/// A recovery id that the engine rejects.
const NO_RECOVERY_ID: u8 = u8::MAX;

/// Some signatures.
#[derive(Default)]
pub struct Decoded {
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    recovery_ids: Vec<u8>,
    items: Vec<Item>,
    pub progress: Progress,
}

/// What is known of a signature beside the columns.
struct Item {
    block: Option<u64>,
    hash: B256,
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
}

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
    Known(B256),
    /// That of these bytes.
    Of(&'a [u8]),
    /// What the source says. It has to come out of the transaction with its signature, or else this is why it does not.
    Claimed(B256, &'static str),
}

impl<'a> Decoder<'a> {
    pub fn new(options: &'a Options) -> Self {
        Decoder { to: Decoded::default(), options, messages: Messages::default(), targets: Vec::new() }
    }

    /// Hashes all that was gathered.
    pub fn finish(self) -> Decoded {
        let Decoder { mut to, messages, targets, .. } = self;
        for (target, hash) in targets.into_iter().zip(messages.hashes()) {
            match target {
                Target::Digest { row } => to.digests[row] = hash.0,
                Target::Hash { items } => to.items[items].iter_mut().for_each(|item| item.hash = hash),
                Target::Claimed { item, why } if to.items[item].hash != hash => {
                    to.items[item].not_rebuilt = Some(why.into());
                }
                Target::Claimed { .. } => {}
            }
        }
        to
    }

    /// Whether transactions of this block are wanted.
    pub fn wants(&self, block: Option<u64>) -> bool {
        self.options.blocks.wants(block)
    }

    fn gather(&mut self, target: Target, write: impl FnOnce(&mut Vec<u8>)) {
        self.targets.push(target);
        self.messages.push(write);
    }

    /// Adds a transaction, and its authorizations.
    pub fn add(&mut self, transaction: &Transaction, signature: &Signature, hash: TransactionHash, claims: &Claims) {
        let chain = transaction.chain_id();
        let kind = kind_of(transaction, chain);
        let first = self.to.items.len();
        let known = match hash {
            TransactionHash::Known(hash) | TransactionHash::Claimed(hash, _) => hash,
            TransactionHash::Of(_) => B256::ZERO,
        };
        // Chains other than the main one had the rule from their first block on, and legacy transactions for one chain
        // came later.
        let is_low_asked = chain.is_some() || claims.block.is_none_or(|block| block >= HOMESTEAD);
        let item = Item {
            block: claims.block,
            hash: known,
            authorization: None,
            kind,
            claimed: claims.from,
            has_row: true,
            is_high: is_low_asked && signature.s() > SECP256K1N_HALF,
            not_rebuilt: None,
            is_of_other_chain: self.is_of_other_chain(chain),
        };
        self.push(item, (signature.r(), signature.s()), u8::from(signature.v()), |to| {
            transaction.encode_for_signing(to)
        });
        for (index, authorization) in transaction.authorization_list().into_iter().flatten().enumerate() {
            let authority = claims.authorities.get(index).copied().flatten();
            self.add_authorization(authorization, index as u32, authority, known, claims.block);
        }
        match hash {
            TransactionHash::Known(_) => {}
            TransactionHash::Of(bytes) => {
                let items = first..self.to.items.len();
                self.gather(Target::Hash { items }, |to| to.extend_from_slice(bytes));
            }
            TransactionHash::Claimed(_, why) => {
                self.gather(Target::Claimed { item: first, why }, |to| transaction.eip2718_encode(signature, to));
            }
        }
    }

    fn add_authorization(
        &mut self,
        authorization: &SignedAuthorization,
        index: u32,
        authority: Option<Address>,
        hash: B256,
        block: Option<u64>,
    ) {
        // Chain 0 stands for every chain.
        let chain = u64::try_from(authorization.chain_id).ok().filter(|chain| *chain != 0);
        let item = Item {
            block,
            hash,
            authorization: Some(index),
            kind: Kind::Authorization,
            claimed: authority,
            has_row: true,
            is_high: authorization.s() > SECP256K1N_HALF,
            not_rebuilt: None,
            is_of_other_chain: self.is_of_other_chain(chain),
        };
        let recovery_id = if authorization.y_parity() <= 1 { authorization.y_parity() } else { NO_RECOVERY_ID };
        self.push(item, (authorization.r(), authorization.s()), recovery_id, |to| {
            to.push(AUTHORIZATION_MAGIC);
            authorization.inner().encode(to);
        });
    }

    /// Adds a transaction of which nothing more can be said.
    pub fn add_not_rebuilt(&mut self, kind: Kind, hash: B256, block: Option<u64>, why: Cow<'static, str>) {
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

    /// Adds an item that signs what is written.
    fn push(&mut self, item: Item, (r, s): (U256, U256), recovery_id: u8, write: impl FnOnce(&mut Vec<u8>)) {
        self.gather(Target::Digest { row: self.to.digests.len() }, write);
        let mut row = [0; 64];
        row[..32].copy_from_slice(&r.to_be_bytes::<32>());
        row[32..].copy_from_slice(&s.to_be_bytes::<32>());
        // The digest comes at the end.
        self.to.digests.push([0; 32]);
        self.to.signatures.push(row);
        self.to.recovery_ids.push(recovery_id);
        self.to.items.push(item);
    }

    fn is_of_other_chain(&self, chain: Option<u64>) -> bool {
        chain.is_some() && self.options.chain_id.is_some_and(|wanted| chain != Some(wanted))
    }
}

/// The kind of a transaction, and for legacy ones whether it names a chain.
fn kind_of(transaction: &Transaction, chain: Option<u64>) -> Kind {
    match transaction {
        Transaction::Legacy(_) if chain.is_none() => Kind::Legacy,
        Transaction::Legacy(_) => Kind::Eip155,
        Transaction::Eip2930(_) => Kind::Eip2930,
        Transaction::Eip1559(_) => Kind::Eip1559,
        Transaction::Eip4844(_) => Kind::Eip4844,
        Transaction::Eip7702(_) => Kind::Eip7702,
    }
}

impl Decoded {
    /// Signatures, of which the engine is asked about most.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Puts what comes next behind what is there.
    pub fn append(&mut self, mut next: Decoded) {
        self.digests.append(&mut next.digests);
        self.signatures.append(&mut next.signatures);
        self.recovery_ids.append(&mut next.recovery_ids);
        self.items.append(&mut next.items);
        self.progress.append(next.progress);
    }

    /// Recovers all signers.
    ///
    /// # Errors
    /// What the engine says.
    pub fn recover(self, engine: &Engine) -> Result<Answers, gecc::Error> {
        let rows = self.digests.len();
        let (mut addresses, mut codes) = (vec![[0; 20]; rows], vec![0; rows]);
        ecdsa::recover_addresses_into(
            engine,
            &self.digests,
            &self.signatures,
            self.recovery_ids.as_chunks::<1>().0,
            &mut addresses,
            &mut codes,
        )?;
        let mut recovered = addresses.into_iter().zip(codes);
        let answer = |item: Item| {
            let of_item = if item.has_row { recovered.next() } else { None };
            item.answer(of_item)
        };
        Ok(Answers { answers: self.items.into_iter().map(answer).collect(), progress: self.progress })
    }
}

impl Item {
    fn answer(self, recovered: Option<([u8; 20], u8)>) -> Answer {
        // Of something else than what was signed.
        let recovered = recovered.filter(|_| self.not_rebuilt.is_none());
        let signer = match recovered {
            Some((address, Verdict::VALID_CODE)) => Ok(Address::new(address)),
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
