"""Every exception that labelguard raises on purpose.

::

    LabelguardError
    ├── UsageError             an argument or option makes no sense        exit code 2
    │   └── SpecError          a LabelSpec or labelguard.toml is wrong
    ├── IncompleteError        no masks found, output not writable         exit code 3
    ├── UnreadableMaskError    a file is damaged or is not an image        becomes unreadable
    ├── NotLabelsError         pixels were read, but they are not ids      becomes colour-mask or float-mask
    └── MaskRejectedError      a stage rejects a mask; its findings say why

Faults of the data are findings, faults of use are exceptions. A scan turns the faults of a file into findings; only code that asks for
the labels of one file, or puts a stage into its loader, sees them raised.
"""

from __future__ import annotations

from labelguard.finding import Finding
from labelguard.text import printable


class LabelguardError(Exception):
    """Base of all exceptions of this package; their sentences name files, whose names are shown so that they can be printed."""

    def __str__(self) -> str:
        return printable(super().__str__())


class UsageError(LabelguardError):
    """An argument or option makes no sense; the sentence names it and its value.

    Parameters
    ----------
    message
        The sentence.
    argument
        The name of the argument that is wrong, as in the signature; empty where several together are, or none is.
    entry
        Where the argument is a table: the key that is wrong; None where the whole is.
    """

    def __init__(self, message: str = "", *, argument: str = "", entry: object = None) -> None:
        super().__init__(message)
        self.argument = argument
        self.entry = entry


class SpecError(UsageError):
    """A label specification contradicts itself or cannot be read."""


class IncompleteError(LabelguardError):
    """The work could not be completed, for a reason that does not lie in the masks."""


class UnreadableMaskError(LabelguardError):
    """The pixels of a file cannot be trusted; the message is the reason, without the path."""


class NotLabelsError(LabelguardError):
    """A file was read, but holds colors or fractions where label ids should be."""


class MaskRejectedError(LabelguardError):
    """A stage rejects a mask.

    Parameters
    ----------
    findings
        Why, the worst first. A torch DataLoader passes only the sentence on from a worker: then this is the sentence, and there are no
        findings.
    name
        The name of the mask; empty where it has none.
    """

    def __init__(self, findings: tuple[Finding, ...] | str, name: str = "") -> None:
        self.findings = () if isinstance(findings, str) else tuple(findings)
        self.name = name
        reasons = " ".join(f"{finding.code} {finding.name}: {finding.located}" for finding in self.findings)
        super().__init__(findings if isinstance(findings, str) else f"{name or 'A mask'} is rejected. {reasons}")

    def __reduce__(self) -> tuple[type[MaskRejectedError], tuple[tuple[Finding, ...] | str, str]]:
        return MaskRejectedError, (self.findings or str(self), self.name)  # else it is lost on the way out of a worker process
