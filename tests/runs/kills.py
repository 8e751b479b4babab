"""Kill runs at random moments, and see that nothing is lost: python -m tests.runs.kills [--kills 200] [--seed 1] [--files 240]

Each run remaps, resizes or puts masks through a pipeline, is killed with SIGKILL, and is resumed. After each kill every file in the
output must be whole, and every source what it was; after the resumption the output must be that of an undisturbed run, byte for byte. By
turns somebody lays links into the output that lead to the sources, or starts a second run beside the first.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tifffile
from PIL import Image

import labelguard
from labelguard import Pipeline, Remap, Resize
from labelguard.errors import LabelguardError
from labelguard.report.rewrite import RewriteReport
from tests.runs.rewriting import tree

Command = Callable[[Path, Path, bool], RewriteReport]
TEMPORARY = ".labelguard-tmp-0123456789abcdef"

COMMANDS: dict[str, Command] = {
    "remap": lambda masks, out, resume: labelguard.remap(masks, out, shift=-1, merge={0: "last"}, num_classes=12, ignore_index=255,
                                                         jobs=2, resume=resume),
    "resize": lambda masks, out, resume: labelguard.resize(masks, out, height=30, width=50, num_classes=13, ignore_index=255, jobs=2,
                                                           resume=resume),
    "run": lambda masks, out, resume: labelguard.run(
        Pipeline([Remap(-1, {0: "last"}, num_classes=12, ignore_index=255), Resize(40, 40)]), masks, out, jobs=2, resume=resume),
}
DISTURBANCES = ("none", "killed twice", "a folder becomes a link", "links laid afterwards", "a second run", "none")


def draw(place: Path, files: int) -> Path:
    """Masks of all formats that are kept, in three folders."""
    rng = np.random.default_rng(0)
    for number in range(files):
        labels = np.repeat(rng.integers(0, 13, (24, 1), np.uint8), 7, axis=0).repeat(120, axis=1)
        labels[rng.random(labels.shape) < 0.01] = 255
        stem = place / ("a", "b", "b/c")[number % 3] / f"{number:04}"
        stem.parent.mkdir(parents=True, exist_ok=True)
        if number % 5 == 0:
            np.save(f"{stem}.npy", labels)
        elif number % 5 == 1:
            tifffile.imwrite(f"{stem}.tif", labels, compression="zlib")
        elif number % 5 == 2:
            Image.fromarray(labels.astype(np.uint16)).save(f"{stem}.png")
        else:
            image = Image.fromarray(labels)
            if number % 5 == 3:
                image.putpalette(rng.integers(0, 256, 768).tolist())
            image.save(f"{stem}.png")
    return place


class Campaign:
    """Runs that are killed, over one folder of sources."""

    def __init__(self, place: Path, files: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.masks, self.out = draw(place / "masks", files), place / "out"
        self.sources = tree(self.masks)
        self.whole: dict[str, dict[str, bytes]] = {}
        self.seconds: dict[str, float] = {}
        self.met: Counter[str] = Counter()
        for name, command in COMMANDS.items():
            command(self.masks, place / "first", False)  # compiles, or loads what is compiled
            started = time.monotonic()
            command(self.masks, place / name, False)
            self.seconds[name] = time.monotonic() - started
            self.whole[name] = tree(place / name)
            shutil.rmtree(place / "first")

    def kill_one(self, number: int) -> None:
        """Start a run, disturb it, kill it, and resume it."""
        disturbance = DISTURBANCES[number % len(DISTURBANCES)]
        name = [*COMMANDS][(number + number // len(DISTURBANCES)) % len(COMMANDS)]
        shutil.rmtree(self.out, ignore_errors=True)
        disturb = getattr(self, "_" + disturbance.replace(" ", "_"))
        undo = disturb(name, self._begun(name, resume=False))
        self._check(name, f"kill {number}, {name}, {disturbance}")
        resume = self.out.exists() and any(not path.name.startswith((".labelguard-lock", ".labelguard-tmp")) for path in self.out.iterdir())
        if undo is not None:
            code = self._wait(self._begun(name, resume))
            assert code in (0, 3), f"kill {number}, {name}, {disturbance}: resumed over links: exit {code}"
            self._check(name, f"kill {number}, {name}, {disturbance}, resumed over links")
            undo()
            resume = True
        code = self._wait(self._begun(name, resume))
        assert code == 0, f"kill {number}, {name}, {disturbance}: resumed: exit {code}"
        self._check(name, f"kill {number}, {name}, {disturbance}, resumed")
        assert tree(self.out) == self.whole[name], f"kill {number}, {name}, {disturbance}: other bytes after --resume"

    def _check(self, name: str, when: str) -> None:
        """No source has changed, and every mask that lies in the output is whole."""
        assert tree(self.masks) == self.sources, f"{when}: A SOURCE HAS CHANGED"
        whole = self.whole[name]
        for path in self.out.rglob("[!.]*"):
            if path.is_file() and not path.is_symlink() and path.suffix != ".json":
                file = path.relative_to(self.out).as_posix()
                assert path.read_bytes() == whole.get(file), f"{when}: {file} is not whole"

    def _begun(self, name: str, resume: bool) -> int:
        """A run in a process of its own, which starts warm."""
        child = os.fork()
        if child:
            return child
        try:
            os._exit(COMMANDS[name](self.masks, self.out, resume).exit_code())
        except LabelguardError:
            os._exit(3)
        except BaseException as surprise:
            print(f"{type(surprise).__name__}: {surprise}", file=sys.stderr, flush=True)
            os._exit(99)

    def _killed(self, name: str, child: int, spent: float = 0) -> None:
        time.sleep(max(0, float(self.rng.uniform(0, self.seconds[name])) - spent))
        os.kill(child, signal.SIGKILL)
        if self._wait(child) != -signal.SIGKILL:
            self.met["after its end"] += 1
        elif (self.out / "labelguard-receipt.json").exists():
            self.met["with a receipt"] += 1
        else:
            self.met["midway" if (self.out / ".labelguard-journal.jsonl").exists() else "before it began"] += 1

    @staticmethod
    def _wait(child: int) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def _none(self, name: str, child: int) -> None:
        self._killed(name, child)

    def _killed_twice(self, name: str, child: int) -> None:
        self._killed(name, child)
        self._killed(name, self._begun(name, (self.out / ".labelguard-journal.jsonl").exists()))

    def _a_second_run(self, name: str, child: int) -> None:
        time.sleep(float(self.rng.uniform(0, self.seconds[name] / 2)))
        second = self._begun(name, (self.out / ".labelguard-journal.jsonl").exists())
        self._killed(name, child)
        code = self._wait(second)
        assert code in (0, 3), f"the second run: exit {code}"
        self.met["second run refused" if code == 3 else "second run after the first"] += 1

    def _links_laid_afterwards(self, name: str, child: int) -> None:
        self._killed(name, child)
        self.out.mkdir(exist_ok=True)
        (self.out / TEMPORARY).symlink_to(next(self.masks.glob("a/*.png")))

    def _a_folder_becomes_a_link(self, name: str, child: int) -> Callable[[], object]:
        time.sleep(float(self.rng.uniform(0, self.seconds[name] / 2)))
        moved = self.out.with_name("moved")
        shutil.rmtree(moved, ignore_errors=True)
        self.out.mkdir(exist_ok=True)
        if (self.out / "b").exists():
            (self.out / "b").rename(moved)
        try:
            (self.out / "b").symlink_to(self.masks / "b")
        except FileExistsError:  # the run was faster
            self.met["link came too late"] += 1
        self._killed(name, child)
        return lambda: (self.out / "b").is_symlink() and (self.out / "b").unlink()


def campaign(kills: int, seed: int, files: int) -> str:
    """Kill so many runs; gives what was met, in a line.

    Raises
    ------
    AssertionError
        When a source has changed, a file is torn, or a resumed run leaves other bytes.
    """
    place = Path(tempfile.mkdtemp(prefix="labelguard-kills-"))
    os.sync = lambda: None  # a kill loses nothing that was handed to the system, and the moments should not all fall into this
    try:
        work = Campaign(place, files, seed)
        for number in range(kills):
            work.kill_one(number)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return f"{kills} rounds held. Killed: " + ", ".join(f"{number} {what}" for what, number in work.met.most_common())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=240)
    print(campaign(**vars(parser.parse_args())))
