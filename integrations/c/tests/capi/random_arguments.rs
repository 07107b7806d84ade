//! Random arguments at the boundary: each call is refused or answered as its arguments deserve, and
//! touches no memory but its results.
//!
//! Runs for some seconds; `GECC_FUZZ_SECONDS` sets another time.

use super::{Handle, NO_DATA, cpu, last_error};
use crate::capi::ecdsa::*;
use crate::capi::keys::*;
use crate::capi::masking::{gecc_mask_points, gecc_unmask_points};
use crate::capi::memory::{GeccKeys, GeccRows};
use crate::capi::point::*;
use crate::capi::sm2::{gecc_sm2_sign, gecc_sm2_verify};
use crate::capi::status::GeccStatus;
use crate::capi::sums::*;
use crate::capi::x25519::gecc_x25519;
use crate::random::Random;
use rand::RngExt;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

/// All columns lie in one arena, so that they often overlap. No valid column leaves it.
const ARENA: usize = 4096;
const LARGEST_OFFSET: usize = 2800;
const MOST_ITEMS: usize = 6;
const LARGEST_STRIDE: usize = 200;

/// A column by its place in the arena, or at null.
#[derive(Clone, Copy, Debug)]
struct Column {
    offset: Option<usize>,
    stride: usize,
    width: usize,
}

impl Column {
    fn random(random: &mut Random, width: usize) -> Self {
        let offset = random
            .random_ratio(15, 16)
            .then(|| random.random_range(0..LARGEST_OFFSET));
        let stride = match random.random_range(0..16) {
            0 => 0,
            1 => random.random_range(0..LARGEST_STRIDE),
            2 => [usize::MAX, usize::MAX / 2, usize::MAX / 2 + 1][random.random_range(0..3)],
            _ => width + random.random_range(0..20),
        };
        Column {
            offset,
            stride,
            width,
        }
    }

    /// One that is written.
    fn tight(random: &mut Random, width: usize) -> Self {
        Column {
            stride: width,
            ..Self::random(random, width)
        }
    }

    /// Where it lies, if it is one that a call can take.
    fn span(&self, items: usize) -> Option<(usize, usize)> {
        let Some(others) = items.checked_sub(1) else {
            return Some((0, 0));
        };
        if self.stride != 0 && self.stride < self.width {
            return None;
        }
        let bytes = others.checked_mul(self.stride)?.checked_add(self.width)?;
        (bytes <= ARENA).then_some(())?;
        self.offset.map(|offset| (offset, offset + bytes))
    }

    fn at(&self, arena: *mut u8) -> *mut u8 {
        self.offset
            .map_or(null_mut(), |offset| arena.wrapping_add(offset))
    }
}

/// An operation by the widths of its columns. A width of 0 is that of points in the call's
/// encoding.
struct Shape {
    reads: &'static [usize],
    writes: &'static [usize],
    /// Whether it takes a curve, and is not for that of SM2.
    curve: Option<bool>,
    /// Whether it writes a row and a code for all items together.
    is_sum: bool,
    call: fn(&Call) -> GeccStatus,
}

/// Arguments.
struct Call {
    engine: *const crate::capi::engine::GeccEngine,
    curve: i32,
    encoding: i32,
    items: usize,
    reads: Vec<GeccRows>,
    writes: Vec<*mut u8>,
    codes: *mut u8,
}

impl Call {
    fn keys(&self, column: usize) -> GeccKeys {
        let GeccRows { data, stride } = self.reads[column];
        GeccKeys {
            data,
            stride,
            encoding: self.encoding,
        }
    }
}

const SHAPES: [Shape; 17] = [
    Shape {
        reads: &[32, 64, 0],
        writes: &[],
        curve: Some(true),
        is_sum: false,
        call: |c| unsafe {
            gecc_ecdsa_verify(
                c.engine,
                c.curve,
                c.items,
                c.reads[0],
                c.reads[1],
                c.keys(2),
                0,
                c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 32],
        writes: &[64],
        curve: Some(true),
        is_sum: false,
        call: |c| unsafe {
            gecc_ecdsa_sign(
                c.engine,
                c.curve,
                c.items,
                c.reads[0],
                c.reads[1],
                NO_DATA,
                0,
                c.writes[0],
                c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 32],
        writes: &[64, 1],
        curve: Some(true),
        is_sum: false,
        call: |c| unsafe {
            let [digests, keys] = [c.reads[0], c.reads[1]];
            let [signatures, ids] = [c.writes[0], c.writes[1]];
            gecc_ecdsa_sign_recoverable(
                c.engine, c.curve, c.items, digests, keys, NO_DATA, 0, signatures, ids, c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 64, 1],
        writes: &[64],
        curve: Some(true),
        is_sum: false,
        call: |c| unsafe {
            let [digests, signatures, ids] = [c.reads[0], c.reads[1], c.reads[2]];
            gecc_ecdsa_recover(
                c.engine,
                c.curve,
                c.items,
                digests,
                signatures,
                ids,
                c.writes[0],
                c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 64, 1, 0],
        writes: &[],
        curve: Some(true),
        is_sum: false,
        call: |c| unsafe {
            let [digests, signatures, ids] = [c.reads[0], c.reads[1], c.reads[2]];
            gecc_ecdsa_verify_recoverable(
                c.engine,
                c.curve,
                c.items,
                digests,
                signatures,
                ids,
                c.keys(3),
                0,
                c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 64, 1, 0],
        writes: &[64],
        curve: Some(true),
        is_sum: false,
        call: |c| unsafe {
            let [digests, signatures, ids] = [c.reads[0], c.reads[1], c.reads[2]];
            let (candidates, keys) = (c.keys(3), c.writes[0]);
            gecc_ecdsa_recover_with_candidates(
                c.engine, c.curve, c.items, digests, signatures, ids, candidates, keys, c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 64, 0],
        writes: &[],
        curve: None,
        is_sum: false,
        call: |c| unsafe {
            gecc_sm2_verify(
                c.engine,
                c.items,
                c.reads[0],
                c.reads[1],
                c.keys(2),
                c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 32],
        writes: &[64],
        curve: None,
        is_sum: false,
        call: |c| unsafe {
            gecc_sm2_sign(
                c.engine,
                c.items,
                c.reads[0],
                c.reads[1],
                NO_DATA,
                c.writes[0],
                c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 0],
        writes: &[32],
        curve: Some(false),
        is_sum: false,
        call: |c| unsafe {
            gecc_ecdh_secrets(
                c.engine,
                c.curve,
                c.items,
                c.reads[0],
                c.keys(1),
                c.writes[0],
                c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 0],
        writes: &[64],
        curve: Some(false),
        is_sum: false,
        call: |c| unsafe {
            gecc_ecdh_points(
                c.engine,
                c.curve,
                c.items,
                c.reads[0],
                c.keys(1),
                c.writes[0],
                c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 32],
        writes: &[32],
        curve: None,
        is_sum: false,
        call: |c| unsafe {
            gecc_x25519(
                c.engine,
                0,
                c.items,
                c.reads[0],
                c.reads[1],
                c.writes[0],
                c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 0],
        writes: &[33],
        curve: Some(false),
        is_sum: false,
        call: |c| unsafe {
            gecc_mask_points(
                c.engine,
                c.curve,
                c.items,
                c.reads[0],
                c.keys(1),
                33,
                c.writes[0],
                c.codes,
            )
        },
    },
    Shape {
        reads: &[32, 0],
        writes: &[12],
        curve: Some(false),
        is_sum: false,
        call: |c| unsafe {
            gecc_unmask_points(
                c.engine,
                c.curve,
                c.items,
                c.reads[0],
                c.keys(1),
                12,
                c.writes[0],
                c.codes,
            )
        },
    },
    Shape {
        reads: &[0, 0],
        writes: &[64],
        curve: Some(false),
        is_sum: false,
        call: |c| unsafe {
            gecc_add(
                c.engine,
                c.curve,
                c.items,
                c.keys(0),
                c.keys(1),
                c.writes[0],
                c.codes,
            )
        },
    },
    Shape {
        reads: &[0],
        writes: &[64],
        curve: Some(false),
        is_sum: false,
        call: |c| unsafe {
            gecc_decompress(c.engine, c.curve, c.items, c.keys(0), c.writes[0], c.codes)
        },
    },
    Shape {
        reads: &[0],
        writes: &[64],
        curve: Some(false),
        is_sum: true,
        call: |c| unsafe {
            gecc_sum(
                c.engine,
                c.curve,
                c.items,
                c.keys(0),
                c.writes[0],
                c.codes,
                &mut 0,
            )
        },
    },
    Shape {
        reads: &[32, 0],
        writes: &[64],
        curve: Some(false),
        is_sum: true,
        call: |c| unsafe {
            gecc_msm(
                c.engine,
                c.curve,
                c.items,
                c.reads[0],
                c.keys(1),
                c.writes[0],
                c.codes,
                &mut 0,
            )
        },
    },
];

pub fn never_end_the_process() {
    let seconds =
        std::env::var("GECC_FUZZ_SECONDS").map_or(5, |text| text.parse().expect("whole seconds"));
    let (engine, mut random, start) = (cpu(), Random::new(), Instant::now());
    let (mut answered, mut refused) = (0, 0);
    while start.elapsed() < Duration::from_secs(seconds) {
        for _ in 0..100 {
            let outcome = one_call(&engine, &mut random);
            *if outcome { &mut answered } else { &mut refused } += 1;
        }
    }
    // Both kinds are tested.
    assert!(
        answered > 100 && refused > 100,
        "{answered} answered, {refused} refused"
    );
}

/// Whether the call was answered.
fn one_call(engine: &Handle, random: &mut Random) -> bool {
    let shape = &SHAPES[random.random_range(0..SHAPES.len())];
    let items = match random.random_range(0..20) {
        0 => [usize::MAX, usize::MAX / 2 + 1, usize::MAX - 1][random.random_range(0..3)],
        _ => random.random_range(0..=MOST_ITEMS),
    };
    let encoding = [32, 33, 64, 65, 65, 64, 33, 0, -1][random.random_range(0..9)];
    let curve = random.random_range(0..=5);
    let engine = if random.random_ratio(31, 32) {
        engine.0.cast_const()
    } else {
        std::ptr::null()
    };
    let point = usize::try_from(encoding).unwrap_or(1).max(1);
    let width = |width: &usize| if *width == 0 { point } else { *width };
    let reads: Vec<Column> = shape
        .reads
        .iter()
        .map(|read| Column::random(random, width(read)))
        .collect();
    let writes: Vec<Column> = shape
        .writes
        .iter()
        .chain(&[1])
        .map(|write| Column::tight(random, *write))
        .collect();

    let has_points = shape.reads.contains(&0);
    let mut fits =
        !engine.is_null() && (!has_points || items == 0 || [32, 33, 64, 65].contains(&encoding));
    fits &= shape
        .curve
        .is_none_or(|only_ecdsa| (1..=if only_ecdsa { 3 } else { 4 }).contains(&curve));
    fits &= !shape.is_sum || items < 2 || reads.iter().any(|read| read.stride != 0);
    let results = if shape.is_sum { 1 } else { items };
    fits &= are_apart(&reads, items, &writes, results);

    let mut arena: Vec<u8> = (0..ARENA).map(|_| random.random()).collect();
    let before = arena.clone();
    let data = arena.as_mut_ptr();
    let call = Call {
        engine,
        curve,
        encoding,
        items,
        reads: reads
            .iter()
            .map(|column| GeccRows {
                data: column.at(data),
                stride: column.stride,
            })
            .collect(),
        writes: writes.iter().map(|column| column.at(data)).collect(),
        codes: writes.last().expect("codes").at(data),
    };
    let status = (shape.call)(&call);
    assert_eq!(
        status == GeccStatus::Ok,
        fits,
        "{status:?} {}: {items} {reads:?} {writes:?}",
        last_error()
    );
    assert!(![GeccStatus::Panic, GeccStatus::Other].contains(&status));
    // A call that fails later than at its arguments leaves codes of 0.
    let written = match status {
        GeccStatus::Ok => &writes[..],
        GeccStatus::NoScheme => &writes[writes.len() - 1..],
        _ => &[],
    };
    let written: Vec<(usize, usize)> = written
        .iter()
        .filter_map(|column| column.span(results))
        .collect();
    for byte in (0..ARENA).filter(|byte| {
        !written
            .iter()
            .any(|(start, end)| (start..end).contains(&byte))
    }) {
        assert_eq!(
            arena[byte], before[byte],
            "byte {byte}: {items} {reads:?} {writes:?}"
        );
    }
    if let Some((start, end)) = written.last() {
        let codes = if fits { 1..=18 } else { 0..=0 };
        assert!(arena[*start..*end].iter().all(|code| codes.contains(code)));
    }
    fits
}

/// Whether all columns can be taken, and none that is written overlaps another.
fn are_apart(reads: &[Column], items: usize, writes: &[Column], results: usize) -> bool {
    let spans = |columns: &[Column], rows| {
        columns
            .iter()
            .map(|column| column.span(rows))
            .collect::<Option<Vec<_>>>()
    };
    let (Some(reads), Some(writes)) = (spans(reads, items), spans(writes, results)) else {
        return false;
    };
    let apart = |a: &(usize, usize), b: &(usize, usize)| a.1 <= b.0 || b.1 <= a.0;
    let others = |item: usize| reads.iter().chain(&writes[item + 1..]);
    writes
        .iter()
        .enumerate()
        .all(|(item, write)| others(item).all(|other| apart(write, other)))
}
