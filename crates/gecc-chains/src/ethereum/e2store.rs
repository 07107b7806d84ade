//! Index and accumulator of a group of blocks in an e2store file, and their comparison with the
//! records of the blocks.
//!
//! <https://github.com/eth-clients/e2store-format-specs>, `formats/era1.md`, `formats/ere.md` and
//! `types/`.

use super::blocks::BlockHeader;
use crate::problem::brief;
use sha2::{Digest, Sha256};
use std::collections::VecDeque;

/// Maximum number of blocks of a group, which is also that of an accumulator (`formats/era1.md`).
pub const MOST_BLOCKS: usize = 8192;
/// Number of levels of a tree with that many leaves.
const LEVELS: usize = 13;
/// Maximum number of offsets per block in an index: a header, a body, receipts, a total difficulty
/// and a proof.
const MOST_COMPONENTS: u64 = 5;
/// Length in bytes of the longest index that is compared with the records.
pub const LONGEST_INDEX: u64 = 8 * (3 + MOST_COMPONENTS * MOST_BLOCKS as u64);

/// An index of blocks: `starting-number | offsets … | count`, or `starting-number | offsets … |
/// component-count | count` if blocks have several offsets each.
pub struct BlockIndex {
    /// The number of the first block.
    pub first: u64,
    pub count: u64,
    components: u64,
    words: Vec<u64>,
}

impl BlockIndex {
    /// Parses the data of an index, in words. The two forms never have the same length.
    pub fn parse(words: Vec<u64>) -> Result<Self, &'static str> {
        const FITS_NONE: &str = "the length of the index fits no number of blocks";
        let [first, .., count] = words[..] else {
            return Err(FITS_NONE);
        };
        let length = words.len() as u64;
        if count.checked_add(2) == Some(length) {
            return Ok(BlockIndex {
                first,
                count,
                components: 1,
                words,
            });
        }
        let components = words[words.len() - 2];
        let offsets = count.checked_mul(components);
        if !(2..=MOST_COMPONENTS).contains(&components)
            || offsets.and_then(|all| all.checked_add(3)) != Some(length)
        {
            return Err(FITS_NONE);
        }
        Ok(BlockIndex {
            first,
            count,
            components,
            words,
        })
    }

    /// Returns the position of a component of a block, for an index at `place` in the file. Returns
    /// `None` if the offset is out of range, or if blocks do not have this component.
    pub fn place(&self, place: u64, block: u64, component: u64) -> Option<u64> {
        if component >= self.components || block >= self.count {
            return None;
        }
        let offset = self.words[(1 + block * self.components + component) as usize];
        place.checked_add_signed(offset as i64)
    }

    /// Returns whether the index contains the positions of bodies.
    pub fn has_bodies(&self) -> bool {
        self.components > 1
    }
}

/// The root of a group's headers: `hash_tree_root` of a list of at most 8192 pairs of a block's
/// hash and its total difficulty (SSZ).
#[derive(Default)]
struct Accumulator {
    count: u64,
    /// The left node of each level that waits for its right sibling.
    waiting: [Option<[u8; 32]>; LEVELS + 1],
}

fn pair(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    Sha256::new_with_prefix(left)
        .chain_update(right)
        .finalize()
        .into()
}

impl Accumulator {
    fn add(&mut self, hash: &[u8; 32], difficulty: &[u8; 32]) {
        self.count += 1;
        let mut node = pair(hash, difficulty);
        for waiting in &mut self.waiting {
            match waiting.take() {
                Some(left) => node = pair(&left, &node),
                None => {
                    *waiting = Some(node);
                    return;
                }
            }
        }
    }

    fn root(&self) -> [u8; 32] {
        let mut zeros = [0; 32];
        let mut node = None;
        for waiting in &self.waiting[..LEVELS] {
            node = match (waiting, node) {
                (Some(left), right) => Some(pair(left, &right.unwrap_or(zeros))),
                (None, Some(node)) => Some(pair(&node, &zeros)),
                (None, None) => None,
            };
            zeros = pair(&zeros, &zeros);
        }
        let root = self.waiting[LEVELS].or(node).unwrap_or(zeros);
        let mut count = [0; 32];
        count[..8].copy_from_slice(&self.count.to_le_bytes());
        pair(&root, &count)
    }
}

/// A header with its position in the file; `None` for a header that could not be read.
pub type PlacedHeader = (u64, Option<BlockHeader>);

/// The records read of a group of blocks: those from a version, or the beginning of the file, to an
/// index.
#[derive(Default)]
pub struct BlockGroup {
    /// The positions of headers and bodies, up to the maximum length of an index.
    headers: Vec<u64>,
    bodies: Vec<u64>,
    /// The numbers of all headers and bodies.
    pub header_count: u64,
    pub body_count: u64,
    first_number: Option<u64>,
    /// The number of the first header that is not the successor of the one before it, preceded by
    /// the latter's number.
    out_of_order: Option<(u64, u64)>,
    last_number: Option<u64>,
    /// True if all headers come before all bodies.
    pub is_headers_first: bool,
    /// True if the records of headers contain a proof, as in E2HS: these files have no accumulator.
    pub has_proofs: bool,
    /// True if records were skipped or could not be read. The rest is not compared then.
    pub is_damaged: bool,
    /// Headers for which no total difficulty was read yet, each with whether it is from before the
    /// merge.
    without_difficulty: VecDeque<([u8; 32], bool)>,
    accumulated: Accumulator,
    /// The accumulator without blocks after the merge.
    accumulated_before_merge: Accumulator,
    claimed_accumulator: Option<[u8; 32]>,
}

impl BlockGroup {
    pub fn has_blocks(&self) -> bool {
        self.header_count > 0 || self.body_count > 0
    }

    pub fn add_header(&mut self, place: u64, header: Option<&BlockHeader>) {
        self.header_count += 1;
        if self.headers.len() < MOST_BLOCKS {
            self.headers.push(place);
        }
        let Some(header) = header else {
            self.is_damaged = true;
            return;
        };
        self.first_number.get_or_insert(header.number);
        if let Some(last) = self.last_number.replace(header.number)
            && last.checked_add(1) != Some(header.number)
        {
            self.out_of_order.get_or_insert((last, header.number));
        }
        if self.without_difficulty.len() < MOST_BLOCKS {
            self.without_difficulty
                .push_back((header.hash, header.is_before_merge));
        }
    }

    pub fn add_body(&mut self, place: u64) {
        self.body_count += 1;
        if self.bodies.len() < MOST_BLOCKS {
            self.bodies.push(place);
        }
    }

    /// Adds the total difficulty of the next header.
    pub fn add_difficulty(&mut self, difficulty: &[u8; 32]) {
        if let Some((hash, is_before_merge)) = self.without_difficulty.pop_front() {
            self.accumulated.add(&hash, difficulty);
            if is_before_merge {
                self.accumulated_before_merge.add(&hash, difficulty);
            }
        }
    }

    pub fn add_accumulator(&mut self, root: [u8; 32]) {
        self.claimed_accumulator = Some(root);
    }

    /// Compares the group with the index at `place`. Reports each kind of difference once.
    pub fn compare(&self, index: &BlockIndex, place: u64) -> Vec<String> {
        let mut differences: Vec<String> = self.count_difference(index.count).into_iter().collect();
        if self.is_damaged || !differences.is_empty() {
            return differences;
        }
        match (self.first_number, self.out_of_order) {
            (Some(first), _) if first != index.first => {
                differences.push(format!(
                    "the index begins with block {}, and the first header is of {first}",
                    index.first
                ));
            }
            (_, Some((last, next))) => {
                differences.push(format!("the header of block {next} follows that of {last}"))
            }
            _ => {}
        }
        differences.extend(self.offset_difference(index, place, 0, "header", &self.headers));
        if index.has_bodies() {
            differences.extend(self.offset_difference(index, place, 1, "body", &self.bodies));
        }
        differences.extend(self.accumulator_difference());
        differences
    }

    /// Describes how the number of blocks in an index differs from the number that was found.
    pub fn count_difference(&self, count: u64) -> Option<String> {
        let found = self.header_count.max(self.body_count);
        match count {
            _ if count == found => None,
            // The rest of the previous group may have been skipped together with its index.
            _ if count < found && self.is_damaged => None,
            _ if count > found => Some(format!(
                "the index has {count} blocks, of which {} were not found",
                count - found
            )),
            _ => Some(format!(
                "the index has {count} blocks, and {found} were found"
            )),
        }
    }

    /// Describes the first block whose position in an index differs from the one that was found.
    fn offset_difference(
        &self,
        index: &BlockIndex,
        place: u64,
        component: u64,
        name: &str,
        found: &[u64],
    ) -> Option<String> {
        for (block, found) in (0..).zip(found) {
            let stated = index.place(place, block, component);
            if stated == Some(*found) {
                continue;
            }
            let number = index.first.wrapping_add(block);
            let stated = match stated {
                Some(stated) => format!("at byte {stated}"),
                None => "outside of the file".to_owned(),
            };
            return Some(format!(
                "the index has the {name} of block {number} {stated}, and it is at {found}"
            ));
        }
        None
    }

    /// Describes how the accumulator differs from the one computed from the headers.
    fn accumulator_difference(&self) -> Option<String> {
        let is_needed = !self.is_headers_first && !self.has_proofs;
        let Some(claimed) = self.claimed_accumulator else {
            return is_needed.then(|| "there is no accumulator before the index".to_owned());
        };
        let (total, accumulated) =
            match self.is_headers_first && self.accumulated_before_merge.count > 0 {
                true => (
                    self.accumulated_before_merge.count,
                    &self.accumulated_before_merge,
                ),
                false => (self.header_count, &self.accumulated),
            };
        if accumulated.count != total || !self.without_difficulty.is_empty() {
            return Some(
                "the accumulator cannot be compared: total difficulties are missing".to_owned(),
            );
        }
        let root = accumulated.root();
        (root != claimed).then(|| {
            let [claimed, root] = [claimed, root].map(const_hex::encode_prefixed);
            brief(format!(
                "the accumulator is {claimed}, and the headers give {root}"
            ))
        })
    }
}
