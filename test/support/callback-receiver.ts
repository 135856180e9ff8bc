import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { createOutgoing, type SendOutgoing } from '../../activities/http/outgoing.ts'
import type { SigningKey } from '../../activities/keys/compact.ts'
import { startTlsServer, testAuthority } from './tls-server.ts'

type Answer = { status: number; body?: string }
/** One request as it came, with whether its v1a signature verifies. */
type Received = {
  id: string
  body: Record<string, unknown>
  verified: boolean
  signatures: string[]
}

/**
 * A real TLS receiver of callbacks: verifies, echoes nonces, takes each id once. `answers` are given in turn to what is no
 * proof, then 200; `echo` false leaves nonces alone.
 */
export async function startReceiver(key: SigningKey) {
  const received: Received[] = []
  const inbox = new Map<string, Record<string, unknown>>()
  const answers: Answer[] = []
  const settings = { echo: true }
  const publicKey = createPublicKey({ key: key.publicJwk as JsonWebKey, format: 'jwk' })
  const server = await startTlsServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const header = (name: string) => String(request.headers[name])
    const signatures = header('webhook-signature').split(' ')
    const signed = Buffer.from(`${header('webhook-id')}.${header('webhook-timestamp')}.${text}`)
    const v1a = signatures.find((one) => one.startsWith('v1a,'))?.slice(4) ?? ''
    const verified = verify(null, signed, publicKey, Buffer.from(v1a, 'base64'))
    const body = JSON.parse(text) as Record<string, unknown>
    received.push({ id: header('webhook-id'), body, verified, signatures })
    if (body['event'] === 'host_proof')
      return response.end(settings.echo ? JSON.stringify({ nonce: body['nonce'] }) : 'hello')
    const answer = answers.shift() ?? { status: 200 }
    if (answer.status >= 200 && answer.status < 300 && !inbox.has(header('webhook-id')))
      inbox.set(header('webhook-id'), body)
    return response.writeHead(answer.status).end(answer.body)
  })
  const send: SendOutgoing = createOutgoing({
    ownHosts: [],
    exempt: [],
    ca: testAuthority,
    resolve: async () => ['93.184.215.14'],
    reach: () => ({ host: '127.0.0.1', port: server.port }),
  })
  return {
    url: 'https://hooks.receiver.example/in?key=s3cret',
    send,
    received,
    inbox,
    answers,
    settings,
    stop: server.stop,
  }
}
