//! Whether the inputs of a Bitcoin block were signed by those who could spend them.
//!
//! `cargo run --release --example bitcoin_block [-- [--jsonl] [NAME.raw …]]`
//!
//! Reads a block in consensus encoding and, from `NAME-undo.raw` beside it, the outputs that its inputs spend, in the
//! order of the inputs, each in consensus encoding. It knows the standard ECDSA spends: P2PK, P2PKH, bare multisig,
//! the same inside P2SH and P2WSH, P2WPKH and P2SH-P2WPKH. Inputs of other forms are counted and left alone.
//!
//! A single signature counts as 1-of-1 multisig. OP_CHECKMULTISIG tries the keys from the last to the first until one
//! fits, so each round verifies the next pair of signature and key of every input that is not decided yet, as one batch.

#[path = "common/args.rs"]
mod args;
mod common;
#[path = "common/record.rs"]
mod record;

use args::Args;
use bitcoin::consensus::{Decodable, deserialize};
use bitcoin::hashes::Hash;
use bitcoin::opcodes::Opcode;
use bitcoin::opcodes::all::{OP_CHECKMULTISIG, OP_CHECKSIG};
use bitcoin::script::Instruction;
use bitcoin::secp256k1::ecdsa::Signature as LaxSignature;
use bitcoin::sighash::{EcdsaSighashType, SighashCache};
use bitcoin::{Block, PubkeyHash, Script, ScriptBuf, Transaction, TxOut};
use clap::Parser;
use common::Outcome;
use gecc::{Engine, PublicKeys, Secp256k1, Verdicts, ecdsa};
use record::Record;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const SHIPPED: [&str; 2] = ["bitcoin/block300025.raw", "bitcoin/block1087400.raw"];

/// BIP 66 asks for strict DER from here on (mainnet; testnet3 asked for it earlier).
const BIP_66_HEIGHT: u64 = 363_725;

/// What one input must show: each signature fits a key, in the order of the keys, no key twice. Last ones first.
struct Claim {
    tag: String,
    kind: String,
    signatures: Vec<Signature>,
    keys: Vec<Vec<u8>>,
    next_signature: usize,
    next_key: usize,
    /// What fits, as it goes into the JSON lines.
    records: Vec<Record>,
}

struct Signature {
    digest: [u8; 32],
    /// r || s.
    bytes: [u8; 64],
}

#[derive(Default)]
struct Tally {
    matching: usize,
    /// Pairs that do not fit, by reason.
    failed: BTreeMap<String, usize>,
    time: Duration,
}

fn main() -> ExitCode {
    common::exit_code(run())
}

/// Whether every block is properly signed.
fn run() -> Outcome<bool> {
    let args = Args::parse();
    let engine = Engine::new()?;
    let mut all_valid = true;
    for path in args.files_or(&SHIPPED) {
        let valid = check_block(&engine, &path, args.jsonl);
        all_valid &= valid.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(all_valid)
}

/// Whether every input of known form is properly signed.
fn check_block(engine: &Engine, path: &Path, jsonl: bool) -> Outcome<bool> {
    let (block, spent) = read_block(path)?;
    let height = block.bip34_block_height()?;
    let (mut claims, others) = claims(&block, &spent, height)?;
    let tally = decide(engine, &mut claims)?;
    let unsigned: Vec<&Claim> = claims.iter().filter(|claim| !claim.is_satisfied()).collect();
    unsigned.iter().for_each(|claim| eprintln!("{}: {} without valid signature", claim.tag, claim.kind));
    if jsonl {
        claims.iter().try_for_each(|claim| record::print(&claim.records))?;
    } else {
        println!("block {height}: {} inputs, {others} of other forms", spent.len());
        print_kinds(&claims);
        println!("  {} inputs signed, {} not", claims.len() - unsigned.len(), unsigned.len());
        print_tally(&tally, engine);
    }
    Ok(unsigned.is_empty())
}

fn print_tally(tally: &Tally, engine: &Engine) {
    let pairs = tally.matching + tally.failed.values().sum::<usize>();
    println!("  {} signatures fit the key they were tried with", tally.matching);
    tally.failed.iter().for_each(|(reason, count)| println!("  {count} do not: {reason}"));
    println!("  {}", common::throughput("pairs of signature and key", pairs, tally.time, engine));
}

fn print_kinds(claims: &[Claim]) {
    let mut kinds = BTreeMap::new();
    claims.iter().for_each(|claim| *kinds.entry(&claim.kind).or_insert(0) += 1);
    kinds.iter().for_each(|(kind, count)| println!("{count:8} {kind}"));
}

/// The block and the outputs that its inputs spend.
fn read_block(path: &Path) -> Outcome<(Block, Vec<TxOut>)> {
    let block: Block = deserialize(&common::read(path)?)?;
    if !block.check_merkle_root() {
        return Err("the transactions do not hash to the header's merkle root".into());
    }
    let stem = path.file_stem().ok_or("a file name is needed")?.to_string_lossy();
    let undo = common::read(&path.with_file_name(format!("{stem}-undo.raw")))?;
    let mut rest = undo.as_slice();
    let mut spent = Vec::new();
    while !rest.is_empty() {
        spent.push(TxOut::consensus_decode(&mut rest)?);
    }
    Ok((block, spent))
}

/// The claims of the inputs of known form, and the number of the others.
fn claims(block: &Block, spent: &[TxOut], height: u64) -> Outcome<(Vec<Claim>, usize)> {
    let transactions = || block.txdata.iter().filter(|transaction| !transaction.is_coinbase());
    let inputs: usize = transactions().map(|transaction| transaction.input.len()).sum();
    if inputs != spent.len() {
        return Err(format!("{inputs} inputs, but {} outputs that they spend", spent.len()).into());
    }
    let mut spent = spent.iter();
    let mut claims = Vec::with_capacity(inputs);
    for transaction in transactions() {
        let txid = transaction.compute_txid();
        let mut hasher = Hasher { cache: SighashCache::new(transaction), height };
        for (index, output) in spent.by_ref().take(transaction.input.len()).enumerate() {
            claims.extend(
                spend(transaction, index, output).and_then(|spend| hasher.claim(&format!("{txid}:{index}"), spend)),
            );
        }
    }
    let others = inputs - claims.len();
    Ok((claims, others))
}

/// An input taken apart: the script whose OP_CHECKSIG or OP_CHECKMULTISIG runs, and what it runs on.
struct Spend<'a> {
    index: usize,
    output: &'a TxOut,
    kind: String,
    script: ScriptBuf,
    /// BIP 143: witness programs sign another digest.
    segwit: bool,
    /// DER and the byte of the hash type, as they were pushed.
    signatures: Vec<Vec<u8>>,
    keys: Vec<Vec<u8>>,
}

/// Unwraps P2SH and the witness programs; `None` for what is no standard ECDSA spend.
fn spend<'a>(transaction: &Transaction, index: usize, output: &'a TxOut) -> Option<Spend<'a>> {
    let input = &transaction.input[index];
    let (mut script, mut stack) = (output.script_pubkey.clone(), pushes(&input.script_sig)?);
    let (mut kind, mut segwit, mut permitted) = (String::new(), false, true);
    if script.is_p2sh() {
        let redeem = ScriptBuf::from_bytes(stack.pop()?);
        permitted &= redeem.to_p2sh() == script;
        script = redeem;
        kind.push_str("P2SH ");
    }
    if script.is_witness_program() {
        stack = input.witness.to_vec();
        segwit = true;
    }
    if script.is_p2wsh() {
        let inner = ScriptBuf::from_bytes(stack.pop()?);
        permitted &= inner.to_p2wsh() == script;
        script = inner;
        kind.push_str("P2WSH ");
    } else if let Some(code) = script.p2wpkh_script_code() {
        // BIP 143 gives it the script of P2PKH.
        script = code;
        kind.push_str("P2WPKH as ");
    }
    let (form, signatures, mut keys) = signers(&script, stack)?;
    kind.push_str(form);
    if !permitted {
        // The output asks for another script than this one, so none of its keys may sign.
        keys.clear();
    }
    Some(Spend { index, output, kind, script, segwit, signatures, keys })
}

/// The form of a script, its signatures and its keys.
type Signers = (&'static str, Vec<Vec<u8>>, Vec<Vec<u8>>);

/// The signatures and keys of a spend of P2PK, P2PKH or bare multisig.
fn signers(script: &Script, stack: Vec<Vec<u8>>) -> Option<Signers> {
    if script.is_p2pkh() {
        let [signature, key] = <[Vec<u8>; 2]>::try_from(stack).ok()?;
        // A key with another hash is not the one that may sign: then no key is left for the signature to fit.
        let permitted = ScriptBuf::new_p2pkh(&PubkeyHash::hash(&key)).as_script() == script;
        return Some(("P2PKH", vec![signature], permitted.then_some(key).into_iter().collect()));
    }
    let instructions: Vec<Instruction> = script.instructions().collect::<Result<_, _>>().ok()?;
    match instructions.as_slice() {
        [Instruction::PushBytes(key), Instruction::Op(OP_CHECKSIG)] => {
            Some(("P2PK", stack, vec![key.as_bytes().to_vec()])).filter(|(_, signatures, _)| signatures.len() == 1)
        }
        [Instruction::Op(needed), keys @ .., Instruction::Op(given), Instruction::Op(OP_CHECKMULTISIG)] => {
            // Both are taken off the stack, so the last ones come first.
            let keys: Vec<Vec<u8>> = keys.iter().rev().map(push).collect::<Option<_>>()?;
            // OP_CHECKMULTISIG takes one element too many: the signatures lie above it.
            let signatures: Vec<Vec<u8>> = stack.get(1..)?.iter().rev().cloned().collect();
            let fits = number(*given) == Some(keys.len()) && number(*needed) == Some(signatures.len());
            fits.then_some(("multisig", signatures, keys))
        }
        _ => None,
    }
}

/// The data that a script of pushes leaves on the stack.
fn pushes(script: &Script) -> Option<Vec<Vec<u8>>> {
    script.instructions().map(|instruction| push(&instruction.ok()?)).collect()
}

fn push(instruction: &Instruction) -> Option<Vec<u8>> {
    Some(instruction.push_bytes()?.as_bytes().to_vec())
}

/// The value of OP_1 to OP_16.
fn number(opcode: Opcode) -> Option<usize> {
    let value = opcode.to_u8().checked_sub(0x50)?;
    (1..=16).contains(&value).then_some(value.into())
}

/// Computes signature hashes; holds what the inputs of a transaction share.
struct Hasher<'a> {
    cache: SighashCache<&'a Transaction>,
    height: u64,
}

impl Hasher<'_> {
    /// `None` where a hash type has no standard meaning in segwit.
    fn claim(&mut self, tag: &str, spend: Spend) -> Option<Claim> {
        let signatures = spend.signatures.iter().map(|pushed| self.signature(&spend, pushed)).collect::<Option<_>>()?;
        Some(Claim {
            tag: tag.to_owned(),
            kind: spend.kind,
            signatures,
            keys: spend.keys.into_iter().map(plain).collect(),
            next_signature: 0,
            next_key: 0,
            records: Vec::new(),
        })
    }

    fn signature(&mut self, spend: &Spend, pushed: &[u8]) -> Option<Signature> {
        let Some((&hash_type, der)) = pushed.split_last() else {
            return Some(Signature { digest: [0; 32], bytes: NEVER_VALID });
        };
        let digest = if spend.segwit {
            let hash_type = EcdsaSighashType::from_standard(hash_type.into()).ok()?;
            let hash = self.cache.p2wsh_signature_hash(spend.index, &spend.script, spend.output.value, hash_type);
            hash.ok()?.to_byte_array()
        } else {
            self.cache.legacy_signature_hash(spend.index, &spend.script, hash_type.into()).ok()?.to_byte_array()
        };
        Some(Signature { digest, bytes: decode(der, self.height) })
    }
}

/// r = s = 0: stands for what is no signature at all.
const NEVER_VALID: [u8; 64] = [0; 64];

/// Before BIP 66, consensus took whatever OpenSSL took. The lax decoder is the one of Bitcoin Core.
fn decode(der: &[u8], height: u64) -> [u8; 64] {
    if height >= BIP_66_HEIGHT {
        gecc::signature_from_der(der).unwrap_or(NEVER_VALID)
    } else {
        LaxSignature::from_der_lax(der).map_or(NEVER_VALID, |signature| signature.serialize_compact())
    }
}

/// Consensus knows a third form of SEC 1's: 06 or 07 for an uncompressed key whose y is even or odd.
fn plain(mut key: Vec<u8>) -> Vec<u8> {
    if let [tag @ (6 | 7), .., last] = key.as_mut_slice()
        && *tag & 1 == *last & 1
    {
        *tag = 4;
    }
    key
}

impl Claim {
    fn is_satisfied(&self) -> bool {
        self.next_signature == self.signatures.len()
    }

    /// The next signature and key to try, while enough keys are left for the signatures.
    fn pair(&self) -> Option<(&Signature, &[u8])> {
        let (signatures, keys) = (&self.signatures[self.next_signature..], &self.keys[self.next_key..]);
        (signatures.len() <= keys.len()).then_some((signatures.first()?, keys.first()?.as_slice()))
    }

    fn advance(&mut self, fits: bool) {
        if fits {
            let (signature, key) = (&self.signatures[self.next_signature], &self.keys[self.next_key]);
            self.records.push(Record {
                digest: Some(hex::encode(signature.digest)),
                signature: Some(hex::encode(signature.bytes)),
                public_key: hex::encode(key),
                tag: self.tag.clone(),
                ..Record::default()
            });
            self.next_signature += 1;
        }
        self.next_key += 1;
    }
}

/// Decides all claims, one batch per round.
fn decide(engine: &Engine, claims: &mut [Claim]) -> Outcome<Tally> {
    let mut tally = Tally::default();
    loop {
        let mut open: Vec<&mut Claim> = claims.iter_mut().filter(|claim| claim.pair().is_some()).collect();
        if open.is_empty() {
            return Ok(tally);
        }
        let start = Instant::now();
        let verdicts = verify_next(engine, &open)?;
        tally.time += start.elapsed();
        for (claim, verdict) in open.iter_mut().zip(verdicts.iter()) {
            claim.advance(verdict.is_valid());
        }
        for (_, reason) in verdicts.rejected() {
            *tally.failed.entry(reason.to_string()).or_default() += 1;
        }
        tally.matching += verdicts.iter().filter(|verdict| verdict.is_valid()).count();
    }
}

/// Consensus accepts high s: the default policy.
fn verify_next(engine: &Engine, open: &[&mut Claim]) -> Result<Verdicts, gecc::Error> {
    let pairs = || open.iter().filter_map(|claim| claim.pair());
    let digests: Vec<[u8; 32]> = pairs().map(|(signature, _)| signature.digest).collect();
    let signatures: Vec<[u8; 64]> = pairs().map(|(signature, _)| signature.bytes).collect();
    let keys: Vec<&[u8]> = pairs().map(|(_, key)| key).collect();
    ecdsa::verify::<Secp256k1>(engine, &digests, &signatures, PublicKeys::sec1(&keys), Default::default())
}
