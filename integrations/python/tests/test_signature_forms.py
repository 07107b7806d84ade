"""Forms of signatures, in every kind of argument and in record batches."""

import base64
from typing import Any

import gecc
import numpy as np
import pyarrow as pa
import pytest
from gecc import Reason, arrow
from support import forms_of, random_rows

ITEMS = 40
HASH_TYPES = [1, 2, 3, 0x41, 0x42, 0x43, 0x81, 0x82, 0x83, 0xC1, 0xC2, 0xC3]


def signed(count: int = ITEMS, curve: str = "secp256k1") -> tuple[Any, Any, Any, Any]:
    secret_keys, public_keys = gecc.generate_keys(curve, count)
    digests = random_rows(count, 32)
    signatures, ids, _ = gecc.sign_recoverable(curve, digests, secret_keys)
    return digests, signatures, ids, public_keys


def codes_of(codes: Any) -> list[int]:
    return pa.array(codes).to_pylist()


def test_one_signature_with_an_undefined_v_is_an_error() -> None:
    digests, _, _, keys = signed(1)
    with pytest.raises(ValueError, match="ends with a byte that is not a v"):
        gecc.verify("secp256k1", digests, np.append(np.full(64, 7, np.uint8), np.uint8(5)), keys)


def test_forms_with_a_recovery_id_are_not_for_sm2() -> None:
    secret_keys, keys = gecc.generate_keys("sm2", 2)
    digests = random_rows(2, 32)
    signatures, _ = gecc.sign("sm2", digests, secret_keys)
    for name in ("rsv", "header-first", "eip2098", "der-hash-type"):
        with pytest.raises(ValueError, match=f"signature_form: the signature form {name} has"):
            gecc.verify("sm2", digests, signatures, keys, signature_form=name)  # type: ignore[call-overload]


def test_header_first() -> None:
    digests, signatures, ids, keys = signed()
    headers = ids + np.resize(np.array([27, 31, 35, 39], np.uint8), ITEMS)
    rows = np.hstack([headers[:, None], signatures])
    looks = [row for row in range(ITEMS) if rows[row, 64] not in (0, 1, 2, 3, 27, 28, 29, 30)]
    for form in forms_of(rows):
        found, ok = gecc.recover("secp256k1", digests, form, signature_form="header-first")
        assert pa.array(ok).to_pylist() == [True] * ITEMS
        assert [bytes(row) for row in np.asarray(found)] == [row.tobytes() for row in keys]
        assert np.all(gecc.verify("secp256k1", digests, form, keys, signature_form="header-first"))
        codes = codes_of(gecc.verify("secp256k1", digests, form, keys, reasons=True))
        assert all(codes[row] == Reason.SIGNATURE_LOOKS_HEADER_FIRST for row in looks) and 0 not in codes
    # One that can be read both ways, among them.
    rows[5, 64] = 27
    for form in forms_of(rows):
        with pytest.raises(ValueError, match="look header-first .*signature_form="):
            gecc.recover("secp256k1", digests, form)
    whole = bytes(np.append(headers[0], signatures[0]))
    one, _ = gecc.recover("secp256k1", digests[:1], whole, signature_form="header-first")
    assert np.array_equal(one, keys[:1])
    # Honest signatures with v, of which one of sixteen begins with a byte that may be a header.
    many, all_signatures, all_ids, all_keys = signed(800)
    rsv = np.hstack([all_signatures, all_ids[:, None] + 27])
    assert any(27 <= first <= 42 for first in rsv[:, 0])
    for form in forms_of(rsv):
        found, ok = gecc.recover("secp256k1", many, form)
        assert np.all(ok) and [bytes(row) for row in np.asarray(found)] == [row.tobytes() for row in all_keys]


def test_signed_message_of_bitcoinjs() -> None:
    """The example in the README of bitcoinjs-message."""
    message = b"This is an example of a signed message."
    exported = "H9L5yLFjti0QTHhPyFrZCT1V/MMnBtXKmoiKDZ78NDBjERki6ZTQZdSMCtkgoNmp17By9ItJr8o7ChX0XxY91nk="
    signature = base64.b64decode(exported)
    digest, _ = gecc.message_digests(message, hash="bitcoin-message")
    key, ok = gecc.recover("secp256k1", digest, signature, signature_form="header-first")
    known = "a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd"
    known += "5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235"
    assert ok.all() and key[0].tobytes().hex() == known
    valid = gecc.verify_messages(
        "secp256k1", [message], [signature], key, hash="bitcoin-message", signature_form="header-first"
    )
    assert valid.all()


def test_trailing_bytes_after_der() -> None:
    digests, signatures, _, keys = signed(1)
    der = gecc.signatures_to_der(signatures)[0]
    rows = [der + bytes([byte]) for byte in range(256)]
    many = np.repeat(digests, 256, axis=0), np.repeat(keys, 256, axis=0)
    for form in forms_of(rows):
        codes = codes_of(gecc.verify("secp256k1", many[0], form, many[1], reasons=True))
        for byte, code in enumerate(codes):
            other = Reason.SIGNATURE_TRAILING_BYTE if byte in HASH_TYPES else Reason.MALFORMED_SIGNATURE
            assert code == other, byte
        valid = gecc.verify("secp256k1", many[0], form, many[1], signature_form="der-hash-type")
        assert [byte for byte, ok in enumerate(pa.array(valid).to_pylist()) if ok] == HASH_TYPES
    with pytest.raises(ValueError, match="on secp256k1"):
        gecc.verify("p256", digests, [der], keys, signature_form="der-hash-type")


def test_bare_signatures_have_64_bytes() -> None:
    keys, _ = gecc.ed25519_public_keys(bytes(32))
    with pytest.raises(ValueError, match="not"):
        gecc.ed25519_verify([b"m"], np.zeros((1, 65), np.uint8), keys, rule="strict")
    codes = gecc.ed25519_verify([b"m"], [bytes(65)], keys, rule="strict", reasons=True)
    assert codes.tolist() == [Reason.SIGNATURE_WRONG_LENGTH]
    codes = gecc.bip340_verify(bytes(32), [bytes(65)], keys, reasons=True)
    assert codes.tolist() == [Reason.SIGNATURE_WRONG_LENGTH]


def test_record_batches() -> None:
    digests, signatures, ids, keys = signed()
    columns = {"digest": pa.array([row.tobytes() for row in digests], pa.binary(32))}
    header_first = [bytes([31 + number]) + row.tobytes() for number, row in zip(ids, signatures, strict=True)]
    batch = pa.record_batch({**columns, "signature": pa.array(header_first)})
    expected = [b"\x04" + row.tobytes() for row in keys]
    recover = arrow.Recover("secp256k1", signature_form="header-first")
    assert recover(batch)["public_key"].to_pylist() == expected
    numbers = {"r": [str(int.from_bytes(row[:32].tobytes())) for row in signatures]}
    numbers["s"] = [str(int.from_bytes(row[32:].tobytes())) for row in signatures]
    batch = pa.record_batch({**columns, **numbers, "v": pa.array(ids.astype(np.float64) + 27), "yParity": ids})
    assert arrow.Recover("secp256k1", decimal=True)(batch)["public_key"].to_pylist() == expected
    batch = pa.record_batch({**columns, **numbers, "v": pa.array(ids.astype(np.float64) + 27), "yParity": 1 - ids})
    reasons = arrow.Recover("secp256k1", decimal=True)(batch)["reason"].to_pylist()
    assert reasons == ["`y_parity` contradicts `v`"] * ITEMS
    with pytest.raises(ValueError, match="no signature form is called"):
        arrow.Recover("secp256k1", signature_form="compact")(batch)  # type: ignore[arg-type]
