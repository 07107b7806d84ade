//! An index for silent payments (BIP 352): the tweak point of each transaction that may contain a
//! silent payment.

mod eligible_inputs;
mod expression;
mod keys;

use super::answers::Txid;
use super::block::{OutputsView, TransactionView};
use super::decoded::OpenBlock;
use super::instructions::p2tr_key;
use super::{BlockWork, Chain, DecodedBlocks};
use crate::BlockRange;
use crate::flow::{self, Settings, Unformatted};
use crate::problem::Progress;
use eligible_inputs::{CompressedKey, input_key, is_of_unknown_version};
use gecc::{Engine, PublicKeys, Secp256k1, Verdict, point, silent_payments};
use rayon::ThreadPool;
use std::ops::ControlFlow;

pub use keys::ReceiverKeys;

/// Transactions with their tweak points, as columns, in the order of the blocks in the files.
#[derive(Clone, Debug, Default)]
pub struct TweakIndex {
    /// The heights of their blocks, if these state them (BIP 34).
    pub heights: Vec<Option<u64>>,
    /// Their ids.
    pub txids: Vec<Txid>,
    /// Their tweak points, compressed.
    pub tweak_points: Vec<[u8; 33]>,
    /// The start of each transaction's outputs, and the end of the last one's.
    pub offsets: Vec<u64>,
    /// The x-only keys of their taproot outputs.
    pub outputs: Vec<[u8; 32]>,
    /// Transactions with a taproot output but without a tweak point, other than coinbases.
    pub ineligible: Vec<Txid>,
    /// The progress of reading files.
    pub progress: Progress,
}

/// Finds the transactions that may contain a silent payment in all blocks of files or of a node,
/// and passes them to `sink` until it breaks. Returns the value it broke with. Files are as
/// described at [`verify`](super::verify).
///
/// A transaction has a tweak point if it has a taproot output, spends no output of a witness
/// version above 1, and the keys of its eligible inputs have a sum other than the identity.
/// Eligible are P2TR, unless H of BIP 341 is the internal key, P2WPKH, P2SH-P2WPKH and P2PKH, with
/// compressed keys.
///
/// # Errors
/// Errors of the engine. Earlier transactions have been passed on.
pub fn index<'a, B>(
    settings: &Settings,
    chain: impl Into<Chain<'a>>,
    blocks: BlockRange,
    mut sink: impl FnMut(TweakIndex) -> ControlFlow<B>,
) -> Result<Option<B>, gecc::Error> {
    let work = BlockWork::<Candidates>::new(blocks);
    flow::run(
        &work,
        settings,
        chain.into().sources(),
        &Unformatted,
        |batch| batch.into_iter().try_for_each(&mut sink),
    )
}

/// Transactions with taproot outputs and eligible inputs.
#[derive(Default)]
struct Candidates {
    /// The number of transactions examined.
    seen: usize,
    transactions: Vec<Candidate>,
    /// The keys of inputs, and the outputs, of all transactions one after another.
    keys: Vec<CompressedKey>,
    outputs: Vec<[u8; 32]>,
    ineligible: Vec<Txid>,
    progress: Progress,
}

struct Candidate {
    height: Option<u64>,
    txid: Txid,
    /// The smallest outpoint.
    outpoint: [u8; 36],
    keys: usize,
    outputs: usize,
}

impl DecodedBlocks for Candidates {
    type Computed = TweakIndex;
    type Answers = TweakIndex;
    type Columns = ();

    fn progress(&mut self) -> &mut Progress {
        &mut self.progress
    }

    fn size(&self) -> usize {
        self.seen
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.transactions)
            + size_of_val(&*self.keys)
            + size_of_val(&*self.outputs)
            + size_of_val(&*self.ineligible)
            + self.progress.held()
    }

    /// Adds the whole block: the data that it adds is smaller than the block.
    fn add(&mut self, open: &mut OpenBlock, _: usize) -> bool {
        for (txid, transaction, spent) in open.spending_transactions() {
            self.seen += 1;
            self.add_transaction(open.height(), txid, transaction, spent);
        }
        true
    }

    /// Computes one part for the whole batch.
    fn compute(
        batch: Vec<Self>,
        engine: &Engine,
        _: &ThreadPool,
        _: &mut (),
    ) -> Result<Vec<TweakIndex>, gecc::Error> {
        let mut all = Candidates::default();
        batch.into_iter().for_each(|found| all.append(found));
        Ok(vec![all.tweaks(engine)?])
    }
}

impl Candidates {
    fn append(&mut self, next: Candidates) {
        self.seen += next.seen;
        self.transactions.extend(next.transactions);
        self.keys.extend(next.keys);
        self.outputs.extend(next.outputs);
        self.ineligible.extend(next.ineligible);
        self.progress.append(next.progress);
    }

    fn add_transaction(
        &mut self,
        height: Option<u64>,
        txid: Txid,
        transaction: TransactionView,
        spent: OutputsView,
    ) {
        let outputs = self.outputs.len();
        self.outputs.extend(
            transaction
                .outputs()
                .iter()
                .filter_map(|output| p2tr_key(output.script)),
        );
        if self.outputs.len() == outputs {
            return;
        }
        let keys = self.keys.len();
        self.add_keys(transaction, spent);
        if self.keys.len() == keys {
            self.outputs.truncate(outputs);
            self.ineligible.push(txid);
            return;
        }
        self.transactions.push(Candidate {
            height,
            txid,
            outpoint: *transaction
                .inputs()
                .map(|input| input.outpoint)
                .min()
                .expect("it has inputs"),
            keys: self.keys.len() - keys,
            outputs: self.outputs.len() - outputs,
        });
    }

    /// Adds the keys of eligible inputs, or none if the transaction is not eligible.
    fn add_keys(&mut self, transaction: TransactionView, spent: OutputsView) {
        if spent.iter().any(is_of_unknown_version) {
            return;
        }
        self.keys.extend(
            transaction
                .inputs()
                .zip(spent.iter())
                .filter_map(|(input, output)| input_key(&input, output)),
        );
    }

    fn tweaks(self, engine: &Engine) -> Result<TweakIndex, gecc::Error> {
        let Candidates {
            transactions,
            keys,
            outputs,
            ineligible,
            progress,
            ..
        } = self;
        let sums = sums(engine, transactions.iter().map(|of| of.keys), &keys)?;
        let outpoints: Vec<[u8; 36]> = transactions.iter().map(|of| of.outpoint).collect();
        let mut points = vec![[0; 64]; sums.len()];
        let mut codes = vec![0; sums.len()];
        silent_payments::index_into(
            engine,
            &outpoints,
            PublicKeys::raw(&sums),
            &mut points,
            &mut codes,
        )?;
        let mut tweaks = TweakIndex {
            ineligible,
            progress,
            offsets: vec![0],
            ..TweakIndex::default()
        };
        let mut rest = outputs.as_slice();
        for (of, (point, code)) in transactions.iter().zip(points.iter().zip(codes)) {
            let (of_transaction, others) = rest.split_at(of.outputs);
            rest = others;
            if code != Verdict::VALID_CODE {
                // There is no sum, or the hash is not a scalar.
                tweaks.ineligible.push(of.txid);
                continue;
            }
            tweaks.heights.push(of.height);
            tweaks.txids.push(of.txid);
            tweaks.tweak_points.push(
                gecc::Point::from_raw(point)
                    .to_compressed()
                    .expect("not the identity"),
            );
            tweaks.outputs.extend_from_slice(of_transaction);
            tweaks.offsets.push(tweaks.outputs.len() as u64);
        }
        Ok(tweaks)
    }
}

/// Computes sums of keys, of `counts` consecutive keys each: `x || y`, or zeros. Keys that are not
/// on the curve, for which nobody can sign, are left out. Each round adds the keys of every sum in
/// pairs, as one batch.
fn sums(
    engine: &Engine,
    counts: impl Iterator<Item = usize>,
    keys: &[CompressedKey],
) -> Result<Vec<[u8; 64]>, gecc::Error> {
    let decoded = point::decompress(engine, Secp256k1, keys)?;
    let mut rest = decoded.as_slice();
    let mut terms: Vec<Vec<[u8; 64]>> = counts
        .map(|count| {
            let (of_sum, others) = rest.split_at(count);
            rest = others;
            of_sum
                .iter()
                .filter_map(|point| point.as_ref().ok().map(coordinates))
                .collect()
        })
        .collect();
    loop {
        let mut left = Vec::new();
        let mut right = Vec::new();
        for of_sum in &terms {
            for pair in of_sum.as_chunks::<2>().0 {
                left.push(pair[0]);
                right.push(pair[1]);
            }
        }
        if left.is_empty() {
            return Ok(terms
                .iter()
                .map(|of_sum| of_sum.first().copied().unwrap_or([0; 64]))
                .collect());
        }
        let mut added = vec![[0; 64]; left.len()];
        let mut codes = vec![0; left.len()];
        let left = PublicKeys::raw(&left);
        let right = PublicKeys::raw(&right);
        point::add_into(engine, Secp256k1, left, right, &mut added, &mut codes)?;
        let mut added = added.into_iter();
        for of_sum in &mut terms {
            let (pairs, single) = of_sum.as_chunks::<2>();
            let next: Vec<[u8; 64]> = added
                .by_ref()
                .take(pairs.len())
                .chain(single.iter().copied())
                .collect();
            *of_sum = next;
        }
    }
}

/// Returns `x || y`.
fn coordinates(point: &gecc::Point) -> [u8; 64] {
    *point.as_bytes().last_chunk().expect("65 bytes")
}
