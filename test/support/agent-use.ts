import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { railOf } from '#domain/rails/index.ts'
import type { Tier } from '#domain/rails/rail.ts'
import { createClient, type InputOf, ProblemError } from '../../api/http/client.ts'
import { eventually } from './agent.ts'
import { decide, type Hosts, trustedAgent } from './registering-agent.ts'

type PaidRail = 'packetops' | 'diligenceops'
export type StartInput = InputOf<'start-agent-run'>

export const freshKey = () => randomBytes(6).toString('hex')

/** The problem that a call is refused with; throws where it is not refused. */
export const problemOf = (call: Promise<unknown>) =>
  call.then(
    () => {
      throw new Error('it was expected to be refused')
    },
    (error: unknown) => {
      if (error instanceof ProblemError) return error.problem
      throw error
    },
  )

/** An agent that buys runs, and the operator who decides about them, over HTTP alone. */
export async function openAgentUse(
  hosts: Hosts,
  operator: string,
  more?: Partial<InputOf<'agent-register'>>,
  limits?: InputOf<'loop-review-record'>['limits'],
) {
  const rails: PaidRail[] = ['packetops', 'diligenceops']
  const known = await trustedAgent(hosts, operator, { rails, ...more }, limits)
  const client = createClient({ baseUrl: hosts.base, osUrl: hosts.os, agent: known.credential })
  const quote = async (rail: PaidRail = 'packetops', units = 1, tier: Tier = 'standard') => {
    const asked = { rail, tier, units, idempotency_key: freshKey() }
    return (await client.call('agent-quote', asked)).body.quote
  }
  const startInput = (quote_id: string, rail: PaidRail = 'packetops'): StartInput => ({
    mode: 'start_agent_run',
    rail,
    tier: 'standard',
    quote_id,
    on_gaps: 'report',
    input: railOf(rail).sandboxInput as StartInput['input'],
    accept_terms: true,
    idempotency_key: freshKey(),
  })
  return {
    ...known,
    client,
    quote,
    startInput,
    start: (input: StartInput) => client.call('start-agent-run', input),
    status: async (run_id: string, wait_ms = 0) =>
      (await client.call('get-run-status', { mode: 'get_run_status', run_id, wait_ms })).body.run,
    pay: async (quote_id: string) => {
      const paid = { method: 'invoice_reference', external_reference: `INV-${freshKey()}` } as const
      const input = { quote_id, ...paid, idempotency_key: freshKey() }
      return (await client.call('payment-reference-create', input)).body.payment_reference
    },
    approve: (subject_kind: 'payment_reference' | 'task' | 'loop_step', subjectId: string) =>
      decide(hosts, operator, subjectId, 'approve', { subject_kind }),
  }
}

type Buyer = Awaited<ReturnType<typeof openAgentUse>>

/** A run that is paid by invoice, on the sample of its rail or another input; it waits for its review. */
export async function runInReview(
  buyer: Buyer,
  rail: PaidRail = 'packetops',
  changes: Partial<StartInput> = {},
) {
  const { quote_id } = await buyer.quote(rail)
  const { payment_reference_id } = await buyer.pay(quote_id)
  const started = await buyer.start({
    ...buyer.startInput(quote_id, rail),
    payment_reference_id,
    ...changes,
  })
  const { run_id, task_id } = started.body.run
  const reaches = async (state: string) => {
    const run = await eventually(
      () => buyer.status(run_id, 5_000),
      (one) => one.state === state,
      60_000,
    )
    expect(run.state).toBe(state)
  }
  await buyer.approve('payment_reference', payment_reference_id)
  await reaches('credit_funded')
  await buyer.approve('task', task_id)
  const waits = async () =>
    (await buyer.status(run_id)).loop.steps.find(({ step }) => step === 'review_step')?.state
  await expect.poll(waits).toBe('waits')
  return { run_id, task_id, reaches }
}

/** A run that the operator has reviewed; answers its fetched package. */
export async function buyRun(buyer: Buyer, rail: PaidRail = 'packetops') {
  const { run_id, reaches } = await runInReview(buyer, rail)
  await buyer.approve('loop_step', run_id)
  await reaches('closed')
  const asked = { mode: 'fetch_return_package', run_id } as const
  return (await buyer.client.call('fetch-return-package', asked)).body
}
