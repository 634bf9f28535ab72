"""The client that apps use."""

from __future__ import annotations

import contextlib
import functools
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

from . import _json
from ._calls import Line
from ._decide import decide
from ._keeper import StateKeeper
from ._machine import machine_fingerprint, state_directory
from ._record import LicenseRecord
from ._session import Session
from ._times import SECOND, iso
from .errors import LatchkeyError
from .license_file import encode_base64url
from .options import Options
from .state import Consumption, FeatureValue, RefusedUse, State
from .storage import FileStorage
from .transport import urllib_transport

_log = logging.getLogger("latchkey")

# Checks within this time after the last one make no call, for users who click repeatedly.
_CLICK_PAUSE = 2 * SECOND
# The longest time between two looks at the stored state, in seconds.
_WORK_EVERY_S = 2.0


class Latchkey:
    """The license of an app on this machine.

    `state`, `may_run` and `feature` never wait. All other methods read files and make calls, and wait for each other;
    they may be called in any thread. Create the client after a fork, as its thread does not live on in the child.
    """

    def __init__(self, options: Options) -> None:
        """Creates a client, which does nothing yet. Raises `ValueError` for invalid options."""
        options.check()
        self._options = options
        directory = Path(options.directory or state_directory(options.product_id))
        self._storage = options.storage or FileStorage(directory, silent=3 * options.heartbeat)
        transport = options.transport or urllib_transport(options.ca_file)
        given = options.fingerprint

        def fingerprint() -> str:
            if given is None:
                return machine_fingerprint(options.product_id, directory)
            return given if isinstance(given, str) else given()

        self._record = LicenseRecord(options, StateKeeper(self._storage), fingerprint)
        line = Line(options.servers, transport, options.request_timeout)
        self._session = Session(options, line, self._record, self._tell_refused)
        self._working = threading.Lock()
        self._is_running = False
        # By the monotonic clock, and by the wall clock, which goes on while the machine sleeps.
        self._due: tuple[int, int] | None = None
        self._checked_at: int | None = None
        self._has_checked = threading.Event()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        # What readers see: everything that decides the state, as of the end of the last operation.
        self._shown = (self._record.known, self._record.clock.reckoning)
        self._noticed = self.state
        self._news: deque[Callable[[], None]] = deque()
        self._telling = threading.Lock()

    @property
    def state(self) -> State:
        """The state at this moment. During an operation, the one before it."""
        known, reckoning = self._shown
        now = self._record.clock.now(reckoning)
        return decide(known, now, self._record.clock.condition(now))

    @property
    def may_run(self) -> bool:
        """Whether the app may be used: `licensed` or `grace`."""
        return self.state.may_run

    def feature(self, name: str) -> FeatureValue | None:
        """The value of a feature; None if the license does not have it, and while the app may not run."""
        known, reckoning = self._shown
        if known.terms is None or not self.may_run:
            return None
        return known.terms.feature(name, self._record.clock.now(reckoning))

    @property
    def next_check(self) -> float | None:
        """Seconds until the next check that is due by itself; None if none is planned."""
        due = self._due
        if due is None or not self._is_running:
            return None
        return max(0, due[0] - self._options.clock.monotonic()) / SECOND

    def start(self) -> State:
        """Reads the stored state and keeps it up to date from then on.

        If the state allows the app to run, returns at once and asks the service in the background; otherwise waits for
        the check, at most `request_timeout`. Raises nothing.
        """
        with self._operation():
            if self._is_running:
                return self.state
            self._is_running = True
            with self._logged():
                self._record.load()
            self._beat()
            self._has_checked.clear()
            self._plan(self._session.until_check if self._record.stored.license_key is None else 0)
        state = self.state
        if self._options.background:
            self._thread = threading.Thread(target=self._run, args=(self._wake,), name="latchkey", daemon=True)
            self._thread.start()
        if state.may_run or self.next_check != 0:
            return state
        if self._options.background:
            self._has_checked.wait(self._options.request_timeout)
        else:
            self.work()
        return self.state

    def work(self) -> float:
        """Notices what other processes stored, and makes the check that is due.

        Returns the seconds until it wants to be called again. The client calls it by itself unless the option
        `background` is off. Raises nothing.
        """
        until = _WORK_EVERY_S
        with self._operation():
            if self._is_running:
                self._notice()
                if self._is_due():
                    self._check_now(False)
                next_check = self.next_check
                until = until if next_check is None else min(until, next_check)
        return until

    def activate(self, license_key: str | None = None) -> State:
        """Binds a license key to this machine; uses the stored key if none is given.

        If a floating license has no free seat, the state becomes `waiting`. Raises `Refused` if the service refuses,
        `Unreachable` if it does not answer, and `NoLicenseKey` without any key.
        """
        with self._change():
            self._session.activate(license_key)
        return self.state

    def start_trial(self, variant: str | None = None, email: str | None = None) -> State:
        """Starts the trial of this machine, without a license key; changes nothing while the app may run.

        A machine has one trial of a product. `variant` is by default the only one of the product that offers a trial.
        Raises `Refused`, with the code `trial_over` once it has ended, and `Unreachable`.
        """
        with self._change():
            self._session.start_trial(variant, email)
        return self.state

    def consume(self, meter: str, units: int = 1, *, request_id: str | None = None) -> Consumption:
        """Counts units of a meter of the license; 0 units only ask.

        While the service does not answer, the use waits in the stored state, if the option `offline_uses` allows it,
        and is sent later. `request_id` names the use, and is counted once within 48 hours; a new one by default.

        Raises `Refused`, with the code `meter_limit` beyond the limit, `Unreachable`, and `NoLicenseKey`; then nothing
        was counted. Raises `ValueError` for units that are no whole number from 0 to 1,000,000,000.
        """
        with self._operation():
            outcome = self._record.outcome
            try:
                return self._session.metering.consume(meter, units, request_id)
            finally:
                # A use that says nothing about the license leaves the next check where it is.
                if self._record.outcome is not outcome:
                    self._plan(self._session.until_check)

    def check(self) -> State:
        """Asks the service now. Concurrent callers share one call. Raises nothing."""
        with self._operation():
            now, checked_at = self._options.clock.monotonic(), self._checked_at
            is_too_soon = checked_at is not None and now - checked_at < _CLICK_PAUSE
            if not is_too_soon and self._record.pause == 0:
                self._check_now(True)
        return self.state

    def import_file(self, text: str) -> State:
        """Imports a license file. Raises `BadLicenseFile`."""
        with self._change():
            self._session.import_file(text)
        return self.state

    def export_request(self, license_key: str) -> str:
        """A text from which an operator makes a license file for this machine, which has no network."""
        with self._operation():
            self._record.load()
            request = {
                "v": 1,
                "productId": self._options.product_id,
                "licenseKey": license_key,
                "fingerprint": self._record.fingerprint,
                "hostname": self._session.hostname,
                "client": "latchkey-python",
                "createdAt": iso(self._options.clock.now()),
            }
        encoded = encode_base64url(_json.write(request).encode())
        lines = [encoded[at : at + 64] for at in range(0, len(encoded), 64)]
        return "\n".join(["-----BEGIN LATCHKEY REQUEST-----", *lines, "-----END LATCHKEY REQUEST-----", ""])

    def deactivate(self) -> None:
        """Frees the slot of this machine and forgets the license. Raises `Unreachable`: nothing has changed then."""
        with self._change():
            self._session.deactivate()

    def close(self) -> None:
        """Ends the checks, gives back a floating seat as the option `release` says, and keeps the license.

        Raises nothing.
        """
        with self._operation():
            if self._is_running:
                self._is_running = False
                self._wake.set()
                self._wake = threading.Event()
                with self._logged():
                    if self._storage.leave():
                        self._session.give_seat_back()
        thread = self._thread
        # A listener may close the client in the thread of the client.
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def __enter__(self) -> Latchkey:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, wake: threading.Event) -> None:
        """The thread of the client."""
        while not wake.wait(self.work()):
            pass

    @contextlib.contextmanager
    def _operation(self) -> Iterator[None]:
        """Waits for other operations, and gives notice of a changed state at the end."""
        try:
            with self._working:
                try:
                    yield
                finally:
                    self._show()
                    old, self._noticed = self._noticed, self.state
                    on_change = self._options.on_change
                    if self._noticed != old and on_change is not None:
                        self._news.append(functools.partial(on_change, old, self._noticed))
        finally:
            self._tell()

    @contextlib.contextmanager
    def _change(self) -> Iterator[None]:
        """An operation of the app, after which the next check is planned."""
        with self._operation():
            try:
                yield
            finally:
                self._plan(self._session.until_check)

    @contextlib.contextmanager
    def _logged(self) -> Iterator[None]:
        """Without a fingerprint or a folder, the client goes on with the rest."""
        try:
            yield
        except (LatchkeyError, OSError) as error:
            _log.warning("latchkey: %s", error)

    def _show(self) -> None:
        self._shown = (self._record.known, self._record.clock.reckoning)

    def _tell(self) -> None:
        """Calls the listeners for each piece of news, in their order, and outside of the operation."""
        while self._news and self._telling.acquire(blocking=False):
            try:
                while self._news:
                    self._news.popleft()()
            except Exception:
                _log.exception("latchkey: a listener of the app failed")
            finally:
                self._telling.release()

    def _tell_refused(self, use: RefusedUse) -> None:
        if self._options.on_use_refused is not None:
            self._news.append(functools.partial(self._options.on_use_refused, use))

    def _beat(self) -> None:
        with self._logged():
            self._storage.beat()

    def _check_now(self, is_asked_for: bool) -> None:
        self._beat()
        with self._logged():
            self._session.check(is_asked_for)
        self._checked_at = self._options.clock.monotonic()
        self._plan(self._session.until_check)
        self._has_checked.set()

    def _notice(self) -> None:
        """Takes over what another process stored. Another license or verdict about it is checked here, too."""
        before = self._record.stored
        with self._logged():
            self._record.load_if_changed()
        present = self._record.stored
        is_other_verdict = (present.tombstone is None) != (before.tombstone is None)
        if present.license_key != before.license_key or is_other_verdict:
            self._plan(self._session.until_check)

    def _plan(self, until: int | None) -> None:
        clock = self._options.clock
        self._due = None if until is None else (clock.monotonic() + until, clock.now() + until)

    def _is_due(self) -> bool:
        if self._due is None:
            return False
        clock = self._options.clock
        has_slept = not clock.counts_sleep and clock.now() >= self._due[1]
        return has_slept or clock.monotonic() >= self._due[0]
