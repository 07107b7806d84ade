//! The columns of rows in memory.

use super::layout::{Field, Layout, Place};
use gecc::{PublicKeys, Rows};

/// Some rows as columns. One that the layout does not have is empty.
pub struct StridedColumns<'a> {
    layout: &'a Layout,
    memory: &'a [u8],
    rows: usize,
}

impl<'a> StridedColumns<'a> {
    /// Of the first rows in the memory, which has them whole.
    pub fn new(layout: &'a Layout, memory: &'a [u8], rows: usize) -> Self {
        StridedColumns { layout, memory, rows }
    }

    /// 32 bytes each.
    pub fn digests(&self) -> Rows<'a, 32> {
        self.of_field(Field::Digest)
    }

    /// r || s.
    pub fn signatures(&self) -> Rows<'a, 64> {
        self.of_field(Field::Signature)
    }

    /// Numbers from 0, also where signatures have a v.
    pub fn recovery_ids(&self) -> Rows<'a, 1> {
        self.of_field(Field::RecoveryId)
    }

    /// Big-endian.
    pub fn secret_keys(&self) -> Rows<'a, 32> {
        self.of_field(Field::SecretKey)
    }

    /// In the encoding that the width says.
    pub fn public_keys(&self) -> PublicKeys<'a> {
        let width = self.layout.place(Field::PublicKey).map(|place| place.width);
        match width {
            Some(32) => PublicKeys::x_only(self.of_field::<32>(Field::PublicKey)),
            Some(64) => PublicKeys::raw(self.of_field::<64>(Field::PublicKey)),
            Some(65) => PublicKeys::uncompressed(self.of_field::<65>(Field::PublicKey)),
            _ => PublicKeys::compressed(self.of_field::<33>(Field::PublicKey)),
        }
    }

    fn of_field<const W: usize>(&self, field: Field) -> Rows<'a, W> {
        let Some(Place { offset, .. }) = self.layout.place(field) else { return Rows::new(&[]) };
        let column = Rows::strided(&self.memory[offset..], self.layout.width(), self.rows);
        column.expect("the memory has the rows, and these the field")
    }
}
