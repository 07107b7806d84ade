//! The outputs that receivers expect of transactions, as an operation.

use super::Receiver;
use crate::types::{PublicKeys, Rows};

/// Bytes of a number.
pub const NUMBER: usize = 32;

/// The expected outputs of each tweak point T and counter k, for each receiver: `t_k =
/// hash_BIP0352/SharedSecret(b_scan T || k)`, and the x-coordinates of `B + t_k G` for its spend
/// keys B. A row has these numbers of all receivers, one after the other. All numbers of a receiver
/// are zero where t_k is 0 or not below n, and an x-coordinate also where the sum is the identity.
/// No point has x = 0.
pub(crate) struct Expected<'a> {
    pub tweak_points: PublicKeys<'a>,
    /// Big-endian.
    pub counters: Rows<'a, 4>,
    pub receivers: &'a [&'a Receiver],
    pub items: usize,
}

impl Expected<'_> {
    /// Bytes of a row.
    pub fn width(&self) -> usize {
        self.receivers.iter().map(|receiver| width(receiver)).sum()
    }

    /// Returns each receiver with the start of its numbers in a row.
    pub fn starts(&self) -> impl Iterator<Item = (&Receiver, usize)> {
        self.receivers.iter().scan(0, |end, receiver| {
            let start = *end;
            *end += width(receiver);
            Some((*receiver, start))
        })
    }
}

/// Bytes of a receiver's part of a row.
fn width(receiver: &Receiver) -> usize {
    NUMBER * (1 + receiver.spend_keys.len())
}
