//! The outputs of the function.

use super::mode::length_bytes;
use super::{ELEMENT_BYTES, Element};
use crate::cpu::CHUNK;
use crate::engine::Engine;
use crate::host::stack;
use crate::types::{Error, Rejection, Verdict, result_of};
use sha2::{Digest, Sha256};
use std::fmt;
use zeroize::Zeroizing;

/// The outputs of a batch, 32 bytes each, or the reason of the rejection, per item.
///
/// Wiped when dropped; `Debug` omits the outputs, which are as secret as the protocol makes them.
pub struct Outputs {
    rows: Zeroizing<Vec<[u8; 32]>>,
    codes: Vec<u8>,
}

impl Outputs {
    /// Hashes inputs with their elements (`Finalize`, RFC 9497, section 3.3.1). `evaluate` writes an
    /// element and a code per item, and elements are wiped: together with an input, one determines
    /// the output.
    pub(super) fn compute<M: AsRef<[u8]> + Sync>(
        engine: &Engine,
        inputs: &[M],
        evaluate: impl FnOnce(&mut [u8], &mut [u8]) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut elements = Zeroizing::new(vec![[0; ELEMENT_BYTES]; inputs.len()]);
        let mut codes = vec![0; inputs.len()];
        evaluate(elements.as_flattened_mut(), &mut codes)?;
        let mut rows = Zeroizing::new(vec![[0; 32]; inputs.len()]);
        let chunks = rows.chunks_mut(CHUNK).enumerate().collect();
        let pool = &engine.devices()?.cpu.pool;
        pool.for_each(chunks, |(chunk, rows): (usize, &mut [[u8; 32]])| {
            stack::wiped(|| {
                for (item, row) in (chunk * CHUNK..).zip(rows) {
                    if codes[item] == Verdict::VALID_CODE {
                        hash(inputs[item].as_ref(), &elements[item], row);
                    }
                }
            })
        });
        Ok(Outputs { rows, codes })
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Returns `true` if there are no items.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Returns the output of an item.
    ///
    /// # Errors
    /// The reason why the item was rejected.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn get(&self, item: usize) -> Result<&[u8; 32], Rejection> {
        result_of(self.codes[item]).map(|()| &self.rows[item])
    }

    /// Iterates over the items in input order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<&[u8; 32], Rejection>> {
        (0..self.len()).map(|item| self.get(item))
    }

    /// Returns the outputs of all items. Those of rejected items are zeros.
    pub fn rows(&self) -> &[[u8; 32]] {
        &self.rows
    }

    /// Returns the codes of all items: [`Verdict::VALID_CODE`], or that of a [`Rejection`].
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }
}

impl fmt::Debug for Outputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outputs")
            .field("items", &self.len())
            .finish_non_exhaustive()
    }
}

fn hash(input: &[u8], element: &Element, output: &mut [u8; 32]) {
    let hash = Sha256::new()
        .chain_update(length_bytes(input.len()))
        .chain_update(input)
        .chain_update(length_bytes(ELEMENT_BYTES))
        .chain_update(element)
        .chain_update(b"Finalize");
    hash.finalize_into(output.into());
}
