"""Puts batches through the user's loss, and says what is under way before each step."""

import os
import sys
from faulthandler import cancel_dump_traceback_later, dump_traceback_later
from faulthandler import enable as enable_fault_handler
from functools import partial
from os import _exit
from time import perf_counter

import numpy as np
from labelguard_calling import parameters_of
from labelguard_channel import Channel
from labelguard_failures import failure
from labelguard_importing import build, load, module_from
from labelguard_job import Job
from labelguard_skipping import skipping

_BEYOND_RECOVERY = 17


class Worker:
    """Answers messages until there are none."""

    def __init__(self, channel, siblings):
        self.channel, self._siblings = channel, siblings

    def start(self, init):
        """Import framework, loss and network; whether that succeeded."""
        sys.path[:0] = init["sys_path"]
        dump_traceback_later(init["limit"] * 0.9, file=self.channel.errors)
        doing = "framework"
        try:
            sys.meta_path.append(self._siblings(os.path.dirname(init["adapter"])))
            self.adapter = module_from(init["adapter"], "labelguard_adapter").Adapter(init)
            parts = {}
            for doing in ("loss", "model"):
                wanted = init.get(doing)
                arguments = {key: self.adapter.argument(key, value) for key, value in (wanted or {}).get("arguments", {}).items()}
                if wanted:
                    sys.argv[:] = [wanted["path"].rpartition(":")[0]]  # what reads the command line then complains in its name
                found = load(wanted["path"]) if wanted else None
                parts[doing] = build(found, arguments) if wanted else None
                if doing == "loss":
                    is_itself = parts[doing] is found or isinstance(parts[doing], partial)
                    skips = skipping(found, parts[doing])
            self.adapter.use(*parts.values())
        except BaseException as error:
            self.channel.send("fatal", what=doing, **failure(error))
            return False
        cancel_dump_traceback_later()
        self.channel.send("handshake", pid=os.getpid(), python=".".join(map(str, sys.version_info[:3])), numpy=np.__version__,
                          names=[name for name in self.adapter.names if name], parameters=parameters_of(parts["loss"]),
                          is_itself=is_itself, skipping=skips, **self.adapter.description)
        return True

    def run(self, header, payload):
        """Answer one `run`."""
        job = Job(header, payload)
        for regime in header["regimes"]:
            job.regime = regime
            dump_traceback_later(header["limit"] * 0.9, file=self.channel.errors)
            began, under_way = perf_counter(), [""]

            def phase(name, regime=regime, under_way=under_way):
                under_way[0] = name
                self.channel.send("phase", regime=regime, phase=name)

            try:
                result = (self.adapter.explain if header.get("explain") else self.adapter.step)(job, phase)
            except BaseException as error:
                result = failure(error, self.adapter)
            cancel_dump_traceback_later()
            self.channel.send("step", regime=regime, phase=under_way[0], seconds=perf_counter() - began, **result)
            if result["status"] == "assert":
                _exit(_BEYOND_RECOVERY)  # the device is lost to this process, and destructors would hang or abort
            if result["status"] != "ok":
                break
        self.channel.send("done")


def work(siblings):
    """Work until the supervisor hangs up; `siblings` finds the files of an adapter's folder."""
    channel = Channel()
    enable_fault_handler(channel.errors)
    worker = Worker(channel, siblings)
    if not worker.start(channel.begin()):
        return
    while True:
        message = channel.receive()
        if message is None:
            return
        worker.run(*message)
