"""Verifies signatures in Parquet files on shared storage with Ray: each task runs the command on one file.

    python verify_files.py INPUT OUTPUT [--curve NAME] [--threads N] [--gpus]

Ray moves names, and no rows. That is what keeps a GPU busy (docs/scale.md in the repository). A file that is there has
all its answers, so that a run that was broken off goes on where it ended.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

import ray


def verify_file(curve: str, threads: int | None, source: Path, target: Path) -> None:
    """Runs the command, which renames the output when it is complete. Exit status 1: some rows are rejected."""
    options = ["--curve", curve, "--beside", "--quiet", *(["--threads", str(threads)] if threads else [])]
    command = [sys.executable, "-m", "gecc", "verify", *options, "-o", str(target), str(source)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{source}: {done.stderr}")


def verify(curve: str, threads: int | None, source: Path, target: Path, **resources: Any) -> None:
    """Writes a file of answers for each Parquet file in `source`. A task that fails is tried again."""
    target.mkdir(parents=True, exist_ok=True)
    files = [file for file in sorted(source.glob("*.parquet")) if not (target / file.name).exists()]
    task = ray.remote(max_retries=3, retry_exceptions=True, **resources)(verify_file)
    ray.get([task.remote(curve, threads, file, target / file.name) for file in files])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("source", metavar="INPUT", type=Path)
    arguments.add_argument("target", metavar="OUTPUT", type=Path)
    arguments.add_argument("--curve", default="secp256k1")
    arguments.add_argument("--threads", type=int, help="threads of a task, its share of the cores")
    arguments.add_argument("--gpus", action="store_true", help="a GPU for each task")
    given = arguments.parse_args()
    ray.init()
    resources = {"num_gpus": 1} if given.gpus else {"num_cpus": given.threads or 1}
    verify(given.curve, given.threads, given.source.resolve(), given.target.resolve(), **resources)
    ray.shutdown()


if __name__ == "__main__":
    main()
