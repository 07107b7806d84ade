//! What is known of an input at the end.

use crate::problem::Progress;
pub use bitcoin::Txid;
use gecc::Rejection;
use std::fmt;

/// What the script that asks for signatures is inside of.
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

/// What an input has to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Template {
    /// A signature by a key.
    P2pk(Wrapping),
    /// A signature by a key with a hash.
    P2pkh(Wrapping),
    /// Signatures by some of several keys.
    Multisig(Wrapping),
    /// As P2PKH, in BIP 141, version 0.
    P2wpkh,
    /// The same inside BIP 16.
    P2shP2wpkh,
    /// BIP 341, by the output's key.
    TaprootKey,
    /// BIP 341, by a script that asks for a signature by a key.
    TaprootScript,
    /// BIP 341, by any other script.
    TaprootOther,
    /// A witness of a version that has no meaning yet.
    OtherWitness,
    /// Anything else.
    Other(Wrapping),
}

impl Template {
    /// The name in outputs.
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

/// Why an input was not shown to be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A signature fits none of the keys that are left for it. What is wrong with it and the last of them.
    Signature(Rejection),
    /// There are not as many signatures and keys as the script asks for, or they are not in the form that it asks for.
    Malformed(&'static str),
    /// The script or key is not the one whose hash the output has.
    OtherScript,
    /// It was not checked, for this reason.
    NotChecked(&'static str),
}

impl fmt::Display for Reason {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Signature(rejection) => rejection.fmt(to),
            Reason::Malformed(why) => to.write_str(why),
            Reason::OtherScript => to.write_str("the script or key is not the one that the output asks for"),
            Reason::NotChecked(why) => write!(to, "not checked: {why}"),
        }
    }
}

/// What is known of one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The height of the block, where it says it (BIP 34).
    pub height: Option<u64>,
    /// The transaction.
    pub txid: Txid,
    /// Which of its inputs, counted from 0.
    pub input: u32,
    /// What it has to show.
    pub template: Template,
    /// Why that does not hold, or was not checked; `None` where it holds.
    pub reason: Option<Reason>,
}

impl Answer {
    /// Whether the input is properly signed; `None` where that was not checked.
    pub fn valid(&self) -> Option<bool> {
        match self.reason {
            None => Some(true),
            Some(Reason::NotChecked(_)) => None,
            Some(_) => Some(false),
        }
    }
}

/// Answers in the order in which blocks are in the files.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// One for each input but those of coinbases.
    pub answers: Vec<Answer>,
    /// How far the files were read.
    pub progress: Progress,
}
