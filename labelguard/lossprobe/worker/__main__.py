"""The process that may die: this folder, run by any interpreter from Python 3.8 on.

It stands alone: it needs the standard library, numpy and one framework, and imports nothing of labelguard. Its files import each other as
``labelguard_<name>``, so that no module of the user's is hidden by one of them. What differs between frameworks is in the file that
`adapter` in the first message names; CONTRIBUTING.md says what that file has to do.
"""

import importlib.util
import os
import sys


class Siblings:
    """Lets files import the others of their folder: ``labelguard_arrays`` is ``arrays.py``."""

    PREFIX = "labelguard_"

    def __init__(self, folder):
        self._folder = folder

    def find_spec(self, name, _path=None, _target=None):
        """The spec of such a file; None for any other module."""
        if not name.startswith(self.PREFIX):
            return None
        file = os.path.join(self._folder, name[len(self.PREFIX):] + ".py")
        return importlib.util.spec_from_file_location(name, file) if os.path.exists(file) else None


def main():
    """Split off the keeper, and work until the supervisor hangs up."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != here]  # its names are not the user's
    sys.meta_path.append(Siblings(here))
    from labelguard_keeper import split
    split()  # before numpy, which starts threads
    from labelguard_worker import work
    work(Siblings)


if __name__ == "__main__":
    main()
