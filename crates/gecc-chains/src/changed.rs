//! Random changes of encodings, for tests in which two decoders have to agree on accepting or
//! rejecting them.

use rand::RngExt;
use rand::rngs::StdRng;

/// Changes bytes at or after `from`. `telling` are the byte values at which decoders branch.
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
