"""Facts about a license, taken from answers and license files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ._stored import NO_FACTS, Facts
from ._terms import features_in, terms_of_file
from ._times import DAY, iso, read_iso
from .license_file import LicenseFile

Reply = Mapping[str, Any]


def hint_of(license_key: str) -> str:
    key = license_key.strip().upper()
    return key.rsplit("-", 1)[1] if "-" in key else key[-4:]


def is_key_of_file(license_key: str, file: LicenseFile) -> bool:
    """Whether a key, in any spelling, can be the one that a file names."""

    def bare(text: str) -> str:
        return re.sub("[^A-Z0-9]", "", text.upper())

    return bare(license_key).endswith(bare(file.key_hint))


def facts_of_key(license_key: str, product_id: str) -> Facts:
    """The facts known before the first answer."""
    return {**NO_FACTS, "licenseKeyHint": hint_of(license_key), "productId": product_id}


def _iso_or_none(value: object) -> object:
    return None if read_iso(value) is None else value


def coverage_in(reply: Reply) -> Facts:
    """The covered builds, as an answer or a refusal states them. One of another type counts as absent."""
    version = reply.get("maxVersion")
    return {
        "updatesUntil": _iso_or_none(reply.get("updatesUntil")),
        "maxVersion": version if isinstance(version, str) else None,
    }


def facts_after_heartbeat(before: Facts, reply: Reply) -> Facts:
    """Adds the facts in an answer of /heartbeat, which every good answer of the other endpoints has, too."""
    return {
        **before,
        "graceUntil": _iso_or_none(reply.get("graceUntil")),
        "features": features_in(reply.get("features")),
    }


def _facts_after(before: Facts, reply: Reply, names: tuple[str, ...]) -> dict[str, Any]:
    type_name = ("licenseType",) if "licenseType" in reply else ()
    taken = {name: reply[name] for name in (*names, *type_name)}
    return {**facts_after_heartbeat(before, reply), **taken, **coverage_in(reply)}


def facts_after_activation(before: Facts, reply: Reply, now: int) -> Facts:
    """Adds the facts in an answer of /activate."""
    facts = _facts_after(before, reply, ("variant", "licenseExpiresAt", "machinesUsed", "maxMachines"))
    return {**facts, "daysRemaining": _days_until(read_iso(reply["licenseExpiresAt"]), now)}


def facts_after_check(before: Facts, reply: Reply) -> Facts:
    """Adds the facts in an answer of /validate."""
    return _facts_after(before, reply, ("productId", "variant", "licenseExpiresAt", "daysRemaining"))


def facts_of_file(file: LicenseFile, now: int) -> Facts:
    """The facts in a license file."""
    terms = terms_of_file(file)
    expires = None if file.license_expires is None else file.license_expires * 1000
    return {
        **NO_FACTS,
        "licenseKeyHint": file.key_hint,
        "productId": file.product_id,
        "variant": file.variant,
        "licenseType": file.license_type,
        "licenseExpiresAt": None if expires is None else iso(expires),
        "daysRemaining": _days_until(expires, now),
        "maxMachines": file.claims.get("maxMachines"),
        "updatesUntil": None if terms.updates_until is None else iso(terms.updates_until),
        "maxVersion": terms.max_version,
        "features": features_in(file.claims.get("features")),
    }


def _days_until(expires: int | None, now: int) -> int | None:
    """Rounds up to whole days, like the service. Subtracts a second, because its `Date` header omits fractions."""
    return None if expires is None else max(0, -((now + 1000 - expires) // DAY))
