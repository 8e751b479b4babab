"""ShowReport: one mask to be looked at, and what is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.mask import Mask
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.pictures.class_colors import ClassColors
from labelguard.pictures.close_up import around, close_up, first_pixel
from labelguard.pictures.legend import LegendRow, legend, telling
from labelguard.pictures.mask_picture import SIZE, mask_picture, same_proportions
from labelguard.pictures.notebook import figure_html
from labelguard.pictures.picture import Picture
from labelguard.pictures.sheet import sheet
from labelguard.report.finding_text import SEVERITY_COLORS
from labelguard.report.html.notebook import findings_html
from labelguard.report.picture_file import picture_file
from labelguard.report.scan import ScanReport
from labelguard.report.style import rendered, style
from labelguard.report.text import fact_lines, manual_lines, verdict, wrapped
from labelguard.spec.labelspec import Color
from labelguard.text import count, id_ranges

SHEET_SIZE = 1024  # pixels of the longer side of the mask in a file
_MOST_ROWS = 40
_MOST_FINDINGS = 10


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ShowReport:
    """One mask to be looked at, and what is wrong with it. A notebook shows it; ``print(report)`` says what the command says.

    Parameters
    ----------
    mask
        The mask.
    facts
        What one pass over it has learned.
    colors
        The color of each id.
    findings
        What checks found, the worst first.
    scan
        The scan of its file alone; None where the mask came from no file.
    image
        The photograph below it, (H, W, 3) uint8, and what it is called.
    ids
        The ids that are outlined: those asked for, else those of errors and warnings.
    at
        The pixel that is enlarged, (row, column): the one asked for, else the first of these ids, or the first that a finding names.
    """

    mask: Mask
    facts: MaskFacts
    colors: ClassColors
    findings: tuple[Finding, ...] = ()
    scan: ScanReport | None = None
    image: tuple[NDArray[np.uint8], str] | None = None
    ids: tuple[int, ...] = ()
    at: tuple[int, int] | None = None

    # Pictures

    def picture(self, size: int = SIZE) -> Picture:
        """The mask in the colors of its classes, over its image where there is one; `size` is the longer side in pixels."""
        alone = self.at is not None and not self._outlined
        return mask_picture(self.mask.labels, self.colors, image=self.image[0] if self.image else None, outlined=self._outlined,
                            at=self.at if alone else None, size=size)

    def close_up(self) -> Picture | None:
        """The pixels around `at` with their ids."""
        return None if self.at is None else close_up(self.mask.labels, self.colors, at=self.at, ids=self.ids)

    def legend(self) -> tuple[LegendRow, ...]:
        """What the colors mean."""
        return legend(self.facts.counts, self.colors)

    def sheet(self, size: int = SHEET_SIZE) -> Picture:
        """All of it in one picture."""
        return sheet(self._title, self.picture(size), self.legend(), self.close_up())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sheet as a PNG; of what exists, only such a picture is replaced.

        Raises
        ------
        UsageError
            When the name does not end in .png, or something else lies there.
        IncompleteError
            When it cannot be written.
        """
        picture_file(path).write(self.sheet())

    def _repr_html_(self) -> str:
        pictures = [self.picture(), *filter(None, [self.close_up()])]
        found = findings_html("", self.findings) if self.findings else ""
        return figure_html(self._title, pictures, self.legend(), found)

    # Words

    def __repr__(self) -> str:
        return f"ShowReport({self._title})"

    def __str__(self) -> str:
        return "\n".join(map(rendered, self.lines()))

    def lines(self, swatch: Callable[[Color], str] | None = None) -> Iterator[str]:
        """What there is to say, line by line, as `labelguard.report.style.rendered` takes it; `swatch` draws a color of the legend."""
        yield self._title
        yield from fact_lines([*(self.scan.facts() if self.scan is not None else ()), *self._image_facts()])
        yield ""
        yield from self._id_lines(swatch)
        missing = [label for label in self.ids if label not in self.facts.present]
        if missing:
            yield f"Not in this mask: {id_ranges(missing)}."
        yield from self._close_up_lines()
        yield from self._finding_lines()

    @property
    def _title(self) -> str:
        height, width = self.facts.shape
        stored = self.mask.stored.encoding if self.mask.stored is not None else self.facts.dtype
        return f"{self.mask.name or 'mask'}: {height} x {width} pixels, {stored}"

    @cached_property
    def _outlined(self) -> tuple[int, ...]:
        """The ids to be outlined that are there."""
        return tuple(label for label in self.ids if label in self.facts.present)

    def _image_facts(self) -> Iterator[tuple[str, str]]:
        if self.image is not None:
            pixels, name = self.image
            note = "" if same_proportions(pixels.shape, self.facts.shape) else "; its proportions differ, so it is not shown"
            yield "image", f"{name}: {pixels.shape[0]} x {pixels.shape[1]}{note}"

    def _id_lines(self, swatch: Callable[[Color], str] | None) -> Iterator[str]:
        rows = self.legend()
        shown = telling(rows, _MOST_ROWS)
        ids, names, pixels = (max(len(word), *(len(str(part)) for part in column)) for word, column in (
            ("id", [row.label for row in shown]), ("", [row.name for row in shown]), ("pixels", [f"{row.pixels:,}" for row in shown])))
        blank = "" if swatch is None else "   "
        named = f"  {'name':<{max(names, 4)}}" if names else ""
        yield f"{blank}{'id':>{ids}}{named}  {'pixels':>{pixels}}  share"
        for row in shown:
            color = "" if swatch is None else f"{swatch(row.color)} "
            name = f"  {row.name:<{max(names, 4)}}" if names else ""
            yield f"{color}{row.label:>{ids}}{name}  {row.pixels:>{pixels},}  {row.share}"
        if len(rows) > len(shown):
            yield f"and {count(len(rows) - len(shown), 'more id')}"

    def _close_up_lines(self) -> Iterator[str]:
        """The ids around the place that is enlarged."""
        if self.at is None:
            return
        top, left, ids = around(self.mask.labels, self.at)
        texts = [[str(label) for label in line] for line in ids.tolist()]
        across = max(len(text) for line in texts for text in line)
        across = max(across, len(str(left + ids.shape[1] - 1))) + 2
        rim = len(str(top + ids.shape[0] - 1))
        yield ""
        yield f"{'':{rim}} {''.join(f'{left + column:>{across}}' for column in range(ids.shape[1]))}"
        for row, line in enumerate(texts, top):
            cells = (style(f"{text:>{across}}", bold=True) if (row, column) == self.at else f"{text:>{across}}"
                     for column, text in enumerate(line, left))
            yield f"{row:>{rim}}:{''.join(cells)}"

    def _finding_lines(self) -> Iterator[str]:
        """The findings in short."""
        yield ""
        for finding in self.findings[:_MOST_FINDINGS]:
            tag = style(finding.severity.value, SEVERITY_COLORS[finding.severity], bold=True)
            yield f"{tag} {style(f'{finding.code} {finding.name}', bold=True)}"
            yield from wrapped("  ", finding.message)
            if finding.fix.is_command:
                yield f"  fix: {style(str(finding.fix), 'green')}"
        if len(self.findings) > _MOST_FINDINGS:
            yield f"and {count(len(self.findings) - _MOST_FINDINGS, 'more finding')}"
        yield verdict(self.findings, () if self.scan is None else self.scan.reservations())
        yield from manual_lines(self.findings)


def worth_outlining(findings: tuple[Finding, ...], facts: MaskFacts) -> tuple[int, ...]:
    """The ids of errors and warnings that a mask holds, unless that is all of them."""
    named = {label for finding in findings if finding.severity != Severity.NOTE for label in finding.ids}
    there = tuple(label for label in facts.present if label in named)
    return there if len(there) < len(facts.present) else ()


def worth_enlarging(labels: NDArray[np.integer], ids: tuple[int, ...], findings: tuple[Finding, ...]) -> tuple[int, int] | None:
    """The first pixel of some ids; without any, the first place that a finding names."""
    first = first_pixel(labels, ids) if ids else None
    return first or next((finding.first for finding in findings if finding.first is not None), None)
