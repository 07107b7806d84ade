//! The signature schemes as one interface, and signatures made to measure.
//!
//! Both schemes verify x(R) for R = u1 G + u2 Q. Choosing u1, u2, and R or Q first leads to a
//! signature that is valid by construction, for any digest-level verifier: so every scalar and
//! every meeting of points can be brought about, and valid items cost no verification by the (slow)
//! reference.

use super::numbers::{number, order};
use super::random::Random;
use super::reference::{
    EcdsaReference, Group, Scalar, TestCurve, bytes, encode, encode_all, mul_base, reduced, sm2_dsa,
};
use elliptic_curve::{Field, Group as _};
use gecc::ecdsa::Policy;
use gecc::{Curve, Engine, Point, PublicKeys, Rejection, Sm2, Verdict, ecdsa, sm2};
use std::marker::PhantomData;

/// The input of a verifier; the key is a SEC 1 octet string, well-formed or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub digest: [u8; 32],
    pub signature: [u8; 64],
    pub key: Vec<u8>,
}

/// A valid signature with all its parts.
#[derive(Clone)]
pub struct Signed {
    pub item: Item,
    pub key: Point,
    pub recovery_id: u8,
}

/// A scheme on a curve.
pub trait Scheme: 'static {
    type C: TestCurve;
    /// The curve's name, for messages.
    const CURVE: &'static str;
    /// The reason why r = 1, s = n - 1 is rejected: in SM2 r + s must not be 0, in ECDSA it is a
    /// signature like any other.
    const OPPOSITE_R_AND_S: Rejection;
    fn verify(engine: &Engine, items: &[Item]) -> Vec<Verdict>;
    fn reference_verifies(item: &Item) -> bool;
    fn reference_sign(secret: &[u8; 32], digest: &[u8; 32]) -> Option<[u8; 64]>;
    /// The digest and signature that claim x(u1 G + u2 Q) = x; `None` if r or s would be 0.
    fn claim(
        u1: &Scalar<Self::C>,
        u2: &Scalar<Self::C>,
        x: &Scalar<Self::C>,
    ) -> Option<([u8; 32], [u8; 64])>;
}

/// ECDSA on a curve.
pub struct Ecdsa<C>(PhantomData<C>);
/// SM2 signatures over digests.
pub struct Sm2Dsa;

pub fn concatenate(r: &[u8; 32], s: &[u8; 32]) -> [u8; 64] {
    std::array::from_fn(|i| if i < 32 { r[i] } else { s[i - 32] })
}

/// r and s.
pub fn halves(signature: &[u8; 64]) -> ([u8; 32], [u8; 32]) {
    (
        signature[..32].try_into().expect("32 bytes"),
        signature[32..].try_into().expect("32 bytes"),
    )
}

type Columns<'a> = (Vec<[u8; 32]>, Vec<[u8; 64]>, Vec<&'a [u8]>);

pub fn columns(items: &[Item]) -> Columns<'_> {
    (
        items.iter().map(|item| item.digest).collect(),
        items.iter().map(|item| item.signature).collect(),
        items.iter().map(|item| item.key.as_slice()).collect(),
    )
}

pub fn verify_ecdsa<C: EcdsaReference>(
    engine: &Engine,
    items: &[Item],
    policy: Policy,
) -> Vec<Verdict> {
    let (digests, signatures, keys) = columns(items);
    let verdicts = ecdsa::verify(
        engine,
        C::ID,
        &digests,
        &signatures,
        PublicKeys::sec1(&keys),
        policy,
    );
    verdicts.expect("lengths agree").into_iter().collect()
}

impl<C: EcdsaReference> Scheme for Ecdsa<C> {
    type C = C;
    const CURVE: &'static str = C::NAME;
    const OPPOSITE_R_AND_S: Rejection = Rejection::Mismatch;

    fn verify(engine: &Engine, items: &[Item]) -> Vec<Verdict> {
        verify_ecdsa::<C>(engine, items, Policy::default())
    }

    fn reference_verifies(item: &Item) -> bool {
        C::verifies(&item.digest, &item.signature, &item.key)
    }

    fn reference_sign(secret: &[u8; 32], digest: &[u8; 32]) -> Option<[u8; 64]> {
        C::sign(secret, digest).map(|(signature, _)| signature)
    }

    fn claim(u1: &Scalar<C>, u2: &Scalar<C>, x: &Scalar<C>) -> Option<([u8; 32], [u8; 64])> {
        // u2 = r / s and u1 = e / s, with r = x.
        let s = *x * Field::invert(u2).into_option()?;
        let e = *u1 * s;
        let nonzero = !bool::from(x.is_zero() | s.is_zero());
        nonzero.then(|| (bytes::<C>(&e), concatenate(&bytes::<C>(x), &bytes::<C>(&s))))
    }
}

impl Scheme for Sm2Dsa {
    type C = Sm2;
    const CURVE: &'static str = Sm2::NAME;
    const OPPOSITE_R_AND_S: Rejection = Rejection::ZeroT;

    fn verify(engine: &Engine, items: &[Item]) -> Vec<Verdict> {
        let (digests, signatures, keys) = columns(items);
        let verdicts = sm2::verify(engine, &digests, &signatures, PublicKeys::sec1(&keys));
        verdicts.expect("lengths agree").into_iter().collect()
    }

    fn reference_verifies(item: &Item) -> bool {
        sm2_dsa::verifies(&item.digest, &item.signature, &item.key)
    }

    fn reference_sign(secret: &[u8; 32], digest: &[u8; 32]) -> Option<[u8; 64]> {
        sm2_dsa::sign(secret, digest)
    }

    fn claim(u1: &Scalar<Sm2>, u2: &Scalar<Sm2>, x: &Scalar<Sm2>) -> Option<([u8; 32], [u8; 64])> {
        // s = u1, and u2 = t = r + s, not 0; r = e + x.
        let r = u2 - u1;
        let s = u1;
        let valid = !bool::from(r.is_zero() | s.is_zero() | u2.is_zero());
        valid.then(|| {
            (
                bytes::<Sm2>(&(r - x)),
                concatenate(&bytes::<Sm2>(&r), &bytes::<Sm2>(s)),
            )
        })
    }
}

/// Bit 0: y is odd; bit 1: x >= n.
pub fn recovery_id<C: TestCurve>(r: &Point) -> u8 {
    (u8::from(number(r.x()) >= order::<C>()) << 1) | (r.y()[31] & 1)
}

/// Signed items of `keys` keys in turn, all different, valid by construction.
///
/// Keys and nonces are arithmetic progressions of random scalars: then the reference gets all
/// points by additions, and gets them a hundred times faster than by multiplications. The
/// coordinates, and with them u1, u2 and the signatures, look as random as any.
pub fn signed<S: Scheme>(random: &mut Random, count: usize, keys: usize) -> Vec<Signed> {
    let (secrets, key_points) = progression::<S::C>(random, keys);
    let (nonces, nonce_points) = progression::<S::C>(random, count);
    let all_keys = secrets.iter().zip(&key_points).cycle();
    let signed =
        nonces
            .iter()
            .zip(&nonce_points)
            .zip(all_keys)
            .map(|((nonce, r), (secret, key))| {
                let u2 = random.scalar::<S::C>();
                let u1 = *nonce - u2 * secret;
                let (digest, signature) =
                    S::claim(&u1, &u2, &reduced::<S::C>(r.x())).expect("random scalars are not 0");
                let item = Item {
                    digest,
                    signature,
                    key: key.as_sec1().to_vec(),
                };
                Signed {
                    item,
                    key: *key,
                    recovery_id: recovery_id::<S::C>(r),
                }
            });
    signed.collect()
}

/// Random scalars in arithmetic progression, and their points.
pub fn progression<C: TestCurve>(
    random: &mut Random,
    count: usize,
) -> (Vec<Scalar<C>>, Vec<Point>) {
    let first = random.scalar::<C>();
    let step = random.scalar::<C>();
    let scalars = std::iter::successors(Some(first), |last| Some(*last + step))
        .take(count)
        .collect();
    let step = mul_base::<C>(&step);
    let points: Vec<Group<C>> =
        std::iter::successors(Some(mul_base::<C>(&first)), |last| Some(*last + step))
            .take(count)
            .collect();
    (scalars, encode_all::<C>(&points))
}

/// A signature with chosen u1 and u2 by the key d, and R; `None` if r or s would be 0. R may be the
/// identity, and then the signature claims x = 1.
pub fn adversarial<S: Scheme>(
    u1: &Scalar<S::C>,
    u2: &Scalar<S::C>,
    d: &Scalar<S::C>,
) -> Option<(Item, Group<S::C>)> {
    let r = mul_base::<S::C>(&(*u1 + *u2 * d));
    let key = encode::<S::C>(&mul_base::<S::C>(d));
    let x = if bool::from(r.is_identity()) {
        Scalar::<S::C>::ONE
    } else {
        reduced::<S::C>(encode::<S::C>(&r).x())
    };
    let (digest, signature) = S::claim(u1, u2, &x)?;
    Some((
        Item {
            digest,
            signature,
            key: key.as_sec1().to_vec(),
        },
        r,
    ))
}

/// A signature whose R is the given point, whatever its discrete logarithm: the key is chosen to
/// match.
pub fn signed_with_r<S: Scheme>(random: &mut Random, r: &Group<S::C>) -> Signed {
    let u1 = random.scalar::<S::C>();
    let u2 = random.scalar::<S::C>();
    // Q = (R - u1 G) / u2.
    let key = (*r - mul_base::<S::C>(&u1)) * Field::invert(&u2).expect("random scalars are not 0");
    let [key, r] = [key, *r].map(|point| encode::<S::C>(&point));
    let (digest, signature) =
        S::claim(&u1, &u2, &reduced::<S::C>(r.x())).expect("random scalars are not 0");
    let item = Item {
        digest,
        signature,
        key: key.as_sec1().to_vec(),
    };
    Signed {
        item,
        key,
        recovery_id: recovery_id::<S::C>(&r),
    }
}
