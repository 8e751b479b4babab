"""What becomes of the ids of a file by the commands that are printed for it."""

from __future__ import annotations

from labelguard.errors import UsageError
from labelguard.explanations.restoring import restored_ids
from labelguard.facts.record import FileRecord
from labelguard.finding import Arguments, Finding
from labelguard.report.html.mask_set import MaskSet
from labelguard.stages import Remap

_MOVING = ("remap", "run")  # commands


def mended_ids(finding: Finding, each: MaskSet, record: FileRecord) -> dict[int, int]:
    """What each id of a file becomes by the commands of a finding; empty where none moves ids, or it is not known, or nothing changes."""
    fix, verdict = finding.fix, each.verdict
    if not fix.commands or not all(command[1] in _MOVING for command in fix.commands):
        return {}
    if finding.weighed and verdict is not None and verdict.mendable:  # then the commands do just what the verdict says
        table = next((restored_ids(part, explanation, each.spec) for part, explanation in verdict.told
                      if record.path in part.seen.row_of_path and part.chosen[part.seen.row_of(record)]), {})
    else:
        table = _by_command(fix.commands[0], record) if fix.is_command else {}
    return table if any(label != there for label, there in table.items()) else {}


def _by_command(command: Arguments, record: FileRecord) -> dict[int, int]:
    """What `labelguard remap`, told nothing but where ids go, makes of the ids of a file; empty for any other command."""
    values: dict[str, list[str]] = {"--shift": [], "--merge": [], "--num-classes": [], "--ignore-index": []}
    options = command[3:]
    if command[:2] != ("labelguard", "remap") or len(options) % 2 or not {*options[::2]} <= {*values}:
        return {}
    for option, value in zip(options[::2], options[1::2], strict=True):
        values[option].append(value)
    merges = dict(merge.rsplit(":", 1) for merge in values["--merge"])
    try:
        stage = Remap(int((values["--shift"] or ["0"])[0]), merges,
                      num_classes=int(values["--num-classes"][0]) if values["--num-classes"] else None,
                      ignore_index=[*map(int, values["--ignore-index"])])
    except UsageError:
        return {}
    table = {label: stage.target(label) for label in record.ids}
    return {label: there for label, there in table.items() if there is not None} if None not in table.values() else {}
