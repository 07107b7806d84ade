//! Blocks of transactions that are made here, or that no block is at hand for.

use super::real::check;
use bitcoin::absolute::LockTime;
use bitcoin::block::{Header, Version};
use bitcoin::consensus::serialize;
use bitcoin::hashes::Hash;
use bitcoin::opcodes::all::OP_PUSHBYTES_0;
use bitcoin::script::Builder;
use bitcoin::{
    Block, BlockHash, CompactTarget, OutPoint, Sequence, Transaction, TxIn, TxMerkleNode, TxOut, Txid, transaction,
};
use gecc_chains::Settings;
use gecc_chains::bitcoin::Answer;
use rand::{Rng, RngExt};
use std::path::{Path, PathBuf};

/// A transaction that spends this many outputs, not signed.
pub fn unsigned(inputs: usize, output: Vec<TxOut>, random: &mut impl Rng) -> Transaction {
    let input = |_| {
        let mut txid = [0; 32];
        random.fill_bytes(&mut txid);
        let previous_output = OutPoint { txid: Txid::from_byte_array(txid), vout: random.random_range(0..9) };
        TxIn { previous_output, sequence: Sequence(random.random_range(0..u32::MAX)), ..TxIn::default() }
    };
    let input = (0..inputs).map(input).collect();
    Transaction { version: transaction::Version::TWO, lock_time: LockTime::ZERO, input, output }
}

/// A block of a height with some transactions beside the coinbase.
fn block(height: u64, transactions: &[Transaction]) -> Block {
    let coinbase = TxIn {
        previous_output: OutPoint::null(),
        script_sig: Builder::new().push_int(height as i64).push_opcode(OP_PUSHBYTES_0).into_script(),
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
    let mut block = Block { header, txdata: [&[coinbase], transactions].concat() };
    block.header.merkle_root = block.compute_merkle_root().unwrap();
    block
}

/// A file of a block of this height with these transactions, which spend these outputs one after the other.
pub fn file_of(folder: &Path, height: u64, transactions: &[Transaction], spent: &[TxOut]) -> PathBuf {
    let path = folder.join("b.raw");
    std::fs::write(&path, serialize(&block(height, transactions))).unwrap();
    let spent: Vec<u8> = spent.iter().flat_map(serialize).collect();
    std::fs::write(folder.join("b-undo.raw"), spent).unwrap();
    path
}

/// The answers to the inputs of transactions in such a block.
pub fn check_inputs(settings: &Settings, height: u64, transactions: &[Transaction], spent: &[TxOut]) -> Vec<Answer> {
    let folder = tempfile::tempdir().unwrap();
    check(settings, &[file_of(folder.path(), height, transactions, spent)])
}
