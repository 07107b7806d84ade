"""Arrow record batches: the command's operations on files, as functions from batch to batch.

For Spark, Ray, Polars, DuckDB and other sources of batches. Requires pyarrow (`gecc[arrow]`).

>>> import gecc, pyarrow as pa
>>> secret_keys, public_keys = gecc.generate_keys("p256", 2)
>>> signatures, _ = gecc.sign("p256", bytes(32), secret_keys)
>>> batch = pa.record_batch({
...     "row": [1, 2],
...     "digest": pa.array([bytes(32), None], pa.binary(32)),
...     "sig": [row.tobytes() for row in signatures],
...     "pubkey": [row.tobytes().hex() for row in public_keys],
... })
>>> Verify("p256")(batch).to_pydict()
{'valid': [True, False], 'reason': [None, '`digest` is null']}
>>> Verify("p256", beside=True)(batch).schema.names
['row', 'digest', 'sig', 'pubkey', 'valid', 'reason']

**Columns** are found by name or given in `columns`, and have the types that the command reads in files (docs/inputs.md
in the repository). So do answers: `valid`, or a result that is null if a row is rejected, and `reason`, null if it is
not. A null or malformed cell rejects only its row.

**Operations** are values without an engine: they can be compared and pickled, so that Spark and Ray can send them to
their workers. The engine is created by the first call in a process. It is `gecc.Engine.default()`, or, with `backend`
or `threads`, an engine with these options for the process. A worker that shares its machine with others sets its
`threads`, and its GPUs by `use_gpus`.

**Size.** A GPU needs about 2^18 rows at a time, more than most programs provide. `each` gathers batches until they have
`gather` rows, and returns a batch for each. Ctrl-C interrupts a call in the same way as those of `gecc`.

**Private keys.** Operations that sign, or derive public keys, read them from the column `secret_key`. They compute
batches one by one, because merging batches would copy keys, and omit that column from their results. Copies that Spark,
Ray or Arrow keep of it, in memory and on disk, are not wiped.
"""

import functools
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, overload

try:
    import pyarrow as pa
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError("gecc.arrow needs pyarrow: pip install 'gecc[arrow]'", name=missing.name) from missing

from gecc import _frames, _gecc
from gecc._gecc import BatchOperation, Engine
from gecc._types import ArrowArrayExportable, ArrowStreamExportable, Hash, Series, SignatureForm

__all__ = [
    "Operation",
    "PublicKeys",
    "PublicKeysEd25519",
    "PublicKeysX25519",
    "Recover",
    "RecoverAddresses",
    "Sign",
    "SignBip340",
    "SignEd25519",
    "Verify",
    "VerifyBip340",
    "VerifyEd25519",
    "use_gpus",
]

# The process in which an operation has started. After that, CUDA ignores changes of its environment
# variable.
_begun_in: int | None = None

# Held while an engine is created, one lock per process. A signal handler may create another engine
# meanwhile.
_locks: dict[int, threading.RLock] = {}


@dataclass(frozen=True)
class Operation:
    """The base class of all operations. Calling one with a batch returns the answers for its rows, in order.

    Args:
        curve: the curve's name.
        columns: which column holds which field, e.g. `digest=hash,r=r,s=s,public_key=pk`. By default they are found by
            name.
        beside: append the answers to the columns of the input. An answer whose name is taken is called `gecc_...`. A
            column of private keys is omitted.
        plain: return reasons as text and bytes as Binary, not as a dictionary and FixedSizeBinary, which Spark does
            not support.
        gather: the minimum number of rows that `each` computes at a time.
        backend: "auto", "cpu" or "gpu", as for `gecc.Engine`.
        threads: threads for work on the CPU, one per core by default.
    """

    curve: str
    _: KW_ONLY
    columns: str | None = None
    beside: bool = False
    plain: bool = False
    gather: int = 1 << 18
    backend: Literal["auto", "cpu", "gpu"] = "auto"
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.gather < 1:
            raise ValueError(f"gather: {self.gather} rows at a time, not at least one")

    @overload
    def __call__(self, batch: Series) -> Any: ...
    @overload
    def __call__(self, batch: ArrowArrayExportable) -> pa.RecordBatch: ...
    @overload
    def __call__(self, batch: ArrowStreamExportable) -> pa.Table: ...
    def __call__(self, batch: Any) -> Any:
        """Returns the answers: a batch for a batch, a pandas frame with the same index for a pandas frame, and a table
        for inputs that may consist of several batches (a table or relation, a polars frame).

        Raises:
            ValueError: if a column is missing or has another type, the curve is unknown, or options are incompatible.
            GeccError: if the engine cannot run.
        """
        if _frames.is_frame(batch):
            # pandas would put a whole table into each row of a column to which it is assigned.
            answers = self(_without_null_type(pa.Table.from_pandas(batch, preserve_index=False)))
            return answers.to_pandas().set_axis(batch.index)
        if hasattr(batch, "__arrow_c_array__"):
            return self._answers(_engine(self._options()), [_whole(batch)])[0]
        if isinstance(batch, pa.RecordBatchReader):
            batch = batch.read_all()
        table = _without_null_type(batch if isinstance(batch, pa.Table) else pa.table(batch))
        answers = list(self.each(table.to_batches()))
        return pa.Table.from_batches(answers, None if answers else self.schema(table.schema))

    def each(self, batches: Iterable[ArrowArrayExportable]) -> Iterator[pa.RecordBatch]:
        """Yields a batch of answers for each batch, in order, for Spark's `mapInArrow`. All batches have the same
        columns. They are read until there are `gather` rows, and computed together.
        """
        for group in _groups(batches, self.gather):
            yield from self._answers(_engine(self._options()), group)

    def schema(self, columns: pa.Schema) -> pa.Schema:
        """Returns the schema of the answers for batches of this schema. Raises the same errors as a call, without a
        batch or a GPU.
        """
        empty = pa.RecordBatch.from_pylist([], schema=columns)
        return self._answers(_engine_of((("backend", "cpu"), ("threads", 1))), [empty])[0].schema

    def _answers(self, engine: Engine, batches: list[Any]) -> list[pa.RecordBatch]:
        operation = self._operation()
        options = (self._hash(), self._user_id(), *self._signatures())
        answers = operation.apply(engine, self.columns, *options, self.beside, self.plain, batches)
        return [_with_plain_bytes(batch) for batch in answers] if self.plain else answers

    def _operation(self) -> BatchOperation:
        raise NotImplementedError

    def _hash(self) -> Hash | None:
        """The hash of messages, if one was chosen."""
        return None

    def _user_id(self) -> bytes | None:
        """The SM2 user id of all messages, if one was chosen."""
        return None

    def _signatures(self) -> tuple[SignatureForm, bool]:
        """The options for reading signatures, if there are any: their form, and whether r and s are decimal."""
        return "auto", False

    def _options(self) -> tuple[tuple[str, Any], ...]:
        """The engine's options other than the defaults, as pairs: the key of a cache. Empty for the default engine."""
        options = {"backend": self.backend, "threads": self.threads}
        default = {"backend": "auto", "threads": None}
        changed = ((name, value) for name, value in options.items() if value != default[name])
        # Fields that only some operations have.
        flags = (name for name in ("batch_verification", "check_signatures") if getattr(self, name, False))
        return (*changed, *((name, True) for name in flags))


@dataclass(frozen=True, kw_only=True)
class _OverHashes(Operation):
    """An ECDSA operation over a `digest`, or the hash of a `message`."""

    hash: Hash | None = None

    def _hash(self) -> Hash | None:
        return self.hash


@dataclass(frozen=True, kw_only=True)
class _OverSignatures(_OverHashes):
    """An operation that reads ECDSA signatures."""

    signature_form: SignatureForm = "auto"
    decimal: bool = False

    def _signatures(self) -> tuple[SignatureForm, bool]:
        return self.signature_form, self.decimal


@dataclass(frozen=True, kw_only=True)
class _OfCurve(_OverHashes):
    """An ECDSA operation, or SM2 on "sm2"."""

    user_id: str | bytes | None = None

    def _user_id(self) -> bytes | None:
        return self.user_id.encode() if isinstance(self.user_id, str) else self.user_id


@dataclass(frozen=True, kw_only=True)
class Verify(_OfCurve, _OverSignatures):
    """Verifies `signature`, `r` and `s`, `r` and `y_parity_and_s`, or `der` over `digest` or `message` with
    `public_key`: ECDSA (SEC 1, section 4.1.4), or SM2 on "sm2". Answers are `valid` and `reason`.

    Not constant-time: all data here is public.

    Args:
        hash: the hash of messages for ECDSA, as for `gecc.message_digests`; None is SHA-256. An error for SM2, which
            defines its own, and for digests, which are not hashed.
        user_id: the SM2 user id of all messages, if no column has ids; None is the standard's default id.
        signature_form: the layout of `signature`, as for `gecc.verify`.
        decimal: read `r` and `s` as decimal numbers if they are text.
        low_s: reject s above n/2, as BIP 62 and EIP-2 require. Not for SM2.
        batch_verification: verify rows that have a `recovery_id`, or a signature of 65 bytes, in groups if this is
            faster, as `gecc.verify_recoverable` does. Answers are the same, whatever the ids are. Not for SM2.
    """

    low_s: bool = False
    batch_verification: bool = False

    def _operation(self) -> BatchOperation:
        return BatchOperation("verify", curve=self.curve, low_s=self.low_s, batch_verification=self.batch_verification)


@dataclass(frozen=True, kw_only=True)
class VerifyBip340(Operation):
    """Verifies `signature`, a BIP 340 signature of 64 bytes, over `message`, of any length, or `digest`, a message of
    32 bytes, with `public_key`, of 32 bytes, or in another encoding, of which only x is used. On secp256k1. Answers are
    `valid` and `reason`.

    Not constant-time: all data here is public.

    Args:
        batch_verification: verify rows in groups if this is faster. Answers are the same.
    """

    curve: str = field(default="secp256k1", init=False)
    batch_verification: bool = False

    def _operation(self) -> BatchOperation:
        return BatchOperation("bip340_verify")


@dataclass(frozen=True, kw_only=True)
class _OfEd25519(Operation):
    """An operation over Ed25519, Ed25519ctx or Ed25519ph signatures."""

    curve: str = field(default="ed25519", init=False)
    context: bytes | None = None
    prehashed: bool = False


@dataclass(frozen=True, kw_only=True)
class VerifyEd25519(_OfEd25519):
    """Verifies `signature`, an Ed25519 signature of 64 bytes, over `message`, of any length, or `digest`, a message of
    32 bytes, with `public_key`, of 32 bytes, or in PEM, DER, JWK or OpenSSH format. Answers are `valid` and `reason`.

    Not constant-time: all data here is public.

    Args:
        rule: which signatures are valid, as for `gecc.ed25519_verify`. Required.
        context: the context of the signatures of all rows, at most 255 bytes: Ed25519ctx. By default Ed25519 without a
            context.
        prehashed: the SHA-512 of each message was signed: Ed25519ph, with or without a context.
        batch_verification: verify rows in groups if this is faster. Answers are the same. Only for rules with the
            cofactor: "zip215" and "rfc8032-cofactored".
    """

    rule: str
    batch_verification: bool = False

    def _operation(self) -> BatchOperation:
        batch_verification = self.batch_verification
        return BatchOperation(
            "ed25519_verify", rule=self.rule, context=self.context, prehashed=self.prehashed, batch_verification=batch_verification
        )


@dataclass(frozen=True, kw_only=True)
class Recover(_OverSignatures):
    """Recovers the public key from `digest` or `message`, a signature and `recovery_id`: ECDSA (SEC 1, section 4.1.6).
    Answers are `public_key`, 65 or 33 bytes, and `reason`.

    Not constant-time: all data here is public.

    Args:
        hash: the hash of messages for ECDSA, as for `gecc.message_digests`; None is SHA-256. An error for digests,
            which are not hashed.
        signature_form: the layout of `signature`, as for `gecc.verify`.
        decimal: read `r` and `s` as decimal numbers if they are text.
        compressed: return keys of 33 bytes.
    """

    compressed: bool = False

    def _operation(self) -> BatchOperation:
        return BatchOperation("recover", curve=self.curve, compressed=self.compressed)


@dataclass(frozen=True, kw_only=True)
class RecoverAddresses(_OverSignatures):
    """Recovers the signer on secp256k1 as an Ethereum address. Answers are `address`, 20 bytes, and `reason`.

    Not constant-time: all data here is public.

    Args:
        hash: the hash of messages for ECDSA, as for `gecc.message_digests`; None is SHA-256. An error for digests,
            which are not hashed.
        signature_form: the layout of `signature`, as for `gecc.verify`.
        decimal: read `r` and `s` as decimal numbers if they are text.
    """

    curve: str = field(default="secp256k1", init=False)

    def _operation(self) -> BatchOperation:
        return BatchOperation("recover_addresses")


@dataclass(frozen=True, kw_only=True)
class Sign(_OfCurve):
    """Signs `digest` or `message` with `secret_key`, with nonces of RFC 6979: ECDSA, or SM2 on "sm2". Answers are
    `signature`, 64 bytes `r || s`, and `reason`.

    Constant-time in private keys and nonces; reading keys from hexadecimal text is not. See `gecc.sign` for keys that
    sign on two curves.

    Args:
        hash: the hash of messages for ECDSA, as for `gecc.message_digests`; None is SHA-256. An error for SM2, which
            defines its own, and for digests, which are not hashed.
        user_id: the SM2 user id of all messages, if no column has ids; None is the standard's default id.
        additional_data: 32 bytes of additional data for the nonces of all rows (RFC 6979, section 3.6); by default
            none.
        recoverable: also return a column `recovery_id`. Not for SM2.
        der: return signatures in DER, in the column `der`.
        check_signatures: verify every signature before it is returned, because a faulty one can reveal its key.
    """

    additional_data: bytes | None = field(default=None, repr=False)
    recoverable: bool = False
    der: bool = False
    check_signatures: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_32_bytes("additional_data", self.additional_data)

    def _operation(self) -> BatchOperation:
        name = "sign_recoverable" if self.recoverable else "sign"
        return BatchOperation(name, curve=self.curve, additional=self.additional_data, der=self.der)


@dataclass(frozen=True, kw_only=True)
class SignBip340(Operation):
    """Signs `message`, of any length, or `digest`, a message of 32 bytes, with `secret_key`: BIP 340, on secp256k1.
    Answers are `signature`, 64 bytes, and `reason`.

    Constant-time in private keys, auxiliary data and nonces; reading keys from hexadecimal text is not.

    Args:
        auxiliary: 32 bytes of auxiliary random data for all rows; by default fresh data from the operating system
            for each row.
        check_signatures: as for `Sign`.
    """

    curve: str = field(default="secp256k1", init=False)
    auxiliary: bytes | None = field(default=None, repr=False)
    check_signatures: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_32_bytes("auxiliary", self.auxiliary)

    def _operation(self) -> BatchOperation:
        return BatchOperation("bip340_sign", additional=self.auxiliary)


@dataclass(frozen=True, kw_only=True)
class SignEd25519(_OfEd25519):
    """Signs `message`, of any length, or `digest`, a message of 32 bytes, with Ed25519 and `secret_key`, a seed of 32
    bytes. Answers are `signature`, 64 bytes, and `reason`.

    Constant-time in seeds and nonces; reading seeds from hexadecimal text is not.

    Args:
        context: as for `VerifyEd25519`.
        prehashed: as for `VerifyEd25519`. Pass the messages themselves; they are hashed here.
        check_signatures: as for `Sign`.
    """

    check_signatures: bool = False

    def _operation(self) -> BatchOperation:
        return BatchOperation("ed25519_sign", context=self.context, prehashed=self.prehashed)


@dataclass(frozen=True, kw_only=True)
class PublicKeys(Operation):
    """Derives the public key of each `secret_key`. Answers are `public_key`, 65 or 33 bytes, and `reason`.

    Constant-time in private keys; reading them from hexadecimal text is not.

    Args:
        compressed: return keys of 33 bytes.
    """

    compressed: bool = False

    def _operation(self) -> BatchOperation:
        return BatchOperation("public_keys", curve=self.curve, compressed=self.compressed)


@dataclass(frozen=True, kw_only=True)
class PublicKeysEd25519(Operation):
    """Derives the Ed25519 public key of each `secret_key`, a seed of 32 bytes. Answers are `public_key`, 32 bytes, and
    `reason`.

    Constant-time in seeds; reading them from hexadecimal text is not.
    """

    curve: str = field(default="ed25519", init=False)

    def _operation(self) -> BatchOperation:
        return BatchOperation("ed25519_public_keys")


@dataclass(frozen=True, kw_only=True)
class PublicKeysX25519(Operation):
    """Derives the X25519 public key of each `secret_key`, 32 bytes (RFC 7748). Answers are `public_key`, 32 bytes, and
    `reason`.

    Constant-time in private keys; reading them from hexadecimal text is not.
    """

    curve: str = field(default="x25519", init=False)

    def _operation(self) -> BatchOperation:
        return BatchOperation("x25519_public_keys")


def _require_32_bytes(name: str, value: bytes | None) -> None:
    if value is not None and len(value) != 32:
        raise ValueError(f"{name}: {len(value)} bytes, not 32")


def use_gpus(gpus: Iterable[int | str]) -> None:
    """Makes this process use only these GPUs, given by number or UUID. If the list is empty, it uses the CPU.

    A worker calls this before its first operation. It sets `CUDA_VISIBLE_DEVICES`. Ray does that itself.

    Raises:
        GeccError: if an operation of this module has already started in this process with other GPUs.
    """
    wanted = ",".join(str(gpu) for gpu in gpus)
    if _begun_in == os.getpid() and os.environ.get("CUDA_VISIBLE_DEVICES") != wanted:
        problem = f"this process has begun with other GPUs than {wanted!r}: they are chosen before the first operation"
        raise _gecc.GeccError(problem)
    os.environ["CUDA_VISIBLE_DEVICES"] = wanted


def _engine(options: tuple[tuple[str, Any], ...]) -> Engine:
    global _begun_in
    _begun_in = os.getpid()
    return _engine_of(options) if options else Engine.default()


def _engine_of(options: tuple[tuple[str, Any], ...]) -> Engine:
    """Returns an engine with options, one per process: an engine inherited through a fork would not work."""
    process = os.getpid()
    # Concurrent threads wait for the first one. A fork may leave a lock of its parent locked.
    with _locks.setdefault(process, threading.RLock()):
        return _made(process, options)


@functools.cache
def _made(process: int, options: tuple[tuple[str, Any], ...]) -> Engine:
    return Engine(**dict(options))


def _groups(batches: Iterable[Any], rows: int) -> Iterator[list[Any]]:
    """Groups batches until they have at least `rows` rows; the last group may have fewer."""
    group: list[Any] = []
    gathered = 0
    for batch in batches:
        group.append(_whole(batch))
        gathered += group[-1].num_rows
        if gathered >= rows:
            yield group
            group, gathered = [], 0
    if group:
        yield group


def _whole(batch: ArrowArrayExportable) -> pa.RecordBatch:
    """Checks that a batch's buffers are as long as it requires. pyarrow does this on request, not when it reads a file.

    Arrow's C interface does not pass on the lengths of buffers: batches that came through it cannot be checked later.
    """
    whole = batch if isinstance(batch, pa.RecordBatch) else pa.record_batch(batch)
    whole.validate()
    return whole


def _without_null_type(table: pa.Table) -> pa.Table:
    """Converts columns of unknown type, which have no cells or only None, to binary."""
    if not any(pa.types.is_null(field.type) for field in table.schema):
        return table
    known = [field.with_type(pa.binary()) if pa.types.is_null(field.type) else field for field in table.schema]
    return table.cast(pa.schema(known, table.schema.metadata))


def _with_plain_bytes(batch: pa.RecordBatch) -> pa.RecordBatch:
    plain = [
        field.with_type(pa.binary()) if pa.types.is_fixed_size_binary(field.type) else field for field in batch.schema
    ]
    return batch.cast(pa.schema(plain, batch.schema.metadata))
