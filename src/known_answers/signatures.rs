//! Answers of verification and recovery.

use super::Answer;
use super::group::{
    Group, Numbered, Scalar, bytes, encode_all, invert, join, large_x, no_x, off_curve, order,
    pseudo_random, reduced,
};
use crate::cpu::secret::SecretCurve;
use crate::types::{Point, Rejection, Verdict};
use elliptic_curve::Group as _;
use elliptic_curve::scalar::IsHigh;

/// Signatures to verify, with the low-s policy for ECDSA, and their expected codes.
pub struct Signatures {
    pub digests: Vec<[u8; 32]>,
    pub signatures: Vec<[u8; 64]>,
    pub keys: Vec<Point>,
    pub verdicts: Vec<Verdict>,
    /// Recovery ids and recovered keys of ECDSA, independent of the given keys. Meaningless for
    /// SM2.
    pub recovery_ids: Vec<u8>,
    pub recovered: Vec<Answer<Point>>,
}

/// A signature with its digest and key, as numbers and a point.
#[derive(Clone, Copy)]
struct SignatureNumbers<C: SecretCurve> {
    e: Scalar<C>,
    r: Scalar<C>,
    s: Scalar<C>,
    id: u8,
    key: Group<C>,
}

/// An item with its expected results.
struct SignatureItem<C: SecretCurve> {
    signed: SignatureNumbers<C>,
    verdict: Answer<()>,
    recovered: Answer<()>,
    /// A key given instead of the signer's.
    other_key: Option<Point>,
    other_signature: Option<[u8; 64]>,
}

impl<C: SecretCurve> SignatureItem<C> {
    /// Makes an item that is recovered; `verdict` is the result of verification.
    fn new(signed: SignatureNumbers<C>, verdict: Answer<()>) -> Self {
        SignatureItem {
            signed,
            verdict,
            recovered: Ok(()),
            other_key: None,
            other_signature: None,
        }
    }

    fn with_key(self, key: Point) -> Self {
        SignatureItem {
            other_key: Some(key),
            ..self
        }
    }

    fn not_recovered(self, rejection: Rejection) -> Self {
        SignatureItem {
            recovered: Err(rejection),
            ..self
        }
    }

    /// Returns `r || s`, or the signature given instead.
    fn signature(&self) -> [u8; 64] {
        let SignatureNumbers { r, s, .. } = &self.signed;
        self.other_signature
            .unwrap_or_else(|| join(&bytes::<C>(r), &bytes::<C>(s)))
    }
}

/// Returns x(R) modulo n, and the recovery id of R.
fn x_of<C: SecretCurve>(point: &Point) -> (Scalar<C>, u8) {
    let r = reduced::<C>(point.x());
    let is_large = bytes::<C>(&r) != *point.x();
    (r, u8::from(is_large) << 1 | (point.y()[31] & 1))
}

fn low<C: SecretCurve>(s: Scalar<C>) -> Scalar<C> {
    if s.is_high().into() { -s } else { s }
}

/// Signatures of ECDSA: `s R = e G + r Q`.
impl<C: SecretCurve> SignatureNumbers<C> {
    /// Makes a signature with R = k G and Q = q G for the numbers i and j of the list; e follows.
    fn new(
        Numbered {
            numbers,
            points,
            encoded,
            ..
        }: &Numbered<C>,
        i: usize,
        j: usize,
    ) -> Self {
        let (r, id) = x_of::<C>(&encoded[i]);
        let s = low::<C>(pseudo_random::<C>(i as u8 + 1));
        SignatureNumbers {
            e: s * numbers[i] - r * numbers[j],
            r,
            s,
            id,
            key: points[j],
        }
    }

    /// Makes a signature whose R has an x-coordinate that is not below n; Q follows.
    fn with_large_x() -> Self {
        let (point, r) = large_x::<C>();
        let s = low::<C>(pseudo_random::<C>(0x40));
        let e = pseudo_random::<C>(0x41);
        let key = (point * s - Group::<C>::generator() * e) * invert::<C>(&r);
        SignatureNumbers {
            e,
            r,
            s,
            id: 2,
            key,
        }
    }

    /// Negates s, which corresponds to -R.
    fn with_high_s(self) -> Self {
        SignatureNumbers {
            s: -self.s,
            id: self.id ^ 1,
            ..self
        }
    }

    /// Replaces the digest, so that the signature belongs to another key.
    fn with_digest(self, e: Scalar<C>) -> Self {
        let key = self.key - Group::<C>::generator() * ((e - self.e) * invert::<C>(&self.r));
        SignatureNumbers { e, key, ..self }
    }

    /// Returns items with r or s equal to 0 or n.
    fn with_values_out_of_range(self) -> impl Iterator<Item = SignatureItem<C>> {
        let [r, s] = [bytes::<C>(&self.r), bytes::<C>(&self.s)];
        let corrupted = [[0; 32], order::<C>()]
            .into_iter()
            .flat_map(move |outside| {
                [
                    (join(&outside, &s), Rejection::ROutOfRange),
                    (join(&r, &outside), Rejection::SOutOfRange),
                ]
            });
        corrupted.map(move |(signature, rejection)| {
            let item = SignatureItem::new(self, Err(rejection)).not_recovered(rejection);
            SignatureItem {
                other_signature: Some(signature),
                ..item
            }
        })
    }

    /// Returns items with invalid keys; recovery yields another key.
    fn with_invalid_keys(self, off_curve: Point) -> [SignatureItem<C>; 2] {
        let rejected = [
            (off_curve, Rejection::NotOnCurve),
            (Point::IDENTITY, Rejection::IdentityKey),
        ];
        rejected.map(|(key, rejection)| SignatureItem::new(self, Err(rejection)).with_key(key))
    }
}

/// Signatures of SM2: `R = s G + t Q` with `r = e + x(R)` and `t = r + s`.
impl<C: SecretCurve> SignatureNumbers<C> {
    /// Makes a signature with R = k G and Q = q G for the numbers i and j of the list; t and e
    /// follow.
    fn sm2(
        Numbered {
            numbers,
            points,
            encoded,
            ..
        }: &Numbered<C>,
        i: usize,
        j: usize,
    ) -> Self {
        let s = pseudo_random::<C>(i as u8 + 1);
        let (x, id) = x_of::<C>(&encoded[i]);
        let r = (numbers[i] - s) * invert::<C>(&numbers[j]) - s;
        SignatureNumbers {
            e: r - x,
            r,
            s,
            id,
            key: points[j],
        }
    }

    /// Makes a signature whose R has an x-coordinate that is not below n; Q follows.
    fn sm2_with_large_x() -> Self {
        let (point, x) = large_x::<C>();
        let s = pseudo_random::<C>(0x40);
        let t = pseudo_random::<C>(0x41);
        let key = (point - Group::<C>::generator() * s) * invert::<C>(&t);
        SignatureNumbers {
            e: t - s - x,
            r: t - s,
            s,
            id: 2,
            key,
        }
    }
}

impl Signatures {
    pub fn ecdsa<C: SecretCurve>(numbered: &Numbered<C>) -> Self {
        let Numbered {
            numbers,
            encoded,
            opposite,
            ..
        } = numbered;
        let signed: Vec<_> = (0..6)
            .map(|i| SignatureNumbers::new(numbered, i, 11 - i))
            .collect();
        let first = signed[0];
        let mismatch = Err(Rejection::Mismatch);
        let mut items: Vec<_> = signed
            .iter()
            .map(|signed| SignatureItem::new(*signed, Ok(())))
            .collect();
        items.push(SignatureItem::new(SignatureNumbers::with_large_x(), Ok(())));
        items.push(SignatureItem::new(
            first.with_high_s(),
            Err(Rejection::HighS),
        ));
        let next = signed[1].with_digest(signed[1].e + Scalar::<C>::from(1u64));
        items.push(SignatureItem::new(next, mismatch).with_key(encoded[10]));
        items.push(SignatureItem::new(signed[2], mismatch).with_key(opposite[9]));
        // e G + r Q is the identity.
        let nothing = first.with_digest(-first.r * numbers[11]);
        items.push(
            SignatureItem::new(nothing, Err(Rejection::IdentityResult)).with_key(encoded[11]),
        );
        // s R = e G, so that the recovered key would be the identity.
        let without_key = SignatureItem::new(first.with_digest(first.s * numbers[0]), mismatch)
            .with_key(encoded[11]);
        items.push(without_key.not_recovered(Rejection::IdentityResult));
        // Recovery ids and an r without a point.
        for (id, rejection) in [
            (4, Rejection::RecoveryIdOutOfRange),
            (signed[4].id | 2, Rejection::NoSuchR),
        ] {
            items.push(
                SignatureItem::new(SignatureNumbers { id, ..signed[4] }, Ok(()))
                    .not_recovered(rejection),
            );
        }
        let no_point = SignatureNumbers {
            r: reduced::<C>(&no_x::<C>()),
            id: 0,
            ..signed[4]
        };
        items.push(SignatureItem::new(no_point, mismatch).not_recovered(Rejection::NoSuchR));
        items.extend(signed[3].with_invalid_keys(off_curve(numbered)));
        items.extend(signed[5].with_values_out_of_range());
        Self::of(&items)
    }

    pub fn sm2<C: SecretCurve>(numbered: &Numbered<C>) -> Self {
        let Numbered {
            numbers, opposite, ..
        } = numbered;
        let valid = (0..6)
            .map(|i| SignatureNumbers::sm2(numbered, i, 11 - i))
            .chain([SignatureNumbers::sm2_with_large_x()]);
        let mut items: Vec<_> = valid
            .map(|signed| SignatureItem::new(signed, Ok(())))
            .collect();
        let item = SignatureNumbers::sm2(numbered, 1, 3);
        let mismatch = Err(Rejection::Mismatch);
        let next = SignatureNumbers {
            e: item.e + Scalar::<C>::from(1u64),
            ..item
        };
        // s G + t Q is the identity if s = -t q.
        let t = numbers[5];
        let s = -numbers[5] * numbers[3];
        items.extend([
            SignatureItem::new(next, mismatch),
            SignatureItem::new(item, mismatch).with_key(opposite[3]),
            SignatureItem::new(
                SignatureNumbers { s: -item.r, ..item },
                Err(Rejection::ZeroT),
            ),
            SignatureItem::new(
                SignatureNumbers {
                    r: t - s,
                    s,
                    ..item
                },
                Err(Rejection::IdentityResult),
            ),
        ]);
        items.extend(item.with_invalid_keys(off_curve(numbered)));
        items.extend(item.with_values_out_of_range());
        Self::of(&items)
    }

    fn of<C: SecretCurve>(items: &[SignatureItem<C>]) -> Self {
        let signers =
            encode_all::<C>(&items.iter().map(|item| item.signed.key).collect::<Vec<_>>());
        Signatures {
            digests: items
                .iter()
                .map(|item| bytes::<C>(&item.signed.e))
                .collect(),
            signatures: items.iter().map(|item| item.signature()).collect(),
            keys: items
                .iter()
                .zip(&signers)
                .map(|(item, signer)| item.other_key.unwrap_or(*signer))
                .collect(),
            verdicts: items.iter().map(|item| item.verdict.into()).collect(),
            recovery_ids: items.iter().map(|item| item.signed.id).collect(),
            recovered: items
                .iter()
                .zip(&signers)
                .map(|(item, signer)| item.recovered.map(|()| *signer))
                .collect(),
        }
    }
}
