//! What is to be hashed, one message after the other, so that an engine can hash a batch of them.

/// Messages of any length.
#[derive(Default)]
pub struct Messages {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Messages {
    /// Adds what is written, and gives its number.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
        self.ends.len() - 1
    }

    /// The same, where `write` may have nothing to add; then it writes nothing.
    pub fn try_push(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<()> {
        write(&mut self.bytes)?;
        self.ends.push(self.bytes.len());
        Some(())
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.bytes.len() + self.ends.len() * size_of::<usize>()
    }

    /// Bytes that it has room for.
    pub fn capacity(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }
}
