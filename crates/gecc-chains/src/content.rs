//! What is read of a file: its bytes, or what they are compressed from.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};

/// Compressed bytes that are read at a time.
const BUFFER: usize = 1 << 18;
/// The largest window of a zstd frame, as a power of two: 128 MiB.
const WINDOW_LOG: u32 = 27;
/// This many first bytes tell the compression.
const HEAD: usize = 4;
/// Bits of gzip's flags that have to be 0 (RFC 1952, section 2.3.1). A block of Bitcoin that begins like gzip has one
/// of them.
const RESERVED: u8 = 0xe0;

pub(crate) enum Content {
    File(File),
    /// A pipe, with the bytes that were looked at.
    Stream(Box<dyn Read + Send>),
    Decompressed(Box<dyn Read + Send>),
}

impl Content {
    /// Decompresses a file that begins as gzip or zstd does.
    pub fn recognised(mut file: File) -> io::Result<Self> {
        let is_file = file.metadata()?.is_file();
        let mut head = Vec::with_capacity(HEAD);
        file.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        let is_gzip = matches!(head[..], [0x1f, 0x8b, 8, flags] if flags & RESERVED == 0);
        let is_zstd = head == [0x28, 0xb5, 0x2f, 0xfd];
        let source: Box<dyn Read + Send> = if is_file {
            file.rewind()?;
            if !is_gzip && !is_zstd {
                return Ok(Content::File(file));
            }
            Box::new(file)
        } else {
            Box::new(Cursor::new(head).chain(file))
        };
        if !is_gzip && !is_zstd {
            return Ok(Content::Stream(source));
        }
        let source = BufReader::with_capacity(BUFFER, source);
        if is_gzip {
            return Ok(Content::Decompressed(Box::new(flate2::bufread::MultiGzDecoder::new(source))));
        }
        let mut decoder = zstd::stream::read::Decoder::with_buffer(source)?;
        decoder.window_log_max(WINDOW_LOG)?;
        Ok(Content::Decompressed(Box::new(decoder)))
    }

    /// Bytes of a regular file that is read as it is.
    pub fn length(&self) -> io::Result<Option<u64>> {
        match self {
            Content::File(file) => file.metadata().map(|metadata| metadata.is_file().then_some(metadata.len())),
            Content::Stream(_) | Content::Decompressed(_) => Ok(None),
        }
    }
}

impl Read for Content {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Content::File(file) => file.read(buffer),
            Content::Stream(stream) => stream.read(buffer),
            Content::Decompressed(decoder) => decoder.read(buffer).map_err(|problem| match problem.kind() {
                io::ErrorKind::Interrupted => problem,
                kind => io::Error::new(kind, format!("the compressed data: {problem}")),
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
