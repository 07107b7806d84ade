//! Elements of BER with definite lengths, of which DER is a subset. Private keys come from many
//! programs, some of which write lengths in more bytes than needed; OpenSSL accepts these too. No
//! branch depends on the contents of strings.

/// The unread part of a series of elements. Malformed input yields `None`.
#[derive(Clone, Copy)]
pub struct Elements<'a>(pub &'a [u8]);

// Tags that occur in keys.
pub const INTEGER: u8 = 0x02;
pub const BIT_STRING: u8 = 0x03;
pub const OCTET_STRING: u8 = 0x04;
pub const NULL: u8 = 0x05;
pub const IDENTIFIER: u8 = 0x06;
pub const SEQUENCE: u8 = 0x30;

impl<'a> Elements<'a> {
    /// Returns the elements of a sequence, which has to be all of `bytes`.
    pub fn of_sequence(bytes: &'a [u8]) -> Option<Self> {
        let mut outside = Elements(bytes);
        let inside = outside.require(SEQUENCE)?;
        outside.is_empty().then_some(Elements(inside))
    }

    /// Returns the tag of the next element.
    pub fn tag(&self) -> Option<u8> {
        self.0.first().copied()
    }

    /// Returns the next element: its tag and its contents.
    pub fn next(&mut self) -> Option<(u8, &'a [u8])> {
        /// The mark of a tag that continues in the next byte. Keys contain no such tags.
        const LONG_TAG: u8 = 0x1f;
        let (&tag, rest) = self
            .0
            .split_first()
            .filter(|(tag, _)| *tag & LONG_TAG != LONG_TAG)?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            // 0x80 is the indefinite length, which is not allowed in DER at all.
            0x81..=0x84 => {
                let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                (
                    digits
                        .iter()
                        .fold(0, |length, byte| length << 8 | usize::from(*byte)),
                    rest,
                )
            }
            _ => return None,
        };
        let (contents, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, contents))
    }

    /// Returns the contents of the next element, which must have this tag.
    pub fn require(&mut self, tag: u8) -> Option<&'a [u8]> {
        let (found, contents) = self.next()?;
        (found == tag).then_some(contents)
    }

    /// Returns the contents of the next element if it has this tag.
    pub fn optional(&mut self, tag: u8) -> Option<Option<&'a [u8]>> {
        if self.tag() == Some(tag) {
            self.next().map(|(_, contents)| Some(contents))
        } else {
            Some(None)
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns the bytes of a bit string from its contents, which must be whole bytes.
pub fn whole_bytes(contents: &[u8]) -> Option<&[u8]> {
    contents.strip_prefix(&[0])
}
