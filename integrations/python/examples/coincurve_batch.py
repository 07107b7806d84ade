"""coincurve's names for batches: each value is a list or array, and each answer has one entry for each item.

`coincurve.PublicKey(key).verify(signature, message)` becomes `PublicKey(keys).verify(signatures, messages)`. As there,
signatures are DER, or 65 bytes where they are recoverable; high s is refused; messages are hashed with SHA-256 unless
`hasher` is None; and a secret of `ecdh` is the SHA-256 of the compressed point. An item that coincurve would raise for
is False, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

import gecc
import numpy as np
import numpy.typing as npt

Hasher = Callable[[bytes], bytes] | None
CURVE = "secp256k1"


def hashed(message: bytes) -> bytes:
    return sha256(message).digest()


def digests(messages: Sequence[bytes], hasher: Hasher) -> Sequence[bytes]:
    return [hasher(message) for message in messages] if hasher else messages


class PublicKey:
    def __init__(self, data: Sequence[bytes] | npt.NDArray[np.uint8]) -> None:
        self.points, self.valid = gecc.decompress(CURVE, data)

    @classmethod
    def from_secret(cls, secrets: Sequence[bytes] | npt.NDArray[np.uint8]) -> PublicKey:
        return cls(gecc.public_keys(CURVE, secrets)[0])

    @classmethod
    def from_signature_and_message(
        cls, signatures: Sequence[bytes], messages: Sequence[bytes], hasher: Hasher = hashed
    ) -> PublicKey:
        rows, ids = [signature[:64] for signature in signatures], [signature[64] for signature in signatures]
        return cls(gecc.recover(CURVE, digests(messages, hasher), rows, ids)[0])

    def format(self, compressed: bool = True) -> list[bytes | None]:
        heads = 2 + (self.points[:, 63] & 1) if compressed else np.full(len(self.points), 4, np.uint8)
        bodies = self.points[:, :32] if compressed else self.points
        keys = np.concatenate([heads[:, None], bodies], axis=1)
        return [key.tobytes() if valid else None for key, valid in zip(keys, self.valid, strict=True)]

    def verify(
        self, signatures: Sequence[bytes], messages: Sequence[bytes], hasher: Hasher = hashed
    ) -> npt.NDArray[np.bool_]:
        rows, parsed = gecc.signatures_from_der(signatures)
        verdicts: npt.NDArray[np.bool_] = gecc.verify(CURVE, digests(messages, hasher), rows, self.points, low_s=True)
        return verdicts & parsed


class PrivateKey:
    def __init__(self, secrets: Sequence[bytes] | npt.NDArray[np.uint8]) -> None:
        self.secrets, self.public_key = secrets, PublicKey.from_secret(secrets)

    def sign(self, messages: Sequence[bytes], hasher: Hasher = hashed) -> list[bytes | None]:
        signatures, ok = gecc.sign(CURVE, digests(messages, hasher), self.secrets)
        return [der if valid else None for der, valid in zip(gecc.signatures_to_der(signatures), ok, strict=True)]

    def sign_recoverable(self, messages: Sequence[bytes], hasher: Hasher = hashed) -> list[bytes | None]:
        signatures, ids, ok = gecc.sign_recoverable(CURVE, digests(messages, hasher), self.secrets)
        rows = np.concatenate([signatures, ids[:, None]], axis=1)
        return [row.tobytes() if valid else None for row, valid in zip(rows, ok, strict=True)]

    def ecdh(self, public_keys: Sequence[bytes]) -> list[bytes | None]:
        points, ok = gecc.ecdh_points(CURVE, self.secrets, public_keys)
        keys = [bytes([2 + (point[63] & 1)]) + point[:32].tobytes() for point in points]
        return [sha256(key).digest() if valid else None for key, valid in zip(keys, ok, strict=True)]
