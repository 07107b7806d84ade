//! Batches in which keys repeat: an engine may compute those from tables of the keys, whose size
//! depends on how often a key occurs. The verdicts must not.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_ecdsa;
use crate::support::neighbours::{Case, case, check};
use crate::support::random::Random;
use crate::support::reference::{decode_key, encode};
use crate::support::scheme::{Ecdsa, Item, Scheme, signed};
use gecc::{Engine, Rejection, Verdict};

/// Items of one key, every tenth of them with a wrong digest.
fn of_one_key<S: Scheme>(random: &mut Random, uses: usize) -> Vec<Case<Item, Verdict>> {
    signed::<S>(random, uses, 1)
        .into_iter()
        .map(|signed| signed.item)
        .enumerate()
        .map(|(index, mut item)| {
            let wrong = index % 10 == 3;
            item.digest[0] ^= u8::from(wrong);
            case(
                "repeated",
                item,
                if wrong {
                    Verdict::Rejected(Rejection::Mismatch)
                } else {
                    Verdict::Valid
                },
            )
        })
        .collect()
}

/// An invalid key, used some times.
fn of_bad_key<S: Scheme>(random: &mut Random, uses: usize) -> Vec<Case<Item, Verdict>> {
    let mut cases = of_one_key::<S>(random, uses);
    for case in &mut cases {
        case.input.key[64] ^= 1;
        case.expected = Verdict::Rejected(Rejection::NotOnCurve);
    }
    cases
}

fn verify<S: Scheme>(engine: &Engine, cases: &[Case<Item, Verdict>], layout: &str) {
    check(
        &cases.iter().collect::<Vec<_>>(),
        &|items: &[Item]| S::verify(engine, items),
        layout,
    );
}

#[apply(on_every_engine)]
fn keys_that_occur_up_to_200_times_keep_their_verdicts(engine: &Engine) {
    each_ecdsa!(every_count(engine));
}

pub fn every_count<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    let items = of_one_key::<S>(&mut random, 200);
    for uses in 2..=200 {
        verify::<S>(engine, &items[..uses], &format!("one key, {uses} times"));
    }
    // Keys of all counts in one batch, in random order.
    let mut mixed = Vec::new();
    for uses in (1..=40).chain([100, 150, 200]) {
        mixed.extend(of_one_key::<S>(&mut random, uses));
    }
    mixed.extend(of_bad_key::<S>(&mut random, 30));
    random.shuffle(&mut mixed);
    verify::<S>(engine, &mixed, "keys of every count");
}

/// Counts at which the CPU engine takes a window of each size from 4 to 10, all in one batch.
#[apply(on_every_engine)]
fn tables_of_every_size_keep_verdicts(engine: &Engine) {
    each_ecdsa!(table_sizes(engine));
}

pub fn table_sizes<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    let counts = [
        1, 2, 3, 5, 6, 10, 25, 27, 59, 61, 164, 166, 345, 346, 1108, 1110, 1962, 2500,
    ];
    let mut items = Vec::new();
    for uses in counts {
        items.extend(of_one_key::<S>(&mut random, uses));
    }
    items.extend(of_bad_key::<S>(&mut random, 400));
    random.shuffle(&mut items);
    verify::<S>(engine, &items, "keys for tables of every size");
}

/// One key compressed and not, in turn, and its negative: equal in all but a bit, or all but y.
#[apply(on_every_engine)]
fn equal_keys_in_different_encodings_keep_their_verdicts(engine: &Engine) {
    each_ecdsa!(encodings(engine));
}

pub fn encodings<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    let mut items = of_one_key::<S>(&mut random, 300);
    let key = decode_key::<S::C>(&items[0].input.key).expect("a key");
    let negated = encode::<S::C>(&-key);
    for (index, case) in items.iter_mut().enumerate() {
        let parity = case.input.key[64] & 1;
        let compressed = |tag| [&[tag][..], &case.input.key[1..33]].concat();
        match index % 4 {
            0 => case.input.key = compressed(2 + parity),
            1 => {
                case.input.key = compressed(3 - parity);
                case.expected = Verdict::Rejected(Rejection::Mismatch);
            }
            2 => {
                case.input.key = negated.as_sec1().to_vec();
                case.expected = Verdict::Rejected(Rejection::Mismatch);
            }
            _ => {}
        }
    }
    verify::<S>(
        engine,
        &items,
        "one key in two encodings, and its negative in both",
    );
}
