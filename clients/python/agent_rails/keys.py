from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def base64url(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def sha256_hex(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def digest_of(value: Any) -> str:
    """SHA-256 of a value's canonical JSON (RFC 8785), 64 hex."""
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()


@dataclass(frozen=True)
class AgentKey:
    """An agent's Ed25519 signing key; the private half never leaves the agent."""

    private: Ed25519PrivateKey

    @staticmethod
    def create() -> AgentKey:
        return AgentKey(Ed25519PrivateKey.generate())

    @staticmethod
    def from_jwk(jwk: dict[str, str]) -> AgentKey:
        return AgentKey(Ed25519PrivateKey.from_private_bytes(from_base64url(jwk["d"])))

    def to_jwk(self) -> dict[str, str]:
        """The key with its private half (RFC 8037): keep it where no one else reads it."""
        d = base64url(self.private.private_bytes_raw())
        return {"kty": "OKP", "crv": "Ed25519", "x": self.x, "d": d}

    @property
    def x(self) -> str:
        return base64url(self.private.public_key().public_bytes_raw())

    def sign(self, text: str) -> str:
        """Signs a text for the service: 64 bytes as base64url."""
        return base64url(self.private.sign(text.encode()))

    def accept(self, contract_id: str, terms_sha256: str) -> str:
        """Signs a contract: what ``contract-accept`` takes as ``signature``."""
        lines = ["service-agent-acceptance-v1", f"contract-id: {contract_id}", f"terms-sha256: {terms_sha256}"]
        return self.sign("\n".join(lines))
