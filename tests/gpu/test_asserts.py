"""Real device-side asserts: named, survived, and the rest of the run goes on."""

from __future__ import annotations

import unittest
from unittest import mock

from labelguard.lossprobe import ImportPath
from labelguard.lossprobe.findings.wording import first_line
from labelguard.lossprobe.supervisor import process
from tests.gpu import cuda

CLASSES, ROW, COLUMN = 12, 5, 7


@cuda.needed
class DeviceSideAsserts(unittest.TestCase):
    """Of twelve masks one holds a bad pixel: LG501 names it and the assertion, and the eleven others are probed."""

    def check(self, loss: ImportPath, label: int = 255, classes: int = CLASSES, starts: int = 3) -> None:
        masks = cuda.drawn(12, classes)
        masks[5][ROW, COLUMN] = label
        report = cuda.probe(masks, loss, classes)
        for finding in report.findings:
            raised = first_line(getattr(finding, "exception", "")) or "no exception"
            cuda.note(self.id().rpartition(".test_")[2].replace("_", " "), f"{finding.code} {finding.message} ({raised})")
        summary = report.losses[0]
        self.assertEqual([(f.code, f.path, f.first, f.ids) for f in report.findings], [("LG501", "mask 5", (ROW, COLUMN), (label,))])
        self.assertRegex(report.findings[0].native, "^device-side assertion `.+`$")
        self.assertEqual((summary.batches, summary.failed, summary.stopped), (3, 1, ""))
        self.assertLessEqual(summary.starts, starts)
        self.assertTrue(report.on_gpu)

    def test_cross_entropy(self) -> None:
        self.check(ImportPath("torch.nn:CrossEntropyLoss"))

    def test_cross_entropy_below_zero(self) -> None:
        self.check(ImportPath("torch.nn:CrossEntropyLoss"), label=-1)

    def test_nll_loss_without_reduction(self) -> None:
        self.check(cuda.ours("nll"))

    def test_focal_on_cross_entropy_without_reduction(self) -> None:
        self.check(cuda.ours("focal"))

    def test_one_hot(self) -> None:
        self.check(cuda.ours("one_hot"))

    def test_scatter(self) -> None:
        self.check(cuda.ours("scatter"))

    def test_gather(self) -> None:
        self.check(cuda.ours("gather"))

    def test_index(self) -> None:
        self.check(cuda.ours("index"))

    def test_embedding(self) -> None:
        self.check(cuda.ours("embedding"))

    def test_binary_cross_entropy_on_probabilities(self) -> None:
        self.check(ImportPath("torch.nn:BCELoss"), classes=2, starts=4)  # one for logits, which it cannot take

    def test_without_launch_blocking(self) -> None:
        with mock.patch.dict(process._ENVIRONMENT, CUDA_LAUNCH_BLOCKING="0"):
            self.check(ImportPath("torch.nn:CrossEntropyLoss"))


if __name__ == "__main__":
    unittest.main()
