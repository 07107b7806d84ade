//! Rows that threads share.

/// Parts of some rows, one behind the other, of this many each.
pub fn split<T>(rows: &mut [T], counts: impl IntoIterator<Item = usize>) -> impl Iterator<Item = &mut [T]> {
    let mut rest = rows;
    counts.into_iter().map(move |count| rest.split_off_mut(..count).expect("as many rows as all parts have"))
}
