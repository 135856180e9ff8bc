import { agentSignatureText, encodeAgentSignature } from '#domain/agents/signature.ts'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { bodySha256, encodeWalletProof, walletProofText } from '#domain/payouts/wallet-proof.ts'
import { hasBody } from '../http-method.ts'
import type { AccessKind } from '../operation.ts'
import {
  type Callable,
  callables,
  type InputOf,
  type OperationId,
  type OutputOf,
} from './client-contract.ts'
import { type Problem, ProblemError } from './client-problem.ts'
import { repeated } from './client-repeat.ts'

export type { InputOf, OperationId, OutputOf } from './client-contract.ts'
export { type Problem, ProblemError } from './client-problem.ts'

/** A proof is repeated with its call, so that a paid call is not paid again; the service takes it for 300 s. */
const PROOF_LASTS_MS = 240_000

/** A wallet that signs proofs by personal_sign, such as a viem account. */
export type ClientWallet = {
  readonly address: string
  readonly signMessage: (of: { message: string }) => Promise<`0x${string}`>
}

export type ClientOptions = {
  readonly baseUrl: string
  /** The OS host, for its operations. */
  readonly osUrl?: string
  /** The origin that proofs and signatures name: the service's configured base URL, where that is not `baseUrl`. */
  readonly origin?: string
  /** The fetch to use; wrap it with `wrapFetchWithPayment` of `@x402/fetch` to pay for calls. */
  readonly fetch?: (input: string, init: RequestInit) => Promise<Response>
  readonly wallet?: ClientWallet
  /** Operator credential, `op_…`. */
  readonly operator?: string
  /** Access key of an agent, `ag_…`. */
  readonly agent?: string
  /** Status token of a registration or task. */
  readonly statusToken?: string
  /** Makes the idempotency keys of calls without a credential your own: 22 to 128 characters of base64url. */
  readonly idempotencySecret?: string
  /** Signs a text by Ed25519 with the agent's registered key; 64 bytes as base64url. */
  readonly signAsAgent?: (text: string) => string | Promise<string>
  /** For how long a call is repeated that is refused as retryable or does not get through; 0: it is made once. */
  readonly retryForMs?: number
}

export type Answer<Body> = {
  readonly status: number
  readonly body: Body
  readonly headers: Headers
  /** Whether this is the stored answer of an earlier call. */
  readonly replayed: boolean
}

/** The body of an operation that takes one as it comes. */
type Upload = {
  readonly mediaType: string
  readonly bytes: NonNullable<RequestInit['body']>
}

export type Client = {
  /** Calls an operation; throws ProblemError when it is refused and Error when the answer is not one of the service. */
  call<Id extends OperationId>(
    id: Id,
    input: InputOf<Id>,
    options?: { signal?: AbortSignal; upload?: Upload; waitSeconds?: number },
  ): Promise<Answer<OutputOf<Id>>>
}

/** A client typed by the operations: it knows each one's path, makes wallet proofs, presents credentials, and repeats. */
export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? ((input, init) => fetch(input, init))
  return {
    call: async (id, input, { signal, upload, waitSeconds } = {}) => {
      const callable = callableOf(id)
      const { method, keyed } = callable
      const { path, rest } = placed(callable, input, options)
      const body = hasBody(method) && !callable.streams ? rest : undefined
      const headers = {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(upload === undefined ? {} : { 'Content-Type': upload.mediaType }),
        ...(waitSeconds === undefined ? {} : { Prefer: `wait=${waitSeconds}` }),
        ...(keyed && !('idempotency_key' in rest)
          ? { 'Idempotency-Key': crypto.randomUUID() }
          : {}),
      }
      let presented: Record<string, string> = {}
      let presentedAt = 0
      const attempt = async () => {
        if (Date.now() - presentedAt > PROOF_LASTS_MS) {
          presentedAt = Date.now()
          presented = await presentation(callable, options, { method, path }, body)
        }
        const init: RequestInit = {
          method,
          headers: { ...headers, ...presented },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          ...(upload === undefined ? {} : { body: upload.bytes, duplex: 'half' }),
          ...(signal === undefined ? {} : { signal }),
        }
        const url = `${hostOf(callable, options)}${path}${body === undefined ? queryOf(rest) : ''}`
        return readAnswer<OutputOf<typeof id>>(await send(url, init))
      }
      return upload === undefined
        ? repeated(attempt, { forMs: options.retryForMs ?? 0, signal })
        : attempt()
    },
  }
}

function callableOf(id: OperationId): Callable {
  const found = callables[id]
  if (found === undefined) throw new TypeError(`there is no operation ${id}`)
  return found
}

/** The path with what the input and the options put into it, and what is left of the input. */
function placed(
  callable: Callable,
  input: object,
  options: ClientOptions,
): { path: string; rest: object } {
  const rest = new Map(Object.entries(input))
  const path = callable.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = name === 'token' ? required(options.statusToken, 'statusToken') : rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  return { path, rest: Object.fromEntries(rest) }
}

const hostOf = ({ host }: Callable, options: ClientOptions): string =>
  plain(host === 'os' ? required(options.osUrl, 'osUrl') : options.baseUrl)

/** What this client presents, of the ways that the operation takes: the first that it has something for. */
async function presentation(
  callable: Callable,
  options: ClientOptions,
  call: { method: string; path: string },
  body: unknown,
): Promise<Record<string, string>> {
  const { ways, examines, keeps, recalls } = callable
  const has: Record<AccessKind, boolean> = {
    operator: options.operator !== undefined,
    agent: options.agent !== undefined,
    status: options.statusToken !== undefined,
    wallet: options.wallet !== undefined,
    provider: false,
    public: true,
  }
  // What keeps a call belongs to its caller, also where none is asked for.
  const known = has.agent && (examines || (keeps && ways[0] === 'public'))
  switch (known ? 'agent' : (ways.find((way) => has[way]) ?? ways[0])) {
    case 'operator':
      return { Authorization: `Bearer ${required(options.operator, 'operator')}` }
    case 'agent':
      return { Authorization: `Bearer ${required(options.agent, 'agent')}` }
    case 'wallet':
      return { 'X-Service-Wallet-Proof': await walletProofHeader(options, call, body) }
    case 'status': {
      const token = required(options.statusToken, 'statusToken')
      const signed = () => agentSignatureHeader(callable, options, call, body, sha256Hex(token))
      return {
        ...(callable.path.includes('{token}') ? {} : { 'X-Status-Token': token }),
        ...(callable.signed ? { 'X-Agent-Signature': await signed() } : {}),
      }
    }
    case 'public':
      return {
        ...(keeps && options.idempotencySecret !== undefined
          ? { 'Idempotency-Secret': options.idempotencySecret }
          : {}),
        ...(recalls && options.signAsAgent !== undefined
          ? {
              'X-Agent-Signature': await agentSignatureHeader(
                callable,
                options,
                call,
                body,
                undefined,
              ),
            }
          : {}),
      }
    case 'provider':
      return {}
  }
}

/** A signature of one call by the agent's registered key, for calls that a status token alone may not make. */
async function agentSignatureHeader(
  callable: Callable,
  options: ClientOptions,
  call: { method: string; path: string },
  body: unknown,
  tokenSha256: string | undefined,
): Promise<string> {
  const issuedAt = Math.floor(Date.now() / 1000)
  const text = agentSignatureText({
    origin:
      callable.host === 'os' ? hostOf(callable, options) : plain(options.origin ?? options.baseUrl),
    ...call,
    bodySha256: bodySha256(body),
    tokenSha256,
    issuedAt,
  })
  return encodeAgentSignature(issuedAt, await required(options.signAsAgent, 'signAsAgent')(text))
}

/** A fresh proof for one call; a paying fetch repeats it on its second request, and it is used up once. */
export async function walletProofHeader(
  options: Pick<ClientOptions, 'baseUrl' | 'origin' | 'wallet'>,
  http: { method: string; path: string },
  body: unknown,
): Promise<string> {
  const signer = required(options.wallet, 'wallet')
  const wallet = signer.address.toLowerCase() as `0x${string}`
  const origin = plain(options.origin ?? options.baseUrl)
  const terms = {
    origin,
    wallet,
    bodySha256: bodySha256(body),
    issuedAt: Math.floor(Date.now() / 1000),
    nonce: freshNonce(),
  }
  const signature = await signer.signMessage({
    message: walletProofText({ ...terms, method: http.method, path: http.path }),
  })
  return encodeWalletProof({
    v: 1,
    wallet,
    chain_id: CHAIN_ID,
    method: http.method,
    path: http.path,
    body_sha256: terms.bodySha256,
    issued_at: terms.issuedAt,
    nonce: terms.nonce,
    signature: signature.toLowerCase() as `0x${string}`,
  })
}

const freshNonce = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
const plain = (url: string): string => url.replace(/\/+$/, '')

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new TypeError(`this operation needs createClient({ ${name} })`)
  return value
}

function queryOf(input: object): string {
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(
    Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  )
  return given.length === 0 ? '' : `?${query}`
}

async function readAnswer<Body>(response: Response): Promise<Answer<Body>> {
  const { status, headers } = response
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') ?? false
  const body: unknown = await response.json().catch(() => {
    throw new Error(`the answer is not JSON (status ${status})`)
  })
  if (isProblem) throw new ProblemError(body as Problem, headers)
  return {
    status,
    body: body as Body,
    headers,
    replayed: headers.get('idempotent-replayed') === 'true',
  }
}
