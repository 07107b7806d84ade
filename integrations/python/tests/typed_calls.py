"""Calls as a program with types has them, for mypy alone."""

import gecc
import numpy as np
import numpy.typing as npt
import polars
from gecc import arrow, silent_payments


def audit(digests: npt.NDArray[np.uint8], signatures: bytes, keys: list[bytes | None]) -> int:
    valid = gecc.verify("secp256k1", digests, signatures, keys, low_s=True)
    engine = gecc.Engine(backend="cpu", threads=2)
    points = np.zeros((1, 64), np.uint8)
    _, ok = gecc.recover("p256", memoryview(signatures), [signatures], [0, None, 3], out=points, engine=engine)
    codes = gecc.verify_messages("sm2", b"", [None], keys[0] or b"", user_ids=["alice", None], reasons=True)
    reasons: list[str] = [gecc.Reason(code).text for code in codes]
    secret_keys, _ = gecc.generate_keys("p256", 3)
    known, _ = gecc.recover(
        "p256", points, points, [0], candidates=[None, b""], engine=gecc.Engine(batch_verification=True)
    )
    assert gecc.verify_recoverable("p256", digests, signatures, [0, None], keys).size == len(known)
    shared, _ = gecc.ecdh("p256", secret_keys, points)
    shared, _ = gecc.x25519(secret_keys, gecc.x25519_public_keys(bytes(32))[0], accept_all_zero=True)
    masked, _ = gecc.mask("SM2_SM3_REHASH_", bytes(32), [b"text", None], form=12)
    masked, _ = gecc.mask("P256_XMD:SHA-256_SSWU_RO_", secret_keys, b"text", dst=b"tag", form="raw")
    shared, _ = gecc.unmask("p256", secret_keys, gecc.mask_points("p256", secret_keys, masked)[0])
    signed, _ = gecc.ed25519_sign([b"text"], secret_keys, context=b"of this test", prehashed=True)
    signed, _ = gecc.ed25519_sign([b"text"], secret_keys)
    ok &= gecc.ed25519_verify([b"text"], signed, gecc.ed25519_public_keys(secret_keys)[0], rule="zip215")
    return int(valid.sum()) + len(reasons) + len(shared) + int(ok.sum()) + gecc.sum("p256", points).size


def combine(scalars: list[bytes | None], points: polars.Series) -> npt.NDArray[np.uint8] | int:
    try:
        return gecc.msm("p256", scalars, points)
    except gecc.ItemError as problem:
        return problem.item if problem.reason is gecc.Reason.NOT_ON_CURVE else -1


def audit_arrow(digests: polars.Series, keys: polars.Series) -> polars.Series:
    signatures, _ = gecc.sign("p256", digests, bytes(32), s_form="low")
    verdicts: polars.Series = gecc.verify("p256", digests, signatures, keys)
    return verdicts


def audit_of_other_kinds(
    hashes: npt.NDArray[np.object_], texts: list[str], keys: list[bytes], v: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    valid: npt.NDArray[np.bool_] = gecc.verify("secp256k1", hashes, texts, keys)
    addresses, ok = gecc.recover_addresses("secp256k1", hashes, texts[0], v)
    _, of_v = gecc.recover("secp256k1", hashes, texts)
    of_polars: polars.Series = gecc.recover("secp256k1", polars.Series(keys), texts)[1]
    all_of_them: npt.NDArray[np.bool_] = valid & ok & of_v & of_polars.to_numpy()
    return all_of_them


def audit_frame(frame: polars.DataFrame) -> polars.DataFrame:
    operation: arrow.Operation = arrow.Verify("secp256k1", low_s=True, columns="digest=a,der=b,public_key=c")
    return polars.DataFrame(operation(frame))


def scan(points: npt.NDArray[np.uint8], column: polars.Series, prefixes: list[list[int]]) -> int:
    receiver = silent_payments.Receiver(bytes(31) + b"\1", "02" + "11" * 32, labels=[0])
    matches, ok = silent_payments.scan([receiver], points, prefixes)
    of_arrow, _ = silent_payments.scan([receiver], points, column, reasons=True)
    found: silent_payments.Matches = matches
    return len(found.row) + len(of_arrow.tweak) + int(ok.sum()) + int(receiver.spend_keys.sum())


def keys_of_files(pem: str, der: list[bytes], signatures: list[bytes], digests: npt.NDArray[np.uint8]) -> int:
    valid: npt.NDArray[np.bool_] = gecc.verify("prime256v1", digests, signatures, pem)
    of_list: npt.NDArray[np.bool_] = gecc.verify("P-256", digests, signatures[0], der)
    _, ok = gecc.sign("p256", digests, pem)
    return int(valid.sum()) + int(of_list.sum()) + int(ok.sum())
