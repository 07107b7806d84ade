//! The receiver of a scan: a scan key, a spend public key and labels.

use crate::cpu::decode;
use crate::cpu::field::Field;
use crate::cpu::secret::{Number, scalar};
use crate::curve::Secp256k1;
use crate::host::stack;
use crate::ops::hash::{Tag, tagged};
use crate::types::{KeyBytes, Point, Rejection, SecretKey};
use k256::{ProjectivePoint, PublicKey};
use zeroize::Zeroizing;

/// A receiver of silent payments: the scan key b_scan, the spend public key B_spend, and the labels
/// in use.
///
/// The scan key and the scalars of labels are secret: they are wiped when this is dropped, and
/// `Debug` omits them. The holder of the scan key can see payments to the receiver, but cannot
/// spend them.
#[derive(Clone, Debug)]
pub struct Receiver {
    pub(super) scan_key: SecretKey,
    /// B_spend, followed by B_spend plus the point of each label: the keys that outputs are paid
    /// to.
    pub(super) spend_keys: Vec<Point>,
    labels: Vec<Label>,
}

#[derive(Clone, Debug)]
struct Label {
    /// The number m, or the index of a label whose number is unknown.
    number: u32,
    /// The scalar hash_BIP0352/Label(b_scan || m) mod n, if it is known.
    scalar: Option<SecretKey>,
}

impl Receiver {
    /// Creates a receiver. `spend_key` is a SEC 1 octet string. `labels` are the numbers m of
    /// addresses in use, without duplicates; 0 is the label of the wallet's own change. Payments to
    /// the address without a label are always found.
    ///
    /// The only branch on the scan key is the check that it is in range.
    ///
    /// # Errors
    /// [`Rejection::SecretKeyOutOfRange`] for the scan key; the rejections of public keys for the
    /// spend key; [`Rejection::ScalarOutOfRange`] and [`Rejection::IdentityResult`] for a label
    /// that cannot be used, which has negligible probability.
    pub fn new(scan_key: SecretKey, spend_key: &[u8], labels: &[u32]) -> Result<Self, Rejection> {
        let mut receiver = Self::without_labels(scan_key, spend_key, labels.len())?;
        stack::wiped(|| {
            labels.iter().try_for_each(|&number| {
                let scan_key = receiver.scan_key.expose_bytes();
                let hash =
                    Zeroizing::new(tagged(Tag::SilentLabel, &[scan_key, &number.to_be_bytes()]));
                let of_label =
                    scalar::<Secp256k1>(&hash).map_err(|_| Rejection::ScalarOutOfRange)?;
                let label = Label {
                    number,
                    scalar: Some(SecretKey::from_bytes(*hash)),
                };
                receiver.add_label(ProjectivePoint::mul_by_generator(&of_label), label)
            })
        })?;
        Ok(receiver)
    }

    /// Creates a receiver with labels of which only the points hash_BIP0352/Label(b_scan || m) G
    /// are known, each as a SEC 1 octet string, as is the case for servers that scan for others. A
    /// match reports the index of the point as its label, and t_k alone as its tweak.
    ///
    /// # Errors
    /// The errors of [`Receiver::new`], and the rejections of public keys for a label's point.
    pub fn with_label_points<'a>(
        scan_key: SecretKey,
        spend_key: &[u8],
        label_points: impl ExactSizeIterator<Item = &'a [u8]>,
    ) -> Result<Self, Rejection> {
        let mut receiver = Self::without_labels(scan_key, spend_key, label_points.len())?;
        for (number, point) in (0..).zip(label_points) {
            let point = PublicKey::try_from(&point_of(point)?)?.to_projective();
            receiver.add_label(
                point,
                Label {
                    number,
                    scalar: None,
                },
            )?;
        }
        Ok(receiver)
    }

    fn without_labels(
        scan_key: SecretKey,
        spend_key: &[u8],
        labels: usize,
    ) -> Result<Self, Rejection> {
        stack::wiped(|| scalar::<Secp256k1>(scan_key.expose_bytes()).map(drop))?;
        Ok(Receiver {
            scan_key,
            spend_keys: vec![point_of(spend_key)?],
            labels: Vec::with_capacity(labels),
        })
    }

    fn add_label(&mut self, point: ProjectivePoint, label: Label) -> Result<(), Rejection> {
        let spend = PublicKey::try_from(&self.spend_keys[0])?.to_projective();
        let labelled = PublicKey::from_affine((point + spend).to_affine())
            .map_err(|_| Rejection::IdentityResult)?;
        self.spend_keys.push(Point::from(&labelled));
        self.labels.push(label);
        Ok(())
    }

    /// Returns the spend public keys in the addresses of this receiver: without a label, and with
    /// each label in the given order.
    pub fn spend_keys(&self) -> &[Point] {
        &self.spend_keys
    }

    /// Returns the public key of the scan key, which is part of addresses. **Constant-time** in the
    /// key.
    pub fn scan_public_key(&self) -> Point {
        stack::wiped(|| {
            let scan = scalar::<Secp256k1>(self.scan_key.expose_bytes()).expect("checked before");
            let public = ProjectivePoint::mul_by_generator(&scan).to_affine();
            Point::from(&PublicKey::from_affine(public).expect("the key is in range"))
        })
    }

    /// Returns the label of a spend key, given its index.
    pub(super) fn label(&self, spend_key: usize) -> Option<u32> {
        Some(self.labels[spend_key.checked_sub(1)?].number)
    }

    /// Returns t_k plus the scalar of the spend key's label, modulo n: the number that is added to
    /// the spend private key.
    pub(super) fn output_tweak(&self, tweak: &[u8; 32], spend_key: usize) -> SecretKey {
        let label = spend_key
            .checked_sub(1)
            .and_then(|label| self.labels[label].scalar.as_ref());
        let Some(label) = label else {
            return SecretKey::from_bytes(*tweak);
        };
        let mut sum: Zeroizing<Number<Secp256k1>> =
            scalar::<Secp256k1>(tweak).expect("a tweak is a scalar");
        *sum += &*scalar::<Secp256k1>(label.expose_bytes()).expect("checked by Receiver::new");
        SecretKey::from_bytes(Zeroizing::new(sum.to_bytes()).0)
    }
}

fn point_of(key: &[u8]) -> Result<Point, Rejection> {
    let point = decode::public_key::<Secp256k1>(KeyBytes::Sec1(key))?;
    Ok(Point::from_coordinates(
        &point.x.to_be_bytes(),
        &point.y.to_be_bytes(),
    ))
}
