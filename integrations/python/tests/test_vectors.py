"""Published vectors and real signatures, through Python."""

import csv
import functools
import hmac
from typing import Any

import gecc
import numpy as np
import pytest

from support import ROOT, Bytes, compressed, records, rows_of, vectors


def digest_row(digest: str) -> bytes:
    """The leftmost 256 bits of a digest, as a number of 32 bytes (SEC 1, section 4.1.3)."""
    return bytes.fromhex(digest)[:32].rjust(32, b"\0")


def test_nist_verifies() -> None:
    cases = vectors("p256_sigver_fips_186-3.json")
    found = gecc.verify(
        "p256",
        [digest_row(case["digest"]) for case in cases],
        [bytes.fromhex(case["r"] + case["s"]) for case in cases],
        [bytes.fromhex(case["qx"] + case["qy"]) for case in cases],
    )
    assert found.tolist() == [case["valid"] for case in cases]
    assert 0 < found.sum() < len(cases)


def test_signatures_of_other_libraries_verify() -> None:
    cases = vectors("k256_siggen_sha256.json")
    digests, keys = (
        rows_of([case["digest"] for case in cases]),
        rows_of([case["qx"] + case["qy"] for case in cases]),
    )
    signatures = rows_of([case["r"] + case["s"] for case in cases])
    assert gecc.verify("secp256k1", digests, signatures, keys).all()
    codes = gecc.verify("secp256k1", digests, signatures, keys, low_s=True, reasons=True)
    assert [code == gecc.Reason.HIGH_S for code in codes] == [case["high_s"] for case in cases]
    messages = [bytes.fromhex(case["msg"]) for case in cases]
    assert gecc.verify_messages("secp256k1", messages, signatures, keys).all()
    cases = vectors("p256_siggen_fips_186-3.json")
    keys = rows_of([case["d"] for case in cases])
    assert np.array_equal(gecc.public_keys("p256", keys)[0], rows_of([case["qx"] + case["qy"] for case in cases]))


def test_nist_public_keys() -> None:
    # A coordinate of more than 256 bits has no encoding.
    cases = [case for case in vectors("p256_pkv_fips_186-3.json") if len(case["qx"] + case["qy"]) == 128]
    _, codes = gecc.decompress("p256", rows_of([case["qx"] + case["qy"] for case in cases]), reasons=True)
    assert [code == gecc.Reason.VALID for code in codes] == [case["valid"] for case in cases]
    assert codes.tolist().count(gecc.Reason.NOT_ON_CURVE) == 4


def test_rfc6979_signs_on_secp256k1() -> None:
    cases = vectors("rfc6979.json")["secp256k1"]
    keys = rows_of([case["d"] for case in cases])
    for form, field in (("as_computed", "s_raw"), ("low", "s_low"), ("curve_default", "s_low")):
        expected = rows_of([case["r"] + case[field] for case in cases])
        signatures, ok = gecc.sign("secp256k1", rows_of([case["digest"] for case in cases]), keys, s_form=form)
        assert ok.all()
        assert np.array_equal(signatures, expected)
        of_messages, _ = gecc.sign_messages("secp256k1", [case["msg"].encode() for case in cases], keys, s_form=form)
        assert np.array_equal(of_messages, expected)
    points = rows_of([case["qx"] + case["qy"] for case in cases])
    assert np.array_equal(gecc.public_keys("secp256k1", keys)[0], points)


P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def nonce(key: bytes, digest: bytes, data: bytes) -> int:
    """RFC 6979, sections 3.2 and 3.6, for P-256 and SHA-256."""

    def mac(key: bytes, message: bytes) -> bytes:
        return hmac.new(key, message, "sha256").digest()

    seed = key + (int.from_bytes(digest, "big") % P256_ORDER).to_bytes(32, "big") + data
    v, k = b"\1" * 32, bytes(32)
    for separator in [b"\0", b"\1"]:
        k = mac(k, v + separator + seed)
        v = mac(k, v)
    v = mac(k, v)
    assert 0 < int.from_bytes(v, "big") < P256_ORDER
    return int.from_bytes(v, "big")


def test_additional_data_of_nonces() -> None:
    digests, keys, data = (np.random.default_rng(seed).integers(0, 255, (20, 32), np.uint8) for seed in range(3))
    keys[:, 0] = 1

    def nonces(additional_data: Any) -> list[int]:
        signed, ok = gecc.sign("p256", digests, keys, additional_data=additional_data, s_form="as_computed")
        recoverable, _, _ = gecc.sign_recoverable(
            "p256", digests, keys, additional_data=additional_data, s_form="as_computed"
        )
        assert ok.all() and np.array_equal(signed, recoverable)
        columns = [digests, keys, signed[:, :32], signed[:, 32:]]
        numbers = [[int.from_bytes(row.tobytes(), "big") for row in rows] for rows in columns]
        return [(e + r * d) * pow(s, -1, P256_ORDER) % P256_ORDER for e, d, r, s in zip(*numbers, strict=True)]

    def expected(data: list[bytes]) -> list[int]:
        rows = zip(keys, digests, data, strict=True)
        return [nonce(key.tobytes(), digest.tobytes(), data) for key, digest, data in rows]

    assert nonces(None) == expected([b""] * 20)
    assert nonces(data) == expected([row.tobytes() for row in data])
    assert nonces([row.tobytes() for row in data]) == nonces(data)
    assert nonces(bytes(32)) == expected([bytes(32)] * 20)
    for curve in ["p256", "sm2"]:
        messages = [digest.tobytes() for digest in digests]
        signed, ok = gecc.sign_messages(curve, messages, keys, additional_data=data)
        plain, _ = gecc.sign_messages(curve, messages, keys)
        points, _ = gecc.public_keys(curve, keys)
        assert ok.all() and gecc.verify_messages(curve, messages, signed, points).all()
        assert not (signed == plain).all(axis=1).any()
    with pytest.raises(ValueError, match="additional_data"):
        gecc.sign("p256", digests, keys, additional_data=data[:3])


def test_rfc6979_signs_on_p256() -> None:
    cases = [case for case in vectors("rfc6979.json")["p256"] if case["hash"] == "sha256"]
    messages = [bytes.fromhex(case["msg_hex"]) for case in cases]
    signatures, ok = gecc.sign_messages("p256", messages, rows_of([case["d"] for case in cases]))
    assert ok.tolist() == [True, True]
    assert np.array_equal(signatures, rows_of([case["r"] + case["s"] for case in cases]))


def test_nist_shared_secrets() -> None:
    cases = vectors("p256_cdh_primitive.json")
    keys, peers = rows_of([case["d"] for case in cases]), rows_of([case["peer"] for case in cases])
    secrets, ok = gecc.ecdh("p256", keys, peers)
    assert ok.all()
    assert np.array_equal(secrets, rows_of([case["z"] for case in cases]))
    assert np.array_equal(gecc.ecdh_points("p256", keys, peers)[0][:, :32], secrets)


@pytest.mark.parametrize(("curve", "name"), [("secp256k1", "secp256k1"), ("p256", "secp256r1"), ("sm2", "sm2p256v1")])
def test_multiples_of_points(curve: str, name: str) -> None:
    def scalars(cases: list[dict[str, str]]) -> Bytes:
        return rows_of([case["k"].removeprefix("0x").rjust(64, "0") for case in cases])

    cases = vectors("point_mul.json")[name]
    base = [case for case in cases["ecc_base_point_mul"] if len(case["P"]) == 130]
    found, ok = gecc.mul_base(curve, scalars(base))
    assert len(base) > 40
    assert ok.all()
    assert np.array_equal(found, rows_of([case["P"][2:] for case in base]))
    others = [case for case in cases["ecc_var_point_mul"] if len(case["P"]) == len(case["Z"]) == 66]
    found, ok = gecc.mul(curve, scalars(others), rows_of([case["P"] for case in others]))
    assert len(others) > 50
    assert ok.all()
    assert np.array_equal(compressed(found), rows_of([case["Z"] for case in others]))


def test_sm2_examples() -> None:
    cases = [
        case for case in vectors("sm2_vectors.json")["sign_verify"] if case["curve"] == "sm2p256v1" and "e" in case
    ]
    assert cases
    found = gecc.verify(
        "sm2",
        [bytes.fromhex(case["e"]) for case in cases],
        [bytes.fromhex(case["r"] + case["s"]) for case in cases],
        [bytes.fromhex(case["qx"] + case["qy"]) for case in cases],
    )
    assert found.tolist() == [case["expect"] == "valid" for case in cases]


@pytest.mark.parametrize(
    ("name", "curve", "valid"),
    [
        ("ethereum_blocks.jsonl", "secp256k1", 530),
        ("bitcoin_blocks.jsonl", "secp256k1", 1697),
        ("health_certificates.jsonl", "p256", 202),
    ],
)
def test_real_signatures(name: str, curve: str, valid: int) -> None:
    items = records(name)
    digests, signatures = (rows_of([item[field] for item in items]) for field in ("digest", "signature"))
    keys = [bytes.fromhex(item["public_key"]) for item in items]
    assert gecc.verify(curve, digests, signatures, keys).sum() == valid
    digests[:, 7] ^= 8
    assert not gecc.verify(curve, digests, signatures, keys).any()


def test_senders_of_blocks() -> None:
    items = records("ethereum_blocks.jsonl")
    digests, signatures = (rows_of([item[field] for item in items]) for field in ("digest", "signature"))
    keys, ok = gecc.recover("secp256k1", digests, signatures, [int(item["recovery_id"]) for item in items])
    assert ok.all()
    assert [b"\4" + key.tobytes() for key in keys] == [bytes.fromhex(item["public_key"]) for item in items]


def test_certificates_with_user_ids() -> None:
    items = records("sm2_certificates.jsonl")
    messages = [bytes.fromhex(item["message"]) for item in items]
    signatures, ok = gecc.signatures_from_der([bytes.fromhex(item["der"]) for item in items])
    assert ok.all()
    keys = [bytes.fromhex(item["public_key"]) for item in items]
    ids = [item["sm2_id"] for item in items]
    assert gecc.verify_messages("sm2", messages, signatures, keys, user_ids=ids).all()
    # An empty id is not the default one, which None is.
    with_default = [identity == "1234567812345678" for identity in ids]
    assert gecc.verify_messages("sm2", messages, signatures, keys).tolist() == with_default
    nulls = [identity or None for identity in ids]
    assert gecc.verify_messages("sm2", messages, signatures, keys, user_ids=nulls).tolist() == with_default


def test_bip340() -> None:
    with (ROOT / "tests" / "vectors" / "bip340_test_vectors.csv").open() as file:
        cases = list(csv.DictReader(file))
    messages = [bytes.fromhex(case["message"]) for case in cases]
    keys, signatures = (rows_of([case[name] for case in cases]) for name in ["public key", "signature"])
    valid = np.array([case["verification result"] == "TRUE" for case in cases])
    assert np.array_equal(gecc.bip340_verify_messages(messages, signatures, keys), valid)
    of_rows = np.array([len(message) == 32 for message in messages])
    rows = np.array([list(message) for message in messages if len(message) == 32], np.uint8)
    assert np.array_equal(gecc.bip340_verify(rows, signatures[of_rows], keys[of_rows]), valid[of_rows])
    signers = [(case, message) for case, message in zip(cases, messages, strict=True) if case["secret key"]]
    secret_keys, auxiliary = (rows_of([case[name] for case, _ in signers]) for name in ["secret key", "aux_rand"])
    expected = rows_of([case["signature"] for case, _ in signers])
    signed, ok = gecc.bip340_sign_messages([message for _, message in signers], secret_keys, auxiliary=auxiliary)
    assert ok.all() and np.array_equal(signed, expected)
    # Fresh auxiliary data give others, which verify too.
    again, _ = gecc.bip340_sign_messages([message for _, message in signers], secret_keys)
    points, _ = gecc.public_keys("secp256k1", secret_keys)
    assert not np.array_equal(again, expected)
    assert gecc.bip340_verify_messages([message for _, message in signers], again, points[:, :32]).all()


ED25519_RULES = {
    "cofactorless": "cofactorless",
    "strict": "dalek_strict",
    "libsodium": "libsodium",
    "zip215": "zip215",
    "rfc8032": "rfc8032",
    "rfc8032-cofactored": "rfc8032_cofactored",
}


@pytest.mark.parametrize("rule", ED25519_RULES)
def test_ed25519_by_every_rule(rule: str) -> None:
    """Signatures on which programs disagree."""
    speccheck = vectors("ed25519_speccheck.json")["cases"]
    small = vectors("ed25519_zip215_small_order.json")
    for cases in [speccheck, [{**case, "message": small["message"]} for case in small["cases"]]]:
        messages = [bytes.fromhex(case["message"]) for case in cases]
        signatures, keys = (rows_of([case[name] for case in cases]) for name in ["signature", "public"])
        valid = [case[ED25519_RULES[rule]] == 1 for case in cases]
        assert gecc.ed25519_verify(messages, signatures, keys, rule=rule).tolist() == valid
        codes = gecc.ed25519_verify(messages, signatures, keys, rule=rule, reasons=True)
        assert (gecc.Reason.SMALL_ORDER_KEY in codes.tolist()) == (rule in ["strict", "libsodium"])


def test_ed25519_signs() -> None:
    cases = [case for case in vectors("ed25519_rfc8032.json") if case["instance"] == "Ed25519"]
    seeds, keys, expected = (rows_of([case[name] for case in cases]) for name in ["secret", "public", "signature"])
    messages = [bytes.fromhex(case["message"]) for case in cases]
    signed, ok = gecc.ed25519_sign(messages, seeds)
    assert ok.all() and np.array_equal(signed, expected)
    made, ok = gecc.ed25519_public_keys(seeds)
    assert ok.all() and np.array_equal(made, keys)
    _, codes = gecc.ed25519_public_keys([bytes(32), bytes(31)], reasons=True)
    assert codes[0] == 0 and codes[1] != 0


def test_ed25519_with_contexts_and_hashed_before() -> None:
    cases = [case for case in vectors("ed25519_rfc8032.json") if case["instance"] != "Ed25519"]
    assert [case["instance"] for case in cases] == ["Ed25519ctx"] * 4 + ["Ed25519ph"]
    for case in cases:
        message, seed, key, signature = (
            bytes.fromhex(case[name]) for name in ["message", "secret", "public", "signature"]
        )
        prehashed = case["instance"] == "Ed25519ph"
        context = None if prehashed else bytes.fromhex(case["context"])
        signed, ok = gecc.ed25519_sign(message, seed, context=context, prehashed=prehashed)
        assert ok.all() and signed[0].tobytes() == signature
        verify = functools.partial(gecc.ed25519_verify, message, signature, key, rule="strict")
        assert verify(context=context, prehashed=prehashed).tolist() == [True]
        # Of another variant, or another context.
        assert verify().tolist() == verify(context=b"other", prehashed=prehashed).tolist() == [False]
    with pytest.raises(ValueError, match="context: "):
        gecc.ed25519_sign(b"", bytes(32), context=bytes(256))


def test_ed25519_has_no_rule_of_its_own() -> None:
    keys, _ = gecc.ed25519_public_keys(bytes(32))
    with pytest.raises(TypeError, match="rule"):
        gecc.ed25519_verify(b"", bytes(64), keys)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="rule: no rule of Ed25519 is called `go`; the rules are cofactorless, strict"):
        gecc.ed25519_verify(b"", bytes(64), keys, rule="go")
    # A key that names another curve is not a seed.
    with pytest.raises(ValueError, match="seeds"):
        gecc.ed25519_public_keys('{"kty":"EC","crv":"secp256k1","d":"' + "AQ" * 21 + 'A"}')


def test_taproot() -> None:
    outputs = vectors("bip341_wallet_test_vectors.json")["scriptPubKey"]
    for has_root in [True, False]:
        cases = [case for case in outputs if (case["intermediary"]["merkleRoot"] is not None) == has_root]
        keys = rows_of([case["given"]["internalPubkey"] for case in cases])
        roots = rows_of([case["intermediary"]["merkleRoot"] for case in cases]) if has_root else None
        found, ok = gecc.taproot(keys, roots)
        assert ok.all()
        assert np.array_equal(found[:, :32], rows_of([case["intermediary"]["tweakedPubkey"] for case in cases]))
