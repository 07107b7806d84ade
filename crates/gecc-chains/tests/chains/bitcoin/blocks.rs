//! Blocks of transactions that are made here, for cases without an available real block.

use super::real::{check, check_with};
use crate::random::Random;
use bitcoin::absolute::LockTime;
use bitcoin::block::{Header, Version};
use bitcoin::consensus::serialize;
use bitcoin::hashes::Hash;
use bitcoin::opcodes::all::OP_PUSHBYTES_0;
use bitcoin::script::Builder;
use bitcoin::{
    Amount, Block, BlockHash, CompactTarget, OutPoint, ScriptBuf, Sequence, Transaction, TxIn,
    TxMerkleNode, TxOut, Txid, transaction,
};
use gecc_chains::bitcoin::Answer;
use gecc_chains::{Problem, Settings};
use rand::{Rng, RngExt};
use std::path::{Path, PathBuf};

/// Creates an unsigned transaction that spends some outputs.
pub fn unsigned(inputs: usize, output: Vec<TxOut>, random: &mut impl Rng) -> Transaction {
    let input = |_| {
        let mut txid = [0; 32];
        random.fill_bytes(&mut txid);
        let previous_output = OutPoint {
            txid: Txid::from_byte_array(txid),
            vout: random.random_range(0..9),
        };
        TxIn {
            previous_output,
            sequence: Sequence(random.random_range(0..u32::MAX)),
            ..TxIn::default()
        }
    };
    let input = (0..inputs).map(input).collect();
    Transaction {
        version: transaction::Version::TWO,
        lock_time: LockTime::ZERO,
        input,
        output,
    }
}

/// A block with a coinbase and the given transactions.
fn block(height: u64, transactions: &[Transaction]) -> Block {
    let coinbase = TxIn {
        previous_output: OutPoint::null(),
        script_sig: Builder::new()
            .push_int(height as i64)
            .push_opcode(OP_PUSHBYTES_0)
            .into_script(),
        ..TxIn::default()
    };
    let coinbase = Transaction {
        version: transaction::Version::TWO,
        lock_time: LockTime::ZERO,
        input: vec![coinbase],
        output: vec![TxOut::NULL],
    };
    let header = Header {
        version: Version::from_consensus(4),
        prev_blockhash: BlockHash::all_zeros(),
        merkle_root: TxMerkleNode::all_zeros(),
        time: 0,
        bits: CompactTarget::from_consensus(0),
        nonce: 0,
    };
    let mut block = Block {
        header,
        txdata: [&[coinbase], transactions].concat(),
    };
    block.header.merkle_root = block.compute_merkle_root().unwrap();
    block
}

/// Checks a file with a block, without the outputs that it spends.
fn check_block(settings: &Settings, block: &Block) -> (Vec<Answer>, Vec<Problem>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.raw");
    std::fs::write(&path, serialize(block)).unwrap();
    let spending = block
        .txdata
        .iter()
        .filter(|transaction| !transaction.is_coinbase());
    let inputs: usize = spending.map(|transaction| transaction.input.len()).sum();
    let spent = serialize(&TxOut {
        value: Amount::ONE_BTC,
        script_pubkey: ScriptBuf::new(),
    })
    .repeat(inputs);
    std::fs::write(folder.path().join("b-undo.raw"), spent).unwrap();
    check_with(settings, &[path])
}

/// Repeated transactions (CVE-2012-2459), and blocks whose coinbase is missing or not the only one.
/// Their merkle root matches the header.
pub fn blocks_that_are_not_whole(settings: &Settings) {
    let mut random = Random::new();
    for count in [1, 2, 3, 4, 5, 6, 9] {
        let transactions: Vec<Transaction> = (0..count)
            .map(|_| unsigned(1, vec![TxOut::NULL], &mut random))
            .collect();
        let whole = block(700_000, &transactions);
        let (answers, problems) = check_block(settings, &whole);
        assert_eq!((answers.len(), problems.len()), (count, 0));
        // A list of an odd number of parts of 1, 2, 4, … transactions has the same root as the list
        // whose last part is repeated.
        let length = whole.txdata.len();
        let repeated = (0..3)
            .map(|level| 1 << level)
            .filter(|part| length > *part && length % (2 * part) == *part);
        for part in repeated {
            let mut twice = whole.clone();
            twice.txdata.extend_from_within(length - part..);
            assert_eq!(twice.compute_merkle_root(), Some(whole.header.merkle_root));
            require_refused(settings, &twice, "twice");
        }
        let changed = |change: fn(&mut Vec<Transaction>)| {
            let mut changed = whole.clone();
            change(&mut changed.txdata);
            changed.header.merkle_root = changed.compute_merkle_root().unwrap();
            changed
        };
        let other_coinbase = |all: &mut Vec<Transaction>| {
            let mut other = all[0].clone();
            other.lock_time = LockTime::from_height(1).unwrap();
            all.insert(1, other);
        };
        require_refused(
            settings,
            &changed(other_coinbase),
            "transaction 1 is a second coinbase",
        );
        require_refused(
            settings,
            &changed(|all| drop(all.remove(0))),
            "is not a coinbase",
        );
        require_refused(
            settings,
            &changed(|all| all.rotate_left(1)),
            "is not a coinbase",
        );
        require_refused(
            settings,
            &Block {
                txdata: Vec::new(),
                ..whole
            },
            "has no transactions",
        );
    }
}

fn require_refused(settings: &Settings, block: &Block, expected: &str) {
    let (answers, problems) = check_block(settings, block);
    assert!(answers.is_empty() && problems.len() == 1, "{problems:?}");
    assert!(
        problems[0].what.contains(expected) && !problems[0].not_checked,
        "{problems:?}"
    );
}

/// Writes a file of a block of this height with these transactions, which spend these outputs in
/// order.
pub fn file_of(
    folder: &Path,
    height: u64,
    transactions: &[Transaction],
    spent: &[TxOut],
) -> PathBuf {
    let path = folder.join("b.raw");
    std::fs::write(&path, serialize(&block(height, transactions))).unwrap();
    let spent: Vec<u8> = spent.iter().flat_map(serialize).collect();
    std::fs::write(folder.join("b-undo.raw"), spent).unwrap();
    path
}

/// The answers to the inputs of transactions in such a block.
pub fn check_inputs(
    settings: &Settings,
    height: u64,
    transactions: &[Transaction],
    spent: &[TxOut],
) -> Vec<Answer> {
    let folder = tempfile::tempdir().unwrap();
    check(
        settings,
        &[file_of(folder.path(), height, transactions, spent)],
    )
}
