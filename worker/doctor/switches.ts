import { limits } from '#domain/core/limits.ts'
import { formatUsdc } from '#domain/core/money.ts'
import { pauseNote } from '#domain/payouts/controls.ts'
import type { Config } from '../../activities/config/config.ts'
import { openChain, openMinimumBalance } from '../../activities/container.ts'
import { type CanaryState, todaysCanary } from '../../activities/payouts/canary.ts'
import { canaryOf } from '../../activities/payouts/canary-settings.ts'
import { countEventsToSee } from '../../activities/store/credit/provider-events.ts'
import { listPauses } from '../../activities/store/operators/controls.ts'
import { createDatabase, type Tx } from '../../activities/store/postgres/db.ts'
import { type Check, type Finding, fault, fine, runCheck, warning } from './check.ts'

const ANSWERS = 'Start Postgres and the chain, or correct DATABASE_URL and CHAIN_RPC_URL.'

/** Checks what can hold new payouts back: pauses, and if configured the minimum balance and the canary. */
export async function checkSwitches(config: Config): Promise<Check[]> {
  const settings = { url: config.DATABASE_URL, applicationName: 'agent-rails doctor', poolSize: 2 }
  const { db, close } = createDatabase({
    ...settings,
    connectTimeoutMs: 3_000,
    queryTimeoutMs: 3_000,
  })
  // Other checks report a database that is unavailable or has no tables. A pause is intended, so it is no fault.
  const pauses = listPauses(db).then((active) => pauseNote(active) ?? 'nothing is paused')
  const checks = [
    runCheck('switches', ANSWERS, async () => fine(await pauses.catch(() => 'not known'))),
  ]
  checks.push(
    runCheck('returned money', ANSWERS, async () =>
      checkEvents(await countEventsToSee(db).catch(() => 0)),
    ),
  )
  if (config.PAYOUT_BALANCE_MIN_ATOMIC > 0n)
    checks.push(
      runCheck('minimum balance', ANSWERS, async () =>
        checkMinimumBalance(await headroom(config, db)),
      ),
    )
  if (canaryOf(config) !== undefined)
    checks.push(
      runCheck('canary', ANSWERS, async () =>
        checkCanary((await todaysCanary(db, config.PAYOUT_WALLET_ADDRESS)).state),
      ),
    )
  return Promise.all(checks).finally(close)
}

async function headroom(config: Config, db: Tx): Promise<bigint> {
  const minimumBalance = openMinimumBalance(config, openChain(config).chain, {
    warn: () => undefined,
  })
  const seen = await minimumBalance.read()
  return seen === undefined ? 0n : minimumBalance.headroom(db, seen)
}

/** The balance above the minimum must be enough for the largest single payout. */
function checkMinimumBalance(atomic: bigint): Finding {
  const text =
    atomic < 0n
      ? `${formatUsdc(-atomic)} USDC below the minimum`
      : `${formatUsdc(atomic)} USDC above the minimum`
  if (atomic >= limits.maxPayoutAtomic) return fine(text)
  return fault(
    text,
    `Fund the payout wallet with at least ${formatUsdc(limits.maxPayoutAtomic - atomic)} USDC.`,
  )
}

/** Events of payment providers that could not be applied need an operator. */
function checkEvents(waiting: number): Finding {
  if (waiting === 0) return fine('every provider event is applied')
  const text = `${waiting} provider ${waiting === 1 ? 'event needs' : 'events need'} attention`
  return warning(
    text,
    'Read GET /api/operator/reconciliation, settle each at the provider, and close its exception.',
  )
}

/** A canary that failed has paused the rail until an operator has found the cause. */
function checkCanary(state: CanaryState): Finding {
  const text = `today's canary is ${state}`
  if (state !== 'failed') return fine(text)
  return fault(
    text,
    'Find out why with agent-rails pauses and recover explain, then agent-rails resume payouts.',
  )
}
