"""The mask breaks off: from the middle of a row on, everything is 0.

What it does
------------
Reports masks of several labels that end in the middle of a row, with nothing but 0 behind: whatever stood in that row, or in the one
above, ends there. Whole rows of 0 are left alone, since masks are padded and the ground may be background; so are masks in which little
would be cut, such as a single object. Of large sets only some masks are read again for this, and all once one is found.

Why is this bad?
----------------
The file is whole, so that no reader complains. Somebody decoded a damaged one with a tolerant decoder (Pillow with
LOAD_TRUNCATED_IMAGES, OpenCV), which fills what is missing with 0, and saved what came out. Everything in the lower part is background
from then on, and the network learns it.

How to fix
----------
Fetch these files again from where they came from, and convert them with a decoder that refuses damaged files.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed, of_files

rule = Rule("LG308", "cut-off", Severity.ERROR, "The mask breaks off: from the middle of a row on, everything is 0.",
            needs_facts=("cut_off",))

_MOST = 5


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if not data.cut_off:
        return
    files = tuple(record.path for record in data.records if record.path in data.cut_off)
    places = listed((f"{path} from row {data.cut_off[path].row}, column {data.cut_off[path].column}" for path in files[:_MOST]), _MOST)
    more = f", and {count(len(files) - _MOST, 'more file')}" if len(files) > _MOST else ""
    yield rule.finding(f"Masks break off {of_files(len(files), len(data.records))}: everything is 0 from the middle of a row on, and what "
                       "stood there ends abruptly.", files=files,
                       evidence=(f"{places}{more}", "so it looks where a tolerant decoder has filled what was missing of a damaged file"),
                       fix="Fetch these files again, and convert them with a decoder that refuses damaged files (Pillow without "
                           "LOAD_TRUNCATED_IMAGES).")
