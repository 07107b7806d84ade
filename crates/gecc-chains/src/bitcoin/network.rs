//! The networks of Bitcoin.

use std::fmt;

/// A network, which says from where on rules are in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// The main chain.
    Bitcoin,
    /// The third.
    Testnet,
    /// The fourth.
    Testnet4,
    /// Signet, whatever its challenge is.
    Signet,
    /// A chain of one's own.
    Regtest,
}

impl Network {
    /// The network that Bitcoin Core calls so (`chain` of `getblockchaininfo`).
    pub fn of_chain(name: &str) -> Option<Self> {
        match name {
            "main" => Some(Network::Bitcoin),
            "test" => Some(Network::Testnet),
            "testnet4" => Some(Network::Testnet4),
            "signet" => Some(Network::Signet),
            "regtest" => Some(Network::Regtest),
            _ => None,
        }
    }

    /// The network of a magic.
    pub(super) fn of(magic: [u8; 4]) -> Option<Self> {
        match magic {
            [0xf9, 0xbe, 0xb4, 0xd9] => Some(Network::Bitcoin),
            [0x0b, 0x11, 0x09, 0x07] => Some(Network::Testnet),
            [0x1c, 0x16, 0x3f, 0x28] => Some(Network::Testnet4),
            [0x0a, 0x03, 0xcf, 0x40] => Some(Network::Signet),
            [0xfa, 0xbf, 0xb5, 0xda] => Some(Network::Regtest),
            _ => None,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Network::Bitcoin => "bitcoin",
            Network::Testnet => "testnet",
            Network::Testnet4 => "testnet4",
            Network::Signet => "signet",
            Network::Regtest => "regtest",
        })
    }
}
