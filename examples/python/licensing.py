"""Licenses a program with a Latchkey server, by the policy of docs/apps/integrating.md.

Needs Python 3.9 or newer and the package `cryptography`.
"""

import http.client
import json
import os
import ssl
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from typing import NamedTuple, Optional

from license_file import read_license_file

HOUR = 3_600
DAY = 24 * HOUR

# Refusals that lock the program until the server accepts the license again.
LOCKING = {"license_revoked", "license_expired", "wrong_product"}
# Refusals after which the program activates by itself, once an hour: all machines share 15 attempts an hour.
ACTIVATE_AGAIN = {"machine_not_activated", "invalid_token", "token_mismatch"}

MAX_ANSWER_BYTES = 65_536


class Verdict(NamedTuple):
    """What the program may do, and why: `status` is unlicensed, licensed, grace, lapsed, released or refused."""

    status: str
    code: Optional[str] = None

    @property
    def may_run(self):
        return self.status in ("licensed", "grace")


class Answer(NamedTuple):
    """An answer of the server: `reply` if it accepts, `code` if it refuses, neither without an answer."""

    reply: Optional[dict] = None
    code: Optional[str] = None
    time: Optional[float] = None


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The server never redirects; a sign-in page of a network does."""

    def redirect_request(self, *_):
        return None


class Licensing:
    def __init__(self, settings, fingerprint, hostname, state_path, clock=time.time):
        """`settings` has server, productId, issuer, publicKeys and optionally ca; `clock` tells seconds since 1970."""
        if not settings["server"].startswith("https://"):
            raise ValueError("server is not an https address")
        self._settings = settings
        self._fingerprint = fingerprint
        self._hostname = hostname
        self._state_path = state_path
        self._clock = clock
        self._state = self._load()
        # When the server last accepted the license in this process.
        self._answered_at = None
        trust = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=settings.get("ca")))
        self._opener = urllib.request.build_opener(trust, NoRedirects)

    def activate(self, license_key):
        """The user entered a key. A key that is refused changes nothing that is stored."""
        license_key = license_key.strip()
        answer = self._ask_to_activate(license_key)
        if answer.reply is not None:
            return self._accepted(license_key, answer)
        if license_key == self._state.get("licenseKey"):
            return self._not_accepted(answer)
        return Verdict(self._without_answer().status, answer.code or "no_answer")

    def check(self):
        """Asks the server: at each start of the program, and once a day while it runs."""
        license_key, token = self._state.get("licenseKey"), self._state.get("token")
        if license_key is None or token is None:
            return Verdict("unlicensed")
        answer = self._ask("/validate", licenseKey=license_key, token=token)
        now = self._now()
        if answer.code in ACTIVATE_AGAIN and abs(now - self._time("activatedAgainAt")) >= HOUR:
            self._keep(activatedAgainAt=now)
            answer = self._ask_to_activate(license_key)
        if answer.reply is not None:
            return self._accepted(license_key, answer)
        return self._not_accepted(answer)

    def deactivate(self):
        """Frees the slot of this machine and forgets the license. False without an answer: then nothing has changed."""
        license_key, token = self._state.get("licenseKey"), self._state.get("token")
        if license_key is not None and token is not None:
            answer = self._ask("/deactivate", licenseKey=license_key, token=token)
            is_over = answer.code in LOCKING | ACTIVATE_AGAIN | {"license_not_found"}
            if answer.reply is None and not is_over:
                return False
        self._answered_at = None
        self._keep(licenseKey=None, token=None, file=None, refusal=None)
        return True

    def _accepted(self, license_key, answer):
        """The server accepts the license: a remembered refusal is over, and its time replaces what was seen."""
        seen = answer.time or self._now()
        self._answered_at = seen
        token = answer.reply.get("newToken") or answer.reply.get("token") or self._state.get("token")
        self._keep(licenseKey=license_key, token=token, refusal=None, seen=seen)
        claims = self._claims()
        if claims is None or seen >= claims["renewAfter"] or claims["iat"] > seen + DAY:
            fetched = self._ask("/issueLicenseFile", licenseKey=license_key, token=token)
            if fetched.reply is not None and self._read(fetched.reply.get("licenseFile")) is not None:
                self._keep(file=fetched.reply["licenseFile"])
        return Verdict("licensed")

    def _not_accepted(self, answer):
        """A refusal is remembered, and a slot that is gone ends the grace. Anything else says nothing of the license."""
        if answer.code in LOCKING:
            self._answered_at = None
            self._keep(refusal=answer.code, file=None)
        elif answer.code == "machine_limit":
            self._answered_at = None
            self._keep(file=None)
            return Verdict("released")
        return self._without_answer()

    def _without_answer(self):
        """Without an answer a refusal stays in force, and a good license file lets the program go on."""
        if self._state.get("licenseKey") is None:
            return Verdict("unlicensed")
        now = self._now()
        self._keep(seen=now)
        if self._state.get("refusal"):
            return Verdict("refused", self._state["refusal"])
        claims = self._claims()
        has_file = claims is not None and (claims["exp"] is None or claims["exp"] > now)
        was_accepted = self._answered_at is not None and now < self._answered_at + DAY
        return Verdict("grace" if has_file or was_accepted else "lapsed")

    def _now(self):
        """Never earlier than any time that is known to have passed, so that setting the clock back gains nothing."""
        claims = self._claims()
        return max(self._clock(), self._time("seen"), 0 if claims is None else claims["iat"])

    def _claims(self):
        """The claims of the stored file, which may have expired; None if it is not genuine."""
        return self._read(self._state.get("file"))

    def _read(self, text):
        if not isinstance(text, str):
            return None
        issuer, public_keys = self._settings["issuer"], self._settings["publicKeys"]
        return read_license_file(text, issuer, public_keys, self._settings["productId"], self._fingerprint, 0)

    def _ask_to_activate(self, license_key):
        product_id = self._settings["productId"]
        return self._ask("/activate", licenseKey=license_key, hostname=self._hostname, productId=product_id)

    def _ask(self, path, **fields):
        body = json.dumps({**fields, "machineFingerprint": self._fingerprint}).encode()
        request = urllib.request.Request(self._settings["server"] + path, body, {"Content-Type": "application/json"})
        try:
            try:
                response = self._opener.open(request, timeout=10)
            except urllib.error.HTTPError as error:
                response = error
            with response:
                text = response.read(MAX_ANSWER_BYTES)
            answer = json.loads(text)
        except (OSError, ValueError, http.client.HTTPException):
            return Answer()
        if not isinstance(answer, dict):
            return Answer()
        flag = answer.get("success", answer.get("valid"))
        if response.status == 200 and flag is True:
            return Answer(reply=answer, time=time_in(response.headers.get("Date")))
        if 400 <= response.status < 500 and flag is False:
            return Answer(code=response.headers.get("Latchkey-Code"))
        return Answer()

    def _time(self, name):
        value = self._state.get(name)
        return value if isinstance(value, (int, float)) else 0

    def _load(self):
        try:
            with open(self._state_path, encoding="utf-8") as file:
                state = json.load(file)
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def _keep(self, **changes):
        """Replaces the state as a whole. A disk that is full must not stop a customer."""
        self._state = {**self._state, **changes}
        beside = f"{self._state_path}.{os.getpid()}"
        try:
            with open(beside, "w", encoding="utf-8") as file:
                json.dump(self._state, file)
            os.replace(beside, self._state_path)
        except OSError:
            pass


def time_in(header):
    """The time of a `Date` header in seconds since 1970; None without one."""
    try:
        return parsedate_to_datetime(header).timestamp()
    except (TypeError, ValueError):
        return None
