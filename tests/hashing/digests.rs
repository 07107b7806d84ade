//! Digests of messages of mixed lengths: around the blocks of the hash functions, longer than a
//! GPU takes, and many of them.

use crate::declare::{apply, on_every_engine};
use crate::support::messages::messages;
use crate::support::random::Random;
use gecc::fields::Hash;
use gecc::{Engine, Error, hash};
use sha2::{Digest, Sha256, Sha384};
use sha3::Keccak256;

/// Digests of messages are those of the RustCrypto crates, also of many, and by hashes that no
/// device has.
#[apply(on_every_engine)]
fn digests_of_mixed_lengths_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let few = messages(&mut random);
    let many: Vec<Vec<u8>> = (0..40_000)
        .map(|item| random.vector(item * 7 % 300))
        .collect();
    for messages in [few, many, Vec::new()] {
        let check = |which: Hash, known: fn(&[u8]) -> [u8; 32]| {
            let known: Vec<[u8; 32]> = messages.iter().map(|message| known(message)).collect();
            assert!(
                hash::digests(engine, which, &messages).unwrap() == known,
                "{which:?} of {}",
                messages.len()
            );
        };
        check(Hash::Sha256, |message| Sha256::digest(message).into());
        check(Hash::Sha256d, |message| {
            Sha256::digest(Sha256::digest(message)).into()
        });
        check(Hash::Keccak256, |message| Keccak256::digest(message).into());
        check(Hash::Sha384, |message| {
            *Sha384::digest(message).first_chunk().unwrap()
        });
    }
    assert_eq!(
        hash::digests(engine, Hash::None, &[[1; 32], [2; 32]]).unwrap(),
        [[1; 32], [2; 32]]
    );
    let mut one = [[0; 32]];
    for problem in [
        hash::digests_into(engine, Hash::None, &[&[1; 31]], &mut one),
        hash::digests_into(engine, Hash::Sha256, &["one", "two"], &mut one),
    ] {
        assert!(matches!(problem, Err(Error::LengthMismatch { .. })));
    }
}
