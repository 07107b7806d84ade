//! Construction of tables of multiples.

use crate::cpu::CpuCurve;
use crate::cpu::field::Coordinate;
use crate::cpu::point::affine::{Affine, Denominators, Entry, add_assign};
use crate::cpu::point::comb::Comb;
use crate::cpu::point::jacobian::{Jacobian, normalize};
use crate::cpu::simd::{Lanes, multiples_of, powers_of};
use crate::host::workers::Pool;

impl<C: CpuCurve> Comb<C> {
    /// Builds the table of a point that is not the identity.
    pub fn new(lanes: Option<Lanes>, point: &Affine<C::Base>, window: u32) -> Self {
        Self::new_all(lanes, None, &[*point], window)
            .pop()
            .expect("one table")
    }

    /// Builds the tables of points that are not the identity, on the threads of a pool if one is
    /// given.
    pub fn new_all(
        lanes: Option<Lanes>,
        pool: Option<&Pool>,
        points: &[Affine<C::Base>],
        window: u32,
    ) -> Vec<Self> {
        let count = 1 << (window - 1);
        let windows = Self::windows(window);
        let mut bases = zeroed::<C>(points.len() * windows);
        let tasks = points
            .chunks(POINTS_AT_ONCE)
            .zip(bases.chunks_mut(POINTS_AT_ONCE * windows));
        for_each(pool, tasks.collect(), |(points, out)| {
            out.copy_from_slice(&self::bases::<C>(lanes, points, window))
        });
        // Few windows with many multiples, or many windows with few: either way a batch is large
        // enough to share its inversion, and fits the cache; with vector code, it fills the lanes.
        let windows_at_once = if lanes.is_some() {
            (8192 >> window).max(8)
        } else {
            (2048 >> window).max(1)
        };
        if points.len() == 1 || 2 * points.len() <= pool.map_or(1, Pool::threads) {
            let mut tables = Vec::with_capacity(points.len());
            for bases in bases.chunks(windows) {
                let mut entries = zeroed::<C>(bases.len() * count);
                let tasks = bases
                    .chunks(windows_at_once)
                    .zip(entries.chunks_mut(windows_at_once * count));
                for_each(pool, tasks.collect(), |(bases, out)| {
                    write_multiples::<C>(lanes, bases, out)
                });
                tables.push(Comb { window, entries });
            }
            return tables;
        }
        // Larger numbers of tables are divided into tasks that build whole tables and allocate
        // their memory: allocation by the caller alone would take longer than the multiples take on
        // all threads.
        let tables_at_once = windows_at_once.div_ceil(windows);
        let mut tables: Vec<Vec<Self>> =
            points.chunks(tables_at_once).map(|_| Vec::new()).collect();
        let tasks = bases.chunks(tables_at_once * windows).zip(&mut tables);
        for_each(pool, tasks.collect(), |(bases, tables)| {
            let mut entries = zeroed::<C>(bases.len() * count);
            write_multiples::<C>(lanes, bases, &mut entries);
            *tables = if bases.len() == windows {
                vec![Comb { window, entries }]
            } else {
                entries
                    .chunks(windows * count)
                    .map(|entries| Comb {
                        window,
                        entries: entries.to_vec(),
                    })
                    .collect()
            };
        });
        tables.into_iter().flatten().collect()
    }
}

fn zeroed<C: CpuCurve>(entries: usize) -> Vec<Entry<C::Base>> {
    vec![Entry::from_words([0; 8]); entries]
}

/// Writes the multiples 1, 2, … of each base in turn until `out` is full; their number is a power
/// of two.
fn write_multiples<C: CpuCurve>(
    lanes: Option<Lanes>,
    bases: &[Entry<C::Base>],
    out: &mut [Entry<C::Base>],
) {
    match lanes {
        Some(lanes) => multiples_of::<C>(lanes, bases, out),
        None => multiples::<C>(bases, out),
    }
}

/// The number of points whose doublings are computed at a time: one per lane.
const POINTS_AT_ONCE: usize = 8;
/// The number of points above which vector code doubles faster.
const FEWEST_IN_LANES: usize = 3;

/// Computes 2^(w j) P for every window j, of each point in turn.
fn bases<C: CpuCurve>(
    lanes: Option<Lanes>,
    points: &[Affine<C::Base>],
    window: u32,
) -> Vec<Entry<C::Base>> {
    let windows = Comb::<C>::windows(window);
    if let Some(lanes) = lanes.filter(|_| points.len() >= FEWEST_IN_LANES) {
        let points: Vec<_> = points
            .iter()
            .map(|point| Entry::new(&point.x, &point.y))
            .collect();
        return powers_of::<C>(lanes, &points, window, windows);
    }
    let mut bases = Vec::with_capacity(points.len() * windows);
    for point in points {
        let mut base = Jacobian::from_affine(point);
        for _ in 0..windows {
            bases.push(base);
            for _ in 0..window {
                base = base.double::<C>();
            }
        }
    }
    normalize(&bases)
        .iter()
        .map(|base| Entry::new(&base.x, &base.y))
        .collect()
}

/// The number of multiples of a point that are computed by doubling the known ones. Larger tables
/// continue block by block, so that building needs little memory in addition to the table.
const FIRST_MULTIPLES: usize = 1024;

/// Writes the multiples as `write_multiples` specifies, without vector code.
fn multiples<C: CpuCurve>(bases: &[Entry<C::Base>], out: &mut [Entry<C::Base>]) {
    let columns = bases.len();
    let count = out.len() / bases.len();
    let first = count.min(FIRST_MULTIPLES);
    let mut denominators = Denominators::new();
    // Row d - 1 holds d times each base. Given 1..=m, one batch of additions of m P yields m +
    // 1..=2m.
    let mut rows: Vec<_> = bases
        .iter()
        .map(|base| Affine::new(base.x(), base.y()))
        .collect();
    while rows.len() < first * columns {
        let next = add_row_to_all::<C>(&rows, &rows[rows.len() - columns..], &mut denominators);
        rows.extend(next);
    }
    store_rows(&rows, columns, 0, out);
    let mut last = rows[rows.len() - columns..].to_vec();
    for from in (first..count).step_by(first) {
        let block = add_row_to_all::<C>(&rows, &last, &mut denominators);
        store_rows(&block, columns, from, out);
        last.copy_from_slice(&block[block.len() - columns..]);
    }
}

/// Adds the same row to each of several rows.
fn add_row_to_all<C: CpuCurve>(
    rows: &[Affine<C::Base>],
    addend: &[Affine<C::Base>],
    denominators: &mut Denominators<C::Base>,
) -> Vec<Affine<C::Base>> {
    let mut sums = rows.to_vec();
    let addend: Vec<_> = addend.iter().copied().cycle().take(sums.len()).collect();
    add_assign::<C>(&mut sums, &addend, denominators);
    sums
}

/// Writes rows, the first of which is row `from` of the table, to the tables of the columns, which
/// lie in `out` one after the other.
fn store_rows<F: Coordinate>(
    rows: &[Affine<F>],
    columns: usize,
    from: usize,
    out: &mut [Entry<F>],
) {
    let count = out.len() / columns;
    for (index, point) in rows.iter().enumerate() {
        // d 2^(w j) P with d < n is never the identity, since n is prime.
        debug_assert!(!point.infinity);
        out[index % columns * count + from + index / columns] = Entry::new(&point.x, &point.y);
    }
}

fn for_each<T: Send>(pool: Option<&Pool>, tasks: Vec<T>, work: impl Fn(T) + Sync) {
    match pool {
        Some(pool) => pool.for_each(tasks, work),
        None => tasks.into_iter().for_each(work),
    }
}
