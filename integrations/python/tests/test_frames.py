"""Columns of pandas: verdicts assigned to a frame match its rows, in any order of its index."""

import sys
import types
from collections.abc import Callable
from typing import Any

import gecc
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from gecc import Reason, arrow

from support import Batch, Bytes, random_rows, signed

ITEMS = 90
# Neither sorted nor of numbers that count rows.
INDEX = pd.Index([f"row {item * 37 % ITEMS}" for item in range(ITEMS)])


def rows(column: Bytes) -> list[bytes]:
    return [row.tobytes() for row in column]


def texts(column: Bytes) -> list[str]:
    return ["0x" + row.tobytes().hex() for row in column]


FORMS: dict[str, Callable[[Bytes], Any]] = {
    "bytes": rows,
    "bytes of Arrow": lambda column: pd.array(rows(column), pd.ArrowDtype(pa.binary())),
    "bytes of one width of Arrow": lambda column: pd.array(rows(column), pd.ArrowDtype(pa.binary(column.shape[1]))),
    "text": texts,
    "objects of text": lambda column: np.array(texts(column), object),
    "text of pandas": lambda column: pd.array(texts(column), "string"),
    "text of Python": lambda column: pd.array(texts(column), pd.StringDtype("python")),
    "text of Arrow": lambda column: pd.array(texts(column), pd.ArrowDtype(pa.string())),
    "categories": lambda column: pd.Categorical(rows(column)),
}


def frame_of(batch: Batch, make: Callable[[Bytes], Any]) -> pd.DataFrame:
    columns = {"hash": make(batch.digests), "sig": make(batch.signatures), "pubkey": make(batch.public_keys)}
    return pd.DataFrame(columns, index=INDEX)


@pytest.mark.parametrize("form", FORMS)
def test_a_column_of_verdicts_has_one_in_each_row(form: str) -> None:
    batch = signed("p256", ITEMS)
    frame = frame_of(batch, FORMS[form])
    frame["valid"] = gecc.verify("p256", frame["hash"], frame["sig"], frame["pubkey"])
    assert frame["valid"].dtype == np.bool_
    assert frame["valid"].tolist() == batch.valid.tolist()
    assert not frame["valid"].all()
    assert frame[frame["valid"]].index.tolist() == INDEX[batch.valid].tolist()
    # Columns together with arrays, in frames, and with one value for all items.
    for arguments in (
        (frame["hash"], batch.signatures, rows(batch.public_keys)),
        (frame[["hash"]], frame[["sig"]], frame["pubkey"]),
        (pa.array(rows(batch.digests)), frame["sig"], batch.public_keys),
    ):
        found = gecc.verify("p256", *arguments)
        assert isinstance(found, pd.Series)
        assert found.index.equals(INDEX)
        assert found.tolist() == batch.valid.tolist()


def test_codes_are_false_where_an_item_is_valid() -> None:
    batch = signed("p256", ITEMS)
    frame = frame_of(batch, rows)
    frame["code"] = gecc.verify("p256", frame["hash"], frame["sig"], frame["pubkey"], reasons=True)
    assert frame["code"].dtype == np.uint8
    assert (frame["code"] == Reason.VALID).tolist() == batch.valid.tolist()
    assert frame["code"].astype(bool).tolist() == (~batch.valid).tolist()


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_values_are_null(missing: object) -> None:
    batch = signed("p256", ITEMS)
    frame = frame_of(batch, rows)
    frame["hash"] = pd.Series([missing, *rows(batch.digests)[1:]], INDEX, object)
    codes = gecc.verify("p256", frame["hash"], frame["sig"], frame["pubkey"], reasons=True)
    assert codes.iloc[0] == Reason.DIGEST_NULL
    # The frame is as it was.
    assert frame["hash"].iloc[0] is missing
    text = frame_of(batch, FORMS["text of pandas"])
    text.iloc[4, 1] = missing
    codes = gecc.verify("p256", text["hash"], text["sig"], text["pubkey"], reasons=True)
    assert codes.iloc[4] == Reason.SIGNATURE_NULL


def test_results_are_columns() -> None:
    secret_keys, public_keys = gecc.generate_keys("secp256k1", ITEMS)
    secret_keys[5] = 0
    frame = pd.DataFrame({"hash": rows(random_rows(ITEMS, 32)), "key": rows(secret_keys)}, INDEX)
    frame["sig"], frame["v"], frame["ok"] = gecc.sign_recoverable("secp256k1", frame["hash"], frame["key"])
    assert frame["ok"].tolist() == [item != 5 for item in range(ITEMS)]
    assert frame["sig"].isna().tolist() == frame["v"].isna().tolist() == [item == 5 for item in range(ITEMS)]
    # As Ethereum has it, and as a program without missing values has it.
    for v in (frame["v"], frame["v"] + 27, frame["v"].fillna(0).astype("int64") + 27, frame["v"].astype(object)):
        keys, ok = gecc.recover("secp256k1", frame["hash"], frame["sig"], v)
        assert ok.equals(frame["ok"])
        assert keys.isna().tolist() == (~ok).tolist()
        assert keys[ok].tolist() == [row for item, row in enumerate(rows(public_keys)) if item != 5]
    _, codes = gecc.recover("secp256k1", frame["hash"], frame["sig"], frame["v"], reasons=True)
    assert codes.iloc[5] == Reason.SIGNATURE_NULL
    secrets, _ = gecc.ecdh("secp256k1", frame["key"], public_keys[0])
    expected, ok = gecc.ecdh("secp256k1", secret_keys, public_keys[0])
    assert secrets.tolist() == [row if passed else None for row, passed in zip(rows(expected), ok, strict=True)]
    out = np.ones((ITEMS, 64), np.uint8)
    found, ok = gecc.public_keys("secp256k1", frame["key"], out=out)
    assert found is out
    assert ok.equals(frame["ok"])
    assert gecc.sum("secp256k1", pd.Series(rows(public_keys[:1]))).tolist() == public_keys[0].tolist()


def test_operations_on_frames_give_frames() -> None:
    batch, columns = signed("p256", ITEMS), "digest=hash,signature=sig,public_key=pubkey"
    frame = frame_of(batch, rows)
    answers = arrow.Verify("p256", columns=columns, gather=7)(frame)
    assert isinstance(answers, pd.DataFrame)
    assert answers.index.equals(INDEX)
    assert answers["valid"].dtype == np.bool_
    assert answers["valid"].tolist() == batch.valid.tolist()
    assert answers["reason"].isna().tolist() == batch.valid.tolist()
    # pandas does not accept this as a column.
    with pytest.raises(ValueError, match="Cannot set a DataFrame with multiple columns"):
        frame["valid"] = answers
    extended = arrow.Verify("p256", columns=columns, beside=True, plain=True)(frame[10:])
    assert extended.columns.tolist() == ["hash", "sig", "pubkey", "valid", "reason"]
    assert extended["sig"].equals(frame["sig"][10:])
    assert extended["valid"].tolist() == batch.valid[10:].tolist()
    none = frame[:0].astype(pd.ArrowDtype(pa.binary()))
    assert arrow.Verify("p256", columns=columns)(none).columns.tolist() == ["valid", "reason"]


def test_frames_without_a_value_have_answers() -> None:
    batch, columns = signed("p256", ITEMS), "digest=hash,signature=sig,public_key=pubkey"
    verify, frame = arrow.Verify("p256", columns=columns), frame_of(batch, rows)
    assert verify(frame[:0]).columns.tolist() == ["valid", "reason"]
    answers = verify(frame.assign(sig=None))
    assert not answers["valid"].any()
    assert set(answers["reason"]) == {"`signature` is null"}


def test_pandas_may_be_half_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = signed("p256", ITEMS)
    monkeypatch.setitem(sys.modules, "pandas", types.ModuleType("pandas"))
    assert gecc.verify("p256", *batch[:3]).tolist() == batch.valid.tolist()


def test_rows_of_two_indexes_are_not_mixed() -> None:
    batch = signed("p256", ITEMS)
    frame = frame_of(batch, rows)
    shuffled = frame["sig"].sort_index()
    with pytest.raises(ValueError, match="signatures: its index is another than that of the arguments before"):
        gecc.verify("p256", frame["hash"], shuffled, frame["pubkey"])
    with pytest.raises(ValueError, match="public_keys: its index is another"):
        gecc.verify("p256", frame["hash"], batch.signatures, frame["pubkey"].reset_index(drop=True))
    assert gecc.verify("p256", frame["hash"], frame["sig"].copy(), frame["pubkey"].to_numpy())[INDEX[1]]


def test_unsupported_columns_are_errors() -> None:
    batch = signed("p256", ITEMS)
    frame = frame_of(batch, rows)
    with pytest.raises(ValueError, match="digests: a table of 3 columns, not one column"):
        gecc.verify("p256", frame, batch.signatures, batch.public_keys)
    with pytest.raises(TypeError, match="digests: an array of int64, not of uint8"):
        gecc.verify("p256", pd.Series(range(ITEMS), INDEX), batch.signatures, batch.public_keys)
    with pytest.raises(TypeError, match=r"digests\[0\]: float, not bytes"):
        gecc.verify("p256", pd.Series([0.5] * ITEMS, INDEX), batch.signatures, batch.public_keys)
    for kind in ("string", object, pd.ArrowDtype(pa.string())):
        with pytest.raises(TypeError, match="messages.*: (text|str), not bytes"):
            gecc.verify_messages("p256", pd.Series(["ab"], dtype=kind), batch.signatures[:1], batch.public_keys[:1])
