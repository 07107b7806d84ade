//! A chunk on its way: inputs up, kernels, results to where they belong.

use super::operation::{OnGpu, Running};
use crate::cpu::CpuEngine;
use crate::gpu::runtime::{Bytes, Fault, Input, Plan, Source, Stream, is_locked};
use crate::host::stack;
use crate::types::{Place, Results};
use std::ops::Range;

/// Items that one thread copies or converts at a time.
const BLOCK: usize = 1 << 12;

/// Computes items without a device.
pub type OnCpu<'a> = dyn Fn(Range<usize>, &mut dyn Place) + Sync + 'a;

/// Whether a device can write to a place without the host: all of it is page-locked.
pub fn is_direct(place: &mut dyn Place) -> bool {
    place.columns().is_some_and(|results| {
        let [first, second] = &results.columns;
        [&*results.codes, first, second].into_iter().all(|column| column.is_empty() || is_locked(column))
    })
}

/// Computes some items of an operation on a lane that is lent for it. What the device gives no answer to, `on_cpu` computes.
pub fn compute(
    running: Running,
    operation: &dyn OnGpu,
    items: Range<usize>,
    most: Bytes,
    place: &mut dyn Place,
    on_cpu: &OnCpu,
) -> Result<(), Fault> {
    let Running { lane, cpu, expected } = running;
    let (direct, secret) = (is_direct(place), operation.is_secret());
    let chunk = (items.len(), direct);
    let (launch, plan) = lane.begin(chunk, most, secret, |plan| operation.chunk(plan, items.clone()))?;
    let (curve, files) = operation.kernels();
    lane.device.clone().prepare(curve, &files)?;
    upload(lane, cpu, plan.inputs())?;
    launch(&mut Running { lane, cpu, expected })?;
    let to = if direct { place.columns() } else { None };
    // SAFETY: what is given is page-locked (`is_direct`) and stays borrowed until `finish` has waited, or the lane is dropped by
    // whoever lent it.
    unsafe { lane.receive(plan.outputs(), to) };
    lane.finish()?;
    let unanswered = match place.columns().filter(|_| direct) {
        Some(results) => without_answer(results.codes),
        None => take(lane, cpu, &plan, secret, place),
    };
    for item in unanswered {
        let (_, behind) = place.reborrow().split_at(item);
        let (mut one, _) = behind.split_at(1);
        on_cpu(items.start + item..items.start + item + 1, &mut *one);
    }
    Ok(())
}

fn without_answer(codes: &[u8]) -> Vec<usize> {
    // Nearly always there is none, which the first pass finds at the speed of memory.
    if !codes.contains(&0) {
        return Vec::new();
    }
    (0..codes.len()).filter(|item| codes[*item] == 0).collect()
}

/// Has the place take the results, on several threads where there are many. Gives the items without an answer.
fn take(stream: &Stream, cpu: &CpuEngine, plan: &Plan, secret: bool, place: &mut dyn Place) -> Vec<usize> {
    let (items, outputs) = (place.items(), plan.outputs());
    let bytes = |which: usize| outputs[which].map_or(&[][..], |output| stream.received(&output.pinned));
    let width = |which: usize| outputs[which].map_or(0, |output| output.bytes / items);
    let results = Results::new(bytes(0), [bytes(1), bytes(2)], [width(1), width(2)]);
    let _turn = stream.device.gates.to_receive(items * (1 + width(1) + width(2)));
    let (mut blocks, mut rest) = (Vec::with_capacity(items.div_ceil(BLOCK)), place.reborrow());
    for start in (0..items).step_by(BLOCK) {
        let (block, behind) = rest.split_at(BLOCK.min(items - start));
        blocks.push((start, block));
        rest = behind;
    }
    cpu.pool.for_each_with_caller(blocks, |(start, mut block)| {
        let items = block.items();
        let mut take = || block.take(results.slice(start, items));
        if secret { stack::wiped(take) } else { take() }
    });
    without_answer(results.codes)
}

/// Brings inputs to the device: by the host's threads and pinned memory, or from where they are if that is page-locked.
fn upload(stream: &mut Stream, cpu: &CpuEngine, inputs: &[Input]) -> Result<(), Fault> {
    let fill = |parts: Vec<(&Input, &mut [u8])>| {
        let mut blocks = Vec::new();
        for (input, to) in parts {
            match &input.source {
                Source::Rows(rows) => blocks.extend(blocks_of(&input.source, rows.width(), to)),
                Source::Written(width, _) => blocks.extend(blocks_of(&input.source, *width, to)),
                Source::Whole(write) => write(&cpu.pool, to),
            }
        }
        cpu.pool.for_each_with_caller(blocks, |(source, start, to)| match source {
            Source::Rows(rows) => rows.copy(start, to),
            Source::Written(_, write) => write(start, to),
            Source::Whole(_) => unreachable!("what is written as a whole has no blocks"),
        });
    };
    // SAFETY: what is locked is an input of the call, borrowed until it returns; before that each chunk has ended, and with one
    // that failed its lane.
    unsafe { stream.send(inputs, fill) }
}

type Block<'a, 'b> = (&'b Source<'a>, usize, &'b mut [u8]);

fn blocks_of<'a, 'b>(source: &'b Source<'a>, width: usize, to: &'b mut [u8]) -> impl Iterator<Item = Block<'a, 'b>> {
    to.chunks_mut(BLOCK * width).enumerate().map(move |(index, to)| (source, index * BLOCK, to))
}
