"""Licenses a program with a Latchkey service. docs/apps/python.md explains it."""

from ._clock import Clock
from ._machine import machine_fingerprint, state_directory
from .aio import AsyncLatchkey
from .client import Latchkey
from .errors import BadLicenseFile, LatchkeyError, NoFingerprint, NoLicenseKey, Refused, Unreachable
from .license_file import LicenseFile, PublicKey, read_license_file
from .options import Options
from .state import (
    ClockCondition,
    Consumption,
    Counted,
    FeatureValue,
    LicenseFacts,
    Problem,
    ProblemKind,
    Queued,
    RefusedUse,
    State,
    Status,
)
from .storage import FileStorage, MemoryStorage, Storage
from .transport import Reply, Request, Transport, TransportFailure, urllib_transport

__all__ = [
    "AsyncLatchkey",
    "BadLicenseFile",
    "Clock",
    "ClockCondition",
    "Consumption",
    "Counted",
    "FeatureValue",
    "FileStorage",
    "Latchkey",
    "LatchkeyError",
    "LicenseFacts",
    "LicenseFile",
    "MemoryStorage",
    "NoFingerprint",
    "NoLicenseKey",
    "Options",
    "Problem",
    "ProblemKind",
    "PublicKey",
    "Queued",
    "Refused",
    "RefusedUse",
    "Reply",
    "Request",
    "State",
    "Status",
    "Storage",
    "Transport",
    "TransportFailure",
    "Unreachable",
    "machine_fingerprint",
    "read_license_file",
    "state_directory",
    "urllib_transport",
]
