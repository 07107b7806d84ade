"""An operation whose worker is killed once, for tests of what survives that. Workers import it."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from gecc import arrow

# Groups of batches with rows that this process has computed.
computed = 0


@dataclass(frozen=True, kw_only=True)
class VerifyAndDie(arrow.Verify):
    """Kills the first process that computes a second group of batches, as the kernel does when memory runs out.

    Args:
        marks: a folder in which every process that computes leaves a file. Its name is the number of the process, and
            in it are the GPUs that it was to use. The killed one leaves its number in the file `killed`.
    """

    marks: str

    def _answers(self, engine: Any, batches: list[Any]) -> list[pa.RecordBatch]:
        global computed
        answers = super()._answers(engine, batches)
        computed += any(batch.num_rows for batch in batches)
        if computed > 0:
            Path(self.marks, str(os.getpid())).write_text(os.environ.get("CUDA_VISIBLE_DEVICES", "unset"))
        if computed == 2:
            self.die_once()
        return answers

    def die_once(self) -> None:
        try:
            with Path(self.marks, "killed").open("x") as mark:
                mark.write(str(os.getpid()))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)
