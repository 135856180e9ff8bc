import type { Kysely } from 'kysely'
import { formatUsdc } from '#domain/core/money.ts'
import type { Wait } from '#domain/core/wait.ts'
import { isExpired } from '#domain/payouts/payout.ts'
import { payoutWait } from '#domain/payouts/wait.ts'
import { describeNode, type NodeState } from '../../../activities/chain/chain-nodes.ts'
import { type Outcome, soughtOf } from '../../../activities/chain/outcome.ts'
import { authorizationOf } from '../../../activities/payout/transfer.ts'
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
import { isRunning } from '../../../temporal/running.ts'
import { payoutSummary } from '../../../workflows/payout/details.ts'
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
    listOpenTransfers(db, 0, { after: '', most: LOOKED_AT_MAX }),
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
    at_work: isUnderWay(transfer),
    waits_for: waitOf({ payout, transfer }, difference).what,
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
  const faulty = nodes.filter(({ faults }) => faults.length > 0)
  return faulty.length === 0 ? {} : { chain_nodes: faulty.map(describeNode).join('\n') }
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
