"""The state of the license as apps read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Union

Status = Literal["unlicensed", "licensed", "grace", "lapsed", "waiting", "released", "refused"]
ClockCondition = Literal["right", "behind", "ahead"]
ProblemKind = Literal[
    "network", "tls", "timeout", "answer", "busy", "license_not_found", "token", "request", "clock", "not_asked"
]
FeatureValue = Union[bool, int, float, str]


@dataclass(frozen=True)
class Problem:
    """The cause of a missing or bad answer.

    `kind` is one of `network`, `tls` and `timeout` (the connection), `answer` (not the service's), `busy` (the service
    asks to wait), `license_not_found` and `token` (the service has lost data), `request` (the service considers the
    request invalid), `clock` (the license has expired by a clock of the service that is ahead), and `not_asked`.
    `detail` is English, for a log, and contains no secret.
    """

    kind: ProblemKind
    detail: str


@dataclass(frozen=True)
class Counted:
    """The service has counted the use, or only answered if no units were given.

    `used` are the units of the present period. `limit` is -1 and `remaining` is None without a limit. `resets_at` is
    the begin of the next period, None if none begins.
    """

    meter: str
    used: int
    limit: int
    remaining: int | None
    resets_at: datetime | None


@dataclass(frozen=True)
class Queued:
    """The service did not answer. The use is stored, and is sent later."""

    meter: str
    units: int
    request_id: str


Consumption = Union[Counted, Queued]


@dataclass(frozen=True)
class RefusedUse:
    """A stored use that the service refused when it was sent. It was not counted."""

    meter: str
    units: int
    request_id: str
    code: str


@dataclass(frozen=True)
class LicenseFacts:
    """The known facts about the license, for display.

    `license_key_hint` is the last group of the key. `license_expires_at` is None for a perpetual license, and
    `max_machines` is -1 for no limit. `grace_until` is the end of the time that is lent after the expiry. Builds after
    `updates_until`, and versions above `max_version`, are not covered. Other fields are None if they are not known.
    """

    license_key_hint: str
    product_id: str
    variant: str | None
    license_type: str | None
    license_expires_at: datetime | None
    days_remaining: int | None
    machines_used: int | None
    max_machines: int | None
    grace_until: datetime | None
    updates_until: datetime | None
    max_version: str | None
    features: Mapping[str, FeatureValue] | None


@dataclass(frozen=True)
class State:
    """The state of the license on this machine. Times are in UTC.

    `may_run` decides whether the app works. The other fields say why:

    - `unlicensed`: no license key and no license file is stored
    - `licensed`: by the service or by the stored state (`source`), until a time without another answer (`until`, None
      for no end)
    - `grace`: the service cannot be asked since a time (`since`, `problem`); the app goes on until another (`until`)
    - `lapsed`: the service cannot be asked (`problem`), and nothing licenses the app since a time (`since`)
    - `waiting`: every seat of the floating license is taken
    - `released`: the machine has lost its slot, and none is free for it
    - `refused`: the service refused the license (`why`, `since`), or the license does not cover this build (`why` is
      `update_not_covered`, `since` is None)

    `clock` compares the clock of the machine with the time of the service. `storage_problem` says why the stored state
    cannot be read or written; the app goes on in memory.
    """

    status: Status
    may_run: bool
    facts: LicenseFacts | None = None
    clock: ClockCondition = "right"
    storage_problem: str | None = None
    source: Literal["server", "stored"] | None = None
    until: datetime | None = None
    since: datetime | None = None
    problem: Problem | None = None
    why: str | None = None
