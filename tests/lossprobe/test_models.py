"""A training step through the user's network: what the last, partial batch does to it, and that nothing stays behind."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from labelguard import LabelSpec
from labelguard.errors import IncompleteError
from labelguard.lossprobe import ImportPath, ProbeReport, probe
from labelguard.lossprobe.supervisor.outcome import Step
from tests.drawn import bands, write_png
from tests.lossprobe.inside import Inside

pytestmark = pytest.mark.slow  # each test starts a process that imports torch

torch = pytest.importorskip("torch")

MODELS = f"{Path(__file__).with_name('models.py')}:"
CE = "torch.nn:CrossEntropyLoss"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five masks and their images."""
    root = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(0)
    for number in range(5):
        write_png(root / "masks" / f"{number}.png", np.roll(bands(0, 1, 2, height=12, width=10), number, axis=0))
        write_png(root / "images" / f"{number}.png", random.integers(0, 256, (12, 10, 3), np.uint8))
    return root


def through(root: Path, name: str, **settings: Any) -> ProbeReport:
    return probe(root / "masks", loss=CE, spec=LabelSpec(3), model=ImportPath(f"{MODELS}{name}"), images=root / "images",
                 **{"batch_size": 2, "seed": None} | settings)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code", "words"), [
    ("Pooled", "LG512", "Expected more than 1 value per channel when training"),
    ("SilentlyPooled", "LG512", "pooling.2.running_var"),
])
def test_one_value_for_each_channel_is_put_down_to_the_size_of_the_last_batch(root: Path, name: str, code: str, words: str) -> None:
    report = through(root, name)
    finding, = report.findings
    assert finding.code == code and words in finding.message, finding.message
    assert "the last batch, 1 mask of 12 x 10: the batch is too small, since twice as many masks pass" in finding.message
    assert finding.batch == finding.concerns == ("4.png",) and "drop_last=True" in str(finding.fix)
    assert any("layer 'pooling.2' normalizes over one value for each channel, input (1, 4, 1, 1)" in text
               for text in (finding.message, finding.exception, *finding.evidence))
    assert "--model" in finding.repro and f"--images {root / 'images'}" in finding.repro
    assert report.losses[0].batches == 3 and report.losses[0].failed == 1


def test_dropping_the_last_batch_helps_and_an_id_that_is_no_class_is_found_through_a_network_too(root: Path, tmp_path: Path) -> None:
    for mask in sorted((root / "masks").iterdir()):
        labels = np.array(Image.open(mask))
        labels[3, 4] = 255 if mask.name == "1.png" else labels[3, 4]
        write_png(tmp_path / mask.name, labels)
    report = probe(tmp_path, loss=CE, spec=LabelSpec(3), model=f"{MODELS}Pooled", images=root / "images", batch_size=2, seed=None,
                   drop_last=True)
    finding, = report.findings
    assert (finding.code, finding.path, finding.first, finding.ids, finding.regime) == ("LG503", "1.png", (3, 4), (255,), "model")
    assert report.complete and report.losses[0].batches == 2


@pytest.mark.slow
def test_images_of_another_size_are_left_out_and_said_so(root: Path, tmp_path: Path) -> None:
    """Masks and images may lie in folders within each other: files that are masks are not images too."""
    shutil.copytree(root / "masks", tmp_path / "masks")
    for image in (root / "images").iterdir():
        pixels = np.array(Image.open(image))
        if image.name != "0.png":
            write_png(tmp_path / "images" / image.name, pixels[:-1] if image.name == "3.png" else pixels)
    report = probe(tmp_path / "masks", loss=CE, spec=LabelSpec(3), model=f"{MODELS}Plain", images=tmp_path, batch_size=2)
    assert any("3.png: its image is 11 x 10, the mask 12 x 10" in remark for remark in report.remarks)
    assert any("0.png: it has no image" in remark for remark in report.remarks)
    assert not report.findings and report.losses[0].batches == 2
    assert not report.clean and "No findings; 2 masks were not probed." in str(report)


def test_without_an_image_that_can_be_used_nothing_is_probed(root: Path, tmp_path: Path) -> None:
    for image in (root / "images").iterdir():
        write_png(tmp_path / image.name, np.array(Image.open(image))[:-1])
    with pytest.raises(IncompleteError, match="No mask has an image in .* that can be used; the first is '0.png': its image is 11 x 10"):
        probe(root / "masks", loss=CE, spec=LabelSpec(3), model=f"{MODELS}Plain", images=tmp_path, batch_size=2)


LABELS = np.indices((2, 12, 10)).sum(0) % 3
IMAGES = np.random.default_rng(1).integers(0, 256, (2, 12, 10, 3)).astype(np.uint8)


def step_of(model: Any, labels: NDArray[Any] = LABELS, images: NDArray[Any] = IMAGES, times: int = 1) -> Step:
    run = Inside(torch.nn.CrossEntropyLoss(), 3, model)
    for _ in range(times):
        outcome = run(labels, ("model",), images=images)
    return outcome.last


def test_each_step_is_taken_back() -> None:
    from tests.lossprobe.models import Remembers
    assert step_of(Remembers(), times=3).status == "ok"


def test_logits_are_found_among_what_a_network_returns() -> None:
    from tests.lossprobe.models import Nothing, Plain, Several
    assert step_of(Several()).gradient and step_of(Plain()).gradient
    step = step_of(Nothing())
    assert (step.status, step.phase) == ("exception", "model") and "the network returned str, in which no logits were found" in step.error


def test_running_statistics_that_are_spoilt_silently_are_seen_and_put_back() -> None:
    from tests.lossprobe.models import SilentlyPooled
    model = SilentlyPooled()
    step = step_of(model, LABELS[:1], IMAGES[:1])
    assert (step.status, step.buffers) == ("nan-buffer", ("pooling.2.running_var",)) and np.isfinite(step.loss)
    assert torch.isfinite(model.pooling[2].running_var).all()
    step = step_of(model)
    assert step.status == "ok" and step.statistics.keys() >= {"pooling.2.running_mean", "pooling.2.running_var"}
