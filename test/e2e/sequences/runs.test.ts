import { createHash, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, expect } from 'vitest'
import { selfOnboarding } from '#domain/agents/onboarding.ts'
import { agentRecordKinds, recordKinds } from '#domain/core/record-kinds.ts'
import {
  type Client,
  type Customer,
  claimAccessKey,
  createClient,
  type Order,
  type OutputOf,
  openCustomer,
  registerAgent,
  waitForTask,
} from '../../../clients/typescript/src/index.ts'
import { demoUsage } from '../../../worker/stack/demo-usage.ts'
import { openReviewer } from '../../../worker/stack/reviewer.ts'
import { post } from '../../support/agent.ts'
import { scratchDirectory } from '../../support/postgres.ts'
import { providerIn, signedByTills } from '../../support/provider.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let directory: string
beforeAll(async () => {
  directory = await scratchDirectory()
  const provider = await providerIn(directory)
  stack = await startStack({ apis: 2, env: { ...provider, LIMIT_AGENT_PER_MINUTE: '6000' } })
})
afterAll(async () => {
  await stack?.stop()
  await rm(directory, { recursive: true, force: true })
})

/** The public host of one process and the OS host of the other. */
const hosts = () => ({ baseUrl: stack.baseUrls[0] as string, osUrl: stack.osUrls[1] as string })
const stranger = () => createClient({ baseUrl: stack.baseUrls[1] as string })
const reviewer = () => openReviewer(hosts(), stack.accounts.operator.credential)

const order = (receiver?: string): Order => ({
  rail: 'tokenops',
  tier: 'standard',
  objective: 'What did our models cost in November?',
  usage: 'operational',
  input: demoUsage,
  ...(receiver === undefined
    ? {}
    : {
        callback_url: `${stack.baseUrls[0]}/api/provider-callback-receiver-demo?receiver=${receiver}`,
      }),
})

/** An agent of tokenops, and what it does with its access key. */
async function newCustomer(run: string) {
  const manifest = {
    name: 'Ledger reader',
    contact: { email: 'ops@agent.example' },
    rails: ['tokenops' as const],
    requested_scopes: ['runs:read' as const, 'runs:write' as const],
  }
  const agent = await registerAgent(hosts(), { ...manifest, idempotency_key: `${run}-register` })
  const { agent_id } = agent.registered.agent
  const trusted = await reviewer().approve('agent', agent_id, 'known to us')
  const customer = openCustomer(agent, await claimAccessKey(agent), run)
  return { agent, agent_id, trusted, keyed: customer.client, customer }
}

/** From the quote to a challenge that waits for its payment. */
async function ordered(customer: Customer, wanted: Order) {
  const quote = await customer.quote(wanted)
  const task = await customer.preflight(wanted)
  const { contract } = await customer.prepareContract(task)
  const accepted = await customer.acceptContract(contract, quote)
  if (accepted.challenge === null) throw new Error('a payment was expected to be asked for')
  return { quote, task, contract, accepted, challenge: accepted.challenge }
}

/** What an operator decides before and after the work. */
async function reviewed({
  task,
}: Pick<Awaited<ReturnType<typeof ordered>>, 'task'>): Promise<string> {
  await reviewer().approve('task', task.begun.task.task_id, 'may run')
  const { run_id } = (await waitForTask(task, 'operating')).task
  await reviewer().approve('loop_step', run_id ?? '', 'the result holds')
  return run_id ?? ''
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
type Entries = OutputOf<'task-ledger'>['entries']
const timeOf = (entries: Entries, event: Entries[number]['event']) => {
  const at = entries.find((entry) => entry.event === event)?.at
  if (at === undefined) throw new Error(`the ledger has no ${event}`)
  return Date.parse(at)
}

/** A chain as a stranger recomputes it, by RFC 8785 and SHA-256 alone. */
function assertChained(taskId: string, entries: Entries): void {
  const digest = (value: unknown) => sha256(canonicalize(value) ?? '')
  let head = digest({ type: 'service.task.v1', task_id: taskId })
  for (const { hash, ...entry } of entries) {
    expect([entry.prev_hash, digest(entry)]).toEqual([head, hash])
    head = hash
  }
}

verifies(
  'sequence.self-onboarding',
  'an agent registers by itself, and its status shows each step',
  async () => {
    const { agent, customer } = await newCustomer('self')
    const done = async () => {
      const { body } = await agent.open.call('agent-status', {})
      if (body.kind !== 'agent') throw new Error('the status of an agent was expected')
      const steps = body.steps.slice(0, selfOnboarding.length)
      expect(steps.map(({ step }) => step)).toEqual(selfOnboarding)
      return { steps: steps.filter((step) => step.done).length, tasks: body.tasks }
    }
    expect(agent.registered).toMatchObject({
      trust_state: 'submitted',
      receipt: { kind: 'onboarding' },
    })
    expect(agent.registered.status_url).toContain(agent.registered.status_token)
    expect(await done()).toEqual({ steps: 3, tasks: [] })
    const quote = await customer.quote(order())
    expect(quote).toMatchObject({
      rail: 'tokenops',
      tier: 'standard',
      base_usd: 99,
      rail_fee_usd: 8,
      total_usd: 107,
    })
    expect((await done()).steps).toBe(4)
    const task = await customer.preflight(order())
    const { contract } = await customer.prepareContract(task)
    expect((await done()).steps).toBe(4)
    const accepted = await customer.acceptContract(contract, quote)
    expect(accepted).toMatchObject({
      contract: { state: 'accepted' },
      task: { state: 'credit_pending' },
    })
    expect((await done()).steps).toBe(5)
    const submitted = await customer.submit(task, contract, demoUsage)
    expect(submitted.run.task_id).toBe(task.begun.task.task_id)
    const end = await done()
    expect(end).toMatchObject({
      steps: 6,
      tasks: [
        { task_id: task.begun.task.task_id, state: 'credit_pending', waiting_for: ['credit'] },
      ],
    })
  },
)

verifies(
  ['sequence.reference-run', 'conform.records', 'task.records'],
  'a full reference run of tokenops proves each step to a stranger',
  async () => {
    const run = 'reference'
    const { agent, agent_id, trusted, keyed, customer } = await newCustomer(run)
    const { quote, task, contract, accepted, challenge } = await ordered(customer, order(run))
    expect(accepted.entitlement).toMatchObject({ state: 'pending' })
    const invoice = { method: 'invoice_reference', external_reference: 'INV-2026-11' } as const
    const payment = await customer.present(challenge, invoice)
    const paid = await reviewer().approve(
      'payment_reference',
      payment.payment_reference_id,
      'seen on the account',
    )
    await customer.submit(task, contract, demoUsage)
    const run_id = await reviewed({ task })
    const { task: closed, entries, records } = await waitForTask(task, 'closed')
    const { return_package: made, completion } = await customer.returnPackage(run_id)
    const { attestation, verification_packet } = (await task.holder.call('task-attestation', {}))
      .body
    const closing = {
      outcome: 'completed',
      ledger_head: entries.at(-1)?.hash,
      ledger_entries: entries.length,
      proof_hash: made.proof_hash,
      completion_signature: made.completion_signature,
    }
    expect(attestation).toMatchObject({ subject: closed.task_id, payload: closing })

    const steps: [step: string, at: number][] = [
      ['onboarding', Date.parse(agent.registered.agent.created_at)],
      ['trust', Date.parse(trusted.review_decision.at)],
      ['quote', Date.parse(quote.expires_at) - 24 * 3600_000],
      ['provider_route', timeOf(entries, 'quote_issued')],
      ['credit_entitlement', timeOf(entries, 'credit_funded')],
      ['run_contract', timeOf(entries, 'enqueued')],
      ['queue', timeOf(entries, 'enqueued')],
      ['tokenops_execution', timeOf(entries, 'started')],
      ['result_contract', timeOf(entries, 'result_produced')],
      ['usage_receipt', timeOf(entries, 'receipts_issued')],
      ['callback', timeOf(entries, 'callback_delivered')],
      ['task_ledger', timeOf(entries, 'closed')],
    ]
    expect(steps.toSorted(([, one], [, other]) => one - other)).toEqual(steps)
    expect(entries.map(({ event }) => event)).toEqual([
      'submit',
      'preflight_passed',
      'contract_prepared',
      'contract_accepted',
      'trust_requested',
      'trust_granted',
      'quote_issued',
      'credit_requested',
      'credit_funded',
      'enqueued',
      'started',
      'result_produced',
      'result_attested',
      'receipts_issued',
      'callback_scheduled',
      'callback_delivered',
      'closed',
    ])
    assertChained(closed.task_id, entries)
    const places = fullReferenceRun.map(([, event]) =>
      entries.findIndex((entry) => entry.event === event),
    )
    expect(places).not.toContain(-1)
    expect(places.toSorted((one, other) => one - other)).toEqual(places)

    const kinds = new Set(records.map(({ record_kind }) => record_kind))
    expect([...kinds]).toEqual(recordKinds.filter((kind) => kind !== 'lifecycle_event'))
    const recordOf = (kind: string) =>
      records.find(({ record_kind }) => record_kind === kind)?.record_id
    expect(recordOf('trust_profile')).toBe(agent_id)
    expect(recordOf('provider_route')).toBe('route_tokenops')
    expect(recordOf('result_contract')).toBe(made.return_package_id)

    expect(quote.provider_route).toMatchObject({
      provider: expect.stringMatching(/\/api\/trust-contract$/),
      service_id: 'svc_tokenops',
    })
    expect(paid.subject).toMatchObject({ state: 'verified' })
    const sealed = (await keyed.call('contract-read', { contract_id: contract.contract_id })).body
      .contract
    expect(sealed).toMatchObject({ state: 'sealed', payment: { quote_id: quote.quote_id } })
    expect(made.result).toMatchObject({ total_cost_minor: costByHand() })
    expect(completion).toMatchObject({ verdict: 'proven' })
    const status = await customer.run(run_id)
    expect(made.result_contract).toMatchObject({ version: 'v2', split_version: '1.0' })
    expect(
      [quote.quote_id, run_id].map((id) => records.some(({ record_id }) => record_id === id)),
    ).toEqual([true, true])
    for (const [receipt_id, kind] of [
      [agent.registered.receipt.receipt_id, 'onboarding'],
      [status.settlement_receipt_id, 'settlement_receipt'],
      [status.usage_receipt_id, 'usage_receipt'],
      [attestation.receipt_id, 'attestation'],
    ] as const) {
      const { body } = await stranger().call('verify-receipt', { receipt_id: receipt_id ?? '' })
      expect(body, kind).toMatchObject({ verified: true, kind })
    }
    const { settlement_receipt_id, usage_receipt_id } = status
    const issued = entries.find(({ event }) => event === 'receipts_issued')
    const cited = { settlement_receipt_id, usage_receipt_id }
    expect(issued?.data_sha256).toBe(sha256(canonicalize(cited) ?? ''))
    const funding = { receipt_id: settlement_receipt_id ?? '' }
    const { payload } = (await stranger().call('verify-receipt', funding)).body
    expect(Number((payload as { iat?: number } | null)?.iat) * 1000).toBeLessThan(
      timeOf(entries, 'result_produced'),
    )

    for (const kind of recordKinds) {
      const { body } = await task.holder.call('task-ledger', { kind })
      const listed = body.records.map(({ record_kind }) => record_kind)
      expect(new Set(listed)).toEqual(new Set([kind]))
      if (kind === 'lifecycle_event') expect(listed).toHaveLength(entries.length)
      else expect(body.records).toEqual(records.filter((one) => one.record_kind === kind))
    }
    for (const kind of agentRecordKinds) {
      const { body } = await agent.open.call('agent-status', { kind })
      if (body.kind !== 'agent') throw new Error('the status of an agent was expected')
      expect(body.records).toEqual(records.filter((one) => one.record_kind === kind))
    }
    const { body: usage } = await keyed.call('usage-ledger-read', { kind: 'ledger_event' })
    if (!('items' in usage)) throw new Error('the own events were expected')
    expect(usage.items.map(({ event_id }) => event_id)).toEqual([recordOf('ledger_event')])
    expect(verification_packet).toMatchObject({ verified: true })
    const entitlement_id = accepted.entitlement?.entitlement_id ?? ''
    const credit = (await keyed.call('agent-credit-read', { entitlement_id })).body
    expect(credit).toMatchObject({
      balance_units: 0,
      entitlement: {
        agent_id,
        state: 'consumed',
        granted_units: 107,
        consumed_units: 107,
        returned_units: 0,
      },
    })
    const { items } = (await stranger().call('callback-demo-read', { receiver: run })).body
    expect(items).toMatchObject([{ event: 'task_updated', verified: true }])
  },
)

/** The steps of the full reference run, each with the entry of the ledger that shows it. */
const fullReferenceRun = [
  ['onboarding', 'submit'],
  ['trust', 'trust_granted'],
  ['quote', 'quote_issued'],
  ['provider_route', 'quote_issued'],
  ['credit_entitlement', 'credit_funded'],
  ['run_contract', 'enqueued'],
  ['queue', 'enqueued'],
  ['tokenops_execution', 'started'],
  ['result_contract', 'result_produced'],
  ['settlement_receipt', 'receipts_issued'],
  ['usage_receipt', 'receipts_issued'],
  ['callback', 'callback_delivered'],
  ['task_ledger', 'closed'],
  ['attestation', 'closed'],
] as const

/** What all rows cost by the price table, which has tenths of a minor unit for a million tokens. */
function costByHand(): string {
  const { usage, price_table } = demoUsage
  let tenths = 0n
  for (const row of usage) {
    const price = price_table.find(({ model }) => model === row.model)
    const tenthsOf = (of: number | string = 0) => BigInt(Math.round(Number(of) * 10))
    tenths += BigInt(row.input_tokens) * tenthsOf(price?.input_per_million_minor)
    tenths += BigInt(row.output_tokens) * tenthsOf(price?.output_per_million_minor)
  }
  const text = tenths.toString().padStart(8, '0')
  return `${text.slice(0, -7)}.${text.slice(-7)}`.replace(/\.?0+$/, '')
}

/** As a payment provider reports it, by Standard Webhooks. */
function notify(event: object, signer?: Uint8Array) {
  const body = JSON.stringify(event)
  const id = `msg_${randomBytes(8).toString('hex')}`
  const headers = signedByTills(body, id, signer === undefined ? {} : { signer })
  return post(`${stack.baseUrls[1]}/api/agent-paid-callback-completion`, body, headers)
}

verifies(
  'sequence.provider-activation',
  'a provider event funds a run up to its result and its callback',
  async () => {
    const run = 'activation'
    const { customer, keyed } = await newCustomer(run)
    const { task, contract, accepted, challenge } = await ordered(customer, order(run))
    const session = `cs_${randomBytes(8).toString('hex')}`
    const reference = await customer.present(challenge, {
      method: 'hosted_checkout',
      external_reference: session,
    })
    expect(reference.state).toBe('pending')
    const event = {
      event_id: `evt_${session}`,
      type: 'payment.settled',
      provider_session_id: session,
      challenge_id: challenge.challenge_id,
      amount_usd: challenge.amount_usd,
      currency: 'usd',
    }
    expect(await notify(event, randomBytes(32))).toMatchObject({ status: 401 })
    const entitlement_id = accepted.entitlement?.entitlement_id ?? ''
    const balance = async () =>
      (await keyed.call('agent-credit-read', { entitlement_id })).body.balance_units
    expect([await balance(), await stateOf(task)]).toEqual([0, 'credit_pending'])
    expect(await notify(event)).toMatchObject({
      status: 202,
      body: { accepted: true, duplicate: false },
    })
    expect(await notify(event)).toMatchObject({
      status: 202,
      body: { accepted: true, duplicate: true },
    })
    const funded = await waitForTask(task, 'credit_funded')
    expect([await balance(), funded.task.waiting_for]).toEqual([
      challenge.amount_usd,
      ['input', 'review'],
    ])
    await customer.submit(task, contract, demoUsage)
    const run_id = await reviewed({ task })
    const { entries } = await waitForTask(task, 'closed')
    const events = entries.map(({ event: name }) => name)
    const order_ = [
      'credit_funded',
      'enqueued',
      'result_produced',
      'receipts_issued',
      'callback_delivered',
    ] as const
    expect(events.filter((name) => (order_ as readonly string[]).includes(name))).toEqual(order_)
    const { payment_reference_id } = reference
    expect(await customer.run(run_id)).toMatchObject({ payment_reference_id })
    const { sequence, steps } = (
      await keyed.call('callback-completion-read', { payment_reference_id })
    ).body
    expect(steps?.map(({ step }) => step)).toEqual(sequence)
    expect(steps?.every(({ evidence_id }) => evidence_id !== null)).toBe(true)
    const times = steps?.map(({ done_at }) => done_at)
    expect(times).toEqual(times?.toSorted())
    const { items } = (await stranger().call('callback-demo-read', { receiver: run })).body
    expect(items).toMatchObject([{ event: 'task_updated', verified: true }])
  },
)

const stateOf = async ({ holder }: { holder: Client }) =>
  (await holder.call('task-ledger', {})).body.task.state
