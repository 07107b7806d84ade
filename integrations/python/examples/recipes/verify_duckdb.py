"""Verifies signatures in Parquet files on one machine with DuckDB. Verdicts are appended to the input's columns.

python verify_duckdb.py INPUT OUTPUT [--curve NAME]
"""

import argparse

import duckdb
import gecc
import pyarrow as pa
from gecc import arrow

# Rows of a batch, as many as a GPU needs. DuckDB's own vectors have 2048.
BATCH = 1 << 18


def verdicts(rows: duckdb.DuckDBPyRelation, operation: arrow.Operation) -> pa.RecordBatchReader:
    """The rows of a query with the answers for them, as a reader, which DuckDB takes like a table."""
    batches = rows.to_arrow_reader(BATCH)
    return pa.RecordBatchReader.from_batches(operation.schema(batches.schema), operation.each(batches))


def add_function(connection: duckdb.DuckDBPyConnection, curve: str) -> None:
    """`ecdsa_verify(digest, signature, public_key)` in SQL. It gets a vector at a time, too few rows for a GPU."""

    def ecdsa_verify(digests: pa.ChunkedArray, signatures: pa.ChunkedArray, keys: pa.ChunkedArray) -> pa.Array:
        return gecc.verify(curve, digests, signatures, keys)

    blob = duckdb.sqltypes.BLOB
    connection.create_function(
        "ecdsa_verify", ecdsa_verify, [blob] * 3, duckdb.sqltypes.BOOLEAN, type="arrow", null_handling="special"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("source", metavar="INPUT")
    arguments.add_argument("target", metavar="OUTPUT")
    arguments.add_argument("--curve", default="secp256k1")
    given = arguments.parse_args()
    # A connection runs one query at a time, and the first one is still read while the second writes.
    reading, writing = duckdb.connect(), duckdb.connect()
    answers = verdicts(reading.read_parquet(given.source), arrow.Verify(given.curve, beside=True))
    writing.from_arrow(answers).write_parquet(given.target)


if __name__ == "__main__":
    main()
