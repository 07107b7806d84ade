//! Several inputs read as one.

use super::batch_resizer::{BatchResizer, SourceEvent};
use super::progress::ByteOffset;
use super::{BatchStream, Batches, Input, Projection};
use crate::error::Error;
use std::iter::Enumerate;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::vec::IntoIter;

impl Batches {
    /// Returns the rows of several inputs, one after another; small inputs share batches. The
    /// options of the first input determine the size of batches, and its [`Input::progress`] covers
    /// all inputs. `current` is set to the index of the input being read; after an error, it is the
    /// one that caused it.
    ///
    /// # Errors
    /// [`Error::Options`] without an input, [`Error::Columns`] if not all have the same columns,
    /// and the same as for [`Input::batches`].
    pub fn concatenated(
        inputs: Vec<Input>,
        columns: &Projection,
        current: Arc<AtomicUsize>,
    ) -> Result<Self, Error> {
        let Some(first) = inputs.first() else {
            return Err(Error::Options("there is no input".to_owned()));
        };
        if inputs.len() == 1 {
            return inputs.into_iter().next().expect("one").batches(columns);
        }
        let options = first.options.clone();
        let schema = first.schema.clone();
        let progress = first.progress();
        if inputs
            .iter()
            .any(|input| input.schema.fields() != schema.fields())
        {
            return Err(Error::Columns(
                "inputs that are read as one have the same columns".to_owned(),
            ));
        }
        let projected = Arc::new(schema.project(&columns.places(&schema)?)?);
        let place = ByteOffset::default();
        let mut concatenation = Concatenation {
            length: inputs.iter().map(|input| input.length).sum(),
            count: inputs.len(),
            rest: inputs.into_iter().enumerate(),
            batches: None,
            columns: columns.clone(),
            current,
            offset: place.clone(),
        };
        let events = Box::new(move |_| concatenation.next_event());
        let source = Some(BatchStream::Ipc(BatchResizer::new(
            events,
            projected.clone(),
            &options,
        )));
        Ok(Batches {
            source,
            schema: projected,
            max_memory: options.max_memory,
            place,
            progress,
        })
    }
}

/// The batches of several inputs, one after another.
struct Concatenation {
    /// The inputs that were not opened yet, with their numbers.
    rest: Enumerate<IntoIter<Input>>,
    /// The batches of the current input.
    batches: Option<Batches>,
    columns: Projection,
    /// The number of the current input, for the caller.
    current: Arc<AtomicUsize>,
    offset: ByteOffset,
    /// The length of all inputs together in bytes.
    length: u64,
    count: usize,
}

impl Concatenation {
    /// Returns the next batch, opening the next input if the current one has ended.
    fn next_event(&mut self) -> SourceEvent {
        loop {
            match self.batches.as_mut().and_then(Iterator::next) {
                Some(Ok(batch)) => return SourceEvent::Batch(batch),
                Some(Err(problem)) => return SourceEvent::Failed(problem),
                None => {}
            }
            let Some((number, input)) = self.rest.next() else {
                self.offset.set(self.length, 1, 1);
                return SourceEvent::End;
            };
            self.current.store(number, Ordering::Relaxed);
            self.offset
                .set(self.length, number as u64, self.count as u64);
            match input.batches(&self.columns) {
                Ok(opened) => self.batches = Some(opened),
                Err(problem) => return SourceEvent::Failed(problem),
            }
        }
    }
}
