import type { Kysely } from 'kysely'
import { limits } from '#domain/core/limits.ts'
import { formatUsdc } from '#domain/core/money.ts'
import { isExpired } from '#domain/payouts/payout.ts'
import { payoutWait } from '#domain/payouts/wait.ts'
import type { Wait } from '#domain/reviews/wait.ts'
import { describeFaulty, type NodeState } from '../../../activities/chain/chain-nodes.ts'
import { type Outcome, soughtOf } from '../../../activities/chain/outcome.ts'
import { authorizationOf } from '../../../activities/payouts/transfer.ts'
import { readPayoutConstraints } from '../../../activities/store/payouts/constraints.ts'
import {
  listWaitingPayouts,
  type PayoutRecord,
  requirePayout,
} from '../../../activities/store/payouts/payouts.ts'
import { listOpenTransfers } from '../../../activities/store/payouts/transfers.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import {
  listOpenExceptions,
  openExceptionCode,
} from '../../../activities/store/tasks/exceptions.ts'
import { viewOf } from '../../../temporal/reconciliation.ts'
import { isRunning } from '../../../temporal/running.ts'
import { payoutSummary } from '../../../workflows/payouts/details.ts'
import {
  type Explanation,
  explainWait,
  type Line,
  LOOKED_AT_MAX,
  lastFailure,
  notRunning,
  type RecoverDeps,
} from './line.ts'

/** A payout that its creator has left for longer than this is not under way. */
const WAITING_MS = 24 * 3600 * 1000

/** Payouts whose transfer is under way or that wait for their creator, and those of which reconciliation found a difference. */
export async function listPayouts(db: Kysely<Database>): Promise<Line[]> {
  const [open, differing, waiting] = await Promise.all([
    listOpenTransfers(db, LOOKED_AT_MAX),
    listOpenExceptions(db, LOOKED_AT_MAX),
    listWaitingPayouts(db, WAITING_MS, LOOKED_AT_MAX),
  ])
  const ids = new Set([
    ...open,
    ...waiting,
    ...differing.map(({ subject }) => subject).filter((subject) => subject.startsWith('po_')),
  ])
  return Promise.all([...ids].map((id) => payoutLine(db, id)))
}

/** One payout as it is listed; throws without it. */
export async function payoutLine(db: Kysely<Database>, payoutId: string): Promise<Line> {
  const { payout, transfer } = await requirePayout(db, payoutId)
  const { parked = null, exception = null } = transfer ?? {}
  const difference = await openExceptionCode(db, payoutId)
  const code = exception ?? difference ?? (parked === null ? null : 'parked')
  const { what, action } = waitOf({ payout, transfer }, difference)
  return {
    id: payoutId,
    kind: 'payout',
    state: payout.state,
    code,
    rail: 'payout',
    usage: payout.usage,
    agent: null,
    summary: payoutSummary({ ...payout, amountUsdc: formatUsdc(BigInt(payout.amount_atomic)) }),
    needs_attention: code !== null,
    waits_for: what,
    act: action?.command ?? null,
  }
}

/** One payout: its state, its wait, the last failure of its workflow, and the command that unblocks it. */
export async function explainPayout(
  { client, db, findOutcome, nodes }: RecoverDeps,
  payoutId: string,
): Promise<Explanation> {
  const record = await requirePayout(db, payoutId)
  const { payout, transfer } = record
  const outcome =
    transfer === undefined
      ? undefined
      : await findOutcome(authorizationOf(transfer), soughtOf(transfer))
  const running = await isRunning(client, payoutId)
  const difference = await openExceptionCode(db, payoutId)
  return {
    problem: await problemOf({ client, db }, record, running),
    payout_id: payoutId,
    state: payout.state,
    amount_usdc: formatUsdc(BigInt(payout.amount_atomic)),
    recipient: payout.recipient,
    expires_at:
      payout.expires_at === null ? null : new Date(Number(payout.expires_at) * 1000).toISOString(),
    transfer: transfer?.status ?? 'none',
    chain_says: outcome === undefined ? 'nothing to look for' : describe(outcome),
    ...faultyNodes(await nodes()),
    parked: transfer?.parked ?? null,
    exception: transfer?.exception ?? difference,
    workflow: running ? 'running' : 'not running',
    last_failure: running ? await lastFailure(client, payoutId) : null,
    ...explainWait(
      !running && isUnderWay(transfer) ? notRunning(payoutId) : waitOf(record, difference),
    ),
  }
}

/** What is wrong before anything else: its workflow is gone or does not know its row, or the daily cap is reached. */
async function problemOf(
  { client, db }: Pick<RecoverDeps, 'client' | 'db'>,
  { payout, transfer }: PayoutRecord,
  running: boolean,
): Promise<string | null> {
  const { payout_id: payoutId, amount_atomic } = payout
  if (isUnderWay(transfer)) {
    if (!running) return 'its workflow is gone: a wake starts it again'
    const known = await viewOf(client, payoutId)
    if (known === undefined) return 'its workflow runs, and no worker answers for it'
    const knows = known?.transfer ?? 'none'
    return knows === 'none'
      ? `its workflow runs and does not know its row: it knows no transfer, and the row is ${transfer?.status}; a wake makes it read the row`
      : null
  }
  if (transfer !== undefined || payout.state === 'executed') return null
  const { use } = await readPayoutConstraints(db, payoutId)
  return use.atomic + BigInt(amount_atomic) > limits.dailyCapAtomic
    ? `the daily cap is reached: ${formatUsdc(use.atomic)} of ${formatUsdc(limits.dailyCapAtomic)} USDC are in use`
    : null
}

const isUnderWay = (transfer: PayoutRecord['transfer']): boolean =>
  transfer !== undefined && transfer.status !== 'final' && transfer.status !== 'dead'

function waitOf(
  { payout, transfer }: Pick<PayoutRecord, 'payout' | 'transfer'>,
  difference: string | null,
): Wait {
  const { parked = null, exception = null, status = 'none' } = transfer ?? {}
  const { payout_id: payoutId, state } = payout
  const expired = isExpired(payout, Date.now())
  return payoutWait({ payoutId, state, transfer: status, parked, exception, difference, expired })
}

/** The nodes with a fault, one a line; no line where all are well. */
function faultyNodes(nodes: readonly NodeState[]): Explanation {
  const faulty = describeFaulty(nodes)
  return faulty.length === 0 ? {} : { chain_nodes: faulty.join('\n') }
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
