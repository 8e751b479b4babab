"""docs/team.md: what it shows besides commands is what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

from labelguard.report.baseline import read_baseline
from labelguard.spec.scan_table import ScanTable, scan_table

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "team.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_keys_of_the_table_are_those_that_are_read() -> None:
    named = re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in PAGE.splitlines() if re.match(r"\| `\w+`", row)))
    given: dict[str, Any] = {"batch_size": 1, "crop": [1, 1], "instances": True, "fail_on": "error"}
    assert isinstance(scan_table({"scan": {key: given.get(key, "x") for key in named}}, "labelguard.toml"), ScanTable)
    from labelguard.spec.scan_table import _KEYS
    assert {*named} == {*_KEYS}


def test_the_hook_and_the_workflow_can_be_copied() -> None:
    hooks, workflow = map(yaml.safe_load, blocks("yaml"))
    assert hooks["repos"][0]["hooks"] == [{"id": yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())[0]["id"]}]
    steps = workflow["jobs"]["labelguard"]["steps"]
    assert {*workflow} == {"name", True, "jobs"} and all(("uses" in step) != ("run" in step) for step in steps)  # YAML 1.1 reads on as true
    assert any(step.get("run", "").startswith("labelguard scan ") for step in steps)


def test_the_line_of_a_baseline_is_one(tmp_path: Path) -> None:
    line, = blocks("json")
    (tmp_path / "b.json").write_text(json.dumps({"labelguard-baseline": 1, "findings": [json.loads(line)]}))
    assert [mark.path for mark in read_baseline(tmp_path / "b.json").findings] == ["day/8.png"]
