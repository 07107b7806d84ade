//! Files of records: consecutive blocks and headers before all bodies, with right and wrong indexes
//! and accumulators.

use super::hostile::{compressed, record, version};
use super::made::list;
use super::real::{check, check_with};
use crate::support::{data, file};
use gecc_chains::ethereum::{Answer, Options, Reason};
use gecc_chains::{BlockRange, Problem, Settings};
use std::io::Read;

/// Blocks that do not follow one another, so that an index cannot be right about all their numbers.
const BLOCKS: [u64; 6] = [
    17_034_870, 19_426_587, 22_431_081, 22_431_082, 22_431_083, 22_431_086,
];
const HEADER: u16 = 3;
const BODY: u16 = 4;
const DIFFICULTY: u16 = 6;
const ACCUMULATOR: u16 = 7;
const INDEX: u16 = 0x3266;
const DYNAMIC_INDEX: u16 = 0x3267;

/// The records of a file: their types and their data.
fn records(name: &str) -> Vec<(u16, Vec<u8>)> {
    let bytes = std::fs::read(data(name)).unwrap();
    let mut rest = bytes.as_slice();
    let mut found = Vec::new();
    while let [low, high, a, b, c, d, _, _, after @ ..] = rest {
        let (content, after) = after.split_at(u32::from_le_bytes([*a, *b, *c, *d]) as usize);
        found.push((u16::from_le_bytes([*low, *high]), content.to_vec()));
        rest = after;
    }
    found
}

/// The data of all records of a type.
fn of_type(records: &[(u16, Vec<u8>)], wanted: u16) -> Vec<Vec<u8>> {
    records
        .iter()
        .filter(|(kind, _)| *kind == wanted)
        .map(|(_, content)| content.clone())
        .collect()
}

fn file_of(records: &[(u16, Vec<u8>)]) -> Vec<u8> {
    records
        .iter()
        .flat_map(|(kind, content)| record(*kind, content))
        .collect()
}

/// The parts of a file with all headers before the bodies.
#[derive(Clone)]
struct Ere {
    headers: Vec<Vec<u8>>,
    bodies: Vec<Vec<u8>>,
    /// The records after the bodies.
    others: Vec<u8>,
    first: u64,
    index: u16,
}

impl Ere {
    fn new() -> Self {
        let records = records("made-postmerge.e2s");
        // The three consecutive blocks.
        let of_group = |kind: u16| of_type(&records, kind)[2..5].to_vec();
        let headers = of_group(HEADER);
        let bodies = of_group(BODY);
        Ere {
            headers,
            bodies,
            others: Vec::new(),
            first: BLOCKS[2],
            index: DYNAMIC_INDEX,
        }
    }

    fn without_index(&self) -> (Vec<u8>, Vec<[u64; 2]>) {
        let mut bytes = version();
        let mut add = |kind: u16, content: &Vec<u8>| {
            let place = bytes.len() as u64;
            bytes.extend(record(kind, content));
            place
        };
        let headers: Vec<u64> = self
            .headers
            .iter()
            .map(|header| add(HEADER, header))
            .collect();
        let bodies: Vec<u64> = self.bodies.iter().map(|body| add(BODY, body)).collect();
        bytes.extend(&self.others);
        (
            bytes,
            headers
                .into_iter()
                .zip(bodies)
                .map(|(header, body)| [header, body])
                .collect(),
        )
    }

    /// Returns the file with a matching index.
    fn bytes(&self) -> Vec<u8> {
        let (mut bytes, places) = self.without_index();
        let index = bytes.len() as u64;
        let offsets = places
            .iter()
            .flatten()
            .map(|place| place.wrapping_sub(index));
        let words = [self.first]
            .into_iter()
            .chain(offsets)
            .chain([2, places.len() as u64]);
        let words: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        bytes.extend(record(self.index, &words));
        bytes
    }
}

fn of_bytes(settings: &Settings, bytes: &[u8]) -> (Vec<Answer>, Vec<Problem>) {
    let (_folder, path) = file(bytes);
    check_with(settings, &[path], &Options::default())
}

fn of_block(answers: &[Answer], block: u64) -> Vec<Answer> {
    answers
        .iter()
        .filter(|answer| answer.block == Some(block))
        .cloned()
        .collect()
}

fn require_problem(problems: &[Problem], what: &str) {
    assert!(
        problems.len() == 1 && problems[0].what.contains(what),
        "{what}: {problems:?}"
    );
}

/// Every body is matched with its own header.
pub fn all_headers_first(settings: &Settings) {
    let all = check(settings, &[data("made-postmerge.e2s")]);
    let expected: Vec<Answer> = all
        .into_iter()
        .filter(|answer| (BLOCKS[2]..=BLOCKS[4]).contains(&answer.block.unwrap()))
        .collect();
    let ere = Ere::new();
    let early = Ere {
        index: INDEX,
        ..ere.clone()
    };
    // Receipts and unknown records are skipped.
    let others = Ere {
        others: [record(0x0a, b"receipts"), record(0x0b, b"proof")].concat(),
        ..ere.clone()
    };
    for form in [
        ere.bytes(),
        early.bytes(),
        others.bytes(),
        [ere.bytes(), early.bytes()].concat(),
    ] {
        let (found, problems) = of_bytes(settings, &form);
        assert_eq!(problems, []);
        assert_eq!(&found[..expected.len()], expected);
    }
    // Blocks are chosen by their own numbers.
    for block in &BLOCKS[2..5] {
        let (_folder, path) = file(&ere.bytes());
        let options = Options {
            blocks: BlockRange {
                from: Some(*block),
                to: Some(*block),
            },
            ..Options::default()
        };
        let (found, problems) = check_with(settings, &[path], &options);
        assert_eq!(problems, []);
        assert!(!found.is_empty() && found == of_block(&expected, *block));
    }
}

/// Headers of blocks that are not consecutive: only the index does not match them.
pub fn headers_of_blocks_apart(settings: &Settings) {
    let records = records("made-postmerge.e2s");
    let headers = of_type(&records, HEADER);
    let bodies = of_type(&records, BODY);
    let apart = Ere {
        headers,
        bodies,
        first: BLOCKS[0],
        ..Ere::new()
    };
    let expected = check(settings, &[data("made-postmerge.e2s")]);
    for (first, what) in [
        (
            BLOCKS[0],
            "the header of block 19426587 follows that of 17034870",
        ),
        (0, "begins with block 0"),
    ] {
        let (found, problems) = of_bytes(
            settings,
            &Ere {
                first,
                ..apart.clone()
            }
            .bytes(),
        );
        assert_eq!(found, expected);
        require_problem(&problems, what);
    }
}

/// Misplaced bodies: none is matched with another header.
pub fn bodies_in_other_places(settings: &Settings) {
    let ere = Ere::new();
    let (expected, problems) = of_bytes(settings, &ere.bytes());
    assert_eq!(problems, []);
    let numbers = &BLOCKS[2..5];
    let require = |bodies: Vec<Vec<u8>>, lost: &[u64], order: &[u64]| {
        let (found, problems) = of_bytes(
            settings,
            &Ere {
                bodies,
                ..ere.clone()
            }
            .bytes(),
        );
        assert!(!problems.is_empty());
        let of_order: Vec<Answer> = order
            .iter()
            .flat_map(|block| of_block(&expected, *block))
            .collect();
        assert!(found == of_order, "{lost:?} {order:?} {problems:?}");
    };
    let [a, b, c] = [0, 1, 2].map(|place: usize| ere.bodies[place].clone());
    let [first, second, third] = [0, 1, 2].map(|place: usize| numbers[place]);
    require(
        vec![b.clone(), a.clone(), c.clone()],
        &[],
        &[second, first, third],
    );
    require(vec![b.clone(), c.clone()], &[first], &[second, third]);
    require(vec![a.clone(), c.clone()], &[second], &[first, third]);
    require(vec![a.clone(), b.clone()], &[third], &[first, second]);
    // A body that belongs to none of the blocks.
    let other = of_type(&records("made-premerge.era1"), BODY)[0].clone();
    require(
        vec![a.clone(), other.clone(), c.clone()],
        &[second],
        &[first, third],
    );
    require(
        vec![a.clone(), other, b.clone(), c.clone()],
        &[],
        &[first, second, third],
    );
    // A damaged body in an intact record.
    let mut damaged = b.clone();
    *damaged.last_mut().unwrap() ^= 1;
    require(
        vec![a.clone(), damaged, c.clone()],
        &[second],
        &[first, third],
    );
    require(vec![a, vec![0xff; 9], c], &[second], &[first, third]);
}

/// A record with a wrong length: the rest is found with the index, and each body by its root.
pub fn damaged_records_among_bodies(settings: &Settings) {
    let ere = Ere::new();
    let whole = ere.bytes();
    let (expected, _) = of_bytes(settings, &whole);
    let (_, places) = ere.without_index();
    for (block, [header, body]) in places.iter().enumerate() {
        for (place, lie) in [
            (body, 5_u32),
            (body, u32::MAX),
            (header, 5),
            (header, u32::MAX),
        ] {
            let mut bytes = whole.clone();
            bytes[*place as usize + 2..][..4].copy_from_slice(&lie.to_le_bytes());
            let (found, problems) = of_bytes(settings, &bytes);
            assert!(!problems.is_empty() && found.iter().all(|answer| expected.contains(answer)));
            // The others are there, but where the only header before the damage may have been of a
            // block alone.
            if place == body {
                for other in (0..3).filter(|other| *other != block) {
                    assert_eq!(
                        of_block(&found, BLOCKS[2 + other]),
                        of_block(&expected, BLOCKS[2 + other])
                    );
                }
            }
        }
    }
}

/// A truncated file is never taken for a complete one.
pub fn files_cut_between_records(settings: &Settings) {
    let ere = Ere::new();
    let whole = ere.bytes();
    let (expected, _) = of_bytes(settings, &whole);
    let (without, places) = ere.without_index();
    let ends = places
        .iter()
        .flatten()
        .copied()
        .skip(1)
        .chain([without.len() as u64]);
    for end in ends {
        let (found, problems) = of_bytes(settings, &whole[..end as usize]);
        assert!(
            problems.iter().any(|problem| problem
                .what
                .contains("the index of the preceding blocks is missing")),
            "{end}"
        );
        assert!(found.iter().all(|answer| expected.contains(answer)));
    }
    assert!(of_bytes(settings, &without).0 == expected);
    // era1, of which each group is a file of its own.
    let records = records("made-premerge.era1");
    let group: Vec<_> = records
        .iter()
        .position(|(kind, _)| *kind == INDEX)
        .map(|index| records[..=index].to_vec())
        .unwrap();
    let expected = of_bytes(settings, &file_of(&group)).0;
    for end in 3..group.len() {
        let (found, problems) = of_bytes(settings, &file_of(&group[..end]));
        assert_eq!(found, expected);
        require_problem(&problems, "the index of the preceding blocks is missing");
        // Before another group, too.
        let (found, problems) = of_bytes(
            settings,
            &[file_of(&group[..end]), file_of(&group)].concat(),
        );
        assert_eq!(found.len(), 2 * expected.len());
        require_problem(&problems, "the index of the preceding blocks is missing");
        // And the version of another.
        let (_, problems) = of_bytes(settings, &[file_of(&group), version()].concat());
        require_problem(&problems, "the index of the preceding blocks is missing");
    }
}

/// An index or an accumulator of era1 that does not match the records.
pub fn indexes_and_accumulators_that_lie(settings: &Settings) {
    let records = records("mainnet-00000-first16.era1");
    assert_eq!(of_bytes(settings, &file_of(&records)).1, []);
    let changed = |kind: u16, which: usize, change: &dyn Fn(&mut Vec<u8>)| {
        let mut records = records.clone();
        let mut of_kind = records.iter_mut().filter(|(of, _)| *of == kind);
        change(&mut of_kind.nth(which).unwrap().1);
        of_bytes(settings, &file_of(&records)).1
    };
    let index = |word: usize, value: u64| {
        move |content: &mut Vec<u8>| content[8 * word..][..8].copy_from_slice(&value.to_le_bytes())
    };
    require_problem(
        &changed(INDEX, 0, &index(0, 1)),
        "begins with block 1, and the first header is of 0",
    );
    require_problem(
        &changed(INDEX, 0, &index(1, 0)),
        "has the header of block 0 at byte 7489, and it is at 8",
    );
    require_problem(
        &changed(INDEX, 0, &index(5, u64::MAX)),
        "has the header of block 4 at byte 7488",
    );
    require_problem(
        &changed(INDEX, 0, &index(16, i64::MIN as u64)),
        "outside of the file",
    );
    require_problem(
        &changed(INDEX, 0, &index(17, 17)),
        "fits no number of blocks",
    );
    let fewer = |content: &mut Vec<u8>| {
        content.drain(8..16);
        content[8 * 16..].copy_from_slice(&15_u64.to_le_bytes());
    };
    require_problem(&changed(INDEX, 0, &fewer), "15 blocks, and 16 were found");
    let flip = |content: &mut Vec<u8>| content[3] ^= 4;
    require_problem(&changed(ACCUMULATOR, 0, &flip), "the accumulator is 0x");
    require_problem(&changed(DIFFICULTY, 7, &flip), "the accumulator is 0x");
    let without = |left_out: u16| {
        let mut records = records.clone();
        records.retain(|(kind, _)| *kind != left_out);
        let end = records.len() - 1;
        // The offsets that belong to it.
        let mut places = Vec::new();
        let mut place = 0;
        for (kind, content) in &records[..end] {
            if *kind == HEADER {
                places.push(place);
            }
            place += 8 + content.len() as u64;
        }
        let words = [0]
            .into_iter()
            .chain(places.iter().map(|header| header.wrapping_sub(place)))
            .chain([16]);
        records[end].1 = words.flat_map(u64::to_le_bytes).collect();
        of_bytes(settings, &file_of(&records)).1
    };
    require_problem(&without(ACCUMULATOR), "there is no accumulator");
    require_problem(&without(DIFFICULTY), "total difficulties are missing");
    // A header of another block of the chain.
    let other = of_type(&records, HEADER)[3].clone();
    let problems = changed(HEADER, 7, &|content| *content = other.clone());
    assert!(!problems.is_empty());
}

/// Total difficulties and an accumulator after all bodies, as in files from before the merge.
pub fn accumulators_after_all_bodies(settings: &Settings) {
    let records = records("mainnet-00000-first16.era1");
    let [headers, bodies, difficulties, accumulator] =
        [HEADER, BODY, DIFFICULTY, ACCUMULATOR].map(|kind| of_type(&records, kind));
    let problems_with = |difficulties: &[Vec<u8>], accumulator: &[u8]| {
        let mut others: Vec<u8> = difficulties
            .iter()
            .flat_map(|content| record(DIFFICULTY, content))
            .collect();
        others.extend(record(ACCUMULATOR, accumulator));
        let headers = headers.clone();
        let bodies = bodies.clone();
        of_bytes(
            settings,
            &Ere {
                headers,
                bodies,
                others,
                first: 0,
                index: DYNAMIC_INDEX,
            }
            .bytes(),
        )
        .1
    };
    assert_eq!(problems_with(&difficulties, &accumulator[0]), []);
    require_problem(
        &problems_with(&difficulties[1..], &accumulator[0]),
        "total difficulties are missing",
    );
    require_problem(
        &problems_with(&difficulties, &[7; 32]),
        "the accumulator is 0x",
    );
}

/// Headers with proofs, as in E2HS.
pub fn headers_with_proofs(settings: &Settings) {
    let expected = check(settings, &[data("made-postmerge.e2s")]);
    let records = records("made-postmerge.e2s");
    let with_proof = |header: &[u8], start: u32| {
        let mut plain = Vec::new();
        snap::read::FrameDecoder::new(header)
            .read_to_end(&mut plain)
            .unwrap();
        let end = 8 + plain.len() as u32;
        compressed(
            &[
                &start.to_le_bytes()[..],
                &end.to_le_bytes(),
                &plain,
                b"a proof",
            ]
            .concat(),
        )
    };
    let make = |start: u32| {
        let mut bytes = version();
        let mut places = Vec::new();
        for (header, body) in of_type(&records, HEADER)
            .iter()
            .zip(of_type(&records, BODY))
            .skip(2)
            .take(3)
        {
            places.push(bytes.len() as u64);
            bytes.extend(
                [
                    record(0x0103, &with_proof(header, start)),
                    record(BODY, &body),
                ]
                .concat(),
            );
        }
        let index = bytes.len() as u64;
        let words = [BLOCKS[2]]
            .into_iter()
            .chain(places.iter().map(|place| place.wrapping_sub(index)))
            .chain([3]);
        bytes.extend(record(
            INDEX,
            &words.flat_map(u64::to_le_bytes).collect::<Vec<u8>>(),
        ));
        of_bytes(settings, &bytes)
    };
    let (found, problems) = make(8);
    assert_eq!(problems, []);
    assert!(found.iter().all(|answer| expected.contains(answer)) && found.len() > 300);
    let (found, problems) = make(9);
    assert!(
        found.is_empty()
            && problems
                .iter()
                .any(|problem| problem.what.contains("not a header with a proof"))
    );
}

/// A body of era1 that does not belong to the header before it.
pub fn bodies_of_other_blocks(settings: &Settings) {
    let mut records = records("made-premerge.era1");
    let expected = check(settings, &[data("made-premerge.era1")]);
    let bodies = of_type(&records, BODY);
    let mut of_kind = records.iter_mut().filter(|(kind, _)| *kind == BODY);
    // The body of another block, and one without transactions.
    of_kind.next().unwrap().1.clone_from(&bodies[1]);
    of_kind.next().unwrap().1 = compressed(&list(&[list(&[]), list(&[])].concat()));
    let (found, problems) = of_bytes(settings, &file_of(&records));
    let [first, second] = [1_150_000, 1_920_000].map(|block: u64| of_block(&found, block));
    assert!(
        first.len() == 4
            && first
                .iter()
                .all(|answer| answer.reason == Some(Reason::OtherRoot)),
        "{first:?}"
    );
    assert!(second.is_empty());
    let roots: Vec<&Problem> = problems
        .iter()
        .filter(|problem| problem.what.contains("its transactions have root"))
        .collect();
    assert_eq!(roots.len(), 2, "{problems:?}");
    assert!(
        roots[0].what.starts_with("block 1150000: ")
            && roots[1].what.starts_with("block 1920000: ")
    );
    for block in [2_675_000, 12_244_000, 12_965_000] {
        assert_eq!(of_block(&found, block), of_block(&expected, block));
    }
}

/// The transactions of a block of a file, by alloy's parser of RLP.
pub fn transactions_of(name: &str, number: u64) -> Vec<Vec<u8>> {
    let records = records(name);
    let plain = |content: &Vec<u8>| {
        let mut plain = Vec::new();
        snap::read::FrameDecoder::new(content.as_slice())
            .read_to_end(&mut plain)
            .unwrap();
        plain
    };
    let is_of_number = |header: &Vec<u8>| {
        let mut fields = alloy_rlp::Header::decode_bytes(&mut header.as_slice(), true).unwrap();
        for _ in 0..8 {
            alloy_rlp::Header::decode_bytes(&mut fields, false).unwrap();
        }
        <u64 as alloy_rlp::Decodable>::decode(&mut fields).unwrap() == number
    };
    let block = of_type(&records, HEADER)
        .iter()
        .map(plain)
        .position(|header| is_of_number(&header))
        .unwrap();
    let body = plain(&of_type(&records, BODY)[block]);
    let mut parts = alloy_rlp::Header::decode_bytes(&mut body.as_slice(), true).unwrap();
    let mut list = alloy_rlp::Header::decode_bytes(&mut parts, true).unwrap();
    let mut found = Vec::new();
    while !list.is_empty() {
        let whole = list;
        let is_list = whole[0] >= 0xc0;
        let payload = alloy_rlp::Header::decode_bytes(&mut list, is_list).unwrap();
        found.push(
            if is_list {
                &whole[..whole.len() - list.len()]
            } else {
                payload
            }
            .to_vec(),
        );
    }
    found
}
