//! Columns of public keys and other points, in the encodings that callers use.

use super::{ByteRows, Point, Rows};
use std::ops::Range;

/// The public keys of a batch, in one of the encodings of SEC 1, section 2.3.3, or x-only as in BIP
/// 340: one per item, or one for all items.
///
/// Calls accept this type and types that convert into it: `&[Point]`, `&[[u8; 33]]`, `&[[u8; 65]]`,
/// `&[[u8; 64]]` and `&[&[u8]]` (octet strings of either form) with one key per item, and `&Point`
/// with one key for all.
#[derive(Clone, Copy, Debug)]
pub struct PublicKeys<'a>(Encoded<'a>);

#[derive(Clone, Copy, Debug)]
enum Encoded<'a> {
    /// Rows of the form's width.
    Rows(KeyRowForm, ByteRows<'a>),
    Sec1(&'a [&'a [u8]]),
    All(&'a [u8]),
}

/// One public key in the caller's encoding. `Ord` and `Hash` group equal encodings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum KeyBytes<'a> {
    /// The x-coordinate of a point with an even y, or a key of Ed25519 or X25519.
    XOnly(&'a [u8; 32]),
    Sec1(&'a [u8]),
    Raw(&'a [u8; 64]),
}

impl<'a> KeyBytes<'a> {
    /// Returns the 32 bytes of a key of Ed25519 or X25519. In columns of mixed forms the key follows
    /// a byte 2, as an x-coordinate does.
    pub fn of_32_bytes(&self) -> Option<&'a [u8; 32]> {
        match *self {
            KeyBytes::XOnly(key) => Some(key),
            KeyBytes::Sec1([2, key @ ..]) => key.try_into().ok(),
            KeyBytes::Sec1(_) | KeyBytes::Raw(_) => None,
        }
    }

    /// Returns the x-coordinate and the parity of y as encoded, or `None` if the encoding is
    /// malformed or the identity.
    pub fn x_and_parity(&self) -> Option<(&'a [u8; 32], bool)> {
        match *self {
            KeyBytes::XOnly(x) => Some((x, false)),
            KeyBytes::Raw(coordinates) => {
                Some((coordinates.first_chunk()?, coordinates.last()? & 1 == 1))
            }
            KeyBytes::Sec1([4, coordinates @ ..]) if coordinates.len() == 64 => {
                Some((coordinates.first_chunk()?, coordinates.last()? & 1 == 1))
            }
            KeyBytes::Sec1([tag @ (2 | 3), x @ ..]) => Some((x.try_into().ok()?, *tag == 3)),
            KeyBytes::Sec1(_) => None,
        }
    }
}

impl<'a> PublicKeys<'a> {
    /// Takes 32 bytes per key: the x-coordinate of a point whose y is even (BIP 340).
    pub fn x_only(keys: impl Into<Rows<'a, 32>>) -> Self {
        PublicKeys(Encoded::Rows(KeyRowForm::XOnly, keys.into().bytes()))
    }

    /// Takes 32 bytes per key: keys of Ed25519 (RFC 8032, section 5.1.2). This is an alias of
    /// [`PublicKeys::x_only`]: the call that uses the keys determines the meaning of the 32 bytes.
    pub fn ed25519(keys: impl Into<Rows<'a, 32>>) -> Self {
        Self::x_only(keys)
    }

    /// Takes 32 bytes per key: u-coordinates, the public keys of X25519 (RFC 7748, section 6.1).
    /// This is an alias of [`PublicKeys::x_only`], as [`PublicKeys::ed25519`] is.
    pub fn x25519(keys: impl Into<Rows<'a, 32>>) -> Self {
        Self::x_only(keys)
    }

    /// Takes 33 bytes per key: `02 || x` or `03 || x`.
    pub fn compressed(keys: impl Into<Rows<'a, 33>>) -> Self {
        PublicKeys(Encoded::Rows(KeyRowForm::Compressed, keys.into().bytes()))
    }

    /// Takes 65 bytes per key: `04 || x || y`.
    pub fn uncompressed(keys: impl Into<Rows<'a, 65>>) -> Self {
        PublicKeys(Encoded::Rows(KeyRowForm::Uncompressed, keys.into().bytes()))
    }

    /// Takes 64 bytes per key: `x || y`, or zeros for the identity.
    pub fn raw(keys: impl Into<Rows<'a, 64>>) -> Self {
        PublicKeys(Encoded::Rows(KeyRowForm::Raw, keys.into().bytes()))
    }

    /// Takes points returned by this crate.
    pub fn points(keys: &'a [Point]) -> Self {
        PublicKeys(Encoded::Rows(
            KeyRowForm::Points,
            Rows::new(Point::rows(keys)).bytes(),
        ))
    }

    /// Takes SEC 1 octet strings of either form, mixed. A wrong length or tag rejects only that
    /// item.
    pub fn sec1(keys: &'a [&'a [u8]]) -> Self {
        PublicKeys(Encoded::Sec1(keys))
    }

    /// Uses one SEC 1 octet string for every item.
    pub fn all(key: &'a [u8]) -> Self {
        PublicKeys(Encoded::All(key))
    }

    /// Takes 65 bytes per key in any form: rows made with [`PublicKeys::mixed_row`]. The first byte
    /// determines how many of the others are read; a row that does not hold a key rejects only that
    /// item.
    ///
    /// ```
    /// use gecc::{CurveId, Engine, PublicKeys, point};
    /// let engine = Engine::cpu()?;
    /// let [compressed, nothing] = [[2; 33].as_slice(), &[]].map(PublicKeys::mixed_row);
    /// let rows = [compressed, nothing, PublicKeys::mixed_row_of_x(&[2; 32])];
    /// let points = point::decode_keys(&engine, CurveId::Secp256k1, rows.len(), PublicKeys::mixed(&rows))?;
    /// assert!(points[0] == points[2] && points[1].is_err());
    /// # Ok::<(), gecc::Error>(())
    /// ```
    pub fn mixed(rows: impl Into<Rows<'a, 65>>) -> Self {
        PublicKeys(Encoded::Rows(KeyRowForm::Mixed, rows.into().bytes()))
    }

    /// Makes a row for [`PublicKeys::mixed`] from a SEC 1 octet string of 33, 65 or 1 bytes, or
    /// from the 64 bytes `x || y`, where zeros are the identity. A key of another length or with a
    /// wrong first byte becomes a row that is marked as malformed.
    pub fn mixed_row(key: &[u8]) -> [u8; 65] {
        let mut row = [0; POINT_ROW];
        write_mixed(
            key.try_into().map_or(KeyBytes::Sec1(key), KeyBytes::Raw),
            &mut row,
        );
        row
    }

    /// Makes a mixed row from the x-coordinate of a point whose y is even (BIP 340), or from a key
    /// of Ed25519 or X25519.
    pub fn mixed_row_of_x(x: &[u8; 32]) -> [u8; 65] {
        let mut row = [0; POINT_ROW];
        write_mixed(KeyBytes::XOnly(x), &mut row);
        row
    }

    /// Returns the number of keys, or `None` for one key for all items.
    pub(crate) fn len(&self) -> Option<usize> {
        match self.0 {
            Encoded::Rows(_, keys) => keys.len(),
            Encoded::Sec1(keys) => Some(keys.len()),
            Encoded::All(_) => None,
        }
    }

    /// Returns the number of keys, or `items` for one key for all items.
    pub(crate) fn len_for(&self, items: usize) -> usize {
        self.len().unwrap_or(items)
    }

    pub(crate) fn get(&self, item: usize) -> KeyBytes<'a> {
        match self.0 {
            Encoded::Rows(form, keys) => form.key(keys.get(item)),
            Encoded::Sec1(keys) => KeyBytes::Sec1(keys[item]),
            Encoded::All(key) => KeyBytes::Sec1(key),
        }
    }

    /// Returns the keys of a range of items. One key for all items is kept.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn slice(&self, items: Range<usize>) -> Self {
        PublicKeys(match self.0 {
            Encoded::Rows(form, keys) => Encoded::Rows(form, keys.slice(items)),
            Encoded::Sec1(keys) => Encoded::Sec1(&keys[items]),
            Encoded::All(key) => Encoded::All(key),
        })
    }

    /// Returns the form of the keys' rows.
    pub(crate) fn form(&self) -> KeyRowForm {
        match self.0 {
            Encoded::Rows(form, _) => form,
            Encoded::Sec1(_) | Encoded::All(_) => KeyRowForm::Mixed,
        }
    }

    /// Returns the keys as rows in their form, if they are stored that way.
    pub(crate) fn rows(&self) -> Option<ByteRows<'a>> {
        match self.0 {
            Encoded::Rows(_, keys) => Some(keys),
            Encoded::Sec1(_) | Encoded::All(_) => None,
        }
    }

    /// Fills `to` with rows of the mixed form, starting at item `start`.
    pub(crate) fn write_mixed_rows(&self, start: usize, to: &mut [u8]) {
        for (offset, row) in to.chunks_exact_mut(POINT_ROW).enumerate() {
            write_mixed(self.get(start + offset), row);
        }
    }
}

// Conversions from columns whose row width determines the encoding.
column_from!(PublicKeys<'a>, points, [] Point);
column_from!(PublicKeys<'a>, compressed, [] [u8; 33]);
column_from!(PublicKeys<'a>, uncompressed, [] [u8; 65]);
column_from!(PublicKeys<'a>, raw, [] [u8; 64]);
column_from!(PublicKeys<'a>, sec1, [] &'a [u8]);

impl<'a> From<&'a Point> for PublicKeys<'a> {
    fn from(key: &'a Point) -> Self {
        PublicKeys::all(key.as_sec1())
    }
}

/// Bytes per row of a point.
pub(crate) const POINT_ROW: usize = 65;

/// Forms of key rows for a device. All rows have one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyRowForm {
    /// 32 bytes in the caller's encoding.
    XOnly,
    /// 33 bytes in the caller's encoding.
    Compressed,
    /// 65 bytes in the caller's encoding.
    Uncompressed,
    /// 64 bytes, `x || y`.
    Raw,
    /// 65 bytes of a [`Point`].
    Points,
    /// 65 bytes: any SEC 1 form, shorter ones padded with zeros.
    Mixed,
}

impl KeyRowForm {
    /// Returns the key in a row of this form.
    fn key(self, row: &[u8]) -> KeyBytes<'_> {
        match self {
            KeyRowForm::XOnly => KeyBytes::XOnly(row.try_into().expect("32 bytes")),
            KeyRowForm::Raw => KeyBytes::Raw(row.try_into().expect("64 bytes")),
            KeyRowForm::Compressed | KeyRowForm::Uncompressed => KeyBytes::Sec1(row),
            // Zeros are the identity, whose octet string is one byte.
            KeyRowForm::Points if row.iter().all(|byte| *byte == 0) => KeyBytes::Sec1(&row[..1]),
            KeyRowForm::Points => KeyBytes::Sec1(row),
            // A row that does not hold a key stays malformed.
            KeyRowForm::Mixed => KeyBytes::Sec1(match row[0] {
                0 => &row[..1],
                2 | 3 => &row[..33],
                _ => row,
            }),
        }
    }
}

/// The first byte of a mixed row that is not a SEC 1 octet string.
const MALFORMED_TAG: u8 = 0xff;

/// Writes a key as a row of 65 bytes.
fn write_mixed(key: KeyBytes, row: &mut [u8]) {
    row.fill(0);
    match key {
        KeyBytes::XOnly(x) => {
            row[0] = 2;
            row[1..33].copy_from_slice(x);
        }
        KeyBytes::Raw(key) => row.copy_from_slice(Point::from_row(key).as_bytes()),
        KeyBytes::Sec1(key) => match (key.first(), key.len()) {
            (Some(0), 1) | (Some(2 | 3), 33) | (Some(4), 65) => {
                row[..key.len()].copy_from_slice(key)
            }
            _ => row[0] = MALFORMED_TAG,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_rows_return_the_written_keys() {
        let lengths = [0, 1, 2, 32, 33, 34, 64, 65, 66];
        let mut keys: Vec<Vec<u8>> = Vec::new();
        for tag in [0, 1, 2, 3, 4, 5, MALFORMED_TAG] {
            let longest = [&[tag][..], &[7; 65]].concat();
            keys.extend(lengths.map(|length| longest[..length].to_vec()));
        }
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let mut rows = vec![[0xee; POINT_ROW]; keys.len()];
        PublicKeys::sec1(&keys).write_mixed_rows(0, rows.as_flattened_mut());
        let mixed = PublicKeys::mixed(&rows);
        for (item, key) in keys.iter().enumerate() {
            let KeyBytes::Sec1(found) = mixed.get(item) else {
                panic!("not raw")
            };
            let is_key = matches!(
                (key.first(), key.len()),
                (Some(0), 1) | (Some(2 | 3), 33) | (Some(4), 65)
            );
            assert!(
                if is_key {
                    found == *key
                } else {
                    found[0] == MALFORMED_TAG
                },
                "{key:?}: {found:?}"
            );
            assert!(
                key.len() == 64 || PublicKeys::mixed_row(key) == rows[item],
                "{key:?}"
            );
        }
        // In `x || y` too, zeros are the identity.
        let raw = [[9; 64], [0; 64]];
        let mut rows = [[0xee; POINT_ROW]; 2];
        PublicKeys::raw(&raw).write_mixed_rows(0, rows.as_flattened_mut());
        assert_eq!(rows, raw.map(|row| *Point::from_row(&row).as_bytes()));
        assert_eq!(rows, raw.map(|row| PublicKeys::mixed_row(&row)));
        let x_only = [[7; 32]];
        PublicKeys::x_only(&x_only).write_mixed_rows(0, &mut rows[0]);
        assert_eq!(rows[0], PublicKeys::mixed_row_of_x(&x_only[0]));
        assert_eq!(
            rows[0],
            PublicKeys::mixed_row(&[&[2][..], &[7; 32]].concat())
        );
        let slice = mixed.slice(3..5);
        assert!(slice.get(0) == mixed.get(3) && slice.len() == Some(2) && slice.rows().is_some());
        assert_eq!(mixed.form(), KeyRowForm::Mixed);
    }

    #[test]
    fn rows_are_the_bytes_of_the_points() {
        let points: Vec<Point> = (1..=5)
            .map(|byte| Point::from_raw(&[byte; 64]))
            .chain([Point::IDENTITY])
            .collect();
        for count in 0..=points.len() {
            let rows = Point::rows(&points[..count]);
            assert!(rows.iter().eq(points[..count].iter().map(Point::as_bytes)));
            let column = PublicKeys::points(&points[..count]).rows().expect("rows");
            assert_eq!(
                (column.items(), column.span()),
                (count, rows.as_flattened())
            );
        }
    }
}
