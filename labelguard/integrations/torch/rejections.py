"""Which samples were rejected, how often and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from labelguard.errors import MaskRejectedError
from labelguard.finding import Severity


@dataclass(frozen=True, slots=True)
class Rejection:
    """One sample whose mask was rejected.

    Parameters
    ----------
    index
        Its index in the data set; in a stream, its number in the part that the worker read which met it.
    name
        Its name; empty where there are no names.
    times
        How often it was rejected.
    codes
        Codes of the errors of its last rejection, the worst first.
    """

    index: int
    name: str
    times: int
    codes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{called(self.index, self.name)}: {', '.join(self.codes)}{f' ({self.times} times)' if self.times > 1 else ''}"


@dataclass(frozen=True, slots=True)
class Rejections:
    """The samples whose masks were rejected so far, in the order of their indices.

    Parameters
    ----------
    samples
        One entry for each; of a stream the first thousand or so.
    more
        How often samples of a stream were rejected for which there was no entry left.
    """

    samples: tuple[Rejection, ...] = ()
    more: int = 0

    @property
    def total(self) -> int:
        """How often a mask was rejected: a sample that is rejected in three epochs counts three times."""
        return sum(sample.times for sample in self.samples) + self.more

    @property
    def indices(self) -> tuple[int, ...]:
        """The indices of the samples."""
        return tuple(sample.index for sample in self.samples)

    def __len__(self) -> int:
        return len(self.samples)

    def __iter__(self) -> Iterator[Rejection]:
        return iter(self.samples)

    def __str__(self) -> str:
        more = [f"... and {self.more:,} more"] * bool(self.more)
        return "\n".join([*map(str, self.samples), *more]) or "No sample was rejected."


def called(index: int, name: str) -> str:
    """A sample, as sentences begin with it."""
    return f"Sample {index} ({name})" if name else f"Sample {index}"


def error_codes(rejected: MaskRejectedError) -> bytes:
    """Why a mask was rejected, for a record of fixed length: the codes of its errors, the worst first."""
    codes = dict.fromkeys(finding.code for finding in rejected.findings if finding.severity is Severity.ERROR)
    return " ".join(codes).encode("ascii", "replace")


def rejection_within(problem: BaseException | None) -> MaskRejectedError | None:
    """The rejection that an exception is, or that it was raised from: pipelines such as MONAI's wrap what their transforms raise."""
    while problem is not None and not isinstance(problem, MaskRejectedError):
        problem = problem.__cause__
    return problem
