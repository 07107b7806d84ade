"""Writes hash_to_curve.json: points and masked points of every suite of `gecc::hash_to_curve`.

    python3 tests/vectors/hash_to_curve.py > tests/vectors/hash_to_curve.json

An implementation with Python's integers that shares nothing with the library. It follows the
definitions: RFC 9380 (sections 5.2, 5.3.1, 5.3.3 and 6.6.2, appendix E.1) with divisions where the
RFC divides; GB/T 32905-2016 for SM3; `TryAndRehash_SM` of YACL (d3d19f3a,
yacl/crypto/ecc/openssl/openssl_group.cc); `ECGroup::GetPointByHashingToCurveSha256` and
`Context::RandomOracle` of private-join-and-compute (950c5e4c). Where there are vectors of others,
it is compared with them first: those of RFC 9380 next to this file, and the SM3 of the system's
OpenSSL if it has one.
"""

import hashlib
import itertools
import json
import pathlib
import sys

ITEMS = 100
MOST_TRIES = 12


class Curve:
    def __init__(self, p, a, b, n):
        self.p, self.a, self.b, self.n = p, a, b, n

    def right_side(self, x):
        return (x * x * x + self.a * x + self.b) % self.p

    def root(self, value):
        """A square root of `value`, or None. All primes are 3 modulo 4."""
        root = pow(value, (self.p + 1) // 4, self.p)
        return root if root * root % self.p == value % self.p else None

    def even_point(self, x):
        y = self.root(self.right_side(x))
        return None if y is None else (x, y if y % 2 == 0 else self.p - y)

    def add(self, left, right):
        if left is None or right is None:
            return left or right
        if left[0] == right[0]:
            if (left[1] + right[1]) % self.p == 0:
                return None
            slope = (3 * left[0] * left[0] + self.a) * pow(2 * left[1], -1, self.p)
        else:
            slope = (right[1] - left[1]) * pow(right[0] - left[0], -1, self.p)
        x = (slope * slope - left[0] - right[0]) % self.p
        return x, (slope * (left[0] - x) - left[1]) % self.p

    def multiply(self, scalar, point):
        product = None
        for bit in bin(scalar)[2:]:
            product = self.add(product, product)
            if bit == "1":
                product = self.add(product, point)
        return product


P256 = Curve(
    2**256 - 2**224 + 2**192 + 2**96 - 1,
    -3,
    0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
)
SECP256K1 = Curve(
    2**256 - 2**32 - 977,
    0,
    7,
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141,
)
SM2 = Curve(
    2**256 - 2**224 - 2**96 + 2**64 - 1,
    -3,
    0x28E9FA9E9D9F5E344D5A9E4BCF6509A7F39789F515AB8F92DDBCBD414D940E93,
    0xFFFFFFFEFFFFFFFFFFFFFFFFFFFFFFFF7203DF6B21C6052B53BBF40939D54123,
)
# RFC 9380, section 8.7 and appendix E.1: the curve that is 3-isogenous to secp256k1, and the map.
ISOGENOUS = Curve(
    SECP256K1.p,
    0x3F8731ABDD661ADCA08A5558F0F5D272E953D363CB6F0E5D405447C01A444533,
    1771,
    SECP256K1.n,
)
X_NUM = [
    0x8E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38DAAAAA8C7,
    0x07D3D4C80BC321D5B9F315CEA7FD44C5D595D2FC0BF63B92DFFF1044F17C6581,
    0x534C328D23F234E6E2A413DECA25CAECE4506144037C40314ECBD0B53D9DD262,
    0x8E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38DAAAAA88C,
]
X_DEN = [
    0xD35771193D94918A9CA34CCBB7B640DD86CD409542F8487D9FE6B745781EB49B,
    0xEDADC6F64383DC1DF7C4B2D51B54225406D36B641F5E41BBC52A56612A8C6D14,
    1,
]
Y_NUM = [
    0x4BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684B8E38E23C,
    0xC75E0C32D5CB7C0FA9D0A54B12A0A6D5647AB046D686DA6FDFFC90FC201D71A3,
    0x29A6194691F91A73715209EF6512E576722830A201BE2018A765E85A9ECEE931,
    0x2F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F38E38D84,
]
Y_DEN = [
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFF93B,
    0x7A06534BB8BDB49FD5E9E6632722C2989467C1BFC8E8D978DFB425D2685C2573,
    0x6484AA716545CA2CF3A70C3FA8FE337E0A3D21162F0D6299A7BF8192BFD2A76F,
    1,
]


def sm3(message):
    """GB/T 32905-2016."""

    def rotate(word, count):
        count %= 32
        return (word << count | word >> (32 - count)) & 0xFFFFFFFF

    state = [
        0x7380166F, 0x4914B2B9, 0x172442D7, 0xDA8A0600,
        0xA96F30BC, 0x163138AA, 0xE38DEE4D, 0xB0FB0E4E,
    ]  # fmt: skip
    padded = message + b"\x80" + bytes(-(len(message) + 9) % 64)
    padded += (8 * len(message)).to_bytes(8, "big")
    for start in range(0, len(padded), 64):
        block = padded[start : start + 64]
        w = [int.from_bytes(block[4 * i : 4 * i + 4], "big") for i in range(16)]
        for j in range(16, 68):
            x = w[j - 16] ^ w[j - 9] ^ rotate(w[j - 3], 15)
            x ^= rotate(x, 15) ^ rotate(x, 23)
            w.append(x ^ rotate(w[j - 13], 7) ^ w[j - 6])
        a, b, c, d, e, f, g, h = state
        for j in range(64):
            t = 0x79CC4519 if j < 16 else 0x7A879D8A
            ss1 = rotate((rotate(a, 12) + e + rotate(t, j)) & 0xFFFFFFFF, 7)
            ss2 = ss1 ^ rotate(a, 12)
            ff = a ^ b ^ c if j < 16 else a & b | a & c | b & c
            gg = e ^ f ^ g if j < 16 else e & f | ~e & g
            tt1 = (ff + d + ss2 + (w[j] ^ w[j + 4])) & 0xFFFFFFFF
            tt2 = (gg + h + ss1 + w[j]) & 0xFFFFFFFF
            a, b, c, d = tt1, a, rotate(b, 9), c
            e, f, g, h = tt2 ^ rotate(tt2, 9) ^ rotate(tt2, 17), e, rotate(f, 19), g
        state = [old ^ new for old, new in zip(state, (a, b, c, d, e, f, g, h))]
    return b"".join(word.to_bytes(4, "big") for word in state)


def sha256(message):
    return hashlib.sha256(message).digest()


def number(octets):
    return int.from_bytes(octets, "big")


def expand_message_xmd(message, dst, length):
    if len(dst) > 255:
        dst = sha256(b"H2C-OVERSIZE-DST-" + dst)
    dst += bytes([len(dst)])
    first = sha256(bytes(64) + message + length.to_bytes(2, "big") + b"\0" + dst)
    blocks = [sha256(first + b"\1" + dst)]
    while 32 * len(blocks) < length:
        mixed = bytes(a ^ b for a, b in zip(first, blocks[-1]))
        blocks.append(sha256(mixed + bytes([len(blocks) + 1]) + dst))
    return b"".join(blocks)[:length]


def simplified_swu(curve, z, u):
    p = curve.p
    divisor = z * z * u**4 + z * u * u
    # inv0(0) = 0
    inverse = 0 if divisor % p == 0 else pow(divisor, -1, p)
    x = -curve.b * pow(curve.a, -1, p) * (1 + inverse) % p
    if inverse == 0:
        x = curve.b * pow(z * curve.a, -1, p) % p
    y = curve.root(curve.right_side(x))
    if y is None:
        x = z * u * u * x % p
        y = curve.root(curve.right_side(x))
    return x, y if y % 2 == u % 2 else p - y


def isogeny(point):
    p = SECP256K1.p
    x, y = point

    def fraction(numerator, denominator):
        values = [
            sum(k * x**i for i, k in enumerate(polynomial)) for polynomial in (numerator, denominator)
        ]
        return values[0] * pow(values[1], -1, p) % p

    return fraction(X_NUM, X_DEN), y * fraction(Y_NUM, Y_DEN) % p


def map_to_p256(u):
    return simplified_swu(P256, -10, u)


def map_to_secp256k1(u):
    return isogeny(simplified_swu(ISOGENOUS, -11, u))


def hash_to_curve(curve, map_to_curve, elements, message, dst):
    octets = expand_message_xmd(message, dst, 48 * elements)
    total = None
    for start in range(0, len(octets), 48):
        u = number(octets[start : start + 48]) % curve.p
        total = curve.add(total, map_to_curve(u))
    return total, 1, False


def sm2_rehash(message, _):
    digest = sm3(message)
    for tries in range(1, 101):
        point = SM2.even_point(number(digest) % SM2.p)
        if point:
            return point, tries, False
        digest = sm3(digest)


def sm2_increment(message, _):
    x = number(sm3(message)) % SM2.p
    for tries in range(1, 101):
        point = SM2.even_point(x)
        if point:
            return point, tries, False
        x = (x + 1) % SM2.p


def p256_rehash(message, _):
    def oracle(octets):
        both = sha256(b"\1" + octets) + sha256(b"\2" + octets)
        return number(both) % P256.p

    x = oracle(message)
    is_shorter = False
    for tries in range(1, 101):
        point = P256.even_point(x)
        if point:
            return point, tries, is_shorter
        is_shorter |= x < 2**248
        x = oracle(x.to_bytes((x.bit_length() + 7) // 8, "big"))


def rfc_suite(curve, map_to_curve, elements):
    return curve, lambda message, dst: hash_to_curve(curve, map_to_curve, elements, message, dst)


SUITES = {
    "P256_XMD:SHA-256_SSWU_RO_": rfc_suite(P256, map_to_p256, 2),
    "P256_XMD:SHA-256_SSWU_NU_": rfc_suite(P256, map_to_p256, 1),
    "secp256k1_XMD:SHA-256_SSWU_RO_": rfc_suite(SECP256K1, map_to_secp256k1, 2),
    "secp256k1_XMD:SHA-256_SSWU_NU_": rfc_suite(SECP256K1, map_to_secp256k1, 1),
    "SM2_SM3_REHASH_": (SM2, sm2_rehash),
    "SM2_SM3_INCREMENT_": (SM2, sm2_increment),
    "P256_SHA-256_REHASH_": (P256, p256_rehash),
}


def check_against_others():
    folder = pathlib.Path(__file__).parent / "rfc9380"
    checked = 0
    for path in sorted(folder.glob("*_SSWU_*.json")):
        file = json.loads(path.read_text())
        suite = SUITES[file["ciphersuite"]][1]
        for vector in file["vectors"]:
            expected = tuple(int(vector["P"][name], 16) for name in "xy")
            assert suite(vector["msg"].encode(), file["dst"].encode())[0] == expected
            checked += 1
    assert checked == 20
    # GB/T 32905-2016, appendix A.
    known = "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"
    assert sm3(b"abc").hex() == known
    if "sm3" in hashlib.algorithms_available:
        for length in range(200):
            assert sm3(bytes(length)) == hashlib.new("sm3", bytes(length)).digest()


def messages(name, tries_of):
    """Messages of all lengths up to 60 bytes and some longer ones, and those that need many tries."""
    chosen = [bytes((7 * length + i) % 256 for i in range(length)) for length in range(60)]
    chosen += [b"%d" % length * length for length in (100, 128, 300)]
    candidates = (b"item %d" % index for index in itertools.count())
    if "SSWU" in name:
        return chosen + list(itertools.islice(candidates, ITEMS - len(chosen)))
    missing = {tries: 3 for tries in range(2, MOST_TRIES)}
    # The next digest of private-join-and-compute is that of a shorter number.
    shorter = 7 if name == "P256_SHA-256_REHASH_" else 0
    while any(missing.values()) or shorter:
        message = next(candidates)
        tries, is_shorter = tries_of(message)
        if missing.get(tries):
            missing[tries] -= 1
        elif is_shorter and shorter:
            shorter -= 1
        else:
            continue
        chosen.append(message)
    return chosen


def compressed(point):
    return (bytes([2 + point[1] % 2]) + point[0].to_bytes(32, "big")).hex()


def main():
    check_against_others()
    lines = []
    for index, (name, (curve, suite)) in enumerate(SUITES.items()):
        is_rfc = "SSWU" in name
        # Tags of the longest length that is hashed as it is, and of the shortest that is not.
        tags = [b"gecc-V01-CS02-with-" + name.encode(), b"t" * 255, b"T" * 256] if is_rfc else [b""]
        key = number(sha256(b"key of " + name.encode())) % curve.n
        for dst in tags:
            chosen = messages(name, lambda message: suite(message, dst)[1:])
            items = []
            for message in chosen if dst == tags[0] else chosen[:10]:
                point, tries, _ = suite(message, dst)
                assert (point[1] ** 2 - curve.right_side(point[0])) % curve.p == 0
                items.append(
                    {
                        "message": message.hex(),
                        "tries": tries,
                        "point": compressed(point),
                        "masked": compressed(curve.multiply(key, point)),
                    }
                )
            rows = ",\n  ".join(json.dumps(item) for item in items)
            head = {"suite": name, "dst": dst.hex(), "key": key.to_bytes(32, "big").hex()}
            lines.append(json.dumps(head)[:-1] + f', "items": [\n  {rows}\n]}}')
    sys.stdout.write("[" + ",\n".join(lines) + "]\n")


main()
