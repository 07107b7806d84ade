import duckdb
import pytest
from support import connect


@pytest.fixture
def db() -> duckdb.DuckDBPyConnection:
    return connect()
