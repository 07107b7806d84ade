//! Signing, public keys and ECDH: keys at which multiplications meet equal points. Such keys may be
//! an attacker's own.

use crate::compare::Bench;
use crate::points::{last_window, points, scalars, shuffled, small};
use crate::support::each::each_ecdsa_curve;
use crate::support::numbers::{order, order_plus};
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, TestCurve};
use gecc::ecdsa::SForm;
use gecc::{Point, PublicKeys, SecretKey, SharedPoint, Sm2, ecdh, ecdsa, keys, sm2};
use num_bigint::BigUint;

type Digests = Vec<[u8; 32]>;
type Keys = Vec<SecretKey>;

pub fn compare<C: TestCurve>(bench: &mut Bench) {
    bench.compare(
        &format!("{}: public_keys", C::NAME),
        public_keys::<C>,
        |engine, keys| keys::public_keys(engine, C::ID, keys).expect("a device works"),
    );
    bench.compare(
        &format!("{}: ecdh", C::NAME),
        agreements::<C>,
        |engine, (keys, peers)| {
            let shared = ecdh::shared_points(engine, C::ID, keys, PublicKeys::points(peers))
                .expect("as many");
            shared
                .into_iter()
                .map(|point| point.map(SharedPoint::into_public))
                .collect::<Vec<_>>()
        },
    );
}

pub fn compare_signing(bench: &mut Bench) {
    fn ecdsa_on<C: EcdsaReference>(bench: &mut Bench) {
        bench.compare(
            &format!("{}: sign", C::NAME),
            signatures::<C>,
            |engine, (digests, keys)| {
                ecdsa::sign(engine, C::ID, digests, keys, SForm::default()).expect("as many")
            },
        );
    }
    each_ecdsa_curve!(ecdsa_on(bench));
    bench.compare("sm2: sign", signatures::<Sm2>, |engine, (digests, keys)| {
        sm2::sign(engine, digests, keys).expect("as many")
    });
}

fn secret_keys(scalars: Vec<[u8; 32]>) -> Keys {
    scalars.into_iter().map(SecretKey::from_bytes).collect()
}

/// The private key whose product with G meets equal points in the last addition, where digits are
/// odd and of 6 bits, and its opposite: 2 * 15 * 2^252 - n.
fn last_window_of_base<C: TestCurve>() -> Vec<BigUint> {
    let n = order::<C>();
    let key = (BigUint::from(30u32) << 252u32) - &n;
    vec![&n - &key, key]
}

fn public_keys<C: TestCurve>(items: usize) -> Vec<(&'static str, Keys)> {
    let mut random = Random::new();
    vec![
        ("baseline", secret_keys(scalars::<C>(&mut random, items))),
        (
            "equal points in the last addition",
            secret_keys(shuffled(&mut random, &last_window_of_base::<C>(), items)),
        ),
        (
            "keys up to 64 and opposites",
            secret_keys(shuffled(&mut random, &small::<C>(), items)),
        ),
        (
            "keys out of range",
            secret_keys(vec![order_plus::<C>(0); items]),
        ),
    ]
}

fn agreements<C: TestCurve>(items: usize) -> Vec<(&'static str, (Keys, Vec<Point>))> {
    let mut random = Random::new();
    let peers = points::<C>(&mut random, items);
    let keys = secret_keys(scalars::<C>(&mut random, items));
    let last = secret_keys(shuffled(&mut random, &last_window::<C>(), items));
    let small = secret_keys(shuffled(&mut random, &small::<C>(), items));
    let off_curve = peers
        .iter()
        .map(|peer| Point::from_coordinates(peer.y(), peer.x()))
        .collect();
    let opposites = secret_keys(vec![order_plus::<C>(0); items]);
    vec![
        ("baseline", (keys.clone(), peers.clone())),
        ("equal points in the last addition", (last, peers.clone())),
        ("keys up to 64 and opposites", (small, peers.clone())),
        ("one peer", (keys.clone(), vec![peers[0]; items])),
        ("peers off the curve", (keys, off_curve)),
        ("keys out of range", (opposites, peers)),
    ]
}

fn signatures<C: TestCurve>(items: usize) -> Vec<(&'static str, (Digests, Keys))> {
    let mut random = Random::new();
    let keys = secret_keys(scalars::<C>(&mut random, items));
    let digests: Digests = (0..items).map(|_| random.bytes()).collect();
    let last = secret_keys(shuffled(&mut random, &last_window_of_base::<C>(), items));
    let small = secret_keys(shuffled(&mut random, &small::<C>(), items));
    vec![
        ("baseline", (digests.clone(), keys.clone())),
        ("digest 0", (vec![[0; 32]; items], keys.clone())),
        ("digest 2^256 - 1", (vec![[0xff; 32]; items], keys)),
        (
            "keys at which their own product is special",
            (digests.clone(), last),
        ),
        ("keys up to 64 and opposites", (digests.clone(), small)),
        (
            "keys out of range",
            (digests, secret_keys(vec![[0; 32]; items])),
        ),
    ]
}
