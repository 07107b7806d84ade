"""Verifies signatures in Parquet files with Ray Data. Verdicts are appended to the input's columns.

    python verify_ray.py INPUT OUTPUT [--curve NAME] [--actors N] [--threads N] [--gpus]

It runs on the cluster that RAY_ADDRESS names, or on this machine alone.
"""

import argparse
from typing import Any

import ray
from gecc import arrow

# Rows that an actor gets at a time, as many as a GPU needs.
BATCH = 1 << 18


def verify(
    operation: type[arrow.Operation],
    options: dict[str, Any],
    source: str,
    target: str,
    actors: int,
    **resources: Any,
) -> None:
    """Writes the answers for all rows of the Parquet files in `source`, computed by `actors` actors.

    Args:
        operation: a class of `gecc.arrow`. Each actor makes one with `options`, and its engine with the first batch.
        resources: of an actor, `num_cpus` and `num_gpus`. Ray assigns GPUs with CUDA_VISIBLE_DEVICES.
    """
    # A block goes to one actor as a whole, and files may be few or small: blocks get the size of a batch.
    rows = ray.data.read_parquet(source).repartition(target_num_rows_per_block=BATCH)
    answers = rows.map_batches(
        operation,
        fn_constructor_kwargs=options,
        batch_format="pyarrow",
        batch_size=BATCH,
        compute=ray.data.ActorPoolStrategy(size=actors),
        **resources,
    )
    answers.write_parquet(target)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("source", metavar="INPUT")
    arguments.add_argument("target", metavar="OUTPUT")
    arguments.add_argument("--curve", default="secp256k1")
    arguments.add_argument("--actors", type=int, default=1)
    arguments.add_argument("--threads", type=int, help="threads of an actor without a GPU; its share of the cores")
    arguments.add_argument("--gpus", action="store_true", help="a GPU for each actor")
    given = arguments.parse_args()
    ray.init()
    options = {"curve": given.curve, "beside": True, "threads": given.threads}
    resources = {"num_gpus": 1} if given.gpus else {"num_cpus": given.threads or 1}
    verify(arrow.Verify, options, given.source, given.target, given.actors, **resources)
    ray.shutdown()


if __name__ == "__main__":
    main()
