//! Batches of every size.

use crate::declare::{apply, on_every_engine};
use crate::support::batch_sizes::{LARGEST, operands, sizes};
use crate::support::each::each_curve;
use crate::support::random::Random;
use crate::support::reference::{Group, TestCurve, bytes, encode};
use crate::support::scheme::progression;
use elliptic_curve::Group as _;
use gecc::point;
use gecc::{Engine, Point};

#[apply(on_every_engine)]
fn every_size_is_computed(engine: &Engine) {
    each_curve!(point_sizes(engine));
}

fn point_sizes<C: TestCurve>(engine: &Engine) {
    let operands = operands::<C>(&mut Random::new(), 2049);
    sizes().for_each(|size| operands.check(engine, size));
}

/// Around the size at which an engine may take larger tables.
#[apply(on_every_engine)]
fn sizes_around_65536_are_computed(engine: &Engine) {
    each_curve!(largest_points(engine));
}

fn largest_points<C: TestCurve>(engine: &Engine) {
    let (scalars, points) = progression::<C>(&mut Random::new(), LARGEST[2]);
    let scalars: Vec<[u8; 32]> = scalars.iter().map(bytes::<C>).collect();
    for size in LARGEST {
        let found = point::mul_base(engine, C::ID, &scalars[..size]).unwrap();
        let wrong = found
            .iter()
            .zip(&points)
            .position(|(found, expected)| *found != Ok(*expected));
        assert_eq!((found.len(), wrong), (size, None), "{}", C::NAME);
        let g = vec![encode::<C>(&Group::<C>::generator()); size];
        let sums = point::add(engine, C::ID, &points[..size], &g).unwrap();
        assert!(sums.iter().all(Result::is_ok) && sums.len() == size);
        let back: Vec<Point> = sums.into_iter().map(Result::unwrap).collect();
        let minus_g = vec![encode::<C>(&-Group::<C>::generator()); size];
        let found = point::add(engine, C::ID, &back, &minus_g).unwrap();
        let wrong = found
            .iter()
            .zip(&points)
            .position(|(found, expected)| *found != Ok(*expected));
        assert_eq!(wrong, None, "{}: P + G - G", C::NAME);
    }
}
