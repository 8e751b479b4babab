"""Parts of the text report that only a probe has: what was done for each loss, and what to do about all findings together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from labelguard.lossprobe.findings.loss_finding import LossFinding
from labelguard.lossprobe.loss_summary import LossSummary
from labelguard.report.style import style
from labelguard.report.text import Fact, wrapped
from labelguard.text import count, listed, shell_command


def summary_lines(loss: LossSummary) -> Iterator[str]:
    """What was done for one loss."""
    yield from wrapped("probed:   ", _summary(loss))
    if loss.stopped:
        yield from wrapped("          ", f"Stopped: {loss.stopped}.")


def loss_fact(loss: LossSummary) -> Fact:
    """The same in one piece."""
    return "probed", " ".join([_summary(loss), *[f"Stopped: {loss.stopped}."] * bool(loss.stopped)])


def follow_up_lines(findings: Sequence[LossFinding]) -> Iterator[str]:
    """What neutral masks are, where they are mentioned; what to expect of a GPU; and how to repeat the first failure."""
    lines: list[str] = []
    if any(finding.mentions_neutral_masks for finding in findings):
        lines.append("Neutral masks are synthetic: they hold every class and nothing else.")
    for expected in dict.fromkeys(finding.expected_on_cuda for finding in findings if finding.expected_on_cuda):
        codes = listed(dict.fromkeys(finding.code for finding in findings if finding.expected_on_cuda == expected))
        lines += wrapped("", f"{codes} on a GPU, expected and not tried: {expected}.")
    for finding in findings:
        if finding.wrapper:
            lines += [f"{finding.wrapper_file}, a new file, to be probed with --loss {shell_command([finding.wrapper_file + ':build'])}:",
                      *(f"    {line}".rstrip() for line in finding.wrapper.splitlines())]
    for finding in findings:
        if finding.repro:
            which = f"the batch with {finding.path}" if finding.path and len(finding.batch) > 1 else finding.path or "the first such batch"
            lines.append(f"To repeat {which}: {style(finding.repro, 'green')}")
            break
    if lines:
        yield from ["", *lines]


def _summary(loss: LossSummary) -> str:
    worker, where = loss.handshake, ""
    if worker:
        where = f" on {worker.get('device_name', worker['device'])} ({worker['framework']}, Python {worker['python']})"
    if not loss.batches:
        return f"{loss.loss}{where}: no batch"
    size = f" of up to {count(loss.largest, 'mask')}" if loss.largest else ""
    worst = f" and {count(loss.worst, 'worst case')}" if loss.worst else ""
    failed = f"; {loss.failed:,} failed" if loss.failed else ""
    called = f"; {loss.input_format}" if loss.input_format else ""
    starts = f", {count(loss.starts, 'worker start')}" if loss.starts != 1 else ""
    batches = count(loss.batches, "batch", "batches")
    return f"{loss.loss}{where}: {batches}{size}{worst}{failed}{called}; {count(loss.passes, 'run')}{starts}"
