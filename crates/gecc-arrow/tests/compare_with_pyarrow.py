#!/usr/bin/env python3
"""Compares how gecc and pyarrow read Parquet files that are put together by hand.

    GECC_COMMAND=target/release/gecc python crates/gecc-arrow/tests/compare_with_pyarrow.py --files 10000

The files have every page version, the encodings that gecc reads, nulls, lists, and whatever real writers leave or lay
out unusually: no or odd dictionary offsets, chunks in any order and with gaps between them, index pages, rows that go
on in the next page. About half of them also break a rule: pages with more or fewer values than the footer states,
surplus or missing pages and bytes, wrong offsets, counts and levels.

A file that breaks no rule must be read as it was made. Of any other gecc must either report an error or read what
pyarrow reads. pyarrow's reading is that of single row groups: across row groups it passes surplus values on, too.

Needs pyarrow, and the command in GECC_COMMAND or on the PATH. Files that fail are kept in --keep.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq

# Thrift's compact protocol.
TRUE, FALSE, I32, I64, BINARY, LIST, STRUCT = 1, 2, 5, 6, 8, 9, 12

BOOLEAN, INT32, INT64, BYTES, FIXED = 0, 1, 2, 6, 7
REQUIRED, OPTIONAL, REPEATED = 0, 1, 2
PLAIN, PLAIN_DICTIONARY, RLE, BIT_PACKED, DELTA, RLE_DICTIONARY, SPLIT = 0, 2, 3, 4, 5, 8, 9
# Multiples of the generator of secp256k1.
KEYS = [
    bytes.fromhex("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"),
    bytes.fromhex("02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"),
    bytes.fromhex("02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"),
]
CODECS = {None: 0, "snappy": 1, "gzip": 2, "brotli": 4, "zstd": 6, "lz4_raw": 7}


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number):
    return varint((number << 1) ^ (number >> 63))


def struct(fields):
    """A struct of (number, type, bytes); fields that are None are left out."""
    out, last = bytearray(), 0
    for number, kind, value in filter(None, fields):
        out.append((number - last) << 4 | kind)
        out += value
        last = number
    return bytes(out) + b"\0"


def i32(number, value):
    return (number, I32, zigzag(value))


def i64(number, value):
    return (number, I64, zigzag(value))


def text(number, value):
    return (number, BINARY, varint(len(value)) + value.encode())


def inner(number, fields):
    return (number, STRUCT, struct(fields))


def list_of(number, kind, elements):
    count = len(elements)
    head = bytes([count << 4 | kind]) if count < 15 else bytes([0xF0 | kind]) + varint(count)
    return (number, LIST, head + b"".join(elements))


def pack(numbers, width):
    """Bit-packs numbers of `width` bits, in whole groups of eight."""
    bits, out = 0, 0
    for number in numbers:
        out |= number << bits
        bits += width
    return out.to_bytes((len(numbers) + 7) // 8 * width, "little")


def runs(rng, numbers, width):
    """Numbers as runs of one and of packed ones."""
    out, at = bytearray(), 0
    size = (width + 7) // 8
    while at < len(numbers):
        same = 1
        while at + same < len(numbers) and numbers[at + same] == numbers[at]:
            same += 1
        if same >= 8 or (rng.random() < 0.4 and width > 0) or width == 0:
            take = rng.randint(1, same)
            out += varint(take << 1) + numbers[at].to_bytes(size, "little")
        else:
            # A group that is not whole can only be the last.
            left = len(numbers) - at
            take = left if rng.random() < 0.5 else min(left, 8 * rng.randint(1, 3))
            out += varint((take + 7) // 8 << 1 | 1) + pack(numbers[at : at + take], width)
        at += take
    return bytes(out)


def bits_of(number):
    return number.bit_length()


def delta(values, bits):
    """DELTA_BINARY_PACKED: blocks of 128 values in four miniblocks."""
    mask = (1 << bits) - 1
    out = varint(128) + varint(4) + varint(len(values)) + zigzag(values[0] if values else 0)
    wrap = lambda number: ((number + (1 << bits - 1)) & mask) - (1 << bits - 1)
    differences = [wrap(second - first) for first, second in zip(values, values[1:])]
    for start in range(0, len(differences), 128):
        block = differences[start : start + 128]
        least = min(block)
        rest = [(difference - least) & mask for difference in block]
        parts = [rest[part : part + 32] for part in range(0, 128, 32)]
        widths = [bits_of(max(part, default=0)) for part in parts]
        out += zigzag(least) + bytes(widths)
        for part, width in zip(parts, widths):
            if part:
                out += pack(part + [0] * (32 - len(part)), width)
    return out


class Leaf:
    """A column of values, in a list or not."""

    def __init__(self, name, physical, width=0, repetition=REQUIRED, is_text=False):
        self.name, self.physical, self.width, self.repetition, self.is_text = name, physical, width, repetition, is_text
        self.definition = {REQUIRED: 0, OPTIONAL: 1, REPEATED: 1}[repetition]
        self.lists = int(repetition == REPEATED)
        self.wraps = None

    def in_list(self, list_is_optional, element_is_optional):
        """As an annotated list of three levels."""
        self.wraps = (list_is_optional, element_is_optional)
        self.definition = 1 + list_is_optional + element_is_optional
        self.lists = 1
        return self

    def elements(self):
        """What the schema has of it."""
        width = i32(2, self.width) if self.physical == FIXED else None
        converted = i32(6, 0) if self.is_text else None
        leaf = lambda repetition, name: struct([i32(1, self.physical), width, i32(3, repetition), text(4, name), converted])
        if self.wraps is None:
            return [leaf(self.repetition, self.name)]
        list_is_optional, element_is_optional = self.wraps
        outer = struct([i32(3, int(list_is_optional)), text(4, self.name), i32(5, 1), i32(6, 3)])
        middle = struct([i32(3, REPEATED), text(4, "list"), i32(5, 1)])
        return [outer, middle, leaf(int(element_is_optional), "element")]

    def path(self):
        return [self.name] if self.wraps is None else [self.name, "list", "element"]

    def random_value(self, rng):
        match self.physical:
            case 0:
                return rng.random() < 0.5
            case 1:
                return rng.randint(-(2**31), 2**31 - 1) >> rng.choice([0, 20])
            case 2:
                return rng.randint(-(2**63), 2**63 - 1) >> rng.choice([0, 40])
            case 6 if self.is_text:
                return rng.choice(["", "a", "text"]) + str(rng.randint(0, 9) ** rng.randint(1, 9))
            case 6:
                return rng.randbytes(rng.choice([0, 1, 12, 13, 32, 64]))
        return rng.randbytes(self.width)

    def random_row(self, rng, known):
        """A cell: a value, None, or a list of such."""
        value = lambda: rng.choice(known) if known and rng.random() < 0.5 else self.random_value(rng)
        if not self.lists:
            return None if self.repetition == OPTIONAL and rng.random() < 0.2 else value()
        list_is_optional, element_is_optional = self.wraps or (False, False)
        if list_is_optional and rng.random() < 0.15:
            return None
        count = rng.choice([0, 1, 1, 2, 3, 9])
        return [None if element_is_optional and rng.random() < 0.2 else value() for _ in range(count)]

    def levels(self, row):
        """A row as (repetition, definition, value)."""
        if not self.lists:
            return [(0, self.definition if row is not None else 0, row)]
        list_is_optional, element_is_optional = self.wraps or (False, False)
        if row is None:
            return [(0, 0, None)]
        if not row:
            return [(0, int(list_is_optional), None)]
        definition = lambda item: self.definition - (item is None)
        return [(int(place > 0), definition(item), item) for place, item in enumerate(row)]

    def plain(self, values):
        match self.physical:
            case 0:
                return pack([int(value) for value in values], 1)
            case 1:
                return b"".join(value.to_bytes(4, "little", signed=True) for value in values)
            case 2:
                return b"".join(value.to_bytes(8, "little", signed=True) for value in values)
            case 6:
                raw = [value.encode() if self.is_text else value for value in values]
                return b"".join(len(value).to_bytes(4, "little") + value for value in raw)
        return b"".join(values)

    def encodings(self):
        match self.physical:
            case 0:
                return [PLAIN, RLE]
            case 1 | 2:
                return [PLAIN, DELTA, SPLIT]
            case 7:
                return [PLAIN, SPLIT]
        return [PLAIN]

    def encode(self, rng, values, encoding, dictionary):
        if encoding in (RLE_DICTIONARY, PLAIN_DICTIONARY):
            width = max(bits_of(len(dictionary) - 1), rng.choice([0, 1, 3]))
            places = [dictionary.index(value) for value in values]
            return bytes([width]) + runs(rng, places, width)
        if encoding == RLE:
            encoded = runs(rng, [int(value) for value in values], 1)
            return len(encoded).to_bytes(4, "little") + encoded
        if encoding == DELTA:
            return delta(values, 32 if self.physical == INT32 else 64)
        plain = self.plain(values)
        if encoding == SPLIT:
            width = {INT32: 4, INT64: 8, FIXED: self.width}[self.physical]
            return b"".join(plain[place::width] for place in range(width))
        return plain


class Page:
    """A page before it is written: its content, and the fields of its header."""

    def __init__(self, levels, encoding):
        self.levels, self.encoding = levels, encoding
        self.values = len(levels)
        self.rows = sum(repetition == 0 for repetition, _, _ in levels)
        self.nulls = None
        self.tail = b""


class Chunk:
    """The pages of a column in a row group."""

    def __init__(self, rng, leaf, cells):
        self.rng, self.leaf = rng, leaf
        self.version = rng.choice([1, 2])
        self.codec = rng.choice([None, None, *CODECS])
        self.dictionary_encoding = rng.choice([RLE_DICTIONARY, PLAIN_DICTIONARY])
        levels = [leaf.levels(cell) for cell in cells]
        values = [value for row in levels for _, _, value in row if value is not None]
        has_dictionary = leaf.physical != BOOLEAN and values and rng.random() < 0.5
        self.dictionary = list(dict.fromkeys(values)) if has_dictionary else None
        self.has_offset = rng.random() < 0.7
        # Of lists an old writer may begin a page within a row.
        splits_rows = leaf.lists and self.version == 1 and rng.random() < 0.3
        units = [[level] for row in levels for level in row] if splits_rows else levels
        self.pages = []
        while units:
            take = rng.choice([1, 2, 5, len(units), len(units)])
            self.pages.append(Page([level for unit in units[:take] for level in unit], self.encoding()))
            units = units[take:]
        self.num_values = sum(page.values for page in self.pages)
        self.offset_shift = 0
        self.size_shift = 0
        self.extra = {}
        self.dictionary_place = 0
        self.level_shift = 0
        self.dictionary_offset = None

    def encoding(self):
        if self.dictionary and self.rng.random() < 0.8:
            return self.dictionary_encoding
        return self.rng.choice(self.leaf.encodings())

    def compress(self, data):
        return data if self.codec is None else compress(data, self.codec)

    def data_page(self, page):
        rng, leaf = self.rng, self.leaf
        values = [value for _, _, value in page.levels if value is not None]
        data = leaf.encode(rng, values, page.encoding, self.dictionary) + page.tail
        repetition = runs(rng, [level for level, _, _ in page.levels], 1) if leaf.lists else b""
        width = bits_of(leaf.definition)
        definitions = [min(level + self.level_shift, (1 << width) - 1) for _, level, _ in page.levels]
        definition = runs(rng, definitions, width) if leaf.definition else b""
        if self.version == 1:
            sized = lambda levels: len(levels).to_bytes(4, "little") + levels if levels else b""
            body = sized(repetition) + sized(definition) + data
            packed = self.compress(body)
            # If there are no levels, old writers state that they are bit-packed.
            unused = rng.choice([RLE, BIT_PACKED])
            of = lambda levels: RLE if levels else unused
            counts = [i32(1, page.values), i32(2, page.encoding), i32(3, of(definition)), i32(4, of(repetition))]
            head = [i32(1, 0), i32(2, len(body)), i32(3, len(packed)), inner(5, counts)]
            return struct(head) + packed
        nulls = len(page.levels) - len(values) if page.nulls is None else page.nulls
        is_compressed = self.codec is not None and rng.random() < 0.8
        packed = self.compress(data) if is_compressed else data
        sizes = len(repetition) + len(definition)
        counts = [i32(1, page.values), i32(2, nulls), i32(3, page.rows), i32(4, page.encoding)]
        counts += [i32(5, len(definition)), i32(6, len(repetition)), (7, TRUE if is_compressed else FALSE, b"")]
        head = [i32(1, 3), i32(2, sizes + len(data)), i32(3, sizes + len(packed)), inner(8, counts)]
        return struct(head) + repetition + definition + packed

    def dictionary_page(self):
        body = self.leaf.plain(self.dictionary)
        packed = self.compress(body)
        encoding = self.rng.choice([PLAIN, PLAIN_DICTIONARY])
        content = inner(7, [i32(1, len(self.dictionary)), i32(2, encoding)])
        return struct([i32(1, 2), i32(2, len(body)), i32(3, len(packed)), content]) + packed

    def write(self):
        """The bytes, and how many of them come before the first page of data."""
        pages = [self.data_page(page) for page in self.pages]
        for place, extra in sorted(self.extra.items(), reverse=True):
            pages[min(place, len(pages)) : min(place, len(pages))] = extra
        before = 0
        if self.dictionary:
            page = self.dictionary_page()
            pages.insert(min(self.dictionary_place, len(pages)), page)
            before = len(page) if self.dictionary_place == 0 else 0
        self.bytes = b"".join(pages)
        return before

    def metadata(self, start, before):
        leaf = self.leaf
        size = max(len(self.bytes) + self.size_shift, 0)
        data_offset = start + self.offset_shift + (before if self.has_offset else 0)
        dictionary = self.dictionary_offset
        if dictionary is None and self.dictionary and self.has_offset:
            dictionary = start + self.offset_shift
        path = [varint(len(part)) + part.encode() for part in leaf.path()]
        return [
            i32(1, leaf.physical),
            list_of(2, I32, [zigzag(PLAIN)]),
            list_of(3, BINARY, path),
            i32(4, CODECS[self.codec]),
            i64(5, self.num_values),
            i64(6, size),
            i64(7, size),
            i64(9, data_offset),
            None if dictionary is None else i64(11, dictionary),
        ]


def compress(data, codec):
    return pa.compress(data, codec="lz4_raw" if codec == "lz4_raw" else codec, asbytes=True)


def index_page(rng):
    data = rng.randbytes(rng.randint(0, 20))
    return struct([i32(1, 1), i32(2, len(data)), i32(3, len(data)), inner(6, [])]) + data


def empty_page(chunk):
    return chunk.data_page(Page([], PLAIN))


class Table:
    """A file: its columns, row groups and rows."""

    def __init__(self, rng):
        self.rng = rng
        form = lambda: rng.choice([REQUIRED, OPTIONAL])
        bytes_of = lambda name, width: Leaf(name, *rng.choice([(FIXED, width), (BYTES, 0)]), repetition=form())
        self.leaves = [bytes_of("digest", 32), bytes_of("signature", 64), bytes_of("public_key", 33)]
        others = [
            Leaf("number", rng.choice([INT32, INT64]), repetition=form()),
            Leaf("flag", BOOLEAN, repetition=form()),
            Leaf("note", BYTES, repetition=form(), is_text=True),
            Leaf("bare", INT32, repetition=REPEATED),
            Leaf("outputs", INT64).in_list(rng.random() < 0.5, rng.random() < 0.5),
            Leaf("parts", BYTES).in_list(rng.random() < 0.5, rng.random() < 0.5),
        ]
        self.leaves += rng.sample(others, rng.randint(0, 3))
        counts = [rng.choice([0, 1, 2, 3, 3, 4, 10, 40]) for _ in range(rng.choice([1, 1, 2, 3, 5]))]
        self.known = {leaf.name: [leaf.random_value(rng) for _ in range(3)] for leaf in self.leaves[3:]}
        self.known |= {"digest": [rng.randbytes(32)], "signature": [rng.randbytes(64)], "public_key": KEYS}
        cell = lambda leaf: leaf.random_row(rng, self.known[leaf.name])
        self.cells = [[[cell(leaf) for _ in range(count)] for leaf in self.leaves] for count in counts]
        self.groups = [[Chunk(rng, leaf, rows) for leaf, rows in zip(self.leaves, group)] for group in self.cells]
        self.row_counts = list(counts)
        self.num_rows = sum(counts)
        self.swapped = None

    def expected(self):
        """The rows of each row group, by columns."""
        return [dict(zip([leaf.name for leaf in self.leaves], group)) for group in self.cells]

    def some_chunk(self):
        with_rows = [group for group, rows in zip(self.groups, self.row_counts) if rows > 0]
        if not with_rows:
            return None
        # Mostly a column that the operation itself reads.
        group = self.rng.choice(with_rows)
        return self.rng.choice(group)

    def write(self):
        rng = self.rng
        out = bytearray(b"PAR1")
        order = [(group, place) for group in range(len(self.groups)) for place in range(len(self.leaves))]
        if rng.random() < 0.3:
            rng.shuffle(order)
        places = {}
        for group, place in order:
            if rng.random() < 0.1:
                out += rng.randbytes(rng.randint(1, 30))
            chunk = self.groups[group][place]
            before = chunk.write()
            places[group, place] = (len(out), before)
            out += chunk.bytes
        if self.swapped:
            first, second = self.swapped
            places[first], places[second] = places[second], places[first]
        groups = []
        for number, chunks in enumerate(self.groups):
            columns = []
            for place, chunk in enumerate(chunks):
                start, before = places[number, place]
                columns.append(struct([i64(2, start), inner(3, chunk.metadata(start, before))]))
            groups.append(struct([list_of(1, STRUCT, columns), i64(2, 0), i64(3, self.row_counts[number])]))
        elements = [element for leaf in self.leaves for element in leaf.elements()]
        root = struct([i32(3, 0), text(4, "schema"), i32(5, len(self.leaves))])
        schema = list_of(2, STRUCT, [root, *elements])
        footer = struct([i32(1, 1), schema, i64(3, self.num_rows), list_of(4, STRUCT, groups)])
        return bytes(out) + footer + len(footer).to_bytes(4, "little") + b"PAR1"


# What breaks a rule. Each changes a table and returns whether it could.


def surplus_page(rng, table, chunk):
    cells = [chunk.leaf.random_row(rng, None) for _ in range(rng.choice([1, 2, 3]))]
    levels = [level for cell in cells for level in chunk.leaf.levels(cell)]
    if rng.random() < 0.3:
        # Like the rows of another row group.
        chunk.num_values += len(levels)
    page = Page(levels, PLAIN)
    chunk.pages.insert(rng.choice([0, len(chunk.pages), len(chunk.pages)]), page)


def surplus_values(rng, table, chunk):
    cells = [chunk.leaf.random_row(rng, None) for _ in range(rng.choice([1, 2, 3]))]
    levels = [level for cell in cells for level in chunk.leaf.levels(cell)]
    old = rng.choice(chunk.pages)
    page = Page(old.levels + levels, PLAIN)
    if rng.random() < 0.3:
        # In the data, but not in the header.
        page.values, page.rows = old.values, old.rows
    chunk.pages[chunk.pages.index(old)] = page


def missing_page(rng, table, chunk):
    page = chunk.pages.pop(rng.randrange(len(chunk.pages)))
    if rng.random() < 0.3:
        chunk.num_values -= page.values


def wrong_page_count(rng, table, chunk):
    page = rng.choice(chunk.pages)
    page.values = max(page.values + rng.choice([-2, -1, 1, 2, 1000]), 0)
    if rng.random() < 0.7:
        page.rows = page.values


def wrong_page_rows(rng, table, chunk):
    rng.choice(chunk.pages).rows += rng.choice([-1, 1, 5])


def wrong_nulls(rng, table, chunk):
    page = rng.choice(chunk.pages)
    page.nulls = rng.choice([0, 1, page.values, page.values + 1])


def wrong_chunk_count(rng, table, chunk):
    chunk.num_values = max(chunk.num_values + rng.choice([-2, -1, 1, 2, 1000]), 0)


def wrong_group_count(rng, table, chunk):
    place = rng.randrange(len(table.row_counts))
    by = rng.choice([-2, -1, 1, 2])
    table.row_counts[place] = max(table.row_counts[place] + by, 0)
    for other in table.groups[place]:
        if rng.random() < 0.8 and not other.leaf.lists:
            other.num_values = table.row_counts[place]
    table.num_rows = sum(table.row_counts)


def wrong_file_count(rng, table, chunk):
    table.num_rows = max(table.num_rows + rng.choice([-1, 1, 100]), 0)


def wrong_size(rng, table, chunk):
    chunk.size_shift = rng.choice([-40, -5, -1, 1, 5, 40, 300])


def wrong_start(rng, table, chunk):
    chunk.offset_shift = rng.choice([-20, -1, 1, 20])


def junk_behind(rng, table, chunk):
    chunk.extra[len(chunk.pages)] = [rng.choice([b"\0" * 8, rng.randbytes(rng.randint(1, 40))])]


def junk_between(rng, table, chunk):
    chunk.extra[rng.randrange(len(chunk.pages))] = [rng.randbytes(rng.randint(1, 20))]


def no_values(rng, table, chunk):
    chunk.extra[rng.randint(0, len(chunk.pages))] = [empty_page(chunk)]


def second_dictionary(rng, table, chunk):
    if not chunk.dictionary:
        return False
    chunk.extra[rng.randint(0, len(chunk.pages))] = [chunk.dictionary_page()]


def late_dictionary(rng, table, chunk):
    if not chunk.dictionary:
        return False
    chunk.dictionary_place = rng.randint(1, len(chunk.pages))


def no_dictionary(rng, table, chunk):
    if not chunk.dictionary:
        return False
    chunk.dictionary_place = 0
    chunk.dictionary_offset = 4
    chunk.has_offset = False
    short = chunk.dictionary[: rng.randint(0, len(chunk.dictionary) - 1)]
    chunk.dictionary_page = lambda: Chunk.dictionary_page(Shown(chunk, short))


class Shown:
    """A chunk whose dictionary is another."""

    def __init__(self, chunk, dictionary):
        self.chunk, self.dictionary = chunk, dictionary

    def __getattr__(self, name):
        return getattr(self.chunk, name)


def wrong_levels(rng, table, chunk):
    if chunk.leaf.definition < 2 and not chunk.leaf.definition:
        return False
    chunk.level_shift = 1


def inner_page_bytes(rng, table, chunk):
    width = {INT32: 4, INT64: 8, FIXED: chunk.leaf.width}.get(chunk.leaf.physical, 1)
    rng.choice(chunk.pages).tail = rng.randbytes(rng.choice([rng.randint(1, 9), width, 2 * width]))


def swapped_chunks(rng, table, chunk):
    groups = len(table.groups)
    place = rng.randrange(len(table.leaves))
    if groups < 2:
        return False
    first, second = rng.sample(range(groups), 2)
    table.swapped = ((first, place), (second, place))


def lists_begin_within(rng, table, chunk):
    if not chunk.leaf.lists:
        return False
    page = rng.choice(chunk.pages)
    _, definition, value = page.levels[0]
    page.levels[0] = (1, definition, value)
    if rng.random() < 0.5:
        page.rows -= 1


FAULTS = [
    surplus_page,
    surplus_page,
    surplus_values,
    surplus_values,
    missing_page,
    missing_page,
    wrong_page_count,
    wrong_page_count,
    wrong_page_rows,
    wrong_nulls,
    wrong_chunk_count,
    wrong_group_count,
    wrong_group_count,
    wrong_file_count,
    wrong_size,
    wrong_start,
    junk_behind,
    junk_between,
    no_values,
    second_dictionary,
    late_dictionary,
    no_dictionary,
    wrong_levels,
    inner_page_bytes,
    swapped_chunks,
    lists_begin_within,
]


def make(seed):
    """Returns a file, its content (None if the file breaks a rule), and the names of its faults."""
    rng = random.Random(seed)
    table = Table(rng)
    done = []
    for group in table.groups:
        for chunk in group:
            if rng.random() < 0.05 and chunk.pages:
                chunk.extra[rng.randrange(len(chunk.pages))] = [index_page(rng)]
            if rng.random() < 0.1 and not chunk.dictionary:
                chunk.dictionary_offset = 0
    if rng.random() < 0.55:
        for _ in range(rng.choice([1, 1, 1, 2])):
            chunk = table.some_chunk()
            fault = rng.choice(FAULTS)
            if chunk is not None and chunk.pages and fault(rng, table, chunk) is not False:
                done.append(fault.__name__)
    return table.write(), None if done else table.expected(), done


def read_by_pyarrow(data):
    """The rows of each row group by columns, or an error as text."""
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        groups = range(file.num_row_groups)
        return [file.read_row_group(group, use_threads=False).to_pydict() for group in groups]
    except (pa.ArrowException, OSError, ValueError) as problem:
        return f"error: {problem}"


def read_by_gecc(command, data, folder):
    """All rows by columns, or an error as text."""
    source, answers = folder / "in.parquet", folder / "out.arrow"
    source.write_bytes(data)
    answers.unlink(missing_ok=True)
    arguments = ["verify", "--curve", "secp256k1", "--engine", "cpu", "--threads", "2", "--quiet"]
    arguments += ["--beside", "--allow-empty"]
    ended = subprocess.run([command, *arguments, "-o", answers, source], capture_output=True, text=True, timeout=120)
    if ended.returncode not in (0, 1, 2) or "panicked" in ended.stderr:
        raise AssertionError(f"exit code {ended.returncode}: {ended.stderr}")
    # Where no row can be verified the command asks whether these are the right columns, after it has read all.
    if ended.returncode == 2 and "no item has the right form" not in ended.stderr:
        return f"error: {ended.stderr}"
    table = pa.ipc.open_file(answers).read_all()
    assert table.column_names[-2:] == ["valid", "reason"]
    return table.drop_columns(["valid", "reason"]).to_pydict()


def joined(groups):
    return {name: [cell for group in groups for cell in group[name]] for name in groups[0]}


def compare(command, seed, folder):
    """What came out, as one word and the reason where that is a failure."""
    data, expected, done = make(seed)
    by_pyarrow = read_by_pyarrow(data)
    by_gecc = read_by_gecc(command, data, folder)
    if expected is not None:
        if by_pyarrow != expected:
            return data, done, "pyarrow refuses" if isinstance(by_pyarrow, str) else "FAILED: pyarrow differs", by_pyarrow
        if by_gecc != joined(expected):
            return data, done, "FAILED: a file that breaks no rule", by_gecc
        return data, done, "read", None
    if isinstance(by_gecc, str):
        return data, done, "rejected" if isinstance(by_pyarrow, str) else "rejected by gecc alone", None
    if isinstance(by_pyarrow, str):
        return data, done, "FAILED: rows that pyarrow refuses", by_pyarrow
    if by_gecc != joined(by_pyarrow):
        return data, done, "FAILED: other rows than pyarrow's", by_gecc
    return data, done, "read as pyarrow reads it", None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=300, help="how many files [300]")
    parser.add_argument("--seed", type=int, default=1, help="the number of the first [1]")
    parser.add_argument("--jobs", type=int, default=2, help="files at a time [2]")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for files that fail")
    options = parser.parse_args()
    command = os.environ.get("GECC_COMMAND", "gecc")
    counts, by_fault, failures = collections.Counter(), collections.Counter(), []

    def work(job):
        results = []
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(options.seed + job, options.seed + options.files, options.jobs):
                results.append((seed, *compare(command, seed, pathlib.Path(folder))))
        return results

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for results in pool.map(work, range(options.jobs)):
            for seed, data, done, outcome, problem in results:
                counts[outcome] += 1
                for fault in done:
                    by_fault[fault, outcome] += 1
                if outcome.startswith("FAILED"):
                    failures.append((seed, done, outcome, problem))
                    if options.keep:
                        options.keep.mkdir(parents=True, exist_ok=True)
                        (options.keep / f"{seed}.parquet").write_bytes(data)
    for outcome, count in counts.most_common():
        print(f"{count:7} {outcome}")
    for (fault, outcome), count in sorted(by_fault.items()):
        print(f"        {count:6} {fault}: {outcome}")
    for seed, done, outcome, problem in failures[:20]:
        print(f"file {seed} ({', '.join(done) or 'no fault'}): {outcome}: {str(problem)[:300]}")
    if failures:
        sys.exit(f"{len(failures)} of {options.files} files failed")


if __name__ == "__main__":
    main()
