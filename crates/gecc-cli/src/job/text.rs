//! Text into batches: pieces of the input are cut into units of whole rows, which are parsed side by side into columns.

use super::Operation;
use super::compute::Batch;
use super::filler::{Filler, Window};
use super::run::Job;
use super::steps::{Arenas, Filled, Ordered, PATIENCE};
use crate::input::cut::{Cutter, measure};
use crate::input::open::Input;
use crate::input::source::{Next, Source};
use crate::input::text::Buffers;
use rayon::prelude::*;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError};

impl<O: Operation> Job<'_, O> {
    /// Reads the input, and cuts it into units.
    pub fn read(&self, input: Input, to: SyncSender<Ordered<Window>>) {
        let buffers = Buffers::new(self.limits.piece, self.keys);
        let mut source = Source::new(input, buffers, self.limits.window);
        let mut cutter = Cutter::new(self.options.format, self.keys);
        let mut has_ended = false;
        while !has_ended && !self.is_over() {
            let next = match &source {
                Source::File(_) => self.pool.install(|| source.next(PATIENCE)),
                Source::Stream(_) => source.next(PATIENCE),
            };
            let (mut cuts, mut bytes) = (Vec::new(), 0);
            let outcome = match next {
                Ok(Next::Nothing) => continue,
                Ok(Next::Pieces(pieces)) => pieces.into_iter().try_for_each(|piece| {
                    bytes += piece.bytes().len() as u64;
                    cutter.push(piece, &mut cuts)
                }),
                Ok(Next::End) => {
                    has_ended = true;
                    cutter.end(&mut cuts)
                }
                Err(problem) => Err(problem.to_string()),
            };
            // What was read before an error is still answered.
            if let Some(layout) = cutter.layout().cloned() {
                let measures = self
                    .pool
                    .install(|| cuts.par_iter().map(|cut| measure(cut, &layout, self.limits.unit_rows)).collect());
                let units = cutter.number(cuts, measures);
                if !units.is_empty() && to.send(Ordered::Next(Window { units, layout, bytes })).is_err() {
                    return;
                }
            }
            if let Err(problem) = outcome {
                let _ = to.send(Ordered::Failed(format!("reading the input: {problem}").into()));
                return;
            }
        }
    }

    /// Parses units into batches.
    pub fn parse(&self, windows: Receiver<Ordered<Window>>, may_wait: bool, arenas: Arenas, filled: &Filled) {
        let mut filler = Filler::new(self, arenas);
        let hand_on = |batch: Option<Batch>| batch.map_or(Some(()), |batch| filled.hand_on(batch));
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
                    Some(Ordered::Next(window)) => filler.add(window, &hand_on)?,
                    Some(Ordered::Failed(failure)) => {
                        hand_on(filler.batch.take())?;
                        return filled.fail(failure);
                    }
                    None => return hand_on(filler.batch.take()),
                }
            }
        };
        // `None` where a later step has ended.
        let _ = step();
    }
}
