//! Blocks and transactions in the JSON of JSON-RPC: `eth_getBlockByNumber` with full transactions,
//! `eth_getTransactionByHash`, `debug_getRawBlock`, `eth_getRawTransactionByHash` and the like, as
//! whole responses or only their results.
//!
//! A file contains one value per line, or a single value: a block, a transaction, or a list of
//! these, by itself or inside the envelopes of nodes and libraries ([`envelope`]). Encoded blocks
//! and transactions may also be given as bare hexadecimal, one per line.

mod envelope;
mod members;
mod transaction;
mod values;

use super::answers::Kind;
use super::blocks::place_in;
use super::decoded::{DecodedSignatures, Decoder, Encodings};
use super::encoded_transaction::EncodedTransaction;
use super::transaction::{SHORTEST, TransactionList};
use super::trie::other_root;
use super::{PIECE, Piece, PieceContent};
use crate::files::{FileReader, LineRead};
use crate::flow::PieceSink;
use crate::limits::Limits;
use crate::problem::{FilePosition, Problem, note};
use envelope::{FoundValue, RawTransaction};
use gecc::fields::hex_digits;
use members::{Why, not_json};
use serde_json::value::RawValue;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;
use transaction::JsonTransaction;

/// Maximum length in bytes of a line, or of a file that is one value.
const LONGEST: u64 = 512 << 20;

/// JSON values, one per line or only one.
pub struct JsonValues {
    bytes: Vec<u8>,
    is_lines: bool,
    /// The position of the first value in its file.
    start: u64,
    /// The positions in the bytes of the next value, and of the current value or its element.
    next: usize,
    present: usize,
    /// The unread elements of a list, and the unread transactions of a block.
    elements: Range<usize>,
    open: Option<OpenTransactions>,
}

/// Unread transactions.
enum OpenTransactions {
    Json(JsonBlock),
    /// The transactions of a block in RLP.
    Encoded(TransactionList),
    /// The remaining pending transactions.
    Waiting(std::vec::IntoIter<Range<usize>>),
}

/// The transactions of a block, and the root in its header.
struct JsonBlock {
    list: TransactionList,
    /// The transactions root, with the encodings so far, until they are compared.
    root: Option<([u8; 32], Encodings)>,
}

/// Minimum length of a JSON text that counts as a transaction even if it is malformed: with that
/// many bytes it can be identified.
const SHORTEST_OBJECT: usize = 64;

impl JsonValues {
    fn new(bytes: Vec<u8>, is_lines: bool, start: u64) -> Self {
        JsonValues {
            bytes,
            is_lines,
            start,
            next: 0,
            present: 0,
            elements: 0..0,
            open: None,
        }
    }

    /// Returns the memory in bytes that is in use until all values are decoded. It includes the
    /// fields and the signed message of a transaction, which may fill a value, and the encoded
    /// transactions of a block, which are half as long as their digits.
    pub fn weight(&self) -> usize {
        4 * self.bytes.len()
    }

    /// Returns the position of the current value in the file.
    fn place(&self) -> FilePosition {
        FilePosition::Byte(self.start + self.present as u64)
    }
}

/// Returns whether a file that begins like this contains JSON, or lines in hexadecimal.
pub fn begins(first: &[u8]) -> bool {
    /// Number of digits that are examined.
    const DIGITS: usize = 16;
    let text = first.trim_ascii_start();
    let digits = hex_digits(text);
    is_json(text) || digits.len() >= DIGITS && digits[..DIGITS].iter().all(u8::is_ascii_hexdigit)
}

fn is_json(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'{' | b'[' | b'"'))
}

/// Reads a file of values. A line that is too long is reported as a problem, and reading continues
/// with the next one.
pub fn read(
    reader: &mut FileReader,
    limits: &Limits,
    hand_on: &mut PieceSink<Piece>,
) -> ControlFlow<()> {
    let mut bytes = Vec::new();
    let longest = limits.whole_of(LONGEST);
    let mut start = reader.place();
    let mut last = read_first(reader, longest, &mut bytes);
    let is_lines =
        !is_json(bytes.trim_ascii_start()) || serde_json::from_slice::<&RawValue>(&bytes).is_ok();
    loop {
        if last == Ok(LineRead::Whole) {
            let append = if is_lines { append_lines } else { append_rest };
            last = append(reader, longest, &mut bytes);
        }
        let length = bytes.len() as u64;
        if length > 0 {
            let values = JsonValues::new(std::mem::take(&mut bytes), is_lines, start);
            hand_on(Piece::new(&reader.path, PieceContent::Json(values), length))?;
        }
        match last {
            Ok(LineRead::Whole) => {}
            Ok(LineRead::Longer) => {
                let what = format!("a line has more than {longest} bytes");
                hand_on(Piece::problem(reader.problem_at(start + length, what)))?;
                pass_over_line(reader, hand_on)?;
            }
            Ok(LineRead::None) => return ControlFlow::Continue(()),
            Err(problem) => return hand_on(Piece::problem(problem)),
        }
        last = Ok(LineRead::Whole);
        start = reader.place();
    }
}

/// Reads up to the first nonempty line. Returns the outcome of the last line.
fn read_first(
    reader: &mut FileReader,
    longest: u64,
    bytes: &mut Vec<u8>,
) -> Result<LineRead, Problem> {
    loop {
        let last = reader.append_line(longest, bytes)?;
        if last != LineRead::Whole || !bytes.trim_ascii().is_empty() {
            return Ok(last);
        }
    }
}

/// Reads lines until there are enough for a piece. Returns the outcome of the last line.
fn append_lines(
    reader: &mut FileReader,
    longest: u64,
    bytes: &mut Vec<u8>,
) -> Result<LineRead, Problem> {
    while bytes.len() < PIECE {
        let last = reader.append_line(longest, bytes)?;
        if last != LineRead::Whole {
            return Ok(last);
        }
    }
    Ok(LineRead::Whole)
}

/// Skips the rest of a line, as long as more is wanted.
fn pass_over_line(reader: &mut FileReader, hand_on: &mut PieceSink<Piece>) -> ControlFlow<()> {
    // Read errors are left to the next read.
    while let Ok(LineRead::Longer) = reader.append_line(PIECE as u64, &mut Vec::new()) {
        hand_on(Piece::problems(Vec::new()))?;
    }
    ControlFlow::Continue(())
}

fn append_rest(
    reader: &mut FileReader,
    longest: u64,
    bytes: &mut Vec<u8>,
) -> Result<LineRead, Problem> {
    if reader.append_rest(longest, bytes)? {
        return Ok(LineRead::None);
    }
    Err(reader.problem(format!(
        "a value is longer than the limit of {longest} bytes: write one value per line"
    )))
}

impl Decoder<'_> {
    /// Adds the transactions of values until the part is full. Returns whether all were added.
    pub fn add_values(&mut self, path: &Arc<Path>, values: &mut JsonValues) -> bool {
        while !self.is_full() {
            let added = if values.open.is_some() {
                self.add_open(path, values)
            } else if let Some(element) = next_element(&values.bytes, &mut values.elements) {
                self.open_element(path, values, element)
            } else if values.next < values.bytes.len() {
                self.open_value(path, values)
            } else {
                return true;
            };
            if let Err(what) = added {
                // The rest of the block is not read.
                values.open = None;
                note(
                    &mut self.to.progress.problems,
                    Problem::new(path, values.place(), what),
                );
            }
        }
        false
    }

    /// Opens the next value.
    fn open_value(&mut self, path: &Arc<Path>, values: &mut JsonValues) -> Result<(), Why> {
        let start = values.next;
        let rest = &values.bytes[start..];
        let line = if values.is_lines {
            rest.iter().position(|byte| *byte == b'\n')
        } else {
            None
        };
        values.present = start;
        values.next = line.map_or(values.bytes.len(), |end| start + end + 1);
        let text = values.bytes[start..values.next].trim_ascii();
        if text.is_empty() {
            return Ok(());
        }
        let found = FoundValue::of(&values.bytes, place_in(&values.bytes, text))?;
        self.open(path, values, found)
    }

    /// Opens an element of a list.
    fn open_element(
        &mut self,
        path: &Arc<Path>,
        values: &mut JsonValues,
        text: Range<usize>,
    ) -> Result<(), Why> {
        values.present = text.start;
        match FoundValue::of(&values.bytes, text)? {
            FoundValue::List(_) => Err("a list in a list".into()),
            found => self.open(path, values, found),
        }
    }

    fn open(
        &mut self,
        path: &Arc<Path>,
        values: &mut JsonValues,
        found: FoundValue,
    ) -> Result<(), Why> {
        match found {
            FoundValue::List(text) => {
                // The whole list must be JSON before any of it is read.
                let list: Result<&RawValue, _> =
                    serde_json::from_slice(&values.bytes[text.clone()]);
                list.map_err(|problem| not_json(&problem))?;
                values.elements = text;
            }
            FoundValue::Block(transactions, number, root) => {
                if self.wants(number) {
                    let root = self.root_to_compare(path, values, number, root);
                    let root = root.map(|root| (root, Encodings::default()));
                    values.open = Some(OpenTransactions::Json(JsonBlock {
                        list: TransactionList::new(transactions, number),
                        root,
                    }));
                }
            }
            FoundValue::Transaction(text) => self.add_json_alone(&values.bytes[text]),
            FoundValue::Waiting(transactions) => {
                values.open = Some(OpenTransactions::Waiting(transactions.into_iter()))
            }
            FoundValue::Raw(raw) => self.add_raw(&values.bytes, &raw)?,
            FoundValue::Encoded(text) => self.open_encoded(path, values, text)?,
        }
        Ok(())
    }

    /// Adds a transaction that states its block itself.
    fn add_json_alone(&mut self, text: &[u8]) {
        match JsonTransaction::of(text).map(|transaction| (transaction.block(), transaction)) {
            Ok((Ok(block), transaction)) => {
                if self.wants(block) {
                    self.add_json_transaction(&transaction, block);
                }
            }
            Ok((Err(why), transaction)) => {
                self.add_not_rebuilt(
                    Kind::Unknown,
                    transaction.hash().unwrap_or_default(),
                    None,
                    why,
                );
            }
            Err(why) => self.add_not_rebuilt(Kind::Unknown, [0; 32], None, why),
        }
    }

    /// Adds an encoded transaction with the statements next to it.
    fn add_raw(&mut self, bytes: &[u8], raw: &RawTransaction) -> Result<(), Why> {
        let encoded = decoded(&bytes[raw.digits.clone()])?;
        if self.wants(raw.stated.block) {
            self.add_encoded_with_claims(&encoded, &raw.stated);
        }
        Ok(())
    }

    /// Opens an encoded block, or adds an encoded transaction, in hexadecimal.
    fn open_encoded(
        &mut self,
        path: &Arc<Path>,
        values: &mut JsonValues,
        text: Range<usize>,
    ) -> Result<(), Why> {
        let encoded = decoded(&values.bytes[text.clone()])?;
        if encoded.len() == size_of::<[u8; 32]>() && EncodedTransaction::parse(&encoded).is_err() {
            // A transaction is that short only if r and s are tiny. The bytes are not repeated in
            // the message, because a private key has the same length.
            return Err(
                "32 bytes alone, as a hash has: the block or the transaction itself is needed"
                    .into(),
            );
        }
        match super::blocks::block(&encoded) {
            None => self.add_encoded(&encoded, None),
            Some(block) => {
                let (header, transactions) =
                    block.map_err(|problem| format!("the block: {problem}"))?;
                if self.wants(Some(header.number)) {
                    let start = text.start + transactions.start;
                    // The bytes replace their digits, which take twice as much memory.
                    values.bytes[text.start..][..encoded.len()].copy_from_slice(&encoded);
                    let list = TransactionList::new(
                        start..start + transactions.len(),
                        Some(header.number),
                    );
                    let place = values.place();
                    let root = &header.transactions_root;
                    let list = self.compare_root(path, place, &values.bytes, list, root);
                    values.open = Some(OpenTransactions::Encoded(list));
                }
            }
        }
        Ok(())
    }

    /// Returns the root to compare the transactions of a block with; `None` if they are not
    /// compared.
    fn root_to_compare(
        &mut self,
        path: &Arc<Path>,
        values: &JsonValues,
        number: Option<u64>,
        root: Option<[u8; 32]>,
    ) -> Option<[u8; 32]> {
        if root == Some([0; 32]) {
            let block = number.map_or_else(
                || "the block".to_owned(),
                |number| format!("block {number}"),
            );
            let what = format!(
                "{block}: its transactionsRoot is zeros, so that its transactions are not compared with it"
            );
            let problem = Problem {
                not_checked: true,
                ..Problem::new(path, values.place(), what)
            };
            note(&mut self.to.progress.problems, problem);
        }
        let wanted = root.filter(|root| *root != [0; 32] && !self.options.skip_roots);
        if wanted.is_none() {
            self.to.progress.blocks.not_compared += 1;
        }
        wanted
    }

    /// Adds transactions of the current block until the part is full.
    fn add_open(&mut self, path: &Arc<Path>, values: &mut JsonValues) -> Result<(), Why> {
        match &mut values.open {
            Some(OpenTransactions::Json(block)) => {
                let first = self.to.len();
                let number = block.list.block;
                let (root, encodings) = block.root.take().unzip();
                self.is_of_other_root = block.list.is_of_other_root;
                self.encodings = encodings;
                let added = self.add_elements(values);
                self.is_of_other_root = false;
                if let Some((root, encodings)) = root.zip(self.encodings.take()) {
                    let encodings = self.encode_rest(values, encodings);
                    let is_other = self.compare_json(path, values, number, &root, &encodings)
                        || added.is_err();
                    if is_other {
                        self.mark_of_other_root(first);
                    }
                    if let Some(OpenTransactions::Json(block)) = &mut values.open {
                        block.list.is_of_other_root = is_other;
                    }
                }
                added
            }
            _ => self.add_elements(values),
        }
    }

    /// Encodes the transactions of the current block that belong to later parts: a part is not
    /// passed on before it is known whether its block agrees with the header.
    fn encode_rest(&self, values: &JsonValues, encodings: Encodings) -> Encodings {
        let Some(OpenTransactions::Json(block)) = &values.open else {
            return encodings;
        };
        let mut ahead = Decoder::new(self.options, DecodedSignatures::default(), usize::MAX);
        ahead.encodings = Some(encodings);
        let mut rest = block.list.rest.clone();
        while let Some(element) = next_element(&values.bytes, &mut rest) {
            ahead.add_json(&values.bytes[element], None);
            ahead.to.clear();
            if ahead
                .encodings
                .as_ref()
                .is_none_or(|encodings| encodings.is_incomplete)
            {
                break;
            }
        }
        ahead.encodings.unwrap_or_default()
    }

    /// Compares the transactions of a block with its root, and returns whether they are known to
    /// have another root.
    fn compare_json(
        &mut self,
        path: &Arc<Path>,
        values: &JsonValues,
        number: Option<u64>,
        root: &[u8; 32],
        encodings: &Encodings,
    ) -> bool {
        let Some(found) = encodings.root() else {
            self.to.progress.blocks.not_compared += 1;
            return false;
        };
        self.to.progress.blocks.compared += 1;
        if found != *root {
            let problem = Problem::new(path, values.place(), other_root(number, &found, root));
            note(&mut self.to.progress.problems, problem);
        }
        found != *root
    }

    /// Adds transactions of the current block until the part is full.
    fn add_elements(&mut self, values: &mut JsonValues) -> Result<(), Why> {
        while !self.is_full() {
            match &mut values.open {
                None => return Ok(()),
                Some(OpenTransactions::Encoded(list)) => {
                    self.add_list(&values.bytes, list)
                        .map_err(|problem| format!("the block: {problem}"))?;
                    if list.is_empty() {
                        values.open = None;
                    }
                }
                Some(OpenTransactions::Json(JsonBlock { list, .. })) => {
                    match next_element(&values.bytes, &mut list.rest) {
                        None => values.open = None,
                        Some(element) => {
                            if !self.add_json(&values.bytes[element], list.block) {
                                list.count_unreadable()?;
                            }
                        }
                    }
                }
                Some(OpenTransactions::Waiting(transactions)) => match transactions.next() {
                    None => values.open = None,
                    Some(transaction) => self.add_json_alone(&values.bytes[transaction]),
                },
            }
        }
        Ok(())
    }

    /// Adds a transaction of a block. Returns whether it counts as one.
    fn add_json(&mut self, text: &[u8], block: Option<u64>) -> bool {
        match text.first() {
            Some(b'{') => {
                match JsonTransaction::of(text) {
                    Ok(transaction) => self.add_json_transaction(&transaction, block),
                    Err(why) => self.add_not_rebuilt(Kind::Unknown, [0; 32], block, why),
                }
                text.len() >= SHORTEST_OBJECT
            }
            // Blocks that were requested without their transactions contain only hashes.
            Some(b'"') => match decoded(text) {
                Ok(encoded) => {
                    match encoded.as_slice().try_into() {
                        Ok(hash) => {
                            self.add_not_rebuilt(Kind::Unknown, hash, block, ONLY_HASH.into())
                        }
                        Err(_) => self.add_encoded(&encoded, block),
                    }
                    encoded.len() >= SHORTEST
                }
                Err(why) => {
                    self.add_not_rebuilt(Kind::Unknown, [0; 32], block, why);
                    false
                }
            },
            _ => {
                self.add_not_rebuilt(
                    Kind::Unknown,
                    [0; 32],
                    block,
                    "it is neither an object nor hexadecimal".into(),
                );
                false
            }
        }
    }
}

const ONLY_HASH: &str = "there is only its hash";

/// Decodes hexadecimal digits, which may be in quotes, with the prefixes of [`hex_digits`].
fn decoded(text: &[u8]) -> Result<Vec<u8>, Why> {
    let digits = text.trim_ascii();
    let digits = digits
        .strip_prefix(b"\"")
        .and_then(|digits| digits.strip_suffix(b"\""))
        .unwrap_or(digits);
    let digits = hex_digits(digits);
    // The decoder would remove another prefix.
    let encoded = match digits.starts_with(b"0x") {
        true => None,
        false => const_hex::decode(digits).ok(),
    };
    encoded
        .filter(|encoded| !encoded.is_empty())
        .ok_or_else(|| why_not_hexadecimal(digits))
}

/// Returns the reason why digits cannot be decoded. They are not quoted, because they may be a key
/// in the wrong place.
fn why_not_hexadecimal(digits: &[u8]) -> Why {
    match digits.iter().position(|digit| !digit.is_ascii_hexdigit()) {
        _ if digits.is_empty() => "there are no digits".into(),
        Some(place) => format!(
            "it is not in hexadecimal: character {} is not a digit",
            place + 1
        )
        .into(),
        None => format!(
            "it is not in hexadecimal: there are {} digits, an odd number",
            digits.len()
        )
        .into(),
    }
}

/// Returns the next element of a list that is known to be JSON. `rest` starts at the list's opening
/// bracket, or after an element. Afterwards it starts after the returned element, or is empty.
fn next_element(bytes: &[u8], rest: &mut Range<usize>) -> Option<Range<usize>> {
    let text = bytes[rest.clone()].trim_ascii_start();
    let element = match text {
        [b'[' | b',', text @ ..] => serde_json::Deserializer::from_slice(text)
            .into_iter::<&RawValue>()
            .next(),
        _ => None,
    };
    // After the bracket of an empty list, there is no value.
    let Some(Ok(element)) = element else {
        *rest = 0..0;
        return None;
    };
    let element = place_in(bytes, element.get().as_bytes());
    rest.start = element.end;
    Some(element)
}
