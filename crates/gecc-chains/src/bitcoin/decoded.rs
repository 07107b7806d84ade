//! The inputs of blocks, and the signatures that they have to show.

#[cfg(test)]
mod shipped;

use super::answers::{Answer, Reason};
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

    /// Adds the inputs of a block, which spend these outputs one after the other.
    ///
    /// # Errors
    /// What is wrong with the block as a whole. Then nothing was added.
    pub fn add_block(
        &mut self,
        network: Network,
        bytes: &[u8],
        spent: impl FnOnce() -> Result<Vec<TxOut>, String>,
        wanted: Blocks,
    ) -> Result<(), String> {
        let block: Block = deserialize(bytes).map_err(|problem| problem.to_string())?;
        let rules = Rules::of(network, &block);
        if !wanted.wants(rules.height) {
            return Ok(());
        }
        let txids: Vec<Txid> = block.txdata.iter().map(Transaction::compute_txid).collect();
        let root = merkle_tree::calculate_root(txids.iter().map(|txid| txid.to_raw_hash()));
        if root != Some(block.header.merkle_root.to_raw_hash()) {
            return Err("the transactions do not hash to the header's merkle root".to_owned());
        }
        let spent = spent()?;
        let transactions = || block.txdata.iter().zip(&txids).filter(|(transaction, _)| !transaction.is_coinbase());
        let inputs: usize = transactions().map(|(transaction, _)| transaction.input.len()).sum();
        if inputs != spent.len() {
            return Err(format!("the block has {inputs} inputs, and {} outputs are said to be spent", spent.len()));
        }
        let mut rest = spent.as_slice();
        for (transaction, txid) in transactions() {
            let (outputs, after) = rest.split_at(transaction.input.len());
            self.add_transaction(transaction, *txid, outputs, &rules);
            rest = after;
        }
        Ok(())
    }

    fn add_transaction(&mut self, transaction: &Transaction, txid: Txid, outputs: &[TxOut], rules: &Rules) {
        let mut cache = SighashCache::new(transaction);
        for (index, (input, output)) in transaction.input.iter().zip(outputs).enumerate() {
            let (template, claimed) = if output.script_pubkey.is_p2tr() {
                let (template, spend) = taproot::take_apart(input, output, rules.taproot);
                (template, spend.and_then(|spend| self.claim_taproot(&mut cache, index, outputs, spend)))
            } else {
                let (template, spend) = script::take_apart(input, output, rules.p2sh);
                (template, spend.and_then(|spend| self.claim(&mut cache, index, output, spend, rules)))
            };
            let reason = claimed.err();
            self.answers.push(Answer { height: rules.height, txid, input: index as u32, template, reason });
        }
    }

    /// Notes what an input claims, for the answer that comes next.
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
    let digest = if spend.segwit {
        let standard = EcdsaSighashType::from_standard(hash_type.into());
        let hash_type = standard.map_err(|_| Reason::NotChecked("a hash type that is not standard"))?;
        let hash = cache.p2wsh_signature_hash(index, &spend.script, output.value, hash_type);
        hash.map_err(|_| OUT_OF_RANGE)?.to_byte_array()
    } else {
        let hash = cache.legacy_signature_hash(index, &spend.script, hash_type.into());
        hash.map_err(|_| OUT_OF_RANGE)?.to_byte_array()
    };
    Ok(Pair { digest, signature: rules.signature_from_der(der).unwrap_or(NEVER_VALID) })
}

/// Consensus knows a third form of SEC 1's: 06 or 07 for an uncompressed key whose y is even or odd.
fn plain_key(key: Cow<[u8]>) -> Vec<u8> {
    let mut key = key.into_owned();
    if let [tag @ (6 | 7), .., last] = key.as_mut_slice()
        && *tag & 1 == *last & 1
    {
        *tag = 4;
    }
    key
}
