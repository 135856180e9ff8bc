import { setTimeout as sleep } from 'node:timers/promises'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { sql } from 'kysely'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { createTemporalClient } from '../../../temporal/connection.ts'
import { within } from '../../support/slowness.ts'
import type { ChaosStack } from './chaos-stack.ts'

const DRAIN_WITHIN_MS = within(90_000)

/** Everything works again and stays so, but for what befalls single runs. */
export async function heal({
  commands,
  chainWire,
  postgresWire,
  supervisor,
}: ChaosStack): Promise<void> {
  chainWire.mend()
  postgresWire.mend()
  await supervisor.allUp()
  await commands.mineByTheClock()
  await commands.fundGasWallets()
  await commands.fundPayoutWallet()
  await commands.unpauseToken()
}

/** Whether, in the end, no transfer, fee, transaction of a gas wallet, task or callback was under way any more; an operational task may wait for its approval. */
export async function drain(db: Tx, withinMs = DRAIN_WITHIN_MS): Promise<boolean> {
  const until = Date.now() + withinMs
  const open = sql<{ open: string }>`select
    (select count(*) from transfers where status not in ('final', 'dead') and exception is null)
    + (select count(*) from payments where state in ('claimed', 'settling', 'pending') or (state = 'settled' and not finalized))
    + (select count(*) from gas_wallet_transactions where outcome is null)
    + (select count(*) from tasks where state not in ('closed', 'exception_open') and (state <> 'credit_funded' or usage <> 'operational'))
    + (select count(*) from callback_deliveries where finished_at is null) as open`
  for (;;) {
    const { rows } = await open.execute(db)
    if (rows[0]?.open === '0') return true
    if (Date.now() > until) return false
    await sleep(300)
  }
}

/** What Postgres is busy with, when something is stuck. */
export async function sessionsOf(db: Tx): Promise<string> {
  const { rows } = await sql<Record<string, unknown>>`
    select pid, pg_blocking_pids(pid) as waits_for, application_name, state, now() - xact_start as since, left(query, 120) as query
    from pg_stat_activity where datname = current_database() and xact_start is not null order by xact_start`.execute(
    db,
  )
  return rows.map((row) => JSON.stringify(row)).join('\n')
}

/** A client of the stack's own Temporal server. */
export const openTemporal = ({ temporalAddress: TEMPORAL_ADDRESS }: ChaosStack['stack']) =>
  createTemporalClient({
    TEMPORAL_ADDRESS,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_API_KEY: '',
    TEMPORAL_TLS: 'off',
  })

/** Of these payouts, as Temporal's tools read them. */
export async function historiesOf(
  { stack }: ChaosStack,
  payoutIds: string[],
): Promise<Record<string, unknown>> {
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
