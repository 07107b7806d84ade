//! Signatures in a small group, with their expected verdicts.

use super::reference::{Group, p};
use super::{Rejection, Verdict, bytes};
use num_bigint::BigUint;
use rand::RngExt;
use sha2::{Digest, Sha256};

/// An item of a verification.
pub struct Signed {
    pub digest: BigUint,
    pub r: BigUint,
    pub s: BigUint,
    /// The logarithm of the public key.
    pub key: u64,
    pub verdict: Verdict,
}

/// An item of a recovery.
pub struct Recoverable {
    pub digest: BigUint,
    pub r: BigUint,
    pub s: BigUint,
    pub id: u8,
    /// The logarithm of the public key.
    pub key: Result<u64, Rejection>,
}

/// The number of combinations that are taken in the largest group. It is a prime, so that each
/// number of a combination takes all its values.
const SAMPLE: u64 = 2029;

/// All combinations of numbers below the bounds, `times` times; in the largest group a sample of
/// them, spread evenly.
pub fn combinations([a, b, c]: [u64; 3], times: u64) -> impl Iterator<Item = [u64; 3]> {
    let all = a * b * c;
    let count = if a > 13 { SAMPLE } else { all };
    (0..times * count).map(move |number| {
        let index = number % count * all / count;
        [index / c / b, index / c % b, index % c]
    })
}

/// A digest of this residue modulo N: if there is another one below 2^256, a random one of the two.
fn digest(group: &mut Group, e: BigUint) -> BigUint {
    let raised = &e + &group.modulus;
    if group.random.random() && raised.bits() <= 256 {
        raised
    } else {
        e
    }
}

/// The verdict on the claim that k G has the x-coordinate `x` modulo N.
fn verdict(group: &Group, k: u64, x: &BigUint) -> Verdict {
    if k.is_multiple_of(group.order) {
        Verdict::Rejected(Rejection::IdentityResult)
    } else if group.x(k) % &group.modulus == *x {
        Verdict::Valid
    } else {
        Verdict::Rejected(Rejection::Mismatch)
    }
}

/// Items of ECDSA: for digests, s and keys the r of every point, and an r that is not an
/// x-coordinate; in the largest group the r that are valid, and two others.
pub fn ecdsa(group: &mut Group, times: u64) -> Vec<Signed> {
    let n = group.order;
    let coordinates: Vec<BigUint> = (1..=n / 2).map(|k| group.x(k) % &group.modulus).collect();
    let mut items = Vec::new();
    for [s, e, key] in combinations([n - 1, n, n - 1], times).map(|[s, e, key]| [s + 1, e, key + 1])
    {
        let w = group.inverse(s);
        let other = (coordinates[(e % (n / 2)) as usize].clone() + 1u32) % &group.modulus;
        let mut invalid = 0;
        for r in coordinates.iter().chain([&other]) {
            let verdict = verdict(group, w * (e + group.residue(r) * key), r);
            invalid += u64::from(!verdict.is_valid());
            if n == 199 && !verdict.is_valid() && invalid > 1 && *r != other {
                continue;
            }
            let [e, s] = [e, s].map(|residue| group.scalar(residue));
            items.push(Signed {
                digest: digest(group, e),
                r: r.clone(),
                s,
                key,
                verdict,
            });
        }
    }
    items
}

/// Items of SM2: for r, s and keys the digest that makes them valid, and another.
pub fn sm2(group: &mut Group, times: u64) -> Vec<Signed> {
    let n = group.order;
    let mut items = Vec::new();
    for [r, s, key] in combinations([n, n, n - 1], times).map(|[r, s, key]| [r, s, key + 1]) {
        let k = s + (r + s) * key;
        let [r, s] = [r, s].map(|residue| group.scalar(residue));
        let x = if k % n == 0 {
            BigUint::ZERO
        } else {
            group.x(k).clone()
        };
        for wrong in 0..2u32 {
            let claimed = (&x + wrong) % &group.modulus;
            let verdict = verdict(group, k, &claimed);
            let e = (&r + &group.modulus - claimed) % &group.modulus;
            items.push(Signed {
                digest: digest(group, e),
                r: r.clone(),
                s: s.clone(),
                key,
                verdict,
            });
        }
    }
    // t = r + s is 0 modulo N, and not only modulo n.
    for key in 1..n {
        let s = group.scalar(key);
        let verdict = Verdict::Rejected(Rejection::ZeroT);
        items.push(Signed {
            digest: 7u32.into(),
            r: &group.modulus - &s,
            s,
            key,
            verdict,
        });
    }
    items
}

/// The hash of the bytes before the message, for a challenge of BIP 340.
fn before_message(r: &BigUint, key_x: &BigUint) -> Sha256 {
    let tag: [u8; 32] = Sha256::digest("BIP0340/challenge").into();
    Sha256::new_with_prefix([tag, tag, bytes(r), bytes(key_x)].concat())
}

/// A message of 32 bytes whose challenge has this residue, and the challenge modulo N.
pub fn challenged(group: &mut Group, r: &BigUint, key: u64, residue: u64) -> (BigUint, BigUint) {
    let hash = before_message(r, group.x(key));
    let mut message = BigUint::from_bytes_be(&group.random.random::<[u8; 16]>());
    loop {
        let challenge =
            BigUint::from_bytes_be(&hash.clone().chain_update(bytes(&message)).finalize());
        if group.residue(&challenge) == residue {
            return (message, challenge % &group.modulus);
        }
        message += 1u32;
    }
}

/// The one of k and its opposite whose point has an even y.
fn with_even_y(group: &Group, k: u64) -> u64 {
    if group.has_even_y(k) {
        k
    } else {
        group.order - k
    }
}

/// Items of BIP 340: for challenges, s and keys the r of every point, and an r that is not an
/// x-coordinate; in the largest group the r of the point that s and the challenge determine, and
/// two others.
pub fn bip340(group: &mut Group, times: u64) -> Vec<Signed> {
    let n = group.order;
    let coordinates: Vec<BigUint> = (1..=n / 2).map(|k| group.x(k).clone()).collect();
    let mut items = Vec::new();
    for [s, e, key] in combinations([n, n, n - 1], times).map(|[s, e, key]| [s, e, key + 1]) {
        let k = (s + (n - e) * with_even_y(group, key)) % n;
        let other = (&coordinates[(e % (n / 2)) as usize] + 1u32) % p();
        let mut others = 0;
        for r in coordinates.iter().chain([&other]) {
            let is_x = k != 0 && group.x(k) == r;
            others += u64::from(!is_x);
            if n == 199 && !is_x && others > 1 && *r != other {
                continue;
            }
            let verdict = match (k, is_x && group.has_even_y(k)) {
                (0, _) => Verdict::Rejected(Rejection::IdentityResult),
                (_, true) => Verdict::Valid,
                (_, false) => Verdict::Rejected(Rejection::Mismatch),
            };
            let (digest, _) = challenged(group, r, key, e);
            items.push(Signed {
                digest,
                r: r.clone(),
                s: group.scalar(s),
                key,
                verdict,
            });
        }
    }
    items
}

/// Items with recovery ids: for every R, s and digests the key; and an id for which r is too large.
pub fn recovery(group: &mut Group, times: u64) -> Vec<Recoverable> {
    let n = group.order;
    let mut items = Vec::new();
    for [k, s, e] in combinations([n - 1, n, n], times).map(|[k, s, e]| [k + 1, s, e]) {
        let (x, y) = group.point(k).clone().expect("not the identity");
        let r = &x % &group.modulus;
        let key = group.inverse(group.residue(&r)) * (s * k + n - e) % n;
        let key = if key == 0 {
            Err(Rejection::IdentityResult)
        } else {
            Ok(key)
        };
        let id = u8::from(x != r) << 1 | u8::from(y.bit(0));
        let too_large = id < 2 && &r + &group.modulus >= p();
        for (id, key) in [(id, key)]
            .into_iter()
            .chain(too_large.then_some((id | 2, Err(Rejection::NoSuchR))))
        {
            let [e, s] = [e, s].map(|residue| group.scalar(residue));
            items.push(Recoverable {
                digest: digest(group, e),
                r: r.clone(),
                s,
                id,
                key,
            });
        }
    }
    items
}
