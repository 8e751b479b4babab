"""docs/verdicts.md says what the code does. ``python -m tests.explanations.test_verdicts_page`` writes the table of priors anew."""

from __future__ import annotations

import re
from pathlib import Path

from labelguard.explanations import decide, priors

PAGE = Path(__file__).resolve().parents[2] / "docs" / "verdicts.md"
_TABLE = re.compile(r"(?<=<!-- priors -->\n).*?(?=<!-- end of priors -->)", re.DOTALL)
_OTHERS = {"FAULT": "any fault of the ids at all", "NEXT_PART": "each further part with a fate of its own",
           "UNKNOWN_ID": "an id that nothing explains, besides those that say which", "NO_VOID": "a declared void label that no file holds",
           "UNUSED": "a class that no file holds for reasons of its own", "NOTHING_TO_LEARN": "no file holds a second class"}


def table() -> str:
    """The priors as a table."""
    rows = [(f"*{words}*", getattr(priors, name), "") for name, words in _OTHERS.items()]
    rows += [(name, prior.bits, prior.why) for name, prior in priors.PRIORS.items()]
    lines = ["| explanation | bits | why |", "|---|---|---|", *(f"| {name} | {bits:g} | {why} |" for name, bits, why in rows)]
    return "\n".join(lines) + "\n"


def test_the_page_has_the_priors() -> None:
    found = _TABLE.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None and found[0] == table(), "run: python -m tests.explanations.test_verdicts_page"


def test_the_page_has_the_thresholds() -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"{100 * decide._CERTAIN:g} of 100 or more for one cause" in page
    assert f"{100 * decide._CERTAIN_IF_LEGAL:g} of 100 where every id is legal" in page
    assert f"| likely | {100 * decide._LIKELY:g} of 100 or more |" in page
    assert f"more than {100 * decide._SURE_TABLE:g} of 100, counting every account" in page


if __name__ == "__main__":
    PAGE.write_text(_TABLE.sub(lambda _: table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
