//! Silent payments on the CPU, in batches with constant-time code.
//!
//! There are three branches on secrets. The first is whether a tweak is a non-zero scalar, which
//! holds except with probability 2^-127. The second is whether its multiple of G is a spend key or
//! the opposite of one, which requires knowledge of that key's private key. The third is in the
//! inversion of a number that was multiplied by a blinding factor known only to the receiver.

use super::Receiver;
use super::expected::{Expected, NUMBER};
use crate::cpu::field::Field;
use crate::cpu::multiply::{mul_add, normalize};
use crate::cpu::point::Affine;
use crate::cpu::point::affine::{Denominators, add_assign};
use crate::cpu::secret::{Number, SecretCurve, base_products, products, scalar};
use crate::cpu::simd::{Bases, Lanes};
use crate::cpu::tables::BaseTables;
use crate::cpu::{CHUNK, CpuEngine, decode, limbs_to_be_bytes};
use crate::curve::Secp256k1;
use crate::host::stack;
use crate::ops::hash::{Tag, tagged};
use crate::types::{KeyBytes, PublicKeys, Rejection, ResultSink, ResultsMut, Rows};
use elliptic_curve::PrimeField;
use sha2::{Digest, Sha256};
use std::iter;
use std::ops::Range;
use zeroize::{Zeroize, Zeroizing};

/// SEC 1 compressed forms of shared points.
type SharedPoints = Zeroizing<Vec<[u8; 33]>>;

/// The working memory of a chunk.
struct ScanChunk<C: SecretCurve> {
    lanes: Option<Lanes>,
    /// Items of the chunk that have a tweak point, and these points.
    places: Vec<usize>,
    points: Vec<Affine<C::Base>>,
    counters: Vec<[u8; 4]>,
}

/// The keys of a receiver, and the offset of its numbers in a row.
struct ReceiverKeys<C: SecretCurve> {
    scan: Zeroizing<Number<C>>,
    spend: Vec<Affine<C::Base>>,
    start: usize,
}

impl<C: SecretCurve> ReceiverKeys<C> {
    fn new(receiver: &Receiver, start: usize) -> Self {
        let scan = scalar::<C>(receiver.scan_key.expose_bytes()).expect("checked by Receiver::new");
        let spend = receiver.spend_keys.iter().map(|key| {
            decode::public_key::<C>(KeyBytes::Sec1(key.as_sec1()))
                .expect("checked by Receiver::new")
        });
        ReceiverKeys {
            scan,
            spend: spend.collect(),
            start,
        }
    }
}

impl Expected<'_> {
    pub(super) fn compute_range(
        &self,
        engine: &CpuEngine,
        items: Range<usize>,
        out: &mut ResultSink,
    ) {
        let part = Expected {
            tweak_points: self.tweak_points.slice(items.clone()),
            counters: self.counters.slice(items.clone()),
            items: items.len(),
            ..*self
        };
        expected::<Secp256k1>(engine, &part, out);
    }
}

fn expected<C: SecretCurve>(engine: &CpuEngine, of: &Expected, out: &mut ResultSink) {
    let lanes = engine.lanes_for(out.items());
    // Allocated once: growing the vector would leave its old contents in freed memory.
    let mut receivers: Vec<ReceiverKeys<C>> = Vec::with_capacity(of.receivers.len());
    stack::wiped(|| {
        receivers.extend(
            of.starts()
                .map(|(receiver, start)| ReceiverKeys::new(receiver, start)),
        )
    });
    engine.fill_secret(out, [of.width(), 0], |range, out| {
        let mut chunk = ScanChunk::<C> {
            lanes,
            places: vec![],
            points: vec![],
            counters: vec![],
        };
        let points =
            decode::public_keys::<C>(lanes, range.clone().map(|item| of.tweak_points.get(item)));
        for (place, (item, point)) in range.zip(points).enumerate() {
            match point {
                Err(reason) => out.reject(place, reason),
                Ok(point) => {
                    out.accept(place);
                    chunk.places.push(place);
                    chunk.points.push(point);
                    chunk.counters.push(*of.counters.get(item));
                }
            }
        }
        if !chunk.places.is_empty() {
            receivers.iter().for_each(|keys| chunk.fill(keys, out));
        }
    });
}

impl<C: SecretCurve> ScanChunk<C> {
    /// Writes a receiver's numbers.
    fn fill(&self, keys: &ReceiverKeys<C>, out: &mut ResultsMut) {
        let items = self.places.len();
        let shared = self.shared_points(&keys.scan);
        // Allocated once: growing the vector would leave its old contents in freed memory.
        let mut tweaks: Zeroizing<Vec<Number<C>>> = Zeroizing::new(Vec::with_capacity(items));
        let mut places = Vec::with_capacity(items);
        for ((shared, counter), &place) in shared.iter().zip(&self.counters).zip(&self.places) {
            let tweak = Zeroizing::new(tagged(Tag::SilentSharedSecret, &[shared, counter]));
            if let Ok(number) = scalar::<C>(&tweak) {
                out.row(0, place)[keys.start..][..NUMBER].copy_from_slice(&*tweak);
                tweaks.push(*number);
                places.push(place);
            }
        }
        if places.is_empty() {
            return;
        }
        let mut products = base_products::<C>(self.lanes, &tweaks);
        // If there are few rows, sums with several spend keys share an inversion.
        let at_once = CHUNK.div_ceil(places.len()).min(keys.spend.len());
        let mut sums = Vec::with_capacity(at_once * places.len());
        let mut denominators = Denominators::with_capacity(at_once * places.len());
        let starts = (keys.start + NUMBER..).step_by(NUMBER * at_once);
        for (spend, start) in keys.spend.chunks(at_once).zip(starts) {
            denominators.blind(blind::<C>(&shared[0], &keys.scan, start));
            sums.clear();
            spend.iter().for_each(|_| sums.extend_from_slice(&products));
            let addends: Vec<_> = spend
                .iter()
                .flat_map(|key| iter::repeat_n(*key, places.len()))
                .collect();
            add_assign::<C>(&mut sums, &addends, &mut denominators);
            let rows = (0..spend.len()).flat_map(|which| {
                places
                    .iter()
                    .map(move |place| (place, start + NUMBER * which))
            });
            for ((&place, start), sum) in rows.zip(&sums).filter(|(_, sum)| !sum.infinity) {
                out.row(0, place)[start..][..NUMBER].copy_from_slice(&sum.x.to_be_bytes());
            }
        }
        denominators.wipe();
        wipe(&mut products);
        wipe(&mut sums);
    }

    fn shared_points(&self, scan: &Number<C>) -> SharedPoints {
        let keys = Zeroizing::new(vec![*scan; self.points.len()]);
        let mut shared = Zeroizing::new(Vec::with_capacity(self.points.len()));
        for [x, y] in products::<C>(self.lanes, &keys, &self.points, Bases::Public).iter() {
            let mut row = Zeroizing::new([2; 33]);
            row[0] |= y[0] as u8 & 1;
            row[1..].copy_from_slice(&*Zeroizing::new(limbs_to_be_bytes(x)));
            shared.push(*row);
        }
        shared
    }
}

/// Returns a blinding factor that only the receiver knows. The shared point alone would not do, as
/// the sender knows it.
fn blind<C: SecretCurve>(shared: &[u8; 33], scan: &Number<C>, start: usize) -> C::Base {
    let scan = Zeroizing::new(<[u8; 32]>::from(scan.to_repr()));
    let hash = Sha256::new()
        .chain_update(*scan)
        .chain_update(shared)
        .chain_update(start.to_be_bytes())
        .finalize();
    C::Base::from_be_bytes_reduced(&Zeroizing::new(hash.into()))
}

fn wipe<T>(values: &mut Vec<T>) {
    values.clear();
    values.spare_capacity_mut().zeroize();
}

/// Computes tweak points. Variable-time: all inputs are public.
pub fn tweak_points<C: BaseTables>(
    engine: &CpuEngine,
    outpoints: Rows<36>,
    keys: PublicKeys,
    out: &mut ResultSink,
) {
    engine.fill(out, [64, 0], |range: Range<usize>, out| {
        let points =
            decode::public_keys::<C>(engine.lanes, range.clone().map(|item| keys.get(item)));
        let operands = range.zip(points).map(|(item, point)| {
            let point = point?;
            Ok((input_hash::<C>(outpoints.get(item), &point)?, point))
        });
        decode::compute_accepted(operands, out, decode::put, |operands| {
            let (scalars, points): (Vec<_>, Vec<_>) = operands.into_iter().unzip();
            normalize(
                engine.lanes,
                &mul_add::<C>(engine.lanes, &scalars, &points, None),
            )
        });
    });
}

/// Returns hash_BIP0352/Inputs(outpoint || A), in `1..n`.
fn input_hash<C: BaseTables>(
    outpoint: &[u8; 36],
    key: &Affine<C::Base>,
) -> Result<C::Scalar, Rejection> {
    let mut compressed = [2; 33];
    compressed[0] |= u8::from(key.y.is_odd());
    compressed[1..].copy_from_slice(&key.x.to_be_bytes());
    let hash = tagged(Tag::SilentInputs, &[outpoint, &compressed]);
    C::Scalar::from_be_bytes(&hash)
        .filter(|hash| !hash.is_zero())
        .ok_or(Rejection::ScalarOutOfRange)
}
