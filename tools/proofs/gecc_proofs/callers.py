"""Where numbers enter: the places outside cuda/field/ that write the words of a scalar or an element.

The statements ask that a scalar is below n, and an element below p where p has no shape. Every function gives such
numbers; the remaining places write words themselves. Each is listed here with the reason why the
number is in its range, or why it need not be. The run fails if a place is missing from the list,
or if a listed place no longer exists.
"""

import re

from .project import CUDA, Wrong

FOLDERS = ("curve", "scheme", "kernels")

# Functions that only read what their first argument points to. All others are taken to write it.
READ_FIRST = {
    "words_less",
    "words_or",
    "words_difference",
    "x25519_code",
    "sc_is_canonical",
    "key_mask",
    "sc_from_words",
    "fe_from_words",
    "sc_to_montgomery",
    "opposite_digits_var",
    "ed_halves_var",
    "times",
}
# Matches places that write a number: `.v` is the first argument, a word of it is assigned to, or
# braces contain its words. Also matches places that store other words in an array, because the
# multiplications of Ed25519 take scalars as words.
_WRITES = re.compile(
    r"(\w+)(?:<\w+>)?\(\s*[\w.]+\.v\s*[,)]"
    r"|\.v\[[^\]]*\]\s*[|&^+-]?=(?!=)"
    r"|\b(?:fe|sc) \w+ = {{"
    r"|\b(?:fe|sc){{"
    r"|\bstore_column\([^;]*, \w+\);"
    r"|= ed_multiply_\w+\("
)

OF_COLUMNS = "an array of numbers below their modulus (kernels/columns.cuh), which kernels write from numbers"
HASH = "a hash's words, no number modulo anything"
ANY = "any number of eight words will do where it goes: "

# (file, the line without spaces around it): why.
# Modulo 2^255 - 19 any eight words are a number (field/fold_255.cuh).
LOOSE = "any number below 2^256"
# A product of Montgomery's form is below n where one factor is, and the other any eight words.
OF_WIDE = "below 2^256, and the other factor of its product below n"

PLACES = {
    ("curve/batch_inverse.cuh", "value.v[w] = values[w * pitch + k * stride];"): "what the caller put there: a number",
    ("curve/batch_inverse.cuh", "prefix.v[w] = prefixes[w * pitch + k * stride];"): "a product, written by this loop",
    ("scheme/sign.cuh", "words_select(s.v, flip, negated.v, s.v);"): "one of two scalars",
    ("scheme/equation.cuh", "sc r = {{value}};"): "called with 1",
    ("scheme/equation.cuh", "words_copy(out.r.v, r);"): "checked just before to be below n",
    ("scheme/equation.cuh", "words_copy(out.s.v, s);"): "checked just before to be below n",
    ("scheme/equation.cuh", "words_copy(e.v, digest);"): ANY + "the first factor of sc_mont_mul",
    ("scheme/bip340.cuh", "words_select(r.v, mask, negated.v, a.v);"): "one of two scalars",
    ("scheme/bip340.cuh", "for (int w = 0; w < 8; w++) words.v[w] = message.word(4 * w);"): HASH,
    ("scheme/bip340.cuh", "words_copy(out.x.v, r);"): ANY + "it is stored, and compared by fe_from_words",
    ("scheme/bip340.cuh", "replace_by_one(nonce.v, usable);"): "a scalar or 1",
    ("scheme/bip340.cuh", "padding.v[0] = kPaddingMark;"): HASH,
    ("scheme/bip340.cuh", "padding.v[15] = 8 * 128;"): HASH,
    ("scheme/hash_to_curve.cuh", "fe_reduce(r.v, words);"): (
        "48 bytes, or 64 on P-256 and SM2: what a reduction takes, which gives an element"
    ),
    ("scheme/hash_to_curve.cuh", "block.v[0] = prefix << 24 | number[7] >> 8;"): HASH,
    (
        "scheme/hash_to_curve.cuh",
        "for (int w = 1; w < 8; w++) block.v[w] = funnel_bytes(number[8 - w], number[7 - w], 3);",
    ): HASH,
    ("scheme/hash_to_curve.cuh", "block.v[8] = number[0] << 24;"): HASH,
    (
        "scheme/hash_to_curve.cuh",
        "if (w == (count + 1) / 4) block.v[w] |= kPaddingMark >> (8 * ((count + 1) % 4));",
    ): HASH,
    ("scheme/hash_to_curve.cuh", "block.v[15] = 8 * (count + 1);"): HASH,
    ("scheme/nonce.cuh", "r.v[0] = numbers.octets(0) >> 8;"): HASH,
    (
        "scheme/nonce.cuh",
        "for (int i = 1; i < kLast; i++) r.v[i] = funnel_bytes(numbers.octets(i - 1), numbers.octets(i), 3);",
    ): HASH,
    ("scheme/nonce.cuh", "r.v[kLast] = numbers.octets(kLast - 1) << 24 | kPaddingMark >> 8;"): HASH,
    ("scheme/nonce.cuh", "block.v[i] = value.v[i];"): HASH,
    ("scheme/nonce.cuh", "block.v[8 + i] = seed.v[i];"): HASH,
    ("scheme/nonce.cuh", "block.v[8] |= separator << 24;"): HASH,
    ("scheme/nonce.cuh", "for (int i = 0; i < 16; i++) block.v[i] = seed.v[(8 + i) % kWords];"): HASH,
    (
        "scheme/nonce.cuh",
        "for (int i = 0; i < 15; i++) block.v[i] = kWhole + i < kWords ? seed.v[(kWhole + i) % kWords] : 0;",
    ): HASH,
    ("scheme/nonce.cuh", "block.v[15] = 8 * (64 + 32 + 1 + 32 * kNumbers);"): HASH,
    ("scheme/nonce.cuh", "for (int i = 0; i < 8; i++) value.v[i] = 0x01010101;"): HASH,
    ("scheme/nonce.cuh", "number_from_digest(candidate.v, value);"): "given back only where it is below n",
    ("scheme/recovery.cuh", "words_copy(e.v, digest);"): ANY + "the first factor of sc_mont_mul",
    ("scheme/silent_payments.cuh", "r.v[w] = before << 24 | word >> 8;"): HASH,
    ("scheme/silent_payments.cuh", "r.v[8] = before << 24;"): HASH,
    ("scheme/silent_payments.cuh", "for (int w = 0; w < 9; w++) block.v[w] = key.v[w];"): HASH,
    ("scheme/silent_payments.cuh", "block.v[8] |= k >> 8;"): HASH,
    ("scheme/silent_payments.cuh", "block.v[9] = k << 24 | kPaddingMark >> 8;"): HASH,
    ("scheme/silent_payments.cuh", "block.v[15] = 8 * (64 + 37);"): HASH,
    ("scheme/silent_payments.cuh", "for (int w = 0; w < 9; w++) first.v[w] = outpoint[w];"): HASH,
    ("scheme/silent_payments.cuh", "for (int w = 9; w < 16; w++) first.v[w] = compressed.v[w - 9];"): HASH,
    ("scheme/silent_payments.cuh", "second.v[0] = compressed.v[7];"): HASH,
    ("scheme/silent_payments.cuh", "second.v[1] = compressed.v[8] | kPaddingMark >> 8;"): HASH,
    ("scheme/silent_payments.cuh", "second.v[15] = 8 * (64 + 69);"): HASH,
    ("scheme/batch_verification.cuh", "block.v[2 * w] = (u32)(seed.v[w] >> 32);"): HASH,
    ("scheme/batch_verification.cuh", "block.v[2 * w + 1] = (u32)seed.v[w];"): HASH,
    ("scheme/batch_verification.cuh", "block.v[8] = (u32)(item >> 32);"): HASH,
    ("scheme/batch_verification.cuh", "block.v[9] = (u32)item;"): HASH,
    ("scheme/batch_verification.cuh", "block.v[10] = kPaddingMark;"): HASH,
    ("scheme/batch_verification.cuh", "block.v[15] = 8 * 40;"): HASH,
    ("kernels/batched.cuh", "load_column(prefix.v, prefixes, n, i);"): "a product, written by this loop",
    ("kernels/bip340.cu", "load_number(key.v, keys + i * key_stride);"): "replaced by 1 below unless below n",
    ("kernels/bip340.cu", "replace_by_one(key.v, usable);"): "usable is the mask of a key below n",
    ("kernels/bip340.cu", "load_column(nonce.v, nonces, n, i);"): OF_COLUMNS,
    ("kernels/bip340_silent.cu", "store_column(tweaks, n, i, tweak);"): "replaced by 1 just before unless below n",
    ("kernels/bip340_silent.cu", "store_column(hashes, n, i, hash);"): "replaced by 1 just before unless below n",
    ("kernels/fpmul.cu", "load_column(k.v, scalars, n, i);"): OF_COLUMNS,
    ("kernels/fpmul.cu", "load_column(k.v, scalars, n, i < n ? i : n - 1);"): OF_COLUMNS,
    ("kernels/upmul.cuh", "load_column(k.v, scalars, n, present ? i : n - 1);"): OF_COLUMNS,
    ("curve/edwards.cuh", "words_copy(r.v, encoding);"): LOOSE,
    ("curve/edwards.cuh", "r.v[7] &= 0x7fffffff;"): LOOSE,
    ("kernels/edwards_batch.cuh", "load_column(r.x.v, xy, n, i);"): LOOSE,
    ("kernels/edwards_batch.cuh", "load_column(r.y.v, xy + 8 * n, n, i);"): LOOSE,
    ("kernels/edwards_batch.cuh", "load_column(r.v, xyz + which * 8 * n, n, i);"): LOOSE,
    ("kernels/ed25519.cu", "words_copy(words.v, key);"): "an encoding that identifies a key, not a number",
    ("kernels/ed25519_batch_verification.cu", "load_column(number.v, k, n, i);"): OF_COLUMNS,
    ("kernels/ed25519_batch_verification.cu", "words_copy(number.v, (const u32*)(signatures + 64 * i + 32));"): (
        "S of an open item, which sc_is_canonical was asked about"
    ),
    ("scheme/key_hash.cuh", "for (int w = 0; w < GECC_KEY_WORDS; w++) r.v[w] = keys[w * n + i];"): (
        "words that identify a key, not a number"
    ),
    (
        "kernels/ed25519_sign.cu",
        "ed_encode(encoding.v, {load_coordinate(xyz, n, i, 0), load_coordinate(xyz, n, i, 1), fe_one()}, inverse);",
    ): "an encoding that is stored, no element",
    ("kernels/ed25519_sign.cu", "load_column(nonce.v, nonces, n, i);"): OF_COLUMNS,
    (
        "kernels/ed25519_sign.cu",
        "sc scalar = ed25519_expand(prefix.v, (const u32*)(seeds + i * seed_stride));",
    ): HASH,
    ("kernels/ed25519_sign.cu", "words_copy(number.v, scalar.v);"): "a scalar that is stored",
    ("kernels/ed25519_sign.cu", "words_copy(scalar.v, (const u32*)(keys + i * key_stride));"): (
        "a scalar, as gecc_ed25519_expand or the host has it"
    ),
    ("kernels/ed25519_sign.cu", "words_copy(s.v, ed25519_sign(nonce, k, scalar).v);"): "a scalar that is stored",
    ("kernels/ed25519.cu", "load_column(of_k.v, k, n, i);"): OF_COLUMNS,
    ("scheme/x25519.cuh", "words_copy(u.v, peer);"): LOOSE,
    ("scheme/x25519.cuh", "u.v[7] &= 0x7fffffff;"): LOOSE,
    ("kernels/x25519.cu", "x25519_encode(encoding.v, product, inverse);"): "an encoding that is stored, no element",
    ("kernels/ed25519.cu", "if (pending) words_copy(s.v, r + 8);"): (
        "0, or of a pending item, which sc_is_canonical was asked about"
    ),
    ("kernels/ed25519_sign.cu", "ed_projective product = ed_multiply_uniform(multiples, k);"): OF_COLUMNS,
    ("curve/edwards_multiply.cuh", "entry.sum.v[0] |= is_zero;"): LOOSE,
    ("curve/edwards_multiply.cuh", "entry.difference.v[0] |= is_zero;"): LOOSE,
    ("curve/edwards_multiply.cuh", "entry.niels.sum.v[0] |= is_zero;"): LOOSE,
    ("curve/edwards_multiply.cuh", "entry.niels.difference.v[0] |= is_zero;"): LOOSE,
    ("curve/edwards_multiply.cuh", "entry.z2.v[0] |= is_zero << 1;"): LOOSE,
    (
        "kernels/edwards_multiply.cu",
        "ed_completed product = ed_multiply_point_uniform(table, load_affine(xy, n, taken), k);",
    ): OF_COLUMNS,
    ("curve/ristretto.cuh", "words_copy(s.v, encoding);"): LOOSE,
    ("curve/ristretto.cuh", "t.v[7] &= 0x7fffffff;"): LOOSE,
    ("kernels/ristretto255.cu", "ristretto_encode_double(encoding.v, half(i), inverse);"): (
        "an encoding that is stored, no element"
    ),
    (
        "kernels/ristretto255.cu",
        "ristretto_encode(encoding.v, ristretto_map_both(UniformBytes{(const uint4*)(uniform + 64 * i)}));",
    ): "an encoding that is stored, no element",
    ("kernels/ristretto255.cu", "store_column(halves, n, i, half);"): "half of a key below n modulo n, which is below n",
    ("kernels/ristretto255.cu", "words_copy(low.v, number);"): HASH,
    ("kernels/ristretto255.cu", "words_copy(high.v, number + 8);"): HASH,
    (
        "scheme/ed25519.cuh",
        "for (int w = 0; w < 4; w++) block.v[w] = (u64)swap_bytes(seed[2 * w]) << 32 | swap_bytes(seed[2 * w + 1]);",
    ): HASH,
    ("scheme/ed25519.cuh", "block.v[4] = (u64)kPaddingMark << 32;"): HASH,
    ("scheme/ed25519.cuh", "block.v[15] = 8 * 32;"): HASH,
    (
        "scheme/ed25519.cuh",
        "sc c = {{row.c[0], row.c[1], row.c[2], row.c[3], row.c[4], 0, 0, 0}}, of_base = sc_mul(c, s);",
    ): "below 2^160",
    (
        "scheme/ed25519.cuh",
        "ed_completed sum = ed_multiply_two_var(store, row.d, c.v, store.most(ed_windows(ed_bits(row))));",
    ): "d of a row is at most the scalar that it is made for, and c below 2^160",
    ("scheme/ed25519.cuh", "words_copy(low.v, words);"): OF_WIDE,
    ("scheme/ed25519.cuh", "words_copy(high.v, words + 8);"): OF_WIDE,
    ("scheme/ed25519.cuh", "words_copy(of_low.v, r);"): "R modulo n, a constant",
    ("scheme/ed25519.cuh", "words_copy(of_high.v, r2);"): "R^2 modulo n, a constant",
    ("kernels/nonces.cu", "replace_by_one(nonce.v, usable);"): "a scalar or 1",
    ("kernels/nonces.cu", "store_column(scalars, n, i, key);"): "replaced by 1 just before unless below n",
    (
        "kernels/vector.cuh",
        "for (int w = 0; w < 8; w++) r.v[w] |= __shfl_sync(0xffffffffu, value.v[w], source) & mask;",
    ): "one entry of a table, all others masked away",
    ("kernels/bucket_terms.cuh", "load_column(k.v, scalars, n, i);"): OF_COLUMNS,
    (
        "kernels/coefficients.cuh",
        "for (int w = 0; w < kCoefficientWords; w++) a.v[w] = coefficients[w * n + i];",
    ): "a coefficient of 128 bits",
    ("kernels/batch_verification.cu", "load_column(claimed.v, x, n, i);"): "of an open item below n, or below p for BIP 340",
    ("kernels/batch_verification.cu", "load_column(u.v, u1, n, i);"): OF_COLUMNS,
    ("kernels/batch_verification.cu", "load_column(u.v, u2, n, i);"): OF_COLUMNS,
    ("kernels/coefficients.cuh", "load_column(more.v, memory, kThreads, thread + half);"): (
        "a sum, written by this loop"
    ),
    ("kernels/coefficients.cuh", "load_column(more.v, rows + 8 * row, 1, 0);"): "a sum of step 2, or 0",
    ("kernels/sign.cu", "load_column(r.v, nonces, points.n, i);"): OF_COLUMNS,
    ("kernels/sign.cu", "load_number(r.v, keys + i * key_stride);"): ANY + "ecdsa_sign, and sc_from_words",
    ("kernels/sign.cu", "const sc one = {{1, 0, 0, 0, 0, 0, 0, 0}};"): "1",
    ("kernels/sign.cu", "replace_by_one(sum.v, nonzero_mask(sum));"): "a scalar or 1",
    ("kernels/key_tables.cu", "load_column(claimed.v, x, n, i);"): OF_COLUMNS,
    ("kernels/block_inverse.cuh", "for (int w = 0; w < 8; w++) r.v[w] = memory.values[w * threads + thread];"): (
        "an inverse, written by invert_all"
    ),
    ("kernels/vector.cuh", "fe r = {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};"): OF_COLUMNS,
    ("kernels/vector.cuh", "for (int w = 0; w < 8; w++) r.v[w] |= entry.v[w] & mask;"): (
        "one entry of a table, all others masked away"
    ),
    ("kernels/point_batch.cuh", "load_column(r.v, xy, n, i);"): OF_COLUMNS,
    ("kernels/point_batch.cuh", "load_column(r.v, xy + 8 * n, n, i);"): OF_COLUMNS,
    ("kernels/point_batch.cuh", "load_column(r.v, xyz + 8 * which * n, n, i);"): OF_COLUMNS,
    ("kernels/verify.cu", "load_column(claimed.v, x, n, i);"): OF_COLUMNS,
    ("kernels/multiply_add.cuh", "load_column(u2.v, op.u2, n, i);"): OF_COLUMNS,
}


def writes(cuda=CUDA):
    """{(file, line)} of every place that writes the words of a number."""
    found = set()
    for folder in FOLDERS:
        for path in sorted((cuda / folder).iterdir()):
            for line in path.read_text().splitlines():
                line = line.split("//")[0].strip()
                for match in _WRITES.finditer(line):
                    if match[1] not in READ_FIRST:
                        found.add((str(path.relative_to(cuda)), line))
    return found


def check_callers(cuda=CUDA):
    """Raises Wrong if a place is not listed, or if a listed one no longer exists."""
    found = writes(cuda)
    for file, line in sorted(found - PLACES.keys()):
        raise Wrong(f"{file}: `{line}` writes a number; tools/proofs/gecc_proofs/callers.py must say why it is in its range")
    for file, line in sorted(PLACES.keys() - found):
        raise Wrong(f"{file} has no `{line}` any more, of which callers.py speaks")
