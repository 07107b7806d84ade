"""Locations of files that are installed with this package."""

import importlib.util
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

PACKAGE = Path(__file__).parent


def nvrtc_folders() -> Iterator[Path]:
    """Finds folders with NVRTC that NVIDIA's packages have installed, e.g. by `gecc[cuda]`; newest CUDA first."""
    spec = importlib.util.find_spec("nvidia")
    for parent in (spec and spec.submodule_search_locations) or ():
        libraries = Path(parent).glob("*/lib/libnvrtc.so.[0-9]*")
        yield from (library.parent for library in sorted(libraries, key=_major_version, reverse=True))


def _major_version(library: Path) -> int:
    digits = takewhile(str.isdigit, library.name.removeprefix("libnvrtc.so."))
    return int("".join(digits))


def close_to_others(folder: Path) -> None:
    """Removes write permissions of others on packs of kernels, which are not loaded otherwise: pip keeps them if the
    user's umask does. Anyone who has used them could have changed this file as well.
    """
    for pack in folder.glob("*.gecckernels"):
        mode = pack.stat().st_mode
        if mode & 0o022:
            with suppress(OSError):
                pack.chmod(mode & 0o755)


def prepare(environment: MutableMapping[str, str]) -> None:
    """Sets NVRTC's folder and that of compiled kernels, if they exist and the user has not set them."""
    if "GECC_NVRTC_DIR" not in environment:
        for folder in nvrtc_folders():
            environment["GECC_NVRTC_DIR"] = str(folder)
            break
    kernels = PACKAGE / "kernels"
    if kernels.is_dir() and "GECC_KERNELS" not in environment:
        close_to_others(kernels)
        environment["GECC_KERNELS"] = str(kernels)
