"""Compares the verdicts of `gecc bitcoin verify` with those of Bitcoin Core's kernel (libbitcoinkernel).

    python differ.py GECC [--verdicts N] [--seed N]

Makes blocks of signed inputs, most of them changed in some way: signatures and their encodings, keys, hash types, pushes,
elements of witnesses around the limit of 520 bytes, control blocks, annexes, amounts. Blocks have heights on both sides
of those where rules begin. An input that gecc accepts has to pass the kernel, one that gecc rejects has to fail there,
and what gecc does not check is counted. Blocks as a whole are compared too: transactions that stand there twice, and
coinbases that are missing or not alone.

Needs the packages py-bitcoinkernel and coincurve. The same seed gives the same inputs.
"""

import argparse
import collections
import hashlib
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import coincurve
import pbk
from pbk.script import PrecomputedTransactionData

# Heights of the main chain from which on rules are in force, as in Bitcoin Core's kernel/chainparams.cpp and
# validation.cpp (GetBlockScriptFlags). P2SH, witnesses and taproot are required in all blocks.
Flags = pbk.ScriptVerificationFlags
ALWAYS = Flags.P2SH | Flags.WITNESS | Flags.TAPROOT
FROM = [
    (363_725, Flags.DERSIG),
    (388_381, Flags.CHECKLOCKTIMEVERIFY),
    (419_328, Flags.CHECKSEQUENCEVERIFY),
    (481_824, Flags.NULLDUMMY),
]
HEIGHTS = [300_000, 363_724, 363_725, 400_000, 481_823, 481_824, 600_000, 709_631, 709_632, 800_000]
LIMITS = [519, 520, 521, 522]
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
TRANSACTIONS_OF_A_BLOCK = 400
BLOCKS = 240
WRAPPINGS = ["bare", "p2sh", "p2wsh", "p2sh-p2wsh"]
TEMPLATES = [(form, wrapping) for form in ["key", "keyhash", "keys"] for wrapping in WRAPPINGS]
TEMPLATES += [("wpkh", "p2wsh"), ("wpkh", "p2sh-p2wsh"), ("taproot", "key"), ("taproot", "script"), ("taproot", "data")]


def flags_at(height):
    flags = ALWAYS
    for start, flag in FROM:
        if height >= start:
            flags |= flag
    return flags


def sha256(data):
    return hashlib.sha256(data).digest()


def sha256d(data):
    return sha256(sha256(data))


def hash160(data):
    return hashlib.new("ripemd160", sha256(data)).digest()


def tagged(tag, data):
    return sha256(sha256(tag) * 2 + data)


def size(number):
    if number < 0xFD:
        return bytes([number])
    return b"\xfd" + struct.pack("<H", number) if number < 1 << 16 else b"\xfe" + struct.pack("<I", number)


def sized(data):
    return size(len(data)) + data


def push(data, form=None):
    """A push in the shortest form, or in that of an opcode."""
    if form is None:
        form = 0 if len(data) < 0x4C else 0x4C if len(data) < 0x100 else 0x4D
    if form == 0:
        return bytes([len(data)]) + data
    return bytes([form]) + struct.pack({0x4C: "<B", 0x4D: "<H", 0x4E: "<I"}[form], len(data)) + data


class Key:
    def __init__(self, rng):
        self.secret = coincurve.PrivateKey(rng.randrange(1, N).to_bytes(32, "big"))
        self.compressed = self.secret.public_key.format()
        self.uncompressed = self.secret.public_key.format(compressed=False)

    def public(self, rng, segwit):
        form = rng.randrange(12)
        if form < (10 if segwit else 6):
            return self.compressed
        if form == 11 and rng.random() < 0.5:
            return bytes([6 + (self.uncompressed[-1] & 1) ^ (rng.random() < 0.3)]) + self.uncompressed[1:]
        return self.uncompressed


class Input:
    """An input with the output that it spends."""

    def __init__(self, rng, keys):
        self.rng = rng
        self.form, self.wrapping = rng.choice(TEMPLATES)
        self.outpoint = rng.randbytes(32) + struct.pack("<I", rng.randrange(4))
        self.sequence = struct.pack("<I", rng.choice([0xFFFFFFFF, 0xFFFFFFFE, rng.randrange(1 << 31)]))
        self.value = rng.randrange(1 << 40)
        self.segwit = "p2wsh" in self.wrapping
        self.redeem = None
        self.script_sig, self.witness = b"", []
        if self.form == "taproot":
            self.make_taproot(keys)
            return
        count = rng.choice([1, 1, 2, 3, 5, 15]) if self.form == "keys" else 1
        self.keys = [rng.choice(keys) for _ in range(count)]
        self.publics = [key.public(rng, self.segwit) for key in self.keys]
        self.needed = rng.randrange(1, count + 1)
        if self.form == "key":
            self.inner = push(self.publics[0]) + b"\xac"
        elif self.form in ("keyhash", "wpkh"):
            self.inner = b"\x76\xa9\x14" + hash160(self.publics[0]) + b"\x88\xac"
        else:
            pushes = b"".join(push(public) for public in self.publics)
            self.inner = bytes([0x50 + self.needed]) + pushes + bytes([0x50 + count, 0xAE])
        program = b"\x00\x14" + hash160(self.publics[0]) if self.form == "wpkh" else b"\x00\x20" + sha256(self.inner)
        if self.wrapping == "p2sh":
            self.redeem = self.inner
        elif self.wrapping == "p2sh-p2wsh":
            self.redeem = program
        if self.redeem is not None:
            self.script = b"\xa9\x14" + hash160(self.redeem) + b"\x87"
        else:
            self.script = program if self.segwit else self.inner

    def make_taproot(self, keys):
        rng = self.rng
        self.keys = [rng.choice(keys)]
        internal = self.keys[0].compressed[1:]
        self.leaf = None
        root = b""
        if self.wrapping != "key":
            self.leaf_key = rng.choice(keys)
            self.leaf = push(self.leaf_key.compressed[1:]) + b"\xac"
            if self.wrapping == "data":
                parts = [push(rng.randbytes(rng.choice([3, 80, 300, *LIMITS]))) for _ in range(rng.randrange(4))]
                self.leaf += b"\x00\x63" + b"".join(parts) + b"\x68"
            self.leaf_hash = tagged(b"TapLeaf", b"\xc0" + sized(self.leaf))
            root = self.leaf_hash
            self.path = [rng.randbytes(32) for _ in range(rng.choice([0, 1, 2, 7]))]
            for sibling in self.path:
                root = tagged(b"TapBranch", min(root, sibling) + max(root, sibling))
        self.tweak = tagged(b"TapTweak", internal + root)
        point = coincurve.PublicKey(b"\x02" + internal).add(self.tweak).format()
        self.parity = point[0] & 1
        self.script = b"\x51\x20" + point[1:]
        self.annex = b"\x50" + rng.randbytes(rng.choice([0, 5, 600])) if rng.random() < 0.2 else None

    def sign(self, transaction, index):
        """Reveals the script or key that the output requires."""
        if self.form == "taproot":
            return self.sign_taproot(transaction, index)
        signers = sorted(self.rng.sample(range(len(self.keys)), self.needed)) if self.form == "keys" else [0]
        shown = [self.signature(transaction, index, self.keys[signer]) for signer in signers]
        if self.form in ("keyhash", "wpkh"):
            shown.append(self.publics[0])
        elif self.form == "keys":
            shown.insert(0, b"")
        self.shown = shown

    def signature(self, transaction, index, key):
        rng = self.rng
        named = rng.choice([1, 1, 1, 2, 3, 0x81, 0x82, 0x83])
        hash_type = rng.randrange(256) if rng.random() < 0.1 else named
        digest = transaction.digest(index, self.inner, hash_type, self.segwit)
        recoverable = key.secret.sign_recoverable(digest, hasher=None)
        r, s = int.from_bytes(recoverable[:32], "big"), int.from_bytes(recoverable[32:64], "big")
        if rng.random() < 0.2:
            s = N - s
        return der(r, s) + bytes([hash_type])

    def sign_taproot(self, transaction, index):
        rng = self.rng
        hash_type = rng.choice([0, 0, 0, 1, 2, 3, 0x81, 0x82, 0x83])
        leaf = self.leaf_hash if self.leaf is not None else None
        digest = transaction.taproot_digest(index, hash_type, self.annex, leaf)
        if digest is None:
            digest = rng.randbytes(32)
        if self.leaf is None:
            secret = int.from_bytes(self.keys[0].secret.secret, "big")
            if self.keys[0].compressed[0] == 3:
                secret = N - secret
            secret = (secret + int.from_bytes(self.tweak, "big")) % N
            signer = coincurve.PrivateKey(secret.to_bytes(32, "big"))
        else:
            signer = self.leaf_key.secret
        signature = signer.sign_schnorr(digest, rng.randbytes(32))
        self.shown = [signature + (bytes([hash_type]) if hash_type else b"")]
        if self.leaf is not None:
            control = bytes([0xC0 | self.parity]) + self.keys[0].compressed[1:] + b"".join(self.path)
            self.shown += [self.leaf, control]
        if self.annex is not None:
            self.shown.append(self.annex)

    def change(self):
        """Changes the revealed elements, in most cases."""
        rng = self.rng
        shown = self.shown
        for _ in range(rng.choice([0, 0, 0, 1, 1, 1, 2])):
            at = rng.randrange(len(shown)) if shown else 0
            kind = rng.randrange(12)
            if not shown:
                break
            if kind == 0 and shown[at]:
                shown[at] = flipped(rng, shown[at])
            elif kind == 1:
                shown[at] = b""
            elif kind == 2:
                shown[at] = shown[at][: rng.randrange(len(shown[at]) + 1)]
            elif kind == 3:
                shown[at] += rng.randbytes(rng.randrange(1, 4))
            elif kind == 4:
                # Lax DER before BIP 66 accepts anything after the numbers, up to the limit.
                length = rng.choice(LIMITS)
                element = shown[at]
                shown[at] = element[:-1] + bytes(max(0, length - len(element))) + element[-1:]
            elif kind == 5:
                shown[at] = rng.randbytes(rng.choice(LIMITS))
            elif kind == 6:
                shown.insert(rng.randrange(len(shown) + 1), rng.randbytes(rng.choice([0, 1, 33, *LIMITS])))
            elif kind == 7:
                shown.pop(at)
            elif kind == 8 and len(shown[at]) > 8:
                shown[at] = other_der(rng, shown[at])
            elif kind == 9 and self.form == "keys":
                # The extra element that a multisignature consumes may be anything before BIP 147.
                shown[0] = rng.randbytes(rng.choice([1, 5, *LIMITS]))
            elif kind == 10 and self.form == "taproot" and len(shown) > 1:
                control = bytearray(shown[2] if len(shown) > 2 else shown[-1])
                if control:
                    control[0] ^= rng.choice([1, 2, 0x10])
                    shown[2 if len(shown) > 2 else -1] = bytes(control)
            elif kind == 11:
                self.value ^= 1

    def place(self):
        """Puts the elements into script and witness, sometimes in another way than the output requires."""
        rng = self.rng
        if self.form == "taproot":
            self.witness = self.shown
            if rng.random() < 0.02:
                self.script_sig = push(b"\x01")
            return
        form = rng.choice([None] * 20 + [0x4D, 0x4E])
        as_pushes = b"".join(push(element, form) for element in self.shown)
        if self.segwit:
            self.witness = self.shown + ([self.inner] if self.form != "wpkh" else [])
            self.script_sig = push(self.redeem, rng.choice([None] * 30 + [0x4C])) if self.redeem is not None else b""
            if rng.random() < 0.02:
                self.script_sig += push(b"\x01")
        else:
            self.script_sig = as_pushes + (push(self.redeem) if self.redeem is not None else b"")
            if rng.random() < 0.02:
                self.witness = [b"\x01"]
        if rng.random() < 0.02 and self.script:
            self.script = flipped(rng, self.script)

    def output(self):
        return struct.pack("<q", self.value) + sized(self.script)


def der(r, s):
    def integer(number):
        encoded = number.to_bytes(number.bit_length() // 8 + 1, "big")
        return b"\x02" + bytes([len(encoded)]) + encoded

    both = integer(r) + integer(s)
    return b"\x30" + bytes([len(both)]) + both


def other_der(rng, signature):
    """Another encoding of a signature, or one of other numbers."""
    body, hash_type = signature[:-1], signature[-1:]
    kind = rng.randrange(8)
    if body[:1] != b"\x30" or not 8 <= len(body) <= 73:
        return flipped(rng, signature)
    length = body[3]
    r, s = body[4 : 4 + length], body[6 + length :]
    if kind == 0:
        body = b"\x30\x81" + body[1:]
    elif kind == 1:
        r = b"\x00" + r
        body = b"\x30" + bytes([len(r) + len(s) + 4, 2, len(r)]) + r + bytes([2, len(s)]) + s
    elif kind == 2:
        r = r.lstrip(b"\x00")
        body = b"\x30" + bytes([len(r) + len(s) + 4, 2, len(r)]) + r + bytes([2, len(s)]) + s
    elif kind == 3:
        body += rng.randbytes(rng.randrange(1, 6))
    elif kind == 4:
        body = body[:1] + bytes([(body[1] + rng.choice([-1, 1, 2])) & 0xFF]) + body[2:]
    elif kind == 5:
        body = der(0, int.from_bytes(s, "big"))
    elif kind == 6:
        body = der(int.from_bytes(r, "big") + N, int.from_bytes(s, "big"))
    else:
        body = der(rng.randrange(1 << 270), int.from_bytes(s, "big"))
    return body + hash_type


def flipped(rng, data):
    data = bytearray(data)
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


class Transaction:
    def __init__(self, rng, keys):
        self.version = struct.pack("<i", rng.choice([1, 2]))
        self.lock_time = struct.pack("<I", 0)
        self.inputs = [Input(rng, keys) for _ in range(rng.choice([1, 1, 2, 3]))]
        outputs = range(rng.randrange(1, 4))
        self.outputs = [struct.pack("<q", rng.randrange(1 << 40)) + sized(rng.randbytes(22)) for _ in outputs]
        for index, input in enumerate(self.inputs):
            input.sign(self, index)
        for input in self.inputs:
            input.change()
            input.place()

    def digest(self, index, script, hash_type, segwit):
        return self.segwit_digest(index, script, hash_type) if segwit else self.legacy_digest(index, script, hash_type)

    def legacy_digest(self, index, script, hash_type):
        base, alone = hash_type & 0x1F, hash_type & 0x80
        if base == 3 and index >= len(self.outputs):
            return (1).to_bytes(32, "little")
        inputs = []
        for at, input in enumerate(self.inputs):
            if alone and at != index:
                continue
            sequence = bytes(4) if base in (2, 3) and at != index else input.sequence
            inputs.append(input.outpoint + sized(script if at == index else b"") + sequence)
        outputs = self.outputs
        if base == 2:
            outputs = []
        elif base == 3:
            outputs = [b"\xff" * 8 + b"\x00"] * index + [self.outputs[index]]
        parts = [self.version, size(len(inputs)), *inputs, size(len(outputs)), *outputs, self.lock_time]
        return sha256d(b"".join(parts) + struct.pack("<I", hash_type))

    def segwit_digest(self, index, script, hash_type):
        base, alone = hash_type & 0x1F, hash_type & 0x80
        input = self.inputs[index]
        none = bytes(32)
        outpoints = none if alone else sha256d(b"".join(input.outpoint for input in self.inputs))
        sequences = none
        if not alone and base not in (2, 3):
            sequences = sha256d(b"".join(input.sequence for input in self.inputs))
        outputs = none
        if base not in (2, 3):
            outputs = sha256d(b"".join(self.outputs))
        elif base == 3 and index < len(self.outputs):
            outputs = sha256d(self.outputs[index])
        parts = [self.version, outpoints, sequences, input.outpoint, sized(script), struct.pack("<q", input.value)]
        parts += [input.sequence, outputs, self.lock_time, struct.pack("<I", hash_type)]
        return sha256d(b"".join(parts))

    def taproot_digest(self, index, hash_type, annex, leaf):
        base, alone = hash_type & 3, hash_type & 0x80
        if base == 3 and index >= len(self.outputs):
            return None
        inputs = self.inputs
        parts = [b"\x00", bytes([hash_type]), self.version, self.lock_time]
        if not alone:
            parts.append(sha256(b"".join(input.outpoint for input in inputs)))
            parts.append(sha256(b"".join(struct.pack("<q", input.value) for input in inputs)))
            parts.append(sha256(b"".join(sized(input.script) for input in inputs)))
            parts.append(sha256(b"".join(input.sequence for input in inputs)))
        if base not in (2, 3):
            parts.append(sha256(b"".join(self.outputs)))
        parts.append(bytes([(2 if leaf else 0) + (1 if annex is not None else 0)]))
        if alone:
            parts += [inputs[index].outpoint, inputs[index].output(), inputs[index].sequence]
        else:
            parts.append(struct.pack("<I", index))
        if annex is not None:
            parts.append(sha256(sized(annex)))
        if base == 3:
            parts.append(sha256(self.outputs[index]))
        if leaf:
            parts += [leaf, b"\x00", b"\xff" * 4]
        return tagged(b"TapSighash", b"".join(parts))

    def base(self):
        inputs = b"".join(input.outpoint + sized(input.script_sig) + input.sequence for input in self.inputs)
        return size(len(self.inputs)) + inputs + size(len(self.outputs)) + b"".join(self.outputs)

    def encoded(self):
        if not any(input.witness for input in self.inputs):
            return self.version + self.base() + self.lock_time
        witnesses = [size(len(input.witness)) + b"".join(map(sized, input.witness)) for input in self.inputs]
        return self.version + b"\x00\x01" + self.base() + b"".join(witnesses) + self.lock_time

    def txid(self):
        return sha256d(self.version + self.base() + self.lock_time)


def merkle_root(hashes):
    while len(hashes) > 1:
        if len(hashes) % 2:
            hashes = hashes + hashes[-1:]
        hashes = [sha256d(left + right) for left, right in zip(hashes[::2], hashes[1::2])]
    return hashes[0] if hashes else bytes(32)


def coinbase(height, lock_time=0):
    script = push(struct.pack("<I", height)[:3]) + b"\x00"
    body = b"\x01" + bytes(32) + b"\xff" * 4 + sized(script) + b"\xff" * 4 + b"\x01" + bytes(8) + sized(b"\x6a")
    return struct.pack("<i", 2) + body + struct.pack("<I", lock_time)


def block(encoded, txids):
    header = struct.pack("<i", 4) + bytes(32) + merkle_root(txids) + bytes(12)
    return header + size(len(encoded)) + b"".join(encoded)


def write(folder, name, content, spent):
    (folder / f"{name}.raw").write_bytes(content)
    (folder / f"{name}-undo.raw").write_bytes(spent)


def run_gecc(gecc, folder):
    """The answers to the blocks of a folder, and the command's messages."""
    done = subprocess.run([gecc, "bitcoin", "verify", str(folder)], capture_output=True, text=True)
    if done.returncode not in (0, 1, 2, 3):
        sys.exit(f"{gecc} ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def kernel_verdicts(transaction, flags):
    """Whether each input passes."""
    encoded = pbk.Transaction(transaction.encoded())
    outputs = [pbk.TransactionOutput(pbk.ScriptPubkey(input.script), input.value) for input in transaction.inputs]
    shared = PrecomputedTransactionData(encoded, outputs)
    verdicts = []
    for index, input in enumerate(transaction.inputs):
        script = pbk.ScriptPubkey(input.script)
        verdicts.append(bool(script.verify(input.value, encoded, shared, index, flags)))
    return verdicts


def compare_inputs(gecc, rng, wanted):
    keys = [Key(rng) for _ in range(40)]
    counts, contradictions = collections.Counter(), 0
    decided = number = 0
    while decided < wanted:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            expected = {}
            for height in HEIGHTS:
                transactions = [Transaction(rng, keys) for _ in range(TRANSACTIONS_OF_A_BLOCK)]
                encoded = [coinbase(height)] + [transaction.encoded() for transaction in transactions]
                txids = [sha256d(encoded[0])] + [transaction.txid() for transaction in transactions]
                spent = b"".join(input.output() for transaction in transactions for input in transaction.inputs)
                write(folder, f"{number:06}", block(encoded, txids), spent)
                number += 1
                for transaction in transactions:
                    txid = transaction.txid()[::-1].hex()
                    for index, verdict in enumerate(kernel_verdicts(transaction, flags_at(height))):
                        expected[height, txid, index] = (verdict, transaction)
            answers, messages = run_gecc(gecc, folder)
        if len(answers) != len(expected):
            sys.exit(f"{len(answers)} answers to {len(expected)} inputs: {messages}")
        for answer in answers:
            verdict, transaction = expected[answer["block"], answer["txid"], answer["input"]]
            found = answer["valid"]
            counts[answer["type"], found] += 1
            if found is None:
                continue
            decided += 1
            if found != verdict:
                contradictions += 1
                if contradictions <= 5:
                    spent = [input.output().hex() for input in transaction.inputs]
                    print(f"the kernel returns {verdict}: {answer}\n  {transaction.encoded().hex()}\n  {spent}")
    return decided, contradictions, counts


def compare_blocks(gecc, rng):
    """Blocks as a whole: those that the kernel takes have answers, and the others have none."""
    keys = [Key(rng) for _ in range(4)]
    parameters = pbk.ChainParameters(pbk.ChainType.MAINNET).consensus_params
    expected, block_of = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for number in range(BLOCKS):
            parts, listed = block_parts(rng, keys, number % 6)
            content = block([encoded for encoded, _, _ in parts], [txid for _, txid, _ in listed])
            state = pbk.Block(content).check(parameters, pbk.BlockCheckFlags.MERKLE)
            expected[number] = state.validation_mode == pbk.ValidationMode.VALID
            block_of.update((txid[::-1].hex(), number) for _, txid, _ in parts)
            write(folder, f"{number:03}", content, b"".join(outputs for _, _, outputs in parts))
        answers, messages = run_gecc(gecc, folder)
    answered = {block_of[answer["txid"]] for answer in answers}
    wrong = [number for number, is_valid in expected.items() if is_valid != (number in answered)]
    if wrong:
        print(f"blocks on which the kernel differs (the kind is the remainder by 6): {wrong}\n{messages}")
    if len(set(expected.values())) != 2:
        sys.exit("all blocks are valid, or none is: the comparison means little")
    return len(expected), len(wrong)


def block_parts(rng, keys, kind):
    """The transactions of a block, each with its id and the outputs that it spends, and those that its root is of."""
    first = coinbase(700_000)
    parts = [(first, sha256d(first), b"")]
    for transaction in [Transaction(rng, keys) for _ in range(rng.randrange(1, 9))]:
        outputs = b"".join(input.output() for input in transaction.inputs)
        parts.append((transaction.encoded(), transaction.txid(), outputs))
    if kind == 1:
        other = coinbase(700_000, 1)
        parts.insert(rng.randrange(1, len(parts) + 1), (other, sha256d(other), b""))
    elif kind == 2:
        parts.pop(0)
    elif kind == 3:
        parts.append(parts.pop(0))
    listed = list(parts)
    if kind == 4:
        # The last transactions once more. Where they are the last part of 1, 2, 4 or 8 the root stays the same.
        length = 1
        while len(parts) % (2 * length) == 0:
            length *= 2
        parts = parts + parts[len(parts) - length :]
    elif kind == 5:
        listed = parts[:-1] + [(b"", rng.randbytes(32), b"")]
    return parts, listed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gecc")
    parser.add_argument("--verdicts", type=int, default=120_000, help="inputs that are decided, at least")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    blocks, wrong_blocks = compare_blocks(options.gecc, rng)
    decided, contradictions, counts = compare_inputs(options.gecc, rng, options.verdicts)
    for (kind, verdict), count in sorted(counts.items(), key=str):
        print(f"{count:>8}  {kind}: {verdict}")
    print(f"{decided} verdicts, {contradictions} contradict the kernel; {blocks} blocks, {wrong_blocks} do")
    valid = sum(count for (_, verdict), count in counts.items() if verdict)
    if not decided // 10 < valid < decided - decided // 10:
        sys.exit("too few inputs are valid, or too few are not: the comparison means little")
    sys.exit(1 if contradictions or wrong_blocks else 0)


if __name__ == "__main__":
    main()
