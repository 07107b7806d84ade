"""Writes the table of tools/proofs/STATEMENTS.md: `python3 -m gecc_proofs.table RESULTS [FURTHER RESULTS]...`."""

import json
import sys
from pathlib import Path

from .catalogue import STATEMENTS, independent_of_curve
from .project import EDWARDS, ROOT, SHORT_WEIERSTRASS
from .rust_probes import VARIANTS

BEGIN, END = "<!-- table: written by `python3 -m gecc_proofs.table` -->\n", "<!-- end of the table -->\n"


def _rows(results):
    rows = {}
    for result in results:
        rows.setdefault((result["name"], result["says"]), []).append(result)
    return rows


def _curves(name, group):
    found = {result["curve"] for result in group}
    independent = any(independent_of_curve(statement) for statement in STATEMENTS if statement.name == name)
    if independent or len(found) == 5:
        return "all"
    return SHORT_WEIERSTRASS if len(found) == 4 and EDWARDS not in found else ", ".join(sorted(found))


def _every_mutant(group, counted):
    """Whether all mutants of every kernel for compute_90 have been tried."""
    counted_ones = {"90", *VARIANTS}
    kernels = sum(not counted_ones.isdisjoint(result["task"].split(" ")[-1].split("+")) for result in group)
    return kernels == len({result["task"] for result in counted if result.get("all_mutants")})


def table(results, further):
    """`further` are results of runs on some of the same kernels, of which only the mutants are counted."""
    lines = ["| what | curves | statement | kernels | seconds | mutants rejected |", "|---|---|---|---|---|---|"]
    order = {statement.name: i for i, statement in enumerate(STATEMENTS)}
    counted = _rows(results + further)
    for key, group in sorted(_rows(results).items(), key=lambda row: order.get(row[0][0], -1)):
        name, says = key
        seconds = sum(result.get("seconds", 0) for result in group)
        tried, rejected = (sum(result.get("mutants", (0, 0))[i] for result in counted[key]) for i in (0, 1))
        if any("failure" in result for result in group):
            says = f"NOT PROVED: {says}"
        shown = [f"`{name}`" if name in order else name, _curves(name, group), says.replace("|", "\\|")]
        every = ", all" if _every_mutant(group, counted[key]) else ""
        shown += [str(len(group)), f"{seconds:.1f}", f"{rejected} of {tried}{every}" if tried else ""]
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def read(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def write_table(path, results, further):
    text = path.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(before + BEGIN + table(results, further) + END + after)


if __name__ == "__main__":
    write_table(ROOT / "tools/proofs/STATEMENTS.md", read(sys.argv[1]), [r for path in sys.argv[2:] for r in read(path)])
