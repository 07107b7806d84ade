//! Malformed public keys.

use super::numbers::{modulus, modulus_plus, to_bytes};
use super::reference::{Group, TestCurve, encode, lift_x};
use elliptic_curve::Group as _;
use gecc::Rejection;

/// Invalid public keys, with the expected reason of each.
pub fn bad_keys<C: TestCurve>() -> Vec<(&'static str, Vec<u8>, Rejection)> {
    use Rejection::{IdentityKey, MalformedPoint, NotOnCurve};
    let g = *encode::<C>(&Group::<C>::generator()).as_bytes();
    let with_tag = |tag: u8, coordinates: &[&[u8]]| [&[tag][..], &coordinates.concat()].concat();
    let x = &g[1..33];
    let y = &g[33..];
    let p = modulus_plus::<C>(0);
    // No point has this x-coordinate.
    let no_point = (1..=255u32)
        .map(|last| to_bytes(&last.into()).unwrap())
        .find(|x| lift_x::<C>(x, false).is_none())
        .unwrap();
    let negated_y = to_bytes(&(modulus::<C>() - 1u32)).unwrap();
    vec![
        ("identity", vec![0], IdentityKey),
        ("empty", vec![], MalformedPoint),
        ("identity with zeros after it", vec![0; 65], MalformedPoint),
        (
            "identity with one zero after it",
            vec![0; 2],
            MalformedPoint,
        ),
        ("off the curve", with_tag(4, &[x, x]), NotOnCurve),
        (
            "off the curve by one bit",
            with_tag(4, &[x, &[&y[..31], &[y[31] ^ 1]].concat()]),
            NotOnCurve,
        ),
        ("coordinates swapped", with_tag(4, &[y, x]), NotOnCurve),
        ("y of -1", with_tag(4, &[x, &negated_y]), NotOnCurve),
        ("origin", with_tag(4, &[&[0; 32], &[0; 32]]), NotOnCurve),
        (
            "x without a point, even y",
            with_tag(2, &[&no_point]),
            NotOnCurve,
        ),
        (
            "x without a point, odd y",
            with_tag(3, &[&no_point]),
            NotOnCurve,
        ),
        ("x = p", with_tag(4, &[&p, y]), MalformedPoint),
        ("y = p", with_tag(4, &[x, &p]), MalformedPoint),
        (
            "x = 2^256 - 1",
            with_tag(4, &[&[0xff; 32], y]),
            MalformedPoint,
        ),
        (
            "y = 2^256 - 1",
            with_tag(4, &[x, &[0xff; 32]]),
            MalformedPoint,
        ),
        ("x = p, compressed", with_tag(2, &[&p]), MalformedPoint),
        (
            "x = p + 1, compressed",
            with_tag(3, &[&modulus_plus::<C>(1)]),
            MalformedPoint,
        ),
        (
            "x = 2^256 - 1, compressed",
            with_tag(2, &[&[0xff; 32]]),
            MalformedPoint,
        ),
        ("no tag", g[1..].to_vec(), MalformedPoint),
        ("tag 0", with_tag(0, &[x, y]), MalformedPoint),
        ("tag 1", with_tag(1, &[x]), MalformedPoint),
        ("compact form", with_tag(5, &[x]), MalformedPoint),
        ("hybrid form, even", with_tag(6, &[x, y]), MalformedPoint),
        ("hybrid form, odd", with_tag(7, &[x, y]), MalformedPoint),
        (
            "uncompressed, tagged compressed",
            with_tag(2, &[x, y]),
            MalformedPoint,
        ),
        (
            "compressed, tagged uncompressed",
            with_tag(4, &[x]),
            MalformedPoint,
        ),
        ("one byte short", g[..64].to_vec(), MalformedPoint),
        ("one byte long", [&g[..], &[0]].concat(), MalformedPoint),
        (
            "compressed, one byte short",
            with_tag(2, &[&x[..31]]),
            MalformedPoint,
        ),
        (
            "compressed, one byte long",
            with_tag(2, &[x, &[0]]),
            MalformedPoint,
        ),
    ]
}
