//! Arrow IPC: files, whose batches are decoded on several threads, and streams, which may be idle
//! for a long time and are read on threads of their own.

use super::ReadOptions;
use super::batch_resizer::{NextEvent, SourceEvent};
use super::flatbuffer;
use super::footer::within;
use super::lz4;
use super::memory_budget::TaskMemory;
use super::prefetch::Prefetch;
use super::progress::ByteOffset;
use super::source::Source;
use crate::error::{Error, caught};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_dictionary, read_footer_length, read_record_batch};
use arrow_ipc::{Block, CompressionType, MessageHeader};
use arrow_schema::SchemaRef;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread;

/// The magic bytes at both ends of a file.
pub(crate) const MAGIC: &[u8] = b"ARROW1";

/// The marker at the start of each message in a stream.
pub(crate) const CONTINUATION: [u8; 4] = [0xff; 4];

/// Maximum length in bytes of a message's metadata, and of a footer.
const LONGEST_METADATA: u64 = 64 << 20;

/// A file whose footer was read.
pub(crate) struct IpcFile {
    source: Arc<Source>,
    decoder: FileDecoder,
    blocks: Vec<Block>,
    pub schema: SchemaRef,
}

impl IpcFile {
    pub fn open(source: Source, max_memory: u64) -> Result<Self, Error> {
        let (end, footer) = footer(&source)?;
        caught(|| {
            let footer = flatbuffer::footer(&footer, max_memory)?;
            let schema = footer
                .schema()
                .ok_or_else(|| malformed("the footer has no schema"))?;
            let schema = schema_of(schema)?;
            let mut decoder = FileDecoder::new(schema.clone(), footer.version());
            let mut left = max_memory;
            for block in footer.dictionaries().iter().flatten() {
                let (bytes, size) = checked_block(&source, block, left)?;
                decoder.read_dictionary(block, &bytes)?;
                left = left.saturating_sub(size);
            }
            let blocks: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
            let dictionaries = footer.dictionaries().into_iter().flatten().copied();
            check_listed(
                &source,
                dictionaries.chain(blocks.iter().copied()),
                end,
                max_memory,
            )?;
            Ok(IpcFile {
                source: Arc::new(source),
                decoder,
                blocks,
                schema,
            })
        })
    }

    /// Returns the number of batches in the file.
    pub fn parts(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// Returns the batches in the sizes of the file, with these columns.
    pub fn batches(
        self,
        columns: &[usize],
        options: &ReadOptions,
    ) -> Result<Prefetch<Result<RecordBatch, Error>>, Error> {
        let IpcFile {
            source,
            decoder,
            blocks,
            ..
        } = self;
        let decoder = decoder.with_projection(columns.to_vec());
        let tasks = blocks.len();
        let limit = options.max_memory;
        let longest = blocks
            .iter()
            .map(|block| u64::try_from(block.bodyLength()).unwrap_or(0))
            .max()
            .unwrap_or(0);
        // The decoded size of the first message is used as an estimate for the others. Its errors
        // are reported when it is decoded.
        let first = blocks.first().filter(|_| blocks.len() > 1);
        let first = first.and_then(|block| caught(|| checked_block(&source, block, limit)).ok());
        let longest = first.map_or(longest, |(_, size)| longest.max(size));
        let ahead = (limit / longest.max(1)).clamp(1, options.threads as u64 + 1) as usize;
        // Memory freed by a thread is often kept for that thread, so there are no more threads than
        // batches that fit in memory.
        let threads = options.threads.min(ahead);
        let room = Arc::new(TaskMemory::new(limit));
        let entered = room.clone();
        Ok(Prefetch::start(tasks, threads, ahead, room, move |task| {
            caught(|| {
                let (bytes, size) = checked_block(&source, &blocks[task], limit)?;
                // The decompressed size of a message is known only now.
                entered.enter(task, size);
                let batch = decoder.read_record_batch(&blocks[task], &bytes)?;
                batch.ok_or_else(|| malformed("a block holds no batch"))
            })
        })?)
    }
}

/// Returns the batches of a file of `length` bytes, with the columns at `places`. `offset` is set
/// to the end of each batch when it is returned.
///
/// # Errors
/// If the system cannot start a thread.
pub(crate) fn file_events(
    file: IpcFile,
    places: &[usize],
    options: &ReadOptions,
    offset: ByteOffset,
    length: u64,
) -> Result<NextEvent, Error> {
    let parts = file.parts();
    let mut part = 0;
    let mut batches = file.batches(places, options)?;
    Ok(Box::new(move |_| match batches.next() {
        Some(Ok(batch)) => {
            part += 1;
            offset.set(length, part, parts);
            SourceEvent::Batch(batch)
        }
        Some(Err(problem)) => SourceEvent::Failed(problem),
        None => SourceEvent::End,
    }))
}

/// Reads the footer, and returns its position and its bytes.
fn footer(source: &Source) -> Result<(u64, Vec<u8>), Error> {
    const END: u64 = 10;
    let start = source.length().checked_sub(END).ok_or_else(too_short)?;
    let end: [u8; END as usize] = source
        .bytes(start, END as usize)?
        .try_into()
        .map_err(|_| too_short())?;
    let length = read_footer_length(end)? as u64;
    within("bytes of a footer", length, LONGEST_METADATA)?;
    let start = start.checked_sub(length).ok_or_else(too_short)?;
    Ok((start, source.bytes(start, length as usize)?))
}

/// Checks that the footer lists every batch in the file. Messages are consecutive, as in a stream:
/// gaps between blocks or before the footer must not contain messages other than a schema.
fn check_listed(
    source: &Source,
    blocks: impl Iterator<Item = Block>,
    end: u64,
    max_memory: u64,
) -> Result<(), Error> {
    /// The position of the first message, after the magic bytes and their padding.
    const START: u64 = 8;
    let mut listed: Vec<(u64, u64)> = blocks.map(block_range).collect();
    listed.push((end, end));
    listed.sort_unstable();
    let mut at = START;
    for (start, end) in listed {
        at = end_of_padding(source, at, start)?;
        while let Some((header, next)) = message_between(source, at, start, max_memory)? {
            if header != MessageHeader::Schema {
                return Err(malformed(&format!(
                    "the footer does not list the message at byte {at}"
                )));
            }
            at = end_of_padding(source, next, start)?;
        }
        at = at.max(end);
    }
    Ok(())
}

/// Returns the start and the end of a block. Negative numbers count as 0: they are rejected when
/// the block is read.
fn block_range(block: Block) -> (u64, u64) {
    let start = u64::try_from(block.offset()).unwrap_or(0);
    let metadata = u64::try_from(block.metaDataLength()).unwrap_or(0);
    let body = u64::try_from(block.bodyLength()).unwrap_or(0);
    (start, start.saturating_add(metadata.saturating_add(body)))
}

/// Returns the end of the zeros with which writers align messages to 8 or 64 bytes.
fn end_of_padding(source: &Source, at: u64, before: u64) -> Result<u64, Error> {
    const WORD: usize = 8;
    const LONGEST: u64 = 64;
    let bytes = source.bytes(at, before.saturating_sub(at).min(LONGEST) as usize)?;
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    Ok(at + (zeros / WORD * WORD) as u64)
}

/// Returns the kind and the end of the message that begins at `at` and ends before `before`; `None`
/// if there is no message, but an end-of-stream marker or padding.
fn message_between(
    source: &Source,
    at: u64,
    before: u64,
    max_memory: u64,
) -> Result<Option<(MessageHeader, u64)>, Error> {
    const PREFIX: u64 = 8;
    let room = before.saturating_sub(at);
    if room <= PREFIX {
        return Ok(None);
    }
    let prefix = source.bytes(at, PREFIX as usize)?;
    let Some(length) = prefix
        .strip_prefix(&CONTINUATION)
        .and_then(|length| <[u8; 4]>::try_from(length).ok())
    else {
        return Ok(None);
    };
    let length = u64::from(u32::from_le_bytes(length));
    if length == 0 || length > LONGEST_METADATA.min(room - PREFIX) {
        return Ok(None);
    }
    let head = source.bytes(at + PREFIX, length as usize)?;
    let Ok(message) = flatbuffer::message(&head, max_memory) else {
        return Ok(None);
    };
    let body = u64::try_from(message.bodyLength()).unwrap_or(u64::MAX);
    let next = (at + PREFIX + length).saturating_add(body);
    Ok((next <= before).then_some((message.header_type(), next)))
}

/// Reads a block, and returns its bytes and its decoded size, after checking that its message's
/// claims are within the limit.
fn checked_block(source: &Source, block: &Block, limit: u64) -> Result<(Buffer, u64), Error> {
    let metadata = usize::try_from(block.metaDataLength())
        .map_err(|_| malformed("a block has a negative length"))?;
    let body = u64::try_from(block.bodyLength())
        .map_err(|_| malformed("a block has a negative length"))?;
    let start =
        u64::try_from(block.offset()).map_err(|_| malformed("a block has a negative place"))?;
    within(
        "bytes of a message",
        body.saturating_add(metadata as u64),
        limit,
    )?;
    let bytes = Buffer::from_vec(source.bytes(start, metadata + body as usize)?);
    let (head, body) = bytes.split_at(metadata);
    // Four bytes of length, preceded by four bytes of continuation except in old files.
    let skipped = if head.starts_with(&CONTINUATION) {
        8
    } else {
        4
    };
    let size = check_message(head.get(skipped..).unwrap_or(&[]), body, limit)?;
    Ok((bytes, size))
}

/// Checks the sizes that a message claims, since decoders allocate them. Returns the size of the
/// decoded body.
fn check_message(message: &[u8], body: &[u8], limit: u64) -> Result<u64, Error> {
    let message = flatbuffer::message(message, limit)?;
    let batch = match message.header_type() {
        MessageHeader::DictionaryBatch => message
            .header_as_dictionary_batch()
            .and_then(|header| header.data()),
        _ => message.header_as_record_batch(),
    };
    let Some(batch) = batch else { return Ok(0) };
    // Types without bytes may have any number of rows.
    within(
        "rows of a message",
        u64::try_from(batch.length()).unwrap_or(u64::MAX),
        limit,
    )?;
    if batch.compression().is_none() {
        return Ok(body.len() as u64);
    }
    let is_lz4 = batch
        .compression()
        .is_some_and(|compression| compression.codec() == CompressionType::LZ4_FRAME);
    let mut claimed = 0u64;
    for buffer in batch.buffers().iter().flatten() {
        let bytes = usize::try_from(buffer.offset())
            .ok()
            .and_then(|start| body.get(start..))
            .unwrap_or_default();
        let Some((size, bytes)) = bytes.split_first_chunk::<8>() else {
            continue;
        };
        // A negative size means that the buffer is not compressed.
        let size = u64::try_from(i64::from_le_bytes(*size)).unwrap_or(0);
        let length = usize::try_from(buffer.length())
            .unwrap_or(0)
            .saturating_sub(8)
            .min(bytes.len());
        // For other codecs, no more than the claimed size is written.
        let may_become = if is_lz4 && size > 0 {
            lz4::bound(&bytes[..length]).ok_or_else(|| malformed("a buffer is not an LZ4 frame"))?
        } else {
            0
        };
        claimed = claimed.saturating_add(size.max(may_become));
    }
    within("bytes of a message, decompressed,", claimed, limit)?;
    Ok(claimed.saturating_add(body.len() as u64))
}

/// Consecutive messages from any reader.
pub(crate) struct IpcStream {
    input: Box<dyn Read + Send>,
    dictionaries: HashMap<i64, ArrayRef>,
    limit: u64,
    pub schema: SchemaRef,
}

impl IpcStream {
    pub fn open(mut input: Box<dyn Read + Send>, limit: u64) -> Result<Self, Error> {
        let StreamPart::Message(first) = StreamPart::read(&mut input, limit)? else {
            return Err(malformed("the stream ends before its schema"));
        };
        caught(|| {
            let message = flatbuffer::message(&first.head, limit)?;
            let schema = message
                .header_as_schema()
                .ok_or_else(|| malformed("the stream does not begin with a schema"))?;
            let schema = schema_of(schema)?;
            Ok(IpcStream {
                input,
                dictionaries: HashMap::new(),
                limit,
                schema,
            })
        })
    }

    /// Returns the next batch, with these columns; `None` at the end of the stream.
    ///
    /// A stream, and with it the input, ends with the end-of-stream marker. The format permits a
    /// writer to close the stream instead, but such an end cannot be distinguished from that of a
    /// writer that was killed, or of a file that was truncated between two messages.
    pub fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, Error> {
        loop {
            let message = match StreamPart::read(&mut self.input, self.limit)? {
                StreamPart::Message(message) => message,
                StreamPart::Marker => break,
                StreamPart::EndOfInput => {
                    return Err(malformed(
                        "the stream ends without its end-of-stream marker, so that batches may be missing; if its \
                         writer never writes one, append it: printf '\\377\\377\\377\\377\\0\\0\\0\\0'",
                    ));
                }
            };
            if let Some(batch) = caught(|| self.decode(&message, columns))? {
                return Ok(Some(batch));
            }
        }
        if take_some(&mut self.input, 1)?.is_empty() {
            return Ok(None);
        }
        Err(malformed(
            "the input goes on after the end-of-stream marker, and what follows is not read; several streams are \
             several inputs",
        ))
    }

    /// Decodes a batch; `None` if the message was a dictionary.
    fn decode(
        &mut self,
        message: &StreamMessage,
        columns: &[usize],
    ) -> Result<Option<RecordBatch>, Error> {
        let parsed = flatbuffer::message(&message.head, self.limit)?;
        let version = parsed.version();
        if let Some(dictionary) = parsed.header_as_dictionary_batch() {
            read_dictionary(
                &message.body,
                dictionary,
                &self.schema,
                &mut self.dictionaries,
                &version,
            )?;
            let kept: usize = self
                .dictionaries
                .values()
                .map(|values| values.get_array_memory_size())
                .sum();
            within(
                "bytes of the dictionaries of a stream",
                kept as u64,
                self.limit,
            )?;
            return Ok(None);
        }
        let Some(batch) = parsed.header_as_record_batch() else {
            return Err(malformed("a message is neither a batch nor a dictionary"));
        };
        let schema = self.schema.clone();
        Ok(Some(read_record_batch(
            &message.body,
            batch,
            schema,
            &self.dictionaries,
            Some(columns),
            &version,
        )?))
    }
}

/// Returns the batches of a stream, with the columns at `places`. One batch is read ahead. The
/// reading thread is not joined, because it cannot be woken: when the batches are dropped, it ends
/// with the next batch or with the stream.
///
/// # Errors
/// If the system cannot start a thread.
pub(crate) fn stream_events(stream: IpcStream, places: Vec<usize>) -> std::io::Result<NextEvent> {
    // A channel without a buffer, so that at most one message is in memory.
    let (send, receive) = mpsc::sync_channel(0);
    let thread = thread::Builder::new().name("gecc-stream".to_owned());
    thread.spawn(move || send_batches(stream, &places, &send))?;
    Ok(Box::new(move |patience| {
        match receive.recv_timeout(patience) {
            Ok(Ok(batch)) => SourceEvent::Batch(batch),
            Ok(Err(problem)) => SourceEvent::Failed(problem),
            Err(RecvTimeoutError::Timeout) => SourceEvent::Nothing,
            Err(RecvTimeoutError::Disconnected) => SourceEvent::End,
        }
    }))
}

/// Sends batches until there are no more, one is an error, or the receiver is gone.
fn send_batches(
    mut stream: IpcStream,
    places: &[usize],
    send: &SyncSender<Result<RecordBatch, Error>>,
) {
    // A panic of the input is not mistaken for its end.
    while let Some(batch) = caught(|| stream.next(places)).transpose() {
        let is_last = batch.is_err();
        if send.send(batch).is_err() || is_last {
            return;
        }
    }
}

/// A message of a stream: metadata, and its body.
struct StreamMessage {
    head: Vec<u8>,
    body: Buffer,
}

/// The next part of a stream.
enum StreamPart {
    Message(StreamMessage),
    /// The end-of-stream marker: a length of zero.
    Marker,
    EndOfInput,
}

impl StreamPart {
    fn read(input: &mut impl Read, limit: u64) -> Result<Self, Error> {
        let Some(mut length) = word(input)? else {
            return Ok(StreamPart::EndOfInput);
        };
        // Old streams have no continuation marker.
        if length == CONTINUATION {
            length = word(input)?.ok_or_else(ends_within)?;
        }
        let length = u64::from(u32::from_le_bytes(length));
        if length == 0 {
            return Ok(StreamPart::Marker);
        }
        within("bytes of a message's metadata", length, LONGEST_METADATA)?;
        let head = take(input, length)?;
        let body = caught(|| Ok(flatbuffer::message(&head, limit)?.bodyLength()))?;
        let body = u64::try_from(body).map_err(|_| malformed("a message has a negative length"))?;
        within("bytes of a message", body, limit)?;
        let body = take(input, body)?;
        caught(|| check_message(&head, &body, limit))?;
        Ok(StreamPart::Message(StreamMessage {
            head,
            body: Buffer::from_vec(body),
        }))
    }
}

fn schema_of(schema: arrow_ipc::Schema) -> Result<SchemaRef, Error> {
    if !schema.endianness().equals_to_target_endianness() {
        return Err(malformed(
            "numbers have another order of bytes than this processor",
        ));
    }
    Ok(Arc::new(fb_to_schema(schema)))
}

/// Reads `count` bytes. Missing bytes take no memory.
fn take(input: &mut impl Read, count: u64) -> Result<Vec<u8>, Error> {
    let bytes = take_some(input, count)?;
    if (bytes.len() as u64) < count {
        Err(ends_within())
    } else {
        Ok(bytes)
    }
}

/// Reads `count` bytes, or fewer if the input ends.
fn take_some(input: &mut impl Read, count: u64) -> Result<Vec<u8>, Error> {
    /// The initial allocation before any bytes have arrived.
    const BEGIN: u64 = 1 << 20;
    let mut bytes = Vec::with_capacity(count.min(BEGIN) as usize);
    input.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads four bytes; `None` if the input has ended before them.
fn word(input: &mut impl Read) -> Result<Option<[u8; 4]>, Error> {
    match take_some(input, 4)? {
        bytes if bytes.is_empty() => Ok(None),
        bytes => bytes.try_into().map(Some).map_err(|_| ends_within()),
    }
}

fn too_short() -> Error {
    malformed("the file is too short for its footer")
}

fn ends_within() -> Error {
    malformed("the stream ends within a message")
}

fn malformed(problem: &str) -> Error {
    Error::Malformed(format!("Arrow IPC: {problem}"))
}
