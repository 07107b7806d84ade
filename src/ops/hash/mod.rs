//! Digests of messages.
//!
//! Digests come back to the host and go up again with the signatures: 64 bytes of bus per item, a few per cent of what a
//! verification takes, for which the operations on digests stay as they are.

mod gpu;
pub(crate) mod known_answers;
mod tagged;
mod texts;
mod texts_gpu;

use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::op::{Operation, Worth};
use crate::types::{Batch, Error, Place, ResultsMut};
use sha2::Digest;
use std::ops::Range;
pub(crate) use tagged::{Tag, tagged};
pub(crate) use texts::{SizedTexts, Texts};
pub(crate) use texts_gpu::{TextColumns, on_device_codes, plan_codes};

/// SHA-256 of a batch.
pub(crate) struct Sha256<'a> {
    pub messages: SizedTexts<'a>,
}

impl Batch for Sha256<'_> {
    fn items(&self) -> usize {
        self.messages.items()
    }
}

impl Operation for Sha256<'_> {
    /// Messages of any length, which is a block at least. CPUs are good at SHA-256: a GPU saves the time of the cores more than
    /// the caller's.
    fn worth(&self) -> Worth {
        Worth::of(4000)
    }

    fn on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut dyn Place) {
        digest_each(engine, out, |item| sha2::Sha256::digest(self.messages.get(items.start + item)).into());
    }
}

/// A digest for each item of a place.
pub(crate) fn digest_each(engine: &CpuEngine, out: &mut dyn Place, digest: impl Fn(usize) -> [u8; 32] + Sync) {
    engine.fill(out, [32, 0], |range, out| {
        for (place, item) in range.enumerate() {
            out.row(0, place).copy_from_slice(&digest(item));
            out.accept(place);
        }
    });
}

/// SHA-256 of messages.
pub(crate) fn sha256(engine: &Engine, items: usize, messages: &Texts) -> Result<Vec<[u8; 32]>, Error> {
    let messages = SizedTexts::new(&engine.devices()?.cpu, items, |item| messages(item));
    digests(engine, &Sha256 { messages })
}

/// The digests of an operation that has one for each item.
pub(crate) fn digests(engine: &Engine, operation: &dyn Operation) -> Result<Vec<[u8; 32]>, Error> {
    let items = operation.items();
    let (mut digests, mut codes) = (vec![[0; 32]; items], vec![0; items]);
    engine.run(operation, &mut ResultsMut::rows(&mut codes, &mut digests))?;
    Ok(digests)
}
