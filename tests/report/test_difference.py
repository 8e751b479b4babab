"""What came and what went between two scans, read from their JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import log2
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import labelguard
from labelguard import UsageError
from labelguard.report.class_shares import _MOST_ROWS, ClassShares, class_shares
from labelguard.report.difference import ScanDifference, compare_scans
from labelguard.report.saved import SavedReport, read_report
from tests.drawn import bands, folder

Masks = Mapping[str, np.ndarray]
OLD: Masks = {"a.png": bands(0, 1), "b.png": bands(0, 1), "c.png": bands(0, 1, 7)}


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def saved(name: str, masks: Masks, **options: Any) -> str:
    report = labelguard.scan(folder(Path(f"{name}-masks"), masks), **{"num_classes": 2} | options)
    report.save(name)
    return name


def edited(name: str, **values: Any) -> str:
    Path(name).write_text(json.dumps(json.loads(Path(name).read_text()) | values))
    return name


def compared(old: str, new: str) -> ScanDifference:
    return compare_scans(read_report(old), read_report(new))


def between(old: Masks, new: Masks) -> ScanDifference:
    return compared(saved("old.json", old), saved("new.json", new))


def test_the_same_set_shows_no_difference() -> None:
    found = between(OLD, OLD)
    assert (found.came, found.gone, found.unseen) == ((), (), ()) and found.masks() == {"added": 0, "removed": 0, "changed": 0}
    assert (found.shares.l1, found.shares.jensen_shannon, found.exit_code("note")) == (0, 0, 0) and found.stayed > 0
    text = "\n".join(found.lines())
    assert "every id has as many pixels as before" in text and f"Nothing came, 0 went, {found.stayed} stayed" in text


def test_what_came_and_what_went() -> None:
    found = between(OLD, {"a.png": bands(0, 1), "b.png": bands(0, 1, 9), "d.png": bands(0, 1)})
    assert [(finding.code, finding.path, finding.ids) for finding in found.came if finding.path] == [("LG101", "b.png", (9,))]
    assert [(mark.code, mark.path, mark.ids) for mark, _ in found.gone if mark.code == "LG101"] == [("LG101", "c.png", (7,))]
    assert found.masks() == {"added": 1, "removed": 1, "changed": 1} and found.exit_code() == 1 and found.exit_code(None) == 0


def test_what_was_accepted_before_did_not_come_now() -> None:
    accepted = labelguard.scan(folder(Path("masks"), OLD), num_classes=2, accept=[{"code": "LG101", "reason": "known"}])
    accepted.save("old.json")
    labelguard.scan("masks", num_classes=2).save("new.json")
    assert any(finding.accepted for finding in accepted.findings) and compared("old.json", "new.json").came == ()


def test_what_was_not_selected_is_not_gone() -> None:
    old = saved("old.json", OLD)
    labelguard.scan("old.json-masks", num_classes=2, exclude="c.png").save("new.json")
    found = compared(old, "new.json")
    assert not [mark for mark, _ in found.gone if mark.path == "c.png"]
    assert ("LG101", "c.png") in {(mark.code, mark.path) for mark, _ in found.unseen}
    remarks = " ".join(found.remarks())
    assert "In 'new.json' 1 mask was not selected." in remarks and "says nothing of LG101" in remarks


@pytest.mark.parametrize("after", [bands(0, 1, 1), bands(0, 1).astype(np.uint16), bands(0, 1)[:-1]], ids=["ids", "encoding", "size"])
def test_a_mask_has_changed_where_its_facts_have(after: np.ndarray) -> None:
    assert between({"a.png": bands(0, 1)}, {"a.png": after}).masks() == {"added": 0, "removed": 0, "changed": 1}


def test_one_more_file_of_a_finding_about_the_set_is_new() -> None:
    mixed = {f"{number}.png": bands(0, 1) for number in range(6)}
    found = between(mixed | {"a.png": bands(0, 1).astype(np.uint16)},
                    mixed | {name: bands(0, 1).astype(np.uint16) for name in ("a.png", "b.png")})
    came, = (finding for finding in found.came if finding.code == "LG007")
    assert [*came.files] == ["b.png"]


def shares_of(before: dict[int, int], after: dict[int, int]) -> ClassShares:
    return class_shares(*(SavedReport("a.json", "0", True, 1, 0, sum(ids.values()), ids, None, None, None, 0, None, (), "declared", ())
                          for ids in (before, after)))


def test_shares_are_told_by_the_largest_move() -> None:
    shares = shares_of({0: 10, 1: 30}, {0: 40, 1: 20, 2: 20})
    assert [(move.label, move.shares) for move in shares.moves] == [(1, (0.75, 0.25)), (0, (0.25, 0.5)), (2, (0, 0.25))]
    assert shares.l1 == 1
    assert shares.jensen_shannon == pytest.approx(sum(
        share * log2(2 * share / sum(pair)) / 2 for pair in [(0.75, 0.25), (0.25, 0.5), (0, 0.25)] for share in pair if share))
    assert "differ by 50 % of all pixels (L1 1.0000" in next(iter(shares.lines()))


def test_files_of_each_id_are_counted() -> None:
    shares = between({"a.png": bands(0, 1)}, {"a.png": bands(0, 1), "b.png": bands(0, 0, 1)}).shares
    assert {move.label: move.files for move in shares.moves} == {0: (1, 2), 1: (1, 2)}


@pytest.mark.parametrize(("before", "after", "l1", "divergence"), [({0: 5}, {1: 9}, 2, 1), ({0: 5}, {0: 10}, 0, 0), ({}, {}, 0, 0)])
def test_how_far_sets_can_be_apart(before: dict[int, int], after: dict[int, int], l1: float, divergence: float) -> None:
    shares = shares_of(before, after)
    assert (shares.l1, shares.jensen_shannon) == (l1, divergence)


@pytest.mark.parametrize("number", [_MOST_ROWS, _MOST_ROWS + 1])
def test_the_text_names_the_ids_that_moved_most_and_counts_the_others(number: int) -> None:
    lines = [*shares_of({0: 1}, dict.fromkeys(range(1, number), 1)).lines()]
    assert len(lines) == 2 + number and ("  and 1 more id; --format json has all" in lines) == (number > _MOST_ROWS)


def test_json_lines_are_read_too() -> None:
    assert read_report(saved("a.jsonl", OLD)).findings == read_report(saved("a.json", OLD)).findings
    assert len(read_report(saved("b.jsonl", {"a.png": bands(0, 1)})).findings) == 0


def test_a_finding_comes_back_as_it_was() -> None:
    report = labelguard.scan(folder(Path("m"), OLD | {"d.png": bands(0, 255)}), num_classes=2)
    report.save("a.json")
    back = read_report("a.json").findings
    assert [str(finding) for finding in back] == [str(finding) for finding in report.findings]
    for one, other in zip(back, report.findings, strict=True):
        assert (one.files, one.ids, one.pixels, one.first, one.box, one.evidence, str(one.fix), one.fix.commands) == (
            other.files, other.ids, other.pixels, other.first, other.box, other.evidence, str(other.fix), other.fix.commands)


# What cannot be compared like for like is said


def test_what_was_not_looked_for_is_not_gone() -> None:
    found = compared(saved("old.json", OLD), saved("new.json", {"a.png": bands(0, 1)}, ignore="LG101"))
    assert not any(mark.code == "LG101" for mark, _ in found.gone) and "says nothing of LG101, where 'old.json' has 1 finding" in " ".join(
        found.remarks())


def test_of_an_incomplete_scan_nothing_is_gone() -> None:
    found = compared(saved("old.json", OLD), edited(saved("new.json", {"a.png": bands(0, 1)}), complete=False))
    assert not found.gone and "what is gone is not known" in " ".join(found.remarks())
    assert "may have been there before" in " ".join(compared(edited("old.json", complete=False), "old.json").remarks())


def test_other_versions_and_other_declarations_are_told() -> None:
    found = compared(edited(saved("old.json", OLD), labelguard="0.0.9"), saved("new.json", OLD, num_classes=3, ignore_index=255))
    remarks = " ".join(found.remarks())
    assert "'old.json' is of labelguard 0.0.9" in remarks
    assert "'old.json' has 2 classes (declared), nothing ignored, 'new.json' has 3 classes (declared), 255 ignored" in remarks


def test_a_report_that_does_not_list_its_masks_is_compared_all_the_same() -> None:
    saved("old.json", OLD)
    values = json.loads(Path("old.json").read_text())
    del values["masks"], values["judged"], values["dataset"]["files_with"]
    Path("old.json").write_text(json.dumps(values))
    found = compared("old.json", saved("new.json", {"a.png": bands(0, 0, 1)}))
    assert found.masks() is None and "does not list its masks" in " ".join(found.remarks()) and found.gone
    assert any(" ? " in line for line in found.lines())


def test_what_is_accepted_or_known_does_not_come() -> None:
    def of_new(**values: Any) -> tuple[Any, ...]:
        saved("new.json", OLD)
        findings = [finding | values for finding in json.loads(Path("new.json").read_text())["findings"]]
        return compared(saved("old.json", {"a.png": bands(0, 1)}), edited("new.json", findings=findings)).came

    assert of_new() and not of_new(accepted="a toy") and not of_new(known=True)


# What is no report


@pytest.mark.parametrize(("content", "said"), [
    (b"", "not a JSON report"), (b"\x89PNG\xff", "not a JSON report"), (b"masks: 5 masks read", "not a JSON report"),
    (b"[]", "not a JSON report"), (b"{}", "not a report of labelguard"), (b'{"labelguard": "0.1.0"}', "not a report of labelguard"),
    (b'{"labelguard": "0.1.0", "command": "probe"}', "is of labelguard probe, and only scans are compared"),
    (b'{"labelguard": "0.1.0", "command": "scan", "dataset": []}', "is a damaged report"), (b"[" * 100_000, "not a JSON report")],
    ids=["empty", "image", "text", "list", "object", "receipt", "probe", "damaged", "deep"])
def test_what_is_no_report_gets_a_sentence(content: bytes, said: str) -> None:
    Path("a.json").write_bytes(content)
    with pytest.raises(UsageError, match=f"'a.json' .*{said}.*writes one with --report NAME.json"):
        read_report("a.json")


def test_whatever_is_damaged_in_a_report_gets_the_same_sentence() -> None:
    whole, random = json.loads(Path(saved("a.json", OLD)).read_text()), Random(0)
    sound, refused = read_report("a.json"), 0
    for _ in range(100):
        damaged = json.loads(json.dumps(whole))
        part = damaged
        while isinstance(part, (dict, list)) and part:
            parent, key = part, random.choice([*part] if isinstance(part, dict) else range(len(part)))
            part = part[key]
            if random.random() < 0.3:
                break
        parent[key] = random.choice([None, -1, 1.5, 1e300, 10 ** 30, "", "x", [], [1], {}, {"a": 1}, True])
        Path("b.json").write_text(json.dumps(damaged))
        try:
            found = compare_scans(sound, read_report("b.json"))
        except UsageError:
            refused += 1
        else:
            assert [*found.lines()] and json.dumps(found.to_dict())
    assert 10 < refused < 90


def test_a_report_that_was_cut_off_is_none() -> None:
    text = Path(saved("a.json", OLD)).read_text()
    lines = Path(saved("a.jsonl", OLD)).read_text().splitlines()
    for name, content in {"b.json": text[:-30], "b.jsonl": "\n".join(lines[:-1]), "c.jsonl": "\n".join(lines[1:])}.items():
        Path(name).write_text(content)
        with pytest.raises(UsageError, match=f"'{name}' is "):
            read_report(name)


def test_a_file_that_is_not_there_gets_a_sentence() -> None:
    with pytest.raises(UsageError, match="'nowhere.json' cannot be read: no such file or directory"):
        read_report("nowhere.json")
