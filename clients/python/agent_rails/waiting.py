from __future__ import annotations

import time

from . import operations
from .access import Access
from .calls import perform
from .flow import Flow, Sleep
from .types import GetRunStatusAnswer, PayoutExecuteAnswer, PayoutExecuteRequest

ASK_FOR = 20.0


def wait_for_run(access: Access, run_id: str, within: float = 60.0) -> Flow[GetRunStatusAnswer]:
    """The run once it is closed, or stopped by an exception; raises ``TimeoutError`` when it takes more than ``within`` seconds."""
    until = time.monotonic() + within
    while True:
        wait_ms = int(1000 * max(0.0, min(ASK_FOR, until - time.monotonic())))
        asked = operations.GET_RUN_STATUS(
            {"mode": "get_run_status", "run_id": run_id, "wait_ms": wait_ms}
        )
        answer = yield from perform(access, asked)
        run = answer.body["run"]
        if run["state"] in ("closed", "exception_open"):
            return answer.body
        if time.monotonic() >= until:
            raise TimeoutError(f"the run is {run['state']} after {within:g} s: {run['next_action']}")


def execute_payout(
    access: Access, execute: PayoutExecuteRequest, within: float = 60.0
) -> Flow[PayoutExecuteAnswer]:
    """Executes a payout and repeats the call with the same key until it is executed; raises ``TimeoutError`` when it takes longer.

    Money that may have moved is never paid again: each repeat asks for the same payout.
    """
    until = time.monotonic() + within
    while True:
        answer = yield from perform(access, operations.PAYOUT_EXECUTE(execute))
        if answer.status == 200:
            return answer.body
        payout = answer.body["payout"]
        if time.monotonic() > until:
            raise TimeoutError(f"the payout is not executed after {within:g} s: {payout['next_action']}")
        yield Sleep((payout["transfer"]["next_poll_ms"] or 1000) / 1000)
