"""The road of a probe on a GPU, with a CPU in its part: asserts, replay on the CPU, and the batches after it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from labelguard.lossprobe import ImportPath, ProbeReport, Probing, Settings
from labelguard.lossprobe.findings.buffer_mismatch import BufferMismatch, buffer_mismatches
from labelguard.lossprobe.mask_source import MaskArrays
from labelguard.lossprobe.supervisor.launcher import ADAPTERS, Launcher
from labelguard.spec.labelspec import LabelSpec
from tests.drawn import folder

pytestmark = pytest.mark.slow  # each test starts a process that imports torch

HERE = Path(__file__).parent
Probe = Callable[..., ProbeReport]


def in_numpy(name: str, **arguments: object) -> ImportPath:
    return ImportPath(f"{HERE / 'numpy_losses.py'}:{name}", arguments)


CROSS_ENTROPY = in_numpy("cross_entropy", ignore_index=-100)


@pytest.fixture(autouse=True)
def gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    shutil.copy(HERE / "simulated_gpu.py", tmp_path / "torch.py")
    shutil.copy(ADAPTERS / "arrays.py", tmp_path)
    return monkeypatch


@pytest.fixture
def real_adapter(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    shutil.copy(ADAPTERS / "torch.py", tmp_path / "real_torch.py")
    for part in ADAPTERS.glob("torch_*.py"):
        shutil.copy(part, tmp_path)


def masks(count: int = 12, classes: int = 4, **planted: int) -> MaskArrays:
    drawn = [np.random.default_rng(i).integers(0, classes, (16, 20)) for i in range(count)]
    for name, value in planted.items():
        drawn[int(name[1:])][5, 7] = value
    return MaskArrays(drawn)


@pytest.fixture
def probe(tmp_path: Path) -> Probe:
    """Puts masks through a loss on the simulated GPU."""
    def run(source: MaskArrays, loss: ImportPath = CROSS_ENTROPY, classes: int = 4, ignore: tuple[int, ...] = (),
            **settings: Any) -> ProbeReport:
        probing = Probing(source, [loss], LabelSpec(classes, ignore_index=ignore), Settings(batch_size=4, **settings),
                          launcher=Launcher(tmp_path))
        for _ in probing:
            pass
        return probing.result()
    return run


@pytest.mark.parametrize("how", ["blocking", "abort", "printed", "hip"])
def test_one_pixel_is_found_on_the_cpu_confirmed_on_the_device_and_the_rest_probed(how: str, gpu: pytest.MonkeyPatch, probe: Probe) -> None:
    gpu.setenv("SIMULATED", how)
    report = probe(masks(m5=255))
    assert [(f.code, f.path, f.first, f.ids) for f in report.findings] == [("LG501", "mask 5", (5, 7), (255,))]
    assert "`t >= 0 && t < n_classes`" in report.findings[0].message
    assert report.findings[0].verified_on.startswith("cuda Simulated GPU") and not report.findings[0].expected_on_cuda
    summary = report.losses[0]
    assert (summary.batches, summary.failed, summary.starts, report.complete) == (3, 1, 3, True)


def test_the_status_of_a_library_is_an_exception_and_costs_no_worker(gpu: pytest.MonkeyPatch, probe: Probe) -> None:
    gpu.setenv("SIMULATED", "status")
    report = probe(masks(m5=255))
    assert [(f.code, f.path, f.first) for f in report.findings] == [("LG503", "mask 5", (5, 7))]
    assert "CUBLAS_STATUS_NOT_SUPPORTED" in report.findings[0].message and report.losses[0].starts == 1


@pytest.mark.slow
@pytest.mark.usefixtures("real_adapter")
def test_it_is_the_same_with_torch(probe: Probe) -> None:
    report = probe(masks(m5=255), ImportPath("torch.nn:CrossEntropyLoss"))
    assert [(f.code, f.path, f.first, f.ids) for f in report.findings] == [("LG501", "mask 5", (5, 7), (255,))]
    assert (report.losses[0].starts, report.complete) == (3, True)


def test_only_the_mask_at_fault_is_blamed(probe: Probe) -> None:
    report = probe(masks(m1=255, m5=4, m9=255), in_numpy("cross_entropy", ignore_index=255), ignore=(255,))
    assert [(f.code, f.path, f.ids) for f in report.findings] == [("LG501", "mask 5", (4,))]
    assert report.losses[0].starts == 3


def test_a_feed_that_asserts_is_no_verdict(probe: Probe) -> None:
    report = probe(masks(classes=2, m5=3), in_numpy("bce"), classes=2)
    assert report.losses[0].input_format.startswith("logits after sigmoid against floats (N, 1, H, W)")
    assert [(f.code, f.path, f.first, f.ids) for f in report.findings] == [("LG501", "mask 5", (5, 7), (3,))]


def test_a_loss_that_asserts_however_it_is_fed_is_given_up(probe: Probe) -> None:
    report = probe(masks(), in_numpy("always_out_of_range"))
    assert [finding.code for finding in report.findings] == ["LG501"] and "on neutral masks too" in report.findings[0].message
    assert report.losses[0].starts == 2 and not report.complete


def test_without_a_bad_label_nothing_is_said(probe: Probe) -> None:
    report = probe(masks())
    assert not report.findings and report.on_gpu and report.losses[0].starts == 1


def through(network: str, tmp_path: Path) -> ProbeReport:
    labels = {f"{i}.png": np.random.default_rng(i).integers(0, 4, (16, 20)).astype(np.uint8) for i in range(4)}
    images = tmp_path / "images"
    images.mkdir()
    for i, name in enumerate(labels):
        Image.fromarray(np.random.default_rng(i).integers(0, 256, (16, 20, 3)).astype(np.uint8)).save(images / name)
    probing = Probing([folder(tmp_path / "masks", labels)], [ImportPath("torch.nn:CrossEntropyLoss")], LabelSpec(4),
                      Settings(batch_size=4), ImportPath(f"{HERE / 'networks.py'}:{network}"), images, launcher=Launcher(tmp_path))
    for _ in probing:
        pass
    return probing.result()


@pytest.mark.slow
@pytest.mark.usefixtures("real_adapter")
@pytest.mark.parametrize(("network", "how", "codes"), [("Steady", "drift", ["LG514"]), ("Steady", "blocking", []),
                                                       ("Dropping", "drift", [])])
def test_statistics_are_compared_where_the_network_is_steady(network: str, how: str, codes: list[str], gpu: pytest.MonkeyPatch,
                                                             tmp_path: Path) -> None:
    gpu.setenv("SIMULATED", how)
    report = through(network, tmp_path)
    assert [finding.code for finding in report.findings] == codes
    if codes:
        assert "features.1.running_mean" in report.findings[0].message and len(report.findings[0].evidence) == 3


def test_rounding_is_no_difference_and_nan_is_one() -> None:
    nan = float("nan")
    assert not buffer_mismatches({"a": [1.0, nan, 0.9], "b": [2e-4]}, {"a": [1.001, nan, 0.901], "b": [-2e-4]})
    assert buffer_mismatches({"a": [1.0, 0.1]}, {"a": [1.0, 0.2]}) == [BufferMismatch("a", 1, 0.1, 0.2)]
    assert [one.index for one in buffer_mismatches({"a": [1.0, nan, nan]}, {"a": [1.0, 1.0, nan]})] == [1]
    assert buffer_mismatches({"a": [float("inf")]}, {"a": [1.0]}) and not buffer_mismatches({"a": [float("inf")]}, {"a": [float("inf")]})
