//! The inputs of blocks, and the signatures that they have to show.

#[cfg(test)]
mod shipped;

use super::answers::{Answer, Reason, Template};
use super::commitments::Commitments;
use super::rounds::{Claim, Claims, Pair};
use super::rules::Rules;
use super::schnorr::Signatures;
use super::script::{self, Spend};
use super::taproot;
use crate::problem::Progress;
use crate::range::Blocks;
use bitcoin::consensus::deserialize;
use bitcoin::hashes::Hash;
use bitcoin::sighash::{EcdsaSighashType, SighashCache};
use bitcoin::{Block, Network, Transaction, TxOut, Txid, merkle_tree};
use std::borrow::Cow;

/// The inputs of some blocks.
#[derive(Default)]
pub struct Decoded {
    answers: Vec<Answer>,
    /// Signatures of ECDSA.
    claims: Claims,
    schnorr: Signatures,
    commitments: Commitments,
    pub progress: Progress,
}

impl Decoded {
    pub fn new(progress: Progress) -> Self {
        Decoded { progress, ..Decoded::default() }
    }

    /// Signatures that are to be verified, and what else takes memory.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Bytes in memory, more or less.
    pub fn bytes(&self) -> usize {
        let signed = self.claims.bytes() + self.schnorr.bytes() + self.commitments.bytes();
        self.answers.len() * size_of::<Answer>() + signed + self.progress.held()
    }

    /// Puts what comes next behind what is there.
    pub fn append(&mut self, next: Decoded) {
        let answers = self.answers.len();
        self.claims.append(next.claims, answers);
        self.schnorr.append(next.schnorr, answers);
        self.commitments.append(next.commitments, answers);
        self.answers.extend(next.answers);
        self.progress.append(next.progress);
    }

    /// Verifies all signatures.
    ///
    /// # Errors
    /// What the engine says.
    pub fn verify(mut self, engine: &gecc::Engine) -> Result<super::Answers, gecc::Error> {
        for (answer, rejection) in self.claims.decide(engine)?.into_iter().chain(self.schnorr.verify(engine)?) {
            self.answers[answer].reason = Some(Reason::Signature(rejection));
        }
        // Before what else is wrong, as in consensus, and where nothing else is checked.
        for (answer, reason) in self.commitments.verify(engine)? {
            self.answers[answer].reason = Some(reason);
        }
        Ok(super::Answers { answers: self.answers, progress: self.progress })
    }

    /// Adds inputs of a block until there is little more than so many bytes. Whether those were all.
    pub fn add(&mut self, open: &mut Open, most: usize) -> bool {
        let Open { transactions, spent, rules, legacy_left, next, first, input } = open;
        while let Some((transaction, txid)) = transactions.get(*next) {
            let end = *first + transaction.input.len();
            let of = Of { transaction, outputs: &spent[*first..end], rules, bytes: transaction.base_size() as u64 };
            let mut cache = SighashCache::new(transaction);
            while *input < transaction.input.len() {
                if self.bytes() >= most {
                    return false;
                }
                let (template, claimed) = self.claim_input(&mut cache, *input, &of, legacy_left);
                let (height, reason) = (rules.height, claimed.err());
                self.answers.push(Answer { height, txid: *txid, input: *input as u32, template, reason });
                *input += 1;
            }
            (*next, *first, *input) = (*next + 1, end, 0);
        }
        true
    }

    /// Says what kind of input it is, and notes what it claims, for the answer that comes next.
    fn claim_input(
        &mut self,
        cache: &mut SighashCache<&Transaction>,
        index: usize,
        of: &Of,
        legacy_left: &mut u64,
    ) -> (Template, Result<(), Reason>) {
        let (input, output) = (&of.transaction.input[index], &of.outputs[index]);
        if output.script_pubkey.is_p2tr() {
            let (template, spend) = taproot::take_apart(input, output, of.rules.taproot);
            return (template, spend.and_then(|spend| self.claim_taproot(cache, index, of.outputs, spend)));
        }
        let (template, spend) = script::take_apart(input, output, of.rules.p2sh);
        let claimed = spend.and_then(|spend| {
            if !spend.segwit {
                let hashed = of.bytes * spend.signatures.len() as u64;
                *legacy_left = legacy_left.checked_sub(hashed).ok_or(TOO_MUCH)?;
            }
            self.claim(cache, index, output, spend, of.rules)
        });
        (template, claimed)
    }

    /// Notes what an input claims.
    fn claim(
        &mut self,
        cache: &mut SighashCache<&Transaction>,
        index: usize,
        output: &TxOut,
        spend: Spend,
        rules: &Rules,
    ) -> Result<(), Reason> {
        if spend.has_dummy && rules.null_dummy {
            return Err(Reason::Malformed("what a multisignature leaves behind is not empty"));
        }
        let first = (self.claims.signatures.len(), self.claims.keys.len());
        for pushed in &spend.signatures {
            match signature(cache, index, output, &spend, pushed, rules) {
                Ok(signature) => self.claims.signatures.push(signature),
                Err(reason) => {
                    self.claims.signatures.truncate(first.0);
                    return Err(reason);
                }
            }
        }
        self.claims.keys.extend(spend.keys.into_iter().map(plain_key));
        self.claims.open.push(Claim {
            answer: self.answers.len(),
            signatures: first.0..self.claims.signatures.len(),
            keys: first.1..self.claims.keys.len(),
        });
        Ok(())
    }

    /// The same for an input of taproot. `outputs` are those that the transaction spends.
    fn claim_taproot(
        &mut self,
        cache: &mut SighashCache<&Transaction>,
        index: usize,
        outputs: &[TxOut],
        spend: taproot::Spend,
    ) -> Result<(), Reason> {
        let answer = self.answers.len();
        if let Some(commitment) = spend.commitment() {
            self.commitments.push(answer, commitment);
        }
        self.schnorr.push(answer, spend.signed(cache, index, outputs)?);
        Ok(())
    }
}

/// A block of which inputs are still to be added.
pub struct Open {
    /// Those with inputs that spend something.
    transactions: Vec<(Transaction, Txid)>,
    /// What they spend, one after the other.
    spent: Vec<TxOut>,
    rules: Rules,
    /// Bytes that signatures in the old form may still ask to be hashed.
    legacy_left: u64,
    /// The transaction that comes next, the first of its outputs, and the input.
    next: usize,
    first: usize,
    input: usize,
}

/// What is the same for the inputs of a transaction.
struct Of<'a> {
    transaction: &'a Transaction,
    /// What it spends.
    outputs: &'a [TxOut],
    rules: &'a Rules,
    /// Bytes without witnesses.
    bytes: u64,
}

/// Bytes that consensus lets signatures of a block in the old form have hashed: each hashes its whole transaction, which
/// has a million bytes at most, and 20,000 are allowed (Bitcoin Core's MAX_BLOCK_WEIGHT and MAX_BLOCK_SIGOPS_COST).
const MOST_LEGACY: u64 = 20_000 * 1_000_000;
const TOO_MUCH: Reason = Reason::NotChecked("the block asks for more hashing than consensus allows");

impl Open {
    /// Begins with a block, which spends these outputs one after the other, as many as are asked for. `None` where it is
    /// not wanted.
    ///
    /// # Errors
    /// What is wrong with the block as a whole.
    pub fn new(
        network: Network,
        bytes: &[u8],
        spent: impl FnOnce(usize) -> Result<Vec<TxOut>, String>,
        wanted: Blocks,
    ) -> Result<Option<Self>, String> {
        let block: Block = deserialize(bytes).map_err(|problem| problem.to_string())?;
        let rules = Rules::of(network, &block);
        if !wanted.wants(rules.height) {
            return Ok(None);
        }
        let txids: Vec<Txid> = block.txdata.iter().map(Transaction::compute_txid).collect();
        let root = merkle_tree::calculate_root(txids.iter().map(|txid| txid.to_raw_hash()));
        if root != Some(block.header.merkle_root.to_raw_hash()) {
            return Err("the transactions do not hash to the header's merkle root".to_owned());
        }
        let spends = |transaction: &Transaction| !transaction.is_coinbase();
        let transactions: Vec<_> =
            block.txdata.into_iter().zip(txids).filter(|(transaction, _)| spends(transaction)).collect();
        let inputs: usize = transactions.iter().map(|(transaction, _)| transaction.input.len()).sum();
        let spent = spent(inputs)?;
        if inputs != spent.len() {
            return Err(format!("the block has {inputs} inputs, and {} outputs are said to be spent", spent.len()));
        }
        Ok(Some(Open { transactions, spent, rules, legacy_left: MOST_LEGACY, next: 0, first: 0, input: 0 }))
    }
}

/// r = s = 0: stands for what is no signature at all.
const NEVER_VALID: [u8; 64] = [0; 64];

/// What a signature signs, and r and s.
fn signature(
    cache: &mut SighashCache<&Transaction>,
    index: usize,
    output: &TxOut,
    spend: &Spend,
    pushed: &[u8],
    rules: &Rules,
) -> Result<Pair, Reason> {
    const OUT_OF_RANGE: Reason = Reason::Malformed("there is no such input");
    // An empty one is how multisignatures leave one out.
    let Some((&hash_type, der)) = pushed.split_last() else {
        return Ok(Pair { digest: [0; 32], signature: NEVER_VALID });
    };
    let signature = rules.signature_from_der(der).unwrap_or(NEVER_VALID);
    let digest = if spend.segwit {
        let standard = EcdsaSighashType::from_standard(hash_type.into());
        let hash_type = standard.map_err(|_| Reason::NotChecked("a hash type that is not standard"))?;
        let hash = cache.p2wsh_signature_hash(index, &spend.script, output.value, hash_type);
        hash.map_err(|_| OUT_OF_RANGE)?.to_byte_array()
    } else if signature == NEVER_VALID {
        // It would be hashed for nothing.
        [0; 32]
    } else {
        let hash = cache.legacy_signature_hash(index, &spend.script, hash_type.into());
        hash.map_err(|_| OUT_OF_RANGE)?.to_byte_array()
    };
    Ok(Pair { digest, signature })
}

/// Bytes of the longest key. What is longer is none, however much of it is kept.
const LONGEST_KEY: usize = 65;

/// Consensus knows a third form of SEC 1's: 06 or 07 for an uncompressed key whose y is even or odd.
fn plain_key(key: Cow<[u8]>) -> Vec<u8> {
    let mut key = key[..key.len().min(LONGEST_KEY + 1)].to_vec();
    if let [tag @ (6 | 7), .., last] = key.as_mut_slice()
        && *tag & 1 == *last & 1
    {
        *tag = 4;
    }
    key
}
