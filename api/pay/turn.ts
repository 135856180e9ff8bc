import { searchFrom } from '../../activities/chain/outcome.ts'
import {
  assertProofUnused,
  type CallRow,
  type Funding,
  findCall,
  freeCallsLeft,
  grantCall,
  lockCaller,
  takeCallLease,
} from '../../activities/store/calls.ts'
import { type Tx, transaction } from '../../activities/store/db.ts'
import {
  claimPayment,
  findDebt,
  findPayment,
  type PaymentClaim,
  paymentAlreadyUsed,
  takeCredit,
} from '../../activities/store/payments.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import type { Run } from './run.ts'

/**
 * What this caller does now: `lead` the granted call, `run` it beside others (its effect is durable, or it is a read that was
 * paid before), `wait` for a leader, `settle` a call whose effect is done, or `replay` the stored answer.
 */
export type Turn = { kind: 'lead' | 'run' | 'wait' } | { kind: 'settle' | 'replay'; row: CallRow }

/** Answers a repeat before it is priced; a call that has no live row is granted here, or refused with 402. */
export async function takeTurn(run: Run): Promise<Turn> {
  const row = await findCall(run.deps.db, run.call.callId)
  if (isLive(row)) return join(run, row)
  if (run.caller.kind === 'wallet') await run.deps.limits.wallet(run.caller.id)
  if (run.operation.price === null) return (await grant(run, async () => ({ kind: 'none' }))) ?? { kind: 'wait' }
  const freeAllowed = await mayHaveFreeCall(run)
  return (await grant(run, (tx) => fundWithoutPayment(run, tx, freeAllowed))) ?? grantPaid(run)
}

async function join(run: Run, row: CallRow): Promise<Turn> {
  await assertProofUnused(run.deps.db, run.call)
  if (row.fingerprint !== run.call.fingerprint) {
    throw refuse(
      'idempotency_conflict',
      'the idempotency key was used with other terms',
      'Use a new idempotency key for other terms.',
    )
  }
  if (row.answer_state === 'final')
    return run.operation.idempotency.kind === 'read' ? { kind: 'run' } : { kind: 'replay', row }
  if (row.answer_state === 'done') return { kind: 'settle', row }
  if (row.grant_state === 'used') return { kind: 'run' }
  return (await takeCallLease(run.deps.db, row.call_id, lease(run))) ? { kind: 'lead' } : { kind: 'wait' }
}

/** Grants in one transaction under the caller's lock, so that slots, credits and proof nonces are counted exactly. */
function grant(run: Run, fund: (tx: Tx) => Promise<Funding | undefined>): Promise<Turn | undefined> {
  return run.deps.inTurn(run.call.caller, async () => {
    // Whoever was first in a burst of one call has granted it by now; the others need no lock to see that.
    if (isLive(await findCall(run.deps.db, run.call.callId))) return { kind: 'wait' }
    return transaction(run.deps.db, async (tx) => {
      await lockCaller(tx, run.call.caller)
      if (isLive(await findCall(tx, run.call.callId))) return { kind: 'wait' }
      const funding = await fund(tx)
      if (funding === undefined) return undefined
      await grantCall(tx, run.call, funding, lease(run))
      return { kind: 'lead' }
    })
  })
}

const isLive = (row: CallRow | undefined): row is CallRow => row !== undefined && row.grant_state !== 'released'

/** Asked before the transaction, which must not wait for a second connection while it holds the caller's lock. */
async function mayHaveFreeCall({ call, deps, request }: Run): Promise<boolean> {
  return (await freeCallsLeft(deps.db, call.caller)) > 0 && (await deps.limits.freeGrant(request.address))
}

async function fundWithoutPayment(run: Run, tx: Tx, freeAllowed: boolean): Promise<Funding | undefined> {
  await assertNoDebt(run, tx)
  const wallet = run.caller.kind === 'wallet' ? run.caller.wallet : run.caller.id
  const credit = await takeCredit(tx, wallet, run.call.callId)
  if (credit !== undefined) return { kind: 'credit', paymentId: credit }
  return freeAllowed && (await freeCallsLeft(tx, run.call.caller)) > 0 ? { kind: 'free' } : undefined
}

/** The wallet owes a fee for an effect that it has: nothing but that call, and status, goes on. */
async function assertNoDebt(run: Run, tx: Tx): Promise<void> {
  if (run.operation.idempotency.kind === 'read') return
  const debt = await findDebt(tx, run.call.caller)
  if (debt === undefined || debt.callId === run.call.callId) return
  const owed = { payment_id: debt.paymentId, operation: debt.operation }
  throw run.deps.offers.paymentRequired(run.operation, 'an earlier call is not paid for', { debt: owed })
}

async function grantPaid(run: Run): Promise<Turn> {
  const claim = await verifiedPayment(run)
  if (claim === 'ours') return { kind: 'wait' }
  const turn = await grant(run, async (tx) => {
    await assertNoDebt(run, tx)
    await claimPayment(tx, claim, run.call.callId, 'claimed')
    return { kind: 'payment', paymentId: claim.paymentId }
  })
  return turn ?? { kind: 'wait' }
}

/** The payment of this request, parsed strictly and verified; `ours` when it is bound to this very call already. */
export async function verifiedPayment(
  run: Run,
  more: { debt?: Record<string, string> } = {},
): Promise<PaymentClaim | 'ours'> {
  const { offers, db, clock, chainHead } = run.deps
  const payment = offers.readPayment(run.request.headers, run.operation)
  if (payment === undefined) throw offers.paymentRequired(run.operation, 'payment is required', more)
  const known = await findPayment(db, payment.paymentId)
  // A payment that is claimed is never verified again: verification of a settled one fails although it paid.
  if (known !== undefined && known.state !== 'released') {
    if (known.call_id === run.call.callId) return 'ours'
    throw paymentAlreadyUsed()
  }
  await offers.verify(payment, await clock.nowSeconds(), run.operation)
  const fromBlock = searchFrom(await chainHead())
  const { paymentId, payer, nonce, payTo, value, validAfter, validBefore, signature, accepted } = payment
  const proofWallet = run.caller.kind === 'wallet' ? run.caller.wallet : run.caller.id
  return {
    paymentId,
    asset: offers.asset,
    payer,
    nonce,
    payTo,
    value,
    validAfter,
    validBefore,
    signature,
    requirements: accepted,
    proofWallet,
    fromBlock,
  }
}

const lease = (run: Run) => ({ holder: run.holder, ms: run.deps.config.CALL_LEASE_MS })
