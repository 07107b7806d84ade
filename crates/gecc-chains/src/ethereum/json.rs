//! Blocks and transactions as JSON-RPC gives them: `eth_getBlockByNumber` with full transactions,
//! `eth_getTransactionByHash`, `debug_getRawBlock`, `eth_getRawTransactionByHash` and the like, as they answer or the
//! result alone.
//!
//! A file has a value a line, or is one value: a block, a transaction, or a list of these. Numbers and bytes are texts
//! that begin with `0x`. Encoded blocks and transactions may also stand in hexadecimal, one a line, as they are.

use super::answers::Kind;
use super::blocks::{other_root, place_in};
use super::decoded::{Claims, Decoded, Decoder, Encodings};
use super::rlp;
use super::span::from_v;
use super::transaction::{
    Authorization, Deposit, Fields, LENGTH_OF_HASH, List, Number, Parts, Signature, UnsignedType, put_access,
};
use super::{Content, PIECE, Piece};
use crate::files::{Line, Reader};
use crate::flow::HandOn;
use crate::limits::Limits;
use crate::problem::{Place, Problem, brief, note, of_json};
use gecc::ecdsa::Address;
use gecc::fields::{may_be_secret, shown};
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

/// Bytes of a line, or of a file that is one value.
const LONGEST: u64 = 512 << 20;

/// Values, one a line or only one.
pub struct Values {
    bytes: Vec<u8>,
    is_lines: bool,
    /// Where the first of them is in its file.
    start: u64,
    /// Where the next begins in the bytes, and the one before it or its element.
    next: usize,
    present: usize,
    /// Elements of a list that are still to be read, and transactions of a block.
    elements: Range<usize>,
    open: Option<Open>,
}

/// Transactions that are still to be read.
enum Open {
    Json(JsonBlock),
    /// Of a block in RLP.
    Encoded(List),
}

/// The transactions of a block, and what its header commits to.
struct JsonBlock {
    list: List,
    /// The transactions root, with what was encoded so far, until they are compared.
    root: Option<([u8; 32], Encodings)>,
}

impl Values {
    fn new(bytes: Vec<u8>, is_lines: bool, start: u64) -> Self {
        Values { bytes, is_lines, start, next: 0, present: 0, elements: 0..0, open: None }
    }

    /// Bytes that are in memory until all values are decoded: also the fields of a transaction and what is signed,
    /// which may fill a value, and the encoded transactions of a block, which are half as long as their digits.
    pub fn weight(&self) -> usize {
        4 * self.bytes.len()
    }

    /// Where the present value is in the file.
    fn place(&self) -> Place {
        Place::Byte(self.start + self.present as u64)
    }
}

/// Whether a file that begins like this has JSON, or lines in hexadecimal.
pub fn begins(first: &[u8]) -> bool {
    /// Digits that are looked at.
    const DIGITS: usize = 16;
    let text = first.trim_ascii_start();
    let digits = text.strip_prefix(b"0x").unwrap_or(text);
    is_json(text) || digits.len() >= DIGITS && digits[..DIGITS].iter().all(u8::is_ascii_hexdigit)
}

fn is_json(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'{' | b'[' | b'"'))
}

/// Reads a file of values. A line that is too long is a problem, and the next is read.
pub fn read(reader: &mut Reader, limits: &Limits, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
    let (mut bytes, longest) = (Vec::new(), limits.whole_of(LONGEST));
    let mut start = reader.place();
    let mut last = read_first(reader, longest, &mut bytes);
    let is_lines = !is_json(bytes.trim_ascii_start()) || serde_json::from_slice::<&RawValue>(&bytes).is_ok();
    loop {
        if last == Ok(Line::Whole) {
            let append = if is_lines { append_lines } else { append_rest };
            last = append(reader, longest, &mut bytes);
        }
        let length = bytes.len() as u64;
        if length > 0 {
            let values = Values::new(std::mem::take(&mut bytes), is_lines, start);
            hand_on(Piece::new(&reader.path, Content::Json(values), length))?;
        }
        match last {
            Ok(Line::Whole) => {}
            Ok(Line::Longer) => {
                let what = format!("a line has more than {longest} bytes");
                hand_on(Piece::problem(reader.problem_at(start + length, what)))?;
                pass_over_line(reader, hand_on)?;
            }
            Ok(Line::None) => return ControlFlow::Continue(()),
            Err(problem) => return hand_on(Piece::problem(problem)),
        }
        (last, start) = (Ok(Line::Whole), reader.place());
    }
}

/// Reads up to the first line that is not empty. What came last.
fn read_first(reader: &mut Reader, longest: u64, bytes: &mut Vec<u8>) -> Result<Line, Problem> {
    loop {
        let last = reader.append_line(longest, bytes)?;
        if last != Line::Whole || !bytes.trim_ascii().is_empty() {
            return Ok(last);
        }
    }
}

/// Reads lines until there is enough. What came last.
fn append_lines(reader: &mut Reader, longest: u64, bytes: &mut Vec<u8>) -> Result<Line, Problem> {
    while bytes.len() < PIECE {
        let last = reader.append_line(longest, bytes)?;
        if last != Line::Whole {
            return Ok(last);
        }
    }
    Ok(Line::Whole)
}

/// Passes over the rest of a line, as long as what follows is wanted.
fn pass_over_line(reader: &mut Reader, hand_on: &mut HandOn<Piece>) -> ControlFlow<()> {
    // What cannot be read is left to who reads it next.
    while let Ok(Line::Longer) = reader.append_line(PIECE as u64, &mut Vec::new()) {
        hand_on(Piece::problems(Vec::new()))?;
    }
    ControlFlow::Continue(())
}

fn append_rest(reader: &mut Reader, longest: u64, bytes: &mut Vec<u8>) -> Result<Line, Problem> {
    if reader.append_rest(longest, bytes)? {
        return Ok(Line::None);
    }
    Err(reader.problem(format!("a value is longer than the limit of {longest} bytes; one a line would do")))
}

/// A value, by what it may be: an answer, a block or a transaction.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Value<'a> {
    /// What an answer begins with.
    jsonrpc: Option<IgnoredAny>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    number: Option<&'a RawValue>,
    #[serde(borrow)]
    transactions: Option<&'a RawValue>,
    #[serde(borrow)]
    transactions_root: Option<&'a RawValue>,
    /// What a transaction has and a block has not.
    #[serde(borrow)]
    block_number: Option<&'a RawValue>,
    input: Option<IgnoredAny>,
    data: Option<IgnoredAny>,
}

/// What a value turned out to be, and where it is.
enum Found {
    List(Range<usize>),
    /// The transactions, the number, and the root of the transactions.
    Block(Range<usize>, Option<u64>, Option<[u8; 32]>),
    /// With the number of its block.
    Transaction(Range<usize>, Option<u64>),
    /// A block or a transaction in hexadecimal.
    Encoded(Range<usize>),
}

impl Found {
    /// Of a value, or of the result of an answer.
    fn of(bytes: &[u8], text: Range<usize>) -> Result<Self, Why> {
        match bytes[text.clone()].first() {
            Some(b'[') => return Ok(Found::List(text)),
            Some(b'{') => {}
            _ => return Ok(Found::Encoded(text)),
        }
        let value: Value = parse(&bytes[text.clone()])?;
        if let Some(error) = value.error {
            return Err(node_says(error));
        }
        match (value.result, value.jsonrpc) {
            (Some(result), _) if result.get().starts_with('{') => {
                let object = parse(result.get().as_bytes())?;
                Self::of_object(bytes, &object, place_in(bytes, result.get().as_bytes()))
            }
            (Some(result), _) => Self::of(bytes, place_in(bytes, result.get().as_bytes())),
            (None, Some(_)) => Err("the node answered with null: it has no such block or transaction".into()),
            (None, None) => Self::of_object(bytes, &value, text),
        }
    }

    fn of_object(bytes: &[u8], object: &Value, text: Range<usize>) -> Result<Self, Why> {
        let number =
            |number: Option<&RawValue>| number.map(|number| parse(number.get().as_bytes()).and_then(small)).transpose();
        match object.transactions {
            Some(transactions) if transactions.get().starts_with('[') => {
                let transactions = place_in(bytes, transactions.get().as_bytes());
                let root = object.transactions_root.map(|root| parse(root.get().as_bytes()).and_then(fixed));
                Ok(Found::Block(transactions, number(object.number)?, root.transpose()?))
            }
            Some(_) => Err("a block has a list of transactions".into()),
            None if object.input.is_some() || object.data.is_some() => {
                Ok(Found::Transaction(text, number(object.block_number)?))
            }
            None => Err("neither a block, which has a list of transactions, nor a transaction".into()),
        }
    }
}

/// Why a node did not answer.
#[derive(Deserialize)]
struct NodeError<'a> {
    code: Option<i64>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
}

fn node_says(error: &RawValue) -> Why {
    let said = match serde_json::from_str(error.get()) {
        Ok(NodeError { code: Some(code), message: Some(message) }) => format!("{} (code {code})", brief(message)),
        Ok(NodeError { code: None, message: Some(message) }) => brief(message),
        _ => brief(error.get()),
    };
    // A message that a node has not written may be anything.
    let said = if may_be_secret(said.as_bytes()) { shown(&said) } else { said };
    format!("the node answered with an error: {said}").into()
}

/// A deposit of an OP chain. Some nodes give it a signature of zeros.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsonDeposit<'a> {
    #[serde(rename = "type")]
    type_number: &'a str,
    hash: Option<&'a str>,
    source_hash: Option<&'a str>,
    from: Option<&'a str>,
    to: Option<&'a str>,
    mint: Option<&'a str>,
    value: Option<&'a str>,
    #[serde(rename = "gas")]
    gas_limit: Option<&'a str>,
    is_system_tx: Option<bool>,
    #[serde(alias = "data")]
    input: Option<&'a str>,
    v: Option<&'a str>,
    y_parity: Option<&'a str>,
    r: Option<&'a str>,
    s: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsonTransaction<'a> {
    hash: Option<&'a str>,
    from: Option<&'a str>,
    #[serde(rename = "type")]
    type_number: Option<&'a str>,
    chain_id: Option<&'a str>,
    nonce: &'a str,
    gas_price: Option<&'a str>,
    max_fee_per_gas: Option<&'a str>,
    max_priority_fee_per_gas: Option<&'a str>,
    max_fee_per_blob_gas: Option<&'a str>,
    #[serde(rename = "gas")]
    gas_limit: &'a str,
    to: Option<&'a str>,
    value: &'a str,
    #[serde(alias = "data")]
    input: &'a str,
    #[serde(borrow, default)]
    access_list: Option<Listed<Access<'a>>>,
    #[serde(borrow, default)]
    blob_versioned_hashes: Option<Listed<&'a str>>,
    #[serde(borrow, default)]
    authorization_list: Option<Listed<JsonAuthorization<'a>>>,
    v: Option<&'a str>,
    y_parity: Option<&'a str>,
    r: &'a str,
    s: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Access<'a> {
    address: &'a str,
    #[serde(borrow)]
    storage_keys: Listed<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsonAuthorization<'a> {
    chain_id: &'a str,
    address: &'a str,
    nonce: &'a str,
    #[serde(alias = "v")]
    y_parity: &'a str,
    r: &'a str,
    s: &'a str,
    authority: Option<&'a str>,
}

type Why = Cow<'static, str>;

/// The elements of a list, or why one is not what it is to be. As text they would take much more room than in the file.
struct Listed<T>(Result<Elements, Why>, PhantomData<T>);

#[derive(Default)]
struct Elements {
    encoded: Vec<u8>,
    /// Who the source says has signed authorizations.
    authorities: Vec<Option<Address>>,
}

/// What lists are of.
trait Element {
    fn put(&self, to: &mut Elements) -> Result<(), Why>;
}

impl<'de, T: Element + Deserialize<'de>> Deserialize<'de> for Listed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Listed(Ok(Elements::default()), PhantomData))
    }
}

/// Takes the elements, beginning with none.
impl<'de, T: Element + Deserialize<'de>> Visitor<'de> for Listed<T> {
    type Value = Self;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self, A::Error> {
        while let Some(element) = list.next_element::<T>()? {
            if let Ok(elements) = &mut self.0
                && let Err(why) = element.put(elements)
            {
                self.0 = Err(why);
            }
        }
        Ok(self)
    }
}

impl Element for &str {
    fn put(&self, to: &mut Elements) -> Result<(), Why> {
        rlp::put_string(&fixed::<32>(self)?, &mut to.encoded);
        Ok(())
    }
}

impl Element for Access<'_> {
    fn put(&self, to: &mut Elements) -> Result<(), Why> {
        let keys = &self.storage_keys.0.as_ref().map_err(Clone::clone)?.encoded;
        put_access(&fixed(self.address)?, keys.len() / LENGTH_OF_HASH, &mut to.encoded);
        to.encoded.extend_from_slice(keys);
        Ok(())
    }
}

impl Element for JsonAuthorization<'_> {
    fn put(&self, to: &mut Elements) -> Result<(), Why> {
        self.read()?.put(&mut to.encoded);
        to.authorities.push(self.authority.map(fixed).transpose()?);
        Ok(())
    }
}

/// The elements of a list that the source may leave out.
fn listed<T>(list: Option<Listed<T>>) -> Result<Elements, Why> {
    list.map_or_else(|| Ok(Elements::default()), |list| list.0)
}

impl Decoder<'_> {
    /// Adds the transactions of blocks until there is enough. Whether that were all.
    pub fn add_values(&mut self, path: &Arc<Path>, values: &mut Values) -> bool {
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
                // Of a block nothing more is read.
                values.open = None;
                note(&mut self.to.progress.problems, Problem::new(path, values.place(), what));
            }
        }
        false
    }

    /// Begins with the next value.
    fn open_value(&mut self, path: &Arc<Path>, values: &mut Values) -> Result<(), Why> {
        let start = values.next;
        let rest = &values.bytes[start..];
        let line = if values.is_lines { rest.iter().position(|byte| *byte == b'\n') } else { None };
        values.present = start;
        values.next = line.map_or(values.bytes.len(), |end| start + end + 1);
        let text = values.bytes[start..values.next].trim_ascii();
        if text.is_empty() {
            return Ok(());
        }
        let found = Found::of(&values.bytes, place_in(&values.bytes, text))?;
        self.open(path, values, found)
    }

    /// Begins with an element of a list.
    fn open_element(&mut self, path: &Arc<Path>, values: &mut Values, text: Range<usize>) -> Result<(), Why> {
        values.present = text.start;
        match Found::of(&values.bytes, text)? {
            Found::List(_) => Err("a list in a list".into()),
            found => self.open(path, values, found),
        }
    }

    fn open(&mut self, path: &Arc<Path>, values: &mut Values, found: Found) -> Result<(), Why> {
        match found {
            Found::List(text) => {
                // All of it has to be JSON before anything of it is read.
                parse::<&RawValue>(&values.bytes[text.clone()])?;
                values.elements = text;
            }
            Found::Block(transactions, number, root) => {
                if self.wants(number) {
                    let root = self.root_to_compare(path, values, number, root);
                    let list = List::new(transactions, number);
                    values.open =
                        Some(Open::Json(JsonBlock { list, root: root.map(|root| (root, Encodings::default())) }));
                }
            }
            Found::Transaction(text, block) => {
                if self.wants(block) && !self.add_json(&values.bytes[text], block) {
                    return Err("it is no transaction".into());
                }
            }
            Found::Encoded(text) => self.open_encoded(path, values, text)?,
        }
        Ok(())
    }

    /// Begins with an encoded block, or adds an encoded transaction, in hexadecimal.
    fn open_encoded(&mut self, path: &Arc<Path>, values: &mut Values, text: Range<usize>) -> Result<(), Why> {
        let digits = values.bytes[text.clone()].trim_ascii();
        let digits = digits.strip_prefix(b"\"").and_then(|digits| digits.strip_suffix(b"\"")).unwrap_or(digits);
        let encoded = const_hex::decode(digits).ok().filter(|encoded| !encoded.is_empty());
        let encoded = encoded.ok_or_else(|| not_hex(&String::from_utf8_lossy(digits)))?;
        match super::blocks::block(&encoded) {
            None => self.add_encoded(&encoded, None),
            Some(block) => {
                let (header, transactions) = block.map_err(|problem| format!("the block: {problem}"))?;
                if self.wants(Some(header.number)) {
                    let start = text.start + transactions.start;
                    // Where its digits were, of which there were twice as many.
                    values.bytes[text.start..][..encoded.len()].copy_from_slice(&encoded);
                    let list = List::new(start..start + transactions.len(), Some(header.number));
                    let (place, root) = (values.place(), &header.transactions_root);
                    let list = self.compare_root(path, place, &values.bytes, list, root);
                    values.open = Some(Open::Encoded(list));
                }
            }
        }
        Ok(())
    }

    /// The root that the transactions of a block are to be compared with. `None` where they are not compared.
    fn root_to_compare(
        &mut self,
        path: &Arc<Path>,
        values: &Values,
        number: Option<u64>,
        root: Option<[u8; 32]>,
    ) -> Option<[u8; 32]> {
        if root == Some([0; 32]) {
            let block = number.map_or_else(|| "the block".to_owned(), |number| format!("block {number}"));
            let what =
                format!("{block}: its transactionsRoot is zeros, so that its transactions are not compared with it");
            let problem = Problem { not_checked: true, ..Problem::new(path, values.place(), what) };
            note(&mut self.to.progress.problems, problem);
        }
        let wanted = root.filter(|root| *root != [0; 32] && !self.options.skip_roots);
        if wanted.is_none() {
            self.to.progress.blocks.not_compared += 1;
        }
        wanted
    }

    /// Adds transactions of the present block until there is enough.
    fn add_open(&mut self, path: &Arc<Path>, values: &mut Values) -> Result<(), Why> {
        match &mut values.open {
            Some(Open::Json(block)) => {
                let (first, number) = (self.to.len(), block.list.block);
                let (root, encodings) = block.root.take().unzip();
                self.is_of_other_root = block.list.is_of_other_root;
                self.encodings = encodings;
                let added = self.add_elements(values);
                self.is_of_other_root = false;
                if let Some((root, encodings)) = root.zip(self.encodings.take()) {
                    let encodings = self.encode_rest(values, encodings);
                    let is_other = self.compare_json(path, values, number, &root, &encodings) || added.is_err();
                    if is_other {
                        self.mark_of_other_root(first);
                    }
                    if let Some(Open::Json(block)) = &mut values.open {
                        block.list.is_of_other_root = is_other;
                    }
                }
                added
            }
            _ => self.add_elements(values),
        }
    }

    /// Encodes those transactions of the present block that are for the next parts: a part is not handed out before it
    /// is known whether its block is what the header says.
    fn encode_rest(&self, values: &Values, encodings: Encodings) -> Encodings {
        let Some(Open::Json(block)) = &values.open else { return encodings };
        let mut ahead = Decoder::new(self.options, Decoded::default(), usize::MAX);
        ahead.encodings = Some(encodings);
        let mut rest = block.list.rest.clone();
        while let Some(element) = next_element(&values.bytes, &mut rest) {
            ahead.add_json(&values.bytes[element], None);
            ahead.to.clear();
            if ahead.encodings.as_ref().is_none_or(|encodings| encodings.is_incomplete) {
                break;
            }
        }
        ahead.encodings.unwrap_or_default()
    }

    /// Compares the transactions of a block with its root, and returns whether they are known to have another.
    fn compare_json(
        &mut self,
        path: &Arc<Path>,
        values: &Values,
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

    /// Adds transactions of the present block until there is enough.
    fn add_elements(&mut self, values: &mut Values) -> Result<(), Why> {
        while !self.is_full() {
            match &mut values.open {
                None => return Ok(()),
                Some(Open::Encoded(list)) => {
                    self.add_list(&values.bytes, list).map_err(|problem| format!("the block: {problem}"))?;
                    if list.is_empty() {
                        values.open = None;
                    }
                }
                Some(Open::Json(JsonBlock { list, .. })) => match next_element(&values.bytes, &mut list.rest) {
                    None => values.open = None,
                    Some(element) => {
                        if !self.add_json(&values.bytes[element], list.block) {
                            list.count_unreadable()?;
                        }
                    }
                },
            }
        }
        Ok(())
    }

    /// Adds a transaction. Whether it is one, or at least the hash of one.
    fn add_json(&mut self, text: &[u8], block: Option<u64>) -> bool {
        match serde_json::from_slice::<JsonTransaction>(text) {
            Ok(transaction) if !transaction.is_unsigned() => {
                let hash = transaction.hash.and_then(|hash| fixed(hash).ok());
                match transaction.read(block, &mut Parts::default()) {
                    Ok((fields, signature, claims)) => self.add_fields(&fields, &signature, &claims),
                    Err(why) => self.add_not_rebuilt(Kind::Unknown, hash.unwrap_or_default(), block, why),
                }
                true
            }
            // Where blocks were asked for without their transactions there are hashes alone.
            other => {
                self.add_json_deposit(text, block) || {
                    let hash = serde_json::from_slice::<&str>(text).ok().and_then(|hash| fixed(hash).ok());
                    let why = match other {
                        Err(problem) if hash.is_none() => of_json(&problem).into(),
                        _ => "there is only its hash".into(),
                    };
                    self.add_not_rebuilt(Kind::Unknown, hash.unwrap_or_default(), block, why);
                    hash.is_some()
                }
            }
        }
    }

    /// Adds a deposit, which has no signature. Returns whether it is one.
    fn add_json_deposit(&mut self, text: &[u8], block: Option<u64>) -> bool {
        let Ok(deposit) = serde_json::from_slice::<JsonDeposit>(text) else { return false };
        if unsigned_type(deposit.type_number).is_none() {
            return false;
        }
        let (hash, mut input) = (deposit.hash.map(fixed).transpose(), Vec::new());
        let read = hash.clone().and_then(|hash| Ok((hash, deposit.read(&mut input)?)));
        match read {
            Ok((hash, deposit)) => self.add_deposit(&deposit, hash, block),
            Err(why) => {
                self.add_not_rebuilt(Kind::Deposit, hash.ok().flatten().unwrap_or_default(), block, why);
            }
        }
        true
    }
}

/// The next element of a list which is known to be JSON, and of which the rest is told: from its bracket on, or from
/// behind an element on. Afterwards that is behind this element, or empty.
fn next_element(bytes: &[u8], rest: &mut Range<usize>) -> Option<Range<usize>> {
    let text = bytes[rest.clone()].trim_ascii_start();
    let element = match text {
        [b'[' | b',', text @ ..] => serde_json::Deserializer::from_slice(text).into_iter::<&RawValue>().next(),
        _ => None,
    };
    // Behind the bracket of an empty list there is no value.
    let Some(Ok(element)) = element else {
        *rest = 0..0;
        return None;
    };
    let element = place_in(bytes, element.get().as_bytes());
    rest.start = element.end;
    Some(element)
}

fn parse<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, Why> {
    serde_json::from_slice(text).map_err(|problem| format!("no block in JSON: {}", of_json(&problem)).into())
}

/// The type that a transaction states, if transactions of it bear no signature.
fn unsigned_type(type_number: &str) -> Option<UnsignedType> {
    small(type_number).ok().and_then(UnsignedType::of)
}

impl JsonDeposit<'_> {
    fn read<'i>(&self, input: &'i mut Vec<u8>) -> Result<Deposit<'i>, Why> {
        for (name, value) in [("v", self.v), ("yParity", self.y_parity), ("r", self.r), ("s", self.s)] {
            if value.is_some_and(|value| number(value) != Ok([0; 32])) {
                return Err(format!("a deposit has no signature, and this has `{name}`").into());
            }
        }
        let text = self.input.ok_or_else(|| missing("input"))?;
        *input = const_hex::decode(prefixed(text)?).map_err(|_| not_hex(text))?;
        Ok(Deposit {
            source_hash: fixed(self.source_hash.ok_or_else(|| missing("sourceHash"))?)?,
            from: fixed(self.from.ok_or_else(|| missing("from"))?)?,
            to: self.to.map(fixed).transpose()?,
            mint: self.mint.map_or(Ok([0; 32]), number)?,
            value: number(self.value.ok_or_else(|| missing("value"))?)?,
            gas_limit: small(self.gas_limit.ok_or_else(|| missing("gas"))?)?,
            // Nodes leave out what is not set.
            is_system: self.is_system_tx.unwrap_or_default(),
            input,
        })
    }
}

fn missing(name: &str) -> Why {
    format!("a deposit has a field `{name}`, which is missing").into()
}

impl JsonTransaction<'_> {
    fn is_unsigned(&self) -> bool {
        self.type_number.is_some_and(|number| unsigned_type(number).is_some())
    }

    fn read(self, block: Option<u64>, parts: &mut Parts) -> Result<(Fields<'_>, Signature, Claims), Why> {
        let type_number = self.type_number.map_or(Ok(0), small)?;
        let (parity, chain_id) = self.parity_and_chain(type_number)?;
        let authorizations = listed(self.authorization_list)?;
        let fields = Fields {
            type_number,
            chain_id,
            nonce: small(self.nonce)?,
            gas_price: self.gas_price.map(amount).transpose()?,
            max_fee_per_gas: self.max_fee_per_gas.map(amount).transpose()?,
            max_priority_fee_per_gas: self.max_priority_fee_per_gas.map(amount).transpose()?,
            max_fee_per_blob_gas: self.max_fee_per_blob_gas.map(amount).transpose()?,
            gas_limit: small(self.gas_limit)?,
            to: self.to.map(fixed).transpose()?,
            value: number(self.value)?,
            ..Fields::default()
        };
        *parts = Parts {
            input: const_hex::decode(prefixed(self.input)?).map_err(|_| not_hex(self.input))?,
            access_list: listed(self.access_list)?.encoded,
            blob_versioned_hashes: listed(self.blob_versioned_hashes)?.encoded,
            authorization_list: authorizations.encoded,
        };
        let claims = Claims {
            block,
            hash: self.hash.map(fixed).transpose()?,
            from: self.from.map(fixed).transpose()?,
            authorities: authorizations.authorities,
        };
        Ok((fields.with(parts), Signature { r: number(self.r)?, s: number(self.s)?, parity }, claims))
    }

    /// Of legacy transactions v says both; of others it is the parity, which newer nodes give another name.
    fn parity_and_chain(&self, type_number: u64) -> Result<(bool, Option<u64>), Why> {
        if type_number == 0 {
            let v = amount(self.v.ok_or("v is missing")?)?;
            return from_v(v).ok_or_else(|| format!("v = {v} fits no legacy transaction").into());
        }
        let parity = match small(self.y_parity.or(self.v).ok_or("the parity is missing")?)? {
            0 => false,
            1 => true,
            other => return Err(format!("a parity of {other} does not exist").into()),
        };
        Ok((parity, self.chain_id.map(small).transpose()?))
    }
}

impl JsonAuthorization<'_> {
    fn read(&self) -> Result<Authorization, Why> {
        Ok(Authorization {
            chain_id: number(self.chain_id)?,
            address: fixed(self.address)?,
            nonce: small(self.nonce)?,
            parity: u8::try_from(small(self.y_parity)?).map_err(|_| "a parity is one byte")?,
            r: number(self.r)?,
            s: number(self.s)?,
        })
    }
}

// The two hexadecimal forms of JSON-RPC: bytes, two digits each, and numbers without zeros in front, which are let
// pass.

/// The digits. Those who read them would take a sign, or another prefix.
fn prefixed(text: &str) -> Result<&str, Why> {
    let digits = text.strip_prefix("0x").filter(|digits| !["+", "0x", "0X"].iter().any(|it| digits.starts_with(it)));
    digits.ok_or_else(|| not_hex(text))
}

fn not_hex(text: &str) -> Why {
    // It is not quoted: it may be a key that was given in place of an input.
    format!("a text of {} characters is not in hexadecimal", text.chars().count()).into()
}

fn fixed<const N: usize>(text: &str) -> Result<[u8; N], Why> {
    const_hex::decode_to_array(prefixed(text)?).map_err(|_| not_hex(text))
}

fn number(text: &str) -> Result<Number, Why> {
    let digits = prefixed(text)?;
    let significant = digits.trim_start_matches('0').as_bytes();
    let mut padded = [b'0'; 2 * size_of::<Number>()];
    match padded.len().checked_sub(significant.len()) {
        Some(start) if !digits.is_empty() => padded[start..].copy_from_slice(significant),
        _ => return Err(not_hex(text)),
    }
    const_hex::decode_to_array(padded).map_err(|_| not_hex(text))
}

fn amount(text: &str) -> Result<u128, Why> {
    u128::from_str_radix(prefixed(text)?, 16).map_err(|_| not_hex(text))
}

fn small(text: &str) -> Result<u64, Why> {
    u64::from_str_radix(prefixed(text)?, 16).map_err(|_| not_hex(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::U256;

    #[test]
    fn numbers_are_those_of_alloy() {
        for bits in 0..=256 {
            let known = U256::MAX.checked_shr(bits).unwrap_or_default();
            for text in [format!("{known:#x}"), format!("0x{known:080X}")] {
                assert_eq!(number(&text), Ok(known.to_be_bytes()), "{text}");
            }
        }
        let too_large = format!("0x1{:064x}", 0);
        for text in ["", "0x", "1", "0x1_0", "0x+1", "0xg", "0xü", "0x0x1", &too_large] {
            assert!(number(text).is_err() && amount(text).is_err() && small(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bytes_have_one_prefix() {
        let digits = "0b".repeat(20);
        assert_eq!(fixed(&format!("0x{digits}")), Ok([0x0b; 20]));
        for text in [digits.clone(), format!("0x0x{digits}"), format!("0x0X{digits}"), format!("0x+{}", &digits[1..])] {
            assert!(fixed::<20>(&text).is_err(), "{text}");
        }
    }
}
