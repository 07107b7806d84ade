//! The content of a file: its bytes, or their decompressed form.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};

/// Size of the buffer for compressed bytes.
const BUFFER: usize = 1 << 18;
/// The largest window of a zstd frame, as a power of two: 128 MiB.
const WINDOW_LOG: u32 = 27;
/// The number of first bytes that determine the format of a file. No format has a longer signature.
/// Text may begin with blanks and line ends, of which at most `MOST_BLANKS` bytes are skipped.
const HEAD: usize = 64;
const MOST_BLANKS: usize = 1 << 20;
/// Bits of gzip's flags that must be 0 (RFC 1952, section 2.3.1). A Bitcoin block that begins like
/// gzip has one of them set.
const RESERVED: u8 = 0xe0;

pub(crate) enum FileContent {
    File(File),
    /// A pipe, preceded by the bytes that were already read from it.
    Stream(Box<dyn Read + Send>),
    Decompressed(Box<dyn Read + Send>),
}

/// A compression that is undone while a file is read.
enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// Returns the compression of a file that begins with `head`.
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

impl FileContent {
    /// Decompresses a file that begins like gzip or zstd. Also returns the first bytes of the
    /// content: leading blanks and the [`HEAD`] bytes after them, unless the content ends before.
    /// This takes several reads if a pipe or a decoder returns fewer bytes at a time.
    pub fn recognised(mut file: File) -> io::Result<(Self, Vec<u8>)> {
        let is_file = file.metadata()?.is_file();
        let mut head = Vec::new();
        append_head(&mut file, &mut head)?;
        let Some(compression) = Compression::of(&head) else {
            if is_file {
                file.rewind()?;
                return Ok((FileContent::File(file), head));
            }
            return Ok((
                FileContent::Stream(Box::new(Cursor::new(head.clone()).chain(file))),
                head,
            ));
        };
        let source: Box<dyn Read + Send> = if is_file {
            file.rewind()?;
            Box::new(file)
        } else {
            Box::new(Cursor::new(head).chain(file))
        };
        let mut decoder = compression.decoder(source)?;
        let mut head = Vec::new();
        let failed = append_head(&mut decoder, &mut head).err();
        if let Some(problem) = failed.as_ref().filter(|_| head.is_empty()) {
            return Err(of_compressed(problem));
        }
        // An error after the first bytes is left to the reader, which knows the position.
        let content = Cursor::new(head.clone())
            .chain(Failing(failed))
            .chain(decoder);
        Ok((FileContent::Decompressed(Box::new(content)), head))
    }

    /// Returns the length of an uncompressed regular file.
    pub fn length(&self) -> io::Result<Option<u64>> {
        match self {
            FileContent::File(file) => file
                .metadata()
                .map(|metadata| metadata.is_file().then_some(metadata.len())),
            FileContent::Stream(_) | FileContent::Decompressed(_) => Ok(None),
        }
    }
}

/// Appends the first bytes, even if they arrive a few at a time.
fn append_head(source: &mut impl Read, head: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let text = head.trim_ascii_start().len();
        let wanted = if text == 0 {
            head.len().max(HEAD)
        } else {
            HEAD.saturating_sub(text)
        };
        let read = source.by_ref().take(wanted as u64).read_to_end(head)?;
        if read < wanted || wanted == 0 || head.len() > MOST_BLANKS {
            return Ok(());
        }
    }
}

/// Wraps an error of a decompressor.
fn of_compressed(problem: &io::Error) -> io::Error {
    io::Error::new(problem.kind(), format!("the compressed data: {problem}"))
}

/// Returns its error once, if it has one, and is empty afterwards.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

impl Read for FileContent {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            FileContent::File(file) => file.read(buffer),
            FileContent::Stream(stream) => stream.read(buffer),
            FileContent::Decompressed(decoder) => {
                decoder
                    .read(buffer)
                    .map_err(|problem| match problem.kind() {
                        io::ErrorKind::Interrupted => problem,
                        _ => of_compressed(&problem),
                    })
            }
        }
    }
}

impl Seek for FileContent {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        let what = match self {
            FileContent::File(file) => return file.seek(place),
            FileContent::Stream(_) => "a pipe",
            FileContent::Decompressed(_) => "compressed data",
        };
        Err(io::Error::new(
            io::ErrorKind::NotSeekable,
            format!("{what} cannot be read from another place"),
        ))
    }
}
