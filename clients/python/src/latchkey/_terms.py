"""The terms of a license for a build of the app: its features, and the builds that it covers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from . import _json, _times
from ._stored import Facts, is_feature
from .license_file import LicenseFile
from .state import FeatureValue

_VERSION = re.compile(r"\d{1,15}(\.\d{1,15})*([-+].*)?", re.ASCII)


@dataclass(frozen=True)
class Build:
    """The build of the app: its date in milliseconds since 1970 and its dotted numbers, None if it does not say."""

    date: int | None
    version: str | None


@dataclass(frozen=True)
class Terms:
    """Terms as an answer, a license file or the stored facts state them.

    `feature_ends` are seconds since 1970, `updates_until` is in milliseconds.
    """

    features: Mapping[str, FeatureValue] = field(default_factory=dict)
    feature_ends: Mapping[str, int] = field(default_factory=dict)
    updates_until: int | None = None
    max_version: str | None = None

    def feature(self, name: str, now: int) -> FeatureValue | None:
        end = self.feature_ends.get(name)
        return None if end is not None and end * 1000 <= now else self.features.get(name)

    def covers(self, build: Build) -> bool:
        """Whether the terms cover a build. A build of the very moment is covered."""
        if self.updates_until is not None and build.date is not None and build.date > self.updates_until:
            return False
        return self.max_version is None or build.version is None or not _is_above(build.version, self.max_version)


def terms_of_facts(facts: Facts) -> Terms:
    until = _times.read_iso(facts["updatesUntil"])
    return Terms(features=facts["features"] or {}, updates_until=until, max_version=facts["maxVersion"])


def terms_of_file(file: LicenseFile) -> Terms:
    """The terms in a genuine file. Those of another type count as absent, as a later service may have made it."""
    claims = file.claims
    ends = claims.get("featureEnds")
    whole_ends = {name: _json.whole(end) for name, end in ends.items()} if isinstance(ends, dict) else {}
    until, version = _json.whole(claims.get("updatesUntil")), claims.get("maxVersion")
    return Terms(
        features=features_in(claims.get("features")) or {},
        feature_ends={name: end for name, end in whole_ends.items() if end is not None},
        updates_until=None if until is None else until * 1000,
        max_version=version if isinstance(version, str) else None,
    )


def features_in(value: object) -> dict[str, FeatureValue] | None:
    """The features in an answer or a file, without those of another type; None without any object."""
    if not isinstance(value, dict):
        return None
    return {name: each for name, each in value.items() if is_feature(each)}


def is_version(text: str) -> bool:
    """Whether a text is a version: dotted whole numbers, and anything behind a hyphen or a plus."""
    return _VERSION.fullmatch(text) is not None


def _is_above(version: str, bound: str) -> bool:
    """Whether a version is above a bound, of which only the given numbers count: 2.3.7 is not above 2.3."""
    numbers = _numbers_of(version)
    for index, most in enumerate(_numbers_of(bound)):
        given = numbers[index] if index < len(numbers) else 0
        if given != most:
            return given > most
    return False


def _numbers_of(version: str) -> list[float]:
    dotted = re.split(r"[-+]", version)[0].split(".")
    # A bound that is no number covers everything.
    return [int(part) if re.fullmatch(r"[0-9]{1,15}", part) else float("nan") for part in dotted]
