"""A payout: created and paid for by an agent, authorized by a treasury, executed, and its receipts verified offline.

    npm run client:python && pip install './clients/python[wallet]'
    python3 examples/payout.py
"""

import json
import time
import uuid
from pathlib import Path

from agent_rails import Access, Client, execute_payout, operations, verify_receipt_chain
from agent_rails.wallet import LocalWallet, Treasury, X402Payer, authorize_payout

BASE_URL = "http://127.0.0.1:3000"
accounts = json.loads(Path(".data/demo/accounts.json").read_text())

with Client(Access(BASE_URL)) as service:
    asset = service.call(operations.TRUST_CONTRACT({})).body["payout"]["asset"]
    wallet = LocalWallet.of(accounts["agents"][0]["private_key"])
    payer = X402Payer(wallet, asset=asset, max_per_call=100_000)
    agent = service.using(Access(BASE_URL, wallet=wallet, payer=payer))
    treasury = Treasury(
        holder=LocalWallet.of(accounts["treasury"]["holder"]["private_key"]),
        principal=LocalWallet.of(accounts["treasury"]["principal"]["private_key"]),
        operator=Access(BASE_URL, operator=accounts["operator"]["credential"]),
    )

    key = f"python-{uuid.uuid4()}"
    created = agent.call(
        operations.PAYOUT_CREATE(
            {
                "recipient": accounts["agents"][1]["address"],
                "amount_usdc": "0.25",
                "idempotency_key": key,
                "memo": "a payout from Python",
                "rail_reference": key,
                "usage": "synthetic",
            }
        )
    )
    payout = created.body["payout"]
    print("created   ", payout["payout_id"])

    authorization = agent.run(
        authorize_payout(
            treasury, payout, expires_at=int(time.time()) + 3600, idempotency_key=f"{key}-authorize"
        )
    )
    agent.call(operations.PAYOUT_AUTHORIZE(authorization))
    executed = agent.run(
        execute_payout(
            agent.access, {"payout_id": payout["payout_id"], "idempotency_key": f"{key}-execute"}
        )
    )
    print("executed  ", executed["payout"]["transfer"]["transaction_hash"])

    keys = service.call(operations.JWKS({})).body
    for facts in verify_receipt_chain(executed["receipts"], keys):
        print("receipt   ", facts["kind"])
