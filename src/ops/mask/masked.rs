//! The results of masking.

use super::Form;
use crate::types::{Rejection, Verdict, result_of};
use std::fmt;

/// Masked points in one [`Form`], or the reason of the rejection, per item.
#[derive(Clone, PartialEq, Eq)]
pub struct Masked {
    form: Form,
    rows: Vec<u8>,
    codes: Vec<u8>,
}

impl Masked {
    pub(super) fn new(form: Form, items: usize) -> Self {
        Masked {
            form,
            rows: vec![0; form.width() * items],
            codes: vec![0; items],
        }
    }

    pub(super) fn columns(&mut self) -> (&mut [u8], &mut [u8]) {
        (&mut self.rows, &mut self.codes)
    }

    /// Clears the rows of rejected items, of which an engine leaves arbitrary bytes.
    pub(super) fn clear_rejected(&mut self) {
        let rows = self.rows.chunks_exact_mut(self.form.width());
        for (row, code) in rows.zip(&self.codes) {
            if *code != Verdict::VALID_CODE {
                row.fill(0);
            }
        }
    }

    /// Returns the form of the points.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Returns `true` if there are no items.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Returns the point of an item, [`Form::width`] bytes.
    ///
    /// # Errors
    /// The reason why the item was rejected.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn get(&self, item: usize) -> Result<&[u8], Rejection> {
        let width = self.form.width();
        result_of(self.codes[item]).map(|()| &self.rows[item * width..][..width])
    }

    /// Iterates over the items in input order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<&[u8], Rejection>> {
        (0..self.len()).map(|item| self.get(item))
    }

    /// Returns the rows of all items, [`Form::width`] bytes each. Rows of rejected items are zeros.
    pub fn rows(&self) -> &[u8] {
        &self.rows
    }

    /// Returns the codes of all items: [`Verdict::VALID_CODE`], or that of a [`Rejection`].
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// Returns the rows and the codes as columns.
    pub fn into_columns(self) -> (Vec<u8>, Vec<u8>) {
        (self.rows, self.codes)
    }
}

impl fmt::Debug for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Masked")
            .field("form", &self.form)
            .field("items", &self.len())
            .finish_non_exhaustive()
    }
}
