"""Damaged files by the thousand: a seeded stream of mutants of small good ones, damaged in their bytes, in their fields, or in both.

`tests/files/fuzz_campaign.py` feeds them to labelguard by hand, in processes of their own.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator, Sequence

from tests.files.fuzz_fields import change_fields
from tests.files.fuzz_seeds import Seed

_EDGES = (0, 1, 2, 3, 7, 8, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0xFFFFFF, 0x7FFFFFFF, 0x80000000,
          0xFFFFFFFF)


def mutants(seed_files: Sequence[Seed], count: int, seed: int) -> Iterator[Seed]:
    """Damage files in ways that transfers, disks and bad writers do, and in ways that only an attacker would.

    Parameters
    ----------
    seed_files
        Good files as (name, content).
    count
        How many mutants.
    seed
        The same number gives the same mutants.

    Yields
    ------
    tuple of str and bytes
        The name of the file that a mutant came from, and the mutant.
    """
    return (mutant(seed_files, number, seed) for number in range(count))


def mutant(seed_files: Sequence[Seed], number: int, seed: int) -> Seed:
    """One of the mutants, by its number."""
    source = random.Random(f"{seed} {number}")
    name, data = source.choice(seed_files)
    how = source.random()
    if how < 0.8:  # what reads lengths and checksums has to be passed before the rest is reached
        for _ in range(source.choice((1, 1, 1, 2, 3))):
            data = change_fields(data, source)
    if how > 0.65:
        for _ in range(source.choice((1, 1, 1, 2, 4))):
            data = source.choice(_DAMAGES)(data, source, seed_files)
    return name, data


def _flip_bits(data: bytes, source: random.Random, _: Sequence[Seed]) -> bytes:
    damaged = bytearray(data)
    for _ in range(source.choice((1, 1, 2, 8)) if damaged else 0):
        # Headers are short and decide the most.
        damaged[source.randrange(min(len(damaged), source.choice((64, 512, 1 << 30))))] ^= 1 << source.randrange(8)
    return bytes(damaged)


def _cut(data: bytes, source: random.Random, _: Sequence[Seed]) -> bytes:
    return data[:source.randrange(len(data) + 1)]


def _cut_out(data: bytes, source: random.Random, _: Sequence[Seed]) -> bytes:
    start = source.randrange(len(data) + 1)
    return data[:start] + data[start + source.choice((1, 2, 4, 16, 256)):]


def _overwrite(data: bytes, source: random.Random, _: Sequence[Seed]) -> bytes:
    start, size = source.randrange(len(data) + 1), source.choice((1, 4, 16, 64, 512))
    run = source.choice((bytes(size), b"\xff" * size, source.randbytes(size)))
    return data[:start] + run[:len(data) - start] + data[start + size:]


def _edit_number(data: bytes, source: random.Random, _: Sequence[Seed]) -> bytes:
    """Overwrite what may be a length, a count or an offset with a number at some edge."""
    form = source.choice(("<H", ">H", "<I", ">I", "<I", ">I", "<Q", ">Q"))
    size = struct.calcsize(form)
    if len(data) < size:
        return data
    at = source.randrange(min(len(data) - size + 1, source.choice((64, 512, 1 << 30))))
    near = struct.unpack_from(form, data, at)[0] + source.choice((-1, 1, 2))
    value = source.choice((*_EDGES, len(data), len(data) - 1, len(data) + 1, near))
    return data[:at] + struct.pack(form, value % (1 << 8 * size)) + data[at + size:]


def _splice(data: bytes, source: random.Random, others: Sequence[Seed]) -> bytes:
    """The beginning of one file and the end of another, or a piece of another in the middle."""
    other = source.choice(others)[1]
    at, start = source.randrange(len(data) + 1), source.randrange(len(other))
    if source.random() < 0.5:
        return data[:at] + other[start:]
    return data[:at] + other[start:start + source.randrange(1, 200)] + data[at:]


def _repeat(data: bytes, source: random.Random, _: Sequence[Seed]) -> bytes:
    start = source.randrange(len(data) + 1)
    piece = data[start:start + source.randrange(1, 200)]
    return data[:start] + piece * source.choice((2, 3, 40)) + data[start + len(piece):]


_DAMAGES: tuple[Callable[[bytes, random.Random, Sequence[Seed]], bytes], ...] = (
    _flip_bits, _flip_bits, _cut, _cut_out, _overwrite, _edit_number, _edit_number, _splice, _repeat)
