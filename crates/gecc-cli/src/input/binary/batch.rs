//! Batches of rows, and their columns.

use super::layout::{Field, Layout, Place};
use super::positional::read_parallel;
use super::stream::Stream;
use gecc::{Engine, PageLocked, PublicKeys, Rows, SecretKeys};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use zeroize::Zeroize;

/// Rows and bytes of a batch: enough to keep a GPU busy, little enough to have some in memory.
const MOST_ROWS: usize = 1 << 20;
const MOST_BYTES: usize = 256 << 20;

/// Reads rows, a batch at a time.
pub struct Batches {
    layout: Layout,
    source: Source,
    /// Rows that were given.
    given: u64,
}

enum Source {
    /// A file of whole rows.
    File {
        file: File,
        rows: u64,
        threads: usize,
    },
    Stream(Stream),
}

impl Batches {
    /// Rows of a file, which up to so many threads read, or of standard input for `-`, a pipe or a device.
    ///
    /// # Errors
    /// Where the file cannot be opened, and where its length is no multiple of the row's width.
    pub fn open(path: &Path, layout: Layout, threads: usize) -> Result<Self, String> {
        if path == Path::new("-") {
            return Ok(Self::of_stream(Box::new(io::stdin()), layout));
        }
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
        let (metadata, file) = opened.map_err(|problem| problem.to_string())?;
        if !metadata.is_file() {
            return Ok(Self::of_stream(Box::new(file), layout));
        }
        let (length, width) = (metadata.len(), layout.width() as u64);
        if !length.is_multiple_of(width) {
            let left = length % width;
            return Err(format!("{length} bytes are no whole rows of {width}: {left} are left over at the end"));
        }
        Ok(Batches { layout, source: Source::File { file, rows: length / width, threads }, given: 0 })
    }

    /// Rows of a pipe, or of a file that is decompressed. Whole rows are given before an incomplete one is an error.
    pub fn of_stream(source: Box<dyn Read + Send>, layout: Layout) -> Self {
        Batches { layout, source: Source::Stream(Stream::new(source)), given: 0 }
    }

    /// All rows of a file; not known of a stream.
    pub fn rows(&self) -> Option<u64> {
        match &self.source {
            Source::File { rows, .. } => Some(*rows),
            Source::Stream(_) => None,
        }
    }

    /// Memory for one batch, page-locked where there is a GPU. A program has one for each batch that it works on at a time.
    /// `most_bytes` bounds it, but it always has room for a row.
    pub fn memory(&self, engine: &Engine, most_bytes: usize) -> Batch {
        let width = self.layout.width();
        let known = self.rows().map_or(usize::MAX, |rows| usize::try_from(rows).unwrap_or(usize::MAX));
        let rows = (most_bytes.min(MOST_BYTES) / width).min(MOST_ROWS).min(known).max(1);
        Batch { layout: self.layout.clone(), memory: engine.page_lock(vec![0; rows * width]), rows: 0, first: 0 }
    }

    /// Puts the next rows into the memory of a batch: `false` at the end. From a stream it gives what has come after at most 10
    /// milliseconds.
    ///
    /// # Errors
    /// Where reading fails, a file became shorter, or a stream ends within a row. What was given before is as it was read.
    pub fn next(&mut self, batch: &mut Batch) -> Result<bool, String> {
        let (width, v) = (self.layout.width(), self.layout.v());
        batch.first = self.given;
        batch.rows = 0;
        batch.rows = match &mut self.source {
            Source::Stream(stream) => {
                let rows = stream.read(&mut batch.memory, width)?;
                normalise_v(&mut batch.memory[..rows * width], width, v);
                rows
            }
            Source::File { file, rows, threads } => {
                let left = usize::try_from(*rows - self.given).unwrap_or(usize::MAX);
                let rows = left.min(batch.memory.len() / width);
                let (offset, memory) = (self.given * width as u64, &mut batch.memory[..rows * width]);
                let finish = |rows: &mut [u8]| normalise_v(rows, width, v);
                read_parallel(file, offset, memory, width, *threads, finish).map_err(explained)?;
                rows
            }
        };
        self.given += batch.rows as u64;
        Ok(batch.rows > 0)
    }
}

fn explained(problem: io::Error) -> String {
    match problem.kind() {
        io::ErrorKind::UnexpectedEof => "the file became shorter while it was read".to_owned(),
        _ => problem.to_string(),
    }
}

/// Makes a recovery id of v: 27 and 28 as Bitcoin and Ethereum write it, 35 and more with a chain in it (EIP-155). What is
/// neither stays, and is rejected with its item.
fn normalise_v(rows: &mut [u8], width: usize, v: Option<Place>) {
    let Some(Place { offset, .. }) = v else { return };
    for row in rows.chunks_exact_mut(width) {
        row[offset] = match row[offset] {
            v @ 27..=30 => v - 27,
            v @ 35.. => (v - 35) & 1,
            v => v,
        };
    }
}

/// Some rows. Wiped where they hold private keys.
pub struct Batch {
    layout: Layout,
    memory: PageLocked<u8>,
    rows: usize,
    first: u64,
}

impl Batch {
    /// Rows of the batch.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// The number of its first row, counted from 0.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// 32 bytes each. This and the other columns are `None` where the layout has no such field.
    pub fn digests(&self) -> Option<Rows<'_, 32>> {
        Some(self.column(self.layout.place(Field::Digest)?))
    }

    /// r || s.
    pub fn signatures(&self) -> Option<Rows<'_, 64>> {
        Some(self.column(self.layout.place(Field::Signature)?))
    }

    /// Numbers from 0, also where signatures have a v.
    pub fn recovery_ids(&self) -> Option<Rows<'_, 1>> {
        Some(self.column(self.layout.place(Field::RecoveryId)?))
    }

    /// Big-endian.
    pub fn secret_keys(&self) -> Option<SecretKeys<'_>> {
        Some(SecretKeys::rows(self.column(self.layout.place(Field::SecretKey)?)))
    }

    /// In the encoding that the width says.
    pub fn public_keys(&self) -> Option<PublicKeys<'_>> {
        let place = self.layout.place(Field::PublicKey)?;
        Some(match place.width {
            33 => PublicKeys::compressed(self.column::<33>(place)),
            64 => PublicKeys::raw(self.column::<64>(place)),
            _ => PublicKeys::uncompressed(self.column::<65>(place)),
        })
    }

    fn column<const W: usize>(&self, place: Place) -> Rows<'_, W> {
        let column = Rows::strided(&self.memory[place.offset..], self.layout.width(), self.rows);
        column.expect("the memory has the rows, and these the field")
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if self.layout.place(Field::SecretKey).is_some() {
            self.memory.zeroize();
        }
    }
}
