"""Runs the kernels of the proofs on a GPU and compares them with the interpreter: `python3 run.py FOLDER`.

The folder is made by `python3 -m gecc_proofs.gpu FOLDER`, which needs no GPU. This needs numpy and NVIDIA's driver.
"""

import ctypes
import sys
from pathlib import Path

import numpy as np

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    error = getattr(cuda, name)(*arguments)
    if error:
        sys.exit(f"{name} failed with error {error}")


def buffer(size):
    pointer = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
    return pointer


def run(function, arguments, words):
    """The results of a kernel for each row of arguments: one launch of one thread for each."""
    items, taken = arguments.shape
    source, target = buffer(arguments.nbytes), buffer(4 * items * words)
    call("cuMemcpyHtoD_v2", source, arguments.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(arguments.nbytes))
    for i in range(items):
        out, given = ctypes.c_uint64(target.value + 4 * words * i), ctypes.c_uint64(source.value + 4 * taken * i)
        pointers = (ctypes.c_void_p * 2)(ctypes.addressof(out), ctypes.addressof(given))
        call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, pointers, None)
    call("cuCtxSynchronize")
    results = np.empty((items, words), dtype=np.uint32)
    call("cuMemcpyDtoH_v2", results.ctypes.data_as(ctypes.c_void_p), target, ctypes.c_size_t(results.nbytes))
    call("cuMemFree_v2", source)
    call("cuMemFree_v2", target)
    return results


def main():
    folder = Path(sys.argv[1])
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    differing = 0
    for path in sorted(folder.glob("*.ptx")):
        module = ctypes.c_void_p()
        call("cuModuleLoadData", ctypes.byref(module), path.read_bytes() + b"\0")
        cases = np.load(path.with_suffix(".npz"))
        names = sorted({name.split(":")[0] for name in cases.files})
        compared = wrong = 0
        for name in names:
            function = ctypes.c_void_p()
            call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
            expected = cases[name + ":results"]
            found = run(function, np.ascontiguousarray(cases[name + ":arguments"]), expected.shape[1])
            compared += expected.size
            if (found != expected).any():
                wrong += 1
                print(f"{path.stem} {name}: {int((found != expected).any(axis=1).sum())} items differ")
        print(f"{path.stem}: {len(names)} kernels, {compared} words compared, {wrong} kernels differ", flush=True)
        differing += wrong
    sys.exit(1 if differing else 0)


main()
