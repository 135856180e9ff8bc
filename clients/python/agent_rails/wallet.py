"""Wallets, payments of x402 and payouts; needs the extra ``agent-rails[wallet]``."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from typing import Any, TypedDict

import httpx
import rfc8785
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount
from x402.client import x402ClientConfig, x402ClientSync
from x402.client_base import SchemeRegistration
from x402.http.x402_http_client import x402HTTPClientSync
from x402.mechanisms.evm.exact.client import ExactEvmScheme
from x402.mechanisms.evm.signers import EthAccountSigner

from . import operations
from .access import Access
from .calls import CHAIN_ID, NETWORK, perform
from .flow import Flow
from .keys import base64url, digest_of
from .types import PayoutAuthorizeRequest


class Payout(TypedDict):
    """The terms of a payout that its principal signs, as every answer about a payout has them."""

    payout_id: str
    payout_wallet: str
    recipient: str
    amount_atomic: str
    asset: str


@dataclass(frozen=True)
class LocalWallet:
    """A wallet whose key is in this process."""

    account: LocalAccount

    @staticmethod
    def create() -> LocalWallet:
        return LocalWallet(Account.create())

    @staticmethod
    def of(private_key: str) -> LocalWallet:
        return LocalWallet(Account.from_key(private_key))

    @property
    def address(self) -> str:
        return str(self.account.address)

    def sign_message(self, text: str) -> str:
        return _hex(self.account.sign_message(encode_defunct(text=text)).signature)

    def sign_typed_data(self, full_message: dict[str, Any]) -> str:
        return _hex(self.account.sign_typed_data(full_message=full_message).signature)


class X402Payer:
    """Pays refused calls with x402: in one token alone, and never more than ``max_per_call`` atomic units a call.

    The token of a service is in its trust contract.
    """

    def __init__(self, wallet: LocalWallet, *, asset: str, max_per_call: int) -> None:
        config = x402ClientConfig(
            schemes=[SchemeRegistration(NETWORK, ExactEvmScheme(EthAccountSigner(wallet.account)))],
            spend_controls={
                "allowed_assets": [
                    {"network": NETWORK, "asset": asset, "max_amount_per_payment": str(max_per_call)}
                ]
            },
        )
        self._client = x402HTTPClientSync(x402ClientSync.from_config(config))

    def pay(self, refused: httpx.Response) -> dict[str, str]:
        headers, _ = self._client.handle_402_response(
            dict(refused.headers), refused.content, str(refused.request.url)
        )
        return headers


@dataclass(frozen=True)
class Treasury:
    """Who may release the principal: the holder of the mandate, the principal, and an operator."""

    holder: LocalWallet
    principal: LocalWallet
    #: The access of an operator, who has the mandate issued.
    operator: Access


def authorize_payout(
    treasury: Treasury, payout: Payout, *, expires_at: int, idempotency_key: str
) -> Flow[PayoutAuthorizeRequest]:
    """What ``payout-authorize`` takes: asks for a challenge, has a mandate issued for exactly this payout, presents it with
    ``service-holder-binding-v2``, and signs as principal (payout-and-trust.md, Principal authorization)."""
    access, holder = treasury.operator, treasury.holder
    origin = access.own_origin
    digest = digest_of(
        {
            "type": "service.payout.principal-authorization.v1",
            "payout_id": payout["payout_id"],
            "recipient": payout["recipient"].lower(),
            "amount_atomic": payout["amount_atomic"],
            "expires_at": expires_at,
            "idempotency_key": idempotency_key,
            "chain_id": CHAIN_ID,
            "asset": payout["asset"].lower(),
        }
    )
    asked = yield from perform(
        access,
        operations.PAYOUT_CHALLENGE({"holder_wallet": holder.address, "request_sha256": digest}),
    )
    challenge = asked.body
    account = f"{NETWORK}:{holder.address.lower()}"
    bound = [f"origin: {origin}", f"holder: {account}"]
    checkout, nonce = challenge["checkout_hash"], challenge["nonce"]
    proof = ["service-holder-proof-v1", *bound, f"checkout-hash: {checkout}", f"nonce: {nonce}"]
    issued = yield from perform(
        access,
        operations.ISSUE_MANDATE(
            {
                "mode": "issue_mandate",
                "action": {
                    "payout": {
                        "payout_id": payout["payout_id"],
                        "expires_at": expires_at,
                        "authorize_idempotency_key": idempotency_key,
                    },
                    "checkout_jwt": challenge["checkout_jwt"],
                    "holder_proof": {
                        "binding_version": 2,
                        "holder_wallet": holder.address,
                        "signature": holder.sign_message("\n".join(proof)),
                    },
                    "idempotency_key": f"mandate-{nonce}",
                },
            }
        ),
    )
    mandate = issued.body.get("ap2_mandate")
    if not isinstance(mandate, str):
        raise TypeError("the mandate is not one for a checkout")
    issued_at = int(time.time())
    sd_hash = _sha256_base64url(mandate)
    data = {"type": "service.payout", "request_sha256": digest, "checkout_hash": checkout}
    payload = {
        "iat": issued_at,
        "aud": challenge["audience"],
        "nonce": nonce,
        "sd_hash": sd_hash,
        "transaction_data_hashes": [_sha256_base64url(base64url(rfc8785.dumps(data)))],
        "transaction_data_hashes_alg": "sha-256",
    }
    binding = [
        "service-holder-binding-v2",
        *bound,
        f"audience: {challenge['audience']}",
        f"checkout-hash: {checkout}",
        f"request-sha256: {digest}",
        f"sd-hash: {sd_hash}",
        f"nonce: {nonce}",
        f"issued-at: {issued_at}",
        f"expires-at: {challenge['expires_at']}",
    ]
    signature = bytes.fromhex(holder.sign_message("\n".join(binding)).removeprefix("0x"))
    header = {"typ": "service-holder-binding-v2", "alg": "EIP191"}
    signed = ".".join([base64url(_json(header)), base64url(_json(payload)), base64url(signature)])
    return {
        "payout_id": payout["payout_id"],
        "idempotency_key": idempotency_key,
        "presentation": mandate + signed,
        "challenge_token": challenge["challenge_token"],
        "expires_at": expires_at,
        "principal_signature": sign_principal(
            treasury.principal, payout, expires_at=expires_at, idempotency_key=idempotency_key
        ),
    }


def sign_principal(principal: LocalWallet, payout: Payout, *, expires_at: int, idempotency_key: str) -> str:
    """The EIP-712 signature of the principal over exactly these terms."""
    return principal.sign_typed_data(
        {
            "domain": {
                "name": "Service Payout Rail",
                "version": "1",
                "chainId": CHAIN_ID,
                "verifyingContract": payout["asset"],
            },
            "primaryType": "PayoutAuthorization",
            "types": {
                "EIP712Domain": [
                    {"name": "name", "type": "string"},
                    {"name": "version", "type": "string"},
                    {"name": "chainId", "type": "uint256"},
                    {"name": "verifyingContract", "type": "address"},
                ],
                "PayoutAuthorization": [
                    {"name": "payoutId", "type": "string"},
                    {"name": "payoutWallet", "type": "address"},
                    {"name": "recipient", "type": "address"},
                    {"name": "amount", "type": "uint256"},
                    {"name": "expiresAt", "type": "uint256"},
                    {"name": "idempotencyKey", "type": "string"},
                ],
            },
            "message": {
                "payoutId": payout["payout_id"],
                "payoutWallet": payout["payout_wallet"],
                "recipient": payout["recipient"],
                "amount": int(payout["amount_atomic"]),
                "expiresAt": expires_at,
                "idempotencyKey": idempotency_key,
            },
        }
    )


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _sha256_base64url(text: str) -> str:
    return base64url(hashlib.sha256(text.encode()).digest())


def _hex(octets: bytes) -> str:
    return "0x" + bytes(octets).hex()
