"""NVRTC, the run-time compiler of CUDA, through its C interface. It needs no GPU."""

import ctypes
import os
from pathlib import Path

from .project import CUDA, Wrong


def _library():
    folder = Path(os.environ.get("GECC_NVRTC_DIR") or ".")
    # The compiler finds its builtins only if they are loaded before it.
    for builtins in sorted(folder.glob("libnvrtc-builtins.so*")):
        ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
    found = sorted(folder.glob("libnvrtc.so*"))
    if not found:
        raise Wrong("no libnvrtc.so: GECC_NVRTC_DIR must name its folder")
    return ctypes.CDLL(str(found[0]))


_nvrtc = None


def _headers(curve, changed):
    """(name in an #include, text) of every header of the device code. `changed` has other texts for some."""
    result = [(str(path.relative_to(CUDA)), path.read_text()) for path in sorted(CUDA.rglob("*.cuh"))]
    result.append(("curve.cuh", curve.header))
    return [(name, changed.get(name, text)) for name, text in result]


def compile_to_ptx(source, curve, architecture, changed=None):
    """The PTX of a source for one curve, with the options that the library compiles kernels with.

    `changed` has texts to use in the place of headers, by their names.
    """
    global _nvrtc
    _nvrtc = _nvrtc or _library()
    headers = _headers(curve, changed or {})
    count = len(headers)
    names = (ctypes.c_char_p * count)(*[name.encode() for name, _ in headers])
    texts = (ctypes.c_char_p * count)(*[text.encode() for _, text in headers])
    program = ctypes.c_void_p()
    created = _nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"probe.cu", count, texts, names)
    if created != 0:
        raise Wrong("nvrtcCreateProgram failed")
    try:
        options = [b"--std=c++17", f"--gpu-architecture={architecture}".encode()]
        failed = _nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        if failed:
            raise Wrong(_text(program, "ProgramLog"))
        return _text(program, "PTX")
    finally:
        _nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def version():
    global _nvrtc
    _nvrtc = _nvrtc or _library()
    major, minor = ctypes.c_int(), ctypes.c_int()
    _nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def _text(program, what):
    size = ctypes.c_size_t()
    getattr(_nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(_nvrtc, f"nvrtcGet{what}")(program, text)
    return text.value.decode()
