"""Uses of meters: the service counts them, and those without an answer wait in the stored state until it does."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _json
from ._calls import Called, Good, Line, Missed, NotGood
from ._record import LicenseRecord
from ._refusals import Refusal, error_of
from ._stored import StoredState, StoredUse
from ._times import moment, read_iso
from .errors import NoLicenseKey, Unreachable
from .options import Options
from .state import Consumption, Counted, Queued, RefusedUse

_MOST_UNITS = 1_000_000_000
# The refusals of a use alone. Any other one is about the license, the machine or its token.
_OF_USES = ("meter_limit", "meter_not_found", "request_id_reused", "missing_fields", "invalid_field")


@dataclass(frozen=True)
class MeteringParts:
    """The parts of metering.

    `settle` handles an answer to a license key that is not about the use. `join` makes the machine a session with the
    service. `tell_refused` tells the app of a stored use that the service refused.
    """

    options: Options
    line: Line
    record: LicenseRecord
    settle: Callable[[str, NotGood | Missed], None]
    join: Callable[[], None]
    tell_refused: Callable[[RefusedUse], None]


class Metering:
    """Counts uses. Callers run one method at a time."""

    def __init__(self, parts: MeteringParts) -> None:
        self._parts = parts
        self._record = parts.record

    def consume(self, meter: str, units: int, request_id: str | None) -> Consumption:
        """Counts a use, or stores it. Raises `Refused` and `Unreachable`; then nothing was counted or stored."""
        if _json.whole(units) is None or not 0 <= units <= _MOST_UNITS:
            raise ValueError(f"units must be a whole number from 0 to {_MOST_UNITS}")
        record = self._record
        record.load()
        if record.stored.license_key is None:
            raise NoLicenseKey("there is no license key to count units of")
        use = StoredUse(meter, int(units), request_id or secrets.token_urlsafe(16), record.now)
        # A use that has no answer may have been counted. Later ones wait behind it, so that only one is ever in doubt.
        called = self.send() or self._call(use)
        if isinstance(called, Good):
            return _counted_in(called.reply)
        if isinstance(called, NotGood):
            raise error_of(called.refusal)
        if use.units > 0 and self._store(use):
            return Queued(use.meter, use.units, use.request_id)
        raise Unreachable(called.problem)

    def send(self) -> NotGood | Missed | None:
        """Sends the stored uses in their order.

        Returns the answer that says nothing about a use; None once none is left.
        """
        record = self._record
        while record.stored.uses:
            use = record.stored.uses[0]
            called = self._call(use)
            if not isinstance(called, Good):
                if not isinstance(called, NotGood) or not _is_about_use(called):
                    return called
                refused = RefusedUse(use.meter, use.units, use.request_id, called.refusal.code)
                self._parts.tell_refused(refused)

            def without(present: StoredState, sent: str = use.request_id) -> dict[str, Any]:
                return {"uses": tuple(each for each in present.uses if each.request_id != sent)}

            record.keep_from(without)
        return None

    def _store(self, use: StoredUse) -> bool:
        """Stores a use, if the app may run and there is room."""
        record, most = self._record, self._parts.options.offline_uses

        def has(present: StoredState) -> bool:
            return any(each.request_id == use.request_id for each in present.uses)

        def added(present: StoredState) -> dict[str, Any]:
            # Another process may have stored uses since, even the last one for which there was room; the same use is
            # stored once.
            if len(present.uses) >= most or has(present):
                return {}
            return {"uses": (*present.uses, use)}

        if not record.state.may_run or (len(record.stored.uses) >= most and not has(record.stored)):
            return False
        return record.keep_from(added) and has(record.stored)

    def _call(self, use: StoredUse) -> Called:
        """Calls the service, a second time if the machine got another token meanwhile."""
        record = self._record
        if record.stored.token is None:
            self._parts.join()
        first = self._call_once(use)
        if isinstance(first, Good) or _is_about_use(first):
            return first
        license_key, token = record.stored.license_key, record.stored.token
        if license_key is None or token is None:
            return first
        self._parts.settle(license_key, first)
        is_replaced = isinstance(first, NotGood) and first.is_of_replaced_key
        if is_replaced and record.problem is not None:
            return Missed(record.problem)
        present = record.stored
        # The key that took the place of the sent one counts the same use once.
        is_same = is_replaced or present.license_key == license_key
        is_new = is_same and present.token not in (token, None)
        return self._call_once(use) if is_new else first

    def _call_once(self, use: StoredUse) -> Called:
        license_key, token = self._record.stored.license_key, self._record.stored.token
        if license_key is None or token is None:
            return self._without_token()
        fields: dict[str, str | int] = {
            "licenseKey": license_key,
            "machineFingerprint": self._record.fingerprint,
            "token": token,
            "meter": use.meter,
            "units": use.units,
            # Asking counts nothing, and needs no id.
            **({"requestId": use.request_id} if use.units > 0 else {}),
        }
        called = self._parts.line.call("/consume", fields)
        if isinstance(called, Good) or (isinstance(called, NotGood) and _is_about_use(called)):
            self._record.learn_time(called.server_time)
        return called

    def _without_token(self) -> NotGood | Missed:
        """The answer for a machine that could not join."""
        if self._record.problem is not None:
            return Missed(self._record.problem)
        return NotGood(Refusal("machine_not_activated", "Machine not activated", {}, None, None), None)


def _is_about_use(called: Called) -> bool:
    return isinstance(called, NotGood) and called.refusal.code in _OF_USES


def _counted_in(reply: dict[str, Any]) -> Counted:
    resets = moment(read_iso(reply["resetsAt"]))
    return Counted(reply["meter"], int(reply["used"]), int(reply["limit"]), _json.whole(reply["remaining"]), resets)
