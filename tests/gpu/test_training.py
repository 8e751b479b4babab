"""Mixed precision, batch normalization, running statistics and explanations on CUDA."""

from __future__ import annotations

import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from labelguard.lossprobe import ImportPath, ProbeReport, Settings
from labelguard.lossprobe.findings.buffer_mismatch import buffer_mismatches
from labelguard.lossprobe.mask_source import MaskFiles
from labelguard.lossprobe.supervisor.runner import LossRunner
from tests.drawn import folder
from tests.gpu import cuda

CROSS_ENTROPY = ImportPath("torch.nn:CrossEntropyLoss")


def codes(report: ProbeReport) -> list[str]:
    return sorted({finding.code for finding in report.findings})


@cuda.needed
class MixedPrecision(unittest.TestCase):
    """256 x 256 pixels of one class add up to 65,536; the largest number of fp16 is 65,504."""

    def test_dice_in_half_overflows_in_fp16_and_in_no_other_type(self) -> None:
        masks = [np.ones((256, 256), np.int64)] * 2
        for amp, expected in (("fp16", True), ("bf16", False), ("fp32", False)):
            report = cuda.probe(masks, cuda.ours("half_dice"), 2, amp=amp, batch_size=2)
            self.assertEqual("LG504" in codes(report), expected, (amp, [finding.message for finding in report.findings]))

    def test_dice_under_autocast(self) -> None:
        masks = [np.ones((256, 256), np.int64)] * 2
        for amp in ("fp16", "bf16", "fp32"):
            report = cuda.probe(masks, cuda.ours("dice"), 2, amp=amp, batch_size=2)
            cuda.note("Dice under autocast, a class that fills 256 x 256", f"{amp}: {', '.join(codes(report)) or 'no finding'}")
            self.assertTrue(report.complete)

    def test_cross_entropy_passes_in_every_precision(self) -> None:
        for amp in ("fp16", "bf16"):
            self.assertEqual(codes(cuda.probe(cuda.drawn(4, 12), CROSS_ENTROPY, 12, amp=amp)), [], amp)


@cuda.needed
class Networks(unittest.TestCase):
    def setUp(self) -> None:
        kept = TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.root = Path(kept.name)
        masks = {f"{i}.png": labels.astype(np.uint8) for i, labels in enumerate(cuda.drawn(5, 12))}
        folder(self.root / "masks", masks)
        (self.root / "images").mkdir()
        for i, name in enumerate(masks):
            image = np.random.default_rng(i).integers(0, 256, (32, 48, 3)).astype(np.uint8)
            Image.fromarray(image).save(self.root / "images" / name)

    def through(self, network: str) -> ProbeReport:
        return cuda.probe(MaskFiles([self.root / "masks"]), CROSS_ENTROPY, 12, cuda.ours(network), self.root / "images")

    def test_batch_normalization_over_one_value_is_put_down_to_the_size_of_the_batch(self) -> None:
        report = self.through("Pooled")
        for finding in report.findings:
            cuda.note("BatchNorm over one value for each channel", f"{finding.code} {finding.message}")
        self.assertEqual(codes(report), ["LG512"])
        self.assertIn("the batch is too small, since twice as many masks pass", report.findings[0].message)

    def test_running_statistics_are_those_of_the_cpu(self) -> None:
        self.assertEqual(codes(self.through("Steady")), [])

    def test_how_far_running_statistics_part(self) -> None:
        labels = np.stack(cuda.drawn(4, 12))
        images = np.random.default_rng(0).integers(0, 256, (4, 32, 48, 3)).astype(np.uint8)
        statistics = []
        for device in ("cuda", "cpu"):
            with LossRunner(CROSS_ENTROPY, Settings(device=device), cuda.ours("Steady")) as run:
                run.classes = 12
                statistics.append(run(labels, ("model",), images=images).last.statistics)
        on_gpu, on_cpu = statistics
        largest = max(abs(a - b) / max(map(abs, on_cpu[name])) for name in on_cpu for a, b in zip(on_gpu[name], on_cpu[name], strict=True))
        cuda.note("Running statistics of the GPU against those of the CPU",
                  f"apart by at most {largest:.1e} of the largest value of a buffer; 5e-2 would be reported")
        self.assertEqual(buffer_mismatches(on_gpu, on_cpu), [])


@cuda.needed
class Explanations(unittest.TestCase):
    def explain(self, loss: str) -> str:
        labels = np.stack(cuda.drawn(2, 3))
        with LossRunner(cuda.ours(loss), Settings(device="cuda")) as run:
            run.classes = 4
            step = run(labels, ("random",), explain=True).last
        line = Path(step.source).name or "no line"
        cuda.note(f"The operation that explains {loss}", f"{step.status}: {step.operation or 'no operation'}, {line}")
        self.assertEqual(step.status, "nan-gradient")
        return f"{step.operation} {step.source}"

    def test_a_division_of_the_forward_pass_is_named_with_its_line(self) -> None:
        self.assertRegex(self.explain("absent_class_divides"), r"aten\.div.*losses\.py:\d+: means = ")

    def test_what_goes_wrong_only_backward(self) -> None:
        self.explain("root_of_nothing")  # whether the mode sees CUDA's backward thread is only noted


if __name__ == "__main__":
    unittest.main()
