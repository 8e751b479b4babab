"""Oracle: does this batch fail as the first one did? Asked many times, and counted."""

from __future__ import annotations

from labelguard.lossprobe.supervisor.outcome import Labels, Outcome, Runner


class BudgetSpentError(Exception):
    """No run, or no worker, is left."""


class Oracle:
    """Runs batches under the regime that failed.

    Parameters
    ----------
    run
        The loss.
    first
        The failure to look for.
    most_runs, most_deaths
        How many runs may be made, and how many of them may cost a worker.

    Attributes
    ----------
    runs, deaths
        How many were made, and how many cost a worker.
    latest
        The outcome of the last batch.
    """

    def __init__(self, run: Runner, first: Outcome, most_runs: int, most_deaths: int) -> None:
        self.first = self.latest = first
        self.runs = self.deaths = 0
        self._run, self._most_runs, self._most_deaths = run, most_runs, most_deaths

    @property
    def costly(self) -> bool:
        """Whether each failure costs a worker."""
        return self.first.died

    def fails(self, labels: Labels) -> bool:
        """Whether a batch fails in the same way as the first one.

        Raises
        ------
        BudgetSpentError
            When the budget is used up.
        """
        if self.runs >= self._most_runs or self.deaths >= self._most_deaths:
            raise BudgetSpentError
        self.runs += 1
        self.latest = self._run(labels, (self.first.last.regime,))
        self.deaths += self.latest.died
        return self.first.same_failure(self.latest)

    def repeat(self, labels: Labels, times: int) -> int:
        """How many of several runs fail in the same way."""
        return sum(self.fails(labels) for _ in range(times))
