from __future__ import annotations

import os

from click.testing import CliRunner

from labelguard.cli import main
from labelguard.spec.declarations import presets


def test_lists_every_preset() -> None:
    lines = CliRunner().invoke(main, ["presets"]).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*presets()]
    assert lines[-1] == "voc               Pascal VOC: 21 classes, 255 ignored"


def test_shows_the_classes_of_one() -> None:
    lines = CliRunner().invoke(main, ["presets", "voc"]).stdout.splitlines()
    assert lines[0] == "voc: Pascal VOC, 21 classes" and "development kit" in lines[1]
    assert lines[4] == "  1  128   0   0  aeroplane" and lines[-1] == "255  ignored" and len(lines) == 3 + 21 + 1


def test_an_ignored_class_is_marked_and_not_listed_twice() -> None:
    lines = CliRunner().invoke(main, ["presets", "camvid"]).stdout.splitlines()
    assert [line for line in lines if line.startswith(" 11")] == [" 11  ignored"]


def test_a_preset_that_there_is_none_of_is_asked_for() -> None:
    done = CliRunner().invoke(main, ["presets", "Cityscape"])
    assert done.exit_code == 2 and "Did you mean 'cityscapes'?" in done.stderr


def test_a_shell_completes_presets_and_checks() -> None:
    def completed(words: str) -> str:
        env = {"_LABELGUARD_COMPLETE": "bash_complete", "COMP_WORDS": f"labelguard {words}", "COMP_CWORD": str(len(words.split()))}
        return CliRunner(env={**os.environ, **env}).invoke(main, prog_name="labelguard").stdout
    assert completed("scan --preset vo") == "plain,voc\n"
    assert "plain,uint8-wraparound" in completed("rules uint8")
