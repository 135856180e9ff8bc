"""Sandbox runs of three rails at once, without an agent, with the async client.

    npm run client:python && pip install ./clients/python
    python3 examples/many_runs.py
"""

import asyncio
import uuid
from dataclasses import replace
from typing import cast

from agent_rails import Access, AsyncClient, operations
from agent_rails.types import AgentSandboxRunRequest, FollowedSandboxRun

BASE_URL = "http://127.0.0.1:3000"


async def main() -> None:
    async with AsyncClient(Access(BASE_URL)) as service:
        asked: list[AgentSandboxRunRequest] = [
            {"rail": "tokenops", "idempotency_key": str(uuid.uuid4())},
            {"rail": "financeops", "idempotency_key": str(uuid.uuid4())},
            {"rail": "energyops", "idempotency_key": str(uuid.uuid4())},
        ]
        for line in await asyncio.gather(*(run(service, one) for one in asked)):
            print(line)


async def run(service: AsyncClient, asked: AgentSandboxRunRequest) -> str:
    started = (await service.call(operations.AGENT_SANDBOX_RUN(asked))).body
    holder = service.using(replace(service.access, status_token=started["status_token"]))
    while True:
        followed = cast(FollowedSandboxRun, (await holder.call(operations.AGENT_SANDBOX_READ({}))).body)
        state = followed["run"]["state"]
        if state in ("closed", "exception_open"):
            return f"{asked['rail']:12} {state}"
        await asyncio.sleep(0.5)


asyncio.run(main())
