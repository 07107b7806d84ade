//! Compares calls from columns into columns with calls on slices, wherever the columns are in
//! memory.

use super::random::Random;
use super::reference::{TestCurve, bytes};
use super::scheme::progression;
use gecc::PageLocked;
use gecc::{
    Backend, Engine, Error, Point, PublicKeys, Rejection, Rows, SecretKey, SecretKeys, Verdict,
};

/// Fewer than a whole number of chunks and blocks.
pub const ITEMS: usize = 351;

/// The results of a call on slices, as rows.
pub type Expected<const W: usize> = Vec<Result<[u8; W], Rejection>>;

/// Places that a call must leave alone, before and after those of its results.
const MARGIN: usize = 5;

pub const UNTOUCHED: u8 = 0xee;

/// Returns whether the engine can lock memory.
pub fn locks(engine: &Engine) -> bool {
    engine.info().backend == Backend::Gpu
}

/// Copies values to locked memory, if available.
pub fn locked<T>(engine: &Engine, values: Vec<T>) -> PageLocked<T> {
    let locked = engine.page_lock(values);
    assert_eq!(
        locked.is_locked(),
        locks(engine) && size_of_val(&*locked) > 0
    );
    locked
}

/// The engine under test, and one that computes several chunks.
fn engines(engine: &Engine) -> [Engine; 2] {
    let in_chunks = Engine::builder()
        .backend(engine.info().backend)
        .chunk_items(150);
    [
        engine.clone(),
        in_chunks.build().expect("as the engine that is tested"),
    ]
}

/// Makes a call write into memory of its own, into locked memory between other results, and, if
/// memory can be locked, into some of each.
#[track_caller]
pub fn check<const W: usize>(
    engine: &Engine,
    name: &str,
    expected: &Expected<W>,
    call: impl Fn(&Engine, &mut [[u8; W]], &mut [u8]) -> Result<(), Error>,
) {
    let items = expected.len();
    let compare = |rows: &[[u8; W]], codes: &[u8], place: &str| {
        for (item, expected) in expected.iter().enumerate() {
            match expected {
                Ok(row) => assert_eq!(
                    (codes[item], rows[item]),
                    (Verdict::VALID_CODE, *row),
                    "{name} {place} {item}"
                ),
                Err(reason) => assert_eq!(codes[item], reason.code(), "{name} {place} {item}"),
            }
        }
    };
    let own = || (vec![[UNTOUCHED; W]; items], vec![UNTOUCHED; items]);
    let part = MARGIN..MARGIN + items;
    for engine in &engines(engine) {
        let (mut rows, mut codes) = own();
        call(engine, &mut rows, &mut codes).unwrap();
        compare(&rows, &codes, "in its own memory");
        let mut locked_rows = locked(engine, vec![[UNTOUCHED; W]; items + 2 * MARGIN]);
        let mut locked_codes = locked(engine, vec![UNTOUCHED; items + 2 * MARGIN]);
        call(
            engine,
            &mut locked_rows[part.clone()],
            &mut locked_codes[part.clone()],
        )
        .unwrap();
        compare(
            &locked_rows[part.clone()],
            &locked_codes[part.clone()],
            "in locked memory",
        );
        for place in (0..MARGIN).chain(MARGIN + items..2 * MARGIN + items) {
            assert_eq!(
                (locked_rows[place], locked_codes[place]),
                ([UNTOUCHED; W], UNTOUCHED),
                "{name} next to {place}"
            );
        }
        if !locks(engine) {
            continue; // all memory is of one kind
        }
        let (mut rows, mut codes) = own();
        call(engine, &mut rows, &mut locked_codes[part.clone()]).unwrap();
        compare(&rows, &locked_codes[part.clone()], "with locked codes");
        call(engine, &mut locked_rows[part.clone()], &mut codes).unwrap();
        compare(&locked_rows[part.clone()], &codes, "with locked rows");
    }
}

/// The columns of a batch, some of whose items are corrupted.
pub struct Batch {
    pub scalars: Vec<[u8; 32]>,
    pub digests: Vec<[u8; 32]>,
    pub signatures: Vec<[u8; 64]>,
    pub ids: Vec<u8>,
    pub points: Vec<Point>,
}

impl Batch {
    /// Private keys, which serve as scalars too, with their public keys and random digests.
    pub fn new<C: TestCurve>(items: usize) -> Self {
        let mut random = Random::new();
        let (scalars, points) = progression::<C>(&mut random, items);
        Batch {
            scalars: scalars.iter().map(bytes::<C>).collect(),
            digests: (0..items).map(|_| random.bytes()).collect(),
            signatures: vec![[0; 64]; items],
            ids: vec![0; items],
            points,
        }
    }

    pub fn len(&self) -> usize {
        self.scalars.len()
    }

    /// Puts in scalars that are 0 or too large, points that are invalid or the identity, signatures
    /// that are wrong.
    pub fn corrupt(&mut self) {
        for item in (1..self.len()).step_by(7) {
            match item % 5 {
                0 => self.scalars[item] = [0; 32],
                1 => self.scalars[item] = [0xff; 32],
                2 => self.points[item] = Point::from_coordinates(&[1; 32], &[1; 32]),
                3 => self.points[item] = Point::IDENTITY,
                _ => self.signatures[item] = [[0; 64], [0xff; 64]][item % 2],
            }
            if item % 3 == 0 {
                (self.ids[item], self.signatures[item][40]) =
                    (self.ids[item] ^ 1, self.signatures[item][40] ^ 1);
            }
        }
    }

    pub fn secret(&self) -> Vec<SecretKey> {
        self.scalars
            .iter()
            .copied()
            .map(SecretKey::from_bytes)
            .collect()
    }

    pub fn raw(&self) -> Vec<[u8; 64]> {
        self.points.iter().map(raw).collect()
    }

    /// The compressed points; a malformed row for the identity.
    pub fn compressed(&self) -> Vec<[u8; 33]> {
        self.points
            .iter()
            .map(|point| point.to_compressed().unwrap_or([0; 33]))
            .collect()
    }
}

/// `x || y`, zeros for the identity.
pub fn raw(point: &Point) -> [u8; 64] {
    point.as_bytes()[1..]
        .try_into()
        .expect("64 bytes after the tag")
}

pub fn rows_of(points: Vec<Result<Point, Rejection>>) -> Expected<64> {
    points
        .into_iter()
        .map(|point| point.map(|point| raw(&point)))
        .collect()
}

/// A batch's columns as parts of records in locked memory, with bytes between them that belong to
/// no column.
pub struct Records {
    pub bytes: PageLocked<u8>,
    pub items: usize,
}

const RECORD: usize = 32 + 32 + 64 + 1 + 33 + 64 + 7;

impl Records {
    pub fn new(engine: &Engine, batch: &Batch) -> Self {
        let raw = batch.raw();
        let compressed = batch.compressed();
        let record = |item: usize| {
            let id = [batch.ids[item]];
            let fields: [&[u8]; 7] = [
                &batch.scalars[item],
                &batch.digests[item],
                &batch.signatures[item],
                &id,
                &compressed[item],
                &raw[item],
                &[0xab; 7],
            ];
            fields.concat()
        };
        Records {
            bytes: locked(engine, (0..batch.len()).flat_map(record).collect()),
            items: batch.len(),
        }
    }

    pub fn column<const W: usize>(&self, offset: usize) -> Rows<'_, W> {
        let start = offset.min(self.bytes.len());
        Rows::strided(&self.bytes[start..], RECORD, self.items).expect("the records have it")
    }

    pub fn scalars(&self) -> Rows<'_, 32> {
        self.column(0)
    }

    pub fn secret(&self) -> SecretKeys<'_> {
        SecretKeys::rows(self.scalars())
    }

    pub fn digests(&self) -> Rows<'_, 32> {
        self.column(32)
    }

    pub fn signatures(&self) -> Rows<'_, 64> {
        self.column(64)
    }

    pub fn ids(&self) -> Rows<'_, 1> {
        self.column(128)
    }

    pub fn compressed(&self) -> PublicKeys<'_> {
        PublicKeys::compressed(self.column(129))
    }

    pub fn raw(&self) -> PublicKeys<'_> {
        PublicKeys::raw(self.column(162))
    }
}

/// No item, one, and many.
pub const SIZES: [usize; 3] = [0, 1, ITEMS];

/// Verdicts as codes without rows.
pub fn codes_of(verdicts: gecc::Verdicts) -> Expected<0> {
    verdicts
        .into_iter()
        .map(|verdict| match verdict {
            Verdict::Valid => Ok([]),
            Verdict::Rejected(reason) => Err(reason),
        })
        .collect()
}

/// Messages of some lengths.
pub fn messages(items: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new();
    (0..items)
        .map(|item| random.vector(item * item % 300))
        .collect()
}
