//! Reading files and streams as record batches.

mod batch_resizer;
mod codec;
mod concatenation;
mod flatbuffer;
mod footer;
mod ipc;
mod lz4;
mod memory_budget;
mod pages;
mod parquet;
mod prefetch;
mod progress;
mod source;
mod thrift;

use crate::error::Error;
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use batch_resizer::BatchResizer;
use ipc::{IpcFile, IpcStream};
use parquet::{ParquetBatches, ParquetFile};
pub use progress::Progress;
use progress::{ByteOffset, CountingReader};
use source::Source;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

/// Options for reading a file.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The number of rows of a batch. For Parquet it is exact, except in the last batch; batches of
    /// Arrow IPC are split and combined to about that number, and those of a stream wait at most 10
    /// ms for further ones. It is reduced if `max_memory` requires it. The default is 2^18: larger
    /// columns need fresh memory for each batch, which costs more than decoding.
    pub rows: usize,
    /// The number of threads that decode. The default is the number of processors, at most 16. With
    /// 0, the consumer of the batches decodes them, which is best for small files.
    pub threads: usize,
    /// The maximum memory in bytes of decoded batches before they are returned, and of a single
    /// batch. The default is 2 GiB.
    pub max_memory: u64,
    /// The maximum size in bytes of a decompressed Parquet page. The default is 256 MiB.
    pub max_page: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(16);
        ReadOptions {
            rows: 1 << 18,
            threads,
            max_memory: 2 << 30,
            max_page: 256 << 20,
        }
    }
}

/// The columns to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projection {
    /// All columns.
    All,
    /// The columns at these positions of the schema, in the order of the schema.
    Only(Vec<usize>),
}

impl Projection {
    fn places(&self, schema: &Schema) -> Result<Vec<usize>, Error> {
        let count = schema.fields().len();
        let mut places = match self {
            Projection::All => (0..count).collect(),
            Projection::Only(places) => places.clone(),
        };
        places.sort_unstable();
        places.dedup();
        match places.last() {
            None => Err(Error::Columns("no column is read".to_owned())),
            Some(last) if *last >= count => {
                Err(Error::Columns(format!("there is no column number {last}")))
            }
            Some(_) => Ok(places),
        }
    }
}

/// The detected format of a file or stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Parquet.
    Parquet,
    /// Arrow IPC with a footer ("Feather").
    ArrowFile,
    /// Arrow IPC as a stream of messages.
    ArrowStream,
}

/// Number of bytes by which formats are recognised.
const FIRST_BYTES: usize = 8;

impl Format {
    /// Returns the format of content that begins with `first`, which has 8 bytes or is the whole
    /// content.
    pub fn of(first: &[u8]) -> Option<Self> {
        if first.starts_with(parquet::MAGIC) {
            Some(Format::Parquet)
        } else if first.starts_with(ipc::MAGIC) {
            Some(Format::ArrowFile)
        } else if first.starts_with(&ipc::CONTINUATION) {
            Some(Format::ArrowStream)
        } else {
            None
        }
    }
}

/// A file or stream whose schema is known, before its rows are read.
pub struct Input {
    content: InputContent,
    schema: SchemaRef,
    options: ReadOptions,
    /// Length in bytes of a file with a footer.
    length: u64,
    place: ByteOffset,
    progress: Arc<Progress>,
}

enum InputContent {
    Parquet(ParquetFile),
    File(IpcFile),
    Stream(IpcStream),
}

/// Opens a file of Parquet or Arrow IPC, which is recognised by its content.
///
/// Pages of Parquet may be uncompressed, or compressed with Snappy, gzip, Zstandard, Brotli or LZ4
/// (`LZ4_RAW`, and the `LZ4` of old writers); messages of Arrow IPC with Zstandard or LZ4. Columns
/// of bytes in Parquet's delta encodings are rejected.
///
/// The claims of a Parquet file about its rows are compared with its pages ([`Input::batches`]),
/// and the number of rows of the file with those of its row groups here. The footer of an Arrow
/// file must list all batches in the file.
///
/// # Errors
/// [`Error::File`] if it cannot be read, [`Error::UnknownFormat`], [`Error::Malformed`], and
/// [`Error::Limit`] if it requires more memory than the options allow.
pub fn open(path: impl AsRef<Path>, options: ReadOptions) -> Result<Input, Error> {
    let source = Source::open(path.as_ref())?;
    let first = source.at_most(0, FIRST_BYTES)?;
    let length = source.length();
    let mut place = ByteOffset::default();
    let content = match Format::of(&first) {
        Some(Format::Parquet) => {
            InputContent::Parquet(ParquetFile::open(source, options.max_memory)?)
        }
        Some(Format::ArrowFile) => InputContent::File(IpcFile::open(source, options.max_memory)?),
        Some(Format::ArrowStream) => {
            let (file, counted) = CountingReader::new(std::io::BufReader::new(source.into_file()));
            place = counted;
            InputContent::Stream(IpcStream::open(Box::new(file), options.max_memory)?)
        }
        None => return Err(unknown(&first)),
    };
    Input::of(content, options, length, place)
}

/// Reads a stream of Arrow IPC, such as standard input, up to its schema. The rest is read on a
/// separate thread. Dropping the batches before their end does not wait for this thread: it ends
/// when the stream delivers more data or ends.
///
/// # Errors
/// [`Error::Stream`] if it cannot be read, and the same as for [`open`] if it has another format.
pub fn open_stream(
    mut input: impl Read + Send + 'static,
    options: ReadOptions,
) -> Result<Input, Error> {
    let mut first = Vec::new();
    input
        .by_ref()
        .take(FIRST_BYTES as u64)
        .read_to_end(&mut first)?;
    match Format::of(&first) {
        Some(Format::ArrowStream) => {
            let (input, place) = CountingReader::new(Cursor::new(first).chain(input));
            let stream = IpcStream::open(Box::new(input), options.max_memory)?;
            Input::of(InputContent::Stream(stream), options, 0, place)
        }
        Some(_) => Err(Error::Malformed(
            "a file with a footer cannot be read from a pipe".to_owned(),
        )),
        None => Err(unknown(&first)),
    }
}

fn unknown(first: &[u8]) -> Error {
    Error::UnknownFormat(match first {
        [] => "nothing: it is empty".to_owned(),
        // The content is not shown, because it may be a key that was given in place of an input.
        first
            if first
                .iter()
                .all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) =>
        {
            "text".to_owned()
        }
        _ => "other binary data".to_owned(),
    })
}

impl Input {
    fn of(
        content: InputContent,
        options: ReadOptions,
        length: u64,
        place: ByteOffset,
    ) -> Result<Self, Error> {
        if options.rows == 0 {
            return Err(Error::Options("batches have a row at least".to_owned()));
        }
        let schema = match &content {
            InputContent::Parquet(file) => file.schema.clone(),
            InputContent::File(file) => file.schema.clone(),
            InputContent::Stream(stream) => stream.schema.clone(),
        };
        Ok(Input {
            content,
            schema,
            options,
            length,
            place,
            progress: Arc::default(),
        })
    }

    /// Returns the schema of the batches. Parquet's bytes and strings are views here, including
    /// those in lists and structs, and its lists have variable size, whatever their types in the
    /// file.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the schema with the types in the file, which are to be used for output.
    pub fn written_schema(&self) -> &SchemaRef {
        match &self.content {
            InputContent::Parquet(file) => &file.written,
            _ => &self.schema,
        }
    }

    /// Returns the format of the input.
    pub fn format(&self) -> Format {
        match self.content {
            InputContent::Parquet(_) => Format::Parquet,
            InputContent::File(_) => Format::ArrowFile,
            InputContent::Stream(_) => Format::ArrowStream,
        }
    }

    /// Returns the number of rows, if there is a footer that states it.
    pub fn rows(&self) -> Option<u64> {
        match &self.content {
            InputContent::Parquet(file) => Some(file.rows()),
            _ => None,
        }
    }

    /// Returns the progress of the input, which any thread may query.
    pub fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }

    /// Returns the rows, in order. After an error, there are no more.
    ///
    /// A batch of Parquet is an error if the number of values in the pages of a column that is read
    /// does not match its row group's rows, even if the mismatch is after the rows of the batch. A
    /// stream that ends without its end-of-stream marker, or continues after it, is an error after
    /// its last batch.
    ///
    /// # Errors
    /// [`Error::Columns`] if no column is selected or one does not exist, [`Error::Limit`] if a row
    /// is too long for the memory, [`Error::Malformed`] if the footer contradicts itself.
    pub fn batches(self, columns: &Projection) -> Result<Batches, Error> {
        let Input {
            content,
            schema,
            options,
            length,
            place,
            progress,
        } = self;
        let places = columns.places(&schema)?;
        let projected = Arc::new(schema.project(&places)?);
        let source = match content {
            InputContent::Parquet(file) => BatchStream::Parquet {
                batches: file.batches(&places, &options)?,
                length,
            },
            InputContent::File(file) => {
                let events = ipc::file_events(file, &places, &options, place.clone(), length)?;
                BatchStream::Ipc(BatchResizer::new(events, projected.clone(), &options))
            }
            InputContent::Stream(stream) => {
                let events = ipc::stream_events(stream, places)?;
                BatchStream::Ipc(BatchResizer::new(events, projected.clone(), &options))
            }
        };
        Ok(Batches {
            source: Some(source),
            schema: projected,
            max_memory: options.max_memory,
            place,
            progress,
        })
    }
}

/// Record batches in order.
pub struct Batches {
    /// `None` after the end or an error.
    source: Option<BatchStream>,
    schema: SchemaRef,
    max_memory: u64,
    place: ByteOffset,
    progress: Arc<Progress>,
}

enum BatchStream {
    Parquet {
        batches: ParquetBatches,
        length: u64,
    },
    Ipc(BatchResizer),
}

impl Batches {
    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the memory limit in bytes for batches that were returned and are still in use.
    pub(crate) fn max_memory(&self) -> u64 {
        self.max_memory
    }

    /// Returns the byte position up to which the input was read for the batches so far.
    pub(crate) fn place(&self) -> u64 {
        self.place.get()
    }

    /// Returns the progress of the input, which any thread may query.
    pub(crate) fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }

    /// Returns the next batch, like the iterator. While a stream delivers nothing, `wanted` is
    /// called every 10 ms, and the batches end when it returns false.
    pub(crate) fn next_while(
        &mut self,
        wanted: &dyn Fn() -> bool,
    ) -> Option<Result<RecordBatch, Error>> {
        let next = match self.source.as_mut()? {
            BatchStream::Parquet { batches, length } => {
                let next = batches.next();
                let (row, rows) = batches.place();
                self.place.set(*length, row, rows);
                next
            }
            BatchStream::Ipc(batches) => batches.next(wanted),
        };
        if !matches!(next, Some(Ok(_))) {
            self.source = None;
        }
        next
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_while(&|| true)
    }
}
