"""The recipes of examples/recipes: they write the rows that the command writes for the same Parquet files.

What a machine lacks is skipped, and is an error with GECC_REQUIRE_RECIPES=1.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from gecc import arrow

from killed_worker import VerifyAndDie

RECIPES = Path(__file__).parent.parent / "examples" / "recipes"
sys.path.insert(0, str(RECIPES))

import items  # noqa: E402
import verify_duckdb  # noqa: E402
import verify_polars  # noqa: E402

ROWS, FILES = 40_000, 4
NAMES = ["row", "digest", "signature", "public_key", "valid", "reason"]


def needs(name: str, is_there: bool) -> pytest.MarkDecorator:
    required = os.environ.get("GECC_REQUIRE_RECIPES") == "1"
    return pytest.mark.skipif(not is_there and not required, reason=f"{name} is not installed")


def has_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java") is not None or bool(home and (Path(home) / "bin" / "java").exists())


needs_pyspark = needs("pyspark", importlib.util.find_spec("pyspark") is not None)
needs_java = needs("Java, which Spark needs,", has_java())
needs_ray = needs("ray", importlib.util.find_spec("ray") is not None)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("items")
    items.write(folder, ROWS, FILES)
    return folder


@pytest.fixture(scope="module")
def expected(source: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The command's rows of all files, by their numbers."""
    answers = tmp_path_factory.mktemp("answers")
    for file in source.iterdir():
        verify = [
            "gecc",
            "verify",
            "--curve",
            items.CURVE,
            "--beside",
            "--quiet",
            "-o",
            str(answers / file.name),
            str(file),
        ]
        assert subprocess.run(verify, check=False).returncode == 1
    rows = rows_of(answers)
    assert [row["row"] for row in rows] == list(range(1, ROWS + 1))
    # The rows of real blocks and two thirds of the others are valid; the rest have several reasons.
    assert all(row["valid"] for row in rows[:530])
    assert 0.6 < sum(row["valid"] for row in rows) / ROWS < 0.7
    assert len({row["reason"] for row in rows}) == 8
    return rows


def rows_of(answers: Path | pa.Table) -> list[dict[str, Any]]:
    """All rows of a table, or of the files of a folder, by their numbers."""
    table = answers if isinstance(answers, pa.Table) else pq.read_table(answers)
    assert table.schema.names == NAMES
    return table.sort_by("row").to_pylist()


def run(recipe: str, *arguments: str | Path, **environment: str) -> None:
    command = [sys.executable, str(RECIPES / recipe), *map(str, arguments)]
    subprocess.run(command, env={**os.environ, **environment}, check=True, timeout=300)


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


def require_killed(marks: Path, gpus: set[str]) -> None:
    """A worker was killed, a second worked, a third took the place of the first, and they were to use these GPUs."""
    killed = (marks / "killed").read_text()
    workers = {mark.name: mark.read_text() for mark in marks.iterdir() if mark.name != "killed"}
    assert killed in workers
    assert len(workers) >= 3
    assert set(workers.values()) == gpus
    assert not Path(f"/proc/{killed}").exists()


@pytest.mark.parametrize("recipe", ["verify_polars.py", "verify_duckdb.py"])
def test_on_one_machine(recipe: str, source: Path, expected: list[dict[str, Any]], tmp_path: Path) -> None:
    run(recipe, source / "*.parquet", tmp_path / "answers.parquet")
    assert rows_of(tmp_path / "answers.parquet") == expected


def test_an_expression_of_polars(source: Path, expected: list[dict[str, Any]]) -> None:
    rows = polars.scan_parquet(source / "*.parquet")
    operation = arrow.Verify(items.CURVE, plain=True, gather=5000)
    verdict = verify_polars.verdict(operation, "digest", "signature", "public_key")
    assert rows_of(rows.with_columns(verdict).unnest("verdict").collect().to_arrow()) == expected
    rejected = rows.filter(~verdict.struct.field("valid")).select("row").collect()["row"].to_list()
    assert rejected == [row["row"] for row in expected if not row["valid"]]


def test_a_function_of_duckdb(source: Path, expected: list[dict[str, Any]]) -> None:
    connection = duckdb.connect()
    verify_duckdb.add_function(connection, items.CURVE)
    query = "SELECT row FROM read_parquet(?) WHERE NOT ecdsa_verify(digest, signature, public_key) ORDER BY row"
    rejected = [row for (row,) in connection.execute(query, [str(source / "*.parquet")]).fetchall()]
    assert rejected == [row["row"] for row in expected if not row["valid"]]


@needs_pyspark
@needs_java
def test_spark(source: Path, expected: list[dict[str, Any]], tmp_path: Path) -> None:
    run(
        "verify_spark.py",
        source,
        tmp_path / "answers",
        "--master",
        "local[2]",
        "--threads",
        "1",
        SPARK_LOCAL_IP="127.0.0.1",
    )
    assert rows_of(tmp_path / "answers") == expected


@pytest.fixture(scope="module")
def spark_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cluster of two workers, processes of their own, each with a GPU as far as Spark knows. Its number is 7."""
    import pyspark
    import verify_spark

    folder = tmp_path_factory.mktemp("spark")
    gpus = folder / "gpus"
    gpus.write_text("""#!/bin/sh\necho '{"name": "gpu", "addresses": ["7"]}'\n""")
    gpus.chmod(0o755)
    (folder / "workers").mkdir()
    environment = {
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_SCALA_VERSION": "2.13",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(folder / "workers"),
        "PYSPARK_PYTHON": sys.executable,
    }
    options = {
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.executor.memory": "700m",
        # Both workers run before a task starts.
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
        # Many batches and a partition for each file, so that there is a middle in which to die.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
        "spark.sql.files.openCostInBytes": str(1 << 30),
    }
    for part in ("worker", "executor"):
        options |= {f"spark.{part}.resource.gpu.amount": "1", f"spark.{part}.resource.gpu.discoveryScript": str(gpus)}
    with pytest.MonkeyPatch.context() as variables:
        for name, value in environment.items():
            variables.setenv(name, value)
        spark = verify_spark.session("local-cluster[2,1,1024]", options)
        spark.sparkContext.addPyFile(str(Path(__file__).parent / "killed_worker.py"))
        yield spark
        spark.stop()


@needs_pyspark
@needs_java
def test_spark_with_gpus_and_a_killed_worker(
    source: Path, expected: list[dict[str, Any]], tmp_path: Path, marks: Path, spark_cluster: Any
) -> None:
    import verify_spark

    operation = VerifyAndDie(items.CURVE, beside=True, plain=True, gather=2500, threads=1, marks=str(marks))
    profile = verify_spark.for_gpus(1)
    assert profile.taskResources["gpu"].amount == 1
    verify_spark.verify(spark_cluster, operation, str(source), str(tmp_path / "answers"), profile)
    require_killed(marks, {"7"})
    assert rows_of(tmp_path / "answers") == expected


@needs_pyspark
@needs_java
def test_spark_reports_missing_columns_before_a_task_starts(source: Path, tmp_path: Path, spark_cluster: Any) -> None:
    import verify_spark

    operation = arrow.Verify(items.CURVE, columns="digest=digest,signature=signature,public_key=key", plain=True)
    with pytest.raises(ValueError, match="no column `key` for `public_key`"):
        verify_spark.verify(spark_cluster, operation, str(source), str(tmp_path / "answers"))
    assert not (tmp_path / "answers").exists()


@pytest.fixture
def ray_cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A cluster of two nodes on this machine, of which Ray thinks that each has a GPU."""
    import ray
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    # Where workers find the operation that dies, and a task.
    folders = [str(Path(__file__).parent), str(RECIPES), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(folders))
    node = {"num_cpus": 2, "num_gpus": 1, "object_store_memory": 100 << 20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    cluster.add_node(**node)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    # Both actors run before they get blocks.
    monkeypatch.setattr(ray.data.DataContext.get_current(), "wait_for_min_actors_s", 120)
    yield ray
    ray.shutdown()
    cluster.shutdown()


@needs_ray
def test_ray_on_two_nodes_with_a_killed_actor(
    source: Path,
    expected: list[dict[str, Any]],
    tmp_path: Path,
    marks: Path,
    ray_cluster: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import verify_ray

    assert len([node for node in ray_cluster.nodes() if node["Alive"]]) == 2
    monkeypatch.setattr(verify_ray, "BATCH", 3000)
    options = {"curve": items.CURVE, "beside": True, "threads": 1, "marks": str(marks)}
    target = str(tmp_path / "answers")
    verify_ray.verify(VerifyAndDie, options, str(source), target, actors=2, num_gpus=1)
    require_killed(marks, {"0"})
    assert rows_of(tmp_path / "answers") == expected


@needs_ray
def test_ray_file_by_file(
    source: Path, expected: list[dict[str, Any]], tmp_path: Path, ray_cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import verify_files

    target = tmp_path / "answers"
    verify_files.verify(items.CURVE, 1, source, target, num_gpus=1)
    assert rows_of(target) == expected
    # Only the missing output is computed again.
    lost, *others = sorted(target.iterdir())
    written = [file.stat().st_mtime_ns for file in others]
    lost.unlink()
    verify_files.verify(items.CURVE, 1, source, target, num_gpus=1)
    assert rows_of(target) == expected
    assert [file.stat().st_mtime_ns for file in others] == written
    # A file that is not Parquet raises an error that names it.
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "text.parquet").write_text("no rows")
    with pytest.raises(RuntimeError, match=r"text\.parquet: gecc: "):
        verify_files.verify(items.CURVE, 1, broken, target, num_gpus=1)


@needs_ray
def test_ray(source: Path, expected: list[dict[str, Any]], tmp_path: Path) -> None:
    run("verify_ray.py", source, tmp_path / "answers", "--threads", "1", RAY_USAGE_STATS_ENABLED="0")
    assert rows_of(tmp_path / "answers") == expected
