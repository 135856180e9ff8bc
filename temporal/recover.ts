import type { Client } from '@temporalio/client'
import type { Kysely } from 'kysely'
import type { TokenAuthorization } from '../activities/chain/authorization.ts'
import type { Outcome } from '../activities/chain/outcome.ts'
import { type PayoutRecord, readPayout } from '../activities/store/payouts.ts'
import type { Database } from '../activities/store/schema.ts'
import { listTransfers } from '../activities/store/transfers.ts'
import { authorizationOf } from '../activities/transfer.ts'
import { formatUsdc } from '../workflows/domain/money.ts'
import { isRunning } from './payments.ts'
import { wakePayout } from './payouts.ts'

export type RecoverDeps = {
  client: Client
  db: Kysely<Database>
  findOutcome: (authorization: TokenAuthorization, fromBlock: bigint) => Promise<Outcome>
}
export type Line = Record<string, string | number | boolean | null>

/** Payouts whose transfer is under way, the ones that need somebody first. */
export async function listStuck({ client, db }: RecoverDeps): Promise<Line[]> {
  const open = (await listTransfers(db)).filter((row) => row.status !== 'final' && row.status !== 'dead')
  const lines = await Promise.all(
    open.map(async (row) => ({
      payout_id: row.payout_id,
      amount_usdc: formatUsdc(BigInt(row.amount_atomic)),
      transfer: row.status,
      needs_attention: row.parked !== null || row.exception !== null,
      waits_for:
        row.exception ??
        row.parked ??
        (row.status === 'included' ? 'the block to become final' : 'confirmation on chain'),
      workflow: (await isRunning(client, row.payout_id)) ? 'running' : 'not running',
    })),
  )
  return lines.sort((a, b) => Number(b.needs_attention) - Number(a.needs_attention))
}

/** What one payout is, what it waits for, what its workflow last failed at, and the act that unblocks it. */
export async function explain({ client, db, findOutcome }: RecoverDeps, payoutId: string): Promise<Line> {
  const record = await recordOf(db, payoutId)
  const { payout, transfer } = record
  const outcome =
    transfer === undefined
      ? undefined
      : await findOutcome(authorizationOf(transfer), BigInt(transfer.from_block ?? '0'))
  const running = await isRunning(client, payoutId)
  return {
    payout_id: payoutId,
    state: payout.state,
    amount_usdc: formatUsdc(BigInt(payout.amount_atomic)),
    recipient: payout.recipient,
    expires_at: payout.expires_at === null ? null : new Date(Number(payout.expires_at) * 1000).toISOString(),
    transfer: transfer?.status ?? 'none',
    chain_says: outcome === undefined ? 'nothing to look for' : describe(outcome),
    parked: transfer?.parked ?? null,
    exception: transfer?.exception ?? null,
    workflow: running ? 'running' : 'not running',
    last_failure: running ? await lastFailure(client, payoutId) : null,
    unblocked_by: unblockedBy(record, running),
  }
}

/** Signals the payout's workflow to read its row again, in a new run where none is open; returns what was done. */
export async function wake({ client, db }: RecoverDeps, payoutId: string): Promise<string> {
  await wakePayout(client, await recordOf(db, payoutId))
  return `${payoutId} was woken`
}

function describe(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'included':
      return `paid in ${outcome.transactionHash}, ${outcome.confirmations} confirmations${outcome.finalized ? ', final' : ''}`
    case 'dead':
      return `can never be paid: ${outcome.reason}`
    case 'conflict':
      return `nonce used otherwise: ${outcome.detail}`
    case 'unknown':
      return `not proven: ${outcome.reason}`
  }
}

async function recordOf(db: Kysely<Database>, payoutId: string): Promise<PayoutRecord> {
  const record = await readPayout(db, payoutId)
  if (record === undefined) throw new Error(`no payout ${payoutId}`)
  return record
}

async function lastFailure(client: Client, payoutId: string): Promise<string | null> {
  const description = await client.workflow.getHandle(payoutId).describe()
  const failed = description.raw.pendingActivities?.find((activity) => activity.lastFailure != null)
  return failed?.lastFailure?.message ?? null
}

function unblockedBy({ payout, transfer }: PayoutRecord, running: boolean): string {
  if (transfer?.status === 'final' || transfer?.status === 'dead') return 'nothing: it is over'
  if (transfer?.exception != null)
    return 'look at the transaction on chain; the cap stays held until an operator decides'
  if (transfer?.parked != null)
    return `mend this: ${transfer.parked}; then: agent-rails recover wake ${payout.payout_id}`
  if (transfer !== undefined)
    return running ? 'nothing: it goes on by itself' : `agent-rails recover wake ${payout.payout_id}`
  return payout.state === 'created'
    ? 'the creator calls /api/payout-authorize'
    : 'the creator calls /api/payout-execute'
}
