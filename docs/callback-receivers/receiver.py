# A receiver of callbacks. Python 3.9 or later with `pip install cryptography`:
#   CALLBACK_PUBLIC_KEY=whpk_… PORT=8080 python receiver.py
# `python receiver.py verify NOW` verifies one request, {"headers": …, "body": …} on stdin, instead.
import base64
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TOLERANCE_SECONDS = 300


def is_from_service(headers, body: bytes, public_key: str, now: float) -> bool:
    """Whether a request was signed by the holder of the public key (whpk_…) at most five minutes ago or ahead."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not message_id or not timestamp.isdigit() or abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key.removeprefix("whpk_")))
    signed = f"{message_id}.{timestamp}.".encode() + body
    for signature in headers.get("webhook-signature", "").split(" "):
        if not signature.startswith("v1a,"):
            continue
        try:
            key.verify(base64.b64decode(signature[4:]), signed)
            return True
        except (InvalidSignature, ValueError):
            continue
    return False


class Receiver(BaseHTTPRequestHandler):
    # Keep this where it outlives the process: an id that was taken comes again when its answer was lost.
    taken = set()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_from_service(self.headers, body, os.environ["CALLBACK_PUBLIC_KEY"], time.time()):
            return self.answer(401)
        event = json.loads(body)
        # Asked once before the first callback: does this host want them?
        if event["event"] == "host_proof":
            return self.answer(200, json.dumps({"nonce": event["nonce"]}).encode())
        if event["delivery_id"] not in self.taken:
            print(event["event"], event.get("state"), event.get("sequence"), flush=True)
            self.taken.add(event["delivery_id"])
        self.answer(204)

    def answer(self, status: int, body: bytes = b""):
        self.send_response(status)
        if body:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    if sys.argv[1:2] == ["verify"]:
        request = json.load(sys.stdin)
        key = os.environ["CALLBACK_PUBLIC_KEY"]
        sys.exit(0 if is_from_service(request["headers"], request["body"].encode(), key, float(sys.argv[2])) else 1)
    HTTPServer(("", int(os.environ["PORT"])), Receiver).serve_forever()
