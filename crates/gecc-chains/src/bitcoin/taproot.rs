//! Parsing of taproot inputs (BIP 341): a signature by the output's key, or a script that the
//! output commits to.
//!
//! One form of scripts is known (BIP 342): a key and OP_CHECKSIG. Branches of pushes that are never
//! executed may follow, as they change nothing: inscriptions store their data there, and most
//! script paths of real blocks have that form.

use super::answers::{Reason, Template};
use super::block::InputView;
use super::commitments::Commitment;
use super::encoding::hash_sized;
use super::hashes::{TAP_BRANCH, TAP_LEAF};
use super::instructions::{
    Instruction, Instructions, LONGEST_ELEMENT, OP_CHECKSIG, OP_ENDIF, OP_IF, instructions, small,
};
use super::schnorr::SchnorrSignatures;
use super::script::{EMPTY, WITH_A_SCRIPT, last, require_short};
use super::sighash::{HashType, Sighashes};
use sha2::Digest;

/// The first byte of an annex.
const ANNEX: u8 = 0x50;
/// The bits of a control block's first byte that contain the leaf's version, and the version of BIP
/// 342.
const LEAF_MASK: u8 = 0xfe;
const TAPSCRIPT: u8 = 0xc0;
/// Maximum number of steps from a leaf to the root.
const LONGEST_PATH: usize = 128;

/// The contents of an input.
pub struct TaprootSpend<'a> {
    annex: Option<&'a [u8]>,
    leaf: Option<Leaf>,
    /// The pushed signature and the key, or the reason why no signature is verified.
    signature: Result<(&'a [u8], [u8; 32]), Reason>,
}

/// A script's hash, and the commitment of the output to it.
struct Leaf {
    hash: [u8; 32],
    commitment: Commitment,
}

/// The template of an input, and its contents before the signature and the script are verified.
type ParsedInput<'a> = (Template, Result<TaprootSpend<'a>, Reason>);

/// Parses an input that spends a witness program of version 1 with this key. `in_force` is true if
/// BIP 341 is in force.
pub fn parse_input<'a>(
    input: &InputView<'a>,
    output_key: [u8; 32],
    in_force: bool,
) -> ParsedInput<'a> {
    let (template, spend) = by_witness(input.witness(), output_key);
    if !in_force {
        return (template, Err(Reason::NotChecked("BIP 341 is not in force")));
    }
    (
        template,
        if input.script.is_empty() {
            spend
        } else {
            Err(WITH_A_SCRIPT)
        },
    )
}

fn by_witness(mut stack: Vec<&[u8]>, output_key: [u8; 32]) -> ParsedInput<'_> {
    let annex = take_annex(&mut stack);
    match stack.as_slice() {
        [] => (
            Template::TaprootKey,
            Err(Reason::Malformed("no witness is shown")),
        ),
        [signature] => (
            Template::TaprootKey,
            Ok(TaprootSpend {
                annex,
                leaf: None,
                signature: Ok((*signature, output_key)),
            }),
        ),
        [shown @ .., script, control] => {
            let key = key_of_leaf(control, script);
            let template = if key.is_ok() {
                Template::TaprootScript
            } else {
                Template::TaprootOther
            };
            let Some(leaf) = leaf(control, script, output_key) else {
                return (
                    template,
                    Err(Reason::Malformed(
                        "a control block has 33 bytes and 32 for each of at most 128 steps",
                    )),
                );
            };
            // BIP 342: the script must leave exactly one element, so nothing may be below the
            // signature. Elements for scripts of unknown form are not checked: an OP_SUCCESS may
            // come first in these, which accepts any element.
            let signature = key.and_then(|key| {
                require_short(shown)?;
                Ok((last(shown, 1, true)?[0], key))
            });
            (
                template,
                Ok(TaprootSpend {
                    annex,
                    leaf: Some(leaf),
                    signature,
                }),
            )
        }
    }
}

/// Removes the annex from a witness, if there is one.
pub fn take_annex<'a>(witness: &mut Vec<&'a [u8]>) -> Option<&'a [u8]> {
    let may_have_one = witness.len() >= 2;
    witness.pop_if(|last| may_have_one && last.first() == Some(&ANNEX))
}

/// Returns the version of a leaf, if there is a control block.
fn version_of(control: &[u8]) -> Option<u8> {
    Some(control.first()? & LEAF_MASK)
}

/// Returns the key of a script of the known form.
fn key_of_leaf(control: &[u8], script: &[u8]) -> Result<[u8; 32], Reason> {
    if version_of(control) != Some(TAPSCRIPT) {
        return Err(Reason::NotChecked("the leaf's version has no meaning"));
    }
    key_of_checksig(script).ok_or(Reason::NotChecked("the script has another form"))
}

/// Returns the key of a script that requires a signature by that key, and nothing else.
fn key_of_checksig(script: &[u8]) -> Option<[u8; 32]> {
    let mut instructions = instructions(script);
    let [Instruction::Push(key), Instruction::Op(OP_CHECKSIG)] =
        [instructions.next()??, instructions.next()??]
    else {
        return None;
    };
    while let Some(next) = instructions.next() {
        skip_branch(next?, &mut instructions)?;
    }
    key.try_into().ok()
}

/// Skips a branch of pushes that is never executed, because the condition pushed before OP_IF is
/// empty and therefore false. Returns `None` for anything else.
fn skip_branch(condition: Instruction, instructions: &mut Instructions) -> Option<()> {
    let is_false = condition.pushed()?.is_empty();
    if !is_false || instructions.next()?? != Instruction::Op(OP_IF) {
        return None;
    }
    loop {
        match instructions.next()?? {
            // Longer ones are invalid even where they are not executed.
            Instruction::Push(bytes) if bytes.len() <= LONGEST_ELEMENT => {}
            Instruction::Op(OP_ENDIF) => return Some(()),
            Instruction::Op(number) if small(number).is_some() => {}
            _ => return None,
        }
    }
}

/// Decodes a control block for a script; `None` if its length is wrong.
fn leaf(control: &[u8], script: &[u8], output_key: [u8; 32]) -> Option<Leaf> {
    let (&first, rest) = control.split_first()?;
    let (&internal_key, rest) = rest.split_first_chunk()?;
    let (path, []) = rest.as_chunks() else {
        return None;
    };
    if path.len() > LONGEST_PATH {
        return None;
    }
    let hash = leaf_hash(first & LEAF_MASK, script);
    let root = path
        .iter()
        .fold(hash, |node, sibling| branch_hash(node, *sibling));
    let commitment = Commitment {
        internal_key,
        root,
        output_key,
        is_odd: first & 1 == 1,
    };
    Some(Leaf { hash, commitment })
}

fn leaf_hash(version: u8, script: &[u8]) -> [u8; 32] {
    let mut hash = TAP_LEAF.clone();
    hash.update([version]);
    hash_sized(&mut hash, script);
    hash.finalize().into()
}

/// Hashes two sibling nodes, in sorted order.
fn branch_hash(node: [u8; 32], sibling: [u8; 32]) -> [u8; 32] {
    TAP_BRANCH
        .clone()
        .chain_update(node.min(sibling))
        .chain_update(node.max(sibling))
        .finalize()
        .into()
}

impl TaprootSpend<'_> {
    /// Returns the commitment that a script path relies on. It must hold whatever the script is.
    pub fn commitment(&self) -> Option<Commitment> {
        self.leaf.as_ref().map(|leaf| leaf.commitment)
    }

    /// Adds the signature, its key and its message for an answer.
    pub fn push_signed(
        self,
        hashes: &Sighashes,
        index: usize,
        answer: usize,
        to: &mut SchnorrSignatures,
    ) -> Result<(), Reason> {
        let (pushed, key) = self.signature?;
        let (signature, hash_type) = signature_and_type(pushed)?;
        let leaf = self.leaf.map(|leaf| leaf.hash);
        let written = to.push(answer, signature, key, |to| {
            hashes.put_taproot(index, self.annex, leaf, hash_type, to)
        });
        written.ok_or(Reason::Malformed(
            "the output that is signed alone is missing",
        ))
    }
}

/// Splits a pushed signature into R and s, and its hash type.
fn signature_and_type(pushed: &[u8]) -> Result<([u8; 64], HashType), Reason> {
    if pushed.is_empty() {
        return Err(Reason::Malformed(EMPTY));
    }
    let (signature, rest) = pushed.split_first_chunk().ok_or(LENGTH)?;
    let hash_type = match rest {
        [] => HashType::DEFAULT,
        // The default must be left out: with two encodings, transactions would be malleable.
        [named] if HashType(*named).is_named() => HashType(*named),
        [_] => return Err(Reason::Malformed("BIP 341 has no such hash type")),
        _ => return Err(LENGTH),
    };
    Ok((*signature, hash_type))
}

const LENGTH: Reason = Reason::Malformed("a signature has 64 bytes, or 65 with a hash type");
