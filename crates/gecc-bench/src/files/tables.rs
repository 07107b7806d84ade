//! Items as Parquet and Arrow IPC.

use super::column::{Column, Table};
use crate::flags::FileFormat;
use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch, StringArray, UInt8Array};
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
    let is_hex = format == FileFormat::ArrowHex;
    let format = match format {
        FileFormat::Arrow | FileFormat::ArrowHex => Format::ArrowFile,
        _ => Format::Parquet,
    };
    let schema = part(table, 0, 0, is_hex)?.schema();
    let mut writer = Writer::create(output, format, compression, &schema)?;
    for start in (0..items).step_by(PART) {
        let batch = part(table, start, PART.min(items - start), is_hex)?;
        writer.write(&batch, &Pool::default())?;
    }
    writer.finish()
}

fn part(table: &Table, start: usize, items: usize, is_hex: bool) -> Result<RecordBatch, Error> {
    let columns = table
        .0
        .iter()
        .map(|column| (column.name(), array(column, start, items, is_hex)));
    Ok(RecordBatch::try_from_iter_with_nullable(
        columns.map(|(name, array)| (name, array, false)),
    )?)
}

fn array(column: &Column, start: usize, items: usize, is_hex: bool) -> ArrayRef {
    let rows = (start..start + items).map(|item| column.row(item));
    if column.is_number() {
        return Arc::new(UInt8Array::from_iter_values(rows.map(|row| row[0])));
    }
    if is_hex {
        return Arc::new(StringArray::from_iter_values(rows.map(const_hex::encode)));
    }
    let rows = rows.map(Some);
    let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows, column.width() as i32);
    Arc::new(array.expect("rows of a column have one width"))
}
