//! Inputs taken apart by template: which signatures have to fit which keys.
//!
//! What an input shows is not run as a program: a script of a known form asks for signatures and nothing else. All
//! others are not checked. Outputs of taproot are for `taproot.rs`.

use super::answers::{Reason, Template, Wrapping};
use bitcoin::hashes::Hash;
use bitcoin::opcodes::Opcode;
use bitcoin::opcodes::all::{OP_CHECKMULTISIG, OP_CHECKSIG};
use bitcoin::script::Instruction;
use bitcoin::{PubkeyHash, Script, ScriptBuf, TxIn, TxOut};
use std::borrow::Cow;

/// What is shown is not what the output commits to.
pub const OTHER_SCRIPT: Reason = Reason::Malformed("the script or key is not the one that the output asks for");
/// BIP 141: what spends a witness program has no script of its own.
pub const WITH_A_SCRIPT: Reason = Reason::Malformed("a witness program with a script");

/// What an input shows: the script whose OP_CHECKSIG or OP_CHECKMULTISIG is asked, and what it is asked about.
pub struct Spend<'a> {
    pub script: Cow<'a, Script>,
    /// BIP 143: witness programs sign another digest.
    pub segwit: bool,
    /// DER and the byte of the hash type, as they were pushed; in the order in which they are tried.
    pub signatures: Vec<&'a [u8]>,
    pub keys: Vec<Cow<'a, [u8]>>,
    /// What multisignatures leave behind, which has to be empty since BIP 147.
    pub has_dummy: bool,
}

/// What is known of an input before its signatures are verified.
pub type Taken<'a> = (Template, Result<Spend<'a>, Reason>);

/// Takes an input apart. `p2sh` is whether BIP 16 is in force.
pub fn take_apart<'a>(input: &'a TxIn, output: &'a TxOut, p2sh: bool) -> Taken<'a> {
    let script = output.script_pubkey.as_script();
    if let Some(version) = script.witness_version() {
        let (template, spend) = witness(version.to_num(), Cow::Borrowed(script), input, false);
        return (template, if input.script_sig.is_empty() { spend } else { Err(WITH_A_SCRIPT) });
    }
    let Some(mut stack) = pushes(&input.script_sig) else {
        let wrapping = if script.is_p2sh() { Wrapping::P2sh } else { Wrapping::Bare };
        return (Template::Other(wrapping), Err(Reason::NotChecked("the input's script does not only push")));
    };
    if !script.is_p2sh() {
        return plain(Cow::Borrowed(script), stack, Wrapping::Bare);
    }
    if !p2sh {
        return (Template::Other(Wrapping::P2sh), Err(Reason::NotChecked("BIP 16 is not in force")));
    }
    let Some(redeem) = stack.pop() else {
        return (Template::Other(Wrapping::P2sh), Err(Reason::Malformed("no script is shown")));
    };
    let redeem = Script::from_bytes(redeem);
    let is_asked_for = redeem.to_p2sh().as_script() == script;
    let (template, spend) = match redeem.witness_version() {
        Some(_) if !stack.is_empty() => {
            (Template::OtherWitness, Err(Reason::Malformed("more is pushed than the witness program")))
        }
        Some(version) => witness(version.to_num(), Cow::Borrowed(redeem), input, true),
        None => plain(Cow::Borrowed(redeem), stack, Wrapping::P2sh),
    };
    (template, if is_asked_for { spend } else { Err(OTHER_SCRIPT) })
}

/// A witness program: a version and a hash or key.
fn witness<'a>(version: u8, program: Cow<'a, Script>, input: &'a TxIn, in_p2sh: bool) -> Taken<'a> {
    let mut stack: Vec<&[u8]> = input.witness.iter().collect();
    if let Some(code) = program.p2wpkh_script_code() {
        let template = if in_p2sh { Template::P2shP2wpkh } else { Template::P2wpkh };
        if stack.len() != 2 {
            return (template, Err(Reason::Malformed("a signature and a key are to be shown")));
        }
        // BIP 143 gives it the script of P2PKH.
        let (_, spend) = plain(Cow::Owned(code), stack, Wrapping::P2wsh);
        return (template, spend);
    }
    let wrapping = if in_p2sh { Wrapping::P2shP2wsh } else { Wrapping::P2wsh };
    if program.is_p2wsh() {
        let Some(inner) = stack.pop() else {
            return (Template::Other(wrapping), Err(Reason::Malformed("no script is shown")));
        };
        let inner = Script::from_bytes(inner);
        let is_asked_for = inner.to_p2wsh() == *program;
        let (template, spend) = plain(Cow::Borrowed(inner), stack, wrapping);
        return (template, if is_asked_for { spend } else { Err(OTHER_SCRIPT) });
    }
    match version {
        0 => (Template::Other(wrapping), Err(Reason::Malformed("a witness program of version 0 has 20 or 32 bytes"))),
        _ => (Template::OtherWitness, Err(Reason::NotChecked("the witness's version has no meaning"))),
    }
}

/// A script that is run as it is, on a stack.
fn plain<'a>(script: Cow<'a, Script>, stack: Vec<&'a [u8]>, wrapping: Wrapping) -> Taken<'a> {
    let segwit = matches!(wrapping, Wrapping::P2wsh | Wrapping::P2shP2wsh);
    let spend = |script, signatures, keys| Spend { script, segwit, signatures, keys, has_dummy: false };
    if script.is_p2pkh() {
        let shown = last(&stack, 2, segwit).map(|shown| (shown[0], shown[1]));
        return (
            Template::P2pkh(wrapping),
            shown.and_then(|(signature, key)| {
                let is_asked_for = ScriptBuf::new_p2pkh(&PubkeyHash::hash(key)).as_script() == &*script;
                let spend = spend(script, vec![signature], vec![Cow::Borrowed(key)]);
                if is_asked_for { Ok(spend) } else { Err(OTHER_SCRIPT) }
            }),
        );
    }
    match form(&script) {
        Some(Form::Key(key)) => {
            let shown = last(&stack, 1, segwit);
            (Template::P2pk(wrapping), shown.map(|shown| spend(script, vec![shown[0]], vec![Cow::Owned(key)])))
        }
        Some(Form::Keys { needed, keys }) => {
            // OP_CHECKMULTISIG takes one element too many: the signatures lie above it.
            let shown = last(&stack, needed + 1, segwit);
            let spend = shown.and_then(|shown| {
                let signatures: Vec<&[u8]> = shown[1..].iter().rev().copied().collect();
                // Such a signature would be taken out of the script before it is hashed.
                if !segwit && signatures.iter().any(|signature| keys.iter().any(|key| key == signature)) {
                    return Err(Reason::NotChecked("a signature stands in the script"));
                }
                let has_dummy = !shown[0].is_empty();
                Ok(Spend { has_dummy, ..spend(script, signatures, keys.into_iter().map(Cow::Owned).collect()) })
            });
            (Template::Multisig(wrapping), spend)
        }
        None => (Template::Other(wrapping), Err(Reason::NotChecked("the script has another form"))),
    }
}

/// The elements on top of a stack. A witness has no others.
pub fn last<'a, 'b>(stack: &'b [&'a [u8]], count: usize, segwit: bool) -> Result<&'b [&'a [u8]], Reason> {
    match stack.len().checked_sub(count) {
        Some(0) => Ok(stack),
        Some(below) if !segwit => Ok(&stack[below..]),
        _ => Err(Reason::Malformed("not as much is shown as the script takes")),
    }
}

/// What a script asks for.
enum Form {
    Key(Vec<u8>),
    /// In the order in which they are tried.
    Keys {
        needed: usize,
        keys: Vec<Vec<u8>>,
    },
}

/// P2PK or bare multisig.
fn form(script: &Script) -> Option<Form> {
    // Before all instructions are looked at: most scripts are none of these.
    if !matches!(script.as_bytes().last(), Some(last) if [OP_CHECKSIG.to_u8(), OP_CHECKMULTISIG.to_u8()].contains(last))
    {
        return None;
    }
    let instructions: Vec<Instruction> = script.instructions().collect::<Result<_, _>>().ok()?;
    match instructions.as_slice() {
        [Instruction::PushBytes(key), Instruction::Op(OP_CHECKSIG)] => Some(Form::Key(key.as_bytes().to_vec())),
        [Instruction::Op(needed), keys @ .., Instruction::Op(given), Instruction::Op(OP_CHECKMULTISIG)] => {
            // Both are taken off the stack, so the last ones come first.
            let keys: Vec<Vec<u8>> = keys.iter().rev().map(|key| Some(pushed(key)?.to_vec())).collect::<Option<_>>()?;
            let needed = small(*needed)?;
            (small(*given) == Some(keys.len()) && needed <= keys.len()).then_some(Form::Keys { needed, keys })
        }
        _ => None,
    }
}

/// The data that a script of pushes leaves on the stack. Numbers are none: no template takes them.
fn pushes(script: &Script) -> Option<Vec<&[u8]>> {
    script.instructions().map(|instruction| pushed(&instruction.ok()?)).collect()
}

/// The data that an instruction pushes. Numbers are none.
pub fn pushed<'a>(instruction: &Instruction<'a>) -> Option<&'a [u8]> {
    match instruction {
        Instruction::PushBytes(bytes) => Some(bytes.as_bytes()),
        Instruction::Op(_) => None,
    }
}

/// The value of OP_1 to OP_16.
pub fn small(opcode: Opcode) -> Option<usize> {
    let value = opcode.to_u8().checked_sub(0x50)?;
    (1..=16).contains(&value).then_some(value.into())
}
