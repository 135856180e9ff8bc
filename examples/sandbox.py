import base64, hashlib, json, subprocess, urllib.request

BASE, OS = "http://127.0.0.1:3000", "http://127.0.0.1:3001"

def call(url, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data, {"content-type": "application/json", **headers})
    return json.load(urllib.request.urlopen(request))

def openssl(*arguments):
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True).stdout

def base64url(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()

# The agent's key. With the package `cryptography` this is Ed25519PrivateKey.generate(), and .sign(…) below.
openssl("genpkey", "-algorithm", "ed25519", "-out", "python-agent.pem")
x = base64url(openssl("pkey", "-in", "python-agent.pem", "-pubout", "-outform", "DER")[-32:])
token = call(BASE + "/api/agents/register", {
    "name": "My first agent",
    "contact": {"email": "me@agent.example"},
    "rails": ["packetops"],
    "requested_scopes": ["runs:read", "runs:write"],
    "public_key": {"kty": "OKP", "crv": "Ed25519", "x": x},
    "sandbox": True,
    "idempotency_key": "register-1-" + x,
})["status_token"]

# Claims the access key with a signature of the registered key.
nonce = call(OS + "/api/agents/handshake", x_status_token=token)["nonce"]
digest = hashlib.sha256(token.encode()).hexdigest()
with open("handshake.txt", "w") as file:
    file.write(f"service-agent-handshake-v1\nnonce: {nonce}\ntoken-sha256: {digest}")
signature = base64url(openssl("pkeyutl", "-sign", "-inkey", "python-agent.pem", "-rawin", "-in", "handshake.txt"))
claim = {"nonce": nonce, "signature": signature, "protocol_version": "1", "claim_credential": True}
access_key = call(OS + "/api/agents/handshake", claim, x_status_token=token)["credential_envelope"]["credential"]

def act(path, body):
    return call(BASE + path, body, authorization="Bearer " + access_key)

quote = act("/api/agents/quote", {"rail": "packetops", "tier": "entry"})["quote"]
items = [{"name": "system.md", "section": "system_description", "content": "A hosted ledger."}]
run = act("/api/agent-use", {
    "mode": "start_agent_run",
    "rail": "packetops",
    "tier": "entry",
    "usage": "synthetic",
    "quote_id": quote["quote_id"],
    "input": {"title": "Evidence for the audit", "profile": "soc2_evidence_packet", "items": items},
    "on_gaps": "report",
    "accept_terms": True,
    "idempotency_key": "run-1",
})["run"]
while run["state"] not in ("closed", "exception_open"):
    run = act("/api/agent-use", {"mode": "get_run_status", "run_id": run["run_id"], "wait_ms": 20000})["run"]
made = act("/api/agent-use", {"mode": "fetch_return_package", "run_id": run["run_id"]})
print(run["state"], json.dumps(made["return_package"]["result"], indent=2))
