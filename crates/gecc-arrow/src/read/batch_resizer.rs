//! Conversion of batches of any size to batches of about the same size.

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

/// Maximum size in bytes of small batches that wait to be combined: a column of strings or bytes
/// with 32-bit offsets can have at most 2^31.
const MOST_BYTES: u64 = 1 << 30;

/// An event from a source of batches.
pub(crate) enum SourceEvent {
    Batch(RecordBatch),
    /// Nothing arrived within the given time.
    Nothing,
    Failed(Error),
    End,
}

/// Returns the next batch, waiting for at most the given time.
pub(crate) type NextEvent = Box<dyn FnMut(Duration) -> SourceEvent + Send>;

/// Splits large batches without a copy, and combines small ones. Empty batches are dropped.
pub(crate) struct BatchResizer {
    source: NextEvent,
    schema: SchemaRef,
    rows: usize,
    bytes: u64,
    small: PendingBatches,
    /// Combined small batches, in order.
    combined: VecDeque<RecordBatch>,
    /// The rest of a large batch, which follows these.
    large: Option<RecordBatch>,
    /// The error that follows all small batches.
    end: Option<Error>,
}

/// Small batches that wait for more, with fewer rows in total than wanted.
#[derive(Default)]
struct PendingBatches {
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: u64,
    /// The arrival time of the first one, or the time of the last request.
    since: Option<Instant>,
}

impl PendingBatches {
    fn push(&mut self, batch: RecordBatch, bytes: u64) {
        self.rows += batch.num_rows();
        self.bytes = self.bytes.saturating_add(bytes);
        self.since.get_or_insert_with(Instant::now);
        self.batches.push(batch);
    }
}

impl BatchResizer {
    pub fn new(source: NextEvent, schema: SchemaRef, options: &ReadOptions) -> Self {
        // The waiting batches are a small part of the memory: other batches are decoded and
        // computed at the same time.
        let bytes = (options.max_memory / 4).min(MOST_BYTES);
        let small = PendingBatches::default();
        let combined = VecDeque::new();
        BatchResizer {
            source,
            schema,
            rows: options.rows,
            bytes,
            small,
            combined,
            large: None,
            end: None,
        }
    }

    /// Returns the next batch; `None` after the last one, and if the source delivers nothing and no
    /// more is wanted.
    pub fn next(&mut self, wanted: &dyn Fn() -> bool) -> Option<Result<RecordBatch, Error>> {
        // The consumer may have been busy for long, and more may have arrived since.
        self.small.since = self.small.since.map(|_| Instant::now());
        loop {
            if let Some(batch) = self.combined.pop_front().or_else(|| self.cut()) {
                return Some(Ok(batch));
            }
            if let Some(problem) = self.end.take() {
                return Some(Err(problem));
            }
            // The remaining time for waiting batches.
            let patience = self
                .small
                .since
                .map_or(PATIENCE, |since| PATIENCE.saturating_sub(since.elapsed()));
            match (self.source)(patience) {
                SourceEvent::Batch(batch) => self.add(batch),
                SourceEvent::Nothing if self.small.rows == 0 && !wanted() => return None,
                SourceEvent::Nothing => self.combine(),
                SourceEvent::Failed(problem) => {
                    // Batches before an error are not lost.
                    self.end = Some(problem);
                    self.combine();
                }
                SourceEvent::End if self.small.rows == 0 => return None,
                SourceEvent::End => self.combine(),
            }
        }
    }

    /// Adds a batch. If it does not fit with the waiting ones, these are combined first.
    fn add(&mut self, batch: RecordBatch) {
        let rows = batch.num_rows();
        let bytes = bytes_of(&batch);
        if rows == 0 {
            return;
        }
        if self.small.rows + rows >= self.rows
            || self.small.bytes.saturating_add(bytes) > self.bytes
        {
            self.combine();
            if rows >= self.rows || bytes > self.bytes {
                self.large = Some(batch);
                return;
            }
        }
        self.small.push(batch, bytes);
    }

    /// Combines all waiting batches.
    fn combine(&mut self) {
        let small = std::mem::take(&mut self.small);
        combine(&self.schema, &small.batches, &mut self.combined);
    }

    /// Takes a part of the large batch.
    fn cut(&mut self) -> Option<RecordBatch> {
        let large = self.large.take()?;
        let rows = large.num_rows().min(self.rows);
        if rows < large.num_rows() {
            self.large = Some(large.slice(rows, large.num_rows() - rows));
        }
        Some(large.slice(0, rows))
    }
}

/// Combines batches into one. Halves are combined separately if that is impossible: 8-bit keys may
/// be too short for the values of all dictionaries together.
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

/// Returns the memory in bytes of a batch until it is combined with others, plus that of its
/// columns in the combined batch.
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

    /// Creates a batch of `rows` rows of `bytes` bytes each.
    fn batch(rows: usize, bytes: usize) -> RecordBatch {
        let cell = vec![rand::random::<u8>(); bytes];
        let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(std::iter::repeat_n(
            &cell, rows,
        )));
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
        let options = ReadOptions {
            rows,
            max_memory,
            ..ReadOptions::default()
        };
        let mut resizer = BatchResizer::new(
            Box::new(move |_| match batches.next() {
                Some(Some(batch)) => SourceEvent::Batch(batch),
                Some(None) => SourceEvent::Nothing,
                None => SourceEvent::End,
            }),
            schema,
            &options,
        );
        let all = std::iter::from_fn(|| resizer.next(&|| true));
        all.map(Result::unwrap).collect()
    }

    /// Returns the number of rows of each resulting batch.
    fn resized_rows(batches: Vec<Option<RecordBatch>>, rows: usize, max_memory: u64) -> Vec<usize> {
        let schema = batch(0, 0).schema();
        batches_of(batches, schema, rows, max_memory)
            .iter()
            .map(RecordBatch::num_rows)
            .collect()
    }

    /// Creates a batch of strings in a dictionary with 8-bit keys.
    fn of_dictionary(texts: &[String]) -> RecordBatch {
        let column: DictionaryArray<Int8Type> = texts.iter().map(String::as_str).collect();
        RecordBatch::try_from_iter([("texts", Arc::new(column) as ArrayRef)]).unwrap()
    }

    fn texts_of(batch: &RecordBatch) -> Vec<String> {
        let column = batch
            .column(0)
            .as_dictionary::<Int8Type>()
            .downcast_dict::<StringArray>()
            .unwrap();
        column
            .into_iter()
            .map(|text| text.unwrap().to_owned())
            .collect()
    }

    /// Returns 300 strings of a batch with `texts` different ones, of which `own` occur in no other
    /// batch.
    fn batch_texts(batch: usize, texts: usize, own: usize) -> Vec<String> {
        let numbers = (0..300).map(|row| row % texts);
        numbers
            .map(|text| {
                if text < own {
                    format!("{batch} {text}")
                } else {
                    text.to_string()
                }
            })
            .collect()
    }

    #[test]
    fn dictionaries_that_are_too_large_together_stay_apart() {
        // Strings of a batch, and the number of them that no other batch has.
        for (texts, own, most) in [
            (5, 0, 1),
            (100, 0, 20),
            (10, 10, 20),
            (100, 30, 20),
            (127, 127, 20),
        ] {
            let all: Vec<Vec<String>> = (0..20)
                .map(|batch| batch_texts(batch, texts, own))
                .collect();
            let batches: Vec<_> = all.iter().map(|texts| Some(of_dictionary(texts))).collect();
            let schema = of_dictionary(&[]).schema();
            let combined = batches_of(batches, schema, 1 << 18, 1 << 30);
            let found: Vec<String> = combined.iter().flat_map(texts_of).collect();
            assert_eq!(found, all.concat(), "{texts} {own}");
            assert!(combined.len() <= most, "{texts} {own}: {}", combined.len());
        }
    }

    #[test]
    fn resizer_splits_and_combines_batches_by_rows() {
        let batches = [40, 0, 30, 40, 50, 250, 7, 100]
            .map(|rows| Some(batch(rows, 3)))
            .to_vec();
        assert_eq!(
            resized_rows(batches, 100, 1 << 30),
            [70, 90, 100, 100, 50, 7, 100]
        );
    }

    #[test]
    fn resizer_combines_long_rows_only_up_to_its_byte_limit() {
        // Rows of 1 KiB, which count twice, with a limit of 256 KiB.
        let batches = (0..40).map(|_| Some(batch(50, 1024))).collect();
        let rows = resized_rows(batches, 1 << 18, 1 << 20);
        assert_eq!(rows, [100; 20]);
        assert_eq!(
            resized_rows(
                vec![
                    Some(batch(3, 10)),
                    Some(batch(300, 1024)),
                    Some(batch(3, 10))
                ],
                1 << 18,
                1 << 20
            ),
            [3, 300, 3]
        );
    }

    #[test]
    fn an_allocation_that_columns_share_counts_once() {
        let one = batch(50, 1024);
        let column = one.column(0);
        let nine =
            RecordBatch::try_from_iter((0..9).map(|name| (name.to_string(), column.clone())))
                .unwrap();
        // When combined, each column needs its bytes and 51 offsets of 4 bytes.
        assert_eq!(bytes_of(&nine) - bytes_of(&one), 8 * (50 * 1024 + 51 * 4));
    }

    #[test]
    fn resizer_returns_waiting_rows_when_nothing_arrives() {
        let batches = [Some(10), Some(20), None, None, Some(30), None, Some(40)];
        let batches = batches
            .into_iter()
            .map(|rows| rows.map(|rows| batch(rows, 3)))
            .collect();
        assert_eq!(resized_rows(batches, 100, 1 << 30), [30, 30, 40]);
    }

    #[test]
    fn resizer_does_not_count_time_between_requests_as_waiting() {
        let (send, given) = std::sync::mpsc::channel();
        let options = ReadOptions {
            rows: 100,
            ..ReadOptions::default()
        };
        let mut resizer = BatchResizer::new(
            Box::new(move |patience| {
                send.send(patience).unwrap();
                SourceEvent::Batch(batch(60, 3))
            }),
            batch(0, 0).schema(),
            &options,
        );
        for _ in 0..2 {
            // The second of two batches is left over.
            assert_eq!(resizer.next(&|| true).unwrap().unwrap().num_rows(), 60);
            std::thread::sleep(2 * PATIENCE);
        }
        assert!(given.try_iter().count() == 3);
        resizer.next(&|| true);
        assert!(given.recv().unwrap() > Duration::ZERO);
    }

    #[test]
    fn resizer_ends_an_idle_source_when_no_more_is_wanted() {
        let mut resizer = BatchResizer::new(
            Box::new(|_| SourceEvent::Nothing),
            batch(0, 0).schema(),
            &ReadOptions::default(),
        );
        assert!(resizer.next(&|| false).is_none());
    }
}
