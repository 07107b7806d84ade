//! Text in UTF-16 with a byte order mark, as programs on Windows write it, decoded to UTF-8 while
//! it is read.
//!
//! The text may hold private keys, so all buffers are wiped.

use super::deferred_reader::{head, when_read};
use super::open::Input;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
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
            if Encoding::of(&mark[..length]).is_none() {
                return Ok(Input::File(plain));
            }
            plain.file.seek(SeekFrom::Start(plain.start))?;
            Input::Stream(when_read(Box::new(plain.file), decoded))
        }
        Input::Stream(source) => Input::Stream(when_read(source, decoded)),
    })
}

/// Decodes UTF-16 if the source begins with its byte order mark, and passes everything else on.
fn decoded(mut source: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mark = head(&mut source, LITTLE_ENDIAN_MARK.len(), |head| {
        LITTLE_ENDIAN_MARK.starts_with(head) || BIG_ENDIAN_MARK.starts_with(head)
    })?;
    Ok(match Encoding::of(&mark) {
        Some(encoding) => Box::new(Decoder::new(source, encoding)),
        None => Box::new(Cursor::new(mark).chain(source)),
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    LittleEndian,
    BigEndian,
}

impl Encoding {
    /// Returns the encoding of a text that begins with these bytes, if they are a byte order mark
    /// of UTF-16.
    fn of(mark: &[u8]) -> Option<Self> {
        if mark == LITTLE_ENDIAN_MARK {
            Some(Encoding::LittleEndian)
        } else if mark == BIG_ENDIAN_MARK {
            Some(Encoding::BigEndian)
        } else {
            None
        }
    }

    fn unit(self, pair: [u8; 2]) -> u16 {
        match self {
            Encoding::LittleEndian => u16::from_le_bytes(pair),
            Encoding::BigEndian => u16::from_be_bytes(pair),
        }
    }
}

/// Decodes UTF-16 after its byte order mark.
struct Decoder {
    source: Box<dyn Read + Send>,
    encoding: Encoding,
    /// Bytes of the source that are not decoded yet: at most a surrogate and half of a code unit
    /// between two reads.
    encoded: Zeroizing<Vec<u8>>,
    /// Bytes that the next reads return, from `start` on.
    decoded: Zeroizing<Vec<u8>>,
    start: usize,
    is_at_end: bool,
    /// The reason why nothing is decoded any more.
    malformed: Option<&'static str>,
}

impl Decoder {
    fn new(source: Box<dyn Read + Send>, encoding: Encoding) -> Self {
        // Neither grows, which would leave a copy behind: a code unit becomes three bytes at most.
        let encoded = Zeroizing::new(Vec::with_capacity(BUFFER + 4));
        let decoded = Zeroizing::new(Vec::with_capacity(2 * (BUFFER + 4)));
        Decoder {
            source,
            encoding,
            encoded,
            decoded,
            start: 0,
            is_at_end: false,
            malformed: None,
        }
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
        self.decoded.zeroize();
        self.start = 0;
        self.decode();
        Ok(())
    }

    /// Decodes all whole characters that were read, up to the first malformed one.
    fn decode(&mut self) {
        let (pairs, half) = self.encoded.as_chunks::<2>();
        let mut rest = half.len();
        let mut units = pairs
            .iter()
            .map(|pair| self.encoding.unit(*pair))
            .peekable();
        while let Some(unit) = units.next() {
            let is_high_surrogate = (0xd800..0xdc00).contains(&unit);
            if is_high_surrogate && units.peek().is_none() && !self.is_at_end {
                rest += 2;
                break;
            }
            let low = units.next_if(|next| is_high_surrogate && (0xdc00..0xe000).contains(next));
            let Some(Ok(character)) = char::decode_utf16([unit].into_iter().chain(low)).next()
            else {
                self.malformed = Some("a surrogate without its pair");
                return;
            };
            self.decoded
                .extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
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
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("the text in UTF-16 has {what}"),
                ));
            }
            if self.is_at_end {
                return Ok(0);
            }
            match self.fill() {
                Err(problem) if problem.kind() != io::ErrorKind::Interrupted => {
                    return Err(problem);
                }
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

    /// A reader of the bytes that returns at most the given number of them at each read.
    struct Slow(Vec<u8>, usize);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(self.1).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0.drain(..length);
            Ok(length)
        }
    }

    fn read(bytes: Vec<u8>, step: usize) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        decoded(Box::new(Slow(bytes, step)))?
            .read_to_end(&mut all)
            .map(|_| all)
    }

    fn encoded(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn text_with_byte_order_mark_is_decoded_for_any_read_size() {
        let marked = format!("\u{feff}{}", TEXT.repeat(3000));
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            for step in [1, 2, 3, 5, 1000, 1 << 20] {
                let found = read(encoded(&marked, unit), step).unwrap();
                assert!(found == TEXT.repeat(3000).as_bytes(), "{step}");
            }
        }
    }

    #[test]
    fn other_bytes_are_passed_on() {
        for bytes in [
            &b""[..],
            b"\xff",
            b"\xfe",
            b"a",
            TEXT.as_bytes(),
            b"\xef\xbb\xbf{}",
            b"\xff\xff\xff\xff\x10",
        ] {
            for step in [1, 2, 1000] {
                assert_eq!(read(bytes.to_vec(), step).unwrap(), bytes);
            }
        }
    }

    #[test]
    fn malformed_text_is_an_error_after_what_precedes_it() {
        for end in [
            &[0x41][..],
            &[0x00, 0xd8],
            &[0x00, 0xdc, 0x41, 0],
            &[0x00, 0xd8, 0x41, 0],
        ] {
            let bytes = [&[0xff, 0xfe][..], &encoded("ab", u16::to_le_bytes), end].concat();
            for step in [1, 2, 1000] {
                let mut decoder = decoded(Box::new(Slow(bytes.clone(), step))).unwrap();
                let mut all = Vec::new();
                let problem = decoder.read_to_end(&mut all).unwrap_err();
                assert_eq!(
                    (&all[..], problem.kind()),
                    (&b"ab"[..], io::ErrorKind::InvalidData),
                    "{end:?}"
                );
            }
        }
    }
}
