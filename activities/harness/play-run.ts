import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { railOf } from '#domain/rails/index.ts'
import { type KeyedPlayer, keep, keyFor, read, type Session, Unmet } from './session.ts'

export const Quoted = z.looseObject({ quote: z.looseObject({ quote_id: z.string() }) })
const RunAnswer = z.looseObject({
  run: z.looseObject({ run_id: z.string(), state: z.string() }),
})
export const USE_PATH = '/api/agent-use'

/** A quote of the first tier for an agent; `name` is that of the quote within the test. */
export async function askQuote(session: Session, name: string, { headers }: KeyedPlayer) {
  const { surface, run } = session
  const body = { rail: run.rail, tier: 'entry', idempotency_key: keyFor(session, `quote-${name}`) }
  const quoted = await surface.send({ method: 'POST', path: '/api/agents/quote', headers, body })
  return read(quoted, 200, Quoted).quote.quote_id
}

const stopped: ReadonlySet<string> = new Set(['exception_open', 'failed', 'replay_ready'])
const CLOSED_WITHIN_MS = 90_000

/** The id of the synthetic run that an agent starts on an input, the sample of the rail by default, once it is closed. */
export async function playRun(
  session: Session,
  name: string,
  player: KeyedPlayer,
  input: unknown = railOf(session.run.rail).sandboxInput,
): Promise<string> {
  const { surface, run } = session
  const { headers } = player
  const run_id = await keep(session, `run:${name}`, async () => {
    const body = {
      mode: 'start_agent_run',
      rail: run.rail,
      tier: 'entry',
      usage: 'synthetic',
      quote_id: await askQuote(session, name, player),
      input,
      on_gaps: 'report',
      accept_terms: true,
      idempotency_key: keyFor(session, `run-${name}`),
    }
    const started = await surface.send({ method: 'POST', path: USE_PATH, headers, body })
    return read(started, 202, RunAnswer).run.run_id
  })
  const until = performance.now() + CLOSED_WITHIN_MS
  for (;;) {
    const body = { mode: 'get_run_status', run_id, wait_ms: 15_000 }
    const answer = await surface.send({ method: 'POST', path: USE_PATH, headers, body })
    const { state } = read(answer, 200, RunAnswer).run
    if (state === 'closed') return run_id
    if (stopped.has(state) || performance.now() > until) throw new Unmet(`the run is ${state}`)
  }
}

const Fetched = z.looseObject({
  return_package: z.looseObject({
    run_id: z.string(),
    proof_hash: z.string(),
    result_contract: z.looseObject({
      settlement_receipt_id: z.string(),
      usage_receipt_id: z.string(),
    }),
  }),
  completion: z.looseObject({ verdict: z.string() }),
  verification_packet: z.looseObject({ receipt_id: z.string(), payload_sha256: z.string() }),
})
export type FetchedPackage = z.output<typeof Fetched>

export async function fetchPackage(
  { surface }: Session,
  run_id: string,
  { headers }: KeyedPlayer,
): Promise<FetchedPackage> {
  const body = { mode: 'fetch_return_package', run_id }
  return read(await surface.send({ method: 'POST', path: USE_PATH, headers, body }), 200, Fetched)
}

const Packet = z.looseObject({ verified: z.boolean(), payload_sha256: z.string().nullable() })
const INCLUDED_WITHIN_MS = 75_000

/** Verifies a receipt as anyone does, once it has its place in the log; answers the digest of what it says. */
export async function verifyReceipt({ surface }: Session, receiptId: string) {
  const path = `/api/verify-receipt?receipt_id=${encodeURIComponent(receiptId)}`
  const until = performance.now() + INCLUDED_WITHIN_MS
  for (;;) {
    const packet = read(await surface.send({ method: 'GET', path }), 200, Packet)
    if (packet.verified) return packet.payload_sha256
    if (performance.now() > until) throw new Unmet('a receipt does not verify')
    await sleep(3_000)
  }
}

/** Verifies the receipts of settlement and usage that a package names. */
export async function verifyReceiptsOf(session: Session, made: FetchedPackage['return_package']) {
  const { settlement_receipt_id, usage_receipt_id } = made.result_contract
  for (const receiptId of [settlement_receipt_id, usage_receipt_id])
    await verifyReceipt(session, receiptId)
}
