//! Points: additions, doublings, and multiplication by tables and by scalars that are used once.

use super::*;
use crate::cpu::multiply::{mul_add, normalize, sum_products};
use crate::cpu::point::comb::Product;
use crate::cpu::point::jacobian::Jacobian;
use crate::ops::point::cpu as ops;
use crate::types::{PublicKeys, ResultSink, rows_of};

/// G, 2 G, ..., all points but the identity.
fn finite_points<C: SmallGroup>(group: &Group) -> Vec<Affine<C::Base>> {
    (1..group.order)
        .map(|k| decoded::<C>(group.point(k)))
        .collect()
}

fn scalar<C: SmallGroup>(value: &BigUint) -> C::Scalar {
    C::Scalar::from_be_bytes(&bytes(value)).expect("below N")
}

fn assert_results<C: SmallGroup>(found: &[Affine<C::Base>], expected: &[Point]) {
    assert_eq!(found.len(), expected.len());
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(affine_bytes(found), *expected, "item {index}");
    }
    println!("{} items", expected.len());
}

/// Requires the expected results of an operation on one item per point.
fn assert_accepted(expected: &[Point], operation: impl FnOnce(&mut ResultSink)) {
    for (index, (found, expected)) in rows_of(expected.len(), operation)
        .into_iter()
        .zip(expected)
        .enumerate()
    {
        assert_eq!(
            found.map(|row| Point::from_row(&row)),
            Ok(*expected),
            "item {index}"
        );
    }
    println!("{} items", expected.len());
}

pub fn tests() -> impl Iterator<Item = Test> {
    let of_all = in_groups!(
        affine, jacobian, of_batches, of_the_base_point, sums, tables; in lanes [of_order_7 of_order_13 of_order_199]
    );
    of_all.chain(in_groups!(of_points, sums_with_the_base_point; in lanes [of_order_199]))
}

/// PADD and PDBL of all points, the identity among them.
fn affine<C: SmallGroup>(engine: &CpuEngine) {
    let group = group::<C>();
    let (left, right): (Vec<Point>, Vec<Point>) = pairs(group.order)
        .map(|(i, j)| (encode(group.point(i)), encode(group.point(j))))
        .unzip();
    let sums: Vec<Point> = pairs(group.order)
        .map(|(i, j)| encode(group.point(i + j)))
        .collect();
    let points: Vec<Point> = (0..group.order).map(|i| encode(group.point(i))).collect();
    let doubles: Vec<Point> = (0..group.order)
        .map(|i| encode(group.point(2 * i)))
        .collect();
    let operands = [PublicKeys::points(&left), PublicKeys::points(&right)];
    assert_accepted(&sums, |out| ops::add::<C>(engine, operands, out));
    assert_accepted(&doubles, |out| {
        ops::double::<C>(engine, PublicKeys::points(&points), out)
    });
}

/// Sums of six points that meet equal points, opposite ones and the identity, and the sum of all of
/// these.
fn of_batches<C: SmallGroup>(engine: &CpuEngine) {
    const POINTS: usize = 6;
    let group = group::<C>();
    let mut logarithms = Vec::new();
    for (i, j) in pairs(group.order) {
        logarithms.push([i, j, 0, i + j, group.order - i, 2 * j]);
    }
    let points: Vec<Point> = logarithms
        .as_flattened()
        .iter()
        .map(|k| encode(group.point(*k)))
        .collect();
    let sums: Vec<u64> = logarithms.iter().map(|all| all.iter().sum()).collect();
    let expected: Vec<Point> = sums.iter().map(|k| encode(group.point(*k))).collect();
    let count = points.len();
    let points = PublicKeys::points(&points);
    assert_accepted(&expected, |out| {
        ops::sums::<C>(engine, points, count, POINTS, out)
    });
    let total = ops::sum::<C>(engine, count, points);
    assert_eq!(total, Ok(encode(group.point(sums.iter().sum()))));
}

/// PADD and PDBL in Jacobian coordinates, with a random Z.
fn jacobian<C: SmallGroup>(engine: &CpuEngine) {
    let mut group = group::<C>();
    let mut found = Vec::new();
    let mut expected = Vec::new();
    for (i, j) in pairs(group.order) {
        let z = C::Base::from_be_bytes_reduced(&group.random.random());
        let left = scaled(&decoded::<C>(group.point(i)), &z);
        found.extend([
            left.add_affine::<C>(&decoded::<C>(group.point(j))),
            left.double::<C>(),
        ]);
        expected.extend([i + j, 2 * i].map(|k| encode(group.point(k))));
    }
    assert_results::<C>(&normalize(engine.lanes, &found), &expected);
}

/// The point over z; of the identity, one of its many forms.
fn scaled<F: Field>(point: &Affine<F>, z: &F) -> Jacobian<F> {
    let square = z.square();
    let cube = z.square().mul(z);
    if point.infinity {
        Jacobian {
            x: square,
            y: cube,
            z: F::ZERO,
        }
    } else {
        Jacobian {
            x: point.x.mul(&square),
            y: point.y.mul(&cube),
            z: *z,
        }
    }
}

/// FPMUL by every residue.
fn of_the_base_point<C: SmallGroup>(engine: &CpuEngine) {
    let mut group = group::<C>();
    let mut scalars = Vec::new();
    let mut expected = Vec::new();
    for residue in (0..group.order)
        .cycle()
        .take(4000.max(group.order as usize))
    {
        for k in group.representatives(residue) {
            scalars.push(bytes(&k));
            expected.push(encode(group.point(residue)));
        }
    }
    assert_accepted(&expected, |out| {
        ops::mul_base::<C>(engine, (&scalars).into(), out)
    });
}

/// UPMUL of every point by every residue, at least 10,000 times.
fn of_points<C: SmallGroup>(engine: &CpuEngine) {
    let mut group = group::<C>();
    let order = group.order;
    let mut scalars = Vec::new();
    let mut points = Vec::new();
    let mut expected = Vec::new();
    for round in 0..10_000u64.div_ceil(order * order) {
        for (i, residue) in pairs(order) {
            scalars.push(bytes(
                &group.representatives(residue)[(round + i + residue) as usize % 3],
            ));
            points.push(encode(group.point(i)));
            expected.push(encode(group.point(i * residue)));
        }
    }
    let points = PublicKeys::points(&points);
    assert_accepted(&expected, |out| {
        ops::mul::<C>(engine, (&scalars).into(), points, out)
    });
}

/// The points that are combined with other residues: all but the identity in the groups of order 7
/// and 13, one of them in that of order 199.
fn points_beside(order: u64, others: u64) -> Vec<u64> {
    if order == 199 {
        vec![1 + others % (order - 1)]
    } else {
        (1..order).collect()
    }
}

/// u P + v Q for all u and v, by the tables of P and Q.
fn sums<C: SmallGroup>(engine: &CpuEngine) {
    let mut group = group::<C>();
    let tables = Comb::new_all(None, None, &finite_points::<C>(&group), C::WINDOW);
    let mut scalars = Vec::new();
    let mut choices = Vec::new();
    let mut expected = Vec::new();
    for (u, v) in pairs(group.order) {
        for i in points_beside(group.order, 3 * u + v) {
            for j in points_beside(group.order, u + 5 * v) {
                let [u_number, v_number] = [
                    group.representatives(u)[(i + v) as usize % 3].clone(),
                    group.scalar(v),
                ];
                scalars.push([u_number, v_number].map(|number| scalar::<C>(&number)));
                choices.push([&tables[i as usize - 1], &tables[j as usize - 1]]);
                expected.push(encode(group.point(i * u + j * v)));
            }
        }
    }
    let items: Vec<[Product<C>; 2]> = choices
        .iter()
        .zip(&scalars)
        .map(|(tables, [u, v])| [(tables[0], u), (tables[1], v)])
        .collect();
    let sums = sum_products::<C, 2>(engine.lanes, &items);
    assert_results::<C>(&normalize(engine.lanes, &sums), &expected);
}

/// k P + u G for all k and u.
fn sums_with_the_base_point<C: SmallGroup>(engine: &CpuEngine) {
    let mut group = group::<C>();
    let table = C::tables().table(engine, 1);
    let mut scalars = Vec::new();
    let mut points = Vec::new();
    let mut base_scalars = Vec::new();
    let mut expected = Vec::new();
    for (k, u) in pairs(group.order) {
        for i in points_beside(group.order, 3 * k + u) {
            scalars.push(scalar::<C>(&group.scalar(k)));
            points.push(decoded::<C>(group.point(i)));
            base_scalars.push(scalar::<C>(&group.representatives(u)[(i + k) as usize % 3]));
            expected.push(encode(group.point(i * k + u)));
        }
    }
    let sums = mul_add::<C>(
        engine.lanes,
        &scalars,
        &points,
        Some((table, &base_scalars)),
    );
    assert_results::<C>(&normalize(engine.lanes, &sums), &expected);
}

/// Every entry of the tables of every point, for every window that they may have.
fn tables<C: SmallGroup>(engine: &CpuEngine) {
    let group = group::<C>();
    let finite = finite_points::<C>(&group);
    for window in 3..=C::WINDOW {
        let tables = Comb::<C>::new_all(engine.lanes, Some(&engine.pool), &finite, window);
        assert_eq!(tables.len(), finite.len());
        for (i, table) in (1..group.order).zip(&tables) {
            let mut base = i;
            for index in 0..table.terms() {
                for digit in 1..=1 << (window - 1) {
                    let entry = affine_bytes(&table.term(index, digit));
                    assert_eq!(
                        entry,
                        encode(group.point(digit as u64 * base)),
                        "window {window} of {i} G"
                    );
                }
                base = (base << window) % group.order;
            }
        }
        println!("{} tables", tables.len());
    }
}
