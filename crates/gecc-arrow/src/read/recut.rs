//! Batches of any size as batches of about one size.

use super::ReadOptions;
use crate::error::Error;
use crate::size::{each_buffer, held};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The time that rows wait for further ones.
const PATIENCE: Duration = Duration::from_millis(10);

/// Bytes that small batches take at most while they wait and are combined: a column of texts or bytes with offsets of
/// 32 bits has room for 2^31.
const MOST_BYTES: u64 = 1 << 30;

/// An event from a source of batches.
pub(crate) enum Came {
    Batch(RecordBatch),
    /// Nothing yet, in the time that was given.
    Nothing,
    Failed(Error),
    End,
}

/// Gives the next batch. One that has to wait for it gives up after so long.
pub(crate) type Next = Box<dyn FnMut(Duration) -> Came + Send>;

/// Cuts large batches without a copy, and combines small ones. Empty ones are left out.
pub(crate) struct Recut {
    source: Next,
    schema: SchemaRef,
    rows: usize,
    bytes: u64,
    small: Small,
    /// Combined small batches, in order.
    combined: VecDeque<RecordBatch>,
    /// The rest of a large batch, which comes after them.
    large: Option<RecordBatch>,
    /// The error that comes after all small batches.
    end: Option<Error>,
}

/// Small batches that wait for more, of fewer rows together than wanted.
#[derive(Default)]
struct Small {
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: u64,
    /// When the first of them came, or was last asked for.
    since: Option<Instant>,
}

impl Small {
    fn push(&mut self, batch: RecordBatch, bytes: u64) {
        self.rows += batch.num_rows();
        self.bytes = self.bytes.saturating_add(bytes);
        self.since.get_or_insert_with(Instant::now);
        self.batches.push(batch);
    }
}

impl Recut {
    pub fn new(source: Next, schema: SchemaRef, options: &ReadOptions) -> Self {
        // What waits is a small part of what is in memory: other batches are decoded and computed at the same time.
        let bytes = (options.max_memory / 4).min(MOST_BYTES);
        let (small, combined) = (Small::default(), VecDeque::new());
        Recut { source, schema, rows: options.rows, bytes, small, combined, large: None, end: None }
    }

    /// The next batch; `None` after the last, and where the source gives nothing and no more is wanted.
    pub fn next(&mut self, wanted: &dyn Fn() -> bool) -> Option<Result<RecordBatch, Error>> {
        // Who computes may have been busy for long, and more may have come since.
        self.small.since = self.small.since.map(|_| Instant::now());
        loop {
            if let Some(batch) = self.combined.pop_front().or_else(|| self.cut()) {
                return Some(Ok(batch));
            }
            if let Some(problem) = self.end.take() {
                return Some(Err(problem));
            }
            // How long those that wait may still do so.
            let patience = self.small.since.map_or(PATIENCE, |since| PATIENCE.saturating_sub(since.elapsed()));
            match (self.source)(patience) {
                Came::Batch(batch) => self.add(batch),
                Came::Nothing if self.small.rows == 0 && !wanted() => return None,
                Came::Nothing => self.combine(),
                Came::Failed(problem) => {
                    // What came before an error is not lost.
                    self.end = Some(problem);
                    self.combine();
                }
                Came::End if self.small.rows == 0 => return None,
                Came::End => self.combine(),
            }
        }
    }

    /// Takes a batch. Those that waited are combined, where it does not go with them.
    fn add(&mut self, batch: RecordBatch) {
        let (rows, bytes) = (batch.num_rows(), bytes_of(&batch));
        let goes = |with: &Small| with.rows + rows < self.rows && with.bytes.saturating_add(bytes) <= self.bytes;
        if rows == 0 {
            return;
        }
        if !goes(&self.small) {
            let is_small = goes(&Small::default());
            self.combine();
            if !is_small {
                self.large = Some(batch);
                return;
            }
        }
        self.small.push(batch, bytes);
    }

    /// Combines all that wait.
    fn combine(&mut self) {
        let small = std::mem::take(&mut self.small);
        combine(&self.schema, &small.batches, &mut self.combined);
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

/// Combines batches to one. Halves stay apart where that has no form: keys of 8 bits are too short for all values of
/// their dictionaries together.
fn combine(schema: &SchemaRef, batches: &[RecordBatch], to: &mut VecDeque<RecordBatch>) {
    match batches {
        [] => {}
        [one] => to.push_back(one.clone()),
        several => match concat_batches(schema, several) {
            Ok(batch) => to.push_back(batch),
            Err(_) => {
                let (first, second) = several.split_at(several.len() / 2);
                combine(schema, first, to);
                combine(schema, second, to);
            }
        },
    }
}

/// Bytes of memory that a batch takes until it is combined with others, and that its columns then take again.
fn bytes_of(batch: &RecordBatch) -> u64 {
    let mut again = 0;
    each_buffer(batch, |buffer| again += buffer.len() as u64);
    held(batch) + again
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int8Type;
    use arrow_array::{ArrayRef, BinaryArray, DictionaryArray, StringArray};
    use std::sync::Arc;

    /// A batch of rows of this many bytes.
    fn batch(rows: usize, bytes: usize) -> RecordBatch {
        let cell = vec![rand::random::<u8>(); bytes];
        let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(std::iter::repeat_n(&cell, rows)));
        RecordBatch::try_from_iter([("bytes", column)]).unwrap()
    }

    /// Returns the output for this input, where `None` means that nothing arrives.
    fn batches_of(
        batches: Vec<Option<RecordBatch>>,
        schema: SchemaRef,
        rows: usize,
        max_memory: u64,
    ) -> Vec<RecordBatch> {
        let mut batches = batches.into_iter();
        let next = move |_| match batches.next() {
            Some(Some(batch)) => Came::Batch(batch),
            Some(None) => Came::Nothing,
            None => Came::End,
        };
        let options = ReadOptions { rows, max_memory, ..ReadOptions::default() };
        let mut recut = Recut::new(Box::new(next), schema, &options);
        let all = std::iter::from_fn(|| recut.next(&|| true));
        all.map(Result::unwrap).collect()
    }

    /// The rows of each.
    fn recut(batches: Vec<Option<RecordBatch>>, rows: usize, max_memory: u64) -> Vec<usize> {
        let schema = batch(0, 0).schema();
        batches_of(batches, schema, rows, max_memory).iter().map(RecordBatch::num_rows).collect()
    }

    /// A batch of texts in a dictionary with keys of 8 bits.
    fn of_dictionary(texts: &[String]) -> RecordBatch {
        let column: DictionaryArray<Int8Type> = texts.iter().map(String::as_str).collect();
        RecordBatch::try_from_iter([("texts", Arc::new(column) as ArrayRef)]).unwrap()
    }

    fn texts_of(batch: &RecordBatch) -> Vec<String> {
        let column = batch.column(0).as_dictionary::<Int8Type>().downcast_dict::<StringArray>().unwrap();
        column.into_iter().map(|text| text.unwrap().to_owned()).collect()
    }

    #[test]
    fn dictionaries_that_are_too_large_together_stay_apart() {
        // Texts of a batch, and how many of them no other batch has.
        for (texts, own, most) in [(5, 0, 1), (100, 0, 20), (10, 10, 20), (100, 30, 20), (127, 127, 20)] {
            let text =
                |batch: usize, text: usize| if text < own { format!("{batch} {text}") } else { format!("{text}") };
            let all: Vec<Vec<String>> =
                (0..20).map(|batch| (0..300).map(|row| text(batch, row % texts)).collect()).collect();
            let batches: Vec<_> = all.iter().map(|texts| Some(of_dictionary(texts))).collect();
            let schema = of_dictionary(&[]).schema();
            let combined = batches_of(batches, schema, 1 << 18, 1 << 30);
            let found: Vec<String> = combined.iter().flat_map(texts_of).collect();
            assert_eq!(found, all.concat(), "{texts} {own}");
            assert!(combined.len() <= most, "{texts} {own}: {}", combined.len());
        }
    }

    #[test]
    fn batches_are_cut_and_combined_by_rows() {
        let of_rows = |rows: &[usize]| rows.iter().map(|rows| Some(batch(*rows, 3))).collect();
        assert_eq!(recut(of_rows(&[40, 0, 30, 40, 50, 250, 7, 100]), 100, 1 << 30), [70, 90, 100, 100, 50, 7, 100]);
    }

    #[test]
    fn small_batches_of_long_rows_are_not_gathered_beyond_the_bound() {
        // Rows of 1 KiB, which count twice, against a bound of 256 KiB.
        let batches = (0..40).map(|_| Some(batch(50, 1024))).collect();
        let rows = recut(batches, 1 << 18, 1 << 20);
        assert_eq!(rows, [100; 20]);
        assert_eq!(
            recut(vec![Some(batch(3, 10)), Some(batch(300, 1024)), Some(batch(3, 10))], 1 << 18, 1 << 20),
            [3, 300, 3]
        );
    }

    #[test]
    fn an_allocation_that_columns_share_counts_once() {
        let one = batch(50, 1024);
        let column = one.column(0);
        let nine = RecordBatch::try_from_iter((0..9).map(|name| (name.to_string(), column.clone()))).unwrap();
        // Each has its bytes and 51 offsets of 4 bytes when it is combined.
        assert_eq!(bytes_of(&nine) - bytes_of(&one), 8 * (50 * 1024 + 51 * 4));
    }

    #[test]
    fn rows_do_not_wait_for_others_that_do_not_come() {
        let batches = [Some(10), Some(20), None, None, Some(30), None, Some(40)];
        let batches = batches.into_iter().map(|rows| rows.map(|rows| batch(rows, 3))).collect();
        assert_eq!(recut(batches, 100, 1 << 30), [30, 30, 40]);
    }

    #[test]
    fn time_in_which_nobody_asks_is_not_counted() {
        let (send, given) = std::sync::mpsc::channel();
        let next = move |patience| {
            send.send(patience).unwrap();
            Came::Batch(batch(60, 3))
        };
        let options = ReadOptions { rows: 100, ..ReadOptions::default() };
        let mut recut = Recut::new(Box::new(next), batch(0, 0).schema(), &options);
        for _ in 0..2 {
            // The second of two batches is left over.
            assert_eq!(recut.next(&|| true).unwrap().unwrap().num_rows(), 60);
            std::thread::sleep(2 * PATIENCE);
        }
        assert!(given.try_iter().count() == 3);
        recut.next(&|| true);
        assert!(given.recv().unwrap() > Duration::ZERO);
    }

    #[test]
    fn a_source_that_gives_nothing_is_left_when_no_more_is_wanted() {
        let mut recut = Recut::new(Box::new(|_| Came::Nothing), batch(0, 0).schema(), &ReadOptions::default());
        assert!(recut.next(&|| false).is_none());
    }
}
