//! Digests of messages.
//!
//! Digests come back to the host and go up again with the signatures: 64 bytes of bus per item, a few per cent of what a
//! verification takes, for which the operations on digests stay as they are.

use super::Fault;
use super::columns::{Digests, Offsets, Texts as TextColumn};
use super::kernels;
use super::known_answers::{self, Test, Tests};
use super::lane::Lane;
use super::pipeline::{Chunk, Operation};
use super::plan::{Download, Plan, Upload};
use super::rows::{self, KeyUpload, Points, Rows, convert};
use crate::cpu::CpuEngine;
use crate::curve::{Curve, Sm2};
use crate::encoding::PublicKeys;
use crate::engine::Engines;
use std::mem::MaybeUninit;
use std::ops::Range;

/// The kernels of this file are compiled for one curve: SHA-256 has none.
const CURVE: &str = Sm2::NAME;
const FILES: &[&str] = &["hash"];
const FILES_WITH_KEYS: &[&str] = &["hash", "layout"];

/// One thread of a GPU takes about a millisecond for so many bytes, with all others of a chunk waiting; a core takes
/// microseconds. Longer messages are hashed on the CPU.
const LONGEST: usize = 16 << 10;
/// Messages that one thread copies at a time.
const BLOCK: usize = 1 << 10;
const DIGEST: usize = 32;
const OFFSET: usize = 8;

/// The bytes of each item.
pub type Texts<'a> = dyn Fn(usize) -> &'a [u8] + Sync + 'a;
/// The digests of some items, from the CPU.
pub type OnCpu<'a> = dyn Fn(Range<usize>) -> Vec<[u8; 32]> + Sync + 'a;

/// The user ids of a batch, none too long to be hashed.
#[derive(Clone, Copy)]
pub enum Ids<'a> {
    All(&'a [u8]),
    Each(&'a Texts<'a>),
}

/// SHA-256 of messages.
pub fn sha256(engines: Engines, items: usize, messages: &Texts, on_cpu: &OnCpu) -> Result<Vec<[u8; 32]>, Fault> {
    let texts = SizedTexts::new(engines.cpu, items, |item| on_device(messages(item)));
    let digests = engines.run(&Sha256 { messages: texts, on_cpu })?;
    Ok(with_long_messages(engines.cpu, digests, messages, on_cpu))
}

/// SM3(Z_A || M) of messages. What an item without a usable key gives means nothing.
pub fn sm3(
    engines: Engines,
    items: usize,
    messages: &Texts,
    ids: Ids,
    keys: PublicKeys,
    on_cpu: &OnCpu,
) -> Result<Vec<[u8; 32]>, Fault> {
    let cpu = engines.cpu;
    let ids = match ids {
        Ids::All(id) => SizedIds::All(SizedTexts::new(cpu, 1, move |_| id)),
        Ids::Each(ids) => SizedIds::Each(SizedTexts::new(cpu, items, move |item| ids(item))),
    };
    let texts = SizedTexts::new(cpu, items, |item| on_device(messages(item)));
    let digests = engines.run(&Sm3 { messages: texts, ids, keys, on_cpu })?;
    Ok(with_long_messages(cpu, digests, messages, on_cpu))
}

/// The texts of a batch, and where each would begin if they lay one after the other, with the end of the last.
pub struct SizedTexts<'a> {
    texts: Box<Texts<'a>>,
    starts: Vec<usize>,
}

impl<'a> SizedTexts<'a> {
    pub fn new(cpu: &CpuEngine, items: usize, texts: impl Fn(usize) -> &'a [u8] + Sync + 'a) -> Self {
        let sizes = cpu.map(items, 0, |item| texts(item).len());
        SizedTexts { texts: Box::new(texts), starts: starts(sizes.into_iter()) }
    }

    fn items(&self) -> usize {
        self.starts.len() - 1
    }

    fn bytes(&self, items: &Range<usize>) -> usize {
        self.starts[items.end] - self.starts[items.start]
    }
}

/// Texts of a chunk on the device, one after the other, and where each begins, with the end of the last.
pub struct TextBuffers {
    data: Upload<TextColumn>,
    offsets: Upload<Offsets>,
}

impl TextBuffers {
    fn new(plan: &mut Plan, bytes: usize, items: usize) -> Self {
        // The kernels read whole words.
        TextBuffers { data: plan.upload(bytes.next_multiple_of(4).max(4)), offsets: plan.upload(OFFSET * (items + 1)) }
    }

    fn upload(&self, lane: &mut Lane, cpu: &CpuEngine, items: Range<usize>, texts: &SizedTexts) -> Result<(), Fault> {
        let first = texts.starts[items.start];
        let offsets: Vec<usize> = texts.starts[items.start..=items.end].iter().map(|start| start - first).collect();
        lane.upload(&self.data, |to| {
            let (to, padding) = to.split_at_mut(offsets[items.len()]);
            copy_texts(cpu, to, &offsets, |i| (texts.texts)(items.start + i));
            padding.fill(0);
        })?;
        let rows = Rows::new(offsets.len(), OFFSET, |block, to| {
            for (row, offset) in to.chunks_exact_mut(OFFSET).zip(&offsets[block]) {
                row.copy_from_slice(&(*offset as u64).to_le_bytes());
            }
        });
        rows::upload(lane, cpu, [(rows, &self.offsets.staging)])
    }
}

/// SHA-256 of a batch.
pub struct Sha256<'a> {
    pub messages: SizedTexts<'a>,
    pub on_cpu: &'a OnCpu<'a>,
}

pub struct Sha256Buffers {
    messages: TextBuffers,
    digests: Download<Digests>,
}

impl Operation for Sha256<'_> {
    type Output = [u8; 32];
    type Buffers = Sha256Buffers;
    const MOST_WAVES: usize = 4;

    fn items(&self) -> usize {
        self.messages.items()
    }

    fn plan(&self, plan: &mut Plan, items: &Range<usize>) -> Sha256Buffers {
        let messages = TextBuffers::new(plan, self.messages.bytes(items), items.len());
        Sha256Buffers { messages, digests: plan_digests(plan) }
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        self.messages.bytes(items)
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        known_answers::SHA256
    }

    fn compute(&self, chunk: Chunk, buffers: &Sha256Buffers, out: &mut [MaybeUninit<[u8; 32]>]) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len() as u64);
        let Sha256Buffers { messages, digests } = buffers;
        let (data, offsets) = (messages.data.column, messages.offsets.column);
        lane.device.clone().prepare(CURVE, FILES)?;
        messages.upload(lane, cpu, items, &self.messages)?;
        kernels::Sha256 { data, offsets, digests: digests.column, n }.launch(lane, CURVE)?;
        take_digests(lane, cpu, digests, out)
    }

    fn on_cpu(&self, _: &CpuEngine, items: Range<usize>) -> Vec<[u8; 32]> {
        (self.on_cpu)(items)
    }
}

/// User ids with their sizes.
pub enum SizedIds<'a> {
    All(SizedTexts<'a>),
    Each(SizedTexts<'a>),
}

impl<'a> SizedIds<'a> {
    /// Those of some items, and by how many ids each item goes on.
    fn of(&self, items: &Range<usize>) -> (&SizedTexts<'a>, Range<usize>, u64) {
        match self {
            SizedIds::All(id) => (id, 0..1, 0),
            SizedIds::Each(ids) => (ids, items.clone(), 1),
        }
    }
}

/// SM3(Z_A || M) of a batch.
pub struct Sm3<'a> {
    pub messages: SizedTexts<'a>,
    pub ids: SizedIds<'a>,
    pub keys: PublicKeys<'a>,
    pub on_cpu: &'a OnCpu<'a>,
}

pub struct Sm3Buffers {
    messages: TextBuffers,
    ids: TextBuffers,
    keys: KeyUpload,
    points: Points,
    digests: Download<Digests>,
}

impl Operation for Sm3<'_> {
    type Output = [u8; 32];
    type Buffers = Sm3Buffers;
    const MOST_WAVES: usize = 4;

    fn items(&self) -> usize {
        self.messages.items()
    }

    fn plan(&self, plan: &mut Plan, items: &Range<usize>) -> Sm3Buffers {
        let messages = TextBuffers::new(plan, self.messages.bytes(items), items.len());
        let (ids, of_ids, _) = self.ids.of(items);
        let ids = TextBuffers::new(plan, ids.bytes(&of_ids), of_ids.len());
        let (keys, points) = (KeyUpload::new(plan, self.keys.form()), Points::new(plan));
        Sm3Buffers { messages, ids, keys, points, digests: plan_digests(plan) }
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        let (ids, of_ids, _) = self.ids.of(items);
        self.messages.bytes(items) + ids.bytes(&of_ids)
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        Tests::<Sm2>::SM3
    }

    fn compute(&self, chunk: Chunk, buffers: &Sm3Buffers, out: &mut [MaybeUninit<[u8; 32]>]) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len());
        let Sm3Buffers { messages, ids, keys, points, digests } = buffers;
        lane.device.clone().prepare(CURVE, FILES_WITH_KEYS)?;
        messages.upload(lane, cpu, items.clone(), &self.messages)?;
        let (texts, of_ids, id_stride) = self.ids.of(&items);
        ids.upload(lane, cpu, of_ids, texts)?;
        rows::upload(lane, cpu, [(Rows::of_keys(self.keys, items), keys.staging())])?;
        rows::import_keys(lane, CURVE, keys, *points, n)?;
        kernels::Sm3Za {
            data: messages.data.column,
            offsets: messages.offsets.column,
            ids: ids.data.column,
            id_offsets: ids.offsets.column,
            id_stride,
            xy: points.xy,
            kinds: points.kinds,
            digests: digests.column,
            n: n as u64,
        }
        .launch(lane, CURVE)?;
        take_digests(lane, cpu, digests, out)
    }

    fn on_cpu(&self, _: &CpuEngine, items: Range<usize>) -> Vec<[u8; 32]> {
        (self.on_cpu)(items)
    }
}

/// What of a message is hashed on the device: nothing of one that is too long.
fn on_device(message: &[u8]) -> &[u8] {
    if message.len() <= LONGEST { message } else { &[] }
}

/// Replaces the digests of messages too long for the device.
fn with_long_messages(cpu: &CpuEngine, mut digests: Vec<[u8; 32]>, messages: &Texts, on_cpu: &OnCpu) -> Vec<[u8; 32]> {
    let is_long = |item: &usize| messages(*item).len() > LONGEST;
    let long: Vec<usize> = (0..digests.len()).filter(is_long).collect();
    let computed = cpu.map(long.len(), [0; DIGEST], |i| on_cpu(long[i]..long[i] + 1)[0]);
    for (item, digest) in long.into_iter().zip(computed) {
        digests[item] = digest;
    }
    digests
}

/// Where each of several things begins that lie one after the other, and where the last ends.
fn starts(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let ends = sizes.scan(0, |end, size| {
        *end += size;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Copies text i to `offsets[i]..offsets[i + 1]`, on several threads where there are many.
fn copy_texts<'a>(cpu: &CpuEngine, to: &mut [u8], offsets: &[usize], text: impl Fn(usize) -> &'a [u8] + Sync) {
    let items = offsets.len() - 1;
    let copy = |(range, mut to): (Range<usize>, &mut [u8])| {
        for i in range {
            let (place, rest) = to.split_at_mut(offsets[i + 1] - offsets[i]);
            place.copy_from_slice(text(i));
            to = rest;
        }
    };
    let (mut blocks, mut rest) = (Vec::with_capacity(items.div_ceil(BLOCK)), to);
    for start in (0..items).step_by(BLOCK) {
        let end = items.min(start + BLOCK);
        let (block, behind) = rest.split_at_mut(offsets[end] - offsets[start]);
        blocks.push((start..end, block));
        rest = behind;
    }
    cpu.pool.for_each_with_caller(blocks, copy);
}

fn plan_digests(plan: &mut Plan) -> Download<Digests> {
    let digests = plan.column();
    plan.download_column(digests)
}

fn take_digests(
    lane: &mut Lane,
    cpu: &CpuEngine,
    digests: &Download<Digests>,
    out: &mut [MaybeUninit<[u8; 32]>],
) -> Result<(), Fault> {
    lane.download(digests);
    lane.finish()?;
    let rows = lane.read(digests);
    convert(lane, cpu, out, |i| rows[DIGEST * i..DIGEST * (i + 1)].try_into().expect("32 bytes"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_copied_to_their_places() {
        let cpu = CpuEngine::new(Some(2), None).unwrap();
        for items in [0, 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            let texts: Vec<Vec<u8>> = (0..items).map(|item| vec![item as u8; item * 7 % 13]).collect();
            let offsets = starts(texts.iter().map(Vec::len));
            let mut copied = vec![0xee; offsets[items]];
            copy_texts(&cpu, &mut copied, &offsets, |item| &texts[item]);
            assert_eq!(copied, texts.concat());
        }
    }
}
