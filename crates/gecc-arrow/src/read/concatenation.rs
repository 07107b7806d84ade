//! Several inputs read as one.

use super::batch_resizer::{BatchResizer, SourceEvent};
use super::progress::ByteOffset;
use super::{BatchStream, Batches, Input, Projection};
use crate::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

impl Batches {
    /// Returns the rows of several inputs, one after another; small inputs share batches. The
    /// options of the first input determine the size of batches, and its [`Input::progress`] covers
    /// all inputs. `current` is set to the index of the input being read; after an error, it is the
    /// one that caused it.
    ///
    /// # Errors
    /// [`Error::Options`] without an input, [`Error::Columns`] if not all have the same columns,
    /// and the same as for [`Input::batches`].
    pub fn of_all(inputs: Vec<Input>, columns: &Projection, current: Arc<AtomicUsize>) -> Result<Self, Error> {
        let Some(first) = inputs.first() else { return Err(Error::Options("there is no input".to_owned())) };
        if inputs.len() == 1 {
            return inputs.into_iter().next().expect("one").batches(columns);
        }
        let options = first.options.clone();
        let schema = first.schema.clone();
        let progress = first.progress();
        if inputs.iter().any(|input| input.schema.fields() != schema.fields()) {
            return Err(Error::Columns("inputs that are read as one have the same columns".to_owned()));
        }
        let projected = Arc::new(schema.project(&columns.places(&schema)?)?);
        let place = ByteOffset::default();
        let columns = columns.clone();
        let length = inputs.iter().map(|input| input.length).sum();
        let count = inputs.len();
        let of_all = place.clone();
        let mut rest = inputs.into_iter().enumerate();
        let mut batches: Option<Batches> = None;
        let next = move |_| loop {
            match batches.as_mut().and_then(Iterator::next) {
                Some(Ok(batch)) => return SourceEvent::Batch(batch),
                Some(Err(problem)) => return SourceEvent::Failed(problem),
                None => {}
            }
            let Some((number, input)) = rest.next() else {
                of_all.set(length, 1, 1);
                return SourceEvent::End;
            };
            current.store(number, Ordering::Relaxed);
            of_all.set(length, number as u64, count as u64);
            match input.batches(&columns) {
                Ok(opened) => batches = Some(opened),
                Err(problem) => return SourceEvent::Failed(problem),
            }
        };
        let source = Some(BatchStream::Ipc(BatchResizer::new(Box::new(next), projected.clone(), &options)));
        Ok(Batches { source, schema: projected, max_memory: options.max_memory, place, progress })
    }
}
