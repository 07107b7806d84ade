//! Signatures as columns, beside what is known of each before it is computed.

use super::answers::{Answer, Answers, Kind, Reason};
use super::transaction::{Claims, Transaction};
use super::{Blocks, Options};
use crate::problem::Progress;
use alloy_consensus::crypto::SECP256K1N_HALF;
use alloy_consensus::{SignableTransaction, Transaction as _};
use alloy_eips::eip7702::SignedAuthorization;
use alloy_primitives::{Address, B256, Signature, U256};
use alloy_rlp::Encodable;
use gecc::{Engine, Rejection, Verdict, ecdsa};
use sha3::{Digest, Keccak256};
use std::borrow::Cow;

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
    /// Set where the columns have no row of it.
    not_rebuilt: Option<Cow<'static, str>>,
    is_of_other_chain: bool,
}

/// Reads transactions into columns.
pub struct Decoder<'a> {
    pub to: Decoded,
    options: &'a Options,
    /// What is hashed, so that it is not new memory each time.
    scratch: Vec<u8>,
}

impl<'a> Decoder<'a> {
    pub fn new(options: &'a Options) -> Self {
        Decoder { to: Decoded::default(), options, scratch: Vec::new() }
    }

    /// Whether transactions of this block are wanted.
    pub fn wants(&self, block: Option<u64>) -> bool {
        let Blocks { from, to } = self.options.blocks;
        block.is_none_or(|block| from.is_none_or(|from| from <= block) && to.is_none_or(|to| block <= to))
    }

    /// Keccak-256 of what is written.
    pub fn hash_of(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> B256 {
        self.scratch.clear();
        write(&mut self.scratch);
        hash(&self.scratch)
    }

    /// Adds a transaction with this hash, and its authorizations.
    pub fn add(&mut self, transaction: &Transaction, signature: &Signature, hash: B256, claims: &Claims) {
        let chain = transaction.chain_id();
        let kind = kind_of(transaction, chain);
        let digest = self.hash_of(|to| transaction.encode_for_signing(to));
        // Chains other than the main one had the rule from their first block on, and legacy transactions for one chain came later.
        let is_low_asked = chain.is_some() || claims.block.is_none_or(|block| block >= HOMESTEAD);
        let item = Item {
            block: claims.block,
            hash,
            authorization: None,
            kind,
            claimed: claims.from,
            is_high: is_low_asked && signature.s() > SECP256K1N_HALF,
            not_rebuilt: None,
            is_of_other_chain: self.is_of_other_chain(chain),
        };
        self.push(item, digest, (signature.r(), signature.s()), u8::from(signature.v()));
        for (index, authorization) in transaction.authorization_list().into_iter().flatten().enumerate() {
            let authority = claims.authorities.get(index).copied().flatten();
            self.add_authorization(authorization, index as u32, authority, hash, claims.block);
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
        let digest = self.hash_of(|to| {
            to.push(AUTHORIZATION_MAGIC);
            authorization.inner().encode(to);
        });
        // Chain 0 stands for every chain.
        let chain = u64::try_from(authorization.chain_id).ok().filter(|chain| *chain != 0);
        let item = Item {
            block,
            hash,
            authorization: Some(index),
            kind: Kind::Authorization,
            claimed: authority,
            is_high: authorization.s() > SECP256K1N_HALF,
            not_rebuilt: None,
            is_of_other_chain: self.is_of_other_chain(chain),
        };
        let recovery_id = if authorization.y_parity() <= 1 { authorization.y_parity() } else { NO_RECOVERY_ID };
        self.push(item, digest, (authorization.r(), authorization.s()), recovery_id);
    }

    /// Adds a transaction of which nothing more can be said.
    pub fn add_not_rebuilt(&mut self, kind: Kind, hash: B256, block: Option<u64>, why: Cow<'static, str>) {
        self.to.items.push(Item {
            block,
            hash,
            authorization: None,
            kind,
            claimed: None,
            is_high: false,
            not_rebuilt: Some(why),
            is_of_other_chain: false,
        });
    }

    fn push(&mut self, item: Item, digest: B256, (r, s): (U256, U256), recovery_id: u8) {
        let mut row = [0; 64];
        row[..32].copy_from_slice(&r.to_be_bytes::<32>());
        row[32..].copy_from_slice(&s.to_be_bytes::<32>());
        self.to.digests.push(digest.0);
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

pub fn hash(bytes: &[u8]) -> B256 {
    B256::new(Keccak256::digest(bytes).into())
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
        let answer = |item: Item| match item.not_rebuilt {
            Some(_) => item.answer(None),
            None => item.answer(recovered.next()),
        };
        Ok(Answers { answers: self.items.into_iter().map(answer).collect(), progress: self.progress })
    }
}

impl Item {
    fn answer(self, recovered: Option<([u8; 20], u8)>) -> Answer {
        let signer = match recovered {
            Some((address, Verdict::VALID_CODE)) => Ok(Address::new(address)),
            // A code that nobody gave must not pass for valid.
            Some((_, code)) => Err(Rejection::from_code(code).unwrap_or(Rejection::Mismatch)),
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
