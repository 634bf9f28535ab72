"""The state between starts: one JSON text, which the clients of all languages share.

docs/apps/client-behaviour.md describes it in section 2. Nothing in it is trusted without a check, because anything may
have changed it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, cast

from . import _json, _times
from ._clock import KnownTimes, Moment
from .state import FeatureValue, LicenseFacts

# The facts as they are stored, with the names of the file.
Facts = Mapping[str, Any]

MAX_TEXT = 262_144
MOST_USES = 500
_LAST_DATE = 8.64e15

NO_FACTS: Facts = {
    "licenseKeyHint": "",
    "productId": "",
    **dict.fromkeys(("variant", "licenseType", "licenseExpiresAt", "daysRemaining", "machinesUsed", "maxMachines")),
    **dict.fromkeys(("graceUntil", "updatesUntil", "maxVersion", "features")),
}


@dataclass(frozen=True)
class Tombstone:
    """A refusal that stays in force without a connection."""

    code: str
    at: int


@dataclass(frozen=True)
class Seat:
    """The end of a floating seat without another heartbeat, and the time of the last one."""

    until: int
    beat_at: int


@dataclass(frozen=True)
class StoredUse:
    """A use of a meter that waits for an answer. The service counts a `request_id` once."""

    meter: str
    units: int
    request_id: str
    at: int


@dataclass(frozen=True)
class StoredState:
    """Times are milliseconds since 1970. `activated_at` is the time of the last automatic call of /activate."""

    license_key: str | None = None
    token: str | None = None
    facts: Facts | None = None
    file: str | None = None
    key_lists: tuple[str, ...] = ()
    last_good_at: int | None = None
    tombstone: Tombstone | None = None
    seat: Seat | None = None
    activated_at: int | None = None
    times: KnownTimes = KnownTimes()
    uses: tuple[StoredUse, ...] = ()

    @property
    def is_floating(self) -> bool:
        return self.facts is not None and self.facts["licenseType"] == "floating"

    @property
    def lacks_times(self) -> bool:
        """Whether somebody removed the times, so that only the machine's clock would count."""
        return (self.license_key is not None or self.file is not None) and self.times == KnownTimes()

    @property
    def latest(self) -> int | None:
        """The newest moment apart from the times; None without any."""
        refused_at = None if self.tombstone is None else self.tombstone.at
        beat_at = None if self.seat is None else self.seat.beat_at
        moments = (self.last_good_at, refused_at, beat_at, self.activated_at)
        return max((at for at in moments if at is not None), default=None)


EMPTY = StoredState()


def write_state(state: StoredState) -> str:
    """The text of a state."""

    def moment(known: Moment | None) -> dict[str, int] | None:
        return None if known is None else {"time": known.time, "local": known.local}

    uses = [{"meter": use.meter, "units": use.units, "requestId": use.request_id, "at": use.at} for use in state.uses]
    tombstone, seat, times = state.tombstone, state.seat, state.times
    return _json.write(
        {
            "v": 1,
            "licenseKey": state.license_key,
            "token": state.token,
            "facts": None if state.facts is None else {**NO_FACTS, **state.facts},
            "file": state.file,
            "keyLists": state.key_lists,
            "lastGoodAt": state.last_good_at,
            "tombstone": None if tombstone is None else {"code": tombstone.code, "at": tombstone.at},
            "seat": None if seat is None else {"until": seat.until, "beatAt": seat.beat_at},
            "activatedAt": state.activated_at,
            "times": {
                "trusted": moment(times.trusted),
                "confirmed": moment(times.confirmed),
                "seen": moment(times.seen),
            },
            **({"uses": uses} if uses else {}),
        }
    )


class _UnsoundError(Exception):
    """A field has another type than it must have."""


Test = Callable[[object], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: object) -> bool:
    number = _json.whole(value)
    return number is not None and number >= 0


def _is_time(value: object) -> bool:
    return _is_number(value) and abs(cast(float, value)) <= _LAST_DATE


def _is_iso(value: object) -> bool:
    return _times.read_iso(value) is not None


def is_feature(value: object) -> bool:
    """Whether a value is a feature: a right, a number or a text."""
    return isinstance(value, (bool, str)) or _is_number(value)


def _are_features(value: object) -> bool:
    return isinstance(value, dict) and all(is_feature(each) for each in value.values())


_FACTS: Mapping[str, Test] = {
    "variant": _is_text,
    "licenseType": _is_text,
    "licenseExpiresAt": _is_iso,
    "daysRemaining": _is_number,
    "machinesUsed": _is_number,
    "maxMachines": _is_number,
    "graceUntil": _is_iso,
    "updatesUntil": _is_iso,
    "maxVersion": _is_text,
    "features": _are_features,
}
# Earlier clients do not store these.
_LATER = ("graceUntil", "updatesUntil", "maxVersion", "features")


def read_state(text: str) -> StoredState | None:
    """The state of a text; None if it is none, as after a failure of the disk."""
    fields = _json.parse_object(text) if len(text) <= MAX_TEXT else None
    if fields is None or _json.whole(fields.get("v")) != 1:
        return None

    def take(fields: Mapping[str, Any], name: str, test: Test) -> Any:
        value = fields.get(name, _UnsoundError)
        if value is not None and not test(value):
            raise _UnsoundError
        return value

    def time(fields: Mapping[str, Any], name: str) -> int | None:
        value = take(fields, name, _is_time)
        return None if value is None else int(value)

    def group(fields: Mapping[str, Any], name: str, tests: Mapping[str, Test]) -> Mapping[str, Any] | None:
        value: Mapping[str, Any] | None = take(fields, name, _is_object)
        if value is not None and not all(test(value.get(each)) for each, test in tests.items()):
            raise _UnsoundError
        return value

    def moment(fields: Mapping[str, Any], name: str) -> Moment | None:
        found = group(fields, name, {"time": _is_time, "local": _is_time})
        return None if found is None else Moment(int(found["time"]), int(found["local"]))

    def facts() -> Facts | None:
        found = group(fields, "facts", {"licenseKeyHint": _is_text, "productId": _is_text})
        if found is None:
            return None
        for name, test in _FACTS.items():
            if name not in _LATER or name in found:
                take(found, name, test)
        return {name: found.get(name) for name in NO_FACTS}

    def use(fields: object) -> StoredUse:
        tests = {"meter": _is_text, "units": _is_count, "requestId": _is_text, "at": _is_time}
        found = group({"use": fields}, "use", tests)
        if found is None:
            raise _UnsoundError
        return StoredUse(found["meter"], int(found["units"]), found["requestId"], int(found["at"]))

    try:
        tombstone = group(fields, "tombstone", {"code": _is_text, "at": _is_time})
        seat = group(fields, "seat", {"until": _is_time, "beatAt": _is_time})
        key_lists, times, uses = fields.get("keyLists"), fields.get("times"), fields.get("uses", [])
        if not isinstance(key_lists, list) or not all(map(_is_text, key_lists)) or not isinstance(times, dict):
            return None
        if not isinstance(uses, list) or len(uses) > MOST_USES:
            return None
        return StoredState(
            license_key=take(fields, "licenseKey", _is_text),
            token=take(fields, "token", _is_text),
            facts=facts(),
            file=take(fields, "file", _is_text),
            key_lists=tuple(key_lists),
            last_good_at=time(fields, "lastGoodAt"),
            tombstone=None if tombstone is None else Tombstone(tombstone["code"], int(tombstone["at"])),
            seat=None if seat is None else Seat(int(seat["until"]), int(seat["beatAt"])),
            activated_at=time(fields, "activatedAt"),
            times=KnownTimes(moment(times, "trusted"), moment(times, "confirmed"), moment(times, "seen")),
            uses=tuple(map(use, uses)),
        )
    except _UnsoundError:
        return None


def shown_facts(facts: Facts | None) -> LicenseFacts | None:
    """The facts as apps read them."""
    if facts is None:
        return None

    def number(name: str) -> int | None:
        return None if facts[name] is None else int(facts[name])

    features: Mapping[str, FeatureValue] | None = facts["features"]
    return LicenseFacts(
        license_key_hint=facts["licenseKeyHint"],
        product_id=facts["productId"],
        variant=facts["variant"],
        license_type=facts["licenseType"],
        license_expires_at=_times.moment(_times.read_iso(facts["licenseExpiresAt"])),
        days_remaining=number("daysRemaining"),
        machines_used=number("machinesUsed"),
        max_machines=number("maxMachines"),
        grace_until=_times.moment(_times.read_iso(facts["graceUntil"])),
        updates_until=_times.moment(_times.read_iso(facts["updatesUntil"])),
        max_version=facts["maxVersion"],
        features=features,
    )
