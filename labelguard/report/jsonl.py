"""The report as lines of JSON: one finding a line, then one line with everything else."""

from __future__ import annotations

import json

from labelguard.report.json import finding_dict, head_dict
from labelguard.runs.scan import ScanReport


def render(report: ScanReport, exit_code: int) -> str:
    """Findings in the keys of the JSON report; the last line is that report without its findings."""
    lines = [*(finding_dict(finding) for finding in report.findings), head_dict(report, exit_code)]
    return "".join(json.dumps(line) + "\n" for line in lines)
