"""Probe as a stage: in Python, in a pipeline file, from a worker process of a loader."""

from __future__ import annotations

import pickle
from copy import deepcopy
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from labelguard import LabelSpec, MaskRejectedError, Pipeline, Probe, Remap
from labelguard.cli import main
from labelguard.errors import IncompleteError, UsageError
from labelguard.lossprobe.stage import read_probe
from labelguard.lossprobe.supervisor.launcher import Launcher
from labelguard.lossprobe.supervisor.runner import LossRunner
from labelguard.lossprobe.supervisor.settings import Settings

pytestmark = pytest.mark.slow  # each test starts a process that imports torch

pytest.importorskip("torch", reason="the probe's worker needs torch")

SPEC = LabelSpec(3, 255)
CROSS_ENTROPY = Probe("torch.nn:CrossEntropyLoss", SPEC)
FILE = """
[[stage]]
kind = "remap"
shift = -1
merge = {{0 = 255}}
num_classes = 3
ignore_index = 255

[probe]
loss = "torch.nn:CrossEntropyLoss"
batch_size = 2
arguments = {{{arguments}}}
spec = {{num_classes = 3, ignore_index = 255}}
"""


def mask(*, bad: int | None = None) -> np.ndarray:
    labels = np.arange(12, dtype=np.uint8).reshape(3, 4) % 3
    if bad is not None:
        labels[1, 2] = bad
    return labels


def test_a_legal_mask_goes_through_unchanged() -> None:
    assert np.array_equal(CROSS_ENTROPY(mask()), mask())


def test_a_mask_that_the_loss_cannot_take_is_refused_with_its_pixel() -> None:
    with pytest.raises(MaskRejectedError, match=r"LG503 loss-exception: .*Target 7 is out of bounds.*row 1, column 2") as rejected:
        CROSS_ENTROPY(mask(bad=7))
    assert rejected.value.findings[0].first == (1, 2)


@pytest.mark.parametrize("loss", ["no_such_module:loss", "json:no_such_loss"])
def test_no_mask_passes_a_loss_that_cannot_be_imported(loss: str, plain: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is tried: more masks than the worker may be replaced."""
    monkeypatch.setattr("labelguard.lossprobe.stage.LossRunner", partial(LossRunner, launcher=plain))
    stage = Probe(loss, LabelSpec(num_classes=3, ignore_index=254))
    for _ in range(16):
        with pytest.raises((MaskRejectedError, IncompleteError)):
            stage(mask())


def test_it_runs_behind_other_stages() -> None:
    clean = Pipeline([Remap(shift=-1, merge={0: 255}, num_classes=3, ignore_index=255), Probe("torch.nn:CrossEntropyLoss", SPEC,
                                                                                           {"ignore_index": 255})])
    assert set(np.unique(clean(mask() + 1))) == {0, 1, 2}


def test_copies_are_equal_and_repr_builds_it_again() -> None:
    stage = Probe("my_loss.py:build", SPEC, {"alpha": 0.5}, batch_size=2, layout="onehot")
    assert eval(repr(stage)) == deepcopy(stage) == pickle.loads(pickle.dumps(stage)) == stage
    assert hash(stage) == hash(deepcopy(stage))


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"loss": "CrossEntropyLoss"}, "not an import path"), ({"spec": LabelSpec()}, "class count"), ({"batch_size": 0}, "at least 1"),
    ({"device": "tpu"}, "one of auto, cuda, cpu"), ({"layout": "rows"}, "^layout is .* one of index, index1, binary"),
    ({"arguments": 3}, "must be a dictionary"),
])
def test_what_makes_no_sense_fails_when_the_stage_is_made(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        Probe(**({"loss": "torch.nn:CrossEntropyLoss", "spec": SPEC} | arguments))
    assert [caught.value.argument] == list(arguments)


def test_its_arguments_are_those_of_the_settings() -> None:
    assert CROSS_ENTROPY.settings() == Settings()
    chosen = {"batch_size": 3, "drop_last": True, "seed": None, "device": "cpu", "require_gpu": True, "amp": "bf16", "framework": "jax",
              "activation": "softmax", "python": "python3", "timeout": 7.0}
    assert Probe("a:b", SPEC, layout="onehot", **chosen).settings() == Settings(target="onehot", **chosen)


def run(folder: Path, arguments: str) -> tuple[int, str]:
    (folder / "clean.toml").write_text(FILE.format(arguments=arguments))
    (folder / "masks").mkdir()
    for number in range(4):
        Image.fromarray(mask() + np.uint8(number > 0)).save(folder / "masks" / f"{number}.png")
    result = CliRunner().invoke(main, ["run", str(folder / "clean.toml"), str(folder / "masks"), "--out", str(folder / "out")])
    return result.exit_code, result.output


@pytest.mark.slow
def test_a_pipeline_file_puts_what_it_wrote_through_the_loss(tmp_path: Path) -> None:
    code, text = run(tmp_path, "ignore_index = 255")
    assert code == 0 and "4 files written" in text and "Clean: every batch went through." in text


def test_a_pipeline_file_whose_loss_was_not_told_of_the_ignored_id(tmp_path: Path) -> None:
    code, text = run(tmp_path, "")
    assert code == 1 and "LG503" in text and "--loss-arg ignore_index=255" in text


@pytest.mark.parametrize(("table", "sentence"), [
    ('[probe]\nloss = "a:b"', r"probe\.spec: it is missing; say what the ids mean in \[probe\.spec\]"),
    ('[probe]\nspec = {num_classes = 3}', r"probe\.loss: it is missing"),
    ('[probe]\nloss = "a:b"\nbatch = 3\nspec = {num_classes = 3}', r"probe\.batch: unknown key"),
    ('[[probe]]\nloss = "a:b"', r"write \[probe\]"),
    ('[probe]\nloss = "a"\nspec = {num_classes = 3}', r"probe\.loss: 'a' is not an import path"),
    ('[probe]\nloss = "a:b"\nspec = {ignore_index = 3}', r"probe\.spec: .* with a class count"),
    ('[probe]\nloss = "a:b"\nbatch_size = 0\nspec = {num_classes = 3}', r"probe\.batch_size: batch_size is 0; it must be a whole number"),
])
def test_a_table_that_makes_no_sense_is_refused_by_its_key(tmp_path: Path, table: str, sentence: str) -> None:
    path = tmp_path / "clean.toml"
    path.write_text(table)
    with pytest.raises(UsageError, match=sentence):
        read_probe(path)


def test_a_file_without_the_table_has_no_probe(tmp_path: Path) -> None:
    path = tmp_path / "clean.toml"
    path.write_text('[[stage]]\nkind = "remap"\nshift = 1\n')
    assert read_probe(path) is None
