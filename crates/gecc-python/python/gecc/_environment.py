"""Where the library finds what lies beside this package."""

import importlib.util
from collections.abc import Iterator, MutableMapping
from pathlib import Path

PACKAGE = Path(__file__).parent


def nvrtc_folders() -> Iterator[Path]:
    """Folders with NVRTC that packages of NVIDIA have installed, as `gecc[cuda]` does."""
    spec = importlib.util.find_spec("nvidia")
    for parent in (spec and spec.submodule_search_locations) or ():
        yield from sorted({library.parent for library in Path(parent).glob("*/lib/libnvrtc.so*")}, reverse=True)


def prepare(environment: MutableMapping[str, str]) -> None:
    """Names NVRTC's folder and that of compiled kernels, where they are there and the user has named none."""
    if "GECC_NVRTC_DIR" not in environment:
        for folder in nvrtc_folders():
            environment["GECC_NVRTC_DIR"] = str(folder)
            break
    if (PACKAGE / "kernels").is_dir():
        environment.setdefault("GECC_KERNELS", str(PACKAGE / "kernels"))
