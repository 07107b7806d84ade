//! The blocks of a text in PEM (RFC 7468). They are read leniently as long as the meaning is
//! unambiguous: a block may be indented, be on one line, have lines of any length, blank lines,
//! spaces, the two characters `\n` for line ends, and headers. Nothing is skipped silently: a begin
//! or end marker without its counterpart is an error with its line.

use base64ct::{Base64, Encoding};
use std::fmt;
use std::ops::Range;
use zeroize::Zeroizing;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";
/// The maximum length of a label in characters.
const LONGEST_LABEL: usize = 64;

/// Labels that messages show. Others are hidden, because a label may contain a key if line ends
/// were lost.
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

/// A block of PEM.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    /// The offset of the first line in the text.
    pub offset: usize,
    /// The number of the first line, counted from 1.
    pub line: usize,
    label: &'a [u8],
    contents: &'a [u8],
}

/// A block without a begin or end marker, or with an end marker of another block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The offset in the text.
    pub offset: usize,
    /// The line, counted from 1.
    pub line: usize,
    /// The labels of the first and the last line found; `None` for unknown labels.
    labels: Vec<Option<&'static str>>,
    is_unreadable: bool,
    what: &'static str,
}

impl Damage {
    /// Creates the damage of a block with only one marker.
    fn of_single(marker: &Marker, line: usize, what: &'static str) -> Self {
        Damage {
            offset: marker.range.start,
            line,
            labels: vec![marker.label.and_then(known_label)],
            is_unreadable: marker.label.is_none(),
            what,
        }
    }

    /// Creates the damage of a block whose markers do not belong together.
    fn of_different(begin: &Marker, end: &Marker, line: usize) -> Self {
        Damage {
            offset: begin.range.start,
            line,
            labels: [begin, end]
                .map(|marker| marker.label.and_then(known_label))
                .to_vec(),
            is_unreadable: true,
            what: "has different labels in its first and its last line, or no label",
        }
    }

    /// Returns whether the damage may concern a block with one of these labels: one of them was
    /// found, or the label is unreadable.
    pub fn concerns(&self, labels: &[&str]) -> bool {
        self.is_unreadable
            || self
                .labels
                .iter()
                .flatten()
                .any(|label| labels.contains(label))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "the block in line {} {}", self.line, self.what)
    }
}

/// Returns an iterator over the blocks of a text and the damage in it, in order.
pub fn blocks(text: &[u8]) -> Blocks<'_> {
    Blocks {
        text,
        next: 0,
        counted: 0,
        line: 1,
        open: None,
    }
}

/// Returns whether a text is PEM: the begin marker of a block is at the start of a line, or follows
/// a quote at the start of the text. PEM inside other text, such as JSON or a table, does not
/// count.
pub fn begins(text: &[u8]) -> bool {
    let text = crate::without_mark(text).trim_ascii_start();
    let text = text.strip_prefix(b"\"").unwrap_or(text);
    let mut next = find(text, 0, BEGIN);
    while let Some(start) = next {
        let line = text[..start]
            .rsplit(|byte| matches!(byte, b'\n' | b'\r'))
            .next()
            .unwrap_or_default();
        if line.trim_ascii().is_empty() {
            return true;
        }
        next = find(text, start + 1, BEGIN);
    }
    false
}

/// Returns the label if it is a known one.
pub fn known_label(label: &[u8]) -> Option<&'static str> {
    KNOWN_LABELS
        .into_iter()
        .find(|known| known.as_bytes() == label)
}

impl<'a> Block<'a> {
    /// Returns the label after `BEGIN` if it is a known one.
    pub fn label(&self) -> Option<&'static str> {
        known_label(self.label)
    }

    /// Returns whether the label, known or not, denotes a private key.
    pub fn is_private(&self) -> bool {
        self.label.windows(7).any(|part| part == b"PRIVATE")
    }

    /// Returns whether the contents are encrypted according to RFC 1421.
    pub fn is_encrypted(&self) -> bool {
        self.contents.windows(10).any(|part| part == b",ENCRYPTED")
    }

    /// Decodes the contents. **Constant-time** in the digits of base64, but not in the positions of
    /// spaces and line ends.
    ///
    /// Returns `None` if the contents are not base64.
    pub fn decode(&self) -> Option<Zeroizing<Vec<u8>>> {
        let data = without_headers(self.contents);
        let mut digits = Zeroizing::new(Vec::with_capacity(data.len()));
        let mut rest = data;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                // A backslash of a line end that is written as two characters, or before a slash.
                b'\\' => match after {
                    [b'n' | b'r' | b't', after @ ..] => rest = after,
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

/// Returns the contents after the headers of RFC 1421: lines with colons, up to a blank line.
fn without_headers(contents: &[u8]) -> &[u8] {
    let Some(colon) = contents.iter().rposition(|byte| *byte == b':') else {
        return contents;
    };
    // The last header may continue on lines that begin with a space.
    let mut place = colon;
    loop {
        let Some(length) = contents[place..].iter().position(|byte| *byte == b'\n') else {
            return &[];
        };
        place += length + 1;
        if !matches!(contents.get(place), Some(b' ' | b'\t')) {
            return &contents[place..];
        }
    }
}

/// The iterator of [`blocks`].
pub struct Blocks<'a> {
    text: &'a [u8],
    next: usize,
    /// The offset up to which lines are counted, and the line number there.
    counted: usize,
    line: usize,
    /// The open block: its begin marker and its first line.
    open: Option<(Marker<'a>, usize)>,
}

/// A begin or end marker of a block.
#[derive(Clone)]
struct Marker<'a> {
    range: Range<usize>,
    is_begin: bool,
    /// `None` if the line does not end in dashes.
    label: Option<&'a [u8]>,
}

impl<'a> Blocks<'a> {
    /// Returns the next marker and its line.
    fn marker(&mut self) -> Option<(Marker<'a>, usize)> {
        let mut start = self.next;
        loop {
            start = find(self.text, start, DASHES)?;
            let rest = &self.text[start..];
            let is_begin = rest.starts_with(BEGIN);
            if !is_begin && !rest.starts_with(END) {
                start += 1;
                continue;
            }
            let length = if is_begin { BEGIN.len() } else { END.len() };
            let after = &rest[length..];
            let label = after.iter().take_while(|byte| is_label(**byte)).count();
            let is_whole = after[label..].starts_with(DASHES) && label <= LONGEST_LABEL;
            let end = start + length + label + if is_whole { DASHES.len() } else { 0 };
            let marker = Marker {
                range: start..end,
                is_begin,
                label: is_whole.then(|| &after[..label]),
            };
            self.next = end;
            let line = self.line_of(start);
            return Some((marker, line));
        }
    }

    /// Returns the line of an offset, which must not be before that of an earlier call. Line ends
    /// may also be single carriage returns.
    fn line_of(&mut self, place: usize) -> usize {
        let passed = &self.text[self.counted..place];
        let returns = passed.iter().enumerate().filter(|(at, byte)| {
            **byte == b'\r' && self.text.get(self.counted + at + 1) != Some(&b'\n')
        });
        self.line += returns.count() + passed.iter().filter(|byte| **byte == b'\n').count();
        self.counted = place;
        self.line
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Result<Block<'a>, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let found = self.marker();
            let open = self.open.take();
            let (marker, line) = match (found, &open) {
                (None, None) => return None,
                (None, Some((begin, first))) => {
                    return Some(Err(Damage::of_single(begin, *first, "has no end")));
                }
                (Some(found), _) => found,
            };
            match open {
                None if marker.is_begin => self.open = Some((marker, line)),
                None => {
                    return Some(Err(Damage::of_single(
                        &marker,
                        line,
                        "has an end and no beginning",
                    )));
                }
                Some((begin, first)) if marker.is_begin => {
                    self.open = Some((marker, line));
                    return Some(Err(Damage::of_single(&begin, first, "has no end")));
                }
                Some((begin, first)) => {
                    let Some(label) = begin.label.filter(|_| begin.label == marker.label) else {
                        return Some(Err(Damage::of_different(&begin, &marker, first)));
                    };
                    let contents = &self.text[begin.range.end..marker.range.start];
                    return Some(Ok(Block {
                        offset: begin.range.start,
                        line: first,
                        label,
                        contents,
                    }));
                }
            }
        }
    }
}

/// Returns whether a byte may be part of a label.
fn is_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" .+/_#".contains(&byte)
}

/// Returns the offset of the next occurrence of `what` at or after `from`.
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

/// Returns whether a text is UTF-16, as written by programs on Windows: it has a byte order mark,
/// or every second byte of PEM's dashes is zero.
pub(crate) fn is_utf16(text: &[u8]) -> bool {
    [&b"\xff\xfe"[..], b"\xfe\xff", b"-\0-\0-\0", b"\0-\0-\0-"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// Converts a text in UTF-16 to ASCII, with `?` for other characters. Returns `None` for other
/// texts.
pub fn utf16_to_ascii(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    if !is_utf16(text) {
        return None;
    }
    let is_big_endian = text.starts_with(b"\xfe\xff") || text.starts_with(b"\0");
    let marked = text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
    let text = if marked { &text[2..] } else { text };
    let mut ascii = Zeroizing::new(Vec::with_capacity(text.len() / 2));
    ascii.extend(text.as_chunks().0.iter().map(|pair| {
        let unit = if is_big_endian {
            u16::from_be_bytes(*pair)
        } else {
            u16::from_le_bytes(*pair)
        };
        u8::try_from(unit).ok().filter(u8::is_ascii).unwrap_or(b'?')
    }));
    Some(ascii)
}
