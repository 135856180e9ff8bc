import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { proofOf } from '../../support/agent.ts'
import { newWallet, type TestWallet } from '../../support/chain.ts'

/** What a caller sends in place of a credential, and the proxy exchanges for a right one; anything else is passed on as it came. */
const PLACEHOLDER = 'placeholder'

/** `target` is the service's own origin, `operator` a credential of it; `creators` are the wallets whose payouts calls may name. */
export type SigningProxyOptions = {
  target: string
  operator: string
  creators: ReadonlyMap<string, TestWallet>
}
export type SigningProxy = { url: string; stop(): Promise<void> }
type Headers = [name: string, value: string][]

/** More than any generated call has, so that the service and not the proxy refuses a long one. */
const LONGEST_HEAD = 4 * 1024 * 1024
const HOP_BY_HOP =
  /^(host|connection|keep-alive|transfer-encoding|content-length|upgrade|te|trailer|expect)$/i

/**
 * Passes every call on to the service, with a wallet proof for the very body or an operator's credential where the caller holds
 * a place for it. A wallet serves until it is asked to pay, so that priced calls are free and a 402 comes up all the same.
 */
export async function openSigningProxy({
  target,
  operator,
  creators,
}: SigningProxyOptions): Promise<SigningProxy> {
  let wallet = newWallet()
  const pass = async (call: IncomingMessage, answer: ServerResponse) => {
    const body = await buffer(call)
    const value = parse(body)
    const signer = creators.get(payoutIdOf(value)) ?? wallet
    const credential = async ([name, sent]: Headers[number]): Promise<Headers[number]> => {
      if (/^authorization$/i.test(name) && sent === `Bearer ${PLACEHOLDER}`)
        return [name, `Bearer ${operator}`]
      const isProof = /^x-service-wallet-proof$/i.test(name) && sent === PLACEHOLDER
      return [name, isProof ? await proof(signer, target, call.url, value) : sent]
    }
    const kept = pairs(call.rawHeaders).filter(([name]) => !HOP_BY_HOP.test(name))
    const reply = await forward(target, call, await Promise.all(kept.map(credential)), body)
    if (reply.statusCode === 402 && signer === wallet) wallet = newWallet()
    answer.writeHead(reply.statusCode ?? 502, reply.statusMessage, reply.rawHeaders)
    reply.pipe(answer)
  }
  const server = createServer({ maxHeaderSize: LONGEST_HEAD }, (call, answer) => {
    pass(call, answer).catch(() => answer.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** What is no JSON, or has no canonical form, gets a proof of something else: the service refuses it before it looks at the proof. */
async function proof(
  { account }: TestWallet,
  origin: string,
  url: string | undefined,
  value: unknown,
): Promise<string> {
  const { pathname } = new URL(url ?? '/', origin)
  const sign = async (body: unknown) =>
    (await proofOf(account, origin, pathname, body))['X-Service-Wallet-Proof'] ?? PLACEHOLDER
  return sign(value).catch(() => sign({}))
}

/** The service's answer to the call with these headers, doubled where they were; rejects when the connection fails. */
function forward(
  target: string,
  call: IncomingMessage,
  headers: Headers,
  body: Buffer,
): Promise<IncomingMessage> {
  const { host, hostname, port } = new URL(target)
  const hasBody = body.length > 0 || call.headers['content-length'] !== undefined
  const own: Headers = [
    ['Host', host],
    ...(hasBody ? ([['Content-Length', String(body.length)]] as Headers) : []),
  ]
  return new Promise((resolve, reject) => {
    const { method, url: path } = call
    const sent = request(
      { hostname, port, method, path, headers: [...own, ...headers].flat() },
      resolve,
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

function pairs(raw: readonly string[]): Headers {
  return raw.flatMap(
    (name, index): Headers => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []),
  )
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

function payoutIdOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'payout_id' in value
    ? String(value.payout_id)
    : ''
}
