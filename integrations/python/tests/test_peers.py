"""Equality with other libraries on random items, some of them corrupted."""

import hashlib

import coincurve
import gecc
import numpy as np
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from support import ECDSA_CURVES, Bytes, compressed, random_rows, signed, uncompressed

ITEMS = 300
PEERS = {"secp256k1": ec.SECP256K1(), "p256": ec.SECP256R1(), "brainpoolp256r1": ec.BrainpoolP256R1()}


def accepts(curve: str, key: Bytes, signature: Bytes, digest: Bytes) -> bool:
    """Returns whether `cryptography` accepts an item."""
    try:
        peer = ec.EllipticCurvePublicKey.from_encoded_point(PEERS[curve], b"\4" + key.tobytes())
        r, s = (int.from_bytes(part.tobytes(), "big") for part in (signature[:32], signature[32:]))
        der = utils.encode_dss_signature(r, s)
        peer.verify(der, digest.tobytes(), ec.ECDSA(utils.Prehashed(hashes.SHA256())))
    except (InvalidSignature, ValueError):
        return False
    return True


@pytest.mark.parametrize("curve", ECDSA_CURVES)
def test_verdicts_are_those_of_cryptography(curve: str) -> None:
    batch = signed(curve, ITEMS)
    found = gecc.verify(curve, batch.digests, batch.signatures, batch.public_keys)
    expected = [
        accepts(curve, key, signature, digest)
        for key, signature, digest in zip(batch.public_keys, batch.signatures, batch.digests, strict=True)
    ]
    assert found.tolist() == expected == batch.valid.tolist()


@pytest.mark.parametrize("curve", ECDSA_CURVES)
def test_keys_and_secrets_are_those_of_cryptography(curve: str) -> None:
    secret_keys, public_keys = gecc.generate_keys(curve, 20)
    _, peer_keys = gecc.generate_keys(curve, 20)
    secrets, _ = gecc.ecdh(curve, secret_keys, compressed(peer_keys))
    for secret_key, public_key, peer, secret in zip(secret_keys, public_keys, peer_keys, secrets, strict=True):
        ours = ec.derive_private_key(int.from_bytes(secret_key.tobytes(), "big"), PEERS[curve])
        numbers = ours.public_key().public_numbers()
        assert public_key.tobytes() == numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(PEERS[curve], b"\4" + peer.tobytes())
        assert ours.exchange(ec.ECDH(), theirs) == secret.tobytes()


def test_der_is_that_of_cryptography() -> None:
    signatures, _ = gecc.sign("p256", random_rows(ITEMS, 32), random_rows(1, 32)[0])
    expected = [
        utils.encode_dss_signature(int.from_bytes(row[:32].tobytes(), "big"), int.from_bytes(row[32:].tobytes(), "big"))
        for row in signatures
    ]
    assert gecc.signatures_to_der(signatures) == expected
    rows, ok = gecc.signatures_from_der(expected)
    assert ok.all()
    assert np.array_equal(rows, signatures)


def test_signatures_are_those_of_coincurve() -> None:
    messages = [row.tobytes() for row in random_rows(ITEMS, 40)]
    digests = [hashlib.sha256(message).digest() for message in messages]
    secret_keys, public_keys = gecc.generate_keys("secp256k1", ITEMS)
    signatures, ids, ok = gecc.sign_recoverable("secp256k1", digests, secret_keys)
    assert ok.all()
    recovered, ok = gecc.recover("secp256k1", digests, signatures, ids)
    assert ok.all()
    assert np.array_equal(recovered, public_keys)
    whole = np.concatenate([signatures, ids[:, None]], axis=1)
    for message, secret_key, signature, key in zip(
        messages, secret_keys, whole, uncompressed(public_keys), strict=True
    ):
        peer = coincurve.PrivateKey(secret_key.tobytes())
        assert peer.sign_recoverable(message) == signature.tobytes()
        assert peer.public_key.format(compressed=False) == key.tobytes()
    assert np.array_equal(gecc.sign_messages("secp256k1", messages, secret_keys)[0], signatures)
    assert gecc.verify_messages("secp256k1", messages, signatures, public_keys).all()


def test_points_are_those_of_coincurve() -> None:
    scalars, (_, points) = random_rows(20, 32), gecc.generate_keys("secp256k1", 20)
    scalars[:, 0] &= 0x7F
    products, ok = gecc.mul("secp256k1", scalars, points)
    assert ok.all()
    peers = [coincurve.PublicKey(b"\4" + point.tobytes()) for point in points]
    expected = [peer.multiply(scalar.tobytes()) for peer, scalar in zip(peers, scalars, strict=True)]
    assert [b"\4" + row.tobytes() for row in products] == [peer.format(compressed=False) for peer in expected]
    total = coincurve.PublicKey.combine_keys(expected).format(compressed=False)
    assert b"\4" + gecc.msm("secp256k1", scalars, points).tobytes() == total
    total = coincurve.PublicKey.combine_keys(peers).format(compressed=False)
    assert b"\4" + gecc.sum("secp256k1", compressed(points)).tobytes() == total
    pair = coincurve.PublicKey.combine_keys(peers[:2]).format(compressed=False)
    assert b"\4" + gecc.add("secp256k1", points[:1], points[1:2])[0].tobytes() == pair
