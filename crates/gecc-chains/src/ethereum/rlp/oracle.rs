//! Differential tests of the decoder and the encoder against alloy's: the accepted encodings, their
//! values, and the reasons for rejection.

use super::*;
use alloy_primitives::U256;
use alloy_rlp::{Decodable, Encodable, Error, Header};
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use std::fmt::Debug;

/// Number of generated encodings, and of mutations of each.
const MADE: usize = 20_000;
const CHANGED: usize = 9;
/// Lengths of payloads: at the limits of every form, of numbers and of fields.
const LENGTHS: [usize; 20] = [
    0, 1, 2, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33, 54, 55, 56, 57, 255, 256, 65_536,
];
/// The byte values at which decoders branch.
const TELLING: [u8; 16] = [
    0, 1, 0x37, 0x38, 0x7f, 0x80, 0x81, 0x88, 0x94, 0xa0, 0xb7, 0xb8, 0xbf, 0xc0, 0xf7, 0xf8,
];

/// Returns our reasons that correspond to an error.
fn reasons(error: Error) -> &'static [&'static str] {
    match error {
        // Where both apply, alloy's choice depends on the type.
        Error::Overflow | Error::LeadingZero => &[TOO_LARGE, LEADING_ZERO],
        Error::InputTooShort => &[MISSING, CUT],
        Error::NonCanonicalSingleByte => &[NOT_BARE],
        Error::NonCanonicalSize => &[NOT_SHORT],
        Error::UnexpectedLength => &[OTHER_LENGTH],
        Error::UnexpectedString => &[NO_LIST],
        Error::UnexpectedList => &[NO_STRING],
        Error::ListLengthMismatch { .. } | Error::Custom(_) => &[],
    }
}

/// Runs both decoders on the same bytes, and requires that they agree. Returns the value, if they
/// accept it.
fn same<'a, T: PartialEq + Debug>(
    bytes: &'a [u8],
    ours: impl Fn(&mut &'a [u8]) -> Result<T>,
    theirs: impl Fn(&mut &'a [u8]) -> alloy_rlp::Result<T>,
) -> Option<T> {
    let mut our_rest = bytes;
    let mut their_rest = bytes;
    match (ours(&mut our_rest), theirs(&mut their_rest)) {
        (Ok(found), Ok(expected)) => {
            assert_eq!(
                (&found, our_rest),
                (&expected, their_rest),
                "{}",
                const_hex::encode(bytes)
            );
            Some(found)
        }
        (Err(why), Err(error)) if reasons(error).contains(&why) => None,
        (found, expected) => panic!("{found:?} and {expected:?}: {}", const_hex::encode(bytes)),
    }
}

fn header<'a>(rest: &mut &'a [u8]) -> alloy_rlp::Result<(bool, &'a [u8])> {
    let Header {
        list,
        payload_length,
    } = Header::decode(rest)?;
    Ok((
        list,
        rest.split_off(..payload_length)
            .expect("a header fits its payload"),
    ))
}

fn decode<T: Decodable>(rest: &mut &[u8]) -> alloy_rlp::Result<T> {
    T::decode(rest)
}

/// Takes a number.
fn taken<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N]> {
    let mut number = [0; N];
    super::number(rest, &mut number).map(|()| number)
}

/// Decodes bytes as each possible type, and returns the number of types that accept them.
fn compare(bytes: &[u8]) -> usize {
    let read = same(
        bytes,
        |rest| item(rest).map(|item| (item.is_list, item.payload)),
        header,
    );
    if let Some((true, items)) = read {
        compare(items);
    }
    let all = [
        read.is_some(),
        same(bytes, string, |rest| Header::decode_bytes(rest, false)).is_some(),
        same(bytes, list, |rest| Header::decode_bytes(rest, true)).is_some(),
        same(bytes, |rest| taken(rest).map(u8::from_be_bytes), decode).is_some(),
        same(bytes, |rest| taken(rest).map(u64::from_be_bytes), decode).is_some(),
        same(bytes, |rest| taken(rest).map(u128::from_be_bytes), decode).is_some(),
        same(
            bytes,
            |rest| taken(rest).map(U256::from_be_bytes::<32>),
            decode,
        )
        .is_some(),
        same(bytes, |rest| fixed(rest).copied(), decode::<[u8; 20]>).is_some(),
        same(bytes, |rest| fixed(rest).copied(), decode::<[u8; 32]>).is_some(),
    ];
    all.iter().filter(|is_taken| **is_taken).count()
}

/// Generates a string, a number or a list, which both have to encode alike.
fn made(random: &mut StdRng, depth: usize) -> Vec<u8> {
    let mut payload = vec![0; LENGTHS[random.random_range(0..LENGTHS.len() - depth.min(1))]];
    random.fill_bytes(&mut payload);
    let mut found = Vec::new();
    let mut expected = Vec::new();
    match random.random_range(0..3) {
        0 => {
            put_string(&payload, &mut found);
            payload.as_slice().encode(&mut expected);
        }
        1 => {
            let number: U256 =
                U256::from_be_bytes(random.random::<[u8; 32]>()) >> random.random_range(0..=256);
            put_number(&number.to_be_bytes(), &mut found);
            number.encode(&mut expected);
            if let Ok(number) = u128::try_from(number) {
                let mut again = Vec::new();
                put_integer(number, &mut again);
                assert_eq!(again, expected);
            }
            if let Ok(number) = u64::try_from(number) {
                assert_eq!(length_of_integer(number), expected.len());
            }
        }
        _ => {
            if depth < 3 {
                payload = (0..random.random_range(0..5))
                    .flat_map(|_| made(random, depth + 1))
                    .collect();
            }
            put_list(&payload, &mut found);
            Header {
                list: true,
                payload_length: payload.len(),
            }
            .encode(&mut expected);
            expected.extend(payload);
        }
    }
    assert_eq!(found, expected);
    found
}

fn change(bytes: &mut Vec<u8>, random: &mut StdRng) {
    // Most mutations are in the header before the payload.
    let most = if random.random() { 4 } else { usize::MAX };
    let place = random.random_range(0..bytes.len().min(most));
    let telling = TELLING[random.random_range(0..TELLING.len())];
    match random.random_range(0..6) {
        0 => bytes[place] ^= 1 << random.random_range(0..8),
        1 => bytes[place] = telling,
        2 => bytes.insert(place, telling),
        3 => drop(bytes.remove(place)),
        4 => bytes.truncate(place),
        _ => bytes.extend([random.random::<u8>(); 60]),
    }
}

/// Generates a first byte, a few digits, and about as many bytes after them as these may state.
fn raw(random: &mut StdRng) -> Vec<u8> {
    let digits = random.random_range(0..4);
    let mut bytes: Vec<u8> = (0..digits)
        .map(|_| TELLING[random.random_range(0..TELLING.len())])
        .collect();
    bytes.insert(0, random.random());
    bytes.resize(bytes.len() + random.random_range(0..300), random.random());
    bytes
}

#[test]
fn accepted_encodings_equal_those_of_alloy() {
    let seed = rand::random();
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let mut taken = 0;
    let mut refused = 0;
    for _ in 0..MADE {
        let encoded = made(&mut random, 0);
        assert!(compare(&encoded) > 0);
        for _ in 0..CHANGED {
            let mut changed = encoded.clone();
            change(&mut changed, &mut random);
            for bytes in [changed, raw(&mut random)] {
                if compare(&bytes) > 0 {
                    taken += 1;
                } else {
                    refused += 1;
                }
            }
        }
    }
    println!("{taken} taken, {refused} refused");
    assert!(taken > 50_000 && refused > 50_000);
    // Every first byte, followed by every second byte.
    for first in 0..=u16::MAX {
        for length in [0, 1, 2, 60] {
            compare(&[&first.to_be_bytes()[..], &vec![0x80; length]].concat());
        }
    }
}

fn require_refusal(bytes: &[u8], why: &str) {
    assert_eq!(item(&mut &*bytes).map(|item| item.is_list).err(), Some(why));
}

#[test]
fn malformed_items_are_rejected_with_reason() {
    require_refusal(&[], MISSING);
    for bytes in [
        &[0x82, 1][..],
        &[0xb8],
        &[0xb9, 1],
        &[0xb8, 56],
        &[0xc1],
        &[0xbf; 9],
        &[0xff; 9],
    ] {
        require_refusal(bytes, CUT);
    }
    require_refusal(&[0x81, 0x7f], NOT_BARE);
    for bytes in [[0xb8, 55].as_slice(), &[0xf8, 1, 0x80]] {
        require_refusal(bytes, NOT_SHORT);
    }
    require_refusal(&[0xb9, 0, 56], LEADING_ZERO);
    assert_eq!(taken::<8>(&mut &[0][..]), Err(LEADING_ZERO));
    assert_eq!(taken::<1>(&mut &[0x82, 1, 0][..]), Err(TOO_LARGE));
    assert_eq!(fixed::<2>(&mut &[0x81, 0x80][..]), Err(OTHER_LENGTH));
    assert_eq!(
        (string(&mut &[0xc0][..]), list(&mut &[0x80][..])),
        (Err(NO_STRING), Err(NO_LIST))
    );
    assert_eq!(end(&[0x80]), Err(NOT_EMPTY));
}
