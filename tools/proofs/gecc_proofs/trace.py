"""The point formulas as sequences of field operations: cuda/ compiled with elements that print themselves."""

import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .project import CUDA, ROOT, Wrong

TRACE = ROOT / "tools/proofs/trace"


@dataclass
class Run:
    """What one sequence of answers leads to."""

    lines: list  # (operation, operands) by their numbers
    questions: list  # (kind, line asked about, answer)
    results: dict  # name -> line
    verdicts: dict  # name -> number
    put: list = field(default_factory=list)  # (entry, x, y, third, number of lines before)


class Program:
    """The formulas of one curve, compiled from the device code in a folder."""

    def __init__(self, curve, cuda=CUDA):
        self.curve = curve
        self.folder = tempfile.TemporaryDirectory()
        self.binary = Path(self.folder.name) / "formulas"
        compiler = os.environ.get("CXX", "c++")
        includes = [TRACE, cuda, curve.generated / curve.name]
        command = [compiler, "-std=c++17", "-O0", *(f"-I{folder}" for folder in includes)]
        try:
            subprocess.run([*command, str(TRACE / "formulas.cpp"), "-o", str(self.binary)], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Wrong(f"the formulas do not compile: {error}") from error

    def run(self, formula, decisions=""):
        output = subprocess.run([self.binary, formula, decisions], check=True, capture_output=True, text=True).stdout
        path = Run([], [], {}, {})
        for text in output.splitlines():
            kind, *rest = text.split(" ")
            if kind == "too":
                raise Wrong(f"{formula}: more than three subtractions from an open number")
            if kind == "result":
                path.results[rest[0]] = int(rest[1])
            elif kind == "verdict":
                path.verdicts[rest[0]] = int(rest[1])
            elif kind == "put":
                path.put.append(tuple(map(int, rest)) + (len(path.lines),))
            else:
                if kind in ("zero", "odd"):
                    path.questions.append((kind, int(rest[0]), int(rest[1])))
                path.lines.append((kind, rest))
        return path

    def paths(self, formula):
        """Returns the path of every sequence of answers."""
        todo, found = [""], []
        while todo:
            decisions = todo.pop()
            path = self.run(formula, decisions)
            found.append(path)
            answers = "".join(str(answer) for _, _, answer in path.questions)
            for position in range(len(decisions), len(answers)):
                todo.append(answers[:position] + "1")
        return found
