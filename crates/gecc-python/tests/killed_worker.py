"""An operation whose worker is killed once, for tests of what survives that. Workers import it."""

import os
import signal
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from gecc import arrow

# Groups of batches that this process has computed.
computed = 0


@dataclass(frozen=True, kw_only=True)
class VerifyAndDie(arrow.Verify):
    """The process that is the first to compute its second group of batches is killed then, as when memory runs out.

    Args:
        mark: a file that does not exist yet, where it leaves its number and the GPUs that it was to use.
    """

    mark: str

    def _answers(self, engine: Any, batches: list[Any]) -> list[pa.RecordBatch]:
        global computed
        answers = super()._answers(engine, batches)
        computed += any(batch.num_rows for batch in batches)
        if computed == 2:
            self.die_once()
        return answers

    def die_once(self) -> None:
        try:
            with open(self.mark, "x") as mark:
                mark.write(f"{os.getpid()} {os.environ.get('CUDA_VISIBLE_DEVICES')}")
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)
