from __future__ import annotations

import base64
import json
import re
import secrets
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from .access import Access
from .errors import ProblemError
from .flow import Flow, Send, Sleep
from .keys import digest_of, sha256_hex
from .operation import Call, Operation, Way

Body = TypeVar("Body")
Value = TypeVar("Value")

CHAIN_ID = 8453
NETWORK = f"eip155:{CHAIN_ID}"
#: A proof is repeated with its call, so that a paid call is not paid again; the service takes it for 300 s.
PROOF_LASTS = 240.0
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 5.0


@dataclass(frozen=True)
class Answer(Generic[Body]):
    status: int
    body: Body
    headers: Mapping[str, str]

    @property
    def replayed(self) -> bool:
        """Whether this is the stored answer of an earlier call."""
        return self.headers.get("idempotent-replayed") == "true"


@dataclass(frozen=True)
class Upload:
    """The body of an operation that takes one as it comes."""

    media_type: str
    content: bytes


def perform(
    access: Access,
    call: Call[Body],
    *,
    wait: float | None = None,
    upload: Upload | None = None,
) -> Flow[Answer[Body]]:
    """Calls an operation; raises ``ProblemError`` when it is refused. A repeat has the same key, proof and payment."""
    prepared = _prepare(access, call, wait, upload)
    until = time.monotonic() + access.retry_for
    pause = FIRST_PAUSE
    while True:
        try:
            response = yield from _sent(access, prepared)
            return _read(response)
        except httpx.TransportError:
            after = pause
            if time.monotonic() + after >= until:
                raise
        except ProblemError as problem:
            after = problem.retry_after if problem.retry_after is not None else pause
            if not problem.retryable or time.monotonic() + after >= until:
                raise
        yield Sleep(after)
        pause = min(2 * pause, LONGEST_PAUSE)


@dataclass
class _Prepared:
    operation: Operation[Any, Any]
    url: str
    path: str
    body: Any
    content: bytes | None
    headers: dict[str, str]
    presented: dict[str, str]
    presented_at: float
    #: Once a call is paid, each repeat names the same payment.
    payment: dict[str, str]


def _prepare(
    access: Access, call: Call[Any], wait: float | None, upload: Upload | None
) -> _Prepared:
    operation, rest = call.operation, dict(call.given)
    path = re.sub(r"\{(\w+)\}", lambda match: _placed(access, rest, match.group(1)), operation.path)
    has_body = operation.method in ("POST", "PUT") and not operation.streams
    headers = {"Accept": "application/json"}
    if has_body:
        headers["Content-Type"] = "application/json"
    if upload is not None:
        headers["Content-Type"] = upload.media_type
    if wait is not None:
        headers["Prefer"] = f"wait={wait:g}"
    if operation.keyed and "idempotency_key" not in rest:
        headers["Idempotency-Key"] = str(uuid.uuid4())
    content = None if upload is None else upload.content
    if has_body:
        content = json.dumps(rest, ensure_ascii=False).encode()
    url = _host_of(access, operation) + path
    if not has_body and rest:
        url += "?" + str(httpx.QueryParams({name: _text(value) for name, value in rest.items()}))
    return _Prepared(
        operation=operation,
        url=url,
        path=path,
        body=rest if has_body else None,
        content=content,
        headers=headers,
        presented={},
        presented_at=float("-inf"),
        payment={},
    )


def _sent(access: Access, prepared: _Prepared) -> Flow[httpx.Response]:
    response: httpx.Response = yield Send(_request(access, prepared))
    if response.status_code == 402 and access.payer is not None and not prepared.payment:
        prepared.payment = access.payer.pay(response)
        response = yield Send(_request(access, prepared))
    return response


def _request(access: Access, prepared: _Prepared) -> httpx.Request:
    if time.monotonic() - prepared.presented_at > PROOF_LASTS:
        prepared.presented, prepared.presented_at = _present(access, prepared), time.monotonic()
    return httpx.Request(
        prepared.operation.method,
        prepared.url,
        headers={**prepared.headers, **prepared.presented, **prepared.payment},
        content=prepared.content,
    )


def _read(response: httpx.Response) -> Answer[Any]:
    try:
        body = response.json()
    except ValueError as error:
        raise ValueError(f"the answer is not JSON (status {response.status_code})") from error
    if response.headers.get("content-type", "").startswith("application/problem+json"):
        raise ProblemError(body, response.headers)
    return Answer(response.status_code, body, response.headers)


def _placed(access: Access, rest: dict[str, Any], name: str) -> str:
    value = rest.pop(name, None)
    if name == "token":
        value = _required(access.status_token, "status_token")
    return quote(str(value), safe="")


def _host_of(access: Access, operation: Operation[Any, Any]) -> str:
    is_os = operation.host == "os"
    return (_required(access.os_url, "os_url") if is_os else access.base_url).rstrip("/")


def _present(access: Access, prepared: _Prepared) -> dict[str, str]:
    """What this client presents, of the ways that the operation takes: the first that it has something for."""
    operation = prepared.operation
    match _way(access, operation):
        case "operator":
            return {"Authorization": f"Bearer {_required(access.operator, 'operator')}"}
        case "agent":
            return {"Authorization": f"Bearer {_required(access.agent, 'agent')}"}
        case "wallet":
            return {"X-Service-Wallet-Proof": _wallet_proof(access, prepared)}
        case "status":
            token = _required(access.status_token, "status_token")
            headers = {} if "{token}" in operation.path else {"X-Status-Token": token}
            if operation.signed:
                headers["X-Agent-Signature"] = _agent_signature(access, prepared, sha256_hex(token))
            return headers
        case "public":
            headers = {"Idempotency-Secret": access.idempotency_secret} if operation.keeps else {}
            if operation.recalls and access.key is not None:
                headers["X-Agent-Signature"] = _agent_signature(access, prepared, "none")
            return headers
        case _:
            return {}


def _way(access: Access, operation: Operation[Any, Any]) -> Way:
    has: dict[Way, bool] = {
        "operator": access.operator is not None,
        "agent": access.agent is not None,
        "status": access.status_token is not None,
        "wallet": access.wallet is not None,
        "provider": False,
        "public": True,
    }
    # What keeps a call belongs to its caller, also where none is asked for.
    if has["agent"] and (operation.examines or (operation.keeps and operation.ways[0] == "public")):
        return "agent"
    return next((way for way in operation.ways if has[way]), operation.ways[0])


def _agent_signature(access: Access, prepared: _Prepared, token_sha256: str) -> str:
    """A signature of one call by the agent's registered key (``service-agent-signature-v1``)."""
    issued_at = int(time.time())
    is_os = prepared.operation.host == "os"
    origin = _host_of(access, prepared.operation) if is_os else access.own_origin
    text = "\n".join(
        [
            "service-agent-signature-v1",
            f"origin: {origin}",
            f"method: {prepared.operation.method}",
            f"path: {prepared.path}",
            f"body-sha256: {_body_sha256(prepared.body)}",
            f"token-sha256: {token_sha256}",
            f"issued-at: {issued_at}",
        ]
    )
    return f"t={issued_at},s={_required(access.key, 'key').sign(text)}"


def _wallet_proof(access: Access, prepared: _Prepared) -> str:
    """A fresh proof for one call (``service-wallet-proof-v1``), which is used up once."""
    signer = _required(access.wallet, "wallet")
    wallet, issued_at, nonce = signer.address.lower(), int(time.time()), secrets.token_hex(16)
    body_sha256 = _body_sha256(prepared.body)
    text = "\n".join(
        [
            "service-wallet-proof-v1",
            f"origin: {access.own_origin}",
            f"method: {prepared.operation.method}",
            f"path: {prepared.path}",
            f"body-sha256: {body_sha256}",
            f"wallet: {NETWORK}:{wallet}",
            f"issued-at: {issued_at}",
            f"nonce: {nonce}",
        ]
    )
    proof = {
        "v": 1,
        "wallet": wallet,
        "chain_id": CHAIN_ID,
        "method": prepared.operation.method,
        "path": prepared.path,
        "body_sha256": body_sha256,
        "issued_at": issued_at,
        "nonce": nonce,
        "signature": signer.sign_message(text).lower(),
    }
    return base64.urlsafe_b64encode(json.dumps(proof).encode()).rstrip(b"=").decode()


def _body_sha256(body: Any) -> str:
    return sha256_hex("") if body is None else digest_of(body)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _required(value: Value | None, name: str) -> Value:
    if value is None:
        raise TypeError(f"this operation needs a client with {name}")
    return value
