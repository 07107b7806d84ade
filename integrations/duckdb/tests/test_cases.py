"""The cases that all interfaces share (tests/cases of the library). GECC_EXTENSION names the extension's file."""

from typing import Any

import duckdb
from support import CASES

FIELDS = ["digest", "signature", "public_key"]


def rows_of(cases: list[dict[str, Any]]) -> list[list[Any]]:
    return [[bytes.fromhex(case[field] or "") for field in FIELDS] for case in cases]


def groups(operation: str) -> list[tuple[str, str, list[dict[str, Any]]]]:
    """The cases of one curve and one form."""
    keys = dict.fromkeys((case["curve"], case["form"]) for case in CASES[operation])
    return [(*key, [case for case in CASES[operation] if (case["curve"], case["form"]) == key]) for key in keys]


def fill(db: duckdb.DuckDBPyConnection, cases: list[dict[str, Any]]) -> None:
    db.execute("CREATE OR REPLACE TABLE cases (digest BLOB, signature BLOB, public_key BLOB, id UTINYINT)")
    rows = [[*row, case.get("recovery_id")] for row, case in zip(rows_of(cases), cases, strict=True)]
    db.executemany("INSERT INTO cases VALUES (?, ?, ?, ?)", rows)


def require_reasons(cases: list[dict[str, Any]], reasons: list[str | None]) -> None:
    """The texts of reasons are the same wherever the reason is."""
    texts: dict[str, set[str | None]] = {}
    for case, reason in zip(cases, reasons, strict=True):
        assert (reason is None) == (case["reason"] is None), case["name"]
        texts.setdefault(case["reason"], set()).add(reason)
    assert all(len(found) == 1 for found in texts.values())
    assert len({text for found in texts.values() for text in found}) == len(texts)


def test_shared_signatures_have_their_verdicts(db: duckdb.DuckDBPyConnection) -> None:
    for curve, form, cases in groups("verify"):
        fill(db, cases)

        def call(ending: str, curve: str = curve, form: str = form) -> str:
            if curve == "sm2":
                return f"sm2_verify{'' if form == 'auto' else '_der'}{ending}(digest, signature, public_key)"
            return f"ecdsa_verify_form{ending}('{curve}', '{form}', digest, signature, public_key)"

        found = db.execute(f"SELECT {call('')}, {call('_reason')} FROM cases ORDER BY rowid").fetchall()
        assert [valid for valid, _ in found] == [case["reason"] is None for case in cases]
        require_reasons(cases, [reason for _, reason in found])


def test_shared_signatures_recover_their_keys(db: duckdb.DuckDBPyConnection) -> None:
    for curve, form, all_cases in groups("recover"):
        for has_id in [False, True]:
            cases = [case for case in all_cases if (case["recovery_id"] is not None) == has_id]
            if not cases:
                continue
            fill(db, cases)

            def call(ending: str, curve: str = curve, form: str = form, has_id: bool = has_id) -> str:
                if has_id:
                    return f"ecdsa_recover{ending}('{curve}', digest, signature, id)"
                return f"ecdsa_recover_form{ending}('{curve}', '{form}', digest, signature)"

            found = db.execute(f"SELECT {call('')}, {call('_reason')} FROM cases ORDER BY rowid").fetchall()
            assert [key and key.hex() for key, _ in found] == [case["public_key"] for case in cases]
            require_reasons(cases, [reason for _, reason in found])
