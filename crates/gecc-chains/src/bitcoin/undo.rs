//! The outputs that a block's inputs spend.
//!
//! In the records of rev files scripts and amounts are compressed as Bitcoin Core's `compressor.h` and `undo.h` say,
//! with the numbers of its `serialize.h` (VARINT).

use bitcoin::consensus::{Decodable, encode};
use bitcoin::hashes::Hash;
use bitcoin::{Amount, PubkeyHash, ScriptBuf, ScriptHash, TxOut, VarInt};
use k256::elliptic_curve::sec1::ToSec1Point;

/// Bytes of the longest script that can be spent; a longer one was made empty.
const LONGEST_SCRIPT: u64 = 10_000;
/// OP_RETURN: what a script becomes that cannot be spent.
const OP_RETURN: u8 = 0x6a;
/// Sizes below this stand for scripts of known forms.
const FORMS: u64 = 6;

/// Outputs one after the other, as blocks have them: as many as there are inputs.
pub fn plain(mut bytes: &[u8], inputs: usize) -> Result<Vec<TxOut>, String> {
    let mut outputs = Vec::with_capacity(inputs);
    while !bytes.is_empty() {
        require_fewer(&outputs, inputs)?;
        outputs.push(TxOut::consensus_decode(&mut bytes).map_err(|problem| problem.to_string())?);
    }
    Ok(outputs)
}

/// More outputs than inputs are not made room for.
fn require_fewer(outputs: &[TxOut], inputs: usize) -> Result<(), String> {
    if outputs.len() < inputs {
        return Ok(());
    }
    Err(format!("the block has {inputs} inputs, and more outputs are said to be spent"))
}

/// Transactions that a record speaks of: all of its block but the coinbase.
pub fn transactions(mut record: &[u8]) -> Result<u64, String> {
    length(&mut record)
}

/// The outputs of a record of a rev file, for the inputs of all transactions one after the other.
pub fn compressed(mut record: &[u8], inputs: usize) -> Result<Vec<TxOut>, String> {
    let mut outputs = Vec::with_capacity(inputs);
    for _ in 0..length(&mut record)? {
        for _ in 0..length(&mut record)? {
            require_fewer(&outputs, inputs)?;
            outputs.push(output(&mut record).ok_or("an output that was spent ends too early or is malformed")?);
        }
    }
    if record.is_empty() {
        Ok(outputs)
    } else {
        Err(format!("{} bytes follow the outputs that were spent", record.len()))
    }
}

fn length(bytes: &mut &[u8]) -> Result<u64, String> {
    let length: Result<VarInt, encode::Error> = Decodable::consensus_decode(bytes);
    length.map(|length| length.0).map_err(|problem| problem.to_string())
}

fn output(bytes: &mut &[u8]) -> Option<TxOut> {
    // The height of the transaction and whether it is a coinbase. Where there is a height a number follows that was a
    // version once.
    let code = number(bytes)?;
    if code >> 1 > 0 {
        number(bytes)?;
    }
    let value = Amount::from_sat(amount(number(bytes)?)?);
    Some(TxOut { value, script_pubkey: script(bytes)? })
}

/// Seven bits a byte, most significant first; all bytes but the last have the high bit and stand for one more.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value: u64 = 0;
    loop {
        let byte = take(bytes, 1)?[0];
        value = value.checked_mul(1 << 7)?.checked_add(u64::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}

/// A number of satoshi from its exponent of ten, last digit and other digits.
fn amount(compressed: u64) -> Option<u64> {
    let Some(rest) = compressed.checked_sub(1) else { return Some(0) };
    let (exponent, rest) = (rest % 10, rest / 10);
    let digits = match exponent {
        // The digit is not zero, and not stored so.
        0..=8 => (rest / 9).checked_mul(10)?.checked_add(rest % 9 + 1)?,
        _ => rest.checked_add(1)?,
    };
    digits.checked_mul(10u64.pow(exponent as u32))
}

fn script(bytes: &mut &[u8]) -> Option<ScriptBuf> {
    match number(bytes)? {
        0 => Some(ScriptBuf::new_p2pkh(&PubkeyHash::from_slice(take(bytes, 20)?).ok()?)),
        1 => Some(ScriptBuf::new_p2sh(&ScriptHash::from_slice(take(bytes, 20)?).ok()?)),
        tag @ 2..=3 => Some(p2pk(&compressed_key(tag as u8, take(bytes, 32)?))),
        tag @ 4..=5 => {
            let key = compressed_key(tag as u8 - 2, take(bytes, 32)?);
            let point = k256::PublicKey::from_sec1_bytes(&key).ok()?;
            Some(p2pk(point.to_sec1_point(false).as_bytes()))
        }
        size if size - FORMS > LONGEST_SCRIPT => {
            take(bytes, usize::try_from(size - FORMS).ok()?)?;
            Some(ScriptBuf::from_bytes(vec![OP_RETURN]))
        }
        size => Some(ScriptBuf::from_bytes(take(bytes, (size - FORMS) as usize)?.to_vec())),
    }
}

fn compressed_key(tag: u8, x: &[u8]) -> Vec<u8> {
    [&[tag], x].concat()
}

/// A push of the key, and OP_CHECKSIG.
fn p2pk(key: &[u8]) -> ScriptBuf {
    const OP_CHECKSIG: u8 = 0xac;
    ScriptBuf::from_bytes([&[key.len() as u8], key, &[OP_CHECKSIG]].concat())
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_in_bitcoin_core() {
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
    fn amounts_as_in_bitcoin_core() {
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
