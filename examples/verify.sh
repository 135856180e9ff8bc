#!/usr/bin/env bash
# A run without an agent. Its keys and its result are saved, and the result is verified offline.
set -euo pipefail
base=http://127.0.0.1:3000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
field() { node -p "JSON.parse(fs.readFileSync(0)).$1"; }

started=$(curl -sf "$base/api/agent-sandbox" -H 'content-type: application/json' -d '{"rail":"packetops","idempotency_key":"verify-'$$-$RANDOM'"}')
token=$(field status_token <<<"$started")
package=$(field run.links.return_package <<<"$started")
until [ "$(curl -sf "$base/api/agent-sandbox" -H "x-status-token: $token" | field run.state)" = closed ]; do sleep 0.2; done

curl -sf "$base/.well-known/jwks.json" -o "$work/keys.json"
curl -sf "$package" -H "x-status-token: $token" -H 'accept: application/zip' -o "$work/package.zip"
npx agent-rails verify "$work/package.zip" --keys "$work/keys.json"
