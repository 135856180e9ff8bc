"""Buys a run over MCP with Python's `mcp` client, and pays with the x402 library; prints what it got as JSON."""

import asyncio
import json
import sys

import httpx2
from eth_account import Account
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from x402 import x402Client
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact.register import register_exact_evm_client
from x402.schemas import PaymentRequired

asked = json.load(sys.stdin)


async def main() -> None:
    payer = x402Client()
    limit = {"network": "eip155:8453", "asset": asked["asset"], "max_amount_per_payment": "500000000"}
    payer.set_spend_controls({"allowed_assets": [limit]})
    register_exact_evm_client(payer, EthAccountSigner(Account.from_key(asked["private_key"])))
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {asked['credential']}"}, timeout=60)
    async with Client(streamable_http_client(asked["url"], http_client=http), mode=asked["mode"]) as client:
        tools = await client.list_tools()
        unpaid = await client.call_tool("start_rail_run", asked["start"])
        meta = None
        if unpaid.is_error:
            offer = json.loads(unpaid.content[0].text)
            assert offer == unpaid.structured_content
            payment = await payer.create_payment_payload(PaymentRequired.model_validate(offer))
            meta = {"x402/payment": payment.model_dump(by_alias=True, mode="json", exclude_none=True)}
        paid = await client.call_tool("start_rail_run", asked["start"], meta=meta)
        again = await client.call_tool("start_rail_run", asked["start"], meta=meta)
        assert not paid.is_error, paid.content[0].text
        run = paid.structured_content["run"]
        status = await client.call_tool("get_run_status", {"run_id": run["run_id"], "wait_ms": 20000})
    print(
        json.dumps(
            {
                "tools": len(tools.tools),
                "was_asked_to_pay": unpaid.is_error,
                "settlement": (paid.meta or {}).get("x402/payment-response"),
                "runs": [result.structured_content["run"]["run_id"] for result in (paid, again, status)],
            }
        )
    )


asyncio.run(main())
