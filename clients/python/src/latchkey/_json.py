"""Reads and writes JSON. Python's own reader accepts more than JSON, and distinguishes 1 from 1.0."""

from __future__ import annotations

import json
from typing import Any

# Beyond it, the languages that share the stored state do not have every whole number.
_LARGEST_WHOLE = 2**53 - 1
# A longer number takes quadratic time as an int.
_LONGEST_INT = 18


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def _int(text: str) -> float:
    return int(text) if len(text) <= _LONGEST_INT else float(text)


def parse(text: str) -> Any:
    """The value of a JSON text; None for any other text."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_int=_int)
    except (ValueError, RecursionError):
        return None


def parse_object(text: str) -> dict[str, Any] | None:
    """The object of a JSON text; None for any other text."""
    value = parse(text)
    return value if isinstance(value, dict) else None


def write(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def whole(value: object) -> int | None:
    """A whole number that every language has; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if abs(value) <= _LARGEST_WHOLE and value == int(value) else None
