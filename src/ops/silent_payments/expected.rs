//! The outputs that receivers expect in transactions, as an operation.

use super::Receiver;
use crate::types::{PublicKeys, Rows};

/// The length of a number in bytes.
pub const NUMBER: usize = 32;

/// The operation that computes expected outputs for each tweak point T and counter k, and for each
/// receiver: `t_k = hash_BIP0352/SharedSecret(b_scan T || k)`, and the x-coordinates of `B + t_k G`
/// for its spend keys B. A row is the concatenation of these numbers for all receivers. All numbers
/// of a receiver are zero if t_k is 0 or not below n, and an x-coordinate is also zero if the sum
/// is the identity. No point has x = 0.
pub(crate) struct Expected<'a> {
    pub tweak_points: PublicKeys<'a>,
    /// Counters k, big-endian.
    pub counters: Rows<'a, 4>,
    pub receivers: &'a [&'a Receiver],
    pub items: usize,
}

impl Expected<'_> {
    /// Returns the length of a row in bytes.
    pub fn width(&self) -> usize {
        self.receivers.iter().map(|receiver| width(receiver)).sum()
    }

    /// Returns each receiver with the offset of its numbers in a row.
    pub fn starts(&self) -> impl Iterator<Item = (&Receiver, usize)> {
        self.receivers.iter().scan(0, |end, receiver| {
            let start = *end;
            *end += width(receiver);
            Some((*receiver, start))
        })
    }
}

/// Returns the length in bytes of a receiver's part of a row.
fn width(receiver: &Receiver) -> usize {
    NUMBER * (1 + receiver.spend_keys.len())
}
