"""Everything known about the license on this machine: the stored state, the verified file, and the last outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from . import _schedule
from ._clock import TrustedClock
from ._decide import Known, Outcome, decide
from ._keeper import StateKeeper
from ._signing_keys import follow_key_lists
from ._stored import EMPTY, Facts, Seat, StoredState, Tombstone
from ._terms import Terms, terms_of_facts, terms_of_file
from ._times import DAY, HOUR, MINUTE
from .errors import BadLicenseFile, NoFingerprint
from .license_file import LicenseFile, verify_license_file
from .options import Options
from .state import Problem, State


class LicenseRecord:
    """What this process knows. Callers run one method at a time."""

    def __init__(self, options: Options, keeper: StateKeeper, find_fingerprint: Callable[[], str]) -> None:
        self._options = options
        self._keeper = keeper
        self._find_fingerprint = find_fingerprint
        self._build = options.build
        self.clock = TrustedClock(options.clock)
        self.stored = EMPTY
        self.file: LicenseFile | None = None
        """The verified file, which may have expired."""
        self.outcome = Outcome("not-asked")
        self.fingerprint = ""
        """Empty before a `load` that did not raise."""
        self._fingerprint_problem: str | None = None
        # The time of this process's last good answer, and the terms in its last answer that stated them.
        self._answered_at: int | None = None
        self._answered_terms: Terms | None = None
        self._failures = 0
        self._polls = 0
        # By the monotonic clock: no call before this time, even if the user asks for one.
        self._not_before = 0

    @property
    def known(self) -> Known:
        """What decides the state, at this moment."""
        grace = self._options.grace_floating_hours * HOUR if self.is_floating else self._options.grace_days * DAY
        return Known(
            stored=self.stored,
            file=self.file,
            needs_file=self.needs_file,
            answered_at=self._answered_at,
            outcome=self.outcome,
            grace=grace,
            covers_build=self.covers_build,
            terms=self._terms,
            storage_problem=self._keeper.problem or self._fingerprint_problem,
        )

    @property
    def state(self) -> State:
        """The state at this moment."""
        now = self.now
        return decide(self.known, now, self.clock.condition(now))

    @property
    def _terms(self) -> Terms | None:
        """The terms of an answer, else of the signed file, else of the stored facts if no signed file is needed."""
        if self._answered_terms is not None:
            return self._answered_terms
        if self.file is not None:
            return terms_of_file(self.file)
        return None if self.needs_file or self.stored.facts is None else terms_of_facts(self.stored.facts)

    @property
    def covers_build(self) -> bool:
        terms = self._terms
        return terms is None or terms.covers(self._build)

    @property
    def now(self) -> int:
        """Milliseconds since 1970, by the trusted clock."""
        return self.clock.now()

    @property
    def needs_file(self) -> bool:
        """Whether only a signed file lets the app go on without the service."""
        return len(self._options.public_keys) > 0

    @property
    def problem(self) -> Problem | None:
        """The problem of the last call; None if it had an answer, and while the machine has lost its slot."""
        return self.outcome.problem if self.outcome.kind == "problem" else None

    @property
    def is_floating(self) -> bool:
        return self.stored.is_floating

    @property
    def pause(self) -> int:
        """Milliseconds until the service may be asked again."""
        return max(0, self._not_before - self._options.clock.monotonic())

    def until_check(self, heartbeat: int) -> int | None:
        """Milliseconds until the next check; None if there is nothing to check."""
        if self._fingerprint_problem is not None:
            return MINUTE
        if self.stored.license_key is None:
            return MINUTE if self._keeper.is_unread else None
        return max(self.pause, self._until_check(heartbeat, self._options.random()))

    def _until_check(self, heartbeat: int, random: float) -> int:
        kind, seat = self.outcome.kind, self.stored.seat
        is_refused = self.stored.tombstone is not None or (kind == "good" and not self.covers_build)
        if is_refused or kind == "released":
            return _schedule.until_refused_check(random)
        if kind == "not-asked":
            return 0
        if kind == "waiting":
            return _schedule.until_seat_poll(self._polls, random)
        if kind == "problem":
            return _schedule.until_retry(self._failures, self.is_floating, random)
        if not self.is_floating:
            return _schedule.until_daily_check(random)
        return _schedule.until_heartbeat(heartbeat, None if seat is None else seat.until - self.now, random)

    def load(self) -> None:
        """Reads the stored state, which another process may have changed, and verifies its file.

        Raises `NoFingerprint` without a fingerprint, as no call and no file is of use without one; the rest of the
        stored state counts nevertheless.
        """
        was_named = self.fingerprint != ""
        failure = None if was_named else self._name()
        before = self.stored
        self._adopt(self._keeper.read())
        self.clock.restore(self.stored.times)
        if self.stored.lacks_times:
            # Only in this case, as these moments may come from a clock that was ahead and has been corrected.
            self.clock.at_least(self.stored.latest)
            self.clock.at_least(self._keeper.written_at())
        is_new = self.clock.look()
        if not was_named or self.stored.file != before.file:
            self._read_file()
        if is_new and (self.stored.license_key is not None or self.file is not None):
            self.keep()
        if failure is not None:
            raise failure

    def load_if_changed(self) -> None:
        """The same if another process has changed the stored state."""
        if self._keeper.is_changed():
            self.load()

    def _name(self) -> NoFingerprint | None:
        """Finds the fingerprint. Returns the error without one."""
        try:
            found = self._find_fingerprint()
            if not found:
                raise ValueError("it is empty")
        except Exception as error:
            self._fingerprint_problem = f"cannot find the fingerprint: {error}"
            return NoFingerprint(self._fingerprint_problem)
        self.fingerprint, self._fingerprint_problem = found, None
        return None

    def _read_file(self) -> None:
        self.file = None
        if self.stored.file is None or not self.fingerprint:
            return
        try:
            self.file = self.verify(self.stored.file)
        except BadLicenseFile:
            # It counts for nothing, and stays stored.
            return
        self.clock.at_least(self.file.issued * 1000)

    def verify(self, text: str, now: int | None = None, key_lists: Sequence[str] | None = None) -> LicenseFile:
        """The content of a license file for this machine. Without `now`, an expired file passes."""
        keys, _ = self._follow(self.stored.key_lists if key_lists is None else key_lists)
        issuer, product_id = self._options.issuer or "", self._options.product_id
        return verify_license_file(text, keys, issuer, product_id, self.fingerprint, now)

    def useful_key_lists(self, key_lists: Sequence[str]) -> tuple[str, ...]:
        """The signed lists that lead to signing keys which are not compiled into the app."""
        return tuple(self._follow(key_lists)[1])

    def _follow(self, key_lists: Sequence[str]) -> Any:
        options = self._options
        return follow_key_lists(options.public_keys, options.issuer or "", key_lists, options.stolen_keys)

    def keep(self, **changes: Any) -> bool:
        """Stores changed fields. Returns False if another process has stored another license, which stays then."""
        return self.keep_from(lambda _: changes)

    def keep_from(self, changes_of: Callable[[StoredState], dict[str, Any]]) -> bool:
        """The same with fields that depend on the present state, which another process may have changed."""
        license_key, times = self.stored.license_key, self.clock.times

        def changed(present: StoredState) -> StoredState | None:
            if present.license_key != license_key:
                return None
            return replace(present, times=times, **changes_of(present))

        self._take_over(self._keeper.update(changed))
        return self.stored.license_key == license_key

    def replace(self, state: StoredState) -> None:
        """Replaces the stored state."""
        self._forget_license()
        timed = EMPTY if state == EMPTY else replace(state, times=self.clock.times)
        self._take_over(self._keeper.update(lambda _: timed))

    def _take_over(self, state: StoredState) -> None:
        file = self.stored.file
        self._adopt(state)
        if state.file != file:
            self._read_file()

    def _adopt(self, state: StoredState) -> None:
        # Answers about one license say nothing of another.
        if state.license_key != self.stored.license_key:
            self._forget_license()
        self.stored = state

    def _forget_license(self) -> None:
        self._forget_outcome()
        self._answered_terms = None

    def _forget_outcome(self) -> None:
        self._begin(Outcome("not-asked"))
        self._polls = 0

    def _begin(self, outcome: Outcome) -> None:
        """Begins an outcome, without the failures before it."""
        self.outcome = outcome
        self._answered_at = None
        self._failures = 0
        self._not_before = 0

    def learn_time(self, server_time: int | None) -> None:
        if server_time is not None:
            self.clock.learn(server_time)

    def accept(self, facts: Facts, server_time: int | None, seat_ends: int | None, **changes: Any) -> None:
        """The service accepted the license. `seat_ends` is by the clock of the service."""
        self.learn_time(server_time)
        self._forget_outcome()
        self._answered_terms = terms_of_facts(facts)
        now = self.now
        passed = now - (now if server_time is None else server_time)
        self.outcome = Outcome("good")
        self._answered_at = now
        seat = None if seat_ends is None else Seat(until=seat_ends + passed, beat_at=now)
        self.keep(facts=facts, last_good_at=now, tombstone=None, seat=seat, **changes)

    def refuse(self, code: str) -> None:
        """The service refused the license: nothing licenses the app until the service accepts it again."""
        self._withdraw(Outcome("not-asked"), file=None, tombstone=Tombstone(code, self.now))

    def leave_uncovered(self, coverage: Facts) -> bool:
        """The license does not cover this build. Older builds of this machine run on, so nothing else is stored.

        Returns False if the coverage covers the build, which contradicts the refusal.
        """
        facts = self.stored.facts
        terms = terms_of_facts({"features": None, **coverage})
        if facts is None or terms.covers(self._build):
            return False
        if self.keep(facts={**facts, **coverage}):
            self._begin(Outcome("good"))
            self._answered_terms = terms
        return True

    @property
    def lost_slot(self) -> Outcome:
        """Without a free slot, no seat of a floating license is free, or the machine has no slot any more."""
        return Outcome("waiting" if self.is_floating else "released")

    def lose(self, outcome: Outcome) -> None:
        """No seat is free, or the machine has no slot any more."""
        self._polls += 1
        # An operator's file is for a machine without a network, and stays valid.
        file = self.stored.file if self.file is not None and self.file.purpose != "grace" else None
        self._withdraw(outcome, file=file)

    def _withdraw(self, outcome: Outcome, **changes: Any) -> None:
        if self.keep(last_good_at=None, seat=None, **changes):
            self._begin(outcome)

    def miss(self, problem: Problem, retry_after: int | None = None) -> None:
        """There was no answer, or an inconclusive one."""
        self._failures += 1
        self._not_before = self._options.clock.monotonic() + (retry_after or 0)
        # Disconnecting does not restore a lost seat.
        if self.outcome.kind in ("waiting", "released"):
            return
        if self.outcome.kind == "problem":
            since = self.outcome.since
        else:
            known = (self._answered_at, self.stored.last_good_at, self.now)
            since = next(time for time in known if time is not None)
        self.outcome = Outcome("problem", problem, since)
