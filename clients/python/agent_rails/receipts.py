"""Verifies receipts and webhooks offline, with the key set of ``/.well-known/jwks.json``."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .keys import base64url, from_base64url

TOLERANCE = 300
SIGNATURES_MAX = 4

Jwk = Mapping[str, Any]


class InvalidReceiptError(ValueError):
    """The receipt proves nothing; the text says why."""


def verify_receipt(receipt: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """Verifies a receipt (compact JWS, RFC 7515) and gives what it says.

    A revoked key proves nothing, and another only what is dated while it was active. Raises ``InvalidReceiptError``.
    """
    text = receipt.strip().strip("\ufeff").strip()
    match = re.fullmatch(r"([\w-]+)\.([\w-]+)\.([\w-]+)", text, re.ASCII)
    if match is None:
        raise InvalidReceiptError("this is no compact JWS")
    header, facts = (_object(part) for part in match.groups()[:2])
    if header.get("alg") != "EdDSA" or header.get("typ") != "receipt+jwt" or "crit" in header:
        raise InvalidReceiptError("this is no receipt")
    key = next((one for one in keys["keys"] if one["kid"] == header.get("kid")), None)
    if key is None:
        raise InvalidReceiptError("the receipt names no key of the set")
    if key.get("use_for", "receipt") != "receipt" or (key["kty"], key.get("crv")) != ("OKP", "Ed25519"):
        raise InvalidReceiptError("the key does not sign receipts")
    signed = text.rpartition(".")[0].encode()
    if not _is_signed(key["x"], _octets(match.group(3)), signed):
        raise InvalidReceiptError("the signature is not good")
    if not all(isinstance(facts.get(name), str) for name in ("iss", "sub", "kind")):
        raise InvalidReceiptError("the receipt does not say who issued what about whom")
    fault = _fault_of(key, facts.get("iat"))
    if fault is not None and not (fault == "dated before its key was active" and _is_sample(facts)):
        raise InvalidReceiptError(f"the receipt is {fault}")
    return facts


def verify_receipt_chain(receipts: Iterable[str], keys: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Verifies receipts and that each one follows the one before it, from the first."""
    chain: list[dict[str, Any]] = []
    previous: str | None = None
    for receipt in receipts:
        facts = verify_receipt(receipt, keys)
        if facts["prev"] != previous:
            raise InvalidReceiptError("a receipt is missing before this one")
        previous = hashlib.sha256(receipt.encode()).hexdigest()
        chain.append(facts)
    return chain


def verify_webhook(
    headers: Mapping[str, str], body: bytes, keys: Mapping[str, Any], now: float | None = None
) -> bool:
    """Whether a webhook (Standard Webhooks, ``v1a``) was signed by a callback key not more than five minutes ago or ahead.

    ``body`` is the request's own bytes. An id that was taken before may come again, so keep the ids.
    """
    given = {name.lower(): value for name, value in headers.items()}
    identifier, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if identifier == "" or re.fullmatch(r"[0-9]{1,12}", timestamp) is None:
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
        return False
    signed = f"{identifier}.{timestamp}.".encode() + body
    signatures = [
        one.removeprefix("v1a,")
        for one in given.get("webhook-signature", "").split(" ")[:SIGNATURES_MAX]
        if one.startswith("v1a,")
    ]
    return any(
        _is_signed(key["x"], _base64(signature), signed)
        for key in keys["keys"]
        if key.get("use_for") == "callback" and _may_call_back(key, int(timestamp))
        for signature in signatures
    )


def _object(part: str) -> dict[str, Any]:
    try:
        value = json.loads(_octets(part))
    except ValueError as error:
        raise InvalidReceiptError("this is no compact JWS") from error
    if not isinstance(value, dict):
        raise InvalidReceiptError("this is no compact JWS")
    return value


def _octets(part: str) -> bytes:
    """The bytes of one part. One receipt has one text: spare bits of base64url are zero."""
    try:
        octets = from_base64url(part)
    except ValueError as error:
        raise InvalidReceiptError("this is no compact JWS") from error
    if base64url(octets) != part:
        raise InvalidReceiptError("this is no compact JWS")
    return octets


def _is_signed(x: str, signature: bytes, signed: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(from_base64url(x)).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def _fault_of(key: Jwk, issued_at: Any) -> str | None:
    """Why a key proves nothing that is dated ``issued_at`` (Unix seconds); None where it does."""
    if type(issued_at) is not int or not 0 <= issued_at < 2**53:
        return "not dated"
    if key.get("revoked_at") is not None:
        return "signed by a revoked key"
    if key.get("retired_at") is not None and issued_at > _seconds(key["retired_at"]):
        return "dated after its key was retired"
    activated = key.get("activated_at", "1970-01-01T00:00:00Z")
    if activated is None:
        return "signed by a key that does not sign yet"
    # Receipts have whole seconds.
    return None if issued_at >= int(_seconds(activated)) else "dated before its key was active"


def _may_call_back(key: Jwk, signed_at: int) -> bool:
    fault = _fault_of(key, signed_at)
    # Its date is at most five minutes away from now, so that only a key that does not sign yet is refused.
    return fault is None or fault == "dated before its key was active"


def _is_sample(facts: Mapping[str, Any]) -> bool:
    """A sample has a fixed date, and says of itself in three places that it proves nothing."""
    is_sample = facts.get("kind") == "sample" and facts.get("usage") == "synthetic"
    return is_sample and str(facts.get("sub")).startswith("sample:")


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""
