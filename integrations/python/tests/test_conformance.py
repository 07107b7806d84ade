"""The vectors of docs/conformance.md through Python, whose counts are those of the page."""

import gzip
import hashlib
import json
import re
from typing import Any

import gecc
import pytest

from support import ROOT

VECTORS = ROOT / "tests/vectors/conformance"
CURVES = {"secp256k1": "secp256k1", "secp256r1": "p256", "brainpoolP256r1": "brainpoolp256r1"}
HASHES = {"SHA-256": "sha256", "SHA-512": "sha512", "SHA3-256": "sha3_256", "SHA3-512": "sha3_512"}
# Lengths of digests of extendable functions, FIPS 186-5, section 6.4.
EXTENDABLE = {"SHAKE128": ("shake_128", 32), "SHAKE256": ("shake_256", 64)}
RULES = ["cofactorless", "strict", "libsodium", "zip215", "rfc8032", "rfc8032-cofactored"]


def file(name: str) -> Any:
    return json.loads(gzip.decompress((VECTORS / f"{name}.json.gz").read_bytes()))


def listed() -> dict[str, str]:
    """The cells of the column Python, by the file."""
    lines = (ROOT / "docs/conformance.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if re.match(r"\| [a-zA-Z]", line)]
    return {row[1]: row[5] for row in rows if len(row) > 6}


LISTED = listed()
ECDSA = [name for name, cell in LISTED.items() if name.startswith("ecdsa_") and cell.isdigit()]
ECDH = [name for name, cell in LISTED.items() if name.startswith("ecdh_") and cell.isdigit()]
X25519 = [name for name, cell in LISTED.items() if name.startswith("x25519") and cell.isdigit()]


def digest(name: str, message: bytes) -> bytes:
    """The 32 bytes that are signed."""
    if name in EXTENDABLE:
        function, length = EXTENDABLE[name]
        return bytes(hashlib.new(function, message).digest(length)[:32])  # type: ignore[call-arg]
    return hashlib.new(HASHES[name], message).digest()[:32]


def test_every_file_with_a_count_is_tested() -> None:
    counted = {name for name, cell in LISTED.items() if cell.isdigit()}
    assert counted == {*ECDSA, *ECDH, *X25519, "ed25519", "ed25519vectors"}
    assert len(ECDSA) == 22 and len(ECDH) == 7 and len(X25519) == 4


@pytest.mark.parametrize("name", ECDSA)
def test_ecdsa(name: str) -> None:
    groups = file(f"wycheproof/{name}_test")["testGroups"]
    cases = [(group, case) for group in groups for case in group["tests"]]
    assert len(cases) == int(LISTED[name])
    digests = [digest(group["sha"], bytes.fromhex(case["msg"])) for group, case in cases]
    signatures = [bytes.fromhex(case["sig"]) for _, case in cases]
    plain = [bytes.fromhex(group["publicKey"]["uncompressed"]) for group, _ in cases]
    pem = [group["publicKeyPem"] for group, _ in cases]
    der = [bytes.fromhex(group["publicKeyDer"]) for group, _ in cases]
    expected = [case["result"] == "valid" for _, case in cases]
    form: Any = "rs" if "p1363" in name else "der"
    for keys in [plain, pem, der]:
        found = gecc.verify(
            CURVES[name.split("_")[1]], digests, signatures, keys, low_s="bitcoin" in name, signature_form=form
        )
        assert list(found) == expected


def key(value: Any) -> Any:
    """A key as the file has it: an object, PEM, or digits."""
    if isinstance(value, dict):
        return json.dumps(value)
    return value if value.startswith("-----") else bytes.fromhex("0" * (len(value) % 2) + value)


def private(value: Any) -> Any:
    """A private key: numbers have 32 bytes."""
    found = key(value)
    return found if isinstance(found, str) else int.from_bytes(found, "big").to_bytes(32, "big")


@pytest.mark.parametrize("name", ECDH)
def test_ecdh(name: str) -> None:
    groups = file(f"wycheproof/{name}_test")["testGroups"]
    cases = [case for group in groups for case in group["tests"]]
    assert len(cases) == int(LISTED[name])
    curve = CURVES[name.split("_")[1]]
    for case in cases:
        try:
            secrets, ok = gecc.ecdh(curve, [private(case["private"])], [key(case["public"])])
            shared = bytes(secrets[0]).hex() if bool(ok[0]) else None
        except ValueError:
            # The only key of a call cannot be read.
            shared = None
        if shared is None:
            assert case["result"] != "valid", case
        else:
            assert case["result"] != "invalid" and shared == case["shared"], case


@pytest.mark.parametrize("accept_all_zero", [False, True])
@pytest.mark.parametrize("name", X25519)
def test_x25519(name: str, accept_all_zero: bool) -> None:
    groups = file(f"wycheproof/{name}_test")["testGroups"]
    cases = [case for group in groups for case in group["tests"]]
    assert len(cases) == int(LISTED[name])
    for case in cases:
        try:
            secrets, ok = gecc.x25519([key(case["private"])], [key(case["public"])], accept_all_zero=accept_all_zero)
            shared = bytes(secrets[0]).hex() if bool(ok[0]) else None
        except ValueError:
            # The only key of a call cannot be read.
            shared = None
        # An acceptable case has to be computed: only a shared secret of zero may be refused.
        is_refused = case["result"] == "invalid" or ("ZeroSharedSecret" in case["flags"] and not accept_all_zero)
        assert shared == (None if is_refused else case["shared"]), case


@pytest.mark.parametrize("rule", RULES)
def test_ed25519(rule: str) -> None:
    groups = file("wycheproof/ed25519_test")["testGroups"]
    cases = [(group, case) for group in groups for case in group["tests"]]
    assert len(cases) == int(LISTED["ed25519"])
    # A signature is 64 bytes: a column of others is refused as a whole.
    whole = [(group, case) for group, case in cases if len(case["sig"]) == 128]
    found = gecc.ed25519_verify(
        [bytes.fromhex(case["msg"]) for _, case in whole],
        [bytes.fromhex(case["sig"]) for _, case in whole],
        [bytes.fromhex(group["publicKey"]["pk"]) for group, _ in whole],
        rule=rule,
    )
    # ZIP 215 ignores the sign of an x of 0.
    accepted = {151} if rule == "zip215" else set()
    assert list(found) == [case["result"] == "valid" or case["tcId"] in accepted for _, case in whole]
    for group, case in cases:
        if len(case["sig"]) != 128:
            assert case["result"] == "invalid"
            key = bytes.fromhex(group["publicKey"]["pk"])
            try:
                found = gecc.ed25519_verify([bytes.fromhex(case["msg"])], [bytes.fromhex(case["sig"])], [key], rule=rule)
                assert not any(found)
            except ValueError:
                pass


def accepts(rule: str, flags: list[str]) -> bool:
    """Whether a rule accepts a case of CCTV, by its flags; as in the test of the command."""
    low_order = "low_order_A" in flags or "low_order_R" in flags
    residue = "low_order_residue" in flags
    other_hash = "reencoded_k" in flags and "low_order_A" not in flags
    canonical = "non_canonical_A" not in flags and "non_canonical_R" not in flags
    return {
        "cofactorless": "non_canonical_R" not in flags and not residue and not other_hash,
        "strict": "non_canonical_R" not in flags and not residue and not low_order,
        "libsodium": not low_order and not residue,
        "zip215": not other_hash,
        "rfc8032": canonical and not residue,
        "rfc8032-cofactored": canonical,
    }[rule]


@pytest.mark.parametrize("rule", RULES)
def test_ed25519vectors(rule: str) -> None:
    cases = file("cctv/ed25519vectors")
    assert len(cases) == int(LISTED["ed25519vectors"])
    found = gecc.ed25519_verify(
        [case["msg"].encode() for case in cases],
        [bytes.fromhex(case["sig"]) for case in cases],
        [bytes.fromhex(case["key"]) for case in cases],
        rule=rule,
    )
    assert list(found) == [accepts(rule, case["flags"] or []) for case in cases]
