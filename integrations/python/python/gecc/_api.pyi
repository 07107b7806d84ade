"""Types of the calls: results are of numpy where all arguments are, and else of Arrow."""

from typing import Any, overload

import numpy as np
import numpy.typing as npt

from gecc._gecc import Engine
from gecc._types import (
    Hash,
    Integers,
    MaskForm,
    NumpyIntegers,
    NumpyRows,
    NumpyStrings,
    NumpyUserIds,
    Rows,
    SForm,
    SignatureForm,
    Strings,
    UserIds,
)

# A truth value an item, or with `reasons=True` a code.
_Verdicts = npt.NDArray[Any]
_Bytes = npt.NDArray[np.uint8]

@overload
def verify(
    curve: str,
    digests: NumpyRows,
    signatures: NumpyRows,
    public_keys: NumpyRows,
    *,
    low_s: bool = False,
    signature_form: SignatureForm = "auto",
    reasons: bool = False,
    engine: Engine | None = None,
) -> _Verdicts: ...
@overload
def verify(
    curve: str,
    digests: Rows,
    signatures: Rows,
    public_keys: Rows,
    *,
    low_s: bool = False,
    signature_form: SignatureForm = "auto",
    reasons: bool = False,
    engine: Engine | None = None,
) -> Any: ...
@overload
def message_digests(
    messages: NumpyStrings,
    *,
    hash: Hash = "sha256",
    out: npt.NDArray[np.uint8] | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def message_digests(
    messages: Strings,
    *,
    hash: Hash = "sha256",
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def verify_messages(
    curve: str,
    messages: NumpyStrings,
    signatures: NumpyRows,
    public_keys: NumpyRows,
    *,
    hash: Hash | None = None,
    user_ids: NumpyUserIds | None = None,
    low_s: bool = False,
    signature_form: SignatureForm = "auto",
    reasons: bool = False,
    engine: Engine | None = None,
) -> _Verdicts: ...
@overload
def verify_messages(
    curve: str,
    messages: Strings,
    signatures: Rows,
    public_keys: Rows,
    *,
    hash: Hash | None = None,
    user_ids: UserIds | None = None,
    low_s: bool = False,
    signature_form: SignatureForm = "auto",
    reasons: bool = False,
    engine: Engine | None = None,
) -> Any: ...
@overload
def verify_recoverable(
    curve: str,
    digests: NumpyRows,
    signatures: NumpyRows,
    recovery_ids: NumpyIntegers | None,
    public_keys: NumpyRows,
    *,
    low_s: bool = False,
    signature_form: SignatureForm = "auto",
    reasons: bool = False,
    engine: Engine | None = None,
) -> _Verdicts: ...
@overload
def verify_recoverable(
    curve: str,
    digests: Rows,
    signatures: Rows,
    recovery_ids: Integers | None,
    public_keys: Rows,
    *,
    low_s: bool = False,
    signature_form: SignatureForm = "auto",
    reasons: bool = False,
    engine: Engine | None = None,
) -> Any: ...
@overload
def sign(
    curve: str,
    digests: NumpyRows,
    secret_keys: NumpyRows,
    *,
    additional_data: NumpyRows | None = None,
    s_form: SForm = "curve_default",
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def sign(
    curve: str,
    digests: Rows,
    secret_keys: Rows,
    *,
    additional_data: Rows | None = None,
    s_form: SForm = "curve_default",
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def sign_messages(
    curve: str,
    messages: NumpyStrings,
    secret_keys: NumpyRows,
    *,
    additional_data: NumpyRows | None = None,
    hash: Hash | None = None,
    user_ids: NumpyUserIds | None = None,
    s_form: SForm = "curve_default",
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def sign_messages(
    curve: str,
    messages: Strings,
    secret_keys: Rows,
    *,
    additional_data: Rows | None = None,
    hash: Hash | None = None,
    user_ids: UserIds | None = None,
    s_form: SForm = "curve_default",
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def sign_recoverable(
    curve: str,
    digests: NumpyRows,
    secret_keys: NumpyRows,
    *,
    additional_data: NumpyRows | None = None,
    s_form: SForm = "curve_default",
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Bytes, _Verdicts]: ...
@overload
def sign_recoverable(
    curve: str,
    digests: Rows,
    secret_keys: Rows,
    *,
    additional_data: Rows | None = None,
    s_form: SForm = "curve_default",
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any, Any]: ...
@overload
def recover(
    curve: str,
    digests: NumpyRows,
    signatures: NumpyRows,
    recovery_ids: NumpyIntegers | None = None,
    *,
    candidates: NumpyRows | None = None,
    signature_form: SignatureForm = "auto",
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def recover(
    curve: str,
    digests: Rows,
    signatures: Rows,
    recovery_ids: Integers | None = None,
    *,
    candidates: Rows | None = None,
    signature_form: SignatureForm = "auto",
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def recover_addresses(
    curve: str,
    digests: NumpyRows,
    signatures: NumpyRows,
    recovery_ids: NumpyIntegers | None = None,
    *,
    candidates: NumpyRows | None = None,
    signature_form: SignatureForm = "auto",
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def recover_addresses(
    curve: str,
    digests: Rows,
    signatures: Rows,
    recovery_ids: Integers | None = None,
    *,
    candidates: Rows | None = None,
    signature_form: SignatureForm = "auto",
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def bip340_verify(
    messages: NumpyRows,
    signatures: NumpyRows,
    public_keys: NumpyRows,
    *,
    reasons: bool = False,
    engine: Engine | None = None,
) -> _Verdicts: ...
@overload
def bip340_verify(
    messages: Rows,
    signatures: Rows,
    public_keys: Rows,
    *,
    reasons: bool = False,
    engine: Engine | None = None,
) -> Any: ...
@overload
def bip340_verify_messages(
    messages: NumpyStrings,
    signatures: NumpyRows,
    public_keys: NumpyRows,
    *,
    reasons: bool = False,
    engine: Engine | None = None,
) -> _Verdicts: ...
@overload
def bip340_verify_messages(
    messages: Strings,
    signatures: Rows,
    public_keys: Rows,
    *,
    reasons: bool = False,
    engine: Engine | None = None,
) -> Any: ...
@overload
def bip340_sign(
    messages: NumpyRows,
    secret_keys: NumpyRows,
    *,
    auxiliary: NumpyRows | None = None,
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def bip340_sign(
    messages: Rows,
    secret_keys: Rows,
    *,
    auxiliary: Rows | None = None,
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def bip340_sign_messages(
    messages: NumpyStrings,
    secret_keys: NumpyRows,
    *,
    auxiliary: NumpyRows | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def bip340_sign_messages(
    messages: Strings,
    secret_keys: Rows,
    *,
    auxiliary: Rows | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def ed25519_verify(
    messages: NumpyStrings,
    signatures: NumpyRows,
    public_keys: NumpyRows,
    *,
    rule: str,
    context: bytes | None = None,
    prehashed: bool = False,
    reasons: bool = False,
    engine: Engine | None = None,
) -> _Verdicts: ...
@overload
def ed25519_verify(
    messages: Strings,
    signatures: Rows,
    public_keys: Rows,
    *,
    rule: str,
    context: bytes | None = None,
    prehashed: bool = False,
    reasons: bool = False,
    engine: Engine | None = None,
) -> Any: ...
@overload
def ed25519_sign(
    messages: NumpyStrings,
    seeds: NumpyRows,
    *,
    context: bytes | None = None,
    prehashed: bool = False,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def ed25519_sign(
    messages: Strings,
    seeds: Rows,
    *,
    context: bytes | None = None,
    prehashed: bool = False,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def ed25519_public_keys(
    seeds: NumpyRows, *, out: _Bytes | None = None, reasons: bool = False, engine: Engine | None = None
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def ed25519_public_keys(
    seeds: Rows, *, out: None = None, reasons: bool = False, engine: Engine | None = None
) -> tuple[Any, Any]: ...
@overload
def taproot(
    internal_keys: NumpyRows,
    roots: NumpyRows | None = None,
    *,
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def taproot(
    internal_keys: Rows,
    roots: Rows | None = None,
    *,
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
def generate_keys(curve: str, count: int, *, engine: Engine | None = None) -> tuple[_Bytes, _Bytes]: ...
@overload
def public_keys(
    curve: str,
    secret_keys: NumpyRows,
    *,
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def public_keys(
    curve: str,
    secret_keys: Rows,
    *,
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def ecdh(
    curve: str,
    secret_keys: NumpyRows,
    public_keys: NumpyRows,
    *,
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def ecdh(
    curve: str,
    secret_keys: Rows,
    public_keys: Rows,
    *,
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def ecdh_points(
    curve: str,
    secret_keys: NumpyRows,
    public_keys: NumpyRows,
    *,
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def ecdh_points(
    curve: str,
    secret_keys: Rows,
    public_keys: Rows,
    *,
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def x25519(
    secret_keys: NumpyRows,
    public_keys: NumpyRows,
    *,
    accept_all_zero: bool = False,
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def x25519(
    secret_keys: Rows,
    public_keys: Rows,
    *,
    accept_all_zero: bool = False,
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def x25519_public_keys(
    secret_keys: NumpyRows, *, out: _Bytes | None = None, reasons: bool = False, engine: Engine | None = None
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def x25519_public_keys(
    secret_keys: Rows, *, out: None = None, reasons: bool = False, engine: Engine | None = None
) -> tuple[Any, Any]: ...
@overload
def hash_to_curve(
    suite: str,
    messages: NumpyStrings,
    *,
    dst: bytes | None = None,
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def hash_to_curve(
    suite: str,
    messages: Strings,
    *,
    dst: bytes | None = None,
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def mask(
    suite: str,
    secret_keys: NumpyRows,
    messages: NumpyStrings,
    *,
    dst: bytes | None = None,
    form: MaskForm = "compressed",
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def mask(
    suite: str,
    secret_keys: Rows,
    messages: Strings,
    *,
    dst: bytes | None = None,
    form: MaskForm = "compressed",
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def mask_points(
    curve: str,
    secret_keys: NumpyRows,
    points: NumpyRows,
    *,
    form: MaskForm = "compressed",
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def mask_points(
    curve: str,
    secret_keys: Rows,
    points: Rows,
    *,
    form: MaskForm = "compressed",
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def unmask(
    curve: str,
    secret_keys: NumpyRows,
    points: NumpyRows,
    *,
    form: MaskForm = "compressed",
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def unmask(
    curve: str,
    secret_keys: Rows,
    points: Rows,
    *,
    form: MaskForm = "compressed",
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def decompress(
    curve: str,
    public_keys: NumpyRows,
    *,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def decompress(
    curve: str,
    public_keys: Rows,
    *,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def mul_base(
    curve: str,
    scalars: NumpyRows,
    *,
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def mul_base(
    curve: str, scalars: Rows, *, out: None = None, reasons: bool = False, engine: Engine | None = None
) -> tuple[Any, Any]: ...
@overload
def mul(
    curve: str,
    scalars: NumpyRows,
    points: NumpyRows,
    *,
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def mul(
    curve: str,
    scalars: Rows,
    points: Rows,
    *,
    out: None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[Any, Any]: ...
@overload
def add(
    curve: str,
    a: NumpyRows,
    b: NumpyRows,
    *,
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def add(
    curve: str, a: Rows, b: Rows, *, out: None = None, reasons: bool = False, engine: Engine | None = None
) -> tuple[Any, Any]: ...
@overload
def double(
    curve: str,
    points: NumpyRows,
    *,
    out: _Bytes | None = None,
    reasons: bool = False,
    engine: Engine | None = None,
) -> tuple[_Bytes, _Verdicts]: ...
@overload
def double(
    curve: str, points: Rows, *, out: None = None, reasons: bool = False, engine: Engine | None = None
) -> tuple[Any, Any]: ...
def sum(curve: str, points: Rows, *, engine: Engine | None = None) -> _Bytes: ...
def msm(curve: str, scalars: Rows, points: Rows, *, engine: Engine | None = None) -> _Bytes: ...
@overload
def signatures_from_der(signatures: NumpyStrings, *, reasons: bool = False) -> tuple[_Bytes, _Verdicts]: ...
@overload
def signatures_from_der(signatures: Strings, *, reasons: bool = False) -> tuple[Any, Any]: ...
def signatures_to_der(signatures: Rows) -> list[bytes]: ...
