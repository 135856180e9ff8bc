#!/bin/sh
# Verifies one callback with openssl 3 and jq: for a CGI script, or to look at a request that was kept.
#   CALLBACK_PUBLIC_KEY=whpk_… ./receiver.sh NOW < request.json     where request.json is {"headers": …, "body": …}
# Ends with 0 and prints what to answer with 200, or ends with 1: answer 401. Take each webhook-id once.
set -eu
now=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/request"
header() { jq -r --arg name "$1" '.headers[$name] // ""' "$work/request"; }

id=$(header webhook-id)
timestamp=$(header webhook-timestamp)
case $timestamp in '' | *[!0-9]*) exit 1 ;; esac
[ -n "$id" ] && [ $((now - timestamp)) -le 300 ] && [ $((timestamp - now)) -le 300 ] || exit 1

{ printf '%s.%s.' "$id" "$timestamp"; jq -j .body "$work/request"; } > "$work/signed"
# The 32 bytes of the key behind the fixed beginning that says: Ed25519 (RFC 8410).
{ printf '\060\052\060\005\006\003\053\145\160\003\041\000'; printf '%s' "${CALLBACK_PUBLIC_KEY#whpk_}" | openssl base64 -d -A; } > "$work/key"

for signature in $(header webhook-signature); do
  case $signature in v1a,*) ;; *) continue ;; esac
  printf '%s' "${signature#v1a,}" | openssl base64 -d -A > "$work/signature"
  if openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key" -rawin -in "$work/signed" -sigfile "$work/signature" > /dev/null 2>&1; then
    # A host is asked once, before its first callback, whether it wants them: it echoes the nonce.
    jq -c '.body | fromjson | if .event == "host_proof" then { nonce } else {} end' "$work/request"
    exit 0
  fi
done
exit 1
