//! Answers about inputs.

use crate::problem::Progress;
pub use crate::reason::Reason;
use std::fmt;

/// A transaction's id: its bytes in the order of hashing. They are displayed from the last to the
/// first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Txid(pub [u8; 32]);

impl fmt::Display for Txid {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .rev()
            .try_for_each(|byte| write!(to, "{byte:02x}"))
    }
}

impl fmt::Debug for Txid {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

/// The wrapping of the script that requires signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wrapping {
    /// It is the output's own.
    Bare,
    /// BIP 16.
    P2sh,
    /// BIP 141, version 0.
    P2wsh,
    /// BIP 141, version 0, inside BIP 16.
    P2shP2wsh,
}

/// The template of an input, which determines its required content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Template {
    /// A signature by a key.
    P2pk(Wrapping),
    /// A signature by a key whose hash is given.
    P2pkh(Wrapping),
    /// Signatures by some of several keys.
    Multisig(Wrapping),
    /// Like P2PKH, in BIP 141, version 0.
    P2wpkh,
    /// P2WPKH inside BIP 16.
    P2shP2wpkh,
    /// BIP 341, with the output's key.
    TaprootKey,
    /// BIP 341, with a script that requires a signature by one key. Data that is never executed may
    /// follow in the script.
    TaprootScript,
    /// BIP 341, with any other script.
    TaprootOther,
    /// A witness of a version that is not defined yet.
    OtherWitness,
    /// Anything else.
    Other(Wrapping),
}

impl Template {
    /// Returns the name used in output.
    pub fn name(self) -> &'static str {
        use Wrapping::{Bare, P2sh, P2shP2wsh, P2wsh};
        match self {
            Template::P2pk(Bare) => "P2PK",
            Template::P2pk(P2sh) => "P2SH P2PK",
            Template::P2pk(P2wsh) => "P2WSH P2PK",
            Template::P2pk(P2shP2wsh) => "P2SH-P2WSH P2PK",
            Template::P2pkh(Bare) => "P2PKH",
            Template::P2pkh(P2sh) => "P2SH P2PKH",
            Template::P2pkh(P2wsh) => "P2WSH P2PKH",
            Template::P2pkh(P2shP2wsh) => "P2SH-P2WSH P2PKH",
            Template::Multisig(Bare) => "multisig",
            Template::Multisig(P2sh) => "P2SH multisig",
            Template::Multisig(P2wsh) => "P2WSH multisig",
            Template::Multisig(P2shP2wsh) => "P2SH-P2WSH multisig",
            Template::P2wpkh => "P2WPKH",
            Template::P2shP2wpkh => "P2SH-P2WPKH",
            Template::TaprootKey => "taproot key path",
            Template::TaprootScript => "taproot script path",
            Template::TaprootOther => "taproot other script",
            Template::OtherWitness => "other witness",
            Template::Other(Bare) => "other script",
            Template::Other(P2sh) => "P2SH other script",
            Template::Other(P2wsh) => "P2WSH other script",
            Template::Other(P2shP2wsh) => "P2SH-P2WSH other script",
        }
    }
}

/// The answer about one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The height of the block, if the block states it (BIP 34).
    pub height: Option<u64>,
    /// The transaction.
    pub txid: Txid,
    /// The index of the input, counted from 0.
    pub input: u32,
    /// The template of the input.
    pub template: Template,
    /// The reason why the input does not pass or was not checked; `None` if it passes.
    pub reason: Option<Reason>,
}

impl Answer {
    /// Returns whether the input is properly signed; `None` if that was not checked.
    pub fn valid(&self) -> Option<bool> {
        Reason::verdict(self.reason)
    }
}

/// Answers in the order of the blocks in the files.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// One answer for each input, except those of coinbases.
    pub answers: Vec<Answer>,
    /// The progress of reading files.
    pub progress: Progress,
}
