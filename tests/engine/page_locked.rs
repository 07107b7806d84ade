//! Results do not depend on where inputs are in memory.

use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use crate::support::reference::bytes;
use crate::support::scheme::progression;
use crate::support::shared::shared_points;
use gecc::ecdsa::{Policy, SForm};
use gecc::{Backend, Engine, P256, PageLocked, Point, PublicKeys, Rejection, SecretKey, Verdicts};
use gecc::{ecdsa, keys, point};
use std::ops::Range;

/// Several pages and some bytes.
const ITEMS: usize = 4099;

struct Inputs {
    scalars: PageLocked<[u8; 32]>,
    digests: PageLocked<[u8; 32]>,
    compressed: PageLocked<[u8; 33]>,
    signatures: PageLocked<[u8; 64]>,
    secret: PageLocked<SecretKey>,
    points: PageLocked<Point>,
}

type Points = Vec<Result<Point, Rejection>>;

/// The results of calls on a part of the inputs.
#[derive(PartialEq, Eq, Debug)]
struct Results {
    points: [Points; 5],
    signed: Vec<Result<[u8; 64], Rejection>>,
    verdicts: [Verdicts; 2],
}

impl Inputs {
    /// Valid inputs, except a scalar that is too large, a private key of zero and an invalid point.
    fn new(engine: &Engine) -> Self {
        let mut random = Random::new();
        let (scalars, mut points) = progression::<P256>(&mut random, ITEMS);
        let mut scalars: Vec<[u8; 32]> = scalars.iter().map(bytes::<P256>).collect();
        let mut secret: Vec<SecretKey> =
            scalars.iter().copied().map(SecretKey::from_bytes).collect();
        let digests: Vec<[u8; 32]> = (0..ITEMS).map(|_| random.bytes()).collect();
        let signed = ecdsa::sign(engine, P256, &digests, &secret, SForm::default()).unwrap();
        (scalars[100], secret[300]) = ([0xff; 32], SecretKey::from_bytes([0; 32]));
        points[200] = Point::from_coordinates(&[1; 32], &[1; 32]);
        Inputs {
            scalars: scalars.into(),
            digests: digests.into(),
            compressed: points
                .iter()
                .map(|point| point.to_compressed().unwrap())
                .collect::<Vec<_>>()
                .into(),
            signatures: signed
                .into_iter()
                .map(Result::unwrap)
                .collect::<Vec<_>>()
                .into(),
            secret: secret.into(),
            points: points.into(),
        }
    }

    fn locked(self, engine: &Engine) -> Self {
        let locked = Inputs {
            scalars: engine.page_lock(self.scalars.into_vec()),
            digests: engine.page_lock(self.digests.into_vec()),
            compressed: engine.page_lock(self.compressed.into_vec()),
            signatures: engine.page_lock(self.signatures.into_vec()),
            secret: engine.page_lock(self.secret.into_vec()),
            points: engine.page_lock(self.points.into_vec()),
        };
        let on_gpu = engine.info().backend == Backend::Gpu;
        assert!(locked.scalars.is_locked() == on_gpu && locked.secret.is_locked() == on_gpu);
        assert!(locked.points.is_locked() == on_gpu && locked.signatures.is_locked() == on_gpu);
        locked
    }

    fn results(&self, engine: &Engine, at: Range<usize>) -> Results {
        let Inputs {
            scalars,
            digests,
            compressed,
            signatures,
            secret,
            points,
        } = self;
        let scalars = &scalars[at.clone()];
        let secret = &secret[at.clone()];
        let points = &points[at.clone()];
        let digests = &digests[at.clone()];
        let signatures = &signatures[at.clone()];
        let keys = [
            PublicKeys::points(points),
            PublicKeys::compressed(&compressed[at]),
        ];
        Results {
            points: [
                point::mul_base(engine, P256, scalars).unwrap(),
                point::mul(engine, P256, scalars, points).unwrap(),
                point::add(engine, P256, points, points).unwrap(),
                keys::public_keys(engine, P256, secret).unwrap(),
                shared_points::<P256>(engine, secret, keys[1]).unwrap(),
            ],
            signed: ecdsa::sign(engine, P256, digests, secret, SForm::default()).unwrap(),
            verdicts: keys.map(|keys| {
                ecdsa::verify(engine, P256, digests, signatures, keys, Policy::default()).unwrap()
            }),
        }
    }
}

/// Calls on all inputs and on a part, in one chunk and in several; a write to locked memory takes
/// effect in the next call.
#[apply(on_every_engine)]
fn locked_memory_does_not_change_results(engine: &Engine) {
    let in_chunks = Engine::builder()
        .backend(engine.info().backend)
        .chunk_items(1000)
        .build()
        .unwrap();
    let ranges = [0..ITEMS, 1..ITEMS - 1, 99..302, 4000..4001];
    let inputs = Inputs::new(engine);
    let expected = ranges.clone().map(|range| inputs.results(engine, range));
    assert!(
        expected[0].verdicts[0].as_slice()[..200]
            .iter()
            .all(|verdict| verdict.is_valid())
    );
    assert_eq!(expected[0].verdicts[0].rejected().count(), 1);
    let mut locked = inputs.locked(engine);
    for (range, expected) in ranges.into_iter().zip(&expected) {
        assert_eq!(
            locked.results(engine, range.clone()),
            *expected,
            "{range:?}"
        );
        assert_eq!(
            locked.results(&in_chunks, range.clone()),
            *expected,
            "{range:?} in chunks"
        );
    }
    locked.digests[7] = [7; 32];
    locked.points[8] = locked.points[9];
    let other = locked.results(engine, 0..ITEMS);
    let rejected: Vec<usize> = other.verdicts[0].rejected().map(|(item, _)| item).collect();
    assert_eq!(rejected, [7, 8, 200]);
    assert_ne!(other.signed[7], expected[0].signed[7]);
    assert_eq!(other.signed[8..], expected[0].signed[8..]);
}

/// Values of any size are locked, however many there are, and whatever is next to them.
#[apply(on_every_engine)]
fn values_of_any_size_are_locked(engine: &Engine) {
    let on_gpu = engine.info().backend == Backend::Gpu;
    let mut random = Random::new();
    let mut kept = Vec::new();
    for items in (1..200).chain([4095, 4096, 4097]) {
        let rows: Vec<[u8; 33]> = (0..items)
            .map(|_| random.vector(33).try_into().unwrap())
            .collect();
        // The allocator puts them side by side.
        let first = engine.page_lock(rows.clone());
        let second = engine.page_lock(rows.clone());
        let zeros = engine.page_locked_zeros(33 * items).unwrap();
        assert_eq!(
            [first.is_locked(), second.is_locked(), zeros.is_locked()],
            [on_gpu; 3],
            "{items}"
        );
        assert!(zeros.len() == 33 * items && zeros.iter().all(|byte| *byte == 0));
        assert_eq!(first.into_vec(), rows);
        kept.push((second, rows));
    }
    assert!(
        kept.into_iter()
            .all(|(locked, rows)| locked.into_vec() == rows)
    );
    let empty = engine.page_locked_zeros(0).unwrap();
    assert!(!empty.is_locked() && empty.is_empty() && empty.into_vec().is_empty());
    let problem = engine.page_locked_zeros(usize::MAX).err().unwrap();
    assert_eq!(
        problem.to_string(),
        format!("no memory for {} bytes", usize::MAX)
    );
}
