"""Batch elliptic-curve cryptography: ECDSA, BIP 340, SM2 and ECDH on NVIDIA GPUs and CPUs.

Every call takes columns with a value for each item, works on all GPUs or, where there is none, on all cores, and
answers for each item, in order. A bad item gets its own answer and disturbs no other.

>>> import numpy as np, gecc
>>> secret_keys, public_keys = gecc.generate_keys("secp256k1", 3)
>>> digests = np.random.default_rng().integers(0, 256, (3, 32), dtype=np.uint8)
>>> signatures, ok = gecc.sign("secp256k1", digests, secret_keys)
>>> signatures[1, 40] ^= 1
>>> gecc.verify("secp256k1", digests, signatures, public_keys)
array([ True, False,  True])
>>> [gecc.Reason(code).text for code in gecc.verify("secp256k1", digests, signatures, public_keys, reasons=True)]
['valid', 'the signature does not match', 'valid']

**Curves** are `"secp256k1"`, `"p256"`, `"brainpoolp256r1"` and `"sm2"`, also by the other names that standards have,
as `"secp256r1"` and `"prime256v1"`. On `"sm2"` signatures are those of SM2, on the
others of ECDSA. Calls named after BIP 340 and Taproot are on secp256k1 and take no curve; their public keys have 32
bytes, which are x. Those named after Ed25519 take none either: keys have 32 bytes and signatures 64 (RFC 8032), and
keys may also be lines and files of OpenSSH.

**Arguments** are columns of rows of bytes: digests, scalars and private keys have 32 bytes, big-endian; signatures 64
bytes `r || s`; public keys and other points 33 (compressed), 64 (`x || y`, zeros for the identity) or 65 bytes
(uncompressed). Signatures may also be DER or have v behind them, and have other forms by `signature_form`; keys PEM,
DER or JSON Web Keys, as texts, as `bytes`, and in lists: these name their curve, which has to be that of the call. A
column is

- an array of numpy of `uint8` and shape (n, width). It is read where it lies, with any distance between rows; it is
  copied where the bytes of a row do not lie one after the other;
- `bytes` or another buffer with all rows one after the other, or an array of one dimension;
- a list, or an array of objects, with `bytes` or hexadecimal text for each item. `None` and what has another length
  reject their item alone; a column of texts of which none is hexadecimal is an error. Keys may be in several encodings;
- a Series of pandas, or a frame of one column, of `bytes` or hexadecimal text. What pandas takes for missing is null;
- an array with Arrow's C interface, such as those of pyarrow and polars, or a table of one column, such as a relation
  of DuckDB: FixedSizeBinary, Binary, LargeBinary or BinaryView, or hexadecimal text, or a dictionary of these. It is
  read where it lies when it is in one piece of FixedSizeBinary, or of Binary with values of one width. Null and
  malformed values reject their item alone.

A single row (`bytes` of the row's width, hexadecimal text, or an array of shape (width,)) serves all items. While a
call runs nobody may write to its arguments. Messages in Python's or pandas' text are a `TypeError`: a program says how
it encodes them.

**Results** are arrays of numpy; where an argument is of pandas, Series with its index; else, where one is of Arrow,
Arrow arrays: of pyarrow or polars as that argument is, else `ArrowArray`. Verdicts are truth values, or with
`reasons=True` codes (`Reason`) as `uint8`, 0 for what passed. Calls that compute something give a tuple of that and of
the verdicts. Where an item is rejected its row is zeros, in Arrow arrays and Series null. What answers for several
items is itself neither true nor false: `bool()` of it raises. Most calls with rows take an array of numpy as `out`,
which they write their rows to. Large results that are made once and used again save the time to take memory for them.

Items are taken in their order. All arguments of pandas have one index, else they are a `ValueError`.

**Errors** are exceptions, and say nothing of items: `ValueError` for a wrong shape, length, curve or option,
`TypeError` for a wrong type, `GeccError` and its kinds for what else makes the call impossible. `sum` and `msm` have
one result of all items: there a bad item is an `ItemError` with its number and reason.

**Threads.** Calls release the GIL, and any number of threads may call at once. Ctrl-C ends a long call within a second
or so; while an engine starts or compiles kernels it waits.

**Engines.** Calls use `Engine.default()`, made when it is first needed, unless they are given an `engine`. A process
that forks cannot pass its engines on: calls in the child raise `ForkedError`, unless it makes engines of its own or
only CPUs were used.

**Record batches** and tables, with columns found by name, are for `gecc.arrow`, which needs pyarrow. **Silent
payments** of BIP 352 are for `gecc.silent_payments`.
"""

import os

from gecc import _environment
from gecc._api import (
    add,
    bip340_sign,
    bip340_sign_messages,
    bip340_verify,
    bip340_verify_messages,
    decompress,
    double,
    ecdh,
    ecdh_points,
    ed25519_public_keys,
    ed25519_sign,
    ed25519_verify,
    generate_keys,
    message_digests,
    msm,
    mul,
    mul_base,
    public_keys,
    recover,
    recover_addresses,
    sign,
    sign_messages,
    sign_recoverable,
    signatures_from_der,
    signatures_to_der,
    sum,
    taproot,
    verify,
    verify_messages,
    verify_recoverable,
)
from gecc._gecc import (
    VERSION as __version__,
    ArrowArray,
    DeviceError,
    Engine,
    ForkedError,
    GeccError,
    KernelsError,
    NoDeviceError,
)
from gecc._reason import ItemError, Reason

# Must run before the first engine looks for them.
_environment.prepare(os.environ)

__all__ = [
    "ArrowArray",
    "DeviceError",
    "Engine",
    "ForkedError",
    "GeccError",
    "ItemError",
    "KernelsError",
    "NoDeviceError",
    "Reason",
    "__version__",
    "add",
    "bip340_sign",
    "bip340_sign_messages",
    "bip340_verify",
    "bip340_verify_messages",
    "decompress",
    "double",
    "ecdh",
    "ecdh_points",
    "ed25519_public_keys",
    "ed25519_sign",
    "ed25519_verify",
    "generate_keys",
    "message_digests",
    "msm",
    "mul",
    "mul_base",
    "public_keys",
    "recover",
    "recover_addresses",
    "sign",
    "sign_messages",
    "sign_recoverable",
    "signatures_from_der",
    "signatures_to_der",
    "sum",
    "taproot",
    "verify",
    "verify_messages",
    "verify_recoverable",
]
