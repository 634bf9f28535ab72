"""The errors of calls by the app. Background checks raise none; they change the state."""

from __future__ import annotations

from datetime import datetime

from .state import Problem


class LatchkeyError(Exception):
    """The base of the errors of this package, apart from `ValueError` for invalid options."""


class Refused(LatchkeyError):
    """The service refused the call.

    `code` names the refusal. `limit` is the limit of machines or users, with `machine_limit` and `user_limit` if the
    service tells it. `retry_after` is the number of seconds to wait, with refusals that end by waiting. `resets_at` is
    the begin of the next period of the meter, with `meter_limit` and if one begins.
    """

    def __init__(
        self, code: str, text: str, limit: int | None, retry_after: float | None, resets_at: datetime | None
    ) -> None:
        super().__init__(text or code)
        self.code = code
        self.limit = limit
        self.retry_after = retry_after
        self.resets_at = resets_at


class Unreachable(LatchkeyError):
    """The service did not answer. Nothing has changed."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


class BadLicenseFile(LatchkeyError):
    """The text is not a valid license file for this app and machine.

    `reason` is the first check that failed: `format`, `algorithm`, `type`, `key`, `signature`, `claims`, `issuer`,
    `product`, `machine`, `expired`, or `refused` if the service refused the license after the file was made.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class NoLicenseKey(LatchkeyError):
    """`activate` was called without a license key, and none is stored."""


class NoFingerprint(LatchkeyError):
    """The fingerprint of this machine cannot be found at the moment."""
