"""Verifies what agent-rails signs with Ed25519, offline and without its code; docs/verify.md has the rules.

    python3 verify.py FILE KEYS [KIND] [UNIX_TIME]      KEYS: a saved /.well-known/jwks.json

Prints the verdict with its reason. Exit: 0 valid, 1 invalid, 3 indeterminate. Needs the package `cryptography`.
"""
import base64
import json
import re
import sys
import time
from datetime import datetime, timezone

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

# typ, the claims that are texts, and what the claim `kind` always says.
TOKENS = {
    "receipt": ("receipt+jwt", "iss sub kind", None),
    "passport": ("passport+jwt", "iss sub jti", "receipt_passport"),
    "handoff_pack": ("handoff+jwt", "iss sub aud jti", "handoff_pack"),
    "statement": ("statement+jwt", "iss sub day", None),
}
# schema, context of the signature, the members that are texts, and those that are times.
OBJECTS = {
    "mandate": ("authority-mandate.v1", "service.authority.mandate.v1",
                "mandate_id issuer principal_id agent_id", "valid_from expires_at"),
    "action_grant": ("action-grant.v1", "service.authority.grant.v1",
                     "grant_id issuer mandate_id agent_id operation_id input_sha256", "expires_at"),
    "delegated_action": ("delegated-action.v1", "service.authority.action.v1",
                         "action_id issuer grant_id agent_id operation_id result_sha256", "executed_at"),
}
GRANT_SECONDS_MAX = 300
P = 2**255 - 19
SMALL_ORDER = (0, 1, P - 1, 0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826,
               0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7)

def need(holds, reason):
    if not holds:
        raise PermissionError(reason)

def read_json(text):
    def number(digits):
        return int(float(digits)) if float(digits).is_integer() else float(digits)
    return json.loads(text, parse_float=number, parse_constant=lambda _: need(False, "malformed"))

def base64url(text, reason="malformed"):
    need(isinstance(text, str) and re.fullmatch(r"[\w-]*", text, re.ASCII) and len(text) % 4 != 1, reason)
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    need(base64.urlsafe_b64encode(data).decode().rstrip("=") == text, reason)
    return data

def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53

def are_texts(value, names):
    return all(isinstance(value.get(name), str) for name in names.split())

def canonical(value):
    """RFC 8785 of texts, booleans, null and integers below 2^53."""
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    need(value is None or isinstance(value, (bool, str)) or is_int(value), "malformed")
    return json.dumps(value, ensure_ascii=False)

def seconds(text, reason):
    need(isinstance(text, str) and re.fullmatch(r"[\d-]{10}T[\d:]{8}(\.\d+)?Z", text, re.ASCII), reason)
    try:
        whole = datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    except ValueError:
        need(False, reason)
    return whole.timestamp() + float("0" + text[19:23].rstrip("Z"))

def check_signature(keys, purpose, kid, signature, signed):
    """The times at which the key was retired and revoked."""
    key = next((key for key in keys["keys"] if (key["use_for"], key["kid"]) == (purpose, kid)), None)
    need(key, "unknown_key")
    public = base64url(key.get("x"), "key_unsound")
    y = int.from_bytes(public, "little") & (2**255 - 1)
    is_point = len(public) == 32 and y < P and y not in SMALL_ORDER
    need(key["kty"] == "OKP" and key.get("crv") == "Ed25519" and is_point, "key_unsound")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed)
    except (InvalidSignature, ValueError):
        need(False, "signature_invalid")
    return [key[name] and seconds(key[name], "unknown_key") for name in ("retired_at", "revoked_at")]

def check_standing(issued, retired, revoked):
    need(retired is None or issued <= retired, "key_retired")
    need(revoked is None or issued < revoked, "key_revoked")

def open_token(kind, text, keys):
    typ, texts, fixed = TOKENS[kind]
    parts = text.strip().split(".")
    need(len(parts) == 3, "malformed")
    header, claims = (read_json(base64url(part).decode("utf-8")) for part in parts[:2])
    signature = base64url(parts[2])
    need(isinstance(header, dict) and isinstance(claims, dict), "malformed")
    need(header.get("alg") == "EdDSA" and "crit" not in header, "wrong_algorithm")
    need(header.get("typ") == typ, "wrong_type")
    retired, revoked = check_signature(keys, "receipt", header.get("kid"), signature, ".".join(parts[:2]).encode())
    until = claims.get("exp") if kind == "handoff_pack" else None
    times_hold = is_int(claims.get("iat")) and (kind != "handoff_pack" or is_int(until))
    need(are_texts(claims, texts) and times_hold and fixed in (None, claims.get("kind")), "claims_invalid")
    check_standing(claims["iat"], retired, revoked)
    return None, until, revoked

def open_object(kind, text, keys):
    schema, context, texts, times = OBJECTS[kind]
    value = read_json(text)
    need(isinstance(value, dict), "malformed")
    unsigned = {name: value[name] for name in value if name != "signature"}
    signed = (context + "\0" + canonical(unsigned)).encode("utf-8")
    need((value.get("schema"), value.get("context")) == (schema, context), "wrong_type")
    find = base64url(value.get("signature"), "signature_invalid") if "signature" in value else b""
    retired, revoked = check_signature(keys, "authority", value.get("key_id"), find, signed)
    need(are_texts(value, texts), "claims_invalid")
    begin, end = (seconds(value.get(name), "claims_invalid") for name in (times.split() * 2)[:2])
    if kind == "delegated_action":
        check_standing(end, retired, revoked)
        return None, None, revoked
    need(revoked is None, "key_revoked")  # It permits nothing any more, whatever its date.
    if kind == "action_grant":
        check_standing(end - GRANT_SECONDS_MAX, retired, None)
    return begin if kind == "mandate" else None, end, None

def verify(kind, text, keys, at=None):
    """(verdict, reason) of an artifact of this kind; `at` is the Unix time at which its period is judged."""
    try:
        begin, end, revoked = (open_token if kind in TOKENS else open_object)(kind, text, keys)
        need(at is None or begin is None or at >= begin, "not_yet_valid")
        need(at is None or end is None or at < end, "expired")
    except PermissionError as refused:
        return "invalid", str(refused)
    except (ValueError, RecursionError):  # It is no JSON or no UTF-8, or nested too deep.
        return "invalid", "malformed"
    # A thief of the key may have dated it back: what proves that it is older is a record of another.
    return ("valid", None) if revoked is None else ("indeterminate", "key_revoked")

if __name__ == "__main__":
    content, key_set = (open(name, encoding="utf-8").read() for name in sys.argv[1:3])
    chosen = [sys.argv[3]] if len(sys.argv) > 3 else [*TOKENS, *OBJECTS]
    moment = float(sys.argv[4]) if len(sys.argv) > 4 else time.time()
    results = [(kind, *verify(kind, content, json.loads(key_set), moment)) for kind in chosen]
    found, verdict, why = min(results, key=lambda one: one[2] in ("wrong_type", "malformed"))
    print(f"{found}: {verdict}" + (f" ({why})" if why else ""))
    sys.exit({"valid": 0, "invalid": 1}.get(verdict, 3))
