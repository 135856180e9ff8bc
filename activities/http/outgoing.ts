import { Resolver } from 'node:dns/promises'
import { request as requestPlain } from 'node:http'
import { type RequestOptions, request as requestTls } from 'node:https'
import { isPublicAddress, readTarget } from './address-rules.ts'

type OutgoingRequest = {
  url: string
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}
/** Why there is no answer; nothing was sent only for the first three. */
type NoAnswer =
  | 'url_refused'
  | 'address_refused'
  | 'name_unresolved'
  | 'tls_failed'
  | 'connection_failed'
  | 'timeout'
  | 'answer_too_large'
/**
 * What came back, whatever its status, with its media type and content encoding as sent, or why nothing did; `detail` is for operators, never for who named the URL. An answer that
 * is too long to read still has its status.
 */
export type Outgoing =
  | {
      ok: true
      status: number
      body: Buffer
      type: string | undefined
      encoding: string | undefined
    }
  | { ok: false; reason: NoAnswer; detail: string; status?: number }
export type SendOutgoing = (request: OutgoingRequest) => Promise<Outgoing>

export type OutgoingSettings = {
  /** Host names of this service, which no caller may make it request. */
  readonly ownHosts: readonly string[]
  /** Origins, or single pages of one, to which the rules about scheme, port and address do not apply. */
  readonly exempt: readonly string[]
  /** The addresses of a DNS name, asked for once for each request. */
  readonly resolve?: (name: string) => Promise<string[]>
  /** The host and port to connect to for an allowed address; tests replace it with their own server. */
  readonly reach?: (address: string) => { host: string; port: number }
  /** Certificate authorities instead of Node's own. */
  readonly ca?: string
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 5_000
const ANSWER_BYTES_MAX = 65_536
const HTTPS_PORT = 443

/**
 * Sends all requests to URLs that another party chose: HTTPS on 443, the name resolved once and that
 * very address connected to, its certificate checked by name, no redirect followed, 5 s for all of it and 64 KiB of answer.
 */
export function createOutgoing(settings: OutgoingSettings): SendOutgoing {
  return async (request) => {
    const over = new AbortController()
    const expired = new Promise<Outgoing>((resolve) => {
      over.signal.addEventListener('abort', () => resolve(none('timeout', 'the time was up')))
    })
    const timer = setTimeout(() => over.abort(), settings.timeoutMs ?? TIMEOUT_MS)
    try {
      return await Promise.race([attempt(settings, request, over.signal), expired])
    } finally {
      clearTimeout(timer)
      // Closes what is still open, such as an answer that was too long to read.
      over.abort()
    }
  }
}

async function attempt(
  settings: OutgoingSettings,
  request: OutgoingRequest,
  signal: AbortSignal,
): Promise<Outgoing> {
  const { ownHosts, resolve = resolveName, reach = onStandardPort } = settings
  const tls = { signal, ...(settings.ca === undefined ? {} : { ca: settings.ca }) }
  const exempt = findExempt(request.url, settings.exempt)
  if (exempt !== undefined) return exchange(exempt, tls, request)
  const target = readTarget(request.url, ownHosts)
  if (!target.ok) return none('url_refused', target.reason)
  const { url } = target
  const found = await publicAddressOf(url.hostname, resolve)
  if ('refused' in found) return found.refused
  const { host: hostname, port } = reach(found.address)
  return exchange(url, { ...tls, hostname, port, servername: url.hostname }, request)
}

type Resolve = NonNullable<OutgoingSettings['resolve']>

/** An address of a DNS name, all of whose addresses are in public space. */
async function publicAddressOf(
  name: string,
  resolve: Resolve,
): Promise<{ address: string } | { refused: Outgoing & { ok: false } }> {
  const addresses = await resolve(name).catch(() => [])
  const [address] = addresses
  if (address === undefined) return { refused: none('name_unresolved', `${name} has no address`) }
  // Every address is checked: one address outside public space refuses the whole name.
  const inside = addresses.find((one) => !isPublicAddress(one))
  if (inside !== undefined)
    return { refused: none('address_refused', `${name} leads to ${inside}`) }
  return { address }
}

/** Whether a URL may be requested now: it is exempt, or its name resolves to public addresses alone. Nothing is sent. */
export async function leadsOutside(
  { ownHosts, exempt, resolve = resolveName }: OutgoingSettings,
  text: string,
): Promise<boolean> {
  if (findExempt(text, exempt) !== undefined) return true
  const target = readTarget(text, ownHosts)
  return target.ok && 'address' in (await publicAddressOf(target.url.hostname, resolve))
}

/** The URL if it is exempt from the rules; otherwise undefined. */
export function findExempt(text: string, exempt: readonly string[]): URL | undefined {
  if (exempt.length === 0 || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const fits = exempt
    .map((entry) => new URL(entry))
    .some(
      ({ origin, pathname }) =>
        origin === url.origin && (pathname === '/' || pathname === url.pathname),
    )
  return fits && url.username === '' && url.password === '' ? url : undefined
}

/** Sends one request over a new connection; never rejects. */
function exchange(
  url: URL,
  options: RequestOptions,
  { method, headers, body = '' }: OutgoingRequest,
): Promise<Outgoing> {
  const standing = {
    host: url.host,
    'user-agent': 'agent-rails',
    'accept-encoding': 'identity',
    connection: 'close',
  }
  const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  const start = url.protocol === 'http:' ? requestPlain : requestTls
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve(none(reasonOf(error), error.message))
    const sent = start(url, {
      ...options,
      method,
      headers: { ...headers, ...standing, ...length },
      // The environment can turn the check off for the whole process, but not here.
      rejectUnauthorized: true,
      agent: false,
    })
    let answered = false
    sent.once('response', (response) => {
      answered = true
      readAll(response).then((read) => {
        const status = response.statusCode ?? 0
        if (read === undefined)
          resolve({ ...none('answer_too_large', `over ${ANSWER_BYTES_MAX} bytes`), status })
        else {
          const { 'content-type': type, 'content-encoding': encoding } = response.headers
          resolve({ ok: true, status, body: read, type, encoding })
        }
      }, fail)
    })
    sent.once('error', fail)
    sent.once('close', () => {
      if (!answered) fail(new Error('closed without an answer'))
    })
    sent.end(body)
  })
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of stream) {
    bytes += part.length
    if (bytes > ANSWER_BYTES_MAX) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const none = (reason: NoAnswer, detail: string) => ({ ok: false, reason, detail }) as const
const onStandardPort = (host: string) => ({ host, port: HTTPS_PORT })

function reasonOf(error: Error): NoAnswer {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ABORT_ERR') return 'timeout'
  return /CERT|TLS|SSL|ISSUER|SIGNATURE|EPROTO/.test(code) ? 'tls_failed' : 'connection_failed'
}

/** IPv4 first, since it is what most hosts can be reached by; asks the DNS servers, so that no hosts file decides. */
async function resolveName(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  const [four, six] = await Promise.all([
    resolver.resolve4(name).catch(() => []),
    resolver.resolve6(name).catch(() => []),
  ])
  return [...four, ...six]
}
