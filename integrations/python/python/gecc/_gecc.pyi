"""The compiled part. Calls are private: the package has them with names, defaults and documentation."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NoReturn, final, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

__all__ = [
    "ArrowArray",
    "BatchOperation",
    "DeviceError",
    "Engine",
    "ForkedError",
    "GeccError",
    "KernelsError",
    "NoDeviceError",
    "Receiver",
    "VERSION",
    "generate_keys",
    "index_silent_payments",
    "message_digests",
    "nvrtc_version",
    "place_of",
    "reason_texts",
    "run",
    "run_masking",
    "run_on_points",
    "scan_silent_payments",
    "signatures_from_der",
    "signatures_to_der",
    "taproot",
    "total",
]

VERSION: str

class GeccError(Exception):
    """A call could not run. No item has a result."""

class NoDeviceError(GeccError):
    """GPUs were requested, and none can be used."""

class DeviceError(GeccError):
    """All GPUs failed, and the engine may not use the CPU instead."""

class KernelsError(GeccError):
    """Kernels could not be compiled, stored or loaded."""

class ForkedError(GeccError):
    """The engine was created before this process was forked."""

@final
class ArrowArray:
    """Results for any library that supports Arrow's C interface: `pyarrow.array(results)`,
    `polars.Series(results)`.

    `numpy.asarray(results)` and iteration are supported too. Items are booleans, codes or `bytes`, and None if they
    were rejected. The array itself has no truth value.
    """

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]: ...
    def __bool__(self) -> NoReturn: ...
    def __eq__(self, value: object, /) -> Any: ...
    def __ge__(self, value: object, /) -> Any: ...
    @overload
    def __getitem__(self, key: int, /) -> bool | int | bytes | None: ...
    @overload
    def __getitem__(self, key: slice, /) -> ArrowArray: ...
    def __gt__(self, value: object, /) -> Any: ...
    def __iter__(self) -> Iterator[bool | int | bytes | None]: ...
    def __le__(self, value: object, /) -> Any: ...
    def __len__(self) -> int: ...
    def __lt__(self, value: object, /) -> Any: ...
    def __ne__(self, value: object, /) -> Any: ...

@final
class BatchOperation:
    """An operation on each row of a batch. Private: `gecc.arrow` adds names, defaults and documentation."""

    def __new__(
        cls,
        name: str,
        *,
        curve: str = "secp256k1",
        low_s: bool = False,
        rule: str = "",
        context: bytes | None = None,
        prehashed: bool = False,
        batch_verification: bool = False,
        additional: bytes | None = None,
        compressed: bool = False,
        der: bool = False,
    ) -> BatchOperation: ...
    def apply(
        self,
        engine: Engine | None,
        columns: str | None,
        hash: str | None,
        user_id: bytes | None,
        signature_form: str,
        decimal: bool,
        beside: bool,
        plain: bool,
        batches: list[pa.RecordBatch],
    ) -> list[pa.RecordBatch]: ...

@final
class Receiver:
    """A receiver of silent payments: a scan key, a spend public key, and the labels in use.

    Args:
        scan_key: 32 bytes, or a key in PEM, DER or JWK. The receiver's copy is wiped when it is dropped. The caller
            has to wipe its own copy.
        spend_key: 33, 64 or 65 bytes, or a key in PEM, DER or JWK.
        labels: the numbers m of the addresses that were given out; 0 is the label for the wallet's own change.
            Payments to the address without a label are always found.

    The keys are not shown, and a receiver cannot be pickled.
    """

    def __new__(cls, scan_key: Any, spend_key: Any, labels: Sequence[int] = ...) -> Receiver: ...
    @property
    def spend_keys(self) -> npt.NDArray[np.uint8]:
        """The spend public keys in addresses, rows of 64 bytes `x || y`: without a label, and with each label in the
        given order."""
    @property
    def scan_public_key(self) -> npt.NDArray[np.uint8]:
        """The public key of the scan key, as in addresses: 64 bytes `x || y`."""
    def __reduce__(self) -> NoReturn: ...

@final
class Engine:
    """An engine that computes batches on GPUs, or on threads of the CPU. Any number of threads may use it concurrently.

    It cannot be pickled, and does not work in a child of the process that created it.
    """

    def __new__(
        cls,
        *,
        backend: Literal["auto", "cpu", "gpu"] = "auto",
        threads: int | None = None,
        max_memory: int | None = None,
        chunk_items: int | None = None,
        check_signatures: bool = False,
        batch_verification: bool = False,
        portable: bool = False,
        l2_persistence: bool = False,
        time_kernels: bool = False,
    ) -> Engine: ...
    @staticmethod
    def default() -> Engine: ...
    @property
    def backend(self) -> Literal["cpu", "gpu"]: ...
    @property
    def threads(self) -> int: ...
    @property
    def devices(self) -> list[str]: ...
    @property
    def max_memory(self) -> int | None: ...
    @property
    def check_signatures(self) -> bool: ...
    @property
    def batch_verification(self) -> bool: ...
    def failures(self) -> list[str]: ...
    def self_test(self) -> list[str]: ...
    def warm_up(self, curve: str) -> None: ...
    def page_locked(self, shape: tuple[int, int]) -> npt.NDArray[np.uint8]: ...
    def take_kernel_times(self) -> list[tuple[str, float, int]]: ...
    def __reduce__(self) -> Any: ...

def run(
    engine: Engine | None,
    name: str,
    columns: dict[str, Any],
    *,
    curve: str = "secp256k1",
    low_s: bool = False,
    s_form: str = "curve_default",
    hash: str | None = None,
    rule: str = "",
    context: bytes | None = None,
    prehashed: bool = False,
    signature_form: str = "auto",
    accept_all_zero: bool = False,
    out: Any = None,
    reasons: bool = False,
) -> Any: ...
def run_masking(
    engine: Engine | None,
    name: str,
    group: str,
    columns: dict[str, Any],
    *,
    dst: bytes | None = None,
    form: str | int | None = None,
    out: Any = None,
    reasons: bool = False,
) -> tuple[Any, Any]: ...
def message_digests(engine: Engine | None, messages: Any, hash: str, out: Any, reasons: bool) -> tuple[Any, Any]: ...
def taproot(engine: Engine | None, internal_keys: Any, roots: Any, out: Any, reasons: bool) -> tuple[Any, Any]: ...
def scan_silent_payments(
    engine: Engine | None, receivers: list[Receiver], tweak_points: Any, outputs: Any, offsets: Any, reasons: bool
) -> tuple[tuple[Any, ...], Any]: ...
def index_silent_payments(
    engine: Engine | None, outpoints: Any, input_keys: Any, out: Any, reasons: bool
) -> tuple[Any, Any]: ...
def generate_keys(
    engine: Engine | None, curve: str, count: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]: ...
def run_on_points(
    engine: Engine | None, name: str, curve: str, columns: list[Any], *, out: Any = None, reasons: bool = False
) -> tuple[Any, Any]: ...
def total(engine: Engine | None, curve: str, columns: list[Any]) -> tuple[npt.NDArray[np.uint8], int, int]: ...
def signatures_from_der(signatures: Any, reasons: bool) -> tuple[Any, Any]: ...
def signatures_to_der(signatures: Any) -> list[bytes]: ...
def nvrtc_version() -> tuple[int, int]: ...
def reason_texts() -> list[tuple[int, str, str]]: ...
def place_of(value: Any, width: int) -> tuple[int, int, int | None]: ...
