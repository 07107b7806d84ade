//! Messages to be hashed, stored so that an engine can hash a batch of them.

use std::ops::Range;

/// Messages of any length, which are parts of one text.
#[derive(Default)]
pub struct Messages {
    /// Also with what is between messages.
    pub text: Vec<u8>,
    places: Vec<Range<usize>>,
    /// Bytes of all messages, and of what else is kept.
    bytes: usize,
}

impl Messages {
    /// Makes room for this many messages, of this many bytes in all.
    pub fn reserve(&mut self, messages: usize, bytes: usize) {
        self.text.reserve(bytes);
        self.places.reserve(messages);
    }

    /// Adds what is written, and gives its number.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        let place = self.write(write);
        self.push_place(place)
    }

    /// Adds what is written to the text alone, and gives where it stands.
    pub fn write(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
        let start = self.text.len();
        write(&mut self.text);
        start..self.text.len()
    }

    /// Appends a message if `write` produces one; otherwise nothing is written.
    pub fn try_push(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<()> {
        let start = self.text.len();
        write(&mut self.text)?;
        self.push_place(start..self.text.len());
        Some(())
    }

    /// Counts what stands here in the text, which is no message.
    pub fn keep(&mut self, place: Range<usize>) -> Range<usize> {
        self.bytes += place.len();
        place
    }

    /// Adds what stands here in the text, and gives its number.
    pub fn push_place(&mut self, place: Range<usize>) -> usize {
        let place = self.keep(place);
        self.places.push(place);
        self.places.len() - 1
    }

    pub fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
        self.bytes = 0;
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.bytes + self.places.len() * size_of::<Range<usize>>()
    }

    /// Bytes that it has room for.
    pub fn capacity(&self) -> usize {
        self.text.capacity() + self.places.capacity() * size_of::<Range<usize>>()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|place| &self.text[place.clone()])
    }
}
