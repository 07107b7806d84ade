"""Verifies signatures in Parquet files on one machine with Polars. Verdicts are appended to the input's columns.

python verify_polars.py INPUT OUTPUT [--curve NAME]
"""

import argparse

import polars as pl
from gecc import arrow

ANSWERS = {"valid": pl.Boolean(), "reason": pl.String()}


def with_verdicts(rows: pl.LazyFrame, operation: arrow.Operation) -> pl.LazyFrame:
    """A query's rows with the answers for them. Polars hands over a whole frame, through Arrow's C interface."""

    def answers(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.hstack(pl.DataFrame(operation(frame)))

    return rows.map_batches(answers, schema={**rows.collect_schema(), **ANSWERS})


def verdict(operation: arrow.Operation, *columns: str) -> pl.Expr:
    """The same as an expression: a struct of `valid` and `reason`."""

    def answers(rows: pl.Series) -> pl.Series:
        return pl.DataFrame(operation(rows)).to_struct()

    return pl.struct(columns).map_batches(answers, return_dtype=pl.Struct(ANSWERS)).alias("verdict")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("source", metavar="INPUT")
    arguments.add_argument("target", metavar="OUTPUT")
    arguments.add_argument("--curve", default="secp256k1")
    given = arguments.parse_args()
    # With `plain` reasons are strings, and not a column of categories.
    operation = arrow.Verify(given.curve, plain=True)
    with_verdicts(pl.scan_parquet(given.source), operation).collect().write_parquet(given.target)


if __name__ == "__main__":
    main()
