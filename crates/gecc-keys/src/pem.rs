//! PEM (RFC 7468), the blocks of a text. Read leniently, as there is one reading: a block may be indented, in one line,
//! with lines of any length, blank lines, spaces or the two characters `\n` for line ends, and with headers. Nothing
//! is passed over silently: what begins or ends without the other is an error with its line.

use base64ct::{Base64, Encoding};
use std::fmt;
use std::ops::Range;
use zeroize::Zeroizing;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";
/// Characters of the longest label.
const LONGEST_LABEL: usize = 64;

/// Labels that messages show. Others are not shown, as a key may stand in one where line ends were lost.
const KNOWN_LABELS: [&str; 29] = [
    "ANY PRIVATE KEY",
    "ATTRIBUTE CERTIFICATE",
    "CERTIFICATE",
    "CERTIFICATE REQUEST",
    "CMS",
    "DH PARAMETERS",
    "DSA PARAMETERS",
    "DSA PRIVATE KEY",
    "DSA PUBLIC KEY",
    "EC PARAMETERS",
    "EC PRIVATE KEY",
    "EC PUBLIC KEY",
    "ENCRYPTED PRIVATE KEY",
    "NEW CERTIFICATE REQUEST",
    "OPENSSH PRIVATE KEY",
    "PARAMETERS",
    "PGP PRIVATE KEY BLOCK",
    "PGP PUBLIC KEY BLOCK",
    "PKCS7",
    "PRIVATE KEY",
    "PUBLIC KEY",
    "RSA PRIVATE KEY",
    "RSA PUBLIC KEY",
    "SM2 PARAMETERS",
    "SM2 PRIVATE KEY",
    "SSH2 ENCRYPTED PRIVATE KEY",
    "TRUSTED CERTIFICATE",
    "X509 CERTIFICATE",
    "X509 CRL",
];

/// A block.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    /// Where its first line is in the text, counted from 0.
    pub offset: usize,
    /// The same as a line, counted from 1.
    pub line: usize,
    label: &'a [u8],
    contents: &'a [u8],
}

/// A block that does not begin or end, or ends as another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where it is in the text, counted from 0.
    pub offset: usize,
    /// The same as a line, counted from 1.
    pub line: usize,
    /// Labels that stand there, of the first and the last line; `None` for those that are not known.
    labels: Vec<Option<&'static str>>,
    is_unreadable: bool,
    what: &'static str,
}

impl Damage {
    /// Whether it may concern a block with one of these labels: one stands there, or what stands there is not a label.
    pub fn concerns(&self, labels: &[&str]) -> bool {
        self.is_unreadable || self.labels.iter().flatten().any(|label| labels.contains(label))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "the block in line {} {}", self.line, self.what)
    }
}

/// The blocks of a text, in order, and what is damaged.
pub fn blocks(text: &[u8]) -> Blocks<'_> {
    Blocks { text, next: 0, counted: 0, line: 1, open: None }
}

/// Whether a text is PEM: the first line of a block stands in a line of its own, where that begins, or behind a quote
/// with which the text begins. PEM that stands in other text, such as JSON or a table, is not meant.
pub fn begins(text: &[u8]) -> bool {
    let text = crate::without_mark(text).trim_ascii_start();
    let text = text.strip_prefix(b"\"").unwrap_or(text);
    let mut next = find(text, 0, BEGIN);
    while let Some(start) = next {
        let line = text[..start].rsplit(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        if line.trim_ascii().is_empty() {
            return true;
        }
        next = find(text, start + 1, BEGIN);
    }
    false
}

/// The label, where it is a known one.
pub fn known_label(label: &[u8]) -> Option<&'static str> {
    KNOWN_LABELS.into_iter().find(|known| known.as_bytes() == label)
}

impl<'a> Block<'a> {
    /// What stands behind `BEGIN`, where that is a label that is known.
    pub fn label(&self) -> Option<&'static str> {
        known_label(self.label)
    }

    /// Whether the label, known or not, speaks of a private key.
    pub fn is_private(&self) -> bool {
        self.label.windows(7).any(|part| part == b"PRIVATE")
    }

    /// Whether the contents are encrypted as RFC 1421 says.
    pub fn is_encrypted(&self) -> bool {
        self.contents.windows(10).any(|part| part == b",ENCRYPTED")
    }

    /// The decoded contents. **Constant-time** in the digits of base64, but not in where spaces and line ends are.
    ///
    /// `None` where they are not base64.
    pub fn decode(&self) -> Option<Zeroizing<Vec<u8>>> {
        let data = without_headers(self.contents);
        let mut digits = Zeroizing::new(Vec::with_capacity(data.len()));
        let mut rest = data;
        while let Some((byte, behind)) = rest.split_first() {
            rest = behind;
            match byte {
                // Of a line end that is written as two characters, and in front of a slash.
                b'\\' => match behind {
                    [b'n' | b'r' | b't', behind @ ..] => rest = behind,
                    [b'/' | b'\\', ..] => {}
                    _ => return None,
                },
                b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\x0c' => {}
                digit => digits.push(*digit),
            }
        }
        let mut bytes = Zeroizing::new(vec![0; digits.len() / 4 * 3]);
        let length = Base64::decode(&digits[..], &mut bytes).ok()?.len();
        bytes.truncate(length);
        Some(bytes)
    }
}

/// The contents behind the headers of RFC 1421: lines with colons, up to a blank one.
fn without_headers(contents: &[u8]) -> &[u8] {
    let Some(colon) = contents.iter().rposition(|byte| *byte == b':') else { return contents };
    // The last header may go on in lines that begin with a space.
    let mut place = colon;
    loop {
        let Some(length) = contents[place..].iter().position(|byte| *byte == b'\n') else { return &[] };
        place += length + 1;
        if !matches!(contents.get(place), Some(b' ' | b'\t')) {
            return &contents[place..];
        }
    }
}

/// See [`blocks`].
pub struct Blocks<'a> {
    text: &'a [u8],
    next: usize,
    /// Up to here lines are counted, and this is the number of the one there.
    counted: usize,
    line: usize,
    /// The block that is open: where it begins, and its first line.
    open: Option<(Marker<'a>, usize)>,
}

/// A first or a last line of a block.
#[derive(Clone)]
struct Marker<'a> {
    place: Range<usize>,
    is_begin: bool,
    /// `None` where the line does not end in dashes.
    label: Option<&'a [u8]>,
}

impl<'a> Blocks<'a> {
    fn marker(&mut self) -> Option<(Marker<'a>, usize)> {
        let mut start = self.next;
        loop {
            start = find(self.text, start, DASHES)?;
            let rest = &self.text[start..];
            let length = match () {
                () if rest.starts_with(BEGIN) => BEGIN.len(),
                () if rest.starts_with(END) => END.len(),
                () => {
                    start += 1;
                    continue;
                }
            };
            let behind = &rest[length..];
            let is_label = |byte: &u8| byte.is_ascii_alphanumeric() || b" .+/_#".contains(byte);
            let label = behind.iter().take_while(|byte| is_label(byte)).count();
            let is_whole = behind[label..].starts_with(DASHES) && label <= LONGEST_LABEL;
            let end = start + length + label + if is_whole { DASHES.len() } else { 0 };
            let marker = Marker {
                place: start..end,
                is_begin: length == BEGIN.len(),
                label: is_whole.then(|| &behind[..label]),
            };
            self.next = end;
            let line = self.line_of(start);
            return Some((marker, line));
        }
    }

    /// The line of a place, which is behind those that were asked for before. Line ends may be carriage returns alone.
    fn line_of(&mut self, place: usize) -> usize {
        let passed = &self.text[self.counted..place];
        let returns = passed
            .iter()
            .enumerate()
            .filter(|(at, byte)| **byte == b'\r' && self.text.get(self.counted + at + 1) != Some(&b'\n'));
        self.line += returns.count() + passed.iter().filter(|byte| **byte == b'\n').count();
        self.counted = place;
        self.line
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Result<Block<'a>, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        let damage = |marker: &Marker, line: usize, others: &[&Marker], what| Damage {
            offset: marker.place.start,
            line,
            labels: [marker].iter().chain(others).map(|marker| marker.label.and_then(known_label)).collect(),
            is_unreadable: marker.label.is_none() || !others.is_empty(),
            what,
        };
        loop {
            let found = self.marker();
            let open = self.open.take();
            let (marker, line) = match (found, &open) {
                (None, None) => return None,
                (None, Some((begin, first))) => return Some(Err(damage(begin, *first, &[], "has no end"))),
                (Some(found), _) => found,
            };
            match open {
                None if marker.is_begin => self.open = Some((marker, line)),
                None => return Some(Err(damage(&marker, line, &[], "has an end and no beginning"))),
                Some((begin, first)) if marker.is_begin => {
                    self.open = Some((marker, line));
                    return Some(Err(damage(&begin, first, &[], "has no end")));
                }
                Some((begin, first)) => {
                    let (Some(label), true) = (begin.label, begin.label == marker.label) else {
                        let what = "has different labels in its first and its last line, or no label";
                        return Some(Err(damage(&begin, first, &[&marker], what)));
                    };
                    let contents = &self.text[begin.place.end..marker.place.start];
                    return Some(Ok(Block { offset: begin.place.start, line: first, label, contents }));
                }
            }
        }
    }
}

/// Where the next occurrence begins.
fn find(text: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let mut start = from;
    loop {
        start += text[start..].iter().position(|byte| *byte == what[0])?;
        if text[start..].starts_with(what) {
            return Some(start);
        }
        start += 1;
    }
}
