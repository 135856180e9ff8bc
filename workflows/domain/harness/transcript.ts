import { canonicalJson, digestOf, sha256Hex } from '../core/canonical-json.ts'

/** A request of a test and its answer, without secrets. `status` is null where no answer came. */
export type Exchange = {
  readonly request: Readonly<Record<string, unknown>>
  readonly response: { readonly status: number | null } & Readonly<Record<string, unknown>>
}
/** How a step went: `status` of its last answer, `ms` on the clock. */
export type PlayedStep = {
  readonly step: string
  readonly expected: string
  readonly ok: boolean
  readonly detail: string
  readonly status: number | null
  readonly ms: number
  readonly request_sha256: string
  readonly response_sha256: string
  readonly exchanges: readonly Exchange[]
}

const BODY_CHARS_MAX = 8_192
const secretForms = [
  /\b(ag_[0-9a-f]{16})_[0-9a-f]{64}(?![0-9a-f])/g,
  /\b(st|tk|wt|pt|qk)_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g,
]

/** Members that prove who calls; a repeat of the call within its time would be answered like the first. */
const proofs: readonly string[] = ['x-agent-signature', 'signature']

/** The value without proofs, and without access keys and tokens, of which only the kind and the public id stay. */
export function redacted(value: unknown): unknown {
  if (typeof value === 'string')
    return secretForms.reduce((text, form) => text.replace(form, '$1_[redacted]'), value)
  if (Array.isArray(value)) return value.map(redacted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      proofs.includes(name.toLowerCase()) && typeof one === 'string' ? '[redacted]' : redacted(one),
    ]),
  )
}

/** A body as a transcript keeps it: without secrets, and of a long one only its length and digest. */
export function keptBody(body: unknown): unknown {
  const kept = redacted(body)
  const text = canonicalJson(kept)
  if (text.length <= BODY_CHARS_MAX) return kept
  return { omitted: true, chars: text.length, sha256: sha256Hex(text) }
}

/** The digests of all requests and of all answers of a step. */
export const exchangeDigests = (exchanges: readonly Exchange[]) => ({
  request_sha256: digestOf(exchanges.map(({ request }) => request)),
  response_sha256: digestOf(exchanges.map(({ response }) => response)),
})

/** The digest of a transcript: what each step expected, how it went, and everything that was sent and answered. */
export const transcriptHash = (suite: string, steps: readonly PlayedStep[]): string =>
  digestOf({ type: 'service.test-transcript.v1', suite, steps })

/** Whether the digests of a step are those of its exchanges. */
export function isIntact({ request_sha256, response_sha256, exchanges }: PlayedStep): boolean {
  const made = exchangeDigests(exchanges)
  return made.request_sha256 === request_sha256 && made.response_sha256 === response_sha256
}
