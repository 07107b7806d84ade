"""X25519: the cases that all interfaces share (tests/cases of the library), the peer `cryptography`, and forms of
keys."""

import base64
import json
from typing import Any

import gecc
import numpy as np
import polars
import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, x25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from gecc import Reason, arrow

from support import X25519_CASES, forms_of, random_rows

ITEMS = 100
REASONS: dict[str | None, int] = {None: 0, **X25519_CASES["reasons"]}
SHARED: list[dict[str, Any]] = X25519_CASES["shared_secrets"]
PUBLIC: list[dict[str, Any]] = X25519_CASES["public_keys"]
NOT_X25519 = "the key is for Ed25519, not for X25519"
NOT_ED25519 = "the key is for X25519, not for Ed25519"


def column(cases: list[dict[str, Any]], field: str) -> list[bytes]:
    return [bytes.fromhex(case[field]) for case in cases]


def rows_as_bytes(rows: Any) -> list[bytes | None]:
    values = rows.to_pylist() if isinstance(rows, pa.Array) else rows
    return [None if row is None else bytes(row) for row in values]


@pytest.mark.parametrize("accept_all_zero", [False, True])
def test_shared_cases_have_their_secrets(accept_all_zero: bool) -> None:
    keys = column(SHARED, "secret_key")
    codes = [REASONS[case["reason"]] for case in SHARED]
    assert {Reason.IDENTITY_RESULT, Reason.MALFORMED_POINT} <= set(codes)
    if accept_all_zero:
        codes = [0 if code == Reason.IDENTITY_RESULT else code for code in codes]
    for peers in forms_of(column(SHARED, "public_key")):
        secrets, found = gecc.x25519(keys, peers, accept_all_zero=accept_all_zero, reasons=True)
        assert pa.array(found).to_pylist() == codes
        for case, code, secret in zip(SHARED, codes, rows_as_bytes(secrets), strict=True):
            if code == 0:
                assert secret is not None and secret.hex() == case["shared_secret"], case["name"]
            else:
                assert secret is None or secret == bytes(32), case["name"]


def test_shared_cases_have_their_public_keys() -> None:
    for keys in forms_of(column(PUBLIC, "secret_key")):
        public, ok = gecc.x25519_public_keys(keys)
        assert pa.array(ok).to_pylist() == [True] * len(PUBLIC)
        assert rows_as_bytes(public) == column(PUBLIC, "public_key")


def test_secrets_are_those_of_cryptography() -> None:
    secret_keys, others = random_rows(ITEMS, 32), random_rows(ITEMS, 32)
    ours = [x25519.X25519PrivateKey.from_private_bytes(row.tobytes()) for row in secret_keys]
    public = [x25519.X25519PrivateKey.from_private_bytes(row.tobytes()).public_key() for row in others]
    peers, ok = gecc.x25519_public_keys(others)
    assert ok.all() and rows_as_bytes(peers) == [key.public_bytes_raw() for key in public]
    out = np.zeros((ITEMS, 32), np.uint8)
    secrets, ok = gecc.x25519(secret_keys, peers, out=out)
    assert ok.all() and secrets is out
    assert rows_as_bytes(secrets) == [key.exchange(peer) for key, peer in zip(ours, public, strict=True)]
    # One private key for all items, and one peer.
    secrets, ok = gecc.x25519(secret_keys[0], peers)
    assert ok.all() and rows_as_bytes(secrets) == [ours[0].exchange(peer) for peer in public]
    secrets, ok = gecc.x25519(secret_keys, peers[0])
    assert ok.all() and rows_as_bytes(secrets) == [key.exchange(public[0]) for key in ours]


def test_keys_are_read_in_every_form() -> None:
    theirs = [x25519.X25519PrivateKey.from_private_bytes(key) for key in column(PUBLIC, "secret_key")]
    raw = column(PUBLIC, "public_key")
    spki = PublicFormat.SubjectPublicKeyInfo
    pem, der = (
        [key.public_key().public_bytes(encoding, spki) for key in theirs] for encoding in (Encoding.PEM, Encoding.DER)
    )
    texts = [key.decode() for key in pem]
    x = [base64.urlsafe_b64encode(key).rstrip(b"=").decode() for key in raw]
    jwks = [json.dumps({"kty": "OKP", "crv": "X25519", "x": key}) for key in x]
    secret_keys: list[Any] = [
        [key.private_bytes(encoding, PrivateFormat.PKCS8, NoEncryption()) for key in theirs]
        for encoding in (Encoding.PEM, Encoding.DER)
    ]
    peer_columns: list[Any] = [raw, pem, texts, der, jwks, [texts[0], raw[1]]]
    peer_columns += [pa.array(der), polars.Series(jwks)]
    expected = [theirs[0].exchange(theirs[1].public_key())] * 2
    for keys in secret_keys:
        assert rows_as_bytes(gecc.x25519_public_keys(keys)[0]) == raw
        for peers in peer_columns:
            assert rows_as_bytes(gecc.x25519(keys, peers[::-1])[0]) == expected
    assert gecc.x25519(secret_keys[0][0], texts[1])[0].tobytes() == expected[0]


def test_keys_for_another_purpose_are_refused() -> None:
    spki, pkcs8 = PublicFormat.SubjectPublicKeyInfo, PrivateFormat.PKCS8
    ours, theirs = x25519.X25519PrivateKey.generate(), ed25519.Ed25519PrivateKey.generate()
    of_x25519, of_ed25519 = (key.public_key().public_bytes(Encoding.PEM, spki).decode() for key in (ours, theirs))
    private, seed = (key.private_bytes(Encoding.PEM, pkcs8, NoEncryption()) for key in (ours, theirs))
    line = theirs.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    for peer in (of_ed25519, [of_ed25519] * 2, line):
        with pytest.raises(ValueError, match="public_keys: " + NOT_X25519):
            gecc.x25519(bytes(32), peer)
    with pytest.raises(ValueError, match="secret_keys: .*" + NOT_X25519):
        gecc.x25519(seed, bytes(32))
    with pytest.raises(ValueError, match="secret_keys: .*" + NOT_X25519):
        gecc.x25519_public_keys(seed)
    with pytest.raises(ValueError, match="public_keys: " + NOT_ED25519):
        gecc.ed25519_verify([b""], bytes(64), of_x25519, rule="strict")
    with pytest.raises(ValueError, match="seeds: .*" + NOT_ED25519):
        gecc.ed25519_public_keys(private)
    # One of several is rejected alone.
    _, codes = gecc.x25519(bytes([1]) * 32, [of_x25519, of_ed25519, None], reasons=True)
    assert list(codes) == [Reason.VALID, Reason.MALFORMED_POINT, Reason.PUBLIC_KEY_NULL]


def test_arguments_of_other_shapes_are_refused() -> None:
    for width in (31, 33, 64, 65):
        with pytest.raises(ValueError, match="public_keys: "):
            gecc.x25519(random_rows(2, 32), random_rows(2, width))
    with pytest.raises(ValueError, match="secret_keys: "):
        gecc.x25519_public_keys(random_rows(2, 31))
    with pytest.raises(ValueError, match="public_keys: 3 items, where secret_keys has 2"):
        gecc.x25519(random_rows(2, 32), random_rows(3, 32))


def test_record_batches_have_public_keys() -> None:
    keys = column(PUBLIC, "secret_key")
    batch = pa.record_batch({"secret_key": pa.array([*keys, None], pa.binary(32))})
    found = arrow.PublicKeysX25519()(batch).to_pydict()
    assert found["public_key"] == [*column(PUBLIC, "public_key"), None]
    assert found["reason"][:2] == [None, None] and found["reason"][2] == "`secret_key` is null"
