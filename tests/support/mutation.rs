//! Valid signatures, about half of them changed in one of many ways.

use super::random::Random;
use super::scheme::{Item, Scheme, concatenate, halves, signed};

/// Valid items, about half of which are then changed.
pub fn mutated<S: Scheme>(random: &mut Random, count: usize) -> Vec<Item> {
    let valid: Vec<Item> = signed::<S>(random, count, count / 3)
        .into_iter()
        .map(|signed| signed.item)
        .collect();
    (0..count)
        .map(|index| mutate(random, index, &valid))
        .collect()
}

fn mutate(random: &mut Random, index: usize, valid: &[Item]) -> Item {
    let mut item = valid[index].clone();
    let other = &valid[random.below(valid.len())];
    let (r, s) = halves(&item.signature);
    match random.below(20) {
        0 => random.flip_bit(&mut item.digest),
        1 => random.flip_bit(&mut item.signature),
        2 => random.flip_bit(&mut item.key),
        3 => item.signature = concatenate(&s, &r),
        4 => item.signature = concatenate(&r, &r),
        5 => item.signature = concatenate(&r, &[0; 32]),
        6 => item.signature = concatenate(&[0xff; 32], &s),
        7 => item.key.clone_from(&other.key),
        8 => item.digest = other.digest,
        9 => item.signature = other.signature,
        // The key's negative.
        10 => item.key = compress(&item.key, 1),
        // The same key, compressed.
        11 => item.key = compress(&item.key, 0),
        _ => {}
    }
    item
}

fn compress(key: &[u8], flip: u8) -> Vec<u8> {
    let mut compressed = key[..33].to_vec();
    compressed[0] = 2 + ((key[64] & 1) ^ flip);
    compressed
}
