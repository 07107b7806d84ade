//! The content of a file: its bytes, or what they decompress to.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};

/// Compressed bytes that are read at a time.
const BUFFER: usize = 1 << 18;
/// The largest window of a zstd frame, as a power of two: 128 MiB.
const WINDOW_LOG: u32 = 27;
/// The number of first bytes by which files are told apart. No signature of a format is longer.
/// Text may have blanks and line ends in front of it, of which this many are passed over at most.
const HEAD: usize = 64;
const MOST_BLANKS: usize = 1 << 20;
/// Bits of gzip's flags that have to be 0 (RFC 1952, section 2.3.1). A block of Bitcoin that begins like gzip has one
/// of them.
const RESERVED: u8 = 0xe0;

pub(crate) enum Content {
    File(File),
    /// A pipe, with the bytes that were looked at.
    Stream(Box<dyn Read + Send>),
    Decompressed(Box<dyn Read + Send>),
}

/// A compression that is undone while a file is read.
enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// The compression of a file that begins like this.
    fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 8, flags, ..] if flags & RESERVED == 0 => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            _ => None,
        }
    }

    fn decoder(self, source: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        let source = BufReader::with_capacity(BUFFER, source);
        match self {
            Compression::Gzip => Ok(Box::new(flate2::bufread::MultiGzDecoder::new(source))),
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(source)?;
                decoder.window_log_max(WINDOW_LOG)?;
                Ok(Box::new(decoder))
            }
        }
    }
}

impl Content {
    /// Decompresses a file that begins as gzip or zstd does. Also returns the first bytes of the content, of
    /// which [`HEAD`] follow the blanks unless the content ends there: a single read of a pipe or of a decoder may give
    /// less.
    pub fn recognised(mut file: File) -> io::Result<(Self, Vec<u8>)> {
        let is_file = file.metadata()?.is_file();
        let mut head = Vec::new();
        append_head(&mut file, &mut head)?;
        let Some(compression) = Compression::of(&head) else {
            if is_file {
                file.rewind()?;
                return Ok((Content::File(file), head));
            }
            return Ok((Content::Stream(Box::new(Cursor::new(head.clone()).chain(file))), head));
        };
        let source: Box<dyn Read + Send> = if is_file {
            file.rewind()?;
            Box::new(file)
        } else {
            Box::new(Cursor::new(head).chain(file))
        };
        let (mut decoder, mut head) = (compression.decoder(source)?, Vec::new());
        let failed = append_head(&mut decoder, &mut head).err();
        if let Some(problem) = failed.as_ref().filter(|_| head.is_empty()) {
            return Err(of_compressed(problem));
        }
        // An error behind the first bytes is left to who reads it, which knows the place.
        let content = Cursor::new(head.clone()).chain(Failing(failed)).chain(decoder);
        Ok((Content::Decompressed(Box::new(content)), head))
    }

    /// Bytes of a regular file that is read as it is.
    pub fn length(&self) -> io::Result<Option<u64>> {
        match self {
            Content::File(file) => file.metadata().map(|metadata| metadata.is_file().then_some(metadata.len())),
            Content::Stream(_) | Content::Decompressed(_) => Ok(None),
        }
    }
}

/// Appends the first bytes, however few come at a time.
fn append_head(source: &mut impl Read, head: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let text = head.trim_ascii_start().len();
        let wanted = if text == 0 { head.len().max(HEAD) } else { HEAD.saturating_sub(text) };
        let read = source.by_ref().take(wanted as u64).read_to_end(head)?;
        if read < wanted || wanted == 0 || head.len() > MOST_BLANKS {
            return Ok(());
        }
    }
}

/// What is wrong with compressed data.
fn of_compressed(problem: &io::Error) -> io::Error {
    io::Error::new(problem.kind(), format!("the compressed data: {problem}"))
}

/// Fails once, if there is an error, and is empty otherwise.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

impl Read for Content {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Content::File(file) => file.read(buffer),
            Content::Stream(stream) => stream.read(buffer),
            Content::Decompressed(decoder) => decoder.read(buffer).map_err(|problem| match problem.kind() {
                io::ErrorKind::Interrupted => problem,
                _ => of_compressed(&problem),
            }),
        }
    }
}

impl Seek for Content {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        let what = match self {
            Content::File(file) => return file.seek(place),
            Content::Stream(_) => "a pipe",
            Content::Decompressed(_) => "compressed data",
        };
        Err(io::Error::new(io::ErrorKind::NotSeekable, format!("{what} cannot be read from another place")))
    }
}
