"""Batch elliptic-curve cryptography: ECDSA, BIP 340, SM2, ECDH and masks on NVIDIA GPUs and CPUs.

Every call takes columns with a value for each item, uses all GPUs or, if there are none, all cores, and returns an
answer for each item, in order. An invalid item gets its own answer and does not affect others.

>>> import numpy as np, gecc
>>> secret_keys, public_keys = gecc.generate_keys("secp256k1", 3)
>>> digests = np.random.default_rng().integers(0, 256, (3, 32), dtype=np.uint8)
>>> signatures, ok = gecc.sign("secp256k1", digests, secret_keys)
>>> signatures[1, 40] ^= 1
>>> gecc.verify("secp256k1", digests, signatures, public_keys)
array([ True, False,  True])
>>> [gecc.Reason(code).text for code in gecc.verify("secp256k1", digests, signatures, public_keys, reasons=True)]
['valid', 'the signature does not match', 'valid']

**Curves** are `"secp256k1"`, `"p256"`, `"brainpoolp256r1"` and `"sm2"`, also by other names in standards, such as
`"secp256r1"` and `"prime256v1"`. On `"sm2"`, signatures are those of SM2, on the others those of ECDSA. Calls named
after BIP 340 and Taproot are on secp256k1 and take no curve; their public keys are the 32 bytes of x. Those named after
Ed25519 take no curve either: keys have 32 bytes and signatures 64 (RFC 8032), and keys may also be lines and files of
OpenSSH. Neither do those named after X25519, whose keys and secrets have 32 bytes (RFC 7748).

**Arguments** are columns of rows of bytes: digests, scalars and private keys have 32 bytes, big-endian; signatures 64
bytes `r || s`; public keys and other points 33 (compressed), 64 (`x || y`, zeros for the identity) or 65 bytes
(uncompressed). Signatures may also be DER or be followed by v, and have other forms with `signature_form`. Keys may
also be PEM, DER or JSON Web Keys, as strings, as `bytes`, and in lists: these state their curve, which must be that of
the call. A column is

- a numpy array of `uint8` and shape (n, width). It is read in place, with any stride between rows; it is copied if the
  bytes of a row are not contiguous;
- `bytes` or another buffer with all rows one after another, or a one-dimensional array;
- a list, or an array of objects, with `bytes` or hexadecimal text for each item. `None` and values of another length
  reject only their item; a column of strings none of which is hexadecimal is an error. Keys may be in several
  encodings;
- a pandas Series, or a frame of one column, of `bytes` or hexadecimal text. Values that pandas considers missing are
  null;
- an array with Arrow's C interface, such as those of pyarrow and polars, or a table of one column, such as a relation
  of DuckDB: FixedSizeBinary, Binary, LargeBinary or BinaryView, or hexadecimal text, or a dictionary of these. It is
  read in place if it is in one piece of FixedSizeBinary, or of Binary with values of one width. Null and malformed
  values reject only their item.

A single row (`bytes` of the row's width, hexadecimal text, or an array of shape (width,)) applies to all items. The
arguments must not be modified while a call runs. Messages as Python's or pandas' text are a `TypeError`: the program
has to encode them.

**Results** are numpy arrays; if an argument is a pandas column, Series with its index; otherwise, if one is an Arrow
array, Arrow arrays: of pyarrow or polars like that argument, else `ArrowArray`. Verdicts are booleans, or with
`reasons=True` codes (`Reason`) as `uint8`, 0 for items that passed. Calls that compute something return a tuple of the
results and the verdicts. The row of a rejected item is zeros, or null in Arrow arrays and Series. An answer for several
items is itself neither true nor false: `bool()` of it raises. Most calls with rows take a numpy array as `out`, to
which they write their rows. Reusing a large array saves the time for allocating memory.

Items are matched by position. All pandas arguments must have the same index; otherwise a `ValueError` is raised.

**Errors** are exceptions, and do not concern single items: `ValueError` for a wrong shape, length, curve or option,
`TypeError` for a wrong type, `GeccError` and its subclasses for everything else that makes the call impossible. `sum`
and `msm` have one result for all items: there an invalid item is an `ItemError` with its index and reason.

**Threads.** Calls release the GIL, and any number of threads may call at once. Ctrl-C ends a long call within a second
or so; while an engine starts or compiles kernels, it waits.

**Engines.** Calls use `Engine.default()`, created when first needed, unless they are given an `engine`. A process that
forks cannot pass its engines on: calls in the child raise `ForkedError`, unless it creates engines of its own or only
CPUs were used.

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
    hash_to_curve,
    mask,
    mask_points,
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
    unmask,
    verify,
    verify_messages,
    verify_recoverable,
    x25519,
    x25519_public_keys,
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
    "hash_to_curve",
    "mask",
    "mask_points",
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
    "unmask",
    "verify",
    "verify_messages",
    "verify_recoverable",
    "x25519",
    "x25519_public_keys",
]
