"""Calls and waits as generators, so that one text of them serves the client and its async twin."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

Result = TypeVar("Result")


@dataclass(frozen=True)
class Send:
    """Sends a request; the flow gets the response, or the ``httpx.TransportError`` that came instead."""

    request: httpx.Request


@dataclass(frozen=True)
class Sleep:
    seconds: float


#: Yields what is to be done, and returns its result.
Flow = Generator["Send | Sleep", Any, Result]
