//! Result columns, and the destinations of a batch's results.
//!
//! An operation yields a code per item, which is 1 for a success and the number of a [`Rejection`]
//! otherwise, and rows in up to two columns, which are meaningful only if the code is 1.

use super::{Rejection, Verdict};
use std::mem::{self, MaybeUninit, needs_drop};
use std::ops::Range;
use std::slice;
use zeroize::Zeroize;

/// Bytes per item in each column; 0 for a column that does not exist.
pub type Widths = [usize; 2];

/// The results of a range of items.
#[derive(Clone, Copy)]
pub struct Results<'a> {
    pub codes: &'a [u8],
    columns: [&'a [u8]; 2],
    widths: Widths,
}

impl<'a> Results<'a> {
    pub fn new(codes: &'a [u8], columns: [&'a [u8]; 2], widths: Widths) -> Self {
        for (column, width) in columns.iter().zip(widths) {
            assert_eq!(column.len(), width * codes.len(), "a row for each item");
        }
        Results {
            codes,
            columns,
            widths,
        }
    }

    /// Wraps codes without columns.
    pub fn codes(codes: &'a [u8]) -> Self {
        Results::new(codes, [&[], &[]], [0, 0])
    }

    pub fn items(&self) -> usize {
        self.codes.len()
    }

    /// Returns an item's row in a column.
    pub fn row(&self, column: usize, item: usize) -> &'a [u8] {
        let width = self.widths[column];
        &self.columns[column][width * item..][..width]
    }

    /// Returns an item's row in the first column, or the rejection.
    pub fn get<const W: usize>(&self, item: usize) -> Result<&'a [u8; W], Rejection> {
        assert_eq!(self.widths[0], W, "rows of this width");
        result_of(self.codes[item]).map(|()| &self.columns[0].as_chunks().0[item])
    }

    /// Returns `items` results starting at `start`.
    pub fn slice(&self, start: usize, items: usize) -> Self {
        let [first, second] = self.widths;
        let columns = [
            &self.columns[0][first * start..][..first * items],
            &self.columns[1][second * start..][..second * items],
        ];
        Results {
            codes: &self.codes[start..start + items],
            columns,
            widths: self.widths,
        }
    }
}

/// Returns the bytes of an item's row in the first column, or the rejection.
pub fn bytes_of<const W: usize>(results: &Results, item: usize) -> Result<[u8; W], Rejection> {
    results.get(item).copied()
}

/// Decodes a code. A code that was never written must not count as valid.
pub fn result_of(code: u8) -> Result<(), Rejection> {
    match code {
        Verdict::VALID_CODE => Ok(()),
        code => Err(rejection_of(code)),
    }
}

/// Not inlined: loops over the common case are twice as fast without this code in them.
#[cold]
fn rejection_of(code: u8) -> Rejection {
    Rejection::from_code(code).unwrap_or(Rejection::Mismatch)
}

/// Writable result columns.
pub struct ResultsMut<'a> {
    pub codes: &'a mut [u8],
    pub columns: [&'a mut [u8]; 2],
    widths: Widths,
}

impl<'a> ResultsMut<'a> {
    pub fn new(codes: &'a mut [u8], columns: [&'a mut [u8]; 2], widths: Widths) -> Self {
        for (column, width) in columns.iter().zip(widths) {
            assert_eq!(column.len(), width * codes.len(), "a row for each item");
        }
        ResultsMut {
            codes,
            columns,
            widths,
        }
    }

    /// Wraps codes without columns.
    pub fn codes(codes: &'a mut [u8]) -> Self {
        ResultsMut {
            codes,
            columns: [&mut [], &mut []],
            widths: [0, 0],
        }
    }

    /// Wraps codes and one column.
    pub fn rows<const W: usize>(codes: &'a mut [u8], rows: &'a mut [[u8; W]]) -> Self {
        Self::new(codes, [rows.as_flattened_mut(), &mut []], [W, 0])
    }

    pub fn items(&self) -> usize {
        self.codes.len()
    }

    /// Borrows the columns for a shorter lifetime.
    pub fn reborrow(&mut self) -> ResultsMut<'_> {
        let [first, second] = &mut self.columns;
        ResultsMut {
            codes: self.codes,
            columns: [first, second],
            widths: self.widths,
        }
    }

    pub fn as_results(&self) -> Results<'_> {
        Results {
            codes: self.codes,
            columns: [&*self.columns[0], &*self.columns[1]],
            widths: self.widths,
        }
    }

    /// Splits the columns after `items` items.
    pub fn split_at(self, items: usize) -> (Self, Self) {
        let ResultsMut {
            codes,
            columns: [first, second],
            widths,
        } = self;
        let (codes, other_codes) = codes.split_at_mut(items);
        let (first, other_first) = first.split_at_mut(widths[0] * items);
        let (second, other_second) = second.split_at_mut(widths[1] * items);
        (
            ResultsMut {
                codes,
                columns: [first, second],
                widths,
            },
            ResultsMut {
                codes: other_codes,
                columns: [other_first, other_second],
                widths,
            },
        )
    }

    /// Rejects an item: stores the code of the reason and clears the rows.
    pub fn reject(&mut self, item: usize, reason: Rejection) {
        self.codes[item] = reason.code();
        for column in [0, 1] {
            self.row(column, item).fill(0);
        }
    }

    /// Marks an item as successful; its rows have been written.
    pub fn accept(&mut self, item: usize) {
        self.codes[item] = Verdict::VALID_CODE;
    }

    /// Returns an item's row in a column.
    pub fn row(&mut self, column: usize, item: usize) -> &mut [u8] {
        let width = self.widths[column];
        &mut self.columns[column][width * item..][..width]
    }
}

/// Receives the results of a batch chunk by chunk, in any order and from several threads.
pub trait ResultConsumer: Sync {
    /// Receives the results of adjacent items, the first of which has the index `first`. Results of
    /// an item may be received again, after which the earlier ones are void.
    fn consume(&self, first: usize, results: &Results);
}

/// The destination of the results of a range of items: columns, or a consumer of chunks. Engines
/// split it among threads; no two parts have an item in common.
pub struct ResultSink<'a>(Target<'a>);

enum Target<'a> {
    Columns(ResultsMut<'a>),
    Consumer(ConsumerPart<'a>),
}

/// Some items whose results a consumer receives.
struct ConsumerPart<'a> {
    items: Range<usize>,
    consumer: &'a dyn ResultConsumer,
    /// Fills this variant up to the size of the other: bytes of an enum that no field initialises
    /// would be copied from the stack, where secrets may have been, to lists of tasks on the heap.
    #[allow(dead_code, reason = "it is there to be initialised")]
    zeros: [usize; 3],
}

impl<'a> ConsumerPart<'a> {
    fn new(consumer: &'a dyn ResultConsumer, items: Range<usize>) -> Self {
        ConsumerPart {
            items,
            consumer,
            zeros: [0; 3],
        }
    }
}

impl<'a> From<ResultsMut<'a>> for ResultSink<'a> {
    fn from(columns: ResultsMut<'a>) -> Self {
        ResultSink(Target::Columns(columns))
    }
}

impl<'a> ResultSink<'a> {
    /// Passes the results of `items` items to a consumer.
    pub fn consumed_by(consumer: &'a dyn ResultConsumer, items: usize) -> Self {
        ResultSink(Target::Consumer(ConsumerPart::new(consumer, 0..items)))
    }

    /// Returns the number of items.
    pub fn items(&self) -> usize {
        match &self.0 {
            Target::Columns(columns) => columns.items(),
            Target::Consumer(part) => part.items.len(),
        }
    }

    /// Splits the destination into one for the first `count` items and one for the others.
    ///
    /// # Panics
    /// If there are fewer items.
    pub fn split_at(self, count: usize) -> (Self, Self) {
        match self.0 {
            Target::Columns(columns) => {
                let (first, second) = columns.split_at(count);
                (first.into(), second.into())
            }
            Target::Consumer(ConsumerPart {
                items, consumer, ..
            }) => {
                assert!(count <= items.len(), "a part of the items");
                let middle = items.start + count;
                let [first, second] = [items.start..middle, middle..items.end]
                    .map(|items| ResultSink(Target::Consumer(ConsumerPart::new(consumer, items))));
                (first, second)
            }
        }
    }

    /// Borrows the destination for a shorter lifetime.
    pub fn reborrow(&mut self) -> ResultSink<'_> {
        ResultSink(match &mut self.0 {
            Target::Columns(columns) => Target::Columns(columns.reborrow()),
            Target::Consumer(part) => {
                Target::Consumer(ConsumerPart::new(part.consumer, part.items.clone()))
            }
        })
    }

    /// Returns the final columns, if results are stored unconverted: results written there need not
    /// be passed to `take`.
    pub fn columns(&mut self) -> Option<ResultsMut<'_>> {
        match &mut self.0 {
            Target::Columns(columns) => Some(columns.reborrow()),
            Target::Consumer(_) => None,
        }
    }

    /// Stores the results of all items.
    ///
    /// # Panics
    /// If there are results of another number of items.
    pub fn take(&mut self, results: Results) {
        assert_eq!(results.items(), self.items(), "one result per item");
        match &mut self.0 {
            Target::Columns(columns) => {
                columns.codes.copy_from_slice(results.codes);
                for (to, from) in columns.columns.iter_mut().zip(results.columns) {
                    to.copy_from_slice(from);
                }
            }
            Target::Consumer(part) => part.consumer.consume(part.items.start, &results),
        }
    }
}

/// Values of a batch, one per item, each converted from the item's results as soon as its chunk is
/// computed, while the results are in a cache. A value may wipe itself when it is dropped, but must
/// not own other memory, because a value that replaces another is written over it.
pub struct Values<T, F> {
    /// The memory of the values. Its length is 0 until all are written.
    values: Vec<T>,
    slots: *mut T,
    items: usize,
    convert: F,
}

// SAFETY: threads only write values, each to slots of its own, and call `convert`.
unsafe impl<T: Send, F: Sync> Sync for Values<T, F> {}

impl<T: Send, F: Fn(&Results, usize) -> T + Sync> Values<T, F> {
    /// Allocates memory for the values of `items` items.
    pub fn new(items: usize, convert: F) -> Self {
        let mut values = Vec::with_capacity(items);
        let slots = &mut values.spare_capacity_mut()[..items];
        ask_for_huge_pages(slots);
        Values {
            slots: slots.as_mut_ptr().cast(),
            values,
            items,
            convert,
        }
    }

    /// Returns the destination of the results.
    pub fn sink(&mut self) -> ResultSink<'_> {
        ResultSink::consumed_by(self, self.items)
    }

    /// Returns the values.
    ///
    /// # Safety
    /// The results of every item must have been taken by the destination, `Values::sink`.
    pub unsafe fn into_vec(mut self) -> Vec<T> {
        let mut values = mem::take(&mut self.values);
        // SAFETY: every slot was written, as the caller guarantees.
        unsafe { values.set_len(self.items) };
        values
    }
}

impl<T: Send, F: Fn(&Results, usize) -> T + Sync> ResultConsumer for Values<T, F> {
    fn consume(&self, first: usize, results: &Results) {
        let count = results.items();
        assert!(first + count <= self.items, "items of the batch");
        // SAFETY: these slots lie within the allocation. Only `Values::sink` passes results here,
        // under an exclusive borrow of the values, and its parts have no item in common.
        let slots = unsafe {
            slice::from_raw_parts_mut(self.slots.add(first).cast::<MaybeUninit<T>>(), count)
        };
        for (item, slot) in slots.iter_mut().enumerate() {
            slot.write((self.convert)(results, item));
        }
    }
}

impl<T, F> Values<T, F> {
    /// Wipes the memory of values that are not returned, for types that wipe themselves.
    fn wipe(&mut self) {
        if needs_drop::<T>() {
            self.values.spare_capacity_mut().zeroize();
        }
    }
}

impl<T, F> Drop for Values<T, F> {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// Collects one value per item, converted from its results: see [`Values`].
///
/// # Errors
/// The error of `fill`.
///
/// # Safety
/// If `fill` returns `Ok`, its destination must have taken the results of all items.
#[cfg(test)]
pub unsafe fn collect<T: Send, E>(
    items: usize,
    convert: impl Fn(&Results, usize) -> T + Sync,
    fill: impl FnOnce(&mut ResultSink) -> Result<(), E>,
) -> Result<Vec<T>, E> {
    let mut values = Values::new(items, convert);
    fill(&mut values.sink())?;
    // SAFETY: guaranteed by the caller.
    Ok(unsafe { values.into_vec() })
}

/// Returns the rows that `fill` writes, starting from codes that are not valid.
#[cfg(test)]
pub fn rows_of<const W: usize>(
    items: usize,
    fill: impl FnOnce(&mut ResultSink),
) -> Vec<Result<[u8; W], Rejection>> {
    let mut codes = vec![0; items];
    let mut rows = vec![[0xee; W]; items];
    fill(&mut ResultsMut::rows(&mut codes, &mut rows).into());
    codes
        .into_iter()
        .zip(rows)
        .map(|(code, row)| result_of(code).map(|()| row))
        .collect()
}

/// The size of huge pages on x86-64 and, in the usual configuration, on 64-bit ARM.
pub const HUGE_PAGE: usize = 2 << 20;

/// Requests huge pages for a buffer: with pages of 4 KiB, page faults of hundreds of megabytes take
/// longer than copying them. This is only advice; the memory is usable either way.
#[cfg(target_os = "linux")]
pub fn ask_for_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    use rustix::mm::{Advice, madvise};
    let bytes = memory.as_mut_ptr_range();
    let start = bytes.start.cast::<u8>();
    let end = bytes.end.cast::<u8>();
    let offset = start.align_offset(HUGE_PAGE);
    let whole = (end as usize).saturating_sub(start as usize + offset) / HUGE_PAGE * HUGE_PAGE;
    if whole > 0 {
        // SAFETY: the range lies within the slice, and this advice changes nothing of its content.
        let _ = unsafe {
            madvise(
                start.wrapping_add(offset).cast(),
                whole,
                Advice::LinuxHugepage,
            )
        };
    }
}

/// Does nothing: the system decides.
#[cfg(not(target_os = "linux"))]
pub fn ask_for_huge_pages<T>(_memory: &mut [MaybeUninit<T>]) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::SecretKey;

    const WIDTHS: Widths = [3, 1];

    /// Returns codes, rows of three bytes and rows of one byte, for items starting at `first`.
    fn made(first: usize, items: usize) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let numbers: Vec<u8> = (first..first + items).map(|item| item as u8).collect();
        let codes = numbers.iter().map(|n| 1 + n % 2).collect();
        let wide = numbers.iter().flat_map(|n| [*n, n + 1, n + 2]).collect();
        (codes, wide, numbers)
    }

    /// Fills a destination with the results of `made` in the given parts, by both methods, and
    /// checks that it is complete.
    fn take_in_parts(sink: &mut ResultSink, ends: &[usize]) {
        let mut rest = sink.reborrow();
        let mut first = 0;
        for (which, &end) in ends.iter().enumerate() {
            let (mut part, after) = rest.split_at(end - first);
            assert_eq!(part.items(), end - first);
            let (codes, wide, narrow) = made(first, end - first);
            match part.columns().filter(|_| which % 2 == 0) {
                Some(columns) => {
                    columns.codes.copy_from_slice(&codes);
                    columns.columns[0].copy_from_slice(&wide);
                    columns.columns[1].copy_from_slice(&narrow);
                }
                None => part
                    .reborrow()
                    .take(Results::new(&codes, [&wide, &narrow], WIDTHS)),
            }
            rest = after;
            first = end;
        }
        assert_eq!(rest.items(), 0);
    }

    const PARTS: [&[usize]; 5] = [&[10], &[0, 10], &[1, 2, 3, 10], &[4, 4, 9, 10], &[10, 10]];

    /// A tag, and a variant without bytes that are not initialised.
    #[test]
    fn every_byte_of_a_sink_is_initialised() {
        assert_eq!(
            size_of::<ResultSink>(),
            size_of::<usize>() + size_of::<ConsumerPart>()
        );
    }

    #[test]
    fn columns_are_split_between_items() {
        for ends in PARTS {
            let mut codes = vec![0; 10];
            let mut wide = vec![0; 30];
            let mut narrow = vec![0; 10];
            let mut columns = ResultsMut::new(&mut codes, [&mut wide, &mut narrow], WIDTHS);
            take_in_parts(&mut columns.reborrow().into(), ends);
            let results = columns.as_results();
            assert_eq!(
                (results.items(), results.row(0, 9), results.row(1, 9)),
                (10, &[9, 10, 11][..], &[9][..])
            );
            assert_eq!(
                (results.get::<3>(4), results.get::<3>(5)),
                (Ok(&[4, 5, 6]), Err(Rejection::MalformedSignature))
            );
            for start in 0..10 {
                let part = results.slice(start, 10 - start);
                assert_eq!(
                    (part.items(), part.row(0, 0), part.row(1, 0)),
                    (10 - start, results.row(0, start), results.row(1, start))
                );
                assert_eq!(part.codes, &results.codes[start..]);
            }
            assert_eq!((codes, wide, narrow), made(0, 10));
        }
    }

    fn value(results: &Results, item: usize) -> (u8, Vec<u8>, u8) {
        (
            results.codes[item],
            results.row(0, item).to_vec(),
            results.row(1, item)[0],
        )
    }

    #[test]
    fn collected_values_are_those_of_their_items() {
        for ends in PARTS {
            // SAFETY: all items are taken.
            let values = unsafe {
                collect(10, value, |sink| {
                    assert_eq!(sink.items(), 10);
                    assert!(sink.columns().is_none());
                    take_in_parts(sink, ends);
                    Ok::<_, ()>(())
                })
            };
            let values = values.unwrap();
            let (codes, wide, narrow) = made(0, 10);
            let rows = wide.chunks(3).map(<[u8]>::to_vec);
            assert!(
                values.into_iter().eq(codes
                    .into_iter()
                    .zip(rows)
                    .zip(narrow)
                    .map(|((a, b), c)| (a, b, c)))
            );
        }
    }

    #[test]
    fn failed_fill_returns_error_without_values() {
        fn key(results: &Results, item: usize) -> SecretKey {
            SecretKey::from_bytes(*results.get(item).unwrap())
        }
        // SAFETY: filling the destination fails.
        let keys = unsafe {
            collect(3, key, |sink| {
                sink.take(Results::new(&[1; 3], [&[7; 96], &[]], [32, 0]));
                Err("on the way")
            })
        };
        assert_eq!(keys.err(), Some("on the way"));
    }

    #[test]
    fn incomplete_values_are_wiped() {
        fn key(results: &Results, item: usize) -> SecretKey {
            SecretKey::from_bytes(*results.get(item).unwrap())
        }
        let mut keys = Values::new(3, key);
        let (mut first, _) = keys.sink().split_at(2);
        first.take(Results::new(&[1; 2], [&[7; 64], &[]], [32, 0]));
        keys.wipe();
        let mut memory = mem::take(&mut keys.values);
        // SAFETY: wiping has written all of the capacity, and a key is its bytes.
        unsafe { memory.set_len(3) };
        assert!(memory.iter().all(|key| *key.expose_bytes() == [0; 32]));
    }

    #[test]
    fn only_code_one_is_valid() {
        assert_eq!(result_of(Verdict::VALID_CODE), Ok(()));
        for code in (0..=u8::MAX).filter(|code| *code != Verdict::VALID_CODE) {
            let reason = result_of(code).unwrap_err();
            assert!(
                reason.code() == code
                    || (reason == Rejection::Mismatch && Rejection::from_code(code).is_none())
            );
        }
        assert_eq!(result_of(0), Err(Rejection::Mismatch));
    }

    #[test]
    fn rejected_items_have_rows_of_zeros() {
        let mut codes = vec![0; 3];
        let mut wide = vec![7; 9];
        let mut narrow = vec![7; 3];
        let mut columns = ResultsMut::new(&mut codes, [&mut wide, &mut narrow], WIDTHS);
        columns.reject(1, Rejection::HighS);
        columns.accept(2);
        assert_eq!(codes, [0, Rejection::HighS.code(), Verdict::VALID_CODE]);
        assert_eq!(
            (&wide[..], &narrow[..]),
            (&[7, 7, 7, 0, 0, 0, 7, 7, 7][..], &[7, 0, 7][..])
        );
    }

    #[test]
    #[should_panic(expected = "a row for each item")]
    fn columns_have_a_row_for_each_item() {
        ResultsMut::new(&mut [0; 3], [&mut [0; 8], &mut []], [3, 0]);
    }

    #[test]
    #[should_panic(expected = "one result per item")]
    fn results_for_wrong_number_of_items_panic() {
        // SAFETY: filling the destination panics.
        let _ = unsafe {
            collect(
                3,
                |results, item| results.codes[item],
                |sink| {
                    sink.take(Results::codes(&[1; 2]));
                    Ok::<_, ()>(())
                },
            )
        };
    }
}
