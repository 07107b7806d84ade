//! Keys out of range and invalid points among valid ones.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_curve;
use crate::support::keys::bad_keys;
use crate::support::neighbours::{Case, case, everywhere};
use crate::support::random::Random;
use crate::support::reference::{TestCurve, bytes, encode, shared_point};
use crate::support::scheme::progression;
use crate::support::secret_keys::{CLEAN, POSITIONS, outside, secret_keys};
use gecc::hash_to_curve::Suite;
use gecc::mask::{self, Form};
use gecc::{Engine, PublicKeys, Rejection, SecretKey};

type Row = Result<Vec<u8>, Rejection>;

#[apply(on_every_engine)]
fn bad_keys_and_points_reject_only_their_items(engine: &Engine) {
    each_curve!(points(engine));
}

fn points<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let (scalars, peers) = progression::<C>(&mut random, CLEAN);
    let secrets: Vec<[u8; 32]> = scalars.iter().rev().map(bytes::<C>).collect();
    let clean: Vec<Case<([u8; 32], Vec<u8>), Row>> = secrets
        .iter()
        .zip(&peers)
        .map(|(secret, peer)| {
            let product = shared_point::<C>(secret, peer.as_sec1()).expect("both are valid");
            let row = encode::<C>(&product)
                .to_compressed()
                .expect("not the identity");
            case(
                "clean",
                (*secret, peer.as_sec1().to_vec()),
                Ok(row.to_vec()),
            )
        })
        .collect();
    let mut special = Vec::new();
    for (name, secret) in outside::<C>() {
        let reason = Rejection::SecretKeyOutOfRange;
        special.push(case(
            name,
            (secret, peers[0].as_sec1().to_vec()),
            Err(reason),
        ));
        // The key is checked before the point.
        special.push(case(name, (secret, vec![0]), Err(reason)));
    }
    for (name, peer, reason) in bad_keys::<C>() {
        special.push(case(name, (secrets[0], peer), Err(reason)));
    }
    everywhere(&clean, &special, &POSITIONS, |items| {
        let keys = secret_keys(items.iter().map(|(secret, _)| *secret));
        let peers: Vec<&[u8]> = items.iter().map(|(_, peer)| peer.as_slice()).collect();
        let peers = PublicKeys::sec1(&peers);
        let masked = mask::points(engine, C::ID, &keys, peers, Form::Compressed).unwrap();
        masked.iter().map(|row| row.map(<[u8]>::to_vec)).collect()
    });
}

/// A key out of range rejects every item of its call, in masking and in unmasking, and rows of
/// rejected items are zeros.
#[apply(on_every_engine)]
fn keys_out_of_range_reject_items(engine: &Engine) {
    let items = ["a", "b", "c"];
    for suite in Suite::ALL.iter().copied() {
        let dst: &[u8] = if suite.takes_dst() { b"tag" } else { b"" };
        let good = SecretKey::from_bytes([1; 32]);
        let points = mask::items(engine, suite, dst, &good, &items, Form::Uncompressed).unwrap();
        let points: Vec<[u8; 65]> = points
            .iter()
            .map(|row| row.unwrap().try_into().unwrap())
            .collect();
        for bytes in [[0; 32], [0xff; 32]] {
            let key = SecretKey::from_bytes(bytes);
            let keys = PublicKeys::uncompressed(&points);
            for masked in [
                mask::items(engine, suite, dst, &key, &items, Form::Raw),
                mask::points(engine, suite.curve(), &key, keys, Form::Raw),
                mask::unmask(engine, suite.curve(), &key, keys, Form::Raw),
            ] {
                let masked = masked.unwrap();
                assert_eq!(masked.codes(), [Rejection::SecretKeyOutOfRange.code(); 3]);
                assert_eq!(masked.rows(), [0; 3 * 64]);
                assert_eq!(masked.get(2), Err(Rejection::SecretKeyOutOfRange));
            }
        }
        // Inverses of several keys, of which the second has none.
        let keys = [[1; 32], [0; 32], [2; 32]].map(SecretKey::from_bytes);
        let masked = mask::points(
            engine,
            suite.curve(),
            &keys,
            PublicKeys::uncompressed(&points),
            Form::Compressed,
        );
        let masked = masked.unwrap();
        assert_eq!(masked.get(1), Err(Rejection::SecretKeyOutOfRange));
        let rows: Vec<&[u8]> = masked.iter().map(|row| row.unwrap_or(&[0])).collect();
        let unmasked = mask::unmask(
            engine,
            suite.curve(),
            &keys,
            PublicKeys::sec1(&rows),
            Form::Uncompressed,
        );
        let unmasked = unmasked.unwrap();
        assert_eq!(unmasked.get(0), Ok(&points[0][..]));
        assert_eq!(unmasked.get(1), Err(Rejection::SecretKeyOutOfRange));
        assert_eq!(unmasked.get(2), Ok(&points[2][..]));
    }
}
