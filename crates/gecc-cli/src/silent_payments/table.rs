//! The columns of a table to scan.

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use gecc::silent_payments::Outputs;
use gecc::{Error, PublicKeys};
use gecc_arrow::{Cells, Integers, OutputLists, Projection, holds_bytes, holds_integers};

/// The positions of a table's columns.
pub struct Places {
    tweak_key: usize,
    outputs: usize,
    txid: Option<usize>,
    height: Option<usize>,
}

impl Places {
    /// Finds the columns by their names.
    ///
    /// # Errors
    /// Returns an error if a column is missing, appears twice, or has an unsupported type.
    pub fn find(schema: &Schema) -> Result<Self, String> {
        let find = |name: &str| {
            let mut places = (0..schema.fields().len()).filter(|place| schema.field(*place).name() == name);
            match (places.next(), places.next()) {
                (_, Some(_)) => Err(format!("there are two columns `{name}`: which of them counts is not known")),
                (place, None) => Ok(place),
            }
        };
        let require = |name: &str| find(name)?.ok_or_else(|| format!("there is no column `{name}`"));
        let is = |place: usize, name: &str, fits: fn(&DataType) -> bool| match fits(schema.field(place).data_type()) {
            true => Ok(place),
            false => Err(format!("the column `{name}` is of type {}", schema.field(place).data_type())),
        };
        let optional = |name, fits| find(name)?.map(|place| is(place, name, fits)).transpose();
        Ok(Places {
            tweak_key: is(require("tweak_key")?, "tweak_key", holds_bytes)?,
            outputs: is(require("outputs")?, "outputs", OutputLists::are_in)?,
            txid: optional("txid", holds_bytes)?,
            height: optional("height", holds_integers)?,
        })
    }

    /// Returns the columns to read.
    pub fn columns(&self) -> Projection {
        let places = [Some(self.tweak_key), Some(self.outputs), self.txid, self.height];
        Projection::Only(places.into_iter().flatten().collect())
    }
}

/// The tweak points and outputs of a batch.
pub struct Rows {
    keys: Keys,
    outputs: OutputLists,
}

enum Keys {
    Compressed(Vec<[u8; 33]>),
    Raw(Vec<[u8; 64]>),
}

impl Rows {
    /// Reads the columns with these names, which the batch is known to have.
    ///
    /// # Errors
    /// Returns an error if an output is malformed: lists of outputs have no nulls, and whole keys
    /// have 32 bytes.
    pub fn of(batch: &RecordBatch) -> Result<Self, String> {
        let column = |name| batch.column_by_name(name).expect("the column was found before");
        let outputs = OutputLists::of(column("outputs").as_ref()).map_err(|problem| problem.to_string())?;
        Ok(Rows { keys: Keys::of(&Cells::of(column("tweak_key")), batch.num_rows()), outputs })
    }

    pub fn keys(&self) -> PublicKeys<'_> {
        match &self.keys {
            Keys::Compressed(keys) => keys.into(),
            Keys::Raw(keys) => keys.into(),
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

impl Keys {
    /// Reads cells of the length of the first that is not null, raw if it is 64 and otherwise
    /// compressed. A cell of another length, or null, becomes zeros, which do not encode a point.
    fn of(cells: &Cells, rows: usize) -> Self {
        let is_raw = (0..rows).find_map(|row| cells.len(row).ok()) == Some(64);
        if is_raw { Keys::Raw(read(cells, rows)) } else { Keys::Compressed(read(cells, rows)) }
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
        let has_txid = batch.column_by_name("txid").is_some_and(|of| Cells::of(of).append(row, &mut txid).is_ok());
        let height = batch.column_by_name("height").and_then(|of| Integers::of(of).get(row).ok());
        Transaction { txid: has_txid.then_some(txid), height }
    }
}
