"""A ProbeReport can be printed, written and searched, as every report can."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from labelguard import LabelSpec, ProbeReport, probe
from labelguard.lossprobe.supervisor.launcher import Launcher
from tests.drawn import bands, folder
from tests.report.pages import Parsed

LOSSES = f"{Path(__file__).with_name('crashes.py')}:"


@pytest.fixture(scope="module")
def report(plain: Launcher, tmp_path_factory: pytest.TempPathFactory) -> ProbeReport:
    """Two masks, one of them with a pixel of 99, through a loss that dies of it."""
    bad = bands(0, 1, 2)
    bad[7, 8] = 99
    masks = folder(tmp_path_factory.mktemp("data") / "masks", {"a.png": bands(0, 1, 2), "bad.png": bad})
    return probe(masks, loss=f"{LOSSES}aborts", spec=LabelSpec(3), batch_size=2, launcher=plain, origin="a test")


def test_repr_is_one_line_and_str_the_text_report(report: ProbeReport) -> None:
    assert repr(report) == "ProbeReport(2 masks, 1 loss, 1 error)"
    text = str(report)
    assert "error LG502 native-death" in text and "bad.png" in text and "declared: 3 classes, nothing ignored (a test)" in text
    assert "\x1b" not in text and "Neutral masks are synthetic" in text
    assert "LG502" in report._repr_html_()


def test_the_page_has_the_batch_the_signal_and_how_to_see_it_again(report: ProbeReport) -> None:
    text = Parsed(report.to_html()).text
    assert "LG502" in text and "signal SIGABRT" in text and "2 files: a.png and bad.png" in text
    assert report.findings[0].repro in text and "What happened to the ids" not in text


def test_a_copy_by_pickle_says_the_same_even_after_the_text_was_made(report: ProbeReport) -> None:
    text = str(report)
    copy = pickle.loads(pickle.dumps(report))
    assert (repr(copy), str(copy), copy.to_json()) == (repr(report), text, report.to_json())


def test_json_has_the_keys_of_the_contract(report: ProbeReport) -> None:
    values = json.loads(report.to_json())
    assert values == report.to_dict() and (values["exit_code"], values["complete"]) == (1, True)
    assert list(values)[:5] == ["labelguard", "command", "dataset", "spec", "findings"]
    assert values.keys() >= {"losses", "settings", "coverage", "remarks", "skipped_checks", "summary"}
    assert values["losses"][0].keys() >= {"loss", "feed", "batches", "worst", "failed", "runs", "starts", "largest", "stopped"}
    finding, = values["findings"]
    assert (finding["code"], finding["path"], finding["level"], finding["native"]) == ("LG502", "bad.png", "pixel", "signal SIGABRT")


def test_the_table_has_the_facts_of_each_mask(report: ProbeReport) -> None:
    assert [row["path"] for row in report.table()] == ["a.png", "bad.png"]


def test_neutral_masks_are_explained_only_where_they_are_mentioned(plain: Launcher, tmp_path: Path) -> None:
    masks = folder(tmp_path / "masks", {"a.png": bands(0, 1, 2), "b.png": bands(0, 2, 1)})
    clean = probe(masks, loss=f"{LOSSES}aborts", spec=LabelSpec(3), batch_size=2, launcher=plain)
    assert "eutral masks" not in str(clean) and "Clean: every batch went through." in str(clean)


def test_an_interrupted_probe_says_so_in_every_format(report: ProbeReport) -> None:
    stopped = replace(report, complete=False)
    assert report.to_dict()["interrupted"] is stopped.to_dict()["interrupted"] is False
    assert "interrupted" not in str(stopped)
    interrupted = replace(stopped, interrupted=True)
    assert "INCOMPLETE: interrupted; not every batch went through every loss." in str(interrupted)
    assert interrupted.to_dict()["interrupted"] is True
