"""The command `gecc`: the compiled one, which this package contains.

This process is replaced by the command, so that signals, exit codes and memory are as without Python.
"""

import os
import sys

from gecc import _environment


def main() -> None:
    command = _environment.PACKAGE / "bin" / "gecc"
    if not command.exists():
        sys.exit(f"gecc: this build of the package is without the command ({command}): `pip install gecc` brings it")
    environment = dict(os.environ)
    _environment.prepare(environment)
    os.execve(command, ["gecc", *sys.argv[1:]], environment)
