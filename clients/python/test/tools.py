"""Checks the package with the tools of its language, which pip installs: ruff, mypy, and the builder of packages.

Prints `left out` and a reason where they cannot be installed, and ends well then.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import venv
import zipfile
from pathlib import Path

HERE = Path(__file__).parent.parent
TOOLS = HERE / "build" / "tools"
NEEDED = ("ruff", "mypy", "build", "hatchling")
INSTALL_LIMIT_S = 180


def python_of(environment: Path) -> str:
    return str(environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def has_tools() -> bool:
    # Not in the folder of this package, whose folder `build` has the name of a tool.
    imports = [python_of(TOOLS), "-c", "import build, hatchling, mypy, ruff"]
    return subprocess.run(imports, cwd=TOOLS, capture_output=True, check=False).returncode == 0


def install() -> str | None:
    """Returns why the tools could not be installed."""
    try:
        if not Path(python_of(TOOLS)).exists() or not has_tools():
            venv.create(TOOLS, with_pip=True, clear=True)
            command = [python_of(TOOLS), "-m", "pip", "install", "-q", "--disable-pip-version-check", *NEEDED]
            subprocess.run(command, capture_output=True, timeout=INSTALL_LIMIT_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{error}"
    return None


def run(*command: str, cwd: Path = HERE) -> None:
    print("+", *command, flush=True)
    subprocess.run(command, cwd=cwd, check=True)


def check_package() -> None:
    """Builds the sdist, and the wheel from it, and uses the wheel in an environment of its own."""
    tool = python_of(TOOLS)
    with tempfile.TemporaryDirectory() as folder:
        run(tool, "-m", "build", "--no-isolation", "--outdir", folder, str(HERE), cwd=TOOLS)
        (wheel,) = Path(folder).glob("*.whl")
        if not list(Path(folder).glob("*.tar.gz")):
            raise SystemExit("there is no sdist")
        names = zipfile.ZipFile(wheel).namelist()
        if "latchkey/py.typed" not in names or any(name.startswith("test") for name in names):
            raise SystemExit(f"the wheel has {names}")
        environment = Path(folder, "environment")
        venv.create(environment, with_pip=True)
        python = python_of(environment)
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", str(wheel))
        app = Path(folder, "app.py")
        app.write_text(
            "from latchkey import Latchkey, Options\n"
            "status: str = Latchkey(Options('https://licenses.example.com', 'app', directory='state')).state.status\n"
            "print(status)\n"
        )
        said = subprocess.run([python, "app.py"], cwd=folder, capture_output=True, text=True, check=True).stdout
        if said != "unlicensed\n":
            raise SystemExit(f"the installed client said {said}")
        # The types of the installed package are found by its marker.
        run(tool, "-m", "mypy", "--strict", "--python-executable", python, "app.py", cwd=Path(folder))


def main() -> None:
    problem = install()
    if problem is not None:
        print(f"left out ruff, mypy and the package: {problem}")
        return
    tool = python_of(TOOLS)
    run(tool, "-m", "ruff", "check", ".")
    run(tool, "-m", "ruff", "format", "--check", ".")
    for platform in ("linux", "darwin", "win32"):
        run(tool, "-m", "mypy", "--platform", platform)
    check_package()


if __name__ == "__main__":
    main()
