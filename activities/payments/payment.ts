import { heartbeat } from '@temporalio/activity'
import type { Kysely } from 'kysely'
import { formatUsdc } from '#domain/core/money.ts'
import type { PaymentSnapshot, PaymentSteps } from '../../workflows/payments/activities.ts'
import type { Chain } from '../chain/client.ts'
import { type FindOutcome, soughtOf } from '../chain/outcome.ts'
import { findCall } from '../store/calls/calls.ts'
import {
  findPayment,
  type PaymentRow,
  recordFailed,
  recordFinalized,
  recordPending,
  recordSettled,
  recordVanished,
} from '../store/payments/payments.ts'
import { transaction } from '../store/postgres/db.ts'
import type { FinalizedBlock } from '../store/postgres/rows.ts'
import type { Database } from '../store/schema/schema.ts'
import { lastAuthorization, type Settler } from './settler.ts'

/** Settles a claimed payment. The answer of the library is a hint; the logs of the chain decide the outcome. */
export function createPaymentSteps(deps: PaymentDeps): PaymentSteps {
  return {
    submitPayment: async (paymentId) => {
      const row = await load(deps, paymentId)
      if (row.state === 'settling' || row.state === 'pending') {
        const hint = await deps.settler.settle(row)
        if (!hint.ok) await recordPending(deps.db, paymentId, hint.reason)
      }
      return snapshot(deps, paymentId, false)
    },
    confirmPayment: async (paymentId) => {
      const until = performance.now() + deps.confirmWindowMs
      for (;;) {
        const seen = await confirm(deps, await load(deps, paymentId))
        if (seen !== 'wait' || performance.now() >= until)
          return snapshot(deps, paymentId, seen === 'finished')
        heartbeat()
        await deps.chain.news()
      }
    },
  }
}

/** `changed`: the workflow has something to do; `finished`: no step is left. */
async function confirm(
  deps: PaymentDeps,
  row: PaymentRow,
): Promise<'wait' | 'changed' | 'finished'> {
  if (row.state === 'failed' || row.state === 'released') return 'finished'
  const { state, block_number, block_hash } = row
  const seen = state === 'settled' && block_number !== null && block_hash !== null
  const seenIn = seen ? { number: BigInt(block_number), hash: block_hash } : undefined
  const outcome = await deps.findOutcome(lastAuthorization(row), { ...soughtOf(row), seenIn })
  switch (outcome.kind) {
    case 'included': {
      const fresh = row.state !== 'settled' || row.block_hash !== outcome.blockHash
      if (fresh) await transaction(deps.db, (tx) => recordSettled(tx, row.payment_id, outcome))
      if (!outcome.finalized) return fresh ? 'changed' : 'wait'
      await recordFinalized(deps.db, row.payment_id)
      return 'finished'
    }
    case 'dead':
      await recordVanished(deps.db, row.payment_id)
      return fail(deps, row, { failure: outcome.reason, ...outcome })
    case 'conflict':
      // The payer signed its nonce twice and the other use came first: once that is final, this payment can never settle.
      if (!outcome.finalized) return 'wait'
      return fail(deps, row, { failure: outcome.detail, ...outcome })
    case 'unknown':
      if (row.state !== 'settled' || outcome.code !== 'unused') return 'wait'
      await recordVanished(deps.db, row.payment_id)
      return 'changed'
  }
}

async function fail(
  { db }: PaymentDeps,
  { payment_id }: PaymentRow,
  { failure, finalizedBlock }: { failure: string; finalizedBlock: FinalizedBlock },
): Promise<'finished'> {
  await transaction(db, (tx) => recordFailed(tx, payment_id, { failure, finalizedBlock }))
  return 'finished'
}

async function load(deps: PaymentDeps, paymentId: string): Promise<PaymentRow> {
  const row = await findPayment(deps.db, paymentId)
  if (row === undefined) throw new Error('a payment in settlement has no row')
  return row
}

async function snapshot(
  deps: PaymentDeps,
  paymentId: string,
  finished: boolean,
): Promise<PaymentSnapshot> {
  const row = await load(deps, paymentId)
  const call = row.call_id === null ? undefined : await findCall(deps.db, row.call_id)
  return {
    paymentId,
    state: row.state,
    payer: row.payer,
    amountUsdc: formatUsdc(BigInt(row.amount_atomic)),
    operation: call?.operation ?? 'a call that was given up',
    transactionHash: row.transaction_hash,
    finished: finished || row.finalized || row.state === 'failed' || row.state === 'released',
    failure: row.failure,
  }
}

/** What the steps of x402 payments need. */
export type PaymentDeps = {
  readonly db: Kysely<Database>
  readonly chain: Pick<Chain, 'news'>
  readonly findOutcome: FindOutcome
  readonly settler: Settler
  readonly confirmWindowMs: number
}
