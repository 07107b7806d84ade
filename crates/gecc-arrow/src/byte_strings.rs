//! Messages and user ids: byte strings of any length.

use crate::cells::Cells;
use crate::columns::BatchInputs;
use crate::error::Error;
use crate::reason::{CellProblem, Reason};
use gecc::fields::Field;
use gecc::sm2::DEFAULT_USER_ID;

/// Maximum number of bytes that the hexadecimal messages of a batch may represent.
const MOST_BYTES: u64 = 4 << 30;

/// A byte string for each row, empty for rows with problems.
pub(crate) enum ByteStrings<'a> {
    /// The cells in their stored form.
    Stored {
        cells: Cells<'a>,
        rows: usize,
        of_null: &'static [u8],
    },
    /// The bytes that hexadecimal cells represent.
    Decoded(Vec<DecodedStrings>),
}

/// The byte strings of several rows, one after another.
pub(crate) struct DecodedStrings {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    problems: Vec<Option<CellProblem>>,
}

impl<'a> ByteStrings<'a> {
    /// Reads messages. Text cells are hexadecimal, unless the mapping specifies otherwise.
    pub fn messages(inputs: &mut BatchInputs<'a>) -> Result<Self, Error> {
        let cells = inputs.required(Field::Message)?;
        if inputs.holds_messages(&cells) {
            inputs.note_nulls(Field::Message, &cells);
            return Ok(ByteStrings::Stored {
                cells,
                rows: inputs.rows(),
                of_null: &[],
            });
        }
        // A dictionary may contain a long text that very many rows refer to.
        let bytes = (0..inputs.rows()).fold(0, |sum: u64, row| {
            sum.saturating_add(cells.len(row).unwrap_or(0) as u64)
        });
        if bytes > MOST_BYTES {
            return Err(Error::Limit {
                what: "bytes of the messages of a batch",
                found: bytes,
                limit: MOST_BYTES,
            });
        }
        let parts = inputs
            .pool
            .map(inputs.rows(), |rows| DecodedStrings::of(&cells, rows))?;
        let problems = parts.iter().flat_map(|part| &part.problems);
        for (row, problem) in problems.enumerate() {
            if let Some(problem) = problem {
                inputs.note(row, Reason::Cell(Field::Message, *problem));
            }
        }
        Ok(ByteStrings::Decoded(parts))
    }

    /// Reads user ids. Text is used in its stored form, and null means the default. Returns `None`
    /// if there is no column.
    pub fn ids(inputs: &BatchInputs<'a>) -> Result<Option<Self>, Error> {
        let cells = inputs.optional(Field::Id)?;
        Ok(cells.map(|cells| ByteStrings::Stored {
            cells,
            rows: inputs.rows(),
            of_null: DEFAULT_USER_ID,
        }))
    }

    pub fn slices(&self) -> Vec<&[u8]> {
        match self {
            ByteStrings::Stored {
                cells,
                rows,
                of_null,
            } => (0..*rows)
                .map(|row| cells.get(row).unwrap_or(of_null))
                .collect(),
            ByteStrings::Decoded(parts) => parts.iter().flat_map(DecodedStrings::slices).collect(),
        }
    }
}

impl DecodedStrings {
    fn of(cells: &Cells, rows: std::ops::Range<usize>) -> Self {
        let mut part = DecodedStrings {
            bytes: Vec::new(),
            ends: Vec::new(),
            problems: Vec::new(),
        };
        for row in rows {
            part.problems.push(cells.append(row, &mut part.bytes).err());
            part.ends.push(part.bytes.len());
        }
        part
    }

    fn slices(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.bytes[start..*end])
    }
}
