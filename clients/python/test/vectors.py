"""Reads the test vectors that the clients of all languages share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(_ROOT / "clients/python/src"))


def read_vectors(path: str) -> Any:
    return json.loads((_ROOT / path).read_text(encoding="utf-8"))
