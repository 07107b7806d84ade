//! Hashing of messages to elements.

use super::{IDENTITY, mapped, multiply, row, secret_keys};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use elliptic_curve::consts::U32;
use gecc::{Engine, Error, ristretto255};
use hash2curve::{ExpandMsg, ExpandMsgXmd, Expander};
use sha2::Sha512;

/// RFC 9497, appendix A.1.1: the server's key, the client's blind, and for each input the blinded
/// and the evaluated element.
const SERVER_KEY: &str = "5ebcea5ee37023ccb9fc2d2019f9d7737be85591ae8652ffa9ef0f4d37063b0e";
const BLIND: &str = "64d37aed22a27f5191de1c1d69fadb899d8862b58eb4220029e036ec4c1f6706";
const OF_INPUTS: [[&str; 3]; 2] = [
    [
        "00",
        "609a0ae68c15a3cf6903766461307e5c8bb2f95e7e6550e1ffa2dc99e412803c",
        "7ec6578ae5120958eb2db1745758ff379e77cb64fe77b0b2d8cc917ea0869c7e",
    ],
    [
        "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
        "da27ef466870f5f15296299850aa088629945a17d1f5b7f5ff043f76b3c06418",
        "b4cbf5a4f1eeda5a63ce7b77c7d23f461db3fcab0dd28e4e17cecb5c90d02c25",
    ],
];

/// Hashes a message with hash2curve and curve25519-dalek.
fn reference(dst: &[u8], message: &[u8]) -> [u8; 32] {
    let length = 64u16.try_into().unwrap();
    let mut bytes = [0; 64];
    <ExpandMsgXmd<Sha512> as ExpandMsg<U32>>::expand_message(&[message], &[dst], length)
        .unwrap()
        .fill_bytes(&mut bytes)
        .unwrap();
    mapped(&bytes)
}

#[apply(on_every_engine)]
fn steps_of_oprf_match_rfc_9497(engine: &Engine) {
    let dst = b"HashToGroup-OPRFV1-\0-ristretto255-SHA512";
    let inputs: Vec<Vec<u8>> = OF_INPUTS
        .iter()
        .map(|[input, ..]| hex::decode(input).unwrap())
        .collect();
    let elements = ristretto255::hash(engine, dst, &inputs).unwrap();
    let blind = secret_keys(&[row(BLIND)]);
    let blinded = OF_INPUTS.map(|[_, blinded, _]| row(blinded));
    assert_eq!(multiply(engine, &blind[0], &elements), blinded.map(Ok));
    let key = secret_keys(&[row(SERVER_KEY)]);
    let evaluated = OF_INPUTS.map(|[_, _, evaluated]| Ok(row(evaluated)));
    assert_eq!(multiply(engine, &key[0], &blinded), evaluated);
}

/// Messages around the block of SHA-512, and tags that are hashed.
#[apply(on_every_engine)]
fn messages_and_tags_of_all_lengths_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let messages: Vec<Vec<u8>> = (0..300).map(|length| random.vector(length)).collect();
    for length in [1, 16, 63, 64, 127, 128, 254, 255, 256, 257, 1000] {
        let dst = random.vector(length);
        let found = ristretto255::hash(engine, &dst, &messages).unwrap();
        let expected: Vec<_> = messages
            .iter()
            .map(|message| reference(&dst, message))
            .collect();
        assert_eq!(found, expected, "a tag of {length} bytes");
    }
}

#[apply(on_every_engine)]
fn batches_of_every_size_match_reference(engine: &Engine) {
    let mut random = Random::new();
    for size in (0..=20).chain(127..=130) {
        let messages: Vec<Vec<u8>> = (0..size).map(|item| random.vector(item % 40)).collect();
        let mut elements = vec![IDENTITY; size];
        ristretto255::hash_into(engine, b"tag", &messages, &mut elements).unwrap();
        for (message, element) in messages.iter().zip(elements) {
            assert_eq!(element, reference(b"tag", message));
        }
    }
}

#[apply(on_every_engine)]
fn missing_tag_is_an_error(engine: &Engine) {
    let error = ristretto255::hash(engine, b"", &["a"]).unwrap_err();
    assert!(matches!(error, Error::DomainSeparation { .. }));
}
