"""docs/gpu.md: its second half is written by `make gpu-check`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gpu.md"
MARK = "<!-- results: what follows is written by make gpu-check -->"


def write(results: str, page: Path = PAGE) -> None:
    """Put results in the place of those that the page has."""
    head, mark, _ = page.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        raise ValueError(f"{page} has no line '{MARK}', below which results could be written")
    page.write_text(f"{head}{MARK}\n\n{results.strip()}\n", encoding="utf-8")


def render(device: Mapping[str, Any], notes: Sequence[Mapping[str, Any]], remarks: Sequence[str], benchmark: str) -> str:
    """The results: where they come from, each test, what was noted, and the benchmark."""
    return "\n\n".join(_parts(device, notes, remarks, benchmark))


def _parts(device: Mapping[str, Any], notes: Sequence[Mapping[str, Any]], remarks: Sequence[str], benchmark: str) -> Iterator[str]:
    tests = [note for note in notes if "test" in note]
    seen = [note for note in notes if "topic" in note]
    failed = sum(not test["passed"] for test in tests)
    yield f"## Seen on {date.today()}"
    yield "\n".join(f"- {name}: {value}" for name, value in device.items())
    yield f"{len(tests) - failed} of {len(tests)} tests passed, {failed} failed."
    yield from (f"**{remark}**" for remark in remarks)
    yield _table(("test", "outcome", "seconds"), [
        (test["test"].replace("_", " "), "passed" if test["passed"] else f"FAILED: {test['message']}", f"{test['seconds']:.0f}")
        for test in tests])
    yield "### What was seen"
    yield _table(("what", "seen"), [(note["topic"], note["text"]) for note in seen])
    yield benchmark.strip() or "The benchmark did not come to an end."


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in cells) + " |" for cells in lines)


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")
