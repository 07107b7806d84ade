//! Transactions without a signature, which chains above Ethereum make themselves, or take from the
//! underlying chain. Deposits of OP chains are in [`super::transaction`].
//!
//! A type alone is not sufficient: the signature has to be missing or zero, the fields of an
//! encoding have to be those of the type, and the chain must not be one of Ethereum's own, which
//! have no such transactions.

use super::answers::Kind;
use super::encoded_transaction::{self, only_list};
use super::rlp;
use gecc::ecdsa::Address;
use std::borrow::Cow;

type Why = Cow<'static, str>;

/// Ethereum's main chain, and its test chains: Ropsten, Rinkeby, Görli, Kovan, Holesky, Hoodi and
/// Sepolia.
const ETHEREUM: [u64; 8] = [1, 3, 4, 5, 42, 17_000, 560_048, 11_155_111];

/// A transaction without a signature.
#[derive(Debug, PartialEq, Eq)]
pub struct SystemTransaction {
    pub kind: Kind,
    /// The name of such transactions, in the plural.
    pub what: &'static str,
    pub from: Option<Address>,
    pub chain_id: Option<u64>,
}

/// Returns whether a chain is one of Ethereum's own.
pub fn is_ethereum(chain_id: u64) -> bool {
    ETHEREUM.contains(&chain_id)
}

/// A field of an encoding.
#[derive(Clone, Copy)]
enum FieldForm {
    Chain,
    /// The address of the sender.
    From,
    Address,
    /// An address, or nothing if a contract is created.
    Recipient,
    Hash,
    Number,
    Bytes,
}

/// A type of transactions without a signature.
struct UnsignedLayout {
    number: u64,
    kind: Kind,
    what: &'static str,
    /// The fields of its encoding (EIP-2718), if this encoding exists.
    form: &'static [FieldForm],
}

/// The types of Nitro (go-ethereum of Offchain Labs, `core/types/arb_types.go`), and of Polygon and
/// ZKsync OS (`L1TxType` and `UpgradeTxType`, which its JSON-RPC returns), which use other
/// encodings.
const TYPES: [UnsignedLayout; 9] = {
    use FieldForm::{Address, Bytes, Chain, From, Hash, Number, Recipient};
    [
        UnsignedLayout {
            number: 0x64,
            kind: Kind::Arbitrum,
            what: "deposits of Arbitrum",
            form: &[Chain, Hash, From, Address, Number],
        },
        UnsignedLayout {
            number: 0x65,
            kind: Kind::Arbitrum,
            what: "unsigned transactions of Arbitrum",
            form: &[
                Chain, From, Number, Number, Number, Recipient, Number, Bytes,
            ],
        },
        UnsignedLayout {
            number: 0x66,
            kind: Kind::Arbitrum,
            what: "transactions of contracts on the chain below Arbitrum",
            form: &[Chain, Hash, From, Number, Number, Recipient, Number, Bytes],
        },
        UnsignedLayout {
            number: 0x68,
            kind: Kind::Arbitrum,
            what: "retried transactions of Arbitrum",
            form: &[
                Chain, Number, From, Number, Number, Recipient, Number, Bytes, Hash, Address,
                Number, Number,
            ],
        },
        UnsignedLayout {
            number: 0x69,
            kind: Kind::Arbitrum,
            what: "submitted retryable transactions of Arbitrum",
            form: &[
                Chain, Hash, From, Number, Number, Number, Number, Recipient, Number, Address,
                Number, Address, Bytes,
            ],
        },
        UnsignedLayout {
            number: 0x6a,
            kind: Kind::Arbitrum,
            what: "internal transactions of Arbitrum",
            form: &[Chain, Bytes],
        },
        UnsignedLayout {
            number: 0x72,
            kind: Kind::ZkSync,
            what: "upgrades of ZKsync",
            form: &[],
        },
        UnsignedLayout {
            number: 0x7f,
            kind: Kind::StateSync,
            what: "state syncs of Polygon",
            form: &[],
        },
        UnsignedLayout {
            number: 0xff,
            kind: Kind::ZkSync,
            what: "priority operations of ZKsync",
            form: &[],
        },
    ]
};

/// The type of legacy transactions of Arbitrum's first version. Some of them were signed.
pub const ARBITRUM_CLASSIC: u64 = 0x78;
const LEGACY: &str =
    "legacy transactions of a chain itself, as of OP before Bedrock and of Polygon,";
const CLASSIC: &str = "transactions of Arbitrum Classic without a signature";

/// The statements of a source about a transaction whose signature is missing or zero.
pub struct UnsignedStatement {
    pub type_number: Option<u64>,
    /// True if r, s and v are missing, false if they are zero.
    pub is_missing: bool,
    pub from: Option<Address>,
    pub chain_id: Option<u64>,
}

impl UnsignedStatement {
    /// Returns the transaction without a signature; `None` if it must have one.
    ///
    /// # Errors
    /// Statements that contradict a missing signature.
    pub fn system(&self) -> Option<Result<SystemTransaction, Why>> {
        let number = self.type_number.unwrap_or_default();
        let (kind, what) = match number {
            // The sender is the zero address on OP chains too: nodes derive it from a signature of
            // zeros.
            0 if self.is_missing || self.from != Some([0; 20]) => return None,
            0 => (Kind::Zeros, LEGACY),
            ARBITRUM_CLASSIC => (Kind::Arbitrum, CLASSIC),
            _ => TYPES
                .iter()
                .find(|of| of.number == number)
                .map(|of| (of.kind, of.what))?,
        };
        let UnsignedStatement { from, chain_id, .. } = *self;
        if let Some(chain_id) = chain_id.filter(|chain_id| is_ethereum(*chain_id)) {
            return Some(Err(format!(
                "there are no {what} on Ethereum: the chain is {chain_id}"
            )
            .into()));
        }
        if from.is_none() {
            return Some(Err(
                format!("the sender is missing, which {what} have").into()
            ));
        }
        Some(Ok(SystemTransaction {
            kind,
            what,
            from,
            chain_id,
        }))
    }
}

/// Returns whether transactions of this type have no signature.
pub fn is_unsigned_type(number: u64) -> bool {
    TYPES.iter().any(|of| of.number == number)
}

/// Parses the encoding of a transaction without a signature; `None` for anything else. The encoding
/// of a legacy transaction whose r, s and v are zero contains no further hint: the requested chain
/// has to decide.
///
/// # Errors
/// Fields that are not those of the type, or a chain that cannot be determined.
pub fn parse(encoded: &[u8], wanted_chain: Option<u64>) -> Option<Result<SystemTransaction, Why>> {
    let (first, list) = encoded.split_first()?;
    if *first >= rlp::EMPTY_LIST {
        is_legacy_of_zeros(encoded).ok()?;
        return Some(match wanted_chain {
            Some(chain) if !is_ethereum(chain) => {
                Ok(SystemTransaction { kind: Kind::Zeros, what: LEGACY, from: None, chain_id: None })
            }
            _ => Err("r, s and v are zero, which chains above Ethereum have: --chain-id would say which it is".into()),
        });
    }
    let of = TYPES
        .iter()
        .find(|of| of.number == u64::from(*first) && !of.form.is_empty())?;
    Some(
        fields(list, of)
            .map_err(|problem| format!("not in the form of {}: {problem}", of.what).into()),
    )
}

fn fields(list: &[u8], of: &UnsignedLayout) -> rlp::Result<SystemTransaction> {
    let mut rest = only_list(list)?;
    let mut system = SystemTransaction {
        kind: of.kind,
        what: of.what,
        from: None,
        chain_id: None,
    };
    for form in of.form {
        match form {
            FieldForm::Chain => system.chain_id = Some(rlp::integer(&mut rest, 8)? as u64),
            FieldForm::From => system.from = Some(*rlp::fixed(&mut rest)?),
            FieldForm::Address => drop(rlp::fixed::<20>(&mut rest)?),
            FieldForm::Recipient => {
                if !matches!(rlp::string(&mut rest)?.len(), 0 | 20) {
                    return Err("a recipient has another length than an address");
                }
            }
            FieldForm::Hash => drop(rlp::fixed::<32>(&mut rest)?),
            FieldForm::Number => drop(rlp::digits(&mut rest, 32)?),
            FieldForm::Bytes => drop(rlp::string(&mut rest)?),
        }
    }
    rlp::end(rest)?;
    Ok(system)
}

/// Requires the nine fields of a legacy transaction, with v, r and s zero.
fn is_legacy_of_zeros(encoded: &[u8]) -> rlp::Result<()> {
    let mut rest = only_list(encoded)?;
    for _ in 0..3 {
        rlp::digits(&mut rest, 32)?;
    }
    rlp::string(&mut rest)?;
    rlp::digits(&mut rest, 32)?;
    rlp::string(&mut rest)?;
    for _ in 0..3 {
        if !rlp::digits(&mut rest, 32)?.is_empty() {
            return Err("it has a signature");
        }
    }
    rlp::end(rest)
}

/// Types of transactions without a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsignedType {
    /// A deposit of an OP chain (OP Stack specification, "Deposits").
    Deposit,
}

impl UnsignedType {
    /// Returns the unsigned type with this number.
    pub fn of(number: u64) -> Option<Self> {
        (number == u64::from(DEPOSIT)).then_some(UnsignedType::Deposit)
    }

    /// Returns the kind of answers about it.
    pub fn kind(self) -> Kind {
        match self {
            UnsignedType::Deposit => Kind::Deposit,
        }
    }

    /// Parses what follows the type byte, and returns the sender that it states.
    pub fn sender(self, list: &[u8]) -> rlp::Result<Address> {
        match self {
            UnsignedType::Deposit => encoded_transaction::deposit(list),
        }
    }

    /// Returns whether a chain is known to have no transactions of this type. Any other chain may
    /// be an OP chain: there is no complete list of these.
    pub fn is_unknown_to(self, chain_id: u64) -> bool {
        match self {
            UnsignedType::Deposit => NOT_OP_CHAINS.contains(&chain_id),
        }
    }
}

/// The type of deposits.
pub const DEPOSIT: u8 = 0x7e;

/// Well-known chains that are not built on the OP Stack, by their numbers in the lists of
/// ethereum-lists/chains: Ethereum and its test networks, Ethereum Classic, BNB Smart Chain,
/// Gnosis, Polygon (PoS and zkEVM), Fantom, Avalanche, Arbitrum, zkSync Era, Linea, Scroll, Cronos,
/// Rootstock, Moonbeam and Moonriver, Filecoin, Hedera, Kaia.
const NOT_OP_CHAINS: [u64; 37] = [
    1, 3, 4, 5, 25, 30, 31, 42, 56, 61, 97, 100, 137, 250, 295, 296, 314, 324, 300, 1001, 1101,
    1284, 1285, 8217, 10200, 17000, 42161, 42170, 43113, 43114, 59144, 80001, 80002, 421614,
    534352, 560048, 11155111,
];
