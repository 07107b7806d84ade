//! The lines of a file or pipe, whatever they hold.

use crate::secrets::wiped::{Wiped, append};
use std::io::{self, Read};
use zeroize::Zeroizing;

/// Longer lines are not held in memory; the line gets an error.
pub const MAX_LINE: usize = 16 << 20;
const BUFFER: usize = 1 << 16;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One line of the input.
pub struct Line {
    /// Counted from 1.
    pub number: u64,
    /// With its end, which the last line of a file need not have; or why it was not kept.
    pub text: Result<Wiped, String>,
    /// Bytes of input that it took.
    pub bytes: usize,
}

impl Line {
    pub fn is_blank(&self) -> bool {
        self.text.as_ref().is_ok_and(|text| text.trim_ascii().is_empty())
    }
}

/// Reads lines. Not a `BufReader`, whose buffer could not be wiped.
pub struct Lines {
    source: Box<dyn Read + Send>,
    buffer: Wiped,
    start: usize,
    end: usize,
    number: u64,
    returned: Option<Line>,
}

impl Lines {
    pub fn new(source: Box<dyn Read + Send>) -> Self {
        let buffer = Zeroizing::new(vec![0; BUFFER]);
        Lines { source, buffer, start: 0, end: 0, number: 0, returned: None }
    }

    /// The next line, or `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<Line>> {
        match self.returned.take() {
            Some(line) => Ok(Some(line)),
            None => self.read(),
        }
    }

    /// The next line that is not blank.
    pub fn next_content(&mut self) -> io::Result<Option<Line>> {
        loop {
            match self.next()? {
                Some(line) if line.is_blank() => {}
                line => return Ok(line),
            }
        }
    }

    /// Makes a line the next one again.
    pub fn put_back(&mut self, line: Line) {
        self.returned = Some(line);
    }

    fn read(&mut self) -> io::Result<Option<Line>> {
        let (mut text, mut bytes) = (Wiped::default(), 0);
        loop {
            let available = self.fill()?;
            let newline = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..newline.map_or(available.len(), |at| at + 1)];
            let taken = part.len();
            bytes += taken;
            if bytes <= MAX_LINE {
                append(&mut text, part);
            }
            self.start += taken;
            if newline.is_some() || taken == 0 {
                return Ok((bytes > 0).then(|| self.line(text, bytes)));
            }
        }
    }

    fn line(&mut self, mut text: Wiped, bytes: usize) -> Line {
        self.number += 1;
        if self.number == 1 && text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        let text = if bytes > MAX_LINE { Err(too_long()) } else { Ok(text) };
        Line { number: self.number, text, bytes }
    }

    /// What is buffered; reads when that is nothing. Empty at the end of the input.
    fn fill(&mut self) -> io::Result<&[u8]> {
        while self.start == self.end {
            match self.source.read(&mut self.buffer) {
                Ok(0) => break,
                Ok(length) => (self.start, self.end) = (0, length),
                Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }
}

pub fn too_long() -> String {
    format!("the line is longer than {MAX_LINE} bytes")
}
