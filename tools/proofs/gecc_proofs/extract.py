"""Single functions of cuda/ out of the preprocessed sources, and programs that are compiled with them."""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .project import CUDA, ROOT, Wrong

TRACE = ROOT / "tools/proofs/trace"


def _compiler():
    return os.environ.get("CXX", "c++")


def includes(curve, cuda, *first):
    """Options for the compiler: the folders where headers are looked for, in this order."""
    return [f"-I{folder}" for folder in (*first, cuda, curve.generated / curve.name)]


def preprocessed(curve, header, cuda=CUDA):
    """The text of a header with everything that it includes, as the compiler of C++ sees it."""
    command = [_compiler(), "-std=c++17", "-E", "-P", "-x", "c++", *includes(curve, cuda), str(cuda / header)]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Wrong(f"{header} is not preprocessed: {error}") from error


def function(text, name):
    """The definition of a function; None where the text has none. Wrong where it has two."""
    found = []
    head = rf"(?:template <[^<>]*>\s*)?static inline [\w<> ]+?[&*]?\s*\b{name}\([^;{{]*\)\s*{{"
    for match in re.finditer(head, text):
        depth, end = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        found.append(text[match.start() : end])
    if len(found) > 1:
        raise Wrong(f"{name} is defined more than once")
    return found[0] if found else None


@dataclass
class Trace:
    """What a program printed."""

    lines: list = field(default_factory=list)  # (operation, operands)
    results: list = field(default_factory=list)  # (what follows `result`)


class Program:
    """A program that prints its operations: source compiled with recording numbers of trace/."""

    def __init__(self, text, curve, recorders, cuda=CUDA, libraries=()):
        self.folder = tempfile.TemporaryDirectory()
        source, self.binary = Path(self.folder.name) / "main.cpp", Path(self.folder.name) / "main"
        source.write_text(text)
        folders = includes(curve, cuda, *(TRACE / name for name in recorders))
        command = [_compiler(), "-std=c++17", "-O0", "-w", *folders, str(source), "-o", str(self.binary), *libraries]
        try:
            subprocess.run(command, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Wrong(f"a program of traces does not compile: {error}") from error

    def run(self, *arguments):
        command = [self.binary, *map(str, arguments)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        trace = Trace()
        for text in output.splitlines():
            operation, *operands = text.split(" ")
            if operation == "error":
                raise Wrong(text)
            if operation == "result":
                trace.results.append(operands)
            else:
                trace.lines.append((operation, operands))
        return trace

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()
