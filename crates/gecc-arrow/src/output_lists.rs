//! Outputs of transactions, which are scanned for silent payments: a column of lists.

use crate::cells::{Cells, holds_bytes};
use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use gecc::silent_payments::Outputs;

/// The taproot outputs of rows: lists of their 32-byte x-only keys, or of the first eight bytes of
/// these as big-endian numbers, signed or not.
pub struct OutputLists {
    offsets: Vec<u64>,
    outputs: OutputValues,
    nulls: Option<NullBuffer>,
}

enum OutputValues {
    Prefixes(Vec<u64>),
    Whole(Vec<[u8; 32]>),
}

impl OutputLists {
    /// Returns whether a column of this type can hold such lists.
    pub fn are_in(data_type: &DataType) -> bool {
        match data_type {
            DataType::List(field) | DataType::LargeList(field) => {
                let of = field.data_type();
                matches!(of, DataType::Int64 | DataType::UInt64) || holds_bytes(of)
            }
            _ => false,
        }
    }

    /// Reads a column. A null list has no outputs here, which implies nothing about the
    /// transaction: the caller has to distinguish such rows ([`OutputLists::is_null`]) from those
    /// without outputs, whose lists are empty.
    ///
    /// # Errors
    /// A column of another type ([`OutputLists::are_in`]), an output that is null or not a key of
    /// 32 bytes, and values of a null list.
    ///
    /// ```
    /// use arrow_array::types::Int64Type;
    /// use arrow_array::ListArray;
    /// use gecc_arrow::OutputLists;
    /// let column = ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(-1), Some(7)]), None]);
    /// let lists = OutputLists::of(&column)?;
    /// assert_eq!((lists.outputs()?.rows(), lists.are_prefixes()), (2, true));
    /// assert!(!lists.is_null(0) && lists.is_null(1) && lists.null_count() == 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(column: &dyn Array) -> Result<Self, Error> {
        if !Self::are_in(column.data_type()) {
            return Err(Error::Columns(format!(
                "outputs of type {}, not lists of bytes or numbers",
                column.data_type()
            )));
        }
        let (offsets, values) = match column.as_list_opt::<i32>() {
            Some(column) => lists(column),
            None => lists(column.as_list::<i64>()),
        };
        if let Some(row) =
            (0..column.len()).find(|row| column.is_null(*row) && offsets[*row] < offsets[row + 1])
        {
            return Err(Error::Columns(format!(
                "the outputs of row {row} are null, but the list has values"
            )));
        }
        if values.logical_null_count() > 0 {
            return Err(Error::Columns("an output is null".to_owned()));
        }
        let outputs = match (
            values.as_primitive_opt::<Int64Type>(),
            values.as_primitive_opt::<UInt64Type>(),
        ) {
            (Some(prefixes), _) => OutputValues::Prefixes(
                prefixes
                    .values()
                    .iter()
                    .map(|prefix| prefix.cast_unsigned())
                    .collect(),
            ),
            (_, Some(prefixes)) => OutputValues::Prefixes(prefixes.values().to_vec()),
            _ => OutputValues::Whole(keys(&Cells::of(values.as_ref()), values.len())?),
        };
        Ok(OutputLists {
            offsets,
            outputs,
            nulls: column.nulls().cloned(),
        })
    }

    /// Returns the outputs, for [`gecc::silent_payments::scan`].
    ///
    /// # Errors
    /// None for valid Arrow lists.
    pub fn outputs(&self) -> Result<Outputs<'_>, gecc::Error> {
        match &self.outputs {
            OutputValues::Prefixes(prefixes) => Outputs::prefixes(&self.offsets, prefixes),
            OutputValues::Whole(keys) => Outputs::x_only(&self.offsets, keys),
        }
    }

    /// Returns whether the list of a row is null, so that its outputs are unknown.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// Returns the number of null lists.
    pub fn null_count(&self) -> usize {
        self.nulls.as_ref().map_or(0, NullBuffer::null_count)
    }

    /// Returns whether matches are only candidates.
    pub fn are_prefixes(&self) -> bool {
        matches!(self.outputs, OutputValues::Prefixes(_))
    }
}

fn keys(cells: &Cells, count: usize) -> Result<Vec<[u8; 32]>, Error> {
    let mut keys = vec![[0; 32]; count];
    for (row, key) in keys.iter_mut().enumerate() {
        cells
            .read(row, key)
            .map_err(|problem| Error::Columns(format!("an output {problem}")))?;
    }
    Ok(keys)
}

/// Returns the offsets, relative to the first one, and the values.
fn lists<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> (Vec<u64>, ArrayRef) {
    let ends = lists.value_offsets();
    let first = ends[0].as_usize();
    let last = ends[ends.len() - 1].as_usize();
    let offsets = ends
        .iter()
        .map(|end| (end.as_usize() - first) as u64)
        .collect();
    (offsets, lists.values().slice(first, last - first))
}
