//! Standard output, terminals, pipes and devices. They may accept data at any time, or never. A
//! thread writes to them, and is abandoned if the command is interrupted.

use crate::secrets::buffers::Wiped;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// The interval at which a long write checks whether the command was interrupted.
const PATIENCE: Duration = Duration::from_millis(100);

/// The outcome of writing parts.
pub struct WriteOutcome {
    /// The parts; empty if they are still being written by an abandoned thread.
    pub parts: Vec<Wiped>,
    /// The number of parts written completely.
    pub whole: usize,
    pub outcome: io::Result<()>,
}

/// The handle of the writer thread.
pub struct WriterThread {
    to: Sender<Vec<Wiped>>,
    back: Receiver<WriteOutcome>,
    /// The number of parts of the current write that are written.
    whole: Arc<AtomicUsize>,
    interrupted: &'static AtomicBool,
    /// True if a write was abandoned.
    is_stuck: bool,
}

impl WriterThread {
    pub fn start(
        sink: Box<dyn Write + Send>,
        interrupted: &'static AtomicBool,
    ) -> io::Result<Self> {
        Self::start_by(|| Ok(sink), interrupted)
    }

    /// Starts a thread that opens the destination, which may take any time: opening a named pipe
    /// blocks until there is a reader. An error of opening is returned by the first write.
    pub fn start_by(
        open: impl FnOnce() -> io::Result<Box<dyn Write + Send>> + Send + 'static,
        interrupted: &'static AtomicBool,
    ) -> io::Result<Self> {
        let (to, parts) = channel::<Vec<Wiped>>();
        let (done, back) = channel();
        let whole = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&whole);
        let writer = thread::Builder::new().name("gecc-output".to_owned());
        writer.spawn(move || write_received(open(), parts, &count, &done))?;
        Ok(WriterThread {
            to,
            back,
            whole,
            interrupted,
            is_stuck: false,
        })
    }

    /// Writes parts, in order. After an interruption, a write that blocks returns an error, and so
    /// does every later one.
    pub fn write(&mut self, parts: Vec<Wiped>) -> WriteOutcome {
        if self.is_stuck {
            return WriteOutcome {
                parts,
                whole: 0,
                outcome: Err(interrupted()),
            };
        }
        self.whole.store(0, Ordering::Relaxed);
        if let Err(unsent) = self.to.send(parts) {
            return WriteOutcome {
                parts: unsent.0,
                whole: 0,
                outcome: Err(ended()),
            };
        }
        loop {
            let problem = match self.back.recv_timeout(PATIENCE) {
                Ok(put) => return put,
                Err(RecvTimeoutError::Timeout) if !self.interrupted.load(Ordering::Relaxed) => {
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => interrupted(),
                Err(RecvTimeoutError::Disconnected) => ended(),
            };
            self.is_stuck = true;
            return WriteOutcome {
                parts: Vec::new(),
                whole: self.whole.load(Ordering::Relaxed),
                outcome: Err(problem),
            };
        }
    }
}

/// Writes parts as they are received, and returns them, until there are no more senders. An error
/// of opening the sink is the outcome of every write.
fn write_received(
    mut sink: io::Result<Box<dyn Write + Send>>,
    received: Receiver<Vec<Wiped>>,
    whole: &AtomicUsize,
    done: &Sender<WriteOutcome>,
) {
    for parts in received {
        let outcome = match &mut sink {
            Ok(sink) => write_each(sink, &parts, whole),
            Err(problem) => Err(io::Error::new(problem.kind(), problem.to_string())),
        };
        let put = WriteOutcome {
            parts,
            whole: whole.load(Ordering::Relaxed),
            outcome,
        };
        if done.send(put).is_err() {
            return;
        }
    }
}

fn write_each(sink: &mut dyn Write, parts: &[Wiped], whole: &AtomicUsize) -> io::Result<()> {
    parts.iter().try_for_each(|part| {
        sink.write_all(part)?;
        sink.flush()?;
        whole.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

/// Not of the kind `Interrupted`, which would be retried.
fn interrupted() -> io::Error {
    io::Error::other("interrupted")
}

fn ended() -> io::Error {
    io::Error::other("the thread that writes has ended")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Read;

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn parts(count: usize) -> Vec<Wiped> {
        (0..count)
            .map(|part| Wiped::new(vec![part as u8; 1000]))
            .collect()
    }

    /// Returns the bytes of a file.
    fn bytes(count: usize) -> Vec<u8> {
        (0..count).flat_map(|part| vec![part as u8; 1000]).collect()
    }

    #[test]
    fn parts_come_back_in_order() {
        let (mut from, to) = io::pipe().unwrap();
        let mut direct = WriterThread::start(Box::new(to), &NEVER).unwrap();
        let read = thread::spawn(move || {
            let mut all = Vec::new();
            from.read_to_end(&mut all).map(|_| all).unwrap()
        });
        for _ in 0..3 {
            let put = direct.write(parts(200));
            assert!(put.outcome.is_ok() && put.whole == 200 && put.parts == parts(200));
        }
        drop(direct);
        assert_eq!(read.join().unwrap(), bytes(200).repeat(3));
    }

    #[test]
    fn failed_write_returns_the_number_of_parts_written() {
        let (from, to) = io::pipe().unwrap();
        let mut direct = WriterThread::start(Box::new(to), &NEVER).unwrap();
        assert_eq!(direct.write(parts(3)).whole, 3);
        drop(from);
        let put = direct.write(parts(3));
        assert_eq!(
            (put.whole, put.outcome.unwrap_err().kind()),
            (0, io::ErrorKind::BrokenPipe)
        );
    }

    #[test]
    fn write_to_unread_pipe_is_abandoned_after_interrupt() {
        static INTERRUPTED: AtomicBool = AtomicBool::new(false);
        let (mut from, to) = io::pipe().unwrap();
        let mut direct = WriterThread::start(Box::new(to), &INTERRUPTED).unwrap();
        // More than fits into a pipe.
        let interrupt = thread::spawn(|| {
            thread::sleep(2 * PATIENCE);
            INTERRUPTED.store(true, Ordering::Relaxed);
        });
        let put = direct.write(parts(2000));
        interrupt.join().unwrap();
        assert!(put.outcome.is_err() && put.parts.is_empty());
        // The parts that were written completely are in the pipe.
        let mut read = vec![0; put.whole * 1000];
        from.read_exact(&mut read).unwrap();
        assert!(put.whole > 0 && read == bytes(put.whole));
        // Even though there is room again.
        let later = direct.write(parts(1));
        assert!(later.outcome.is_err() && later.parts.len() == 1);
    }
}
