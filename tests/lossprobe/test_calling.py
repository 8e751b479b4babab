"""A loss that is called in its own way is called so, or the report says what to write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labelguard.lossprobe import ImportPath, ProbeReport, Probing, Settings
from labelguard.lossprobe.findings.wrapper import wrapper, wrapper_file
from labelguard.lossprobe.mask_source import MaskArrays
from labelguard.lossprobe.supervisor.launcher import Launcher
from labelguard.spec.labelspec import LabelSpec

LOSSES = Path(__file__).with_name("uncalled_losses.py")
MASKS = [np.random.default_rng(i).integers(0, 3, (6, 8)) for i in range(4)]


def probed(launcher: Launcher, path: str, **arguments: Any) -> ProbeReport:
    probing = Probing(MaskArrays(MASKS), [ImportPath(path, arguments)], LabelSpec(3), Settings(batch_size=2), launcher=launcher)
    for _ in probing:
        pass
    return probing.result()


@pytest.mark.parametrize(("name", "arguments", "words"), [
    ("all_optional", {}, "logits against ids (N, H, W)"),
    ("all_optional_but_oddly_named", {}, "logits against ids (N, H, W)"),
    ("ByName", {"scale": 2}, "logits against ids (N, H, W), by name (prediction=, ground_truth=)"),
])
def test_inputs_by_name_and_inputs_with_defaults_are_given(plain: Launcher, name: str, arguments: dict[str, Any], words: str) -> None:
    report = probed(plain, f"{LOSSES}:{name}", **arguments)
    assert report.complete and not report.findings
    assert report.losses[0].input_format == words


def test_what_builds_a_loss_is_told_from_a_loss(plain: Launcher) -> None:
    (finding,) = probed(plain, f"{LOSSES}:builds").findings
    assert (finding.code, finding.wrapper) == ("LG512", "")
    assert "makes a loss, and lacks arguments" in finding.message and "raises" not in finding.message
    assert str(finding.fix) == "Give its arguments: --loss-arg weight=VALUE --loss-arg gamma=VALUE."


def test_where_the_probe_cannot_call_a_loss_it_prints_a_file_that_can(plain: Launcher, tmp_path: Path) -> None:
    report = probed(plain, f"{LOSSES}:wants_more")
    (finding,) = report.findings
    assert finding.code == "LG512" and finding.message.startswith("No way of calling the loss was found.")
    lines = str(report).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"{finding.wrapper_file}, a new file,"))
    printed = "\n".join(line.removeprefix("    ") for line in lines[start + 1:start + 1 + len(finding.wrapper.splitlines())])
    assert printed == finding.wrapper.rstrip() == report.to_dict()["findings"][0]["wrapper"].rstrip()
    for part in (LOSSES, LOSSES.with_name("crashes.py")):
        (tmp_path / part.name).write_bytes(part.read_bytes())
    (tmp_path / "probe_wants_more.py").write_text(printed)
    (again,) = probed(plain, f"{tmp_path}/probe_wants_more.py:build").findings
    assert "num_masks" not in again.message and "ellipsis" in again.message  # what stood as ... reached the loss
    (tmp_path / "probe_wants_more.py").write_text(printed.replace("...", "1"))
    assert probed(plain, f"{tmp_path}/probe_wants_more.py:build").findings == ()


@pytest.mark.parametrize(("parameters", "call"), [
    ([], "criterion(logits, target)"),
    ([("a", False), ("b", False)], "criterion(logits, target)"),
    ([("target", False), ("preds", False)], "criterion(target, logits)"),
    ([("scale", False), ("outputs", False), ("masks", False)], "criterion(scale=..., outputs=logits, masks=target)"),
    ([("outputs", False), ("target", True), ("void", True)], "criterion(logits, target=target, void=...)"),
])
def test_each_input_stands_where_the_loss_takes_it(parameters: list[tuple[str, bool]], call: str) -> None:
    code = wrapper(ImportPath("package.losses:Focal.of", {"gamma": 2}), {"parameters": parameters})
    assert call in code and "from package.losses import Focal\n" in code and "criterion = Focal.of(gamma=2)" in code
    compile(code, "probe_focal_of.py", "exec")
    itself = wrapper(ImportPath("odd-name.py:dice", {"eps": 1}), {"parameters": parameters, "is_itself": True})
    assert "eps=1" in itself and 'dice = import_module("odd-name").dice' in itself and "criterion = dice\n" in itself
    compile(itself, "probe_dice.py", "exec")


@pytest.mark.parametrize("name", ["loss", "build", "criterion"])
def test_a_loss_that_is_called_as_a_name_of_the_file_is_imported_under_another(plain: Launcher, tmp_path: Path, name: str) -> None:
    source = f"import sys; sys.path.insert(0, {str(LOSSES.parent)!r})\nfrom uncalled_losses import wants_more as {name}"
    (tmp_path / "mine.py").write_text(source)
    printed = wrapper(ImportPath(f"{tmp_path}/mine.py:{name}"), {"is_itself": True, "parameters": [("logits", False), ("target", False),
                                                                                                  ("num_masks", False)]})
    (tmp_path / "probe_it.py").write_text(printed.replace("...", "1"))
    assert probed(plain, f"{tmp_path}/probe_it.py:build").findings == ()


def test_the_printed_file_replaces_nothing_and_does_not_import_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert wrapper_file(ImportPath("my_loss.py:boom")) == wrapper_file(ImportPath("package.losses:Boom")) == "probe_boom.py"
    assert wrapper_file(ImportPath("probe_boom:boom")) == wrapper_file(ImportPath("Probe_Boom.py:boom")) == "probe_boom_2.py"
    (tmp_path / "probe_boom.py").touch()
    (tmp_path / "probe_boom_2").mkdir()
    assert wrapper_file(ImportPath("my_loss:boom")) == "probe_boom_3.py"
    assert wrapper_file(ImportPath("sub/my_loss.py:Boom.of")) == "sub/probe_boom_of.py"
