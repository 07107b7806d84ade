"""Record batches of Arrow: what the command does with a file, as functions from batch to batch.

For Spark, Ray, Polars, DuckDB and whatever else hands out batches. It needs pyarrow (`gecc[arrow]`).

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

**Columns** are found by name or given as `columns`, and have the types that the command reads in files (docs/inputs.md
in the repository). So do answers: `valid`, or a result that is null where a row is rejected, and `reason`, null where it
is not. A null or malformed cell rejects its row alone.

**Operations** are values without an engine: they compare, and can be pickled, so that Spark and Ray bring them to their
workers. The engine is made by the first call in a process. It is `gecc.Engine.default()`, or with `backend` or
`threads` one of that choice for the process. A worker that shares its machine with others says its `threads`, and by
`use_gpus` its GPUs.

**Size.** A GPU needs some 2^18 rows at a time, more than most programs hand out. `each` gathers batches until they have
`gather` rows, and gives back a batch for each. Ctrl-C ends a call as it does those of `gecc`.

**Private keys.** Operations that sign, or make public keys, read them from the column `secret_key`. They compute
batches one by one, as to put batches together would copy keys, and leave that column out of what they give. Nobody
wipes what Spark, Ray or Arrow keep of it, in memory and on disk.
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
    """What all operations have in common. Called with a batch, one gives the answers for its rows, in order.

    Args:
        curve: the curve's name.
        columns: which column holds which field, as `digest=hash,r=r,s=s,public_key=pk`. By default they are found by
            name.
        beside: whether the answers stand behind the columns of the input. An answer whose name is taken is called
            `gecc_...`. A column of private keys is left out.
        plain: whether reasons are text and bytes Binary, rather than a dictionary and FixedSizeBinary, which Spark does
            not know.
        gather: rows that `each` computes at a time, at least.
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
        """The answers for a batch as a batch, for a frame of pandas as one with its index, and for what else may be in
        several batches (a table or relation, a frame of polars) as a table.

        Raises:
            ValueError: for a column that is missing or has another type, an unknown curve, or options that do not go
                together.
            GeccError: when the engine cannot run.
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
        """A batch of answers for each batch, in order, as Spark's `mapInArrow` takes it. All batches have the same
        columns. They are read until there are `gather` rows, and computed together.
        """
        for group in _groups(batches, self.gather):
            yield from self._answers(_engine(self._options()), group)

    def schema(self, columns: pa.Schema) -> pa.Schema:
        """The schema of the answers to batches of this schema. It uses no GPU, and raises what a call would, before
        there is a batch.
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
        """The hash of messages, where one was chosen."""
        return None

    def _user_id(self) -> bytes | None:
        """The user id of SM2 of all messages, where one was chosen."""
        return None

    def _signatures(self) -> tuple[SignatureForm, bool]:
        """How signatures are read, where that can be chosen: their form, and whether r and s are decimal."""
        return "auto", False

    def _options(self) -> tuple[tuple[str, Any], ...]:
        """The engine's, as pairs: the key of a cache. None where the default engine serves."""
        options = {"backend": self.backend, "threads": self.threads}
        default = {"backend": "auto", "threads": None}
        changed = ((name, value) for name, value in options.items() if value != default[name])
        # Fields that only some operations have.
        flags = (name for name in ("batch_equations", "check_signatures") if getattr(self, name, False))
        return (*changed, *((name, True) for name in flags))


@dataclass(frozen=True, kw_only=True)
class _OverHashes(Operation):
    """An operation of ECDSA over a `digest`, or the hash of a `message`."""

    hash: Hash | None = None

    def _hash(self) -> Hash | None:
        return self.hash


@dataclass(frozen=True, kw_only=True)
class _OverSignatures(_OverHashes):
    """An operation that reads signatures of ECDSA."""

    signature_form: SignatureForm = "auto"
    decimal: bool = False

    def _signatures(self) -> tuple[SignatureForm, bool]:
        return self.signature_form, self.decimal


@dataclass(frozen=True, kw_only=True)
class _OfCurve(_OverHashes):
    """An operation of ECDSA, or on "sm2" of SM2."""

    user_id: str | bytes | None = None

    def _user_id(self) -> bytes | None:
        return self.user_id.encode() if isinstance(self.user_id, str) else self.user_id


@dataclass(frozen=True, kw_only=True)
class Verify(_OfCurve, _OverSignatures):
    """Verifies `signature`, `r` and `s`, `r` and `y_parity_and_s`, or `der` over `digest` or `message` with
    `public_key`: ECDSA (SEC 1, section 4.1.4), or on "sm2" SM2. Answers are `valid` and `reason`.

    Not constant-time: everything here is public.

    Args:
        hash: the hash of messages that ECDSA signs, as for `gecc.message_digests`; None is SHA-256. SM2 has its own,
            and digests are not hashed: there it is an error.
        user_id: the user id of SM2 for all messages, where no column has ids; None is the standard's default id.
        signature_form: how the bytes of `signature` are arranged, as for `gecc.verify`.
        decimal: whether `r` and `s` that are text are decimal numbers.
        low_s: reject s above n/2, as BIP 62 and EIP-2 ask. Not for SM2.
        batch_equations: whether rows that have a `recovery_id`, or a signature of 65 bytes, are verified in groups
            where this is faster, as by `gecc.verify_recoverable`. Answers are the same, whatever the ids are. SM2 has
            none.
    """

    low_s: bool = False
    batch_equations: bool = False

    def _operation(self) -> BatchOperation:
        return BatchOperation("verify", curve=self.curve, low_s=self.low_s, together=self.batch_equations)


@dataclass(frozen=True, kw_only=True)
class VerifyBip340(Operation):
    """Verifies `signature`, of 64 bytes, of BIP 340 over `message`, of any length, or `digest`, a message of 32
    bytes, with `public_key`, of 32 bytes or in another encoding, whose x counts. On secp256k1. Answers are `valid` and
    `reason`.

    Not constant-time: everything here is public.

    Args:
        batch_equations: whether rows are verified in groups where this is faster. Answers are the same.
    """

    curve: str = field(default="secp256k1", init=False)
    batch_equations: bool = False

    def _operation(self) -> BatchOperation:
        return BatchOperation("bip340_verify")


@dataclass(frozen=True, kw_only=True)
class _OfEd25519(Operation):
    """An operation over signatures of Ed25519, Ed25519ctx or Ed25519ph."""

    curve: str = field(default="ed25519", init=False)
    context: bytes | None = None
    prehashed: bool = False


@dataclass(frozen=True, kw_only=True)
class VerifyEd25519(_OfEd25519):
    """Verifies `signature`, of 64 bytes, of Ed25519 over `message`, of any length, or `digest`, a message of 32 bytes,
    with `public_key`, of 32 bytes, or in PEM, DER, JWK or OpenSSH's form. Answers are `valid` and `reason`.

    Not constant-time: everything here is public.

    Args:
        rule: which signatures are valid, as for `gecc.ed25519_verify`. It has to be given.
        context: at most 255 bytes, of which the signatures of all rows are too: Ed25519ctx. By default they are of
            Ed25519 itself.
        prehashed: whether SHA-512 of each message was signed: Ed25519ph, with a context or without.
        batch_equations: whether rows are verified in groups where this is faster. Answers are the same. For rules with
            the cofactor alone: "zip215" and "rfc8032-cofactored".
    """

    rule: str
    batch_equations: bool = False

    def _operation(self) -> BatchOperation:
        together = self.batch_equations
        return BatchOperation(
            "ed25519_verify", rule=self.rule, context=self.context, prehashed=self.prehashed, together=together
        )


@dataclass(frozen=True, kw_only=True)
class Recover(_OverSignatures):
    """Finds who signed, of `digest` or `message`, a signature and `recovery_id`: ECDSA (SEC 1, section 4.1.6). Answers
    are `public_key`, 65 bytes or 33, and `reason`.

    Not constant-time: everything here is public.

    Args:
        hash: the hash of messages that ECDSA signs, as for `gecc.message_digests`; None is SHA-256. Digests are not
            hashed: there it is an error.
        signature_form: how the bytes of `signature` are arranged, as for `gecc.verify`.
        decimal: whether `r` and `s` that are text are decimal numbers.
        compressed: whether keys have 33 bytes.
    """

    compressed: bool = False

    def _operation(self) -> BatchOperation:
        return BatchOperation("recover", curve=self.curve, compressed=self.compressed)


@dataclass(frozen=True, kw_only=True)
class RecoverAddresses(_OverSignatures):
    """Finds who signed on secp256k1, as an Ethereum address. Answers are `address`, 20 bytes, and `reason`.

    Not constant-time: everything here is public.

    Args:
        hash: the hash of messages that ECDSA signs, as for `gecc.message_digests`; None is SHA-256. Digests are not
            hashed: there it is an error.
        signature_form: how the bytes of `signature` are arranged, as for `gecc.verify`.
        decimal: whether `r` and `s` that are text are decimal numbers.
    """

    curve: str = field(default="secp256k1", init=False)

    def _operation(self) -> BatchOperation:
        return BatchOperation("recover_addresses")


@dataclass(frozen=True, kw_only=True)
class Sign(_OfCurve):
    """Signs `digest` or `message` with `secret_key`, by nonces of RFC 6979: ECDSA, or on "sm2" SM2. Answers are
    `signature`, 64 bytes `r || s`, and `reason`.

    Constant-time in private keys and nonces; reading keys from hexadecimal text is not. Of keys that sign on two curves
    see `gecc.sign`.

    Args:
        hash: the hash of messages that ECDSA signs, as for `gecc.message_digests`; None is SHA-256. SM2 has its own,
            and digests are not hashed: there it is an error.
        user_id: the user id of SM2 for all messages, where no column has ids; None is the standard's default id.
        additional_data: 32 bytes of additional data for the nonces of all rows (RFC 6979, section 3.6); by default
            none.
        recoverable: whether there is a column `recovery_id`. Not for SM2.
        der: whether signatures are in DER, as `der`.
        check_signatures: whether every signature is verified before it is given, as one that was computed wrongly can
            give its key away.
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
    """Signs `message`, of any length, or `digest`, a message of 32 bytes, with `secret_key` by BIP 340, on secp256k1.
    Answers are `signature`, 64 bytes, and `reason`.

    Constant-time in private keys, auxiliary data and nonces; reading keys from hexadecimal text is not.

    Args:
        auxiliary: 32 bytes of auxiliary random data for all rows; by default fresh ones of the operating system for
            each row.
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
    """Signs `message`, of any length, or `digest`, a message of 32 bytes, by Ed25519 with `secret_key`, a seed of 32
    bytes. Answers are `signature`, 64 bytes, and `reason`.

    Constant-time in seeds and nonces; reading seeds from hexadecimal text is not.

    Args:
        context: as for `VerifyEd25519`.
        prehashed: as for `VerifyEd25519`. Messages are given whole, and hashed here.
        check_signatures: as for `Sign`.
    """

    check_signatures: bool = False

    def _operation(self) -> BatchOperation:
        return BatchOperation("ed25519_sign", context=self.context, prehashed=self.prehashed)


@dataclass(frozen=True, kw_only=True)
class PublicKeys(Operation):
    """The public key of each `secret_key`. Answers are `public_key`, 65 bytes or 33, and `reason`.

    Constant-time in private keys; reading them from hexadecimal text is not.

    Args:
        compressed: whether keys have 33 bytes.
    """

    compressed: bool = False

    def _operation(self) -> BatchOperation:
        return BatchOperation("public_keys", curve=self.curve, compressed=self.compressed)


@dataclass(frozen=True, kw_only=True)
class PublicKeysEd25519(Operation):
    """The Ed25519 public key of each `secret_key`, a seed of 32 bytes. Answers are `public_key`, 32 bytes, and
    `reason`.

    Constant-time in seeds; reading them from hexadecimal text is not.
    """

    curve: str = field(default="ed25519", init=False)

    def _operation(self) -> BatchOperation:
        return BatchOperation("ed25519_public_keys")


def _require_32_bytes(name: str, value: bytes | None) -> None:
    if value is not None and len(value) != 32:
        raise ValueError(f"{name}: {len(value)} bytes, not 32")


def use_gpus(gpus: Iterable[int | str]) -> None:
    """Has this process use these GPUs alone, given by number or UUID. Without any it uses the CPU.

    A worker says so before its first operation. It sets `CUDA_VISIBLE_DEVICES`. Ray does that itself.

    Raises:
        GeccError: when an operation of this module has begun in this process with other GPUs.
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
    """An engine with options, one for each process: one that was inherited through a fork would not work."""
    process = os.getpid()
    # Concurrent threads wait for the first one. A fork may leave a lock of its parent locked.
    with _locks.setdefault(process, threading.RLock()):
        return _made(process, options)


@functools.cache
def _made(process: int, options: tuple[tuple[str, Any], ...]) -> Engine:
    return Engine(**dict(options))


def _groups(batches: Iterable[Any], rows: int) -> Iterator[list[Any]]:
    """Batches together that have this many rows, the last ones maybe fewer."""
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
    """A batch whose buffers are as long as it says. pyarrow compares them when it is asked, not when it reads a file.

    Arrow's C interface does not pass lengths of buffers on: what has come through it cannot be compared any more.
    """
    whole = batch if isinstance(batch, pa.RecordBatch) else pa.record_batch(batch)
    whole.validate()
    return whole


def _without_null_type(table: pa.Table) -> pa.Table:
    """With columns of binary for those of which nothing knows a type, as every cell is None or there is none."""
    if not any(pa.types.is_null(field.type) for field in table.schema):
        return table
    known = [field.with_type(pa.binary()) if pa.types.is_null(field.type) else field for field in table.schema]
    return table.cast(pa.schema(known, table.schema.metadata))


def _with_plain_bytes(batch: pa.RecordBatch) -> pa.RecordBatch:
    plain = [
        field.with_type(pa.binary()) if pa.types.is_fixed_size_binary(field.type) else field for field in batch.schema
    ]
    return batch.cast(pa.schema(plain, batch.schema.metadata))
