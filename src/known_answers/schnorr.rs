//! Answers of BIP 340, and of tweaks of keys.

use super::Answer;
use super::group::{
    Group, Numbered, PAIRS, bytes, encode_all, join, large_x, lift_x, no_x, off_curve, order,
    pseudo_random, reduced,
};
use crate::curve::Secp256k1;
use crate::types::{Point, Rejection, SecretKey, Verdict};
use k256::schnorr::SigningKey;
use sha2::{Digest, Sha256};

type Curve = Secp256k1;

pub struct Schnorr {
    /// The messages to verify with x-only keys, and their expected codes.
    pub messages: Vec<[u8; 32]>,
    pub signatures: Vec<[u8; 64]>,
    pub keys: Vec<[u8; 32]>,
    pub verdicts: Vec<Verdict>,
    /// The private keys that sign messages of several lengths, with RustCrypto's signatures.
    pub secret: Vec<SecretKey>,
    pub public: Vec<[u8; 33]>,
    pub texts: Vec<Vec<u8>>,
    pub auxiliary: Vec<[u8; 32]>,
    pub signed: Vec<Answer<[u8; 64]>>,
    pub tweaks: Tweaks,
}

pub struct Tweaks {
    pub keys: Vec<Point>,
    /// Scalars, and the keys plus their multiples of G.
    pub numbers: Vec<[u8; 32]>,
    pub sums: Vec<Answer<Point>>,
    /// Merkle roots, and the outputs of Taproot with and without them.
    pub roots: Vec<[u8; 32]>,
    pub outputs: [Vec<Answer<Point>>; 2],
}

struct SchnorrItem {
    message: [u8; 32],
    signature: [u8; 64],
    key: [u8; 32],
    verdict: Answer<()>,
}

/// Returns a tagged hash as a scalar.
pub(super) fn tagged(tag: &str, parts: &[&[u8]]) -> k256::Scalar {
    let tag = Sha256::digest(tag);
    reduced::<Curve>(&Sha256::digest([&[&*tag, &*tag], parts].concat().concat()).into())
}

/// Returns the challenge e of BIP 340.
fn challenge(r: &[u8; 32], key: &[u8; 32], message: &[u8; 32]) -> k256::Scalar {
    tagged("BIP0340/challenge", &[r, key, message])
}

impl Schnorr {
    pub fn new() -> Self {
        let numbered = Numbered::<Curve>::new();
        let mut items: Vec<SchnorrItem> = (0..6).map(|i| valid(&numbered, i, 11 - i)).collect();
        items.extend(rejected(&numbered));
        let mut answers = Schnorr {
            messages: items.iter().map(|item| item.message).collect(),
            signatures: items.iter().map(|item| item.signature).collect(),
            keys: items.iter().map(|item| item.key).collect(),
            verdicts: items.iter().map(|item| item.verdict.into()).collect(),
            secret: Vec::new(),
            public: Vec::new(),
            texts: Vec::new(),
            auxiliary: Vec::new(),
            signed: Vec::new(),
            tweaks: Tweaks::new(&numbered),
        };
        for (item, length) in [0, 1, 31, 32, 33, 64, 128, 200].into_iter().enumerate() {
            answers.sign(&numbered, item, length);
        }
        for key in [[0; 32], order::<Curve>(), [0xff; 32]] {
            answers.push(
                SecretKey::from_bytes(key),
                answers.public[0],
                vec![7; 32],
                Err(Rejection::SecretKeyOutOfRange),
            );
        }
        answers
    }

    fn sign(&mut self, numbered: &Numbered<Curve>, item: usize, length: usize) {
        let secret = bytes::<Curve>(&numbered.numbers[item]);
        let text = vec![item as u8; length];
        let signer = SigningKey::from_slice(&secret).expect("in range");
        let signature = signer
            .sign_raw(&text, &auxiliary(self.auxiliary.len()))
            .expect("it signs")
            .to_bytes();
        let public = numbered.encoded[item]
            .to_compressed()
            .expect("not the identity");
        self.push(SecretKey::from_bytes(secret), public, text, Ok(signature));
    }

    fn push(
        &mut self,
        secret: SecretKey,
        public: [u8; 33],
        text: Vec<u8>,
        signed: Answer<[u8; 64]>,
    ) {
        self.auxiliary.push(auxiliary(self.auxiliary.len()));
        self.secret.push(secret);
        self.public.push(public);
        self.texts.push(text);
        self.signed.push(signed);
    }
}

/// Returns auxiliary data; any value would do.
fn auxiliary(item: usize) -> [u8; 32] {
    bytes::<Curve>(&pseudo_random::<Curve>(0xa0 | item as u8))
}

/// Returns the discrete logarithm of the point with the x-coordinate of point i and an even y.
fn even(numbered: &Numbered<Curve>, i: usize) -> k256::Scalar {
    if numbered.encoded[i].y()[31] & 1 == 1 {
        -numbered.numbers[i]
    } else {
        numbered.numbers[i]
    }
}

/// Returns a valid item with R = k G and P = d G for the numbers i and j of the list; s follows.
fn valid(numbered: &Numbered<Curve>, i: usize, j: usize) -> SchnorrItem {
    let r = *numbered.encoded[i].x();
    let key = *numbered.encoded[j].x();
    let message = bytes::<Curve>(&pseudo_random::<Curve>(0xc0 | i as u8));
    let s = even(numbered, i) + challenge(&r, &key, &message) * even(numbered, j);
    SchnorrItem {
        message,
        signature: join(&r, &bytes::<Curve>(&s)),
        key,
        verdict: Ok(()),
    }
}

/// Returns a valid item, corrupted in each possible way.
fn rejected(numbered: &Numbered<Curve>) -> Vec<SchnorrItem> {
    let r = *numbered.encoded[2].x();
    let key = *numbered.encoded[4].x();
    let message = [0x42; 32];
    let e = challenge(&r, &key, &message);
    let k = even(numbered, 2);
    let d = even(numbered, 4);
    let s = bytes::<Curve>(&(k + e * d));
    let of_r = join(&r, &s);
    let no_x = no_x::<Curve>();
    // An R with an odd y, or with another x.
    let odd = join(&r, &bytes::<Curve>(&(e * d - k)));
    let other = join(&r, &bytes::<Curve>(&(k + e * d + k256::Scalar::ONE)));
    // s G = e P.
    let identity = join(&r, &bytes::<Curve>(&(e * d)));
    // An r that is not the x-coordinate of a point, so that R = s G - e P cannot match.
    let off_curve = join(&no_x, &s);
    // An r between n and p, which is compared without reduction. The discrete logarithm of such a
    // point is unknown.
    let large = *encode_all::<Curve>(&[large_x::<Curve>().0])[0].x();
    let corrupted = [
        (odd, key, Rejection::Mismatch),
        (other, key, Rejection::Mismatch),
        (of_r, *numbered.encoded[5].x(), Rejection::Mismatch),
        (identity, key, Rejection::IdentityResult),
        (off_curve, key, Rejection::Mismatch),
        (join(&[0; 32], &s), key, Rejection::Mismatch),
        (join(&r, &[0; 32]), key, Rejection::Mismatch),
        (join(&[0xff; 32], &s), key, Rejection::ROutOfRange),
        (join(&r, &order::<Curve>()), key, Rejection::SOutOfRange),
        (of_r, no_x, Rejection::NotOnCurve),
        (of_r, [0xff; 32], Rejection::MalformedPoint),
        (join(&large, &s), key, Rejection::Mismatch),
    ];
    corrupted
        .map(|(signature, key, rejection)| SchnorrItem {
            message,
            signature,
            key,
            verdict: Err(rejection),
        })
        .into()
}

/// Returns the output key of Taproot for an internal key, whose sum with a tweak is `sum`.
fn taproot_output(key: &Point, sum: &Answer<Point>, root: &[u8]) -> Answer<Point> {
    if let Err(reason @ (Rejection::NotOnCurve | Rejection::IdentityKey)) = sum {
        return Err(*reason);
    }
    let internal = lift_x::<Curve>(key.x()).expect("on the curve");
    let tweak = tagged("TapTweak", &[key.x(), root]);
    Ok(encode_all::<Curve>(&[internal + Group::<Curve>::mul_by_generator(&tweak)])[0])
}

impl Tweaks {
    fn new(numbered: &Numbered<Curve>) -> Self {
        let Numbered {
            numbers,
            encoded,
            opposite,
            ..
        } = numbered;
        let mut items: Vec<_> = PAIRS
            .map(|(i, j)| {
                (
                    encoded[i],
                    bytes::<Curve>(&numbers[j]),
                    Ok(encoded[i + j + 1]),
                )
            })
            .into();
        items.extend([
            (
                opposite[2],
                bytes::<Curve>(&numbers[2]),
                Err(Rejection::IdentityResult),
            ),
            (encoded[3], [0; 32], Ok(encoded[3])),
            (
                encoded[3],
                order::<Curve>(),
                Err(Rejection::ScalarOutOfRange),
            ),
            (
                off_curve(numbered),
                order::<Curve>(),
                Err(Rejection::NotOnCurve),
            ),
            (Point::IDENTITY, [1; 32], Err(Rejection::IdentityKey)),
        ]);
        let roots: Vec<[u8; 32]> = (0..items.len() as u8)
            .map(|seed| bytes::<Curve>(&pseudo_random::<Curve>(0xe0 | seed)))
            .collect();
        let with_roots = items
            .iter()
            .zip(&roots)
            .map(|((key, _, sum), root)| taproot_output(key, sum, root))
            .collect();
        let without_roots = items
            .iter()
            .map(|(key, _, sum)| taproot_output(key, sum, &[]))
            .collect();
        let outputs = [with_roots, without_roots];
        let keys = items.iter().map(|(key, ..)| *key).collect();
        let (numbers, sums) = items
            .into_iter()
            .map(|(_, number, sum)| (number, sum))
            .unzip();
        Tweaks {
            keys,
            numbers,
            sums,
            roots,
            outputs,
        }
    }
}
