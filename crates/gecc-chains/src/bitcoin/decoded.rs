//! The inputs of blocks, and the signatures that they require.

#[cfg(test)]
mod example_tests;

use super::answers::{Answer, Answers, Reason, Template, Txid};
use super::block::{Block, OutputsView, SpentOutputs, TransactionView};
use super::commitments::{self, Commitments};
use super::hashes::merkle_tree;
use super::instructions::p2tr_key;
use super::network::Network;
use super::rounds::{self, EcdsaCheck, EcdsaChecks, EcdsaSignature};
use super::rules::Rules;
use super::schnorr::{self, SchnorrSignatures};
use super::script::{self, EMPTY, ScriptSpend};
use super::sighash::{HashType, SighashDigest, Sighashes};
use super::{DecodedBlocks, taproot};
use crate::BlockRange;
use crate::messages::Messages;
use crate::problem::Progress;
use gecc::{Engine, PublicKeys, Rejection};
use rayon::ThreadPool;
use std::fmt;

/// The inputs of some blocks.
#[derive(Default)]
pub struct DecodedInputs {
    answers: Vec<Answer>,
    /// ECDSA signatures.
    checks: EcdsaChecks,
    schnorr: SchnorrSignatures,
    commitments: Commitments,
    progress: Progress,
}

impl DecodedBlocks for DecodedInputs {
    type Computed = DecodedInputs;
    type Answers = Answers;
    type Columns = InputColumns;

    fn progress(&mut self) -> &mut Progress {
        &mut self.progress
    }

    /// Returns the number of inputs.
    fn size(&self) -> usize {
        self.answers.len()
    }

    fn bytes(&self) -> usize {
        let signed = self.checks.bytes() + self.schnorr.bytes() + self.commitments.bytes();
        self.answers.len() * size_of::<Answer>() + signed + self.progress.held()
    }

    fn add(&mut self, open: &mut OpenBlock, most: usize) -> bool {
        let OpenBlock {
            block,
            txids,
            spent,
            rules,
            legacy_left,
            next,
            first,
            input,
        } = open;
        while let Some(transaction) = block.transaction(*next) {
            let end = *first + spending(transaction);
            let hashes = Sighashes::new(transaction, spent.outputs(*first..end));
            while *input < hashes.spent.len() {
                if self.bytes() >= most {
                    return false;
                }
                let (template, added) = self.add_input(&hashes, *input, rules, legacy_left);
                let height = rules.height;
                let txid = txids[*next];
                let reason = added.err();
                self.answers.push(Answer {
                    height,
                    txid,
                    input: *input as u32,
                    template,
                    reason,
                });
                *input += 1;
            }
            *next += 1;
            *first = end;
            *input = 0;
        }
        true
    }

    /// Verifies all signatures.
    fn compute(
        mut batch: Vec<Self>,
        engine: &Engine,
        pool: &ThreadPool,
        columns: &mut InputColumns,
    ) -> Result<Vec<DecodedInputs>, gecc::Error> {
        let mut checks: Vec<&mut EcdsaChecks> =
            batch.iter_mut().map(|part| &mut part.checks).collect();
        rounds::decide(engine, pool, &mut columns.ecdsa, &mut checks)?;
        let schnorr: Vec<&SchnorrSignatures> = batch.iter().map(|part| &part.schnorr).collect();
        let failed = schnorr::verify(engine, pool, &mut columns.schnorr, &schnorr)?;
        let commitments: Vec<&Commitments> = batch.iter().map(|part| &part.commitments).collect();
        let not_met = commitments::verify(engine, &commitments)?;
        for ((part, failed), not_met) in batch.iter_mut().zip(failed).zip(not_met) {
            part.settle(failed, not_met);
        }
        Ok(batch)
    }
}

impl From<DecodedInputs> for Answers {
    fn from(verified: DecodedInputs) -> Self {
        Answers {
            answers: verified.answers,
            progress: verified.progress,
        }
    }
}

impl DecodedInputs {
    /// Records the failures in the answers.
    fn settle(&mut self, failed: Vec<(usize, Rejection)>, not_met: Vec<(usize, Reason)>) {
        let DecodedInputs {
            answers, checks, ..
        } = self;
        let failed = failed
            .into_iter()
            .map(|(answer, rejection)| (answer, Reason::Signature(rejection)));
        for (answer, reason) in checks.failed.drain(..).chain(failed) {
            answers[answer].reason = Some(reason);
        }
        // This takes precedence over other reasons, as in consensus, and also covers inputs of
        // which nothing else is checked.
        for (answer, reason) in not_met {
            answers[answer].reason = Some(reason);
        }
    }

    /// Determines the template of an input, and adds its checks for the next answer.
    fn add_input(
        &mut self,
        hashes: &Sighashes,
        index: usize,
        rules: &Rules,
        legacy_left: &mut u64,
    ) -> (Template, Result<(), Reason>) {
        let input = hashes.transaction.input(index);
        let output = hashes.spent_by(index);
        if let Some(key) = p2tr_key(output.script) {
            let (template, spend) = taproot::parse_input(&input, *key, rules.taproot);
            return (
                template,
                spend.and_then(|spend| self.add_taproot_checks(hashes, index, spend)),
            );
        }
        let (template, spend) = script::parse_input(&input, output.script, rules.p2sh);
        let added = spend.and_then(|spend| {
            if !spend.segwit {
                let hashed = (hashes.transaction.base_size() * spend.signatures.len()) as u64;
                *legacy_left = legacy_left.checked_sub(hashed).ok_or(TOO_MUCH)?;
            }
            self.add_ecdsa_checks(hashes, index, spend, rules)
        });
        (template, added)
    }

    /// Adds the checks of an input.
    fn add_ecdsa_checks(
        &mut self,
        hashes: &Sighashes,
        index: usize,
        spend: ScriptSpend,
        rules: &Rules,
    ) -> Result<(), Reason> {
        if spend.has_dummy && rules.null_dummy {
            return Err(Reason::Malformed(
                "the dummy element of the multisignature is not empty",
            ));
        }
        let first_signature = self.checks.signatures.len();
        let first_key = self.checks.keys.len();
        for pushed in &spend.signatures {
            let signature = signature(
                hashes,
                index,
                &spend,
                pushed,
                rules,
                &mut self.checks.messages,
            );
            self.checks.signatures.push(signature);
        }
        self.checks
            .keys
            .extend(spend.keys.iter().map(|key| key_row(key)));
        self.checks.pending.push(EcdsaCheck {
            answer: self.answers.len(),
            signatures: first_signature..self.checks.signatures.len(),
            keys: first_key..self.checks.keys.len(),
        });
        Ok(())
    }

    /// Adds the checks of a taproot input.
    fn add_taproot_checks(
        &mut self,
        hashes: &Sighashes,
        index: usize,
        spend: taproot::TaprootSpend,
    ) -> Result<(), Reason> {
        let answer = self.answers.len();
        if let Some(commitment) = spend.commitment() {
            self.commitments.push(answer, commitment);
        }
        spend.push_signed(hashes, index, answer, &mut self.schnorr)
    }
}

/// The columns of a batch.
#[derive(Default)]
pub struct InputColumns {
    ecdsa: rounds::EcdsaColumns,
    schnorr: schnorr::SchnorrColumns,
}

/// A block some of whose inputs are still to be added.
pub struct OpenBlock {
    block: Block,
    /// The ids of its transactions.
    txids: Vec<Txid>,
    /// The outputs that its inputs spend.
    spent: SpentOutputs,
    rules: Rules,
    /// Bytes that signatures in the legacy form may still require to be hashed.
    legacy_left: u64,
    /// The next transaction, the first output that it spends, and its next input.
    next: usize,
    first: usize,
    input: usize,
}

/// Returns the number of inputs of a transaction that spend an output.
fn spending(transaction: TransactionView) -> usize {
    if transaction.is_coinbase() {
        0
    } else {
        transaction.inputs().len()
    }
}

/// The number of bytes that consensus allows signatures in the legacy form to hash in a block: each
/// hashes its whole transaction, which has at most a million bytes, and 20,000 signatures are
/// allowed (Bitcoin Core's MAX_BLOCK_WEIGHT and MAX_BLOCK_SIGOPS_COST).
const MOST_LEGACY: u64 = 20_000 * 1_000_000;
const TOO_MUCH: Reason =
    Reason::NotChecked("the block requires more hashing than consensus allows");

/// A defect of a whole block.
#[derive(Debug)]
pub enum BlockError {
    /// The block left the chain, or was not connected yet.
    NoSpentOutputs,
    Malformed(String),
}

impl fmt::Display for BlockError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            BlockError::NoSpentOutputs => {
                "the outputs that the block spends are not in the undo file"
            }
            BlockError::Malformed(what) => what,
        })
    }
}

impl From<String> for BlockError {
    fn from(what: String) -> Self {
        BlockError::Malformed(what)
    }
}

impl OpenBlock {
    /// Opens a block. `spent` returns the outputs that it spends, in order, for the given number of
    /// inputs. Returns `None` if the block is not selected.
    ///
    /// # Errors
    /// A problem of the whole block.
    pub fn new(
        network: Network,
        bytes: Vec<u8>,
        spent: impl FnOnce(usize) -> Result<SpentOutputs, BlockError>,
        wanted: BlockRange,
    ) -> Result<Option<Self>, BlockError> {
        let block = Block::parse(bytes).map_err(str::to_owned)?;
        let rules = Rules::of(network, &block);
        if !wanted.wants(rules.height) {
            return Ok(None);
        }
        let txids: Vec<Txid> = block.transactions().map(TransactionView::txid).collect();
        require_whole(&block, &txids)?;
        let inputs: usize = block.transactions().map(spending).sum();
        let spent = spent(inputs)?;
        if inputs != spent.len() {
            return Err(format!(
                "the block has {inputs} inputs, but {} spent outputs are given",
                spent.len()
            )
            .into());
        }
        Ok(Some(OpenBlock {
            block,
            txids,
            spent,
            rules,
            legacy_left: MOST_LEGACY,
            next: 0,
            first: 0,
            input: 0,
        }))
    }

    /// Returns the block's height, if the block states it.
    pub fn height(&self) -> Option<u64> {
        self.rules.height
    }

    /// Iterates over all transactions except the coinbase, with the outputs that they spend.
    pub fn spending_transactions(
        &self,
    ) -> impl Iterator<Item = (Txid, TransactionView<'_>, OutputsView<'_>)> {
        let mut first = 0;
        self.block
            .transactions()
            .zip(&self.txids)
            .filter_map(move |(transaction, txid)| {
                let start = first;
                first += spending(transaction);
                (first > start).then(|| (*txid, transaction, self.spent.outputs(start..first)))
            })
    }
}

/// Requires that the header commits to the transactions, that none of them occurs twice, and that
/// the first one, and no other, is a coinbase.
fn require_whole(block: &Block, txids: &[Txid]) -> Result<(), String> {
    let Some(tree) = merkle_tree(txids.iter().map(|txid| txid.0).collect()) else {
        return Err("the block has no transactions".to_owned());
    };
    if tree.root != block.merkle_root() {
        return Err("the transactions do not hash to the header's merkle root".to_owned());
    }
    if tree.has_equal_neighbours {
        return Err(
            "transactions occur twice in the block, which does not change the merkle root (CVE-2012-2459)".to_owned()
        );
    }
    for (index, transaction) in block.transactions().enumerate() {
        match (index, transaction.is_coinbase()) {
            (0, false) => {
                return Err("the first transaction of the block is not a coinbase".to_owned());
            }
            (1.., true) => {
                return Err(format!(
                    "transaction {index} is a second coinbase, counted from 0"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Decodes a signature into its digest, r and s.
fn signature(
    hashes: &Sighashes,
    index: usize,
    spend: &ScriptSpend,
    pushed: &[u8],
    rules: &Rules,
    messages: &mut Messages,
) -> EcdsaSignature {
    // An empty one marks a signature that a multisig leaves out.
    let Some((&hash_type, der)) = pushed.split_last() else {
        return EcdsaSignature::unreadable(EMPTY);
    };
    let signature = match rules.signature_from_der(der) {
        Ok(signature) => signature,
        Err(why) => return EcdsaSignature::unreadable(why),
    };
    let hash_type = HashType(hash_type);
    let digest = if spend.segwit {
        SighashDigest::Of(
            messages.push(|to| hashes.put_segwit_v0(index, &spend.script, hash_type, to)),
        )
    } else {
        hashes.legacy(index, &spend.script, hash_type, messages)
    };
    EcdsaSignature {
        digest,
        signature,
        unreadable: None,
    }
}

/// Encodes a key as a row of the mixed form. Consensus accepts a third form of SEC 1: 06 or 07
/// before an uncompressed key whose y is even or odd. It accepts no form without a first byte.
fn key_row(key: &[u8]) -> [u8; 65] {
    match key {
        [tag @ (6 | 7), coordinates @ .., last] if key.len() == 65 && tag & 1 == last & 1 => {
            PublicKeys::mixed_row(&[&[4], coordinates, &[*last]].concat())
        }
        _ if key.len() == 64 => PublicKeys::mixed_row(&[]),
        _ => PublicKeys::mixed_row(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(tag: u8, bytes: usize) -> Vec<u8> {
        [&[tag][..], &[7; 64][..bytes]].concat()
    }

    #[test]
    fn key_row_requires_a_valid_first_byte() {
        let none = PublicKeys::mixed_row(&[]);
        assert_eq!(key_row(&key(7, 64)), PublicKeys::mixed_row(&key(4, 64)));
        for (key, is_one) in [
            (key(2, 32), true),
            (key(4, 64), true),
            (key(6, 64), false),
            (key(7, 63), false),
            (key(7, 32), false),
            (key(4, 63), false),
            ([7; 64].to_vec(), false),
            ([0; 64].to_vec(), false),
            (Vec::new(), false),
        ] {
            assert_eq!(key_row(&key) != none, is_one, "{key:?}");
        }
    }
}
