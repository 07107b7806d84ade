//! Elements of BER with definite lengths, which DER is a part of. Private keys come from many programs, some of which
//! write lengths in more bytes than needed; OpenSSL reads these too. No branch depends on the contents of strings.

/// What is left to read of some elements. What is malformed is `None`.
#[derive(Clone, Copy)]
pub struct Elements<'a>(pub &'a [u8]);

// Tags that keys have.
pub const INTEGER: u8 = 0x02;
pub const BIT_STRING: u8 = 0x03;
pub const OCTET_STRING: u8 = 0x04;
pub const NULL: u8 = 0x05;
pub const IDENTIFIER: u8 = 0x06;
pub const SEQUENCE: u8 = 0x30;

impl<'a> Elements<'a> {
    /// The elements of the sequence that `bytes` are, with nothing behind it.
    pub fn of_sequence(bytes: &'a [u8]) -> Option<Self> {
        let mut outside = Elements(bytes);
        let inside = outside.require(SEQUENCE)?;
        outside.is_empty().then_some(Elements(inside))
    }

    /// The tag of the next element.
    pub fn tag(&self) -> Option<u8> {
        self.0.first().copied()
    }

    /// The next element: its tag and its contents.
    pub fn next(&mut self) -> Option<(u8, &'a [u8])> {
        /// Of a tag that goes on in the next byte, which keys do not have.
        const LONG_TAG: u8 = 0x1f;
        let (&tag, rest) = self.0.split_first().filter(|(tag, _)| *tag & LONG_TAG != LONG_TAG)?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            // 0x80 is the indefinite length, which is not DER in any respect.
            0x81..=0x84 => {
                let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                (digits.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
            }
            _ => return None,
        };
        let (contents, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, contents))
    }

    /// The contents of the next element, which has this tag.
    pub fn require(&mut self, tag: u8) -> Option<&'a [u8]> {
        let (found, contents) = self.next()?;
        (found == tag).then_some(contents)
    }

    /// The contents of the next element where it has this tag.
    pub fn optional(&mut self, tag: u8) -> Option<Option<&'a [u8]>> {
        if self.tag() == Some(tag) { self.next().map(|(_, contents)| Some(contents)) } else { Some(None) }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The bytes of a bit string, from its contents: whole bytes.
pub fn whole_bytes(contents: &[u8]) -> Option<&[u8]> {
    contents.strip_prefix(&[0])
}
