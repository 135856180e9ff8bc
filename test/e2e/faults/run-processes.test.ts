import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'
import { createClient } from '../../../api/http/client.ts'
import { nowSeconds, openRail, type Rail } from '../../support/agent.ts'
import { freshKey, openAgentUse } from '../../support/agent-use.ts'
import { expectExecutedOnce, insist, restart } from '../../support/faults.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'
import { alikeSentences } from './bombs.ts'

let stack: TestStack
let rail: Rail
let agent: Awaited<ReturnType<typeof openAgentUse>>
const hosts = () => ({ base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string })

beforeAll(async () => {
  stack = await startStack({ env: { CHAIN_POLL_MS: '100', SWEEP_EVERY_MS: '500' } })
  rail = await openRail(stack)
  agent = await openAgentUse(hosts(), stack.accounts.operator.credential)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

// Some seconds of work, within every limit.
const bomb = alikeSentences(3_200, { word: 'bdgmnst', amount: 7 }).value as Parameters<
  typeof agent.start
>[0]['input']

/** A paid run of diligenceops that is about to begin its work. */
async function startBomb(units: number) {
  // Other tiers take fewer questions.
  const tier = 'pro'
  const { quote_id } = await agent.quote('diligenceops', units, tier)
  const { payment_reference_id } = await agent.pay(quote_id)
  const start = agent.startInput(quote_id, 'diligenceops')
  const input = { ...start, tier, input: bomb, payment_reference_id } as const
  const { run_id, task_id } = (await agent.start(input)).body.run
  await agent.approve('payment_reference', payment_reference_id)
  await expect.poll(async () => (await agent.status(run_id)).state).toBe('credit_funded')
  await agent.approve('task', task_id)
  return { run_id, task_id }
}

async function begunOf(runId: string): Promise<number> {
  const row = await rail.db
    .selectFrom('step_attempts')
    .select('begun')
    .where('run_id', '=', runId)
    .where('step', '=', 'worker')
    .executeTakeFirst()
  return row?.begun ?? 0
}
const workerEnded = async (runId: string) =>
  rail.db
    .selectFrom('loop_steps')
    .select(['verdict', 'output'])
    .where('run_id', '=', runId)
    .where('step', '=', 'worker')
    .executeTakeFirst()

/** The processor time of the busiest child of the cage, in milliseconds. */
function busiestChild(): number {
  const parent = stack.cage.pid
  if (parent === undefined) return 0
  try {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
    return Math.max(0, ...children.map(cpuMsOf))
  } catch {
    return 0
  }
}
function cpuMsOf(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

verifies(
  'isolation.money',
  'a payout is executed while the run processes work on slow inputs',
  async () => {
    const bombs = []
    for (const units of [1, 2, 3]) bombs.push(await startBomb(units))
    await expect.poll(busiestChild, { interval: 20 }).toBeGreaterThan(500)
    const wallet = await rail.openAgent()
    const payout = await rail.create(wallet)
    const unfinished = await Promise.all(bombs.map(({ run_id }) => workerEnded(run_id)))
    expect(unfinished).toContain(undefined)
    const input = await rail.treasury.authorize(payout, {
      expiresAt: nowSeconds() + 3_600,
      idempotencyKey: freshKey(),
    })
    expect((await wallet.client.call('payout-authorize', input)).body.payout.state).toBe(
      'authorized',
    )
    const asked = { payout_id: payout.payout_id, idempotency_key: freshKey() }
    await expectExecutedOnce(
      rail,
      (await insist(() => wallet.client.call('payout-execute', asked))).body,
    )
    for (const { run_id } of bombs)
      await expect.poll(async () => (await workerEnded(run_id))?.verdict).toBe('done')
  },
)

verifies(
  ['isolation.attempts', 'isolation.verdict'],
  'work whose worker is killed three times is refused and refunded',
  async () => {
    const { run_id, task_id } = await startBomb(4)
    for (const attempt of [1, 2, 3]) {
      await expect.poll(() => begunOf(run_id), { interval: 20 }).toBe(attempt)
      await expect.poll(busiestChild, { interval: 20 }).toBeGreaterThan(300)
      await stack.runWorker().kill('SIGKILL')
      expect(await workerEnded(run_id)).toBeUndefined()
      await restart(stack.runWorker())
    }
    await expect.poll(async () => (await agent.status(run_id)).state).toBe('exception_open')
    expect(await workerEnded(run_id)).toMatchObject({
      verdict: 'too_complex',
      output: { errors: 'the work was begun three times and never came to its end' },
    })
    expect(await begunOf(run_id)).toBe(3)

    const operator = createClient({
      baseUrl: hosts().base,
      osUrl: hosts().os,
      operator: stack.accounts.operator.credential,
      statusToken: task_id,
    })
    const [raised] = (await operator.call('task-exceptions', {})).body.items
    expect(raised).toMatchObject({
      code: 'input_too_complex',
      allowed_recoveries: ['correct_input', 'abandon'],
    })
    const reserved = await creditOf(task_id)
    expect(reserved).toMatchObject({ state: 'reserved', consumed_units: 0 })
    const abandon = {
      exception_id: raised?.exception_id,
      action: 'abandon',
      idempotency_key: freshKey(),
    } as const
    await operator.call('task-recover', abandon)
    await expect.poll(async () => (await agent.status(run_id)).state).toBe('closed')
    expect(await creditOf(task_id)).toEqual({ ...reserved, state: 'released' })
  },
)

/** What is set aside for a task, and what its entitlement has used. */
const creditOf = (taskId: string) =>
  rail.db
    .selectFrom('task_credits')
    .innerJoin('entitlements', 'entitlements.entitlement_id', 'task_credits.entitlement_id')
    .select(['task_credits.state', 'task_credits.units', 'consumed_units', 'granted_units'])
    .where('task_id', '=', taskId)
    .executeTakeFirstOrThrow()

verifies(
  'tiers.order',
  'a run of a higher tier begins before those that queued first',
  async () => {
    const { credential } = stack.accounts.operator
    const more = { name: 'One at a time' }
    const limits = { concurrent_runs: 1 }
    const buyer = await openAgentUse(hosts(), credential, more, limits)
    const started = async (tier: 'entry' | 'pro', units: number) => {
      const { quote_id } = await buyer.quote('packetops', units, tier)
      const asked = { ...buyer.startInput(quote_id), tier, usage: 'synthetic' as const }
      return (await buyer.start(asked)).body.run.run_id
    }
    const { agent_id } = buyer.registered.agent
    const states = async () =>
      (
        await rail.db
          .selectFrom('tasks')
          .select('state')
          .where('agent_id', '=', agent_id)
          .orderBy('created_at')
          .execute()
      ).map(({ state }) => state)
    await stack.runWorker().kill('SIGKILL')
    const [first, second, third] = [
      await started('entry', 1),
      await started('entry', 2),
      await started('entry', 3),
    ]
    const pro = await started('pro', 1)
    const all = [first, second, third, pro]
    await expect.poll(states).toEqual(['operating', 'queued', 'queued', 'queued'])
    await restart(stack.runWorker())
    await expect.poll(states).toEqual(Array(4).fill('closed'))
    const begun = await rail.db
      .selectFrom('loop_steps')
      .select('run_id')
      .where('run_id', 'in', all)
      .where('step', '=', 'intake')
      .orderBy('started_at')
      .execute()
    expect(begun.map(({ run_id }) => run_id)).toEqual([first, pro, second, third])
  },
)
