import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { TestStack } from '../../support/stack.ts'

const LOOK_EVERY_MS = 500

/**
 * An operator who resumes the payouts after reconciliation paused them: faults of the batch spend from the payout wallet with its own
 * key. Looks at the database, which may be down, and acts through the API.
 */
export function startOperator(db: Kysely<Database>, stack: TestStack): { stop(): Promise<void> } {
  let stopped = false
  let turn = 0
  const { credential } = stack.accounts.operator
  const resume = async (since: string) => {
    turn += 1
    await fetch(`${stack.baseUrls[turn % stack.baseUrls.length]}/api/os-security-hardening`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${credential}` },
      body: JSON.stringify({
        scope: 'payouts',
        paused: false,
        reason: 'the transfer was a fault of this batch',
        idempotency_key: `resume-${since}`,
      }),
      signal: AbortSignal.timeout(5_000),
    })
  }
  const look = async () => {
    const paused = await db
      .selectFrom('controls')
      .select('changed_at')
      .where('operator_id', '=', 'reconciliation')
      .where('paused', '=', true)
      .executeTakeFirst()
    if (paused !== undefined) await resume(String(paused.changed_at.getTime()))
  }
  const looking = (async () => {
    while (!stopped) {
      await look().catch(() => undefined)
      await sleep(LOOK_EVERY_MS)
    }
  })()
  return {
    stop: async () => {
      stopped = true
      await looking
    },
  }
}
