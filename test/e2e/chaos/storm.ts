import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, type Tx } from '../../../activities/store/postgres/db.ts'
import { runCli } from '../../support/cli.ts'
import { drain } from './aftermath.ts'
import { playRun } from './caller.ts'
import { checkBatch } from './checker/check.ts'
import { environmentFacts } from './environment-facts.ts'
import { enrol, fundPayers, type Participant, useUpPayingAddress } from './participants.ts'
import type { Findings } from './run-record.ts'
import { openService } from './service.ts'
import {
  type Customer,
  type CustomerPlan,
  faultsOf,
  openCustomer,
  playCustomer,
} from './storm-customers.ts'
import { openRunners, type StartedRun, startRun } from './storm-runs.ts'
import { planStorm, type StormPlan, type StormShape } from './storm-schedule.ts'
import { type StormStack, startStormStack } from './storm-stack.ts'
import { Tally } from './tally.ts'

type StormOrder = {
  seed: number
  shape: StormShape
  /** How long the stack has to finish once nothing is killed any more. */
  quietMs: number
  /** Whether the next part is killed by the clock, or once the one before is back. */
  pace: 'clock' | 'recovery'
  log: (text: string) => void
}
export type Finding = keyof Findings
/** A line of `agent-rails recover list`, with what `explain` says of it. */
type Open = { id: string; state: string; code: string | null; waits_for: string; explained: string }
type StormReport = {
  seed: number
  kills: Record<string, number>
  /** After how many quiet seconds everything was done; null where something never was. */
  doneAfterS: number | null
  /** What is under way in the end, and what it says of itself. */
  open: Open[]
  /** Everything that is wrong. */
  violations: { as: Finding; what: string }[]
  findings: Findings
  logs: Record<string, string>
}

/** Payouts and agent runs are started while every part is killed; then the stack has some quiet time, and everything is checked. */
export async function runStorm(order: StormOrder): Promise<StormReport> {
  const storm = await startStormStack(order.shape)
  const { stack, asset } = storm
  const url = stack.databaseUrl
  const database = createDatabase({ url, applicationName: 'chaos', poolSize: 4 })
  try {
    const plan = planStorm(order.seed, order.shape)
    const payouts = plan.payouts.map((run) =>
      enrol(order.seed, run, { events: [], overCap: false }, asset),
    )
    await useUpPayingAddress(database.pool)
    await fundPayers(storm, payouts)
    const tally = new Tally()
    const { runs, customers, quietAt } = await rage(storm, {
      plan,
      payouts,
      order,
      tally,
      db: database.db,
    })
    const left = quietAt + order.quietMs - Date.now()
    const done = await drain(database.db, Math.max(0, left))
    const doneAfterS = done ? Math.round((Date.now() - quietAt) / 1000) : null
    const unpaid = await faultsLeft(database.db, customers, quietAt + order.quietMs)
    const open = await listOpen(stack.env)
    const records = payouts.map(({ record }) => record)
    const findings = await checkBatch(await environmentFacts(storm), records)
    const violations = judge({ runs, unpaid, doneAfterS, open, findings })
    const { counts: kills } = tally
    const { seed } = order
    return { seed, kills, doneAfterS, open, violations, findings, logs: stack.logs() }
  } finally {
    await database.close()
    await storm.stop()
  }
}

type Raging = {
  plan: StormPlan
  payouts: readonly Participant[]
  order: StormOrder
  tally: Tally
  db: Tx
}

/** Resolves when every part is up for good and every start was acknowledged; `quietAt` is when the last part came up. */
async function rage(
  storm: StormStack,
  { plan, payouts, order, tally, db }: Raging,
): Promise<{ runs: StartedRun[]; customers: Customer[]; quietAt: number }> {
  const { seed, log } = order
  const runners = await openRunners(storm.stack)
  const customers = await Promise.all(plan.customers.map(() => openCustomer(storm.stack)))
  await storm.commands.mineByTheClock()
  const begunAt = Date.now()
  const { service, hurry, close } = openService(storm, begunAt)
  const started = plan.runs.map(async ({ index, startMs }) => {
    await sleep(startMs)
    return startRun(runners, index, { key: `${seed}-${index}`, until: service.giveUpAt })
  })
  const played = payouts.map(({ plan: run, identity, record }) =>
    playRun(service, run, identity, record),
  )
  const bought = customers.map((customer, index) =>
    playCustomer(customer, plan.customers[index] as CustomerPlan, { db, until: service.giveUpAt }),
  )
  await killAll(storm, plan, { order, tally })
  await storm.supervisor.allUp()
  await storm.commands.mineByTheClock()
  const quietAt = Date.now()
  log(`storm ${seed}: every part is up ${Math.round((quietAt - begunAt) / 1000)} s after its begin`)
  hurry()
  const [runs] = await Promise.all([Promise.all(started), ...played, ...bought])
  log(`storm ${seed}: all is acknowledged ${Math.round((Date.now() - quietAt) / 1000)} s later`)
  await close()
  return { runs, customers, quietAt }
}

async function killAll(
  { parts, supervisor }: StormStack,
  { kills }: StormPlan,
  { order, tally }: Pick<Raging, 'order' | 'tally'>,
): Promise<void> {
  for (const { part: name, afterMs } of kills) {
    if (order.pace === 'clock') await sleep(afterMs)
    else await supervisor.allUp()
    const part = parts.get(name)
    // It may still be on its way back.
    if (part?.pid === undefined) continue
    await part.kill('SIGKILL')
    tally.count(name)
  }
}

/** What is wrong with the customers' money once it is right, or the time is up. */
async function faultsLeft(db: Tx, customers: readonly Customer[], until: number) {
  for (;;) {
    const faults = await Promise.all(customers.map((customer) => faultsOf(db, customer)))
    if (faults.flat().length === 0 || Date.now() > until) return faults.flat()
    await sleep(500)
  }
}

/** What an operator is shown in the end. */
async function listOpen(env: NodeJS.ProcessEnv): Promise<Open[]> {
  const { code, out, text } = await runCli(env, 'recover', 'list', '--json')
  if (code !== 0) throw new Error(`recover list ended with ${code}:\n${text}`)
  const lines = JSON.parse(out) as Omit<Open, 'explained'>[]
  const open: Open[] = []
  for (const { id, state, code: cause, waits_for } of lines)
    open.push({
      id,
      state,
      code: cause,
      waits_for,
      explained: (await runCli(env, 'recover', 'explain', id)).text,
    })
  return open
}

/** What an operational run says of itself until an operator has seen it. */
const WAITS_FOR_APPROVAL = 'an operator to approve the start'

/** Everything is done, or is stopped with a cause and says what it waits for; none of the causes is the storm's. */
function judge({
  runs,
  unpaid,
  doneAfterS,
  open,
  findings,
}: Pick<StormReport, 'doneAfterS' | 'open' | 'findings'> & {
  runs: StartedRun[]
  unpaid: string[]
}): StormReport['violations'] {
  const refused = runs.filter(({ taskId }) => taskId === null)
  const silent = open.filter(({ code, waits_for }) =>
    code === null
      ? waits_for !== WAITS_FOR_APPROVAL
      : /^(late|worker_failed)$/.test(code) || !waits_for,
  )
  const stuck = [
    ...refused.map(({ index, refused: why }) => `run ${index} was refused: ${JSON.stringify(why)}`),
    ...silent.map(({ id, state, code }) => `${id} is ${state}, ${code ?? 'without a cause'}`),
    ...(doneAfterS === null && open.length === 0 ? ['something is open and is not listed'] : []),
  ]
  const found = Object.entries(findings) as [Finding, Findings[Finding]][]
  return [
    ...unpaid.map((what) => ({ as: 'disagreements' as const, what })),
    ...stuck.map((what) => ({ as: 'stuck' as const, what })),
    ...found.flatMap(([as, list]) =>
      list.map(({ run, what }) => ({ as, what: `${what} (${run})` })),
    ),
  ]
}
