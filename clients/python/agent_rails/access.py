from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Protocol

import httpx

from .keys import AgentKey


class Wallet(Protocol):
    """An Ethereum account that signs; ``agent_rails.wallet.LocalWallet`` holds a key of ``eth-account``."""

    @property
    def address(self) -> str: ...

    def sign_message(self, text: str) -> str:
        """Signs a text by personal_sign (EIP-191); ``0x`` and 130 hex."""


class Payer(Protocol):
    """Answers a 402; ``agent_rails.wallet.X402Payer`` pays with x402."""

    def pay(self, refused: httpx.Response) -> dict[str, str]:
        """The headers that pay for the refused call."""


@dataclass(frozen=True)
class Access:
    """Where the service is, and what a client presents to it; what is secret is not in its text."""

    #: The public host, such as ``http://127.0.0.1:3000``.
    base_url: str
    #: The OS host, for its operations.
    os_url: str | None = None
    #: The origin that proofs and signatures name, where it is not ``base_url``.
    origin: str | None = None
    #: The access key of an agent, ``ag_…``.
    agent: str | None = field(default=None, repr=False)
    #: The status token of a registration or task.
    status_token: str | None = field(default=None, repr=False)
    #: The credential of an operator, ``op_…``.
    operator: str | None = field(default=None, repr=False)
    wallet: Wallet | None = None
    #: The registered key of the agent, which signs calls that a status token alone may not make.
    key: AgentKey | None = field(default=None, repr=False)
    payer: Payer | None = None
    #: For how many seconds a call is repeated that is refused as retryable or does not get through; 0: it is made once.
    retry_for: float = 60.0
    #: Makes the idempotency keys of calls without a credential your own.
    idempotency_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def own_origin(self) -> str:
        return (self.origin or self.base_url).rstrip("/")
