// A receiver of callbacks. Node 20 or later, nothing to install:
//   CALLBACK_PUBLIC_KEY=whpk_… PORT=8080 node receiver.js
import { createPublicKey, verify } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'

const TOLERANCE_SECONDS = 300

/** Whether a request was signed by the holder of the public key (`whpk_…`) not more than five minutes ago or ahead. */
export function isFromService(
  headers: IncomingHttpHeaders,
  body: Buffer,
  publicKey: string,
  nowSeconds: number,
): boolean {
  const text = (name: string) => String(headers[name] ?? '')
  const [id, timestamp] = [text('webhook-id'), text('webhook-timestamp')]
  if (
    id === '' ||
    !/^\d+$/.test(timestamp) ||
    Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS
  )
    return false
  const x = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
  // The header may hold several signatures; one that verifies is enough.
  return text('webhook-signature')
    .split(' ')
    .some(
      (one) =>
        one.startsWith('v1a,') && verify(null, signed, key, Buffer.from(one.slice(4), 'base64')),
    )
}

/** Serves callbacks; `take` gets each one once and should only store it. */
export function serveCallbacks(
  publicKey: string,
  port: number,
  take: (event: Record<string, unknown>) => Promise<void>,
) {
  // Keep this where it outlives the process: an id that was taken comes again when its answer was lost.
  const taken = new Set<string>()
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts)
    if (!isFromService(request.headers, body, publicKey, Date.now() / 1000))
      return response.writeHead(401).end()
    const event = JSON.parse(body.toString('utf8'))
    // Asked once before the first callback: does this host want them?
    if (event.event === 'host_proof') return response.end(JSON.stringify({ nonce: event.nonce }))
    if (!taken.has(event.delivery_id)) await take(event)
    taken.add(event.delivery_id)
    return response.writeHead(204).end()
  })
  return server.listen(port)
}
