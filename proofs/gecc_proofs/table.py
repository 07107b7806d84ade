"""Writes the table of docs/proofs.md from the results of a run: `python3 -m gecc_proofs.table RESULTS`."""

import json
import sys
from pathlib import Path

from .catalogue import STATEMENTS
from .project import ROOT

BEGIN, END = "<!-- table: written by `python3 -m gecc_proofs.table` -->\n", "<!-- end of the table -->\n"


def _rows(results):
    rows = {}
    for result in results:
        rows.setdefault((result["name"], result["says"]), []).append(result)
    return rows


def table(results):
    lines = ["| what | curves | statement | kernels | seconds | mutants rejected |", "|---|---|---|---|---|---|"]
    order = {statement.name: i for i, statement in enumerate(STATEMENTS)}
    for (name, says), group in sorted(_rows(results).items(), key=lambda row: order.get(row[0][0], -1)):
        name = f"`{name}`" if name in order else name
        of_curves = ", ".join(sorted({result["curve"] for result in group}))
        seconds = sum(result.get("seconds", 0) for result in group)
        tried = sum(result.get("mutants", (0, 0, 0))[0] for result in group)
        rejected = sum(result.get("mutants", (0, 0, 0))[1] for result in group)
        failed = any("failure" in result for result in group)
        mutants = f"{rejected} of {tried}" if tried else ""
        shown = says if not failed else f"NOT PROVED: {says}"
        lines.append(f"| {name} | {of_curves} | {shown} | {len(group)} | {seconds:.1f} | {mutants} |")
    return "\n".join(lines) + "\n"


def write_table(path, results):
    text = path.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(before + BEGIN + table(results) + END + after)


if __name__ == "__main__":
    write_table(ROOT / "docs/proofs.md", [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()])
