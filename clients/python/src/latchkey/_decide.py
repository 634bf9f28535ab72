"""Decides the state of the license from the stored state and the outcome of the last call. Pure: the time is given."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

from ._stored import StoredState, shown_facts
from ._terms import Terms
from ._times import DAY, moment, read_iso
from .license_file import LicenseFile
from .state import ClockCondition, Problem, State

# The time for which an answer counts in the process that received it, if only signed files count beyond that.
_IN_MEMORY = DAY
# The grace may exceed the expiry by this much, because an outage of the service may delay a renewal.
_LEEWAY = 3 * DAY
_NO_END = float("inf")


@dataclass(frozen=True)
class Outcome:
    """The outcome of the last call in this process. `since` is in milliseconds since 1970."""

    kind: Literal["not-asked", "good", "problem", "waiting", "released"]
    problem: Problem = Problem("not_asked", "the service was not asked yet")
    since: int = 0


@dataclass(frozen=True)
class Known:
    """Everything that decides the state, but for the time.

    `file` is the verified file, which may have expired. With `needs_file` only the file counts, not the rest of the
    stored state. `answered_at` is the time of this process's last good answer.
    """

    stored: StoredState
    file: LicenseFile | None
    needs_file: bool
    answered_at: int | None
    outcome: Outcome
    grace: float
    covers_build: bool
    terms: Terms | None
    storage_problem: str | None

    @property
    def right_until(self) -> float | None:
        """The time until which the app may run without another answer, infinite for no end; None without a right."""
        ends: list[float] = []
        if self.file is not None:
            ends.append(_NO_END if self.file.expires is None else self.file.expires * 1000)
        if self.answered_at is not None and self.needs_file:
            ends.append(self._with_leeway(self.answered_at + _IN_MEMORY))
        if self.stored.last_good_at is not None and not self.needs_file:
            ends.append(self._with_leeway(self.stored.last_good_at + self.grace))
        return max(ends, default=None)

    def _with_leeway(self, end: float) -> float:
        facts = self.stored.facts or {}
        expires = read_iso(facts.get("licenseExpiresAt"))
        if expires is None:
            return end
        return min(end, max(expires, read_iso(facts.get("graceUntil")) or expires) + _LEEWAY)


def decide(known: Known, now: int, clock: ClockCondition) -> State:
    """The state at a time. The first rule that fits decides."""
    stored, file, outcome = known.stored, known.file, known.outcome
    state = functools.partial(
        State, facts=shown_facts(stored.facts), clock=clock, storage_problem=known.storage_problem
    )
    if stored.tombstone is not None:
        return state("refused", False, why=stored.tombstone.code, since=moment(stored.tombstone.at))
    if stored.license_key is None and file is None:
        return state("unlicensed", False)
    if not known.covers_build:
        return state("refused", False, why="update_not_covered")
    until = known.right_until
    has_right = until is not None and until > now
    if outcome.kind == "good":
        return state("licensed", True, source="server", until=moment(until))
    if has_right and file is not None and file.purpose != "grace":
        return state("licensed", True, source="stored", until=moment(until))
    if outcome.kind == "waiting" or outcome.kind == "released":
        return state(outcome.kind, False)
    if has_right and outcome.kind == "not-asked":
        return state("licensed", True, source="stored", until=moment(until))
    since = outcome.since if outcome.kind == "problem" else now
    if has_right:
        return state("grace", True, until=moment(until), since=moment(since), problem=outcome.problem)
    return state("lapsed", False, since=moment(since if until is None else until), problem=outcome.problem)
