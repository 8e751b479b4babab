"""Many files at once have the facts that each has alone, and whatever is unusual about one is left."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.mask import facts_of
from labelguard.files.mask_files import facts_of_files
from labelguard.files.read import read_bytes
from labelguard.kernels import tally_files
from tests.drawn import examples
from tests.files import pngs
from tests.files.fuzz import mutants
from tests.files.fuzz_seeds import good_files
from tests.files.test_fuzz import COUNT
from tests.kernels.strategies import label_images

pytestmark = pytest.mark.skipif(not tally_files.TAKES_FILES, reason="files are looked at one by one here")
ENOUGH = 10 ** 7
LABELS = np.kron(np.arange(12, dtype=np.uint8).reshape(3, 4), np.ones((9, 11), np.uint8))
PALETTE = bytes(range(3 * 12))


def written(folder: Path, contents: Iterable[bytes]) -> list[tuple[str, str]]:
    files = []
    for number, content in enumerate(contents):
        path = folder / f"{number}.png"
        path.write_bytes(content)
        files.append((str(path), path.name))
    return files


def parts(facts: MaskFacts) -> tuple[object, ...]:
    return (facts.shape, facts.dtype, facts.present, facts.ids.dtype, facts.records.tolist(), facts.stored, facts.colors, facts.fractions,
            facts.erosion, facts.label_runs, facts.ids.flags.writeable, facts.records.flags.writeable)


def taken(files: Sequence[tuple[str, str]], erosion_of: tuple[int, ...] = (), with_label_runs: bool = True,
          most_bytes: int = ENOUGH) -> list[bool]:
    """Which files were taken, after the facts of these were found equal to those that each has alone."""
    found = facts_of_files(files, most_bytes, erosion_of, with_label_runs)
    for (path, name), facts in zip(files, found, strict=True):
        assert facts is None or parts(facts) == parts(facts_of(read_bytes(path), name, erosion_of, with_label_runs)), path
    return [facts is not None for facts in found]


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
@settings(examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.lists(st.integers(0, 4), min_size=1, max_size=5), st.sampled_from([1 << 30, 9]), st.booleans())
def test_facts_are_those_of_each_file_alone(bits: int, tmp_path: Path, data: st.DataObject, kinds: list[int], idat_bytes: int,
                                            with_label_runs: bool) -> None:
    scale = 255 if bits == 16 else 1
    images = [scale * image for image in data.draw(st.lists(label_images(1 << min(bits, 8), np.uint16), min_size=1, max_size=3))]
    files = written(tmp_path, [pngs.encode(image, bits, 0, kinds, idat_bytes=idat_bytes) for image in images])
    assert all(taken(files, tuple(sorted({int(image.max()) for image in images})), with_label_runs))


@pytest.mark.parametrize("side", [9, 49, 50, 51, 149, 150, 151, 250, 251])
def test_shapes_are_eroded_as_alone(side: int, tmp_path: Path) -> None:
    labels = np.zeros((side, side + 3), np.uint16)
    labels[1:side - 2, 2:side // 2 + 2], labels[-1] = 255, 254
    assert all(taken(written(tmp_path, [pngs.encode(labels, level=1), pngs.encode(labels * 257, 16, level=1)]), (255, 254, 65535, 7)))


def with_chunk(kind: bytes, body: bytes = b"x") -> bytes:
    return GOOD[:33] + pngs.chunk(kind, body) + GOOD[33:]


GOOD = pngs.encode(LABELS)
INDEXED = pngs.encode(LABELS, color_type=3, palette=PALETTE)


@pytest.mark.parametrize("content", [
    GOOD, INDEXED, pngs.encode(LABELS, 4, 3, palette=PALETTE), pngs.encode(LABELS, idat_bytes=7), GOOD + b"behind its end",
    pngs.encode(LABELS, palette=b"not used"), with_chunk(b"tEXt"), with_chunk(b"IDAT", b""),
])
def test_what_is_usual_is_taken(content: bytes, tmp_path: Path) -> None:
    assert taken(written(tmp_path, [content])) == [True]


@pytest.mark.parametrize("content", [
    b"", b"text", GOOD[:-1], GOOD[:50], GOOD[:8], GOOD[:60] + b"?" + GOOD[61:], with_chunk(b"eXIf"), with_chunk(b"fcTL"),
    with_chunk(b"ABCD"), with_chunk(b"te1t"), with_chunk(b"IHDR"),
    pngs.encode(LABELS, interlaced=True), pngs.encode(np.stack([LABELS] * 3, axis=2), 8, 2),
    pngs.encode(LABELS, color_type=3), pngs.encode(LABELS, color_type=3, palette=PALETTE + b"x"),
    pngs.encode(LABELS, color_type=3, palette=PALETTE * 22), pngs.encode(LABELS).replace(GOOD[16:24], b"\0\0\0\1\0\0\0\1"),
    pngs.SIGNATURE + pngs.chunk(b"IEND", b""), GOOD[8:], GOOD.replace(b"IDAT", b"IDAU"),
])
def test_what_is_unusual_is_left(content: bytes, tmp_path: Path) -> None:
    assert taken(written(tmp_path, [GOOD, content, GOOD])) == [True, False, True]


def test_a_file_that_takes_more_memory_than_nobody_has_to_be_asked_for_is_left(tmp_path: Path) -> None:
    files = written(tmp_path, [GOOD])
    raw = LABELS.shape[0] * (LABELS.shape[1] + 1)
    assert taken(files, most_bytes=raw) == [True] and taken(files, most_bytes=raw - 1) == [False]
    decoded = len(GOOD) + 7 * LABELS.size
    assert taken(files, (3,), most_bytes=decoded) == [True] and taken(files, (3,), most_bytes=decoded - 1) == [False]


def test_files_with_more_ids_than_there_is_room_for_are_left(tmp_path: Path) -> None:
    many = pngs.encode(np.arange(40_000, dtype=np.uint16).reshape(200, -1), 16, level=1)
    assert taken(written(tmp_path, [GOOD, many, many, GOOD])) == [True, True, False, False]


def test_large_files_are_left_once_many_were_looked_at_since_nobody_can_interrupt_a_call(tmp_path: Path) -> None:
    large = tmp_path / "large.png"
    header = struct.pack(">IIBBBBB", 4096, 4000, 8, 0, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(bytes(4000 * 4097), 9)), (b"IEND", b"")
    large.write_bytes(pngs.SIGNATURE + b"".join(pngs.chunk(*chunk) for chunk in chunks))
    found = facts_of_files([(str(large), large.name)] * 12, 10 ** 8)
    assert [facts is not None for facts in found] == [True] * 9 + [False] * 3


def test_what_is_no_regular_file_is_left_and_nothing_is_taken_out_of_it(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe.png", tmp_path / "link.png"
    os.mkfifo(pipe)
    good, = written(tmp_path, [GOOD])
    link.symlink_to(good[0])
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(pipe, os.O_WRONLY)
    os.write(writer, GOOD)
    paths = [pipe, tmp_path, tmp_path / "missing.png", Path("/dev/null"), link, Path(good[0])]
    assert taken([(str(path), path.name) for path in paths]) == [False, False, False, False, True, True]
    assert os.read(reader, 1 << 16) == GOOD
    os.close(reader), os.close(writer)


def test_names_that_are_no_text_are_found(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.png"
    Path(os.fsdecode(path)).write_bytes(GOOD)
    assert taken([(os.fsdecode(path), "odd.png")]) == [True]
    assert facts_of_files([(f"{tmp_path}/\0.png", "no path")], ENOUGH) == [None]


def test_a_damaged_file_has_the_facts_that_it_has_alone_or_is_left(tmp_path: Path) -> None:
    contents = [data for _, data in mutants([file for file in good_files() if file[0].endswith(".png")], COUNT, seed=COUNT)]
    number = sum(sum(taken(written(tmp_path, contents[start:start + 32]), (4, 255))) for start in range(0, COUNT, 32))
    assert COUNT // 50 < number < COUNT - COUNT // 50, "the mutants are all alike"
