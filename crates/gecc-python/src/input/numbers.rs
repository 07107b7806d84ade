//! Recovery ids: integers, one byte each. What is not in 0..=255 becomes 255, which the engine rejects.

use super::arrow::{self, Chunks};
use super::column::some_problems;
use super::{Argument, Column, Read};
use arrow_array::cast::AsArray;
use arrow_array::downcast_integer_array;
use arrow_schema::DataType;
use gecc_arrow::CellProblem;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use zeroize::Zeroizing;

fn byte(number: impl TryInto<u8>) -> u8 {
    number.try_into().unwrap_or(u8::MAX)
}

/// One number for all items.
pub fn of_one(number: i64) -> Column {
    Column::of_copy(1, None, Zeroizing::new(vec![byte(number)]))
}

/// Integers of a list, or `None`, which is null.
pub fn of_list(argument: Argument, items: &[Bound<'_, PyAny>]) -> Read<Column> {
    let mut problems = vec![0; items.len()];
    let mut numbers = Zeroizing::new(vec![0; items.len()]);
    for (index, item) in items.iter().enumerate() {
        if item.is_none() {
            problems[index] = argument.role.code(CellProblem::Null);
            continue;
        }
        let number = item
            .call_method0("__index__")
            .map_err(|_| PyTypeError::new_err(format!("{}[{index}]: not an integer", argument.name)))?;
        // One that no i64 holds is out of range, too.
        numbers[index] = number.extract::<i64>().map_or(u8::MAX, byte);
    }
    Ok((Column::of_copy(1, Some(items.len()), numbers), some_problems(problems)))
}

/// Integers or booleans of an Arrow array.
pub fn of_arrow(argument: Argument, chunks: &Chunks) -> Read<Column> {
    let mut numbers = Zeroizing::new(Vec::with_capacity(arrow::items(chunks)));
    for piece in &chunks.pieces {
        let piece = piece.as_ref();
        downcast_integer_array!(
            piece => numbers.extend(piece.values().iter().map(|number| byte(*number))),
            DataType::Boolean => numbers.extend(piece.as_boolean().values().iter().map(u8::from)),
            other => {
                let text = format!("{}: an Arrow array of {other}, not of integers or booleans", argument.name);
                return Err(PyTypeError::new_err(text));
            }
        );
    }
    let items = numbers.len();
    Ok((Column::of_copy(1, Some(items), numbers), arrow::nulls(argument, chunks)))
}
