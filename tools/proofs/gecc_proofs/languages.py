"""The languages that code is read in: PTX of the device code, LLVM's of the CPU's."""

from dataclasses import dataclass, replace

from . import interpret, llvm_interpret, llvm_symbolic, symbolic


@dataclass(frozen=True)
class Language:
    word: int  # bits
    machine: type  # runs code on polynomials
    interpreter: type  # runs it on numbers
    near: tuple = ()  # how many equations to try first where a bound is shown


PTX = Language(32, symbolic.Machine, interpret.Interpreter)
LLVM = Language(64, llvm_symbolic.Machine, llvm_interpret.Interpreter, (120,))
LLVM_OF_BYTES = replace(LLVM, machine=llvm_symbolic.ByteMachine)
