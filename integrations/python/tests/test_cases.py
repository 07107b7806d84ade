"""The cases that all interfaces share (tests/cases of the library), in every kind of argument."""

from collections import defaultdict
from typing import Any

import gecc
import pyarrow as pa
import pytest
from support import CASES, forms_of

REASONS: dict[str | None, int] = {None: 0, **CASES["reasons"]}


def groups(operation: str) -> list[Any]:
    """The cases of one curve and one form, with recovery ids or without."""
    found = defaultdict(list)
    for case in CASES[operation]:
        has_id = operation == "recover" and case["recovery_id"] is not None
        found[case["curve"], case.get("form"), has_id].append(case)
    return [pytest.param(curve, form, cases) for (curve, form, _), cases in found.items()]


def column(cases: list[dict[str, Any]], field: str) -> list[bytes]:
    return [bytes.fromhex(case[field]) for case in cases]


def expected_codes(cases: list[dict[str, Any]]) -> list[int]:
    return [REASONS[case["reason"]] for case in cases]


def options(form: str) -> dict[str, Any]:
    return {} if form == "auto" else {"signature_form": form}


@pytest.mark.parametrize(("curve", "form", "cases"), groups("verify"))
def test_shared_signatures_have_their_verdicts(curve: str, form: str, cases: list[dict[str, Any]]) -> None:
    digests, keys = column(cases, "digest"), column(cases, "public_key")
    for signatures in forms_of(column(cases, "signature")):
        codes = gecc.verify(curve, digests, signatures, keys, reasons=True, **options(form))
        assert pa.array(codes).to_pylist() == expected_codes(cases)
        # Neither SM2 nor DER has recovery ids.
        if curve != "sm2" and not form.startswith("der"):
            codes = gecc.verify_recoverable(curve, digests, signatures, None, keys, reasons=True, **options(form))
            assert pa.array(codes).to_pylist() == expected_codes(cases)


@pytest.mark.parametrize(("curve", "form", "cases"), groups("recover"))
def test_shared_signatures_recover_their_keys(curve: str, form: str, cases: list[dict[str, Any]]) -> None:
    digests = column(cases, "digest")
    ids = None if cases[0]["recovery_id"] is None else [case["recovery_id"] for case in cases]
    for signatures in forms_of(column(cases, "signature")):
        keys, codes = gecc.recover(curve, digests, signatures, ids, reasons=True, **options(form))
        assert pa.array(codes).to_pylist() == expected_codes(cases)
        rows = keys.to_pylist() if isinstance(keys, pa.Array) else keys
        for case, key in zip(cases, rows, strict=True):
            if case["reason"] is None:
                assert bytes(key).hex() == case["public_key"][2:], case["name"]


@pytest.mark.parametrize(("curve", "form", "cases"), groups("sign"))
def test_shared_keys_sign_as_stated(curve: str, form: None, cases: list[dict[str, Any]]) -> None:
    signatures, codes = gecc.sign(curve, column(cases, "digest"), column(cases, "secret_key"), reasons=True)
    assert pa.array(codes).to_pylist() == expected_codes(cases)
    for case, signature in zip(cases, signatures, strict=True):
        if case["reason"] is None:
            assert bytes(signature).hex() == case["signature"], case["name"]
