"""The calls. The package's documentation describes arguments and results; their types are in `_api.pyi`."""

from gecc import _gecc
from gecc._reason import ItemError, Reason


def verify(
    curve,
    digests,
    signatures,
    public_keys,
    *,
    low_s=False,
    signature_form="auto",
    reasons=False,
    engine=None,
):
    """Verifies one signature per item over its digest: ECDSA (SEC 1, section 4.1.4), or SM2 over e = SM3(Z_A || M).

    Not constant-time: all data here is public.

    Args:
        curve: the curve's name.
        digests: n rows of 32 bytes.
        signatures: n rows of 64 bytes `r || s`, or of 65 bytes `r || s || v`, or DER; others by `signature_form`.
            v must be 0 to 3 or 27 to 30; unlike `recover`, this does not check that it belongs to the signature.
        public_keys: n rows of 33, 64 or 65 bytes; or PEM, DER, or JSON Web Keys.
        low_s: reject s above n/2, as BIP 62 and EIP-2 require. libsecp256k1 and coincurve always do; in SEC 1,
            (r, n - s) is equally valid, and OpenSSL and `cryptography` accept it. Not for SM2.
        signature_form: the layout of signatures: "rs" (64 bytes), "rsv" (65 bytes, v 0 to 3 or 27 to
            30), "header-first" (65 bytes, Bitcoin's signed messages), "eip2098" (64 bytes, the recovery id in the top
            bit of s), "der", "der-hash-type" (DER, with or without a trailing byte of Bitcoin's signature hash type,
            on secp256k1), or "auto", which distinguishes "rs", "rsv" and "der" and rejects signatures that match two
            of them.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n booleans, or n codes. The code is that of the first check that fails: R_OUT_OF_RANGE, S_OUT_OF_RANGE, HIGH_S,
        ZERO_T (SM2), MALFORMED_POINT, NOT_ON_CURVE, IDENTITY_KEY, IDENTITY_RESULT, MISMATCH.

    >>> secret_key, public_key = generate_keys("p256", 1)
    >>> signatures, ok = sign("p256", bytes(64), secret_key[0])
    >>> verify("p256", bytes(64), signatures, public_key[0])
    array([ True,  True])
    >>> verify("p256", [bytes(32), b"short"], signatures, public_key[0], reasons=True)
    array([ 0, 96], dtype=uint8)
    """
    columns = {"digests": digests, "signatures": signatures, "public_keys": public_keys}
    return _gecc.run(
        engine, "verify", columns, curve=curve, low_s=low_s, signature_form=signature_form, reasons=reasons
    )


def message_digests(messages, *, hash="sha256", out=None, reasons=False, engine=None):
    """Computes the digest that ECDSA signs for each message, for calls that take digests, such as `recover`.

    Not constant-time: all data here is public. SHA-256, double SHA-256 and Keccak-256 of many messages are computed on
    GPUs, if there are any.

    Args:
        messages: n byte strings, as for `verify_messages`.
        hash: "sha256", "sha256d" (double SHA-256), "sha384" and "sha512" (their leftmost 256 bits, FIPS 186-5, section
            6.4), "keccak256" (not SHA3-256), "eip191" (Keccak-256 of the data that Ethereum's `personal_sign` signs),
            "bitcoin-message" (double SHA-256 of the data that Bitcoin's `signmessage` signs), or "none", if messages
            are digests of 32 bytes.
        out: as for `sign`.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 32 bytes, and n verdicts, false for values that are not messages.

    >>> digests, ok = message_digests([b"one", b"two"], hash="eip191")
    >>> signatures, recovery_ids, ok = sign_recoverable("secp256k1", digests, bytes(31) + b"\\x01")
    >>> addresses, ok = recover_addresses("secp256k1", digests, signatures, recovery_ids)
    >>> addresses[0].tobytes().hex(), ok
    ('7e5f4552091a69125d5dfcb7b8c2659029395bdf', array([ True,  True]))
    """
    return _gecc.message_digests(engine, messages, hash, out, reasons)


def verify_messages(
    curve,
    messages,
    signatures,
    public_keys,
    *,
    hash=None,
    user_ids=None,
    low_s=False,
    signature_form="auto",
    reasons=False,
    engine=None,
):
    """Verifies one signature per item over its message: ECDSA over its hash, SM2 over SM3(Z_A || M).

    Not constant-time: all data here is public.

    Args:
        curve: the curve's name.
        messages: n byte strings: a list, an Arrow array, or an array of shape (n, length). `bytes` are one message for
            all items. Text is not accepted, except hexadecimal text of Arrow.
        signatures: n rows of 64 or 65 bytes, as for `verify`.
        public_keys: n rows of 33, 64 or 65 bytes.
        hash: for ECDSA, as for `message_digests`; None is SHA-256. Other schemes define their own hash.
        user_ids: for SM2, n user ids of at most 8191 bytes, or one for all items. None, also in a list, is the id that
            GM/T 0009 specifies, `1234567812345678`.
        low_s: reject s above n/2. Not for SM2.
        signature_form: as for `verify`.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n booleans, or n codes as for `verify`, and USER_ID_TOO_LONG.

    >>> secret_keys, public_keys = generate_keys("sm2", 2)
    >>> signatures, ok = sign_messages("sm2", [b"one", b"two"], secret_keys, user_ids="alice")
    >>> verify_messages("sm2", [b"one", b"two"], signatures, public_keys, user_ids="alice")
    array([ True,  True])
    """
    columns = {"messages": messages, "signatures": signatures, "public_keys": public_keys, "user_ids": user_ids}
    return _gecc.run(
        engine, "verify", columns, curve=curve, hash=hash, low_s=low_s, signature_form=signature_form, reasons=reasons
    )


def verify_recoverable(
    curve,
    digests,
    signatures,
    recovery_ids,
    public_keys,
    *,
    low_s=False,
    signature_form="auto",
    reasons=False,
    engine=None,
):
    """Verifies ECDSA signatures that come with recovery ids; faster if the engine has `batch_verification`.

    Otherwise recovery ids are ignored. Verdicts are those of `verify`, whatever the ids are: a wrong or unreadable id
    only costs time. Not constant-time: all data here is public.

    Args:
        curve: the curve's name.
        digests: n rows of 32 bytes.
        signatures: n rows of 64 bytes `r || s`, or of 65 bytes `r || s || v`.
        recovery_ids: n integers as for `recover`, or None if signatures have 65 bytes.
        public_keys: n rows of 33, 64 or 65 bytes.
        low_s: reject s above n/2, as BIP 62 and EIP-2 require.
        signature_form: as for `verify`.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n booleans, or n codes as for `verify`.

    >>> from gecc import Engine
    >>> engine = Engine(batch_verification=True)
    >>> secret_key, public_key = generate_keys("p256", 1)
    >>> signatures, recovery_ids, ok = sign_recoverable("p256", bytes(64), secret_key[0])
    >>> verify_recoverable("p256", bytes(64), signatures, recovery_ids, public_key[0], engine=engine)
    array([ True,  True])
    """
    columns = {"digests": digests, "signatures": signatures, "recovery_ids": recovery_ids, "public_keys": public_keys}
    return _gecc.run(
        engine, "verify_recoverable", columns, curve=curve, low_s=low_s, signature_form=signature_form, reasons=reasons
    )


def sign(
    curve,
    digests,
    secret_keys,
    *,
    additional_data=None,
    s_form="curve_default",
    out=None,
    reasons=False,
    engine=None,
):
    """Signs one digest per item, with nonces of RFC 6979: ECDSA, or SM2 over e = SM3(Z_A || M).

    Constant-time in private keys and nonces.

    Using a private key for ECDSA on two curves reveals it: without additional data, a nonce is derived only from the
    key and the digest, and two signatures of one digest determine the key. Use a separate key, or at least separate
    additional data, for each curve.

    Args:
        curve: the curve's name.
        digests: n rows of 32 bytes.
        secret_keys: n rows of 32 bytes. They are read in place, and the caller has to wipe them.
        additional_data: n rows of 32 bytes, which are hashed into the nonces (RFC 6979, section 3.6). They need to be
            neither secret nor random: a name of the key's purpose, or fresh random bytes. By default none.
        s_form: "low" for s of at most n/2, "as_computed" for SEC 1's; by default low only for secp256k1. Not for SM2.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `r || s`, and n verdicts. Codes: SECRET_KEY_OUT_OF_RANGE, and FAULTY_SIGNATURE if the
        engine checks signatures.

    >>> signatures, ok = sign("secp256k1", bytes(96), bytes(31) + b"\\x01")
    >>> signatures.shape, ok
    ((3, 64), array([ True,  True,  True]))
    """
    columns = {"digests": digests, "secret_keys": secret_keys, "additional_data": additional_data}
    return _gecc.run(engine, "sign", columns, curve=curve, s_form=s_form, out=out, reasons=reasons)


def sign_messages(
    curve,
    messages,
    secret_keys,
    *,
    additional_data=None,
    hash=None,
    user_ids=None,
    s_form="curve_default",
    reasons=False,
    engine=None,
):
    """Signs one message per item: ECDSA over its hash, SM2 over SM3(Z_A || M).

    Constant-time in private keys and nonces, not in the length of messages.

    Args:
        curve: the curve's name.
        messages: n byte strings, as for `verify_messages`.
        secret_keys: as for `sign`. See there for keys that sign on two curves.
        additional_data: as for `sign`.
        hash: for ECDSA, as for `message_digests`; None is SHA-256. Other schemes define their own hash.
        user_ids: for SM2, as for `verify_messages`.
        s_form: as for `sign`.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `r || s`, and n verdicts. Codes: those of `sign`, and USER_ID_TOO_LONG.

    >>> signatures, ok = sign_messages("p256", [b"one", b""], bytes(31) + b"\\x01")
    >>> ok
    array([ True,  True])
    """
    columns = {
        "messages": messages,
        "secret_keys": secret_keys,
        "additional_data": additional_data,
        "user_ids": user_ids,
    }
    return _gecc.run(engine, "sign", columns, curve=curve, hash=hash, s_form=s_form, reasons=reasons)


def sign_recoverable(
    curve, digests, secret_keys, *, additional_data=None, s_form="curve_default", reasons=False, engine=None
):
    """Signs like `sign`, with ECDSA, and also returns recovery ids (SEC 1, section 4.1.6).

    Constant-time in private keys and nonces.

    Returns:
        n rows of 64 bytes `r || s`; n recovery ids, 0 to 3: bit 0 is set if y(R) is odd, bit 1 if x(R) is not below
        n; n verdicts, with the codes of `sign`.

    >>> signatures, recovery_ids, ok = sign_recoverable("secp256k1", bytes(32), bytes(31) + b"\\x01")
    >>> addresses, ok = recover_addresses("secp256k1", bytes(32), signatures, recovery_ids)
    >>> addresses[0].tobytes().hex()
    '7e5f4552091a69125d5dfcb7b8c2659029395bdf'
    """
    columns = {"digests": digests, "secret_keys": secret_keys, "additional_data": additional_data}
    return _gecc.run(engine, "sign_recoverable", columns, curve=curve, s_form=s_form, reasons=reasons)


def recover(
    curve,
    digests,
    signatures,
    recovery_ids=None,
    *,
    candidates=None,
    signature_form="auto",
    out=None,
    reasons=False,
    engine=None,
):
    """Recovers the public key of each ECDSA signature (SEC 1, section 4.1.6). High s is accepted.

    Not constant-time: all data here is public.

    Args:
        curve: the curve's name.
        digests: n rows of 32 bytes.
        signatures: n rows of 64 bytes `r || s`, or of 65 bytes `r || s || v`.
        recovery_ids: n integers, of any type, also floats with integer values: 0 to 3, or v as in Ethereum, 27 and
            up, or with a chain id 35 and up. None if signatures have 65 bytes. If both are given, they must agree.
        candidates: n rows of 33, 64 or 65 bytes: for each item the expected public key, kept from an earlier
            signature, or zeros if there is none. They do not affect results. If the engine has `batch_verification`,
            checking a correct candidate is faster than recovery; otherwise candidates are ignored.
        signature_form: as for `verify`.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `x || y`, and n verdicts. Codes: R_OUT_OF_RANGE, S_OUT_OF_RANGE, RECOVERY_ID_OUT_OF_RANGE,
        NO_SUCH_R, IDENTITY_RESULT.

    >>> secret_keys, public_keys = generate_keys("p256", 5)
    >>> signatures, recovery_ids, ok = sign_recoverable("p256", bytes(32), secret_keys)
    >>> keys, ok = recover("p256", bytes(32), signatures, recovery_ids)
    >>> np.array_equal(keys, public_keys)
    True
    """
    columns = {"digests": digests, "signatures": signatures, "recovery_ids": recovery_ids, "candidates": candidates}
    return _gecc.run(engine, "recover", columns, curve=curve, out=out, signature_form=signature_form, reasons=reasons)


def recover_addresses(
    curve,
    digests,
    signatures,
    recovery_ids=None,
    *,
    candidates=None,
    signature_form="auto",
    out=None,
    reasons=False,
    engine=None,
):
    """Recovers the Ethereum address of the key of each signature: the end of the Keccak-256 of `x || y`.

    Not constant-time: all data here is public. Arguments and codes are those of `recover`: candidates are public
    keys, not addresses. The curve is "secp256k1". EIP-2 also requires low s of transactions, which is not checked here.

    Returns:
        n rows of 20 bytes, and n verdicts. The address of a rejected item is zeros, which is an existing address:
        check the verdicts.
    """
    columns = {"digests": digests, "signatures": signatures, "recovery_ids": recovery_ids, "candidates": candidates}
    return _gecc.run(
        engine, "recover_addresses", columns, curve=curve, out=out, signature_form=signature_form, reasons=reasons
    )


def bip340_verify(messages, signatures, public_keys, *, reasons=False, engine=None):
    """Verifies one BIP 340 Schnorr signature per item over its message of 32 bytes, on secp256k1.

    Not constant-time: all data here is public.

    Args:
        messages: n rows of 32 bytes.
        signatures: n rows of 64 bytes.
        public_keys: n rows of 32 bytes, x-coordinates.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n booleans, or n codes. The code is that of the first check that fails: R_OUT_OF_RANGE, S_OUT_OF_RANGE,
        MALFORMED_POINT, NOT_ON_CURVE, IDENTITY_RESULT, MISMATCH.

    >>> secret_keys, points = generate_keys("secp256k1", 2)
    >>> signatures, ok = bip340_sign(bytes(32), secret_keys)
    >>> bip340_verify(bytes(32), signatures, points[:, :32])
    array([ True,  True])
    """
    columns = {"digests": messages, "signatures": signatures, "public_keys": public_keys}
    return _gecc.run(engine, "bip340_verify", columns, reasons=reasons)


def bip340_verify_messages(messages, signatures, public_keys, *, reasons=False, engine=None):
    """Verifies one BIP 340 Schnorr signature per item over its message of any length, on secp256k1.

    Not constant-time: all data here is public.

    Args:
        messages: n byte strings, as for `verify_messages`.
        signatures: n rows of 64 bytes.
        public_keys: n rows of 32 bytes, x-coordinates.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n booleans, or n codes as for `bip340_verify`.
    """
    columns = {"messages": messages, "signatures": signatures, "public_keys": public_keys}
    return _gecc.run(engine, "bip340_verify", columns, reasons=reasons)


def bip340_sign(messages, secret_keys, *, auxiliary=None, out=None, reasons=False, engine=None):
    """Signs one message of 32 bytes per item with BIP 340, on secp256k1.

    Constant-time in private keys, auxiliary data and nonces.

    Args:
        messages: n rows of 32 bytes.
        secret_keys: n rows of 32 bytes. They are read in place, and the caller has to wipe them.
        auxiliary: n rows of 32 bytes of auxiliary random data; by default fresh data from the operating system.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes, and n verdicts. Codes: SECRET_KEY_OUT_OF_RANGE, and FAULTY_SIGNATURE if the engine
        checks signatures.

    >>> signatures, ok = bip340_sign(bytes(32), bytes(31) + b"\\x03", auxiliary=bytes(32))
    >>> signatures[0, :4].tobytes().hex(), ok
    ('e907831f', array([ True]))
    """
    columns = {"digests": messages, "secret_keys": secret_keys, "additional_data": auxiliary}
    return _gecc.run(engine, "bip340_sign", columns, out=out, reasons=reasons)


def bip340_sign_messages(messages, secret_keys, *, auxiliary=None, reasons=False, engine=None):
    """Signs one message of any length per item with BIP 340, on secp256k1.

    Constant-time in private keys, auxiliary data and nonces, not in the length of messages.

    Args:
        messages: n byte strings, as for `verify_messages`.
        secret_keys: n rows of 32 bytes. They are read in place, and the caller has to wipe them.
        auxiliary: as for `bip340_sign`.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes, and n verdicts, with the codes of `bip340_sign`.
    """
    columns = {"messages": messages, "secret_keys": secret_keys, "additional_data": auxiliary}
    return _gecc.run(engine, "bip340_sign", columns, reasons=reasons)


def ed25519_verify(
    messages, signatures, public_keys, *, rule, context=None, prehashed=False, reasons=False, engine=None
):
    """Verifies one Ed25519 signature per item over its message of any length (RFC 8032), by a rule.

    Not constant-time: all data here is public.

    Args:
        messages: n byte strings, as for `verify_messages`.
        signatures: n rows of 64 bytes `R || S`.
        public_keys: n rows of 32 bytes, or keys in PEM, DER or JWK, or lines of OpenSSH (`ssh-ed25519 AAAA...`).
        rule: the rule for valid signatures, on which programs that must agree on signatures must agree: "cofactorless"
            (OpenSSL, Go, `verify` of ed25519-dalek), "strict" (its `verify_strict`, Solana), "libsodium", "zip215"
            (Zcash, CometBFT), "rfc8032" or "rfc8032-cofactored". Rules differ only in signatures that no honest
            signer creates.
        context: at most 255 bytes, which are signed too: Ed25519ctx. By default, signatures are of pure Ed25519.
        prehashed: true if SHA-512 of each message was signed: Ed25519ph, with or without a context.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n booleans, or n codes. The code is that of the first check that fails: S_OUT_OF_RANGE, MALFORMED_POINT,
        NOT_ON_CURVE, SMALL_ORDER_KEY, SMALL_ORDER_R, NO_SUCH_R or R_OUT_OF_RANGE, MISMATCH.

    >>> keys, ok = ed25519_public_keys(bytes(32))
    >>> signatures, ok = ed25519_sign([b"one", b"two"], bytes(32))
    >>> ed25519_verify([b"one", b"2"], signatures, keys[0], rule="strict")
    array([ True, False])
    """
    columns = {"messages": messages, "signatures": signatures, "public_keys": public_keys}
    return _gecc.run(
        engine, "ed25519_verify", columns, rule=rule, context=context, prehashed=prehashed, reasons=reasons
    )


def ed25519_sign(messages, seeds, *, context=None, prehashed=False, reasons=False, engine=None):
    """Signs one message of any length per item with Ed25519 (RFC 8032).

    Constant-time in seeds and nonces, not in the length of messages.

    Args:
        messages: n byte strings, as for `verify_messages`.
        seeds: the private keys, n rows of 32 bytes, or keys in PEM, DER, JWK or OpenSSH's format. Rows are read
            in place. The caller has to wipe them.
        context: as for `ed25519_verify`.
        prehashed: as for `ed25519_verify`. Pass the messages themselves; they are hashed here.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `R || S`, and n verdicts. Code: FAULTY_SIGNATURE, if the engine checks signatures.
    """
    columns = {"messages": messages, "secret_keys": seeds}
    return _gecc.run(engine, "ed25519_sign", columns, context=context, prehashed=prehashed, reasons=reasons)


def ed25519_public_keys(seeds, *, out=None, reasons=False, engine=None):
    """Computes the Ed25519 public key of each seed (RFC 8032). Constant-time in seeds.

    Args:
        seeds: as for `ed25519_sign`.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 32 bytes, and n verdicts. Every seed is a key.

    >>> seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    >>> keys, ok = ed25519_public_keys(seed)
    >>> keys[0, :4].tobytes().hex(), ok
    ('d75a9801', array([ True]))
    """
    columns = {"secret_keys": seeds}
    return _gecc.run(engine, "ed25519_public_keys", columns, out=out, reasons=reasons)


def taproot(internal_keys, roots=None, *, out=None, reasons=False, engine=None):
    """Computes the output key of each internal key (BIP 341): `P + t G`, where t is the tagged hash of the key and a
    Merkle root.

    Not constant-time: all data here is public.

    Args:
        internal_keys: n rows of 32 bytes, x-coordinates.
        roots: n rows of 32 bytes; by default there are none.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `x || y`, of which x is the output and the last bit its parity, and n verdicts. Codes:
        MALFORMED_POINT, NOT_ON_CURVE, SCALAR_OUT_OF_RANGE, IDENTITY_RESULT.

    >>> key = bytes.fromhex("d6889cb081036e0faefa3a35157ad71086b123b2b144b649798b494c300a961d")
    >>> outputs, ok = taproot(key)
    >>> outputs[0, :4].tobytes().hex(), ok
    ('53a1f6e4', array([ True]))
    """
    return _gecc.taproot(engine, internal_keys, roots, out, reasons)


def generate_keys(curve, count, *, engine=None):
    """Generates key pairs from the operating system's randomness. Constant-time in the private keys.

    Returns:
        `count` private keys of 32 bytes, which the caller has to wipe (`secret_keys.fill(0)`), and their public keys,
        64 bytes `x || y`.

    >>> secret_keys, public_keys = generate_keys("brainpoolP256r1", 2)
    >>> secret_keys.shape, public_keys.shape
    ((2, 32), (2, 64))
    """
    return _gecc.generate_keys(engine, curve, count)


def public_keys(curve, secret_keys, *, out=None, reasons=False, engine=None):
    """Computes the public key of each private key, `d * G`. Constant-time in the private keys.

    Args:
        curve: the curve's name.
        secret_keys: n rows of 32 bytes. They are read in place, and the caller has to wipe them.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `x || y`, and n verdicts. Code: SECRET_KEY_OUT_OF_RANGE.

    >>> keys, ok = public_keys("secp256k1", bytes(31) + b"\\x01" + bytes(32))
    >>> keys[0, :4].tobytes().hex(), ok
    ('79be667e', array([ True, False]))
    """
    columns = {"secret_keys": secret_keys}
    return _gecc.run(engine, "public_keys", columns, curve=curve, out=out, reasons=reasons)


def ecdh(curve, secret_keys, public_keys, *, out=None, reasons=False, engine=None):
    """Computes the ECDH shared secret of each private key and its peer: the x-coordinate of `d * Q` (SEC 1, section
    3.3.1).

    Constant-time in the private keys.

    Args:
        curve: the curve's name.
        secret_keys: n rows of 32 bytes. They are read in place, and the caller has to wipe them.
        public_keys: the peers' keys, n rows of 33, 64 or 65 bytes.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 32 bytes, and n verdicts. The caller has to wipe the secrets; in Arrow arrays they are wiped when the
        last array that refers to them is dropped. Codes: SECRET_KEY_OUT_OF_RANGE, MALFORMED_POINT, NOT_ON_CURVE,
        IDENTITY_KEY.

    The bytes are the x-coordinate itself, big-endian, as in `cryptography` and OpenSSL. It is not uniformly random:
    derive keys from it. coincurve's `ecdh` returns the SHA-256 of the compressed point instead, for which `ecdh_points`
    returns the coordinates. The secret of a rejected item is zeros, which are public: check the verdicts before
    deriving a key.

    >>> ours, our_keys = generate_keys("p256", 2)
    >>> theirs, their_keys = generate_keys("p256", 2)
    >>> np.array_equal(ecdh("p256", ours, their_keys)[0], ecdh("p256", theirs, our_keys)[0])
    True
    """
    columns = {"secret_keys": secret_keys, "public_keys": public_keys}
    return _gecc.run(engine, "ecdh", columns, curve=curve, out=out, reasons=reasons)


def ecdh_points(curve, secret_keys, public_keys, *, out=None, reasons=False, engine=None):
    """Computes the point `d * Q` of each private key and its peer. Constant-time in the private keys.

    Arguments, codes and the rules for wiping are as for `ecdh`. A point is as secret as its x-coordinate.

    Returns:
        n rows of 64 bytes `x || y`, and n verdicts.

    The secret that coincurve's `ecdh` returns, and libsecp256k1 by default:

    >>> import hashlib
    >>> ours, _ = generate_keys("secp256k1", 1)
    >>> _, theirs = generate_keys("secp256k1", 1)
    >>> point = ecdh_points("secp256k1", ours, theirs)[0][0].tobytes()
    >>> secret = hashlib.sha256(bytes([2 + point[63] % 2]) + point[:32]).digest()
    """
    return _gecc.run_on_points(engine, "ecdh_points", curve, [secret_keys, public_keys], out=out, reasons=reasons)


def x25519(secret_keys, public_keys, *, accept_all_zero=False, out=None, reasons=False, engine=None):
    """Computes the X25519 shared secret of each private key and its peer (RFC 7748, section 6.1).

    Constant-time in the private keys.

    Args:
        secret_keys: n rows of 32 bytes, or keys in PEM, DER or JWK. Rows are read in place, and the caller has to wipe
            them. All values of 32 bytes are keys.
        public_keys: the peers' keys, n rows of 32 bytes: u-coordinates, little-endian; or keys in PEM, DER or JWK.
        accept_all_zero: return shared secrets that are zero, instead of rejecting their items. The secret is zero for a
            few public keys, whatever the private key is, so that the peer does not contribute to it; TLS 1.3 and other
            protocols require that it is rejected.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 32 bytes, and n verdicts. The caller has to wipe the secrets, as those of `ecdh`. Codes:
        MALFORMED_POINT, IDENTITY_RESULT.

    A secret is not uniformly random: derive keys from it. The secret of a rejected item is zeros, which are public:
    check the verdicts before deriving a key. Keys that state another purpose, such as Ed25519, are an error.

    >>> ours, theirs = bytes([1]) * 32, bytes([2]) * 32
    >>> our_key, their_key = x25519_public_keys(ours + theirs)[0]
    >>> np.array_equal(x25519(ours, their_key)[0], x25519(theirs, our_key)[0])
    True
    >>> x25519(ours, bytes(32))[1]
    array([False])
    """
    columns = {"secret_keys": secret_keys, "public_keys": public_keys}
    return _gecc.run(engine, "x25519", columns, accept_all_zero=accept_all_zero, out=out, reasons=reasons)


def x25519_public_keys(secret_keys, *, out=None, reasons=False, engine=None):
    """Computes the X25519 public key of each private key (RFC 7748, section 6.1). Constant-time in the private keys.

    Args:
        secret_keys: as for `x25519`.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 32 bytes, and n verdicts. Every value of 32 bytes is a key.

    >>> key = bytes.fromhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    >>> keys, ok = x25519_public_keys(key)
    >>> keys[0, :4].tobytes().hex(), ok
    ('8520f009', array([ True]))
    """
    columns = {"secret_keys": secret_keys}
    return _gecc.run(engine, "x25519_public_keys", columns, out=out, reasons=reasons)


def hash_to_curve(suite, messages, *, dst=None, out=None, reasons=False, engine=None):
    """Hashes messages of any length to points of the suite's curve (RFC 9380).

    Constant-time in the bytes of messages, not in their length, with the suites of RFC 9380. With the others, the time
    depends on the messages.

    Args:
        suite: "P256_XMD:SHA-256_SSWU_RO_", "P256_XMD:SHA-256_SSWU_NU_", "secp256k1_XMD:SHA-256_SSWU_RO_" or
            "secp256k1_XMD:SHA-256_SSWU_NU_" of RFC 9380; "SM2_SM3_REHASH_" (YACL's TryAndRehash_SM),
            "SM2_SM3_INCREMENT_" (PPCA 9-2023) or "P256_SHA-256_REHASH_" (private-join-and-compute).
        messages: n byte strings, as for `verify_messages`.
        dst: the domain separation tag, `bytes`, which the suites of RFC 9380 require. The others take none.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `x || y`, and n verdicts. Codes: IDENTITY_RESULT, and NOT_ON_CURVE if none of 100
        x-coordinates belongs to a point; no message with such a code is known.

    >>> dst = b"QUUX-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_"
    >>> points, ok = hash_to_curve("P256_XMD:SHA-256_SSWU_RO_", [b"abc", b""], dst=dst)
    >>> points[0, :4].tobytes().hex(), ok
    ('0bb8b874', array([ True,  True]))
    """
    columns = {"messages": messages}
    return _gecc.run_masking(engine, "hash_to_curve", suite, columns, dst=dst, out=out, reasons=reasons)


def mask(suite, secret_keys, messages, *, dst=None, form="compressed", out=None, reasons=False, engine=None):
    """Masks messages for private set intersection: hashes them to points, and multiplies each by a private key.

    Constant-time in the private keys; in the bytes of messages as `hash_to_curve` is.

    Args:
        suite: as for `hash_to_curve`.
        secret_keys: one key of 32 bytes for all items, or n rows. They are read in place, and the caller has to wipe
            them.
        messages: n byte strings, as for `verify_messages`.
        dst: as for `hash_to_curve`.
        form: the form of masked points: "compressed" (33 bytes), "uncompressed" (65), "raw" (64, `x || y`), "x" (32),
            or the number of the first bytes of x, 1 to 32, for comparing only.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of the form's width, and n verdicts. Codes: SECRET_KEY_OUT_OF_RANGE, and those of `hash_to_curve`.

    The order of masks does not matter, so that two parties find equal messages:

    >>> suite = "SM2_SM3_REHASH_"
    >>> (ours, theirs), _ = generate_keys("sm2", 2)
    >>> ours_of_both, ok = mask_points("sm2", theirs, mask(suite, ours, [b"alice", b"bob"])[0], form=12)
    >>> theirs_of_both, ok = mask_points("sm2", ours, mask(suite, theirs, [b"bob", b"carol"])[0], form=12)
    >>> [row.tobytes() in {row.tobytes() for row in theirs_of_both} for row in ours_of_both]
    [False, True]
    """
    columns = {"secret_keys": secret_keys, "messages": messages}
    return _gecc.run_masking(engine, "mask", suite, columns, dst=dst, form=form, out=out, reasons=reasons)


def mask_points(curve, secret_keys, points, *, form="compressed", out=None, reasons=False, engine=None):
    """Multiplies points by private keys, such as the masked points of the other party.

    Constant-time in the private keys; the points are public.

    Args:
        curve: the curve's name.
        secret_keys: as for `mask`.
        points: n rows of 33, 64 or 65 bytes.
        form: as for `mask`.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of the form's width, and n verdicts. Codes: SECRET_KEY_OUT_OF_RANGE, MALFORMED_POINT, NOT_ON_CURVE,
        IDENTITY_KEY.
    """
    columns = {"secret_keys": secret_keys, "points": points}
    return _gecc.run_masking(engine, "mask_points", curve, columns, form=form, out=out, reasons=reasons)


def unmask(curve, secret_keys, points, *, form="compressed", out=None, reasons=False, engine=None):
    """Removes masks: multiplies points by the inverses of private keys modulo the group order.

    Constant-time in the private keys; the points are public. Arguments and codes are those of `mask_points`.

    Returns:
        n rows of the form's width, and n verdicts.

    >>> secret_keys, points = generate_keys("p256", 3)
    >>> masked, ok = mask_points("p256", secret_keys[0], points)
    >>> np.array_equal(unmask("p256", secret_keys[0], masked, form="raw")[0], points)
    True
    """
    columns = {"secret_keys": secret_keys, "points": points}
    return _gecc.run_masking(engine, "unmask", curve, columns, form=form, out=out, reasons=reasons)


def decompress(curve, public_keys, *, reasons=False, engine=None):
    """Returns the coordinates of public keys: compressed ones are decompressed, others checked.

    Not constant-time: all data here is public.

    Args:
        curve: the curve's name.
        public_keys: n rows of 33, 64 or 65 bytes.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `x || y`, and n verdicts. Codes: MALFORMED_POINT, NOT_ON_CURVE, IDENTITY_KEY.

    >>> points, ok = decompress("secp256k1", [b"\\x02" + bytes(31) + b"\\x01", b"\\x02" + bytes(31) + b"\\x05"])
    >>> ok
    array([ True, False])
    """
    return _gecc.run_on_points(engine, "decompress", curve, [public_keys], reasons=reasons)


def mul_base(curve, scalars, *, out=None, reasons=False, engine=None):
    """Computes `scalars[i] * G` for public scalars. Not constant-time: use `public_keys` for private keys.

    Args:
        curve: the curve's name.
        scalars: n rows of 32 bytes.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `x || y`, zeros for the identity, and n verdicts. Code: SCALAR_OUT_OF_RANGE.

    >>> points, ok = mul_base("p256", bytes(32))
    >>> points.any(), ok
    (np.False_, array([ True]))
    """
    return _gecc.run_on_points(engine, "mul_base", curve, [scalars], out=out, reasons=reasons)


def mul(curve, scalars, points, *, out=None, reasons=False, engine=None):
    """Computes `scalars[i] * points[i]` for public scalars. Not constant-time: use `ecdh` for private keys.

    Args:
        curve: the curve's name.
        scalars: n rows of 32 bytes.
        points: n rows of 33, 64 or 65 bytes. 64 zeros are the identity.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `x || y`, zeros for the identity, and n verdicts. Codes: SCALAR_OUT_OF_RANGE,
        MALFORMED_POINT, NOT_ON_CURVE.
    """
    return _gecc.run_on_points(engine, "mul", curve, [scalars, points], out=out, reasons=reasons)


def add(curve, a, b, *, out=None, reasons=False, engine=None):
    """Computes `a[i] + b[i]`. Not constant-time: all data here is public.

    Args:
        curve: the curve's name.
        a: n rows of 33, 64 or 65 bytes. 64 zeros are the identity.
        b: as for `a`.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `x || y`, zeros for the identity, and n verdicts. Codes: MALFORMED_POINT, NOT_ON_CURVE.

    >>> _, points = generate_keys("sm2", 4)
    >>> np.array_equal(add("sm2", points, points)[0], double("sm2", points)[0])
    True
    """
    return _gecc.run_on_points(engine, "add", curve, [a, b], out=out, reasons=reasons)


def double(curve, points, *, out=None, reasons=False, engine=None):
    """Computes `2 * points[i]`. Not constant-time: all data here is public.

    Args:
        curve: the curve's name.
        points: n rows of 33, 64 or 65 bytes. 64 zeros are the identity.
        out: a C-contiguous array of `uint8` for the rows, of their shape.
        reasons: return codes instead of booleans.
        engine: the engine; by default that of the process.

    Returns:
        n rows of 64 bytes `x || y`, zeros for the identity, and n verdicts. Codes: MALFORMED_POINT, NOT_ON_CURVE.
    """
    return _gecc.run_on_points(engine, "double", curve, [points], out=out, reasons=reasons)


def sum(curve, points, *, engine=None):
    """Computes the sum of all points. Not constant-time: all data here is public.

    Args:
        curve: the curve's name.
        points: n rows of 33, 64 or 65 bytes. 64 zeros are the identity.
        engine: the engine; by default that of the process.

    Returns:
        64 bytes `x || y` of `uint8`, zeros for the identity, which is also the sum of no points.

    Raises:
        ItemError: for the first item that is not a point of the curve, with MALFORMED_POINT or NOT_ON_CURVE.

    >>> _, points = generate_keys("p256", 1)
    >>> np.array_equal(sum("p256", [points[0], points[0]]), double("p256", points)[0][0])
    True
    """
    return _total(*_gecc.total(engine, curve, [points]))


def msm(curve, scalars, points, *, engine=None):
    """Computes the sum of all `scalars[i] * points[i]` for public scalars (multi-scalar multiplication).

    Not constant-time: scalars must be public.

    Args:
        curve: the curve's name.
        scalars: n rows of 32 bytes.
        points: n rows of 33, 64 or 65 bytes. 64 zeros are the identity.
        engine: the engine; by default that of the process.

    Returns:
        64 bytes `x || y` of `uint8`, zeros for the identity, which is also the sum of no products.

    Raises:
        ItemError: for the first item without a scalar below n or without a point, with SCALAR_OUT_OF_RANGE,
            MALFORMED_POINT or NOT_ON_CURVE.

    >>> _, points = generate_keys("p256", 3)
    >>> scalars = np.random.default_rng().integers(0, 256, (3, 32), dtype=np.uint8) // 2
    >>> np.array_equal(msm("p256", scalars, points), sum("p256", mul("p256", scalars, points)[0]))
    True
    """
    return _total(*_gecc.total(engine, curve, [scalars, points]))


def _total(row, code, item):
    """Returns the result of all items, unless one of them is invalid."""
    if code != Reason.VALID:
        raise ItemError(item, Reason(code))
    return row


def signatures_from_der(signatures, *, reasons=False):
    """Converts signatures in strict DER (RFC 3279, section 2.2.3) to rows: no BER, no trailing bytes, integers minimal
    and not negative.

    Args:
        signatures: n byte strings: a list, or an Arrow array.
        reasons: return codes instead of booleans.

    Returns:
        n rows of 64 bytes `r || s`, and n verdicts. Code: MALFORMED_SIGNATURE. Ranges are checked when a signature is
        used.

    >>> signatures_from_der([b"\\x30\\x06\\x02\\x01\\x01\\x02\\x01\\x02", b"0"])[1]
    array([ True, False])
    """
    return _gecc.signatures_from_der(signatures, reasons)


def signatures_to_der(signatures):
    """Converts signatures to DER, at most 72 bytes each.

    Args:
        signatures: n rows of 64 bytes `r || s`.

    Raises:
        ValueError: for an item of a list that has another length, with its index.

    >>> signatures_to_der(bytes(31) + b"\\x01" + bytes(31) + b"\\x02")
    [b'0\\x06\\x02\\x01\\x01\\x02\\x01\\x02']
    """
    return _gecc.signatures_to_der(signatures)
