//! Compressed input, recognised by its first bytes and decompressed while it is read.
//!
//! The input may contain private keys. Compressed bytes on their way to a decompressor are
//! therefore wiped here, and decompressed bytes go directly to the buffer of the reader, who wipes
//! it. The window of a decompressor holds the last decompressed bytes: 32 KiB for gzip, and the
//! size requested by the frame for zstd. It belongs to crates that free it without wiping, and is
//! not accessible.

use super::deferred_reader::{head, when_read};
use std::fmt;
use std::io::{self, BufRead, Cursor, Read};
use zeroize::Zeroizing;

/// The number of compressed bytes that are read at a time.
const BUFFER: usize = 1 << 18;
/// The largest window of a zstd frame, as a power of two: 128 MiB. The size is chosen by the
/// encoder of the frame, and the memory is needed here.
const WINDOW_LOG: u32 = 27;

/// The compression formats that are supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    Gzip,
    Zstd,
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        })
    }
}

/// The format indicated by the first bytes.
enum KnownSignature {
    Here(Compression),
    /// A format that is not supported, with the name of a program that decompresses it.
    Elsewhere(&'static str, &'static str),
}

/// The signatures at the beginning of files: RFC 1952, RFC 8878 with its skippable frames, and the
/// specifications of the other formats. The low hexadecimal digit of a skippable frame's first byte
/// is arbitrary. Such frames may also precede lz4, which is then reported as an error of zstd.
const SIGNATURES: [(&[u8], KnownSignature); 8] = [
    (&[0x1f, 0x8b, 8], KnownSignature::Here(Compression::Gzip)),
    (
        &[0x28, 0xb5, 0x2f, 0xfd],
        KnownSignature::Here(Compression::Zstd),
    ),
    (&SKIPPABLE, KnownSignature::Here(Compression::Zstd)),
    (
        &[0xfd, b'7', b'z', b'X', b'Z', 0],
        KnownSignature::Elsewhere("xz", "xz -dc"),
    ),
    (
        b"BZh91AY&SY",
        KnownSignature::Elsewhere("bzip2", "bzip2 -dc"),
    ),
    (
        &[0x04, 0x22, 0x4d, 0x18],
        KnownSignature::Elsewhere("lz4", "lz4 -dc"),
    ),
    (
        &[0x02, 0x21, 0x4c, 0x18],
        KnownSignature::Elsewhere("lz4", "lz4 -dc"),
    ),
    (b"PK\x03\x04", KnownSignature::Elsewhere("zip", "unzip -p")),
];
const SKIPPABLE: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
/// The number of first bytes that determine the compression.
pub const LONGEST_SIGNATURE: usize = 10;

/// Returns the compression of a file that begins with the bytes `head`.
///
/// # Errors
/// Returns `Unsupported` for compression that another program has to undo.
pub fn compression(head: &[u8]) -> io::Result<Option<Compression>> {
    let found = SIGNATURES
        .iter()
        .find(|(signature, _)| signature.len() <= head.len() && agree(signature, head));
    match found {
        None => Ok(None),
        Some((_, KnownSignature::Here(compression))) => Ok(Some(*compression)),
        Some((_, KnownSignature::Elsewhere(name, program))) => {
            let problem = format!(
                "the input is compressed with {name}, which is not read here: decompress it first, as with `{program} FILE | gecc …`"
            );
            Err(io::Error::new(io::ErrorKind::Unsupported, problem))
        }
    }
}

/// Decompresses the input if its first bytes indicate compression. An uncompressed input is passed
/// on unchanged, and no more of it is read than is needed to recognise it.
///
/// Everything that the reader returned before an error remains valid. The error describes the
/// damage and is repeated by all later reads.
///
/// # Errors
/// Returns the errors of the source and those of [`compression`].
pub fn decompressed(mut source: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let head = head(&mut source, LONGEST_SIGNATURE, |head| {
        head.is_empty() || may_become_a_signature(head)
    })?;
    let compression = compression(&head)?;
    let source = Cursor::new(head).chain(source);
    Ok(match compression {
        None => Box::new(source),
        Some(compression) => Box::new(Decompressor::new(compression, source)?),
    })
}

/// Decompresses like [`decompressed`], but begins only with the first read, since a pipe may not
/// have any data yet. Errors are returned by the first read.
pub fn decompressed_when_read(source: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    when_read(source, decompressed)
}

fn may_become_a_signature(head: &[u8]) -> bool {
    SIGNATURES
        .iter()
        .any(|(signature, _)| head.len() < signature.len() && agree(signature, head))
}

/// Returns whether a signature and the first bytes agree over their common length.
fn agree(signature: &[u8], head: &[u8]) -> bool {
    signature
        .iter()
        .zip(head)
        .enumerate()
        .all(|(place, (expected, byte))| {
            expected == byte
            || (place == 0 && *signature == SKIPPABLE && byte & 0xf0 == SKIPPABLE[0])
            // The block size, from 1 to 9.
            || (place == 3 && signature.starts_with(b"BZh") && (b'1'..=b'9').contains(byte))
        })
}

/// A decompressor with descriptive errors.
struct Decompressor {
    compression: Compression,
    decoder: Box<dyn Read + Send>,
    /// The error that ended reading.
    failed: Option<(io::ErrorKind, String)>,
}

impl Decompressor {
    fn new(compression: Compression, source: impl Read + Send + 'static) -> io::Result<Self> {
        let source = Buffered::new(source);
        let decoder: Box<dyn Read + Send> = match compression {
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(source)),
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(source)?;
                decoder.window_log_max(WINDOW_LOG)?;
                Box::new(decoder)
            }
        };
        Ok(Decompressor {
            compression,
            decoder,
            failed: None,
        })
    }

    fn explained(&self, problem: &io::Error) -> (io::ErrorKind, String) {
        let compression = self.compression;
        let text = match problem.kind() {
            // An error of the source itself.
            _ if problem.raw_os_error().is_some() => problem.to_string(),
            io::ErrorKind::UnexpectedEof => {
                format!("the {compression} data end too early: the file is cut off")
            }
            _ if needs_a_larger_window(problem) => format!(
                "the zstd data ask for a window of more than {} MiB: decompress them first, as with \
                 `zstd -dc --long=31 FILE | gecc …`",
                (1 << WINDOW_LOG) >> 20
            ),
            _ => format!("the {compression} data are damaged: {problem}"),
        };
        (problem.kind(), text)
    }
}

/// Recognises the error by its text, since zstd's errors have names but no numbers.
fn needs_a_larger_window(problem: &io::Error) -> bool {
    problem.to_string().contains("requires too much memory")
}

impl Read for Decompressor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.failed.is_none() {
            match self.decoder.read(buffer) {
                Err(problem) if problem.kind() != io::ErrorKind::Interrupted => {
                    self.failed = Some(self.explained(&problem));
                }
                result => return result,
            }
        }
        let (kind, text) = self.failed.clone().expect("it failed now or before");
        Err(io::Error::new(kind, text))
    }
}

/// A buffered reader like `BufReader`, with a buffer that is wiped.
struct Buffered<R> {
    source: R,
    buffer: Zeroizing<Vec<u8>>,
    start: usize,
    end: usize,
}

impl<R: Read> Buffered<R> {
    fn new(source: R) -> Self {
        Buffered {
            source,
            buffer: Zeroizing::new(vec![0; BUFFER]),
            start: 0,
            end: 0,
        }
    }
}

impl<R: Read> Read for Buffered<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(to)?;
        self.consume(length);
        Ok(length)
    }
}

impl<R: Read> BufRead for Buffered<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            (self.start, self.end) = (0, self.source.read(&mut self.buffer)?);
        }
        Ok(&self.buffer[self.start..self.end])
    }

    fn consume(&mut self, length: usize) {
        self.start += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use std::collections::VecDeque;
    use std::io::Write;

    /// A reader that returns one part per read.
    struct Parts(VecDeque<Vec<u8>>);

    impl Read for Parts {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(mut part) = self.0.pop_front() else {
                return Ok(0);
            };
            let length = part.len().min(buffer.len());
            buffer[..length].copy_from_slice(&part[..length]);
            if length < part.len() {
                self.0.push_front(part.split_off(length));
            }
            Ok(length)
        }
    }

    fn in_parts(bytes: &[u8], length: usize) -> Box<dyn Read + Send> {
        Box::new(Parts(bytes.chunks(length).map(<[u8]>::to_vec).collect()))
    }

    /// Returns everything that is read, and the error at the end.
    fn read(source: Box<dyn Read + Send>) -> (Vec<u8>, Option<String>) {
        let mut reader = match decompressed(source) {
            Ok(reader) => reader,
            Err(problem) => return (Vec::new(), Some(problem.to_string())),
        };
        let mut all = Vec::new();
        let mut buffer = [0; 1000];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return (all, None),
                Ok(length) => all.extend_from_slice(&buffer[..length]),
                Err(problem) => {
                    let again = reader.read(&mut buffer).unwrap_err();
                    assert_eq!(again.to_string(), problem.to_string());
                    return (all, Some(problem.to_string()));
                }
            }
        }
    }

    /// Returns bytes of which half do not compress.
    fn random(length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        getrandom::fill(&mut bytes[length / 2..]).unwrap();
        bytes
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(content: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        // Like the command zstd.
        encoder.include_checksum(true).unwrap();
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn skippable(digit: u8) -> Vec<u8> {
        [&[0x50 | digit, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat()
    }

    #[test]
    fn concatenated_members_and_frames_are_decompressed() {
        let one = random(100_000);
        let two = random(700_000);
        let both = [&one[..], &two].concat();
        let gzipped = [gzip(&one), gzip(&[]), gzip(&two)].concat();
        let frames = [
            skippable(0),
            zstd(&one),
            skippable(15),
            zstd(&[]),
            zstd(&two),
            skippable(7),
        ]
        .concat();
        for (compressed, expected) in [(gzipped, Compression::Gzip), (frames, Compression::Zstd)] {
            assert_eq!(
                compression(&compressed[..LONGEST_SIGNATURE]).unwrap(),
                Some(expected)
            );
            for length in [1, 7, 65_536, compressed.len()] {
                let (read, problem) = read(in_parts(&compressed, length));
                assert_eq!(problem, None, "{length}");
                assert!(read == both, "{length}");
            }
        }
    }

    #[test]
    fn uncompressed_input_is_passed_on_unchanged() {
        let texts: [&[u8]; 9] = [
            b"",
            b"B",
            b"BZh",
            b"BZh0",
            b"digest,message\n",
            b"\x1f",
            b"\x1f\x8b\x07",
            b"\x28\xb5\x2f",
            b"\xef\xbb\xbf{",
        ];
        for text in texts {
            for length in 1..4 {
                assert_eq!(read(in_parts(text, length)), (text.to_vec(), None));
            }
        }
        let long = [b"{".to_vec(), random(300_000)].concat();
        assert!(read(in_parts(&long, 1000)).0 == long);
    }

    #[test]
    fn pipe_is_read_no_further_than_detection_needs() {
        let (reader, mut writer) = io::pipe().unwrap();
        // Reading here would block forever.
        let mut reader = decompressed_when_read(Box::new(reader));
        writer.write_all(b"{").unwrap();
        // Reading more would block forever.
        let mut buffer = [0; 10];
        assert_eq!((reader.read(&mut buffer).unwrap(), buffer[0]), (1, b'{'));
        drop(writer);
    }

    #[test]
    fn truncated_input_is_read_up_to_its_end() {
        let content = random(3000);
        for compressed in [gzip(&content), zstd(&content)] {
            for length in 4..compressed.len() {
                let (read, problem) = read(in_parts(&compressed[..length], 5000));
                assert!(content.starts_with(&read), "{length}");
                assert!(problem.unwrap().contains("end too early"), "{length}");
            }
        }
        // All of a large part before the cut is returned.
        for compressed in [gzip(&random(1 << 20)), zstd(&random(1 << 20))] {
            let (read, _) = read(in_parts(&compressed[..compressed.len() - 9], 5000));
            assert!(read.len() > 1 << 19, "{}", read.len());
        }
    }

    #[test]
    fn damaged_input_is_an_error() {
        let content = random(3000);
        for compressed in [gzip(&content), zstd(&content)] {
            let mut errors = 0;
            for place in 4..compressed.len() {
                let mut damaged = compressed.clone();
                damaged[place] ^= 0x10;
                let (read, problem) = read(in_parts(&damaged, 5000));
                // Some bytes of the header have no effect.
                assert!(problem.is_some() || read == content, "{place}");
                errors += usize::from(problem.is_some());
            }
            assert!(
                errors > compressed.len() - 20,
                "{errors} of {}",
                compressed.len()
            );
        }
        let garbage = [gzip(&content), b"garbage after the last member".to_vec()].concat();
        let (read, problem) = read(in_parts(&garbage, 5000));
        assert!(read == content && problem.unwrap().contains("the gzip data are damaged"));
    }

    /// Returns a zstd frame of one raw block of one byte. The sixth byte is the exponent of the
    /// window above 10, times 8.
    fn frame_with_window(log: u8) -> [u8; 10] {
        [0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3, 9, 0, 0, b'x']
    }

    #[test]
    fn windows_are_limited() {
        assert_eq!(
            read(in_parts(&frame_with_window(27), 100)),
            (b"x".to_vec(), None)
        );
        let (read, problem) = read(in_parts(
            &[&zstd(b"before")[..], &frame_with_window(28)].concat(),
            100,
        ));
        assert_eq!(read, b"before");
        assert!(problem.unwrap().contains("a window of more than 128 MiB"));
    }

    #[test]
    fn other_compression_is_named() {
        let files: [(&[u8], &str); 5] = [
            (b"\xfd7zXZ\0more", "`xz -dc FILE"),
            (b"BZh11AY&SYmore", "`bzip2 -dc FILE"),
            (b"BZh91AY&SYmore", "`bzip2 -dc FILE"),
            (b"\x04\x22\x4d\x18more", "`lz4 -dc FILE"),
            (b"PK\x03\x04more", "`unzip -p FILE"),
        ];
        for (file, expected) in files {
            let (_, problem) = read(in_parts(file, 1));
            assert!(
                problem
                    .as_ref()
                    .is_some_and(|problem| problem.contains(expected)),
                "{problem:?}"
            );
        }
    }
}
