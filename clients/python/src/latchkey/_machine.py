"""The identity of the machine, and the folder of the stored state.

The fingerprint is the id that the system keeps, hashed together with the product: the hash cannot be reversed, and
fingerprints of two products cannot be matched. Hostnames and network addresses are not used, because they change.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import re
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Callable, TypeVar

from .license_file import encode_base64url

Result = TypeVar("Result")

_TRIES = 3
_PAUSE_S = 0.1
_PROGRAM_LIMIT_S = 5.0


def state_directory(product_id: str) -> Path:
    """The default folder of the stored state: one for each product, of this user."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base, "latchkey", re.sub(r"[^A-Za-z0-9_.-]", "_", product_id))


def make_folder(folder: Path) -> None:
    """Creates a folder, and those above it, for this user alone. `Path.mkdir` gives those above to everybody."""
    try:
        folder.mkdir(mode=0o700)
    except FileNotFoundError:
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        if not folder.is_dir():
            raise


def machine_fingerprint(product_id: str, directory: Path) -> str:
    """The fingerprint of this machine.

    In a container, or if the system keeps no id, it is made from a random id in the file `machine-id` of the folder.
    Raises `OSError` if the id cannot be read at the moment: a random one would be another machine to the service.
    """
    machine_id = (None if _is_in_container() else _system_id()) or _kept_id(directory)
    digest = hmac.new(machine_id.encode(), f"latchkey:{product_id}".encode("utf-8", "replace"), hashlib.sha256)
    return f"v1.{encode_base64url(digest.digest())[:22]}"


def linux_id(text: str) -> str | None:
    """The id in the text of a file; None if it is none, as in an image that was never started."""
    found = text.strip().lower()
    return found if re.fullmatch("[0-9a-f]{32}", found) and found.strip("0") else None


def mac_id(text: str) -> str | None:
    """`IOPlatformUUID` in the output of `ioreg`; None if absent."""
    found = re.search(r'"IOPlatformUUID"\s*=\s*"([0-9A-Fa-f-]{36})"', text)
    return None if found is None else found[1].lower()


def windows_id(text: str) -> str | None:
    """`MachineGuid` in the output of `reg.exe`; None if absent."""
    found = re.search(r"MachineGuid\s+REG_SZ\s+([0-9A-Fa-f-]{36})", text)
    return None if found is None else found[1].lower()


def _system_id() -> str | None:
    if sys.platform == "darwin":
        return mac_id(_text_of_program("/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice"))
    if sys.platform == "win32":
        program = os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "reg.exe")
        key = r"HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Cryptography"
        return windows_id(_text_of_program(program, "query", key, "/v", "MachineGuid", "/reg:64"))
    return linux_id(_text_of_file("/etc/machine-id")) or linux_id(_text_of_file("/var/lib/dbus/machine-id"))


def _is_in_container() -> bool:
    """Containers of one image share its id, or get a new one at each start."""
    if not sys.platform.startswith("linux"):
        return False
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return True
    return re.search("kubepods|docker|containerd|lxc", _text_of_file("/proc/self/cgroup")) is not None


def _text_of_file(path: str) -> str:
    """The text of a file of the system; empty if there is none for this app."""

    def read() -> str:
        try:
            return Path(path).read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError):
            return ""

    return _tried(read)


def _text_of_program(*command: str) -> str:
    """The output of a program; empty if it does not exist or fails. Raises `OSError` if it was killed or is stuck."""

    def run() -> str:
        try:
            done = subprocess.run(command, capture_output=True, timeout=_PROGRAM_LIMIT_S, check=False)
        except FileNotFoundError:
            return ""
        # Other statuses are those of signals, or of crashes on Windows.
        if not 0 <= done.returncode <= 255:
            raise OSError(f"{command[0]} ended with {done.returncode}")
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""

    try:
        return _tried(run)
    except subprocess.TimeoutExpired as error:
        raise OSError(f"{command[0]} took too long") from error


def _tried(read: Callable[[], Result]) -> Result:
    for _ in range(_TRIES - 1):
        try:
            return read()
        except OSError:
            time.sleep(_PAUSE_S)
    return read()


def _kept_id(directory: Path) -> str:
    """The random id of a folder. If several processes create it at once, all of them get the first one."""
    file = directory / "machine-id"
    known: str | None = None
    with contextlib.suppress(OSError):
        known = file.read_text(encoding="utf-8", errors="replace")
    if known is not None and known.strip():
        return known.strip()
    make_folder(directory)
    temporary = Path(f"{file}.{uuid.uuid4()}.tmp")
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            stream.write(str(uuid.uuid4()))
        if known is None:
            # Fails if another process has created the file by now.
            with contextlib.suppress(FileExistsError):
                os.link(temporary, file)
        else:
            # An empty file, as after a power cut.
            os.replace(temporary, file)
        return file.read_text(encoding="utf-8", errors="replace").strip()
    finally:
        temporary.unlink(missing_ok=True)
