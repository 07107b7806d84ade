//! The networks of Bitcoin.

use std::fmt;

/// A network, which determines from which heights rules are in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// The main chain.
    Bitcoin,
    /// Testnet3.
    Testnet,
    /// Testnet4.
    Testnet4,
    /// Signet, whatever its challenge is.
    Signet,
    /// A private chain for regression tests.
    Regtest,
}

/// Each network with its name, Bitcoin Core's name for its chain, and its magic.
const ALL: [(Network, &str, &str, [u8; 4]); 5] = [
    (
        Network::Bitcoin,
        "bitcoin",
        "main",
        [0xf9, 0xbe, 0xb4, 0xd9],
    ),
    (
        Network::Testnet,
        "testnet",
        "test",
        [0x0b, 0x11, 0x09, 0x07],
    ),
    (
        Network::Testnet4,
        "testnet4",
        "testnet4",
        [0x1c, 0x16, 0x3f, 0x28],
    ),
    (
        Network::Signet,
        "signet",
        "signet",
        [0x0a, 0x03, 0xcf, 0x40],
    ),
    (
        Network::Regtest,
        "regtest",
        "regtest",
        [0xfa, 0xbf, 0xb5, 0xda],
    ),
];

impl Network {
    /// Returns the network that Bitcoin Core calls `name` (`chain` of `getblockchaininfo`).
    pub fn of_chain(name: &str) -> Option<Self> {
        ALL.iter()
            .find(|(_, _, chain, _)| *chain == name)
            .map(|(network, ..)| *network)
    }

    /// Returns the network of a magic.
    pub(super) fn of(magic: [u8; 4]) -> Option<Self> {
        ALL.iter()
            .find(|(.., known)| *known == magic)
            .map(|(network, ..)| *network)
    }
}

/// The magics with which records may begin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Magics {
    /// The magics of all known networks.
    Known,
    /// This magic only. If it belongs to no known network, the network is a signet.
    Only([u8; 4]),
}

impl Magics {
    /// Returns the network of a magic, if the magic is accepted.
    pub fn network_of(self, magic: [u8; 4]) -> Option<Network> {
        match self {
            Magics::Known => Network::of(magic),
            Magics::Only(only) => {
                (magic == only).then(|| Network::of(magic).unwrap_or(Network::Signet))
            }
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name, ..) = ALL
            .iter()
            .find(|(network, ..)| network == self)
            .expect("all are listed");
        to.write_str(name)
    }
}
