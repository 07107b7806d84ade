//! Private keys as PEM (RFC 7468), any number in one file.

use crate::KeyKind;
use crate::der::{ENCRYPTED, pkcs8_key, sec1_key};
use crate::openssh;
use crate::pairs::{Pair, Pairs};
use crate::without_mark;
use pem_rfc7468::Decoder;
use std::ops::Range;
use zeroize::Zeroizing;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// What a block is, by its label.
enum Content {
    Sec1,
    Pkcs8,
    Encrypted,
    OpenSsh,
    /// Private keys in a form of their own.
    Unknown,
    /// Certificates, public keys, parameters: what stands beside keys.
    Other,
}

impl Content {
    fn of(label: &str) -> Self {
        match label {
            // OpenSSL has a label of its own for SM2.
            "EC PRIVATE KEY" | "SM2 PRIVATE KEY" => Content::Sec1,
            "PRIVATE KEY" => Content::Pkcs8,
            "ENCRYPTED PRIVATE KEY" => Content::Encrypted,
            "OPENSSH PRIVATE KEY" => Content::OpenSsh,
            label if label.ends_with("PRIVATE KEY") => Content::Unknown,
            _ => Content::Other,
        }
    }
}

/// Whether a line begins a block. Text may stand before it.
pub fn begins(head: &[u8]) -> bool {
    head.split(|byte| *byte == b'\n').any(|line| without_mark(line).starts_with(BEGIN))
}

/// The keys of all blocks that hold one, in their order. A text without any is something else, and an error.
pub fn read(text: &[u8], pairs: &mut Pairs) -> Result<(), String> {
    let (kind, before) = (pairs.kind(), pairs.len());
    let mut first_label = None;
    for block in Blocks::new(text) {
        let Block { line, bytes } = block?;
        first_label.get_or_insert(label(&text[bytes.clone()]));
        let place = format!("block in line {line}: ");
        let pair = block_pair(&text[bytes], kind).map_err(|problem| format!("{place}{problem}"))?;
        pair.map_or(Ok(()), |pair| pairs.push(pair, &place))?;
    }
    match first_label {
        Some(label) if pairs.len() == before => Err(format!("no private key: this is PEM of a {label}")),
        _ => Ok(()),
    }
}

/// `None` where the block is something else.
fn block_pair(block: &[u8], kind: KeyKind) -> Result<Option<Pair>, String> {
    let content = Content::of(label(block));
    let read: fn(&[u8], KeyKind) -> Result<Pair, String> = match content {
        Content::Other => return Ok(None),
        Content::Encrypted => return Err(ENCRYPTED.to_owned()),
        Content::OpenSsh if kind == KeyKind::Ed25519 => |der: &[u8], _| openssh::private_key(der),
        Content::OpenSsh | Content::Unknown => {
            let others = if kind == KeyKind::Ed25519 { "OPENSSH PRIVATE KEY" } else { "EC PRIVATE KEY" };
            return Err(format!("`{}` is not supported; PRIVATE KEY and {others} are", label(block)));
        }
        // The old way to encrypt (RFC 1421) has headers.
        _ if block.windows(10).any(|part| part == b",ENCRYPTED") => return Err(ENCRYPTED.to_owned()),
        Content::Sec1 => sec1_key,
        Content::Pkcs8 => pkcs8_key,
    };
    let invalid = |_| "not valid PEM".to_owned();
    let mut decoder = Decoder::new_detect_wrap(block.trim_ascii_end()).map_err(invalid)?;
    let mut bytes = Zeroizing::new(vec![0; decoder.remaining_len()]);
    decoder.decode(&mut bytes).map_err(invalid)?;
    read(&bytes, kind).map(Some)
}

/// The label of a block that begins with its first line, or nothing where that has another form.
fn label(block: &[u8]) -> &str {
    let line = block.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let label = line.strip_prefix(BEGIN).and_then(|rest| rest.trim_ascii_end().strip_suffix(b"-----"));
    label.and_then(|label| std::str::from_utf8(label).ok()).unwrap_or_default()
}

struct Block {
    /// The line that begins it, counted from 1.
    line: usize,
    bytes: Range<usize>,
}

/// Takes a file apart into blocks.
struct Blocks<'a> {
    text: &'a [u8],
    /// Where the next line begins, and how many are before it.
    place: usize,
    lines: usize,
}

impl<'a> Blocks<'a> {
    fn new(text: &'a [u8]) -> Self {
        let place = text.len() - without_mark(text).len();
        Blocks { text, place, lines: 0 }
    }

    /// The next line with its end.
    fn line(&mut self) -> Option<Range<usize>> {
        let rest = &self.text[self.place..];
        let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        let line = self.place..self.place + length;
        self.place = line.end;
        self.lines += 1;
        (length > 0).then_some(line)
    }
}

impl Iterator for Blocks<'_> {
    type Item = Result<Block, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = loop {
            let line = self.line()?;
            if self.text[line.clone()].starts_with(BEGIN) {
                break line.start;
            }
        };
        let first = self.lines;
        while let Some(line) = self.line() {
            if self.text[line.clone()].starts_with(BEGIN) {
                break;
            }
            if self.text[line.clone()].starts_with(END) {
                return Some(Ok(Block { line: first, bytes: start..line.end }));
            }
        }
        // What follows is not looked at: the caller gives up.
        self.place = self.text.len();
        Some(Err(format!("the block in line {first} has no end")))
    }
}
