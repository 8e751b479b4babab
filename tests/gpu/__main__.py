"""make gpu-check: the CUDA tests and the GPU benchmark, each in a process of its own, and docs/gpu.md.

Exit code 0 when all tests pass, 1 when one fails, 3 without a GPU: then nothing runs, and the page stays as it is.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.gpu import page
from tests.gpu.cuda import NOTES

MODULES = ("test_guarded_loss", "test_asserts", "test_adapters", "test_training", "test_unknowns")
SECONDS, FOR_BENCHMARK = 450, 110     # in all, and what the tests leave of it
_DEVICE = """
import json, platform, sys
try:
    import torch
except ImportError:
    print(json.dumps("PyTorch is not installed for " + sys.executable))
    sys.exit()
if not torch.cuda.is_available():
    print(json.dumps("torch " + torch.__version__ + " sees no CUDA device"))
    sys.exit()
properties = torch.cuda.get_device_properties(torch.cuda.current_device())
print(json.dumps({"device": "%s, %.0f GiB, compute capability %d.%d" % (
                      properties.name, properties.total_memory / 2 ** 30, properties.major, properties.minor),
                  "torch": torch.__version__, "CUDA of torch": torch.version.cuda, "cuDNN": str(torch.backends.cudnn.version()),
                  "Python": platform.python_version(), "system": platform.platform()}))
"""


def main() -> int:
    began = time.monotonic()
    device = json.loads(subprocess.run([sys.executable, "-c", _DEVICE], capture_output=True, text=True).stdout or '"torch does not start"')
    if isinstance(device, str):
        print(f"No GPU, so nothing was run and docs/gpu.md stays as it is: {device}.", file=sys.stderr)
        return 3
    import labelguard
    device = {"labelguard": labelguard.__version__, **device, "driver": _driver(), "kernels": _kernels()}
    with TemporaryDirectory() as folder:
        notes, benchmark = Path(folder, "notes.jsonl"), Path(folder, "benchmark.md")
        notes.touch()
        remarks, failed = [], False
        for module in MODULES:
            left = SECONDS - FOR_BENCHMARK - (time.monotonic() - began)
            code = _run(["tests.gpu.one", module], left, {NOTES: str(notes)})
            failed |= code != 0
            if code not in (0, 1):
                remarks.append(f"{module} did not come to its end: {_ending(code)}.")
        if code := _run(["benchmarks.gpu", str(benchmark)], SECONDS - (time.monotonic() - began), {}):
            failed = True
            remarks.append(f"The benchmark did not come to its end: {_ending(code)}.")
        remarks.append(f"All of it took {time.monotonic() - began:.0f} s.")
        page.write(page.render(device, [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()], remarks,
                               benchmark.read_text(encoding="utf-8") if benchmark.exists() else ""))
    print(f"docs/gpu.md is written; {'something failed, see there' if failed else 'all tests passed'}.", file=sys.stderr)
    return int(failed)


def _run(module: list[str], seconds: float, environment: dict[str, str]) -> int:
    """The exit code of a module; -SIGKILL where it had to be stopped, or had no time left to begin."""
    if seconds <= 5:
        return -signal.SIGKILL
    process = subprocess.Popen([sys.executable, "-m", *module], env=os.environ | environment, start_new_session=True)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # workers notice that their supervisor is gone
        return process.wait()


def _ending(code: int) -> str:
    return "no time was left" if code == -signal.SIGKILL else f"exit code {code}"


def _driver() -> str:
    try:
        asked = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True,
                               timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown (no nvidia-smi)"
    return (asked.stdout.split() or ["unknown"])[0]


def _kernels() -> str:
    from labelguard.kernels import native
    return "compiled" if native.COMPILED else "plain numpy"


if __name__ == "__main__":
    sys.exit(main())
