//! Pieces of input text in reusable buffers.

use crate::secrets::buffers::{Spares, Wiped};
use memchr::memchr;
use std::ops::Range;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A piece of the input as it was read.
pub struct Text {
    /// The buffer, which may be longer than the text.
    buffer: Wiped,
    filled: usize,
    /// Records whether the text contains a quote, once it has been searched.
    has_quotes: Option<bool>,
    /// The pool to which the buffer returns when the piece is dropped.
    home: Option<Arc<Buffers>>,
}

impl Text {
    /// Wraps a text that is already in memory.
    pub fn from_bytes(buffer: Wiped) -> Self {
        Text {
            filled: buffer.len(),
            buffer,
            has_quotes: None,
            home: None,
        }
    }

    /// Returns whether the text is in one of the buffers that the input is read into.
    pub fn is_piece(&self) -> bool {
        self.home.is_some()
    }

    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// Returns the free part of the buffer.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.buffer[self.filled..]
    }

    /// Returns the number of free bytes.
    pub fn free(&self) -> usize {
        self.buffer.len() - self.filled
    }

    /// Marks the next `bytes` bytes of the free part as text.
    pub fn fill(&mut self, bytes: usize) {
        self.filled += bytes;
        self.has_quotes = None;
    }

    /// Searches for quotes and stores the result.
    pub fn look_for_quotes(&mut self) {
        self.has_quotes = Some(self.has_quotes());
    }

    pub fn has_quotes(&self) -> bool {
        self.has_quotes
            .unwrap_or_else(|| memchr(b'"', self.bytes()).is_some())
    }

    pub fn is_full(&self) -> bool {
        self.free() == 0
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        if let Some(home) = self.home.take() {
            home.spares.give_back(std::mem::take(&mut *self.buffer));
        }
    }
}

/// Whole rows in a piece of text.
#[derive(Clone)]
pub struct Span {
    pub text: Arc<Text>,
    pub range: Range<usize>,
}

impl Span {
    pub fn whole(text: Text) -> Self {
        let range = 0..text.bytes().len();
        Span {
            text: Arc::new(text),
            range,
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.text.bytes()[self.range.clone()]
    }
}

/// A pool of buffers of one size.
pub struct Buffers {
    spares: Spares,
    size: usize,
}

impl Buffers {
    pub fn new(size: usize, secret: bool) -> Arc<Self> {
        Arc::new(Buffers {
            spares: Spares::new(secret, size),
            size,
        })
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns an empty piece.
    pub fn take(self: &Arc<Self>) -> Text {
        let buffer = Zeroizing::new(self.spares.take().unwrap_or_else(|| vec![0; self.size]));
        Text {
            buffer,
            filled: 0,
            has_quotes: None,
            home: Some(Arc::clone(self)),
        }
    }
}
