"""Copies of the device code with one line changed."""

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

from gecc_proofs.project import CUDA


@contextmanager
def changed_cuda(name, old, new):
    """A folder like cuda/ in which `old`, which must stand in the file, is `new`."""
    with tempfile.TemporaryDirectory() as folder:
        cuda = Path(folder) / "cuda"
        shutil.copytree(CUDA, cuda)
        text = (cuda / name).read_text()
        if old not in text:
            raise AssertionError(f"{name} has no `{old}`")
        (cuda / name).write_text(text.replace(old, new))
        yield cuda
