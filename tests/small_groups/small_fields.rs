//! Curves over fields of a few bits, the simplified SWU map to them, and 3-isogenies, in machine
//! integers and by their definitions alone: for the tests of the device code and of the CPU engine.

/// Affine coordinates; `None` for the identity.
pub type Point = Option<(u64, u64)>;

/// The curve y^2 = x^3 + a x + b over a field whose p is a small prime, 3 modulo 4.
#[derive(Clone, Copy)]
pub struct Curve {
    pub p: u64,
    pub a: u64,
    pub b: u64,
}

impl Curve {
    fn minus(&self, left: u64, right: u64) -> u64 {
        (left + self.p - right) % self.p
    }

    fn inverse(&self, value: u64) -> u64 {
        (1..self.p)
            .find(|inverse| value * inverse % self.p == 1)
            .expect("not 0")
    }

    fn divide(&self, numerator: u64, denominator: u64) -> u64 {
        numerator * self.inverse(denominator) % self.p
    }

    /// A square root, if there is one.
    pub fn root(&self, square: u64) -> Option<u64> {
        (0..self.p).find(|root| root * root % self.p == square)
    }

    fn right_side(&self, x: u64) -> u64 {
        (x * x * x + self.a * x + self.b) % self.p
    }

    fn is_singular(&self) -> bool {
        let discriminant = 4 * self.a * self.a % self.p * self.a + 27 * self.b * self.b;
        discriminant.is_multiple_of(self.p)
    }

    /// The point with this x and a y of this parity.
    pub fn lift(&self, x: u64, y_is_odd: bool) -> Point {
        let y = self.root(self.right_side(x))?;
        let has_parity = (y % 2 == 1) == y_is_odd;
        Some((x, if has_parity { y } else { self.p - y }))
    }

    pub fn points(&self) -> Vec<Point> {
        let finite = (0..self.p).flat_map(|x| (0..self.p).map(move |y| (x, y)));
        let on_curve = finite.filter(|&(x, y)| y * y % self.p == self.right_side(x));
        [None].into_iter().chain(on_curve.map(Some)).collect()
    }

    /// The sum by the chord or the tangent.
    pub fn add(&self, left: Point, right: Point) -> Point {
        let (Some((x1, y1)), Some((x2, y2))) = (left, right) else {
            return left.or(right);
        };
        if x1 == x2 && (y1 + y2).is_multiple_of(self.p) {
            return None;
        }
        let slope = if x1 == x2 {
            self.divide(3 * x1 * x1 + self.a, 2 * y1 % self.p)
        } else {
            self.divide(self.minus(y2, y1), self.minus(x2, x1))
        };
        let x = self.minus(self.minus(slope * slope % self.p, x1), x2);
        let y = self.minus(slope * self.minus(x1, x) % self.p, y1);
        Some((x, y))
    }

    /// Returns whether the order of the group is a prime other than 3 and p, as those of the suites
    /// are.
    fn has_prime_order(&self) -> bool {
        let order = self.points().len() as u64;
        is_prime(order) && order != 3 && order != self.p
    }

    /// The Z of the simplified SWU map that RFC 9380, appendix H.2, finds.
    fn z(&self) -> Option<u64> {
        let candidates = (1..self.p).flat_map(|z| [z, self.p - z]);
        candidates.into_iter().find(|&z| {
            let has_root = (0..self.p).any(|x| self.right_side(x) == z);
            let x = self.divide(self.b, z * self.a % self.p);
            self.root(z).is_none()
                && z != self.p - 1
                && !has_root
                && self.root(self.right_side(x)).is_some()
        })
    }

    /// The simplified SWU map, step by step as RFC 9380, section 6.6.2, defines it.
    fn map(&self, z: u64, u: u64) -> Image {
        let zuu = z * (u * u % self.p) % self.p;
        let sum = (zuu * zuu + zuu) % self.p;
        let first = if sum == 0 {
            self.divide(self.b, z * self.a % self.p)
        } else {
            let minus_b_by_a = self.divide(self.p - self.b, self.a);
            minus_b_by_a * (1 + self.inverse(sum)) % self.p
        };
        let second = zuu * first % self.p;
        let u_is_odd = u % 2 == 1;
        let (point, is_of_second) = match self.lift(first, u_is_odd) {
            Some(point) => (Some(point), false),
            None => (self.lift(second, u_is_odd), true),
        };
        Image {
            point: point.expect("one of the two is the x-coordinate of a point"),
            is_exceptional: sum == 0,
            is_of_second,
        }
    }
}

/// The image of an element on the curve of the map.
pub struct Image {
    pub point: (u64, u64),
    /// Whether Z^2 u^4 + Z u^2 is zero.
    pub is_exceptional: bool,
    /// Whether x is the second candidate.
    pub is_of_second: bool,
}

/// The isogeny with the kernel {O, (k, y), (k, -y)}, by Vélu's formulas, followed by
/// (x, y) -> (c^2 x, c^3 y). As on secp256k1, c is 1 / 3.
pub struct Isogeny {
    pub kernel: u64,
    /// 6 k^2 + 2 a and 4 g(k).
    t: u64,
    u: u64,
    c: u64,
}

impl Isogeny {
    /// An isogeny from the curve, and the curve to which it leads.
    fn from(curve: &Curve) -> Option<(Self, Curve)> {
        let Curve { p, a, b } = *curve;
        let division_polynomial = |x: u64| {
            let square = x * x % p;
            (3 * square * square + 6 * a * square + 12 * b * x + (p - a) * a) % p
        };
        let kernel = (0..p).find(|&x| division_polynomial(x) == 0)?;
        let t = (6 * kernel * kernel + 2 * a) % p;
        let u = 4 * curve.right_side(kernel) % p;
        let c = curve.inverse(3);
        let c_squared = c * c % p;
        let c_fourth = c_squared * c_squared % p;
        let new_a = curve.minus(a, 5 * t % p);
        let new_b = curve.minus(b, 7 * (u + kernel * t) % p);
        let image = Curve {
            p,
            a: c_fourth * new_a % p,
            b: c_fourth * c_squared % p * new_b % p,
        };
        let isogeny = Isogeny { kernel, t, u, c };
        Some((isogeny, image))
    }

    /// The image of a point that is not in the kernel. As no curve here has points of order 3, the
    /// identity is the only one that is.
    fn apply(&self, curve: &Curve, (x, y): (u64, u64)) -> (u64, u64) {
        let p = curve.p;
        let inverse = curve.inverse(curve.minus(x, self.kernel));
        let t = self.t * inverse % p;
        let u = self.u * inverse % p * inverse % p;
        let new_x = (x + t + u) % p;
        let slope = curve.minus(1, (t * inverse + 2 * u * inverse) % p);
        let new_y = y * slope % p;
        let c_squared = self.c * self.c % p;
        (c_squared * new_x % p, c_squared * self.c % p * new_y % p)
    }

    /// The numerators over (x - k)^2 and (x - k)^3, beginning with the constant.
    pub fn numerators(&self, curve: &Curve) -> [[u64; 4]; 2] {
        let Isogeny { kernel: k, t, u, c } = *self;
        let p = curve.p;
        let minus_k = p - k;
        let square = k * k % p;
        // x (x - k)^2 + t (x - k) + u
        let x = [t * minus_k + u, square + t, 2 * minus_k, 1];
        // (x - k)^3 - t (x - k) - 2 u
        let y = [
            minus_k * square % p + t * k + 2 * (p - u),
            3 * square + p - t,
            3 * minus_k,
            1,
        ];
        let c_squared = c * c % p;
        [
            x.map(|value| value % p * c_squared % p),
            y.map(|value| value % p * (c_squared * c % p) % p),
        ]
    }
}

/// A curve, and how elements are mapped to it.
pub struct SmallSuite {
    pub curve: Curve,
    /// The curve of the map.
    pub source: Curve,
    pub z: u64,
    pub isogeny: Option<Isogeny>,
}

impl SmallSuite {
    /// The first curve y^2 = x^3 - 3 x + b that meets the conditions of the map.
    pub fn with_a_minus_three(p: u64) -> Self {
        let curves = (1..p).map(|b| Curve { p, a: p - 3, b });
        let found = usable(curves).next();
        let (curve, z) = found.expect("there is such a curve");
        SmallSuite {
            curve,
            source: curve,
            z,
            isogeny: None,
        }
    }

    /// The first curve y^2 = x^3 + a x + b that meets the conditions, with an isogeny to a curve
    /// whose a is 0.
    pub fn with_isogeny(p: u64) -> Self {
        let curves = (1..p).flat_map(|a| (1..p).map(move |b| Curve { p, a, b }));
        let leading_to_zero = curves.filter(|curve| {
            Isogeny::from(curve).is_some_and(|(_, image)| image.a == 0 && !curve.is_singular())
        });
        let found = usable(leading_to_zero).next();
        let (source, z) = found.expect("there is such a curve");
        let (isogeny, curve) = Isogeny::from(&source).expect("it has been found");
        let suite = SmallSuite {
            curve,
            source,
            z,
            isogeny: Some(isogeny),
        };
        suite.check_isogeny();
        suite
    }

    /// Checks that the isogeny is a bijection between the points of the curves. That it is a
    /// homomorphism, tests of sums show.
    fn check_isogeny(&self) {
        let mut images: Vec<Point> = self
            .source
            .points()
            .into_iter()
            .map(|point| point.map(|point| self.to_curve(point)))
            .collect();
        images.sort_unstable();
        let mut points = self.curve.points();
        points.sort_unstable();
        assert_eq!(images, points);
    }

    /// From the curve of the map to the curve.
    pub fn to_curve(&self, point: (u64, u64)) -> (u64, u64) {
        match &self.isogeny {
            Some(isogeny) => isogeny.apply(&self.source, point),
            None => point,
        }
    }

    /// The image of an element on the curve of the map.
    pub fn map(&self, u: u64) -> Image {
        self.source.map(self.z, u)
    }
}

/// The curves of prime order with a Z for the map, and that Z.
fn usable(curves: impl Iterator<Item = Curve>) -> impl Iterator<Item = (Curve, u64)> {
    curves
        .filter(|curve| !curve.is_singular() && curve.has_prime_order())
        .filter_map(|curve| Some((curve, curve.z()?)))
}

fn is_prime(value: u64) -> bool {
    value > 1 && (2..value).all(|divisor| !value.is_multiple_of(divisor))
}
