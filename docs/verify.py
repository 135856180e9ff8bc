"""Verifies what agent-rails signs with Ed25519, offline and without its code.

    python3 verify.py KIND FILE KEYS [UNIX_TIME]

KEYS is a saved /.well-known/jwks.json; periods are judged at UNIX_TIME, or now.
Exit: 0 valid, 1 invalid, 3 indeterminate, or a receipt without its bundle: it may not be in the
log. "Rule 3" is the third of "The rules" in docs/verify.md. Needs the package `cryptography`.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import re
import sys
import time
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Dict, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Json = Dict[str, Any]


class TokenForm(NamedTuple):
    """What a compact JWS of a kind has to have (section "What is signed")."""

    typ: str
    texts: tuple[str, ...]
    times: tuple[str, ...] = ("iat",)
    kind: str | None = None  # what the claim `kind` always says


class ObjectForm(NamedTuple):
    """What a signed JSON object of a kind has to have (section "What is signed")."""

    schema: str
    context: str
    texts: tuple[str, ...]
    last_time: str


TOKENS = {
    "receipt": TokenForm("receipt+jwt", ("iss", "sub", "kind")),
    "passport": TokenForm("passport+jwt", ("iss", "sub", "jti"), kind="receipt_passport"),
    "handoff_pack": TokenForm(
        "handoff+jwt", ("iss", "sub", "aud", "jti"), ("iat", "exp"), "handoff_pack"
    ),
    "statement": TokenForm("statement+jwt", ("iss", "sub", "day")),
    # These are the member `jws` next to the body that they sign.
    "attestation": TokenForm("receipt+jwt", ("iss", "sub"), kind="attestation"),
    "replay_package": TokenForm("replay-package+jwt", ("iss", "sub"), kind="replay_package"),
    "audit_pack": TokenForm("loop-audit-pack+jwt", ("iss", "sub"), kind="loop_audit_pack"),
}
OBJECTS = {
    "mandate": ObjectForm(
        "authority-mandate.v1",
        "service.authority.mandate.v1",
        ("mandate_id", "issuer", "principal_id", "agent_id"),
        "expires_at",
    ),
    "action_grant": ObjectForm(
        "action-grant.v1",
        "service.authority.grant.v1",
        ("grant_id", "issuer", "mandate_id", "agent_id", "operation_id", "input_sha256"),
        "expires_at",
    ),
    "delegated_action": ObjectForm(
        "delegated-action.v1",
        "service.authority.action.v1",
        ("action_id", "issuer", "grant_id", "agent_id", "operation_id", "result_sha256"),
        "executed_at",
    ),
}
GRANT_SECONDS_MAX = 300
EPOCH = "1970-01-01T00:00:00Z"
TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:(\.\d{1,3})\d*)?Z", re.ASCII)
HASH = re.compile("[0-9a-f]{64}")
# White space and line ends of ECMAScript, with the byte order mark (ECMA-262, 12.2 and 12.3).
SPACE = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
# The y of the points of Ed25519 whose order divides the cofactor 8 (RFC 8032, 5.1).
P = 2**255 - 19
Y8 = 0x5FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
SMALL_ORDER = (0, 1, P - 1, Y8, P - Y8)
# A checkpoint and the signature lines below it (C2SP signed-note and tlog-checkpoint).
LINE = r"[^\0-\x1f\x7f-\x9f\ud800-\udfff]+"
CHECKPOINT = re.compile(
    f"({LINE})\n(0|[1-9][0-9]{{0,15}})\n([A-Za-z0-9+/]{{42}}[AEIMQUYcgkosw048]=)(?:\n{LINE})*"
)
SIGNATURE_LINE = re.compile(r"— ([^\s+]{1,255}) ([^ \n]{7,})\n")


class Refused(Exception):
    """The artifact is invalid, for the reason that is the text of the exception."""


class KeyTimes(NamedTuple):
    """When a key became active, was retired and was revoked, in Unix seconds."""

    activated: float | None
    retired: float | None
    revoked: float | None


class Token(NamedTuple):
    """A compact JWS whose signature holds, and what makes it doubtful."""

    header: Json
    claims: Json
    doubt: str | None


class Opened(NamedTuple):
    """The period of an artifact whose signature holds, and what makes it doubtful."""

    begin: float | None = None
    end: float | None = None
    doubt: str | None = None


class Checkpoint(NamedTuple):
    """The state of a log, with the origin and the bytes of each signature below it."""

    text: str
    origin: str
    size: int
    root: bytes
    signatures: list[tuple[str, bytes]]


def require(holds: object, reason: str) -> None:
    """Refuses the artifact for this reason unless the condition holds."""
    if not holds:
        raise Refused(reason)


def sha256(*parts: bytes) -> bytes:
    """The SHA-256 of these bytes in a row."""
    return hashlib.sha256(b"".join(parts)).digest()


def base64url(text: Any, reason: str = "malformed") -> bytes:
    """Decodes unpadded base64url that is in its one form (RFC 7515, 2; RFC 4648, 3.5; rule 1)."""
    require(isinstance(text, str) and re.fullmatch("[A-Za-z0-9_-]*", text), reason)
    require(len(text) % 4 != 1, reason)
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    require(base64.urlsafe_b64encode(data).decode().rstrip("=") == text, reason)
    return data


def refuse_number(_: object) -> str:
    """Refuses a number that JSON artifacts do not have (RFC 8785, 3.2.2.3; rule 1)."""
    raise Refused("malformed")


def read_number(digits: str) -> int | float:
    """Reads a whole number below 2^53 as an int, any other number as a float (RFC 7493, 2.2)."""
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def unique_members(pairs: list[tuple[str, Any]]) -> Json:
    """Refuses a name that is there twice: readers take different ones of them (RFC 7493, 2.3)."""
    members = dict(pairs)
    require(len(members) == len(pairs), "malformed")
    return members


def read_object(text: str, members: Callable[[list], dict] = unique_members) -> Json:
    """Reads JSON that is an object (RFC 8259, 4), made of its members by `members`."""
    value = json.loads(
        text,
        object_pairs_hook=members,
        parse_int=read_number,
        parse_float=read_number,
        parse_constant=refuse_number,
    )
    require(isinstance(value, dict), "malformed")
    return value


def are_texts(value: Json, names: tuple[str, ...]) -> bool:
    """Whether all these members are there and are texts (rule 5)."""
    return all(isinstance(value.get(name), str) for name in names)


def ecmascript_number(value: float) -> str:
    """Writes a number as ECMAScript does (RFC 8785, 3.2.2.3)."""
    text = repr(value).replace("e-0", "e-").removesuffix(".0")
    return format(Decimal(text), "f") if 1e-6 <= abs(value) < 1e21 else text


def canonical(value: Any, write_float: Callable[[float], str] = refuse_number) -> str:
    """Writes canonical JSON (RFC 8785); numbers that are no int are written by `write_float`."""
    if isinstance(value, list):
        return "[" + ",".join(canonical(one, write_float) for one in value) + "]"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        members = (canonical(name) + ":" + canonical(value[name], write_float) for name in names)
        return "{" + ",".join(members) + "}"
    return write_float(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def digest(value: Any) -> str:
    """The digest of a part of a signed body, in lower-case hex (rules 1 and 10)."""
    return sha256(canonical(value, ecmascript_number).encode("utf-8")).hex()


def seconds(text: Any) -> float:
    """The Unix seconds of a time in UTC of a day that the calendar has (RFC 3339, 5.6; rule 5)."""
    match = TIME.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise Refused("claims_invalid")
    whole, fraction = match.groups()
    try:
        moment = datetime.strptime(whole + "+0000", "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        raise Refused("claims_invalid") from None
    return moment.timestamp() + float(fraction or 0)


def find_key(keys: Json, purpose: str, kid: Any) -> Json:
    """The key of the set (RFC 7517, 5) that has this purpose and this name (rule 3)."""
    for key in keys["keys"]:
        if (key["use_for"], key["kid"]) == (purpose, kid):
            return key
    raise Refused("unknown_key")


def public_bytes(key: Json) -> bytes:
    """The bytes of an Ed25519 key, canonical and not of small order (RFC 8037, 2; rule 3)."""
    data = base64url(key.get("x"), "key_unsound")
    require(key["kty"] == "OKP" and key.get("crv") == "Ed25519", "key_unsound")
    y = int.from_bytes(data, "little") & (2**255 - 1)
    require(len(data) == 32 and y < P and y not in SMALL_ORDER, "key_unsound")
    return data


def check_signature(key: Json, signature: bytes, signed: bytes) -> None:
    """Refuses what the key did not sign (RFC 8032, 5.1.7; rule 4)."""
    public = public_bytes(key)
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed)
    except (InvalidSignature, ValueError):
        raise Refused("signature_invalid") from None


def key_times(key: Json) -> KeyTimes:
    """The times of a key; one without `activated_at` was always active (rule 6)."""
    times = (key.get("activated_at", EPOCH), key["retired_at"], key["revoked_at"])
    return KeyTimes(*(None if text is None else seconds(text) for text in times))


def check_standing(times: KeyTimes, earliest: float, latest: float) -> str | None:
    """Judges the key between the first and last time at which it may have signed (rule 6)."""
    require(times.activated is not None and latest >= int(times.activated), "key_not_active")
    require(times.retired is None or earliest <= times.retired, "key_retired")
    require(times.revoked is None or earliest < times.revoked, "key_revoked")
    # A thief of the key may have dated it back.
    return None if times.revoked is None else "key_revoked"


def has_fixed_date(kind: str, claims: Json) -> bool:
    """Whether the date may be older than the key: of samples and replay packages (rule 6)."""
    is_sample = claims.get("kind") == "sample" and claims.get("usage") == "synthetic"
    return kind == "replay_package" or (is_sample and claims["sub"].startswith("sample:"))


def open_jws(kind: str, text: str, keys: Json) -> Token:
    """Reads a compact JWS (RFC 7515, 7.1; RFC 8037, 3.1) by the rules 1 to 6."""
    form = TOKENS[kind]
    parts = text.split(".")
    require(len(parts) == 3, "malformed")
    header = read_object(base64url(parts[0]).decode("utf-8"), dict)
    claims = read_object(base64url(parts[1]).decode("utf-8"), dict)
    signature = base64url(parts[2])
    require(header.get("alg") == "EdDSA" and "crit" not in header, "wrong_algorithm")
    require(header.get("typ") == form.typ, "wrong_type")
    key = find_key(keys, "receipt", header.get("kid"))
    check_signature(key, signature, f"{parts[0]}.{parts[1]}".encode())
    times = key_times(key)
    require(are_texts(claims, form.texts), "claims_invalid")
    require(all(type(claims.get(name)) is int for name in form.times), "claims_invalid")
    require(form.kind is None or claims.get("kind") == form.kind, "claims_invalid")
    if times.activated is not None and has_fixed_date(kind, claims):
        times = times._replace(activated=0)
    return Token(header, claims, check_standing(times, claims["iat"], claims["iat"]))


def open_token(kind: str, text: str, keys: Json) -> Opened:
    """Opens an artifact that is a compact JWS; a handoff pack ends at `exp` (rule 7)."""
    token = open_jws(kind, text.strip(SPACE), keys)
    end = token.claims["exp"] if kind == "handoff_pack" else None
    return Opened(end=end, doubt=token.doubt)


def is_attestation(value: Json, token: Token) -> bool:
    """Whether an attestation says nothing but what its receipt says (rule 10)."""
    claims, before = token.claims, token.claims.get("prev")
    issued_at = datetime.fromtimestamp(claims["iat"], timezone.utc).replace(tzinfo=None)
    said = {
        "jws": value["jws"],
        "receipt_id": "rc_" + sha256(value["jws"].encode()).hex(),
        "key_id": token.header["kid"],
        "issuer": claims["iss"],
        "subject": claims["sub"],
        "kind": claims["kind"],
        "usage": claims.get("usage"),
        "issued_at": issued_at.isoformat(timespec="milliseconds") + "Z",
        "prev_receipt_id": "rc_" + before if isinstance(before, str) else None,
        "payload": claims,
        "payload_sha256": digest(claims),
    }
    return all(name in said and digest(value[name]) == digest(said[name]) for name in value)


def is_replay_package(value: Json, token: Token) -> bool:
    """Whether the digest of a replay package is its own and the signed one (rule 10)."""
    package = value["replay_package"]
    body = {name: package[name] for name in package if name != "package_sha256"}
    return digest(body) == package["package_sha256"] == token.claims["package_sha256"]


def is_audit_pack(value: Json, token: Token) -> bool:
    """Whether the digest of an audit pack is its own and the signed one (rule 10)."""
    page = ("offset", "limit", "total")
    lists = ("decisions", "loops", "ledger_heads", "receipts")
    if set(value) != {"jws", "pack_sha256", *page, *lists}:
        return False
    body = {name: value[name] for name in lists}
    body["type"] = "service.loop-audit-pack.v1"
    body["asked"] = token.claims["asked"]
    body["page"] = {name: value[name] for name in page}
    return digest(body) == value["pack_sha256"] == token.claims["sub"]


class Body(NamedTuple):
    """The member that a body does not lack, its type, and whether the body is the signed one."""

    member: str
    of_type: type
    is_signed: Callable[[Json, Token], bool]


BODIES = {
    "attestation": Body("jws", str, is_attestation),
    "replay_package": Body("replay_package", dict, is_replay_package),
    "audit_pack": Body("pack_sha256", str, is_audit_pack),
}


def open_body(kind: str, text: str, keys: Json) -> Opened:
    """Opens a signed body, or the token that signs it without the body (rule 10)."""
    token_alone = text.strip(SPACE)
    if not token_alone.startswith("{"):
        open_jws(kind, token_alone, keys)
        return Opened(doubt="body_missing")
    value = read_object(text)
    require(are_texts(value, ("jws",)), "malformed")
    token = open_jws(kind, value["jws"], keys)
    body = BODIES[kind]
    if not isinstance(value.get(body.member), body.of_type):
        return Opened(doubt="body_missing")
    try:
        require(body.is_signed(value, token), "claims_mismatch")
    except (LookupError, ValueError, OverflowError):
        # A body that has no digest is not the one that was signed.
        raise Refused("claims_mismatch") from None
    return Opened(doubt=token.doubt)


def open_object(kind: str, text: str, keys: Json) -> Opened:
    """Opens a JSON object that has its signature as a member (rules 1 to 7)."""
    form = OBJECTS[kind]
    value = read_object(text)
    unsigned = {name: value[name] for name in value if name != "signature"}
    signed = f"{form.context}\0{canonical(unsigned)}".encode("utf-8")
    is_of_kind = (value.get("schema"), value.get("context")) == (form.schema, form.context)
    require(is_of_kind, "wrong_type")
    key = find_key(keys, "authority", value.get("key_id"))
    signature = base64url(value.get("signature"), "signature_invalid")
    check_signature(key, signature, signed)
    times = key_times(key)
    require(are_texts(value, form.texts), "claims_invalid")
    begin = seconds(value.get("valid_from")) if kind == "mandate" else None
    end = seconds(value.get(form.last_time))
    if kind == "delegated_action":
        return Opened(doubt=check_standing(times, end, end))
    # What a revoked key signed permits nothing any more, whatever its date.
    require(times.revoked is None, "key_revoked")
    # A mandate does not show when it was signed.
    check_standing(times, end - GRANT_SECONDS_MAX if kind == "action_grant" else 0, end)
    return Opened(begin, end)


def read_bundle(text: str) -> Json:
    """Reads a bundle whose members are of their types (rules 5 and 9)."""
    bundle = read_object(text)
    path = bundle.get("path")
    require(isinstance(path, list) and len(path) < 64, "malformed")
    require(are_texts(bundle, ("receipt", "checkpoint")), "malformed")
    for number in (bundle.get("leaf_index"), bundle.get("tree_size")):
        require(type(number) is int and number >= 0, "malformed")
    for one in (*path, bundle.get("entry"), bundle.get("root")):
        require(isinstance(one, str) and HASH.fullmatch(one), "malformed")
    return bundle


def read_checkpoint(note: str) -> Checkpoint:
    """Reads a checkpoint (C2SP tlog-checkpoint) and its signature lines (C2SP signed-note)."""
    body, _, lines = note.rpartition("\n\n")
    found = SIGNATURE_LINE.findall(lines)
    signatures = [(origin, base64.b64decode(data)) for origin, data in found]
    written = (f"— {origin} {base64.b64encode(data).decode()}\n" for origin, data in signatures)
    require("".join(written) == lines and 0 < len(signatures) <= 64, "malformed")
    match = CHECKPOINT.fullmatch(body)
    if match is None:
        raise Refused("malformed")
    origin, size, root = match.groups()
    return Checkpoint(f"{body}\n", origin, int(size), base64.b64decode(root), signatures)


def signatures_of(key: Json, checkpoint: Checkpoint) -> list[bytes]:
    """The signatures below a checkpoint that name this key (C2SP signed-note, "Signatures")."""
    origin = checkpoint.origin
    key_hash = sha256(f"{origin}\n\1".encode(), base64url(key.get("x")))[:4]
    return [data[4:] for by, data in checkpoint.signatures if (by, data[:4]) == (origin, key_hash)]


def check_checkpoint(checkpoint: Checkpoint, keys: Json) -> KeyTimes:
    """Finds a log key of the set all of whose signatures hold, four at most (rule 9)."""
    fault = "log_key_unknown"
    for key in keys["keys"]:
        if key["use_for"] != "log" or key.get("activated_at", EPOCH) is None:
            continue
        with contextlib.suppress(Refused):  # Another key of the set may have signed it.
            signatures = signatures_of(key, checkpoint)
            require(signatures, fault)
            fault = "checkpoint_invalid"
            require(len(signatures) <= 4, fault)
            for signature in signatures:
                check_signature(key, signature, checkpoint.text.encode())
            return key_times(key)
    raise Refused(fault)


def check_inclusion(leaf: bytes, index: int, path: list[bytes], checkpoint: Checkpoint) -> None:
    """Follows the path from a leaf to the root of the tree (RFC 9162, 2.1.3.2; rule 9)."""
    node = sha256(b"\0", leaf)
    inner = (index ^ (checkpoint.size - 1)).bit_length()
    border = bin(index >> inner).count("1")
    require(index < checkpoint.size and len(path) == inner + border, "not_included")
    for height, sibling in enumerate(path):
        is_right = height >= inner or index >> height & 1
        node = sha256(b"\1", sibling, node) if is_right else sha256(b"\1", node, sibling)
    require(node == checkpoint.root, "not_included")


def open_bundle(_: str, text: str, keys: Json) -> Opened:
    """Opens a receipt, its path in the log and a signed checkpoint (rule 9)."""
    bundle = read_bundle(text)
    token = open_jws("receipt", bundle["receipt"], keys)
    checkpoint = read_checkpoint(bundle["checkpoint"])
    log_key = check_checkpoint(checkpoint, keys)
    entry = sha256(sha256(bundle["receipt"].encode()))
    proven = (entry.hex(), checkpoint.size, checkpoint.root.hex())
    require(proven == (bundle["entry"], bundle["tree_size"], bundle["root"]), "bundle_mismatch")
    path = [bytes.fromhex(one) for one in bundle["path"]]
    check_inclusion(entry, bundle["leaf_index"], path, checkpoint)
    return Opened(doubt=token.doubt if log_key.revoked is None else "log_key_revoked")


def open_artifact(kind: str, text: str, keys: Json) -> Opened:
    """Opens an artifact of any kind; an unknown one is left open (section "What is signed")."""
    text.encode("utf-8")  # Surrogates, which no UTF-8 has, are an error.
    if kind in BODIES:
        return open_body(kind, text, keys)
    if kind in TOKENS:
        return open_token(kind, text, keys)
    if kind in OBJECTS:
        return open_object(kind, text, keys)
    if kind == "receipt_bundle":
        return open_bundle(kind, text, keys)
    return Opened(doubt="unknown_kind")


def verify(kind: str, text: str, keys: Json, at: float | None = None) -> tuple[str, str | None]:
    """The verdict and its reason; the period is judged at the Unix time `at`, if any (rule 7)."""
    try:
        opened = open_artifact(kind, text, keys)
        if at is not None:
            require(opened.begin is None or at >= opened.begin, "not_yet_valid")
            require(opened.end is None or at < opened.end, "expired")
    except Refused as refused:
        return "invalid", str(refused)
    except (ValueError, RecursionError):  # It is no JSON or no UTF-8, or nested too deep.
        return "invalid", "malformed"
    return ("valid", None) if opened.doubt is None else ("indeterminate", opened.doubt)


def is_without_log(kind: str, text: str, keys: Json) -> bool:
    """Whether a valid artifact is a receipt that does not show its place in the log."""
    if kind not in ("receipt", "attestation"):
        return False
    jws = text.strip(SPACE) if kind == "receipt" else read_object(text)["jws"]
    return open_jws("receipt", jws, keys).claims["kind"] != "sample"


def main(kind: str, file: str, keys_file: str, at: str | None = None) -> int:
    """Prints the verdict on a file and gives its exit code (section "Verify without us")."""
    text = Path(file).read_text(encoding="utf-8", errors="surrogateescape")
    keys = json.loads(Path(keys_file).read_text(encoding="utf-8"))
    verdict, reason = verify(kind, text, keys, time.time() if at is None else float(at))
    if verdict == "valid":
        if is_without_log(kind, text, keys):
            print("valid log_not_checked")
            return 3
        print("valid")
        return 0
    print(verdict, reason)
    return 1 if verdict == "invalid" else 3


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
