//! Inputs of taproot taken apart (BIP 341): a signature by the output's key, or a script that the output commits to.
//!
//! Of scripts one form is known (BIP 342): a key and OP_CHECKSIG. Branches of pushes that never run may stand behind it, as
//! they change nothing: inscriptions keep their data there, and most script paths of real blocks are theirs.

use super::answers::{Reason, Template};
use super::commitments::Commitment;
use super::schnorr::Signed;
use super::script::{WITH_A_SCRIPT, last, pushed, small};
use bitcoin::blockdata::constants::MAX_SCRIPT_ELEMENT_SIZE;
use bitcoin::consensus::Encodable;
use bitcoin::hashes::Hash;
use bitcoin::opcodes::all::{OP_CHECKSIG, OP_ENDIF, OP_IF};
use bitcoin::script::{Instruction, Instructions};
use bitcoin::sighash::{Annex, Prevouts, SighashCache, TapSighashType};
use bitcoin::taproot::{TAPROOT_CONTROL_MAX_NODE_COUNT, TAPROOT_LEAF_MASK, TAPROOT_LEAF_TAPSCRIPT};
use bitcoin::{Script, TapLeafHash, TapNodeHash, Transaction, TxIn, TxOut};

/// BIP 342: where OP_CODESEPARATOR was last run, for a script without one.
const NO_SEPARATOR: u32 = u32::MAX;

/// What an input shows.
pub struct Spend<'a> {
    annex: Option<Annex<'a>>,
    leaf: Option<Leaf>,
    /// What is pushed as the signature, and the key; or why no signature is verified.
    signature: Result<(&'a [u8], [u8; 32]), Reason>,
}

/// A script, and what shows that the output has it.
struct Leaf {
    hash: TapLeafHash,
    commitment: Commitment,
}

/// What is known of an input before its signature and script are verified.
type Taken<'a> = (Template, Result<Spend<'a>, Reason>);

/// Takes an input apart whose output is a witness program of version 1 with 32 bytes. `in_force` says whether BIP 341 is.
pub fn take_apart<'a>(input: &'a TxIn, output: &TxOut, in_force: bool) -> Taken<'a> {
    let (template, spend) = by_witness(input.witness.iter().collect(), key_of(output));
    if !in_force {
        return (template, Err(Reason::NotChecked("BIP 341 is not in force")));
    }
    (template, if input.script_sig.is_empty() { spend } else { Err(WITH_A_SCRIPT) })
}

/// The key of an output: what its script ends with.
fn key_of(output: &TxOut) -> [u8; 32] {
    *output.script_pubkey.as_bytes().last_chunk().expect("a witness program of 32 bytes")
}

fn by_witness(mut stack: Vec<&[u8]>, output_key: [u8; 32]) -> Taken<'_> {
    let annex = stack.last().filter(|_| stack.len() >= 2).and_then(|last| Annex::new(last).ok());
    if annex.is_some() {
        stack.pop();
    }
    match stack.as_slice() {
        [] => (Template::TaprootKey, Err(Reason::Malformed("no witness is shown"))),
        [signature] => (Template::TaprootKey, Ok(Spend { annex, leaf: None, signature: Ok((*signature, output_key)) })),
        [shown @ .., script, control] => {
            let script = Script::from_bytes(script);
            let key = key_of_leaf(control, script);
            let template = if key.is_ok() { Template::TaprootScript } else { Template::TaprootOther };
            let Some(leaf) = leaf(control, script, output_key) else {
                return (
                    template,
                    Err(Reason::Malformed("a control block has 33 bytes and 32 for each of at most 128 steps")),
                );
            };
            // BIP 342: the script has to leave one element behind, so that nothing lies below the signature.
            let signature = key.and_then(|key| Ok((last(shown, 1, true)?[0], key)));
            (template, Ok(Spend { annex, leaf: Some(leaf), signature }))
        }
    }
}

/// The version of a leaf, where its control block says it.
fn version_of(control: &[u8]) -> Option<u8> {
    Some(control.first()? & TAPROOT_LEAF_MASK)
}

/// The key of a script of known form.
fn key_of_leaf(control: &[u8], script: &Script) -> Result<[u8; 32], Reason> {
    if version_of(control) != Some(TAPROOT_LEAF_TAPSCRIPT) {
        return Err(Reason::NotChecked("the leaf's version has no meaning"));
    }
    asked_key(script).ok_or(Reason::NotChecked("the script has another form"))
}

/// The key of a script that asks for a signature by it, and for nothing else.
fn asked_key(script: &Script) -> Option<[u8; 32]> {
    let mut instructions = script.instructions();
    let [Ok(Instruction::PushBytes(key)), Ok(Instruction::Op(OP_CHECKSIG))] =
        [instructions.next()?, instructions.next()?]
    else {
        return None;
    };
    while let Some(next) = instructions.next() {
        skip_branch(next.ok()?, &mut instructions)?;
    }
    key.as_bytes().try_into().ok()
}

/// Skips a branch of pushes that never runs: the condition that is pushed before OP_IF is empty, and so false. `None` where it is
/// anything else.
fn skip_branch(condition: Instruction, instructions: &mut Instructions) -> Option<()> {
    let is_false = pushed(&condition)?.is_empty();
    if !is_false || instructions.next()?.ok()? != Instruction::Op(OP_IF) {
        return None;
    }
    loop {
        match instructions.next()?.ok()? {
            // Longer ones are wrong even where they do not run.
            Instruction::PushBytes(bytes) if bytes.len() <= MAX_SCRIPT_ELEMENT_SIZE => {}
            Instruction::Op(OP_ENDIF) => return Some(()),
            Instruction::Op(number) if small(number).is_some() => {}
            _ => return None,
        }
    }
}

/// What a control block says of a script; `None` where its length is wrong.
fn leaf(control: &[u8], script: &Script, output_key: [u8; 32]) -> Option<Leaf> {
    let (&first, rest) = control.split_first()?;
    let (&internal_key, rest) = rest.split_first_chunk()?;
    let (path, []) = rest.as_chunks() else { return None };
    if path.len() > TAPROOT_CONTROL_MAX_NODE_COUNT {
        return None;
    }
    let hash = leaf_hash(first & TAPROOT_LEAF_MASK, script);
    let root = path.iter().fold(TapNodeHash::from(hash), |node, beside| {
        TapNodeHash::from_node_hashes(node, TapNodeHash::assume_hidden(*beside))
    });
    let commitment = Commitment { internal_key, root: root.to_byte_array(), output_key, is_odd: first & 1 == 1 };
    Some(Leaf { hash, commitment })
}

/// The crate's type of versions lacks one that consensus takes: 0x50, which only an input with an annex can show.
fn leaf_hash(version: u8, script: &Script) -> TapLeafHash {
    let mut engine = TapLeafHash::engine();
    let written = version.consensus_encode(&mut engine).and_then(|_| script.consensus_encode(&mut engine));
    written.expect("a hash takes everything");
    TapLeafHash::from_engine(engine)
}

impl Spend<'_> {
    /// The commitment that a script path relies on. It has to hold whatever the script is.
    pub fn commitment(&self) -> Option<Commitment> {
        self.leaf.as_ref().map(|leaf| leaf.commitment)
    }

    /// What is signed, by whom, and R and s. `outputs` are those that the transaction spends.
    pub fn signed(
        self,
        cache: &mut SighashCache<&Transaction>,
        index: usize,
        outputs: &[TxOut],
    ) -> Result<Signed, Reason> {
        let (pushed, key) = self.signature?;
        let (signature, hash_type) = signature_and_type(pushed)?;
        let leaf = self.leaf.map(|leaf| (leaf.hash, NO_SEPARATOR));
        let hash = cache.taproot_signature_hash(index, &Prevouts::All(outputs), self.annex, leaf, hash_type);
        // There are as many outputs as inputs, so that nothing else can be missing.
        let hash = hash.map_err(|_| Reason::Malformed("the output that is signed alone is missing"))?;
        Ok(Signed { digest: hash.to_byte_array(), signature, key })
    }
}

/// R and s, and what of the transaction is signed.
fn signature_and_type(pushed: &[u8]) -> Result<([u8; 64], TapSighashType), Reason> {
    const LENGTH: Reason = Reason::Malformed("a signature has 64 bytes, or 65 with a hash type");
    const HASH_TYPE: Reason = Reason::Malformed("BIP 341 has no such hash type");
    let (signature, rest) = pushed.split_first_chunk().ok_or(LENGTH)?;
    let hash_type = match rest {
        [] => TapSighashType::Default,
        // The default must be left out: two ways to write it would make transactions malleable.
        [0] => return Err(HASH_TYPE),
        [named] => TapSighashType::from_consensus_u8(*named).map_err(|_| HASH_TYPE)?,
        _ => return Err(LENGTH),
    };
    Ok((*signature, hash_type))
}
