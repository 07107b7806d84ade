"""Rates of the recipes with Spark and Ray on one machine with single-threaded workers, and the cost of moving rows.

    python benches/engines.py [--rows N] [--files N] [--workers 1,2,4] [--rounds N] [--gpus]
        [--engines spark,ray,files] [--jobs verify,move]

Each job reads Parquet files, verifies and writes Parquet. *move* is the same without the verification, *files* is Ray
with a file a task. The first round warms up, and figures are medians of the others. CPU time is that of all processes
of the job, which others on the machine disturb less than the rate. The first lines are reading the files alone, and the
command. One row in a thousand is corrupted, and rows and verdicts are counted. Ray starts processes for each job: what a
row takes is the difference between two numbers of rows.
"""

import argparse
import logging
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from gecc import arrow

RECIPES = str(Path(__file__).parent.parent / "examples" / "recipes")
sys.path.insert(0, RECIPES)
# For workers.
os.environ["PYTHONPATH"] = RECIPES

import items  # noqa: E402

# One signature in a thousand is corrupted.
CORRUPTED = 1000

# A job that writes to a folder.
Job = Callable[[arrow.Operation, Path], None]


@dataclass(frozen=True, kw_only=True)
class Move(arrow.Verify):
    """Appends constant answers without verifying, so that only the cost of moving rows remains."""

    def _answers(self, engine: Any, batches: list[Any]) -> list[pa.RecordBatch]:
        return [with_empty_answers(batch) for batch in batches]


def with_empty_answers(batch: pa.RecordBatch) -> pa.RecordBatch:
    valid = pa.repeat(True, batch.num_rows)
    return batch.append_column("valid", valid).append_column("reason", pa.nulls(batch.num_rows, pa.string()))


@dataclass
class Seen:
    """What a process was last seen to have used, in seconds, and the ended children that it has waited for."""

    parent: int
    own: float
    of_ended: float


class Cpu(threading.Thread):
    """Measures the CPU time of this process and its descendants.

    A process that has ended counts with the time its parent recorded, or with the last observed time
    if the parent did not wait for it.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seen: dict[int, Seen] = {}
        self.lock = threading.Lock()
        # The CPU time of this thread.
        self.looking = 0.0

    def run(self) -> None:
        while True:
            self.look()
            self.looking = time.thread_time()
            time.sleep(0.2)

    def look(self) -> float:
        this = psutil.Process()
        with self.lock:
            alive = set()
            for process in [this, *this.children(recursive=True)]:
                with suppress(psutil.NoSuchProcess):
                    times = process.cpu_times()
                    of_ended = times.children_user + times.children_system
                    self.seen[process.pid] = Seen(process.ppid(), times.user + times.system, of_ended)
                    alive.add(process.pid)
            return self.used(this.pid, alive) - self.looking

    def used(self, pid: int, alive: set[int]) -> float:
        """By a process and all below it."""
        below = {child: self.used(child, alive) for child, seen in self.seen.items() if seen.parent == pid}
        ended = sum(seconds for child, seconds in below.items() if child not in alive)
        seen = self.seen[pid]
        return seen.own + max(seen.of_ended, ended) + sum(below[child] for child in below.keys() & alive)


def measure(processes: Cpu, name: str, rows: int, rounds: int, job: Callable[[Path], None]) -> tuple[int, int]:
    """Prints the rate of a job, and gives how many rows it wrote and how many of them are valid."""
    rates, cpu = [], []
    for round_ in range(rounds + 1):
        target = Path(tempfile.mkdtemp()) / "answers"
        start, before = time.perf_counter(), processes.look()
        job(target)
        seconds, used = time.perf_counter() - start, processes.look() - before
        valid = pq.read_table(target, columns=["valid"])["valid"].to_pylist() if target.exists() else []
        shutil.rmtree(target.parent)
        if round_ > 0:
            rates.append(rows / seconds / 1e3)
            cpu.append(used / rows * 1e6)
    print(f"| {name} | {statistics.median(rates):.0f} | {statistics.median(cpu):.2f} |", flush=True)
    return len(valid), sum(valid)


@contextmanager
def spark(source: Path, workers: int, _: dict[str, int]) -> Iterator[Job]:
    import pyspark
    import verify_spark

    folder = tempfile.mkdtemp()
    os.environ |= {
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_SCALA_VERSION": "2.13",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": folder,
        "PYSPARK_PYTHON": sys.executable,
    }
    # A partition for each file.
    options = {"spark.ui.enabled": "false", "spark.sql.files.openCostInBytes": str(1 << 30)}
    session = verify_spark.session(f"local-cluster[{workers},1,1024]", options)
    session.sparkContext.setLogLevel("ERROR")
    yield lambda operation, target: verify_spark.verify(session, operation, str(source), str(target))
    session.stop()
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def ray(source: Path, workers: int, resources: dict[str, int]) -> Iterator[Job]:
    import ray
    import verify_ray

    ray.init(num_cpus=2 * workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    # Several blocks for each worker.
    verify_ray.BATCH = 1 << 16

    def job(operation: arrow.Operation, target: Path) -> None:
        verify_ray.verify(type(operation), vars(operation), str(source), str(target), workers, **resources)

    yield job
    ray.shutdown()


@contextmanager
def files(source: Path, workers: int, resources: dict[str, int]) -> Iterator[Job]:
    import ray
    import verify_files

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield lambda operation, target: verify_files.verify(operation.curve, 1, source, target, **resources)
    ray.shutdown()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=1 << 20)
    arguments.add_argument("--files", type=int, default=8)
    arguments.add_argument("--workers", default="1,2,4")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--engines", default="spark,ray,files")
    arguments.add_argument("--jobs", default="verify,move")
    arguments.add_argument("--gpus", action="store_true", help="a GPU for each worker of Ray; those of Spark use all")
    given = arguments.parse_args()
    rows, resources = given.rows, {"num_gpus" if given.gpus else "num_cpus": 1}
    processes = Cpu()
    processes.start()
    options: dict[str, Any] = {"curve": items.CURVE, "beside": True, "plain": True, "threads": 1}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        names = items.write(source, rows, given.files, CORRUPTED)
        bytes_a_row = sum(name.stat().st_size for name in names) / rows
        print(f"{rows} rows in {given.files} files, {bytes_a_row:.0f} bytes a row; {os.cpu_count()} cores\n")
        print("| job | thousand rows a second | CPU, µs a row |\n|---|---|---|", flush=True)
        timed = partial(measure, processes, rows=rows, rounds=given.rounds)
        timed("Parquet read by pyarrow, 1 thread", job=lambda _: read(names))
        counted = None
        if "verify" in given.jobs:
            counted = timed("the command, 1 thread", job=lambda target: command(names, target))
        for engine in given.engines.split(","):
            for workers in map(int, given.workers.split(",")):
                with {"spark": spark, "ray": ray, "files": files}[engine](source, workers, resources) as job:
                    name = f"{engine}, {workers} workers"
                    if "verify" in given.jobs:
                        assert timed(name, job=partial(job, arrow.Verify(**options))) == counted
                    if "move" in given.jobs and engine != "files":
                        assert timed(f"{name}, move", job=partial(job, Move(**options))) == (rows, rows)


def command(names: list[Path], target: Path) -> None:
    target.mkdir()
    for file in names:
        verify = ["gecc", "verify", "--curve", items.CURVE, "--threads", "1", "--beside", "--quiet"]
        subprocess.run([*verify, "-o", str(target / file.name), str(file)], check=False)


def read(names: list[Path]) -> None:
    for file in names:
        pq.read_table(file, use_threads=False)


if __name__ == "__main__":
    main()
