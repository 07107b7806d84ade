//! Matches inputs with templates, and determines which signatures must match which keys.
//!
//! Scripts are not executed: a script of a known form requires signatures and nothing else. Other
//! scripts are not checked. Taproot outputs are handled in `taproot.rs`.

use super::answers::{Reason, Template, Wrapping};
use super::block::InputView;
use super::hashes::{hash160, sha256};
use super::instructions::{
    Instruction, LONGEST_ELEMENT, LONGEST_SCRIPT, OP_CHECKMULTISIG, OP_CHECKSIG, instructions,
    p2pkh, p2pkh_hash, p2sh_hash, small, witness_program,
};
use std::borrow::Cow;

/// The reason for a script or key that the output does not commit to.
pub const OTHER_SCRIPT: Reason =
    Reason::Malformed("the script or key is not the one that the output commits to");
/// BIP 141: an input that spends a witness program has an empty script.
pub const WITH_A_SCRIPT: Reason = Reason::Malformed("a witness program with a script");
/// The problem of an empty element, which is pushed where a signature is left out.
pub const EMPTY: &str = "the signature is empty";
const LONG_ELEMENT: Reason = Reason::Malformed("an element of the witness has more than 520 bytes");
/// Maximum number of elements on the stack. It is below the 1000 of Bitcoin Core's MAX_STACK_SIZE
/// by more than a script of a known form adds.
const MOST_ELEMENTS: usize = 900;

/// The contents of an input: the script whose OP_CHECKSIG or OP_CHECKMULTISIG is executed, and its
/// arguments.
pub struct ScriptSpend<'a> {
    pub script: Cow<'a, [u8]>,
    /// BIP 143: true for witness programs, which sign another digest.
    pub segwit: bool,
    /// Pushed signatures, each in DER and followed by the byte of the hash type, in the order in
    /// which they are tried.
    pub signatures: Vec<&'a [u8]>,
    pub keys: Vec<Cow<'a, [u8]>>,
    /// True if a multisignature leaves a dummy element, which has to be empty since BIP 147.
    pub has_dummy: bool,
}

impl<'a> ScriptSpend<'a> {
    /// Creates the contents of an input that leaves no dummy element.
    fn new(
        script: Cow<'a, [u8]>,
        segwit: bool,
        signatures: Vec<&'a [u8]>,
        keys: Vec<Cow<'a, [u8]>>,
    ) -> Self {
        ScriptSpend {
            script,
            segwit,
            signatures,
            keys,
            has_dummy: false,
        }
    }
}

/// The template of an input, and its contents before signatures are verified.
pub type ParsedInput<'a> = (Template, Result<ScriptSpend<'a>, Reason>);

/// Parses an input that spends an output with this script. `p2sh` is true if BIP 16 is in force.
pub fn parse_input<'a>(input: &InputView<'a>, script: &'a [u8], p2sh: bool) -> ParsedInput<'a> {
    if let Some((version, program)) = witness_program(script) {
        let (template, spend) = witness(version, program, input, false);
        return (
            template,
            if input.script.is_empty() {
                spend
            } else {
                Err(WITH_A_SCRIPT)
            },
        );
    }
    let hash = p2sh_hash(script);
    let Some(mut stack) = pushes(input.script) else {
        let wrapping = if hash.is_some() {
            Wrapping::P2sh
        } else {
            Wrapping::Bare
        };
        let what = "the input's script does not only push, or more than consensus takes";
        return (Template::Other(wrapping), Err(Reason::NotChecked(what)));
    };
    let Some(hash) = hash else {
        let (template, spend) = plain(Cow::Borrowed(script), stack, Wrapping::Bare);
        return (template, without_witness(input, spend));
    };
    if !p2sh {
        return (
            Template::Other(Wrapping::P2sh),
            Err(Reason::NotChecked("BIP 16 is not in force")),
        );
    }
    let Some(redeem) = stack.pop() else {
        return (
            Template::Other(Wrapping::P2sh),
            Err(Reason::Malformed("no script is shown")),
        );
    };
    let (template, spend) = match witness_program(redeem) {
        // The length of such a push is a one-byte opcode.
        Some(_) if input.script.len() != 1 + redeem.len() => (
            Template::OtherWitness,
            Err(Reason::Malformed(
                "more is pushed than the witness program, or in another way",
            )),
        ),
        Some((version, program)) => witness(version, program, input, true),
        None => {
            let (template, spend) = plain(Cow::Borrowed(redeem), stack, Wrapping::P2sh);
            (template, without_witness(input, spend))
        }
    };
    (
        template,
        if hash160(redeem) == *hash {
            spend
        } else {
            Err(OTHER_SCRIPT)
        },
    )
}

/// Requires an empty witness. BIP 141: only an input that spends a witness program has a witness.
/// Before its activation, no block had any.
fn without_witness<'a>(
    input: &InputView,
    spend: Result<ScriptSpend<'a>, Reason>,
) -> Result<ScriptSpend<'a>, Reason> {
    if input.witness().is_empty() {
        spend
    } else {
        Err(Reason::Malformed("a witness without a witness program"))
    }
}

/// Parses an input that spends a witness program: a version and a hash or key.
fn witness<'a>(
    version: usize,
    program: &[u8],
    input: &InputView<'a>,
    in_p2sh: bool,
) -> ParsedInput<'a> {
    let wrapping = if in_p2sh {
        Wrapping::P2shP2wsh
    } else {
        Wrapping::P2wsh
    };
    if version > 0 {
        return (
            Template::OtherWitness,
            Err(Reason::NotChecked("the witness's version has no meaning")),
        );
    }
    let mut stack = input.witness();
    if let Ok(hash) = program.try_into() {
        let template = if in_p2sh {
            Template::P2shP2wpkh
        } else {
            Template::P2wpkh
        };
        if stack.len() != 2 {
            return (
                template,
                Err(Reason::Malformed(
                    "the witness must be a signature and a key",
                )),
            );
        }
        let is_short = require_short(&stack);
        // BIP 143 gives it the script of P2PKH.
        let (_, spend) = plain(Cow::Owned(p2pkh(hash)), stack, Wrapping::P2wsh);
        return (template, is_short.and(spend));
    }
    let Ok(hash) = <&[u8; 32]>::try_from(program) else {
        let what = "a witness program of version 0 has 20 or 32 bytes";
        return (Template::Other(wrapping), Err(Reason::Malformed(what)));
    };
    let Some(inner) = stack.pop() else {
        return (
            Template::Other(wrapping),
            Err(Reason::Malformed("no script is shown")),
        );
    };
    let is_short = require_short(&stack);
    let (template, spend) = plain(Cow::Borrowed(inner), stack, wrapping);
    (
        template,
        if sha256(inner) == *hash {
            is_short.and(spend)
        } else {
            Err(OTHER_SCRIPT)
        },
    )
}

/// Requires that no element of a witness is longer than one that a script may push, as consensus
/// does before it executes the script (`ExecuteWitnessScript` in Bitcoin Core's
/// `script/interpreter.cpp`). The script itself is not such an element, nor are the annex and the
/// control block of taproot.
pub fn require_short(elements: &[&[u8]]) -> Result<(), Reason> {
    if elements
        .iter()
        .all(|element| element.len() <= LONGEST_ELEMENT)
    {
        Ok(())
    } else {
        Err(LONG_ELEMENT)
    }
}

/// Matches a script and the stack that it is executed on.
fn plain<'a>(script: Cow<'a, [u8]>, stack: Vec<&'a [u8]>, wrapping: Wrapping) -> ParsedInput<'a> {
    let segwit = matches!(wrapping, Wrapping::P2wsh | Wrapping::P2shP2wsh);
    if let Some(hash) = p2pkh_hash(&script).copied() {
        let shown = last(&stack, 2, segwit).map(|shown| (shown[0], shown[1]));
        return (
            Template::P2pkh(wrapping),
            shown.and_then(|(signature, key)| {
                let spend =
                    ScriptSpend::new(script, segwit, vec![signature], vec![Cow::Borrowed(key)]);
                if hash160(key) == hash {
                    Ok(spend)
                } else {
                    Err(OTHER_SCRIPT)
                }
            }),
        );
    }
    match form(&script) {
        Some(ScriptForm::Key(key)) => {
            let shown = last(&stack, 1, segwit);
            let spend = shown.map(|shown| {
                ScriptSpend::new(script, segwit, vec![shown[0]], vec![Cow::Owned(key)])
            });
            (Template::P2pk(wrapping), spend)
        }
        Some(ScriptForm::Keys { needed, keys }) => {
            // OP_CHECKMULTISIG takes one element too many, below the signatures.
            let shown = last(&stack, needed + 1, segwit);
            let spend = shown.and_then(|shown| {
                let signatures: Vec<&[u8]> = shown[1..].iter().rev().copied().collect();
                // Such a signature would be removed from the script before hashing.
                if !segwit
                    && signatures
                        .iter()
                        .any(|signature| keys.iter().any(|key| key == signature))
                {
                    return Err(Reason::NotChecked("a signature occurs in the script"));
                }
                let has_dummy = !shown[0].is_empty();
                let keys = keys.into_iter().map(Cow::Owned).collect();
                Ok(ScriptSpend {
                    has_dummy,
                    ..ScriptSpend::new(script, segwit, signatures, keys)
                })
            });
            (Template::Multisig(wrapping), spend)
        }
        None => (
            Template::Other(wrapping),
            Err(Reason::NotChecked("the script has another form")),
        ),
    }
}

/// Returns the top `count` elements of a stack. A witness must have no others.
pub fn last<'a, 'b>(
    stack: &'b [&'a [u8]],
    count: usize,
    segwit: bool,
) -> Result<&'b [&'a [u8]], Reason> {
    match stack.len().checked_sub(count) {
        Some(0) => Ok(stack),
        Some(below) if !segwit => Ok(&stack[below..]),
        _ => Err(Reason::Malformed(
            "the number of elements is not the one that the script takes",
        )),
    }
}

/// The requirement of a script.
enum ScriptForm {
    Key(Vec<u8>),
    /// Keys, in the order in which they are tried.
    Keys {
        needed: usize,
        keys: Vec<Vec<u8>>,
    },
}

/// Recognises P2PK and bare multisig.
fn form(script: &[u8]) -> Option<ScriptForm> {
    // A fast check before parsing: most scripts have neither form.
    if !matches!(script, [.., OP_CHECKSIG | OP_CHECKMULTISIG]) {
        return None;
    }
    let instructions: Vec<Instruction> = instructions(script).collect::<Option<_>>()?;
    match instructions.as_slice() {
        [Instruction::Push(key), Instruction::Op(OP_CHECKSIG)] => {
            Some(ScriptForm::Key(key.to_vec()))
        }
        [
            Instruction::Op(needed),
            keys @ ..,
            Instruction::Op(given),
            Instruction::Op(OP_CHECKMULTISIG),
        ] => {
            // The stack is popped, so the last keys come first.
            let keys: Vec<Vec<u8>> = keys
                .iter()
                .rev()
                .map(|key| Some(key.pushed()?.to_vec()))
                .collect::<Option<_>>()?;
            let needed = small(*needed)?;
            (small(*given) == Some(keys.len()) && needed <= keys.len())
                .then_some(ScriptForm::Keys { needed, keys })
        }
        _ => None,
    }
}

/// Returns the data that a script of pushes leaves on the stack, if consensus accepts it. Opcodes
/// for numbers are rejected: no template takes them.
fn pushes(script: &[u8]) -> Option<Vec<&[u8]>> {
    if script.len() as u64 > LONGEST_SCRIPT {
        return None;
    }
    let stack: Vec<&[u8]> = instructions(script)
        .map(|instruction| instruction?.pushed())
        .collect::<Option<_>>()?;
    (stack.len() <= MOST_ELEMENTS).then_some(stack)
}
