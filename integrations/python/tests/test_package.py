"""The package: its documentation, types, reasons and command."""

import doctest
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import types
from pathlib import Path

import gecc
import gecc._answer
import gecc._api
import gecc._reason
import gecc.arrow
import gecc.silent_payments
import numpy as np
import pytest
from gecc import _command, _environment, _gecc

from support import ROOT

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize(
    "module", [gecc, gecc._answer, gecc._api, gecc._reason, gecc.arrow, gecc.silent_payments], ids=lambda module: module.__name__
)
def test_examples_of_the_documentation(module: types.ModuleType) -> None:
    found = doctest.testmod(module, extraglobs={"np": np})
    assert found.attempted > 0
    assert found.failed == 0


def test_examples_of_the_readme() -> None:
    found = doctest.testfile(str(EXAMPLES.parent / "README.md"), module_relative=False)
    assert found.attempted > 5
    assert found.failed == 0


def test_every_call_is_documented() -> None:
    for name in gecc.__all__:
        value = getattr(gecc, name)
        assert value.__doc__, name
        if isinstance(value, types.FunctionType) and "der" not in name:
            assert re.search("constant-time", value.__doc__, re.IGNORECASE), name


def test_reasons_are_those_of_the_library() -> None:
    known = {code: (name, text) for code, name, text in _gecc.reason_texts()}
    for reason in gecc.Reason:
        assert known[reason] == (reason.name, reason.text)
    # Every code of an item has a reason, except 17: modular arithmetic is not part of the Python API.
    assert {code for code in known if code < 64} - set(gecc.Reason) == {17}


def test_types() -> None:
    """The package, an example, recipes and typed calls pass mypy's strict checks, and the stubs are those of what runs."""
    folder = EXAMPLES.parent
    configuration = str(folder / "pyproject.toml")
    recipes = [str(EXAMPLES / "recipes" / name) for name in ("items.py", "verify_polars.py")]
    programs = [str(EXAMPLES / "coincurve_batch.py"), *recipes, str(folder / "tests" / "typed_calls.py")]
    for checked in (["--package", "gecc"], programs):
        subprocess.run([sys.executable, "-m", "mypy", "--config-file", configuration, *checked], check=True)
    stubtest = [sys.executable, "-m", "mypy.stubtest", "--mypy-config-file", configuration]
    subprocess.run([*stubtest, "gecc._gecc", "gecc._api"], check=True)


def test_the_command_is_the_compiled_one() -> None:
    blocks = ROOT / "examples" / "data" / "ethereum_blocks.jsonl"
    for command in (["gecc"], [sys.executable, "-m", "gecc"]):
        version = subprocess.run([*command, "--version"], check=True, capture_output=True, text=True).stdout
        first_line = version.splitlines()[0]
        assert first_line == f"gecc {importlib.metadata.version('gecc')}" == f"gecc {gecc.__version__}"
        verify = [*command, "verify", "--curve", "secp256k1", "--quiet", str(blocks)]
        lines = subprocess.run(verify, check=True, capture_output=True, text=True).stdout.splitlines()
        assert [json.loads(line)["valid"] for line in lines] == [True] * 530
        changed = blocks.read_text().replace("62c6", "62c7", 1)
        rejected = subprocess.run([*verify[:-1], "-"], input=changed, capture_output=True, text=True, check=False)
        assert rejected.returncode == 1


def test_errors_for_missing_parts_name_the_package_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = "import sys; sys.modules['pyarrow'] = None; import gecc; gecc.generate_keys('p256', 1); import gecc.arrow"
    done = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("ModuleNotFoundError: gecc.arrow needs pyarrow: pip install 'gecc[arrow]'\n")
    monkeypatch.setattr(_environment, "PACKAGE", tmp_path)
    with pytest.raises(SystemExit, match="without the command .*: `pip install gecc` brings it"):
        _command.main()


def test_nvrtc_of_a_package_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older = tmp_path / "nvidia" / "cuda_nvrtc" / "lib" / "libnvrtc.so.12"
    library = tmp_path / "nvidia" / "cu13" / "lib" / "libnvrtc.so.13"
    for path in (older, library):
        path.parent.mkdir(parents=True)
        path.touch()
    folder = "import os, gecc; print(os.environ.get('GECC_NVRTC_DIR'))"

    def found(**variables: str) -> str:
        environment = {name: value for name, value in os.environ.items() if name != "GECC_NVRTC_DIR"} | variables
        command = [sys.executable, "-c", folder]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()

    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    assert found(PYTHONPATH=path) == str(library.parent)
    assert found(PYTHONPATH=path, GECC_NVRTC_DIR="elsewhere") == "elsewhere"


@pytest.mark.skipif(not list(_environment.nvrtc_folders()), reason="gecc[cuda] is not installed")
def test_nvrtc_of_the_extra_is_loaded() -> None:
    assert _gecc.nvrtc_version() >= (13, 0)
    doctor = subprocess.run(["gecc", "doctor"], check=False, capture_output=True, text=True)
    assert "NVRTC: version 13" in doctor.stdout


def test_compiled_kernels_of_the_package_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_environment, "PACKAGE", tmp_path)
    environment = {"GECC_NVRTC_DIR": "somewhere"}
    _environment.prepare(environment)
    assert "GECC_KERNELS" not in environment
    (tmp_path / "kernels").mkdir()
    _environment.prepare(environment)
    assert environment == {"GECC_NVRTC_DIR": "somewhere", "GECC_KERNELS": str(tmp_path / "kernels")}


@pytest.mark.skipif(os.name != "posix", reason="files have modes on Unix alone")
def test_packs_that_others_may_write_to_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_environment, "PACKAGE", tmp_path)
    pack, other = tmp_path / "kernels" / "sm_90.gecckernels", tmp_path / "kernels" / "other"
    pack.parent.mkdir()
    for file in (pack, other):
        file.touch()
        file.chmod(0o664)
    _environment.prepare({"GECC_KERNELS": "elsewhere"})
    assert pack.stat().st_mode & 0o777 == 0o664
    _environment.prepare({})
    assert [file.stat().st_mode & 0o777 for file in (pack, other)] == [0o644, 0o664]
