"""A model buys a run with the OpenAI Agents SDK, which takes the service's tools from MCP.

    pip install openai-agents==0.24.0
    ACCESS_KEY=… MODEL_URL=https://…/v1 MODEL_KEY=… MODEL=… python3 examples/frameworks/openai_agents.py "Have packetops check …"
"""

import asyncio
import os
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI


async def main() -> None:
    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=os.environ["MODEL_URL"], api_key=os.environ["MODEL_KEY"])
    async with MCPServerStreamableHttp(
        params={
            "url": "http://127.0.0.1:3000/api/mcp",
            "headers": {"Authorization": f"Bearer {os.environ['ACCESS_KEY']}"},
        },
        client_session_timeout_seconds=30,
    ) as service:
        agent = Agent(
            name="Buyer",
            model=OpenAIChatCompletionsModel(os.environ["MODEL"], client),
            mcp_servers=[service],
        )
        result = await Runner.run(agent, sys.argv[1], max_turns=20)
        print(result.final_output)


asyncio.run(main())
