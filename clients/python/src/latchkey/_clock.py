"""The present time.

The clock of the machine may be wrong by years (an empty battery), set back to extend a grace, or corrected after it was
wrong. Therefore the time counts from known moments, plus the progress of the machine's clock since then.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from typing import Protocol

from ._times import DAY, HOUR
from .state import ClockCondition


class Clock(Protocol):
    """The clocks of the machine, in whole milliseconds. Replaced in tests."""

    counts_sleep: bool
    """Whether `monotonic` goes on while the machine sleeps."""

    def now(self) -> int:
        """Milliseconds since 1970, by the machine's clock."""

    def monotonic(self) -> int:
        """Milliseconds since any moment; never goes back."""


class SystemClock:
    """The clocks of the system."""

    counts_sleep = True

    def now(self) -> int:
        return time.time_ns() // 1_000_000

    if sys.platform == "win32":

        def monotonic(self) -> int:
            import ctypes

            ticks = ctypes.windll.kernel32.GetTickCount64
            ticks.restype = ctypes.c_uint64
            return int(ticks())

    else:
        # Elsewhere than on Linux, this clock of the system goes on while the machine sleeps.
        _id = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

        def monotonic(self) -> int:
            return time.clock_gettime_ns(self._id) // 1_000_000


@dataclass(frozen=True)
class Moment:
    """A known time, and the clock of the machine at it."""

    time: int
    local: int


@dataclass(frozen=True)
class KnownTimes:
    """The newest time of the service, a later one that two readings prove, and the last reading."""

    trusted: Moment | None = None
    confirmed: Moment | None = None
    seen: Moment | None = None


@dataclass(frozen=True)
class Reckoning:
    """What a process knows of the time. `anchor` is a moment of its own, by its monotonic clock."""

    times: KnownTimes = KnownTimes()
    anchor: Moment | None = None


def _counted_from(moment: Moment, local: int) -> int:
    passed = local - moment.local
    # If the clock was set back, by hand or because it had been ahead, the elapsed time is unknown.
    return moment.time + passed if passed >= 0 else max(moment.time, local)


def _time_by(times: KnownTimes, local: int) -> int:
    """The time by all known moments; the machine's clock without any."""
    known = [moment for moment in (times.trusted, times.confirmed) if moment is not None]
    return max((_counted_from(moment, local) for moment in known), default=local)


def _is_later(moment: Moment | None, than: Moment | None) -> bool:
    return moment is not None and (than is None or moment.time > than.time)


class TrustedClock:
    """The present time in a running process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.reckoning = Reckoning()

    @property
    def times(self) -> KnownTimes:
        """The times to store."""
        return self.reckoning.times

    def now(self, reckoning: Reckoning | None = None) -> int:
        """Milliseconds since 1970, by an earlier reckoning if there is one."""
        known = reckoning or self.reckoning
        local = self._clock.now()
        if known.anchor is None:
            return _time_by(known.times, local)
        counted = known.anchor.time + self._clock.monotonic() - known.anchor.local
        return counted if self._clock.counts_sleep else max(counted, _time_by(known.times, local))

    def condition(self, now: int) -> ClockCondition:
        """The machine's clock compared with the time."""
        ahead = self._clock.now() - now
        if abs(ahead) <= DAY:
            return "right"
        return "ahead" if ahead > 0 else "behind"

    def restore(self, times: KnownTimes) -> None:
        """Restores the stored times. Later calls take over only later times, which another process learned."""
        time_by_stored = _time_by(times, self._clock.now())
        if self.reckoning.anchor is None:
            self._know(times, time_by_stored)
            return
        is_newer = _is_later(times.trusted, self.times.trusted)
        if not is_newer and not _is_later(times.confirmed, self.times.confirmed):
            return
        if is_newer or time_by_stored > self.now():
            self._know(times, time_by_stored)
        else:
            self.reckoning = replace(self.reckoning, times=times)

    def learn(self, server_time: int) -> None:
        """Learns the time from the service, which replaces all earlier knowledge."""
        self._know(KnownTimes(trusted=Moment(server_time, self._clock.now())), server_time)

    def at_least(self, known_time: int | None) -> None:
        """A genuine text was made at this time, so the present time is not earlier."""
        if known_time is not None and known_time > self.now():
            self.learn(known_time)

    def look(self) -> bool:
        """Reads the clock of the machine. Returns whether there is something new to store.

        One reading proves nothing: a machine without a battery may start in any year. Of two readings an hour apart,
        the earlier one becomes a lower bound for the time, until the service tells a better one.
        """
        times, reading = self.times, Moment(self.now(), self._clock.now())
        if times.seen is None or reading.time < times.seen.time:
            times = replace(times, seen=reading)
        elif reading.time - times.seen.time >= HOUR:
            times = replace(times, confirmed=times.seen, seen=reading)
        else:
            return False
        self.reckoning = replace(self.reckoning, times=times)
        return True

    def _know(self, times: KnownTimes, present: int) -> None:
        self.reckoning = Reckoning(times, Moment(present, self._clock.monotonic()))
