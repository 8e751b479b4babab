"""A rewrite in one call, whole or broken off, and what a folder holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labelguard import LabelSpec, Remap, Stage
from labelguard.report.rewrite import RewriteReport
from labelguard.runs.rewrite import Rewrite
from labelguard.runs.write_plan import WriteOptions, plan_write

SHIFT = Remap(-1, {0: "last"}, num_classes=12, ignore_index=255)


def rewriting(source: Path | str, out: Path | str, stage: Stage = SHIFT, **options: Any) -> Rewrite:
    return Rewrite(plan_write("remap", source, out, stage, LabelSpec(12), WriteOptions(**options)))


def rewrite(source: Path | str, out: Path | str, stage: Stage = SHIFT, **options: Any) -> RewriteReport:
    under_way = rewriting(source, out, stage, **options)
    for _ in under_way:
        pass
    return under_way.result()


def broken_off(source: Path | str, out: Path | str, after: int = 1) -> RewriteReport:
    """What a rewrite reports that was interrupted after some files; its journal holds these."""
    half = rewriting(source, out, jobs=1)
    steps = iter(half)
    for _ in range(after):
        next(steps)
    steps.close()  # type: ignore[attr-defined]
    return half.result()


def tree(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
