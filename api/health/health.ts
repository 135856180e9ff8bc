import type { Kysely } from 'kysely'
import { type Pause, pauseNote } from '#domain/payouts/controls.ts'
import {
  describeGasWallets,
  type GasWalletHealth,
} from '../../activities/store/gas-wallets/health.ts'
import { databaseSkewMs } from '../../activities/store/postgres/health.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import type { HealthCommands } from '../registry/documents.ts'

export type HealthDeps = {
  db: Kysely<Database>
  countPollers: () => Promise<number>
  chainUp: () => Promise<boolean>
  pauses: () => Promise<Pause[]>
  gasWallets: () => Promise<GasWalletHealth[]>
}
type State = { ok: boolean; detail: string }

const SKEW_MS_MAX = 5_000

/**
 * Readiness part by part: Postgres, Temporal, workers polling, chain, clock skew. Each part has 1.2 s to answer. A pause
 * is intended, and a jammed gas wallet recovers by itself: both are reported and never make the service unready.
 */
export function createHealth({
  db,
  countPollers,
  chainUp,
  pauses,
  gasWallets,
}: HealthDeps): HealthCommands {
  return {
    ready: async () => {
      const skew = databaseSkewMs(db)
      const pollers = countPollers()
      const [postgres, clock, temporal, workers, chain, pauseState, gasWalletState] =
        await Promise.all([
          state(skew, () => ({ ok: true, detail: 'answers' })),
          state(skew, (ms) => ({
            ok: Math.abs(ms) <= SKEW_MS_MAX,
            detail: `${ms} ms from this process's clock`,
          })),
          state(pollers, () => ({ ok: true, detail: 'answers' })),
          state(pollers, (count) => ({ ok: count > 0, detail: `${count} polling` })),
          state(chainUp(), (up) => ({ ok: up, detail: up ? 'answers' : 'does not answer' })),
          state(pauses(), (active) => ({
            ok: true,
            detail: pauseNote(active) ?? 'nothing is paused',
          })),
          state(gasWallets(), (all) => ({ ok: true, detail: describeGasWallets(all) })),
        ])
      const informative = {
        switches: { ...pauseState, ok: true },
        lane: { ...gasWalletState, ok: true },
      }
      const checks = { postgres, temporal, workers, chain, clock, ...informative }
      return { ok: Object.values(checks).every(({ ok }) => ok), checks }
    },
  }
}

async function state<T>(asked: Promise<T>, check: (value: T) => State): Promise<State> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<State>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, detail: 'does not answer in time' }), 1_200)
  })
  const checked = asked.then(check).catch(() => ({ ok: false, detail: 'does not answer' }))
  return Promise.race([checked, late]).finally(() => clearTimeout(timer))
}
