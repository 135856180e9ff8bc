import { setTimeout as sleep } from 'node:timers/promises'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { createDatabase } from '../../activities/store/db.ts'
import { createLimiter } from '../../activities/store/rate-limits.ts'
import { createTemporalClient } from '../../temporal/connection.ts'
import { mintTokens } from '../../worker/stack/token.ts'
import { openTreasury } from '../../worker/stack/treasury.ts'
import { strikeAll } from './batch-faults.ts'
import { PAYING_ADDRESS, playRun, type Service } from './caller.ts'
import { type ChaosStack, startChaosStack } from './chaos-stack.ts'
import { checkBatch } from './checker/check.ts'
import type { ChaosPrograms } from './compile.ts'
import { startDirector } from './director.ts'
import { identityOf, type RunIdentity } from './identity.ts'
import { runWire } from './run-faults.ts'
import type { Findings, RunRecord, Surroundings } from './run-record.ts'
import { type BatchPlan, describeRun, planBatch, type RunPlan } from './schedule.ts'
import type { Tally } from './tally.ts'

export type BatchOrder = {
  seed: number
  batch: number
  /** Index of its first run, and how many there are. */
  first: number
  size: number
  programs: ChaosPrograms
  tally: Tally
  log: (text: string) => void
  /** Of all its runs, only this one is played. */
  only?: number
}
export type BatchReport = {
  plan: BatchPlan
  activities: string[]
  records: RunRecord[]
  findings: Findings
  logs: Record<string, string>
  /** By payout, of the runs that something is found about; they can be replayed. */
  histories: Record<string, unknown>
}

/** How long callers and open work have once everything is mended. */
const CALLERS_WITHIN_MS = 90_000
const DRAIN_WITHIN_MS = 90_000
const PAYER_TOKENS = 5_000_000n
const FREE_CALLS_PER_ADDRESS = 30

/** Faults after which a payout may be paid, die or be held for an operator, as they come in time or not. */
const openEnds = new Set<RunPlan['fault']>(['expiry while pending', 'nonce spent on nothing'])

type Played = { plan: RunPlan; identity: RunIdentity; record: RunRecord }

/** Real payouts on a stack of their own while the schedule of the seed is carried out; then everything is mended, drained and judged. */
export async function runBatch(order: BatchOrder): Promise<BatchReport> {
  const { seed, batch, tally, log } = order
  const players = new Map<string, Played>()
  const byPayout = new Map<string, Played>()
  let payerOf: (paymentId: string) => Promise<string | undefined> = async () => undefined
  const director = await startDirector(async (subject) => {
    if (subject.startsWith('po_')) return byPayout.get(subject)?.plan.index
    return players.get((await payerOf(subject).catch(() => undefined)) ?? '')?.plan.index ?? -1
  }, tally)
  const timedOut = new Set<string>()
  const timesOut = (payer: string): boolean => {
    const player = players.get(payer)
    if (player?.plan.fault !== 'facilitator times out after settling' || timedOut.has(payer)) return false
    timedOut.add(payer)
    tally.count('facilitator times out after settling')
    return true
  }
  const remoteFacilitator = batch % 2 === 1
  const chaos = await startChaosStack({ programs: order.programs, director: director.url, remoteFacilitator, timesOut })
  const database = createDatabase({ url: chaos.stack.databaseUrl, applicationName: 'chaos', poolSize: 4 })
  payerOf = async (paymentId) =>
    (await database.db.selectFrom('payments').select('payer').where('payment_id', '=', paymentId).executeTakeFirst())
      ?.payer
  try {
    const plan = planBatch(seed, batch, order.first, order.size, director.activities())
    const runs = plan.runs.filter(({ index }) => order.only === undefined || index === order.only)
    for (const run of runs) {
      const player = enrol(seed, run, plan, chaos.asset)
      players.set(player.identity.creator, player)
      byPayout.set(player.identity.payoutId, player)
    }
    await createLimiter(database.pool, 'free-address', FREE_CALLS_PER_ADDRESS, 24 * 3600).take(
      PAYING_ADDRESS,
      FREE_CALLS_PER_ADDRESS,
    )
    await arm(chaos, [...players.values()], director.arm, tally)
    const begunAt = Date.now()
    const { service, hurry, close } = openService(chaos, begunAt)
    log(`batch ${batch}: ${runs.length} runs from ${order.first} on, ${plan.events.length} faults for all`)
    const playing = Promise.all(
      [...players.values()].map(({ plan: run, identity, record }) => playRun(service, run, identity, record)),
    )
    await strikeAll(chaos, plan.events, { begunAt, tally, log })
    await heal(chaos)
    log(`batch ${batch}: mended after ${seconds(begunAt)}`)
    hurry()
    await playing
    log(`batch ${batch}: every caller has its last word after ${seconds(begunAt)}`)
    await close()
    director.disarm()
    chaos.chainWire.disarm()
    const drained = await drain(database.db)
    log(`batch ${batch}: ${drained ? 'drained' : 'NOT drained'} after ${seconds(begunAt)}`)
    if (!drained) log(await sessionsOf(database.db))
    const records = [...players.values()].map(({ record }) => record)
    const findings = await checkBatch(await surroundingsOf(chaos), records)
    const blamed = new Set(Object.values(findings).flatMap((list) => list.map(({ run }) => run)))
    const histories = await historiesOf(
      chaos,
      records.filter(({ index }) => blamed.has(index)).map(({ payoutId }) => payoutId ?? ''),
    )
    return { plan, activities: director.activities(), records, findings, logs: chaos.stack.logs(), histories }
  } finally {
    await database.close()
    await chaos.stop()
    await director.close()
  }
}

function enrol(seed: number, plan: RunPlan, { events, overCap }: BatchPlan, asset: Address): Played {
  const identity = identityOf(seed, plan.index, asset)
  const expects = plan.fault === 'authorization cancelled' ? 'dead' : 'executed'
  const record: RunRecord = {
    index: plan.index,
    seed,
    schedule: describeRun(plan, events),
    creator: identity.creator,
    payoutId: identity.payoutId,
    recipient: identity.recipient,
    amountAtomic: String(plan.amountAtomic),
    calls: [],
    expects: overCap || openEnds.has(plan.fault) ? 'either' : expects,
    ...(plan.pays ? { payer: identity.creator } : {}),
  }
  return { plan, identity, record }
}

/** Payers get tokens, faults their places; then blocks come by the clock. */
async function arm(
  { rail, asset, acts, chainWire }: ChaosStack,
  players: Played[],
  armActivity: (run: number, fault: NonNullable<RunPlan['activityFault']>) => void,
  tally: Tally,
): Promise<void> {
  for (const { plan, identity } of players) {
    const { fault, activityFault } = plan
    if (plan.pays) await mintTokens(rail.chain, asset, identity.creator, PAYER_TOKENS)
    if (activityFault !== null) armActivity(plan.index, activityFault)
    if (fault === null) continue
    const mark = fault === 'facilitator times out after settling' ? identity.creator : identity.nonce
    const wire = runWire(fault, { chain: rail.chain, acts, strikes: () => tally.count(fault) })
    // The treasury's word is not taken back when everything works again.
    chainWire.arm([mark], wire, fault === 'authorization cancelled')
  }
  await acts.mineByTheClock()
}

function openService({ stack, asset }: ChaosStack, begunAt: number) {
  const origin = stack.baseUrls[0] as string
  const { treasury: accounts, operator } = stack.accounts
  const temporal = openTemporal(stack)
  let giveUpAt = Number.POSITIVE_INFINITY
  const service: Service = {
    baseUrls: stack.baseUrls,
    origin,
    asset,
    begunAt,
    giveUpAt: () => giveUpAt,
    treasuries: stack.baseUrls.map((baseUrl) =>
      openTreasury({ baseUrl, origin, accounts, operator: operator.credential }),
    ),
    wake: async (payoutId) => {
      for (let times = 0; times < 3; times++) {
        await temporal.client.workflow
          .getHandle(payoutId)
          .signal('wake')
          .catch(() => undefined)
        await sleep(400)
      }
    },
  }
  const hurry = () => {
    giveUpAt = Date.now() + CALLERS_WITHIN_MS
  }
  return { service, hurry, close: temporal.close }
}

/** Everything works again and stays so, but for what befalls single runs. */
async function heal({ acts, chainWire, postgresWire, keeper }: ChaosStack): Promise<void> {
  chainWire.mend()
  postgresWire.mend()
  await keeper.allUp()
  await acts.mineByTheClock()
  await acts.fundGasWallets()
  await acts.fundPayoutWallet()
  await acts.unpauseToken()
}

/** Whether, in the end, no transfer, no fee and no transaction of a gas wallet was under way any more. */
async function drain(db: ReturnType<typeof createDatabase>['db']): Promise<boolean> {
  const until = Date.now() + DRAIN_WITHIN_MS
  const open = sql<{ open: string }>`select
    (select count(*) from transfers where status not in ('final', 'dead') and exception is null)
    + (select count(*) from payments where state in ('claimed', 'settling', 'pending') or (state = 'settled' and not finalized))
    + (select count(*) from lane_transactions where outcome is null) as open`
  for (;;) {
    const { rows } = await open.execute(db)
    if (rows[0]?.open === '0') return true
    if (Date.now() > until) return false
    await sleep(300)
  }
}

/** What Postgres is busy with, when something is stuck. */
async function sessionsOf(db: ReturnType<typeof createDatabase>['db']): Promise<string> {
  const { rows } = await sql<Record<string, unknown>>`
    select pid, pg_blocking_pids(pid) as waits_for, application_name, state, now() - xact_start as since, left(query, 120) as query
    from pg_stat_activity where datname = current_database() and xact_start is not null order by xact_start`.execute(db)
  return rows.map((row) => JSON.stringify(row)).join('\n')
}

const openTemporal = ({ temporalAddress: TEMPORAL_ADDRESS }: ChaosStack['stack']) =>
  createTemporalClient({ TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE: 'default', TEMPORAL_API_KEY: '', TEMPORAL_TLS: 'off' })

async function historiesOf({ stack }: ChaosStack, payoutIds: string[]): Promise<Record<string, unknown>> {
  const { client, close } = openTemporal(stack)
  const histories: Record<string, unknown> = {}
  for (const id of payoutIds) {
    const history = await client.workflow
      .getHandle(id)
      .fetchHistory()
      .catch(() => undefined)
    if (history !== undefined) histories[id] = JSON.parse(historyToJSON(history))
  }
  await close()
  return histories
}

async function surroundingsOf({ stack, asset, rail }: ChaosStack): Promise<Surroundings> {
  const jwks = await fetch(`${stack.baseUrls[0]}/.well-known/jwks.json`)
  return {
    databaseUrl: stack.databaseUrl,
    rpcUrl: stack.rpcUrl,
    temporalAddress: stack.temporalAddress,
    asset,
    payoutWallet: rail.service.payoutWallet.address,
    payTo: rail.service.payTo.address,
    receiptJwks: await jwks.json(),
    since: { block: '0' },
  }
}

const seconds = (begunAt: number) => `${((Date.now() - begunAt) / 1000).toFixed(1)} s`
