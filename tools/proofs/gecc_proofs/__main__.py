"""python3 -m gecc_proofs COMMAND: see tools/proofs/README.md."""

import argparse
import json
import multiprocessing
import os
import re
import sys
import time
from pathlib import Path

from . import catalogue, cpu_sources, sources
from .crosscheck import crosscheck
from .mutants import try_mutants
from .project import SHORT_WEIERSTRASS, Wrong, curves, weierstrass
from .prove import Unproved, prove
from .prove_bits import prove_on_bits
from .ptx import Unsupported
from .theorems import THEOREMS

_NAME = re.compile(r"(?:<[^>]*>|\([^)]*\)|[^,<(])+")  # names of statements may have commas between brackets
_tasks = []


def _prove_one(number, options):
    task = _tasks[number]
    started, result = time.monotonic(), {"task": task.title, "name": task.statement.name, "curve": task.curve.name}
    result["says"] = task.statement.says
    try:
        reading = None  # of a proof by bits none is wanted
        if task.statement.bits:
            prove_on_bits(task.statement, task.curve, task.instructions)
        else:
            reading = prove(task.statement, task.curve, task.instructions)
        result["seconds"] = time.monotonic() - started
        if options["items"]:
            result["compared"] = crosscheck(task, reading, options["items"])
        if options["mutants"] or options["all_mutants"]:
            count = None if options["all_mutants"] else options["mutants"]
            result["mutants"] = try_mutants(task, count, seed=options["seed"])
            result["all_mutants"] = options["all_mutants"]
            if result["mutants"][2]:
                raise Wrong("a mutant is proved that is wrong")
    except (Unproved, Unsupported, Wrong, KeyError) as error:
        result["failure"] = f"{type(error).__name__}: {error}"
    result["all_seconds"] = time.monotonic() - started
    return result


def _run(options):
    """Shows everything; returns the results, which are also printed as they come."""
    global _tasks
    every_curve = curves()
    found = sources.check(catalogue.DEVICE, every_curve) | cpu_sources.check(catalogue.CPU)
    if options.curves:
        every_curve = [curve for curve in every_curve if curve.name in options.curves.split(",")]
    print(f"{len(found)} functions in the sources, each with a statement or a reason", flush=True)
    _tasks = catalogue.tasks(every_curve, options.architectures.split(","))
    if options.functions:
        _tasks = [t for t in _tasks if t.statement.name in _NAME.findall(options.functions)]
    if options.all_mutants:
        _tasks.sort(key=lambda task: len(task.instructions))  # so that a stopped run has finished many
    settings = {key: getattr(options, key) for key in ("items", "mutants", "all_mutants", "seed")}
    if options.theorems:
        _tasks = []
    jobs = []
    if not options.functions:
        jobs = [(_show_one, number, every_curve) for number, t in enumerate(THEOREMS) if any(map(t.about, every_curve))]
    jobs += [(_prove_one, number, settings) for number in range(len(_tasks))]
    if options.processes == 1:
        return _collect(map(_apply, jobs), options.results)
    with multiprocessing.get_context("fork").Pool(options.processes) as pool:
        return _collect(pool.imap_unordered(_apply, jobs), options.results)


def _show_one(number, every_curve):
    theorem = THEOREMS[number]
    started, result = time.monotonic(), {"task": theorem.name, "name": theorem.name, "says": theorem.says}
    about = [curve for curve in every_curve if theorem.about(curve)]
    if about == every_curve:
        result["curve"] = "all"
    elif about == list(filter(weierstrass, every_curve)):
        result["curve"] = SHORT_WEIERSTRASS
    else:
        result["curve"] = ", ".join(curve.name for curve in about)
    try:
        theorem.show(about)
    except (Wrong, Unproved, Unsupported, KeyError) as error:
        result["failure"] = f"{type(error).__name__}: {error}"
    result["seconds"] = result["all_seconds"] = time.monotonic() - started
    return result


def _apply(job):
    function, *arguments = job
    return function(*arguments)


def _collect(results, path):
    collected = []
    for result in results:
        collected.append(result)
        if path:
            with path.open("a") as file:
                file.write(json.dumps(result) + "\n")
        outcome = result.get("failure") or "proved"
        extra = "".join(f", {result[key]} {key}" for key in ("compared", "mutants") if key in result)
        print(f"{result['task']:50} {outcome}, {result['all_seconds']:.1f} s{extra}", flush=True)
    return collected


def main():
    about = "Proofs about the arithmetic of the device code and of the CPU's fields."
    parser = argparse.ArgumentParser(prog="gecc_proofs", description=about)
    parser.add_argument("--curves", default="", help="names with commas; all if not given")
    parser.add_argument("--functions", default="", help="names of statements with commas; all if not given")
    parser.add_argument("--architectures", default=",".join(catalogue.ARCHITECTURES))
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--items", type=int, default=12, help="items of each comparison with real runs")
    parser.add_argument("--mutants", type=int, default=0, help="mutants to try of each kernel")
    parser.add_argument("--all-mutants", action="store_true", help="all of each kernel, the shortest kernels first")
    parser.add_argument("--seed", type=int, default=1, help="chooses the mutants")
    parser.add_argument("--results", type=Path, help="a file for the results, a line of JSON each as they come")
    parser.add_argument("--theorems", action="store_true", help="only the theorems, no statements about functions")
    options = parser.parse_args()
    started = time.monotonic()
    results = _run(options)
    failures = [r for r in results if "failure" in r]
    print(f"{len(results) - len(failures)} proved, {len(failures)} not, {time.monotonic() - started:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Wrong as error:
        sys.exit(f"error: {error}")
