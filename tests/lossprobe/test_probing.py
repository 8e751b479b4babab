"""A probe from masks to verdicts, with losses in numpy: many of them in one run, each with its own end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labelguard import LabelSpec
from labelguard.errors import IncompleteError, UsageError
from labelguard.lossprobe import ImportPath, Probing, Settings, probe
from labelguard.lossprobe.supervisor import system
from labelguard.lossprobe.supervisor.launcher import Launcher
from labelguard.lossprobe.supervisor.outcome import Step
from labelguard.lossprobe.supervisor.runner import LossRunner
from tests.drawn import bands, folder

CRASHES = f"{Path(__file__).with_name('crashes.py')}:"
SPEC = LabelSpec(3)


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    """Five masks, one of them with a pixel of 99."""
    bad = bands(0, 1, 2)
    bad[7, 8] = 99
    return folder(tmp_path / "masks", {"a.png": bands(0, 1, 2), "b.png": bands(2, 1, 0), "bad.png": bad, "c.png": bands(1, 0, 2),
                                       "d.png": bands(0, 2, 1)})


@pytest.fixture
def loss(tmp_path: Path) -> Callable[..., Any]:
    """Writes a loss, and names it."""
    def write(source: str, name: str = "mine") -> str:
        (tmp_path / f"{name}.py").write_text(f"import sys; sys.path.insert(0, {str(Path(CRASHES).parent)!r})\n"
                                             f"import numpy as np\nfrom crashes import cross_entropy\n{source}")
        return f"{tmp_path / name}.py:loss"
    return write


@pytest.mark.slow
def test_every_loss_of_a_run_gets_its_own_verdict(plain: Launcher, masks: Path, loss: Callable[..., Any]) -> None:
    missing = loss("import no_such_kernel")
    names = ["aborts", "segfaults", "leaves", "exits", "hangs", "prints", "starts_children_and_dies", "dies_backward"]
    report = probe(masks, launcher=plain, loss=[*(CRASHES + name for name in names), missing], spec=SPEC, batch_size=3, timeout=0.5)
    by_loss = {summary.loss: [finding for finding in report.findings if finding.loss == summary.loss] for summary in report.losses}
    codes = {name: {finding.code for finding in by_loss[f"{CRASHES}{name}()"]} for name in names}
    assert codes == {name: {"LG502"} for name in names} | {"hangs": {"LG509"}, "prints": {"LG507"}}
    for name in names:
        finding, = by_loss[f"{CRASHES}{name}()"]
        assert (finding.path, finding.ids) == ("bad.png", (99,))
        assert name == "prints" or (finding.first, finding.level) == ((7, 8), "pixel")
    assert [finding.code for finding in by_loss[f"{missing}()"]] == ["LG511"]
    assert [bool(summary.stopped) for summary in report.losses] == [False] * len(names) + [True] and not report.complete
    assert all(summary.batches == 2 and summary.starts <= 3 for summary in report.losses[:-1])
    assert {summary.starts for summary in report.losses[:-1] if "prints" in summary.loss or "exits" in summary.loss} == {1}


@pytest.mark.slow
def test_an_id_that_takes_all_memory_is_named(plain: Launcher, masks: Path) -> None:
    report = probe(masks, launcher=plain, loss=f"{CRASHES}takes_all_memory", spec=SPEC, batch_size=2, max_memory=4e8)
    finding, = report.findings
    assert (finding.code, finding.severity, finding.path, finding.ids) == ("LG510", "error", "bad.png", (99,))
    assert "runs out of memory in the forward pass" in finding.message and "One pixel of 99 is enough" in finding.message
    assert report.losses[0].starts == 3 and report.complete


def test_a_mask_that_takes_all_memory_by_itself_is_not_searched(plain: Launcher, masks: Path, loss: Callable[..., Any]) -> None:
    path = loss("def loss(logits, target):\n    if (target == 0).mean(axis=(1, 2)).max() > 0.7: raise MemoryError('9 TiB')\n"
                "    return cross_entropy(logits, target)")
    folder(masks, {"e.png": bands(0, 0, 0, 2)})
    report = probe(masks, launcher=plain, loss=path, spec=LabelSpec(100), batch_size=2, seed=None)
    finding = next(finding for finding in report.findings if finding.code == "LG510")
    assert "a single mask does not fit either" in finding.message and finding.level == "" and not finding.ids
    assert finding.severity == "error"


def test_a_batch_that_only_fits_in_halves_is_probed_in_halves(plain: Launcher, masks: Path, loss: Callable[..., Any]) -> None:
    path = loss("def loss(logits, target):\n    if len(target) > 2: raise MemoryError('Unable to allocate 9 TiB')\n"
                "    return cross_entropy(logits, target)")
    report = probe(masks, launcher=plain, loss=path, spec=LabelSpec(100), batch_size=5)
    finding, = report.findings
    assert finding.code == "LG510" and "batches of 2 pass, and were probed instead" in finding.message
    assert report.losses[0].largest == 2 and str(finding.fix) == "Train with --batch-size 2."


def test_a_failure_that_comes_and_goes_is_unstable(plain: Launcher, masks: Path, loss: Callable[..., Any]) -> None:
    path = loss("runs = [0]\ndef loss(logits, target):\n    value, gradient = cross_entropy(logits, target)\n"
                "    if (target == 2).all(axis=(1, 2)).any():\n        runs[0] += 1\n        value *= [1, 1, 1, np.nan][runs[0] % 4]\n"
                "    return value, gradient")
    folder(masks, {"bad.png": bands(2)})
    report = probe(masks, launcher=plain, loss=path, spec=SPEC, batch_size=5)
    unstable = [finding for finding in report.findings if finding.code == "LG513"]
    assert len(unstable) == 1 and unstable[0].level == "unstable" and unstable[0].first is None
    assert 0 < unstable[0].repeats[0] < unstable[0].repeats[1] and "runs of the very same batch" in unstable[0].message


def test_what_a_loss_keeps_from_batch_to_batch_is_not_blamed_on_the_next(plain: Launcher, masks: Path, loss: Callable[..., Any]) -> None:
    """A running mean outside of any buffer, which a mask without class 0 has spoilt: all batches after it would fail."""
    path = loss("mean = [0.0]\ndef loss(logits, target):\n    value, gradient = cross_entropy(logits, target)\n"
                "    with np.errstate(all='ignore'): mean[0] = 0.9 * mean[0] + 0 / np.float64((target == 0).sum())\n"
                "    return value + mean[0], gradient")
    folder(masks, {"b.png": bands(1, 2), "bad.png": bands(0, 1, 2)})
    report = probe(masks, launcher=plain, loss=path, spec=SPEC, batch_size=1, seed=None)
    finding, = report.findings
    assert (finding.code, finding.path, finding.batch) == ("LG513", "b.png", ("b.png",))
    assert "carries something over from batch to batch" in finding.message
    assert report.losses[0].failed == 1 and report.losses[0].starts == 2 and report.complete


def test_a_process_that_ended_between_two_passes_is_told_and_no_mask_blamed(plain: Launcher, masks: Path, loss: Callable[..., Any],
                                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    start = LossRunner.start

    def ended_once(run: LossRunner) -> None:
        start(run)
        run.ends_between[:] = [Step("random", "death", native="signal SIGABRT")]

    monkeypatch.setattr(LossRunner, "start", ended_once)
    path = loss("def loss(logits, target): return cross_entropy(logits, np.where(target == 99, 0, target))")
    report = probe(masks, launcher=plain, loss=path, spec=LabelSpec(100), batch_size=5)
    finding, = report.findings
    assert (finding.code, finding.path, finding.files, finding.ids) == ("LG502", None, (), ())
    assert "ended between two passes (signal SIGABRT), 1 time: no mask can be named" in finding.message and report.exit_code() == 1


def test_what_fails_on_neutral_masks_is_not_blamed_on_masks(plain: Launcher, masks: Path, loss: Callable[..., Any]) -> None:
    path = loss("def loss(logits, target): raise TypeError(\"loss() got an unexpected keyword 'ignore_index'\")")
    report = probe(masks, launcher=plain, loss=path, spec=SPEC)
    finding, = report.findings
    assert finding.code == "LG512" and finding.path is None and not finding.files and "unexpected keyword" in finding.message
    assert not finding.expected_on_cuda and not report.complete and report.losses[0].stopped == "neutral masks fail too"


def test_a_class_the_loss_was_not_made_for_is_named(plain: Launcher, masks: Path, loss: Callable[..., Any]) -> None:
    """Built for two classes, used on three: neutral masks fail as well, and without class 2 they pass."""
    path = loss("def loss(logits, target):\n    if logits.shape[1] != 3 or target.ndim != 3: raise ValueError('shape')\n"
                "    if (target == 2).any() and (target == 99).any(): raise IndexError('Target 2 is out of bounds.')\n"
                "    return cross_entropy(logits, target)")
    report = probe(masks, launcher=plain, loss=path, spec=SPEC, batch_size=5)
    finding = next(finding for finding in report.findings if finding.code == "LG503")
    assert finding.path == "bad.png" and "a.png" not in finding.concerns


def test_regimes_that_no_mask_survives_are_told_once(plain: Launcher, masks: Path, loss: Callable[..., Any]) -> None:
    path = loss("def loss(logits, target):\n    value, gradient = cross_entropy(logits, target)\n"
                "    return (np.inf if logits.max() > 100 else value), gradient")
    report = probe(masks, launcher=plain, loss=path, spec=LabelSpec(100), batch_size=2)
    assert [(finding.code, finding.severity, finding.regime) for finding in report.findings] == [
        ("LG512", "warning", "right"), ("LG512", "warning", "wrong")]
    assert report.losses[0].failed == 0 and report.complete


def test_many_batches_that_fail_for_the_same_reason_are_not_all_searched(plain: Launcher, tmp_path: Path, loss: Callable[..., Any]) -> None:
    """Though each holds an id that is not a class: once it was cleared, it is no reason to search again."""
    drawn = {f"{number:02}.png": bands(0, 1, 0, 9) for number in range(12)}
    path = loss("def loss(logits, target):\n    value, gradient = cross_entropy(logits, target)\n"
                "    return (np.nan if (target == 0).mean() > 0.4 else value), gradient")
    report = probe(folder(tmp_path / "masks", drawn), launcher=plain, loss=path, spec=SPEC, batch_size=1, seed=None)
    searched = [finding for finding in report.findings if finding.code == "LG504"]
    assert len(searched) == 3 and any("9 more batches fail in the same way" in line for line in searched[-1].evidence)
    assert report.losses[0].passes < 150


def test_batches_that_lack_the_same_classes_are_one_finding_on_all_such_masks(plain: Launcher, tmp_path: Path,
                                                                                loss: Callable[..., Any]) -> None:
    """Divided by the pixels of each class in each mask; every alternative was seen to fail by itself."""
    drawn = {"fine.png": bands(0, 1, 2), "no1.png": bands(0, 2), "no0and2.png": bands(1), "no2.png": bands(1, 0), "no0.png": bands(1, 2)}
    path = loss("def loss(logits, target):\n    value, gradient = cross_entropy(logits, target)\n"
                "    lacks = any(len(np.intersect1d(mask, [0, 1, 2])) < 3 for mask in target)\n"
                "    return (np.nan if lacks else value), gradient")
    report = probe(folder(tmp_path / "masks", drawn), launcher=plain, loss=path, spec=SPEC, batch_size=2, seed=None)
    finding, = report.findings
    assert (finding.code, finding.level, set(finding.files)) == ("LG504", "absent-class", set(drawn) - {"fine.png"})
    assert "as soon as class 0, 1 or 2 is absent from a mask, as from no0" in finding.message
    assert finding.message.endswith("4 of 5 masks lack one of them.")
    assert "2 more batches fail in the same way, and would pass with these classes; the last: no2.png" in finding.evidence


def test_classes_of_which_one_is_enough_are_named_together(plain: Launcher, tmp_path: Path, loss: Callable[..., Any]) -> None:
    drawn = {"fine.png": bands(0, 1, 2, 3), "no2.png": bands(0, 1, 3), "no23.png": bands(0, 1), "also.png": bands(1, 0)}
    path = loss("def loss(logits, target):\n    value, gradient = cross_entropy(logits, target)\n"
                "    lacks = any(len(np.intersect1d(mask, [2, 3])) == 0 for mask in target)\n"
                "    return (np.nan if lacks else value), gradient")
    report = probe(folder(tmp_path / "masks", drawn), launcher=plain, loss=path, spec=LabelSpec(4), batch_size=2, seed=None)
    finding, = report.findings
    assert set(finding.files) == {"no23.png", "also.png"}
    assert "as soon as classes 2 and 3 are all absent from a mask" in finding.message
    assert finding.message.endswith("2 of 4 masks lack them all.")


def test_a_class_that_only_a_whole_batch_has_to_hold_is_not_missed_in_a_mask(plain: Launcher, tmp_path: Path,
                                                                             loss: Callable[..., Any]) -> None:
    """Here the batch is a mask by chance, the last of five."""
    drawn = {f"{number}.png": bands(0, 1, 2) for number in range(4)} | {"4.png": bands(0, 1)}
    path = loss("def loss(logits, target):\n    value, gradient = cross_entropy(logits, target)\n"
                "    return (value if (target == 2).any() else np.nan), gradient")
    report = probe(folder(tmp_path / "masks", drawn), launcher=plain, loss=path, spec=SPEC, batch_size=2, seed=None)
    finding, = report.findings
    assert (finding.path, finding.level) == ("4.png", "absent-class")
    assert "where class 2 is absent from the whole batch" in finding.message


@pytest.mark.parametrize(("settings", "device"), [({"require_gpu": True}, "auto"), ({}, "cuda")])
def test_a_gpu_that_is_required_and_missing(plain: Launcher, masks: Path, settings: dict[Any, Any], device: str) -> None:
    with pytest.raises(IncompleteError, match="A GPU is required, and numpy sees none"):
        probe(masks, launcher=plain, loss=f"{CRASHES}aborts", spec=SPEC, device=device, **settings)


ON_GPU = """
import os
gpu = os.environ["PLAIN_DEVICE"] == "cuda"
def loss(logits, target):
    if (target == 99).any() and gpu:
        os.write(2, b"/torch/NLLLoss2d.cu:106: kernel: block: [5,0,0], thread: [1,0,0] Assertion `t >= 0 && t < n_classes` failed.\\n")
        raise RuntimeError("CUDA error: device-side assert triggered")
    if (target == 99).any():
        raise IndexError("Target 99 is out of bounds.")
    return cross_entropy(logits, target)
"""


@pytest.mark.parametrize("on_cpu", ["runs", "cannot be loaded", "passes"])
def test_what_loses_the_device_is_searched_on_the_cpu_and_confirmed_on_the_device(plain: Launcher, masks: Path, loss: Callable[..., Any],
                                                                                  monkeypatch: pytest.MonkeyPatch, on_cpu: str) -> None:
    """No GPU is needed for this: the adapter says that it has one."""
    monkeypatch.setenv("PLAIN_GPU", "1")
    source = {"runs": ON_GPU, "cannot be loaded": ON_GPU + "\nif not gpu: raise ImportError('made for GPUs')",
              "passes": ON_GPU.replace("    if (target == 99).any():\n        raise IndexError", "    if False:\n        raise IndexError")}
    report = probe(masks, launcher=plain, loss=loss(source[on_cpu]), spec=SPEC, batch_size=5)
    finding, = report.findings
    assert (finding.code, finding.path, finding.first, finding.ids, finding.level) == ("LG501", "bad.png", (7, 8), (99,), "pixel")
    assert finding.native == "device-side assertion `t >= 0 && t < n_classes`" and finding.verified_on == "cuda numpy"
    assert not finding.expected_on_cuda and report.on_gpu and report.losses[0].starts == 3 and report.complete


def test_no_batch_can_be_formed(plain: Launcher, masks: Path) -> None:
    with pytest.raises(IncompleteError, match="No batch of 8 masks of one size can be formed"):
        probe(masks, launcher=plain, loss=f"{CRASHES}aborts", spec=SPEC, drop_last=True)


def test_no_class_count(plain: Launcher, tmp_path: Path) -> None:
    flat = folder(tmp_path / "flat", {"a.png": bands(0, 200, 13)})
    with pytest.raises(UsageError, match="How many classes are there?.*--num-classes N"):
        probe(flat, launcher=plain, loss=f"{CRASHES}aborts")


def test_an_interrupted_probe_tells_what_it_has(plain: Launcher, masks: Path) -> None:
    probing = Probing([masks], [ImportPath(f"{CRASHES}aborts")], SPEC, Settings(batch_size=1), launcher=plain)
    steps = iter(probing)
    while next(steps)[:2] != (f"probing {CRASHES}aborts", 2):
        pass
    mark = probing.probes[0].run._worker._mark
    steps.close()
    report = probing.result()
    assert not report.complete and report.losses[0].batches == 2
    assert not system.inheritors(mark)


@pytest.mark.parametrize(("arguments", "words"), [
    ({"model": "net:Net"}, "give --model and --images together"),
    ({"images": "images"}, "give --model and --images together"),
    ({"model": "net:Net", "images": "images", "framework": "jax"}, "with torch only"),
    ({"batch_size": 0}, "at least 1"), ({"amp": "fp8"}, "one of fp32, fp16, bf16"), ({"loss": []}, "no loss"),
    ({"loss": "cross_entropy"}, "not an import path"),
])
def test_wrong_usage(masks: Path, arguments: dict[Any, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        probe(masks, **{"loss": f"{CRASHES}aborts", "spec": SPEC} | arguments)


def test_masks_that_cannot_be_read_are_findings(plain: Launcher, masks: Path) -> None:
    (masks / "broken.png").write_bytes(b"no image")
    np.save(masks / "float.npy", np.full((40, 30), 0.5))
    report = probe(masks, launcher=plain, loss=f"{CRASHES}prints", spec=LabelSpec(100), batch_size=5)
    assert {finding.path for finding in report.findings} == {"broken.png", "float.npy"} and report.data.unreadable == 2
    assert report.complete and report.losses[0].batches == 1


def test_a_class_count_and_ignored_ids_need_no_spec(masks: Path, plain: Launcher, loss: Callable[..., Any]) -> None:
    path = loss("def loss(logits, target):\n    return cross_entropy(logits, target)\n")
    report = probe(masks, launcher=plain, loss=path, spec=LabelSpec(7), num_classes=3, ignore_index=99)
    assert report.spec == LabelSpec(3, 99)
