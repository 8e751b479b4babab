"""The page that make gpu-check writes, and a machine without a GPU."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.gpu import cuda, page


class Page(unittest.TestCase):
    def test_results_replace_results_and_leave_the_rest(self) -> None:
        before = page.PAGE.read_text(encoding="utf-8")
        with TemporaryDirectory() as folder:
            copy = Path(folder, "gpu.md")
            copy.write_text(before, encoding="utf-8")
            for device in ("one", "another"):
                notes = [{"test": "test_a.B.test_c", "passed": False, "message": "a|b", "seconds": 1.2}, {"topic": "d", "text": "e < f"}]
                page.write(page.render({"device": device}, notes, ["f."], "### g"), copy)
            after = copy.read_text(encoding="utf-8")
        self.assertEqual(before.partition(page.MARK)[0], after.partition(page.MARK)[0])
        self.assertNotIn("- device: one", after)
        for line in ("- device: another", "0 of 1 tests passed, 1 failed.", "| test a.B.test c | FAILED: a\\|b | 1 |", "| d | e < f |"):
            self.assertIn(line, after.splitlines())

    @unittest.skipIf(cuda.there(), "there is a CUDA device")
    def test_without_a_gpu_nothing_runs_and_the_page_stays(self) -> None:
        before = page.PAGE.read_bytes()
        done = subprocess.run([sys.executable, "-m", "tests.gpu"], cwd=page.PAGE.parents[1], capture_output=True, text=True, timeout=100)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (3, "", 1))
        self.assertRegex(done.stderr, "^No GPU, so nothing was run")
        self.assertEqual(page.PAGE.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
