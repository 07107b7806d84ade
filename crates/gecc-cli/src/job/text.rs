//! Text into batches: pieces of the input are cut into units of whole rows, which are parsed side by side into columns.

use super::compute::Batch;
use super::filler::{Filler, Window};
use super::running::Job;
use super::steps::{Arenas, Filled, PATIENCE};
use crate::input::cut::{Cut, Cutter, measure};
use crate::input::names::Names;
use crate::input::open::Input;
use crate::input::source::{Next, Source};
use crate::input::text::{Buffers, Text};
use crate::output::Failure;
use gecc::steps::map;
use std::sync::mpsc::{Receiver, RecvError, SyncSender, TryRecvError};

impl Job<'_> {
    /// Reads the input.
    pub fn read(&self, input: Input, to: SyncSender<Result<Vec<Text>, Failure>>) {
        let buffers = Buffers::new(self.limits.piece, self.operation.reads().secret_keys);
        let mut source = match Source::new(input, buffers, self.limits.window, self.pool) {
            Ok(source) => source,
            Err(problem) => {
                let _ = to.send(Err(self.unreadable(&problem)));
                return;
            }
        };
        while !self.is_over() {
            let sent = match source.next(PATIENCE) {
                Ok(Next::Nothing) => continue,
                Ok(Next::Pieces(pieces)) => to.send(Ok(pieces)),
                Ok(Next::End) => return,
                Err(problem) => {
                    let _ = to.send(Err(self.unreadable(&problem)));
                    return;
                }
            };
            if sent.is_err() {
                return;
            }
        }
    }

    /// Cuts what was read into units.
    pub fn cut(&self, pieces: Receiver<Result<Vec<Text>, Failure>>, to: SyncSender<Result<Window, Failure>>) {
        let mut cutter = Cutter::new(self.options.format, Names::new(self.options.mapping(), self.operation.reads()));
        let mut has_ended = false;
        while !has_ended {
            let (mut cuts, mut bytes) = (Vec::new(), 0);
            let outcome = match pieces.recv() {
                Ok(Ok(pieces)) => {
                    let cut = pieces.into_iter().try_for_each(|piece| {
                        bytes += piece.bytes().len() as u64;
                        cutter.push(piece, &mut cuts)
                    });
                    cut.map_err(|problem| self.unreadable(&problem))
                }
                Ok(Err(failure)) => Err(failure),
                // Nobody reads on, though there may be more.
                Err(RecvError) if self.is_over() => return,
                Err(RecvError) => {
                    has_ended = true;
                    cutter.end(&mut cuts).map_err(|problem| self.unreadable(&problem))
                }
            };
            // What was read before an error is still answered.
            if let Some(window) = self.measured(&mut cutter, cuts, bytes)
                && to.send(Ok(window)).is_err()
            {
                return;
            }
            if let Err(failure) = outcome {
                let _ = to.send(Err(failure));
                return;
            }
        }
    }

    /// Units of what was cut; `None` where there are none.
    fn measured(&self, cutter: &mut Cutter, cuts: Vec<Cut>, bytes: u64) -> Option<Window> {
        let layout = cutter.layout().cloned()?;
        let most = self.limits.unit_rows;
        let measures = map(self.pool, &cuts, |cut| measure(cut, &layout, most));
        let units = cutter.number(cuts, measures);
        (!units.is_empty()).then_some(Window { units, layout, bytes })
    }

    /// Parses units into batches.
    pub fn parse(&self, windows: Receiver<Result<Window, Failure>>, may_wait: bool, arenas: Arenas, filled: &Filled) {
        let mut filler = Filler::new(self, arenas);
        let hand_on = |batch: Option<Batch>| batch.is_none_or(|batch| filled.hand_in(batch)).then_some(());
        let mut step = || -> Option<()> {
            loop {
                // What came is not kept waiting for what may take any time to come.
                let next = if may_wait && filler.batch.is_some() {
                    match windows.try_recv() {
                        Err(TryRecvError::Empty) => {
                            hand_on(filler.batch.take())?;
                            continue;
                        }
                        next => next.ok(),
                    }
                } else {
                    windows.recv().ok()
                };
                match next {
                    Some(Ok(window)) => match filler.look_at(&window) {
                        Ok(()) => filler.add(window, &hand_on)?,
                        Err(failure) => return filled.put(Err(failure)).then_some(()),
                    },
                    Some(Err(failure)) => {
                        hand_on(filler.batch.take())?;
                        return filled.put(Err(failure)).then_some(());
                    }
                    None => return hand_on(filler.batch.take()),
                }
            }
        };
        // `None` where a later step has ended.
        let _ = step();
    }
}
