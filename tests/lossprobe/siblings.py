"""Lets the files of the worker import each other within this process, as they do in their own."""

from __future__ import annotations

import sys

from labelguard.lossprobe.supervisor.launcher import ADAPTERS
from labelguard.lossprobe.worker.__main__ import Siblings

sys.meta_path += [Siblings(str(ADAPTERS.parent)), Siblings(str(ADAPTERS))]
