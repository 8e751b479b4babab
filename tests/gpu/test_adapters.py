"""Every framework that is here, on the device, with a bad id: its process is replaced where that has cost it, and the rest probed."""

from __future__ import annotations

import importlib.util
import os
import sys
import unittest

from labelguard.errors import IncompleteError
from labelguard.lossprobe import ImportPath
from tests.gpu import cuda

CLASSES, ROW, COLUMN = 12, 5, 7
_CROSS_ENTROPY = {
    "torch": ImportPath("torch.nn:CrossEntropyLoss"),
    "jax": ImportPath("optax:softmax_cross_entropy_with_integer_labels"),
    "tensorflow": ImportPath("tensorflow:nn.sparse_softmax_cross_entropy_with_logits"),
    "paddle": ImportPath("paddle.nn:CrossEntropyLoss", {"axis": 1}),
    "mxnet": ImportPath("mxnet.gluon.loss:SoftmaxCELoss", {"axis": 1}),
    "mindspore": ImportPath("mindspore.nn:CrossEntropyLoss"),
}


def interpreter(framework: str) -> str | None:
    """The interpreter that LABELGUARD_PROBE_JAX and so on names, or the running one, if that has the framework."""
    named = os.environ.get(f"LABELGUARD_PROBE_{framework.upper()}")
    return named or (sys.executable if importlib.util.find_spec(framework) else None)


@cuda.needed
class Adapters(unittest.TestCase):
    """Of twelve masks one holds a bad pixel: whatever the framework makes of it, that mask is named and the others are probed."""

    def check(self, framework: str, label: int = 255) -> None:
        python = interpreter(framework)
        if python is None:
            self.skipTest(f"no interpreter with {framework}: set LABELGUARD_PROBE_{framework.upper()}")
        masks = cuda.drawn(12, CLASSES)
        masks[5][ROW, COLUMN] = label
        try:
            report = cuda.probe(masks, _CROSS_ENTROPY[framework], CLASSES, framework=framework, python=python, timeout=60)
        except IncompleteError as problem:
            cuda.note(f"{framework} with {label}", str(problem))
            self.skipTest(str(problem))
        for finding in report.findings:
            cuda.note(f"{framework} with {label}", f"{finding.code} {finding.message}")
        self.assertTrue(report.on_gpu and report.complete)
        self.assertEqual(report.losses[0].batches, 3)
        blamed = [finding for finding in report.findings if label in finding.ids]
        self.assertEqual([finding.path for finding in blamed], ["mask 5"] * len(blamed))
        self.assertTrue(blamed, "nothing was said about the id")

    def test_torch(self) -> None:
        self.check("torch")

    def test_jax(self) -> None:
        self.check("jax")

    def test_tensorflow(self) -> None:
        self.check("tensorflow")

    def test_paddle(self) -> None:
        self.check("paddle")

    def test_mxnet(self) -> None:
        self.check("mxnet")

    def test_mindspore(self) -> None:
        self.check("mindspore")


if __name__ == "__main__":
    unittest.main()
