"""Storage for the state between starts."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import uuid
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Callable, TypeVar

from ._machine import make_folder
from ._stored import MAX_TEXT

Result = TypeVar("Result")

# A lock that shows the same text for this long was abandoned: a holder needs milliseconds.
_ABANDONED_S = 2.0
# The wait for a lock, after which the work is done without it, because a lock must not stop a customer.
_PATIENCE_S = 6.0
_PAUSE_S = 0.005
# Windows refuses to replace a file while a virus scanner reads it.
_REPLACE_FOR_S = 1.0
# How often a change is made again because another process took the lock for abandoned.
_REPEATS = 3


class Storage(ABC):
    """Stores one text. Every method may raise `OSError`: the client then goes on in memory."""

    @abstractmethod
    def read(self) -> str | None:
        """The text of the last write; None without one."""

    @abstractmethod
    def write(self, text: str) -> None:
        """Replaces the whole text."""

    @abstractmethod
    def remove(self) -> None:
        """Removes the text."""

    def exclusively(self, change: Callable[[], Result]) -> Result:
        """Makes a change, a reading and a writing, while no other process makes one."""
        return change()

    def set_aside(self, text: str) -> None:  # noqa: B027
        """Copies an unreadable text, for support to inspect."""

    def written_at(self) -> int | None:
        """The time of the last write by the clock of the machine, in milliseconds since 1970; None if unknown."""
        return None

    def beat(self) -> None:  # noqa: B027
        """Records that this client is alive."""

    def leave(self) -> bool:
        """Removes the record of this client. Returns whether it was the last one of the machine."""
        return True


class MemoryStorage(Storage):
    """Keeps the state for the life of the process: for tests, and for servers that activate at each start."""

    def __init__(self) -> None:
        self._text: str | None = None

    def read(self) -> str | None:
        return self._text

    def write(self, text: str) -> None:
        self._text = text

    def remove(self) -> None:
        self._text = None


class _LostLockError(Exception):
    """Another process took the lock for abandoned, so it may have changed the text."""


class FileStorage(Storage):
    """Stores the state in the file `state` of a folder, which the clients of all languages share.

    `silent` is the time in seconds after which a client of the machine counts as gone.
    """

    def __init__(self, directory: Path, silent: float) -> None:
        self._directory = directory
        self._file = directory / "state"
        self._lock = directory / "lock"
        self._processes = directory / "processes"
        self._own = self._processes / f"{os.getpid()}.{uuid.uuid4()}"
        self._silent = silent
        self._held: str | None = None

    def read(self) -> str | None:
        try:
            return _text_of(self._file)
        except FileNotFoundError:
            return None

    def write(self, text: str) -> None:
        _write_whole(self._file, text, self._must_hold)

    def remove(self) -> None:
        self._must_hold()
        self._file.unlink(missing_ok=True)

    def set_aside(self, text: str) -> None:
        _write_whole(self._directory / "state.broken", text, lambda: None)

    def exclusively(self, change: Callable[[], Result]) -> Result:
        repeats = 0
        while True:
            self._held = self._take_lock() if repeats < _REPEATS else None
            try:
                return change()
            except _LostLockError:
                repeats += 1
            finally:
                if self._held is not None and self._holds_lock():
                    with contextlib.suppress(OSError):
                        self._lock.unlink()
                self._held = None

    def written_at(self) -> int | None:
        times = []
        for place in (self._directory, *self._directory.rglob("*")):
            with contextlib.suppress(OSError):
                times.append(place.stat().st_mtime_ns // 1_000_000)
        return max(times, default=None)

    def beat(self) -> None:
        try:
            os.utime(self._own)
        except OSError:
            make_folder(self._processes)
            os.close(os.open(self._own, os.O_WRONLY | os.O_CREAT, 0o600))

    def leave(self) -> bool:
        self._own.unlink(missing_ok=True)
        is_last = True
        for file in list(self._processes.iterdir()) if self._processes.is_dir() else []:
            with contextlib.suppress(OSError):
                process, _, _ = file.name.partition(".")
                is_silent = time.time() - file.stat().st_mtime >= self._silent
                if process.isdecimal() and not is_silent and _is_alive(int(process)):
                    is_last = False
                else:
                    file.unlink()
        return is_last

    def _must_hold(self) -> None:
        if self._held is not None and not self._holds_lock():
            raise _LostLockError

    def _holds_lock(self) -> bool:
        return _text_or_none(self._lock) == self._held

    def _take_lock(self) -> str | None:
        """The text of the lock that this process holds; None if the work must go on without it."""
        text = str(uuid.uuid4())
        give_up_at = time.monotonic() + _PATIENCE_S
        shown: str | None = None
        shown_since = 0.0
        while time.monotonic() < give_up_at:
            is_created = self._create_lock(text)
            if is_created is not None:
                return text if is_created else None
            present = _text_or_none(self._lock)
            if present is None or present != shown:
                shown, shown_since = present, time.monotonic()
            elif time.monotonic() - shown_since > _ABANDONED_S:
                self._remove_abandoned(present)
            time.sleep(_PAUSE_S)
        return None

    def _create_lock(self, text: str) -> bool | None:
        """Whether the lock was created; None if somebody holds it."""
        try:
            make_folder(self._directory)
        except OSError:
            return False
        try:
            handle = os.open(self._lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return None
        except OSError:
            # Windows reports so for a file that is about to disappear.
            return None if sys.platform == "win32" else False
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
        except OSError:
            self._lock.unlink(missing_ok=True)
            return False
        return True

    def _remove_abandoned(self, text: str) -> None:
        """Removes the lock. Another process may have done so and taken it since: that lock is put back."""
        moved = Path(f"{self._lock}.{uuid.uuid4()}")
        with contextlib.suppress(OSError):
            self._lock.rename(moved)
            if _text_or_none(moved) != text:
                os.link(moved, self._lock)
        with contextlib.suppress(OSError):
            moved.unlink(missing_ok=True)


def _text_of(file: Path) -> str:
    with open(file, "rb") as stream:
        # A longer text is no state in any case.
        return stream.read(4 * MAX_TEXT + 1).decode("utf-8", "replace")


def _text_or_none(file: Path) -> str | None:
    try:
        return _text_of(file)
    except OSError:
        return None


def _write_whole(file: Path, text: str, may_replace: Callable[[], None]) -> None:
    """Writes a temporary file and renames it, so that a crash leaves the old or the new text."""
    make_folder(file.parent)
    temporary = Path(f"{file}.{uuid.uuid4()}.tmp")
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(text.encode("utf-8", "replace"))
            stream.flush()
            os.fsync(stream.fileno())
        may_replace()
        _replace(temporary, file)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def _replace(temporary: Path, file: Path) -> None:
    give_up_at = time.monotonic() + _REPLACE_FOR_S
    while True:
        try:
            os.replace(temporary, file)
            return
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() > give_up_at:
                raise
            time.sleep(0.05)


def _is_alive(process: int) -> bool:
    """Whether a process exists. One of another user counts as alive."""
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        query_limited_information, access_denied, still_active = 0x1000, 5, 259
        handle = kernel.OpenProcess(query_limited_information, False, process)
        if not handle:
            return ctypes.get_last_error() == access_denied
        status = ctypes.c_ulong()
        kernel.GetExitCodeProcess(handle, ctypes.byref(status))
        kernel.CloseHandle(handle)
        return status.value == still_active
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
