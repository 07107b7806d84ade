//! Text in UTF-16 with a byte order mark, as programs on Windows write it, decoded to UTF-8 while it is read.
//!
//! The text may hold private keys, so all buffers are wiped.

use super::open::Input;
use std::io::{self, Read, Seek, SeekFrom};
use zeroize::{Zeroize, Zeroizing};

/// Bytes that are decoded at a time.
const BUFFER: usize = 1 << 16;

const LITTLE_ENDIAN_MARK: [u8; 2] = [0xff, 0xfe];
const BIG_ENDIAN_MARK: [u8; 2] = [0xfe, 0xff];

/// Returns the input as UTF-8. An input without the byte order mark of UTF-16 is returned as it is.
pub fn as_utf_8(input: Input) -> io::Result<Input> {
    Ok(match input {
        Input::File(mut plain) => {
            let mut mark = [0; 2];
            let length = plain.read_at(&mut mark, plain.start)?;
            if length < mark.len() || Encoding::of(mark).is_none() {
                return Ok(Input::File(plain));
            }
            plain.file.seek(SeekFrom::Start(plain.start))?;
            Input::Stream(Box::new(Decoder::new(Box::new(plain.file))))
        }
        Input::Stream(source) => Input::Stream(Box::new(Decoder::new(source))),
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    LittleEndian,
    BigEndian,
}

impl Encoding {
    /// Returns the encoding of a text that begins with these bytes, if they are a byte order mark of UTF-16.
    fn of(mark: [u8; 2]) -> Option<Self> {
        match mark {
            LITTLE_ENDIAN_MARK => Some(Encoding::LittleEndian),
            BIG_ENDIAN_MARK => Some(Encoding::BigEndian),
            _ => None,
        }
    }

    fn unit(self, pair: [u8; 2]) -> u16 {
        match self {
            Encoding::LittleEndian => u16::from_le_bytes(pair),
            Encoding::BigEndian => u16::from_be_bytes(pair),
        }
    }
}

/// What is known of the encoding.
enum State {
    /// Less than a byte order mark was read.
    Unknown,
    /// Bytes are passed on as they are.
    Other,
    Utf16(Encoding),
}

/// Decodes UTF-16 if the source begins with its byte order mark, and passes everything else on.
struct Decoder {
    source: Box<dyn Read + Send>,
    state: State,
    /// Bytes of the source that are not decoded yet: at most a surrogate and half of a code unit between two reads.
    encoded: Zeroizing<Vec<u8>>,
    /// Bytes that the next reads return, from `start` on.
    decoded: Zeroizing<Vec<u8>>,
    start: usize,
    is_at_end: bool,
    /// The reason why nothing is decoded any more.
    malformed: Option<&'static str>,
}

impl Decoder {
    fn new(source: Box<dyn Read + Send>) -> Self {
        // Neither grows, which would leave a copy behind: a code unit becomes three bytes at most.
        let encoded = Zeroizing::new(Vec::with_capacity(BUFFER + 4));
        let decoded = Zeroizing::new(Vec::with_capacity(2 * (BUFFER + 4)));
        Decoder { source, state: State::Unknown, encoded, decoded, start: 0, is_at_end: false, malformed: None }
    }

    /// Reads once from the source, and decodes.
    fn fill(&mut self) -> io::Result<()> {
        let held = self.encoded.len();
        self.encoded.resize(BUFFER + 4, 0);
        let read = self.source.read(&mut self.encoded[held..]);
        let length = *read.as_ref().unwrap_or(&0);
        self.encoded[held + length..].zeroize();
        self.encoded.truncate(held + length);
        self.is_at_end = read? == 0;
        if matches!(self.state, State::Unknown) {
            self.state = match self.encoded.first_chunk() {
                Some(mark) => Encoding::of(*mark).map_or(State::Other, State::Utf16),
                None if self.is_at_end => State::Other,
                None => return Ok(()),
            };
            if matches!(self.state, State::Utf16(_)) {
                self.encoded.drain(..2);
            }
        }
        self.decoded.zeroize();
        self.start = 0;
        if let State::Utf16(encoding) = self.state {
            self.decode(encoding);
        } else {
            self.decoded.extend_from_slice(&self.encoded);
            self.encoded.zeroize();
        }
        Ok(())
    }

    /// Decodes all whole characters that were read, up to the first malformed one.
    fn decode(&mut self, encoding: Encoding) {
        let (pairs, half) = self.encoded.as_chunks::<2>();
        let mut rest = half.len();
        let mut units = pairs.iter().map(|pair| encoding.unit(*pair)).peekable();
        while let Some(unit) = units.next() {
            let is_high_surrogate = (0xd800..0xdc00).contains(&unit);
            if is_high_surrogate && units.peek().is_none() && !self.is_at_end {
                rest += 2;
                break;
            }
            let low = units.next_if(|next| is_high_surrogate && (0xdc00..0xe000).contains(next));
            let Some(Ok(character)) = char::decode_utf16([unit].into_iter().chain(low)).next() else {
                self.malformed = Some("a surrogate without its pair");
                return;
            };
            self.decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        if self.is_at_end && rest > 0 {
            self.malformed = Some("half of a character at its end");
            return;
        }
        let used = self.encoded.len() - rest;
        self.encoded.copy_within(used.., 0);
        self.encoded[rest..].zeroize();
        self.encoded.truncate(rest);
    }
}

impl Read for Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.start == self.decoded.len() {
            if let Some(what) = self.malformed {
                return Err(io::Error::new(io::ErrorKind::InvalidData, format!("the text in UTF-16 has {what}")));
            }
            if self.is_at_end {
                return Ok(0);
            }
            if matches!(self.state, State::Other) {
                return self.source.read(buffer);
            }
            match self.fill() {
                Err(problem) if problem.kind() != io::ErrorKind::Interrupted => return Err(problem),
                _ => {}
            }
        }
        let length = buffer.len().min(self.decoded.len() - self.start);
        buffer[..length].copy_from_slice(&self.decoded[self.start..self.start + length]);
        self.start += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\"tag\":\"é, 漢 and 𝕊\"}\n";

    /// Returns at most so many bytes at each read.
    struct Slow(Vec<u8>, usize);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(self.1).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0.drain(..length);
            Ok(length)
        }
    }

    fn decoded(bytes: Vec<u8>, step: usize) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        Decoder::new(Box::new(Slow(bytes, step))).read_to_end(&mut all).map(|_| all)
    }

    fn encoded(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn marked_text_is_decoded_however_few_bytes_come() {
        let marked = format!("\u{feff}{}", TEXT.repeat(3000));
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            for step in [1, 2, 3, 5, 1000, 1 << 20] {
                let found = decoded(encoded(&marked, unit), step).unwrap();
                assert!(found == TEXT.repeat(3000).as_bytes(), "{step}");
            }
        }
    }

    #[test]
    fn other_bytes_are_passed_on() {
        for bytes in [&b""[..], b"\xff", b"\xfe", b"a", TEXT.as_bytes(), b"\xef\xbb\xbf{}", b"\xff\xff\xff\xff\x10"] {
            for step in [1, 2, 1000] {
                assert_eq!(decoded(bytes.to_vec(), step).unwrap(), bytes);
            }
        }
    }

    #[test]
    fn malformed_text_is_an_error_after_what_precedes_it() {
        for end in [&[0x41][..], &[0x00, 0xd8], &[0x00, 0xdc, 0x41, 0], &[0x00, 0xd8, 0x41, 0]] {
            let bytes = [&[0xff, 0xfe][..], &encoded("ab", u16::to_le_bytes), end].concat();
            for step in [1, 2, 1000] {
                let mut decoder = Decoder::new(Box::new(Slow(bytes.clone(), step)));
                let mut all = Vec::new();
                let problem = decoder.read_to_end(&mut all).unwrap_err();
                assert_eq!((&all[..], problem.kind()), (&b"ab"[..], io::ErrorKind::InvalidData), "{end:?}");
            }
        }
    }
}
