"""Verifies Ed25519 signatures (RFC 8032) where the package `cryptography` is not installed.

There are no secrets here, so the time need not be constant. Keys and points of small order, and points in a second
spelling, are refused.
"""

from __future__ import annotations

import hashlib

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)

# Extended coordinates: X, Y, Z and T with x = X / Z, y = Y / Z and x * y = T / Z.
_Point = tuple[int, int, int, int]
_NEUTRAL: _Point = (0, 1, 1, 0)


def _add(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _times(factor: int, point: _Point) -> _Point:
    product = _NEUTRAL
    while factor > 0:
        if factor & 1:
            product = _add(product, point)
        point = _add(point, point)
        factor >>= 1
    return product


def _x_of(y: int, sign: int) -> int | None:
    """The x of a point on the curve; None without one."""
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P != 0:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if (x * x - square) % _P != 0 or (x == 0 and sign == 1):
        return None
    return x if x & 1 == sign else _P - x


def _decode(data: bytes) -> _Point | None:
    """The point of 32 bytes; None for none, for a second spelling, and for small order."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    x = _x_of(y, sign) if y < _P else None
    if x is None:
        return None
    point = (x, y, 1, x * y % _P)
    multiple = _times(8, point)
    return None if multiple[0] == 0 and multiple[1] == multiple[2] else point


_BASE_Y = 4 * pow(5, -1, _P) % _P
_BASE_X = _x_of(_BASE_Y, 0) or 0
_BASE: _Point = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _P)


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the key made the signature of the message."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, point = _decode(public_key), _decode(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or point is None or scalar >= _ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    factor = int.from_bytes(digest, "little") % _ORDER
    left, right = _times(scalar, _BASE), _add(point, _times(factor, key))
    is_same_x = (left[0] * right[2] - right[0] * left[2]) % _P == 0
    return is_same_x and (left[1] * right[2] - right[1] * left[2]) % _P == 0
