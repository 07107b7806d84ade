//! Elements and outputs of a batch.

use super::group::{Bytes, Group};
use super::mode::length_bytes;
use super::suite::Suite;
use crate::cpu::CHUNK;
use crate::engine::Engine;
use crate::host::stack;
use crate::types::{Error, Rejection, Verdict, result_of};
use sha2::Digest;
use std::fmt;
use zeroize::Zeroizing;

/// The blinded or evaluated elements of a batch, or the reason of the rejection, per item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements<S: Suite> {
    rows: Vec<S::Element>,
    codes: Vec<u8>,
}

impl<S: Suite> Elements<S> {
    /// Collects elements: `compute` writes one and a code per item.
    pub(super) fn compute(
        items: usize,
        compute: impl FnOnce(&mut [S::Element], &mut [u8]) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut rows = vec![S::Element::ZERO; items];
        let mut codes = vec![0; items];
        compute(&mut rows, &mut codes)?;
        // An engine leaves arbitrary bytes of rejected items.
        for (row, code) in rows.iter_mut().zip(&codes) {
            if *code != Verdict::VALID_CODE {
                *row = S::Element::ZERO;
            }
        }
        Ok(Elements { rows, codes })
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Returns `true` if there are no items.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Returns the element of an item.
    ///
    /// # Errors
    /// The reason why the item was rejected.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn get(&self, item: usize) -> Result<&S::Element, Rejection> {
        result_of(self.codes[item]).map(|()| &self.rows[item])
    }

    /// Iterates over the items in input order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<&S::Element, Rejection>> {
        (0..self.len()).map(|item| self.get(item))
    }

    /// Returns the elements of all items. Those of rejected items are zeros.
    pub fn rows(&self) -> &[S::Element] {
        &self.rows
    }

    /// Returns the codes of all items: [`Verdict::VALID_CODE`], or that of a [`Rejection`].
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// Returns the elements of all items. Those of rejected items are zeros.
    pub fn into_rows(self) -> Vec<S::Element> {
        self.rows
    }
}

/// The outputs of a batch, or the reason of the rejection, per item.
///
/// Wiped when dropped; `Debug` omits the outputs, which are as secret as the protocol makes them.
pub struct Outputs<S: Suite> {
    rows: Zeroizing<Vec<S::Output>>,
    codes: Vec<u8>,
}

impl<S: Suite> Outputs<S> {
    /// Hashes inputs with their elements (`Finalize`, RFC 9497, section 3.3.1). `evaluate` writes an
    /// element and a code per item, and elements are wiped: together with an input, one determines
    /// the output.
    pub(super) fn compute<M: AsRef<[u8]> + Sync>(
        engine: &Engine,
        inputs: &[M],
        evaluate: impl FnOnce(&mut [S::Element], &mut [u8]) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut elements = Zeroizing::new(vec![S::Element::ZERO; inputs.len()]);
        let mut codes = vec![0; inputs.len()];
        evaluate(&mut elements, &mut codes)?;
        let mut rows = Zeroizing::new(vec![S::Output::ZERO; inputs.len()]);
        let chunks = rows.chunks_mut(CHUNK).enumerate().collect();
        let pool = &engine.devices()?.cpu.pool;
        pool.for_each(chunks, |(chunk, rows): (usize, &mut [S::Output])| {
            stack::wiped(|| {
                for (item, row) in (chunk * CHUNK..).zip(rows) {
                    if codes[item] == Verdict::VALID_CODE {
                        hash::<S::Group>(inputs[item].as_ref(), &elements[item], row);
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
    pub fn get(&self, item: usize) -> Result<&S::Output, Rejection> {
        result_of(self.codes[item]).map(|()| &self.rows[item])
    }

    /// Iterates over the items in input order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<&S::Output, Rejection>> {
        (0..self.len()).map(|item| self.get(item))
    }

    /// Returns the outputs of all items. Those of rejected items are zeros.
    pub fn rows(&self) -> &[S::Output] {
        &self.rows
    }

    /// Returns the codes of all items: [`Verdict::VALID_CODE`], or that of a [`Rejection`].
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }
}

impl<S: Suite> fmt::Debug for Outputs<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outputs")
            .field("items", &self.len())
            .finish_non_exhaustive()
    }
}

fn hash<G: Group>(input: &[u8], element: &G::Element, output: &mut G::Output) {
    let element = element.as_ref();
    let hash = G::Hash::new()
        .chain_update(length_bytes(input.len()))
        .chain_update(input)
        .chain_update(length_bytes(element.len()))
        .chain_update(element)
        .chain_update(b"Finalize");
    let output = output.as_mut().try_into().expect("as long as the hash");
    hash.finalize_into(output);
}
