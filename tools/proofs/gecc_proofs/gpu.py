"""Prepares what gpu/run.py runs on a GPU: `python3 -m gecc_proofs.gpu FOLDER`.

For each curve the PTX of all kernels for one generation of GPUs, and their arguments with the interpreter's results.
"""

import sys
from pathlib import Path

import numpy as np

from .catalogue import DEVICE
from .interpret import Interpreter
from .nvrtc import compile_to_ptx
from .probes import kernel_name, source
from .project import curves
from .ptx import Unsupported, instructions, kernels
from .samples import arguments

ARCHITECTURE = "compute_90"  # runs on every GPU from the Hopper generation on
ITEMS = 400


def prepare(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for curve in curves():
        statements = [s for s in DEVICE if s.curves(curve)]
        text = compile_to_ptx(source(statements, curve), curve, ARCHITECTURE)
        bodies, cases = kernels(text), {}
        for statement in statements:
            name = kernel_name(statement)
            columns = arguments(statement, curve, ITEMS, seed=7)
            real = Interpreter(columns)
            try:
                real.run(instructions(bodies[name]))
            except Unsupported:
                continue  # items that branch differently do not run side by side
            results = [np.broadcast_to(real.results[i], ITEMS) for i in range(len(real.results))]
            cases[name + ":arguments"] = columns.T.astype(np.uint32)
            cases[name + ":results"] = np.array(results).T.astype(np.uint32)
        (folder / f"{curve.name}.ptx").write_text(text)
        np.savez_compressed(folder / f"{curve.name}.npz", **cases)
        print(f"{curve.name}: {len(statements)} kernels")


if __name__ == "__main__":
    prepare(Path(sys.argv[1]))
