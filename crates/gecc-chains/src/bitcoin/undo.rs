//! The outputs that a block's inputs spend.
//!
//! Bitcoin Core's REST interface returns them by transaction (`SerializeBlockUndo` of its
//! `rest.cpp`), and the records of rev files have the same structure. In the latter, scripts and
//! amounts are compressed as in Bitcoin Core's `compressor.h` and `undo.h`, with the numbers of its
//! `serialize.h` (VARINT).

use super::block::{BlockOffset, SpentOutputs};
use super::encoding::{self, array, put_number, sized};
use super::instructions::{
    LONGEST_SCRIPT, OP_CHECKSIG, OP_DUP, OP_EQUAL, OP_EQUALVERIFY, OP_HASH160, OP_RETURN,
};
use k256::elliptic_curve::sec1::ToSec1Point;

/// Sizes below this denote scripts of known forms.
const FORMS: u64 = 6;

/// Parses consecutive outputs in the encoding of blocks, one for each input.
pub fn plain(bytes: Vec<u8>, inputs: usize) -> Result<SpentOutputs, String> {
    let mut rest = bytes.as_slice();
    let mut places = vec![0];
    while !rest.is_empty() {
        require_fewer(&places, inputs)?;
        array::<8>(&mut rest).and_then(|_| sized(&mut rest))?;
        places.push((bytes.len() - rest.len()) as BlockOffset);
    }
    Ok(SpentOutputs::new(bytes, places))
}

/// Requires that there are not more outputs than inputs, before memory is reserved for them. There
/// is one place more than outputs so far.
fn require_fewer(places: &[BlockOffset], inputs: usize) -> Result<(), String> {
    if places.len() <= inputs {
        return Ok(());
    }
    Err(format!(
        "the block has {inputs} inputs, but more spent outputs are given"
    ))
}

/// Parses a list of lists of outputs: the number of transactions, and for each transaction the
/// number of its outputs and the outputs. `read` parses one output, and writes it in the encoding
/// of blocks.
pub fn by_transaction(
    mut lists: &[u8],
    inputs: usize,
    read: fn(&mut &[u8], &mut Vec<u8>) -> Option<()>,
) -> Result<SpentOutputs, String> {
    let mut bytes = Vec::new();
    let mut places = vec![0];
    for _ in 0..encoding::number(&mut lists)? {
        for _ in 0..encoding::number(&mut lists)? {
            require_fewer(&places, inputs)?;
            read(&mut lists, &mut bytes)
                .ok_or("an output that was spent ends too early or is malformed")?;
            places.push(bytes.len() as BlockOffset);
        }
    }
    if lists.is_empty() {
        Ok(SpentOutputs::new(bytes, places))
    } else {
        Err(format!(
            "{} bytes follow the outputs that were spent",
            lists.len()
        ))
    }
}

/// Returns the length of the rev file's record at the start of `record`, which other bytes may
/// follow.
///
/// # Errors
/// The reason why there is no record. An output that is malformed is also reported as one that ends
/// too early.
pub fn extent(record: &[u8]) -> encoding::Result<usize> {
    let mut rest = record;
    let mut output = Vec::new();
    for _ in 0..encoding::number(&mut rest)? {
        for _ in 0..encoding::number(&mut rest)? {
            output.clear();
            compressed_output(&mut rest, &mut output).ok_or(encoding::ENDS_EARLY)?;
        }
    }
    Ok(record.len() - rest.len())
}

/// Copies an output in the encoding of blocks.
pub fn output(lists: &mut &[u8], to: &mut Vec<u8>) -> Option<()> {
    let from = *lists;
    array::<8>(lists).and_then(|_| sized(lists)).ok()?;
    to.extend_from_slice(&from[..from.len() - lists.len()]);
    Some(())
}

/// Decompresses an output of a rev file.
pub fn compressed_output(bytes: &mut &[u8], to: &mut Vec<u8>) -> Option<()> {
    // The height of the transaction, and whether it is a coinbase. If there is a height, a number
    // follows that once was a version.
    let code = number(bytes)?;
    if code >> 1 > 0 {
        number(bytes)?;
    }
    to.extend_from_slice(&amount(number(bytes)?)?.to_le_bytes());
    script(bytes, to)
}

/// Reads a number of seven bits per byte, most significant first; all bytes but the last have the
/// high bit set, and their value is one higher.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value: u64 = 0;
    loop {
        let byte = take(bytes, 1)?[0];
        value = value
            .checked_mul(1 << 7)?
            .checked_add(u64::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}

/// Decodes an amount in satoshis, compressed into its exponent of ten, its last digit and the other
/// digits.
fn amount(compressed: u64) -> Option<u64> {
    let Some(rest) = compressed.checked_sub(1) else {
        return Some(0);
    };
    let exponent = rest % 10;
    let rest = rest / 10;
    let digits = match exponent {
        // The digit is not zero, so it is stored minus one.
        0..=8 => (rest / 9).checked_mul(10)?.checked_add(rest % 9 + 1)?,
        _ => rest.checked_add(1)?,
    };
    digits.checked_mul(10u64.pow(exponent as u32))
}

fn script(bytes: &mut &[u8], to: &mut Vec<u8>) -> Option<()> {
    match number(bytes)? {
        0 => put(
            to,
            &[
                &[OP_DUP, OP_HASH160, 20],
                take(bytes, 20)?,
                &[OP_EQUALVERIFY, OP_CHECKSIG],
            ],
        ),
        1 => put(to, &[&[OP_HASH160, 20], take(bytes, 20)?, &[OP_EQUAL]]),
        tag @ 2..=3 => put(to, &[&[33, tag as u8], take(bytes, 32)?, &[OP_CHECKSIG]]),
        tag @ 4..=5 => {
            let key = [&[tag as u8 - 2], take(bytes, 32)?].concat();
            let point = k256::PublicKey::from_sec1_bytes(&key).ok()?;
            put(
                to,
                &[&[65], point.to_sec1_point(false).as_bytes(), &[OP_CHECKSIG]],
            );
        }
        // It cannot be spent, and is stored empty.
        size if size - FORMS > LONGEST_SCRIPT => {
            take(bytes, size - FORMS)?;
            put(to, &[&[OP_RETURN]]);
        }
        size => put(to, &[take(bytes, size - FORMS)?]),
    }
    Some(())
}

/// Writes the parts of a script after their total length.
fn put(to: &mut Vec<u8>, parts: &[&[u8]]) {
    put_number(parts.iter().map(|part| part.len()).sum(), |number| {
        to.extend_from_slice(number)
    });
    parts.iter().for_each(|part| to.extend_from_slice(part));
}

fn take<'a>(bytes: &mut &'a [u8], count: u64) -> Option<&'a [u8]> {
    encoding::take(bytes, count).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_equal_those_of_bitcoin_core() {
        // The examples above `ReadVarInt` in Bitcoin Core's serialize.h.
        let cases: [(&[u8], u64); 8] = [
            (&[0], 0),
            (&[1], 1),
            (&[0x7f], 127),
            (&[0x80, 0], 128),
            (&[0x80, 0x7f], 255),
            (&[0x81, 0], 256),
            (&[0x82, 0xfe, 0x7f], 65535),
            (&[0x8e, 0xfe, 0xfe, 0xff, 0], 1 << 32),
        ];
        for (bytes, expected) in cases {
            let mut rest = bytes;
            assert_eq!((number(&mut rest), rest.len()), (Some(expected), 0));
        }
        assert_eq!(number(&mut &[0xff; 11][..]), None);
        assert_eq!(number(&mut &[0x80][..]), None);
    }

    #[test]
    fn amounts_equal_those_of_bitcoin_core() {
        // src/test/compress_tests.cpp.
        let cases = [
            (0, 0),
            (1, 1),
            (7, 1_000_000),
            (9, 100_000_000),
            (0x32, 5_000_000_000),
            (0x1406f40, 2_100_000_000_000_000),
        ];
        for (compressed, expected) in cases {
            assert_eq!(amount(compressed), Some(expected), "{compressed}");
        }
        assert_eq!(amount(u64::MAX), None);
    }
}
