import { type Client, type InputOf, ProblemError } from '../../../api/http/client.ts'

export type PayoutBody = InputOf<'payout-create'>

/** What became of one body: `pending` may be created by the same call again, and `refused` may not. */
export type PayoutOutcome = {
  body: PayoutBody
  outcome: 'created' | 'refused' | 'pending'
  payout_id: string | null
  /** The payout was created by an earlier call, which this one neither repeated nor paid. */
  repeated: boolean
  /** Why it is not created: the code of the refusal, `unreachable` where no answer can be read, `not_sent` after a pending one, and words. */
  code: string | null
  detail: string | null
}

const BODIES_MAX = 10_000
const PAYMENT_REQUIRED = 402
const texts = ['recipient', 'amount_usdc', 'idempotency_key', 'memo', 'rail_reference'] as const

/**
 * The bodies in a text of JSON Lines, such as `payouts/payout-create.jsonl` of a package. Throws a TypeError with the line of what is
 * no body, and of a key that stands there twice.
 */
export function readPayoutBodies(jsonLines: string): PayoutBody[] {
  const lines = jsonLines.split('\n').map((line, at) => ({ line: line.trim(), number: at + 1 }))
  const filled = lines.filter(({ line }) => line !== '')
  if (filled.length > BODIES_MAX) throw new TypeError(`there are more than ${BODIES_MAX} bodies`)
  const keys = new Set<string>()
  return filled.map(({ line, number }) => {
    const body = bodyIn(line)
    if (body === undefined) throw new TypeError(`line ${number} is no body of payout-create`)
    const { idempotency_key } = body
    if (keys.has(idempotency_key))
      throw new TypeError(`line ${number} has the idempotency_key of a line before it`)
    keys.add(idempotency_key)
    return body
  })
}

function bodyIn(line: string): PayoutBody | undefined {
  try {
    const value = JSON.parse(line) as Record<string, unknown> | null
    return texts.every((name) => typeof value?.[name] === 'string')
      ? (value as PayoutBody)
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Creates payouts one after another, by ordinary calls of the client's wallet. Each body has its own idempotency key, so the
 * same bodies may be submitted again: what was created is answered from the store and costs nothing. After a call that is
 * pending no more are sent.
 */
export async function submitPayouts(
  client: Client,
  bodies: readonly PayoutBody[],
): Promise<PayoutOutcome[]> {
  const outcomes: PayoutOutcome[] = []
  let isStopped = false
  for (const body of bodies) {
    const outcome: PayoutOutcome = isStopped ? notSent(body) : await submitOne(client, body)
    isStopped ||= outcome.outcome === 'pending'
    outcomes.push(outcome)
  }
  return outcomes
}

const notSent = (body: PayoutBody): PayoutOutcome => ({
  body,
  outcome: 'pending',
  payout_id: null,
  repeated: false,
  code: 'not_sent',
  detail: 'a call before it is pending',
})

async function submitOne(client: Client, body: PayoutBody): Promise<PayoutOutcome> {
  try {
    const { body: answer, replayed } = await client.call('payout-create', body)
    const { payout_id } = answer.payout
    return { body, outcome: 'created', payout_id, repeated: replayed, code: null, detail: null }
  } catch (error) {
    const missed = { body, payout_id: null, repeated: false }
    if (!(error instanceof ProblemError)) {
      const detail = error instanceof Error ? error.message : String(error)
      return { ...missed, outcome: 'pending', code: 'unreachable', detail }
    }
    // Without the fee the next call is refused, too; with it, this one is made.
    const { code, detail, retryable, status } = error.problem
    const isPending = retryable || status === PAYMENT_REQUIRED
    return { ...missed, outcome: isPending ? 'pending' : 'refused', code, detail }
  }
}
