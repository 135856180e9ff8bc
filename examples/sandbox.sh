BASE=http://127.0.0.1:3000 OS=http://127.0.0.1:3001
field() { node -p "JSON.parse(fs.readFileSync(0)).$1"; }
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
post() { curl -s "$1" -H 'content-type: application/json' -H "$2" -d "$3"; }

# The agent's key, and its registration.
openssl genpkey -algorithm ed25519 -out agent.pem
X=$(openssl pkey -in agent.pem -pubout -outform DER | tail -c 32 | base64url)
TOKEN=$(post $BASE/api/agents/register 'accept: application/json' '{"name":"My first agent",
  "contact":{"email":"me@agent.example"},"rails":["packetops"],"requested_scopes":["runs:read","runs:write"],
  "public_key":{"kty":"OKP","crv":"Ed25519","x":"'$X'"},"sandbox":true,"idempotency_key":"register-'$X'"}' | field status_token)

# Claims the access key with a signature of the registered key.
NONCE=$(curl -s $OS/api/agents/handshake -H "x-status-token: $TOKEN" | field nonce)
DIGEST=$(printf %s "$TOKEN" | openssl dgst -sha256 -r | cut -c1-64)
printf 'service-agent-handshake-v1\nnonce: %s\ntoken-sha256: %s' "$NONCE" "$DIGEST" > handshake.txt
SIGNATURE=$(openssl pkeyutl -sign -inkey agent.pem -rawin -in handshake.txt | base64url)
KEY=$(post $OS/api/agents/handshake "x-status-token: $TOKEN" '{"nonce":"'$NONCE'","signature":"'$SIGNATURE'",
  "protocol_version":"1","claim_credential":true}' | field credential_envelope.credential)

# A quote, a run, and its result.
QUOTE=$(post $BASE/api/agents/quote "authorization: Bearer $KEY" '{"rail":"packetops","tier":"entry"}' | field quote.quote_id)
RUN=$(post $BASE/api/agent-use "authorization: Bearer $KEY" '{"mode":"start_agent_run","rail":"packetops","tier":"entry",
  "usage":"synthetic","quote_id":"'$QUOTE'","on_gaps":"report","accept_terms":true,"idempotency_key":"run-1",
  "input":{"title":"Evidence for the audit","profile":"soc2_evidence_packet",
    "items":[{"name":"system.md","section":"system_description","content":"A hosted ledger."}]}}' | field run.run_id)
status() { post $BASE/api/agent-use "authorization: Bearer $KEY" '{"mode":"get_run_status","run_id":"'$RUN'","wait_ms":20000}'; }
until [ "$(status | field run.state)" = closed ]; do :; done
post $BASE/api/agent-use "authorization: Bearer $KEY" '{"mode":"fetch_return_package","run_id":"'$RUN'"}' | field return_package.result
