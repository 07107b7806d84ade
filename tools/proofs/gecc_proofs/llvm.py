"""Reads a function of LLVM's intermediate language (LLVM Language Reference) into a list of instructions.

A function reads words at the pointer %arguments and writes words at %results; a word at a constant's address is that
constant. Instructions on <8 x i64> are read as those of one lane: instructions that move words
between lanes are not supported. A branch becomes a choice: both sides are read, and a phi takes the
value of the side that is taken. Flags of instructions (nuw, disjoint) are ignored.
"""

import re

from .assembly import expanded
from .ptx import Instruction, Unsupported

LOCAL = "%local"  # the name of every variable in memory
_BITWISE = {"and", "or", "xor"}
_BINARY = {"add", "sub", "mul", "shl", "lshr", "ashr"} | _BITWISE
_OF_MASKS = _BITWISE | {"bitcast", "alloca", "getelementptr"}
_CASTS = {"zext", "sext", "trunc"}
_NOTES = {"nuw", "nsw", "disjoint", "exact", "nneg", "samesign", "inbounds", "tail"}
_SIZES = {"i8": 1, "i64": 8, "[8 x i64]": 64, "<8 x i64>": 64}
# A mask of eight lanes is one bit of a lane.
_LANE = {"<8 x i64>": "i64", "<8 x i32>": "i32", "<16 x i32>": "i64", "<8 x i1>": "i1", "i8": "i1"}
_CALLS = {
    "@llvm.x86.avx512.vpmadd52l.uq.512": "madd52lo",
    "@llvm.x86.avx512.vpmadd52h.uq.512": "madd52hi",
    "@llvm.fshr.v8i64": "fshr",
    "@llvm.fshl.v8i64": "fshl",
    "@llvm.bswap.i64": "bswap",
}
_NOTHING = re.compile(r"call void @llvm\.(lifetime|experimental\.noalias)\.")
_TYPE = r"(?:<\d+ x \w+>|\[\d+ x \w+\]|\{[^}]*\}|\w+)"


def functions(text):
    """The lines of all functions of a module, by name."""
    found = re.finditer(r"^define [^@]*@(\w+)\([^\n]*\{\n(.*?)^\}", text, re.S | re.M)
    return {match[1]: match[2].splitlines() for match in found}


def constants(text):
    """The bytes of all private constants of a module, by name."""
    result = {}
    pattern = r'^(@\w+) = private unnamed_addr constant \[(\d+) x i8\] (?:c"([^"]*)"|zeroinitializer)'
    for match in re.finditer(pattern, text, re.M):
        name, size, letters = match.groups()
        if letters is None:
            result[name] = bytes(int(size))
        else:
            parts = re.findall(r"\\([0-9A-F]{2})|(.)", letters)
            result[name] = bytes(int(code, 16) if code else ord(letter) for code, letter in parts)
    return result


def instructions(lines, known):
    """The instructions of a function; `known` are the module's constants."""
    return _Reader(known).read(lines)


class _Reader:
    def __init__(self, known):
        self.known = known
        self.result = []
        self.pointers = {"%arguments": ("%arguments", 0), "%results": ("%results", 0)}
        self.assembled = {}  # the results of an asm statement -> the registers that hold them
        self.lanes = False
        self.line = 0
        self.edges = {"start": {"": "1"}}  # block -> {block before: the condition under which it is left for this one}
        self.conditions = {}  # block -> the condition under which it runs
        self.count = 0

    def read(self, lines):
        self.lanes = any("<8 x i64>" in line for line in lines)
        blocks, name = {}, None
        for number, line in enumerate(lines):
            line = re.sub(r"(, ![\w.]+ ![\w]+)+$|\s*;.*$", "", line.strip())
            if match := re.fullmatch(r"(\"[^\"]*\"|[\w.$-]+):", line):
                name = match[1]
                blocks[name] = []
            elif line:
                blocks[name].append((number, line))
        self.last = _last(blocks)
        for name in _in_order(blocks):
            self.conditions[name] = self._any(list(self.edges[name].values()))
            for number, line in blocks[name]:
                self.line = number
                self._statement(name, line)
        return self.result

    def emit(self, opcode, *operands):
        self.result.append(Instruction(opcode, operands, line=self.line))
        return operands[0]

    # Conditions of branches

    def _new(self):
        self.count += 1
        return f"%condition{self.count}"

    def _any(self, conditions):
        if "1" in conditions:
            return "1"
        one = conditions[0]
        for other in conditions[1:]:
            one = self.emit(("or", "i1"), self._new(), one, other)
        return one

    def _both(self, one, other):
        return other if one == "1" else self.emit(("and", "i1"), self._new(), one, other)

    def _branch(self, block, line):
        if match := re.fullmatch(r"br label %(\S+)", line):
            self.edges.setdefault(match[1], {})[block] = self.conditions[block]
            return
        taken, yes, no = re.fullmatch(r"br i1 (\S+), label %(\S+), label %(\S+)", line).groups()
        if yes == no:
            raise Unsupported(line)
        taken = self._operand("i1", taken)
        other = self.emit(("xor", "i1"), self._new(), taken, "1")
        for target, condition in ((yes, taken), (no, other)):
            self.edges.setdefault(target, {})[block] = self._both(self.conditions[block], condition)

    def _phi(self, block, target, kind, rest):
        groups = {}
        for value, before in re.findall(r"\[ (\S+), %([^\s\]]+) \]", rest):
            groups.setdefault(self._operand(kind, value), []).append(self.edges[block][before])
        values = list(groups)
        result = values[-1]
        for i, value in enumerate(values[:-1]):
            name = target if i == len(values) - 2 else self._new()
            result = self.emit(("select", self._type(kind)), name, self._any(groups[value]), value, result)
        if len(values) == 1:
            self.emit(("copy", self._type(kind)), target, result)

    # Statements

    def _statement(self, block, line):
        if _NOTHING.search(line):
            return
        if line.startswith("br "):
            return self._branch(block, line)
        if line == "ret void":
            return
        if line.startswith("store "):
            return self._store(block, line)
        if line.startswith("call void @llvm.memcpy."):
            return self._local(re.search(r"ptr [^%]*(%\S+),", line)[1])
        match = re.fullmatch(r"(%\S+|%\"[^\"]*\") = (\w+) (.*)", line)
        if not match:
            raise Unsupported(line)
        target, opcode, rest = match.groups()
        if opcode == "tail":
            opcode, rest = rest.split(" ", 1)
        words = rest.split(" ")
        while words[0] in _NOTES:
            words.pop(0)
        self._assignment(block, target, opcode, " ".join(words))

    def _store(self, block, line):
        kind, value, pointer = re.fullmatch(rf"store ({_TYPE}) (.*), ptr (\S+), align \d+", line).groups()
        if self._pointer(pointer)[0] == LOCAL:
            return
        if block != self.last:
            raise Unsupported("a store on one side of a branch")
        self.emit(("store", self._word(kind)), self._place(pointer, "%results"), self._operand(kind, value))

    def _local(self, pointer):
        """Accepts a write to a variable in memory, which nothing here may read."""
        if self._pointer(pointer)[0] != LOCAL:
            raise Unsupported(f"a copy to {pointer}")

    def _assignment(self, block, target, opcode, rest):
        if self.lanes and re.search(r"(?<![\w.%])i8(?![\w.])", rest) and opcode not in _OF_MASKS:
            raise Unsupported(f"{opcode} of a mask of all lanes")
        if opcode in _BINARY:
            kind, one, other = self._typed_pair(rest)
            if kind == "<16 x i32>" and opcode not in _BITWISE:
                raise Unsupported("halves of words")  # words taken as two are the same only bit by bit
            self.emit((opcode, self._type(kind)), target, one, other)
        elif opcode == "alloca":
            self.pointers[target] = LOCAL, 0
        elif opcode == "icmp":
            relation, rest = rest.split(" ", 1)
            kind, one, other = self._typed_pair(rest)
            if kind == "<16 x i32>":
                raise Unsupported("halves of words")
            self.emit(("icmp", relation, self._type(kind)), target, one, other)
        elif opcode in _CASTS:
            source, value, kind = re.fullmatch(rf"({_TYPE}) (.*) to ({_TYPE})", rest).groups()
            operands = target, self._operand(source, value)
            self.emit((opcode, self._type(source), self._type(kind)), *operands)
        elif opcode == "bitcast":
            self._bitcast(target, rest)
        elif opcode == "select":
            one = rf"({_TYPE}) (<.*>|splat \([^)]*\)|\S+)"
            kind, condition, kind_one, value, _, other = re.fullmatch(f"{one}, {one}, {one}", rest).groups()
            chosen = self._operand(kind, condition)
            values = self._operand(kind_one, value), self._operand(kind_one, other)
            self.emit(("select", self._type(kind_one)), target, chosen, *values)
        elif opcode == "load":
            kind, pointer = re.fullmatch(rf"({_TYPE}), ptr (\S+), align \d+", rest).groups()
            self._load(target, kind, pointer)
        elif opcode == "getelementptr":
            kind, base, offset = re.fullmatch(rf"({_TYPE}), ptr (\S+), i64 (-?\d+)", rest).groups()
            name, start = self._pointer(base)
            self.pointers[target] = name, start + _SIZES[kind] * int(offset)
        elif opcode == "phi":
            kind, rest = re.fullmatch(rf"({_TYPE}) (.*)", rest).groups()
            self._phi(block, target, kind, rest)
        elif opcode == "call":
            self._call(target, rest)
        elif opcode == "extractvalue":
            source, index = re.fullmatch(r"\{[^}]*\} (\S+), (\d+)", rest).groups()
            self.emit(("copy", "i64"), target, self.assembled[source][int(index)])
        elif opcode == "freeze":
            kind, value = rest.split(" ")
            self.emit(("copy", self._type(kind)), target, self._operand(kind, value))
        else:
            raise Unsupported(f"{opcode} {rest}")

    def _bitcast(self, target, rest):
        source, value, kind = re.fullmatch(rf"({_TYPE}) (.*) to ({_TYPE})", rest).groups()
        if self._type(source) != self._type(kind):
            raise Unsupported(f"bitcast {rest}")
        self.emit(("copy", self._type(kind)), target, self._operand(source, value))

    def _load(self, target, kind, pointer):
        name, offset = self._pointer(pointer)
        if name in self.known and kind == "i64":
            self.emit(("copy", "i64"), target, str(int.from_bytes(self.known[name][offset : offset + 8], "little")))
        else:
            self.emit(("load", self._word(kind)), target, self._place(pointer, "%arguments"))

    def _call(self, target, rest):
        if " asm " in rest:
            return self._assembly(target, rest)
        match = re.fullmatch(rf"(?:range\([^)]*\) )?{_TYPE} (@[\w.]+)\((.*)\)(?: #\d+)?", rest)
        if not match or match[1] not in _CALLS:
            raise Unsupported(f"call {rest}")
        parts = re.findall(rf"({_TYPE}) (splat \([^)]*\)|[^\s,()]+)", match[2])
        operands = [self._operand(kind, value) for kind, value in parts]
        self.emit((_CALLS[match[1]], self._type(parts[0][0])), target, *operands)

    def _assembly(self, target, rest):
        """An asm statement, its instructions one by one."""
        pattern = r'.* asm inteldialect "(.*)", "(.*)"\((.*)\)(?: #\d+)?'
        text, constraints, arguments = re.fullmatch(pattern, rest).groups()
        operands = []
        for kind, value in re.findall(r"(\w+) ([^\s,]+)", arguments):
            operands.append((kind, self._constant_words(value) if kind == "ptr" else self._operand(kind, value)))
        lines, results = expanded(text, constraints.split(","), operands, target)
        for opcode, parts in lines:
            self.emit(opcode, *parts)
        self.assembled[target] = results

    # Operands

    def _type(self, kind):
        if kind.startswith("<") or (kind == "i8" and self.lanes):
            if kind not in _LANE:
                raise Unsupported(kind)
            return _LANE[kind]
        if kind not in ("i1", "i8", "i32", "i64", "i128"):
            raise Unsupported(kind)
        return kind

    def _word(self, kind):
        if kind != ("<8 x i64>" if self.lanes else "i64"):
            raise Unsupported(f"a word of type {kind}")
        return "i64"

    def _typed_pair(self, rest):
        operand = r"(<.*?>|splat \([^)]*\)|[^\s,]+)"
        kind, one, other = re.fullmatch(rf"({_TYPE}) {operand}, {operand}", rest).groups()
        return kind, self._operand(kind, one), self._operand(kind, other)

    def _operand(self, kind, text):
        if text.startswith("%"):
            return text
        width = int(self._type(kind)[1:])
        if text in ("true", "false"):
            return str(int(text == "true"))
        if text == "zeroinitializer":
            return "0"
        if match := re.fullmatch(r"splat \(i(\d+) (-?\w+)\)", text):
            each, value = int(match[1]), {"true": 1, "false": 0}.get(match[2]) or int(match[2])
            value %= 1 << each
            return str(value << 32 | value if kind == "<16 x i32>" else value)
        if text.startswith("<"):
            return str(self._vector(text))
        if not re.fullmatch(r"-?\d+", text):
            raise Unsupported(text)
        return str(int(text) % (1 << width))

    @staticmethod
    def _vector(text):
        """A constant whose lanes are equal, each given as two halves."""
        halves = [int(value) % (1 << 32) for value in re.findall(r"i32 (-?\d+)", text)]
        if len(halves) != 16 or halves != halves[:2] * 8:
            raise Unsupported(text)
        return halves[0] | halves[1] << 32

    def _pointer(self, text):
        if text in self.pointers:
            return self.pointers[text]
        if text in self.known:
            return text, 0
        raise Unsupported(f"the address {text}")

    def _place(self, pointer, base):
        name, offset = self._pointer(pointer)
        size = 64 if self.lanes else 8
        if name != base or offset % size:
            raise Unsupported(f"the address {pointer}")
        return str(offset // size)

    def _constant_words(self, pointer):
        """The 64-bit words at an address, as constants."""
        name, offset = self._pointer(pointer)
        if name not in self.known:
            raise Unsupported(f"the address {pointer}")
        data = self.known[name]
        return tuple(str(int.from_bytes(data[at : at + 8], "little")) for at in range(offset, len(data), 8))


def _last(blocks):
    """The one block that every path ends in."""
    ends = [name for name, lines in blocks.items() if not lines[-1][1].startswith("br ")]
    if len(ends) != 1 or blocks[ends[0]][-1][1] != "ret void":
        raise Unsupported("more than one end")
    return ends[0]


def _in_order(blocks):
    """Returns the blocks in topological order: each after all its predecessors."""
    after = {name: re.findall(r"label %(\S+?)(?:,|$)", lines[-1][1]) for name, lines in blocks.items()}
    waiting = {name: sum(name in targets for targets in after.values()) for name in blocks}
    ready, result = [name for name, count in waiting.items() if count == 0], []
    while ready:
        name = ready.pop()
        result.append(name)
        for target in set(after[name]):
            waiting[target] -= 1
            if waiting[target] == 0:
                ready.append(target)
    if len(result) != len(blocks):
        raise Unsupported("a loop")
    return result
