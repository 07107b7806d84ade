//! The signed data: messages, or digests of them.

use crate::choices;
use crate::engine::{self, Engine};
use crate::errors::exception;
use crate::input::{Call, RowColumn, Strings, argument};
use crate::output::{ResultColumn, RowFormat, answer};
use crate::pieces::{self, Length};
use gecc::fields::Hash;
use gecc::{Error, Verdict, hash};
use gecc_arrow::Field;
use pyo3::prelude::*;
use std::ops::Range;

/// The signed data.
pub enum Contents {
    Messages(Strings),
    Digests(RowColumn),
}

impl Contents {
    /// Reads the messages of a call. Without a hash they are digests.
    pub fn of_messages<'py>(
        call: &mut Call<'py>,
        messages: &Bound<'py, PyAny>,
        hash: Hash,
    ) -> PyResult<Self> {
        Ok(match hash {
            Hash::None => {
                Contents::Digests(call.rows(argument("messages", Field::Digest), 32, messages)?)
            }
            _ => Contents::Messages(call.strings(argument("messages", Field::Message), messages)?),
        })
    }
}

/// Runs work on all items in pieces, which long messages make shorter.
///
/// # Errors
/// The same as for [`pieces::run`].
pub fn in_pieces(
    py: Python<'_>,
    engine: &gecc::Engine,
    items: usize,
    contents: Option<&Contents>,
    work: impl FnMut(Range<usize>) -> Result<(), Error> + Send,
) -> PyResult<()> {
    match contents {
        Some(Contents::Messages(messages)) => {
            let length: Length<'_> = &|item| messages.length(item);
            pieces::run_or(py, engine, items, Some(length), exception, work)
        }
        Some(Contents::Digests(_)) | None => pieces::run(py, engine, items, work),
    }
}

/// Computes the digest of each message that ECDSA signs.
#[pyfunction]
pub fn message_digests<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    messages: &Bound<'py, PyAny>,
    hash: &str,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let hash = choices::hash(hash)?;
    let engine = engine::of(py, engine)?;
    let mut call = Call::new(py);
    let contents = Contents::of_messages(&mut call, messages, hash)?;
    let mut column = ResultColumn::of_caller(&call, RowFormat::public(32), out)?;
    let mut output = ResultColumn::of(&call, RowFormat::number())?;
    let rows = column.rows::<32>();
    let codes = output.bytes();
    in_pieces(py, &engine, call.items(), Some(&contents), |range| {
        let digests = &mut rows[range.clone()];
        match &contents {
            Contents::Messages(messages) => {
                hash::digests_into(&engine, hash, &messages.slices(range.clone()), digests)?;
            }
            Contents::Digests(given) => {
                let given = given.rows::<32>(range.clone());
                digests
                    .iter_mut()
                    .enumerate()
                    .for_each(|(item, digest)| *digest = *given.get(item));
            }
        }
        codes[range].fill(Verdict::VALID_CODE);
        Ok(())
    })?;
    answer(call, vec![column], output, reasons)
}
