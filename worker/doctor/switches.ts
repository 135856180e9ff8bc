import { canaryOf, openChain, openPayoutFloor } from '../../activities/build-deps.ts'
import { type CanaryState, todaysCanary } from '../../activities/canary.ts'
import type { Config } from '../../activities/config.ts'
import { listPauses } from '../../activities/store/controls.ts'
import { createDatabase, type Tx } from '../../activities/store/db.ts'
import { countEventsToSee } from '../../activities/store/provider-events.ts'
import { pauseNote } from '../../workflows/domain/controls.ts'
import { limits } from '../../workflows/domain/limits.ts'
import { formatUsdc } from '../../workflows/domain/money.ts'
import { type Check, type Finding, fault, fine, look, warning } from './check.ts'

const ANSWERS = 'Start Postgres and the chain, or correct DATABASE_URL and CHAIN_RPC_URL.'

/** What holds new payouts back: pauses, and the balance floor and the canary where they are configured. */
export async function checkSwitches(config: Config): Promise<Check[]> {
  const settings = { url: config.DATABASE_URL, applicationName: 'agent-rails doctor', poolSize: 2 }
  const { db, close } = createDatabase({ ...settings, connectTimeoutMs: 3_000, queryTimeoutMs: 3_000 })
  // A database that is away or has no tables is told by its own checks; a pause is an operator's will and no fault.
  const pauses = listPauses(db).then((active) => pauseNote(active) ?? 'nothing is paused')
  const checks = [look('switches', ANSWERS, async () => fine(await pauses.catch(() => 'not known')))]
  checks.push(look('returned money', ANSWERS, async () => judgeEvents(await countEventsToSee(db).catch(() => 0))))
  if (config.PAYOUT_BALANCE_FLOOR_ATOMIC > 0n)
    checks.push(look('balance floor', ANSWERS, async () => judgeFloor(await headroom(config, db))))
  if (canaryOf(config) !== undefined)
    checks.push(
      look('canary', ANSWERS, async () => judgeCanary((await todaysCanary(db, config.PAYOUT_WALLET_ADDRESS)).state)),
    )
  return Promise.all(checks).finally(close)
}

async function headroom(config: Config, db: Tx): Promise<bigint> {
  const floor = openPayoutFloor(config, openChain(config).chain, { warn: () => undefined })
  const seen = await floor.look()
  return seen === undefined ? 0n : floor.headroom(db, seen)
}

/** Judges what may still leave the payout wallet above its floor: it must be the largest single payout. */
export function judgeFloor(atomic: bigint): Finding {
  const text = `${formatUsdc(atomic < 0n ? -atomic : atomic)} USDC ${atomic < 0n ? 'under' : 'above'} the floor`
  if (atomic >= limits.maxPayoutAtomic) return fine(text)
  return fault(text, `Fund the payout wallet with at least ${formatUsdc(limits.maxPayoutAtomic - atomic)} USDC.`)
}

/** Judges what payment providers said that nothing could be made of, or that somebody has to look at. */
export function judgeEvents(waiting: number): Finding {
  if (waiting === 0) return fine('every provider event is applied')
  const text = `${waiting} provider ${waiting === 1 ? 'event needs' : 'events need'} attention`
  return warning(text, 'Read GET /api/operator/reconciliation, settle each at the provider, and close its exception.')
}

/** Judges today's canary: one that failed has paused the rail, and somebody has to find out why. */
export function judgeCanary(state: CanaryState): Finding {
  const text = `today's canary is ${state}`
  if (state !== 'failed') return fine(text)
  return fault(text, 'Find out why with agent-rails pauses and recover explain, then agent-rails resume payouts.')
}
