//! Differential tests of the parsers and hashes against the crate `bitcoin`: the accepted
//! encodings, their parts, and the signed messages.

use super::block::{BLOCK_HEADER, Block, TransactionView};
use super::instructions::{self, Instruction};
use super::network::Network;
use super::sighash::{HashType, SighashDigest, Sighashes};
use super::{encoding, hashes, rules, undo};
use crate::messages::Messages;
use crate::test_support::{change, path};
use bitcoin::consensus::{Decodable, deserialize, serialize};
use bitcoin::hashes::{Hash, hash160, sha256d};
use bitcoin::p2p::Magic;
use bitcoin::script::Instruction as ExpectedInstruction;
use bitcoin::sighash::{Annex, EcdsaSighashType, Prevouts, SighashCache, TapSighashType};
use bitcoin::{
    Amount, OutPoint, Script, ScriptBuf, Sequence, TapLeafHash, Transaction, TxIn, TxOut, Txid,
    VarInt, Witness,
};
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use std::path::Path;

/// Numbers of transactions and whole blocks that are mutated.
const CHANGED: usize = 120_000;
const CHANGED_BLOCKS: usize = 400;
/// Maximum size in bytes of mutated input, because it is compared as a whole each time.
const SHORT: usize = 20_000;
const MADE: usize = 1000;
/// Numbers of scripts, numbers and hashes.
const SMALL: usize = 100_000;
/// The byte values at which decoders branch.
const TELLING: [u8; 12] = [
    0, 1, 2, 0x14, 0x20, 0x4c, 0x4d, 0x4e, 0xfc, 0xfd, 0xfe, 0xff,
];

fn random() -> StdRng {
    let seed = rand::random();
    println!("seed {seed}");
    StdRng::seed_from_u64(seed)
}

fn random_bytes(random: &mut StdRng, lengths: std::ops::Range<usize>) -> Vec<u8> {
    let mut bytes = vec![0; random.random_range(lengths)];
    random.fill_bytes(&mut bytes);
    bytes
}

fn data(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    let bytes = std::fs::read(&path).unwrap();
    if name.ends_with(".zst") {
        zstd::decode_all(bytes.as_slice()).unwrap()
    } else {
        bytes
    }
}

/// Returns every block of the test data.
fn blocks() -> Vec<Vec<u8>> {
    let mut blocks = vec![data("block866342.raw.zst"), data("taproot.raw")];
    for entry in std::fs::read_dir(path("bitcoin")).unwrap() {
        let path = entry.unwrap().path();
        if path
            .file_stem()
            .is_some_and(|stem| !stem.to_string_lossy().ends_with("-undo"))
        {
            blocks.push(std::fs::read(path).unwrap());
        }
    }
    let key = data("blkrev/xor.dat");
    let hidden = data("blkrev/blk00000.dat");
    let file: Vec<u8> = hidden
        .iter()
        .zip(key.iter().cycle())
        .map(|(byte, key)| byte ^ key)
        .collect();
    let mut rest = file.as_slice();
    while let [0xf9, 0xbe, 0xb4, 0xd9, a, b, c, d, content @ ..] = rest {
        let (block, after) = content.split_at(u32::from_le_bytes([*a, *b, *c, *d]) as usize);
        blocks.push(block.to_vec());
        rest = after;
    }
    assert_eq!(blocks.len(), 2 + 2 + 5);
    blocks
}

/// Makes a block of one transaction.
fn alone(transaction: &[u8]) -> Vec<u8> {
    [&[0; BLOCK_HEADER][..], &[1], transaction].concat()
}

/// Returns blocks of one transaction each: those of all blocks, those of the mempool of 2024, and
/// some generated ones.
fn transactions(random: &mut StdRng) -> Vec<Vec<u8>> {
    let of_blocks = blocks()
        .into_iter()
        .flat_map(|block| deserialize::<bitcoin::Block>(&block).unwrap().txdata);
    let mut all: Vec<Vec<u8>> = of_blocks
        .map(|transaction| alone(&serialize(&transaction)))
        .collect();
    let lines = String::from_utf8(data("mempool2024_txs.jsonl.zst")).unwrap();
    all.extend(lines.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        alone(&const_hex::decode(line["raw"].as_str().unwrap()).unwrap())
    }));
    all.extend((0..MADE).map(|_| alone(&serialize(&made(random)))));
    all
}

/// Generates a transaction with random numbers of inputs, outputs and witnesses, of a few bytes
/// each.
fn made(random: &mut StdRng) -> Transaction {
    let has_witnesses = random.random_bool(0.5);
    Transaction {
        version: bitcoin::transaction::Version(random.random()),
        lock_time: bitcoin::absolute::LockTime::from_consensus(random.random()),
        input: (0..random.random_range(0..5))
            .map(|_| input(has_witnesses, random))
            .collect(),
        output: (0..random.random_range(0..5))
            .map(|_| output(random))
            .collect(),
    }
}

fn input(has_witness: bool, random: &mut StdRng) -> TxIn {
    TxIn {
        previous_output: if random.random_bool(0.2) {
            OutPoint::null()
        } else {
            OutPoint {
                txid: Txid::from_byte_array(random.random()),
                vout: random.random(),
            }
        },
        script_sig: ScriptBuf::from_bytes(random_bytes(random, 0..300)),
        sequence: Sequence(random.random()),
        witness: if has_witness {
            witness(random)
        } else {
            Witness::new()
        },
    }
}

fn witness(random: &mut StdRng) -> Witness {
    let elements: Vec<Vec<u8>> = (0..random.random_range(0..4))
        .map(|_| random_bytes(random, 0..300))
        .collect();
    Witness::from_slice(&elements)
}

fn output(random: &mut StdRng) -> TxOut {
    let script_pubkey = ScriptBuf::from_bytes(random_bytes(random, 0..60));
    TxOut {
        value: Amount::from_sat(random.random()),
        script_pubkey,
    }
}

/// Compares both decoders, which have to agree in everything. Returns whether they accept the
/// bytes.
fn compare(bytes: &[u8]) -> bool {
    let found = Block::parse(bytes.to_vec());
    let expected = deserialize::<bitcoin::Block>(bytes);
    assert_eq!(
        found.is_ok(),
        expected.is_ok(),
        "{}",
        const_hex::encode(bytes)
    );
    let (Ok(found), Ok(expected)) = (found, expected) else {
        return false;
    };
    assert_eq!(found.version(), expected.header.version.to_consensus());
    assert_eq!(found.hash(), expected.block_hash().to_byte_array());
    assert_eq!(
        found.merkle_root(),
        expected.header.merkle_root.to_byte_array()
    );
    assert_eq!(found.transactions().len(), expected.txdata.len());
    assert!(found.transaction(expected.txdata.len()).is_none());
    for (found, expected) in found.transactions().zip(&expected.txdata) {
        compare_transaction(found, expected);
    }
    // Encoding it again gives the same bytes: there is one form.
    assert_eq!(serialize(&expected), bytes);
    true
}

fn compare_transaction(found: TransactionView, expected: &Transaction) {
    assert_eq!(found.txid().0, expected.compute_txid().to_byte_array());
    assert_eq!(
        found.txid().to_string(),
        expected.compute_txid().to_string()
    );
    assert_eq!(
        hashes::sha256d(found.encoded()),
        expected.compute_wtxid().to_byte_array()
    );
    assert_eq!(found.version(), serialize(&expected.version).as_slice());
    assert_eq!(found.lock_time(), serialize(&expected.lock_time).as_slice());
    assert_eq!(found.is_coinbase(), expected.is_coinbase());
    assert_eq!(found.base_size(), expected.base_size());
    assert_eq!(found.inputs().len(), expected.input.len());
    for (found, expected) in found.inputs().zip(&expected.input) {
        assert_eq!(
            found.outpoint,
            serialize(&expected.previous_output).as_slice()
        );
        assert_eq!(found.script, expected.script_sig.as_bytes());
        assert_eq!(found.sequence, serialize(&expected.sequence).as_slice());
        assert!(found.witness().into_iter().eq(expected.witness.iter()));
    }
    assert_eq!(found.outputs().len(), expected.output.len());
    assert!(found.outputs().get(expected.output.len()).is_none());
    for (found, expected) in found.outputs().iter().zip(&expected.output) {
        assert_eq!(found.encoded, serialize(expected));
        assert_eq!(u64::from_le_bytes(*found.value), expected.value.to_sat());
        assert_eq!(found.script, expected.script_pubkey.as_bytes());
    }
}

#[test]
fn blocks_are_parsed_like_by_the_crate_bitcoin() {
    let mut random = random();
    let mut taken = 0;
    let blocks = blocks();
    assert!(blocks.iter().all(|block| compare(block)));
    let short: Vec<&Vec<u8>> = blocks
        .iter()
        .filter(|block| block.len() < 10 * SHORT)
        .collect();
    for _ in 0..CHANGED_BLOCKS {
        let mut block = short[random.random_range(0..short.len())].clone();
        change(&mut block, 0, &TELLING, &mut random);
        taken += usize::from(compare(&block));
    }
    println!("{taken} changed blocks of {CHANGED_BLOCKS} taken");
    assert!((10..CHANGED_BLOCKS - 10).contains(&taken));
    // Counts far larger than the data.
    for count in [&[0xfe, 0xff, 0xff, 0xff, 0xff][..], &[0xff; 9]] {
        assert!(!compare(&[&[0; BLOCK_HEADER][..], count].concat()));
        assert!(!compare(&alone(&[&[0; 4][..], count, &[7; 99]].concat())));
        assert!(!compare(&alone(
            &[&[0, 0, 0, 0, 0, 1, 1][..], &[0; 41], &[0], count, &[7; 99]].concat()
        )));
    }
    assert!(!compare(&[]) && compare(&[0; BLOCK_HEADER + 1]));
}

#[test]
fn transactions_are_parsed_like_by_the_crate_bitcoin() {
    let mut random = random();
    let mut taken = 0;
    let mut all = transactions(&mut random);
    assert!(all.iter().all(|transaction| compare(transaction)));
    all.retain(|transaction| transaction.len() < SHORT);
    for round in 0..CHANGED {
        let mut transaction = all[round % all.len()].clone();
        (0..random.random_range(1..3))
            .for_each(|_| change(&mut transaction, BLOCK_HEADER, &TELLING, &mut random));
        taken += usize::from(compare(&transaction));
    }
    println!("{taken} changed transactions of {CHANGED} taken");
    assert!((CHANGED / 10..CHANGED - CHANGED / 10).contains(&taken));
}

/// Compares the messages that the inputs of a transaction sign, with any script and hash type.
/// Returns the number of hashes compared.
fn compare_hashes(transaction: &[u8], random: &mut StdRng) -> usize {
    let block = Block::parse(transaction.to_vec()).unwrap();
    let expected = deserialize::<bitcoin::Block>(transaction);
    let expected = &expected.unwrap().txdata[0];
    let outputs: Vec<TxOut> = expected.input.iter().map(|_| output(random)).collect();
    let spent = undo::plain(outputs.iter().flat_map(serialize).collect(), outputs.len()).unwrap();
    let found = Sighashes::new(
        block.transaction(0).unwrap(),
        spent.outputs(0..outputs.len()),
    );
    let mut cache = SighashCache::new(expected);
    let mut compared = 0;
    for _ in 0..if outputs.is_empty() { 0 } else { 12 } {
        let index = random.random_range(0..outputs.len());
        let script = random_bytes(random, 0..600);
        let code = Script::from_bytes(&script);
        let hash_type = if random.random_bool(0.5) {
            random.random()
        } else {
            NAMED[random.random_range(0..6)]
        };
        let hash = cache
            .legacy_signature_hash(index, code, hash_type.into())
            .unwrap();
        let mut messages = Messages::default();
        let digest = match found.legacy(index, &script, HashType(hash_type), &mut messages) {
            SighashDigest::Known(digest) => digest,
            SighashDigest::Of(message) => hashes::sha256d(messages.iter().nth(message).unwrap()),
        };
        assert_eq!(digest, hash.to_byte_array(), "{hash_type:#x}");
        let named = NAMED[random.random_range(0..6)];
        let standard = EcdsaSighashType::from_standard(named.into()).unwrap();
        let hash = cache
            .p2wsh_signature_hash(index, code, outputs[index].value, standard)
            .unwrap();
        let mut signed = Vec::new();
        found.put_segwit_v0(index, &script, HashType(named), &mut signed);
        assert_eq!(hashes::sha256d(&signed), hash.to_byte_array(), "{named:#x}");
        let named = if random.random_bool(0.2) { 0 } else { named };
        let annex = random
            .random_bool(0.3)
            .then(|| [&[0x50], script.as_slice()].concat());
        let leaf = random.random_bool(0.5).then(|| random.random::<[u8; 32]>());
        let hash = cache.taproot_signature_hash(
            index,
            &Prevouts::All(&outputs),
            annex.as_ref().map(|annex| Annex::new(annex).unwrap()),
            leaf.map(|leaf| (TapLeafHash::from_byte_array(leaf), u32::MAX)),
            TapSighashType::from_consensus_u8(named).unwrap(),
        );
        let hash = hash.ok().map(|hash| hash.to_byte_array());
        let mut signed = Vec::new();
        let written =
            found.put_taproot(index, annex.as_deref(), leaf, HashType(named), &mut signed);
        assert!(written.is_some() || signed.is_empty());
        assert_eq!(
            written.map(|()| hashes::sha256(&signed)),
            hash,
            "{named:#x}"
        );
        compared += 3;
    }
    compared
}

const NAMED: [u8; 6] = [1, 2, 3, 0x81, 0x82, 0x83];

#[test]
fn sighashes_equal_those_of_the_crate_bitcoin() {
    let mut random = random();
    let all = transactions(&mut random);
    let compared: usize = all
        .iter()
        .map(|transaction| compare_hashes(transaction, &mut random))
        .sum();
    println!("{compared} hashes of {} transactions", all.len());
    assert!(compared > 100_000);
}

/// `sighash.json` of Bitcoin Core (tests/vectors/conformance): legacy hashes for random scripts and
/// hash types of 32 bits. A signature has a type of one byte, whose bits are the only ones that
/// select what is signed; the others are only hashed.
#[test]
fn sighashes_equal_those_of_bitcoin_core() {
    let packed = include_bytes!("../../../../tests/vectors/conformance/bitcoin/sighash.json.gz");
    let file = flate2::read::GzDecoder::new(&packed[..]);
    let cases: Vec<(String, String, usize, i32, String)> = serde_json::from_reader(file).unwrap();
    assert_eq!(cases.len(), 500);
    for (transaction, script, index, hash_type, expected) in &cases {
        let transaction = const_hex::decode(transaction).unwrap();
        let block = [&[0; BLOCK_HEADER][..], &[1], &transaction].concat();
        let block = Block::parse(block).unwrap();
        let view = block.transaction(0).unwrap();
        let inputs = view.inputs().count();
        let none = serialize(&output_of(Vec::new())).repeat(inputs);
        let spent = undo::plain(none, inputs).unwrap();
        let found = Sighashes::new(view, spent.outputs(0..inputs));
        // Consensus does not hash the opcode OP_CODESEPARATOR, which no template has. These scripts
        // push no data that could contain its byte.
        let mut script = const_hex::decode(script).unwrap();
        script.retain(|byte| *byte != 0xab);
        let mut messages = Messages::default();
        let low = HashType(hash_type.to_le_bytes()[0]);
        let digest = match found.legacy(*index, &script, low, &mut messages) {
            SighashDigest::Known(digest) => digest,
            SighashDigest::Of(message) => {
                let mut message = messages.iter().nth(message).unwrap().to_vec();
                let end = message.len() - 4;
                message[end..].copy_from_slice(&hash_type.to_le_bytes());
                hashes::sha256d(&message)
            }
        };
        let shown: Vec<u8> = digest.iter().rev().copied().collect();
        assert_eq!(const_hex::encode(shown), *expected, "{hash_type:#x}");
    }
}

fn output_of(script: Vec<u8>) -> TxOut {
    TxOut {
        value: Amount::ZERO,
        script_pubkey: ScriptBuf::from_bytes(script),
    }
}

#[test]
fn hash_types_with_a_name_are_those_of_the_crate_bitcoin() {
    for byte in 0..=u8::MAX {
        assert_eq!(
            HashType(byte).is_named(),
            EcdsaSighashType::from_standard(byte.into()).is_ok()
        );
        let of_taproot = byte == HashType::DEFAULT.0 || HashType(byte).is_named();
        assert_eq!(of_taproot, TapSighashType::from_consensus_u8(byte).is_ok());
    }
}

/// Generates a script that may almost have a known form.
fn script(random: &mut StdRng) -> Vec<u8> {
    let key_hash: [u8; 20] = random.random();
    let hash: [u8; 32] = random.random();
    let mut script = match random.random_range(0..6) {
        0 => instructions::p2pkh(&key_hash),
        1 => [&[0xa9, 20][..], &key_hash, &[0x87]].concat(),
        2 => [&[TELLING[random.random_range(0..3)], 20][..], &key_hash].concat(),
        3 => [
            &[[0, 0x51, 0x60, 0x61][random.random_range(0..4)], 32][..],
            &hash,
        ]
        .concat(),
        4 => {
            let program = random_bytes(random, 0..44);
            [
                &[random.random_range(0x4f..0x62), program.len() as u8][..],
                &program,
            ]
            .concat()
        }
        _ => (0..random.random_range(0..9))
            .flat_map(|_| match random.random_range(0..4) {
                0 => vec![random.random()],
                1 => vec![
                    TELLING[random.random_range(0..TELLING.len())],
                    random.random_range(0..4),
                    0,
                ],
                _ => serialize(&random_bytes(random, 0..80)),
            })
            .collect(),
    };
    if !script.is_empty() && random.random_bool(0.5) {
        change(&mut script, 0, &TELLING, random);
    }
    script
}

#[test]
fn script_forms_equal_those_of_the_crate_bitcoin() {
    let mut random = random();
    let mut known = [0; 4];
    for _ in 0..SMALL {
        let script = script(&mut random);
        let expected = Script::from_bytes(&script);
        let shown = const_hex::encode(&script);
        for (found, expected) in instructions::instructions(&script).zip(expected.instructions()) {
            let expected = expected.ok().map(|expected| match expected {
                ExpectedInstruction::PushBytes(bytes) => Instruction::Push(bytes.as_bytes()),
                ExpectedInstruction::Op(opcode) => Instruction::Op(opcode.to_u8()),
            });
            assert_eq!(found, expected, "{shown}");
        }
        assert_eq!(
            instructions::instructions(&script).count(),
            expected.instructions().count(),
            "{shown}"
        );
        assert_eq!(
            instructions::p2pkh_hash(&script).is_some(),
            expected.is_p2pkh(),
            "{shown}"
        );
        assert_eq!(
            instructions::p2sh_hash(&script).is_some(),
            expected.is_p2sh(),
            "{shown}"
        );
        assert_eq!(
            instructions::p2tr_key(&script).is_some(),
            expected.is_p2tr(),
            "{shown}"
        );
        let program = instructions::witness_program(&script);
        assert_eq!(program.is_some(), expected.is_witness_program(), "{shown}");
        if let (Some((version, program)), Some(expected)) = (program, expected.witness_version()) {
            assert_eq!(
                (version, program),
                (expected.to_num().into(), &script[2..]),
                "{shown}"
            );
        }
        let forms = [
            expected.is_p2pkh(),
            expected.is_p2sh(),
            expected.is_p2tr(),
            expected.is_witness_program(),
        ];
        known
            .iter_mut()
            .zip(forms)
            .for_each(|(known, form)| *known += usize::from(form));
    }
    println!("{known:?} scripts of known form");
    assert!(known.iter().all(|known| *known > 500));
}

#[test]
fn heights_equal_those_of_the_crate_bitcoin() {
    let mut random = random();
    let mut found = 0;
    let first = &blocks()[1];
    let mut block: bitcoin::Block = deserialize(first).unwrap();
    block.txdata.truncate(1);
    block.header.version = bitcoin::block::Version::TWO;
    for _ in 0..SMALL {
        let length = random.random_range(0..7);
        let digits = (0..length)
            .map(|_| [0, 1, 16, 17, 0x7f, 0x80, 0x81, random.random()][random.random_range(0..8)]);
        let mut script: Vec<u8> = [length].into_iter().chain(digits).chain([0x51]).collect();
        if random.random_bool(0.1) {
            change(&mut script, 0, &TELLING, &mut random);
        }
        let height = rules::height_in(&script);
        block.txdata[0].input[0].script_sig = ScriptBuf::from_bytes(script.clone());
        assert_eq!(height, block.bip34_block_height().ok(), "{script:02x?}");
        found += usize::from(height.is_some());
    }
    assert!((SMALL / 10..SMALL - SMALL / 10).contains(&found), "{found}");
}

#[test]
fn numbers_equal_those_of_the_crate_bitcoin() {
    let mut random = random();
    for _ in 0..SMALL {
        let mut bytes = random_bytes(&mut random, 0..11);
        let zeros = random.random_range(0..9);
        bytes
            .iter_mut()
            .skip(zeros)
            .for_each(|byte| *byte &= if random.random() { 0 } else { 0xff });
        bytes.insert(0, random.random_range(0xf0..=0xff));
        let mut rest = bytes.as_slice();
        let mut expected_rest = bytes.as_slice();
        let found = encoding::number(&mut rest);
        let expected = VarInt::consensus_decode(&mut expected_rest);
        assert_eq!(
            found.ok(),
            expected.ok().map(|number| number.0),
            "{bytes:02x?}"
        );
        if let Ok(number) = found {
            assert_eq!(rest, expected_rest);
            encoding::put_number(number as usize, |again| {
                assert_eq!(again, &bytes[..bytes.len() - rest.len()])
            });
        }
    }
}

#[test]
fn hashes_are_those_of_the_crate_bitcoin() {
    let mut random = random();
    for _ in 0..SMALL / 10 {
        let bytes = random_bytes(&mut random, 0..200);
        assert_eq!(
            hashes::hash160(&bytes),
            hash160::Hash::hash(&bytes).to_byte_array()
        );
        assert_eq!(
            hashes::sha256d(&bytes),
            sha256d::Hash::hash(&bytes).to_byte_array()
        );
    }
    for count in 0..70 {
        let leaves: Vec<[u8; 32]> = (0..count).map(|_| random.random()).collect();
        let expected = leaves
            .iter()
            .map(|leaf| sha256d::Hash::from_byte_array(*leaf));
        let expected =
            bitcoin::merkle_tree::calculate_root(expected).map(|root| root.to_byte_array());
        assert_eq!(hashes::merkle_root(leaves), expected, "{count}");
    }
}

#[test]
fn networks_are_those_of_the_crate_bitcoin() {
    let mut random = random();
    let known = bitcoin::Network::Bitcoin;
    let all = [
        known,
        bitcoin::Network::Testnet,
        bitcoin::Network::Testnet4,
        bitcoin::Network::Signet,
    ];
    for expected in all.into_iter().chain([bitcoin::Network::Regtest]) {
        let magic = expected.magic().to_bytes();
        assert_eq!(
            Network::of(magic).unwrap().to_string(),
            expected.to_string()
        );
        let mut other = magic;
        other[random.random_range(0..4)] ^= 1 << random.random_range(0..8);
        assert_eq!(
            Network::of(other).is_some(),
            bitcoin::Network::from_magic(Magic::from_bytes(other)).is_some()
        );
    }
}
