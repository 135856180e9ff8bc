"""Client of agent-rails: register, buy runs, pay with x402, move payouts, and verify receipts and webhooks."""

from .access import Access, Payer, Wallet
from .agents import RegisteredAgent, claim_access_key, register
from .calls import Answer, Upload
from .client import AsyncClient, Client
from .errors import ProblemError
from .keys import AgentKey, digest_of
from .operation import Operation
from .payouts import PayoutOutcome, read_payout_bodies, submit_payouts
from .receipts import InvalidReceiptError, verify_receipt, verify_receipt_chain, verify_webhook
from .waiting import execute_payout, wait_for_run

__all__ = [
    "Access",
    "AgentKey",
    "Answer",
    "AsyncClient",
    "Client",
    "InvalidReceiptError",
    "Operation",
    "Payer",
    "PayoutOutcome",
    "ProblemError",
    "RegisteredAgent",
    "Upload",
    "Wallet",
    "claim_access_key",
    "digest_of",
    "execute_payout",
    "read_payout_bodies",
    "register",
    "submit_payouts",
    "verify_receipt",
    "verify_receipt_chain",
    "verify_webhook",
    "wait_for_run",
]
