//! The curves' constants, as far as results reveal them. The generated constants themselves, which
//! are private, are compared with the RustCrypto crates by unit tests in `src/curve.rs`.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_curve;
use crate::support::numbers::{modulus_plus, order, order_plus, to_bytes};
use crate::support::reference::{Group, TestCurve, encode};
use elliptic_curve::Group as _;
use gecc::{Engine, Point, Rejection, point};

/// 1 G and (n - 1) G are the generator and its negative.
#[apply(on_every_engine)]
fn multiples_of_the_base_point_reveal_the_generator(engine: &Engine) {
    each_curve!(generator(engine));
}

fn generator<C: TestCurve>(engine: &Engine) {
    let scalars =
        [1u32.into(), order::<C>() - 1u32, 2u32.into()].map(|number| to_bytes(&number).unwrap());
    let g = Group::<C>::generator();
    let expected = [g, -g, g.double()].map(|point| Ok(encode::<C>(&point)));
    assert_eq!(
        point::mul_base(engine, C::ID, &scalars).unwrap(),
        expected,
        "{}",
        C::NAME
    );
    // a shows in the tangent, a and b in the decompression.
    let g = encode::<C>(&g);
    assert_eq!(point::double(engine, C::ID, &[g]).unwrap()[0], expected[2]);
    assert_eq!(
        point::decompress(engine, C::ID, &[g.to_compressed().unwrap()]).unwrap(),
        [Ok(g)]
    );
}

/// n is the first scalar and p the first coordinate that is out of range.
#[apply(on_every_engine)]
fn ranges_end_at_order_and_prime(engine: &Engine) {
    each_curve!(bounds(engine));
}

fn bounds<C: TestCurve>(engine: &Engine) {
    let scalars = [
        to_bytes(&(order::<C>() - 1u32)).unwrap(),
        order_plus::<C>(0),
    ];
    let results = point::mul_base(engine, C::ID, &scalars).unwrap();
    assert!(results[0].is_ok());
    assert_eq!(results[1], Err(Rejection::ScalarOutOfRange));

    let mut below = modulus_plus::<C>(0);
    below[31] -= 1;
    let points = [below, modulus_plus::<C>(0)].map(|x| Point::from_coordinates(&x, &[1; 32]));
    let results = point::double(engine, C::ID, &points).unwrap();
    assert_eq!(
        results,
        [Err(Rejection::NotOnCurve), Err(Rejection::MalformedPoint)],
        "{}",
        C::NAME
    );
}
