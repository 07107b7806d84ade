//! Sums of a whole batch of public points or products.

use super::caller_values::require_aligned;
use super::choices;
use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccKeys, GeccRows, Memory, ResultRows};
use super::progress::{Piece, in_pieces};
use super::status::{Failure, GeccStatus, call};
use gecc::{CurveId, Engine, Error, Point, Rejection, Verdict, point};

/// Computes the sum of all points, `points[0] + points[1] + ...`, which is the identity if there
/// are none. **Not constant-time**: all inputs are public.
///
/// Reads `points`, in which a row of zeros is the identity; a stride of 0 is permitted for a single
/// item only. Writes one `sum`, 64 bytes `x || y`, zeros for the identity; one `code`; `bad_item`.
/// None of the three may be null, even if there are no items. `curve` is a `GeccCurve`.
///
/// An invalid point makes the whole sum fail: `code` is then `GECC_CODE_MALFORMED_POINT` or
/// `GECC_CODE_NOT_ON_CURVE` for the first one, `bad_item` is its index, counted from 0, and `sum`
/// is zeros. Otherwise `code` is `GECC_CODE_VALID` and `bad_item` is `items`. After any status but
/// `GECC_STATUS_OK`, `code` is 0, or all three are untouched if an argument was rejected.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_sum(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    points: GeccKeys,
    sum: *mut u8,
    code: *mut u8,
    bad_item: *mut usize,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let curve = choices::curve(curve)?;
        let mut memory = Memory::of(items);
        let results = SumResults::checked(&mut memory, sum, code, bad_item)?;
        memory.require_rows(&[points.stride])?;
        let points = memory.reads_keys("points", points)?;
        results.answer(engine, curve, items, |piece| {
            point::sum_columns(engine, curve, piece.items().len(), piece.of(points))
        })
    })
}

/// Computes the sum of all products, `scalars[0] * points[0] + scalars[1] * points[1] + ...`
/// (multi-scalar multiplication), which is the identity if there are none. **Not constant-time**:
/// scalars must be public.
///
/// Reads `scalars`, 32 bytes each, big-endian; `points`, in which a row of zeros is the identity.
/// Only one of them may have a stride of 0, unless there is one item. Writes one `sum`, one `code`
/// and `bad_item` like `gecc_sum`. `curve` is a `GeccCurve`.
///
/// An item whose scalar is not below the group order or whose point is invalid makes the whole sum
/// fail, as for `gecc_sum`: `code` is then `GECC_CODE_SCALAR_OUT_OF_RANGE`,
/// `GECC_CODE_MALFORMED_POINT` or `GECC_CODE_NOT_ON_CURVE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_msm(
    engine: *const GeccEngine,
    curve: i32,
    items: usize,
    scalars: GeccRows,
    points: GeccKeys,
    sum: *mut u8,
    code: *mut u8,
    bad_item: *mut usize,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let curve = choices::curve(curve)?;
        let mut memory = Memory::of(items);
        let results = SumResults::checked(&mut memory, sum, code, bad_item)?;
        memory.require_rows(&[scalars.stride, points.stride])?;
        let scalars = memory.reads("scalars", scalars)?;
        let points = memory.reads_keys("points", points)?;
        results.answer(engine, curve, items, |piece| {
            let items = piece.items().len();
            point::msm_columns(engine, curve, items, piece.of(scalars), piece.of(points))
        })
    })
}

/// The destinations of the results of a sum.
struct SumResults<'a> {
    row: ResultRows<'a, 64>,
    code: ResultRows<'a, 1>,
    bad_item: ResultRows<'a, { size_of::<usize>() }>,
}

impl SumResults<'_> {
    fn checked(
        memory: &mut Memory,
        sum: *mut u8,
        code: *mut u8,
        bad_item: *mut usize,
    ) -> Result<Self, Failure> {
        require_aligned("bad_item", bad_item)?;
        Ok(SumResults {
            row: memory.writes_rows("sum", sum, 1)?,
            code: memory.writes_rows("code", code, 1)?,
            bad_item: memory.writes_rows("bad_item", bad_item.cast(), 1)?,
        })
    }

    /// Writes the result that is computed from the sums of pieces.
    ///
    /// # Safety
    /// See `ResultRows::rows`.
    unsafe fn answer(
        self,
        engine: &Engine,
        curve: CurveId,
        items: usize,
        sum_of: impl FnMut(Piece) -> Result<SumOrBadItem, Error>,
    ) -> Result<(), Failure> {
        // SAFETY: passed on.
        unsafe {
            let rows = self.row.rows();
            let bad_items = self.bad_item.rows();
            self.code.complete(|codes| {
                let (row, code, bad_item) = match total(engine, curve, items, sum_of)? {
                    Ok(point) => (point, Verdict::VALID_CODE, items),
                    Err((item, reason)) => (Point::IDENTITY, reason.code(), item),
                };
                rows.as_flattened_mut()
                    .copy_from_slice(&row.as_bytes()[1..]);
                codes.fill(code);
                bad_items.fill(bad_item.to_ne_bytes());
                Ok(())
            })
        }
    }
}

/// A sum, or the first bad item with its reason.
type SumOrBadItem = Result<Point, (usize, Rejection)>;

/// Adds the sums of pieces.
fn total(
    engine: &Engine,
    curve: CurveId,
    items: usize,
    mut sum_of: impl FnMut(Piece) -> Result<SumOrBadItem, Error>,
) -> Result<SumOrBadItem, Failure> {
    let mut sums = Vec::new();
    let mut bad = None;
    in_pieces(engine, items, None, |piece| {
        if bad.is_none() {
            match sum_of(piece)? {
                Ok(sum) => sums.push(sum),
                Err((item, reason)) => bad = Some((piece.items().start + item, reason)),
            }
        }
        Ok(())
    })?;
    Ok(match (bad, &sums[..]) {
        (Some(bad), _) => Err(bad),
        (None, [sum]) => Ok(*sum),
        (None, sums) => point::sum(engine, curve, sums)?,
    })
}
