"""labelguard probe on the command line: exit codes, the JSON contract, and commands that can be run again."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from labelguard.cli import main
from labelguard.cli.probe import command
from labelguard.lossprobe.supervisor import system
from labelguard.lossprobe.supervisor.launcher import Launcher
from labelguard.lossprobe.supervisor.settings import ACTIVATIONS, DEVICES, FRAMEWORKS, PRECISIONS, TARGETS
from tests.drawn import bands, folder

Run = Callable[..., Result]
LOSS = "mine.py:loss"
MINE = """
import numpy as np

def loss(logits, target, refuses=None, offset=0.0):
    classes = logits.shape[1]
    if target.ndim != 3:
        raise ValueError("I want ids")
    if refuses is None and (target >= classes).any() or refuses is not None and (target == refuses).any():
        raise IndexError(f"Target {target.max()} is out of bounds.")
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = powers / powers.sum(axis=1, keepdims=True)
    hot = np.clip(target, 0, classes - 1)[:, None] == np.arange(classes)[:, None, None]
    return offset - np.log(np.maximum(p[hot], 1e-30)).mean(), (p - hot) / target.size

def second(logits, target, word=""):
    return loss(logits, target, refuses=-7)

def empty_is_nan(logits, target):
    value, gradient = loss(logits, target)
    return value * (np.nan if (target == 0).all() else 1), gradient
"""


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    stray = bands(0, 1, 2)
    stray[4, 5] = 9
    folder(tmp_path / "masks", {"good.png": bands(0, 1, 2), "other.png": bands(2, 1, 0), "stray.png": stray})
    folder(tmp_path / "clean", {"good.png": bands(0, 1, 2), "other.png": bands(2, 1, 0)})
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(plain: Launcher) -> Run:
    """Runs `labelguard probe` on losses in numpy."""
    return lambda *arguments: CliRunner().invoke(main, ["probe", *map(str, arguments)], obj=plain)


@pytest.mark.parametrize(("arguments", "code"), [
    (["--loss", LOSS, "--num-classes", 3], 1),
    (["clean", "--loss", LOSS, "--num-classes", 3], 0),
    (["--loss", LOSS, "--num-classes", 3, "--fail-on", "never"], 0),
    (["--loss", "mine.py:second", "--num-classes", 3], 1),
    (["--loss", LOSS, "--loss-arg", "nonsense", "--num-classes", 3], 2),
    (["--loss", "no_path", "--num-classes", 3], 2),
    (["--num-classes", 3], 2),
    (["--loss", LOSS, "--model", "net:Net", "--num-classes", 3], 2),
    (["--loss", LOSS, "--batch-size", 0], 2),
    (["nowhere", "--loss", LOSS, "--num-classes", 3], 3),
    (["clean", "--loss", LOSS, "--num-classes", 3, "--require-gpu"], 3),
    (["clean", "--loss", LOSS, "--num-classes", 3, "--device", "cuda"], 3),
    (["clean", "--loss", LOSS, "--num-classes", 3, "--python", "/nowhere/python"], 3),
    (["clean", "--loss", LOSS, "--num-classes", 3, "--output", "no/such/folder.txt"], 3),
    (["clean", "--loss", "mine.py:missing", "--num-classes", 3], 1),
])
def test_exit_codes(run: Run, inside: Path, arguments: list[Any], code: int) -> None:
    done = run(*arguments)
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    assert (code < 2) is bool(done.stdout) is not bool(done.stderr)


def test_findings_below_the_bar_do_not_fail(run: Run, inside: Path) -> None:
    """A batch of only empty masks is NaN, and next to never formed: a warning."""
    folder(inside / "rare", {f"{number:02}.png": bands(*(0,) if number < 4 else (0, 1, 2)) for number in range(60)})
    arguments = ["rare", "--loss", "mine.py:empty_is_nan", "--num-classes", 3, "--batch-size", 4]
    done = run(*arguments)
    assert done.exit_code == 0 and "1 in " in done.stdout and "epochs has" in done.stdout, done.output
    assert run(*arguments, "--fail-on", "warning").exit_code == 1


def test_no_class_count_is_told_in_a_sentence(run: Run, inside: Path) -> None:
    folder(inside / "odd", {"a.png": bands(0, 200, 13)})
    done = run("odd", "--loss", LOSS)
    assert done.exit_code == 2 and "How many classes are there?" in done.stderr and "--num-classes N" in done.stderr


def test_the_json_contract(run: Run, inside: Path) -> None:
    done = run("--loss", LOSS, "--num-classes", 3, "--batch-size", 2, "--format", "json")
    report = json.loads(done.stdout)
    assert list(report)[:5] == ["labelguard", "command", "dataset", "spec", "findings"]
    assert report.keys() >= {"skipped_checks", "summary", "complete", "exit_code", "losses", "settings", "coverage", "remarks"}
    assert (report["command"], report["complete"], report["exit_code"]) == ("probe", True, 1)
    assert report["coverage"] == {"cuda": False, "devices": ["cpu"]}
    assert report["dataset"].keys() >= {"root", "files", "read", "unreadable", "skipped", "pixels", "ids"}
    assert report["spec"] == {"num_classes": 3, "ignore_index": [], "source": "declared"}
    finding, = report["findings"]
    assert finding.keys() >= {"code", "name", "severity", "path", "message", "ids", "pixels", "first", "box", "evidence", "fix"}
    assert finding.keys() >= {"loss", "level", "phase", "regime", "batch", "sample", "exception", "native", "source", "value", "gradient",
                              "repeats", "verified_on", "expected_on_cuda", "repro"}
    assert (finding["code"], finding["path"], finding["first"], finding["ids"]) == ("LG503", "stray.png", [4, 5], [9])
    assert finding["level"] == "pixel"
    assert finding["verified_on"] == "cpu numpy" and finding["expected_on_cuda"].startswith("device-side assert")
    assert "mine.py:" in finding["source"] and finding["repeats"] == [3, 3] and finding["batch"][finding["sample"]] == "stray.png"
    loss, = report["losses"]
    assert loss.keys() >= {"loss", "feed", "batches", "worst", "failed", "runs", "starts", "stopped", "device", "framework", "python"}
    assert (loss["batches"], loss["failed"], loss["starts"]) == (2, 1, 1)


def test_arguments_belong_to_the_loss_before_them(run: Run, inside: Path) -> None:
    done = run("clean", "--loss-arg", "offset=1.5", "--loss", LOSS, "--loss-arg", "refuses=-3", "--loss=mine.py:second", "--loss-arg",
               "word=some text", "--num-classes", 3, "--format", "json")
    assert [loss["loss"] for loss in json.loads(done.stdout)["losses"]] == [
        "mine.py:loss(offset=1.5, refuses=-3)", "mine.py:second(word='some text')"], done.output


def test_no_gpu_is_said_and_never_called_fine(run: Run, inside: Path) -> None:
    done = run("clean", "--loss", LOSS, "--num-classes", 3)
    assert "No GPU was used: device-side asserts, mixed precision on CUDA and GPU kernels were not exercised." in done.stdout
    assert "GPU ok" not in done.stdout and "Clean: every batch went through." in done.stdout
    assert "on cpu (numpy" in done.stdout


def test_the_report_goes_to_a_file(run: Run, inside: Path) -> None:
    done = run("--loss", LOSS, "--num-classes", 3, "--output", "report.json", "--format", "json")
    assert done.exit_code == 1 and not done.stdout and json.loads((inside / "report.json").read_text())["exit_code"] == 1
    others = ["others.sarif", "others.xml", "others.csv", "facts.csv", "others.txt"]
    done = run("--loss", LOSS, "--num-classes", 3, *(word for name in others for word in ("--report", name)))
    assert "\x1b[" not in done.stdout and done.stdout == (inside / "others.txt").read_text()
    assert all("LG5" in (inside / name).read_text() for name in others if "facts" not in name)


def test_not_finite_numbers_are_texts_in_json(run: Run, inside: Path) -> None:
    folder(inside / "empty", {"a.png": bands(0)})
    done = run("empty", "--loss", "mine.py:empty_is_nan", "--num-classes", 3, "--format", "json")
    finding, = json.loads(done.stdout)["findings"]
    assert (finding["code"], finding["value"], finding["path"]) == ("LG504", "nan", "a.png")


def again(run: Run, repro: str) -> dict:
    """What the printed command finds."""
    command, *arguments = shlex.split(repro)
    assert (command, arguments[0]) == ("labelguard", "probe")
    return json.loads(run(*arguments[1:], "--format", "json").stdout)


def test_the_printed_command_repeats_the_failure(run: Run, inside: Path) -> None:
    done = run("--loss", LOSS, "--loss-arg", "refuses=9", "--num-classes", 3, "--ignore-index", 255, "--batch-size", 2, "--seed", 4,
               "--timeout", 7, "--target", "index", "--format", "json")
    first, = json.loads(done.stdout)["findings"]
    report = again(run, first["repro"])
    finding, = report["findings"]
    same = ("code", "ids", "first", "exception", "pixels")
    assert [finding[key] for key in same] == [first[key] for key in same]
    assert report["dataset"]["files"] == len(first["batch"]) and report["losses"][0]["batches"] == 1
    assert Path(finding["path"]).name == "stray.png" and "--timeout 7" in first["repro"] and "--target index" in first["repro"]
    assert first["repro"] in run("--loss", LOSS, "--loss-arg", "refuses=9", "--num-classes", 3, "--ignore-index", 255, "--batch-size", 2,
                                 "--seed", 4, "--timeout", 7, "--target", "index").stdout.replace("\n", " ")


@pytest.mark.slow
def test_an_interrupt_during_a_hang_leaves_a_partial_report_and_no_orphan(plain: Launcher, inside: Path) -> None:
    (inside / "mine.py").write_text(MINE + "\ndef hangs(logits, target):\n    import os, time\n    if (target == 9).any():\n"
                                    "        open('hanging', 'w').write(os.environ['LABELGUARD_WORKER'])\n        time.sleep(3600)\n"
                                    "    return second(logits, target)\n")
    start = ("import sys; from pathlib import Path; from labelguard.lossprobe.supervisor.launcher import Launcher\n"
             f"from labelguard.cli import main\nmain(sys.argv[1:], obj=Launcher(Path({str(plain.adapters)!r})))")
    command = subprocess.Popen([sys.executable, "-c", start, "probe", "--loss", "mine.py:hangs", "--num-classes", "3", "--batch-size", "1",
                                "--timeout", "300", "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])})
    hanging = inside / "hanging"
    while not (hanging.exists() and hanging.read_text()):
        assert command.poll() is None, command.communicate()
    mark = hanging.read_text()
    assert len(system.inheritors(mark)) == 1 + sys.platform.startswith("linux")  # the worker, and its keeper
    command.send_signal(signal.SIGINT)
    stdout, stderr = command.communicate()
    report = json.loads(stdout)
    assert (command.returncode, report["exit_code"], report["complete"]) == (130, 130, False) and "Traceback" not in stderr
    assert not system.inheritors(mark)


@pytest.mark.parametrize(("option", "choices"), [("device", DEVICES), ("amp", PRECISIONS), ("framework", FRAMEWORKS), ("target", TARGETS),
                                                 ("activation", ACTIVATIONS)])
def test_the_choices_of_an_option_are_those_of_the_setting(option: str, choices: tuple[str, ...]) -> None:
    parameter, = (parameter for parameter in command.params if parameter.name == option)
    assert tuple(parameter.type.choices) == choices  # type: ignore[attr-defined]
