//! Streams that stay open though nothing more comes.

use crate::files::{content, options, table};
use crate::items::{self, engine};
use crate::transforms::{self, CURVE};
use arrow_array::RecordBatch;
use gecc_arrow::{
    BatchJob, Batches, Compression, Destination, Error, Format, Mapping, Pool, Projection, Writer,
    answer_batches, complete, open_stream,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Longer than any of these tests takes unless it waits for the stream.
const LONG: Duration = Duration::from_secs(60);

/// Returns the result of `work`, which must not wait for the stream.
fn soon<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || send.send(work()));
    receive
        .recv_timeout(LONG)
        .expect("it waits for what never comes")
}

/// Writes batches to a pipe, which stays open until the writer is dropped.
fn open_pipe(batches: &[&RecordBatch]) -> (Writer, gecc_arrow::Input) {
    let (reader, writer) = std::io::pipe().unwrap();
    let output = Destination::Stream(Box::new(writer));
    let mut writer = Writer::create(
        output,
        Format::ArrowStream,
        Compression::None,
        &batches[0].schema(),
    )
    .unwrap();
    for batch in batches {
        // A pipe has room for few of them, which nobody reads yet.
        writer.write(batch, &Pool::default()).unwrap();
    }
    (writer, open_stream(reader, options(1 << 18)).unwrap())
}

fn next(mut batches: Batches) -> (RecordBatch, Batches) {
    soon(move || (batches.next().unwrap().unwrap(), batches))
}

#[test]
fn rows_are_answered_though_the_stream_stays_open() {
    let table = table(60);
    let (mut writer, input) = open_pipe(&[&table.slice(0, 20), &table.slice(20, 10)]);
    let mut batches = input.batches(&Projection::All).unwrap();
    let mut read = Vec::new();
    while read.iter().map(RecordBatch::num_rows).sum::<usize>() < 30 {
        let (batch, rest) = next(batches);
        read.push(batch);
        batches = rest;
    }
    writer
        .write(&table.slice(30, 30), &Pool::default())
        .unwrap();
    let written = Instant::now();
    let (last, mut batches) = next(batches);
    // 10 ms, and what a busy machine adds.
    assert!(
        written.elapsed() < Duration::from_secs(5),
        "{:?}",
        written.elapsed()
    );
    read.push(last);
    writer.finish().unwrap();
    assert!(soon(move || batches.next().is_none()));
    assert_eq!(content(&read), content(&[table]));
}

/// Verifies the rows of an input, until there are no more, `stop` becomes true or `take` breaks.
fn verify(
    input: gecc_arrow::Input,
    stop: &AtomicBool,
    take: impl FnMut(usize) -> ControlFlow<usize>,
) -> Result<Option<usize>, Error> {
    let (operation, pool) = (items::verify(CURVE), Pool::default());
    let mapping = complete(Mapping::new(), input.schema(), &operation).unwrap();
    let job = BatchJob {
        engine: engine(),
        operation: &operation,
        mapping: &mapping,
        pool: &pool,
    };
    let batches = input.batches(&Projection::All)?;
    answer_batches(
        &job,
        batches,
        3,
        stop,
        |answered| Ok(answered.answers.len()),
        take,
    )
}

#[test]
fn a_stop_ends_a_job_whose_stream_stays_open() {
    let (writer, input) = open_pipe(&[&transforms::items(30).0]);
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, (send, answered)) = (stop.clone(), mpsc::channel());
    let job = std::thread::spawn(move || {
        verify(input, &stopped, |rows| {
            send.send(rows).unwrap();
            ControlFlow::Continue(())
        })
    });
    assert_eq!(
        answered.recv_timeout(LONG).expect("rows wait for others"),
        30
    );
    stop.store(true, Ordering::Relaxed);
    assert_eq!(soon(move || job.join().unwrap().unwrap()), None);
    drop(writer);
}

#[test]
fn break_of_the_consumer_does_not_wait_for_the_stream() {
    let (writer, input) = open_pipe(&[&transforms::items(30).0]);
    let rows = soon(move || verify(input, &AtomicBool::new(false), ControlFlow::Break).unwrap());
    assert_eq!(rows, Some(30));
    drop(writer);
}

#[test]
fn panic_of_the_consumer_does_not_wait_for_the_stream() {
    let (writer, input) = open_pipe(&[&transforms::items(30).0]);
    let job = move || verify(input, &AtomicBool::new(false), |_| panic!("on purpose"));
    assert!(soon(move || std::thread::spawn(job).join().is_err()));
    drop(writer);
}

#[test]
fn a_panic_of_the_reader_is_not_the_end() {
    struct Panics(std::io::PipeReader, usize);
    impl std::io::Read for Panics {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let read = self.0.read(&mut to[..1])?;
            self.1 = self.1.checked_sub(read).expect("no more of these");
            Ok(read)
        }
    }
    let table = table(10);
    let (reader, writer) = std::io::pipe().unwrap();
    let output = Destination::Stream(Box::new(writer));
    let mut writer = Writer::create(
        output,
        Format::ArrowStream,
        Compression::None,
        &table.schema(),
    )
    .unwrap();
    writer.write(&table, &Pool::default()).unwrap();
    let mut input = open_stream(Panics(reader, 1100), options(10))
        .unwrap()
        .batches(&Projection::All)
        .unwrap();
    let problem = soon(move || input.next().unwrap().unwrap_err());
    assert!(
        problem.to_string().contains("no more of these"),
        "{problem}"
    );
}
