//! Messages that a transaction's signatures sign, before hashing: in the legacy form, that of BIP
//! 143 and that of BIP 341.

use super::block::{OutputView, OutputsView, TransactionView};
use super::encoding::{hash_sized, put_number, put_sized};
use super::hashes::{TAP_SIGHASH, again, sha256, sha256d};
use crate::messages::Messages;
use sha2::{Digest as _, Sha256};
use std::cell::{OnceCell, RefCell};

/// BIP 342: the position of the last executed OP_CODESEPARATOR, for a script without one.
const NO_SEPARATOR: [u8; 4] = [0xff; 4];
/// BIP 342: the version of its keys.
const KEY_VERSION: [u8; 1] = [0];

/// Maximum size in bytes of a transaction that is hashed separately for each of its inputs. For
/// longer ones, the part that the inputs share is hashed once.
const SHORT: usize = 2 << 10;

/// The digest that a signature signs.
#[derive(Clone, Copy)]
pub enum SighashDigest {
    Known([u8; 32]),
    /// The digest of the message with this number.
    Of(usize),
}

/// The byte that determines which parts of a transaction are signed.
#[derive(Clone, Copy)]
pub struct HashType(pub u8);

/// The outputs that are signed.
#[derive(Clone, Copy, PartialEq)]
enum SignedOutputs {
    All,
    None,
    /// The output with the same index as the input.
    Single,
}

impl HashType {
    /// BIP 341: the type of a signature that states none.
    pub const DEFAULT: HashType = HashType(0);

    /// Returns whether the type is a named one. In the legacy form and in BIP 143 others are
    /// meaningful too.
    pub fn is_named(self) -> bool {
        matches!(self.0 & !0x80, 1..=3)
    }

    /// Returns whether ANYONECANPAY is set: other inputs are not signed.
    fn is_alone(self) -> bool {
        self.0 & 0x80 != 0
    }

    fn outputs(self) -> SignedOutputs {
        match self.0 & 0x1f {
            2 => SignedOutputs::None,
            3 => SignedOutputs::Single,
            _ => SignedOutputs::All,
        }
    }

    /// Returns the type as four bytes.
    fn wide(self) -> [u8; 4] {
        u32::from(self.0).to_le_bytes()
    }
}

/// The messages that the inputs of a transaction sign. Parts that several inputs share are hashed
/// once.
pub struct Sighashes<'a> {
    pub transaction: TransactionView<'a>,
    /// The outputs that the inputs spend.
    pub spent: OutputsView<'a>,
    common: OnceCell<TransactionHashes>,
    segwit: OnceCell<TransactionHashes>,
    taproot: OnceCell<SpentHashes>,
    blank: OnceCell<BlankTransaction>,
}

/// SHA-256 of parts of the transaction; hashed again for BIP 143.
struct TransactionHashes {
    outpoints: [u8; 32],
    sequences: [u8; 32],
    outputs: [u8; 32],
}

/// SHA-256 of parts of the spent outputs.
struct SpentHashes {
    values: [u8; 32],
    scripts: [u8; 32],
}

/// The transaction in the legacy form with empty scripts, that is, without the script of the input
/// that signs.
struct BlankTransaction {
    bytes: Vec<u8>,
    first_input: usize,
    /// The hash of the first bytes, and their number. Inputs are usually processed in order, so
    /// that hashing continues from there.
    begun: RefCell<(Sha256, usize)>,
}

impl BlankTransaction {
    /// Returns the hash of the first `length` bytes.
    fn hash_of_first(&self, length: usize) -> Sha256 {
        let (hash, hashed) = &mut *self.begun.borrow_mut();
        if length < *hashed {
            (*hash, *hashed) = (Sha256::new(), 0);
        }
        hash.update(&self.bytes[*hashed..length]);
        *hashed = length;
        hash.clone()
    }
}

/// Size in bytes of an input without a script: outpoint, length and sequence.
const BLANK_INPUT: usize = 36 + 1 + 4;
/// An output without a value and a script, in place of those before the signed one.
const BLANK_OUTPUT: [u8; 9] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0];

impl<'a> Sighashes<'a> {
    /// Creates the messages of a transaction. There must be as many spent outputs as inputs.
    pub fn new(transaction: TransactionView<'a>, spent: OutputsView<'a>) -> Self {
        let common = OnceCell::new();
        let segwit = OnceCell::new();
        Sighashes {
            transaction,
            spent,
            common,
            segwit,
            taproot: OnceCell::new(),
            blank: OnceCell::new(),
        }
    }

    /// Returns the output that an input spends.
    pub fn spent_by(&self, index: usize) -> OutputView<'a> {
        self.spent.get(index).expect("an output for each input")
    }

    fn common(&self) -> &TransactionHashes {
        self.common.get_or_init(|| {
            let count = self.transaction.inputs().len();
            let mut outpoints = Vec::with_capacity(36 * count);
            let mut sequences = Vec::with_capacity(4 * count);
            for input in self.transaction.inputs() {
                outpoints.extend_from_slice(input.outpoint);
                sequences.extend_from_slice(input.sequence);
            }
            let outputs = sha256(self.transaction.outputs().encoded());
            TransactionHashes {
                outpoints: sha256(&outpoints),
                sequences: sha256(&sequences),
                outputs,
            }
        })
    }

    fn segwit(&self) -> &TransactionHashes {
        self.segwit.get_or_init(|| {
            let TransactionHashes {
                outpoints,
                sequences,
                outputs,
            } = self.common();
            TransactionHashes {
                outpoints: sha256(outpoints),
                sequences: sha256(sequences),
                outputs: sha256(outputs),
            }
        })
    }

    fn of_spent(&self) -> &SpentHashes {
        self.taproot.get_or_init(|| {
            let mut values = Sha256::new();
            let mut scripts = Sha256::new();
            for output in self.spent.iter() {
                values.update(output.value);
                scripts.update(output.sized_script());
            }
            SpentHashes {
                values: values.finalize().into(),
                scripts: scripts.finalize().into(),
            }
        })
    }

    fn blank(&self) -> &BlankTransaction {
        self.blank.get_or_init(|| {
            let transaction = self.transaction;
            let mut bytes = Vec::new();
            bytes.extend_from_slice(transaction.version());
            put_number(transaction.inputs().len(), |number| {
                bytes.extend_from_slice(number)
            });
            let first_input = bytes.len();
            for input in transaction.inputs() {
                bytes.extend_from_slice(input.outpoint);
                bytes.push(0);
                bytes.extend_from_slice(input.sequence);
            }
            put_number(transaction.outputs().len(), |number| {
                bytes.extend_from_slice(number)
            });
            bytes.extend_from_slice(transaction.outputs().encoded());
            bytes.extend_from_slice(transaction.lock_time());
            BlankTransaction {
                bytes,
                first_input,
                begun: RefCell::new((Sha256::new(), 0)),
            }
        })
    }

    /// Computes the digest that the legacy form signs: double SHA-256. `script` is the one that
    /// requires the signature.
    pub fn legacy(
        &self,
        index: usize,
        script: &[u8],
        hash_type: HashType,
        messages: &mut Messages,
    ) -> SighashDigest {
        let outputs = self.transaction.outputs();
        if hash_type.outputs() == SignedOutputs::Single && index >= outputs.len() {
            // Consensus signs this number.
            let mut one = [0; 32];
            one[0] = 1;
            return SighashDigest::Known(one);
        }
        if hash_type.outputs() != SignedOutputs::All || hash_type.is_alone() {
            return SighashDigest::Of(messages.push(|to| {
                to.extend_from_slice(self.transaction.version());
                self.put_inputs(to, index, script, hash_type);
                self.put_outputs(to, index, hash_type);
                to.extend_from_slice(self.transaction.lock_time());
                to.extend_from_slice(&hash_type.wide());
            }));
        }
        let blank = self.blank();
        // The position of the script's length, which is 0 here.
        let before = blank.first_input + index * BLANK_INPUT + 36;
        if blank.bytes.len() > SHORT {
            let mut hash = blank.hash_of_first(before);
            hash_sized(&mut hash, script);
            hash.update(&blank.bytes[before + 1..]);
            hash.update(hash_type.wide());
            return SighashDigest::Known(again(hash));
        }
        SighashDigest::Of(messages.push(|to| {
            to.extend_from_slice(&blank.bytes[..before]);
            put_sized(script, to);
            to.extend_from_slice(&blank.bytes[before + 1..]);
            to.extend_from_slice(&hash_type.wide());
        }))
    }

    /// Writes the inputs in the legacy form, where not the whole transaction is signed.
    fn put_inputs(&self, to: &mut Vec<u8>, index: usize, script: &[u8], hash_type: HashType) {
        let count = self.transaction.inputs().len();
        let signed = if hash_type.is_alone() {
            index..index + 1
        } else {
            0..count
        };
        put_number(signed.len(), |number| to.extend_from_slice(number));
        for at in signed {
            let input = self.transaction.input(at);
            to.extend_from_slice(input.outpoint);
            put_sized(if at == index { script } else { &[] }, to);
            let signs_sequence = at == index || hash_type.outputs() == SignedOutputs::All;
            to.extend_from_slice(if signs_sequence {
                input.sequence
            } else {
                &[0; 4]
            });
        }
    }

    /// Writes the outputs in the legacy form. An output that is signed alone must exist.
    fn put_outputs(&self, to: &mut Vec<u8>, index: usize, hash_type: HashType) {
        let outputs = self.transaction.outputs();
        match (hash_type.outputs(), outputs.get(index)) {
            (SignedOutputs::All, _) => {
                put_number(outputs.len(), |number| to.extend_from_slice(number));
                to.extend_from_slice(outputs.encoded());
            }
            (SignedOutputs::Single, Some(output)) => {
                put_number(index + 1, |number| to.extend_from_slice(number));
                (0..index).for_each(|_| to.extend_from_slice(&BLANK_OUTPUT));
                to.extend_from_slice(output.encoded);
            }
            _ => put_number(0, |number| to.extend_from_slice(number)),
        }
    }

    /// Appends the message that BIP 143 signs with double SHA-256. `script` is the one that
    /// requires the signature.
    pub fn put_segwit_v0(
        &self,
        index: usize,
        script: &[u8],
        hash_type: HashType,
        to: &mut Vec<u8>,
    ) {
        const NONE: [u8; 32] = [0; 32];
        let transaction = self.transaction;
        let signed = hash_type.outputs();
        let is_alone = hash_type.is_alone();
        let input = transaction.input(index);
        to.extend_from_slice(transaction.version());
        to.extend_from_slice(if is_alone {
            &NONE
        } else {
            &self.segwit().outpoints
        });
        to.extend_from_slice(if is_alone || signed != SignedOutputs::All {
            &NONE
        } else {
            &self.segwit().sequences
        });
        to.extend_from_slice(input.outpoint);
        put_sized(script, to);
        to.extend_from_slice(self.spent_by(index).value);
        to.extend_from_slice(input.sequence);
        to.extend_from_slice(&match (signed, transaction.outputs().get(index)) {
            (SignedOutputs::All, _) => self.segwit().outputs,
            (SignedOutputs::Single, Some(output)) => sha256d(output.encoded),
            _ => NONE,
        });
        to.extend_from_slice(transaction.lock_time());
        to.extend_from_slice(&hash_type.wide());
    }

    /// Appends the message that BIP 341 signs, which is hashed once with SHA-256 after its tag.
    /// `leaf` is the hash of the BIP 342 script, for a script path. Returns `None`, and appends
    /// nothing, if the output that is signed alone does not exist.
    pub fn put_taproot(
        &self,
        index: usize,
        annex: Option<&[u8]>,
        leaf: Option<[u8; 32]>,
        hash_type: HashType,
        to: &mut Vec<u8>,
    ) -> Option<()> {
        let transaction = self.transaction;
        let signed = hash_type.outputs();
        let is_alone = hash_type.is_alone();
        let single = if signed == SignedOutputs::Single {
            Some(transaction.outputs().get(index)?)
        } else {
            None
        };
        to.extend_from_slice(TAP_SIGHASH.as_flattened());
        // The epoch comes first.
        to.extend_from_slice(&[0, hash_type.0]);
        to.extend_from_slice(transaction.version());
        to.extend_from_slice(transaction.lock_time());
        if !is_alone {
            let SpentHashes { values, scripts } = self.of_spent();
            let TransactionHashes {
                outpoints,
                sequences,
                ..
            } = self.common();
            to.extend_from_slice([*outpoints, *values, *scripts, *sequences].as_flattened());
        }
        if signed == SignedOutputs::All {
            to.extend_from_slice(&self.common().outputs);
        }
        to.push(2 * u8::from(leaf.is_some()) + u8::from(annex.is_some()));
        if is_alone {
            let input = transaction.input(index);
            to.extend_from_slice(input.outpoint);
            to.extend_from_slice(self.spent_by(index).encoded);
            to.extend_from_slice(input.sequence);
        } else {
            to.extend_from_slice(&(index as u32).to_le_bytes());
        }
        if let Some(annex) = annex {
            let mut of_annex = Sha256::new();
            hash_sized(&mut of_annex, annex);
            to.extend_from_slice(&of_annex.finalize());
        }
        if let Some(output) = single {
            to.extend_from_slice(&sha256(output.encoded));
        }
        if let Some(leaf) = leaf {
            to.extend_from_slice(&leaf);
            to.extend_from_slice(&KEY_VERSION);
            to.extend_from_slice(&NO_SEPARATOR);
        }
        Some(())
    }
}
