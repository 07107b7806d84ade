//! Named pipes as inputs.

use crate::interrupt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;
use zeroize::Zeroizing;

/// The number of bytes that are read at once.
const READ: usize = 1 << 16;
/// The interval at which an idle read checks whether the command was interrupted.
const PATIENCE: Duration = Duration::from_millis(100);

/// A piece that was read, wiped on drop because it may contain keys.
type Piece = io::Result<Zeroizing<Vec<u8>>>;

/// A named pipe. Opening it blocks until there is a writer, and reading it until there is data,
/// possibly forever. A thread does both, and is abandoned when the command is interrupted.
pub struct Pipe {
    path: PathBuf,
    /// `None` until the first read.
    pieces: Option<Receiver<Piece>>,
    piece: Zeroizing<Vec<u8>>,
    /// The number of bytes of the piece that were consumed.
    taken: usize,
}

impl Pipe {
    pub fn new(path: &Path) -> Self {
        Pipe {
            path: path.to_owned(),
            pieces: None,
            piece: Zeroizing::default(),
            taken: 0,
        }
    }

    /// Returns the next piece, which is empty at the end.
    fn next(&mut self) -> Piece {
        let pieces = match &mut self.pieces {
            Some(pieces) => pieces,
            None => {
                let (to, pieces) = sync_channel(0);
                let path = self.path.clone();
                thread::Builder::new()
                    .name("gecc-pipe".to_owned())
                    .spawn(move || read_all(&path, &to))?;
                self.pieces.insert(pieces)
            }
        };
        loop {
            match pieces.recv_timeout(PATIENCE) {
                Ok(piece) => return piece,
                Err(RecvTimeoutError::Disconnected) => return Ok(Zeroizing::default()),
                Err(RecvTimeoutError::Timeout) if interrupt::flag().load(Ordering::Relaxed) => {
                    // Not of the kind `Interrupted`, which would be retried.
                    return Err(io::Error::other("interrupted"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Hands on everything that is read, until the end or until the receiver is gone.
fn read_all(path: &Path, to: &SyncSender<Piece>) {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(problem) => {
            let _ = to.send(Err(problem));
            return;
        }
    };
    loop {
        let mut piece = Zeroizing::new(vec![0; READ]);
        let read = super::items::read(&mut file, &mut piece).map(|length| {
            piece.truncate(length);
            piece
        });
        let is_last = read.as_ref().map_or(true, |piece| piece.is_empty());
        if to.send(read).is_err() || is_last {
            return;
        }
    }
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.piece.len() {
            self.piece = self.next()?;
            self.taken = 0;
        }
        let rest = &self.piece[self.taken..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.taken += length;
        Ok(length)
    }
}
