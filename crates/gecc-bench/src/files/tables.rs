//! Items as Parquet and Arrow IPC.

use super::column::{Column, Table};
use crate::flags::FileFormat;
use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch, UInt8Array};
use gecc_arrow::{Compression, Destination, Error, Format, Pool, Writer};
use std::fs::File;
use std::io;
use std::sync::Arc;

/// The number of rows in a row group or a message.
const PART: usize = 1 << 18;

/// Writes the first items.
pub fn write(table: &Table, items: usize, format: FileFormat, file: File) -> io::Result<()> {
    write_parts(table, items, format, Destination::Stream(Box::new(file))).map_err(|problem| {
        match problem {
            Error::Stream(problem) => problem,
            other => io::Error::other(other),
        }
    })
}

fn write_parts(
    table: &Table,
    items: usize,
    format: FileFormat,
    output: Destination,
) -> Result<(), Error> {
    let compression = if format == FileFormat::ParquetZst {
        Compression::Zstd
    } else {
        Compression::None
    };
    let format = if format == FileFormat::Arrow {
        Format::ArrowFile
    } else {
        Format::Parquet
    };
    let mut writer = Writer::create(output, format, compression, &part(table, 0, 0)?.schema())?;
    for start in (0..items).step_by(PART) {
        writer.write(
            &part(table, start, PART.min(items - start))?,
            &Pool::default(),
        )?;
    }
    writer.finish()
}

fn part(table: &Table, start: usize, items: usize) -> Result<RecordBatch, Error> {
    let columns = table
        .0
        .iter()
        .map(|column| (column.name(), array(column, start, items)));
    Ok(RecordBatch::try_from_iter_with_nullable(
        columns.map(|(name, array)| (name, array, false)),
    )?)
}

fn array(column: &Column, start: usize, items: usize) -> ArrayRef {
    let rows = (start..start + items).map(|item| column.row(item));
    if column.is_number() {
        return Arc::new(UInt8Array::from_iter_values(rows.map(|row| row[0])));
    }
    let rows = rows.map(Some);
    let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows, column.width() as i32);
    Arc::new(array.expect("rows of a column have one width"))
}
