//! Numbers at which arithmetic fails most easily: around n and p, powers of two, and patterns that
//! are special to recodings.

use super::reference::{Group, Scalar, TestCurve, bytes, encode, lift_x};
use elliptic_curve::{Field, Group as _};
use num_bigint::BigUint;

/// Converts a number to big-endian bytes, or returns `None` from 2^256 on.
pub fn to_bytes(number: &BigUint) -> Option<[u8; 32]> {
    let digits = number.to_bytes_be();
    let mut bytes = [0; 32];
    bytes
        .get_mut(32usize.checked_sub(digits.len())?..)?
        .copy_from_slice(&digits);
    Some(bytes)
}

pub fn number(bytes: &[u8; 32]) -> BigUint {
    BigUint::from_bytes_be(bytes)
}

/// n, from the reference.
pub fn order<C: TestCurve>() -> BigUint {
    number(&bytes::<C>(&-Scalar::<C>::ONE)) + 1u32
}

/// p, from the reference: y(G) + y(-G).
pub fn modulus<C: TestCurve>() -> BigUint {
    let g = Group::<C>::generator();
    number(encode::<C>(&g).y()) + number(encode::<C>(&-g).y())
}

/// The coefficient a.
pub fn coefficient_a<C: TestCurve>() -> BigUint {
    // a = (y(2G)^2 - y(G)^2 - x(2G)^3 + x(G)^3) / (x(2G) - x(G)).
    let p = modulus::<C>();
    let [one, two] = [Group::<C>::generator(), Group::<C>::generator().double()]
        .map(|point| encode::<C>(&point));
    let [(x1, y1), (x2, y2)] = [one, two].map(|point| (number(point.x()), number(point.y())));
    let left = (&y2 * &y2 + x1.pow(3) + 2u32 * p.pow(3) - &y1 * &y1 - x2.pow(3)) % &p;
    left * (&x2 + &p - &x1).modinv(&p).expect("different x") % p
}

/// The coefficient b.
pub fn coefficient_b<C: TestCurve>() -> BigUint {
    let p = modulus::<C>();
    let a = coefficient_a::<C>();
    let g = encode::<C>(&Group::<C>::generator());
    let x = number(g.x());
    let y = number(g.y());
    (&y * &y + 2u32 * p.pow(3) - x.pow(3) - (a * x) % &p) % p
}

/// n + offset as 32 bytes.
pub fn order_plus<C: TestCurve>(offset: u32) -> [u8; 32] {
    to_bytes(&(order::<C>() + offset)).expect("n is not that close to 2^256")
}

/// p + offset as 32 bytes.
pub fn modulus_plus<C: TestCurve>(offset: u32) -> [u8; 32] {
    to_bytes(&(modulus::<C>() + offset)).expect("p is not that close to 2^256")
}

/// Scalars below n at which recodings, tables and carries have their edges.
pub fn edge_scalars<C: TestCurve>() -> Vec<[u8; 32]> {
    let n = order::<C>();
    let one = BigUint::from(1u32);
    let mut numbers: Vec<BigUint> = (0..=20u32).map(BigUint::from).collect();
    for bits in [
        4u32, 5, 6, 7, 8, 9, 10, 16, 32, 63, 64, 65, 95, 96, 127, 128, 129, 192, 224, 254, 255,
    ] {
        let power: BigUint = &one << bits;
        numbers.extend([&power - 1u32, power.clone(), power + 1u32]);
    }
    numbers.extend([(&n - 1u32) >> 1, (&n + 1u32) >> 1]);
    // Every window full, every window half full, carries through all windows.
    for pattern in [
        0x11, 0x55, 0x77, 0x7f, 0x80, 0x88, 0xaa, 0xef, 0xf0, 0x0f, 0xfe,
    ] {
        numbers.push(BigUint::from_bytes_be(&[pattern; 32]) % &n);
    }
    let alternating: Vec<u8> = [0x7f, 0xff, 0x80, 0x00].repeat(8);
    numbers.push(BigUint::from_bytes_be(&alternating) % &n);
    numbers.extend(cube_roots_of_one(&n));
    let negative: Vec<BigUint> = numbers.iter().map(|number| (&n - number) % &n).collect();
    numbers.extend(negative);
    numbers.sort();
    numbers.dedup();
    numbers
        .iter()
        .map(|number| to_bytes(number).expect("below n"))
        .collect()
}

/// The eigenvalues of secp256k1's endomorphism and their neighbours; nothing where n has no such
/// roots.
fn cube_roots_of_one(n: &BigUint) -> Vec<BigUint> {
    let one = BigUint::from(1u32);
    if n % 3u32 != one {
        return Vec::new();
    }
    let exponent = (n - 1u32) / 3u32;
    let root = (2..20u32)
        .map(|base| BigUint::from(base).modpow(&exponent, n))
        .find(|root| *root != one);
    let root = root.expect("two thirds of all bases give a root that is not 1");
    let other = &root * &root % n;
    [root, other]
        .into_iter()
        .flat_map(|root| [&root - 1u32, root.clone(), root + 1u32])
        .collect()
}

/// Points with a special x-coordinate: 0 and the smallest ones, and the largest ones below p.
pub fn edge_points<C: TestCurve>() -> Vec<Group<C>> {
    let p = modulus::<C>();
    let small = (0..12u32).map(BigUint::from);
    let large = (1..12u32).map(|distance| &p - distance);
    small
        .chain(large)
        .filter_map(|x| lift_x::<C>(&to_bytes(&x)?, false))
        .flat_map(|point| [point, -point])
        .collect()
}

/// Points whose x-coordinate is in n..p, with the distance x - n.
pub fn points_above_order<C: TestCurve>(count: usize) -> Vec<(Group<C>, u32)> {
    let n = order::<C>();
    // Distance 0 would be r = 0, which no signature may have.
    (1..)
        .filter_map(|distance| {
            Some((
                lift_x::<C>(&to_bytes(&(&n + distance))?, distance % 2 == 1)?,
                distance,
            ))
        })
        .take(count)
        .collect()
}
