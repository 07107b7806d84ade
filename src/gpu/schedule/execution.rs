//! Computes a chunk: uploads its inputs, launches its kernels, and stores its results.

use super::operation::{Computation, Running};
use super::work_queue::OnCpu;
use crate::cpu::CpuEngine;
use crate::gpu::runtime::{Bytes, Fault, Input, InputSource, Plan, Stream, is_locked};
use crate::host::{stack, trace};
use crate::types::{ResultSink, Results};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// The code of an item that the device did not compute.
const NO_ANSWER: u8 = 0;
/// Items that one thread copies or converts at a time.
const BLOCK: usize = 1 << 12;
/// Bytes of results from which several threads convert them.
const PARALLEL_BYTES: usize = 1 << 18;
/// Maximum number of items that one CPU thread computes at a time on behalf of a device.
const MAX_CPU_RUN: usize = 64;

/// Returns whether a device can write results to their destination directly, because all of it is
/// page-locked.
pub fn is_direct(results: &mut ResultSink) -> bool {
    results.columns().is_some_and(|results| {
        let [first, second] = &results.columns;
        [&*results.codes, first, second]
            .into_iter()
            .all(|column| column.is_empty() || is_locked(column))
    })
}

/// A chunk to compute: some items of an operation, and the destination of their results.
pub struct Chunk<'a, 'r> {
    pub operation: &'a dyn Computation,
    pub items: Range<usize>,
    /// The memory of the batch's largest chunk.
    pub most: Bytes,
    pub results: &'a mut ResultSink<'r>,
    /// True if the CPU computes the items that the device leaves without an answer. Otherwise they
    /// have no result.
    pub completes_on_cpu: bool,
}

/// Computes a chunk on a stream slot that the caller has reserved for it.
pub fn compute(running: Running, chunk: Chunk) -> Result<(), Fault> {
    let Running {
        slot,
        cpu,
        expected,
    } = running;
    let Chunk {
        operation,
        items,
        most,
        results,
        completes_on_cpu,
    } = chunk;
    let direct = is_direct(results);
    let secret = operation.is_secret();
    let chunk = (items.len(), direct);
    let span = trace::span("memory", items.len());
    let (launch, plan) = slot.begin(chunk, most, secret, |plan| {
        operation.plan_chunk(plan, items.clone())
    })?;
    let (curve, files) = operation.kernels();
    slot.device.clone().prepare(curve, &files)?;
    drop(span);
    let span = trace::span("upload", items.len());
    upload(slot, cpu, plan.inputs())?;
    drop(span);
    let span = trace::span("launch", items.len());
    launch(&mut Running {
        slot,
        cpu,
        expected,
    })?;
    let to = if direct { results.columns() } else { None };
    // SAFETY: the memory is page-locked (`is_direct`) and stays borrowed until `finish` has waited,
    // or until the owner of the stream slot drops it.
    unsafe { slot.receive(plan.outputs(), to) };
    drop(span);
    let span = trace::span("device", items.len());
    slot.finish()?;
    drop(span);
    let _span = trace::span("results", items.len());
    let unanswered = match results.columns().filter(|_| direct) {
        // Almost always there are none, and `contains` establishes that at the speed of memory.
        Some(columns) if columns.codes.contains(&NO_ANSWER) => without_answer(columns.codes),
        Some(_) => Vec::new(),
        None => take(slot, cpu, &plan, secret, results),
    };
    if completes_on_cpu {
        answer(cpu, results, items.start, unanswered, &|items, results| {
            operation.compute_on_cpu(cpu, items, results)
        });
    }
    Ok(())
}

/// Computes the unanswered items of a chunk on the CPU, on several threads if there are many. The
/// first item of the chunk has the index `first`.
fn answer(
    cpu: &CpuEngine,
    results: &mut ResultSink,
    first: usize,
    unanswered: Vec<usize>,
    on_cpu: &OnCpu,
) {
    let mut tasks = Vec::with_capacity(unanswered.len());
    let mut rest = results.reborrow();
    let mut at = 0;
    // If there are many, runs of adjacent items are computed together, which is faster.
    let most = unanswered
        .len()
        .div_ceil(4 * cpu.threads())
        .clamp(1, MAX_CPU_RUN);
    for run in unanswered
        .chunk_by(|a, b| a + 1 == *b)
        .flat_map(|run| run.chunks(most))
    {
        let (_, from) = rest.split_at(run[0] - at);
        let (of_run, remaining) = from.split_at(run.len());
        tasks.push((first + run[0], of_run));
        rest = remaining;
        at = run[0] + run.len();
    }
    cpu.pool.for_each_with_caller(tasks, |(item, mut results)| {
        on_cpu(item..item + results.items(), &mut results)
    });
}

fn without_answer(codes: &[u8]) -> Vec<usize> {
    (0..codes.len())
        .filter(|item| codes[*item] == NO_ANSWER)
        .collect()
}

/// Moves results to their destination, on several threads if there are many. Returns the items
/// without an answer.
fn take(
    stream: &Stream,
    cpu: &CpuEngine,
    plan: &Plan,
    secret: bool,
    to: &mut ResultSink,
) -> Vec<usize> {
    let items = to.items();
    let outputs = plan.outputs();
    let [codes, first, second] =
        outputs.map(|output| output.map_or(&[][..], |output| stream.received(&output.pinned)));
    let [_, first_width, second_width] =
        outputs.map(|output| output.map_or(0, |output| output.bytes / items));
    let results = Results::new(codes, [first, second], [first_width, second_width]);
    let bytes = items * (1 + first_width + second_width);
    let _turn = stream.device.gates.receiving.take(bytes);
    // A few bytes are copied before another thread would wake up.
    let size = if bytes < PARALLEL_BYTES { items } else { BLOCK };
    let mut blocks = Vec::with_capacity(items.div_ceil(size));
    let mut rest = to.reborrow();
    for start in (0..items).step_by(size) {
        let (block, remaining) = rest.split_at(size.min(items - start));
        blocks.push((start, block));
        rest = remaining;
    }
    let all_answered = AtomicBool::new(true);
    cpu.pool.for_each_with_caller(blocks, |(start, mut block)| {
        let results = results.slice(start, block.items());
        if results.codes.contains(&NO_ANSWER) {
            all_answered.store(false, Ordering::Relaxed);
        }
        if secret {
            stack::wiped(|| block.take(results));
        } else {
            block.take(results);
        }
    });
    if all_answered.into_inner() {
        Vec::new()
    } else {
        without_answer(results.codes)
    }
}

/// Uploads inputs to the device. The host's threads write them to pinned memory, except for inputs
/// that are page-locked, which are copied from where they are.
fn upload(stream: &mut Stream, cpu: &CpuEngine, inputs: &[Input]) -> Result<(), Fault> {
    // SAFETY: page-locked sources are inputs of the call and stay borrowed until it returns. Before
    // that, every chunk has ended, or has failed and its stream slot has been dropped.
    unsafe { stream.send(inputs, |parts| write_inputs(cpu, parts)) }
}

/// Writes inputs to pinned memory, in blocks on several threads.
fn write_inputs(cpu: &CpuEngine, parts: Vec<(&Input, &mut [u8])>) {
    let mut blocks = Vec::new();
    for (input, to) in parts {
        match &input.source {
            InputSource::Rows(rows) => blocks.extend(blocks_of(&input.source, rows.width(), to)),
            InputSource::Written(width, _) => blocks.extend(blocks_of(&input.source, *width, to)),
            InputSource::Whole(write) => write(&cpu.pool, to),
        }
    }
    cpu.pool
        .for_each_with_caller(blocks, |(source, start, to)| match source {
            InputSource::Rows(rows) => rows.copy(start, to),
            InputSource::Written(_, write) => write(start, to),
            InputSource::Whole(_) => {
                unreachable!("an input written as a whole is not split into blocks")
            }
        });
}

/// A block of an input: its source, its first item, and its place in pinned memory.
type InputBlock<'a, 'b> = (&'b InputSource<'a>, usize, &'b mut [u8]);

/// Splits an input of rows of `width` bytes into blocks.
fn blocks_of<'a, 'b>(
    source: &'b InputSource<'a>,
    width: usize,
    to: &'b mut [u8],
) -> impl Iterator<Item = InputBlock<'a, 'b>> {
    to.chunks_mut(BLOCK * width)
        .enumerate()
        .map(move |(index, to)| (source, index * BLOCK, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{ResultsMut, collect};
    use std::convert::Infallible;
    use std::sync::atomic::AtomicUsize;
    use std::time::{Duration, Instant};

    const FIRST: usize = 1000;

    /// Simulates the output of a device for `items` items: rows of zeros and codes of 1, or 0 for
    /// an unanswered item.
    fn left_by_device(items: usize, is_unanswered: fn(usize) -> bool) -> Vec<u8> {
        (0..items)
            .map(|item| u8::from(!is_unanswered(item)))
            .collect()
    }

    /// Writes the index of each item as its result, in place of a CPU implementation.
    fn by_number(range: Range<usize>, results: &mut ResultSink) {
        assert_eq!(range.len(), results.items());
        assert!((1..=MAX_CPU_RUN).contains(&range.len()));
        let (codes, numbers): (Vec<u8>, Vec<[u8; 8]>) =
            range.map(|item| (1, (item as u64).to_le_bytes())).unzip();
        results.take(Results::new(&codes, [numbers.as_flattened(), &[]], [8, 0]));
    }

    #[test]
    fn cpu_computes_items_without_answer() {
        let cpu = CpuEngine::new(Some(3), None).unwrap();
        let unanswered: [fn(usize) -> bool; 5] = [
            |_| false,
            |_| true,
            |item| item == 0,
            |item| item % 7 == 3,
            |item| item == 999,
        ];
        for is_unanswered in unanswered {
            for items in [1, 2, 7, 1000] {
                let mut codes = left_by_device(items, is_unanswered);
                let expected = |item: usize| {
                    if is_unanswered(item) {
                        ((FIRST + item) as u64).to_le_bytes()
                    } else {
                        [0; 8]
                    }
                };
                let list = without_answer(&codes);
                assert!(
                    list.iter()
                        .copied()
                        .eq((0..items).filter(|item| is_unanswered(*item)))
                );
                // Columns.
                let mut rows = vec![[0; 8]; items];
                answer(
                    &cpu,
                    &mut ResultsMut::rows(&mut codes, &mut rows).into(),
                    FIRST,
                    list.clone(),
                    &by_number,
                );
                assert!(codes.iter().all(|code| *code == 1));
                assert!(rows.into_iter().eq((0..items).map(expected)));
                // Values that have already been collected once.
                // SAFETY: all items are taken.
                let Ok(values) = unsafe {
                    collect(
                        items,
                        |results, item| *results.get(item).unwrap(),
                        |sink| {
                            sink.take(Results::new(&codes, [&vec![0; 8 * items], &[]], [8, 0]));
                            answer(&cpu, sink, FIRST, list, &by_number);
                            Ok::<_, Infallible>(())
                        },
                    )
                };
                assert!(values.into_iter().eq((0..items).map(expected)));
            }
        }
    }

    /// Each item waits until another thread has started one too.
    #[test]
    fn items_without_answer_are_spread_over_threads() {
        let cpu = CpuEngine::new(Some(2), None).unwrap();
        let entered = AtomicUsize::new(0);
        let mut codes = vec![0; 2];
        let deadline = Instant::now() + Duration::from_secs(60);
        answer(
            &cpu,
            &mut ResultsMut::codes(&mut codes).into(),
            0,
            vec![0, 1],
            &|_, results| {
                entered.fetch_add(1, Ordering::SeqCst);
                while entered.load(Ordering::SeqCst) < 2 && Instant::now() < deadline {
                    std::thread::yield_now();
                }
                let together = entered.load(Ordering::SeqCst) == 2 && Instant::now() < deadline;
                results.take(Results::codes(&[if together { 1 } else { 2 }]));
            },
        );
        assert_eq!(codes, [1, 1]);
    }

    #[test]
    fn blocks_of_inputs_hold_whole_rows() {
        let source = InputSource::Written(3, Box::new(|_, _| ()));
        for items in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let mut memory = vec![0; 3 * items];
            let mut next = 0;
            for (_, start, to) in blocks_of(&source, 3, &mut memory) {
                assert_eq!((start, to.len() % 3), (next, 0));
                next += to.len() / 3;
            }
            assert_eq!(next, items);
        }
    }

    /// The host writes to unlocked memory.
    #[test]
    fn unlocked_memory_is_not_direct() {
        let mut codes = vec![0; 10];
        let mut rows = vec![[0; 8]; 10];
        assert!(!is_direct(
            &mut ResultsMut::rows(&mut codes, &mut rows).into()
        ));
        assert!(!is_direct(&mut ResultsMut::codes(&mut codes).into()));
    }
}
