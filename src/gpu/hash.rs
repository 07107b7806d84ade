//! Digests of messages.
//!
//! Digests come back to the host and go up again with the signatures: 64 bytes of bus per item, a few per cent of what a
//! verification takes, for which the operations on digests stay as they are.

use super::Fault;
use super::kernels;
use super::lane::Lane;
use super::memory::Address;
use super::pipeline::{Footprint, Sizes, starts};
use super::rows::{self, KEY_ROW, POINT, Rows, convert};
use crate::cpu::CpuEngine;
use crate::curve::{Curve, Sm2};
use crate::encoding::PublicKeys;
use crate::engine::Engines;
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
    let sizes = engines.cpu.map(items, 0, |item| on_device(messages(item)).len());
    let footprint =
        Footprint { device: OFFSET + DIGEST, device_fixed: 0, most_waves: 4, pinned: OFFSET + DIGEST, secret: false };
    let digests = engines.run_sized(
        &Sizes::new(sizes.into_iter(), 0),
        footprint,
        &|lane, range, out| {
            let n = range.len();
            lane.device.clone().prepare(CURVE, FILES)?;
            let (data, offsets) = upload_texts(lane, engines.cpu, range, &|item| on_device(messages(item)))?;
            let digests = lane.buffer(DIGEST * n)?;
            kernels::sha256(lane, CURVE, data, offsets, digests, n as u64)?;
            take_digests(lane, engines.cpu, digests, out)
        },
        on_cpu,
    )?;
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
    let (of_all, of_each): (usize, &(dyn Fn(usize) -> usize + Sync)) = match ids {
        Ids::All(id) => (id.len(), &|_| 0),
        Ids::Each(ids) => (0, &|item| ids(item).len()),
    };
    let sizes = engines.cpu.map(items, 0, |item| on_device(messages(item)).len() + of_each(item));
    let footprint = Footprint {
        device: 2 * OFFSET + KEY_ROW + POINT + DIGEST,
        device_fixed: 0,
        most_waves: 4,
        pinned: 2 * OFFSET + KEY_ROW + DIGEST,
        secret: false,
    };
    let digests = engines.run_sized(
        &Sizes::new(sizes.into_iter(), of_all),
        footprint,
        &|lane, range, out| {
            let (n, cpu) = (range.len(), engines.cpu);
            lane.device.clone().prepare(CURVE, FILES_WITH_KEYS)?;
            let (data, offsets) = upload_texts(lane, cpu, range.clone(), &|item| on_device(messages(item)))?;
            let ((ids, id_offsets), id_stride) = match ids {
                Ids::All(id) => (upload_texts(lane, cpu, 0..1, &|_| id)?, 0),
                Ids::Each(ids) => (upload_texts(lane, cpu, range.clone(), ids)?, 1),
            };
            let [key_rows] = rows::upload(lane, cpu, [Rows::of_keys(keys, range)])?;
            let points = rows::import_keys(lane, CURVE, keys.form(), key_rows, n)?;
            let (digests, rows::Points { xy, kinds }) = (lane.buffer(DIGEST * n)?, points);
            kernels::sm3_za(lane, CURVE, data, offsets, ids, id_offsets, id_stride, xy, kinds, digests, n as u64)?;
            take_digests(lane, cpu, digests, out)
        },
        on_cpu,
    )?;
    Ok(with_long_messages(engines.cpu, digests, messages, on_cpu))
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

/// The texts of some items one after the other, and where each begins, with the end of the last.
fn upload_texts(
    lane: &mut Lane,
    cpu: &CpuEngine,
    items: Range<usize>,
    texts: &Texts,
) -> Result<(Address, Address), Fault> {
    let offsets = starts(items.clone().map(|item| texts(item).len()));
    let end = offsets[items.len()];
    // The kernels read whole words.
    let data = lane.upload(end.next_multiple_of(4).max(4), |to| {
        let (to, padding) = to.split_at_mut(end);
        copy_texts(cpu, to, &offsets, |i| texts(items.start + i));
        padding.fill(0);
    })?;
    let offset_rows = Rows::new(offsets.len(), OFFSET, |block, to| {
        for (row, offset) in to.chunks_exact_mut(OFFSET).zip(&offsets[block]) {
            row.copy_from_slice(&(*offset as u64).to_le_bytes());
        }
    });
    let [offsets] = rows::upload(lane, cpu, [offset_rows])?;
    Ok((data, offsets))
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

fn take_digests(
    lane: &mut Lane,
    cpu: &CpuEngine,
    digests: Address,
    out: &mut [std::mem::MaybeUninit<[u8; 32]>],
) -> Result<(), Fault> {
    let rows = lane.download(digests, DIGEST * out.len())?;
    lane.finish()?;
    let rows = lane.read(rows);
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
