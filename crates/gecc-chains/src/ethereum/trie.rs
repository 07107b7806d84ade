//! The transactions root of a block: the root of the Merkle-Patricia trie that maps the RLP
//! encoding of each transaction's index to the transaction in the encoding of EIP-2718 (yellow
//! paper, sections 4.3.2 and appendix D).
//!
//! The number of transactions determines all keys. So the branches are found first, then all leaves
//! are hashed, and then the branches level by level, eight nodes at a time if the processor
//! supports it.

use super::rlp;
use gecc::hash::keccak256_on_this_thread;

/// The root of a trie without transactions: Keccak-256 of the empty string's encoding.
pub const EMPTY_ROOT: [u8; 32] = [
    0x56, 0xe8, 0x1f, 0x17, 0x1b, 0xcc, 0x55, 0xa6, 0xff, 0x83, 0x45, 0xe6, 0x92, 0xc0, 0xf8, 0x6e,
    0x5b, 0x48, 0xe0, 0x1b, 0x99, 0x6c, 0xad, 0xc0, 0x01, 0x62, 0x2f, 0xb5, 0xe3, 0x63, 0xb4, 0x21,
];
/// Approximate number of bytes of nodes that are hashed at once: they stay in a core's cache.
const HASHED_AT_ONCE: usize = 1 << 16;
/// Minimum length of an encoded node that its parent refers to by hash. Shorter nodes are embedded
/// in their parent.
const SHORTEST_HASHED: usize = 32;

/// A key as digits of four bits, the first one in the highest bits of the number.
#[derive(Clone, Copy)]
struct TrieKey {
    digits: u64,
    length: u32,
}

impl TrieKey {
    /// Returns the key of the transaction with this index: the encoding of the index.
    fn of(index: usize) -> Self {
        let index = index as u64;
        match index {
            0 => TrieKey {
                digits: 0x80 << 56,
                length: 2,
            },
            1..0x80 => TrieKey {
                digits: index << 56,
                length: 2,
            },
            _ => {
                let bytes = 8 - index.leading_zeros() / 8;
                let first = u64::from(rlp::EMPTY_STRING) + u64::from(bytes);
                TrieKey {
                    digits: first << 56 | index << (56 - 8 * bytes),
                    length: 2 + 2 * bytes,
                }
            }
        }
    }

    fn digit(self, place: u32) -> usize {
        (self.digits << (4 * place) >> 60) as usize
    }

    /// Returns the number of leading digits that both keys share.
    fn common(self, other: TrieKey) -> u32 {
        (self.digits ^ other.digits).leading_zeros() / 4
    }

    /// Writes digits as a path in a node ("hex prefix", yellow paper, appendix C).
    fn put_path(self, places: std::ops::Range<u32>, is_leaf: bool, to: &mut Vec<u8>) {
        let mut path = [0; 9];
        let is_odd = places.len() % 2 == 1;
        path[0] = u8::from(is_leaf) << 5 | u8::from(is_odd) << 4;
        let mut length = 1;
        let mut place = places.start;
        if is_odd {
            path[0] |= self.digit(place) as u8;
            place += 1;
        }
        while place < places.end {
            path[length] = (self.digit(place) << 4 | self.digit(place + 1)) as u8;
            length += 1;
            place += 2;
        }
        rlp::put_string(&path[..length], to);
    }
}

/// Returns the index of the key with this rank in the order of `count` keys: 0 is encoded as a byte
/// above those of the indices up to 127.
fn index_of_rank(rank: usize, count: usize) -> usize {
    let before_zero = count.min(0x80) - 1;
    match rank {
        _ if rank < before_zero => rank + 1,
        _ if rank == before_zero => 0,
        _ => rank,
    }
}

/// A node's representation in its parent: its encoding if that is short, otherwise its hash as a
/// string.
#[derive(Clone, Copy)]
struct Reference {
    bytes: [u8; 33],
    length: u8,
}

impl Reference {
    const NONE: Reference = Reference {
        bytes: [0; 33],
        length: 0,
    };

    fn to(node: &[u8], hash: &[u8; 32]) -> Self {
        let mut reference = Reference::NONE;
        let bytes = &mut reference.bytes;
        if node.len() < SHORTEST_HASHED {
            bytes[..node.len()].copy_from_slice(node);
            reference.length = node.len() as u8;
        } else {
            bytes[0] = rlp::EMPTY_STRING + 32;
            bytes[1..].copy_from_slice(hash);
            reference.length = 33;
        }
        reference
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length.into()]
    }
}

/// A node below a branch.
#[derive(Clone, Copy)]
enum Child {
    None,
    /// The leaf with this rank.
    Leaf(usize),
    /// The branch with this number.
    Branch(usize),
}

impl Child {
    /// Returns the representation in a branch: that of the node, or an empty string.
    fn encoding<'a>(self, leaves: &'a [Reference], branches: &'a [Reference]) -> &'a [u8] {
        match self {
            Child::None => &[rlp::EMPTY_STRING],
            Child::Leaf(rank) => leaves[rank].bytes(),
            Child::Branch(number) => branches[number].bytes(),
        }
    }
}

/// A branch, with the extension above it, if there is one.
struct Branch {
    children: [Child; 16],
    /// A key below it, and the digits of that key between the branch above and this one.
    key: TrieKey,
    path: std::ops::Range<u32>,
    /// The number of branches on the longest path down, including this one.
    height: usize,
}

/// The branches of a trie with `count` leaves, of which the last is the root.
struct Branches {
    all: Vec<Branch>,
    /// The number of digits of each leaf's key, by rank, that the branches above it cover.
    depths: Vec<u8>,
    count: usize,
}

impl Branches {
    fn of(count: usize) -> Self {
        let mut branches = Branches {
            all: Vec::new(),
            depths: vec![0; count],
            count,
        };
        if count > 1 {
            branches.add(0..count, 0);
        }
        branches
    }

    fn key(&self, rank: usize) -> TrieKey {
        TrieKey::of(index_of_rank(rank, self.count))
    }

    /// Adds the branch of at least two neighbouring ranks whose keys share at least the first
    /// `depth` digits. Returns its number.
    fn add(&mut self, ranks: std::ops::Range<usize>, depth: u32) -> usize {
        let key = self.key(ranks.start);
        let place = key.common(self.key(ranks.end - 1));
        let mut children = [Child::None; 16];
        let mut height = 0;
        let mut start = ranks.start;
        while start < ranks.end {
            let digit = self.key(start).digit(place);
            // Keys are sorted, so those with this digit are neighbours.
            let rest = start..ranks.end;
            let end = start
                + partition_point(rest.len(), |rank| {
                    self.key(start + rank).digit(place) == digit
                });
            children[digit] = if end - start == 1 {
                self.depths[start] = place as u8 + 1;
                Child::Leaf(start)
            } else {
                let branch = self.add(start..end, place + 1);
                height = height.max(self.all[branch].height);
                Child::Branch(branch)
            };
            start = end;
        }
        self.all.push(Branch {
            children,
            key,
            path: depth..place,
            height: height + 1,
        });
        self.all.len() - 1
    }
}

/// Returns the number of leading indices that have a property which no index after them has.
fn partition_point(count: usize, has: impl Fn(usize) -> bool) -> usize {
    let mut low = 0;
    let mut high = count;
    while low < high {
        let middle = (low + high) / 2;
        if has(middle) {
            low = middle + 1
        } else {
            high = middle
        }
    }
    low
}

/// Consecutive nodes that are hashed together.
#[derive(Default)]
struct Nodes {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Nodes {
    fn is_full(&self) -> bool {
        self.text.len() >= HASHED_AT_ONCE
    }

    /// Passes each node and its hash to `hand_out`, in order, and removes all nodes.
    fn hash(&mut self, mut hand_out: impl FnMut(&[u8], &[u8; 32])) {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let messages: Vec<&[u8]> = starts
            .zip(&self.ends)
            .map(|(start, end)| &self.text[start..*end])
            .collect();
        let mut hashes = vec![[0; 32]; messages.len()];
        keccak256_on_this_thread(&messages, &mut hashes).expect("as many hashes as messages");
        messages
            .iter()
            .zip(&hashes)
            .for_each(|(node, hash)| hand_out(node, hash));
        self.text.clear();
        self.ends.clear();
    }

    /// Ends a node whose bytes were appended to the text.
    fn end(&mut self) {
        self.ends.push(self.text.len());
    }
}

/// Computes the root of the transactions that `transaction` returns by index, each in the encoding
/// of EIP-2718.
pub fn transactions_root<'a>(count: usize, transaction: impl Fn(usize) -> &'a [u8]) -> [u8; 32] {
    if count == 0 {
        return EMPTY_ROOT;
    }
    let branches = Branches::of(count);
    let mut nodes = Nodes::default();
    let mut leaves = Vec::with_capacity(count);
    let mut root = [0; 32];
    let mut path = Vec::new();
    for rank in 0..count {
        let key = branches.key(rank);
        let value = transaction(index_of_rank(rank, count));
        path.clear();
        key.put_path(branches.depths[rank].into()..key.length, true, &mut path);
        put_leaf(&path, value, &mut nodes);
        if nodes.is_full() || rank + 1 == count {
            nodes.hash(|node, hash| {
                leaves.push(Reference::to(node, hash));
                root = *hash;
            });
        }
    }
    let Some(top) = branches.all.last() else {
        return root;
    };
    let mut references = vec![Reference::NONE; branches.all.len()];
    for height in 1..=top.height {
        let numbers: Vec<usize> = (0..branches.all.len())
            .filter(|number| branches.all[*number].height == height)
            .collect();
        let mut found = Vec::with_capacity(numbers.len());
        for number in &numbers {
            put_branch(&branches.all[*number], &leaves, &references, &mut nodes);
            if nodes.is_full() {
                nodes.hash(|node, hash| found.push((Reference::to(node, hash), *hash)));
            }
        }
        nodes.hash(|node, hash| found.push((Reference::to(node, hash), *hash)));
        for (number, (reference, hash)) in numbers.into_iter().zip(found) {
            references[number] = reference;
            root = hash;
            let branch = &branches.all[number];
            if !branch.path.is_empty() {
                // An extension, which is rare, and occurs at the edges of the trie.
                let mut extension = Vec::new();
                branch
                    .key
                    .put_path(branch.path.clone(), false, &mut extension);
                extension.extend_from_slice(reference.bytes());
                put_list(&extension, &mut nodes);
                nodes.hash(|node, hash| {
                    references[number] = Reference::to(node, hash);
                    root = *hash;
                });
            }
        }
    }
    root
}

/// Appends a leaf with an encoded path.
fn put_leaf(path: &[u8], value: &[u8], nodes: &mut Nodes) {
    rlp::put_list_length(
        path.len() + rlp::length_of_any_string(value),
        &mut nodes.text,
    );
    nodes.text.extend_from_slice(path);
    rlp::put_string(value, &mut nodes.text);
    nodes.end();
}

fn put_list(items: &[u8], nodes: &mut Nodes) {
    rlp::put_list(items, &mut nodes.text);
    nodes.end();
}

/// Appends a branch. It has no value of its own, because no key is a prefix of another.
fn put_branch(branch: &Branch, leaves: &[Reference], references: &[Reference], nodes: &mut Nodes) {
    let children = branch
        .children
        .map(|child| child.encoding(leaves, references));
    let length: usize = children.iter().map(|child| child.len()).sum();
    rlp::put_list_length(length + 1, &mut nodes.text);
    for child in children {
        nodes.text.extend_from_slice(child);
    }
    nodes.text.push(rlp::EMPTY_STRING);
    nodes.end();
}

/// Describes the mismatch between the transactions of a block and its header.
pub fn other_root(number: Option<u64>, found: &[u8; 32], header: &[u8; 32]) -> String {
    let [found, header] = [found, header].map(const_hex::encode_prefixed);
    let block = number.map_or_else(
        || "the block".to_owned(),
        |number| format!("block {number}"),
    );
    format!("{block}: its transactions have root {found}, its header {header}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_consensus::proofs::ordered_trie_root_with_encoder;
    use rand::rngs::StdRng;
    use rand::{Rng, RngExt, SeedableRng};

    fn random_transactions(count: usize, longest: usize, random: &mut StdRng) -> Vec<Vec<u8>> {
        let mut transactions = Vec::new();
        for _ in 0..count {
            let mut transaction = vec![0; random.random_range(1..=longest)];
            random.fill_bytes(&mut transaction);
            transactions.push(transaction);
        }
        transactions
    }

    fn require(transactions: &[Vec<u8>]) {
        let found = transactions_root(transactions.len(), |index| &transactions[index]);
        let expected = ordered_trie_root_with_encoder(transactions, |transaction, to| {
            to.extend_from_slice(transaction)
        });
        assert_eq!(found, expected.0, "{} transactions", transactions.len());
    }

    #[test]
    fn transactions_root_equals_that_of_alloy() {
        let random = &mut StdRng::seed_from_u64(52);
        assert_eq!(transactions_root(0, |_| &[]), EMPTY_ROOT);
        // Every number across the edges at 16, 128 and 256, and some at 2^16. Short nodes are
        // embedded in their parent.
        for count in (0..600).chain([4095, 4096, 4097, 65_535, 65_536, 65_537, 70_000]) {
            let longest = [1, 8, 40, 300][count % 4];
            require(&random_transactions(count, longest, random));
        }
        for count in [1, 2, 17, 127, 128, 129, 130, 200, 256, 257, 300] {
            for longest in [1, 25, 60, 3000] {
                require(&random_transactions(count, longest, random));
            }
        }
    }
}
