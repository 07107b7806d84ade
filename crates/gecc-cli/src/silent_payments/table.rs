//! The columns of a table to scan.

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use gecc::silent_payments::Outputs;
use gecc::{Error, PublicKeys};
use gecc_arrow::{Cells, Integers, OutputLists, Projection, holds_bytes, holds_integers};

/// The positions of a table's columns.
pub struct TableColumns {
    tweak_key: usize,
    outputs: usize,
    txid: Option<usize>,
    height: Option<usize>,
}

impl TableColumns {
    /// Finds the columns by their names.
    ///
    /// # Errors
    /// Returns an error if a column is missing, appears twice, or has an unsupported type.
    pub fn find(schema: &Schema) -> Result<Self, String> {
        Ok(TableColumns {
            tweak_key: required_column(schema, "tweak_key", holds_bytes)?,
            outputs: required_column(schema, "outputs", OutputLists::are_in)?,
            txid: optional_column(schema, "txid", holds_bytes)?,
            height: optional_column(schema, "height", holds_integers)?,
        })
    }

    /// Returns the columns to read.
    pub fn columns(&self) -> Projection {
        let places = [
            Some(self.tweak_key),
            Some(self.outputs),
            self.txid,
            self.height,
        ];
        Projection::Only(places.into_iter().flatten().collect())
    }
}

/// Finds a column by its name, and checks its type. Returns `None` if the table does not have it.
fn optional_column(
    schema: &Schema,
    name: &str,
    fits: fn(&DataType) -> bool,
) -> Result<Option<usize>, String> {
    let mut places = (0..schema.fields().len()).filter(|place| schema.field(*place).name() == name);
    let Some(place) = places.next() else {
        return Ok(None);
    };
    if places.next().is_some() {
        return Err(format!(
            "there are two columns `{name}`: which of them counts is not known"
        ));
    }
    let data_type = schema.field(place).data_type();
    if fits(data_type) {
        Ok(Some(place))
    } else {
        Err(format!("the column `{name}` is of type {data_type}"))
    }
}

fn required_column(
    schema: &Schema,
    name: &str,
    fits: fn(&DataType) -> bool,
) -> Result<usize, String> {
    optional_column(schema, name, fits)?.ok_or_else(|| format!("there is no column `{name}`"))
}

/// The tweak points and outputs of a batch.
pub struct TweakRows {
    keys: TweakKeys,
    outputs: OutputLists,
}

enum TweakKeys {
    Compressed(Vec<[u8; 33]>),
    Raw(Vec<[u8; 64]>),
}

impl TweakRows {
    /// Reads the columns with these names, which the batch is known to have.
    ///
    /// # Errors
    /// Returns an error if an output is malformed: lists of outputs have no nulls, and whole keys
    /// have 32 bytes.
    pub fn of(batch: &RecordBatch) -> Result<Self, String> {
        let tweak_keys = batch
            .column_by_name("tweak_key")
            .expect("the column was found before");
        let outputs = batch
            .column_by_name("outputs")
            .expect("the column was found before");
        let outputs = OutputLists::of(outputs.as_ref()).map_err(|problem| problem.to_string())?;
        Ok(TweakRows {
            keys: TweakKeys::of(&Cells::of(tweak_keys), batch.num_rows()),
            outputs,
        })
    }

    pub fn keys(&self) -> PublicKeys<'_> {
        match &self.keys {
            TweakKeys::Compressed(keys) => keys.into(),
            TweakKeys::Raw(keys) => keys.into(),
        }
    }

    pub fn outputs(&self) -> Result<Outputs<'_>, Error> {
        self.outputs.outputs()
    }

    /// Returns whether the outputs of a row are unknown.
    pub fn lacks_outputs(&self, row: usize) -> bool {
        self.outputs.is_null(row)
    }

    /// Returns whether matches are only candidates.
    pub fn are_prefixes(&self) -> bool {
        self.outputs.are_prefixes()
    }
}

impl TweakKeys {
    /// Reads cells of the length of the first that is not null, raw if it is 64 and otherwise
    /// compressed. A cell of another length, or null, becomes zeros, which do not encode a point.
    fn of(cells: &Cells, rows: usize) -> Self {
        let is_raw = (0..rows).find_map(|row| cells.len(row).ok()) == Some(64);
        if is_raw {
            TweakKeys::Raw(read(cells, rows))
        } else {
            TweakKeys::Compressed(read(cells, rows))
        }
    }
}

fn read<const N: usize>(cells: &Cells, rows: usize) -> Vec<[u8; N]> {
    if let Some(bytes) = cells.contiguous(N).filter(|_| cells.nulls().is_none()) {
        return bytes.as_chunks().0[..rows].to_vec();
    }
    let mut keys = vec![[0; N]; rows];
    for (row, key) in keys.iter_mut().enumerate() {
        if cells.read(row, key).is_err() {
            key.fill(0);
        }
    }
    keys
}

/// The transaction of a row.
pub struct Transaction {
    pub txid: Option<Vec<u8>>,
    pub height: Option<i128>,
}

impl Transaction {
    pub fn of(batch: &RecordBatch, row: usize) -> Self {
        let mut txid = Vec::new();
        let has_txid = batch
            .column_by_name("txid")
            .is_some_and(|of| Cells::of(of).append(row, &mut txid).is_ok());
        let height = batch
            .column_by_name("height")
            .and_then(|of| Integers::of(of).get(row).ok());
        Transaction {
            txid: has_txid.then_some(txid),
            height,
        }
    }
}
