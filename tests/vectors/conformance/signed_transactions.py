#!/usr/bin/env python3
"""Writes ethereum/eth_account.json.gz: transactions of every type, signed by eth-account.

    pip install 'eth-account==0.14.0' && python3 signed_transactions.py

The same seed gives the same file.
"""

import gzip
import io
import json
import pathlib
import random

from eth_account import Account
from eth_utils import keccak, to_checksum_address

FOLDER = pathlib.Path(__file__).parent
OF_EACH_TYPE = 25
KINDS = ["legacy", "eip155", "eip2930", "eip1559", "eip4844", "eip7702"]


def address(rng):
    return to_checksum_address(rng.randbytes(20))


def number(rng, bits):
    """A number of any length up to this."""
    return rng.getrandbits(rng.randrange(1, bits + 1))


def access_list(rng):
    def entry():
        keys = ["0x" + rng.randbytes(32).hex() for _ in range(rng.randrange(3))]
        return {"address": address(rng), "storageKeys": keys}

    return [entry() for _ in range(rng.randrange(3))]


def transaction(kind, rng):
    """The fields of a transaction, and the accounts that authorize code in it."""
    fields = {
        "nonce": number(rng, 60),
        "gas": number(rng, 60),
        "value": number(rng, 200),
        "data": "0x" + rng.randbytes(number(rng, 9)).hex(),
        "to": address(rng),
    }
    authorities = []
    if kind in ("legacy", "eip155", "eip2930"):
        fields["gasPrice"] = number(rng, 100)
    else:
        fields["maxFeePerGas"] = number(rng, 100)
        fields["maxPriorityFeePerGas"] = number(rng, 100)
    if kind in ("legacy", "eip155", "eip2930", "eip1559") and rng.random() < 0.2:
        fields["to"] = b""
    if kind != "legacy":
        fields["chainId"] = 1 + number(rng, 40)
    if kind not in ("legacy", "eip155"):
        fields["type"] = 1 + KINDS[2:].index(kind)
        fields["accessList"] = access_list(rng)
    if kind == "eip4844":
        fields["maxFeePerBlobGas"] = number(rng, 100)
        hashes = range(1, rng.randrange(2, 7))
        fields["blobVersionedHashes"] = ["0x01" + rng.randbytes(31).hex() for _ in hashes]
    if kind == "eip7702":
        authorities = [Account.from_key(rng.randbytes(32)) for _ in range(rng.randrange(1, 4))]
        signed = [
            account.sign_authorization({"chainId": fields["chainId"], "address": address(rng), "nonce": number(rng, 60)})
            for account in authorities
        ]
        fields["authorizationList"] = signed
    return fields, authorities


def main():
    rng = random.Random(58)
    cases = []
    for kind in KINDS:
        for _ in range(OF_EACH_TYPE):
            account = Account.from_key(rng.randbytes(32))
            fields, authorities = transaction(kind, rng)
            raw = bytes(account.sign_transaction(fields).raw_transaction)
            cases.append(
                {
                    "type": kind,
                    "raw": "0x" + raw.hex(),
                    "hash": keccak(raw).hex(),
                    "sender": account.address[2:].lower(),
                    "authorities": [authority.address[2:].lower() for authority in authorities],
                }
            )
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=0) as file:
        file.write(json.dumps(cases, separators=(",", ":")).encode())
    (FOLDER / "ethereum/eth_account.json.gz").write_bytes(packed.getvalue())


if __name__ == "__main__":
    main()
