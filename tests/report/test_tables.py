"""Findings and facts as tables in files."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import labelguard
from labelguard import Finding, Severity, UsageError
from labelguard.report import parquet, tables
from labelguard.report.base import Report
from labelguard.report.table import FINDING_COLUMNS
from labelguard.report.written import writer_of
from tests.drawn import bands, folder

WIDE = 2 ** 63 + 5


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> labelguard.ScanReport:
    masks = folder(tmp_path_factory.mktemp("tables"), {"=1+1.png": bands(0, 1, 7), "a,\"b\"\n.png": bands(0, 1), "c.png": bands(0, 1)})
    return labelguard.scan(masks, num_classes=2)


def rows_of(report: Report, write: object = tables.write_findings) -> list[dict[str, str]]:
    text = StringIO()
    write(report, text, None)  # type: ignore[operator]
    return [*csv.DictReader(StringIO(text.getvalue()))]


def parquet_of(report: Report, write: object = parquet.write_findings) -> pq.ParquetFile:
    file = BytesIO()
    write(report, stream := TextIOWrapper(file), None)  # type: ignore[operator]
    stream.detach()
    return pq.ParquetFile(file)


def finding(message: str = "Wrong.", **more: object) -> Finding:
    return Finding("LG101", "out-of-range", Severity.ERROR, message, **more)  # type: ignore[arg-type]


def test_each_finding_is_a_row(report: labelguard.ScanReport) -> None:
    rows, table = rows_of(report), parquet_of(report).read().to_pylist()
    assert [row["code"] for row in rows] == [row["code"] for row in table] == [found.code for found in report.findings]
    found, row, values = report.findings[0], rows[0], table[0]
    assert tuple(row) == tuple(values) == FINDING_COLUMNS
    assert (row["severity"], row["path"], row["ids"], row["pixels"], row["row"], row["column"]) == (
        "error", "'=1+1.png", "7", str(found.pixels), *map(str, found.first or ()))
    assert values["path"] == found.path and values["ids"] == [7] and values["box"] == [*(found.box or ())] and values["files"] == []


def test_a_finding_about_the_set_counts_its_files_and_names_them(report: labelguard.ScanReport) -> None:
    of_set = replace(report, findings=(finding(files=[f"{number}.png" for number in range(9_000)], evidence=("one", "two")),))
    row, values = rows_of(of_set)[0], parquet_of(of_set).read().to_pylist()[0]
    assert row["num_files"] == "9000" and row["files"].startswith("0.png | 1.png | ") and row["files"].endswith(".png | ...")
    assert len(row["files"]) <= 30_010 and row["evidence"] == "one | two"  # a cell takes 32,767
    assert values["num_files"] == len(values["files"]) == 9_000 and values["evidence"] == ["one", "two"]


def test_the_facts_of_each_mask_are_a_row(report: labelguard.ScanReport) -> None:
    rows, values = rows_of(report, tables.write_facts), parquet_of(report, parquet.write_facts).read().to_pylist()
    assert [row["path"] for row in rows] == ["'=1+1.png", r'a,"b"\n.png', "c.png"]
    assert (rows[2]["ids"], rows[2]["num_pixels"], rows[2]["trusted"]) == ("0 1", "600 600", "true")
    for record, row in zip(report.data.records, values, strict=True):
        assert (row["path"], row["height"], row["width"], row["ids"], row["num_pixels"], row["trusted"]) == (
            record.path, *record.shape, [*record.ids], [*record.num_pixels], record.exact)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\uff1dcmd", "\t=1", "\r=1"])
def test_no_text_is_run_as_a_formula(report: labelguard.ScanReport, text: str) -> None:
    row, = rows_of(replace(report, findings=(finding(text, path=text, evidence=(text,)),)))
    assert all(row[column][0] in "'\\" for column in ("message", "path", "evidence"))


def test_numbers_stay_numbers(report: labelguard.ScanReport) -> None:
    assert rows_of(replace(report, findings=(finding(ids=(-1,)),)))[0]["ids"] == "-1"


def test_bytes_that_are_no_text_are_shown(report: labelguard.ScanReport) -> None:
    odd = replace(report, findings=(finding(path="a\udcff.png"), finding(path="b\n\u202e.png")))
    assert [row["path"] for row in parquet_of(odd).read().to_pylist()] == [r"a\xff.png", "b\n\u202e.png"]
    assert [row["path"] for row in rows_of(odd)] == [r"a\xff.png", r"b\n\u202e.png"]


def test_ids_of_64_bits_are_exact(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[1, WIDE]], np.uint64))
    np.save(tmp_path / "b.npy", np.array([[-1, 2]], np.int64))
    report = labelguard.scan(tmp_path, num_classes=3)
    facts = parquet_of(report, parquet.write_facts).read().to_pylist()
    assert [[int(label) for label in row["ids"]] for row in facts] == [[1, WIDE], [-1, 2]]
    assert parquet_of(report).read().to_pylist()[0]["ids"] == [WIDE]


@pytest.mark.parametrize("rows", [parquet._ROWS, parquet._ROWS + 1])
def test_rows_are_written_in_groups(report: labelguard.ScanReport, rows: int) -> None:
    file = parquet_of(replace(report, findings=(finding(),) * rows))
    assert file.metadata.num_rows == rows and file.num_row_groups == (1 if rows == parquet._ROWS else 2)


def test_nothing_found_leaves_the_columns(report: labelguard.ScanReport) -> None:
    assert tuple(parquet_of(replace(report, findings=())).schema_arrow.names) == FINDING_COLUMNS


@pytest.mark.parametrize(("name", "write"), [("a.csv", tables.write_findings), ("camvid-Facts.CSV", tables.write_facts),
                                             ("x/facts.parquet", parquet.write_facts), ("facts/x.parquet", parquet.write_findings)])
def test_the_name_says_which_table(name: str, write: object) -> None:
    assert writer_of(name) is write


def test_without_pyarrow_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "labelguard.report.parquet", raising=False)
    monkeypatch.delattr("labelguard.report.parquet", raising=False)
    with pytest.raises(UsageError, match=r"'a.parquet' needs pyarrow, which is not installed: pip install 'labelguard\[parquet\]'"):
        writer_of("a.parquet")
