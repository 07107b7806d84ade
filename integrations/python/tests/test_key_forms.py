"""Keys and signatures as other programs have them: PEM, DER, JSON Web Keys."""

import base64
import datetime
import json
from typing import Any

import gecc
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID
from gecc import Reason

ITEMS = 4
OURS = {"secp256k1": ec.SECP256K1(), "p256": ec.SECP256R1(), "brainpoolp256r1": ec.BrainpoolP256R1()}


def jwk(key: ec.EllipticCurvePublicKey, crv: str) -> str:
    def number(value: int) -> str:
        return base64.urlsafe_b64encode(value.to_bytes(32, "big")).rstrip(b"=").decode()

    numbers = key.public_numbers()
    return json.dumps({"kty": "EC", "crv": crv, "x": number(numbers.x), "y": number(numbers.y)})


class Theirs:
    """Keys and signatures made by `cryptography`, in all their encodings."""

    def __init__(self, curve: str) -> None:
        self.secret = [ec.generate_private_key(OURS[curve]) for _ in range(ITEMS)]
        self.digests = np.random.default_rng().integers(0, 256, (ITEMS, 32), dtype=np.uint8)
        algorithm = ec.ECDSA(utils.Prehashed(hashes.SHA256()))
        pairs = zip(self.secret, self.digests, strict=True)
        self.der = [key.sign(digest.tobytes(), algorithm) for key, digest in pairs]
        public = [key.public_key() for key in self.secret]
        spki = PublicFormat.SubjectPublicKeyInfo
        self.public_pem = [key.public_bytes(Encoding.PEM, spki).decode() for key in public]
        self.public_der = [key.public_bytes(Encoding.DER, spki) for key in public]
        self.sec1 = [key.public_bytes(Encoding.X962, PublicFormat.CompressedPoint) for key in public]
        self.jwk = [jwk(key, {"p256": "P-256"}.get(curve, curve)) for key in public]

    def private(self, encoding: Encoding, form: PrivateFormat) -> list[bytes]:
        return [key.private_bytes(encoding, form, NoEncryption()) for key in self.secret]


@pytest.mark.parametrize("curve", OURS)
def test_public_keys_and_signatures_are_read_in_every_form(curve: str) -> None:
    theirs = Theirs(curve)
    texts = theirs.public_pem
    columns: list[Any] = [
        texts,
        [text.encode() for text in texts],
        [text.replace("\n", "\\n") for text in texts],
        theirs.public_der,
        [key.hex() for key in theirs.public_der],
        [texts[0], theirs.public_der[1], theirs.sec1[2], theirs.sec1[3].hex()],
        np.array(texts, object),
        np.array(texts),
        pa.array(texts),
        polars.Series(texts),
        pd.Series(texts),
        pa.array(theirs.public_der),
    ]
    if curve != "brainpoolp256r1":
        columns += [theirs.jwk, pa.array(theirs.jwk)]
    for keys in columns:
        for signatures in (theirs.der, pa.array(theirs.der), [signature.hex() for signature in theirs.der]):
            found = gecc.verify(curve, theirs.digests, signatures, keys)
            assert np.asarray(found).tolist() == [True] * ITEMS, type(keys)
    # One for all items.
    for key in (texts[0], texts[0].encode(), bytearray(texts[0].encode()), theirs.public_der[0]):
        assert list(gecc.verify(curve, theirs.digests, theirs.der[0], key)) == [True, False, False, False]
        assert list(gecc.verify(curve, theirs.digests, theirs.der[0].hex(), key)) == [True, False, False, False]


def certificate(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "example")])
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, start, start + datetime.timedelta(days=1))
    return builder.sign(key, hashes.SHA256())


@pytest.mark.parametrize("curve", OURS)
def test_certificates_are_public_keys(curve: str) -> None:
    theirs = Theirs(curve)
    certificates = [certificate(key) for key in theirs.secret]
    for encoding in (Encoding.PEM, Encoding.DER):
        keys = [found.public_bytes(encoding) for found in certificates]
        for column in (keys, pa.array(keys)):
            assert np.asarray(gecc.verify(curve, theirs.digests, theirs.der, column)).all()
        assert list(gecc.verify(curve, theirs.digests, theirs.der[0], keys[0])) == [True, False, False, False]


@pytest.mark.parametrize("curve", OURS)
def test_private_keys_are_read_in_every_form(curve: str) -> None:
    theirs = Theirs(curve)
    expected = [key.private_numbers().private_value.to_bytes(32, "big") for key in theirs.secret]
    points, _ = gecc.public_keys(curve, expected)
    for encoding in (Encoding.PEM, Encoding.DER):
        for form in (PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL):
            keys = theirs.private(encoding, form)
            found, ok = gecc.public_keys(curve, keys)
            assert ok.all()
            assert np.array_equal(found, points)
            assert np.array_equal(gecc.public_keys(curve, keys[1])[0], points[1:2])
            if encoding is Encoding.PEM:
                assert np.array_equal(gecc.public_keys(curve, [key.decode() for key in keys])[0], points)
    # Rows of 32 bytes are keys, whatever they begin with.
    rows = b"\x30" + bytes(30) + b"\1" + b"-----BEGIN " + bytes(21)
    assert len(gecc.public_keys(curve, rows)[1]) == 2


def test_keys_of_ed25519_are_read_in_every_form() -> None:
    theirs = [ed25519.Ed25519PrivateKey.generate() for _ in range(ITEMS)]
    messages = [b"text %d" % item for item in range(ITEMS)]
    signatures = [key.sign(message) for key, message in zip(theirs, messages, strict=True)]
    public = [key.public_key() for key in theirs]
    raw = [key.public_bytes_raw() for key in public]
    spki = PublicFormat.SubjectPublicKeyInfo
    pem, der = ([key.public_bytes(encoding, spki) for key in public] for encoding in (Encoding.PEM, Encoding.DER))
    lines = [key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode() + " me" for key in public]
    x = [base64.urlsafe_b64encode(key).rstrip(b"=").decode() for key in raw]
    jwks = [json.dumps({"kty": "OKP", "crv": "Ed25519", "x": key}) for key in x]
    texts = [key.decode() for key in pem]
    columns: list[Any] = [raw, pem, texts, der, lines, jwks, np.array(lines, object), np.array(lines)]
    columns += [pa.array(raw), pa.array(texts), pa.array(lines), pa.array(der), polars.Series(jwks), pd.Series(texts)]
    columns += [[key.hex() for key in raw], [raw[0], texts[1], lines[2], der[3].hex()], b"".join(raw)]
    for keys in columns:
        found = gecc.ed25519_verify(messages, signatures, keys, rule="strict")
        assert np.asarray(found).tolist() == [True] * ITEMS, keys
    for key in (raw[0], texts[0], pem[0], der[0], lines[0], jwks[0]):
        found = gecc.ed25519_verify(messages, signatures, key, rule="strict")
        assert list(found) == [True, False, False, False], key
    none = NoEncryption()
    seeds: list[Any] = [[key.private_bytes_raw() for key in theirs]]
    for encoding, form in (
        (Encoding.PEM, PrivateFormat.PKCS8),
        (Encoding.DER, PrivateFormat.PKCS8),
        (Encoding.PEM, PrivateFormat.OpenSSH),
    ):
        seeds.append([key.private_bytes(encoding, form, none) for key in theirs])
    seeds.append([key.decode() for key in seeds[-1]])
    for column in seeds:
        assert [row.tobytes() for row in gecc.ed25519_public_keys(column)[0]] == raw
        signed, ok = gecc.ed25519_sign(messages, column)
        assert ok.all() and [row.tobytes() for row in signed] == signatures
        assert gecc.ed25519_public_keys(column[1])[0].tobytes() == raw[1]
    # Of other kinds, and keys that cannot be read.
    with pytest.raises(ValueError, match="public_keys: the key is for Ed25519, not for p256"):
        gecc.verify("p256", bytes(32), bytes(64), texts[0])
    with pytest.raises(ValueError, match="public_keys: the key is for p256, not for Ed25519"):
        gecc.ed25519_verify(messages, signatures, Theirs("p256").public_pem, rule="strict")
    with pytest.raises(ValueError, match="seeds: block in line 1: not a key of Ed25519"):
        gecc.ed25519_public_keys(Theirs("p256").private(Encoding.PEM, PrivateFormat.PKCS8)[0])
    codes = gecc.ed25519_verify(
        messages, signatures, [texts[0], pem[1][:60], None, raw[3] + b"0"], rule="strict", reasons=True
    )
    assert list(codes) == [Reason.VALID, Reason.MALFORMED_POINT, Reason.PUBLIC_KEY_NULL, Reason.MALFORMED_POINT]


def test_a_key_of_another_curve_is_no_bad_key() -> None:
    theirs = Theirs("p256")
    text = "the key is for p256, not for secp256k1"
    for keys in (theirs.public_pem, theirs.public_pem[0], theirs.public_der, pa.array(theirs.public_pem)):
        with pytest.raises(ValueError, match=f"public_keys: {text}"):
            gecc.verify("secp256k1", theirs.digests, theirs.der, keys)
    pem = theirs.private(Encoding.PEM, PrivateFormat.PKCS8)
    with pytest.raises(ValueError, match=f"secret_keys: block in line 1: {text}"):
        gecc.public_keys("secp256k1", pem[0])
    with pytest.raises(ValueError, match=rf"secret_keys\[1\]: block in line 1: {text}"):
        gecc.public_keys("secp256k1", [bytes(32), pem[0]])
    with pytest.raises(ValueError, match="2 private keys in one text: give a list of keys"):
        gecc.public_keys("p256", pem[0] + pem[1])


def test_a_key_that_cannot_be_read_rejects_its_item_alone() -> None:
    theirs = Theirs("p256")
    keys = [theirs.public_pem[0], "-----BEGIN PUBLIC KEY-----\nAAAA", theirs.public_der[2][:-1], None]
    codes = gecc.verify("p256", theirs.digests, theirs.der, keys, reasons=True)
    assert list(codes) == [Reason.VALID, Reason.MALFORMED_POINT, Reason.MALFORMED_POINT, Reason.PUBLIC_KEY_NULL]
    keys[1] = "\ud800"
    codes = gecc.verify("p256", theirs.digests, theirs.der, keys, reasons=True)
    assert codes[0] == Reason.VALID and codes[1] == Reason.PUBLIC_KEY_NOT_HEXADECIMAL
    with pytest.raises(ValueError, match="public_keys: a text that is not hexadecimal"):
        gecc.verify("p256", theirs.digests, theirs.der, "\ud800")
    # Others may name no curve at all.
    for last in (b"{", b"-----BEGIN"):
        keys = [*theirs.sec1[:3], last]
        for column in (keys, pa.array(keys), pa.array([key.hex() for key in keys[:3]] + [last.decode()])):
            codes = gecc.verify("p256", theirs.digests, theirs.der, column, reasons=True)
            assert np.asarray(codes).tolist() == [Reason.VALID] * 3 + [Reason.MALFORMED_POINT]
    # Two rows, of which the first begins as DER or PEM does.
    for rows in (bytes.fromhex("307e30") + bytes(125), b"-----BEGIN".ljust(64, b"\xff") + bytes(64)):
        listed = [rows[:64], rows[64:]]
        codes = gecc.verify("p256", theirs.digests[:2], bytes(128), rows, reasons=True)
        assert list(codes) == list(gecc.verify("p256", theirs.digests[:2], bytes(128), listed, reasons=True))
    signatures = [theirs.der[0], theirs.der[1][:-1], theirs.der[2] + b"\1", b"x"]
    codes = gecc.verify("p256", theirs.digests, signatures, theirs.public_pem, reasons=True)
    # The third is followed by a byte that may be Bitcoin's hash type.
    expected = [Reason.VALID, Reason.MALFORMED_SIGNATURE, Reason.SIGNATURE_TRAILING_BYTE]
    expected += [Reason.SIGNATURE_WRONG_LENGTH]
    assert list(codes) == expected


def test_errors_show_nothing_of_a_private_key() -> None:
    theirs = Theirs("p256")
    for form in (PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL):
        for key in theirs.private(Encoding.PEM, form):
            corrupted = key.replace(b"M", b"*", 1)
            with pytest.raises(ValueError, match="not valid PEM") as found:
                gecc.public_keys("p256", corrupted)
            assert all(line.decode() not in str(found.value) for line in key.splitlines()[1:-1])
