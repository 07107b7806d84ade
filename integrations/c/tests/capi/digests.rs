//! Digests of messages by each hash.

use super::{cpu, expect_failure, expect_ok, strings};
use crate::capi::choices::GeccHash;
use crate::capi::ecdsa::gecc_message_digests;
use crate::capi::status::GeccStatus;
use std::ptr::{null, null_mut};

/// FIPS 180-4's message, of which Keccak-256 is known from Ethereum, and one that ethers'
/// documentation signs.
const KNOWN: [(GeccHash, &str, &str); 7] = [
    (
        GeccHash::Sha256,
        "abc",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    ),
    (
        GeccHash::Sha256d,
        "abc",
        "4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358",
    ),
    (
        GeccHash::Sha384,
        "abc",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed",
    ),
    (
        GeccHash::Sha512,
        "abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a",
    ),
    (
        GeccHash::Keccak256,
        "abc",
        "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
    ),
    (
        GeccHash::Eip191,
        "Hello World",
        "a1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2",
    ),
    // By Python's hashlib, from BIP 137.
    (
        GeccHash::BitcoinMessage,
        "Hello World",
        "a7af0baad5ae99b97fc69b3a0d1abcf3ef17f131cc4776e1bc11933ec8550f49",
    ),
];

pub fn of_every_hash() {
    let engine = cpu();
    for (hash, message, known) in KNOWN {
        let (texts, mut digests) = (
            strings([message.as_bytes(), b"", message.as_bytes()]),
            [[0; 32]; 3],
        );
        expect_ok(unsafe {
            gecc_message_digests(
                engine.0,
                hash as i32,
                3,
                texts.as_ptr(),
                digests.as_mut_ptr().cast(),
            )
        });
        assert_eq!(
            (hex::encode(digests[0]), digests[0]),
            (known.to_owned(), digests[2]),
            "{hash:?}"
        );
        assert_ne!(digests[0], digests[1]);
    }
}

pub fn arguments_are_refused() {
    let (engine, texts, mut digests) = (cpu(), strings([&b"abc"[..]]), [7; 32]);
    let digests_of = |hash, items, texts, digests| unsafe {
        gecc_message_digests(engine.0, hash, items, texts, digests)
    };
    let keccak = GeccHash::Keccak256 as i32;
    let to = digests.as_mut_ptr();
    expect_failure(
        digests_of(0, 1, texts.as_ptr(), to),
        GeccStatus::InvalidArgument,
        "there is no hash 0",
    );
    expect_failure(
        digests_of(keccak, 1, null(), to),
        GeccStatus::NullPointer,
        "messages",
    );
    expect_failure(
        digests_of(keccak, 1, texts.as_ptr(), null_mut()),
        GeccStatus::NullPointer,
        "digests",
    );
    expect_failure(
        digests_of(keccak, usize::MAX, texts.as_ptr(), to),
        GeccStatus::InvalidArgument,
        "digests",
    );
    expect_ok(digests_of(keccak, 0, null(), null_mut()));
    assert_eq!(digests, [7; 32]);
}
