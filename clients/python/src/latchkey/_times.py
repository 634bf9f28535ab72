"""Times: milliseconds since 1970 in UTC, and their texts."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

# The years 0 to 9999, the only ones that texts have; `datetime` begins with the year 1.
_EARLIEST = -62_167_219_200_000
_YEAR_ONE = -62_135_596_800_000
_LATEST = 253_402_300_799_999
_ORDINAL_OF_1970 = 719_163
_DAYS_OF_400_YEARS = 146_097
_1970 = datetime(1970, 1, 1, tzinfo=timezone.utc)

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d)))?", re.ASCII
)
_HTTP_DATE = re.compile(r"\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT", re.ASCII)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _time_of(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int | None:
    if hour > 24 or minute > 59 or second > 59 or (hour == 24 and minute + second > 0):
        return None
    shift = 1 if year == 0 else 0
    try:
        ordinal = date(year + 400 * shift, month, day).toordinal()
    except ValueError:
        return None
    days = ordinal - _ORDINAL_OF_1970 - _DAYS_OF_400_YEARS * shift
    return ((days * 24 + hour) * 60 + minute) * MINUTE + second * SECOND


def read_iso(text: object) -> int | None:
    """The time of a text in ISO 8601, or of a day, which begins at midnight in UTC; None for anything else."""
    found = _ISO.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    fields = [int(field or 0) for field in found.group(1, 2, 3, 4, 5, 6)]
    time = _time_of(*fields)
    if time is None:
        return None
    fraction, sign, zone_hour, zone_minute = found.group(7, 8, 9, 10)
    zone = 0 if sign is None else (int(zone_hour) * 60 + int(zone_minute)) * MINUTE
    return time + int((fraction or "0")[:3].ljust(3, "0")) + (zone if sign == "-" else -zone)


def read_http_date(text: str | None) -> int | None:
    """The time of a `Date` header; None for any other text."""
    found = _HTTP_DATE.fullmatch(text or "")
    if found is None or found[2] not in _MONTHS:
        return None
    day, year, hour, minute, second = (int(field) for field in found.group(1, 3, 4, 5, 6))
    return _time_of(year, _MONTHS.index(found[2]) + 1, day, hour, minute, second)


def iso(time: int) -> str:
    """ISO 8601 with milliseconds, held to the years 0 to 9999."""
    days, rest = divmod(max(_EARLIEST, min(time, _LATEST)), DAY)
    shift = 1 if time < _YEAR_ONE else 0
    day = date.fromordinal(days + _ORDINAL_OF_1970 + _DAYS_OF_400_YEARS * shift)
    hour, minute, second = rest // HOUR, rest // MINUTE % 60, rest // SECOND % 60
    text = f"{day.year - 400 * shift:04}-{day.month:02}-{day.day:02}T{hour:02}:{minute:02}:{second:02}"
    return f"{text}.{rest % SECOND:03}Z"


def moment(time: float | None) -> datetime | None:
    """The time as apps read it. None, and a time without end, are None."""
    if time is None or time == float("inf"):
        return None
    return _1970 + timedelta(milliseconds=int(max(_YEAR_ONE, min(time, _LATEST))))
