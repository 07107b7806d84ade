"""The first steps of a new user of the package: what works at once, and the messages for common mistakes."""

import hashlib
from typing import Any

import coincurve
import gecc
import numpy as np
import pandas as pd
import pytest
from gecc import Reason


def test_first_success() -> None:
    secret_keys, public_keys = gecc.generate_keys("secp256k1", 100)
    digests = [hashlib.sha256(bytes([item])).digest() for item in range(100)]
    signatures, ok = gecc.sign("secp256k1", digests, secret_keys)
    assert ok.all()
    assert gecc.verify("secp256k1", digests, signatures, public_keys).all()


def test_first_success_with_a_frame() -> None:
    secret_keys, public_keys = gecc.generate_keys("prime256v1", 3)
    messages = [b"one", b"two", b"three"]
    signatures, _ = gecc.sign_messages("P-256", messages, secret_keys)
    keys = [key.tobytes().hex() for key in public_keys]
    frame = pd.DataFrame({"msg": messages, "sig": list(signatures), "pubkey": keys})
    frame["valid"] = gecc.verify_messages("secp256r1", frame["msg"], frame["sig"], frame["pubkey"])
    assert frame["valid"].all()


SECRET, PUBLIC = gecc.generate_keys("secp256k1", 2)
DIGESTS = [hashlib.sha256(b"one").digest(), hashlib.sha256(b"two").digest()]
SIGNATURES, _ = gecc.sign("secp256k1", DIGESTS, SECRET)


def verify(**changed: Any) -> Any:
    given = {"curve": "secp256k1", "digests": DIGESTS, "signatures": SIGNATURES, "public_keys": PUBLIC}
    return gecc.verify(**(given | changed))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        # 1. A curve that there is not: the error has those that there are.
        (lambda: verify(curve="P-384"), "curve: no curve is called `P-384`; the curves are .*secp256r1"),
        # 2. Messages in place of digests.
        (lambda: verify(digests=np.zeros((2, 31), np.uint8)), r"digests: an array of shape \(2, 31\), not \(n, 32\)"),
        # 3. Texts that are not hexadecimal.
        (lambda: verify(digests=["one", "two"]), "digests: no text of the column is hexadecimal"),
        # 4. Arrays of numbers of another type.
        (lambda: verify(digests=np.zeros((2, 32))), "digests: an array of float64, not of uint8"),
        # 5. Byte strings of numpy, which lose zeros at their end.
        (lambda: verify(digests=np.array(DIGESTS)), "digests: an array of numpy's byte strings, which drop zeros"),
        # 6. Columns of different lengths.
        (lambda: verify(signatures=SIGNATURES[:1]), "signatures: 1 items, where digests has 2"),
        # 7. The answer taken for a truth.
        (lambda: bool(gecc.sign("secp256k1", DIGESTS, SECRET)), "the truth value of an answer is ambiguous"),
        # 8. Text as a message.
        (lambda: gecc.sign_messages("p256", ["one"], bytes(31) + b"\1"), r"messages\[0\]: str, not bytes"),
        # 9. ECDSA's calls on SM2's curve.
        (lambda: gecc.recover("sm2", DIGESTS, SIGNATURES, [0, 0]), "there is no ECDSA on sm2"),
        # 10. Series in another order.
        (
            lambda: verify(digests=pd.Series(DIGESTS), signatures=pd.Series(list(SIGNATURES), index=[1, 0])),
            r"signatures: its index is another .*reset_index\(drop=True\)",
        ),
        # 11. Recovery ids that are nowhere.
        (lambda: gecc.recover("secp256k1", DIGESTS, SIGNATURES), "recovery_ids: not given, and signatures of 64 bytes"),
    ],
)
def test_typical_mistakes(call: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError), match=text):
        call()


def test_mistakes_of_an_item_are_its_answer() -> None:
    # The digest signed twice, a key of another curve, a list with one short digest.
    twice = [hashlib.sha256(row).digest() for row in DIGESTS]
    assert verify(digests=twice, reasons=True).tolist() == [Reason.MISMATCH] * 2
    _, of_p256 = gecc.generate_keys("p256", 2)
    assert verify(public_keys=of_p256, reasons=True).tolist() == [Reason.NOT_ON_CURVE] * 2
    assert verify(digests=[DIGESTS[0], b"short"], reasons=True).tolist() == [Reason.VALID, Reason.DIGEST_WRONG_LENGTH]


def test_high_s_is_a_choice() -> None:
    """libsecp256k1 and coincurve refuse s above n/2, which is as valid by the standard."""
    n = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    r, s = SIGNATURES[0][:32].tobytes(), int.from_bytes(SIGNATURES[0][32:].tobytes(), "big")
    high = r + (n - s).to_bytes(32, "big")
    key = coincurve.PublicKey(b"\x04" + PUBLIC[0].tobytes())
    der = gecc.signatures_to_der(high)[0]
    assert not key.verify(der, DIGESTS[0], hasher=None)
    assert gecc.verify("secp256k1", DIGESTS[0], high, PUBLIC[0]).tolist() == [True]
    codes = gecc.verify("secp256k1", DIGESTS[0], high, PUBLIC[0], low_s=True, reasons=True)
    assert codes.tolist() == [Reason.HIGH_S]


def test_ecdh_is_the_coordinate_and_coincurve_hashes_the_point() -> None:
    shared, _ = gecc.ecdh("secp256k1", SECRET[0], PUBLIC[1])
    point = gecc.ecdh_points("secp256k1", SECRET[0], PUBLIC[1])[0][0].tobytes()
    assert point[:32] == shared[0].tobytes()
    theirs = coincurve.PrivateKey(SECRET[0].tobytes()).ecdh(b"\x04" + PUBLIC[1].tobytes())
    assert hashlib.sha256(bytes([2 + point[63] % 2]) + point[:32]).digest() == theirs != shared[0].tobytes()
