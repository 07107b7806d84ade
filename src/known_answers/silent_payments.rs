//! Answers of silent payments.

use super::Answer;
use super::group::{Group, Numbered, Scalar, bytes, encode_all, off_curve, pseudo_random};
use super::schnorr::tagged;
use crate::curve::Secp256k1;
use crate::types::{Point, Rejection};

type Curve = Secp256k1;

/// A scan key, a spend public key and labels.
type ReceiverKeys = ([u8; 32], Point, &'static [u32]);

pub struct SilentPayments {
    /// The tweak points of a scan, also used as sums of keys of an index. Some of them are invalid.
    pub points: Vec<Point>,
    pub counters: Vec<[u8; 4]>,
    pub receivers: Vec<ReceiverKeys>,
    /// The expected numbers of all receivers.
    pub expected: Vec<Answer<[u8; Self::WIDTH]>>,
    pub outpoints: Vec<[u8; 36]>,
    pub tweak_points: Vec<Answer<Point>>,
}

impl SilentPayments {
    /// The length of a row in bytes: for each receiver a tweak, and an output per spend key.
    pub const WIDTH: usize = 32 * (2 + 4);

    pub fn new() -> Self {
        let numbered = Numbered::<Curve>::new();
        let mut points = [numbered.encoded.clone(), numbered.opposite.clone()].concat();
        points.extend([
            off_curve(&numbered),
            Point::IDENTITY,
            Point::from_coordinates(&[0xff; 32], &[1; 32]),
        ]);
        let counters = [0, 1, 2322, 0x0102_0304].map(u32::to_be_bytes);
        let counters: Vec<[u8; 4]> = counters.into_iter().cycle().take(points.len()).collect();
        let scan_keys = [pseudo_random::<Curve>(0xb0), pseudo_random::<Curve>(0xb1)];
        let labels: [&'static [u32]; 2] = [&[], &[0, u32::MAX]];
        let outpoints: Vec<[u8; 36]> = (0..points.len())
            .map(|item| std::array::from_fn(|i| (37 * item + 11 * i) as u8))
            .collect();
        let receivers = scan_keys.iter().zip(&numbered.encoded[4..]).zip(labels);
        let receivers = receivers
            .map(|((scan, spend), labels)| (bytes::<Curve>(scan), *spend, labels))
            .collect();
        let mut group: Vec<Group<Curve>> = numbered.points.clone();
        group.extend(numbered.points.iter().map(|point| -*point));
        let reasons = [
            Rejection::NotOnCurve,
            Rejection::IdentityKey,
            Rejection::MalformedPoint,
        ];
        let expected = group.iter().zip(&counters).map(|(point, counter)| {
            let mut row = Vec::new();
            for (which, scan_key) in scan_keys.iter().enumerate() {
                let spend_key = &numbered.points[4 + which];
                row.extend(expected_of_receiver(
                    point,
                    counter,
                    scan_key,
                    spend_key,
                    labels[which],
                ));
            }
            Ok(row.as_flattened().try_into().expect("the width"))
        });
        let expected = expected.chain(reasons.map(Err)).collect();
        let products: Vec<Group<Curve>> = group
            .iter()
            .zip(&outpoints)
            .map(|(key, outpoint)| *key * tagged("BIP0352/Inputs", &[outpoint, &compressed(*key)]))
            .collect();
        let tweak_points = encode_all::<Curve>(&products)
            .into_iter()
            .map(Ok)
            .chain(reasons.map(Err))
            .collect();
        SilentPayments {
            points,
            counters,
            receivers,
            expected,
            outpoints,
            tweak_points,
        }
    }
}

/// Returns the tweak of a receiver, and the x-coordinates of the output without a label and of
/// those with the given labels.
fn expected_of_receiver(
    point: &Group<Curve>,
    counter: &[u8; 4],
    scan_key: &Scalar<Curve>,
    spend_key: &Group<Curve>,
    labels: &[u32],
) -> Vec<[u8; 32]> {
    let shared = compressed(*point * scan_key);
    let tweak = tagged("BIP0352/SharedSecret", &[&shared, counter]);
    let unlabelled = *spend_key + Group::<Curve>::mul_by_generator(&tweak);
    let mut outputs = vec![unlabelled];
    for label in labels {
        let label = tagged(
            "BIP0352/Label",
            &[&bytes::<Curve>(scan_key), &label.to_be_bytes()],
        );
        outputs.push(unlabelled + Group::<Curve>::mul_by_generator(&label));
    }
    let mut row = vec![bytes::<Curve>(&tweak)];
    row.extend(encode_all::<Curve>(&outputs).iter().map(|point| *point.x()));
    row
}

fn compressed(point: Group<Curve>) -> [u8; 33] {
    encode_all::<Curve>(&[point])[0]
        .to_compressed()
        .expect("not the identity")
}
