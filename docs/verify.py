"""Verifies what agent-rails signs with Ed25519, offline and without its code; docs/verify.md has the rules.
    python3 verify.py KIND FILE KEYS [UNIX_TIME]      KEYS: a saved /.well-known/jwks.json
Exit: 0 valid, 1 invalid, 3 indeterminate, or a receipt without its bundle: it may not be in the log. Needs the package `cryptography`."""
import base64, hashlib, json, re, sys, time
from datetime import datetime
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

# typ, the claims that are texts, and what the claim `kind` always says.
TOKENS = {"receipt": ("receipt+jwt", "iss sub kind", None),
          "passport": ("passport+jwt", "iss sub jti", "receipt_passport"),
          "handoff_pack": ("handoff+jwt", "iss sub aud jti", "handoff_pack"),
          "statement": ("statement+jwt", "iss sub day", None)}
# schema, context of the signature, the members that are texts, and the last of those that are times.
OBJECTS = {"mandate": ("authority-mandate.v1", "mandate", "mandate_id issuer principal_id agent_id", "expires_at"),
           "action_grant": ("action-grant.v1", "grant", "grant_id issuer mandate_id agent_id operation_id input_sha256", "expires_at"),
           "delegated_action": ("delegated-action.v1", "action", "action_id issuer grant_id agent_id operation_id result_sha256", "executed_at")}
SAMPLE, EPOCH, P = ["sample", "synthetic", "sample:"], "1970-01-01T00:00:00Z", 2**255 - 19  # samples have a fixed time
SMALL_ORDER = (0, 1, P - 1, 0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826,
               0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7)

def need(holds, reason):
    if not holds:
        raise PermissionError(reason)

def read_object(text):
    value = json.loads(text, parse_float=lambda digits: int(float(digits)) if float(digits).is_integer() else float(digits),
                       parse_constant=lambda _: need(False, "malformed"))
    need(isinstance(value, dict), "malformed")
    return value

def base64url(text, reason="malformed"):
    need(isinstance(text, str) and re.fullmatch(r"[\w-]*", text, re.ASCII) and len(text) % 4 != 1, reason)
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    need(base64.urlsafe_b64encode(data).decode().rstrip("=") == text, reason)
    return data

def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53

def are_texts(value, names, form=".*"):
    return all(isinstance(value.get(name), str) and re.fullmatch(form, value[name], re.DOTALL) for name in names.split())

def canonical(value):  # RFC 8785 of texts, booleans, null and integers below 2^53
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    need(value is None or isinstance(value, (bool, str)) or is_int(value), "malformed")
    return json.dumps(value, ensure_ascii=False)

def seconds(text):
    need(isinstance(text, str) and re.fullmatch(r"[\d-]{10}T[\d:]{8}(\.\d+)?Z", text, re.ASCII), "claims_invalid")
    try:
        return datetime.strptime(text[:19] + "+0000", "%Y-%m-%dT%H:%M:%S%z").timestamp() + float("0" + text[19:23].rstrip("Z"))
    except ValueError:
        need(False, "claims_invalid")

def check_signature(keys, purpose, kid, signature, text, reason="signature_invalid"):  # when the key became active, was retired and revoked
    key = next(({"activated_at": EPOCH, **key} for key in keys["keys"] if (key["use_for"], key["kid"]) == (purpose, kid)), None)
    need(key, "unknown_key")
    signature = signature if isinstance(signature, bytes) else base64url(signature, reason)
    public = base64url(key.get("x"), "key_unsound")
    y = int.from_bytes(public, "little") & (2**255 - 1)
    is_point = len(public) == 32 and y < P and y not in SMALL_ORDER
    need(key["kty"] == "OKP" and key.get("crv") == "Ed25519" and is_point, "key_unsound")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, text)
    except (InvalidSignature, ValueError):
        need(False, reason)
    return [key[name] and seconds(key[name]) for name in ("activated_at", "retired_at", "revoked_at")]

def check_standing(issued, active, retired, revoked, latest=None):  # `latest`: when it may have been signed at the latest
    need(active is not None and (latest or issued) >= int(active), "key_not_active")
    need(retired is None or issued <= retired, "key_retired")
    need(revoked is None or issued < revoked, "key_revoked")
    return revoked and "key_revoked"  # A thief of the key may have dated it back.

def open_token(kind, text, keys):
    typ, texts, fixed = TOKENS[kind]
    parts = text.strip().split(".")
    need(len(parts) == 3, "malformed")
    header, claims = (read_object(base64url(part).decode("utf-8")) for part in parts[:2])
    signature = base64url(parts[2])
    need(header.get("alg") == "EdDSA" and "crit" not in header, "wrong_algorithm")
    need(header.get("typ") == typ, "wrong_type")
    ends = check_signature(keys, "receipt", header.get("kid"), signature, ".".join(parts[:2]).encode())
    times = [claims.get("iat"), claims.get("exp")] if kind == "handoff_pack" else [claims.get("iat")]
    need(are_texts(claims, texts) and all(map(is_int, times)) and fixed in (None, claims.get("kind")), "claims_invalid")
    ends[0] = 0 if ends[0] and [claims.get("kind"), claims.get("usage"), claims["sub"][:7]] == SAMPLE else ends[0]
    return None, times[-1] if kind == "handoff_pack" else None, check_standing(times[0], *ends)

def open_object(kind, text, keys):
    schema, context, texts, last = OBJECTS[kind]
    value, context = read_object(text), f"service.authority.{context}.v1"
    signed = (context + "\0" + canonical({name: value[name] for name in value if name != "signature"})).encode("utf-8")
    need((value.get("schema"), value.get("context")) == (schema, context), "wrong_type")
    active, retired, revoked = check_signature(keys, "authority", value.get("key_id"), value.get("signature"), signed)
    need(are_texts(value, texts), "claims_invalid")
    begin, end = seconds(value.get("valid_from")) if kind == "mandate" else None, seconds(value.get(last))
    if kind == "delegated_action":
        return None, None, check_standing(end, active, retired, revoked)
    need(revoked is None, "key_revoked")  # It permits nothing any more, whatever its date.
    check_standing(end - 300 if kind == "action_grant" else 0, active, retired, None, end)
    return begin, end, None

def open_bundle(_, text, keys):
    value, sha256 = read_object(text), lambda *parts: hashlib.sha256(b"".join(parts)).digest()
    path, index, size = value.get("path"), value.get("leaf_index"), value.get("tree_size")
    hashes = isinstance(path, list) and all(are_texts({"hash": one}, "hash", "[0-9a-f]{64}") for one in path)
    need(hashes and len(path) < 64 and are_texts(value, "entry root", "[0-9a-f]{64}"), "malformed")
    need(are_texts(value, "receipt checkpoint") and all(is_int(n) and n >= 0 for n in (index, size)), "malformed")
    _, _, doubt = open_token("receipt", value["receipt"], keys)
    body, _, lines = value["checkpoint"].rpartition("\n\n")
    signatures = re.findall("— ([^ \n]+) ([^ \n]+)\n", lines)
    need(re.fullmatch(".+\n[0-9]+\n[A-Za-z0-9+/]{43}=(\n.+)*", body) and signatures, "malformed")
    need("".join(f"— {by} {line}\n" for by, line in signatures) == lines, "malformed")
    origin, count, root = body.split("\n")[:3]
    signed = [({"keys": [key]}, "log", key["kid"], raw[4:]) for key in keys["keys"] if key["use_for"] == "log" and key.get("activated_at", "") is not None for by, line in signatures for raw in [base64.b64decode(line)]
              if (by, raw[:4]) == (origin, sha256(f"{origin}\n\1".encode(), base64url(key["x"]))[:4])]
    need(signed, "log_key_unknown")
    *_, revoked = check_signature(*signed[0], f"{body}\n".encode(), "checkpoint_invalid")
    entry, root = sha256(sha256(value["receipt"].encode())), base64.b64decode(root)
    need((entry.hex(), int(count), root.hex()) == (value["entry"], size, value["root"]), "bundle_mismatch")
    node, inner = sha256(b"\0", entry), (index ^ (size - 1)).bit_length()
    need(index < size and len(path) == inner + bin(index >> inner).count("1"), "not_included")
    for height, sibling in enumerate(map(bytes.fromhex, path)):
        from_left = height >= inner or index >> height & 1
        node = sha256(b"\1", *((sibling, node) if from_left else (node, sibling)))
    need(node == root, "not_included")
    return None, None, "log_key_revoked" if revoked else doubt

def verify(kind, text, keys, at=None):  # (verdict, reason); `at` is the Unix time at which a period is judged
    try:
        begin, end, doubt = (open_token if kind in TOKENS else open_object if kind in OBJECTS else open_bundle)(kind, text.encode().decode(), keys)
        need(at is None or begin is None or at >= begin, "not_yet_valid")
        need(at is None or end is None or at < end, "expired")
    except PermissionError as refused:
        return "invalid", str(refused)
    except (ValueError, RecursionError):  # It is no JSON or no UTF-8, or nested too deep.
        return "invalid", "malformed"
    return ("indeterminate", doubt) if doubt else ("valid", None)

if __name__ == "__main__":
    content, saved = (open(name, encoding="utf-8", errors="surrogateescape").read() for name in sys.argv[2:4])
    verdict, reason = verify(sys.argv[1], content, json.loads(saved), float((sys.argv + [time.time()])[4]))
    alone = verdict == "valid" and sys.argv[1] == "receipt" and read_object(base64url(content.strip().split(".")[1]).decode("utf-8"))["kind"] != "sample"
    print(*filter(None, (verdict, reason, "log_not_checked" if alone else None)))
    sys.exit(3 if alone else {"valid": 0, "invalid": 1}.get(verdict, 3))
