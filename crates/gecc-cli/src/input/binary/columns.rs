//! The columns of rows in memory.

use super::layout::{FieldPlace, RowLayout};
use gecc::call::{Columns, Contents};
use gecc::fields::Field;
use gecc::{PublicKeys, Rows, SecretKeys};

/// Returns the first rows in memory, which are complete, as columns. Fields that the layout lacks
/// are empty. Recovery ids that have no byte of their own are the first of `parities`.
pub fn columns<'a>(
    layout: &'a RowLayout,
    memory: &'a [u8],
    parities: &'a [u8],
    rows: usize,
) -> Columns<'a> {
    let of = Strided {
        layout,
        memory,
        rows,
    };
    Columns {
        contents: Contents::Digests(of.field(Field::Digest)),
        signatures: of.field(Field::Signature),
        public_keys: of.public_keys(),
        // Recovery ids are numbers from 0, even if signatures have a v.
        recovery_ids: match layout.has_parities() {
            true => Rows::new(parities.get(..rows).unwrap_or_default().as_chunks().0),
            false => of.field(Field::RecoveryId),
        },
        secret_keys: SecretKeys::rows(of.field(Field::SecretKey)),
        ..Columns::default()
    }
}

struct Strided<'a> {
    layout: &'a RowLayout,
    memory: &'a [u8],
    rows: usize,
}

impl<'a> Strided<'a> {
    /// Returns the public keys in the encoding that the width implies.
    fn public_keys(&self) -> PublicKeys<'a> {
        let width = self.layout.place(Field::PublicKey).map(|place| place.width);
        match width {
            Some(32) => PublicKeys::x_only(self.field::<32>(Field::PublicKey)),
            Some(64) => PublicKeys::raw(self.field::<64>(Field::PublicKey)),
            Some(65) => PublicKeys::uncompressed(self.field::<65>(Field::PublicKey)),
            _ => PublicKeys::compressed(self.field::<33>(Field::PublicKey)),
        }
    }

    fn field<const W: usize>(&self, field: Field) -> Rows<'a, W> {
        let Some(FieldPlace { offset, .. }) = self.layout.place(field) else {
            return Rows::new(&[]);
        };
        let column = Rows::strided(&self.memory[offset..], self.layout.width(), self.rows);
        column.expect("the memory has the rows, and these the field")
    }
}
