//! Messages to be hashed, stored so that an engine can hash a batch of them.

use std::ops::Range;

/// Messages of any length, stored in one buffer.
#[derive(Default)]
pub struct Messages {
    /// The buffer. It may also contain bytes between messages.
    pub text: Vec<u8>,
    places: Vec<Range<usize>>,
    /// Bytes of all messages, and of other parts of the buffer that are kept.
    bytes: usize,
}

impl Messages {
    /// Reserves memory for `messages` messages with `bytes` bytes in total.
    pub fn reserve(&mut self, messages: usize, bytes: usize) {
        self.text.reserve(bytes);
        self.places.reserve(messages);
    }

    /// Appends a message that `write` produces, and returns its index.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        let place = self.write(write);
        self.push_place(place)
    }

    /// Writes to the buffer without adding a message, and returns the range written.
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

    /// Counts a part of the buffer that is not a message.
    pub fn keep(&mut self, place: Range<usize>) -> Range<usize> {
        self.bytes += place.len();
        place
    }

    /// Adds a part of the buffer as a message, and returns its index.
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

    /// Returns the number of bytes in use.
    pub fn bytes(&self) -> usize {
        self.bytes + self.places.len() * size_of::<Range<usize>>()
    }

    /// Returns the number of bytes allocated.
    pub fn capacity(&self) -> usize {
        self.text.capacity() + self.places.capacity() * size_of::<Range<usize>>()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|place| &self.text[place.clone()])
    }
}
