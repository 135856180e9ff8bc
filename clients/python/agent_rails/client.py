from __future__ import annotations

import asyncio
import time
from typing import TypeVar

import httpx

from .access import Access
from .calls import Answer, Upload, perform
from .flow import Flow, Send
from .operation import Call

Body = TypeVar("Body")
Result = TypeVar("Result")

#: A call may wait 20 s for a run.
TIMEOUT = 40.0


class Client:
    """A client of every operation. It signs and presents what an operation takes, pays, and repeats with the same key."""

    def __init__(self, access: Access, http: httpx.Client | None = None) -> None:
        self.access = access
        self._http = http or httpx.Client(timeout=TIMEOUT)

    def call(
        self, call: Call[Body], *, wait: float | None = None, upload: Upload | None = None
    ) -> Answer[Body]:
        """Calls an operation, such as ``operations.AGENT_QUOTE({"rail": "packetops", "tier": "entry"})``.

        ``wait`` is how many seconds the answer may wait for a change. Raises ``ProblemError`` when it is refused and ``httpx.TransportError`` when it gets no answer.
        """
        return self.run(perform(self.access, call, wait=wait, upload=upload))

    def run(self, flow: Flow[Result]) -> Result:
        """Runs a flow of this package, such as ``wait_for_run``, to its end."""
        try:
            step = next(flow)
            while True:
                if isinstance(step, Send):
                    try:
                        response = self._http.send(step.request)
                    except httpx.TransportError as error:
                        step = flow.throw(error)
                    else:
                        step = flow.send(response)
                else:
                    time.sleep(step.seconds)
                    step = next(flow)
        except StopIteration as end:
            result: Result = end.value
            return result

    def using(self, access: Access) -> Client:
        """A client over the same connections with another access."""
        return Client(access, self._http)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient:
    """The async twin of ``Client``."""

    def __init__(self, access: Access, http: httpx.AsyncClient | None = None) -> None:
        self.access = access
        self._http = http or httpx.AsyncClient(timeout=TIMEOUT)

    async def call(
        self, call: Call[Body], *, wait: float | None = None, upload: Upload | None = None
    ) -> Answer[Body]:
        """Calls an operation, such as ``operations.AGENT_QUOTE({"rail": "packetops", "tier": "entry"})``.

        ``wait`` is how many seconds the answer may wait for a change. Raises ``ProblemError`` when it is refused and ``httpx.TransportError`` when it gets no answer.
        """
        return await self.run(perform(self.access, call, wait=wait, upload=upload))

    async def run(self, flow: Flow[Result]) -> Result:
        """Runs a flow of this package, such as ``wait_for_run``, to its end."""
        try:
            step = next(flow)
            while True:
                if isinstance(step, Send):
                    try:
                        response = await self._http.send(step.request)
                    except httpx.TransportError as error:
                        step = flow.throw(error)
                    else:
                        step = flow.send(response)
                else:
                    await asyncio.sleep(step.seconds)
                    step = next(flow)
        except StopIteration as end:
            result: Result = end.value
            return result

    def using(self, access: Access) -> AsyncClient:
        """A client over the same connections with another access."""
        return AsyncClient(access, self._http)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
