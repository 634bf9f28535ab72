"""The options of a client."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Callable, Literal
from urllib.parse import urlsplit

from . import _json, _times
from ._clock import Clock, SystemClock
from ._stored import MOST_USES
from ._terms import Build, is_version
from .license_file import PublicKey
from .state import RefusedUse, State
from .storage import Storage
from .transport import LOOPBACK, Transport


@dataclass(frozen=True)
class Options:
    """The options of a client. Times are in seconds. A client raises `ValueError` for invalid ones.

    - `server`: the https address of the service, or several, tried in this order
    - `product_id`: the product, as licenses name it
    - `public_keys`, `issuer`: what `list-signing-keys --as python` prints, compiled into the app. With them, only a
      signed file lets the app go on without the service. Without them, the time of the last good answer does, which a
      user can extend by editing the stored state
    - `stolen_keys`: ids of signing keys that are ignored in published lists
    - `build_date` (ISO 8601), `version`: of this build; a license may cover builds up to a date or a version
    - `directory`: the folder of the stored state, by default a folder of the user
    - `fingerprint`: identifies this machine and never changes; a text, or a function that may raise
    - `hostname`: the user's name for the machine, by default the system's
    - `user`: the person who uses the app, such as the address of the signed-in account, or a function that returns it;
      None while nobody is signed in. A license for named users needs it to activate
    - `heartbeat`: the longest time between two heartbeats of a floating license
    - `request_timeout`: the longest time for a whole answer
    - `release`: whether `close` gives a floating seat back. The next start then activates again, and a license has 15
      activations an hour for all its machines, so by default only pools of up to ten seats do
    - `reactivate`: whether a machine that the service does not know any more takes a free slot by itself
    - `grace_days`, `grace_floating_hours`: how long a good answer counts without `public_keys`
    - `offline_uses`: the most uses of meters that wait in the stored state without an answer, up to 500. A user who
      deletes the stored state deletes them
    - `ca_file`: PEM of certificate authorities to trust beside those of the system
    - `on_change`: called with the former and the new state after every change, in any thread
    - `on_use_refused`: called with a use that had waited and was refused: it was not counted
    - `background`: whether the client makes its checks in a thread. Otherwise call `work` regularly
    - `transport`, `storage`, `clock`, `random`: replace the client's own
    """

    server: str | Sequence[str]
    product_id: str
    public_keys: Sequence[PublicKey] = ()
    issuer: str | None = None
    stolen_keys: Sequence[str] = ()
    build_date: str | None = None
    version: str | None = None
    directory: str | PathLike[str] | None = None
    fingerprint: str | Callable[[], str] | None = None
    hostname: str | None = None
    user: str | Callable[[], str | None] | None = None
    heartbeat: float = 300
    request_timeout: float = 10
    release: Literal["small-pools", "always", "never"] = "small-pools"
    reactivate: Literal["auto", "ask"] = "auto"
    grace_days: float = 30
    grace_floating_hours: float = 24
    offline_uses: int = 0
    ca_file: str | None = None
    on_change: Callable[[State, State], None] | None = None
    on_use_refused: Callable[[RefusedUse], None] | None = None
    background: bool = True
    transport: Transport | None = None
    storage: Storage | None = None
    clock: Clock = field(default_factory=SystemClock)
    random: Callable[[], float] = random.random

    @property
    def servers(self) -> list[str]:
        """The addresses without slashes at their ends. Plain HTTP is rejected: anybody on the way could answer it."""
        given = [self.server] if isinstance(self.server, str) else list(self.server)
        if not given:
            raise ValueError("server is missing")
        for address in given:
            if not _is_trusted(address):
                raise ValueError(f"server {address} is not an https address")
        return [address.rstrip("/") for address in given]

    @property
    def build(self) -> Build:
        """The build of the app, whose covered updates the license states."""
        date = None if self.build_date is None else _times.read_iso(self.build_date)
        if date is None and self.build_date is not None:
            raise ValueError(f"build_date {self.build_date} is not a date in ISO 8601")
        if self.version is not None and not is_version(self.version):
            raise ValueError(f"version {self.version} is not dotted numbers")
        return Build(date, self.version)

    def check(self) -> None:
        """Raises `ValueError` for an invalid option that is not checked elsewhere."""
        if not self.product_id:
            raise ValueError("product_id is missing")
        if self.public_keys and not self.issuer:
            raise ValueError("public_keys need the issuer of the license files")
        if _json.whole(self.offline_uses) is None or not 0 <= self.offline_uses <= MOST_USES:
            raise ValueError(f"offline_uses must be a whole number from 0 to {MOST_USES}")


def _is_trusted(address: str) -> bool:
    """Whether only the service can answer. On this machine, only its own programs answer plain HTTP."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return False
    if not parts.hostname or re.search(r"[\s\x00-\x1f]", address):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
