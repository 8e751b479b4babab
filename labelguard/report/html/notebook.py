"""The report in a notebook: one small table of findings."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from labelguard.finding import Finding
from labelguard.text import count, printable, shortened

_MOST_ROWS = 20
_COLORS = {"error": "#c0392b", "warning": "#b7791f", "note": "#2b6cb0"}


def findings_html(title: str, findings: Sequence[Finding]) -> str:
    """A title and the first findings; names of files are text, whatever they hold."""
    rows = "".join(_row(finding) for finding in findings[:_MOST_ROWS])
    rest = len(findings) - _MOST_ROWS
    more = f"<p>and {count(rest, 'more finding')}: print(report)</p>" if rest > 0 else ""
    table = f"<table><tr><th>severity</th><th>check</th><th>where</th><th>message</th></tr>{rows}</table>" if rows else ""
    return f"<div><strong>{escape(title)}</strong>{table}{more}</div>"


def _row(finding: Finding) -> str:
    where = finding.path if finding.path is not None else count(len(finding.files), "file") if finding.files else "data set"
    cells = (f"{finding.code} {finding.name}", where, finding.message)
    severity = finding.severity.value
    return (f'<tr><td style="color:{_COLORS[severity]}">{severity}</td>'
            + "".join(f'<td style="text-align:left">{escape(printable(shortened(cell)))}</td>' for cell in cells) + "</tr>")
