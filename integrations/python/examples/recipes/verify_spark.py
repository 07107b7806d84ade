"""Verifies signatures in Parquet files with Spark. Verdicts are appended to the input's columns.

    python verify_spark.py INPUT OUTPUT [--curve NAME] [--master local[2]] [--threads N] [--gpus-per-task N]

Without --master, Spark's configuration or `spark-submit` determines where it runs.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

import pyarrow as pa
from gecc import arrow
from pyspark import TaskContext
from pyspark.resource import ResourceProfile, ResourceProfileBuilder, TaskResourceRequests
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

# Rows that Spark passes to Python at a time. The default of 10000 is too few for a GPU.
BATCH = 1 << 18


def session(master: str | None = None, options: Mapping[str, str] = MappingProxyType({})) -> SparkSession:
    """A session whose batches are as large as a GPU needs, with other options of Spark."""
    builder = SparkSession.builder.appName("gecc").config("spark.sql.execution.arrow.maxRecordsPerBatch", BATCH)
    for name, value in options.items():
        builder = builder.config(name, value)
    return (builder.master(master) if master else builder).getOrCreate()


def for_gpus(per_task: float, cpus_per_task: int = 1) -> ResourceProfile:
    """A profile of tasks with a GPU each. With half of one two share it, and one reads while the other computes.

    Which GPUs an executor has is in Spark's configuration: spark.executor.resource.gpu.amount and .discoveryScript.
    """
    tasks = TaskResourceRequests().cpus(cpus_per_task).resource("gpu", per_task)
    return ResourceProfileBuilder().require(tasks).build


def in_task(operation: arrow.Operation) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The operation as `mapInArrow` takes it, on the GPUs that Spark has given to the task."""

    def answers(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        gpus = context.resources().get("gpu") if context else None
        if gpus:
            arrow.use_gpus(gpus.addresses)
        return operation.each(batches)

    return answers


def verify(
    spark: SparkSession, operation: arrow.Operation, source: str, target: str, profile: ResourceProfile | None = None
) -> None:
    """Writes the answers for all rows of the Parquet files in `source`."""
    rows = spark.read.parquet(source)
    # Spark needs the schema of the answers. A missing column is an error here, before a task starts.
    answers = from_arrow_schema(operation.schema(to_arrow_schema(rows.schema)))
    rows.mapInArrow(in_task(operation), answers, profile=profile).write.parquet(target)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("source", metavar="INPUT")
    arguments.add_argument("target", metavar="OUTPUT")
    arguments.add_argument("--curve", default="secp256k1")
    arguments.add_argument("--master")
    arguments.add_argument("--threads", type=int, help="threads of a task without a GPU; its share of the cores")
    arguments.add_argument("--gpus-per-task", type=float, help="1, or less for tasks that share one")
    given = arguments.parse_args()
    # Spark supports neither dictionaries nor FixedSizeBinary.
    operation = arrow.Verify(given.curve, beside=True, plain=True, threads=given.threads)
    spark = session(given.master)
    profile = for_gpus(given.gpus_per_task) if given.gpus_per_task else None
    verify(spark, operation, given.source, given.target, profile)
    spark.stop()


if __name__ == "__main__":
    main()
