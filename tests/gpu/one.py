"""Run one module of CUDA tests in this process, and append what became of each test to the notes.

    python -m tests.gpu.one test_asserts
"""

from __future__ import annotations

import json
import os
import sys
import time
import unittest
from typing import Any

from tests.gpu import cuda


class Noting(unittest.TextTestResult):
    """Appends the outcome of each test as soon as it is known: a process that dies later takes none of them along."""

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._began, self._bad = time.monotonic(), ""

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self._bad = _told(err)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._bad = _told(err)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._bad = f"{subtest.id().rpartition(' ')[2]} {_told(err)}"

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        if cuda.NOTES in os.environ:
            with open(os.environ[cuda.NOTES], "a", encoding="utf-8") as notes:
                notes.write(json.dumps({"test": test.id().rpartition("gpu.")[2], "passed": not self._bad, "message": self._bad,
                                        "seconds": time.monotonic() - self._began}) + "\n")


def _told(err: Any) -> str:
    return f"{err[0].__name__}: {' '.join(str(err[1]).split())}"[:500]


def main(module: str) -> int:
    """0 where all tests of the module pass."""
    suite = unittest.defaultTestLoader.loadTestsFromName(f"tests.gpu.{module}")
    return 0 if unittest.TextTestRunner(resultclass=Noting, verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
