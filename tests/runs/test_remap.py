"""remap, resize and run as functions: all that the commands can do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import labelguard
from labelguard import IncompleteError, LabelSpec, Pipeline, RejectEmpty, Remap, Resize, UsageError
from labelguard.cli import main
from labelguard.report.base import Report
from labelguard.report.progress import Progress
from labelguard.report.rewrite import RewriteReport
from labelguard.runs.remap import RemapOptions, Remapping, remap
from labelguard.runs.resize import resize
from labelguard.runs.run import run
from labelguard.runs.write_plan import WriteOptions
from tests.drawn import bands, folder, write_png


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    """0 is unlabeled, every class is one too high."""
    return folder(tmp_path / "masks", {f"{number}.png": bands(*range(13), height=52) for number in range(21)})


def ids(path: Path) -> list[int]:
    return np.unique(labelguard.read(path).labels).tolist()


def test_remap_infers_the_class_count_says_so_and_writes_beside_its_source(masks: Path, tmp_path: Path) -> None:
    report = remap(masks, shift=-1, merge={0: "last"})
    assert report.out == str(tmp_path / "masks-remapped") and ids(tmp_path / "masks-remapped" / "0.png") == list(range(12))
    assert report.inferred[-1] == "So the result has 12 classes; the last is 11." and report.spec.num_classes == 12
    assert report.moves == {0: 11, **{label: label - 1 for label in range(1, 13)}}
    assert str(report).startswith("inferred: ") and "every id accounted for" in str(report)


@pytest.mark.parametrize(("merge", "classes"), [
    ({0: 11}, 12), ({0: "11"}, 12), ({0: 14}, 15), ([(0, "last")], 12), ({(0, 12): 3}, 11), ({"0,12": 3}, 11), ({"0": "last", 12: 0}, 11)])
def test_merges_take_part_in_the_inference(masks: Path, merge: Any, classes: int) -> None:
    assert remap(masks, shift=-1, merge=merge, dry_run=True).spec.num_classes == classes


def test_an_ignored_id_is_inferred_and_passes(tmp_path: Path) -> None:
    source = folder(tmp_path / "masks", {f"{number}.png": bands(1, 2, 3, 255) for number in range(21)})
    report = remap(source, shift=-1)
    assert report.spec == LabelSpec(3, 255) and report.moves == {1: 0, 2: 1, 3: 2, 255: 255}
    assert report.inferred[-1] == "255 is taken for void and passes untouched."


def test_remap_takes_a_table_or_the_file_that_holds_it(masks: Path, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("from,to\n" + "".join(f"{label},{label // 2}\n" for label in range(13)))
    by_file = remap(masks, tmp_path / "a", table=tmp_path / "table.csv", num_classes=7)
    by_dict = remap(masks, tmp_path / "b", table={label: label // 2 for label in range(13)}, num_classes=7)
    assert [file.digest for file in by_file.written] == [file.digest for file in by_dict.written]


def test_remap_knows_class_names(masks: Path, tmp_path: Path) -> None:
    report = remap(masks, tmp_path / "out", shift=-1, merge={0: "class 3"}, names=[f"class {number}" for number in range(12)])
    assert report.moves[0] == 3 and "3 (class 3)" in str(report)


def test_a_dry_run_writes_nothing(masks: Path, tmp_path: Path) -> None:
    report = remap(masks, shift=-1, num_classes=12, dry_run=True)
    assert (report.refused, report.exit_code(), report.complete, report.unwritten) == ((0,), 1, True, 0)
    assert str(report).endswith("Dry run: nothing was written. Id 0 would be refused.") and len(report.written) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["masks"]
    assert remap(masks, shift=-1, merge={0: "last"}, num_classes=12, dry_run=True).exit_code() == 0


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({}, "Say what is to be moved"),
    ({"shift": -1}, r"cannot be inferred\. 0 - 1 is below 0\. Declare it with num_classes"),
    ({"table": {0: 1}}, "say how many classes the result has"),
    ({"table": {0: 1}, "shift": 1, "num_classes": 3}, "leave out shift and merge"),
    ({"merge": {0: "ignore"}, "num_classes": 13}, "none is declared"),
    ({"merge": {0: 1}, "out": "masks/x"}, "lies in the source"),
    ({"merge": {"road": 1}}, "'road' names no ids"),
])
def test_what_makes_no_sense_is_refused(masks: Path, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], sentence: str) -> None:
    monkeypatch.chdir(masks.parent)
    with pytest.raises(UsageError, match=sentence):
        remap("masks", **arguments)
    assert not Path("masks-remapped").exists()


def test_what_will_be_refused_anyway_is_refused_before_masks_are_looked_at(masks: Path, tmp_path: Path) -> None:
    folder(tmp_path / "masks-remapped", {"a.png": bands(0)})
    steps = iter(Remapping(masks, None, RemapOptions(shift=-1, merge={0: "last"}), WriteOptions()))
    with pytest.raises(UsageError, match="already holds something"):
        next(steps)


def test_making_a_remapping_does_no_work(tmp_path: Path) -> None:
    remapping = Remapping(tmp_path / "nothing", None, RemapOptions(), WriteOptions())
    assert not remapping.begun


def test_it_is_a_remap_once_and_again_where_that_is_meant(masks: Path, tmp_path: Path) -> None:
    remap(masks, tmp_path / "once", shift=1, num_classes=14)
    with pytest.raises(UsageError, match="was remapped before"):
        remap(tmp_path / "once", tmp_path / "twice", shift=1, num_classes=15)
    assert remap(tmp_path / "once", tmp_path / "twice", shift=1, num_classes=15, again=True).complete


def test_resize_reports_shares_and_what_vanished(tmp_path: Path) -> None:
    labels = bands(0, height=52)
    labels[:, 5] = 3
    source = folder(tmp_path / "thin", {"a.png": labels})
    report = resize(source, height=13, width=10, jobs=1)
    assert labelguard.read(tmp_path / "thin-resized" / "a.png").labels.shape == (13, 10)
    assert [finding.name for finding in report.findings] == ["vanished-class"] and report.exit_code() == 0
    assert "3" in str(report) and "every id accounted for" not in str(report)
    assert not resize(source, tmp_path / "kept", scale=0.25, keep={3: 0.25}).findings


def test_resize_refuses_ids_that_shrinking_would_hide(masks: Path, tmp_path: Path) -> None:
    report = resize(masks, tmp_path / "out", scale=0.5, num_classes=12)
    assert (report.unwritten, report.exit_code()) == (21, 1) and str(report).endswith("Nothing was written.")


def test_run_takes_a_file_a_name_or_a_stage(masks: Path, tmp_path: Path) -> None:
    (tmp_path / "clean.toml").write_text('[[stage]]\nkind = "remap"\nshift = -1\nnum_classes = 12\nmerge = {"0" = "last"}\n')
    by_file = run(tmp_path / "clean.toml", masks)
    stage = Pipeline([Remap(-1, {0: "last"}, num_classes=12)])
    by_stage = run(stage, masks)
    assert (by_file.out, by_stage.out) == (str(tmp_path / "masks-clean"), str(tmp_path / "masks-pipeline"))
    assert by_file.written == by_stage.written and by_file.stage == stage
    binary = folder(tmp_path / "binary", {"a.png": bands(0, 255)})
    assert run("binary-255", binary).complete and ids(tmp_path / "binary-binary-255" / "a.png") == [0, 1]
    with pytest.raises(UsageError, match="no-such-pipeline"):
        run("no-such-pipeline", masks)


def test_run_reports_what_a_stage_refuses(masks: Path, tmp_path: Path) -> None:
    write_png(masks / "empty.png", bands(0))
    report = run(Pipeline([RejectEmpty(), Resize(52, 4)]), masks, tmp_path / "out")
    assert [(finding.name, finding.path) for finding in report.findings] == [("empty-mask", "empty.png")]
    assert (len(report.written), report.unwritten) == (21, 1)


def test_a_folder_without_masks_cannot_be_rewritten(tmp_path: Path) -> None:
    (tmp_path / "masks").mkdir()
    for work in (lambda: remap(tmp_path / "masks", shift=1, num_classes=3), lambda: resize(tmp_path / "masks", scale=1)):
        with pytest.raises(IncompleteError, match="No masks found"):
            work()


def test_the_report_is_a_value_in_every_format(masks: Path, tmp_path: Path) -> None:
    write_png(masks / "bad.png", bands(0, 99))
    report = remap(masks, tmp_path / "out", shift=1, num_classes=14, jobs=1)
    assert isinstance(report, RewriteReport) and repr(report) == "RewriteReport(21 files written, 1 error)"
    content = json.loads(report.to_json())
    assert (content["command"], content["written"], content["unwritten"], content["exit_code"]) == ("remap", 21, 1, 1)
    assert content["moves"]["0"] == 1 and content["dataset"]["ids"]["0"] == content["result"]["ids"]["1"]
    assert content["dataset"]["pixels"] == content["result"]["pixels"] and content["findings"][0]["path"] == "bad.png"
    assert [row["name"] for row in report.table()][:2] == ["0.png", "1.png"] and "RewriteReport" in report._repr_html_()
    assert "1 file NOT written: see above." in str(report) and hash(report)


class FakeProbe:
    """Stands for a [probe] table: what it is put over, and what it reports."""

    def __init__(self, report: Report, problem: Exception | None = None) -> None:
        self.report, self.problem, self.seen = report, problem, ""

    def over(self, folder: str, origin: str) -> FakeProbe:
        self.seen = f"{folder}: {len([*Path(folder).glob('*.png')])} files, {origin}"
        return self

    def __iter__(self) -> Iterator[Progress]:
        if self.problem is not None:
            raise self.problem
        yield Progress("probing", 1, 1)

    def result(self) -> Report:
        return self.report


@pytest.fixture
def file_with_probe(masks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeProbe:
    """A pipeline file whose probe finds what a rewrite of other masks has found: an error."""
    (tmp_path / "clean.toml").write_text('[[stage]]\nkind = "remap"\nshift = 1\nnum_classes = 14\n')
    bad = remap(folder(tmp_path / "bad", {"a.png": bands(99)}), shift=1, num_classes=3)
    probe = FakeProbe(bad)
    monkeypatch.setattr("labelguard.lossprobe.stage.read_probe", lambda _: probe)
    return probe


def test_the_probe_of_a_file_sees_what_was_written_and_its_report_comes_along(
        masks: Path, tmp_path: Path, file_with_probe: FakeProbe) -> None:
    report = run(tmp_path / "clean.toml", masks, tmp_path / "out")
    assert file_with_probe.seen == f"{tmp_path / 'out'}: 21 files, clean.toml, [probe]"
    assert report.probe is file_with_probe.report and str(report).endswith(f"\n\n{report.probe}")
    assert (len(report.written), report.findings, report.exit_code()) == (21, (), 1)
    assert json.loads(report.to_json())["probe"]["findings"][0]["code"] == report.probe.findings[0].code


def test_without_written_masks_there_is_nothing_to_probe(tmp_path: Path, file_with_probe: FakeProbe) -> None:
    report = run(tmp_path / "clean.toml", folder(tmp_path / "high", {"a.png": bands(13)}))
    assert (file_with_probe.seen, report.probe, report.exit_code()) == ("", None, 1)


def test_a_probe_that_cannot_run_hides_nothing_of_what_was_written(
        masks: Path, tmp_path: Path, file_with_probe: FakeProbe) -> None:
    file_with_probe.problem = IncompleteError("There is no GPU.")
    done = CliRunner().invoke(main, ["run", str(tmp_path / "clean.toml"), str(masks)])
    assert done.exit_code == 3 and "21 files written" in done.stdout and "There is no GPU." in done.stderr
