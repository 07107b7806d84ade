//! Reads rows from a file or a stream into the caller's memory.

use super::layout::{FieldPlace, RowLayout};
use crate::input::fields::counted;
use crate::input::open::{Input, PlainFile, became_shorter};
use crate::input::source::{SourceEvent, StreamSource};
use crate::input::text::{Buffers, Text};
use crate::secrets::buffers::Wiped;
use gecc::ecdsa::recovery_id_of_v;
use gecc::fields::Field;
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

/// The minimum size in bytes of a part that is read by a separate task.
const SMALLEST_PART: usize = 1 << 20;

/// The outcome of filling the memory.
#[derive(Debug, PartialEq, Eq)]
pub enum ReadRows {
    /// The number of rows read, above 0.
    Rows(usize),
    /// Nothing arrived in time.
    Nothing,
    End,
}

/// Reads rows, as many at a time as fit into the given memory.
pub struct RowReader {
    layout: RowLayout,
    source: RowSource,
}

enum RowSource {
    /// A file of whole rows, and the number of rows left.
    File(PlainFile, u64),
    Stream(RowStream),
}

impl RowReader {
    /// Makes a reader. Streams are read ahead by up to `window` buffers.
    ///
    /// # Errors
    /// Returns an error if the length of a file is not a multiple of the row width, or if no thread
    /// can be started.
    pub fn new(
        input: Input,
        layout: RowLayout,
        buffers: Arc<Buffers>,
        window: usize,
    ) -> Result<Self, String> {
        let source = match input {
            Input::Stream(reader) => {
                let stream = StreamSource::start(reader, buffers, window)
                    .map_err(|problem| problem.to_string())?;
                RowSource::Stream(RowStream::new(stream))
            }
            Input::File(file) => {
                let length = file.end.saturating_sub(file.start);
                let width = layout.width() as u64;
                if !length.is_multiple_of(width) {
                    let left = length % width;
                    return Err(format!(
                        "{length} bytes are not whole rows of {width}: {left} are left over at the end"
                    ));
                }
                RowSource::File(file, length / width)
            }
        };
        Ok(RowReader { layout, source })
    }

    pub fn layout(&self) -> &RowLayout {
        &self.layout
    }

    /// Returns the number of rows left in a file; unknown for a stream.
    pub fn rows(&self) -> Option<u64> {
        match &self.source {
            RowSource::File(_, rows) => Some(*rows),
            RowSource::Stream(_) => None,
        }
    }

    /// Copies the next rows to the start of the memory, on the threads of the caller's pool. Waits
    /// at most `patience` for a stream.
    ///
    /// # Errors
    /// Returns an error if reading fails, a file became shorter, or a stream ends within a row.
    /// Rows returned earlier remain valid.
    pub fn read(&mut self, memory: &mut [u8], patience: Duration) -> Result<ReadRows, String> {
        // Recovery ids that are part of signatures are read with these.
        let v = self
            .layout
            .place(Field::RecoveryId)
            .filter(|_| self.layout.v().is_none());
        let width = self.layout.width();
        match &mut self.source {
            RowSource::Stream(stream) => {
                let filled = stream.read(memory, width, patience)?;
                if let ReadRows::Rows(rows) = filled {
                    normalise_v(&mut memory[..rows * width], width, v);
                }
                Ok(filled)
            }
            RowSource::File(file, left) => {
                let rows = usize::try_from(*left)
                    .unwrap_or(usize::MAX)
                    .min(memory.len() / width);
                if rows == 0 {
                    return Ok(ReadRows::End);
                }
                read_file(file, &mut memory[..rows * width], width, v)?;
                file.start += (rows * width) as u64;
                *left -= rows as u64;
                Ok(ReadRows::Rows(rows))
            }
        }
    }
}

/// Fills the memory with whole rows.
fn read_file(
    file: &PlainFile,
    memory: &mut [u8],
    width: usize,
    v: Option<FieldPlace>,
) -> Result<(), String> {
    let part = SMALLEST_PART.div_ceil(width) * width;
    memory
        .par_chunks_mut(part)
        .enumerate()
        .try_for_each(|(index, rows)| {
            let place = file.start + (index * part) as u64;
            let length = file
                .read_at(rows, place)
                .map_err(|problem| problem.to_string())?;
            if length < rows.len() {
                return Err(became_shorter().to_string());
            }
            normalise_v(rows, width, v);
            Ok(())
        })
}

/// Converts v to a recovery id. Invalid values are kept, and are rejected with their items.
fn normalise_v(rows: &mut [u8], width: usize, v: Option<FieldPlace>) {
    let Some(FieldPlace { offset, .. }) = v else {
        return;
    };
    for v in rows.chunks_exact_mut(width).map(|row| &mut row[offset]) {
        *v = recovery_id_of_v(&[*v]).unwrap_or(*v);
    }
}

/// Rows from a pipe or a decompressed file: available rows are returned without waiting for more.
struct RowStream {
    source: StreamSource,
    /// The pieces received but not yet consumed, in reverse order.
    pieces: Vec<Text>,
    /// The offset of the first unconsumed byte in the next piece.
    start: usize,
    /// The beginning of an incomplete row.
    part: Wiped,
    /// The end of the source, which is reported after the rows before it.
    end: Option<Result<(), String>>,
}

impl RowStream {
    fn new(source: StreamSource) -> Self {
        RowStream {
            source,
            pieces: Vec::new(),
            start: 0,
            part: Wiped::default(),
            end: None,
        }
    }

    fn read(
        &mut self,
        memory: &mut [u8],
        row: usize,
        patience: Duration,
    ) -> Result<ReadRows, String> {
        let mut filled = self.part.len();
        memory[..filled].copy_from_slice(&self.part);
        filled += self.take(&mut memory[filled..]);
        while filled < row && self.end.is_none() {
            match self.source.next(patience) {
                Ok(SourceEvent::Pieces(pieces)) => self.pieces.extend(pieces.into_iter().rev()),
                Ok(SourceEvent::Nothing) => break,
                Ok(SourceEvent::End) => self.end = Some(Ok(())),
                Err(problem) => self.end = Some(Err(problem.to_string())),
            }
            filled += self.take(&mut memory[filled..]);
        }
        let rows = filled / row;
        let left = filled % row;
        self.part = Zeroizing::new(memory[filled - left..filled].to_vec());
        match &self.end {
            _ if rows > 0 => Ok(ReadRows::Rows(rows)),
            None => Ok(ReadRows::Nothing),
            Some(Err(problem)) => Err(problem.clone()),
            Some(Ok(())) if left > 0 => {
                let are = if left == 1 { "is" } else { "are" };
                Err(format!(
                    "the input ends with {}, which {are} not a row of {row}",
                    counted(left, "byte")
                ))
            }
            Some(Ok(())) => Ok(ReadRows::End),
        }
    }

    /// Moves received bytes to the memory.
    fn take(&mut self, memory: &mut [u8]) -> usize {
        let mut filled = 0;
        while filled < memory.len()
            && let Some(piece) = self.pieces.last()
        {
            let bytes = &piece.bytes()[self.start..];
            let length = bytes.len().min(memory.len() - filled);
            memory[filled..filled + length].copy_from_slice(&bytes[..length]);
            filled += length;
            self.start += length;
            if self.start == piece.bytes().len() {
                self.pieces.pop();
                self.start = 0;
            }
        }
        filled
    }
}
