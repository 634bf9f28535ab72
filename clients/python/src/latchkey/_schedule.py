"""The times of the next requests, in milliseconds. `random` is from 0 up to 1 and spreads the requests of many apps."""

from __future__ import annotations

from ._times import HOUR, MINUTE, SECOND


def until_daily_check(random: float) -> int:
    """The next check of a license without seats: a day, plus or minus two hours."""
    return int(22 * HOUR + random * 4 * HOUR)


def until_refused_check(random: float) -> int:
    """The next check of a refused license, which may be renewed or reinstated."""
    return _spread(HOUR, random)


def until_heartbeat(heartbeat: int, seat: int | None, random: float) -> int:
    """The next heartbeat. `seat` is the time for which the seat is held without one; None if it is not known."""
    third = heartbeat if seat is None else seat / 3
    return _spread(max(SECOND, min(heartbeat, third)), random)


def until_retry(failures: int, has_seat: bool, random: float) -> int:
    """The next attempt after so many failures in a row."""
    longest = MINUTE if has_seat else HOUR
    return _upper_half(min(longest, 5 * SECOND * 2 ** min(failures - 1, 20)), random)


def until_seat_poll(polls: int, random: float) -> int:
    """The next request for a free seat after so many answers without one."""
    return _upper_half(min(5 * MINUTE, MINUTE * 2 ** min(polls - 1, 20)), random)


def _upper_half(step: int, random: float) -> int:
    return int(step / 2 + random * step / 2)


def _spread(milliseconds: float, random: float) -> int:
    """Plus or minus a tenth."""
    return int(milliseconds * (0.9 + random * 0.2))
