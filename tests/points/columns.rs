//! Calls on points from columns into columns have the results of calls on slices.

use crate::declare::{apply, on_every_engine};
use crate::support::columns::{Batch, ITEMS, Records, SIZES, check, raw, rows_of};
use crate::support::each::each_curve;
use crate::support::reference::TestCurve;
use gecc::point;
use gecc::{Engine, PublicKeys, Rows};

#[apply(on_every_engine)]
fn columns_have_results_of_slices(engine: &Engine) {
    each_curve!(points_on(engine));
}

fn points_on<C: TestCurve>(engine: &Engine) {
    for items in SIZES {
        let mut batch = Batch::new::<C>(items);
        batch.corrupt();
        let records = Records::new(engine, &batch);
        let raw = batch.raw();
        let Batch {
            scalars, points, ..
        } = &batch;
        let encodings = [
            PublicKeys::points(points),
            PublicKeys::raw(&raw),
            records.raw(),
        ];
        let mut others = points.clone();
        others.reverse();
        let of_others = PublicKeys::points(&others);

        let expected = rows_of(point::mul_base(engine, C::ID, scalars).unwrap());
        for scalars in [Rows::from(scalars), records.scalars()] {
            check(engine, "mul_base", &expected, |engine, rows, codes| {
                point::mul_base_into(engine, C::ID, scalars, rows, codes)
            });
        }
        let sums = rows_of(point::add(engine, C::ID, points, &others).unwrap());
        let doubles = rows_of(point::double(engine, C::ID, points).unwrap());
        let products = rows_of(point::mul(engine, C::ID, scalars, points).unwrap());
        for keys in encodings.into_iter().chain([records.compressed()]) {
            let decoded = rows_of(point::decode_keys(engine, C::ID, items, keys).unwrap());
            check(engine, "decode_keys", &decoded, |engine, rows, codes| {
                point::decode_keys_into(engine, C::ID, keys, rows, codes)
            });
        }
        for points in encodings {
            check(engine, "add", &sums, |engine, rows, codes| {
                point::add_into(engine, C::ID, points, of_others, rows, codes)
            });
            check(engine, "double", &doubles, |engine, rows, codes| {
                point::double_into(engine, C::ID, points, rows, codes)
            });
            check(engine, "mul", &products, |engine, rows, codes| {
                point::mul_into(engine, C::ID, records.scalars(), points, rows, codes)
            });
        }
    }
    one_for_all_points::<C>(engine);
}

/// One scalar, and one point, for every item.
fn one_for_all_points<C: TestCurve>(engine: &Engine) {
    let batch = Batch::new::<C>(ITEMS);
    let one = [batch.scalars[3]; ITEMS];
    let point = [batch.points[4]; ITEMS];
    let scalar = Rows::all(&one[0]);
    let encoded = raw(&point[0]);
    let expected = rows_of(point::mul_base(engine, C::ID, &one).unwrap());
    check(
        engine,
        "mul_base of one",
        &expected,
        |engine, rows, codes| point::mul_base_into(engine, C::ID, scalar, rows, codes),
    );
    let expected = rows_of(point::mul(engine, C::ID, &one, &batch.points).unwrap());
    let points = PublicKeys::points(&batch.points);
    check(engine, "mul by one", &expected, |engine, rows, codes| {
        point::mul_into(engine, C::ID, scalar, points, rows, codes)
    });
    let expected = rows_of(point::add(engine, C::ID, &batch.points, &point).unwrap());
    for one in [
        PublicKeys::all(point[0].as_sec1()),
        PublicKeys::raw(Rows::all(&encoded)),
    ] {
        check(engine, "add one", &expected, |engine, rows, codes| {
            point::add_into(engine, C::ID, points, one, rows, codes)
        });
    }
}
