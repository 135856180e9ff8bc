import type { Environment } from '#domain/core/environment.ts'
import { type ErrorCode, errorCodes } from '#domain/core/error-codes.ts'
import { limits } from '#domain/core/limits.ts'
import { commonErrors } from '../../../calls/problem.ts'
import { hasBody } from '../../../http-method.ts'
import {
  type AccessKind,
  type AnyOperation,
  type Host,
  isPlain,
  waysOf,
} from '../../../operation.ts'
import { families } from '../../../operations/index.ts'
import type { HostUrls } from '../../openapi.ts'

/** What the reference of one host is made from. */
export type Reference = {
  readonly registry: readonly AnyOperation[]
  readonly host: Exclude<Host, 'both'>
  readonly urls: HostUrls
  readonly environment: Environment
}

/** What a caller of each kind presents. */
const presentations: Readonly<Record<AccessKind, string>> = {
  public: 'Anyone, without a credential.',
  wallet: 'A wallet: its signed proof of this call in X-Service-Wallet-Proof.',
  agent: 'An agent: its access key as Authorization: Bearer ag_….',
  operator: 'An operator: the credential as Authorization: Bearer op_….',
  status: 'The holder of a status token.',
  provider: 'A payment provider: its signature of the raw body.',
}

/** The codes that an operation may answer with, by status. */
export function codesOf(operation: AnyOperation): ErrorCode[] {
  const codes = [...new Set([...operation.errors, ...commonErrors(operation)])]
  return codes.sort((one, other) => errorCodes[one].status - errorCodes[other].status)
}

/** The family of each operation by its id. */
const familyById = new Map<string, string>(
  Object.entries(families).flatMap(([family, members]) =>
    members.map(({ id }): [string, string] => [id, family]),
  ),
)
export const familyOf = ({ id }: AnyOperation): string => familyById.get(id) ?? 'others'

/** The facts of an operation that are not in its schemas: each a name and a sentence. */
export function factsOf(operation: AnyOperation): (readonly [name: string, text: string])[] {
  const { http, mode, defaultMode, needs, tool, uses } = operation
  return [
    ...(mode === undefined
      ? []
      : [['Mode', `${mode}${defaultMode ? ', which a body without a mode has' : ''}`] as const]),
    ...(http.aliases === undefined ? [] : [['Also at', http.aliases.join(', ')] as const]),
    ['Who', waysOf(operation).map(wayOf(operation)).join(' ')],
    ...(needs === undefined ? [] : [['Scopes', needs.scopes.join(', ')] as const]),
    ['Price', priceOf(operation)],
    ['Limits', limitsOf(operation)],
    ...(uses === undefined ? [] : [['Quotas', 'A new call counts in the daily quotas.'] as const]),
    ['Repeats', repeatsOf(operation)],
    ...(tool === undefined ? [] : [['MCP tool', tool] as const]),
  ]
}

const wayOf =
  ({ http, statusToken }: AnyOperation) =>
  (way: AccessKind): string => {
    if (way !== 'status' || statusToken === undefined) return presentations[way]
    const kinds = statusToken.prefixes.map((prefix) => `${prefix}_…`).join(' or ')
    const place = http.path.includes('{token}') ? 'the path' : 'X-Status-Token'
    const signed = statusToken.signed ? ', signed by the agent’s key in X-Agent-Signature' : ''
    return `The holder of a status token ${kinds}, in ${place}${signed}.`
  }

function priceOf({ price, carriesPayment, charge }: AnyOperation): string {
  if (carriesPayment === true)
    return 'The price of the run, by quote; an unpaid call answers 402 with the ways to pay.'
  if (price === null) return 'Free of charge.'
  const when = charge === 'before' ? 'before it acts' : 'with its answer'
  return `${Number(price) / 1e6} USDC a call by x402, settled ${when}; the first ${limits.freeCallsPerWindow} calls of a wallet in 30 days are free.`
}

function limitsOf({ http, limits: own, stream }: AnyOperation): string {
  const bytes = stream?.bytesMax ?? own?.bodyBytes ?? limits.bodyBytesMax
  const body = hasBody(http.method) ? [`A body of at most ${sizeOf(bytes)}.`] : []
  const rate =
    own?.addressPerMinute === undefined ? [] : [`${own.addressPerMinute} calls a minute.`]
  const common = http.unlimited ? 'No rate limit.' : 'The rate limits of its caller.'
  return [...body, ...rate, ...(rate.length > 0 ? [] : [common])].join(' ')
}

const sizeOf = (bytes: number): string =>
  bytes >= 1_048_576 ? `${bytes / 1_048_576} MiB` : `${bytes / 1024} KiB`

function repeatsOf(operation: AnyOperation): string {
  const { idempotency } = operation
  if (idempotency.kind === 'read') return 'It changes nothing.'
  if (idempotency.kind === 'effect') return 'A repeat finds what the first call did.'
  if (idempotency.kind === 'natural') return 'A repeat joins the first call and gets its answer.'
  const key =
    'idempotency_key' in (operation.input.shape ?? {})
      ? 'idempotency_key'
      : 'the header Idempotency-Key'
  const secret =
    waysOf(operation).includes('public') && !isPlain(operation)
      ? ' Without a credential, send the same Idempotency-Secret.'
      : ''
  return `A repeat with the same ${key} gets the first answer.${secret}`
}
