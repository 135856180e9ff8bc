from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import Any, cast

from . import operations
from .access import Access
from .calls import perform
from .flow import Flow
from .keys import AgentKey, sha256_hex
from .types import AgentRegisterAnswer, AgentRegisterRequest


@dataclass(frozen=True)
class RegisteredAgent:
    """An agent that the service knows. Keep the key and the status token to come back."""

    key: AgentKey
    registered: AgentRegisterAnswer
    #: Presents the status token, and signs with the agent's key.
    access: Access


def register(access: Access, manifest: dict[str, Any], key: AgentKey | None = None) -> Flow[RegisteredAgent]:
    """Registers an agent by its key, a new one unless it has one; an agent of the sandbox is trusted at once.

    ``manifest`` is an ``AgentRegisterRequest`` without ``public_key``; without an ``idempotency_key`` one is made.
    """
    key = key or AgentKey.create()
    request = {
        "idempotency_key": str(uuid.uuid4()),
        **manifest,
        "public_key": {"kty": "OKP", "crv": "Ed25519", "x": key.x},
    }
    # A repeat is signed, so that it gets the first answer also where that was lost.
    signing = replace(access, key=key)
    answer = yield from perform(signing, operations.AGENT_REGISTER(cast(AgentRegisterRequest, request)))
    registered = answer.body
    return RegisteredAgent(key, registered, replace(signing, status_token=registered["status_token"]))


def claim_access_key(agent: RegisteredAgent) -> Flow[Access]:
    """Claims the access key of a trusted agent, once, with a signature of its registered key.

    Returns the agent's access with its key ``ag_…``. Raises ``LookupError`` while the agent is not trusted, and ``ValueError`` when
    the key is sealed for the encryption key of the manifest.
    """
    asked = yield from perform(agent.access, operations.HANDSHAKE_READ({}))
    nonce = asked.body["nonce"]
    token_sha256 = sha256_hex(agent.registered["status_token"])
    text = f"service-agent-handshake-v1\nnonce: {nonce}\ntoken-sha256: {token_sha256}"
    signature = agent.key.sign(text)
    claimed = yield from perform(
        agent.access,
        operations.HANDSHAKE(
            {
                "nonce": nonce,
                "signature": signature,
                "protocol_version": "1",
                "claim_credential": True,
            }
        ),
    )
    envelope = claimed.body["credential_envelope"]
    if envelope is None:
        raise LookupError("there is no access key to claim: the agent is not trusted yet")
    if envelope["sealed"]:
        raise ValueError("the access key is sealed: open its JWE with the encryption key of the manifest")
    return replace(agent.access, agent=envelope["credential"])
