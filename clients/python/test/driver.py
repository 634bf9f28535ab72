"""The driver of this client for the conformance tests, see clients/conformance/PROTOCOL.md."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from latchkey import (
    BadLicenseFile,
    Consumption,
    Counted,
    Latchkey,
    LatchkeyError,
    NoFingerprint,
    NoLicenseKey,
    Options,
    PublicKey,
    Refused,
    State,
    Unreachable,
    machine_fingerprint,
    state_directory,
)

# The names of the protocol, and those of the option.
SAME = {
    "server": "server",
    "productId": "product_id",
    "issuer": "issuer",
    "stolenKeys": "stolen_keys",
    "directory": "directory",
    "hostname": "hostname",
    "user": "user",
    "version": "version",
    "buildDate": "build_date",
    "release": "release",
    "reactivate": "reactivate",
    "graceDays": "grace_days",
    "graceFloatingHours": "grace_floating_hours",
    "offlineUses": "offline_uses",
    "ca": "ca_file",
}
IN_MILLISECONDS = {"heartbeatMs": "heartbeat", "requestTimeoutMs": "request_timeout"}


class CommandClock:
    """A clock that stands still between commands."""

    def __init__(self, command: dict[str, Any], counts_sleep: bool) -> None:
        self.counts_sleep = counts_sleep
        self.set(command)

    def set(self, command: dict[str, Any]) -> None:
        self._now, self._monotonic = int(command["now"]), int(command["monotonic"])

    def now(self) -> int:
        return self._now

    def monotonic(self) -> int:
        return self._monotonic


class Driven:
    """The client of one `create`."""

    def __init__(self, command: dict[str, Any]) -> None:
        given = command["options"]
        self.clock = CommandClock(command, given.get("countsSleep", True))
        self.fingerprint: str | None = given.get("fingerprint")
        self._finds_fingerprint = "fingerprint" not in given
        self.notices: list[str] = []
        self._product_id = given["productId"]
        self._directory = Path(given.get("directory") or state_directory(self._product_id))
        options = {SAME[name]: value for name, value in given.items() if name in SAME}
        options.update({option: given[name] / 1000 for name, option in IN_MILLISECONDS.items() if name in given})
        self.client = Latchkey(
            Options(
                **options,
                public_keys=[PublicKey(key["kid"], key["x"]) for key in given.get("publicKeys", [])],
                fingerprint=self._find_fingerprint,
                background=False,
                clock=self.clock,
                random=lambda: float(given.get("random", 0.5)),
                on_change=lambda _, new: self.notices.append(new.status),
            )
        )

    def _find_fingerprint(self) -> str:
        if self._finds_fingerprint:
            return machine_fingerprint(self._product_id, self._directory)
        if self.fingerprint is None:
            raise OSError("the fingerprint cannot be found")
        return self.fingerprint

    def work(self) -> None:
        """Makes the checks that are due."""
        self.client.work()
        while self.client.next_check == 0:
            self.client.work()

    def run(self, command: dict[str, Any]) -> Any:
        client, what = self.client, command["do"]
        if what == "start":
            status = client.start().status
            self.work()
            return status
        if what == "clock":
            self.clock.set(command)
            self.work()
        elif what == "activate":
            client.activate(command.get("key"))
        elif what == "startTrial":
            client.start_trial(**command.get("order", {}))
        elif what == "check":
            for _ in range(command.get("times", 1)):
                client.check()
        elif what == "feature":
            return (client.feature(command["name"]),)
        elif what == "consume":
            given = {"units": command["units"]} if "units" in command else {}
            return use_of(client.consume(command["meter"], **given, request_id=command.get("requestId")))
        elif what == "importFile":
            client.import_file(command["text"])
        elif what == "exportRequest":
            return client.export_request(command["key"])
        elif what == "deactivate":
            client.deactivate()
        elif what == "close":
            client.close()
        elif what == "fingerprint":
            self.fingerprint = command["value"]
        elif what != "state":
            return NotImplemented
        return None


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def shown(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value


def use_of(use: Consumption) -> dict[str, Any]:
    return {
        "status": "counted" if isinstance(use, Counted) else "queued",
        **{camel(each.name): shown(getattr(use, each.name)) for each in fields(use)},
    }


# The fields of a state that depend on its status.
OF_STATUS = {
    "licensed": ("source", "until"),
    "grace": ("until", "since", "problem"),
    "lapsed": ("since", "problem"),
    "refused": ("why", "since"),
}


def state_of(state: State) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "status": state.status,
        "mayRun": state.may_run,
        "facts": None,
        "clock": state.clock,
        "storageProblem": state.storage_problem,
    }
    if state.facts is not None:
        answer["facts"] = {camel(each.name): shown(getattr(state.facts, each.name)) for each in fields(state.facts)}
    for name in OF_STATUS.get(state.status, ()):
        answer[name] = shown(getattr(state, name))
    if state.problem is not None:
        answer["problem"] = {"kind": state.problem.kind, "detail": state.problem.detail}
    return answer


def error_of(error: Exception) -> dict[str, Any]:
    if isinstance(error, Refused):
        found: dict[str, Any] = {"name": "Refused", "code": error.code}
        if error.limit is not None:
            found["limit"] = error.limit
        if error.retry_after is not None:
            found["retryAfterMs"] = round(error.retry_after * 1000)
        if error.resets_at is not None:
            found["resetsAt"] = shown(error.resets_at)
        return found
    if isinstance(error, Unreachable):
        return {"name": "Unreachable", "kind": error.problem.kind}
    if isinstance(error, BadLicenseFile):
        return {"name": "BadLicenseFile", "reason": error.reason}
    names = {NoLicenseKey: "NoKey", NoFingerprint: "NoFingerprint", ValueError: "InvalidOption"}
    return {"name": names[type(error)]}


driven: Driven | None = None


def answer_to(command: dict[str, Any]) -> dict[str, Any]:
    global driven
    answer: dict[str, Any] = {}
    try:
        if command["do"] == "create":
            driven = None
            driven = Driven(command)
        elif driven is not None:
            value = driven.run(command)
            if value is NotImplemented:
                answer["error"] = {"name": "UnknownCommand"}
            elif value is not None:
                answer["value"] = value[0] if isinstance(value, tuple) else value
    except (LatchkeyError, ValueError) as error:
        answer["error"] = error_of(error)
    if driven is None:
        return {**answer, "state": None, "next": None, "notices": []}
    notices, driven.notices[:] = list(driven.notices), []
    next_check = driven.client.next_check
    return {
        **answer,
        "state": state_of(driven.client.state),
        "next": None if next_check is None else round(next_check * 1000),
        "notices": notices,
    }


def say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    say(
        {
            "driver": "python",
            "protocol": 1,
            "can": [
                "tls",
                "default-fingerprint",
                "default-directory",
                "fingerprint-function",
                "uncounted-sleep",
                "features",
                "trials",
                "meters",
                "users",
            ],
        }
    )
    for line in sys.stdin:
        say(answer_to(json.loads(line)))
    # The app has crashed: its client is not closed.
    os._exit(0)
