"""Verifies what agent-rails signs with Ed25519, offline and without its code; docs/verify.md has the rules.
    python3 verify.py KIND FILE KEYS [UNIX_TIME]      KEYS: a saved /.well-known/jwks.json
Exit: 0 valid, 1 invalid, 3 indeterminate, or a receipt without its bundle: it may not be in the log. Needs the package `cryptography`."""
import base64, contextlib, hashlib, json, re, sys, time
from datetime import datetime, timezone
from decimal import Decimal
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

# typ, the claims that are texts, those that are times, and what the claim `kind` always says.
TOKENS = {"receipt": ("receipt+jwt", "iss sub kind", "iat", None),
          "passport": ("passport+jwt", "iss sub jti", "iat", "receipt_passport"),
          "handoff_pack": ("handoff+jwt", "iss sub aud jti", "iat exp", "handoff_pack"),
          "statement": ("statement+jwt", "iss sub day", "iat", None)}
BODIES = {"attestation": ("receipt+jwt", "iss sub kind", "iat", "attestation"),  # tokens that are the member `jws`, next to the body that they sign
          "replay_package": ("replay-package+jwt", "iss sub kind", "iat", "replay_package"),
          "audit_pack": ("loop-audit-pack+jwt", "iss sub kind", "iat", "loop_audit_pack")}
# schema, context of the signature, the members that are texts, and the last of those that are times.
OBJECTS = {"mandate": ("authority-mandate.v1", "mandate", "mandate_id issuer principal_id agent_id", "expires_at"),
           "action_grant": ("action-grant.v1", "grant", "grant_id issuer mandate_id agent_id operation_id input_sha256", "expires_at"),
           "delegated_action": ("delegated-action.v1", "action", "action_id issuer grant_id agent_id operation_id result_sha256", "executed_at")}
SAMPLE, EPOCH, P = ["sample", "synthetic", "sample:"], "1970-01-01T00:00:00Z", 2**255 - 19  # samples have a fixed time
LINE, SPACE = r"[^\0-\x1f\x7f-\x9f\ud800-\udfff]+", "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200b)))
SMALL_ORDER = (0, 1, P - 1, 0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826, 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7)

def need(holds, reason):
    if not holds:
        raise PermissionError(reason)

def read_object(text, once=False):  # whole numbers below 2^53 as int, all others as float; `once`: no name twice, as readers take different ones
    number = lambda digits: int(float(digits)) if float(digits).is_integer() and abs(float(digits)) < 2**53 else float(digits)
    value = json.loads(text, object_pairs_hook=lambda pairs: need(not once or len(dict(pairs)) == len(pairs), "malformed") or dict(pairs), parse_int=number, parse_float=number, parse_constant=lambda _: need(False, "malformed"))
    need(isinstance(value, dict), "malformed")
    return value

def base64url(text, reason="malformed"):
    need(isinstance(text, str) and re.fullmatch(r"[\w-]*", text, re.ASCII) and len(text) % 4 != 1, reason)
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    need(base64.urlsafe_b64encode(data).decode().rstrip("=") == text, reason)
    return data

def are_texts(value, names, form=".*"):
    return all(isinstance(value.get(name), str) and re.fullmatch(form, value[name], re.DOTALL) for name in names.split())

def canonical(value, fraction=lambda _: need(False, "malformed")):  # RFC 8785
    if isinstance(value, list):
        return "[" + ",".join(canonical(one, fraction) for one in value) + "]"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name], fraction) for name in names) + "}"
    return fraction(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)

def written(value):  # a number as ECMAScript writes it
    text = repr(value).replace("e-0", "e-").removesuffix(".0")
    return format(Decimal(text), "f") if 1e-6 <= abs(value) < 1e21 else text

def seconds(text):
    need(isinstance(text, str) and re.fullmatch(r"[\d-]{10}T[\d:]{8}(\.\d+)?Z", text, re.ASCII), "claims_invalid")
    try:
        return datetime.strptime(text[:19] + "+0000", "%Y-%m-%dT%H:%M:%S%z").timestamp() + float("0" + text[19:23].rstrip("Z"))
    except ValueError:
        need(False, "claims_invalid")

def check_signature(keys, purpose, kid, signature, text):  # when the key became active, was retired and revoked
    key = next(({"activated_at": EPOCH, **key} for key in keys["keys"] if (key["use_for"], key["kid"]) == (purpose, kid)), None)
    need(key, "unknown_key")
    signature = signature if isinstance(signature, bytes) else base64url(signature, "signature_invalid")
    public = base64url(key.get("x"), "key_unsound")
    y = int.from_bytes(public, "little") & (2**255 - 1)
    is_point = len(public) == 32 and y < P and y not in SMALL_ORDER
    need(key["kty"] == "OKP" and key.get("crv") == "Ed25519" and is_point, "key_unsound")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, text)
    except (InvalidSignature, ValueError):
        need(False, "signature_invalid")
    return [key[name] and seconds(key[name]) for name in ("activated_at", "retired_at", "revoked_at")]

def check_standing(issued, active, retired, revoked, latest=None):  # `latest`: when it may have been signed at the latest
    need(active is not None and (latest or issued) >= int(active), "key_not_active")
    need(retired is None or issued <= retired, "key_retired")
    need(revoked is None or issued < revoked, "key_revoked")
    return revoked and "key_revoked"  # A thief of the key may have dated it back.

def open_jws(kind, text, keys):  # its header, its claims, and what makes it doubtful
    typ, texts, times, fixed = {**TOKENS, **BODIES}[kind]
    parts = text.split(".")
    need(len(parts) == 3, "malformed")
    header, claims = (read_object(base64url(part).decode("utf-8")) for part in parts[:2])
    signature = base64url(parts[2])
    need(header.get("alg") == "EdDSA" and "crit" not in header, "wrong_algorithm")
    need(header.get("typ") == typ, "wrong_type")
    ends = check_signature(keys, "receipt", header.get("kid"), signature, ".".join(parts[:2]).encode())
    need(are_texts(claims, texts) and all(type(claims.get(name)) is int for name in times.split()) and fixed in (None, claims.get("kind")), "claims_invalid")
    ends[0] = 0 if ends[0] and (kind == "replay_package" or [claims.get("kind"), claims.get("usage"), claims["sub"][:7]] == SAMPLE) else ends[0]
    return header, claims, check_standing(claims["iat"], *ends)

def open_token(kind, text, keys):
    _, claims, doubt = open_jws(kind, text.strip(SPACE), keys)
    return None, claims["exp"] if kind == "handoff_pack" else None, doubt

def is_signed(kind, value, header, claims):  # whether the body is what the signature stands for
    digest = lambda part: hashlib.sha256(canonical(part, written).encode("utf-8")).hexdigest()
    if kind == "replay_package":
        body = {name: part for name, part in value[kind].items() if name != "package_sha256"}
        return digest(body) == value[kind]["package_sha256"] == claims["package_sha256"]
    if kind == "audit_pack":
        page, parts = ({name: value[name] for name in names.split()} for names in ("offset limit total", "decisions loops ledger_heads receipts"))
        return len(value) == 9 and digest({"type": "service.loop-audit-pack.v1", "asked": claims["asked"], "page": page, **parts}) == value["pack_sha256"] == claims["sub"]
    said = {"jws": value["jws"], "receipt_id": "rc_" + hashlib.sha256(value["jws"].encode()).hexdigest(), "payload": claims, "payload_sha256": digest(claims),
            "kind": claims["kind"], "issuer": claims["iss"], "subject": claims["sub"], "usage": claims.get("usage"), "key_id": header["kid"],
            "issued_at": datetime.fromtimestamp(claims["iat"], timezone.utc).isoformat(timespec="milliseconds")[:-6] + "Z",
            "prev_receipt_id": "rc_" + claims["prev"] if isinstance(claims.get("prev"), str) else None}
    return all(name in said and digest(value[name]) == digest(said[name]) for name in value)

def open_body(kind, text, keys):
    alone = not text.strip(SPACE).startswith("{")
    value = {"jws": text.strip(SPACE)} if alone else read_object(text, once=True)
    need(isinstance(value.get("jws"), str), "malformed")
    header, claims, doubt = open_jws(kind, value["jws"], keys)
    has_body = {"attestation": True, "replay_package": isinstance(value.get(kind), dict), "audit_pack": are_texts(value, "pack_sha256")}
    if alone or not has_body[kind]:
        return None, None, "body_missing"
    with contextlib.suppress(LookupError, ValueError, OverflowError):  # A body that has no digest is not the one that was signed.
        if is_signed(kind, value, header, claims):
            return None, None, doubt
    need(False, "claims_mismatch")

def open_object(kind, text, keys):
    schema, context, texts, last = OBJECTS[kind]
    value, context = read_object(text, once=True), f"service.authority.{context}.v1"
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
    value, sha256 = read_object(text, once=True), lambda *parts: hashlib.sha256(b"".join(parts)).digest()
    path, index, size = value.get("path"), value.get("leaf_index"), value.get("tree_size")
    need(isinstance(path, list) and len(path) < 64 and are_texts(value, "receipt checkpoint") and all(type(n) is int and n >= 0 for n in (index, size)), "malformed")
    need(all(are_texts({"hash": one}, "hash", "[0-9a-f]{64}") for one in [*path, value.get("entry"), value.get("root")]), "malformed")
    _, _, doubt = open_jws("receipt", value["receipt"], keys)
    body, _, lines = value["checkpoint"].rpartition("\n\n")
    signatures = [(by, base64.b64decode(line)) for by, line in re.findall("— ([^\\s+]{1,255}) ([^ \n]{7,})\n", lines)]
    need("".join(f"— {by} {base64.b64encode(raw).decode()}\n" for by, raw in signatures) == lines and 0 < len(signatures) <= 64, "malformed")
    need(re.fullmatch(f"{LINE}\n(0|[1-9][0-9]{{0,15}})\n[A-Za-z0-9+/]{{42}}[AEIMQUYcgkosw048]=(\n{LINE})*", body), "malformed")
    (origin, count, root), fault = body.split("\n")[:3], "log_key_unknown"
    for key in keys["keys"]:
        with contextlib.suppress(PermissionError):  # Another key of the set may have signed it.
            raws = [raw[4:] for by, raw in signatures if (by, raw[:4]) == (origin, sha256(f"{origin}\n\1".encode(), base64url(key.get("x")))[:4])]
            need(raws and key["use_for"] == "log" and key.get("activated_at", "") is not None, fault)
            fault = "checkpoint_invalid"
            revoked = [check_signature({"keys": [key]}, "log", key["kid"], raw, f"{body}\n".encode())[2] for raw in raws if need(len(raws) < 5, fault) is None][0]
            break
    else:
        need(False, fault)
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
    openers = {**dict.fromkeys(TOKENS, open_token), **dict.fromkeys(BODIES, open_body), **dict.fromkeys(OBJECTS, open_object), "receipt_bundle": open_bundle}
    try:
        begin, end, doubt = openers.get(kind, lambda *_: (None, None, "unknown_kind"))(kind, text.encode().decode(), keys)
        need(at is None or begin is None or at >= begin, "not_yet_valid")
        need(at is None or end is None or at < end, "expired")
    except PermissionError as refused:
        return "invalid", str(refused)
    except (ValueError, RecursionError):  # It is no JSON or no UTF-8, or nested too deep.
        return "invalid", "malformed"
    return ("indeterminate", doubt) if doubt else ("valid", None)

if __name__ == "__main__":
    kind, content, keys = sys.argv[1], open(sys.argv[2], encoding="utf-8", errors="surrogateescape").read(), json.load(open(sys.argv[3], encoding="utf-8"))
    verdict, reason = verify(kind, content, keys, float((sys.argv + [time.time()])[4]))
    jws = content.strip(SPACE) if kind == "receipt" else read_object(content)["jws"] if (verdict, kind) == ("valid", "attestation") else ""
    alone = verdict == "valid" and jws and open_jws("receipt", jws, keys)[1]["kind"] != "sample"
    print(*filter(None, (verdict, reason, "log_not_checked" if alone else None)))
    sys.exit(3 if alone else {"valid": 0, "invalid": 1}.get(verdict, 3))
