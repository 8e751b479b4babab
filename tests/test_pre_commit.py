"""The hook for pre-commit: a commit with a broken mask is refused, one in which it is mended passes."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from labelguard.cli.scan import command
from labelguard.files.formats import MASK_SUFFIXES
from tests.drawn import bands, folder

ROOT = Path(__file__).resolve().parents[1]
HOOKS = ROOT / ".pre-commit-hooks.yaml"


def hook() -> dict[str, Any]:
    only, = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    return dict(only)


def test_it_runs_for_every_mask_and_for_what_is_declared_of_them() -> None:
    runs = re.compile(hook()["files"])
    names = [*(f"masks/a{suffix}" for suffix in MASK_SUFFIXES), "masks/A.PNG", "labelguard.toml", "data/labelguard-baseline.json"]
    assert [name for name in names if not runs.search(name)] == []
    assert not any(runs.search(name) for name in ("train.py", "png", "masks/a.png.txt", "my.toml", "pyproject.toml"))


def test_it_calls_a_command_that_there_is() -> None:
    program, name, *options = shlex.split(hook()["entry"])
    assert (program, name) == ("labelguard", command.name) and not hook()["pass_filenames"]
    assert {*options} <= {option for parameter in command.params for option in parameter.opts}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None or sys.platform == "win32", reason="needs git and a POSIX shell")
def test_pre_commit_refuses_a_broken_mask_and_takes_one_that_is_mended(tmp_path: Path) -> None:
    pytest.importorskip("pre_commit")
    tools, hooks, data = (tmp_path / name for name in ("bin", "hooks", "data"))
    for place in (tools, hooks, data):
        place.mkdir()
    (tools / "labelguard").write_text(f'#!/bin/sh\nexec "{sys.executable}" -W error -m labelguard "$@"\n')
    (tools / "labelguard").chmod(0o755)
    environment = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path),
                   "PRE_COMMIT_HOME": str(tmp_path / "cache"), "GIT_CONFIG_NOSYSTEM": "1",
                   **{f"GIT_{who}_{what}": "somebody@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}

    def run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(arguments, cwd=place, env=environment, capture_output=True, text=True, check=False)

    shutil.copy(HOOKS, hooks)
    for place in (hooks, data):
        assert run(place, "git", "init", "-q").returncode == 0
    assert run(hooks, "git", "add", ".").returncode == run(hooks, "git", "commit", "-qm", "hooks").returncode == 0
    configured = {"repos": [{"repo": str(hooks), "rev": run(hooks, "git", "rev-parse", "HEAD").stdout.strip(),
                             "hooks": [{"id": hook()["id"], "language": "system"}]}]}  # so that nothing is installed here
    (data / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configured))
    (data / "labelguard.toml").write_text('num_classes = 3\n[scan]\nmasks = "masks"\n')
    folder(data / "masks", {"a.png": bands(0, 1, 2), "b c.png": bands(0, 1, 9)})
    installed = run(data, sys.executable, "-m", "pre_commit", "install")
    assert installed.returncode == 0, installed.stderr

    def commit() -> subprocess.CompletedProcess[str]:
        run(data, "git", "add", ".")
        return run(data, "git", "commit", "-qm", "masks")

    refused = commit()
    assert refused.returncode == 1 and "LG101 out-of-range (1 file)" in refused.stderr and "b c.png" in refused.stderr, refused.stderr
    folder(data / "masks", {"b c.png": bands(0, 1, 2)})
    assert commit().returncode == 0 and run(data, "git", "log", "--oneline").stdout.count("\n") == 1
