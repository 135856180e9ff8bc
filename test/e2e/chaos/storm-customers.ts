import { setTimeout as sleep } from 'node:timers/promises'
import { walletAccount } from '#domain/credit/credit.ts'
import { readBalance } from '../../../activities/store/credit/postings.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { freshKey } from '../../support/agent-use.ts'
import { notify, providerEvent } from '../../support/money-over-http.ts'
import type { TestStack } from '../../support/stack.ts'
import { openWorkflows } from '../../support/workflows.ts'
import type { Random } from './random.ts'
import { acknowledged } from './storm-runs.ts'

const BALANCE_USD = 500
const TOP_UP_USD = 50
/** What a run of the workflow costs. */
const RUN_USD = 49
const AGAIN_MS = 500

/** When a customer's workflow is run, how long after that it is paused, and when the events of its top-up are sent. */
export type CustomerPlan = { runMs: number; pauseAfterMs: number; eventsMs: number[] }
export type Customer = Awaited<ReturnType<typeof openCustomer>>

/** The gap is from none to longer than a firing takes. */
export const planCustomer = (random: Random, lastsMs: number): CustomerPlan => ({
  runMs: random.between(0, Math.floor(lastsMs * 0.8)),
  pauseAfterMs: random.between(0, 1_500),
  eventsMs: Array.from({ length: 3 }, () => random.between(0, Math.floor(lastsMs * 0.3))),
})

/** A customer with a workflow, a wallet that pays for it, and a further payment into the wallet that is not confirmed yet. */
export async function openCustomer({ baseUrls, osUrls, accounts }: TestStack) {
  const base = baseUrls[0] as string
  const hosts = [{ base, os: osUrls[0] as string }]
  const operator = accounts.operator.credential
  const agent = await openWorkflows({ hosts, operator, config: { BASE_URL: base } as never })
  const { client, wallet_id } = agent
  await agent.fund(BALANCE_USD)
  const workflow_id = await agent.active({ tier: 'entry', cadence: 'on_demand' })
  const session = `cs_${freshKey()}`
  await client.call('allowance-fund', {
    mode: 'fund_allowance',
    wallet_id,
    amount_usd: TOP_UP_USD,
    method: 'hosted_checkout',
    external_reference: session,
    idempotency_key: freshKey(),
  })
  return { client, wallet_id, workflow_id, session, base, paidAtPause: Number.NaN }
}

/** Runs the workflow and pauses it at any moment, while the payment is settled and refunded and the refund fails. */
export async function playCustomer(
  customer: Customer,
  plan: CustomerPlan,
  { db, until }: { db: Tx; until: () => number },
): Promise<void> {
  await Promise.all([runAndPause(customer, plan, { db, until }), sendEvents(customer, plan, until)])
}

async function runAndPause(
  customer: Customer,
  { runMs, pauseAfterMs }: CustomerPlan,
  { db, until }: { db: Tx; until: () => number },
): Promise<void> {
  const { client, workflow_id } = customer
  const insist = (call: Parameters<typeof acknowledged>[2]) => acknowledged([client], until, call)
  await sleep(runMs)
  const run = { mode: 'run_workflow', workflow_id, idempotency_key: freshKey() } as const
  // It is refused where the pause came first.
  const running = insist(({ call }, signal) =>
    call('customer-workflow-run', run, { signal }),
  ).catch(() => undefined)
  await sleep(pauseAfterMs)
  const pause = { mode: 'pause_workflow', workflow_id, idempotency_key: freshKey() } as const
  await insist(({ call }, signal) => call('customer-workflow-pause', pause, { signal }))
  customer.paidAtPause = await repeated(until, () => countPaid(db, customer))
  await running
}

async function sendEvents(
  { base, session, wallet_id }: Customer,
  { eventsMs }: CustomerPlan,
  until: () => number,
): Promise<void> {
  const types = ['payment.settled', 'payment.refunded', 'refund.failed']
  for (const [index, type] of types.entries()) {
    await sleep(eventsMs[index] ?? 0)
    const event = providerEvent(type, session, TOP_UP_USD, { wallet_id })
    await repeated(until, async () => {
      const { status } = await notify(base, event)
      if (status !== 202) throw new Error(`an event is answered with ${status}`)
    })
  }
}

/** What is wrong: a run that was paid after the pause was acknowledged or is still open, or a balance that does not follow from its payments. */
export async function faultsOf(db: Tx, customer: Customer): Promise<string[]> {
  const { workflow_id, wallet_id, paidAtPause } = customer
  const firings = await db
    .selectFrom('workflow_firings')
    .select('state')
    .where('workflow_id', '=', workflow_id)
    .execute()
  const paid = await countPaid(db, customer)
  const started = firings.filter(({ state }) => state === 'started').length
  const balance = await readBalance(db, walletAccount(wallet_id))
  const { state, outcomes } = await topUpOf(db, customer)
  const due = BALANCE_USD - paid * RUN_USD + (state === 'verified' ? TOP_UP_USD : 0)
  return [
    ...(firings.some(({ state }) => state === 'due') ? [`${workflow_id} has an open firing`] : []),
    ...(paid === paidAtPause
      ? []
      : [`${workflow_id} paid ${paid - paidAtPause} runs while paused`]),
    ...(paid === started ? [] : [`${workflow_id} paid ${paid} runs and started ${started}`]),
    ...(balance === due ? [] : [`${wallet_id} holds ${balance} instead of ${due} USD`]),
    ...(isSettled(state, outcomes)
      ? []
      : [`the payment into ${wallet_id} is ${state} after ${outcomes.join(', ')}`]),
  ]
}

/**
 * Its credit follows a refund that failed. Where the payment was given back before it counted, an operator sees its other events: as
 * rejected, or as unmatched where they are applied after the reference is over.
 */
const isSettled = (state: string, outcomes: readonly (string | null)[]): boolean =>
  state === 'rejected'
    ? outcomes.every((outcome) => outcome === 'rejected' || outcome === 'unmatched')
    : state === 'verified' && !outcomes.some((one) => one === null || one.startsWith('refused_'))

/** How the payment into the wallet stands, and what became of each of its events. */
async function topUpOf(db: Tx, { session }: Pick<Customer, 'session'>) {
  const { state } = await db
    .selectFrom('payment_references')
    .select('state')
    .where('external_reference', '=', session)
    .executeTakeFirstOrThrow()
  const events = await db
    .selectFrom('provider_events')
    .select('outcome')
    .where('external_reference', '=', session)
    .orderBy('received_at')
    .execute()
  return { state, outcomes: events.map(({ outcome }) => outcome) }
}

async function countPaid(db: Tx, { wallet_id }: Pick<Customer, 'wallet_id'>): Promise<number> {
  const charges = await db
    .selectFrom('postings')
    .select('posting_id')
    .where('account', '=', walletAccount(wallet_id))
    .where('units', '=', -RUN_USD)
    .execute()
  return charges.length
}

async function repeated<T>(until: () => number, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (Date.now() > until()) throw error
      await sleep(AGAIN_MS)
    }
  }
}
