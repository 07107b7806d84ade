//! Answers about signatures.

use crate::problem::Progress;
use gecc::Rejection;
use gecc::ecdsa::Address;
use std::borrow::Cow;
use std::fmt;

/// The kind of a signed object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A legacy transaction that is valid on any chain.
    Legacy,
    /// A legacy transaction for one chain.
    Eip155,
    /// A transaction with an access list.
    Eip2930,
    /// A transaction with a fee market.
    Eip1559,
    /// A transaction with blobs.
    Eip4844,
    /// A transaction that sets code.
    Eip7702,
    /// An account's authorization inside a transaction that sets code.
    Authorization,
    /// A deposit of an OP chain, made on the underlying chain. It has no signature.
    Deposit,
    /// A transaction of Arbitrum that the chain itself made, or that was made on the underlying
    /// chain. It has no signature.
    Arbitrum,
    /// A state sync of Polygon. It has no signature.
    StateSync,
    /// A priority operation or an upgrade of ZKsync, made on the underlying chain. It has no
    /// signature.
    ZkSync,
    /// A legacy transaction whose r, s and v are zero. Before Bedrock, OP chains had such
    /// transactions from the underlying chain, and Polygon represents its state syncs like this.
    Zeros,
    /// A transaction of another type, or one whose type could not be read.
    Unknown,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 13] = [
        Kind::Legacy,
        Kind::Eip155,
        Kind::Eip2930,
        Kind::Eip1559,
        Kind::Eip4844,
        Kind::Eip7702,
        Kind::Authorization,
        Kind::Deposit,
        Kind::Arbitrum,
        Kind::StateSync,
        Kind::ZkSync,
        Kind::Zeros,
        Kind::Unknown,
    ];

    /// Returns the name used in output.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Legacy => "legacy",
            Kind::Eip155 => "EIP-155",
            Kind::Eip2930 => "EIP-2930",
            Kind::Eip1559 => "EIP-1559",
            Kind::Eip4844 => "EIP-4844",
            Kind::Eip7702 => "EIP-7702",
            Kind::Authorization => "EIP-7702 authorization",
            Kind::Deposit => "OP deposit",
            Kind::Arbitrum => "Arbitrum unsigned",
            Kind::StateSync => "Polygon state sync",
            Kind::ZkSync => "ZKsync unsigned",
            Kind::Zeros => "unsigned legacy",
            Kind::Unknown => "unknown",
        }
    }
}

/// The reason why a signature is not valid or cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No key can be recovered.
    Rejected(Rejection),
    /// s is above n/2, which EIP-2 forbids.
    HighS,
    /// The recovered address differs from the sender that the source states.
    OtherSender,
    /// It is for another chain than the requested one.
    OtherChain,
    /// The signature is valid, but the transactions of the block are not those that its header
    /// commits to.
    OtherRoot,
    /// The requested chain has no transactions of this type.
    NotOnChain,
    /// There is no signature, and none is needed.
    Unsigned,
    /// The source does not determine the signed message.
    NotRebuilt(Cow<'static, str>),
}

impl fmt::Display for Reason {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Rejected(rejection) => rejection.fmt(to),
            Reason::HighS => to.write_str("s is above n/2, which EIP-2 forbids"),
            Reason::OtherSender => to.write_str("the signer is not the stated sender"),
            Reason::OtherChain => to.write_str("it is for another chain"),
            Reason::OtherRoot => to.write_str(
                "not checked: the block's transactions are not those that its header commits to",
            ),
            Reason::NotOnChain => {
                to.write_str("the requested chain has no transactions of this type")
            }
            Reason::Unsigned => to.write_str("it has no signature"),
            Reason::NotRebuilt(why) => write!(to, "cannot be rebuilt: {why}"),
        }
    }
}

/// The answer about one signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The number of the block, if the source states it.
    pub block: Option<u64>,
    /// The hash of the transaction: computed, or the one that the source states if the transaction
    /// cannot be rebuilt. Zeros if there is neither.
    pub hash: [u8; 32],
    /// The index of the transaction's authorization, counted from 0; `None` for the transaction
    /// itself.
    pub authorization: Option<u32>,
    /// The kind of the signed transaction or authorization.
    pub kind: Kind,
    /// The signer, if a key was recovered; for a transaction without a signature, the sender that
    /// it states.
    pub from: Option<Address>,
    /// The reason why the signature is not valid, or could not be judged; `None` if it is valid.
    pub reason: Option<Reason>,
}

impl Answer {
    /// Returns whether the signature is valid; `None` if that is unknown or there is none.
    pub fn valid(&self) -> Option<bool> {
        match self.reason {
            None => Some(true),
            Some(Reason::NotRebuilt(_) | Reason::OtherRoot | Reason::Unsigned) => None,
            Some(_) => Some(false),
        }
    }
}

/// Answers in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// One answer for each transaction and for each authorization. Authorizations follow their
    /// transaction.
    pub answers: Vec<Answer>,
    /// The progress of reading files.
    pub progress: Progress,
}
