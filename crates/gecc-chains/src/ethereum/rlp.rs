//! RLP (yellow paper, appendix B): consecutive items, each a string or a list, parsed in place.
//!
//! Only the canonical form of each item is accepted: a string of one byte below 0x80 is that byte,
//! a length of at most 55 is in the first byte, and neither longer lengths nor numbers begin with a
//! zero.

#[cfg(test)]
mod oracle;

/// A result whose error is the reason why the encoding is invalid.
pub type Result<T> = std::result::Result<T, &'static str>;

/// The first byte of an empty string. A byte below it is a string of its own.
pub const EMPTY_STRING: u8 = 0x80;
/// The first byte of an empty list. Strings begin with lower bytes.
pub const EMPTY_LIST: u8 = 0xc0;
/// The longest payload whose length is in the first byte.
const SHORT: usize = 55;

const MISSING: &str = "an item is missing";
const CUT: &str = "an item is longer than the remaining bytes";
const LEADING_ZERO: &str = "a number or a length begins with a zero";
const NOT_BARE: &str = "a byte below 0x80 has a length";
const NOT_SHORT: &str = "a length below 56 is in the long form";
const NO_STRING: &str = "a list where a string has to be";
const NO_LIST: &str = "a string where a list has to be";
const TOO_LARGE: &str = "a number is too large";
const OTHER_LENGTH: &str = "a string has another length than its field";
const NOT_EMPTY: &str = "a list has more than its fields";

/// A string or a list.
pub struct Item<'a> {
    pub is_list: bool,
    pub payload: &'a [u8],
}

/// Takes the first item.
#[inline]
pub fn item<'a>(items: &mut &'a [u8]) -> Result<Item<'a>> {
    let (first, mut rest) = items.split_first().ok_or(MISSING)?;
    if *first < EMPTY_STRING {
        *items = rest;
        return Ok(Item {
            is_list: false,
            payload: std::slice::from_ref(first),
        });
    }
    let is_list = *first >= EMPTY_LIST;
    // The two bits before these are 10 for strings and 11 for lists.
    let length = match usize::from(first & 0x3f) {
        length @ ..=SHORT => length,
        more => long_length(more - SHORT, &mut rest)?,
    };
    let (payload, rest) = rest.split_at_checked(length).ok_or(CUT)?;
    if !is_list && is_bare(payload) {
        return Err(NOT_BARE);
    }
    *items = rest;
    Ok(Item { is_list, payload })
}

/// Takes a length that is encoded in `bytes` bytes.
fn long_length(bytes: usize, rest: &mut &[u8]) -> Result<usize> {
    let digits = rest.split_off(..bytes).ok_or(CUT)?;
    if digits[0] == 0 {
        return Err(LEADING_ZERO);
    }
    let length = digits
        .iter()
        .fold(0, |sum, digit| sum << 8 | u64::from(*digit));
    if length <= SHORT as u64 {
        Err(NOT_SHORT)
    } else {
        usize::try_from(length).map_err(|_| CUT)
    }
}

/// Returns whether a string is its own encoding.
fn is_bare(string: &[u8]) -> bool {
    matches!(string, [0..EMPTY_STRING])
}

/// Takes a string.
#[inline]
pub fn string<'a>(items: &mut &'a [u8]) -> Result<&'a [u8]> {
    let Item { is_list, payload } = item(items)?;
    if is_list { Err(NO_STRING) } else { Ok(payload) }
}

/// Takes a string of `N` bytes.
#[inline]
pub fn fixed<'a, const N: usize>(items: &mut &'a [u8]) -> Result<&'a [u8; N]> {
    string(items)?.try_into().map_err(|_| OTHER_LENGTH)
}

/// Takes the digits of a number of at most `most` bytes, big-endian.
#[inline]
pub fn digits<'a>(items: &mut &'a [u8], most: usize) -> Result<&'a [u8]> {
    let digits = string(items)?;
    if digits.len() > most {
        return Err(TOO_LARGE);
    }
    if digits.first() == Some(&0) {
        return Err(LEADING_ZERO);
    }
    Ok(digits)
}

/// Takes a number of at most `N` bytes, big-endian, into an array of zeros. It is written to its
/// destination, because a returned `Result` with the value would be moved byte by byte.
#[inline]
pub fn number<const N: usize>(items: &mut &[u8], to: &mut [u8; N]) -> Result<()> {
    let digits = digits(items, N)?;
    // Most numbers of 32 bytes have 32 digits, and a copy of constant length is much faster.
    if let Ok(number) = digits.try_into() {
        *to = number;
    } else {
        to[N - digits.len()..].copy_from_slice(digits);
    }
    Ok(())
}

/// Takes an integer of at most `most` bytes, at most 16.
#[inline]
pub fn integer(items: &mut &[u8], most: usize) -> Result<u128> {
    Ok(digits(items, most)?
        .iter()
        .fold(0, |integer, digit| integer << 8 | u128::from(*digit)))
}

/// Takes a list, and returns its items.
#[inline]
pub fn list<'a>(items: &mut &'a [u8]) -> Result<&'a [u8]> {
    let Item { is_list, payload } = item(items)?;
    if is_list { Ok(payload) } else { Err(NO_LIST) }
}

/// Ends a list: no items may be left.
pub fn end(items: &[u8]) -> Result<()> {
    if items.is_empty() {
        Ok(())
    } else {
        Err(NOT_EMPTY)
    }
}

/// Appends a string.
pub fn put_string(string: &[u8], to: &mut Vec<u8>) {
    if !is_bare(string) {
        put_length(EMPTY_STRING, string.len(), to);
    }
    to.extend_from_slice(string);
}

/// Appends an integer.
pub fn put_integer(number: impl Into<u128>, to: &mut Vec<u8>) {
    let number = number.into();
    put_string(
        &number.to_be_bytes()[number.leading_zeros() as usize / 8..],
        to,
    );
}

/// Returns the number of bytes of an encoded integer.
pub fn length_of_integer(number: impl Into<u128>) -> usize {
    let number = number.into();
    let digits = 16 - number.leading_zeros() as usize / 8;
    digits + usize::from(!(1..EMPTY_STRING.into()).contains(&number))
}

/// Returns the number of bytes of an encoded string of at most 55 bytes.
pub fn length_of_string(string: &[u8]) -> usize {
    string.len() + usize::from(!is_bare(string))
}

/// Returns the number of bytes of an encoded string of any length.
pub fn length_of_any_string(string: &[u8]) -> usize {
    if is_bare(string) {
        1
    } else {
        length_of_list(string.len())
    }
}

/// Returns the number of bytes of an encoded list whose items have `items` bytes.
pub fn length_of_list(items: usize) -> usize {
    let digits = if items <= SHORT {
        0
    } else {
        size_of::<usize>() - items.leading_zeros() as usize / 8
    };
    1 + digits + items
}

/// Returns a number without leading zeros.
pub fn significant(number: &[u8]) -> &[u8] {
    &number[number.iter().take_while(|byte| **byte == 0).count()..]
}

/// Appends a number, big-endian.
pub fn put_number(number: &[u8; 32], to: &mut Vec<u8>) {
    put_string(significant(number), to);
}

/// Appends a list of these items.
pub fn put_list(items: &[u8], to: &mut Vec<u8>) {
    put_list_length(items.len(), to);
    to.extend_from_slice(items);
}

/// Appends the header of a list whose items have `length` bytes.
pub fn put_list_length(length: usize, to: &mut Vec<u8>) {
    put_length(EMPTY_LIST, length, to);
}

fn put_length(empty: u8, length: usize, to: &mut Vec<u8>) {
    if length <= SHORT {
        to.push(empty + length as u8);
        return;
    }
    let bytes = length.to_be_bytes();
    let digits = &bytes[length.leading_zeros() as usize / 8..];
    to.push(empty + (SHORT + digits.len()) as u8);
    to.extend_from_slice(digits);
}
