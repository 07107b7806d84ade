//! Readers that are chosen by the first bytes of their source, once these are there.

use std::io::{self, Read};
use zeroize::Zeroizing;

/// Chooses the reader of a source.
pub type Open = fn(Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>>;

/// Opens the reader of a source with the first read, since a pipe may not have any data yet.
/// Errors are returned by the first read.
pub fn when_read(source: Box<dyn Read + Send>, open: Open) -> Box<dyn Read + Send> {
    Box::new(Unread {
        source: Some(source),
        open,
        reader: Box::new(io::empty()),
    })
}

struct Unread {
    source: Option<Box<dyn Read + Send>>,
    open: Open,
    reader: Box<dyn Read + Send>,
}

impl Read for Unread {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(source) = self.source.take() {
            self.reader = (self.open)(source)?;
        }
        self.reader.read(buffer)
    }
}

/// Reads the first bytes, at most `longest`, while they are undecided. The last read may return
/// further bytes.
pub fn head(
    source: &mut dyn Read,
    longest: usize,
    is_undecided: impl Fn(&[u8]) -> bool,
) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut head = Zeroizing::new(vec![0; longest]);
    let mut length = 0;
    while length < head.len() && is_undecided(&head[..length]) {
        match source.read(&mut head[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
            Err(problem) => return Err(problem),
        }
    }
    head.truncate(length);
    Ok(head)
}
