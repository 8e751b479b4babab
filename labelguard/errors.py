"""Every exception that labelguard raises on purpose.

::

    LabelguardError
    ├── UsageError          what was asked for makes no sense         exit code 2
    │   └── SpecError       a LabelSpec or labelguard.toml is wrong
    ├── IncompleteError      no masks found, output not writable       exit code 3
    ├── UnreadableMaskError      a file is damaged or is no image          becomes LG001
    ├── NotLabelsError           pixels were read, but they are no ids     becomes LG003 or LG006
    └── MaskRejectedError        a stage refuses a mask; its findings say why

Faults of the data are findings, faults of use are exceptions: a scan turns the faults of a file into findings, and only
code that asks for the labels of one file, or puts a stage into its loader, ever sees them raised.
"""

from __future__ import annotations

from labelguard.finding import Finding


class LabelguardError(Exception):
    """Base of all exceptions of this package."""


class UsageError(LabelguardError):
    """An argument or option makes no sense; the sentence names it and its value."""


class SpecError(UsageError):
    """A label specification contradicts itself or cannot be read."""


class IncompleteError(LabelguardError):
    """The work could not be done for a reason outside the masks themselves."""


class UnreadableMaskError(LabelguardError):
    """A file's pixels cannot be trusted; the message is the reason, in words, without the path."""


class NotLabelsError(LabelguardError):
    """A file was read, but holds colors or fractions where label ids should be."""


class MaskRejectedError(LabelguardError):
    """A stage refuses a mask.

    Parameters
    ----------
    findings
        Why, the worst first. Or the whole sentence: all that a torch DataLoader hands on from a worker; there are no findings then.
    name
        What the mask is called; empty where it has no name.
    """

    def __init__(self, findings: tuple[Finding, ...] | str, name: str = "") -> None:
        self.findings = () if isinstance(findings, str) else tuple(findings)
        self.name = name
        reasons = " ".join(f"{finding.code} {finding.name}: {finding.message}{_place(finding)}" for finding in self.findings)
        super().__init__(findings if isinstance(findings, str) else f"{name or 'A mask'} is rejected. {reasons}")

    def __reduce__(self) -> tuple[type[MaskRejectedError], tuple[tuple[Finding, ...] | str, str]]:
        return MaskRejectedError, (self.findings or str(self), self.name)  # so that it survives the way out of a worker process


def _place(finding: Finding) -> str:
    return "" if finding.first is None or " row " in finding.message else f" First at row {finding.first[0]}, column {finding.first[1]}."
