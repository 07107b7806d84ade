//! Batches of any size as batches of about one size.

use crate::error::Error;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;

/// Cuts large batches without a copy, and combines small ones. Empty ones are left out.
pub(crate) struct Recut<I> {
    batches: I,
    schema: SchemaRef,
    rows: usize,
    /// Small batches that wait for more, of fewer rows together than wanted.
    small: Vec<RecordBatch>,
    /// What is left of a large one.
    large: Option<RecordBatch>,
    /// What comes after all small batches.
    end: Option<Error>,
}

impl<I: Iterator<Item = Result<RecordBatch, Error>>> Recut<I> {
    pub fn new(batches: I, schema: SchemaRef, rows: usize) -> Self {
        Recut { batches, schema, rows, small: Vec::new(), large: None, end: None }
    }

    fn combined(&mut self) -> Result<RecordBatch, Error> {
        let small = std::mem::take(&mut self.small);
        match &small[..] {
            [one] => Ok(one.clone()),
            several => Ok(concat_batches(&self.schema, several)?),
        }
    }

    /// A part of the large batch.
    fn cut(&mut self) -> Option<RecordBatch> {
        let large = self.large.take()?;
        let rows = large.num_rows().min(self.rows);
        if rows < large.num_rows() {
            self.large = Some(large.slice(rows, large.num_rows() - rows));
        }
        Some(large.slice(0, rows))
    }
}

impl<I: Iterator<Item = Result<RecordBatch, Error>>> Iterator for Recut<I> {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(part) = self.cut() {
                return Some(Ok(part));
            }
            if let Some(problem) = self.end.take() {
                return Some(Err(problem));
            }
            let waiting: usize = self.small.iter().map(RecordBatch::num_rows).sum();
            match self.batches.next() {
                Some(Ok(batch)) if batch.num_rows() == 0 => {}
                Some(Ok(batch)) if waiting + batch.num_rows() < self.rows => self.small.push(batch),
                Some(Ok(batch)) => {
                    self.large = Some(batch);
                    if waiting > 0 {
                        return Some(self.combined());
                    }
                }
                // What came before an error is not lost.
                Some(Err(problem)) if waiting > 0 => {
                    self.end = Some(problem);
                    return Some(self.combined());
                }
                Some(Err(problem)) => return Some(Err(problem)),
                None if waiting > 0 => return Some(self.combined()),
                None => return None,
            }
        }
    }
}
