//! An index for silent payments (BIP 352): the tweak point of each transaction that may pay silently.

mod eligible;
mod keys;

use super::answers::Txid;
use super::block::{Outputs, TransactionView};
use super::decoded::Open;
use super::instructions::p2tr_key;
use super::{Chain, Inputs, Piece, PlacedBlock, of_block};
use crate::flow::{Settings, Work};
use crate::problem::{Progress, note};
use crate::range::Blocks;
use eligible::{Key, input_key, is_of_unknown_version};
use gecc::steps::{Entrance, line};
use gecc::{Engine, PublicKeys, Rejection, Secp256k1, Verdict, point, silent_payments};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::thread;

pub use keys::ReceiverKeys;

/// Bytes of blocks, and of what they spend, that are decoded at a time, where memory is not limited.
const BATCH: usize = 64 << 20;
/// Batches that are decoded and computed at a time, and that wait to be put out. One where memory is limited.
const AT_A_TIME: usize = 4;

/// Transactions with their tweak points, as columns, in the order in which blocks are in the files.
#[derive(Clone, Debug, Default)]
pub struct Tweaks {
    /// The heights of their blocks, where these say it (BIP 34).
    pub heights: Vec<Option<u64>>,
    /// Their ids.
    pub txids: Vec<Txid>,
    /// Their tweak points, compressed.
    pub tweak_points: Vec<[u8; 33]>,
    /// Where the outputs of each begin, and where the last end.
    pub offsets: Vec<u64>,
    /// The x-only keys of their taproot outputs.
    pub outputs: Vec<[u8; 32]>,
    /// Transactions with a taproot output but without a tweak point, other than coinbases.
    pub ineligible: Vec<Txid>,
    /// How far the files were read.
    pub progress: Progress,
}

/// Finds the transactions of all blocks of some files that may pay silently, and hands them to `sink` until that wants
/// no more. Gives what the sink ended with. Files are those of [`verify`](super::verify).
///
/// A transaction has a tweak point where it has a taproot output, spends no output of a witness version above 1, and
/// the keys of its eligible inputs have a sum other than the identity: those of P2TR unless H of BIP 341 is the
/// internal key, P2WPKH, P2SH-P2WPKH and P2PKH, compressed.
///
/// # Errors
/// What the engine says. Transactions before were handed on.
pub fn index<'a, B>(
    settings: &Settings,
    chain: impl Into<Chain<'a>>,
    blocks: Blocks,
    mut sink: impl FnMut(Tweaks) -> ControlFlow<B>,
) -> Result<Option<B>, gecc::Error> {
    let Some(engine) = settings.engine() else { return Ok(None) };
    let (chain, at_a_time) = (chain.into(), if settings.max_memory.is_some() { 1 } else { AT_A_TIME });
    let (batches, workers, indexed) = line(at_a_time, 0);
    thread::scope(|scope| {
        scope.spawn(move || read(settings, chain, blocks, &batches));
        for _ in 0..at_a_time {
            let workers = workers.clone();
            let work = move |pieces| Some(decode(settings, pieces, blocks).tweaks(engine));
            scope.spawn(move || workers.work(work));
        }
        drop(workers);
        for tweaks in indexed {
            if settings.interrupted.load(Ordering::Relaxed) {
                break;
            }
            if let ControlFlow::Break(ended) = sink(tweaks?) {
                return Ok(Some(ended));
            }
        }
        Ok(None)
    })
}

/// Hands in the pieces of all files in batches, as long as they are wanted.
fn read<T>(settings: &Settings, chain: Chain, blocks: Blocks, batches: &Entrance<Vec<Piece>, T>) {
    let limits = settings.limits();
    let full = BATCH.min(limits.ahead);
    let (mut pieces, mut bytes) = (Vec::new(), 0);
    let mut take = |piece: Piece| {
        if settings.interrupted.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        bytes += weight(&piece);
        pieces.push(piece);
        if bytes < full {
            return ControlFlow::Continue(());
        }
        bytes = 0;
        if batches.hand_in(std::mem::take(&mut pieces)) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    if chain.sources().try_for_each(|source| Inputs::new(blocks).read(source, &limits, &mut take)).is_continue() {
        // Whether more would be wanted does not matter.
        let _ = batches.hand_in(pieces);
    }
}

fn weight(piece: &Piece) -> usize {
    let weight = |block: &PlacedBlock| block.block.len() + block.spent.as_ref().map_or(0, Vec::len);
    // Something even where there is nothing: files may have no end of problems.
    1024 + piece.content.iter().flat_map(|(_, content)| &content.blocks).map(weight).sum::<usize>()
}

/// Decodes pieces, each by itself.
fn decode(settings: &Settings, pieces: Vec<Piece>, blocks: Blocks) -> Found {
    let decoded: Vec<Found> =
        settings.pool.install(|| pieces.into_par_iter().map(|piece| piece_of(piece, blocks)).collect());
    let mut all = Found::default();
    decoded.into_iter().for_each(|found| all.append(found));
    all
}

fn piece_of(piece: Piece, wanted: Blocks) -> Found {
    let mut found = Found { progress: piece.progress, ..Found::default() };
    let Some((path, mut content)) = piece.content else { return found };
    while !content.blocks.is_empty() {
        if let Err((place, what)) = content.open_next(wanted) {
            note(&mut found.progress.problems, of_block(&path, place, what));
        }
        if let Some(open) = content.open.take() {
            found.add(&open);
        }
    }
    found
}

/// Transactions with taproot outputs and eligible inputs.
#[derive(Default)]
struct Found {
    transactions: Vec<Transaction>,
    /// The keys of inputs, and the outputs, of all of them one after the other.
    keys: Vec<Key>,
    outputs: Vec<[u8; 32]>,
    ineligible: Vec<Txid>,
    progress: Progress,
}

struct Transaction {
    height: Option<u64>,
    txid: Txid,
    /// The smallest.
    outpoint: [u8; 36],
    keys: usize,
    outputs: usize,
}

impl Found {
    fn append(&mut self, next: Found) {
        self.transactions.extend(next.transactions);
        self.keys.extend(next.keys);
        self.outputs.extend(next.outputs);
        self.ineligible.extend(next.ineligible);
        self.progress.append(next.progress);
    }

    fn add(&mut self, open: &Open) {
        for (txid, transaction, spent) in open.spending_transactions() {
            let outputs = self.outputs.len();
            self.outputs.extend(transaction.outputs().iter().filter_map(|output| p2tr_key(output.script)));
            if self.outputs.len() == outputs {
                continue;
            }
            let keys = self.keys.len();
            self.add_keys(transaction, spent);
            if self.keys.len() == keys {
                self.outputs.truncate(outputs);
                self.ineligible.push(txid);
                continue;
            }
            self.transactions.push(Transaction {
                height: open.height(),
                txid,
                outpoint: *transaction.inputs().map(|input| input.outpoint).min().expect("it has inputs"),
                keys: self.keys.len() - keys,
                outputs: self.outputs.len() - outputs,
            });
        }
    }

    /// Adds the keys of eligible inputs: none where nothing of the transaction counts.
    fn add_keys(&mut self, transaction: TransactionView, spent: Outputs) {
        if spent.iter().any(is_of_unknown_version) {
            return;
        }
        self.keys
            .extend(transaction.inputs().zip(spent.iter()).filter_map(|(input, output)| input_key(&input, output)));
    }

    fn tweaks(self, engine: &Engine) -> Result<Tweaks, gecc::Error> {
        let Found { transactions, keys, outputs, ineligible, progress } = self;
        let sums = sums(engine, transactions.iter().map(|of| of.keys), &keys)?;
        let outpoints: Vec<[u8; 36]> = transactions.iter().map(|of| of.outpoint).collect();
        let (mut points, mut codes) = (vec![[0; 64]; sums.len()], vec![0; sums.len()]);
        silent_payments::index_into(engine, &outpoints, PublicKeys::raw(&sums), &mut points, &mut codes)?;
        let mut tweaks = Tweaks { ineligible, progress, offsets: vec![0], ..Tweaks::default() };
        let mut rest = outputs.as_slice();
        for (of, (point, code)) in transactions.iter().zip(points.iter().zip(codes)) {
            let (of_transaction, others) = rest.split_at(of.outputs);
            rest = others;
            if code != Verdict::VALID_CODE {
                // No sum, or a hash that is no scalar.
                tweaks.ineligible.push(of.txid);
                continue;
            }
            tweaks.heights.push(of.height);
            tweaks.txids.push(of.txid);
            tweaks.tweak_points.push(gecc::Point::from_raw(point).to_compressed().expect("not the identity"));
            tweaks.outputs.extend_from_slice(of_transaction);
            tweaks.offsets.push(tweaks.outputs.len() as u64);
        }
        Ok(tweaks)
    }
}

/// The sums of keys, this many for each: `x || y`, or zeros. Keys that are none of the curve, with which nobody can
/// sign, are left out. Each time the keys of a sum are added in pairs, those of all sums at once.
fn sums(engine: &Engine, counts: impl Iterator<Item = usize>, keys: &[Key]) -> Result<Vec<[u8; 64]>, gecc::Error> {
    let decoded = point::decompress(engine, Secp256k1, keys)?;
    let row = |point: gecc::Point| -> [u8; 64] { *point.as_bytes().last_chunk().expect("65 bytes") };
    let mut rest = decoded.as_slice();
    let mut terms: Vec<Vec<[u8; 64]>> = counts
        .map(|count| {
            let (of_sum, others) = rest.split_at(count);
            rest = others;
            of_sum.iter().filter_map(|point: &Result<gecc::Point, Rejection>| Some(row((*point).ok()?))).collect()
        })
        .collect();
    loop {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for of_sum in &terms {
            for pair in of_sum.as_chunks::<2>().0 {
                left.push(pair[0]);
                right.push(pair[1]);
            }
        }
        if left.is_empty() {
            let sum = |of_sum: Vec<[u8; 64]>| of_sum.first().copied().unwrap_or([0; 64]);
            return Ok(terms.into_iter().map(sum).collect());
        }
        let (mut added, mut codes) = (vec![[0; 64]; left.len()], vec![0; left.len()]);
        let operands = (PublicKeys::raw(&left), PublicKeys::raw(&right));
        point::add_into(engine, Secp256k1, operands.0, operands.1, &mut added, &mut codes)?;
        let mut added = added.into_iter();
        for of_sum in &mut terms {
            let (pairs, single) = of_sum.as_chunks::<2>();
            let next: Vec<[u8; 64]> = added.by_ref().take(pairs.len()).chain(single.iter().copied()).collect();
            *of_sum = next;
        }
    }
}
