//! Access to the bytes of cells, for every type that contains bytes, or bytes as text.

use crate::reason::CellProblem;
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float32Type, Float64Type};
use arrow_array::{
    Array, ArrowPrimitiveType, BinaryArray, BinaryViewArray, FixedSizeBinaryArray,
    LargeBinaryArray, LargeStringArray, PrimitiveArray, StringArray, StringViewArray,
    downcast_integer_array,
};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::DataType;
use gecc::fields::{
    Encoding, from_base64, hex_digits, is_key_text, plain_hex_digits, read_decimal,
};
use std::borrow::Cow;

/// Returns whether a column of this type can be read as [`Cells`].
pub fn holds_bytes(data_type: &DataType) -> bool {
    use DataType::{
        Binary, BinaryView, Dictionary, FixedSizeBinary, LargeBinary, LargeUtf8, Utf8, Utf8View,
    };
    match data_type {
        Dictionary(_, values) => !matches!(**values, Dictionary(..)) && holds_bytes(values),
        FixedSizeBinary(_) | Binary | LargeBinary | BinaryView | Utf8 | LargeUtf8 | Utf8View => {
            true
        }
        _ => false,
    }
}

/// A column of byte strings, or of strings that encode them in hexadecimal or base64.
pub struct Cells<'a> {
    array: CellArray<'a>,
    /// The null rows, if any.
    nulls: Option<NullBuffer>,
    /// The encoding of text cells.
    encoding: Encoding,
    /// True if they may be private keys.
    are_secret: bool,
}

enum CellArray<'a> {
    Fixed(&'a FixedSizeBinaryArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    /// Indices into a column of values. It is not unpacked, because a few large values may
    /// represent very many.
    Dictionary {
        keys: Vec<usize>,
        values: Box<Cells<'a>>,
    },
}

impl<'a> Cells<'a> {
    /// Creates the cells of a column, in which text is hexadecimal.
    ///
    /// # Panics
    /// If the column is of another type ([`holds_bytes`]), which [`crate::column_of`] rejects.
    pub fn of(array: &'a dyn Array) -> Self {
        let nulls = match array.as_any_dictionary_opt() {
            // Without values, every row is null.
            Some(dictionary) if dictionary.values().is_empty() => {
                Some(NullBuffer::new_null(array.len()))
            }
            _ => array.logical_nulls(),
        };
        let array = match array.data_type() {
            DataType::FixedSizeBinary(_) => CellArray::Fixed(array.as_fixed_size_binary()),
            DataType::Binary => CellArray::Binary(array.as_binary()),
            DataType::LargeBinary => CellArray::LargeBinary(array.as_binary()),
            DataType::BinaryView => CellArray::BinaryView(array.as_binary_view()),
            DataType::Utf8 => CellArray::Utf8(array.as_string()),
            DataType::LargeUtf8 => CellArray::LargeUtf8(array.as_string()),
            DataType::Utf8View => CellArray::Utf8View(array.as_string_view()),
            DataType::Dictionary(..) => Self::of_dictionary(array),
            other => panic!("{other} holds no bytes"),
        };
        Cells {
            array,
            nulls: nulls.filter(|nulls| nulls.null_count() > 0),
            encoding: Encoding::Hex,
            are_secret: false,
        }
    }

    /// Returns the cells with this encoding of text.
    pub(crate) fn in_encoding(self, encoding: Encoding) -> Self {
        Cells { encoding, ..self }
    }

    /// Returns the cells marked as possible private keys: their digits are not copied, because such
    /// a copy would not be wiped.
    pub(crate) fn of_secrets(self) -> Self {
        Cells {
            are_secret: true,
            ..self
        }
    }

    /// Returns the digits of a hexadecimal cell.
    fn digits<'c>(&self, cell: &'c [u8]) -> Cow<'c, [u8]> {
        if self.are_secret {
            Cow::Borrowed(hex_digits(cell))
        } else {
            plain_hex_digits(cell)
        }
    }

    fn of_dictionary(array: &'a dyn Array) -> CellArray<'a> {
        let dictionary = array.as_any_dictionary();
        let values = dictionary.values().as_ref();
        let keys = if values.is_empty() {
            Vec::new()
        } else {
            dictionary.normalized_keys()
        };
        CellArray::Dictionary {
            keys,
            values: Box::new(Cells::of(values)),
        }
    }

    /// Returns whether the cells are text.
    pub fn is_text(&self) -> bool {
        match &self.array {
            CellArray::Utf8(_) | CellArray::LargeUtf8(_) | CellArray::Utf8View(_) => true,
            CellArray::Dictionary { values, .. } => values.is_text(),
            _ => false,
        }
    }

    /// Returns the rows that are null; `None` if there are none.
    pub fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    /// Returns the stored form of a cell.
    ///
    /// # Errors
    /// [`CellProblem::Null`].
    #[inline]
    pub fn get(&self, row: usize) -> Result<&[u8], CellProblem> {
        if self.nulls().is_some_and(|nulls| nulls.is_null(row)) {
            return Err(CellProblem::Null);
        }
        Ok(match &self.array {
            CellArray::Fixed(array) => array.value(row),
            CellArray::Binary(array) => array.value(row),
            CellArray::LargeBinary(array) => array.value(row),
            CellArray::BinaryView(array) => array.value(row),
            CellArray::Utf8(array) => array.value(row).as_bytes(),
            CellArray::LargeUtf8(array) => array.value(row).as_bytes(),
            CellArray::Utf8View(array) => array.value(row).as_bytes(),
            CellArray::Dictionary { keys, values, .. } => return values.get(keys[row]),
        })
    }

    /// Returns a text cell that cannot be the encoding of bytes: one that does not begin with a
    /// hexadecimal digit or, for base64, one that a character shows to be a key in text form.
    ///
    /// # Errors
    /// [`CellProblem::Null`], for cells of text.
    #[inline]
    pub(crate) fn text_without_digits(&self, row: usize) -> Result<Option<&[u8]>, CellProblem> {
        if !self.is_text() {
            return Ok(None);
        }
        let cell = self.get(row)?;
        let is_none = match self.encoding {
            Encoding::Hex => hex_digits(cell)
                .first()
                .is_some_and(|first| !first.is_ascii_hexdigit()),
            Encoding::Base64 => str::from_utf8(cell).is_ok_and(is_key_text),
        };
        Ok(is_none.then_some(cell))
    }

    /// Returns the number of bytes that a cell represents, even if its digits are invalid.
    ///
    /// # Errors
    /// [`CellProblem::Null`].
    #[inline]
    pub fn len(&self, row: usize) -> Result<usize, CellProblem> {
        let cell = self.get(row)?;
        Ok(match self.encoding {
            _ if !self.is_text() => cell.len(),
            Encoding::Hex => self.digits(cell).len().div_ceil(2),
            Encoding::Base64 => base64_length(cell),
        })
    }

    /// Writes the bytes of a cell, which must have the length of `to`.
    ///
    /// # Errors
    /// The problem of the cell. The contents of `to` are then unspecified.
    #[inline]
    pub fn read(&self, row: usize, to: &mut [u8]) -> Result<(), CellProblem> {
        let cell = self.get(row)?;
        match self.encoding {
            _ if !self.is_text() => {}
            Encoding::Hex => return read_digits(&self.digits(cell), to),
            Encoding::Base64 => return read_base64(cell, to),
        }
        if cell.len() != to.len() {
            return Err(CellProblem::WrongLength);
        }
        to.copy_from_slice(cell);
        Ok(())
    }

    /// Writes a number of at most the length of `to`, big-endian. Text may have an odd number of
    /// digits. A number whose top bit is set may have a leading zero byte, as in signed integers
    /// (mpint, DER).
    ///
    /// # Errors
    /// The problem of the cell. The contents of `to` are then unspecified.
    pub fn read_number(&self, row: usize, to: &mut [u8]) -> Result<(), CellProblem> {
        let bytes = self.len(row)?;
        if bytes == to.len() + 1 {
            return self.read_signed(row, to);
        }
        let zeros = to
            .len()
            .checked_sub(bytes)
            .filter(|_| bytes > 0)
            .ok_or(CellProblem::WrongLength)?;
        let (front, number) = to.split_at_mut(zeros);
        front.fill(0);
        if !self.is_text() || self.encoding == Encoding::Base64 {
            return self.read(row, number);
        }
        match &*self.digits(self.get(row)?) {
            [first, rest @ ..] if rest.len() % 2 == 0 => {
                read_digits(&[b'0', *first], &mut number[..1])?;
                read_digits(rest, &mut number[1..])
            }
            even => read_digits(even, number),
        }
    }

    /// Writes a number that is preceded by a positive sign byte.
    fn read_signed(&self, row: usize, to: &mut [u8]) -> Result<(), CellProblem> {
        let mut signed = vec![0; to.len() + 1];
        self.read(row, &mut signed)?;
        match signed[..] {
            [0, first, ..] if first & 0x80 != 0 => {
                to.copy_from_slice(&signed[1..]);
                Ok(())
            }
            _ => Err(CellProblem::WrongLength),
        }
    }

    /// Writes a decimal number from text.
    ///
    /// # Errors
    /// The problem of the cell. The contents of `to` are then unspecified.
    pub fn read_decimal(&self, row: usize, to: &mut [u8]) -> Result<(), CellProblem> {
        let digits = self.get(row)?.trim_ascii();
        Some(digits)
            .filter(|digits| digits.len() <= LONG)
            .and_then(|digits| read_decimal(digits, to))
            .ok_or(CellProblem::NotDecimal)
    }

    /// Appends the bytes of a cell to a vector.
    ///
    /// # Errors
    /// The problem of the cell. The vector is then unchanged.
    pub fn append(&self, row: usize, to: &mut Vec<u8>) -> Result<(), CellProblem> {
        let start = to.len();
        to.resize(start + self.len(row)?, 0);
        self.read(row, &mut to[start..])
            .inspect_err(|_| to.truncate(start))
    }

    /// Returns the values if they are contiguous and all have this width. Those of null rows are
    /// included.
    pub fn contiguous(&self, width: usize) -> Option<&'a [u8]> {
        match &self.array {
            CellArray::Fixed(array) if array.value_length() as usize == width => {
                Some(array.value_data())
            }
            CellArray::Binary(array) => evenly(array.value_offsets(), array.value_data(), width),
            CellArray::LargeBinary(array) => {
                evenly(array.value_offsets(), array.value_data(), width)
            }
            _ => None,
        }
    }

    /// Returns the width of all cells if the column's type determines it.
    pub fn width_of_type(&self) -> Option<usize> {
        match &self.array {
            CellArray::Fixed(array) => Some(array.value_length() as usize),
            CellArray::Dictionary { values, .. } => values.width_of_type(),
            _ => None,
        }
    }

    /// Returns the width of all cells if the layout determines it.
    pub fn width(&self) -> Option<usize> {
        let first = match &self.array {
            CellArray::Fixed(array) => array.value_length() as usize,
            CellArray::Binary(array) if !array.is_empty() => array.value_length(0) as usize,
            CellArray::LargeBinary(array) if !array.is_empty() => array.value_length(0) as usize,
            _ => return None,
        };
        self.contiguous(first).map(|_| first)
    }
}

/// Returns the bytes between the first offset and the last, if all offsets are `width` apart. An
/// array without rows from the C interface may have an offset and no data.
fn evenly<'a, O: ArrowNativeType>(offsets: &[O], data: &'a [u8], width: usize) -> Option<&'a [u8]> {
    let start = offsets[0].as_usize();
    let even = offsets
        .iter()
        .enumerate()
        .all(|(row, offset)| offset.as_usize() == start + row * width);
    data.get(start..offsets[offsets.len() - 1].as_usize())
        .filter(|_| even)
}

/// Length in characters or bytes beyond which a cell can only be a message or an id.
pub(crate) const LONG: usize = 1024;

/// Appends the bytes of a hexadecimal text ([`hex_digits`]) to a vector.
///
/// # Errors
/// [`CellProblem::NotHexadecimal`]. The vector is then unchanged.
pub fn append_hexadecimal(text: &[u8], to: &mut Vec<u8>) -> Result<(), CellProblem> {
    let digits = hex_digits(text);
    let start = to.len();
    to.resize(start + digits.len().div_ceil(2), 0);
    read_digits(digits, &mut to[start..]).inspect_err(|_| to.truncate(start))
}

/// Decodes hexadecimal digits, two for each byte of `to`.
fn read_digits(digits: &[u8], to: &mut [u8]) -> Result<(), CellProblem> {
    // The decoder would strip a prefix, and one was already removed.
    if digits.len() % 2 == 1 || digits.starts_with(b"0x") {
        return Err(CellProblem::NotHexadecimal);
    }
    if digits.len() != 2 * to.len() {
        // For long text, the length is sufficient: a dictionary may contain it for very many rows.
        let is_hex = digits.len() > LONG || digits.iter().all(u8::is_ascii_hexdigit);
        return Err(if is_hex {
            CellProblem::WrongLength
        } else {
            CellProblem::NotHexadecimal
        });
    }
    const_hex::decode_to_slice(digits, to).map_err(|_| CellProblem::NotHexadecimal)
}

/// Returns the number of bytes that base64 digits represent.
fn base64_length(text: &[u8]) -> usize {
    let text = text.trim_ascii();
    let padding = text
        .iter()
        .rev()
        .take_while(|digit| **digit == b'=')
        .count();
    let line_ends = text
        .iter()
        .filter(|byte| matches!(byte, b'\r' | b'\n'))
        .count();
    text.len().saturating_sub(padding + line_ends) * 3 / 4
}

/// Decodes base64 text, which must have the length of `to`.
fn read_base64(text: &[u8], to: &mut [u8]) -> Result<(), CellProblem> {
    // For long text, the length is sufficient, as above.
    if text.len() > LONG && base64_length(text) != to.len() {
        return Err(CellProblem::WrongLength);
    }
    let bytes = str::from_utf8(text.trim_ascii())
        .ok()
        .and_then(from_base64)
        .ok_or(CellProblem::NotBase64)?;
    if bytes.len() != to.len() {
        return Err(CellProblem::WrongLength);
    }
    to.copy_from_slice(&bytes);
    Ok(())
}

/// Returns whether a column of this type has [`Integers`] according to its type.
pub fn holds_integers(data_type: &DataType) -> bool {
    data_type.is_integer() || matches!(data_type, DataType::Boolean | DataType::Decimal128(_, 0))
}

/// A column of integers, booleans, decimal numbers without a fraction, or floating-point numbers,
/// which pandas uses for integers with nulls.
pub struct Integers<'a>(Box<dyn Fn(usize) -> Option<i128> + Send + Sync + 'a>);

impl<'a> Integers<'a> {
    /// Returns whether a column of this type may contain integers, according to its type or its
    /// values.
    pub fn are_of(data_type: &DataType) -> bool {
        holds_integers(data_type) || matches!(data_type, DataType::Float32 | DataType::Float64)
    }

    /// Creates the numbers of a column. A floating-point number with a fraction, or one so large
    /// that the next integer has the same representation, counts as [`i128::MIN`], and NaN as null.
    ///
    /// # Panics
    /// If the column is of another type ([`Integers::are_of`]).
    pub fn of(array: &'a dyn Array) -> Self {
        fn of_numbers<T: ArrowPrimitiveType<Native: Into<i128>>>(
            array: &PrimitiveArray<T>,
        ) -> Integers<'_> {
            Integers(Box::new(|row| {
                array.is_valid(row).then(|| array.value(row).into())
            }))
        }
        /// `end` is the first integer that has the same representation as the next one.
        fn of_floats<T: ArrowPrimitiveType<Native: Into<f64>>>(
            array: &PrimitiveArray<T>,
            end: i64,
        ) -> Integers<'_> {
            Integers(Box::new(move |row| {
                let number: f64 = array.is_valid(row).then(|| array.value(row).into())?;
                let is_exact = number.fract() == 0.0 && number.abs() < end as f64;
                (!number.is_nan()).then_some(if is_exact { number as i128 } else { i128::MIN })
            }))
        }
        downcast_integer_array!(
            array => of_numbers(array),
            DataType::Decimal128(_, 0) => of_numbers(array.as_primitive::<Decimal128Type>()),
            DataType::Boolean => {
                let array = array.as_boolean();
                Integers(Box::new(|row| array.is_valid(row).then(|| array.value(row).into())))
            }
            DataType::Float32 => of_floats(array.as_primitive::<Float32Type>(), 1 << 24),
            DataType::Float64 => of_floats(array.as_primitive::<Float64Type>(), 1 << 53),
            other => panic!("{other} holds no integers"),
        )
    }

    /// Returns the number of a row.
    ///
    /// # Errors
    /// [`CellProblem::Null`].
    pub fn get(&self, row: usize) -> Result<i128, CellProblem> {
        (self.0)(row).ok_or(CellProblem::Null)
    }
}

/// The value for a missing recovery id; no id is that large.
pub(crate) const NO_RECOVERY_ID: u8 = u8::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Float32Array, Float64Array};

    #[test]
    fn floating_point_numbers_are_integers_where_they_are_exact() {
        let numbers = Float64Array::from(vec![
            Some(27.0),
            Some(-0.0),
            None,
            Some(f64::NAN),
            Some(0.5),
            Some(2f64.powi(53)),
        ]);
        let found: Vec<_> = (0..numbers.len())
            .map(|row| Integers::of(&numbers).get(row))
            .collect();
        let null = Err(CellProblem::Null);
        let none = Ok(i128::MIN);
        assert_eq!(found, [Ok(27), Ok(0), null, null, none, none]);
        let numbers = Float32Array::from(vec![1.0, 2f32.powi(24)]);
        let found: Vec<_> = (0..2).map(|row| Integers::of(&numbers).get(row)).collect();
        assert_eq!(found, [Ok(1), none]);
        assert!(!holds_integers(&DataType::Float64) && !Integers::are_of(&DataType::Utf8));
    }

    #[test]
    fn texts_are_appended_as_their_bytes() {
        let mut bytes = vec![7];
        for text in ["abc", "0x0x12", "zz", "0xabc"] {
            assert_eq!(
                append_hexadecimal(text.as_bytes(), &mut bytes),
                Err(CellProblem::NotHexadecimal)
            );
            assert_eq!(bytes, [7], "{text}");
        }
        for text in ["", " 0x ", "\\x12\n", "0XAb"] {
            assert_eq!(append_hexadecimal(text.as_bytes(), &mut bytes), Ok(()));
        }
        assert_eq!(bytes, [7, 0x12, 0xab]);
    }

    /// Breaks a text into lines of 64 characters.
    fn wrapped(text: &str) -> String {
        let lines: Vec<&str> = text
            .as_bytes()
            .chunks(64)
            .map(|line| str::from_utf8(line).unwrap())
            .collect();
        lines.join("\r\n")
    }

    /// Reads a cell of `W` bytes.
    fn read<const W: usize>(cells: &Cells, row: usize) -> Result<[u8; W], CellProblem> {
        let mut bytes = [0; W];
        cells.read(row, &mut bytes).map(|()| bytes)
    }

    /// Reads a number of at most `W` bytes.
    fn read_number<const W: usize>(cells: &Cells, row: usize) -> Result<[u8; W], CellProblem> {
        let mut number = [0xee; W];
        cells.read_number(row, &mut number).map(|()| number)
    }

    #[test]
    fn texts_may_have_colons_and_line_ends() {
        let bytes: Vec<u8> = (0..=99).collect();
        let digits = const_hex::encode(&bytes);
        let colons = bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .join(":");
        let texts = StringArray::from(vec![
            digits.clone(),
            colons.clone(),
            wrapped(&digits),
            "ab:c".into(),
            "a:bc".into(),
        ]);
        let cells = Cells::of(&texts);
        for row in 0..3 {
            let mut found = Vec::new();
            assert_eq!(
                (cells.len(row), cells.append(row, &mut found), &found),
                (Ok(100), Ok(()), &bytes),
                "{row}"
            );
            let mut number = [0xee; 110];
            assert_eq!(
                (cells.read_number(row, &mut number), &number[10..]),
                (Ok(()), &bytes[..]),
                "{row}"
            );
        }
        for row in [3, 4] {
            assert_eq!(
                cells.append(row, &mut Vec::new()),
                Err(CellProblem::NotHexadecimal),
                "{row}"
            );
        }
        // Digits of private keys are not copied.
        let secrets = Cells::of(&texts).of_secrets();
        assert_eq!(
            secrets.append(1, &mut Vec::new()),
            Err(CellProblem::NotHexadecimal)
        );
        let base64 = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, &bytes);
        let texts = StringArray::from(vec![base64.clone(), wrapped(&base64)]);
        let cells = Cells::of(&texts).in_encoding(Encoding::Base64);
        for row in 0..2 {
            let mut found = Vec::new();
            assert_eq!(
                (cells.append(row, &mut found), &found),
                (Ok(()), &bytes),
                "{row}"
            );
        }
    }

    #[test]
    fn texts_in_base64_are_their_bytes() {
        let texts = StringArray::from(vec!["qrs=", "-_8", "+/8=\n", "a b", "qrs", "q", "", "{}"]);
        let cells = Cells::of(&texts).in_encoding(Encoding::Base64);
        assert_eq!(read(&cells, 0), Ok([0xaa, 0xbb]));
        assert_eq!(read(&cells, 1), Ok([0xfb, 0xff]));
        assert_eq!(read(&cells, 2), Ok([0xfb, 0xff]));
        assert_eq!(read::<2>(&cells, 3), Err(CellProblem::NotBase64));
        assert_eq!(read(&cells, 4), Ok([0xaa, 0xbb]));
        assert_eq!(read::<2>(&cells, 5), Err(CellProblem::NotBase64));
        assert_eq!(read::<2>(&cells, 6), Err(CellProblem::WrongLength));
        let mut number = [0xee; 3];
        assert_eq!(
            (cells.read_number(0, &mut number), number),
            (Ok(()), [0, 0xaa, 0xbb])
        );
        assert_eq!(cells.text_without_digits(7), Ok(Some(&b"{}"[..])));
        assert_eq!(cells.text_without_digits(1), Ok(None));
        let long = StringArray::from(vec!["A".repeat(LONG + 4)]);
        let long = Cells::of(&long).in_encoding(Encoding::Base64);
        assert_eq!(long.read(0, &mut [0; 32]), Err(CellProblem::WrongLength));
        let mut all = Vec::new();
        assert_eq!(
            (long.append(0, &mut all), all.len()),
            (Ok(()), long.len(0).unwrap())
        );
    }

    #[test]
    fn numbers_may_be_short_and_texts_odd() {
        let texts = vec![
            "0xabc", "1", "", "0x", "xyz", "0x112233", "11223344", "0x0x12", "0xff0011",
            "00ff0011", "007f0011",
        ];
        let texts = StringArray::from(texts);
        let cells = Cells::of(&texts);
        assert_eq!(read_number(&cells, 0), Ok([0, 0x0a, 0xbc]));
        assert_eq!(read_number(&cells, 1), Ok([0, 0, 1]));
        assert_eq!(read_number::<3>(&cells, 2), Err(CellProblem::WrongLength));
        assert_eq!(read_number::<3>(&cells, 3), Err(CellProblem::WrongLength));
        assert_eq!(
            read_number::<3>(&cells, 4),
            Err(CellProblem::NotHexadecimal)
        );
        assert_eq!(read_number(&cells, 5), Ok([0x11, 0x22, 0x33]));
        assert_eq!(read_number::<3>(&cells, 6), Err(CellProblem::WrongLength));
        assert_eq!(
            read_number::<3>(&cells, 7),
            Err(CellProblem::NotHexadecimal)
        );
        // A leading zero byte is the sign of a number that would otherwise be negative.
        assert_eq!(read_number(&cells, 8), Ok([0xff, 0, 0x11]));
        assert_eq!(read_number(&cells, 9), Ok([0xff, 0, 0x11]));
        assert_eq!(read_number::<3>(&cells, 10), Err(CellProblem::WrongLength));
        let mut number = [0xee; 3];
        assert_eq!(
            (cells.read_decimal(1, &mut number), number),
            (Ok(()), [0, 0, 1])
        );
        assert_eq!(cells.read_decimal(6, &mut number), Ok(()));
        assert_eq!(
            (
                cells.read_decimal(0, &mut number),
                cells.read_decimal(2, &mut number)
            ),
            (Err(CellProblem::NotDecimal), Err(CellProblem::NotDecimal))
        );
    }
}
