"""What a page says of a finding of the probe beside its evidence: the batch, the line of the loss, and how to see it again."""

from __future__ import annotations

from labelguard.finding import Finding
from labelguard.lossprobe.findings.loss_finding import LossFinding
from labelguard.report.html.entries import Details
from labelguard.text import count, listed, shortened


def details_of(finding: Finding) -> Details:
    """What else is to be said of a finding; nothing of one that the probe has not found."""
    if not isinstance(finding, LossFinding):
        return Details()
    facts = {
        "loss": finding.loss, "source": finding.source, "exception": finding.exception, "native": finding.native,
        "phase": ", ".join(filter(None, (finding.phase, finding.regime))), "level": finding.level,
        "batch": f"{count(len(finding.batch), 'file')}: {listed(finding.batch)}" if finding.batch else "",
        "value": "" if finding.value is None else f"{finding.value:g}",
        "gradient": "" if finding.gradient is None else f"{finding.gradient:g}",
        "repeated": f"{finding.repeats[0]} of {count(finding.repeats[1], 'run')}" if finding.repeats[1] > 1 else "",
        "seen on": finding.verified_on, "on CUDA": finding.expected_on_cuda,
    }
    texts = {"To see it again": finding.repro, f"{finding.wrapper_file}, a new file around the loss": finding.wrapper}
    return Details(tuple((word, shortened(text)) for word, text in facts.items() if text),
                   tuple((title, text) for title, text in texts.items() if text))
