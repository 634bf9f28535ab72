"""The calls to the service, and the consequences of its answers. Callers run one method at a time."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from . import _schedule
from ._calls import Called, Good, Line, Missed, NotGood
from ._decide import Outcome
from ._facts import (
    Reply,
    coverage_in,
    facts_after_activation,
    facts_after_check,
    facts_after_heartbeat,
    facts_of_file,
    facts_of_key,
    hint_of,
    is_key_of_file,
)
from ._metering import Metering, MeteringParts
from ._record import LicenseRecord
from ._refusals import Refusal, error_of
from ._renewal import FileRenewal
from ._stored import EMPTY, Facts, Seat
from ._times import DAY, HOUR, MINUTE, SECOND, read_iso
from .errors import BadLicenseFile, NoLicenseKey, Unreachable
from .options import Options
from .state import Problem, RefusedUse

# Sent for a computer without a name, because the service needs one.
_NAMELESS = "Unnamed computer"
# Pools up to this size give their seats back when the app closes.
_SMALL_POOL = 10
# A machine activates by itself at most so often, because all machines of a license share 15 activations an hour.
_ACTIVATION_PAUSE = HOUR
# An app that is restarted within this time keeps its seat.
_RELEASE_PAUSE = 10 * MINUTE


class Session:
    """What the client does with the service."""

    def __init__(
        self, options: Options, line: Line, record: LicenseRecord, tell_refused: Callable[[RefusedUse], None]
    ) -> None:
        self._options = options
        self._line = line
        self._record = record
        self._renewal = FileRenewal(options, line, record)
        self.metering = Metering(
            MeteringParts(options, line, record, self._not_good, lambda: self._ask(True), tell_refused)
        )
        self._heartbeat = int(options.heartbeat * SECOND)
        # By the monotonic clock.
        self._full_check_due = 0

    @property
    def until_check(self) -> int | None:
        """Milliseconds until the next check; None if there is nothing to check."""
        return self._record.until_check(self._heartbeat)

    def check(self, is_asked_for: bool) -> None:
        """Checks the license. Raises `NoFingerprint` alone."""
        self._ask(is_asked_for)
        if self._record.outcome.kind == "good":
            self.metering.send()

    def _ask(self, is_asked_for: bool) -> None:
        record = self._record
        record.load()
        license_key, token = record.stored.license_key, record.stored.token
        if license_key is None:
            return
        if token is None:
            self._join(license_key)
            return
        is_good = record.outcome.kind == "good" and record.covers_build
        is_full_check_due = self._options.clock.monotonic() >= self._full_check_due
        if not is_asked_for and record.is_floating and is_good and not is_full_check_due:
            self._beat(license_key, token)
        else:
            self._validate(license_key, token)
        self._renewal.renew()

    def _checked_fully(self) -> None:
        until = _schedule.until_daily_check(self._options.random())
        self._full_check_due = self._options.clock.monotonic() + until

    def _beat(self, license_key: str, token: str) -> None:
        record, seat = self._record, self._record.stored.seat
        # Another process of this machine has renewed the shared seat.
        if seat is not None and record.now - seat.beat_at < self._beat_interval(seat) / 2:
            return
        called = self._call("/heartbeat", license_key, token)
        if not isinstance(called, Good):
            self._not_good(license_key, called)
            return
        facts = facts_after_heartbeat(self._facts_before(license_key), called.reply)
        record.accept(facts, called.server_time, _seat_end(called.reply))

    def _beat_interval(self, seat: Seat) -> float:
        return min(self._heartbeat, (seat.until - seat.beat_at) / 3)

    def _validate(self, license_key: str, token: str) -> None:
        called = self._call("/validate", license_key, token, acceptsReplacement=True, **self._build)
        if isinstance(called, NotGood) and called.is_of_replaced_key:
            self._refused(called)
            return
        if not isinstance(called, Good):
            self._not_good(license_key, called)
            return
        self._checked_fully()
        reply = called.reply
        if "licenseKey" in reply and "sessionToken" in reply:
            former, license_key, token = license_key, reply["licenseKey"], reply["sessionToken"]
            if not self._move(former, license_key, token):
                return
        else:
            token = reply.get("newToken", token)
        facts = facts_after_check(self._facts_before(license_key), reply)
        self._record.accept(facts, called.server_time, _seat_end(reply), token=token)

    def _move(self, former: str, license_key: str, token: str) -> bool:
        """Stores the key that took the place of the stored one. Returns False if another process has stored a third."""
        facts = {**self._facts_before(former), "licenseKeyHint": hint_of(license_key)}
        self._record.keep(license_key=license_key, token=token, facts=facts)
        return self._record.stored.license_key == license_key

    def _facts_before(self, license_key: str) -> Facts:
        return self._record.stored.facts or facts_of_key(license_key, self._options.product_id)

    @property
    def _build(self) -> dict[str, str]:
        """The fields that name this build."""
        fields = {"buildDate": self._options.build_date, "version": self._options.version}
        return {name: value for name, value in fields.items() if value is not None}

    @property
    def hostname(self) -> str:
        given = platform.node() if self._options.hostname is None else self._options.hostname
        return given if given.strip() else _NAMELESS

    @property
    def _machine(self) -> dict[str, str]:
        """The fields that name the machine, the product and the build."""
        return {
            "machineFingerprint": self._record.fingerprint,
            "hostname": self.hostname,
            "productId": self._options.product_id,
            **self._build,
        }

    @property
    def _user(self) -> dict[str, str]:
        """The field that names the person who uses the app, if it is known."""
        given = self._options.user
        user = given() if callable(given) else given
        return {} if user is None else {"user": user}

    def _call(self, endpoint: str, license_key: str, token: str, **more: str | bool) -> Called:
        fields = {"licenseKey": license_key, "token": token, "machineFingerprint": self._record.fingerprint}
        return self._line.call(endpoint, {**fields, **more})

    def _call_activate(self, license_key: str) -> Called:
        return self._line.call("/activate", {"licenseKey": license_key, **self._machine, **self._user})

    def _call_verify(self, license_key: str) -> Called:
        return self._line.call("/verify", {"licenseKey": license_key, "productId": self._options.product_id})

    def _not_good(self, license_key: str, called: NotGood | Missed) -> None:
        """Handles an answer to a check that is not good."""
        token = self._record.stored.token
        if isinstance(called, Missed):
            self._record.miss(called.problem, called.retry_after)
        elif called.is_of_replaced_key and token is not None:
            self._validate(license_key, token)
        elif called.refusal.code == "machine_not_activated":
            self._rejoin(license_key, "slot")
        elif called.refusal.code in ("invalid_token", "token_mismatch"):
            self._rejoin(license_key, "token")
        else:
            self._refused(called)

    def _rejoin(self, license_key: str, lost: Literal["slot", "token"]) -> None:
        """The machine has lost its slot, its seat or its token, so it activates again, within the limit."""
        record = self._record
        activated_at = record.stored.activated_at
        may_ask = lost == "token" or record.is_floating or self._options.reactivate != "ask"
        is_soon = activated_at is not None and abs(record.now - activated_at) < _ACTIVATION_PAUSE
        if may_ask and not is_soon:
            self._join(license_key)
            return
        if lost == "slot":
            is_full = self._is_full(license_key) if may_ask else True
            if is_full is None:
                return
            if is_full:
                record.lose(record.lost_slot)
                return
            # Another process may have deactivated the license in the meantime.
            record.load()
            if record.stored.license_key != license_key:
                return
        record.miss(Problem("token", f"the service does not know the {lost} of this machine any more"))

    def _is_full(self, license_key: str) -> bool | None:
        """Whether every slot is taken; None if the answer has settled the state already."""
        called = self._call_verify(license_key)
        if isinstance(called, Good):
            self._record.learn_time(called.server_time)
            most = called.reply["maxMachines"]
            return bool(0 <= most <= called.reply["machinesUsed"])
        if isinstance(called, Missed):
            self._record.miss(called.problem, called.retry_after)
        else:
            self._refused(called)
        return None

    def _join(self, license_key: str) -> None:
        """Activates with the stored key, but only if that can succeed, because attempts are limited."""
        record = self._record
        if record.stored.tombstone is not None or record.outcome.kind == "waiting":
            is_full = self._is_full(license_key)
            if is_full is None:
                return
            if record.outcome.kind == "waiting" and is_full:
                record.lose(record.lost_slot)
                return
        called = self._call_activate(license_key)
        if isinstance(called, Good):
            self._activated(license_key, called.reply, called.server_time)
        elif isinstance(called, Missed):
            record.miss(called.problem, called.retry_after)
        elif record.keep(activated_at=record.now):
            self._refused(called)

    def _activated(self, license_key: str, reply: Reply, server_time: int | None) -> None:
        self._checked_fully()
        now = self._record.now if server_time is None else server_time
        facts = facts_after_activation(self._facts_before(license_key), reply, now)
        self._record.accept(facts, server_time, _seat_end(reply), token=reply["token"], activated_at=now)

    def _refused(self, called: NotGood) -> None:
        """Handles a refusal of a license that was accepted on this machine before."""
        record, refusal = self._record, called.refusal
        if refusal.code == "license_expired" and self._is_expired_by_a_wrong_clock(called.server_time):
            detail = "by the clock of the service, which is ahead, the license has expired"
            record.miss(Problem("clock", detail))
            return
        record.learn_time(called.server_time)
        if refusal.code in ("license_replaced", "license_revoked", "license_expired", "wrong_product"):
            record.refuse(refusal.code)
        elif refusal.code == "machine_limit":
            record.lose(record.lost_slot)
        elif refusal.code == "user_limit":
            record.lose(Outcome("released"))
        elif refusal.code == "license_not_found":
            # The license existed when it was activated. The service has lost it, as after restoring an old backup, and
            # the customer has paid.
            record.miss(Problem("license_not_found", "the service does not know the license any more"))
        elif refusal.code == "activation_rate":
            record.miss(Problem("busy", refusal.text), refusal.retry_after)
        elif refusal.code != "update_not_covered" or not record.leave_uncovered(coverage_in(refusal.fields)):
            record.miss(Problem("request", refusal.text))

    def _is_expired_by_a_wrong_clock(self, server_time: int | None) -> bool:
        """Whether the license has expired only by a clock of the service that is more than a day ahead.

        A user who sets the clock of the machine back to get here gains no more than from an outage.
        """
        expires = read_iso((self._record.stored.facts or {}).get("licenseExpiresAt"))
        if expires is None or server_time is None:
            return False
        now = self._record.now
        return now < expires <= server_time and server_time - now > DAY

    def activate(self, given: str | None) -> None:
        """The user entered a key, or wants a slot again."""
        record = self._record
        record.load()
        license_key = (given or "").strip() or record.stored.license_key
        if license_key is None:
            raise NoLicenseKey("there is no license key to activate")
        is_same = license_key == record.stored.license_key
        called = self._call_activate(license_key)
        if isinstance(called, Missed):
            if is_same:
                record.miss(called.problem, called.retry_after)
            raise Unreachable(called.problem)
        if isinstance(called, Good):
            self._accept_key(license_key, called)
            self.metering.send()
            return
        if called.refusal.code == "machine_limit" and self._is_floating(license_key, called.refusal):
            if not is_same:
                self._put_key(license_key)
            if record.keep(facts={**self._facts_before(license_key), "licenseType": "floating"}, tombstone=None):
                record.lose(record.lost_slot)
            return
        if not is_same:
            record.learn_time(called.server_time)
        elif called.is_of_replaced_key:
            self._not_good(license_key, called)
            if record.stored.license_key != license_key:
                self._renewal.renew()
                self.metering.send()
                return
            if record.problem is not None:
                raise Unreachable(record.problem)
        else:
            self._refused(called)
        raise error_of(called.refusal)

    def start_trial(self, variant: str | None, email: str | None) -> None:
        """The user wants a trial. Does nothing while the app may run."""
        self._record.load()
        if self._record.state.may_run:
            return
        order = {name: value for name, value in (("variant", variant), ("email", email)) if value is not None}
        called = self._line.call("/startTrial", {**self._machine, **self._user, **order})
        if isinstance(called, Missed):
            raise Unreachable(called.problem)
        if isinstance(called, NotGood):
            self._record.learn_time(called.server_time)
            raise error_of(called.refusal)
        self._accept_key(called.reply["licenseKey"], called)

    def _accept_key(self, license_key: str, called: Good) -> None:
        if license_key != self._record.stored.license_key:
            self._put_key(license_key)
        self._activated(license_key, called.reply, called.server_time)
        self._renewal.renew()

    def _put_key(self, license_key: str) -> None:
        """Replaces the license. A file that was imported for the new one stays."""
        file, stored = self._record.file, self._record.stored
        kept = stored.file if file is not None and is_key_of_file(license_key, file) else None
        self._record.replace(replace(EMPTY, license_key=license_key, file=kept, key_lists=stored.key_lists))

    def _is_floating(self, license_key: str, refusal: Refusal) -> bool:
        """Whether a license without a free slot is a floating one."""
        named = refusal.fields.get("licenseType")
        if isinstance(named, str):
            return named == "floating"
        stored = self._record.stored
        if license_key == stored.license_key and stored.facts is not None and stored.facts["licenseType"] is not None:
            return stored.is_floating
        called = self._call_verify(license_key)
        return isinstance(called, Good) and called.reply.get("licenseType") == "floating"

    def deactivate(self) -> None:
        """Frees the slot and forgets the license. Raises `Unreachable`; then nothing has changed."""
        record = self._record
        record.load()
        self.metering.send()
        license_key, token = record.stored.license_key, record.stored.token
        if license_key is not None and token is not None:
            called = self._call_deactivate(license_key, token)
            own_key = record.stored.license_key
            if isinstance(called, NotGood) and called.refusal.code == "invalid_token" and own_key is not None:
                # Only a token of the present activation frees the slot.
                again = self._call_activate(own_key)
                if isinstance(again, Missed):
                    raise Unreachable(again.problem)
                if isinstance(again, Good):
                    called = self._call("/deactivate", own_key, again.reply["token"])
            if isinstance(called, Missed):
                raise Unreachable(called.problem)
        record.replace(EMPTY)

    def give_seat_back(self) -> None:
        """Gives a floating seat back if others may need it, and keeps the license."""
        record = self._record
        record.load()
        stored, release = record.stored, self._options.release
        if not stored.is_floating or stored.license_key is None or stored.token is None or release == "never":
            return
        seats = (stored.facts or {}).get("maxMachines")
        is_small = seats is not None and 0 <= seats <= _SMALL_POOL
        is_fresh = stored.activated_at is not None and record.now - stored.activated_at < _RELEASE_PAUSE
        if release == "small-pools" and (not is_small or is_fresh):
            return
        if isinstance(self._call_deactivate(stored.license_key, stored.token), Good):
            record.keep(token=None, seat=None)

    def _call_deactivate(self, license_key: str, token: str) -> Called:
        """Frees the slot or the seat; if the key was replaced, with the one that took its place."""
        called = self._call("/deactivate", license_key, token)
        if not isinstance(called, NotGood) or not called.is_of_replaced_key:
            return called
        self._not_good(license_key, called)
        if self._record.problem is not None:
            return Missed(self._record.problem)
        new_key, new_token = self._record.stored.license_key, self._record.stored.token
        if new_key is None or new_key == license_key or new_token is None:
            return called
        return self._call("/deactivate", new_key, new_token)

    def import_file(self, text: str) -> None:
        """Imports a license file. Raises `BadLicenseFile`."""
        record = self._record
        record.load()
        file = record.verify(text, record.now)
        stored = record.stored
        if stored.tombstone is not None and file.issued * 1000 <= stored.tombstone.at:
            raise BadLicenseFile("refused", "the license was refused after this file was made")
        is_of_key = stored.license_key is not None and is_key_of_file(stored.license_key, file)
        kept = stored if is_of_key else replace(EMPTY, key_lists=stored.key_lists)
        record.replace(replace(kept, file=text, facts=facts_of_file(file, record.now), tombstone=None))


def _seat_end(reply: Reply) -> int | None:
    return read_iso(reply.get("sessionExpiresAt"))
