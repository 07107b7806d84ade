//! Thrift's compact protocol, the format of Parquet's headers, parsed more strictly than necessary.
//!
//! Anything that two readers could interpret differently is rejected: field ids beyond 16 bits or
//! that do not increase, numbers that are too long for their type, and collections of booleans,
//! whose elements take one byte for some readers and none for others.

/// Reads consecutive values. Returns `None` at the end of the bytes, and for malformed or ambiguous
/// data.
pub(crate) struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The maximum nesting depth of values.
const DEPTH: u32 = 64;

/// Types of fields and elements.
pub(crate) mod kind {
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const I16: u8 = 4;
    pub const I32: u8 = 5;
    pub const I64: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub const SET: u8 = 10;
    pub const MAP: u8 = 11;
    pub const STRUCT: u8 = 12;
    pub const UUID: u8 = 13;
}

impl<'a> Walker<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Walker { bytes, at: 0 }
    }

    /// Returns the number of bytes read so far.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns the number of unread bytes.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    pub fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..usize::try_from(count).ok()?)?;
        self.at += taken.len();
        Some(taken)
    }

    pub fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // Only one bit of the tenth byte fits.
            if bits << shift >> shift != bits {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Reads a signed number of 64 bits.
    pub fn i64(&mut self) -> Option<i64> {
        let zigzag = self.varint()?;
        Some((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// Reads a signed number of 32 bits.
    pub fn i32(&mut self) -> Option<i32> {
        self.i64()?.try_into().ok()
    }

    /// Reads a byte string.
    pub fn binary(&mut self) -> Option<&'a [u8]> {
        let length = self.varint()?;
        self.take(length)
    }

    /// Reads the id and the type of a struct's next field; `Some(None)` at its end. `last` is the
    /// id of the previous field, initially 0.
    pub fn field(&mut self, last: &mut i16) -> Option<Option<(i16, u8)>> {
        let header = self.byte()?;
        if header == 0 {
            return Some(None);
        }
        let number = match header >> 4 {
            0 => i16::try_from(self.i64()?)
                .ok()
                .filter(|number| *number > *last)?,
            step => last.checked_add(step.into())?,
        };
        *last = number;
        match header & 0x0f {
            kind @ kind::TRUE..=kind::UUID => Some(Some((number, kind))),
            _ => None,
        }
    }

    /// Reads the length of a list or set, and the type of its elements. The length is at most the
    /// number of unread bytes.
    pub fn list(&mut self) -> Option<(usize, u8)> {
        let header = self.byte()?;
        let count = match header >> 4 {
            15 => self.varint()?,
            count => u64::from(count),
        };
        let is_plain = matches!(header & 0x0f, kind::BYTE..=kind::UUID);
        // Some writers use no type for an empty list.
        let count = usize::try_from(count)
            .ok()
            .filter(|count| is_plain || *count == 0)?;
        (count <= self.bytes.len() - self.at).then_some((count, header & 0x0f))
    }

    /// Skips the value of a field of this type.
    pub fn skip(&mut self, kind: u8) -> Option<()> {
        match kind {
            // The type contains the value.
            kind::TRUE | kind::FALSE => Some(()),
            kind => self.skip_value(kind, DEPTH),
        }
    }

    fn skip_value(&mut self, kind: u8, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            kind::BYTE => self.byte().map(drop),
            kind::I16..=kind::I64 => self.varint().map(drop),
            kind::DOUBLE => self.take(8).map(drop),
            kind::BINARY => self.binary().map(drop),
            kind::LIST | kind::SET => {
                let (count, kind) = self.list()?;
                (0..count).try_for_each(|_| self.skip_value(kind, depth))
            }
            kind::MAP => self.skip_map(depth),
            kind::STRUCT => self.skip_struct(depth),
            kind::UUID => self.take(16).map(drop),
            _ => None,
        }
    }

    fn skip_map(&mut self, depth: u32) -> Option<()> {
        let count = self.varint()?;
        if count == 0 {
            return Some(());
        }
        let kinds = self.byte()?;
        (0..count).try_for_each(|_| {
            self.skip_value(kinds >> 4, depth)?;
            self.skip_value(kinds & 0x0f, depth)
        })
    }

    fn skip_struct(&mut self, depth: u32) -> Option<()> {
        let mut last = 0;
        while let Some((_, kind)) = self.field(&mut last)? {
            if !matches!(kind, kind::TRUE | kind::FALSE) {
                self.skip_value(kind, depth)?;
            }
        }
        Some(())
    }
}

/// Writes values in their only unambiguous form.
#[derive(Default)]
pub(crate) struct Scribe(pub Vec<u8>);

impl Scribe {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Writes a signed number of any width.
    pub fn number(&mut self, number: i64) {
        self.varint((number << 1 ^ number >> 63) as u64);
    }

    pub fn binary(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Begins a field. `last` is the id of the previous field.
    pub fn field(&mut self, last: &mut i16, number: i16, kind: u8) {
        match number - *last {
            step @ 1..=15 => self.0.push((step as u8) << 4 | kind),
            _ => {
                self.0.push(kind);
                self.number(number.into());
            }
        }
        *last = number;
    }

    /// Ends a struct.
    pub fn end(&mut self) {
        self.0.push(0);
    }

    /// Begins a list.
    pub fn list(&mut self, count: usize, kind: u8) {
        if count < 15 {
            self.0.push((count as u8) << 4 | kind);
        } else {
            self.0.push(0xf0 | kind);
            self.varint(count as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_fields_are_read() {
        // Field 1 = -3, field 3 = true, field 40 (by number) = 300, the end.
        let bytes = [0x15, 0x05, 0x21, 0x05, 0x50, 0xd8, 0x04, 0x00, 0xff];
        let mut walker = Walker::new(&bytes);
        let mut last = 0;
        assert_eq!(walker.field(&mut last), Some(Some((1, kind::I32))));
        assert_eq!(walker.i32(), Some(-3));
        assert_eq!(walker.field(&mut last), Some(Some((3, kind::TRUE))));
        assert_eq!(walker.skip(kind::TRUE), Some(()));
        assert_eq!(walker.field(&mut last), Some(Some((40, kind::I32))));
        assert_eq!(walker.i64(), Some(300));
        assert_eq!(walker.field(&mut last), Some(None));
        assert_eq!(walker.position(), 8);
        let mut whole = Walker::new(&bytes);
        assert_eq!((whole.skip(kind::STRUCT), whole.position()), (Some(()), 8));
    }

    #[test]
    fn truncated_or_deeply_nested_values_are_rejected() {
        for length in 0..7 {
            let bytes = [0x15, 0x05, 0x25, 0x05, 0x28, 0x03, 0x41];
            assert_eq!(Walker::new(&bytes[..length]).skip(kind::STRUCT), None);
        }
        // Lists of one list each.
        assert_eq!(Walker::new(&[0x19; 1000]).skip(kind::LIST), None);
        // A list of 2^63 bytes, and a string as long.
        let long = [0xf3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert_eq!(Walker::new(&long).skip(kind::LIST), None);
        assert_eq!(Walker::new(&long[1..]).skip(kind::BINARY), None);
    }

    /// Reads the header of a field after the field `last`.
    fn field(bytes: &[u8], mut last: i16) -> Option<Option<(i16, u8)>> {
        Walker::new(bytes).field(&mut last)
    }

    #[test]
    fn ambiguous_encodings_are_rejected() {
        // Numbers 65538, -1, 0 and 3 after 3; a number beyond 32767; a step with no type; an
        // undefined type.
        assert_eq!(field(&[0x05, 0x84, 0x80, 0x08], 0), None);
        assert_eq!(
            (
                field(&[0x05, 0x01], 0),
                field(&[0x05, 0x00], 0),
                field(&[0x05, 0x06], 3)
            ),
            (None, None, None)
        );
        assert_eq!(
            (
                field(&[0x15], i16::MAX),
                field(&[0x10], 0),
                field(&[0x1e], 0)
            ),
            (None, None, None)
        );
        assert_eq!(
            field(&[0x05, 0xfe, 0xff, 0x03], 0),
            Some(Some((i16::MAX, kind::I32)))
        );
        // 2^31 is not a 32-bit number, and 2^64 not a 64-bit one.
        assert_eq!(Walker::new(&[0x80, 0x80, 0x80, 0x80, 0x10]).i32(), None);
        assert_eq!(
            Walker::new(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02]).i64(),
            None
        );
        // Lists and maps of booleans, and a list with more elements than bytes.
        for list in [&[0x11, 1][..], &[0x12, 1], &[0xf1, 1, 1], &[0x2c, 0]] {
            assert_eq!(Walker::new(list).skip(kind::LIST), None, "{list:?}");
        }
        assert_eq!(Walker::new(&[0x00]).skip(kind::LIST), Some(()));
        assert_eq!(Walker::new(&[0x01, 0x13, 1, 1]).skip(kind::MAP), None);
        assert_eq!(Walker::new(&[0x01, 0x33, 1, 1]).skip(kind::MAP), Some(()));
    }

    #[test]
    fn written_values_are_read_back() {
        let mut scribe = Scribe::default();
        let mut last = 0;
        for (number, value) in [
            (1, 0),
            (2, -1),
            (17, i64::MAX),
            (33, i64::MIN),
            (32767, 300),
        ] {
            scribe.field(&mut last, number, kind::I64);
            scribe.number(value);
        }
        scribe.end();
        for count in [0, 14, 15, 300] {
            scribe.list(count, kind::BINARY);
            (0..count).for_each(|_| scribe.binary(b"ab"));
        }
        let mut walker = Walker::new(&scribe.0);
        let mut last = 0;
        for (number, value) in [
            (1, 0),
            (2, -1),
            (17, i64::MAX),
            (33, i64::MIN),
            (32767, 300),
        ] {
            assert_eq!(
                (walker.field(&mut last), walker.i64()),
                (Some(Some((number, kind::I64))), Some(value))
            );
        }
        assert_eq!(walker.field(&mut last), Some(None));
        for count in [0, 14, 15, 300] {
            assert_eq!(walker.list(), Some((count, kind::BINARY)));
            assert!((0..count).all(|_| walker.binary() == Some(b"ab")));
        }
        assert_eq!(walker.position(), scribe.0.len());
    }
}
