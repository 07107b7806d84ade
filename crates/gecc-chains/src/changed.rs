//! Encodings that tests change, to be taken or refused by two decoders alike.

use rand::RngExt;
use rand::rngs::StdRng;

/// Changes something behind the first bytes. `telling` are the bytes that decoders decide at.
pub fn change(bytes: &mut Vec<u8>, from: usize, telling: &[u8], random: &mut StdRng) {
    if bytes.len() == from {
        return bytes.push(random.random());
    }
    let place = random.random_range(from..bytes.len());
    match random.random_range(0..6) {
        0 => bytes[place] ^= 1 << random.random_range(0..8),
        1 => bytes[place] = telling[random.random_range(0..telling.len())],
        2 => drop(bytes.remove(place)),
        3 => bytes.insert(place, telling[random.random_range(0..telling.len())]),
        4 => bytes.truncate(place),
        _ => bytes.push(random.random()),
    }
}
