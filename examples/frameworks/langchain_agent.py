"""A model buys a run with LangChain, which takes the service's tools from MCP.

    pip install langchain==1.5.2 langchain-openai==1.7.4 langchain-mcp-adapters==0.3.2
    ACCESS_KEY=… MODEL_URL=https://…/v1 MODEL_KEY=… MODEL=… python3 examples/frameworks/langchain_agent.py "Have packetops check …"
"""

import asyncio
import os
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI


async def main() -> None:
    mcp = MultiServerMCPClient({
        "agent-rails": {
            "transport": "streamable_http",
            "url": "http://127.0.0.1:3000/api/mcp",
            "headers": {"Authorization": f"Bearer {os.environ['ACCESS_KEY']}"},
        }
    })
    model = ChatOpenAI(
        base_url=os.environ["MODEL_URL"], api_key=os.environ["MODEL_KEY"], model=os.environ["MODEL"]
    )
    agent = create_agent(model, await mcp.get_tools())
    answer = await agent.ainvoke({"messages": [{"role": "user", "content": sys.argv[1]}]})
    print(answer["messages"][-1].content)


asyncio.run(main())
