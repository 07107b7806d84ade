//! Verification and recovery of one item by the device code, compiled as plain C++ and compared
//! with the arithmetic of the RustCrypto crates: every verdict, in the order of the checks.

mod harness;
mod host_build;

use elliptic_curve::sec1::{FromSec1Point, ModulusSize, ToSec1Point};
use elliptic_curve::{AffinePoint, CurveArithmetic, FieldBytesSize, Group, ProjectivePoint};
use gecc::{Rejection, Verdict};
use harness::needs::CXX;
use harness::tests;
use host_build::codes::{PENDING, PointKind};
use host_build::{
    Driver, Session, bytes, coordinates, curve_value, edge_values, from_hex, header_folder, number,
    patterned, scalar, two_to_256,
};
use num_bigint::BigUint;
use sha2::{Digest, Sha256};
use std::process::ExitCode;

/// Random items of each kind; each costs the reference two multiplications.
const RANDOM_ITEMS: usize = 24;

fn main() -> ExitCode {
    macro_rules! curves {
        ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            [$((stringify!($name), || compare::<$($reference)*>(stringify!($name)))),*]
        };
    }
    harness::run(tests(Some(&CXX), gecc::for_each_curve!(curves!)))
}

fn compare<C>(name: &str)
where
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    let driver = Driver::compile("scheme", name, &header_folder(name));
    let curve = Reference::<C>::new(name);
    let mut session = Session::default();
    curve.digits(&mut session);
    curve.sums(&mut session);
    curve.key_indexes(&mut session);
    curve.equations(&mut session);
    curve.verifications(&mut session);
    curve.even_points(&mut session);
    curve.recoveries(&mut session);
    curve.coefficients(&mut session);
    session.run(&driver);
}

/// The rules of a verification, spelled out with the arithmetic of another implementation.
struct Reference<C: CurveArithmetic> {
    p: BigUint,
    n: BigUint,
    generator: ProjectivePoint<C>,
}

/// The equation x(u1 G + u2 Q) = x modulo n, or the reason why there is none.
type Equation = Result<[BigUint; 3], Rejection>;

/// The reason why a kind of point is not a key.
fn key_rejection(kind: PointKind) -> Option<Rejection> {
    match kind {
        PointKind::Finite => None,
        PointKind::Identity => Some(Rejection::IdentityKey),
        PointKind::OffCurve => Some(Rejection::NotOnCurve),
        PointKind::OutOfRange | PointKind::BadEncoding => Some(Rejection::MalformedPoint),
    }
}

/// A signature that is valid for the key, and its digest.
struct Signed<C: CurveArithmetic> {
    digest: BigUint,
    r: BigUint,
    s: BigUint,
    key: ProjectivePoint<C>,
}

impl<C> Reference<C>
where
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    fn new(name: &str) -> Self {
        let [p, n] = ["p", "n"].map(|key| from_hex(&curve_value(name, key)));
        Reference {
            p,
            n,
            generator: ProjectivePoint::<C>::generator(),
        }
    }

    fn inverse(&self, value: &BigUint) -> BigUint {
        value
            .modinv(&self.n)
            .expect("neither 0 nor a multiple of n")
    }

    fn neg(&self, value: &BigUint) -> BigUint {
        (&self.n - value % &self.n) % &self.n
    }

    fn times(&self, point: &ProjectivePoint<C>, k: &BigUint) -> ProjectivePoint<C> {
        *point * scalar::<C>(&(k % &self.n))
    }

    fn random(&self) -> BigUint {
        patterned() % (&self.n - 1u32) + 1u32
    }

    fn ranges(&self, r: &BigUint, s: &BigUint) -> Result<(), Rejection> {
        for (value, reason) in [(r, Rejection::ROutOfRange), (s, Rejection::SOutOfRange)] {
            if *value == number(0) || *value >= self.n {
                return Err(reason);
            }
        }
        Ok(())
    }

    fn ecdsa(&self, digest: &BigUint, r: &BigUint, s: &BigUint, low_s: bool) -> Equation {
        self.ranges(r, s)?;
        if low_s && s > &(&self.n >> 1) {
            return Err(Rejection::HighS);
        }
        let w = self.inverse(s);
        Ok([digest * &w % &self.n, r * &w % &self.n, r.clone()])
    }

    fn sm2(&self, digest: &BigUint, r: &BigUint, s: &BigUint) -> Equation {
        self.ranges(r, s)?;
        let t = (r + s) % &self.n;
        if t == number(0) {
            return Err(Rejection::ZeroT);
        }
        Ok([s.clone(), t, (r + self.neg(digest)) % &self.n])
    }

    fn sum(&self, u1: &BigUint, u2: &BigUint, q: &ProjectivePoint<C>) -> ProjectivePoint<C> {
        self.times(&self.generator, u1) + self.times(q, u2)
    }

    /// The verdict on an equation and a key of some kind.
    fn verdict(&self, equation: &Equation, key: &ProjectivePoint<C>, kind: PointKind) -> Verdict {
        self.check(equation, key, kind).into()
    }

    fn check(
        &self,
        equation: &Equation,
        key: &ProjectivePoint<C>,
        kind: PointKind,
    ) -> Result<(), Rejection> {
        let [u1, u2, x] = equation.as_ref().map_err(|reason| *reason)?;
        key_rejection(kind).map_or(Ok(()), Err)?;
        let sum = self.sum(u1, u2, key);
        if sum.is_identity().into() {
            return Err(Rejection::IdentityResult);
        }
        if &coordinates::<C>(&sum)[0] % &self.n == *x {
            Ok(())
        } else {
            Err(Rejection::Mismatch)
        }
    }

    /// Any R is that of a valid ECDSA signature, for a key that follows from it: Q = (R - u1 G) /
    /// u2.
    fn signed_with(
        &self,
        nonce_point: &ProjectivePoint<C>,
        u1: &BigUint,
        u2: &BigUint,
    ) -> Signed<C> {
        let key = self.times(
            &(*nonce_point - self.times(&self.generator, u1)),
            &self.inverse(u2),
        );
        let r = &coordinates::<C>(nonce_point)[0] % &self.n;
        let s = &r * self.inverse(u2) % &self.n;
        Signed {
            digest: u1 * &s % &self.n,
            r,
            s,
            key,
        }
    }

    /// A signature of SM2 with the given nonce point: s = u1, r = u2 - u1, e = r - x(R).
    fn sm2_signed_with(
        &self,
        nonce_point: &ProjectivePoint<C>,
        u1: &BigUint,
        u2: &BigUint,
    ) -> Signed<C> {
        let key = self.times(
            &(*nonce_point - self.times(&self.generator, u1)),
            &self.inverse(u2),
        );
        let r = (u2 + self.neg(u1)) % &self.n;
        let digest = (&r + self.neg(&coordinates::<C>(nonce_point)[0])) % &self.n;
        Signed {
            digest,
            r,
            s: u1.clone(),
            key,
        }
    }

    /// The point with this x-coordinate and parity of y.
    fn lift(&self, x: &BigUint, odd: bool) -> Option<ProjectivePoint<C>> {
        if x >= &self.p {
            return None;
        }
        let mut compressed = vec![2 + u8::from(odd)];
        compressed.extend(bytes(x));
        let key = elliptic_curve::PublicKey::<C>::from_sec1_bytes(&compressed).ok()?;
        Some((*key.as_affine()).into())
    }

    /// Points whose x-coordinate is n or more, which random inputs never have.
    fn points_above_order(&self) -> Vec<ProjectivePoint<C>> {
        (1u32..)
            .filter_map(|distance| self.lift(&(&self.n + distance), distance % 2 == 1))
            .take(6)
            .collect()
    }

    fn digits(&self, session: &mut Session) {
        let numbers: Vec<BigUint> = edge_values(&self.n)
            .into_iter()
            .chain((0..40).map(|_| patterned()))
            .collect();
        // Window sizes that divide 256 leave no bit for the carry out of the last window.
        for bits in (3..=26u32).filter(|bits| !bits.is_power_of_two()) {
            for k in &numbers {
                session.expect_exactly(
                    "window_digits",
                    &[k, &number(bits.into())],
                    vec![k % &self.n],
                );
            }
        }
    }

    fn sums(&self, session: &mut Session) {
        let n = &self.n;
        let mut scalars: Vec<BigUint> =
            [0u64, 1, 2, 3, 15, 16, 17, 31, 32, 33].map(number).to_vec();
        scalars.extend([
            n - 1u32,
            n - 2u32,
            n - 32u32,
            n >> 1,
            number(1) << 128,
            (number(1) << 255) + 1u32,
        ]);
        scalars.push(self.random());
        let g = self.generator;
        let keys = [
            g,
            -g,
            g.double(),
            -self.times(&g, &number(31)),
            self.times(&g, &self.random()),
        ];
        for q in &keys {
            let [x, y] = coordinates::<C>(q);
            for u1 in &scalars {
                for u2 in &scalars {
                    let sum = coordinates::<C>(&self.sum(u1, u2, q)).to_vec();
                    session.expect_exactly("multiply_add", &[u1, u2, &x, &y], sum.clone());
                    session.expect_exactly("sum_by_tables", &[u1, u2, &x, &y], sum);
                }
            }
        }
        // The two halves opposite, equal, and one entry of the table away from that.
        for _ in 0..RANDOM_ITEMS {
            let [k, u2] = [self.random(), self.random()];
            let q = self.times(&g, &k);
            let [x, y] = coordinates::<C>(&q);
            let half = &k * &u2 % n;
            let ones = (number(1) << 45) - 1u32;
            for u1 in [
                self.neg(&half),
                half.clone(),
                (self.neg(&half) + 1u32) % n,
                (half + ones) % n,
            ] {
                let sum = coordinates::<C>(&self.sum(&u1, &u2, &q)).to_vec();
                session.expect_exactly("multiply_add", &[&u1, &u2, &x, &y], sum.clone());
                session.expect_exactly("sum_by_tables", &[&u1, &u2, &x, &y], sum);
            }
        }
    }

    /// The index of a key among two, from 1 on, or 0: also if they share x, and if there is room
    /// for one only.
    fn key_indexes(&self, session: &mut Session) {
        for slot_bits in 0..=4 {
            for shares_x in [true, false] {
                let [first, other, another] =
                    [(); 3].map(|()| self.times(&self.generator, &self.random()));
                let second = if shares_x { -first } else { another };
                let seed = patterned() >> 192;
                let [[x1, y1], [x2, y2]] = [first, second].map(|key| coordinates::<C>(&key));
                let found = [
                    (first, 1),
                    (second, if slot_bits == 0 { 0 } else { 2 }),
                    (-second, u64::from(shares_x)),
                    (other, 0),
                ];
                for (sought, place) in found {
                    let [x, y] = coordinates::<C>(&sought);
                    let arguments = [&number(slot_bits), &seed, &x1, &y1, &x2, &y2, &x, &y];
                    session.expect_exactly("find_key", &arguments, vec![number(place)]);
                }
            }
        }
    }

    fn equations(&self, session: &mut Session) {
        let mut numbers = edge_values(&self.n);
        numbers.extend([(&self.n >> 1) + 1u32, self.random(), patterned()]);
        for r in &numbers {
            for s in &numbers {
                for digest in [number(0), self.n.clone(), two_to_256() - 1u32, patterned()] {
                    for low_s in [false, true] {
                        let expected = self.ecdsa(&digest, r, s, low_s);
                        let arguments = [&digest, r, s, &number(low_s.into())];
                        session.expect_exactly("ecdsa_equation", &arguments, answer(expected));
                    }
                    session.expect_exactly(
                        "sm2_equation",
                        &[&digest, r, s],
                        answer(self.sm2(&digest, r, s)),
                    );
                }
                let opposite = self.neg(r);
                let expected = self.sm2(&number(5), r, &opposite);
                session.expect_exactly(
                    "sm2_equation",
                    &[&number(5), r, &opposite],
                    answer(expected),
                );
            }
        }
    }

    fn verifications(&self, session: &mut Session) {
        let g = self.generator;
        let mut nonce_points = self.points_above_order();
        nonce_points.extend((0..RANDOM_ITEMS).map(|_| self.times(&g, &self.random())));
        for point in &nonce_points {
            for u1 in [self.random(), number(0), self.n.clone() >> 1] {
                let u2 = self.random();
                self.around(session, &self.signed_with(point, &u1, &u2), true, false);
                let u1 = if u1 == number(0) { number(1) } else { u1 };
                self.around(session, &self.sm2_signed_with(point, &u1, &u2), false, true);
            }
        }
        // u1 G + u2 Q is the identity, or twice one of the halves; keys G and -G.
        for key in [
            g,
            -g,
            self.times(&g, &number(16)),
            self.times(&g, &self.random()),
        ] {
            for secret in [1u32, 2, 3] {
                let r = self.random();
                let s = self.neg(&(&r * secret));
                for digest in [&r * secret % &self.n, self.neg(&(&r * secret))] {
                    self.around(
                        session,
                        &Signed {
                            digest,
                            r: r.clone(),
                            s: s.clone(),
                            key,
                        },
                        true,
                        true,
                    );
                }
            }
        }
        for secret in [number(1), &self.n - 1u32, self.random()] {
            let key = self.times(&g, &secret);
            let r = self.random();
            // ECDSA: e = -r d. SM2: s = -(r + s) d, so s = -r d / (1 + d).
            self.around(
                session,
                &Signed {
                    digest: self.neg(&(&r * &secret)),
                    r: r.clone(),
                    s: self.random(),
                    key,
                },
                true,
                false,
            );
            if (&secret + 1u32) % &self.n != number(0) {
                let s = self.neg(&(&r * &secret * self.inverse(&(&secret + 1u32))));
                self.around(
                    session,
                    &Signed {
                        digest: patterned(),
                        r,
                        s,
                        key,
                    },
                    false,
                    true,
                );
            }
        }
    }

    /// The item, and its verdict after one of its parts is replaced.
    fn around(&self, session: &mut Session, item: &Signed<C>, ecdsa: bool, sm2: bool) {
        let Signed { digest, r, s, key } = item;
        let check =
            |session: &mut Session, digest: &BigUint, r: &BigUint, s: &BigUint, kind: PointKind| {
                let [x, y] = coordinates::<C>(key);
                let kind_number = number(kind as u64);
                for low_s in [false, true] {
                    let expected = self.verdict(&self.ecdsa(digest, r, s, low_s), key, kind);
                    let arguments = [digest, r, s, &number(low_s.into()), &x, &y, &kind_number];
                    if ecdsa {
                        session.expect_exactly("ecdsa_verify", &arguments, vec![code(expected)]);
                    }
                }
                if sm2 {
                    let expected = self.verdict(&self.sm2(digest, r, s), key, kind);
                    session.expect_exactly(
                        "sm2_verify",
                        &[digest, r, s, &x, &y, &kind_number],
                        vec![code(expected)],
                    );
                }
            };
        let finite = PointKind::Finite;
        check(session, digest, r, s, finite);
        check(session, &(digest ^ number(1)), r, s, finite);
        check(session, digest, &(r ^ number(1)), s, finite);
        check(session, digest, r, &self.neg(s), finite);
        for bad in [number(0), self.n.clone(), two_to_256() - 1u32] {
            check(session, digest, &bad, s, finite);
            check(session, digest, r, &bad, PointKind::OffCurve);
            check(session, digest, &bad, &bad, PointKind::Identity);
        }
        for kind in (0..=u8::MAX).filter_map(PointKind::from_code) {
            check(session, digest, r, s, kind);
        }
    }

    /// Tests whether a sum has an x-coordinate and an even y: for random points, the identity, and
    /// a double.
    fn even_points(&self, session: &mut Session) {
        let key = self.times(&self.generator, &self.random());
        let mut scalars = vec![
            [number(0), number(0)],
            [number(0), number(1)],
            [number(1), number(0)],
        ];
        scalars.extend((0..RANDOM_ITEMS).map(|_| [self.random(), self.random()]));
        for (q, secret) in [
            (key, None),
            (self.generator, Some(1u32)),
            (self.times(&self.generator, &number(5)), Some(5)),
        ] {
            let mut scalars = scalars.clone();
            let u = self.random();
            // The identity, and a sum of equal halves.
            scalars.extend(secret.map(|d| [self.neg(&(&u * d)), u.clone()]));
            scalars.extend(secret.map(|d| [&u * d % &self.n, u.clone()]));
            let [x, y] = coordinates::<C>(&q);
            for [u1, u2] in &scalars {
                let sum = self.sum(u1, u2, &q);
                let [rx, ry] = coordinates::<C>(&sum);
                for r in [rx.clone(), &rx ^ number(1), number(0)] {
                    let verdict = match (bool::from(sum.is_identity()), r == rx && !ry.bit(0)) {
                        (true, _) => Verdict::Rejected(Rejection::IdentityResult),
                        (false, true) => Verdict::Valid,
                        (false, false) => Verdict::Rejected(Rejection::Mismatch),
                    };
                    session.expect_exactly(
                        "verify_even",
                        &[u1, u2, &x, &y, &r],
                        vec![code(verdict)],
                    );
                }
            }
        }
    }

    /// Coefficients of batch verification: their values, their products, and the digits of their
    /// opposites in every width.
    fn coefficients(&self, session: &mut Session) {
        for item in [0, 1, u64::from(u32::MAX), 1 << 32, u64::MAX] {
            let seed = patterned();
            let digest = Sha256::digest([&bytes(&seed)[..], &item.to_be_bytes()].concat());
            let a = BigUint::from_bytes_be(&digest[..16]);
            session.expect_exactly("coefficient", &[&seed, &number(item)], vec![a, number(0)]);
        }
        let most: BigUint = (number(1) << 128) - 1u32;
        let mut all = vec![
            number(0),
            number(1),
            number(1) << 127,
            (number(1) << 127) + 1u32,
            most.clone(),
            &most - 1u32,
        ];
        all.extend((0..RANDOM_ITEMS).map(|_| patterned() & &most));
        for a in &all {
            for u in [number(0), number(1), &self.n - 1u32, self.random()] {
                session.expect_exactly("times_coefficient", &[a, &u], vec![a * &u % &self.n]);
            }
            for bits in 2..=16 {
                session.expect_exactly("opposite_digits", &[a, &number(bits)], vec![self.neg(a)]);
            }
        }
    }

    fn recoveries(&self, session: &mut Session) {
        let g = self.generator;
        let mut nonce_points = self.points_above_order();
        nonce_points.extend((0..RANDOM_ITEMS).map(|_| self.times(&g, &self.random())));
        let mut items: Vec<[BigUint; 3]> = Vec::new();
        for point in &nonce_points {
            let signed = self.signed_with(point, &self.random(), &self.random());
            items.push([signed.digest, signed.r, signed.s]);
        }
        // Q = (s R - e G) / r is the identity where R = k G and e = s k.
        let k = self.random();
        let [r, s] = [
            &coordinates::<C>(&self.times(&g, &k))[0] % &self.n,
            self.random(),
        ];
        items.push([&s * &k % &self.n, r.clone(), s.clone()]);
        items.push([self.neg(&(&s * &k)), r.clone(), s.clone()]);
        // Where r + n is the last coordinate below p, or none.
        let room = &self.p - &self.n;
        for x in [
            &room - 2u32,
            &room - 1u32,
            room.clone(),
            &room + 1u32,
            number(1),
            number(2),
            number(3),
        ] {
            items.push([patterned(), x, s.clone()]);
        }
        for bad in [number(0), self.n.clone(), two_to_256() - 1u32] {
            items.push([patterned(), bad.clone(), s.clone()]);
            items.push([patterned(), r.clone(), bad]);
        }
        for [digest, r, s] in &items {
            for id in [0u64, 1, 2, 3, 4, 255] {
                let expected = self.recovered(digest, r, s, id);
                session.expect_exactly("recover", &[digest, r, s, &number(id)], expected);
            }
        }
    }

    fn recovered(&self, digest: &BigUint, r: &BigUint, s: &BigUint, id: u64) -> Vec<BigUint> {
        match self.recover(digest, r, s, id) {
            Err(reason) => vec![code(Verdict::Rejected(reason))],
            Ok(key) => [vec![code(Verdict::Valid)], coordinates::<C>(&key).to_vec()].concat(),
        }
    }

    fn recover(
        &self,
        digest: &BigUint,
        r: &BigUint,
        s: &BigUint,
        id: u64,
    ) -> Result<ProjectivePoint<C>, Rejection> {
        self.ranges(r, s)?;
        if id > 3 {
            return Err(Rejection::RecoveryIdOutOfRange);
        }
        let x = if id & 2 == 0 { r.clone() } else { r + &self.n };
        let point = self.lift(&x, id & 1 == 1).ok_or(Rejection::NoSuchR)?;
        let w = self.inverse(r);
        let key = self.sum(&self.neg(&(digest * &w)), &(s * &w), &point);
        if key.is_identity().into() {
            Err(Rejection::IdentityResult)
        } else {
            Ok(key)
        }
    }
}

/// The driver's line for an equation: the verdict so far, and the scalars if nothing is wrong.
fn answer(equation: Equation) -> Vec<BigUint> {
    match equation {
        Err(reason) => vec![code(Verdict::Rejected(reason))],
        Ok(scalars) => [vec![number(PENDING.into())], scalars.to_vec()].concat(),
    }
}

/// The driver's number for a verdict.
fn code(verdict: Verdict) -> BigUint {
    number(verdict.code().into())
}
