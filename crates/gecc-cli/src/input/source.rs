//! Reads an input in pieces: a file by several threads at once, a stream as it arrives.

use super::items::read;
use super::open::{Input, PlainFile, became_shorter};
use super::text::{Buffers, Text};
use gecc::pipeline::map;
use rayon::ThreadPool;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time for which the first bytes of a stream wait for more.
const GATHERING: Duration = Duration::from_millis(10);
/// The factor by which the number of pieces per read of a file grows.
const GROWTH: usize = 4;

/// The next event of an input.
pub enum SourceEvent {
    Pieces(Vec<Text>),
    /// Nothing arrived in time.
    Nothing,
    End,
}

pub enum TextSource<'p> {
    File(FileSource<'p>),
    Stream(StreamSource),
}

impl<'p> TextSource<'p> {
    /// Makes a source of up to `window` pieces at a time. Files are read by the threads of a pool.
    pub fn new(
        input: Input,
        buffers: Arc<Buffers>,
        window: usize,
        pool: &'p ThreadPool,
    ) -> io::Result<Self> {
        Ok(match input {
            Input::File(plain) => TextSource::File(FileSource {
                place: plain.start,
                plain,
                buffers,
                window: 1,
                largest: window,
                pool,
            }),
            Input::Stream(reader) => {
                TextSource::Stream(StreamSource::start(reader, buffers, window)?)
            }
        })
    }

    /// Returns the next pieces. Waits at most `patience` for the first.
    pub fn next(&mut self, patience: Duration) -> io::Result<SourceEvent> {
        match self {
            TextSource::File(file) => file.next(),
            TextSource::Stream(stream) => stream.next(patience),
        }
    }
}

/// A file that is read at several positions at once.
pub struct FileSource<'p> {
    plain: PlainFile,
    place: u64,
    buffers: Arc<Buffers>,
    /// The number of pieces that are read at a time: small at first, so that work begins early.
    window: usize,
    largest: usize,
    pool: &'p ThreadPool,
}

impl FileSource<'_> {
    fn next(&mut self) -> io::Result<SourceEvent> {
        let size = self.buffers.size() as u64;
        // The end may have moved since; this is detected when it is reached.
        let left = self.plain.end.saturating_sub(self.place).div_ceil(size);
        let pieces = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .clamp(1, self.window);
        self.window = self.largest.min(self.window * GROWTH);
        let texts = map(self.pool, 0..pieces, |piece| {
            self.read_at(self.place + piece as u64 * size)
        });
        let mut whole = Vec::with_capacity(pieces);
        for text in texts {
            let text = match text {
                Ok(text) => text,
                // The pieces before the error are returned. The next call meets the error again.
                Err(_) if !whole.is_empty() => break,
                Err(problem) => return Err(problem),
            };
            self.place += text.bytes().len() as u64;
            let is_short = !text.is_full();
            if !text.bytes().is_empty() {
                whole.push(text);
            }
            // Later pieces are read again, since the file may have grown meanwhile.
            if is_short {
                break;
            }
        }
        if whole.is_empty() && self.place < self.plain.end {
            return Err(became_shorter());
        }
        Ok(if whole.is_empty() {
            SourceEvent::End
        } else {
            SourceEvent::Pieces(whole)
        })
    }

    /// Reads the piece at a position of the file.
    fn read_at(&self, place: u64) -> io::Result<Text> {
        let mut text = self.buffers.take();
        let length = self.plain.read_at(text.room(), place)?;
        text.fill(length);
        // Done here, where pieces are processed in parallel.
        text.look_for_quotes();
        Ok(text)
    }
}

/// A stream that is read by its own thread.
pub struct StreamSource(Arc<Stream>);

struct Stream {
    state: Mutex<StreamState>,
    changed: Condvar,
    buffers: Arc<Buffers>,
    window: usize,
}

#[derive(Default)]
struct StreamState {
    /// The pieces that are ready. All but the last are full.
    pieces: Vec<Text>,
    /// The outcome of reading, once it has ended.
    end: Option<io::Result<()>>,
    /// True if there is no receiver any more.
    is_abandoned: bool,
}

impl StreamSource {
    /// Starts a thread that reads up to `window` pieces ahead.
    fn start(
        mut reader: Box<dyn Read + Send>,
        buffers: Arc<Buffers>,
        window: usize,
    ) -> io::Result<Self> {
        let stream = Arc::new(Stream {
            state: Mutex::default(),
            changed: Condvar::new(),
            buffers,
            window,
        });
        let filled = Arc::clone(&stream);
        // The thread is not joined: it may be inside a read that never returns.
        std::thread::Builder::new().spawn(move || {
            let end = filled.fill_from(&mut reader);
            filled.lock().end = Some(end);
            filled.changed.notify_all();
        })?;
        Ok(StreamSource(stream))
    }

    /// Returns what arrives within `patience`, and shortly after it.
    fn next(&mut self, patience: Duration) -> io::Result<SourceEvent> {
        let stream = &*self.0;
        let state = stream
            .changed
            .wait_timeout_while(stream.lock(), patience, |state| {
                state.pieces.is_empty() && state.end.is_none()
            });
        let state = state.unwrap_or_else(PoisonError::into_inner).0;
        // Gathers further pieces for a moment.
        let state = stream
            .changed
            .wait_timeout_while(state, GATHERING, |state| {
                !state.pieces.is_empty() && !stream.is_full(state) && state.end.is_none()
            });
        let mut state = state.unwrap_or_else(PoisonError::into_inner).0;
        if !state.pieces.is_empty() {
            let pieces = std::mem::take(&mut state.pieces);
            drop(state);
            stream.changed.notify_all();
            return Ok(SourceEvent::Pieces(pieces));
        }
        match state.end.take() {
            None => Ok(SourceEvent::Nothing),
            Some(end) => end.map(|()| SourceEvent::End),
        }
    }
}

impl Drop for StreamSource {
    fn drop(&mut self) {
        self.0.lock().is_abandoned = true;
        self.0.changed.notify_all();
    }
}

impl Stream {
    /// Reads to the end, into a private piece, and publishes the data of each read.
    fn fill_from(&self, reader: &mut impl Read) -> io::Result<()> {
        let mut room = self.buffers.take();
        loop {
            let length = read(reader, room.room())?;
            if length == 0 || !self.add(&mut room, length) {
                return Ok(());
            }
        }
    }

    /// Publishes data; blocks while the window is full. Returns whether more is wanted.
    fn add(&self, read: &mut Text, length: usize) -> bool {
        let state = self.changed.wait_while(self.lock(), |state| {
            self.is_full(state) && !state.is_abandoned
        });
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        let bytes = &read.room()[..length];
        match state.pieces.last_mut().filter(|last| last.free() >= length) {
            // Small reads share a piece.
            Some(last) => {
                last.room()[..length].copy_from_slice(bytes);
                last.fill(length);
            }
            None => {
                read.fill(length);
                state
                    .pieces
                    .push(std::mem::replace(read, self.buffers.take()));
            }
        }
        let goes_on = !state.is_abandoned;
        drop(state);
        self.changed.notify_all();
        goes_on
    }

    fn is_full(&self, state: &StreamState) -> bool {
        state.pieces.len() > self.window
    }

    fn lock(&self) -> MutexGuard<'_, StreamState> {
        // No code panics while it holds the lock, and the state is consistent at every step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const PIECE: usize = 100;

    /// Returns all bytes of an input, and how it ended.
    fn read_all(input: Input, window: usize) -> (Vec<u8>, io::Result<()>) {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap();
        let mut source = TextSource::new(input, Buffers::new(PIECE, false), window, &pool).unwrap();
        let mut all = Vec::new();
        loop {
            match source.next(Duration::from_millis(10)) {
                Ok(SourceEvent::Pieces(pieces)) => pieces
                    .iter()
                    .for_each(|piece| all.extend_from_slice(piece.bytes())),
                Ok(SourceEvent::Nothing) => {}
                Ok(SourceEvent::End) => return (all, Ok(())),
                Err(problem) => return (all, Err(problem)),
            }
        }
    }

    /// Returns `length` random bytes.
    fn bytes(length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        getrandom::fill(&mut bytes).unwrap();
        bytes
    }

    #[cfg(unix)]
    #[test]
    fn file_that_grew_or_shrank_since_it_was_opened_is_read_to_its_end() {
        for length in [
            0,
            1,
            PIECE - 1,
            PIECE,
            PIECE + 1,
            10 * PIECE,
            10 * PIECE + 7,
        ] {
            let content = bytes(length);
            for end_then in [0, 1, length / 2, length, length + 1, 30 * PIECE] {
                for start in [0, length / 3] {
                    let mut file = tempfile::tempfile().unwrap();
                    file.write_all(&content).unwrap();
                    let plain = PlainFile {
                        file,
                        start: start as u64,
                        end: end_then as u64,
                    };
                    let (all, end) = read_all(Input::File(plain), 4);
                    assert_eq!(end.is_err(), length < end_then, "{length} {end_then}");
                    assert_eq!(all, content[start..], "{length} {start}");
                }
            }
        }
    }

    /// A reader that returns parts of its bytes, and then an error.
    struct Failing {
        left: Vec<u8>,
        part: usize,
    }

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.part.min(self.left.len()).min(buffer.len());
            if length == 0 {
                return Err(io::Error::other("no more"));
            }
            buffer[..length].copy_from_slice(&self.left[..length]);
            self.left.drain(..length);
            Ok(length)
        }
    }

    #[test]
    fn data_before_an_error_is_not_lost() {
        for part in [1, 7, PIECE, PIECE + 1] {
            let content = bytes(1000);
            let stream = Failing {
                left: content.clone(),
                part,
            };
            let (all, end) = read_all(Input::Stream(Box::new(stream)), 2);
            assert!(
                all == content && end.is_err_and(|problem| problem.to_string() == "no more"),
                "{part}"
            );
        }
    }
}
