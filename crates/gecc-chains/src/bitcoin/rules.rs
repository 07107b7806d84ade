//! Consensus rules of a block, and the form of signatures under them.
//!
//! Heights and exceptions are those of Bitcoin Core's `kernel/chainparams.cpp`. Since BIP 34, a
//! block states its height in its coinbase. Earlier blocks do not, and none of the rules that have
//! a height here apply to them. Bitcoin Core also enforces taproot in blocks before its activation,
//! all but one of the main chain; here, their inputs are not checked.

use super::block::Block;
use super::lax_der::{LaxSignature, signature_from_lax_der};
use super::network::Network;

/// The block versions that BIP 34 and BIP 66 require: a block of an older version may seem to state
/// a height, which may be anything.
const SAYS_HEIGHT: i32 = 2;
const STRICT: i32 = 3;
/// Blocks that violate BIP 16 although they came after it: one of the main chain, and one of
/// testnet3.
const BREAK_BIP_16: [(Network, [u8; 32]); 2] = [
    (
        Network::Bitcoin,
        hash(b"00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22"),
    ),
    (
        Network::Testnet,
        hash(b"00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105"),
    ),
];

/// Returns the bytes of a hash, which is displayed from the last to the first.
const fn hash(shown: &[u8; 64]) -> [u8; 32] {
    let Ok(mut bytes) = const_hex::const_decode_to_array(shown) else {
        panic!("no hash")
    };
    bytes.reverse();
    bytes
}

/// The consensus rules that apply to a block.
pub struct Rules {
    /// The height, if the block states it.
    pub height: Option<u64>,
    /// BIP 16.
    pub p2sh: bool,
    /// BIP 66: strict DER.
    strict_der: bool,
    /// BIP 147: the dummy element of a multisig is empty.
    pub null_dummy: bool,
    /// BIP 341 and 342.
    pub taproot: bool,
}

impl Rules {
    pub fn of(network: Network, block: &Block) -> Self {
        let height = height_of(block);
        // A height below every activation stands for a block of an old version.
        let reached = height.filter(|_| block.version() >= STRICT).unwrap_or(0);
        let heights = heights(network);
        let breaks_bip16 = BREAK_BIP_16
            .iter()
            .any(|(of, hash)| *of == network && block.hash() == *hash);
        Rules {
            height,
            p2sh: !breaks_bip16,
            strict_der: reached >= heights.bip66,
            null_dummy: reached >= heights.segwit,
            taproot: reached >= heights.taproot,
        }
    }

    /// Parses a signature into r and s. Before BIP 66, consensus accepted everything that OpenSSL
    /// accepted.
    ///
    /// # Errors
    /// The reason why the bytes are not a signature that could be valid.
    pub fn signature_from_der(&self, der: &[u8]) -> Result<[u8; 64], &'static str> {
        if self.strict_der
            && let Ok(signature) = gecc::signature_from_der(der)
        {
            return Ok(signature);
        }
        match signature_from_lax_der(der) {
            Some(LaxSignature::TooLong) => Err("r or s of the signature has more than 32 bytes"),
            Some(LaxSignature::Numbers(signature)) if !self.strict_der => Ok(signature),
            _ => Err("the signature is not DER"),
        }
    }
}

/// Returns the height that a block states in its coinbase.
fn height_of(block: &Block) -> Option<u64> {
    if block.version() < SAYS_HEIGHT {
        return None;
    }
    height_in(block.transaction(0)?.inputs().next()?.script)
}

/// Returns the number at the beginning of a coinbase's script (BIP 34), which must be minimally
/// encoded and minimally pushed.
pub fn height_in(script: &[u8]) -> Option<u64> {
    let (&length @ ..=4, rest) = script.split_first()? else {
        return None;
    };
    match rest.get(..length.into())? {
        // These have opcodes of their own.
        [1..=16] => None,
        // A negative number, and one with a leading zero that is not needed for the sign.
        [.., 0x80..=0xff] | [0] | [.., 0..=0x7f, 0] => None,
        digits => Some(
            digits
                .iter()
                .rev()
                .fold(0, |height, digit| height << 8 | u64::from(*digit)),
        ),
    }
}

/// The heights from which rules are in force.
struct Heights {
    bip66: u64,
    /// BIP 147 was activated together with segwit.
    segwit: u64,
    taproot: u64,
}

fn heights(network: Network) -> Heights {
    match network {
        Network::Bitcoin => Heights {
            bip66: 363_725,
            segwit: 481_824,
            taproot: 709_632,
        },
        // Taproot's height is not in that file: it follows from the signals of blocks (BIP 9).
        Network::Testnet => Heights {
            bip66: 330_776,
            segwit: 834_624,
            taproot: 2_011_968,
        },
        _ => Heights {
            bip66: 1,
            segwit: 1,
            taproot: 1,
        },
    }
}
