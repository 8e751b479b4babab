"""Every recipe of docs/loaders.md and docs/guarded-loss.md runs as it is printed; without the library that it is for it is skipped."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from labelguard import LabelSpec, MaskRejectedError, Pipeline, Remap, Resize, Validate
from tests.integrations.datasets import LABELS, Drawn

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from labelguard.integrations.torch import GuardedDataset, GuardedIterable, GuardedLoss  # noqa: E402
from tests.integrations import torchvision_like  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning"),
              pytest.mark.filterwarnings("ignore:This DataLoader will create")]  # more workers than a small machine has cores
DOCS = Path(__file__).resolve().parents[2] / "docs"
FRAGMENT = re.compile(r"^<!-- fragment -->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CLEAN = Pipeline([Validate(LabelSpec(3), select="LG101"), Remap(shift=1, num_classes=4), Resize(2, 3)])
EXPECTED = Resize(2, 3)(LABELS + 1)


def fragments() -> dict[str, str]:
    """The recipes by page, heading and number, as in ``loaders: MONAI 1``."""
    found: dict[str, str] = {}
    for page in ("loaders", "guarded-loss"):
        for section in re.split(r"^## ", (DOCS / f"{page}.md").read_text(encoding="utf-8"), flags=re.MULTILINE):
            for number, text in enumerate(FRAGMENT.findall(section), 1):
                found[f"{page}: {section.splitlines()[0].lstrip('# ')} {number}"] = text
    return found


def run(recipe: str, names: dict[str, Any]) -> dict[str, Any]:
    """The names that a recipe leaves behind."""
    names |= {"GuardedDataset": GuardedDataset, "GuardedIterable": GuardedIterable, "DataLoader": torch.utils.data.DataLoader,
              "Dataset": torch.utils.data.Dataset, "Subset": torch.utils.data.Subset, "Image": Image, "io": io, "np": np, "clean": CLEAN}
    exec(compile(fragments()[recipe], recipe, "exec"), names)
    return names


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Masks a, b and c, of which b holds 9 at row 0, column 3."""
    wrong = LABELS.copy()
    wrong[0, 3] = 9
    for name, labels in {"a": LABELS, "b": wrong, "c": LABELS}.items():
        Image.fromarray(labels).save(tmp_path / f"{name}.png")
        Image.fromarray(np.zeros((*labels.shape, 3), np.uint8)).save(tmp_path / f"{name}.jpg")
    return [str(tmp_path / f"{name}.png") for name in "abc"]


def all_clean(masks: Iterable[Any]) -> bool:
    return all(np.array_equal(np.squeeze(mask), EXPECTED) for mask in masks)


def test_every_recipe_has_a_test() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [recipe for recipe in fragments() if f'"{recipe}"' not in text] == []


def roads(files: list[str]) -> Any:
    names = run("loaders: In `__getitem__` 1", {"read_image": lambda path: np.asarray(Image.open(path)), "augment": lambda *pair: pair})
    return names["Roads"]([file.replace("png", "jpg") for file in files], files, CLEAN)


def test_in_getitem(files: list[str]) -> None:
    dataset = roads(files)
    assert len(dataset) == 3 and all_clean([dataset[0][1], dataset[2][1]])
    with pytest.raises(MaskRejectedError, match=r"b\.png is rejected.* First at row 0, column 3\."):
        dataset[1]


def test_a_guarded_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    names = run("loaders: GuardedDataset 1", {"dataset": Drawn()})
    assert capsys.readouterr().out.splitlines()[0] == "Sample 1 (masks/1.png): LG101" and all_clean(names["masks"])
    kept = run("loaders: GuardedDataset 3", names)["kept"]
    assert len(kept) == 5 and all_clean(mask for _, mask in kept)


def test_a_guard_around_a_stage_inside(files: list[str]) -> None:
    names = run("loaders: GuardedDataset 2", {"images": files, "masks": files, "Roads": lambda *_: roads(files)})
    assert all_clean(mask for _, mask in names["guarded"]) and names["guarded"].rejections.indices == (1,)


@pytest.mark.parametrize("kind", ["stand-in", "torchvision"])
def test_torchvision(kind: str, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "stand-in":
        torchvision_like.install(monkeypatch)
        v2: Any = type("v2", (), {"Compose": torchvision_like.Compose, "RandomCrop": torchvision_like.Flip,
                                  "RandomHorizontalFlip": torchvision_like.Flip})
        tv_tensors: Any = type("tv_tensors", (), {"Mask": torchvision_like.as_mask})
        image, mask = run("loaders: torchvision 2", {"v2": v2, "tv_tensors": tv_tensors, "image": torch.zeros(3, 3, 4), "mask": LABELS,
                                                     })["augment"](torch.zeros(3, 3, 4), torchvision_like.as_mask(LABELS))
        assert type(mask) is torchvision_like.Mask and all_clean([mask]) and image.shape == (3, 3, 4)
        sets: Any = torchvision_like.VocLike
    else:
        pytest.importorskip("torchvision", exc_type=(ImportError, RuntimeError), reason="torchvision cannot be imported")  # type: ignore[arg-type]
        from torchvision import tv_tensors
        from torchvision.transforms import v2
        large = np.tile(LABELS, (100, 100))
        names = run("loaders: torchvision 2", {"v2": v2, "tv_tensors": tv_tensors, "image": torch.zeros(3, *large.shape), "mask": large,
                                               "clean": Remap(shift=1)})
        assert isinstance(names["mask"], tv_tensors.Mask)
        from torchvision.datasets import VOCSegmentation as sets
    base = tmp_path / "VOCdevkit" / "VOC2012"
    for folder, suffix in (("JPEGImages", "jpg"), ("SegmentationClass", "png"), ("ImageSets/Segmentation", "")):
        (base / folder).mkdir(parents=True)
        for name in "abc" if suffix else "":
            (base / folder / f"{name}.{suffix}").write_bytes((tmp_path / f"{name}.{suffix}").read_bytes())
    (base / "ImageSets" / "Segmentation" / "train.txt").write_text("a\nb\nc\n", encoding="utf-8")
    names = run("loaders: torchvision 1", {"VOCSegmentation": sets, "root": str(tmp_path), "to_tensor": np.asarray})
    batch = names["guarded"].__getitems__([0, 1, 2])
    assert len(batch) == 2 and all_clean(mask for _, mask in batch) and names["guarded"].rejections.samples[0].name.endswith("b.png")


def test_albumentations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_ALBUMENTATIONS_UPDATE", "1")  # or else the import asks the network for a newer version
    library = pytest.importorskip("albumentations", reason="Albumentations is not installed")
    shift = Remap(shift=1, num_classes=4)
    names = run("loaders: Albumentations 1", {"A": library})
    names["clean"] = shift
    large = np.tile(LABELS, (100, 100))
    result = names["augment"](image=np.zeros((*large.shape, 3), np.uint8), mask=large)
    assert result["mask"].shape == (256, 256) and result["mask"].min() == 1
    with pytest.raises(MaskRejectedError, match="LG101"):
        names["augment"](image=np.zeros((*large.shape, 3), np.uint8), mask=large + 5)


def test_monai(files: list[str]) -> None:
    data = pytest.importorskip("monai.data", reason="MONAI is not installed")
    names = run("loaders: MONAI 1", {})
    samples = [{"image": file.replace("png", "jpg"), "label": file} for file in files]
    result = names["load"](samples[0])
    assert all_clean([result["label"]]) and result["image"].shape == (3, *LABELS.shape)
    with pytest.raises(RuntimeError) as raised:
        names["load"](samples[1])
    cause: Any = raised.value
    while cause.__cause__ is not None:
        cause = cause.__cause__
    assert isinstance(cause, MaskRejectedError) and cause.name == files[1] and cause.findings[0].first == (0, 3)  # as in the file
    guarded = GuardedDataset(data.Dataset(samples, names["load"]), None, on_reject="skip")
    assert len(guarded.__getitems__([0, 1, 2])) == 2 and guarded.rejections.indices == (1,)


def test_hugging_face(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    library = pytest.importorskip("datasets", reason="datasets is not installed")
    stored = library.Dataset.from_dict({"label": files}).cast_column("label", library.Image()).to_iterable_dataset(num_shards=3)
    monkeypatch.setattr(library, "load_dataset", lambda *_, **__: stored)
    names = run("loaders: Streams 1", {})
    with pytest.raises(MaskRejectedError, match=r"^Sample 1 \(.*b\.png\) is rejected"):
        list(GuardedIterable(names["stream"], CLEAN, mask="label"))
    assert all_clean(sample["label"] for sample in names["loader"])
    assert [Path(sample.name).name for sample in names["guarded"].rejections] == ["b.png"]


def test_webdataset(files: list[str], tmp_path: Path) -> None:
    library = pytest.importorskip("webdataset", reason="WebDataset is not installed")
    for shard in "01":
        with library.TarWriter(str(tmp_path / f"{shard}.tar")) as writer:
            for file in files:
                image = Path(file.replace("png", "jpg")).read_bytes()
                writer.write({"__key__": f"{shard}-{Path(file).stem}", "image.jpg": image, "mask.png": Path(file).read_bytes()})
    names = run("loaders: Streams 2", {"shards": [str(tmp_path / "0.tar"), str(tmp_path / "1.tar")]})
    samples = list(names["loader"])
    assert len(samples) == 4 and all_clean(sample["mask.png"] for sample in samples)
    assert [sample.name for sample in names["guarded"].rejections] == ["0-b", "1-b"]


def test_a_training_loop() -> None:
    model = torch.nn.Conv2d(3, 4, 1)
    target = torch.zeros(2, 5, 5, dtype=torch.int64)
    target.cuda = lambda **_: target  # type: ignore[method-assign]  # on a machine without a GPU
    names = {"loader": [(torch.randn(2, 3, 5, 5), target, ["a", "b"])] * 2, "model": model, "torch": torch,
             "criterion": GuardedLoss(torch.nn.CrossEntropyLoss(), 4), "optimizer": torch.optim.SGD(model.parameters(), 0.1)}
    before = model.weight.detach().clone()
    run("guarded-loss: The loss that no label can crash 1", names)
    assert not torch.equal(before, model.weight)
