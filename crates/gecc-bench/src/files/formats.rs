//! Items as a file in each format.

use super::column::{Column, Table};
use super::tables;
use crate::flags::FileFormat;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const BUFFER: usize = 1 << 20;
/// Fast levels, which compress this hexadecimal as well as higher ones.
const GZIP_LEVEL: u32 = 1;
const ZSTD_LEVEL: i32 = 1;

/// Returns the command's arguments for a format.
pub fn arguments(format: FileFormat) -> Vec<String> {
    match format {
        // The name of the output has the extension of the input, but its lines are compared.
        FileFormat::Csv
        | FileFormat::Parquet
        | FileFormat::ParquetZst
        | FileFormat::Arrow
        | FileFormat::ArrowHex => ["--output-format", "jsonl"].map(str::to_owned).to_vec(),
        _ => Vec::new(),
    }
}

/// Writes the first items, and returns the size of the file in bytes.
pub fn write(table: &Table, items: usize, format: FileFormat, path: &Path) -> io::Result<u64> {
    let mut sink = BufWriter::with_capacity(BUFFER, create_private(path)?);
    match format {
        FileFormat::Jsonl => write_jsonl(table, items, &mut sink)?,
        FileFormat::Csv => write_separated(table, items, ",", &mut sink)?,
        FileFormat::Tsv => write_separated(table, items, "\t", &mut sink)?,
        FileFormat::Json => write_json(table, items, &mut sink)?,
        FileFormat::JsonlGz => {
            let mut encoder = GzEncoder::new(&mut sink, flate2::Compression::new(GZIP_LEVEL));
            write_jsonl(table, items, &mut encoder)?;
            encoder.finish()?;
        }
        FileFormat::JsonlZst => {
            let mut encoder = zstd::Encoder::new(&mut sink, ZSTD_LEVEL)?;
            write_jsonl(table, items, &mut encoder)?;
            encoder.finish()?;
        }
        FileFormat::Parquet | FileFormat::ParquetZst | FileFormat::Arrow | FileFormat::ArrowHex => {
            tables::write(table, items, format, sink.get_ref().try_clone()?)?;
        }
    }
    let file = sink.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(file.metadata()?.len())
}

/// Creates a file that only its owner can access, as commands require for private keys.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn write_jsonl(table: &Table, items: usize, sink: &mut dyn Write) -> io::Result<()> {
    write_lines(items, sink, |item, line| {
        push_object(table, item, line);
        line.push(b'\n');
    })
}

fn write_json(table: &Table, items: usize, sink: &mut dyn Write) -> io::Result<()> {
    write_lines(items, sink, |item, line| {
        line.extend_from_slice(if item == 0 { b"[\n" } else { b",\n" });
        push_object(table, item, line);
    })?;
    sink.write_all(b"\n]\n")
}

fn write_separated(
    table: &Table,
    items: usize,
    separator: &str,
    sink: &mut dyn Write,
) -> io::Result<()> {
    let names: Vec<_> = table.0.iter().map(|column| column.name()).collect();
    writeln!(sink, "{}", names.join(separator))?;
    write_lines(items, sink, |item, line| {
        for (place, column) in table.0.iter().enumerate() {
            line.extend_from_slice(if place == 0 {
                b""
            } else {
                separator.as_bytes()
            });
            push_value(column, item, line);
        }
        line.push(b'\n');
    })
}

/// Writes the bytes that `push` appends for each item.
fn write_lines(
    items: usize,
    sink: &mut dyn Write,
    push: impl Fn(usize, &mut Vec<u8>),
) -> io::Result<()> {
    let mut line = Vec::new();
    for item in 0..items {
        line.clear();
        push(item, &mut line);
        sink.write_all(&line)?;
    }
    Ok(())
}

fn push_object(table: &Table, item: usize, line: &mut Vec<u8>) {
    for (place, column) in table.0.iter().enumerate() {
        line.extend_from_slice(if place == 0 { b"{\"" } else { b",\"" });
        line.extend_from_slice(column.name().as_bytes());
        let quote: &[u8] = if column.is_number() { b"" } else { b"\"" };
        line.extend_from_slice(b"\":");
        line.extend_from_slice(quote);
        push_value(column, item, line);
        line.extend_from_slice(quote);
    }
    line.push(b'}');
}

fn push_value(column: &Column, item: usize, line: &mut Vec<u8>) {
    let row = column.row(item);
    if column.is_number() {
        return line.extend_from_slice(row[0].to_string().as_bytes());
    }
    let start = line.len();
    line.resize(start + 2 * row.len(), 0);
    const_hex::encode_to_slice(row, &mut line[start..]).expect("two digits for each byte");
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use serde_json::{Value, json};
    use std::fs;
    use std::io::Read;

    const ITEMS: usize = 3000;

    fn random<const W: usize>() -> Vec<[u8; W]> {
        let mut rows = vec![[0; W]; ITEMS];
        getrandom::fill(rows.as_flattened_mut()).unwrap();
        rows
    }

    fn read(path: &Path) -> String {
        let file = File::open(path).unwrap();
        let mut text = String::new();
        let mut decoder: Box<dyn Read> =
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("gz") => Box::new(GzDecoder::new(file)),
                Some("zst") => Box::new(zstd::Decoder::new(file).unwrap()),
                _ => Box::new(file),
            };
        decoder.read_to_string(&mut text).unwrap();
        text
    }

    fn objects(lines: &str) -> Vec<Value> {
        lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Parses rows of text with a header to objects.
    fn separated(text: &str, separator: char) -> Vec<Value> {
        let mut lines = text.lines().map(|line| line.split(separator));
        let names: Vec<_> = lines.next().unwrap().collect();
        lines
            .map(|cells| {
                names
                    .iter()
                    .zip(cells)
                    .map(|(name, cell)| (name.to_string(), value(name, cell)))
                    .collect()
            })
            .collect()
    }

    fn value(name: &str, cell: &str) -> Value {
        if name == "recovery_id" {
            json!(cell.parse::<u8>().unwrap())
        } else {
            json!(cell)
        }
    }

    /// Returns the bytes of all rows, concatenated.
    fn table_rows(path: &Path) -> Vec<u8> {
        use arrow_array::ArrayRef;
        use arrow_array::cast::AsArray;
        use arrow_array::types::UInt8Type;
        let batches = gecc_arrow::open(path, Default::default())
            .unwrap()
            .batches(&gecc_arrow::Projection::All)
            .unwrap();
        let bytes = |column: &ArrayRef, row: usize| match column.as_string_opt::<i32>() {
            Some(text) => hex::decode(text.value(row)).unwrap(),
            None => column.as_fixed_size_binary().value(row).to_vec(),
        };
        let mut rows = Vec::new();
        for batch in batches.map(Result::unwrap) {
            for row in 0..batch.num_rows() {
                rows.extend(bytes(&batch["digest"], row));
                rows.extend(bytes(&batch["signature"], row));
                rows.push(batch["recovery_id"].as_primitive::<UInt8Type>().value(row));
            }
        }
        rows
    }

    /// Writes a file with all items, and checks the length that is returned.
    fn file_of(table: &Table, format: FileFormat, folder: &Path) -> std::path::PathBuf {
        let path = folder.join(format.name());
        assert_eq!(
            write(table, ITEMS, format, &path).unwrap(),
            fs::metadata(&path).unwrap().len()
        );
        path
    }

    #[test]
    fn every_format_holds_the_same_items() {
        let digests = random::<32>();
        let signatures = random::<64>();
        let ids = random::<1>();
        let table = Table(vec![
            Column::new("digest", &digests),
            Column::new("signature", &signatures),
            Column::new("recovery_id", &ids),
        ]);
        let folder = tempfile::tempdir().unwrap();
        let expected: Vec<Value> = (0..ITEMS)
            .map(|item| {
                let [digest, signature] = [&digests[item][..], &signatures[item]].map(hex::encode);
                json!({ "digest": digest, "signature": signature, "recovery_id": ids[item][0] })
            })
            .collect();
        let lines = read(&file_of(&table, FileFormat::Jsonl, folder.path()));
        assert!(objects(&lines) == expected);
        for format in [FileFormat::JsonlGz, FileFormat::JsonlZst] {
            let path = file_of(&table, format, folder.path());
            assert!(fs::metadata(&path).unwrap().len() < lines.len() as u64);
            assert!(read(&path) == lines);
        }
        let json = read(&file_of(&table, FileFormat::Json, folder.path()));
        assert!(serde_json::from_str::<Vec<Value>>(&json).unwrap() == expected);
        for (format, separator) in [(FileFormat::Csv, ','), (FileFormat::Tsv, '\t')] {
            assert!(
                separated(&read(&file_of(&table, format, folder.path())), separator) == expected
            );
        }
        // A file of the first item only.
        let path = folder.path().join("one");
        write(&table, 1, FileFormat::Jsonl, &path).unwrap();
        assert_eq!(objects(&read(&path)), expected[..1]);

        let expected: Vec<u8> = (0..ITEMS)
            .flat_map(|item| [&digests[item][..], &signatures[item], &ids[item]].concat())
            .collect();
        for format in [
            FileFormat::Parquet,
            FileFormat::ParquetZst,
            FileFormat::Arrow,
            FileFormat::ArrowHex,
        ] {
            assert!(table_rows(&file_of(&table, format, folder.path())) == expected);
        }
    }
}
