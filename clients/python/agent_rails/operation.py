from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast

Request = TypeVar("Request", contravariant=True)
Body = TypeVar("Body", covariant=True)

Way = Literal["operator", "agent", "status", "wallet", "provider", "public"]


@dataclass(frozen=True)
class Operation(Generic[Request, Body]):
    """What a client has to know of an operation in order to call it."""

    id: str
    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    host: Literal["base", "os", "both"]
    #: The ways in which it may be called, the preferred one first.
    ways: tuple[Way, ...]
    #: It judges a presented credential instead of refusing it.
    examines: bool = False
    #: The body is sent as it is; the input goes into path and query.
    streams: bool = False
    #: A status token needs the signature of the agent's registered key with it.
    signed: bool = False
    #: The body takes an idempotency key; without one the header ``Idempotency-Key`` names it.
    keyed: bool = False
    #: The call is kept, so that its caller is known by a secret where it presents no credential.
    keeps: bool = False
    #: The key in its input signs for a repeat.
    recalls: bool = False

    def __call__(self, given: Request) -> Call[Body]:
        """A call of this operation, for ``Client.call``."""
        return Call(cast("Operation[Any, Body]", self), cast("Mapping[str, Any]", given))


@dataclass(frozen=True)
class Call(Generic[Body]):
    """An operation with its input."""

    operation: Operation[Any, Body]
    given: Mapping[str, Any]
