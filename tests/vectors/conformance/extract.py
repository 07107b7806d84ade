#!/usr/bin/env python3
"""Writes the files of this folder from clones of the projects that README.md names.

    python3 extract.py --wycheproof REPO --acvp REPO --cctv REPO --ethereum REPO --btcd REPO \
        --bips REPO --cryptography WHEEL

REPO is the folder of a clone, bare or not, whose HEAD is the commit that README.md states; WHEEL is
the wheel of cryptography_vectors. A source that is not given keeps its file. Nothing is changed but
the form: other curves, and fields that no test reads, are left out.
"""

import argparse
import gzip
import io
import json
import pathlib
import re
import subprocess
import zipfile

FOLDER = pathlib.Path(__file__).parent
WYCHEPROOF = r"testvectors_v1/((ecdsa|ecdh)_(secp256k1|secp256r1|brainpoolP256r1)_.*|ed25519_test|x25519_.*|ec_prime_order_curves_test)\.json"
# Modes of ACVP, and the fields that its generator adds for itself.
ACVP = ["ECDSA-KeyGen", "ECDSA-KeyVer", "ECDSA-SigGen", "ECDSA-SigVer", "DetECDSA-SigGen"]
ACVP = [f"{mode}-FIPS186-5" for mode in ACVP]
ACVP += [f"EDDSA-{mode}-1.0" for mode in ["KeyGen", "KeyVer", "SigGen", "SigVer"]]
CRYPTOGRAPHY = [
    "ECDSA/FIPS_186-2/KeyPair.rsp",
    "ECDSA/FIPS_186-2/PKV.rsp",
    "ECDSA/FIPS_186-2/SigGen.txt",
    "ECDSA/FIPS_186-2/SigVer.rsp",
    "ECDSA/FIPS_186-3/PKV.rsp",
    "ECDSA/FIPS_186-3/SigGen.txt",
    "ECDSA/FIPS_186-3/SigVer.rsp",
    "ECDSA/SECP256K1/SigGen.txt",
    "ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_init.fax",
    "ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_resp.fax",
    "ECDH/brainpool.txt",
]


def shown(repository, path):
    return subprocess.check_output(["git", "-C", repository, "show", f"HEAD:{path}"])


def listed(repository, folder):
    command = ["git", "-C", repository, "ls-tree", "-r", "--name-only", "HEAD", folder]
    return subprocess.check_output(command, text=True).split()


def write(name, content):
    """Compresses without a time stamp, so that the same content is the same file."""
    if not isinstance(content, bytes):
        content = json.dumps(content, separators=(",", ":")).encode()
    path = FOLDER / f"{name}.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=0) as file:
        file.write(content)
    path.write_bytes(packed.getvalue())


def wycheproof(repository):
    for path in listed(repository, "testvectors_v1/"):
        if not re.fullmatch(WYCHEPROOF, path):
            continue
        whole = json.loads(shown(repository, path))
        kept = {name: whole[name] for name in ["numberOfTests", "testGroups"]}
        write(f"wycheproof/{pathlib.Path(path).name}", kept)


def acvp(repository):
    for mode in ACVP:
        packed = shown(repository, f"acvp/{mode}/internalProjection.json.gz")
        groups = json.loads(gzip.decompress(packed))["testGroups"]
        groups = [group for group in groups if group["curve"] in ("P-256", "ED-25519")]
        if mode.endswith("SigVer-FIPS186-5") or mode == "EDDSA-SigVer-1.0":
            for group in groups:
                for test in group["tests"]:
                    del test["d"]
        write(f"acvp/{mode}.json", groups)


def cctv(repository):
    write("cctv/ed25519vectors.json", json.loads(shown(repository, "ed25519/ed25519vectors.json")))
    write("cctv/rfc6979.md", shown(repository, "RFC6979/README.md"))


def ethereum(repository):
    tests = {}
    for path in listed(repository, "TransactionTests/"):
        # Ten megabytes of data, which are too long for this folder.
        if "String10Mb" in path:
            continue
        # Each file has one test. Two have the same name.
        folder, name = pathlib.Path(path).parent.name, pathlib.Path(path).stem
        for test in json.loads(shown(repository, path)).values():
            results = {
                fork: {key: value for key, value in result.items() if key != "intrinsicGas"}
                for fork, result in test["result"].items()
            }
            tests[f"{folder}/{name}"] = {"txbytes": test["txbytes"], "result": results}
    write("ethereum/transaction_tests.json", tests)


def btcd(repository):
    for name in ["script_tests", "sighash", "tx_invalid", "tx_valid"]:
        whole = json.loads(shown(repository, f"txscript/data/{name}.json"))
        write(f"bitcoin/{name}.json", [case for case in whole if len(case) > 1])
    cases = []
    for path in listed(repository, "txscript/data/taproot-ref/"):
        cases.append(json.loads(shown(repository, path).decode().strip().rstrip(",")))
    content = json.dumps(cases, separators=(",", ":")).encode()
    # Cases share most of their transactions and scripts, over distances that gzip does not see.
    packed = subprocess.run(["zstd", "-19", "--long=24", "-q", "-c"], input=content, check=True, capture_output=True)
    (FOLDER / "bitcoin/script_assets_test.json.zst").write_bytes(packed.stdout)


def bips(repository):
    """The chains of each seed of BIP 32, with their extended keys."""
    page = shown(repository, "bip-0032.mediawiki").decode()
    seeds = page[page.index("===Test vector 1===") : page.index("===Test vector 5===")].split("===Test vector")[1:]
    pattern = r"\* Chain (\S+)\n\*\* ext pub: (\S+)\n\*\* ext prv: (\S+)"
    chains = [re.findall(pattern, seed.replace("<sub>H</sub>", "H")) for seed in seeds]
    names = ["chain", "public", "private"]
    write("bip/bip32.json", [[dict(zip(names, chain)) for chain in seed] for seed in chains])


def sections(text):
    """The sections of a file of NIST's, each with its lines."""
    found = [("", [])]
    for line in text.splitlines():
        if line.startswith("["):
            found.append((line, []))
        elif line and not line.startswith("#"):
            found[-1][1].append(line)
    return found


def cryptography(wheel):
    files = zipfile.ZipFile(wheel)
    kept = {}
    for name in CRYPTOGRAPHY:
        text = files.read(f"cryptography_vectors/asymmetric/{name}").decode()
        if name == "ECDH/brainpool.txt" or "SECP256K1" in name:
            kept[name] = text
            continue
        wanted = "[EC - SHA256]" if "KAS" in name else "[P-256"
        parts = [[head, *body] for head, body in sections(text) if head.startswith(wanted)]
        kept[name] = "\n".join(line for part in parts for line in part)
    write("cryptography/cryptography_vectors.json", kept)


def main():
    sources = [wycheproof, acvp, cctv, ethereum, btcd, bips, cryptography]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for source in sources:
        parser.add_argument(f"--{source.__name__}")
    options = vars(parser.parse_args())
    for source in sources:
        if options[source.__name__]:
            source(options[source.__name__])


if __name__ == "__main__":
    main()
