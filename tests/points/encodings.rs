//! Encodings of points.

use crate::declare::{apply, on_every_engine, once};
use crate::support::each::each_curve;
use crate::support::numbers::{edge_points, modulus_plus, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{TestCurve, decode_key, encode, encode_all};
use crate::support::scheme::progression;
use gecc::{Engine, Point, Rejection, point};

/// Decompression of random x-coordinates, half of which belong to no point, and of special ones.
#[apply(on_every_engine)]
fn decompression_of_any_x_matches_reference(engine: &Engine) {
    each_curve!(decompress(engine));
}

fn decompress<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let mut coordinates: Vec<[u8; 32]> = (0..300).map(|_| random.bytes()).collect();
    coordinates.extend((0..10u32).map(|small| to_bytes(&small.into()).unwrap()));
    coordinates.extend(
        edge_points::<C>()
            .iter()
            .map(|point| *encode::<C>(point).x()),
    );
    coordinates.extend((0..5).map(modulus_plus::<C>));
    let mut compressed: Vec<[u8; 33]> = Vec::new();
    for x in coordinates {
        for tag in [2, 3] {
            compressed.push(std::array::from_fn(|i| if i == 0 { tag } else { x[i - 1] }));
        }
    }
    compressed.push([4; 33]);
    compressed.push([0; 33]);
    let mut found = 0;
    for (bytes, result) in compressed
        .iter()
        .zip(point::decompress(engine, C::ID, &compressed).unwrap())
    {
        let expected = decode_key::<C>(bytes).map(|point| encode::<C>(&point));
        assert_eq!(
            result.ok(),
            expected,
            "{} {bytes:02x?}: {result:?}",
            C::NAME
        );
        found += usize::from(expected.is_some());
    }
    assert!(
        (200..compressed.len() - 200).contains(&found),
        "{found} of {} are points",
        compressed.len()
    );
}

/// The conversions of `Point`, and those from and to the reference's types.
#[apply(once)]
fn conversions_of_points_are_inverse() {
    each_curve!(round_trip());
}

fn round_trip<C: TestCurve>() {
    let mut random = Random::new();
    let points = encode_all::<C>(&edge_points::<C>())
        .into_iter()
        .chain(progression::<C>(&mut random, 20).1);
    for point in points {
        assert_eq!(Point::from_coordinates(point.x(), point.y()), point);
        assert_eq!(Point::from_uncompressed(*point.as_bytes()), Ok(point));
        assert_eq!(
            Point::from_raw(point.as_bytes()[1..].try_into().unwrap()),
            point
        );
        let theirs = elliptic_curve::PublicKey::<C::Theirs>::try_from(&point).unwrap();
        assert_eq!(Point::from(&theirs), point);
        let compressed = point.to_compressed().unwrap();
        assert_eq!(
            decode_key::<C>(&compressed).map(|group| encode::<C>(&group)),
            Some(point)
        );
        assert_eq!(
            format!("{point:?}"),
            format!("Point({})", hex::encode(point.as_sec1()))
        );
    }
    assert_eq!(Point::IDENTITY.as_sec1(), [0]);
    assert_eq!(Point::IDENTITY.to_compressed(), None);
    let rejected = elliptic_curve::PublicKey::<C::Theirs>::try_from(&Point::IDENTITY);
    assert_eq!(rejected.map(|_| ()), Err(Rejection::IdentityKey));
    let off_curve = Point::from_coordinates(&[1; 32], &[1; 32]);
    let rejected = elliptic_curve::PublicKey::<C::Theirs>::try_from(&off_curve);
    assert_eq!(rejected.map(|_| ()), Err(Rejection::NotOnCurve));
}
