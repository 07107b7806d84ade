"""Hashes of messages, by the names that the command has."""

import hashlib
from typing import Any

import gecc
import numpy as np
import pyarrow as pa
import pytest
from gecc import Reason, arrow
from support import ECDSA_CURVES

MESSAGES = [b"abc", b"", b"Hello World", bytes(1000)]
# Digests of the third message: that of EIP-191 as ethers' documentation has it.
HELLO = {
    "keccak256": "592fa743889fc7f92ac2a37bb1f5ba1daf2a5c84741ca0e0061d243a2e6707ba",
    "eip191": "a1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2",
}
OF_HASHLIB: dict[str, Any] = {
    "sha256": lambda message: hashlib.sha256(message).digest(),
    "sha256d": lambda message: hashlib.sha256(hashlib.sha256(message).digest()).digest(),
    "sha384": lambda message: hashlib.sha384(message).digest()[:32],
    "sha512": lambda message: hashlib.sha512(message).digest()[:32],
    "bitcoin-message": lambda message: sha256d(b"\x18Bitcoin Signed Message:\n" + compact_size(len(message)) + message),
}


def sha256d(message: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(message).digest()).digest()


def compact_size(length: int) -> bytes:
    return bytes([length]) if length < 253 else b"\xfd" + length.to_bytes(2, "little")


def test_digests_are_those_of_others() -> None:
    for name, digest in OF_HASHLIB.items():
        digests, ok = gecc.message_digests(MESSAGES, hash=name)  # type: ignore[call-overload]
        assert ok.all()
        assert [row.tobytes() for row in digests] == [digest(message) for message in MESSAGES], name
    for name, digest in HELLO.items():
        digests, ok = gecc.message_digests(MESSAGES, hash=name)  # type: ignore[call-overload]
        assert ok.all()
        assert digests[2].tobytes().hex() == digest
    assert (gecc.message_digests(MESSAGES)[0] == gecc.message_digests(MESSAGES, hash="sha256")[0]).all()


@pytest.mark.parametrize("name", ["sha256", "sha256d", "sha384", "sha512", "keccak256", "eip191", "bitcoin-message"])
def test_messages_are_signed_and_verified_by_each_hash(name: Any) -> None:
    for curve in ECDSA_CURVES:
        secret_keys, public_keys = gecc.generate_keys(curve, len(MESSAGES))
        signatures, ok = gecc.sign_messages(curve, MESSAGES, secret_keys, hash=name)
        digests, _ = gecc.message_digests(MESSAGES, hash=name)
        assert ok.all()
        assert gecc.verify(curve, digests, signatures, public_keys).all()
        assert gecc.verify_messages(curve, MESSAGES, signatures, public_keys, hash=name).all()
        other: Any = "keccak256" if name == "sha256" else "sha256"
        assert not gecc.verify_messages(curve, MESSAGES, signatures, public_keys, hash=other).any()
    # As Ethereum wallets hash a text.
    signatures, recovery_ids, _ = gecc.sign_recoverable("secp256k1", digests, secret_keys)
    keys, ok = gecc.recover("secp256k1", gecc.message_digests(MESSAGES, hash=name)[0], signatures, recovery_ids)
    assert ok.all()
    assert (keys == gecc.public_keys("secp256k1", secret_keys)[0]).all()


@pytest.mark.parametrize("name", ["sha256", "sha512", "keccak256", "eip191"])
def test_record_batches_of_messages_have_the_same_hashes(name: Any) -> None:
    secret_keys, public_keys = gecc.generate_keys("secp256k1", len(MESSAGES))
    keys = pa.array([row.tobytes() for row in secret_keys], pa.binary())
    batch = pa.record_batch({"message": pa.array(MESSAGES, pa.binary()), "secret_key": keys})
    signed = arrow.Sign("secp256k1", hash=name, recoverable=True, beside=True)(batch)
    alone, _ = gecc.sign_messages("secp256k1", MESSAGES, secret_keys, hash=name)
    assert signed["signature"].to_pylist() == [row.tobytes() for row in alone]
    recovered = arrow.Recover("secp256k1", hash=name)(signed)["public_key"].to_pylist()
    assert recovered == [b"\4" + row.tobytes() for row in public_keys]
    addresses = arrow.RecoverAddresses(hash=name)(signed)["address"].to_pylist()
    digests = gecc.message_digests(MESSAGES, hash=name)[0]
    ids = signed["recovery_id"].to_numpy()
    assert addresses == [row.tobytes() for row in gecc.recover_addresses("secp256k1", digests, alone, ids)[0]]
    signed = signed.append_column("public_key", pa.array([row.tobytes() for row in public_keys], pa.binary()))
    assert arrow.Verify("secp256k1", hash=name)(signed)["valid"].to_pylist() == [True] * len(MESSAGES)
    other: Any = "keccak256" if name == "sha256" else "sha256"
    assert arrow.Verify("secp256k1", hash=other)(signed)["valid"].to_pylist() == [False] * len(MESSAGES)


def test_record_batches_refuse_hashes_that_are_not_meant() -> None:
    batch = pa.record_batch({"message": [b"a"], "secret_key": [bytes(31) + b"\1"]})
    with pytest.raises(ValueError, match="hash: no hash is called `md5`"):
        arrow.Sign("p256", hash="md5")(batch)  # type: ignore[arg-type]
    # Also for the hash that ECDSA has by default.
    for name in ["keccak256", "sha256"]:
        with pytest.raises(ValueError, match="hash: SM2 has a hash of its own"):
            arrow.Sign("sm2", hash=name)(batch)  # type: ignore[arg-type]
    digests = pa.record_batch({"digest": [bytes(32)], "secret_key": [bytes(31) + b"\1"]})
    for name in ["keccak256", "sha256"]:
        with pytest.raises(ValueError, match="is for a column `message`"):
            arrow.Sign("p256", hash=name)(digests)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is for messages of SM2"):
        arrow.Sign("p256", user_id="alice")(batch)
    with pytest.raises(ValueError, match="--sm2-id .* has no effect"):
        arrow.Sign("sm2", user_id="alice")(digests)
    with pytest.raises(ValueError, match="batch_verification: for ECDSA"):
        arrow.Verify("sm2", batch_verification=True)(batch)


def test_one_user_id_is_for_all_rows() -> None:
    secret_keys, public_keys = gecc.generate_keys("sm2", 2)
    messages = [b"one", b"two"]
    batch = pa.record_batch({
        "message": pa.array(messages, pa.binary()),
        "secret_key": pa.array([row.tobytes() for row in secret_keys], pa.binary()),
        "public_key": pa.array([row.tobytes() for row in public_keys], pa.binary()),
    })
    for user_id in ["", "alice", b"\xff\x00"]:
        signed = arrow.Sign("sm2", user_id=user_id, beside=True)(batch)
        alone, _ = gecc.sign_messages("sm2", messages, secret_keys, user_ids=user_id)
        assert signed["signature"].to_pylist() == [row.tobytes() for row in alone]
        assert arrow.Verify("sm2", user_id=user_id)(signed)["valid"].to_pylist() == [True, True]
        assert arrow.Verify("sm2", user_id="bob")(signed)["valid"].to_pylist() == [False, False]


def test_nonces_are_made_by_the_hash_of_messages() -> None:
    # RFC 6979, A.2.5.
    key = bytes.fromhex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")
    expected = {
        "sha384": "0eafea039b20e9b42309fb1d89e213057cbf973dc0cfc8f129edddc800ef7719"
        "4861f0491e6998b9455193e34e7b0d284ddd7149a74b95b9261f13abde940954",
        "sha512": "8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f00"
        "2362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe",
    }
    for name, signature in expected.items():
        signed, _ = gecc.sign_messages("p256", [b"sample"], key, hash=name)  # type: ignore[call-overload]
        assert signed[0].tobytes().hex() == signature


def test_without_a_hash_a_message_is_its_digest() -> None:
    digests = np.arange(96, dtype=np.uint8).reshape(3, 32)
    secret_keys, public_keys = gecc.generate_keys("p256", 3)
    signatures, ok = gecc.sign_messages("p256", digests, secret_keys, hash="none")
    assert ok.all()
    assert gecc.verify("p256", digests, signatures, public_keys).all()
    # Only the item with another length is rejected.
    rows = [digests[0], bytes(31), digests[2]]
    codes = gecc.verify_messages("p256", rows, signatures, public_keys, hash="none", reasons=True)
    assert codes.tolist() == [Reason.VALID, Reason.DIGEST_WRONG_LENGTH, Reason.VALID]


def test_results_are_as_those_of_other_calls() -> None:
    out = np.zeros((4, 32), np.uint8)
    digests, codes = gecc.message_digests([b"abc", None, b"", b"abc"], hash="keccak256", out=out, reasons=True)
    assert digests is out
    assert codes.tolist() == [Reason.VALID, Reason.MESSAGE_NULL, Reason.VALID, Reason.VALID]
    assert not digests[1].any()
    arrow, ok = gecc.message_digests(pa.array([b"abc", None]), hash="keccak256")
    assert pa.array(arrow).to_pylist() == [digests[0].tobytes(), None]
    assert pa.array(ok).to_pylist() == [True, False]
    assert gecc.message_digests(b"abc")[0].shape == (1, 32)


def test_hashes_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"hash: no hash is called `md5`; the hashes are sha256, sha256d"):
        gecc.message_digests(MESSAGES, hash="md5")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="hash: SM2 has a hash of its own"):
        gecc.sign_messages("sm2", MESSAGES, bytes(31) + b"\1", hash="keccak256")
    with pytest.raises(ValueError, match="hash: SM2 has a hash of its own"):
        gecc.verify_messages("sm2", MESSAGES, bytes(64), bytes(33), hash="none")
    with pytest.raises(ValueError, match="hash: SM2 has a hash of its own"):
        gecc.sign_messages("sm2", MESSAGES, bytes(31) + b"\1", hash="sha256")
