//! Rows from a pipe, or from a file that is decompressed: what has come is given without waiting for a full batch.

use crate::secrets::wiped::Wiped;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// Bytes that are read at a time, and how many such blocks may wait.
const BLOCK: usize = 1 << 20;
const WAITING: usize = 4;
/// How long the first row of a batch waits for company.
const GATHERING: Duration = Duration::from_millis(10);

type Block = io::Result<Wiped>;

/// A source that a thread reads ahead of.
pub struct Stream {
    /// Closed at the end of the source.
    blocks: Receiver<Block>,
    /// Bytes that came and are not given yet, and where they begin.
    rest: Wiped,
    start: usize,
    /// Comes after the rows that came before it.
    failed: Option<io::Error>,
}

impl Stream {
    pub fn new(source: Box<dyn Read + Send>) -> Self {
        let (sender, blocks) = sync_channel(WAITING);
        thread::spawn(move || read_ahead(source, &sender));
        Stream { blocks, rest: Wiped::default(), start: 0, failed: None }
    }

    /// Fills the front of the memory with whole rows and gives their number, 0 at the end. Waits for the first row.
    pub fn read(&mut self, memory: &mut [u8], row: usize) -> Result<usize, String> {
        let mut filled = self.take(memory);
        let mut deadline = None;
        while filled < memory.len() && self.failed.is_none() {
            if filled >= row && deadline.is_none() {
                deadline = Some(Instant::now() + GATHERING);
            }
            match self.wait(deadline) {
                Some(Ok(block)) => (self.rest, self.start) = (block, 0),
                Some(Err(problem)) => self.failed = Some(problem),
                None => break,
            }
            filled += self.take(&mut memory[filled..]);
        }
        let (rows, left) = (filled / row, filled % row);
        if rows > 0 {
            self.put_back(&memory[filled - left..filled]);
            return Ok(rows);
        }
        match self.failed.take() {
            Some(problem) => Err(problem.to_string()),
            None if left > 0 => Err(format!("the input ends with {left} bytes, which are no row of {row}")),
            None => Ok(0),
        }
    }

    /// The next block; `None` at the end, or when nothing came before the deadline.
    fn wait(&self, deadline: Option<Instant>) -> Option<Block> {
        match deadline {
            None => self.blocks.recv().ok(),
            Some(deadline) => self.blocks.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok(),
        }
    }

    /// Moves bytes that came to the memory.
    fn take(&mut self, memory: &mut [u8]) -> usize {
        let bytes = &self.rest[self.start..];
        let length = bytes.len().min(memory.len());
        memory[..length].copy_from_slice(&bytes[..length]);
        self.start += length;
        length
    }

    /// The beginning of a row that has not come whole. Nothing else is left then, or the memory would be full, of whole rows.
    fn put_back(&mut self, part: &[u8]) {
        if !part.is_empty() {
            (self.rest, self.start) = (Zeroizing::new(part.to_vec()), 0);
        }
    }
}

/// Ends where nobody takes blocks any more.
fn read_ahead(mut source: Box<dyn Read + Send>, sender: &SyncSender<Block>) {
    let mut buffer = Zeroizing::new(vec![0; BLOCK]);
    loop {
        let block = match source.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => Ok(Zeroizing::new(buffer[..length].to_vec())),
            Err(problem) if problem.kind() == io::ErrorKind::Interrupted => continue,
            Err(problem) => Err(problem),
        };
        let is_last = block.is_err();
        if sender.send(block).is_err() || is_last {
            return;
        }
    }
}
