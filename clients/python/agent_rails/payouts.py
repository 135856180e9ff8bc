from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import httpx

from . import operations
from .access import Access
from .calls import perform
from .errors import ProblemError
from .flow import Flow
from .types import PayoutCreateRequest

BODIES_MAX = 10_000
PAYMENT_REQUIRED = 402
TEXTS = ("recipient", "amount_usdc", "idempotency_key", "memo", "rail_reference")


@dataclass(frozen=True)
class PayoutOutcome:
    """What became of one body: ``pending`` may be created by the same call again, and ``refused`` may not."""

    body: PayoutCreateRequest
    outcome: Literal["created", "refused", "pending"]
    payout_id: str | None = None
    #: The payout was created by an earlier call, which this one neither repeated nor paid.
    repeated: bool = False
    #: Why it is not created: the code of the refusal, ``unreachable`` or ``not_sent``, and words.
    code: str | None = None
    detail: str | None = None


def read_payout_bodies(json_lines: str) -> list[PayoutCreateRequest]:
    """The bodies in a text of JSON Lines, such as ``payouts/payout-create.jsonl`` of a package.

    Raises ``ValueError`` with the line of what is no body, and of a key that stands there twice.
    """
    filled = [(at + 1, line) for at, line in enumerate(json_lines.split("\n")) if line.strip()]
    if len(filled) > BODIES_MAX:
        raise ValueError(f"there are more than {BODIES_MAX} bodies")
    keys: set[str] = set()
    bodies: list[PayoutCreateRequest] = []
    for number, line in filled:
        body = _body_in(line)
        if body is None:
            raise ValueError(f"line {number} is no body of payout-create")
        if body["idempotency_key"] in keys:
            raise ValueError(f"line {number} has the idempotency_key of a line before it")
        keys.add(body["idempotency_key"])
        bodies.append(body)
    return bodies


def _body_in(line: str) -> PayoutCreateRequest | None:
    try:
        value: Any = json.loads(line)
    except ValueError:
        return None
    if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in TEXTS):
        return None
    return cast(PayoutCreateRequest, value)


def submit_payouts(
    access: Access, bodies: Sequence[PayoutCreateRequest]
) -> Flow[list[PayoutOutcome]]:
    """Creates payouts one after another, by ordinary calls of the wallet.

    Each body has its own idempotency key, so the same bodies may be submitted again: what was created is answered from the
    store and costs nothing. After a call that is pending no more are sent.
    """
    outcomes: list[PayoutOutcome] = []
    stopped = False
    for body in bodies:
        if stopped:
            detail = "a call before it is pending"
            outcome = PayoutOutcome(body, "pending", code="not_sent", detail=detail)
        else:
            outcome = yield from _submit_one(access, body)
        stopped = stopped or outcome.outcome == "pending"
        outcomes.append(outcome)
    return outcomes


def _submit_one(access: Access, body: PayoutCreateRequest) -> Flow[PayoutOutcome]:
    try:
        answer = yield from perform(access, operations.PAYOUT_CREATE(body))
    except httpx.TransportError as error:
        return PayoutOutcome(body, "pending", code="unreachable", detail=str(error))
    except ProblemError as error:
        # Without the fee the next call is refused, too; with it, this one is made.
        pending = error.retryable or error.problem["status"] == PAYMENT_REQUIRED
        outcome: Literal["pending", "refused"] = "pending" if pending else "refused"
        return PayoutOutcome(body, outcome, code=error.code, detail=error.problem["detail"])
    payout_id = answer.body["payout"]["payout_id"]
    return PayoutOutcome(body, "created", payout_id=payout_id, repeated=answer.replayed)
