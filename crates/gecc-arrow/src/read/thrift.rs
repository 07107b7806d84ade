//! The compact protocol of Thrift, as far as it takes to see sizes in Parquet's headers before a decoder trusts them.
//!
//! Decoders allocate what a header says. An allocation that is too large ends the process and cannot be caught, so that
//! sizes are looked at first.

/// Reads values one after the other. `None` where the bytes end or make no sense.
pub(crate) struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// How deep values may be nested.
const DEPTH: u32 = 64;

/// Types of fields and elements.
pub(crate) mod kind {
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const I16: u8 = 4;
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

    /// Bytes read so far.
    pub fn position(&self) -> usize {
        self.at
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn skip_bytes(&mut self, count: u64) -> Option<()> {
        self.at = usize::try_from(count).ok()?.checked_add(self.at).filter(|at| *at <= self.bytes.len())?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A signed number of any width.
    pub fn number(&mut self) -> Option<i64> {
        let zigzag = self.varint()?;
        Some((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// Number and type of a struct's next field; `Some(None)` at its end. `last` is the number of the field before.
    pub fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
        let header = self.byte()?;
        if header == 0 {
            return Some(None);
        }
        let step = i64::from(header >> 4);
        *last = if step == 0 { self.number()? } else { last.checked_add(step)? };
        Some(Some((*last, header & 0x0f)))
    }

    /// Elements and their type.
    pub fn list(&mut self) -> Option<(u64, u8)> {
        let header = self.byte()?;
        let count = match header >> 4 {
            15 => self.varint()?,
            count => u64::from(count),
        };
        Some((count, header & 0x0f))
    }

    /// Passes over a field of this type.
    pub fn skip(&mut self, kind: u8) -> Option<()> {
        match kind {
            // The value is in the type.
            kind::TRUE | kind::FALSE => Some(()),
            kind => self.skip_value(kind, DEPTH),
        }
    }

    fn skip_value(&mut self, kind: u8, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            kind::TRUE | kind::FALSE | kind::BYTE => self.skip_bytes(1),
            kind::I16..=kind::I64 => self.varint().map(drop),
            kind::DOUBLE => self.skip_bytes(8),
            kind::BINARY => {
                let length = self.varint()?;
                self.skip_bytes(length)
            }
            kind::LIST | kind::SET => {
                let (count, kind) = self.list()?;
                (0..count).try_for_each(|_| self.skip_value(kind, depth))
            }
            kind::MAP => self.skip_map(depth),
            kind::STRUCT => self.skip_struct(depth),
            kind::UUID => self.skip_bytes(16),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_fields_are_read() {
        // Field 1 = -3, field 3 = true, field 40 (by number) = 300, the end.
        let bytes = [0x15, 0x05, 0x21, 0x05, 0x50, 0xd8, 0x04, 0x00, 0xff];
        let (mut walker, mut last) = (Walker::new(&bytes), 0);
        assert_eq!(walker.field(&mut last), Some(Some((1, 5))));
        assert_eq!(walker.number(), Some(-3));
        assert_eq!(walker.field(&mut last), Some(Some((3, kind::TRUE))));
        assert_eq!(walker.skip(kind::TRUE), Some(()));
        assert_eq!(walker.field(&mut last), Some(Some((40, 5))));
        assert_eq!(walker.number(), Some(300));
        assert_eq!(walker.field(&mut last), Some(None));
        assert_eq!(walker.position(), 8);
        let mut whole = Walker::new(&bytes);
        assert_eq!((whole.skip(kind::STRUCT), whole.position()), (Some(()), 8));
    }

    #[test]
    fn what_ends_early_or_is_too_deep_is_nothing() {
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
}
