"""The command of a fix, run as a user would, and the result scanned again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from click.testing import CliRunner

from labelguard import read, scan
from labelguard.cli import main
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages.pipeline_file import find_pipeline, read_pipeline
from labelguard.stages.remap import Remap
from tests.checks.scenes import Labels, png


def write_set(folder: Path, masks: Sequence[Labels]) -> Path:
    """Masks as PNG files 000.png, 001.png, ..."""
    folder.mkdir(parents=True)
    for number, labels in enumerate(masks):
        (folder / f"{number:03}.png").write_bytes(png(labels))
    return folder


def the_error(folder: Path, spec: LabelSpec, code: str) -> Finding:
    """The only error of a folder."""
    found = [finding for finding in scan(folder, spec=spec, jobs=1).findings if finding.severity is Severity.ERROR]
    assert [finding.code for finding in found] == [code], found
    return found[0]


def run_fix(fix: Fix, source: Path, out: Path) -> LabelSpec:
    """Run the first command of a fix on a folder; gives the spec of the result, as the command declares it."""
    assert fix.commands, fix
    _, name, *options = fix.commands[0]
    place = int(name == "run")  # the pipeline comes first
    words = [name, *options[:place], str(source), *options[place + 1:]]
    result = CliRunner().invoke(main, [*words, "--out", str(out)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    if place:
        stage = read_pipeline(find_pipeline(words[1])).stages[-1]
        assert isinstance(stage, Remap)
        return LabelSpec(stage.num_classes, stage.ignore_index)
    values = [(words[i], words[i + 1]) for i in range(2, len(words), 2)]
    number = next((int(value) for name, value in values if name == "--num-classes"), None)
    return LabelSpec(number, tuple(int(value) for name, value in values if name == "--ignore-index"))


def mended_by_its_command(tmp_path: Path, masks: Sequence[Labels], spec: LabelSpec, code: str,
                          originals: Sequence[Labels] | None = None) -> Finding:
    """Scan, run the command of the one error, and scan again: nothing but absent classes may be left; gives the error.

    Where there are originals, the mended masks must equal them.
    """
    folder = write_set(tmp_path / "masks", masks)
    finding = the_error(folder, spec, code)
    after = run_fix(finding.fix, folder, tmp_path / "mended")
    assert spec.num_classes in (None, after.num_classes)
    left = [finding for finding in scan(tmp_path / "mended", spec=after, jobs=1).findings if finding.code != "LG204"]
    assert left == []
    for number, labels in enumerate(originals or ()):
        assert (read(tmp_path / "mended" / f"{number:03}.png").labels == labels).all(), number
    return finding
