"""Fetches the license files by which an app runs without the service."""

from __future__ import annotations

from . import _json
from ._calls import Good, Line, NotGood
from ._facts import is_key_of_file
from ._record import LicenseRecord
from ._times import DAY, HOUR, SECOND, read_iso
from .errors import BadLicenseFile
from .options import Options

# The pause before another request for a file that could not be had.
_FILE_PAUSE = HOUR


class FileRenewal:
    """Renews the stored file. Callers run one method at a time."""

    def __init__(self, options: Options, line: Line, record: LicenseRecord) -> None:
        self._clock = options.clock
        self._line = line
        self._record = record
        # By the monotonic clock.
        self._not_before = 0

    def renew(self) -> None:
        """Fetches a newer file when it is due. On failure nothing changes, and the app goes on with its present one."""
        record = self._record
        license_key, token = record.stored.license_key, record.stored.token
        is_asked = record.needs_file and record.covers_build and record.outcome.kind == "good"
        if not is_asked or license_key is None or token is None:
            return
        if self._clock.monotonic() < self._not_before or not self._is_due(license_key):
            return
        self._not_before = self._clock.monotonic() + _FILE_PAUSE
        fields = {"licenseKey": license_key, "token": token, "machineFingerprint": record.fingerprint}
        called = self._line.call("/issueLicenseFile", fields)
        if isinstance(called, NotGood) and called.refusal.code == "license_files_not_offered":
            self._not_before = self._clock.monotonic() + DAY
        if not isinstance(called, Good):
            return
        text = called.reply["licenseFile"]
        key_lists = self._key_lists_for(text)
        if key_lists is not None:
            record.keep(file=text, key_lists=key_lists)
            self._not_before = 0

    def _is_due(self, license_key: str) -> bool:
        """Whether to fetch a file.

        None is stored, its renewal has come, the license or its key has changed, or the file is from the future.
        """
        file, now = self._record.file, self._record.now
        if file is None:
            return True
        if file.purpose != "grace":
            return False
        facts = self._record.stored.facts or {}
        is_other = _seconds_of(facts.get("licenseExpiresAt")) != file.license_expires or _seconds_of(
            facts.get("updatesUntil")
        ) != _json.whole(file.claims.get("updatesUntil"))
        is_of_former_key = not is_key_of_file(license_key, file)
        return now >= file.renew_after * SECOND or is_other or is_of_former_key or file.issued * SECOND > now + DAY

    def _key_lists_for(self, text: str) -> tuple[str, ...] | None:
        """The lists of signing keys that prove a file genuine; None if it is not."""
        record = self._record
        stored = record.stored.key_lists
        if self._is_genuine(text, stored):
            return stored
        # Published lists first: any of them leads to all keys, while the stored ones lead to some.
        candidates = (*self._line.key_lists(), *stored)
        return record.useful_key_lists(candidates) if self._is_genuine(text, candidates) else None

    def _is_genuine(self, text: str, key_lists: tuple[str, ...]) -> bool:
        try:
            self._record.verify(text, None, key_lists)
        except BadLicenseFile:
            return False
        return True


def _seconds_of(text: object) -> int | None:
    """The time of a text in seconds since 1970, as license files have it."""
    time = read_iso(text)
    return None if time is None else time // SECOND
