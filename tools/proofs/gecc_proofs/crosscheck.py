"""Compares the symbolic reading of a kernel with a real run, register by register.

Every variable of the system gets its value from its definition on real arguments. Then every register must be congruent
to its polynomial, every equation must hold, and every variable must be within its bounds.
"""

import numpy as np

from .polynomial import Polynomial
from .probes import signature
from .project import Wrong
from .prove_bits import named, numbers, true_of_numbers
from .ptx import Unsupported
from .samples import arguments
from .statements import values


TRIES = 40


def admissible(statement, curve, columns):
    """The columns of arguments that meet the preconditions."""
    if statement.bits:
        return columns[:, [i for i in range(columns.shape[1]) if _bits_admissible(statement, curve, columns[:, i])]]
    kept = []
    for i in range(columns.shape[1]):
        words = _signed_arguments(statement, curve, [int(word) for word in columns[:, i]])
        if all(needed.constant_part() <= 0 for needed in statement.needs(values(statement, curve, words, []), curve)):
            kept.append(i)
    return columns[:, kept]


def samples(statement, curve, items, seed):
    """Returns columns of arguments that meet the preconditions.

    Draws `items` arguments, and again, up to `TRIES` times, if none of them does.
    """
    for more in range(TRIES):
        columns = admissible(statement, curve, arguments(statement, curve, items, seed + more))
        if columns.shape[1]:
            break
    return columns


def _bits_admissible(statement, curve, words):
    return true_of_numbers(statement.needs(named(statement, curve, numbers(words), []), curve))


def _signed_arguments(statement, curve, words):
    """Words of arguments as the polynomials of a statement read them: signed where their range is."""
    result, offset = [], 0
    for parameter in signature(statement, curve)[0]:
        least = statement.ranges.get(parameter.name, (0, 0))[0]
        for word in words[offset : offset + parameter.words]:
            signed = least < 0 and word >> (parameter.bits - 1)
            result.append(word - (1 << parameter.bits) if signed else word)
        offset += parameter.words
    return result


def _values_of_variables(system, machine, words):
    """The value of every variable, for one item whose argument words are given as signed readings."""
    found = {}
    for polynomial, word in zip(machine.inputs, words):
        rest = word - polynomial.constant_part()
        for variable in polynomial.variables():
            least, most = system.bounds[variable]
            found[variable] = min(rest, most) if least == 0 and most == 1 else rest
            rest -= found[variable]
    for variable, how in system.origins.items():
        found[variable] = how(found)
    return found


def crosscheck(task, reading, items, seed=1):
    """Returns the number of comparisons; raises Wrong if one fails.

    For a proof by bits, compares the claims; for other proofs, the reading that the proof uses.
    """
    statement, curve = task.statement, task.curve
    if statement.bits:
        return _crosscheck_bits(task, items, seed)
    system, machine = reading.system, reading.machine
    columns = samples(statement, curve, items, seed)
    if not columns.shape[1]:
        raise Wrong(f"{task.title}: no sample meets the preconditions")
    real = statement.language.interpreter(columns)
    real.run(task.instructions)
    if [entry for entry, *_ in real.written] != [entry for entry, *_ in machine.defined]:
        raise Wrong(f"{task.title}: the two readings do not write the same registers")
    compared = 0
    for i in range(columns.shape[1]):
        words = _signed_arguments(statement, curve, [int(word) for word in columns[:, i]])
        found = _values_of_variables(system, machine, words)
        for (entry, register, polynomial, width), (_, _, content) in zip(machine.defined, real.written):
            if (polynomial.evaluated(found) - int(content[i])) % (1 << width):
                raise Wrong(f"{task.title}: line {entry.line}, {entry.name} {register} differs")
            compared += 1
        for variable, value in found.items():
            least, most = system.bounds[variable]
            if not least <= value <= most:
                raise Wrong(f"{task.title}: {system.names[variable]} is {value}")
        for row in system.rows + system.fine_rows:
            if row.polynomial.evaluated(found):
                raise Wrong(f"{task.title}: an equation does not hold")
        for guard, polynomial in system.conditions:
            if guard.evaluated(found) >= 1 and polynomial.evaluated(found) > 0:
                raise Wrong(f"{task.title}: a condition does not hold")
        for key in system.known_words:
            if not 0 <= Polynomial(dict(key)).evaluated(found) < 1 << system.word:
                raise Wrong(f"{task.title}: a value is not a word")
        compared += len(found) + len(system.rows) + len(system.fine_rows)
    if not holds(task, columns):
        raise Wrong(f"{task.title}: a real run contradicts the statement")
    return compared


def _crosscheck_bits(task, items, seed):
    columns = admissible(task.statement, task.curve, arguments(task.statement, task.curve, items, seed))
    try:
        if not holds(task, columns):
            raise Wrong(f"{task.title}: a real run contradicts the statement")
    except Unsupported:
        return 0  # items that branch differently do not run side by side
    return columns.shape[1]


def holds(task, columns):
    """Whether the statement is true of every column of arguments, by a real run. The columns meet the preconditions."""
    statement, curve = task.statement, task.curve
    real = statement.language.interpreter(columns)
    real.run(task.instructions)
    outputs = np.array([np.broadcast_to(real.results[i], real.items) for i in range(len(real.results))])
    for i in range(columns.shape[1]):
        if statement.bits:
            found = named(statement, curve, numbers(columns[:, i]), numbers(outputs[:, i]))
            if not true_of_numbers(statement.claims(found, curve)):
                return False
            continue
        words = _signed_arguments(statement, curve, [int(word) for word in columns[:, i]])
        found = values(statement, curve, words, [int(word) for word in outputs[:, i]])
        for claim in statement.claims(found, curve):
            if not claim.holds():
                return False
    return True
