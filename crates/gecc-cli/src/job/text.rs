//! Reads text into batches: pieces of inputs are cut into units of whole rows, which are parsed in
//! parallel into columns. Consecutive inputs are treated as one, so that many small ones share
//! batches.

use super::filler::{Filler, Window};
use super::stages::{Arenas, BatchQueue, PATIENCE, Texts};
use super::state::{Job, unreadable};
use crate::input::open::Input;
use crate::input::source::{SourceEvent, TextSource};
use crate::input::splitter::{RowSplitter, Section, Unit, measure};
use crate::input::text::{Buffers, Text};
use crate::input::utf_16::as_utf_8;
use crate::output::Failure;
use gecc::pipeline::map;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError};

/// An event of reading.
pub enum ReadEvent {
    /// The beginning of an input, with its name.
    Begin(Arc<str>),
    /// Pieces of the current input.
    Pieces(Vec<Text>),
}

type ToSplitter = SyncSender<Result<ReadEvent, Failure>>;
type ToParser = SyncSender<Result<Window, Failure>>;

impl Job<'_> {
    /// Reads inputs in order.
    pub fn read(&self, texts: Texts, to: ToSplitter) {
        let buffers = Buffers::new(self.limits.piece, self.operation.reads().secret_keys);
        for (name, input) in texts {
            match self.read_one(&name, input, &buffers, &to) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return,
                Err(problem) => {
                    let _ = to.send(Err(unreadable(&name, &problem)));
                    return;
                }
            }
        }
    }

    /// Reads an input, until it ends or the job should stop.
    fn read_one(
        &self,
        name: &Arc<str>,
        input: Input,
        buffers: &Arc<Buffers>,
        to: &ToSplitter,
    ) -> io::Result<ControlFlow<()>> {
        if to.send(Ok(ReadEvent::Begin(Arc::clone(name)))).is_err() {
            return Ok(ControlFlow::Break(()));
        }
        let input = as_utf_8(input)?;
        let mut source =
            TextSource::new(input, Arc::clone(buffers), self.limits.window, self.pool)?;
        while !self.is_over() {
            let sent = match source.next(PATIENCE)? {
                SourceEvent::Nothing => continue,
                SourceEvent::Pieces(pieces) => to.send(Ok(ReadEvent::Pieces(pieces))),
                SourceEvent::End => return Ok(ControlFlow::Continue(())),
            };
            if sent.is_err() {
                break;
            }
        }
        Ok(ControlFlow::Break(()))
    }

    /// Cuts the pieces into units.
    pub fn cut(&self, read: Receiver<Result<ReadEvent, Failure>>, to: ToParser) {
        // `None` if nothing more is wanted.
        let _ = self.split_all(read, &to);
    }

    fn split_all(&self, read: Receiver<Result<ReadEvent, Failure>>, to: &ToParser) -> Option<()> {
        let names = self.operation.names(self.options);
        let mut splitting: Option<Splitting> = None;
        for next in read {
            match next {
                Ok(ReadEvent::Begin(name)) => {
                    let splitter = RowSplitter::new(self.options.format, names.clone())
                        .with_longest(self.limits.longest);
                    if let Some(ended) = splitting.replace(Splitting {
                        job: self,
                        name,
                        splitter,
                        to,
                    }) {
                        ended.end()?;
                    }
                }
                Ok(ReadEvent::Pieces(pieces)) => splitting
                    .as_mut()
                    .expect("an input has begun")
                    .push(pieces)?,
                Err(failure) => return to.send(Err(failure)).ok(),
            }
        }
        // Otherwise the job has stopped, and there may be more input.
        splitting.filter(|_| !self.is_over())?.end()
    }

    /// Parses units into batches.
    pub fn parse(
        &self,
        windows: Receiver<Result<Window, Failure>>,
        may_wait: bool,
        arenas: Arenas,
        batches: &dyn BatchQueue,
    ) {
        // `None` if a later stage has ended.
        let _ = self.parse_all(&windows, may_wait, Filler::new(self, arenas, batches));
    }

    fn parse_all(
        &self,
        windows: &Receiver<Result<Window, Failure>>,
        may_wait: bool,
        mut filler: Filler,
    ) -> Option<()> {
        loop {
            // A batch is not delayed for input that may take any time to arrive. Nor is one with
            // long rows delayed for further rows, which may be blocked until its long rows are
            // written.
            let next = if filler
                .batch
                .as_ref()
                .is_some_and(|batch| may_wait || batch.long_rows > 0)
            {
                match windows.try_recv() {
                    Err(TryRecvError::Empty) => {
                        filler.hand_on()?;
                        continue;
                    }
                    next => next.ok(),
                }
            } else {
                windows.recv().ok()
            };
            let Some(next) = next else {
                return filler.hand_on();
            };
            match next.and_then(|window| filler.look_at(&window).map(|()| window)) {
                Ok(window) => filler.add(window)?,
                Err(failure) => {
                    filler.hand_on()?;
                    return filler.batches.fail(failure).then_some(());
                }
            }
        }
    }
}

/// The state of cutting an input.
struct Splitting<'a> {
    job: &'a Job<'a>,
    name: Arc<str>,
    splitter: RowSplitter,
    to: &'a ToParser,
}

impl Splitting<'_> {
    fn push(&mut self, pieces: Vec<Text>) -> Option<()> {
        let mut sections = Vec::new();
        let bytes = pieces.iter().map(|piece| piece.bytes().len() as u64).sum();
        let outcome = pieces
            .into_iter()
            .try_for_each(|piece| self.splitter.push(piece, &mut sections));
        self.put(sections, bytes, outcome)
    }

    fn end(mut self) -> Option<()> {
        let mut sections = Vec::new();
        let outcome = self.splitter.end(&mut sections);
        self.put(sections, 0, outcome)
    }

    /// Hands on the units, including those before an error. Returns `None` after an error, or if
    /// nothing more is wanted.
    fn put(
        &mut self,
        sections: Vec<Section>,
        bytes: u64,
        outcome: Result<(), String>,
    ) -> Option<()> {
        if let Some(window) = self.measured(sections, bytes) {
            let long_rows = window.units.iter().map(Unit::long_row).sum::<usize>() as u64;
            if long_rows > 0 && !self.job.long_rows.acquire(long_rows) {
                return None;
            }
            self.to.send(Ok(window)).ok()?;
        }
        let problem = outcome
            .err()
            .map(|problem| unreadable(&self.name, &problem));
        problem.map_or(Some(()), |failure| {
            self.to.send(Err(failure)).ok().and(None)
        })
    }

    /// Measures the cuts and converts them to units. Returns `None` if there are none.
    fn measured(&mut self, sections: Vec<Section>, bytes: u64) -> Option<Window> {
        let layout = self.splitter.layout().cloned()?;
        let Job { limits, pool, .. } = self.job;
        let measures = map(pool, &sections, |cut| {
            measure(cut, &layout, limits.unit_rows)
        });
        let units = self.splitter.number(sections, measures);
        (!units.is_empty()).then(|| Window {
            name: Arc::clone(&self.name),
            units,
            layout,
            bytes,
        })
    }
}
